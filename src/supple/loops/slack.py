"""Slack lines: cables and gradient beams that are longer than the distance of what holds them.

They cannot start straight. To move their ends together, as little mass as possible, would fold the
elements there; so a line starts on a curve of its own length between the places that are held:

    x = int cos(phi) ds        y = int sin(phi) ds        phi = A f(s)

in the plane of gravity, or across where its section is softest. Between two hinges f is linear, a
circular arc; where a section is clamped or the line goes on behind a support, f is a sine that
vanishes at both ends. A is found from the distance. Nothing is stretched; sections turn with the
tangent.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.core.base.layout import new_work
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled
from supple.engine.reading.rows import rows_at
from supple.foundation.arrays import Array, Booleans
from supple.loops.closing import CLOSED, Assembler

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFLine

STRAIGHT = 1e-6  # part of its length by which a line without load may be shorter than straight
PIECES = 64  # of a span at least, each with the points of Gauss below
GAUSS = np.polynomial.legendre.leggauss(4)
LARGEST = 4.0  # rad, A of a line whose ends meet: pi between hinges, less between clamps
TRIES = 80


def slackened(compiled: Compiled, t: float, q: Array) -> Array:
    """The configuration q of undeformed bodies, with lines that are too long for it curved."""
    lines = [record for record in compiled.gradient.values() if record.body.along_line]
    if not lines:
        return q
    G = abs(rows_at(compiled, new_work(compiled.ints), t, q, np.zeros(compiled.nu)).sparse)
    touched = _columns(G)
    of_lines = np.zeros(compiled.nu, dtype=bool)
    places = np.zeros(compiled.nu, dtype=bool)
    for record in lines:
        of_lines[record.u] = True
        places[record.u] = np.repeat(record.mesh.places.ravel(), 3)
    # a row without other coordinates than those of lines holds a section, others let it turn
    alone = np.asarray(G[:, np.flatnonzero(~of_lines)].sum(axis=1)).ravel() == 0.0
    clamped = _columns(G[np.flatnonzero(alone)]) & ~places
    for loose in (places, clamped | places):
        move = Assembler(compiled, np.flatnonzero(of_lines & ~(touched & loose)).tolist())
        closed, gap = move.positions(t, q, search=False)
        if np.max(np.abs(gap) / move.sizes, initial=0.0) <= CLOSED:
            break
    else:
        return q
    holds = (touched & places) | clamped
    out, found = closed.copy(), False
    for record in lines:
        shape = record.mesh.rest.shape
        held = np.asarray(holds[record.u].reshape(shape).any(axis=2), dtype=bool)
        old, ends = q[record.q].reshape(shape), closed[record.q].reshape(shape)
        curved = _curved(record, held, old, ends, compiled.gravity)
        if curved is not None:
            out[record.q], found = curved.ravel(), True
    return out if found else q


def _columns(G: Any) -> Booleans:
    """Which columns of some rows, all of them positive, have entries."""
    return np.asarray(np.asarray(G.sum(axis=0)).ravel() > 0.0)


def _curved(
    record: ANCFRecord, held: Booleans, old: Array, ends: Array, gravity: Array
) -> Array | None:
    """Nodal vectors (nodes, V, 3) of a line between its held nodes; None if it is not slack.

    ``held`` (nodes, V) vectors are where they are in ``ends``; ``old`` are those of the body before
    it deforms.
    """
    body = cast("ANCFLine", record.body)
    s, rest = np.asarray(body.stations), record.mesh.rest
    places: list[int] = np.flatnonzero(held[:, 0]).tolist()
    spans = list(pairwise(places))
    lengths = [s[b] - s[a] for a, b in spans]
    whole = np.linalg.norm(rest[places[-1], 0] - rest[places[0], 0]) if spans else 0.0
    if not spans or whole < (1.0 - STRAIGHT) * sum(lengths):
        return None
    chords = [ends[b, 0] - ends[a, 0] for a, b in spans]
    section = body.section.at(0.0)
    radius = min(section.I_y, section.I_z) / section.area
    slack = [
        np.linalg.norm(d) < (1.0 - STRAIGHT - 4.0 * np.pi**2 * radius / n**2) * n
        for d, n in zip(chords, lengths, strict=True)
    ]  # a column that is less compressed than Euler's load does stays straight
    if not any(slack):
        return None
    new = old.copy()
    for k, (a, b) in enumerate(spans):
        clamped = len(spans) > 1 or bool(np.any(held[[a, b], 1:]))
        axes = _axes(chords[k], old[a, 1], old[a, 2:], (section.I_y, section.I_z), gravity)
        straight = _turn(old[a, 1] / np.linalg.norm(old[a, 1]), axes[0])
        x = (s[a : b + 1] - s[a]) / lengths[k]
        part = min(float(np.linalg.norm(chords[k])) / lengths[k], 1.0)
        phi, along = curve(x, part if slack[k] else 1.0, clamped)
        stretch = 1.0 if slack[k] else float(np.linalg.norm(chords[k])) / lengths[k]
        new[a : b + 1, 0] = ends[a, 0] + stretch * lengths[k] * along @ axes[:2]
        turned = np.array([_about(axes[2], angle) @ straight for angle in phi])
        new[a : b + 1, 1:] = np.einsum("nij,nvj->nvi", turned, old[a : b + 1, 1:])
        tails = [(slice(0, a), a, 0)] if k == 0 else []
        tails += [(slice(b + 1, None), b, -1)] if b == places[-1] else []
        for tail, node, side in tails:  # what is free follows as it is
            new[tail, 1:] = old[tail, 1:] @ turned[side].T
            new[tail, 0] = ends[node, 0] + (old[tail, 0] - old[node, 0]) @ turned[side].T
    new[held] = ends[held]
    return new


def curve(x: Array, part: float, clamped: bool) -> tuple[Array, Array]:
    """Angles (n,) rad and places (n, 2) of a curve of length 1 whose ends are ``part`` apart.

    Parameters
    ----------
    x : (n,) arc lengths from 0 to 1
    part : distance of the ends, which are on the first axis
    clamped : whether the angle is zero at the ends
    """
    pieces = np.repeat(np.diff(x), count := -(-PIECES // (len(x) - 1))) / count
    first = np.concatenate([[0.0], np.cumsum(pieces)[:-1]])
    points = (first[:, None] + 0.5 * pieces[:, None] * (1.0 + GAUSS[0])).ravel()
    weights = (0.5 * pieces[:, None] * GAUSS[1]).ravel()

    def shape(s: Array) -> Array:
        return np.asarray(np.sin(2.0 * np.pi * s) if clamped else 1.0 - 2.0 * s)

    def apart(A: float) -> float:
        return float(weights @ np.cos(A * shape(points))) - part

    A, steps = 0.0, np.linspace(0.0, LARGEST, TRIES)[1:]
    if part < 1.0:
        last = next((k for k, a in enumerate(steps) if apart(a) <= 0.0), len(steps) - 1)
        A = _zero(apart, steps[last - 1] if last else 0.0, steps[last])
    angle = A * shape(points)
    parts = weights[:, None] * np.array([np.cos(angle), np.sin(angle)]).T
    own = parts.reshape(len(x) - 1, -1, 2).sum(axis=1)
    return A * shape(x), np.concatenate([np.zeros((1, 2)), np.cumsum(own, axis=0)])


def _zero(f: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that changes its sign between two values is zero."""
    positive = f(low) > 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (f(middle) > 0.0) == positive else (low, middle)
    return 0.5 * (low + high)


def _axes(
    chord: Array, tangent: Array, others: Array, moments: tuple[float, float], gravity: Array
) -> Array:
    """Axes (3, 3) of a curve: along its chord, where it sags, and across."""
    x, size = chord, float(np.linalg.norm(tangent))
    if np.linalg.norm(x) < 1e-6 * size:  # its ends meet
        x = np.cross(np.cross(gravity, tangent), gravity) if np.any(gravity) else tangent
        x = x if np.linalg.norm(x) > 1e-9 * size * float(gravity @ gravity) else tangent
    x = x / np.linalg.norm(x)
    soft = others[0 if moments[1] <= moments[0] else 1] if len(others) else np.eye(3)[1]
    for y in (gravity, soft, *np.eye(3)):
        across = y - (y @ x) * x
        if np.linalg.norm(across) > 1e-3 * np.linalg.norm(y):
            break
    y = across / np.linalg.norm(across)
    return np.array([x, y, np.cross(x, y)])


def _about(axis: Array, angle: float) -> Array:
    """Rotation (3, 3) about an axis of length 1."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Array = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return turned


def _turn(a: Array, b: Array) -> Array:
    """The smallest rotation (3, 3) from one direction to another."""
    axis = np.cross(a, b)
    size = float(np.linalg.norm(axis))
    if size < 1e-12:
        axis = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    return _about(axis / np.linalg.norm(axis), float(np.arctan2(size, a @ b)))
