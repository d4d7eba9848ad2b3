"""Contact of two lines as records for the kernels, and what it does at states of a run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.base import layout as at
from supple.core.contact import contact
from supple.core.contact import lines as codes
from supple.core.equations import history as kernel
from supple.core.forces import rope
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, label

if TYPE_CHECKING:
    from supple.bodies.shapes.lines import Line
    from supple.engine.base.compiled import Compiled
    from supple.engine.pack.builder import Builder
    from supple.forces.contacts import Contact

FINE = 12.0  # balls in the sum of both radii: where lines cross the push varies by some 2 %
SLACK = 0.3  # balls: lengths and radii that are round numbers may vary without another number


def pack(b: Builder, force: Contact, reals: dict[int, Any]) -> None:
    """Add the records of two lines: push, and what friction takes; ``reals`` of its laws."""
    assert force.lines is not None
    other, one = force.lines  # which has the balls
    alone = force.touches_itself
    every = [one] if alone else [one, other]
    reach = other.radius + one.radius
    nodes, pieces, counts = list[int](), list[int](), list[int]()
    places, numbers = list[float](), list[float]()
    for k, line in enumerate(every):
        stations = [b.place_inside(frame) for frame in line.stations]
        if force.friction is not None and any(b.node_turns(node) for node, _ in stations):
            expected = "None: lines rub where places have no axes, on a Cable or ANCFBeam"
            raise ModelError(label(force), "friction", force.friction, expected)
        found = pieces_of(line)
        for number, (cubics, start, length) in enumerate(found):
            first = min(max(number - 1, 0), max(len(stations) - 4, 0))
            window = [min(first + j, len(stations) - 1) + len(nodes) for j in range(4)]
            count = 1 if k else max(1, math.ceil(length / reach * FINE - SLACK))
            pieces += [*window, count]
            share = (0.5 if alone else 1.0) * length / count  # of itself each touches each
            numbers += [*cubics.ravel().tolist(), start, length, share]
        counts.append(len(found))
        nodes += [node for node, _ in stations]
        places += [x for _, pose in stations for x in pose.p.tolist()]
    apart = math.pi * one.radius if alone else 0.0
    ints: dict[int, Any] = {
        codes.COUNT: len(nodes),
        codes.NODES: b.add_integers(nodes),
        codes.PIECES: b.add_integers(pieces),
        codes.BALLS: counts[0],
        codes.OTHER: 0 if alone else counts[0],
        codes.ALL: sum(counts),
        codes.AT: b.add_numbers([reach, one.radius, apart, *places, *numbers]),
        codes.SCRATCH: b.flex_work,
        codes.FRICTION: int(force.friction is not None),
    }
    assert (codes.COUNT, codes.NODES) == (rope.COUNT, rope.NODES)  # as kinds that couple a path
    b.flex_work += codes.scratch_size(len(nodes), sum(counts))
    b.add_element({at.KIND: codes.LINE_CONTACT, **ints}, reals, f"{force.name}.push")
    if force.friction is not None:
        b.add_element({at.KIND: codes.LINE_RUBBING, **ints}, reals, f"{force.name}.friction")
    b.wrenches += 1


def pieces_of(line: Line) -> list[tuple[Array, float, float]]:
    """Cubics between the stations of a line: coefficients (4, 4) of the weights of four stations.

    With them where each begins along the line and its length, m. Tangents at stations are those of
    parabolas through three of them. Of fewer than four stations the last weights are zero.
    """
    assert line.steps is not None
    along = np.cumsum([0.0, *line.steps])
    n, tangents = len(along), tangents_at(along)
    found = []
    for k, length in enumerate(np.diff(along).tolist()):
        ends, slopes = np.eye(n)[k : k + 2], tangents[k : k + 2] * length
        cubics = np.stack(
            [
                ends[0],
                slopes[0],
                3.0 * (ends[1] - ends[0]) - 2.0 * slopes[0] - slopes[1],
                2.0 * (ends[0] - ends[1]) + slopes[0] + slopes[1],
            ],
            axis=1,
        )
        first, full = min(max(k - 1, 0), max(n - 4, 0)), np.zeros((4, 4))
        full[: min(4, n)] = cubics[first : first + 4]
        found.append((full, float(along[k]), length))
    return found


def tangents_at(along: Array) -> Array:
    """Weights (n, n) of stations in the tangent at each, per length; ``along`` are their places."""
    n = len(along)
    weights = np.zeros((n, n))
    for k in range(n):
        some = np.arange(3) + min(max(k - 1, 0), max(n - 3, 0)) if n > 2 else np.arange(2)
        powers = np.vander(along[some] - along[k], increasing=True)
        weights[k, some] = np.linalg.inv(powers)[1]
    return weights


def line_history(c: Compiled, force: Contact, q: Array, u: Array) -> list[Array]:
    """What two lines do at the states of a run, (nt, contact.SHOWN) of each piece with balls."""
    e = c.force_names.index(f"{force.name}.push")
    count = int(at.integers(c.ints, "element")[e, codes.BALLS])
    out = np.zeros((len(q) * count, contact.SHOWN))
    kernel.line_history(c.ints, c.reals, at.new_work(c.ints), q, u, e, count, out)
    return list(np.moveaxis(out.reshape(len(q), count, -1), 1, 0))
