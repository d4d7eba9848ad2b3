"""Models whose bodies over nodal vectors have smaller elements, at the state of another.

Each element of a line becomes two. Plates get twice the elements along both sides. A map W (vectors
there, vectors here) gives the nodal vectors of the finer body that describe the same shape: cubics
along lines, the place of the element of a plate, shape functions of a solid.

A clamped edge of a plate is a row of joints, one at each node. Where neighbouring nodes are both
held on the same body by joints of one kind, so is the new node between them.

Solids stay as they are in the model; its matrices get those of finer meshes. A displacement of a
mesh is one of the finer mesh with the same strains, so that a state of one is a state of the other.
What is not of the solid itself acts on nodes that both have: with R, which reads the vectors of the
mesh from those of the finer one, a matrix A of the model, and the parts a and b of it that belong
to the solid and to the finer one,

    R' (A - a) R + b
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from supple.analyses.equilibrium.sparse_balance import SparseBalance
from supple.bodies.base.refinement import finer_mesh
from supple.bodies.nodal.ancf_body import MOST_ELEMENTS
from supple.bodies.nodal.ancf_drawing import line_vectors
from supple.bodies.nodal.ancf_line import ANCFLine
from supple.bodies.nodal.ancf_plate import ANCFPlate
from supple.bodies.nodal.ancf_solid import ANCFSolid
from supple.bodies.structure.finer_mesh import finer_interface
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled, JointRecord
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.nodal.ancf_plate import PlateRows, grid_cells
from supple.fem.nodal.ancf_solid import SolidVectors
from supple.fem.refinement.meshes import finer
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array, Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame
from supple.foundation.poses import Pose
from supple.joints import Joint
from supple.loops.assembly import compile_model

if TYPE_CHECKING:
    from scipy import sparse

    from supple.model import Model


ACROSS_FROM = 2  # of the vectors r, r_x, r_y, r_z of a node of a beam, the first across it
FACTOR = 2  # times the elements of a plate along each side
LARGEST = 20_000  # nodal coordinates of a finer model
LARGEST_AGAIN = 1_200  # the same with plates, of one that is finer still
LARGEST_SOLID = 15_000  # coordinates of a finer mesh of a solid
SAME = 1e-9  # stations in lengths of a line
AT_NODES = ((0, 0), (1, 0), (0, 1))  # derivatives that are nodal vectors of a plate
# Error of the finer mesh of a solid, in parts of what both differ by: tet4 becomes tet10; hex8 is
# divided into three along its edges, others into two.
REST = {"tet4": 0.05}
OTHERS = 0.15


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


@dataclass(frozen=True, eq=False)
class FinerModel:
    """A model with smaller elements."""

    # model, equations: it
    model: Model
    equations: Equations
    P: Any  # sparse (nu there, nu here), motions there that are given here
    q: Array  # (nq,) coordinates there


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
    if not all(isinstance(r.body, ANCFLine | ANCFPlate) for r in records.values()):
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
    a, b = _others(here, "u", maps, here), _others(there, "u", maps, here)
    if len(a) != len(b):
        return None
    parts = [(b, a, np.ones(len(a)))]
    for name, W in maps.items():
        parts.append(_entries(W, there.gradient[name].u.start, here.gradient[name].u.start))
    return _joined(parts, (there.nu, here.nu))


def _entries(W: Any, row: int, column: int) -> tuple[Any, Any, Any]:
    """Rows, columns and values of a map of vectors, component by component, at a place."""
    from scipy import sparse

    whole = sparse.coo_array(sparse.kron(W, np.eye(3)))
    return whole.coords[0] + row, whole.coords[1] + column, whole.data


def _joined(parts: Sequence[tuple[Any, Any, Any]], shape: tuple[int, int]) -> Any:
    """Sparse matrix of the rows, columns and values of parts."""
    from scipy import sparse

    if not parts:
        return sparse.csr_array(shape)
    rows, columns, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return sparse.csr_array((values, (rows, columns)), shape)


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
    vectors = np.asarray(W @ e)
    if isinstance(there.body, ANCFLine) and there.mesh.node_vectors == ACROSS_FROM + 2:
        across = np.arange(len(vectors)) % there.mesh.node_vectors >= ACROSS_FROM
        length = (W @ np.linalg.norm(e, axis=1))[across]
        size = np.linalg.norm(vectors[across], axis=1)
        vectors[across] *= (length / np.where(size > 0.0, size, 1.0))[:, None]
    return vectors


def finer_line(body: ANCFLine) -> dict[str, Any]:
    """Fields of a line with so many elements that each, but for short ones, becomes two or more."""
    lengths = np.diff(np.asarray(body.stations))
    long = np.flatnonzero(lengths > 0.5 * lengths.max())
    elements = 2 * body.elements
    while True:
        there = np.asarray(body.stations_with(elements))
        inside = np.searchsorted(there, np.asarray(body.stations) + SAME * body.length)
        if elements >= MOST_ELEMENTS or np.diff(inside)[long].min() >= 2:
            return {"elements": elements}
        elements += 1


def line_map(body: ANCFLine, stations: Vector) -> sparse.csr_array:
    """Nodal vectors at other stations (m) of a line from its own."""
    parts = []
    stations = stations[: len(stations) - body.closed]
    for k, x in enumerate(stations):
        own, rows_of = line_vectors(body, float(x))
        rows = np.repeat(k * len(rows_of) + np.arange(len(rows_of)), len(own))
        parts.append((rows, np.tile(own, len(rows_of)), rows_of.ravel()))
    vectors = body.mesh.node_vectors
    return _joined(parts, (len(stations) * vectors, len(body.mesh.rest) * vectors))


def plate_map(body: ANCFPlate, factor: int) -> sparse.csr_array:
    """Nodal vectors of a plate with so many times the elements along both sides."""
    (n, m), vectors = body.elements, body.mesh.node_vectors
    shapes = PlateRows((float(body.size[0]) / n, float(body.size[1]) / m))
    cells = grid_cells(body.elements).reshape(n, m, 4)
    fine = factor * n + 1, factor * m + 1
    parts = []
    for p in range(fine[0] * fine[1]):
        at = np.divmod(p, fine[1])
        i, j = (min(int(k) // factor, count - 1) for k, count in zip(at, (n, m), strict=True))
        x, y = float(at[0]) / factor - i, float(at[1]) / factor - j
        four = cells[i, j]
        own = (four[:, None] * vectors + np.arange(3)).ravel()
        for v, order in enumerate(AT_NODES):
            parts.append((np.full(12, p * vectors + v), own, shapes.row(x, y, *order)))
        if vectors > len(AT_NODES):  # the normal, linear between nodes
            linear = np.array([(1 - x) * (1 - y), x * (1 - y), x * y, (1 - x) * y])
            parts.append((np.full(4, p * vectors + 3), four * vectors + 3, linear))
    return _joined(parts, (fine[0] * fine[1] * vectors, (n + 1) * (m + 1) * vectors))


def _read(vectors: SolidVectors) -> sparse.csr_array:
    """Vectors (n, N) of a solid from the places of its nodes."""
    from scipy import sparse

    free = np.flatnonzero(vectors.first >= 0)
    unit = np.ones(len(free)), (vectors.first[free], free)
    read = sparse.csr_array(unit, shape=(len(vectors.rest), len(vectors.first)))
    for first, end in zip(vectors.pieces, (*vectors.pieces[1:], len(vectors.rest)), strict=True):
        columns = np.arange(first, end)
        own = sparse.csr_array(vectors.nodes[:, columns])
        held = np.flatnonzero(np.diff(own.indptr))
        rows = np.linalg.pinv(own[held].toarray())
        at = np.repeat(columns, len(held)), np.tile(held, len(columns))
        read = read + sparse.csr_array((rows.ravel(), at), shape=read.shape)
    return sparse.csr_array(read)


@dataclass(frozen=True, eq=False)
class FinerSolids:
    """Finer meshes of all solids of a model."""

    P: Any  # sparse (n there, nu here), motions there that are given here
    R: Any  # sparse (nu here, n there), motions here that are given there
    # own, new: (K, C, M) sparse, of solids here (nu, nu) and there (n, n)
    own: tuple[Any, Any, Any]
    new: tuple[Any, Any, Any]
    rest: float  # error that is left, in parts of what both differ by
    slices: dict[str, slice]  # places there of each solid by name

    def matrices(self, here: SparseBalance) -> SparseBalance:
        """Matrices with the finer meshes."""
        R = self.R
        K, C, M = (
            (R.T @ (a - own) @ R + new).tocsr()
            for a, own, new in zip((here.K, here.C, here.M), self.own, self.new, strict=True)
        )
        states = {"F": R.T @ here.F, "Y": here.Y @ R, "V": here.V @ R}
        return replace(here, K=K, C=C, M=M, G=(here.G @ R).tocsr(), load=R.T @ here.load, **states)


def finer_solids(c: Compiled, q: Array) -> FinerSolids | None:
    """Finer meshes of the solids of a model at a state of rest; None if one is too large.

    Without solids, all motions are the same.
    """
    from scipy import sparse

    solids = {n: r for n, r in c.gradient.items() if isinstance(r.body, ANCFSolid)}
    kept = np.ones(c.nu, dtype=bool)
    for record in solids.values():
        kept[record.u] = False
    others, unit = np.flatnonzero(kept), c.scale
    size, units = len(others), [unit[others]]
    P: list[tuple[Any, Any, Any]] = [(np.arange(size), others, np.ones(size))]
    R, slices, own, new, rest = list(P), dict[str, slice](), [], [], 0.0
    for name, record in solids.items():
        made = _made(record)
        if made is None:
            return None
        there, W, back, left = made
        slices[name], rest = slice(size, size + there.size), max(rest, left)
        units.append(np.full(there.size, float(unit[record.u].mean())))
        P.append(_entries(W, size, record.u.start))
        rows, columns, values = _entries(back, record.u.start, size)
        R.append((columns, rows, values))
        e = q[record.q].reshape(-1, 3)
        own.append((record.u.start, _tangents(record.mesh, e)))
        new.append((size, _tangents(there, W @ e)))
        size += there.size
    there_unit = sparse.diags_array(np.concatenate(units))
    here_unit, ones = sparse.diags_array(unit), sparse.diags_array(1.0 / unit)
    forth = _joined(P, (size, c.nu))
    back_again = sparse.csr_array(_joined(R, (size, c.nu)).T)
    inverse = sparse.diags_array(1.0 / there_unit.diagonal())
    return FinerSolids(
        sparse.csr_array(inverse @ forth @ here_unit),
        sparse.csr_array(ones @ back_again @ there_unit),
        _placed(own, here_unit),
        _placed(new, there_unit),
        rest,
        slices,
    )


def _made(record: ANCFRecord) -> tuple[ANCFMesh, Any, Any, float] | None:
    """The finer mesh of a solid, its vectors from those here, these from those, and its error.

    None if it would be too large.
    """
    body = record.body
    assert isinstance(body, ANCFSolid)
    fine = finer(body.component)
    if fine is None or 3 * len(fine.component.nodes) > LARGEST_SOLID:
        return None
    interfaces = [finer_interface(fine, each) for each in body.interfaces]
    there = ANCFSolid(body.name, fine.component, interfaces, damping=body.damping)
    here, new = body.__dict__["_vectors"], there.__dict__["_vectors"]
    forth = _read(new) @ (fine.weights @ here.nodes)
    back = _read(here) @ new.nodes[fine.same]
    return there.mesh, forth, back, REST.get(body.component.kind, OTHERS)


def _tangents(mesh: ANCFMesh, e: Array) -> tuple[Any, Any, Any]:
    from scipy import sparse

    return (*mesh.tangents(e), sparse.kron(mesh.mass_matrix, np.eye(3)))


def _placed(parts: list[tuple[int, tuple[Any, Any, Any]]], unit: Any) -> tuple[Any, Any, Any]:
    """Matrices of solids at their places among all coordinates, in units."""
    from scipy import sparse

    matrices_placed = []
    for k in range(3):
        own = [(first, sparse.coo_array(matrices[k])) for first, matrices in parts]
        entries = [(x.coords[0] + first, x.coords[1] + first, x.data) for first, x in own]
        matrices_placed.append(unit @ _joined(entries, unit.shape) @ unit)
    return matrices_placed[0], matrices_placed[1], matrices_placed[2]
