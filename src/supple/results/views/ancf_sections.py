"""Section forces of beams and cables over nodal vectors, from the balance of their elements.

An element needs the generalized forces ``g = f + M a - weight`` less loads along it at its nodal
vectors. Those at a node have the resultant ``g_r`` and, since a small rotation of the node changes
its gradients by ``theta x g_i``, the moment ``sum g_i x f_i``: this is what the rest of the body
exerts on the element there. Wherever nothing but neighbours acts on a node, both elements agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from supple.bodies.nodal.line_sections import (
    SECTION_POINTS,
    LineSection,
    section_axes,
    weighted_sections,
)
from supple.fem.nodal import ancf_forces
from supple.fem.nodal.ancf_cable import hermite
from supple.forces import DistributedLoad
from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError
from supple.results.views.section_views import SectionForces

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFLine
    from supple.engine.base.body_records import ANCFRecord
    from supple.results.result import Result


class LineLoad(NamedTuple):
    """A load along a body with its density (nt, 3) N/m over time, in its own axes."""

    load: DistributedLoad
    density: Array


def line_loads(result: Result, record: ANCFRecord) -> tuple[LineLoad, ...]:
    """Loads along a gradient body, as strong as they were in the run."""
    found = []
    for name, force in result.forces.items():
        if not isinstance(force, DistributedLoad) or force.frame.body.name != record.name:
            continue
        if result.data.loads is None:
            raise SuppleError(
                f"{record.label}: the load {name!r} along it is not in this result, expected one "
                "of a run"
            )
        efforts = result.data.loads(name).efforts[:, record.u].reshape(len(result.t), -1, 3)
        body = cast("ANCFLine", record.body)
        weights = _weights(force, body)
        k = int(np.argmax(np.abs(weights)))
        pull = np.broadcast_to(weights[k] * np.eye(3), (len(result.t), 3, 3))
        if force.axes == "section":
            vectors = result.q[:, record.q].reshape(len(result.t), -1, 3)
            pull = _pull_at(force, body, k, vectors)
        density = np.einsum("tij,tj->ti", np.linalg.pinv(pull), efforts[:, k])
        found.append(LineLoad(force, density))
    return tuple(found)


def _pull_at(load: DistributedLoad, body: ANCFLine, k: int, vectors: Array) -> Array:
    """Efforts (nt, 3, 3) on the nodal vector k of a load on sections, for each of its components.

    Along a cable there is one component only.
    """
    total = np.zeros((len(vectors), 3, 3))
    for piece in _pieces(load, body):
        for place in np.flatnonzero(piece[0].vectors == k):
            total += _pulls(piece, vectors)[:, place]
    return total


def _pieces(load: DistributedLoad, body: ANCFLine) -> list[list[LineSection]]:
    """Points of a load on sections, element by element."""
    return weighted_sections(body, load.points(body, SECTION_POINTS), load.frame.rotation)


def _pulls(piece: Sequence[LineSection], vectors: Array) -> Array:
    """Efforts (nt, K, 3, 3) on the nodal vectors of an element, of a load on its sections.

    The last index is that of the component of the density along the axes of the load.
    """
    own = vectors[:, piece[0].vectors]
    total = np.zeros((*own.shape, 3))
    for section in piece:
        gradients = np.einsum("nk,tkx->ntx", section.rows[1:], own)
        pull = section.weight * section_axes(gradients) @ section.turn
        total += section.rows[0][:, None, None] * pull[:, None]
    return total


def _weights(load: DistributedLoad, body: ANCFLine, element: int = -1) -> Array:
    """Weights of all nodal vectors, or of those (K,) of one element from what is along it."""
    mesh = body.mesh
    total = np.zeros(mesh.size // 3)
    for x, weight in load.points(body, 4):
        vectors, rows = body.shown_vectors(body.at(x))
        if element < 0 or vectors[0] == mesh.vectors[element][0]:
            total[vectors] += weight * rows[0]
    return total if element < 0 else total[mesh.vectors[element]]


def section_forces(
    body: ANCFLine,
    x: float,
    motion: Sequence[Array],
    gravity: Array,
    loads: Sequence[LineLoad],
    axes: Array,
) -> SectionForces:
    """Force and moment in the section at x (m) over time, along axes (nt, 3, 3) of the section.

    ``motion`` are the nodal vectors (nt, n, 3), their rates and accelerations. Within an element
    the force is linear and the moment M the cubic with ``M' = -r_x x F`` at both ends. Where a
    force acts on a node, they are those behind it.
    """
    stations, mesh = np.asarray(body.stations), body.mesh
    k = int(np.clip(np.searchsorted(stations, x, side="right") - 1, 0, len(stations) - 2))
    length = float(stations[k + 1] - stations[k])
    xi = (x - float(stations[k])) / length
    table, here = mesh.tables[mesh.kinds[k]], mesh.vectors[k]
    e, rates, changes = (part[:, here] for part in motion)
    g = ancf_forces.forces(table, e, rates) + np.einsum("kl,tlx->tkx", table.mass, changes)
    g -= table.weight[:, None] * gravity
    for load, density in loads:
        if load.axes == "section":
            for piece in _pieces(load, body):
                if piece[0].vectors[0] == here[0]:
                    g -= np.einsum("tkxi,ti->tkx", _pulls(piece, motion[0]), density)
        else:
            g -= _weights(load, body, k)[:, None] * density[:, None]
    ends, force, moment = [], [], []
    for node, sign in ((0, -1.0), (1, 1.0)):  # what is beyond acts on what is before
        first = node * mesh.node_vectors
        own = slice(first + 1, first + mesh.node_vectors)
        ends.append(e[:, first + 1])
        force.append(sign * g[:, first])
        moment.append(sign * np.cross(e[:, own], g[:, own]).sum(axis=1))
    F = (1.0 - xi) * force[0] + xi * force[1]
    row = hermite(xi, length)
    slopes = [-np.cross(r, f) for r, f in zip(ends, force, strict=True)]
    M = row[0] * moment[0] + row[1] * slopes[0] + row[2] * moment[1] + row[3] * slopes[1]
    values = np.concatenate([np.einsum("tij,ti->tj", axes, v) for v in (F, M)], axis=1)
    return SectionForces(values, body.section.at(x / body.length), "elements")


def tangent_axes(start: Array, slope: Array) -> Array:
    """Axes (nt, 3, 3) with x along a slope (nt, 3): those of the start by the smallest rotation."""
    x = slope / np.linalg.norm(slope, axis=1, keepdims=True)
    a = start[:, 0]
    v = np.cross(a, x)
    c = 1.0 + x @ a
    opposite = c < 1e-12  # no rotation is the smallest: about y
    c = np.where(opposite, 1.0, c)
    skew = np.cross(np.eye(3)[None], v[:, None]).transpose(0, 2, 1) * -1.0
    turn = np.eye(3) + skew + skew @ skew / c[:, None, None]
    turn[opposite] = 2.0 * np.outer(start[:, 1], start[:, 1]) - np.eye(3)
    found: Array = turn @ start
    return found
