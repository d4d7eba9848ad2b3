"""Independent coordinates of a mechanism at a position: those that tell all its motion.

Motions are the columns of a basis (nu, n) of what the constraint rows allow, orthonormal in the
units of the increments. Coordinates are independent if their n rows of it are. Rows are taken one
after the other, each by what the ones before leave of it.

Small motion in such coordinates has matrices (`reduced`). With x = N y and v = N w + P y, both N
and P may change along the motion about which it is: a rotor in body axes on a ring that does not
turn. In steady motion velocities are constant, and

    a = N w' + N' w + P y' + P' y        w = y' + D y,  D = L[chosen] N

so that rates of N, P and D are differences over positions that the model turns through. Without
constraint rows N is one, and nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.analyses.equilibrium.balance import null_space, turned
from supple.constraints.drivers import Driver
from supple.core.base.layout import new_work
from supple.engine.base.compiled import Compiled
from supple.engine.reading.rows import rows_at, scaled_rows
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, suggestion
from supple.loops.ranks import SINGULAR
from supple.state import State

if TYPE_CHECKING:
    from supple.model import Model

# What earlier coordinates must leave of a row: of one that is asked for, and of one that is taken
# before others of another kind
LEAST, ENOUGH = 1e-6, 0.02
POOR = 0.1  # of the smallest singular value of all rows, below which those in use are not taken
MOVES = 1e-9  # of the largest rate: what is rounding
ANGLE = 1e-2  # rad, of differences of order 4 along a rotation: errors of 1e-9


def _scaled(compiled: Compiled, t: float, q: Array) -> Array:
    """Jacobian (nr, nu) of the rows in use in units of rows and increments."""
    work = new_work(compiled.ints)
    return scaled_rows(compiled, rows_at(compiled, work, t, q, np.zeros(compiled.nu)).G)


def dof_names(c: Compiled) -> list[str]:
    """Name of each velocity (nu): "elbow.angle", "ball.rotation_x", "rod.mode_1"."""
    names = [""] * c.nu
    for name, record in (*c.joints.items(), *c.extra.items()):
        for k in range(record.u.stop - record.u.start):
            names[record.u.start + k] = f"{name}.{record.velocity_name(k)}"
    for name, body in c.deforming.items():
        for k, part in enumerate(body.coordinate_names):
            names[body.u.start + k] = f"{name}.{part}"
    for name, motor in c.motors.items():
        if motor.own:
            names[motor.u] = f"{name}.shaft"
    return names


@dataclass(frozen=True)
class Coordinates:
    """Names of all coordinates of a compiled model, and which of them are taken first as inputs."""

    compiled: Compiled
    names: tuple[str, ...]  # (nu) "elbow.angle", "ball.rotation_x", "rod.mode_1"
    # (nu) where each has its value in q; -1 where the increment has none of its own
    places: np.ndarray
    # places in u in the order of preference: driven, elastic, of joints, others
    kinds: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, compiled: Compiled, model: Model) -> Coordinates:
        """Coordinates of a model; its drivers say which are driven."""
        c, names = compiled, dof_names(compiled)
        places = np.full(c.nu, -1)
        for record in (*c.joints.values(), *c.extra.values()):
            if record.chart.axes:
                places[record.u] = range(record.q.start, record.q.stop)
        elastic: list[int] = []
        for body in c.deforming.values():
            places[body.u] = range(body.q.start, body.q.stop)
            elastic += range(body.u.start, body.u.stop)
        for motor in c.motors.values():
            if motor.own:
                places[motor.u] = motor.q
        joints = [k for joint in c.joints.values() for k in range(joint.u.start, joint.u.stop)]
        driven = []
        for driver in model.drivers.values():
            if isinstance(driver, Driver):
                index = model.joints[driver.joint].coordinate_index(driver.coordinate, "transfer")
                driven.append(c.coordinate(driver.joint, index)[1])
        kinds = tuple(driven), tuple(elastic), tuple(joints), tuple(range(c.nu))
        return cls(c, tuple(names), places, kinds)

    def place(self, owner: str, field: str, name: str) -> int:
        """Place in u of a coordinate by its name, or by that of a joint with one coordinate."""
        record = self.compiled.joints.get(name)
        if record is not None and record.u.stop - record.u.start == 1:
            return int(record.u.start)
        if name in self.names:
            return self.names.index(name)
        hint = suggestion(name, list(self.names))
        raise ModelError(owner, field, name, f"the name of a coordinate, {hint}")

    def values(self, q: Array) -> Array:
        """Values (nu,) at a position q (nq,); 0 for rotations and motions in moving axes."""
        return np.where(self.places >= 0, q[self.places], 0.0)

    def axes(self, q: Array) -> Array:
        """T (nu, nu): velocities as users see them are T u; T is one but for joints B to A."""
        T = np.eye(self.compiled.nu)
        for joint in self.compiled.joints.values():
            if joint.reversed and not joint.chart.axes:
                for k in range(joint.u.start, joint.u.stop):
                    unit = np.zeros(self.compiled.nu)
                    unit[k] = 1.0
                    T[joint.u, k] = joint.to_user(q, unit)[1]
        return T


@dataclass(frozen=True)
class Motions:
    """Motions that the rows of a mechanism allow at a position."""

    coordinates: Coordinates
    source: Compiled  # the model with the rows that are asked, those in use or all
    t: float
    q: Array
    basis: Array  # (nu, n) motions, orthonormal in the units of the increments
    T: Array  # (nu, nu) velocities as users see them are T u
    G: Array  # (nr, nu) Jacobian of the rows, scaled
    # (nu, n) the same motions as users see them, in the units of the increments
    scaled: Array = field(init=False)

    def __post_init__(self) -> None:
        scale = self.coordinates.compiled.scale
        object.__setattr__(self, "scaled", (self.T @ self.basis) / scale[:, None])

    @classmethod
    def at(cls, coordinates: Coordinates, t: float, q: Array) -> Motions | None:
        """Motions at a position; None if it is a singular one, where motions branch."""
        c = coordinates.compiled
        if not c.nr:
            still = np.zeros((0, c.nu))
            return cls(coordinates, c, t, q, np.diag(c.scale), coordinates.axes(q), still)
        source, G = c.complete, _scaled(c.complete, t, q)
        _, values, right = np.linalg.svd(G)
        if values[c.nr - 1] < SINGULAR * c.regular_value:
            return None
        if source is not c:
            # those in use are the model where redundant rows are not quite so; elsewhere a poor
            # choice of rows is none
            used = _scaled(c, t, q)
            _, own, other = np.linalg.svd(used)
            if own[-1] > POOR * values[c.nr - 1]:
                source, G, right = c, used, other
        basis = right[c.nr :].T * c.scale[:, None]
        return cls(coordinates, source, t, q, basis, coordinates.axes(q), G)

    @property
    def count(self) -> int:
        """Degrees of freedom."""
        return int(self.basis.shape[1])

    def by(self, chosen: Sequence[int]) -> Array:
        """N (nu, n): velocities with each of the chosen coordinates."""
        return self.basis @ np.linalg.inv((self.T @ self.basis)[list(chosen)])

    def accelerations(self, chosen: Sequence[int], u: Array) -> Array:
        """Accelerations (k, nu) at velocities u (k, nu) when those of the chosen ones vanish."""
        c, places = self.coordinates.compiled, list(chosen)
        rows = self.source
        work, nr = new_work(rows.ints), rows.nr
        rest = rows_at(rows, work, self.t, self.q, np.zeros(c.nu)).acceleration
        right = np.zeros((nr + len(places), len(u)))
        for k, v in enumerate(u):
            # what is quadratic in velocities: signals do not count
            both = [rows_at(rows, work, self.t, self.q, s * v).acceleration for s in (1.0, -1.0)]
            right[:nr, k] = (rest - 0.5 * (both[0] + both[1])) / rows.row_sizes
        own = self.T[places] * c.scale / c.scale[places, None]
        scaled = np.linalg.lstsq(np.vstack([self.G, own]), right, rcond=1e-14)[0]
        return np.ascontiguousarray((scaled * c.scale[:, None]).T)

    def left(self, chosen: Sequence[int]) -> Array:
        """Rest of all rows (nu, n) beside those of chosen coordinates."""
        if not chosen:
            return self.scaled
        _, values, right = np.linalg.svd(self.scaled[list(chosen)], full_matrices=False)
        span = right[values > 1e-12]
        rest: Array = self.scaled - (self.scaled @ span.T) @ span
        return rest

    def margin(self, chosen: Sequence[int]) -> float:
        """Smallest singular value of chosen rows: 0 where they do not tell all motion."""
        return float(np.linalg.svd(self.scaled[list(chosen)], compute_uv=False)[-1])

    def filled(self, chosen: Iterable[int], kinds: Iterable[Sequence[int]]) -> list[int]:
        """Chosen coordinates, and others of these kinds until all motion is told."""
        places_taken = list(chosen)
        for kind, places in enumerate(kinds):
            least = LEAST if kind + 1 == len(self.coordinates.kinds) else ENOUGH
            while places and len(places_taken) < self.count:
                size = np.linalg.norm(self.left(places_taken), axis=1)
                best = max(places, key=lambda k: size[k])
                if size[best] < least:
                    break
                places_taken.append(best)
        return places_taken

    def chosen(self, owner: str, given: Sequence[int] | None, where: str = "") -> list[int]:
        """Places in u of the independent coordinates: the given ones and elastic ones, or all."""
        names, kinds = self.coordinates.names, self.coordinates.kinds
        if given is None:
            return sorted(self.filled((), kinds))
        self.refuse_dependent(owner, given, where)
        taken = self.filled(given, kinds[:2])
        if len(taken) != self.count:
            every = self.filled(given, kinds)
            shown = ", ".join(repr(names[k]) for k in every)
            raise ModelError(
                owner,
                f"inputs{where}",
                [names[k] for k in given],
                f"{self.count} coordinates that tell all motion, e.g. {shown}",
            )
        return taken

    def refuse_dependent(self, owner: str, given: Sequence[int], where: str = "") -> None:
        """Raise if one of the given coordinates follows from the others, or stands."""
        names, kinds = self.coordinates.names, self.coordinates.kinds
        for k, place in enumerate(given):
            if np.linalg.norm(self.left(given[:k])[place]) < LEAST:
                others = [x for x in given if x != place]
                size = np.linalg.norm(self.left(others), axis=1)
                axes = [j for j in kinds[2] if self.coordinates.places[j] >= 0]
                groups = (kinds[0], axes, kinds[2], kinds[3])
                able = (max(group, key=lambda j: size[j]) for group in groups if group)
                best = next((j for j in able if size[j] > ENOUGH), None)
                instead = f"{self.count} in all" if best is None else f"e.g. {names[best]!r}"
                raise ModelError.plain(
                    f"{owner}: inputs have {names[place]!r}, which tells no motion of its own"
                    f"{where}, expected coordinates that do, {instead}"
                )


class Followed(NamedTuple):
    """Velocities by the independent ones: N, P (nu, n), and D (n, n) above."""

    N: Array
    P: Array
    D: Array


class Matrices(NamedTuple):
    """Matrices of a `LinearModel`, by its names."""

    M: Array
    C: Array
    K: Array
    N: Array
    F: Array
    Y: Array
    V: Array
    Z: Array


def following(c: Compiled, G: Array, rates: Array, chosen: Sequence[int]) -> Array:
    """X (nu, k) with G X = rates (nr, k) while the independent velocities stand still."""
    X = np.zeros((c.nu, rates.shape[1]))
    others = np.setdiff1d(np.arange(c.nu), chosen)
    if len(others):
        X[others] = np.linalg.lstsq(G[:, others] * c.scale[others], rates, rcond=1e-13)[0]
        X[others] *= c.scale[others, None]
    return X


def followed(equations: Equations, t: float, q: Array, u: Array, chosen: list[int]) -> Followed:
    """Velocities by the independent ones at a position."""
    c = equations.compiled
    rows = equations.constraints(t, q, u)
    motions = null_space(scaled_rows(c, rows.G), c.nu) * c.scale[:, None]
    N = motions @ np.linalg.inv(motions[chosen])
    P = following(c, rows.G, -rows.H @ N, chosen)
    return Followed(N, P, (equations.drift(u) @ N)[chosen])


def reduced(
    equations: Equations, state: State, chosen: list[int], effort: Array | None, steady: bool
) -> Matrices:
    """Matrices of small motion at a state."""
    t, q, u, z = state.t, state.q, state.u, state.z
    a = equations.accelerate(t, q, u, z, effort)
    lam = equations.multipliers()
    N, P, D = followed(equations, t, q, u, chosen)
    tangents = equations.tangents(t, q, u, a, z, lam)
    dN, dP, dD = _rates(equations, state, chosen, steady)
    mass, damping = N.T @ tangents.M, N.T @ tangents.Ru
    M = mass @ N
    return Matrices(
        M=0.5 * (M + M.T),
        C=damping @ N + mass @ (P + dN) + M @ D,
        K=N.T @ tangents.Rq @ N + damping @ (P + N @ D) + mass @ (dP + dN @ D) + M @ dD,
        N=N,
        F=N.T @ tangents.Rz,
        Y=tangents.Gq @ N + tangents.Gu @ (P + N @ D),
        V=tangents.Gu @ N,
        Z=tangents.Gz,
    )


def _rates(equations: Equations, state: State, chosen: list[int], steady: bool) -> Followed:
    """Rates of N, P and D along a steady motion; zeros otherwise."""
    c, n = equations.compiled, len(chosen)
    if not steady or not c.nr:
        return Followed(np.zeros((c.nu, n)), np.zeros((c.nu, n)), np.zeros((n, n)))
    h = ANGLE / float(np.max(np.abs(state.u) / c.scale))

    def at(k: int) -> Followed:
        q = turned(equations, state.q, k * h * state.u)
        return followed(equations, state.t, q, state.u, chosen)

    return Followed(
        *(
            (8.0 * (a - b) - (c - d)) / (12.0 * h)
            for a, b, c, d in zip(at(1), at(-1), at(2), at(-2), strict=True)
        )
    )


def preferences(c: Compiled, u: Array) -> Iterator[Array | None]:
    """Coordinates (nu,) that come first: any; those of parts that stand still; that turn."""
    yield None
    if not c.nr or not np.any(u):
        return
    turns = np.abs(u) / c.scale > MOVES * np.max(np.abs(u) / c.scale)
    moving = np.zeros(c.nu, dtype=bool)
    for record in (*c.joints.values(), *c.extra.values()):
        moving[record.u] = np.any(turns[record.u])
    for body in c.flexible.values():
        moving[body.u] = True
    yield ~moving
    yield moving
