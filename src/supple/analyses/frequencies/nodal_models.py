"""A model whose bodies over nodal vectors have smaller elements, at the state of another.

Each element of a line becomes two. Plates get twice the elements along both sides. Solids stay as
they are, see `supple.analyses.frequencies.finer_solids`.

Joints of new nodes at the edges of plates with smaller elements.

A clamped edge is a row of joints, one at each node. Where neighbouring nodes are both held on the
same body by joints of one kind, so is the new node between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np

from supple.bodies.base.refinement import finer_mesh
from supple.bodies.nodal.ancf_line import ANCFLine
from supple.bodies.nodal.ancf_plate import ANCFPlate
from supple.bodies.nodal.ancf_solid import ANCFSolid
from supple.bodies.nodal.finer_vectors import (
    finer_line,
    has_smaller,
    line_map,
    plate_map,
)
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled, JointRecord
from supple.formulations.equations import Equations
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame
from supple.foundation.poses import Array, Pose
from supple.joints import Joint
from supple.loops.assembly import compile_model
from supple.model import Model


class Held(NamedTuple):
    """A joint that holds a node: its frame on the plate, and the other one."""

    joint: Joint
    own: Frame
    other: Frame


class Between(NamedTuple):
    """Two neighbouring nodes that are held alike."""

    first: Held
    second: Held


def held_edges(model: Model, plate: ANCFPlate) -> Iterator[Between]:
    """Neighbouring nodes at the edges of a plate that are held on the same body."""
    n, m = plate.elements
    held = {}
    for joint in model.joints.values():
        for own, other in ((joint.A, joint.B), (joint.B, joint.A)):
            if own.body.name == plate.name:
                held[plate.node(own)] = Held(joint, own, other)
    grid = np.arange((n + 1) * (m + 1)).reshape(n + 1, m + 1)
    for line in (grid[0], grid[-1], grid[:, 0], grid[:, -1]):
        for a, b in zip(line[:-1].tolist(), line[1:].tolist(), strict=True):
            if a in held and b in held and _alike(held[a], held[b]):
                yield Between(held[a], held[b])


def hold_between(made: Model, plate: ANCFPlate, between: Between, number: int) -> None:
    """Hold the new node between two nodes, in a model with smaller elements of the plate."""
    (joint, own, other), (_, after, beyond) = between
    there = made[plate.name]
    assert isinstance(there, ANCFPlate)
    x, y, _ = 0.5 * (own.position + after.position)
    new = Frame(there, there.at(float(x), float(y)).position, own.rotation)
    body: Any = made[other.body.name]
    if isinstance(other.body, ANCFPlate):
        if own is joint.B:
            return  # that plate does it
        x, y, _ = 0.5 * (other.position + beyond.position)
        outer = Frame(body, body.at(float(x), float(y)).position, other.rotation)
    elif other.body is made.ground or not other.body.deforms:
        step = _moved(_pose(plate, own), _pose(there, new))
        at = Pose(other.rotation, other.position).then(step)
        outer = Frame(body, at.p, at.R)
    else:
        raise ModelError(label(joint), "other body", other.body.name, "a body that is rigid")
    name = f"{joint.name} of {plate.name} beside {number} of {len(plate.coordinates)}"
    ends = {"A": new, "B": outer} if own is joint.A else {"A": outer, "B": new}
    made.add(replace(cast("Any", joint), name=name, **ends))


def _alike(a: Held, b: Held) -> bool:
    """True if two nodes are held in the same way."""
    same = type(a.joint) is type(b.joint) and a.other.body.name == b.other.body.name
    return same and (a.own is a.joint.A) == (b.own is b.joint.A)


def _pose(plate: ANCFPlate, frame: Frame) -> Pose:
    """Pose of a frame at rest, on the axes of the plate."""
    rest = plate.rest_pose(frame.position)
    return Pose(rest.R @ frame.rotation, rest.p)


def _moved(first: Pose, second: Pose) -> Pose:
    """Pose of the second frame in the first one."""
    return Pose(first.R.T @ second.R, first.R.T @ (second.p - first.p))


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
    records = {n: r for n, r in c.gradient.items() if not isinstance(r.body, ANCFSolid)}
    size, plates = _size(records), any(isinstance(r.body, ANCFPlate) for r in records.values())
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


def _written(model: Model, records: dict[str, ANCFRecord]) -> Model:
    """The model with finer lines and plates."""
    made, plates = model.copy(), list[ANCFPlate]()
    for name, record in records.items():
        body = record.body
        if isinstance(body, ANCFLine):
            made.replace(name, **finer_line(body))
        elif isinstance(body, ANCFPlate):
            made.replace(name, **finer_mesh(body, FACTOR))
            plates.append(body)
    for plate in plates:
        for number, between in enumerate(list(held_edges(model, plate))):
            hold_between(made, plate, between, number)
    return made


def _size(records: dict[str, ANCFRecord]) -> int:
    """About how many nodal coordinates the finer bodies have."""
    plates = (isinstance(r.body, ANCFPlate) for r in records.values())
    every = zip(records.values(), plates, strict=True)
    return sum(r.mesh.size * (FACTOR**2 if plate else FACTOR) for r, plate in every)


def _map(here: ANCFRecord, there: ANCFRecord) -> Any:
    body, finer = here.body, there.body
    if isinstance(body, ANCFLine) and isinstance(finer, ANCFLine):
        return line_map(body, finer.stations)
    assert isinstance(body, ANCFPlate)
    return plate_map(body, FACTOR)


def _others(c: Compiled, which: str, names: Iterable[str], here: Compiled) -> np.ndarray:
    """Places of coordinates or velocities that are none of some bodies, nor of new joints."""
    own = np.zeros(c.nq if which == "q" else c.nu, dtype=bool)
    new = [joint for name, joint in c.joints.items() if name not in here.joints]
    left_out: list[ANCFRecord | JointRecord] = [*(c.gradient[n] for n in names), *new]
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


def _carried(here: ANCFRecord, there: ANCFRecord, W: Any, q: Array) -> Array:
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


def _as_long(there: ANCFRecord, W: Any, e: Array) -> Array:
    """Nodal vectors there; gradients across a line, which are chords between nodes, as long."""
    found = np.asarray(W @ e)
    if isinstance(there.body, ANCFLine) and there.mesh.node_vectors == ACROSS_FROM + 2:
        across = np.arange(len(found)) % there.mesh.node_vectors >= ACROSS_FROM
        length = (W @ np.linalg.norm(e, axis=1))[across]
        size = np.linalg.norm(found[across], axis=1)
        found[across] *= (length / np.where(size > 0.0, size, 1.0))[:, None]
    return found
