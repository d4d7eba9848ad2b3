"""lyapunov: whether neighbouring motions part exponentially, and how quickly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.analyses.run.simulate import simulate
from supple.forces import SampledController
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure
from supple.foundation.calls import expect_options, public
from supple.foundation.errors import ModelError, SuppleError, without_warnings
from supple.integrators.run.interruption import raised_at_once
from supple.model import Model
from supple.results.plot import COLOURS, INK, blank_figure, dress
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SEGMENTS = 250  # of the usual run
BLOCKS = 10  # of segments, whose means tell the spread
FEWEST = 40  # segments
MOST_SEGMENTS = 10_000_000
TRANSIENT = 0.2  # of the run: not counted, the motion settles and the direction aligns
MOST_GROWTH = 1e3  # of a distance within one segment, before it is no longer small
CERTAIN = 2.0  # errors that an exponent must be away from zero to have a sign


@public
@dataclass(frozen=True, eq=False)
class Lyapunov:
    """The largest Lyapunov exponent of a motion."""

    exponent: float  # 1/s; neighbouring motions part, or approach, as exp(exponent t)
    # 1/s, the largest of three: the standard error of ten parts of the run, half the range that the
    # running estimate had over the second half of it, and 1 / (length of the run), since a distance
    # also swings by a factor of e or so, and grows in proportion to time
    error: float
    # t, rates: (n,) ends of the counted segments, s, and the growth of the distance in each, 1/s
    t: Array
    rates: Array

    @property
    def running(self) -> Array:
        """(n,) mean of all rates up to each time, 1/s: it should settle."""
        return np.asarray(np.cumsum(self.rates) / np.arange(1, len(self.rates) + 1))

    @property
    def sign(self) -> int:
        """1, -1, or 0 if the exponent is within two errors of zero."""
        return int(np.sign(self.exponent)) if abs(self.exponent) > CERTAIN * self.error else 0

    @property
    def chaotic(self) -> bool:
        """True if the exponent is positive beyond its error."""
        return self.sign > 0

    @property
    def verdict(self) -> str:
        """One line."""
        words = {1: "chaotic", -1: "not chaotic: neighbours approach", 0: "no exponential growth"}
        return (
            f"{words[self.sign]}; largest Lyapunov exponent {self.exponent:.3g} +- "
            f"{self.error:.2g} 1/s over {self.t[-1] - self.t[0]:.4g} s"
        )

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the running estimate and the rates of the segments over time."""
        figure, ax = blank_figure(3.6)
        ax.plot(self.t, self.rates, ".", ms=3, color="#bbbbbb", label="segments")
        ax.plot(self.t, self.running, lw=1.5, color=COLOURS[0], label="running mean")
        ax.axhspan(
            self.exponent - self.error, self.exponent + self.error, color=COLOURS[0], alpha=0.15
        )
        ax.axhline(0.0, lw=0.8, color=INK)
        ax.set_xlim(self.t[0], self.t[-1])
        dress(ax, "time (s)", "Lyapunov exponent (1/s)", self.verdict)
        return save_figure(figure, path)

    def __repr__(self) -> str:
        return f"<Lyapunov: {self.verdict}>"


def lyapunov(
    model: Model,
    t_end: float,
    *,
    interval: float | None = None,
    separation: float = 1e-5,
    start: State | Result | None = None,
    tolerance: Any = 1e-10,
    seed: int = 0,
    **options: Any,
) -> Lyapunov:
    """Find the largest Lyapunov exponent of a motion by two neighbouring trajectories.

    The second one starts at a small distance in a random direction. After each interval the
    distance is measured and scaled back to its first value along the direction it has taken
    (Benettin et al. 1980). Distances are in units of rad, the model's length and their rates.

    Parameters
    ----------
    t_end : end of the run, s; the longer, the smaller the error
    interval : between two measurements, s; 1/250 of the run by default
    separation : first distance: small, but far above the tolerance
    start : where the run starts, as in `simulate`
    tolerance, options : of the integrator, as in `simulate`
    seed : of the random direction
    """
    owner = "lyapunov"
    if not isinstance(model, Model):
        raise ModelError(owner, "model", model, "a Model")
    for force in model.forces.values():
        if isinstance(force, SampledController):
            expected = "one without a SampledController, whose efforts are no states"
            raise ModelError(owner, "model", model.name, expected)
    equations = JointCoordinates().equations(model)
    if equations.nu == 0:
        raise SuppleError("lyapunov: the model has nothing that moves")
    first = start.state() if isinstance(start, Result) else start
    if first is not None and not isinstance(first, State):
        raise ModelError(owner, "start", start, "a State or a Result of this model")
    validate.positive(owner, "separation", separation)
    validate.integer(owner, "seed", seed, 0, "zero or a positive integer")
    begin = 0.0 if first is None else first.t
    span = validate.number(owner, "t_end", t_end, "a finite number of seconds") - begin
    if not span > 0.0:
        raise ModelError(owner, "t_end", t_end, f"a time after the start at {begin:g} s")
    step = span / SEGMENTS
    if interval is not None:
        step = validate.positive(owner, "interval", interval)
    count = round(min(span / step, 2.0 * MOST_SEGMENTS))
    if not FEWEST <= count <= MOST_SEGMENTS:
        expected = f"a positive time, at most 1/{FEWEST} of the run of {span:g} s"
        raise ModelError(owner, "interval", interval, expected)
    step = span / count
    times = np.linspace(begin, t_end, count + 1)
    expect_options(owner, options, ("formulation", "integrator", "events", "progress"))
    common = {"tolerance": tolerance, **options}
    base = _run(model, t_end, {"start": first, "output": times, **common})
    metric = _Metric(equations)
    rng = np.random.default_rng(seed)
    shift = rng.normal(size=metric.size)
    shift *= separation / np.linalg.norm(shift)
    growth = np.empty(count)
    for k in range(count):
        near = metric.moved(base.state(k), shift)
        end = _run(model, float(times[k + 1]), {"start": near, "output": 1, **common}).state()
        shift = metric.between(base.state(k + 1), end)
        distance = float(np.linalg.norm(shift))
        ratio = distance / separation
        if not 1.0 / MOST_GROWTH**2 < ratio < MOST_GROWTH:
            raise SuppleError(
                f"lyapunov: within the {step:g} s up to t = {times[k + 1]:g} s the distance "
                f"changed by a factor of {ratio:.2g}, expected less: choose a shorter interval"
            )
        growth[k] = np.log(ratio)
        shift *= separation / distance
    skipped = int(TRANSIENT * count)
    return _estimate(times[skipped + 1 :], growth[skipped:] / step)


def _estimate(t: Array, rates: Array) -> Lyapunov:
    means = np.array([part.mean() for part in np.array_split(rates, BLOCKS)])
    found = Lyapunov(float(rates.mean()), 0.0, t, rates)
    late = found.running[len(rates) // 2 :]
    error = max(
        float(means.std(ddof=1)) / BLOCKS**0.5,
        0.5 * float(np.ptp(late)),
        1.0 / (len(t) * float(t[1] - t[0])),
    )
    return Lyapunov(found.exponent, error, t, rates)


def _run(model: Model, t_end: float, settings: dict[str, Any]) -> Result:
    with without_warnings(), raised_at_once():  # a run that fails raises
        result = simulate(model, t_end, **settings)
    if not result.success:
        raise SuppleError(f"lyapunov: the run {result.message}")
    return result


class _Metric:
    """Distances between states: increments of the configuration, velocities, controller states."""

    def __init__(self, equations: Equations) -> None:
        c = equations.compiled
        self.equations, self.compiled = equations, c
        self.units = np.concatenate([c.scale, c.rate_scale, np.ones(c.nz)])
        self.size = len(self.units)

    def moved(self, state: State, shift: Array) -> State:
        """The state moved by a shift (size,)."""
        nu = self.compiled.nu
        d = shift * self.units
        q = self.equations.retract(state.q, d[:nu])
        return replace(state, q=q, u=state.u + d[nu : 2 * nu], z=state.z + d[2 * nu :])

    def between(self, a: State, b: State) -> Array:
        """The shift (size,) from a to b."""
        d = [self.equations.increment(a.q, b.q), b.u - a.u, b.z - a.z]
        return np.asarray(np.concatenate(d) / self.units)
