"""sensitivity: derivatives of outputs of a run with respect to numbers of its model."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.run.options import RunOptions, event_tuple
from supple.events import Event
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.foundation.reports import Report
from supple.integrators.methods.base import Integrator
from supple.io.modelfiles.model_file import ModelFile
from supple.model import Model
from supple.modelling.replacement import value_at
from supple.results.result import Result
from supple.results.summary import grade
from supple.sensitivities.ending import expect_events
from supple.sensitivities.followed_run import FollowedRun
from supple.sensitivities.neighbours import OWNER, Neighbours, scale_of
from supple.sensitivities.output_slopes import OutputSlopes, has_weights
from supple.sensitivities.standing import OnRun, tell_doubts
from supple.sweeps.readings import Outputs, Reading, readings
from supple.sweeps.subjects import OfFile, OfModel, Subject, subject_of

METHODS = ("forward", "adjoint")
MANY = 8  # parameters for each output from which on the adjoint is quicker
NAMES = "names of numbers of the model, or a mapping of names to values"


@dataclass(frozen=True, eq=False)
class Sensitivity(OnRun):
    """Derivatives of outputs with respect to parameters: ``found[output, parameter]``.

    Attributes
    ----------
    values : by output, its number or its history (nt,)
    parameters : values by name
    derivatives : by output and by parameter, a number or a history (nt,): units of the output per
        unit of the parameter
    t : (nt,) s, output times
    method : "forward" or "adjoint"
    result : the run
    seconds : of the clock
    verdict, trusted : of the run; derivatives of what is wrong are wrong, too
    """

    values: Mapping[str, Any]
    parameters: Mapping[str, float]
    derivatives: Mapping[str, Mapping[str, Any]]
    t: Array
    method: str
    result: Result
    seconds: float

    def __getitem__(self, key: tuple[str, str]) -> Any:
        """Derivative of an output along a parameter."""
        output, parameter = key
        for name, known in ((output, self.derivatives), (parameter, self.parameters)):
            if name not in known:
                raise ModelError(OWNER, "name", name, f"one of {', '.join(map(repr, known))}")
        return self.derivatives[output][parameter]

    def gradient(self, output: str) -> Array:
        """Derivatives (np,) or (np, nt) of an output along all parameters, in their order."""
        return np.array([self[output, name] for name in self.parameters])

    def relative(self, output: str) -> dict[str, Any]:
        """Relative change of an output for a relative change of each parameter."""
        value = np.asarray(self.values[output])
        with np.errstate(all="ignore"):
            return {p: self[output, p] * x / value for p, x in self.parameters.items()}

    def _report(self) -> Report:
        rows = []
        for output, found in self.derivatives.items():
            for name, slope in found.items():
                size = float(np.max(np.abs(slope)))
                told = f"{float(slope):.6g}" if np.ndim(slope) == 0 else f"up to {size:.6g}"
                rows.append((output, name, told))
        title = f"Derivatives of {len(self.values)} outputs along {len(self.parameters)} parameters"
        title = f"{title}; the run: {self.verdict}"
        header = ("output", "parameter", "derivative")
        return Report(title, rows, grade(self.result), header)

    def __str__(self) -> str:
        report = self._report()
        widths = [max(len(row[k]) for row in report.rows) for k in (0, 1)]
        lines = [f"  {a:<{widths[0]}}  {b:<{widths[1]}}  {c}" for a, b, c in report.rows]
        return "\n".join([report.title, *lines])

    def _repr_html_(self) -> str:
        return self._report().html()


def sensitivity(
    model: Model | ModelFile | str | Path | Callable[..., Model],
    parameters: Iterable[str] | Mapping[str, float],
    *,
    outputs: Outputs,
    t_end: float | None = None,
    method: str | None = None,
    times: int | float | ArrayLike | None = None,
    events: Event | Sequence[Event] = (),
    integrator: Integrator | None = None,
    **options: Any,
) -> Sensitivity:
    """Derivatives of outputs of a run with respect to numbers of its model.

    Parameters
    ----------
    model : Model, ModelFile, path of one, or function
        A function is called with the parameters by name and returns a Model.
    parameters : names, or a mapping of names to values
        Paths to fields of the model ("link2.mass", "beam.material.E", "shoulder.initial"),
        parameters of a model file, or arguments of the function, which need values. SI units.
    outputs : as for `sweep`
        "elbow.angle @ max", "tip.position.y", or functions of the result.
    t_end : float, optional
        End of the run, s; a model file has its own.
    method : "forward" or "adjoint", optional
        Small motion for each parameter, forwards in time; or for each output, backwards, which
        is quicker for many parameters and knows numbers of texts only. By default what is quicker.
    times, events : output times and events, as for `simulate`
        An event may end the run; where it does, derivatives are those of runs to their own ends.
        It may also lock or release joints.
    integrator : Radau, GeneralizedAlpha, DormandPrince ..., optional
        Of the run; Radau by default. Its steps are those of the small motion about it.
    options : start, formulation, tolerance of `simulate`; the tolerance is "tight" by default

    The equations of small motion about the run are solved with its own steps, by Radau IIA of order
    5; parameters enter by differences of the residual, not of runs. Extrema are those at output
    times. Where a value decides which way a motion goes, derivatives hold for the way that it went.
    """
    asked = readings(outputs, OWNER)
    subject = subject_for(OWNER, model, t_end, times, events, integrator, options)
    values = _values(subject, parameters)
    subject.expect(values)
    subject.expect_outputs([dict(values)], asked)
    if method is not None:
        validate.choice(OWNER, "method", method, METHODS)
    found = derivatives(subject, asked, values, method)
    tell_doubts(OWNER, found, serious=True)
    return found


def subject_for(
    owner: str,
    model: Any,
    t_end: Any,
    times: Any,
    events: Any,
    integrator: Any,
    options: dict[str, Any],
) -> Subject:
    """What is run, with tight tolerances unless others are asked for."""
    options.setdefault("tolerance", "tight")
    chosen = RunOptions(t_end, integrator=integrator).expect_method(owner)
    events = event_tuple(owner, events)
    expect_events(owner, events)
    given = {"t_end": t_end, "output": times, "events": events, "integrator": chosen}
    return subject_of(model, given, options, owner=owner)


def derivatives(
    subject: Subject, asked: tuple[Reading, ...], values: dict[str, float], method: str | None
) -> Sensitivity:
    """Derivatives of what is read of a subject, at values of its parameters."""
    begin = time.perf_counter()
    if method is None:
        numbers = all(has_weights(r) for r in asked)
        method = "adjoint" if numbers and len(values) > MANY * len(asked) else "forward"
    near = Neighbours(subject, values, {name: scale_of(x) for name, x in values.items()})
    run = FollowedRun.of(near, subject.given["integrator"])
    slopes = OutputSlopes(run, asked)
    found = _forward(slopes) if method == "forward" else _adjoint(slopes)
    seconds = time.perf_counter() - begin
    return Sensitivity(slopes.values, values, found, run.solution.t, method, slopes.result, seconds)


def _forward(slopes: OutputSlopes) -> dict[str, dict[str, Any]]:
    run = slopes.run
    states = run.forward(run.solution.t)
    found: dict[str, dict[str, Any]] = {r.name: {} for r in slopes.readings}
    for name, mine in zip(run.neighbours.values, states, strict=True):
        for output, slope in slopes.along(name, mine).items():
            found[output][name] = slope if slope.ndim else float(slope)
    return found


def _adjoint(slopes: OutputSlopes) -> dict[str, dict[str, Any]]:
    run, ending, found = slopes.run, slopes.ending, {}
    pairs = [slopes.over_states(reading) for reading in slopes.readings]
    used = np.unique(np.concatenate([places for places, _, _ in pairs]))
    weights = np.zeros((len(pairs), len(used), pairs[0][1].shape[1]))
    for k, (places, slope, _) in enumerate(pairs):
        weights[k, np.searchsorted(used, places)] = slope
    along = run.backward(run.solution.t[used], weights)
    for k, reading in enumerate(slopes.readings):
        places, _, later = pairs[k]
        found[reading.name] = {
            name: float(along[k, p])
            + slopes.over_parameter(reading, name, places)
            + (later * ending.crossing.over_parameters[name] if ending is not None else 0.0)
            for p, name in enumerate(run.neighbours.values)
        }
    return found


def _values(subject: Subject, parameters: Any) -> dict[str, float]:
    """Values of the parameters by name; those that are not given are read of the model."""
    if isinstance(parameters, str):
        parameters = [parameters]
    if isinstance(parameters, Mapping):
        given = dict(parameters)
    else:
        names = validate.listed(OWNER, "parameters", parameters, NAMES)
        subject.expect([validate.text(OWNER, "parameters", name, NAMES) for name in names])
        given = {name: own_value(subject, name) for name in names}
    if not given:
        raise ModelError(OWNER, "parameters", parameters, NAMES)
    found = {}
    for name, value in given.items():
        number = isinstance(value, (int, float, np.floating, np.integer))
        if not number or isinstance(value, bool) or not math.isfinite(value):
            raise ModelError(OWNER, f"parameters, {name}", value, "a number")
        found[str(name)] = float(value)
    return found


def own_value(subject: Subject, name: str) -> Any:
    """The value that a model has."""
    if isinstance(subject, OfFile):
        file = ModelFile(subject.path)
        if name in file.parameters:
            return file.parameters[name]
        model = file.model
    elif isinstance(subject, OfModel):
        model = subject.model
    else:
        expected = "a mapping of names to values for a function"
        raise ModelError(subject.owner, "parameters", name, expected)
    item, _, field = name.partition(".")
    found = value_at(model[item], field)
    return float(found.item()) if isinstance(found, np.ndarray) and found.size == 1 else found
