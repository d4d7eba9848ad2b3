"""A model whose bodies over nodal vectors have smaller elements, at the state of another.

Each element of a line becomes two. Plates get twice the elements along both sides. Solids stay as
they are, see `supple.analyses.frequencies.finer_solids`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.analyses.frequencies.plate_edges import held_edges, hold_between
from supple.bodies.base.refinement import finer_mesh
from supple.bodies.nodal.ancf_line import GradientLine
from supple.bodies.nodal.ancf_plate import GradientPlate
from supple.bodies.nodal.ancf_solid import GradientSolid
from supple.bodies.nodal.finer_vectors import (
    finer_line,
    has_smaller,
    line_map,
    plate_map,
)
from supple.engine.base.body_records import GradientRecord
from supple.engine.base.compiled import Compiled, JointRecord
from supple.formulations.equations import Equations
from supple.foundation.poses import Array
from supple.loops.assembly import compile_model
from supple.model import Model

ACROSS_FROM = 2  # of the vectors r, r_x, r_y, r_z of a node of a beam, the first across it
FACTOR = 2  # times the elements of a plate along each side
LARGEST = 20_000  # nodal coordinates of a finer model
LARGEST_AGAIN = 1_200  # the same with plates, of one that is finer still


@dataclass(frozen=True, eq=False)
class FinerModel:
    """A model with smaller elements.

    Attributes
    ----------
    model, equations : it
    P : sparse (nu there, nu here), motions there that are given here
    q : (nq,) coordinates there
    """

    model: Model
    equations: Equations
    P: Any
    q: Array


def finer_nodal(
    model: Model, equations: Equations, t: float, q: Array, again: bool = False
) -> FinerModel | None:
    """The model with smaller elements near the same state; None where there is none.

    ``again``: of a model that was made so already.
    """
    from scipy import sparse

    c = equations.compiled
    records = {n: r for n, r in c.gradient.items() if not isinstance(r.body, GradientSolid)}
    size, plates = _size(records), any(isinstance(r.body, GradientPlate) for r in records.values())
    if size > (LARGEST_AGAIN if again and plates else LARGEST):
        return None
    if not all(has_smaller(r.body) for r in records.values()):
        return None
    if not records:
        return FinerModel(model, equations, sparse.eye_array(c.nu, format="csr"), q)
    made, tree = _written(model, records), [edge.joint for edge in c.graph.tree]
    fine = compile_model(made, (), None, t)
    if [edge.joint for edge in fine.graph.tree][: len(tree)] != tree:
        fine = compile_model(made, (), tree, t)
    maps = {name: _map(record, fine.gradient[name]) for name, record in records.items()}
    P, places = _motions(c, fine, maps), [_others(x, "q", maps, c) for x in (c, fine)]
    if P is None or len(places[0]) != len(places[1]):
        return None
    moved = fine.q0.copy()
    moved[places[1]] = q[places[0]]
    for name, W in maps.items():
        here, there = records[name], fine.gradient[name]
        moved[there.q] = _carried(here, there, W, q[here.q])
    return FinerModel(made, Equations(fine), P, moved)


def _written(model: Model, records: dict[str, GradientRecord]) -> Model:
    """The model with finer lines and plates."""
    made, plates = model.copy(), list[GradientPlate]()
    for name, record in records.items():
        body = record.body
        if isinstance(body, GradientLine):
            made.replace(name, **finer_line(body))
        elif isinstance(body, GradientPlate):
            made.replace(name, **finer_mesh(body, FACTOR))
            plates.append(body)
    for plate in plates:
        for number, between in enumerate(list(held_edges(model, plate))):
            hold_between(made, plate, between, number)
    return made


def _size(records: dict[str, GradientRecord]) -> int:
    """About how many nodal coordinates the finer bodies have."""
    plates = (isinstance(r.body, GradientPlate) for r in records.values())
    every = zip(records.values(), plates, strict=True)
    return sum(r.mesh.size * (FACTOR**2 if plate else FACTOR) for r, plate in every)


def _map(here: GradientRecord, there: GradientRecord) -> Any:
    body, finer = here.body, there.body
    if isinstance(body, GradientLine) and isinstance(finer, GradientLine):
        return line_map(body, finer.stations)
    assert isinstance(body, GradientPlate)
    return plate_map(body, FACTOR)


def _others(c: Compiled, which: str, names: Iterable[str], here: Compiled) -> np.ndarray:
    """Places of coordinates or velocities that are none of some bodies, nor of new joints."""
    own = np.zeros(c.nq if which == "q" else c.nu, dtype=bool)
    new = [joint for name, joint in c.joints.items() if name not in here.joints]
    left_out: list[GradientRecord | JointRecord] = [*(c.gradient[n] for n in names), *new]
    for record in left_out:
        own[record.q if which == "q" else record.u] = True
    return np.flatnonzero(~own)


def _motions(here: Compiled, there: Compiled, maps: dict[str, Any]) -> Any:
    """P (nu there, nu here); None where other coordinates do not agree."""
    from scipy import sparse

    a, b = _others(here, "u", maps, here), _others(there, "u", maps, here)
    if len(a) != len(b):
        return None
    rows, columns, values = [b], [a], [np.ones(len(a))]
    for name, W in maps.items():
        whole = sparse.coo_array(sparse.kron(W, np.eye(3)))
        rows.append(whole.coords[0] + there.gradient[name].u.start)
        columns.append(whole.coords[1] + here.gradient[name].u.start)
        values.append(whole.data)
    joined = [np.concatenate(part) for part in (values, rows, columns)]
    return sparse.csr_array((joined[0], (joined[1], joined[2])), (there.nu, here.nu))


def _carried(here: GradientRecord, there: GradientRecord, W: Any, q: Array) -> Array:
    """Nodal vectors there of nodal vectors here; at rest they are those at rest."""
    rest, new, e = here.mesh.rest.reshape(-1, 3), there.mesh.rest.reshape(-1, 3), q.reshape(-1, 3)
    bent = new - W @ rest  # what a curved shape at rest is beside cubics
    if np.max(np.abs(bent), initial=0.0) == 0.0:
        return _as_long(there, W, e).ravel()
    at = here.mesh.places.ravel()[:, None]
    before, now = (x - at * x[at[:, 0]].mean(axis=0) for x in (rest, e))
    left, _, right = np.linalg.svd(now.T @ before)
    turn = left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right
    return np.asarray(W @ e + bent @ turn.T).ravel()


def _as_long(there: GradientRecord, W: Any, e: Array) -> Array:
    """Nodal vectors there; gradients across a line, which are chords between nodes, as long."""
    found = np.asarray(W @ e)
    if isinstance(there.body, GradientLine) and there.mesh.node_vectors == ACROSS_FROM + 2:
        across = np.arange(len(found)) % there.mesh.node_vectors >= ACROSS_FROM
        length = (W @ np.linalg.norm(e, axis=1))[across]
        size = np.linalg.norm(found[across], axis=1)
        found[across] *= (length / np.where(size > 0.0, size, 1.0))[:, None]
    return found
