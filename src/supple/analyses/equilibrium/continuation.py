"""Continuation: an equilibrium followed while its loads grow, by its arc length.

The unknowns are increments d of the coordinates and the load factor f. With N a basis of the
motions that the rows allow and R+ the pseudo-inverse of the rows,

    d = N y - R+ (gap + gap_f df)        N^T (load + K d + load_f df) = 0

and one more row: the plane through a guess, across the tangent of the path, or a given factor. The
plane cuts the path also where the load has a maximum. Increments are in the model's units, measured
by the largest way so far, the factor by its range: an arc s has s^2 = (|d|/way)^2 + (df/range)^2.

`Loading` makes loads grow together with one factor; `Loaded` is the model under its loads times it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from supple.analyses.equilibrium.balance import (
    NO_STIFFNESS,
    STALLED,
    AtRest,
    Balance,
    Spin,
    check_spin,
    one_way,
)
from supple.analyses.equilibrium.equilibrium import CONVERGED, Search
from supple.engine.base.compiled import Compiled
from supple.forces import DistributedLoad, Force, JointEffort, Pressure, SurfaceLoad
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, suggestion
from supple.loops.assembly import compile_model
from supple.signals import Constant, Signal

if TYPE_CHECKING:
    from supple.model import Model

UNIT = 2.0**-20  # a small load factor, so that drivers that grow begin near their beginning
LOADS, GRAVITY, SPIN = "loads", "gravity", "spin"
APPLIED = (Force, DistributedLoad, SurfaceLoad, Pressure, JointEffort)
EXPECTED = (
    "'loads' (all of them), 'gravity', 'spin', or names of forces, efforts and drivers that are "
    "not zero"
)
Kind = Literal["limit point", "bifurcation", "kink"]
ITERATIONS, WANTED = 12, 4.0  # corrections of a point: the most, and what steps are chosen for
FIRST, LONGEST, SHORTEST = 0.02, 0.1, 1e-7  # arcs
WIGGLE = 1e-3  # an arc that is longer may hide two limit points
KINKED = 1e-4  # an arc that is so short sees kinks only
STRAIGHT = 0.9  # cosine of the angle between two tangents, at least
FAR = 0.5  # part of an arc that corrections may move a guess
LARGEST_STEP = 0.5  # rad or lengths of the model, of one correction
SMALLEST_WAY = 0.02  # rad or lengths of the model
DIFFERENCE = 1e-4  # of the range, for derivatives along the factor: loads are linear in it
# Near a bifurcation the loads do not tell where along its motion the model is: it stays there.
TRUNCATED, KEPT = 1e-9, 1e-14
ACROSS = 1e-5  # part of the load along a motion without stiffness that is none: a bifurcation
JUMP = 1e-5  # part of the stiffness around it that is left at a point without stiffness: a kink


class Loading:
    """The loads of a model that a factor multiplies, while all signals stand still.

    Attributes
    ----------
    names : forces, efforts, controllers and constraints whose signals grow
    gravity, spin : whether these grow, too
    """

    def __init__(
        self,
        owner: str,
        model: Model,
        t: float,
        given: str | Sequence[str],
        spin: Mapping[Any, float] | None = None,
        field: str = "follow",
        expected: str = EXPECTED,
    ) -> None:
        if spin is not None:
            check_spin(owner, spin)
        self.model, self.t, self.rates = model, t, spin
        wanted = (given,) if isinstance(given, str) else given
        known = _with_signals(model)
        if not isinstance(wanted, Sequence) or not wanted:
            raise ModelError(owner, field, given, expected)
        names: dict[str, None] = {}
        self.gravity = self.spin = False
        for each in wanted:
            name = getattr(each, "name", each)
            if name == LOADS:
                names |= {n: None for n, f in model.forces.items() if isinstance(f, APPLIED)}
                self.gravity = True
            elif name == GRAVITY:
                self.gravity = True
            elif name == SPIN and spin is not None:
                self.spin = True
            elif isinstance(name, str) and name in known:
                names[name] = None
            else:
                hint = suggestion(name, [LOADS, GRAVITY, *known])
                raise ModelError(owner, field, name, f"{expected}; {hint}")
        self.names = tuple(names)
        pull = self.gravity and bool(np.any(model.gravity != 0.0))
        acts = any(s(t) != 0.0 for n in names for s in known[n])
        if not (pull or acts or self.spin):
            raise ModelError(owner, field, given, expected)

    def under(self, factor: float) -> Model:
        """The model with its loads times a factor and all signals at rest."""
        model = self.model.copy()
        for name in _with_signals(self.model):
            times = factor if name in self.names else 1.0
            model.replace(name, **_signals(self.model[name], self.t, times))
        if self.gravity:
            model.gravity = factor * self.model.gravity
        return model

    def spun(self, factor: float) -> dict[Any, float] | None:
        """Rates of the rotation at a factor."""
        if self.rates is None:
            return None
        times = factor if self.spin else 1.0
        return {key: times * rate for key, rate in self.rates.items()}


class Loaded:
    """Loads and stiffness of a model at rest under its loads times a factor.

    Loads are numbers of the compiled model, all proportional to the factor: two compiled models
    show which.
    """

    def __init__(self, owner: str, loading: Loading, formulation: Formulation) -> None:
        self.loading, t = loading, loading.t
        small = [loading.under(factor) for factor in (UNIT, 2.0 * UNIT)]
        first, second = (compile_model(m, (), formulation.tree(m), t) for m in small)
        self._grown = np.flatnonzero(second.reals != first.reals)
        self._slope = (second.reals[self._grown] - first.reals[self._grown]) / UNIT
        self.compiled = dataclasses.replace(first, reals=first.reals.copy())
        self.equations = Equations(self.compiled)
        self.equations.accelerate(t, first.q0, 0.0 * first.u0)  # a massless joint is its fault
        rates = loading.rates
        self.turning = None if rates is None else Spin(small[0], self.equations, t, rates, owner)
        self._rates = None if self.turning is None else self.turning.rates
        self.rest = AtRest(self.equations, t, self.turning)
        self.search = Search(self.rest)

    def under(self, factor: float) -> Compiled:
        """The compiled model with the loads of a factor, for good."""
        reals, gravity = self.compiled.reals.copy(), self.compiled.gravity
        reals[self._grown] = factor * self._slope
        if self.loading.gravity:
            gravity = factor * self.loading.model.gravity
        return dataclasses.replace(self.compiled, reals=reals, gravity=gravity)

    def set(self, factor: float) -> None:
        """Let the loads be those of a factor."""
        self.compiled.reals[self._grown] = factor * self._slope
        if self.loading.spin and self.turning is not None and self._rates is not None:
            self.turning.rates = factor * self._rates


def _with_signals(model: Model) -> dict[str, tuple[Signal, ...]]:
    """Items of a model that have signals, with these."""
    items = [*model.forces.values(), *model.constraints.values()]
    found = {item.name: tuple(s for _, s in _fields(item)) for item in items}
    return {name: signals for name, signals in found.items() if signals}


def _fields(item: Any) -> list[tuple[str, Signal]]:
    out = []
    for field in dataclasses.fields(item):
        value = getattr(item, field.name)
        each = value if isinstance(value, tuple) else (value,)
        out += [(field.name, s) for s in each if isinstance(s, Signal)]
    return out


def _signals(item: Any, t: float, factor: float) -> dict[str, Any]:
    """Signals of an item by field, at rest at a factor of their values at the time t."""
    out: dict[str, Any] = {}
    for name in {name for name, _ in _fields(item)}:
        value = getattr(item, name)
        many = isinstance(value, tuple)
        new = tuple(Constant(factor * float(s(t))) for s in (value if many else (value,)))
        out[name] = new if many else new[0]
    return out


class Tangent(NamedTuple):
    """Direction of a path: increments (nu,) in the model's units, and change of the factor."""

    way: Array
    slope: float


@dataclass(frozen=True)
class Spot:
    """An equilibrium on a path."""

    factor: float  # of the loads
    # q, z: (nq,), (nz,)
    q: Array
    z: Array
    here: Balance
    load: Array
    tangent: Tangent  # of unit length
    stiffness: Array  # (n,) ascending, J
    negative: int  # number of negative stiffnesses; of loads that follow the motion 1 or 0
    stable: bool  # whether all stiffnesses are positive, and no pair of motions flutters
    iterations: int = 0
    # of a point at which a stiffness vanishes or jumps through zero, otherwise None
    kind: Kind | None = None
    count: int = 1  # number of stiffnesses that do so
    motion: Array | None = None  # (nu,) the motion without stiffness there, in the model's units

    def least(self, place: int) -> float:
        """The stiffness that passes zero between this point and one with more negative ones."""
        if not one_way(self.here.K):
            return float(self.stiffness[place])
        left, values, right = np.linalg.svd(self.here.K)
        return float(values[-1] * np.linalg.det(left) * np.linalg.det(right))


class _LostError(Exception):
    """No equilibrium is found at the end of an arc."""


class Continuation:
    """Follows the equilibria of a loaded model.

    Attributes
    ----------
    range : load factor at the end, not zero
    way : rad or lengths, the size of increments
    """

    def __init__(self, loaded: Loaded, range: float) -> None:
        self.loaded, self.rest, self.range = loaded, loaded.rest, range
        self.equations, self.unit = loaded.equations, loaded.compiled.scale
        self.way = SMALLEST_WAY

    def begin(self, factor: float, q: Array, z: Array) -> Spot | None:
        """The first point, and the tangent along which the factor grows."""
        ahead = Tangent(np.zeros(self.equations.nu), self.range)
        first = self._corrected(factor, q, z, ahead, fixed=True)
        if first is not None and first.tangent.slope != 0.0:
            # the way of the whole range, if the model were linear
            way, slope = first.tangent
            linear = float(np.linalg.norm(way)) * abs(self.range / slope)
            self.way = float(np.clip(linear, self.way, 1.0))
            first = replace(first, tangent=self._unit(first.tangent))
        return first

    def steps(self, first: Spot) -> Iterator[tuple[Spot, ...]]:
        """Step by step the limit points and bifurcations that are passed, and the end."""
        a, h, start = first, FIRST, first.q
        while True:
            b = self._ahead(a, h)
            sharp = h < KINKED  # a kink of the loads
            if b is not None and (self._far(a, b, h, sharp) or self._turns(a, b, sharp)):
                b = None
            if b is not None and h > WIGGLE and self._wiggles(a, b, h):
                b = None
            if b is None and h < SHORTEST:
                b = self._across(a)
                if b is None:
                    return
            passed = [] if b is None else self._special(a, b, h)
            # a stiffness that jumps on a long arc: it ends on another path near by
            if b is None or (not sharp and any(spot.kind == "kink" for spot in passed)):
                h *= 0.5
                continue
            yield (*passed, b)
            h *= float(np.clip(np.sqrt(WANTED / max(b.iterations, 1)), 0.5, 2.0))
            h = min(h, LONGEST)
            self.way = max(self.way, self._distance(start, b.q))
            a = replace(b, tangent=self._unit(b.tangent))

    def at_factor(self, a: Spot, b: Spot, factor: float) -> Spot | None:
        """The point between two neighbours at which the loads have a factor."""
        part = (factor - a.factor) / (b.factor - a.factor) if b.factor != a.factor else 0.0
        q = self.equations.retract(a.q, part * self.equations.increment(a.q, b.q))
        return self._corrected(factor, q, a.z, b.tangent, fixed=True)

    def _ahead(self, a: Spot, h: float, rcond: float = KEPT) -> Spot | None:
        """The point at the end of an arc."""
        q = self.equations.retract(a.q, h * self.unit * a.tangent.way)
        return self._corrected(a.factor + h * a.tangent.slope, q, a.z, a.tangent, rcond)

    def _across(self, a: Spot) -> Spot | None:
        """The point behind a stop at which the load turns back: the coordinates go on."""
        length = float(np.linalg.norm(a.tangent.way))
        if length < KINKED * self.way:
            return None
        ahead = Tangent(a.tangent.way / length * self.way, 0.0)
        for h in (SHORTEST, 10.0 * SHORTEST, 100.0 * SHORTEST):
            q = self.equations.retract(a.q, h * self.unit * ahead.way)
            b = self._corrected(a.factor, q, a.z, ahead)
            if b is not None and self._distance(a.q, b.q) < 10.0 * h * self.way:
                return b
        return None

    def _corrected(
        self,
        factor: float,
        q: Array,
        z: Array,
        tangent: Tangent,
        rcond: float = KEPT,
        fixed: bool = False,
    ) -> Spot | None:
        """The equilibrium across a tangent, or with the factor that is given; None: not found."""
        self.loaded.set(factor)
        q, before = self.rest.closed(q), np.inf
        for count in range(ITERATIONS):
            here, load, moved = self._system(factor, q, z)
            own = np.linalg.pinv(here.rows) @ here.gap
            right = -here.N.T @ (here.load - here.whole @ own)
            plane, at = self._plane(here, moved, own, tangent, fixed)
            step, df = self._solved(here, load, moved, right, plane, at, rcond)
            step -= own
            longest = max(float(np.max(np.abs(step), initial=0.0)), abs(df / self.range))
            if longest <= CONVERGED or (longest <= STALLED and longest > 0.5 * before):
                applied = abs(self.range) * float(np.max(np.abs(load), initial=0.0))
                if not self.rest.balanced(q, here, max(here.own, applied)):
                    return None
                return self._spot(factor, q, here, load, moved, tangent, count, rcond)
            if not longest <= LARGEST_STEP:  # NaN, too
                return None
            before = longest
            factor, z = factor + df, here.z
            self.loaded.set(factor)
            q = self.rest.closed(self.equations.retract(q, self.unit * step))
        return None

    def _system(self, factor: float, q: Array, z: Array) -> tuple[Balance, Array, Array]:
        """Balance, load (n,) along its motions and displacement (nu,) by the rows, per factor."""
        h = DIFFERENCE * abs(self.range)
        here = self.rest.balance(q, z)
        (ahead, gap_ahead), (back, gap_back) = (self._at(factor + s * h, q, here) for s in (1, -1))
        self.loaded.set(factor)
        load = (ahead - back) / (2.0 * h)
        moved = np.linalg.pinv(here.rows) @ ((gap_ahead - gap_back) / (2.0 * h))
        return here, here.N.T @ (load - here.whole @ moved), moved

    def _at(self, factor: float, q: Array, here: Balance) -> tuple[Array, Array]:
        """Load (nu,) and violations of rows and integrals that act, under another factor."""
        self.loaded.set(factor)
        rest, gap = self.rest, np.zeros(len(here.gap))
        load, nr = rest.load(q, here), self.loaded.compiled.nr
        gap[nr : nr + len(here.acts)] = self.equations.fields.zdot[here.acts]
        rows = self.equations.constraints(rest.t, q, rest.velocities(q))
        gap[:nr] = rows.violation / self.loaded.compiled.row_sizes
        return load, gap

    def _plane(
        self, here: Balance, moved: Array, own: Array, tangent: Tangent, fixed: bool
    ) -> tuple[Array, float]:
        """The last row (n + 1,) for increments along N and of the factor, and its right side."""
        row = np.zeros(here.N.shape[1] + 1)
        if fixed:
            row[-1] = 1.0 / self.range
            return row, 0.0
        way = tangent.way / self.way**2
        row[:-1] = way @ here.N
        row[-1] = tangent.slope / self.range**2 - way @ moved
        return row, float(way @ own)

    def _solved(
        self, here: Balance, load: Array, moved: Array, right: Array, plane: Array, at: float,
        rcond: float,
    ) -> tuple[Array, float]:  # fmt: skip
        """Increment (nu,) and change of the factor of given right sides."""
        n = len(here.K)
        matrix = np.zeros((n + 1, n + 1))
        matrix[:n, :n], matrix[:n, n], matrix[n] = here.K, load * self.range, plane
        matrix[n, n] *= self.range  # the factor in units of its range
        size = here.size or 1.0
        matrix[:n] /= size
        size_of_row = float(np.linalg.norm(matrix[n])) or 1.0
        matrix[n] /= size_of_row
        sides = np.append(right / size, at / size_of_row)
        solution = np.linalg.lstsq(matrix, sides, rcond=rcond)[0]
        df = float(solution[-1]) * self.range
        return here.N @ solution[:-1] - moved * df, df

    def _spot(
        self, factor: float, q: Array, here: Balance, load: Array, moved: Array,
        before: Tangent, count: int, rcond: float,
    ) -> Spot:  # fmt: skip
        none = np.zeros(self.equations.nu)
        plane, _ = self._plane(here, moved, none, before, fixed=False)
        step, df = self._solved(here, load, moved, 0.0 * load, plane, 1.0, rcond)
        values, _ = self.rest.character(q, here)
        least = NO_STIFFNESS * here.size
        if one_way(here.K):
            negative = int(np.linalg.slogdet(here.K)[0] < 0.0)
        else:
            negative = int(np.sum(values < -least))
        stable = bool(np.all(values > least))
        tangent = self._unit(Tangent(step, df))
        return Spot(factor, q, here.z, here, load, tangent, values, negative, stable, count)

    def _dot(self, a: Tangent, b: Tangent) -> float:
        return float(a.way @ b.way) / self.way**2 + a.slope * b.slope / self.range**2

    def _unit(self, tangent: Tangent) -> Tangent:
        """The tangent with unit length."""
        length = float(np.sqrt(self._dot(tangent, tangent))) or 1.0
        return Tangent(tangent.way / length, tangent.slope / length)

    def _distance(self, a: Array, b: Array) -> float:
        return float(np.linalg.norm(self.equations.increment(a, b) / self.unit))

    def _turns(self, a: Spot, b: Spot, sharp: bool) -> bool:
        """True if the path turns more than a step should see, or back."""
        return self._dot(a.tangent, b.tangent) < (0.0 if sharp else STRAIGHT)

    def _wiggles(self, a: Spot, b: Spot, h: float) -> bool:
        """True if the factor seems to turn back and on again between two neighbours.

        The cubic through values and slopes at both ends has two extreme values there.
        """
        m, n, rise = h * a.tangent.slope, h * b.tangent.slope, b.factor - a.factor
        if not m * n > 0.0:
            return False
        s = np.linspace(0.0, 1.0, 21)
        slope = m + (6.0 * rise - 4.0 * m - 2.0 * n) * s + (3.0 * (m + n) - 6.0 * rise) * s**2
        return bool(np.min(slope * np.sign(m)) < -JUMP * max(abs(m), abs(n)))

    def _far(self, a: Spot, b: Spot, h: float, sharp: bool) -> bool:
        """True if corrections moved a guess so far that it may be on another path."""
        guess = self.equations.retract(a.q, h * self.unit * a.tangent.way)
        off = self._distance(guess, b.q) / self.way
        across = (b.factor - a.factor - h * a.tangent.slope) / self.range
        return bool(np.hypot(off, across) > (10.0 if sharp else FAR) * h)

    def _special(self, a: Spot, b: Spot, h: float) -> list[Spot]:
        """Points between two neighbours at which a stiffness vanishes, in their order."""
        first, last = sorted((a.negative, b.negative))
        found: list[tuple[float, Spot]] = []
        for place in range(first, last):
            where, spot = self._root(a, b, h, partial(Spot.least, place=place))
            if found and abs(where - found[-1][0]) < 1e-6 * h:  # several at once
                found[-1] = where, replace(found[-1][1], count=found[-1][1].count + 1)
                continue
            found.append((where, self._classified(spot, a, b, place)))
        if a.tangent.slope * b.tangent.slope < 0.0 and not any(
            spot.kind in ("limit point", "kink") for _, spot in found
        ):
            found = self._with_extreme(a, b, h, found)
        return [spot for _, spot in sorted(found, key=lambda each: each[0])]

    def _with_extreme(
        self, a: Spot, b: Spot, h: float, found: list[tuple[float, Spot]]
    ) -> list[tuple[float, Spot]]:
        """Points between two neighbours, and the one at which the load factor is extreme.

        It is found by the slope of the factor, which does not ask how small a stiffness is among
        those of the other motions.
        """
        where, spot = self._root(a, b, h, lambda x: x.tangent.slope)
        same = next((k for k, (s, _) in enumerate(found) if abs(s - where) < 1e-3 * h), None)
        if same is not None:
            found[same] = found[same][0], replace(found[same][1], kind="limit point")
            return found
        around = min(abs(a.tangent.slope), abs(b.tangent.slope))
        kind: Kind = "kink" if abs(spot.tangent.slope) > JUMP * around else "limit point"
        length = float(np.linalg.norm(spot.tangent.way)) or 1.0
        return [*found, (where, replace(spot, kind=kind, motion=spot.tangent.way / length))]

    def _root(self, a: Spot, b: Spot, h: float, of: Callable[[Spot], float]) -> tuple[float, Spot]:
        """The arc at whose end a number of its point vanishes, and the point there."""
        from scipy.optimize import brentq

        spots: dict[float, Spot | None] = {0.0: a, h: b}

        def value(s: float) -> float:
            if s not in spots:
                spots[s] = self._ahead(a, s, TRUNCATED)
            spot = spots[s]
            if spot is None:
                raise _LostError
            return of(spot)

        try:
            if not value(0.0) * value(h) < 0.0:
                return h, b  # an indifferent motion among them
            where = float(brentq(value, 0.0, h, xtol=1e-14 * h, rtol=1e-14, maxiter=100))
            value(where)
        except _LostError:  # beyond a kink, where the tangent leads away
            return 0.0, a
        return where, spots[where] or b

    def _classified(self, spot: Spot, a: Spot, b: Spot, place: int) -> Spot:
        left, _, right = np.linalg.svd(spot.here.K)
        motion = spot.here.N @ right[-1]
        around = min(abs(a.least(place)), abs(b.least(place)))
        across = abs(float(left[:, -1] @ spot.load))
        kind: Kind = "limit point"
        if abs(spot.least(place)) > JUMP * around:
            kind = "kink"
        elif across <= ACROSS * float(np.linalg.norm(spot.load)):
            kind = "bifurcation"
        return replace(spot, kind=kind, motion=motion)
