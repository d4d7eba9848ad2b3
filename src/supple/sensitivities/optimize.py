"""optimize: values of parameters that make an output of a run as small as can be, within limits."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.events import Event
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SuppleError
from supple.foundation.progress import told
from supple.foundation.reports import Report
from supple.integrators.methods.base import Integrator
from supple.io.modelfiles.model_file import ModelFile
from supple.model import Model
from supple.results.result import Result
from supple.results.summary import grade
from supple.sensitivities.evaluations import Evaluations, named_functions
from supple.sensitivities.sensitivity import (
    OnRun,
    subject_for,
    tell_doubts,
    worse,
)
from supple.sweeps.readings import Output, Reading, readings

OWNER = "optimize"
METHODS = ("SLSQP", "MMA")
REACHED = 1e-6  # part of its range by which a limit may be passed
Limit = tuple[str, float, float, float]  # an output, its sign, the limit, and its size
LIMITS = "a mapping of outputs to (low, high), with None where there is no limit"


@dataclass(frozen=True, eq=False)
class Optimum(OnRun):
    """Result of `optimize`.

    Attributes
    ----------
    values : of the parameters by name, SI units
    objective : the number that was made small
    limited : by output, its number and its limits (low, high)
    success : whether the method has converged and all limits are kept
    message : how the search ended
    history : of the objective, one number for each run
    runs : number of runs with derivatives that were made now
    result : the run with these values
    verdict, trusted : of that run: an optimum of what is wrong is none
    """

    values: dict[str, float]
    objective: float
    limited: dict[str, tuple[float, float, float]]
    success: bool
    message: str
    history: tuple[float, ...]
    runs: int
    result: Result

    def _report(self) -> Report:
        rows = [(name, f"{value:.6g}") for name, value in self.values.items()]
        for name, (value, low, high) in self.limited.items():
            rows.append((name, f"{value:.6g}, between {low:g} and {high:g}"))
        rows.append(("run", self.verdict))
        word = "found" if self.success else "not found"
        title = f"Optimum {word}: {self.objective:.6g} after {self.runs} runs; {self.message}"
        return Report(title, rows, worse("good" if self.success else "bad", grade(self.result)))


def optimize(
    model: Model | ModelFile | str | Path | Callable[..., Model],
    parameters: Mapping[str, float | Sequence[float]],
    *,
    minimize: Output,
    limits: Mapping[str, tuple[float | None, float | None]] | None = None,
    functions: Mapping[str, Callable[[Result], float]] | None = None,
    t_end: float | None = None,
    times: int | float | ArrayLike | None = None,
    events: Event | Sequence[Event] = (),
    method: str = "SLSQP",
    precision: float = 1e-6,
    most: int = 100,
    file: str | Path | None = None,
    integrator: Integrator | None = None,
    **options: Any,
) -> Optimum:
    """Search values of parameters that make an output small, with derivatives of `sensitivity`.

    Parameters
    ----------
    model : as for `sensitivity`
    parameters : mapping
        By name a start, (low, high) with the model's own value as start, or (start, low, high).
    minimize : text or function of the result
        "tip.position.y @ rms", or a function that returns a number.
    limits : mapping, optional
        By output (low, high); None where there is no limit, twice the same for an exact value.
        Names that ``functions`` has are read by these, others are texts.
    functions : mapping, optional
        Functions of the result, by the names that ``limits`` uses.
    t_end, times, events, integrator, options : as for `sensitivity`
    method : "SLSQP" (SciPy) or "MMA" (the package nlopt, if it is installed)
    precision : float
        Relative change of the objective at which the search ends.
    most : int
        Steps of the method at most.
    file : path, optional
        Of a JSON file with all runs: a search that was stopped goes on there.

    A run that fails is taken as a bad value, so that the search turns back.
    """
    objective = readings({"objective": minimize}, OWNER)[0]
    bounds = _limits(limits, named_functions(OWNER, functions))
    validate.choice(OWNER, "method", method, METHODS)
    validate.positive(OWNER, "precision", precision)
    validate.integer(OWNER, "most", most, 1, "a positive whole number")
    subject = subject_for(OWNER, model, t_end, times, events, integrator, options)
    asked = (objective, *(reading for reading, _, _ in bounds))
    evaluations = Evaluations.of(subject, parameters, asked, None, file)
    search = Search(evaluations, bounds)
    if "failed" in evaluations.at(search.start):
        raise SuppleError(f"optimize: at the start {evaluations.kept[0]['failed']}")
    with told(lambda: f"optimize: {evaluations.made} runs"):
        ended = (_slsqp if method == "SLSQP" else _mma)(search, precision, most)
    best = search.optimum(ended)
    tell_doubts(OWNER, best)
    return best


def _limits(limits: Any, functions: Mapping[str, Any]) -> list[tuple[Reading, float, float]]:
    if limits is None:
        return []
    if not isinstance(limits, Mapping):
        raise ModelError(OWNER, "limits", limits, LIMITS)
    bounds = []
    for name, pair in limits.items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or pair == (None, None):
            raise ModelError(OWNER, f"limits, {name}", pair, "(low, high) with one number at least")
        low, high = (
            end if x is None else validate.number(OWNER, f"limits, {name}", x)
            for x, end in zip(pair, (-np.inf, np.inf), strict=True)
        )
        reading = readings({str(name): functions.get(name, name)}, OWNER)[0]
        if reading.is_history:
            expected = "a number, e.g. 'tip.position.y @ max', or one of functions"
            raise ModelError(OWNER, "limits", name, expected)
        bounds.append((reading, low, high))
    return bounds


class Search:
    """Objective and limits as functions of a place in units of the ranges."""

    def __init__(
        self, evaluations: Evaluations, bounds: list[tuple[Reading, float, float]]
    ) -> None:
        self.evaluations, self.ranges, self.bounds = evaluations, evaluations.ranges, bounds
        self.history: list[float] = []
        self.worst = 0.0
        # rows of limits: output, sign, limit, size
        self.rows = [
            (reading.name, sign, end, max(abs(end), 1e-300) if end != 0.0 else 1.0)
            for reading, low, high in bounds
            for sign, end in ((1.0, low), (-1.0, high))
            if np.isfinite(end) and low < high
        ]
        self.equal = [
            (reading.name, 1.0, low, abs(low) or 1.0)
            for reading, low, high in bounds
            if low == high
        ]

    @property
    def start(self) -> Array:
        """Start of the search (n,)."""
        return self.ranges.start / self.ranges.sizes

    @property
    def box(self) -> list[tuple[float, float]]:
        """Limits of the parameters."""
        sizes = self.ranges.sizes
        return list(zip(self.ranges.low / sizes, self.ranges.high / sizes, strict=True))

    def objective(self, x: Array) -> tuple[float, Array]:
        """Value and slopes (n,)."""
        evaluation = self.evaluations.at(x)
        if "failed" in evaluation:
            self.history.append(float("nan"))
            return self.worst + 10.0 * abs(self.worst) + 1.0, np.zeros(len(x))
        value, slopes = evaluation["objective"]
        self.history.append(float(value))
        self.worst = max(self.worst, float(value))
        return float(value), np.array(slopes) * self.ranges.sizes

    def distances(self, rows: list[Limit], x: Array) -> Array:
        """Distances (rows,) to limits, in parts of them; negative beyond those of a range."""
        evaluation = self.evaluations.at(x)
        if "failed" in evaluation:
            return np.full(len(rows), -1.0)
        return np.array([sign * (evaluation[n][0] - end) / size for n, sign, end, size in rows])

    def slopes(self, rows: list[Limit], x: Array) -> Array:
        """Slopes (rows, n) of the distances."""
        evaluation = self.evaluations.at(x)
        if "failed" in evaluation:
            return np.zeros((len(rows), len(x)))
        each = [sign * np.array(evaluation[n][1]) / size for n, sign, _, size in rows]
        return np.array(each).reshape(len(rows), len(x)) * self.ranges.sizes

    def optimum(self, ended: tuple[Array, bool, str]) -> Optimum:
        """The optimum, with the run there."""
        x, success, message = ended
        values, evaluation = self.ranges.values(x), self.evaluations.at(x)
        if "failed" in evaluation:
            raise SuppleError(f"optimize: at the end {evaluation['failed']}")
        margins, gaps = (self.distances(rows, x) for rows in (self.rows, self.equal))
        kept = bool(np.all(margins >= -REACHED) and np.all(np.abs(gaps) <= REACHED))
        limited = {
            r.name: (float(evaluation[r.name][0]), low, high) for r, low, high in self.bounds
        }
        if success and not kept:
            message = f"{message}, but a limit is not kept"
        return Optimum(
            values,
            float(evaluation["objective"][0]),
            limited,
            success and kept,
            message,
            tuple(self.history),
            self.evaluations.made,
            self.evaluations.result(values),
        )


def _slsqp(search: Search, precision: float, most: int) -> tuple[Array, bool, str]:
    from scipy.optimize import minimize

    size = abs(search.objective(search.start)[0]) or 1.0

    def scaled(x: Array) -> tuple[float, Array]:
        value, slopes = search.objective(x)
        return value / size, slopes / size

    limited = [
        {"type": kind, "fun": partial(search.distances, rows), "jac": partial(search.slopes, rows)}
        for kind, rows in (("ineq", search.rows), ("eq", search.equal))
        if rows
    ]
    search_end = minimize(
        scaled,
        search.start,
        jac=True,
        bounds=search.box,
        method="SLSQP",
        constraints=limited,
        options={"maxiter": most, "ftol": precision},
    )
    return search_end.x, bool(search_end.success), str(search_end.message)


def _mma(search: Search, precision: float, most: int) -> tuple[Array, bool, str]:
    try:
        nlopt: Any = importlib.import_module("nlopt")
    except ImportError:
        raise ModelError(
            OWNER, "method", "MMA", "'SLSQP', or the package nlopt, which is not installed"
        ) from None
    if search.equal:
        raise ModelError(OWNER, "limits", search.equal[0][0], "a range: MMA takes no exact values")
    solver = nlopt.opt(nlopt.LD_MMA, len(search.start))
    low, high = np.array(search.box).T
    solver.set_lower_bounds(low)
    solver.set_upper_bounds(high)

    def objective(x: Array, slopes: Array) -> float:
        value, found = search.objective(x)
        slopes[:] = found
        return value

    def excess(out: Array, x: Array, slopes: Array) -> None:
        out[:] = -search.distances(search.rows, x)
        if slopes.size:
            slopes[:] = -search.slopes(search.rows, x)

    solver.set_min_objective(objective)
    if search.rows:
        solver.add_inequality_mconstraint(excess, np.full(len(search.rows), 1e-9))
    solver.set_ftol_rel(precision)
    solver.set_maxeval(most)
    x = solver.optimize(np.clip(search.start, low, high))
    code = int(solver.last_optimize_result())
    return np.array(x), 0 < code < 5, f"MMA ended with the code {code}"
