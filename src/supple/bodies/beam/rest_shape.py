"""Shape of a segment of a curved or twisted beam without strain, and its stiffness.

The stiffness of a straight segment whose section changes along it is found in the same way.

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
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.bodies.base.centre_line import CentreLine
from supple.fem.base.damping import KelvinVoigt, Rayleigh
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.poses import Pose, matrix_quaternion, skew
from supple.foundation.validate import read_only
from supple.reduction.modal import Attachment, ModalBody

if TYPE_CHECKING:
    from supple.bodies.beam.beam import Beam

# Gauss points along a part: its line turns by less than two rad.
POINTS = 8
# An end may turn by so much against the chord of a part without load, rad.
MOST_TURN = 1.0
NEWTON_STEPS, ROUNDING = 50, 1e-14
TORQUE = 3  # place of T among section forces


@dataclass(frozen=True, eq=False)
class RestShape:
    """A part of a beam on its line, in the frame of its chord."""

    part: Beam  # Beam As it were straight.
    line: CentreLine  # CentreLine of the whole beam
    start: float  # m, station of the part's first end
    chord: Pose  # Pose of the part's frame on the axes of the line
    rest: Vector  # (n,) elastic coordinates without strain
    wrench: Vector  # (6, n) force and moment at the second end for each coordinate
    # (n,) amplitude of twist that the ends do not tell, beyond that of the wrench's statics
    inner: Vector
    K: Vector  # (n, n) stiffness

    @classmethod
    def of(
        cls, part: Beam, line: CentreLine, start: float, owner: str, count: int
    ) -> RestShape:
        """Find the rest of one of ``count`` parts that begins at a station (m) of a line."""
        middle = line.pose(start + 0.5 * part.length)
        ends = [line.pose(start), line.pose(start + part.length)]
        chord = _chord(ends)
        turned = [rotation_vector(chord.R.T @ end.R) for end in ends]
        most = max(float(np.linalg.norm(x)) for x in turned)
        if not most < MOST_TURN:
            raise ModelError(
                owner,
                "parts",
                count,
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
        """Rest shape of a straight part whose section changes along it."""
        field: Any = part._reduced(())
        ends = field.motions((0.0, part.length))
        turns = ends[:, 3:]
        arm = np.array([part.length, 0.0, 0.0])
        moved = ends[1, :3] - ends[0, :3] + skew(arm) @ turns[0]
        motion = np.vstack([moved, turns[1] - turns[0]])
        return cls._stiff(part, line, start, line.pose(start), np.zeros(motion.shape[1]), motion)

    @classmethod
    def _stiff(
        cls, part: Beam, line: CentreLine, start: float, chord: Pose, q: Vector, motion: Vector
    ) -> RestShape:
        n, inner = len(q), _inner(part)
        found = cls(part, line, start, chord, read_only(q), motion, inner, np.zeros((n, n)))
        sums = found._sums(1.0, 1.0)
        # the coordinate is all of the inner twist: what statics have of it is taken away
        static = sums.static / sums.square if sums.square else sums.static
        flexibility = sums.flexibility - np.outer(sums.twisted, static)
        wrench = np.linalg.solve(flexibility, motion - np.outer(sums.twisted, inner))
        found = replace(found, wrench=read_only(wrench), inner=read_only(inner - static @ wrench))
        return replace(found, K=read_only(found._matrix(sums)))

    def body(self, body: ModalBody) -> ModalBody:
        """A straight part's body with the rest and the stiffness of this one."""
        C, damping, material = np.zeros_like(self.K), self.part.damping, self.part.material
        if isinstance(damping, Rayleigh):
            C = damping.stiffness * self.K
        elif isinstance(damping, KelvinVoigt):
            C = self._matrix(self._sums(*damping.factors(material.E, material.G)))
        rest = self.rest if np.any(self.rest) else None  # a straight part whose section changes
        return replace(body, K=self.K, C=read_only(C), rest=rest)

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

    def _softness(self, x: float) -> Vector:
        """Strains (6,) by unit section forces at a station."""
        law = self._mesh.at(x / self.part.length)
        bending = np.diag(law.bending)[::-1]
        return 1.0 / np.array([law.axial, *law.shear, law.torsional, *bending])

    def _sums(self, of_E: float, of_G: float) -> _Sums:
        """Sums along the part, flexibility by E and by G multiplied by factors."""
        length, inner = self.part.length, _inner(self.part)
        factors = np.array([of_E, of_G, of_G, of_G, of_E, of_E])
        flexibility, twisted, static, square, stiff = np.zeros((6, 6)), 0.0, 0.0, 0.0, 0.0
        for s, share in self._mesh.quadrature(0.0, 1.0, POINTS):
            x, weight = s * length, share * length
            rows, soft = self._forces(x), self._softness(x)
            rate = float(_inner_twist(self.part, x) @ inner)
            flexibility += weight * (rows.T * (factors * soft)) @ rows
            twisted = twisted + weight * rate * of_G * rows[TORQUE]
            static = static + weight * rate * soft[TORQUE] * rows[TORQUE]
            square += weight * rate**2
            stiff += weight * rate**2 * of_G / soft[TORQUE]
        return _Sums(flexibility, np.asarray(twisted), np.asarray(static), square, stiff)

    def _matrix(self, sums: _Sums) -> Vector:
        """Stiffness (n, n) of the section forces."""
        mixed = np.outer(sums.twisted @ self.wrench, self.inner)
        found = self.wrench.T @ sums.flexibility @ self.wrench + mixed + mixed.T
        found += sums.stiff * np.outer(self.inner, self.inner)
        return np.asarray(0.5 * (found + found.T))


class _Sums(NamedTuple):
    """Sums along a part, with the inner rate of twist of a unit amplitude.

    flexibility : (6, 6) at the second end
    twisted : (6,) motion of the second end by that twist
    static : (6,) product of that twist with the twist of unit wrenches
    square : the square of that twist
    stiff : its stiffness
    """

    flexibility: Vector
    twisted: Vector
    static: Vector
    square: float
    stiff: float


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
