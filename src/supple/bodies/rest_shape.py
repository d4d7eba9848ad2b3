"""The shape of a part of a curved or twisted beam without strain, and its stiffness.

So is the stiffness of a straight part whose section changes along it.

The elastic coordinates of a part are deformations against the frame of its chord; those of the
unloaded part are its ``rest``. The flexibility of the part, clamped at its first end, for a force
and a moment at the other is the integral of the flexibility of its sections on the given line:
exact statics of a curved and twisted beam. With the derivatives A of the motion of the second end
against the first by the coordinates, at rest, section forces are ``H F^-1 A q``. Where twist is a
parabola along the part, its own rate of twist has a moment beside these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.centre_line import CentreLine
from supple.errors import ModelError, label
from supple.fem.damping import KelvinVoigt, Rayleigh
from supple.poses import Pose, matrix_quaternion, skew
from supple.reduction.modal import Attachment, ModalBody
from supple.validate import Vector, read_only

if TYPE_CHECKING:
    from supple.bodies.beam import Beam

# Gauss points along a part: its line turns by less than two rad.
POINTS = 8
# An end may turn by so much against the chord of a part without load, rad.
MOST_TURN = 1.0
NEWTON_STEPS, ROUNDING = 50, 1e-14
TORQUE = 3  # place of T among section forces


@dataclass(frozen=True, eq=False)
class RestShape:
    """A part of a beam on its line, in the frame of its chord.

    Attributes
    ----------
    part : Beam
        As it were straight.
    line : CentreLine of the whole beam
    start : m, station of the part's first end
    chord : Pose of the part's frame on the axes of the line
    rest : (n,) elastic coordinates without strain
    wrench : (6, n) force and moment at the second end for each coordinate
    inner : (n,) amplitude of twist that the ends do not tell, beyond that of the wrench's statics
    """

    part: Beam
    line: CentreLine
    start: float
    chord: Pose
    rest: Vector
    wrench: Vector
    inner: Vector

    @classmethod
    def of(cls, part: Beam, line: CentreLine, start: float, owner: Beam) -> RestShape:
        """Find the rest of a part that begins at a station (m) of a line."""
        middle = line.pose(start + 0.5 * part.length)
        ends = [line.pose(start), line.pose(start + part.length)]
        chord = _chord(ends)
        turned = [rotation_vector(chord.R.T @ end.R) for end in ends]
        most = max(float(np.linalg.norm(x)) for x in turned)
        if not most < MOST_TURN:
            raise ModelError(
                label(owner),
                "parts",
                len(owner.part_stations) - 1,
                f"more: an end of {part.name} turns by {most:.2g} rad against its chord without "
                f"load, and {MOST_TURN:g} rad is the most",
            )
        places = [part.shown(part.at(x)) for x in (0.0, part.length)]
        rows = np.vstack([places[0].Psi, places[1].Psi, places[1].Phi[:1]])
        span = float(np.linalg.norm(ends[1].p - ends[0].p))
        wanted = np.concatenate([turned[0], turned[1], [span - part.length]])
        q = np.linalg.lstsq(rows, wanted, rcond=None)[0]
        known = np.flatnonzero(_inner(part))
        halves = [rotation_vector(a.R.T @ b.R) for a, b in pairwise((ends[0], middle, ends[1]))]
        q[known] = 0.5 * (halves[0][0] - halves[1][0])
        others = np.setdiff1d(np.arange(len(q)), known)
        for _ in range(NEWTON_STEPS):
            (first, last), motion = _ends(places, q)
            turn = first.R @ ends[0].R.T
            moved = turn @ (ends[1].p - ends[0].p) - (last.p - first.p)
            left = np.concatenate([moved, rotation_vector(turn @ ends[1].R @ last.R.T)])
            step = np.linalg.lstsq(motion[:, others], left, rcond=None)[0]
            q[others] += step
            if np.abs(step).max() < ROUNDING * max(1.0, part.length):
                break
        (first, _), motion = _ends(places, q)
        R = ends[0].R @ first.R.T
        return cls._stiff(part, line, start, Pose(R, ends[0].p - R @ first.p), q, motion)

    @classmethod
    def straight(cls, part: Beam, line: CentreLine, start: float) -> RestShape:
        """That of a straight part whose section changes along it."""
        field: Any = part._reduced(())
        turns = [field.rotation(x) for x in (0.0, part.length)]
        arm = np.array([part.length, 0.0, 0.0])
        moved = field.displacement(part.length) - field.displacement(0.0) + skew(arm) @ turns[0]
        motion = np.vstack([moved, turns[1] - turns[0]])
        return cls._stiff(part, line, start, line.pose(start), np.zeros(motion.shape[1]), motion)

    @classmethod
    def _stiff(
        cls, part: Beam, line: CentreLine, start: float, chord: Pose, q: Vector, motion: Vector
    ) -> RestShape:
        found = cls(part, line, start, chord, read_only(q), motion, np.zeros(len(q)))
        flexibility, twisted, static, square = np.zeros((6, 6)), np.zeros(6), np.zeros(6), 0.0
        inner = _inner(part)
        for x, weight in found._points:
            rows, soft, rate = found._forces(x), found._softness(x), _inner_twist(part, x) @ inner
            flexibility += weight * (rows.T * soft) @ rows
            twisted += weight * rate * rows[TORQUE]
            static += weight * rate * soft[TORQUE] * rows[TORQUE]
            square += weight * rate**2
        if square:  # the coordinate is all of this twist: what statics have of it is taken away
            static = static / square
        motion = motion - np.outer(twisted, inner)
        wrench = np.linalg.solve(flexibility - np.outer(twisted, static), motion)
        return replace(found, wrench=read_only(wrench), inner=read_only(inner - static @ wrench))

    def body(self, body: ModalBody) -> ModalBody:
        """A straight part's body with the rest and the stiffness of this one."""
        K = self._matrix(1.0, 1.0)
        C, damping, material = np.zeros_like(K), self.part.damping, self.part.material
        if isinstance(damping, Rayleigh):
            C = damping.stiffness * K
        elif isinstance(damping, KelvinVoigt):
            C = self._matrix(*damping.factors(material.E, material.G))
        rest = self.rest if np.any(self.rest) else None  # a straight part whose section changes
        return replace(body, K=read_only(K), C=read_only(C), rest=rest)

    def pose(self, x: float) -> Pose:
        """Place and axes of a station without load as its shapes have it, on the line's axes."""
        where = self.part.shown(self.part.at(x))
        moved = where.motion(self.rest, self.rest, self.rest)[0]
        turn = np.eye(3) + skew(moved[3:]) @ _turning(moved[3:])
        return self.chord.then(Pose(turn, where.p0 + moved[:3]))

    def section_forces(self, x: float) -> Vector:
        """Rows (6, n) of N, Vy, Vz, T, My, Mz at a station of the part, in section axes."""
        rows = self._forces(x) @ self.wrench
        rate = _inner_twist(self.part, x) @ _inner(self.part)
        rows[TORQUE] += rate / self._softness(x)[TORQUE] * self.inner
        return read_only(rows)

    def strain(self, x: float) -> Vector:
        """Rows (3, n) of u' and the curvatures tz', -ty' at a station, in section axes."""
        rows, soft = self.section_forces(x), self._softness(x)
        return np.stack([soft[0] * rows[0], soft[5] * rows[5], -soft[4] * rows[4]])

    def _forces(self, x: float) -> Vector:
        """Section forces (6, 6) at a station by force and moment at the second end."""
        here, end = (self.line.pose(self.start + s) for s in (x, self.part.length))
        R, arm = self._axes(here), self.chord.R.T @ (end.p - here.p)
        force = np.hstack([R.T, np.zeros((3, 3))])
        return np.vstack([force, np.hstack([R.T @ skew(arm), R.T])])

    def _axes(self, here: Pose) -> Vector:
        """Axes (3, 3) of a section, turned by its roll, in the frame of the chord."""
        c, s = np.cos(self.part.roll), np.sin(self.part.roll)
        roll = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
        return np.asarray(self.chord.R.T @ here.R @ roll)

    @property
    def _mesh(self) -> Any:
        reduced: Any = self.part._reduced(())
        return reduced.mesh

    @property
    def _points(self) -> list[tuple[float, float]]:
        """Stations (m) and weights (m) of sums along the part."""
        length = self.part.length
        return [(s * length, w * length) for s, w in self._mesh.quadrature(0.0, 1.0, POINTS)]

    def _softness(self, x: float) -> Vector:
        """Strains (6,) by unit section forces at a station."""
        law = self._mesh.at(x / self.part.length)
        bending = np.diag(law.bending)[::-1]
        return 1.0 / np.array([law.axial, *law.shear, law.torsional, *bending])

    def _matrix(self, of_E: float, of_G: float) -> Vector:
        """Stiffness (n, n), its parts by E and by G multiplied by factors."""
        factors = np.array([of_E, of_G, of_G, of_G, of_E, of_E])
        found = np.zeros((len(self.rest), len(self.rest)))
        for x, weight in self._points:
            rows = self.section_forces(x)
            found += weight * (rows.T * (factors * self._softness(x))) @ rows
        return 0.5 * (found + found.T)


def _inner_twist(part: Beam, x: float) -> Vector:
    """Row (n,) of the rate of twist at a station that the ends of a part do not tell."""
    field: Any = part._reduced(())
    return np.asarray(field.mesh.inner_twist(x) @ field.reduction.basis)


def _inner(part: Beam) -> Vector:
    """The coordinate of that twist, (n,) one for it and zero for others; zeros if there is none."""
    return np.asarray(_inner_twist(part, 0.0) != 0.0, dtype=np.float64)


def _ends(places: Sequence[Attachment], q: Vector) -> tuple[list[Pose], Vector]:
    """Poses of both ends of a part in its frame, and the motion (6, n) of the second.

    That is its motion against the first end, for each coordinate.
    """
    moved = [place.motion(q, q, q)[0] for place in places]
    turning = [_turning(x[3:]) for x in moved]
    slopes = [place.jacobian(q) for place in places]
    turns = [turning[k] @ slopes[k][3:] for k in (0, 1)]
    poses = [
        Pose(np.eye(3) + skew(x[3:]) @ T, place.p0 + x[:3])
        for place, x, T in zip(places, moved, turning, strict=True)
    ]
    arm = skew(poses[1].p - poses[0].p)
    return poses, np.vstack([slopes[1][:3] - slopes[0][:3] + arm @ turns[0], turns[1] - turns[0]])


def _chord(ends: list[Pose]) -> Pose:
    """Frame through both ends that turns about the chord with the mean twist of their sections."""
    along = ends[1].p - ends[0].p
    size = float(np.linalg.norm(along))
    along = along / size if size else ends[0].R[:, 0]
    y = ends[0].R[:, 1] + ends[1].R[:, 1]
    y = y - (y @ along) * along
    if not np.linalg.norm(y):
        y = ends[0].R[:, 2]
    R = np.column_stack([along, y / np.linalg.norm(y), np.cross(along, y / np.linalg.norm(y))])
    for _ in range(NEWTON_STEPS):
        angle = 0.5 * sum(rotation_vector(R.T @ end.R)[0] for end in ends)
        c, s = np.cos(angle), np.sin(angle)
        R = R @ np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
        if abs(angle) < ROUNDING:
            break
    return Pose(R, ends[0].p)


def rotation_vector(R: Vector) -> Vector:
    """Rotation vector (3,) of a matrix (3, 3), not longer than pi."""
    q = matrix_quaternion(R)
    size = float(np.linalg.norm(q[1:]))
    angle = 2.0 * np.arctan2(size, q[0])
    return np.asarray(q[1:] * (angle / size if size else 2.0))


def _turning(v: Vector) -> Vector:
    """Matrix (3, 3) from the rate of a rotation vector to the angular velocity, fixed axes."""
    a, turn = float(np.linalg.norm(v)), skew(v)
    if a < 1e-4:
        return np.asarray(np.eye(3) + 0.5 * turn + turn @ turn / 6.0)
    return np.asarray(
        np.eye(3) + (1.0 - np.cos(a)) / a**2 * turn + (a - np.sin(a)) / a**3 * turn @ turn
    )
