"""Matrices in text files with rows in any order: entries, places, directions, units."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse

from supple.fem.base.imported import ImportedComponent
from supple.fem.files.input_deck import InputDeck
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError
from supple.foundation.input_files import read_text
from supple.foundation.validate import choice

COMMENTS = ("*", "%", "#")
MILLIMETRE = 1e-3


def number_table(path: Path, widths: tuple[int, ...], what: str, owner: str = "") -> Array:
    """Numbers (k, width) of a file with blanks or commas between them, without comments.

    All lines have as many numbers as the first, one of ``widths``; ``what`` says what they are.
    """
    sizes = " or ".join(str(width) for width in widths)
    text = read_text(path, f"lines of {sizes} numbers, {what}", owner)
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    lines = [line.replace(",", " ") for line in lines if not line.startswith(COMMENTS)]
    width = len(lines[0].split()) if lines else 0
    try:
        found = np.array(" ".join(lines).split(), dtype=float)
    except ValueError:
        found = np.empty(0)
    even = width in widths and all(len(line.split()) == width for line in lines)
    if not even or found.size != width * len(lines) or not np.all(np.isfinite(found)):
        raise ModelError.plain(
            f"{path.name}: its lines are not all made of {sizes} numbers, expected {what}"
        )
    return found.reshape(-1, width)


def file_integers(name: str, what: str, values: Array) -> Indices:
    """Return numbers of a file as integers; refuse those that are none."""
    with np.errstate(invalid="ignore"):  # numbers beyond all integers
        found = values.astype(np.int64)
    wrong = np.flatnonzero(found != values)
    if len(wrong):
        raise ModelError.plain(
            f"{name}: {what} is {values.ravel()[wrong[0]]:g}, expected an integer"
        )
    return found


Units = Literal["m", "mm"]


def from_triangle(name: str, entries: Array, size: int) -> sparse.csc_array:
    """Matrix (size, size) from rows, columns (from 1) and entries (k, 3) of a file.

    One of two mirrored entries is enough, in whatever order of rows it is a triangle. If both are
    given, all are used as they are.
    """
    ends = file_integers(name, "a row or column", entries[:, :2])
    if ends.min() < 1 or ends.max() > size:
        wrong = int(ends[(ends < 1) | (ends > size)][0])
        raise ModelError.plain(f"{name}: a row or column is {wrong}, expected 1 to {size}")
    row, column = (ends - 1).T
    found = sparse.csc_array(sparse.coo_array((entries[:, 2], (row, column)), (size, size)))
    beside = row != column
    given, mirrored = row[beside] * size + column[beside], column[beside] * size + row[beside]
    if np.isin(mirrored, given).any():
        return found
    return sparse.csc_array(found + found.T - sparse.diags_array(found.diagonal()))


def component_of_rows(
    name: str, deck: InputDeck, pairs: Any, M: Any, K: Any, units: Units
) -> ImportedComponent:
    """Component from matrices whose rows are ``pairs`` (k, 2): node number, direction 1 to 6."""
    owner = f"ImportedComponent {name!r}"
    labels = np.unique(pairs[:, 0])
    unknown = np.setdiff1d(labels, deck.labels)
    if len(unknown):
        raise ModelError.plain(
            f"{owner}: the matrices have node {unknown[0]}, expected one of the model's nodes"
        )
    if pairs[:, 1].min() < 1 or pairs[:, 1].max() > 6:
        wrong = pairs[(pairs[:, 1] < 1) | (pairs[:, 1] > 6)][0]
        raise ModelError.plain(
            f"{owner}: node {wrong[0]} has the direction {wrong[1]}, expected 1 to 6"
        )
    size = 3 if pairs[:, 1].max() <= 3 else 6
    index = size * np.searchsorted(labels, pairs[:, 0]) + pairs[:, 1] - 1
    present = np.bincount(index, minlength=size * len(labels))
    if not np.all(present == 1):
        node, direction = divmod(int(np.flatnonzero(present != 1)[0]), size)
        raise ModelError.plain(
            f"{owner}: direction {direction + 1} of node {labels[node]} is "
            f"{present[size * node + direction]} times in the matrices, expected once: write them "
            "for the free body, without supports and constraints"
        )
    order = np.argsort(index)
    places = deck.places[np.searchsorted(deck.labels, labels)]
    places, M, K = convert(places, size, M[order][:, order], K[order][:, order], units)
    groups = {
        group: np.searchsorted(labels, np.intersect1d(members, labels))
        for group, members in deck.sets.items()
        if len(np.intersect1d(members, labels))
    }
    return ImportedComponent(places, size, M, K, groups, labels, name)


def convert(places: Array, node_size: int, M: Any, K: Any, units: Units) -> tuple[Array, Any, Any]:
    """Places, mass and stiffness in SI units.

    From mm, t, s: lengths shrink by a thousand and so does energy (N mm), hence the entries for
    two translations grow by a thousand, those for two rotations shrink, and mixed ones stay.
    """
    if choice("units", "units", units, ("m", "mm")) == "m":
        return places, M, K
    unit = np.ones(node_size * len(places))
    unit[np.arange(len(unit)) % node_size < 3] = 1.0 / MILLIMETRE
    D = sparse.diags_array(unit)
    return MILLIMETRE * places, MILLIMETRE * (D @ M @ D), MILLIMETRE * (D @ K @ D)
