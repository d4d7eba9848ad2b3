"""Runs of the cases at a row of tolerances: how far from the reference, with how many steps.

What theory says. An estimate of order h^e is held at the tolerance, so steps are of size
tol^(1/e), their number grows with tol^(-1/e), and a method of order p has an error of tol^(p/e).
In methods of variable order p and e change on the way. Their estimate is the error of a step
itself, so that N steps make an error N tol: if N grows with tol^(-s), it falls with tol^(1-s). In
fixed order that is the same, 1 - 1/(p+1) = p/(p+1).

A single error is a sum with signs, of which much cancels, another share for every tolerance. The
logarithm of the size of a normal variable has the standard deviation pi/sqrt(8), which is
0.48 decades; exponents are therefore fitted over many tolerances.
"""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import supple as sp
from supple import cases
from supple.integrators.methods.sundials import coordinate_scales
from supple.loops.assembly import compile_model

LUCK = np.pi / np.sqrt(8.0) / np.log(10.0)  # decades
OUTPUT = 200


@dataclass(frozen=True)
class Method:
    """An integrator, its order p and the order e of its estimate; None: variable order."""

    make: Callable[[], sp.Integrator]
    order: int | None = None
    estimate: int | None = None

    @property
    def tolerances(self) -> tuple[float, ...]:
        """Half decades, from loose to as tight as the order allows."""
        last = 7.0 if self.order == 2 else 9.0
        return tuple(float(10.0**-k) for k in np.arange(4.0, last + 0.1, 0.5))


METHODS = {
    "radau": Method(sp.Radau, 5, 4),  # embedded formula of order 3
    "dormand-prince": Method(sp.DormandPrince, 8, 8),  # h^6 h^6 / h^4: orders 5 and 3 combined
    "bdf": Method(sp.BDF),
    "adams": Method(sp.Adams),
    "generalized-alpha": Method(sp.GeneralizedAlpha, 2, 3),
    "hht": Method(sp.HHT, 2, 3),
}
# On closed loops generalized-alpha has a second form; on trees both are the same.
POSITIONS = "generalized-alpha index3"
LOOP_METHODS = {
    **METHODS,
    POSITIONS: Method(lambda: sp.GeneralizedAlpha(constraints="index3"), 2, 3),
}
EXPLICIT, SECOND_ORDER = {"dormand-prince", "adams"}, {"generalized-alpha", "hht", POSITIONS}
# Beams with fast modes, damped or many
STIFF = ("huang-two-link-damped", "huang-three", "huang-five", "huang-eight", "huang-rig-")


@dataclass(frozen=True)
class Path:
    """Coordinates over their units in the error test, and the kinetic energy (nt, nq + 1)."""

    values: np.ndarray
    steps: int


@functools.cache
def run(case: str, method: str, tolerance: float, until: float) -> Path:
    """Run a case up to a time (s)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        model = cases.get(case).build()
        make = LOOP_METHODS[method].make
        r = sp.simulate(model, until, integrator=make(), tolerance=tolerance, output=OUTPUT)
        assert r.success, r.message
        scale, _ = coordinate_scales(compile_model(model))
    values = np.column_stack([r.q / scale, r.energy.kinetic])
    return Path(values, r.statistics["steps"])


@dataclass(frozen=True)
class Reference:
    """The best run, the units of its columns, how far each moves, and where its own error shows."""

    values: np.ndarray
    units: np.ndarray
    ranges: np.ndarray
    floor: float

    def distance(self, a: np.ndarray, b: np.ndarray) -> float:
        """Largest difference of two runs; energies in units of the largest kinetic energy."""
        return float((np.abs(a - b) / self.units).max())

    def error(self, path: Path) -> float:
        """Distance from the reference; NaN where it tells nothing.

        That is where the error of the reference is seen, or where the run does not follow: its
        error is more than a tenth of what moves.
        """
        errors = (np.abs(path.values - self.values) / self.units).max(axis=0)
        k = int(np.argmax(errors))
        told = self.floor < errors[k] < 0.1 * self.ranges[k]
        return float(errors[k]) if told else np.nan


@functools.cache
def reference(case: str, until: float) -> Reference:
    """The best run up to a time; ten times its expected error is its change in the last decade."""
    # Dormand-Prince takes few steps and so has little rounding, but leaves stiff modes ringing
    method = "radau" if case.startswith(STIFF) else "dormand-prince"
    best, worse = (run(case, method, tolerance, until).values for tolerance in (1e-12, 1e-11))
    units = np.ones(best.shape[1])
    units[-1] = best[:, -1].max()
    found = Reference(best, units, np.ptp(best, axis=0) / units, 0.0)
    return Reference(best, units, found.ranges, found.distance(best, worse))


def exponent(x: np.ndarray, y: np.ndarray) -> float:
    """Slope of log y over log x."""
    return float(np.polyfit(np.log10(x), np.log10(y), 1)[0])


@dataclass(frozen=True)
class Study:
    """How error and steps of one method depend on the tolerance, in one case."""

    tolerances: np.ndarray
    errors: np.ndarray
    steps: np.ndarray
    method: Method

    @property
    def told(self) -> np.ndarray:
        """Which errors are told from those of the reference, in runs that follow."""
        return np.isfinite(self.errors)

    @property
    def error_exponent(self) -> float:
        """The error falls with this power of the tolerance."""
        return exponent(self.tolerances[self.told], self.errors[self.told])

    @property
    def step_exponent(self) -> float:
        """The number of steps grows with this power of the inverse tolerance."""
        return -exponent(self.tolerances[self.told], self.steps[self.told])

    @property
    def expected(self) -> float:
        """What theory gives for the exponent of the error."""
        if self.method.order is None:
            return 1.0 - self.step_exponent
        return self.method.order / self.method.estimate

    @property
    def bound(self) -> bool:
        """Whether stability sets the steps: a tighter tolerance makes hardly more of them.

        Half of what the highest estimate, that of Adams, asks for is the limit. Theory says nothing
        then: fast modes ring at the tolerance, and the error of the others is that of the step.
        """
        return -exponent(self.tolerances, self.steps) < 0.5 / 13.0

    @property
    def luck(self) -> float:
        """Standard deviation of the fitted exponent."""
        x = np.log10(self.tolerances[self.told])
        return float(LUCK / np.sqrt(((x - x.mean()) ** 2).sum()))


@functools.cache
def study(case: str, method: str, until: float) -> Study:
    """Measure one method in one case, up to a time (s)."""
    best, m = reference(case, until), LOOP_METHODS[method]
    paths = [run(case, method, tolerance, until) for tolerance in m.tolerances]
    errors, steps = [best.error(p) for p in paths], [p.steps for p in paths]
    return Study(np.array(m.tolerances), np.array(errors), np.array(steps), m)


def disagreement(case: str, a: str, b: str, tolerance: float, until: float) -> tuple[float, float]:
    """Distance of two methods, over the sum of what each changes in itself.

    First: by a tolerance ten times tighter. Second: by one ten or a hundred times tighter, whatever
    changes more.
    """
    best, once, twice = reference(case, until), 0.0, 0.0
    for method in (a, b):
        start = run(case, method, tolerance, until).values
        changes = [
            best.distance(start, run(case, method, float(f"{tolerance / k:.0e}"), until).values)
            for k in (10, 100)
        ]
        once, twice = once + changes[0], twice + max(changes)
    pair = (run(case, m, tolerance, until).values for m in (a, b))
    apart = max(best.distance(*pair) - best.floor, 0.0)
    return apart / once, apart / twice


def beyond_by_luck(factor: float, improvement: float) -> float:
    """How often a run is off by more than ``factor`` times its change in one decade, by luck.

    Errors e and e' before and after are normal, e' ``improvement`` times smaller, so that e'/e is
    a Cauchy variable. The change e - e' is too small where it is near 1.
    """
    near = np.arctan(improvement * (1.0 + 1.0 / factor * np.array([1.0, -1.0])))
    return float((near[0] - near[1]) / np.pi)


def pairs(methods: list[str]) -> list[tuple[str, str]]:
    """All pairs of methods."""
    return list(itertools.combinations(methods, 2))
