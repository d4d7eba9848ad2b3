"""statics: the configuration in which a model stays at rest, or a path of them.

A path is that of a growing load, with limit points and bifurcations.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from supple.analyses.base.arguments import coordinates_of, expect, number, starting_state
from supple.analyses.equilibrium.balance import AtRest, Equilibrium, Spin, one_way
from supple.analyses.equilibrium.continuation import Continuation, Kind, Loaded, Loading, Spot
from supple.analyses.equilibrium.equilibrium import Search
from supple.analyses.equilibrium.sparse_balance import TOO_LARGE, SparseAtRest, TreeAtRest
from supple.analyses.equilibrium.static_result import StaticResult as StaticResult
from supple.analyses.equilibrium.static_result import static_result
from supple.engine.base.compiled import Compiled
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure
from supple.foundation.cached import cached_property
from supple.foundation.errors import (
    ModelError,
    SimulationError,
    SuppleError,
    SuppleWarning,
    warn_caller,
)
from supple.foundation.frames import System
from supple.foundation.progress import told
from supple.loops.assembly import compile_model
from supple.results.files.dataset import EXPECTED, quantity
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.model import Model

MOST = 100_000  # points
LEAST, LARGEST = 1e-12, 1e12  # load factors at the end of a path
OWNER = "statics"


@dataclass(frozen=True)
class SpecialPoint:
    """A point of a path at which a stiffness vanishes.

    Attributes
    ----------
    kind : "limit point" (the load has an extreme value), "bifurcation" (another path crosses), or
        "kink" (the stiffness jumps through zero: a stop, a limit of a controller)
    factor : of the loads there
    index : its place among the points of the path
    motion : what moves most in the motion that loses its stiffness
    count : number of motions that lose it
    """

    kind: Kind
    factor: float
    index: int
    motion: str
    count: int

    def __repr__(self) -> str:
        several = f", {self.count} motions" if self.count > 1 else ""
        return f"<{self.kind} at load factor {self.factor:.9g}, along {self.motion}{several}>"


class EquilibriumPath:
    """Equilibria of a model over a load factor.

    ``path[k]`` is the `StaticResult` of a point, whose model has the loads of that point;
    ``path["elbow"].angle`` and ``path.of("elbow.angle")`` are (n, ...), over all points.

    Attributes
    ----------
    load : (n,) load factors
    stable : (n,) whether all motions have a positive stiffness, as `StaticResult.stable`
    stiffness : (n,) the smallest stiffness of each point, J: in units of the model's increments
    special : limit points, bifurcations and kinks, in their order along the path
    success : whether the path reaches its end
    message : one sentence about it
    follows_motion : whether loads follow the motion: then it may lose its stability by flutter,
        which only `stability` finds
    """

    def __init__(self, loaded: Loaded, spots: Sequence[Spot], problem: str) -> None:
        loading = loaded.loading
        self._loading, self._loaded, self._spots = loading, loaded, tuple(spots)
        self.model = loading.model
        self.load = np.array([spot.factor for spot in spots])
        self.stiffness = np.array([np.min(s.stiffness, initial=np.inf) for s in spots])
        compiled = loaded.compiled
        self.special = tuple(
            SpecialPoint(s.kind, s.factor, k, _moves(compiled, s), s.count)
            for k, s in enumerate(spots)
            if s.kind is not None
        )
        still = loaded.turning is None  # else dampers, too, make a stiffness one-way
        self.follows_motion = still and any(one_way(spot.here.K) for spot in spots)
        self.success = not problem
        self.message = problem or f"{len(spots)} points up to the load factor {self.load[-1]:.6g}"
        if self.success and self.special:
            self.message += f"; first {self.special[0]!r}"[:-1].replace("<", "")
        if self.follows_motion:
            self.message += "; loads follow the motion: it may flutter, see stability"

    @property
    def limit_points(self) -> tuple[SpecialPoint, ...]:
        """Points at which the load factor has an extreme value."""
        return tuple(s for s in self.special if s.kind == "limit point")

    @property
    def bifurcations(self) -> tuple[SpecialPoint, ...]:
        """Points at which another path crosses; this one goes on as it was."""
        return tuple(s for s in self.special if s.kind == "bifurcation")

    @property
    def critical(self) -> float | None:
        """Load factor of the first special point, in parts of the given loads; None: none passed.

        Of loads that follow the motion it is no limit of stability, see ``follows_motion``.
        """
        return self.special[0].factor if self.special else None

    @cached_property
    def stable(self) -> np.ndarray:
        """True for each point (n,) that is stable."""
        plain = [s.stable and s.kind is None for s in self._spots]
        bodies = self._loaded.compiled.flexible.values()
        if any(body.modal.slaves is None for body in bodies):  # those of second order feel loads
            plain = [p and not self[k].buckled for k, p in enumerate(plain)]
        return np.array(plain, dtype=bool)

    @property
    def end(self) -> StaticResult:
        """The last point."""
        return self[-1]

    @property
    def doubts(self) -> tuple[str, ...]:
        """Sentences that the user should read: where the path ends too early, what it passed."""
        out = [] if self.success else [f"statics: {self.message}"]
        for b in self.bifurcations[:1]:
            out.append(
                f"statics: at the load factor {b.factor:.6g} another path crosses this one, along "
                f"{b.motion}: beyond it, this path is followed only by a perfect model"
            )
        if self._loaded.compiled.deforming:
            points = [*(self[s.index] for s in self.special[:2]), self.end]
            serious = (f.sentence for p in points for f in p.monitor.findings if f.serious)
            out += dict.fromkeys(serious)
        return tuple(out)

    def __len__(self) -> int:
        return len(self._spots)

    def __iter__(self) -> Iterator[StaticResult]:
        return (self[k] for k in range(len(self)))

    @overload
    def __getitem__(self, item: int) -> StaticResult: ...
    @overload
    def __getitem__(self, item: Any) -> Any: ...
    def __getitem__(self, item: Any) -> Any:
        """A point by its number, or the values of something by name over all points."""
        if not isinstance(item, (int, np.integer)) or isinstance(item, bool):
            return _OverPoints(self, item)
        if not -len(self) <= item < len(self):
            raise SuppleError(f"path[{item}]: expected the place of one of {len(self)} points")
        place = range(len(self))[item]
        if place not in self._results:
            self._results[place] = self._result(self._spots[place])
        return self._results[place]

    @cached_property
    def _results(self) -> dict[int, StaticResult]:
        return {}

    def _result(self, spot: Spot) -> StaticResult:
        """The equilibrium of the model with the loads of a point."""
        model, t = self._loading.under(spot.factor), self._loading.t
        equations = Equations(self._loaded.under(spot.factor))
        rates = self._loading.spun(spot.factor)
        turning = None if rates is None else Spin(model, equations, t, rates)
        rest = AtRest(equations, t, turning)
        standing = replace(rest.standing(spot.q, spot.z), found=True)
        return static_result(model, rest, standing, turning)

    def of(self, text: str) -> Array:
        """A quantity over all points (n, ...): "elbow.angle", "rod.at(0.5).position.y"."""
        name = validate.text("EquilibriumPath", "of", text, EXPECTED)
        return np.concatenate([quantity(self[k], name) for k in range(len(self))])

    def plot(self, what: str, path: str | Path | None = None) -> Figure:
        """Draw the load factor over a quantity, unstable parts in broken lines.

        ``what`` is a text as for `of`; of a vector its components are drawn.
        """
        from supple.results.plot import COLOURS, INK, blank_figure, dress

        values = self.of(what).reshape(len(self), -1)
        figure, ax = blank_figure(4.2)
        for c, x in enumerate(values.T):
            for held, style in ((True, "-"), (False, (0, (4, 2)))):
                part = f" {'xyz'[c]}" if values.shape[1] == 3 else ""
                label = f"{'stable' if held else 'not stable'}{part}"
                ends = [k for k in range(len(self) - 1) if self._held(k) == held]
                xs, ys = (
                    np.array([[v[k], v[k + 1], np.nan] for k in ends]).ravel()
                    for v in (x, self.load)
                )
                ax.plot(xs, ys, ls=style, color=COLOURS[c % len(COLOURS)], lw=1.4, label=label)
            for s in self.special:
                mark = "o" if s.kind == "limit point" else "x"
                ax.plot(x[s.index], s.factor, mark, color=INK, ms=5)
        dress(ax, what, "load factor")
        return save_figure(figure, path)

    def _held(self, k: int) -> bool:
        """True if the part between a point and the next is stable: one of its ends is."""
        return bool(self.stable[k] or self.stable[k + 1])

    def __repr__(self) -> str:
        end = "" if self.success else "NOT REACHED"
        lines = [f"Equilibria of model '{self.model.name}': {len(self)} points {end}".rstrip()]
        lines.append(f"  load factor  {self.load[0]:.6g} to {self.load[-1]:.6g}")
        lines += [f"  {s!r}" for s in self.special[:6]]
        lines.append(f"  message      {self.message}")
        return "\n".join(lines)


class _OverPoints:
    """Attributes of something in a result, stacked over the points of a path."""

    def __init__(self, path: EquilibriumPath, item: Any) -> None:
        path[0][item]  # an unknown name is told at once
        self._path, self._item = path, item

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        values = [getattr(point[self._item], name) for point in self._path]
        if not isinstance(values[0], np.ndarray):
            label = getattr(self._item, "name", self._item)
            raise SuppleError(f"{label!r} has no values {name!r} over a path")
        return np.concatenate(values)


def path_end(until: Any, points: Any) -> tuple[float, int]:
    """Load factor at the end of a path, and the most of its points."""
    expected = f"a load factor of a magnitude from {LEAST:g} to {LARGEST:g}"
    end = validate.number(OWNER, "until", until, expected)
    if not LEAST <= abs(end) <= LARGEST:
        raise ModelError(OWNER, "until", until, expected)
    return end, _count("points", points, 2)


def _count(field: str, value: Any, least: int) -> int:
    expected = f"an integer from {least} to {MOST}"
    count = validate.integer(OWNER, field, value, least, expected)
    if count > MOST:
        raise ModelError(OWNER, field, value, expected)
    return count


def followed(
    model: Model,
    t: float,
    start: State | Result | None,
    formulation: Formulation,
    spin: Mapping[Any, float] | None,
    follow: str | Sequence[str],
    steps: Any,
    end: float,
    most: int,
) -> EquilibriumPath:
    """The path of equilibria of a model whose loads grow from zero."""
    wanted = None if steps is None else _factors(steps, end)
    loading = Loading(OWNER, formulation.written(model), t, follow, spin)
    loaded = Loaded(OWNER, loading, formulation)
    state = starting_state(OWNER, start, loaded.compiled)
    with told("statics: a path of equilibria is followed"):
        trace = _Trace(loaded, float(end if wanted is None else wanted[-1]), wanted, most)
        trace.run(state.q, state.z)
    return EquilibriumPath(loaded, trace.spots, trace.problem)


class _Trace:
    """Collects the points of a path."""

    def __init__(self, loaded: Loaded, end: float, wanted: Array | None, most: int) -> None:
        self.loaded, self.end, self.wanted, self.most = loaded, end, wanted, most
        self.course = Continuation(loaded, end)
        self.spots: list[Spot] = []
        self.problem = ""

    def run(self, q: Array, z: Array) -> None:
        """Follow the path to its end, or as far as it goes."""
        last = self._first(q, z)
        self.spots.append(last)
        targets = [self.end] if self.wanted is None else [*self.wanted]
        ahead = np.sign(self.end)
        targets = [f for f in targets if ahead * (f - last.factor) > 0.0]
        taken = 0
        for step in self.course.steps(last) if targets else ():
            taken += 1
            for spot in step:
                while targets and ahead * (spot.factor - targets[0]) >= 0.0:
                    reached = self.course.at_factor(last, spot, targets[0])
                    if reached is None:
                        break
                    self.spots.append(reached)
                    targets.pop(0)
                    taken = 0
                if not targets:
                    return
                if spot.q is self.spots[-1].q:  # a kink right behind it
                    self.spots[-1] = spot
                elif self.wanted is None or spot.kind is not None:
                    self.spots.append(spot)
                last = spot
                if self.wanted is not None and spot.kind == "limit point":
                    self._stop(
                        "the load factor has its largest value there, a limit point along "
                        f"{_moves(self.loaded.compiled, spot)}; follow= goes on beyond it"
                    )
                    return
            if taken + 1 >= self.most:
                self.spots += [last] if self.spots[-1] is not last else []
                self._stop(f"the path has {taken + 1} points by then, see points=")
                return
        if targets:
            dof = int(np.argmax(np.abs(last.tangent.way)))
            self.spots += [last] if self.spots[-1] is not last else []
            self._stop(
                "no equilibrium is found near it on the way of "
                f"{self.loaded.compiled.dof_label(dof)}"
            )

    def _stop(self, why: str) -> None:
        self.problem = (
            f"the load factor {self.end:g} is not reached, the last is "
            f"{self.spots[-1].factor:.9g}: {why}"
        )

    def _first(self, q: Array, z: Array) -> Spot:
        """The equilibrium without the loads, or under the least of them if they alone hold it."""
        least = self.end / 20.0 if self.wanted is None else float(self.wanted[0])
        why = ""
        for factor in (0.0, least):
            self.loaded.set(factor)
            rest = self.loaded.search.run(q, z)
            held = rest.found and (factor != 0.0 or not len(rest.free))
            spot = self.course.begin(factor, rest.q, rest.z) if held else None
            if spot is not None:
                return spot
            dofs = rest.motions[:, rest.free[0]] if len(rest.free) else rest.load
            why = self.loaded.compiled.dof_label(int(np.argmax(np.abs(dofs))))
        raise SimulationError(
            f"statics: there is no equilibrium at the load factor {least:g} to begin with, first "
            f"at {why}"
        )


def _factors(steps: Any, end: float) -> Array:
    """Load factors (n,) of load steps, all on one side of zero and away from it."""
    expected = "a number of load steps, or load factors that grow from zero"
    if isinstance(steps, (int, np.integer)) and not isinstance(steps, bool):
        count = _count("steps", steps, 1)
        return end * np.arange(1, count + 1) / count
    factors = validate.array(OWNER, "steps", steps, expected)
    size = np.abs(factors) if factors.ndim == 1 else factors
    if factors.ndim != 1 or not len(factors) or np.any(np.diff(size, prepend=0.0) < 0.0):
        raise ModelError(OWNER, "steps", steps, expected)
    within = LEAST <= size[-1] <= LARGEST
    if not within or np.any(factors * factors[-1] < 0.0) or np.any(np.diff(size) == 0.0):
        raise ModelError(OWNER, "steps", steps, expected)
    return np.asarray(factors, dtype=float)


def _moves(compiled: Compiled, spot: Spot) -> str:
    if spot.motion is None:
        return ""
    return compiled.dof_label(int(np.argmax(np.abs(spot.motion))))


@overload
def statics(
    model: Model,
    *,
    t: float = ...,
    start: State | Result | None = ...,
    formulation: Formulation | None = ...,
    spin: Mapping[Any, float] | None = ...,
    steps: None = ...,
    follow: None = ...,
) -> StaticResult: ...
@overload
def statics(
    model: Model,
    *,
    t: float = ...,
    start: State | Result | None = ...,
    formulation: Formulation | None = ...,
    spin: Mapping[Any, float] | None = ...,
    steps: int | Sequence[float],
    follow: str | Sequence[str] | None = ...,
    until: float = ...,
    points: int = ...,
) -> EquilibriumPath: ...
@overload
def statics(
    model: Model,
    *,
    t: float = ...,
    start: State | Result | None = ...,
    formulation: Formulation | None = ...,
    spin: Mapping[Any, float] | None = ...,
    steps: None = ...,
    follow: str | Sequence[str],
    until: float = ...,
    points: int = ...,
) -> EquilibriumPath: ...
def statics(
    model: Model,
    *,
    t: float = 0.0,
    start: State | Result | None = None,
    formulation: Formulation | None = None,
    spin: Mapping[Any, float] | None = None,
    steps: int | Sequence[float] | None = None,
    follow: str | Sequence[str] | None = None,
    until: float = 1.0,
    points: int = 400,
) -> StaticResult | EquilibriumPath:
    """Find an equilibrium of a model near its initial coordinates, or near ``start``.

    With ``steps`` or ``follow`` its loads grow from zero, and the answer is the path of equilibria.

    Parameters
    ----------
    t : s
        Signals stand still at their values at this time: applied forces, targets of controllers and
        the motions of drivers.
    start : State or Result, optional
        Where the search begins; by default at the joints' initial coordinates.
    formulation : JointCoordinates, Absolute or Branch, optional
        The choice of coordinates.
    spin : mapping, optional
        Constant rates (rad/s) by joint, ``{"shaft": 12.0}``, or by (joint, coordinate): the model
        turns as a whole, and what is found is the equilibrium in that rotation. ``result.drive``
        has what keeps these rates. Loads must turn along: gravity is along the axis, or absent.
    steps : int or sequence of float, optional
        Load steps: equilibria at so many equal parts of ``until``, or at these load factors, up to
        the first limit point.
    follow : str or sequence of str, optional
        What a load factor multiplies: "loads" (all forces, efforts, loads along beams and gravity;
        the usual choice with ``steps``), "gravity", "spin", or names of forces, efforts,
        controllers (their targets) and drivers (their motions). Everything else acts from the
        beginning. Without ``steps`` the path is followed by its arc length, through limit points.
    until : load factor at which a path ends; 1 is the model as it is
    points : most points of a path by arc length, or between two load steps

    The search goes downhill, so it ends in a stable equilibrium unless it starts in an unstable
    one. Velocities are zero: dampers and friction do nothing. A controller that integrates is
    settled: its coordinate is on the target and its integral carries the load, up to its limit;
    without ``ki`` its integral is left as it is at the start. A search that fails returns where it
    ended, with ``success`` False, a ``message`` and a warning.
    """
    expect(OWNER, "model", model, System, "a Model")
    formulation = coordinates_of(OWNER, formulation)
    time = number(OWNER, "t", t)
    end = path_end(until, points)
    model = formulation.written(model)
    if steps is not None or follow is not None:
        given = "loads" if follow is None else follow
        path = followed(model, time, start, formulation, spin, given, steps, *end)
        for doubt in path.doubts:
            warn_caller(doubt)
        return path
    compiled = compile_model(model, (), formulation.tree(model), time, formulation.way())
    equations = Equations(compiled)
    state = starting_state(OWNER, start, compiled)
    equations.accelerate(time, compiled.q0, 0.0 * compiled.u0)  # a massless joint is its fault
    turning = None if spin is None else Spin(model, equations, time, spin)
    rest = AtRest(equations, time, turning)
    with told("statics: the equilibrium is searched"):
        found, newton = _searched(rest, state)
    result = static_result(model, rest, found, turning, newton)
    doubts = [f.sentence for f in result.monitor.findings if f.serious]
    for doubt in doubts if result.success else [result.message, *doubts]:
        warn_caller(doubt)
    return result


def _searched(rest: AtRest, state: State) -> tuple[Equilibrium, str]:
    """Equilibrium, and the solver that found it: whole matrices where others cannot tell."""
    equations, still = rest.equations, rest.spin is None
    if still and TreeAtRest.fits(equations):
        equilibrium = Search(TreeAtRest(equations, rest.t)).run(state.q, state.z)
        if not equilibrium.unclear:
            return equilibrium, TreeAtRest.name
    elif still and SparseAtRest.fits(equations):
        equilibrium = Search(SparseAtRest(equations, rest.t)).run(state.q, state.z)
        if not equilibrium.unclear or equations.nu >= TOO_LARGE:
            return equilibrium, SparseAtRest.name
    return Search(rest).run(state.q, state.z), rest.name


def starting_equilibrium(model: Model, formulation: Formulation) -> State:
    """The equilibrium in which a run starts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        result = statics(model, formulation=formulation)
    if not result.success:
        raise SimulationError(f"simulate: start is 'static', but {result.message}")
    return result.state()
