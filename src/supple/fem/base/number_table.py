"""Entries of a matrix as lines of numbers in a text file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError
from supple.foundation.input_files import read_text

COMMENTS = ("*", "%", "#")


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
