"""Options of runs: their names, types, defaults and checks, which all that makes runs shares.

`simulate` describes them. Functions that pass some of them on take ``**options`` of one of the
mappings below; `takes` gives such a function the signature that this stands for. A new option is a
line in a mapping, a field of `RunOptions` and a paragraph in `simulate`.
"""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import coordinates_of, expect
from supple.events import Event
from supple.formulations.base import Formulation
from supple.formulations.trees import JointCoordinates
from supple.foundation import validate
from supple.foundation.atomic_files import check_target
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.foundation.input_files import path_of
from supple.integrators.methods.base import Integrator
from supple.integrators.methods.radau import Radau
from supple.integrators.run.checkpoints import Data
from supple.integrators.run.driver import Progress
from supple.results.result import Result
from supple.state import State

OWNER = "simulate"
EVERY = 30.0  # s of the clock between checkpoints
TOLERANCES = {"loose": (1e-4, 1e-6), "default": (1e-7, 1e-9), "tight": (1e-10, 1e-12)}
DEFAULTS: dict[str, Any] = {"tolerance": "default", "events": ()}  # others are None
KEPT = ("checkpoint", "every", "interval", "output_to")  # how a run is kept
Start = State | Result | Literal["static", "quasi-static"] | None
Function = TypeVar("Function", bound=Callable[..., Any])


class MethodOptions(TypedDict, total=False):
    """Options of every run: where it starts, its coordinates, its method."""

    start: Start
    formulation: Formulation | None
    integrator: Integrator | None
    tolerance: str | float | Sequence[float]


class StudyOptions(MethodOptions, total=False):
    """Options of runs that belong to a study, which has output times of its own."""

    events: Event | Sequence[Event]
    progress: bool | None


class SimulateOptions(MethodOptions, total=False):
    """Options of a single run."""

    output: int | float | ArrayLike | None
    events: Event | Sequence[Event]
    progress: bool | Progress | None
    checkpoint: str | Path | None
    every: float | None
    interval: float | None
    output_to: str | Path | None


def takes(options: type) -> Callable[[Function], Function]:
    """Give a function with ``**options`` a signature with their names, types and defaults."""

    def spelled_out(function: Function) -> Function:
        signature, hints = inspect.signature(function), typing.get_type_hints(options)
        parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        kind = inspect.Parameter.KEYWORD_ONLY
        for name, hint in options.__annotations__.items():
            shown, default = getattr(hint, "__forward_arg__", hint), DEFAULTS.get(name)
            parameters.append(inspect.Parameter(name, kind, default=default, annotation=shown))
        spelled: Any = function
        spelled.__signature__ = signature.replace(parameters=parameters)
        own = {k: v for k, v in function.__annotations__.items() if k != "options"}
        spelled.__annotations__ = hints | own
        return function

    return spelled_out


@dataclass(frozen=True)
class RunOptions:
    """Options of a run, and what is derived of them; see `simulate`."""

    t_end: Any
    start: Any = None
    formulation: Any = None
    integrator: Any = None
    tolerance: Any = DEFAULTS["tolerance"]
    output: Any = None
    events: Any = DEFAULTS["events"]
    progress: Any = None
    keeping: Keeping | None = None  # where a run is kept, or None
    monitored: bool = True  # whether what the validity monitor finds is doubted
    owner: str = OWNER  # the function whose arguments they are, which errors name

    @classmethod
    @takes(SimulateOptions)
    def of(
        cls, t_end: float, source: Path | None = None, /, **options: Unpack[SimulateOptions]
    ) -> RunOptions:
        """Of the arguments of `simulate`; ``source`` is the model file that they come from."""
        kept: dict[str, Any] = {name: options.get(name) for name in KEPT}
        rest: dict[str, Any] = {name: x for name, x in options.items() if name not in KEPT}
        return cls(t_end, **rest, keeping=Keeping.of(**kept, source=source))

    @cached_property
    def method(self) -> Integrator:
        """The integrator, Radau by default."""
        return Radau() if self.integrator is None else self.integrator

    @cached_property
    def coordinates(self) -> Formulation:
        """The formulation, joint coordinates by default."""
        return JointCoordinates() if self.formulation is None else self.formulation

    @property
    def state(self) -> Any:
        """The state that the run starts from, if it is given; else its name or None."""
        return self.start.state() if isinstance(self.start, Result) else self.start

    @property
    def begin(self) -> float:
        """Time of the start, s."""
        state = self.state
        return float(state.t) if isinstance(state, State) else 0.0

    @property
    def tolerances(self) -> tuple[float, float]:
        """(rtol, atol)."""
        return tolerances(self.tolerance)

    @property
    def told(self) -> tuple[bool | None, Any]:
        """Way of telling progress: by a line (None: where somebody looks), or by a callable."""
        progress = self.progress
        if progress is None or isinstance(progress, bool):
            return progress, None
        if not callable(progress):
            raise ModelError(self.owner, "progress", progress, "True, False, None or a callable")
        return False, progress

    @property
    def of_study(self) -> StudyOptions:
        """Options that are passed on by studies."""
        return typing.cast(
            "StudyOptions", {n: getattr(self, n) for n in StudyOptions.__annotations__}
        )

    def expect_line(self, owner: str) -> bool | None:
        """Return the choice of a line of progress; a callable is refused."""
        expect(owner, "progress", self.progress, bool | None, "True, False or None")
        return typing.cast("bool | None", self.progress)

    def expect_formulation(self, owner: str) -> None:
        """Refuse what is no formulation."""
        coordinates_of(owner, self.formulation)

    def expect_method(self, owner: str) -> Integrator:
        """The integrator; what is none is refused."""
        method = self.method
        expect(owner, "integrator", method, Integrator, "an integrator, e.g. Radau()")
        return method


def expect_start(owner: str, start: Any) -> None:
    """Refuse a start that no model has."""
    named = isinstance(start, str) and start in ("static", "quasi-static")
    if not named and not isinstance(start, State | Result | None):
        expected = "a State or a Result of this model, 'static' or 'quasi-static'"
        raise ModelError(owner, "start", start, expected)


def event_tuple(owner: str, events: Any) -> tuple[Any, ...]:
    """Events as they are given, one or several; what is no sequence is refused."""
    events = (events,) if isinstance(events, Event) else events
    return tuple(validate.listed(owner, "events", events, "a sequence of Event"))


def tolerances(tolerance: str | float | Sequence[float]) -> tuple[float, float]:
    """(rtol, atol) of a word, a number (rtol; atol a hundredth of it) or a pair.

    Tolerances are relative errors per step of angles (1 rad), places (the model's length), their
    rates, and energies.
    """
    expected = "'loose', 'default', 'tight', a number between 1e-13 and 0.1, or (rtol, atol)"
    if isinstance(tolerance, str):
        if tolerance not in TOLERANCES:
            raise ModelError(OWNER, "tolerance", tolerance, expected)
        return TOLERANCES[tolerance]
    if isinstance(tolerance, float) and 1e-13 <= tolerance <= 0.1:
        return float(tolerance), 0.01 * float(tolerance)
    try:
        values = np.atleast_1d(np.asarray(tolerance, dtype=float))
    except (TypeError, ValueError, OverflowError):
        values = np.array([np.nan])
    if values.shape == (1,):
        values = np.array([values[0], 0.01 * values[0]])
    if values.shape != (2,) or not (1e-13 <= values[0] <= 0.1) or not (0.0 < values[1] <= 0.1):
        raise ModelError(OWNER, "tolerance", tolerance, expected)
    return float(values[0]), float(values[1])


@dataclass(frozen=True)
class Keeping:
    """Files that keep a run, and how often they are written."""

    checkpoint: Path | None  # path of the checkpoints, or None
    every: float  # s of the clock between them, infinite for none
    interval: float  # s of simulated time between them, 0 for none
    output_to: Path | None  # path of the states, or None
    source: Path | None = None  # the model file that was run, or None
    goes_on: Data | None = None  # what an earlier run left in the checkpoint
    exact: bool = False  # whether the model was given again, not read from the checkpoint

    @classmethod
    def of(
        cls, checkpoint: Any, every: Any, interval: Any, output_to: Any, source: Path | None = None
    ) -> Keeping | None:
        """Of the arguments of `simulate`; None if nothing is to be kept."""
        for name, value in (("every", every), ("interval", interval)):
            if value is not None and checkpoint is None:
                raise ModelError(OWNER, name, value, "a checkpoint, whose intervals it gives")
            if value is not None:
                validate.positive(OWNER, name, value)
        if checkpoint is None and output_to is None:
            return None
        paths = [
            None if path is None else check_target(path_of(OWNER, name, path))
            for name, path in (("checkpoint", checkpoint), ("output_to", output_to))
        ]
        if None not in paths and len({path.resolve() for path in paths if path}) == 1:
            raise ModelError(OWNER, "output_to", output_to, "another file than the checkpoint")
        usual = EVERY if interval is None else math.inf
        every = usual if every is None else float(every)
        return cls(paths[0], every, float(interval or 0.0), paths[1], source)
