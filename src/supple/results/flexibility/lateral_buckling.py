"""Lateral buckling of straight beams: a deep strip that is bent about its stiff axis turns aside.

Bending moments and shear forces about the stiff axis couple twist with bending about the other one.
Neither linear shapes nor a second order without twist describe that. With the geometric stiffness
K_G of these moments alone on the fine mesh of `supple.results.flexibility.truncation`, and with the
supports of `supple.results.flexibility.supports`, the part of the load that buckles the
beam is the largest value r of

    -K_G shape = r K shape

Rigid motions that no support prevents are those that the body's inertia resists: shapes have no
momentum along them. Deflection before it buckles holds a beam that is hardly deeper than thick: r
is multiplied by the root of (1 - EI_weak / EI) (1 - GJ / EI), as for a constant moment, and is zero
where the beam is no stiffer about the axis it is bent about. Loads act at the axis, and sections
are free to warp. A beam with twist of second order sees as much of it as its own shapes do: their r
is compared with that of the mesh.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from supple.constraints import Driver
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.reduction.modes import rigid_motions
from supple.results.data.findings import Extreme
from supple.results.flexibility.deformation import whitening
from supple.results.flexibility.supports import ALIKE, held_directions
from supple.results.views.body_loads import at_times

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.fem.beams.beam import BeamMesh
    from supple.results.flexibility.truncation import Deflected
    from supple.results.result import Result


# Moments times the length, in parts of sqrt(EI GJ), below which no beam is near: a cantilever under
# a moment at its end, that keeps its direction, buckles at pi/2.
FAINT = 0.1
FEW = 4  # times that are looked at
# Part of that value that the coordinates of a beam with twist of second order must show.
SEEN = 0.9


def lateral_buckling(result: Result, loaded: Deflected) -> Extreme | None:
    """Part of the load under which a beam buckles to the side, which its model does not see.

    None where it is not known, or where twist of second order and enough coordinates see it.
    """
    record = loaded.record
    body, masses = record.body, record.point_masses
    mesh = body.responding_mesh(masses)
    if mesh is None:
        return None
    sees = body.second_order_twist
    strong = _strong(mesh)
    none = Extreme(loaded.t, np.zeros(len(loaded.t)))
    if strong.factor == 0.0 or not len(loaded.t):
        return None if sees else none
    nodes = len(mesh.nodes)
    unit = loaded.response.moved[:nodes].reshape(mesh.size, -1)
    bent = strong.part(loaded.right @ unit.T)
    size = strong.size(bent)
    if not size.max() > FAINT:
        return None if sees else none
    which = np.sort(np.argsort(size)[-FEW:])
    shown = loaded.response.rows[:nodes].reshape(mesh.size, -1)
    values, seen = [], []
    for k in which:
        time = int(np.argmin(np.abs(result.t - loaded.t[k])))
        held = _held(at_times(result, np.array([time])), body, mesh)
        if held is None or not np.all(np.isfinite(bent[k])):
            return None
        K_G = mesh.geometric_stiffness(bent[k])
        try:
            values.append(strong.factor * _largest(mesh, K_G, _allowed(mesh, held)) / size[k])
            if sees:
                shapes = _allowed(mesh, held, np.hstack([shown, rigid_motions(mesh.nodes)]))
                seen.append(strong.factor * _largest(mesh, K_G, shapes) / size[k])
        except np.linalg.LinAlgError:  # supports that hardly hold it, or numbers beyond all bounds
            return None
    if sees and all(own >= SEEN * whole for own, whole in zip(seen, values, strict=True)):
        return None
    # At other times, where moments are smaller, their distribution is that of the nearest of these.
    near = np.argmin(np.abs(loaded.t[:, None] - loaded.t[which]), axis=1)
    return Extreme(loaded.t, size * np.array(values)[near])


class _Strong:
    """Bending of a beam about its stiff axis."""

    def __init__(self, mesh: BeamMesh) -> None:
        self.mesh = mesh
        places = mesh.nodes[:, 0] / mesh.length
        if isinstance(mesh.section, CrossSection):
            places = places[:1]
        laws = [mesh.at(s, mesh.roll) for s in places]
        both = np.array([np.linalg.eigvalsh(law.bending) for law in laws])
        self.across = np.linalg.eigh(laws[len(laws) // 2].bending)[1][:, 1]  # y, z
        self.bending = np.array([law.bending for law in laws])
        torsional = np.array([law.torsional for law in laws])
        self.resists = np.sqrt(both[:, 0] * torsional) / mesh.length
        weak, twisting = both[:, 0] / both[:, 1], torsional / both[:, 1]
        left = np.maximum(1.0 - weak, 0.0) * np.maximum(1.0 - twisting, 0.0)
        deep = weak.min() < 1.0 - ALIKE and self.resists.min() > 0.0
        self.factor = float(np.sqrt(left.max())) if deep else 0.0

    @cached_property
    def moments(self) -> Array:
        """Moments (size, nodes) of each nodal coordinate at all nodes."""
        rows = np.array([self.mesh.strain(x)[1:3] for x in self.mesh.nodes[:, 0]])
        along = np.broadcast_to(self.bending @ self.across, (len(rows), 2))
        return np.asarray(np.einsum("pj,pjs->sp", along, rows))

    def part(self, moved: Array) -> Array:
        """Nodal coordinates (k, size) without all but the bending about the stiff axis."""
        y, z = self.across
        rows = np.zeros((2, 6))
        rows[0, 1:3], rows[1, 4:6] = (y, z), (-z, y)
        nodal = moved.reshape(len(moved), -1, 6)
        return np.asarray((nodal @ rows.T @ rows).reshape(moved.shape))

    def size(self, bent: Array) -> Array:
        """Largest moments (k,) times length over sqrt(EI GJ)."""
        moments = bent @ self.moments
        return np.asarray(self.factor * np.abs(moments / self.resists).max(axis=1))


@lru_cache(maxsize=32)  # a monitor is asked for after every run, and meshes are kept by bodies
def _strong(mesh: BeamMesh) -> _Strong:
    return _Strong(mesh)


def _held(result: Result, body: FlexibleBody, mesh: BeamMesh) -> Array | None:
    """Rows (c, size) of nodal coordinates that are zero at the one time of a result.

    None where it is not known what holds the body: constraints between frames, or springs alone.
    """
    name, items = body.name, result.constraints.values()
    others = [c for c in items if not isinstance(c, Driver)]
    if any(f.body.name == name for c in others for f in c.frames.values()):
        return None
    unit = np.repeat([1.0, mesh.length], 3)
    rows = np.zeros((0, mesh.size))
    for frame, held in held_directions(result, name, mesh.length):
        rows = np.vstack([rows, held * unit @ mesh.motion(float(body.station(frame)))])
    rigid = rigid_motions(mesh.nodes) / unit
    _, values, ways = np.linalg.svd(rows @ rigid) if len(rows) else (0, np.zeros(0), np.eye(6))
    free = rigid @ ways[int(np.sum(values > ALIKE)) :].T
    if free.shape[1]:
        springs = (f.frames.values() for f in result.forces.values() if len(f.frames) > 1)
        if any(frame.body.name == name for frames in springs for frame in frames):
            return None
        momentum = (mesh.mass_matrix @ free).T
        rows = np.vstack([rows, momentum / np.linalg.norm(momentum, axis=1, keepdims=True)])
    return rows


def _allowed(mesh: BeamMesh, held: Array, within: Array | None = None) -> Array:
    """Shapes (size, n) on which rows are zero: all of the mesh, or within the span of some."""
    scale = np.tile(np.repeat([1.0, 1.0 / mesh.length], 3), len(mesh.nodes))  # all in metres
    span = np.eye(mesh.size) if within is None else np.linalg.qr(within / scale[:, None])[0]
    table = held * scale @ span
    table /= np.linalg.norm(held * scale, axis=1, keepdims=True)
    _, values, directions = np.linalg.svd(table)
    free = directions[int(np.sum(values > ALIKE)) :].T
    return np.asarray(scale[:, None] * (span @ free))


def _largest(mesh: BeamMesh, K_G: Array, shapes: Array) -> float:
    """Part of the load under which the mesh buckles within shapes (size, n)."""
    if not shapes.shape[1]:
        return 0.0
    K, G = (shapes.T @ X @ shapes for X in (mesh.stiffness_matrix, K_G))
    inverse = whitening(K)
    return max(0.0, -float(np.linalg.eigvalsh(inverse @ G @ inverse.T)[0]))
