"""Subjects: a model, a model file, or a function that builds a model, and runs of them."""

from __future__ import annotations

import inspect
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from supple.analyses.run.options import KEPT, MethodOptions, RunOptions, expect_start
from supple.analyses.run.options import OWNER as SIMULATE
from supple.analyses.run.simulate import first_instant, prepare
from supple.foundation.arrays import Array
from supple.foundation.calls import expect_options
from supple.foundation.errors import (
    ModelError,
    SuppleError,
    suggestion,
    without_warnings,
)
from supple.foundation.input_files import path_of, recorded
from supple.foundation.progress import duration
from supple.integrators.run.interruption import raised_at_once
from supple.io.modelfiles.model_file import ModelFile
from supple.model import Model
from supple.modelling.replacement import value_at
from supple.results.data.audit import LEVELS
from supple.results.monitor.monitor import headline
from supple.results.motion.error_growth import is_long
from supple.results.motion.motion_audit import MotionAudit, motion_audit, not_judged
from supple.results.result import Result
from supple.sweeps.designs import OWNER, Row
from supple.sweeps.identity import digest
from supple.sweeps.readings import Reading

OPTIONS = tuple(MethodOptions.__annotations__)
EXPECTED = "a Model, a ModelFile or its path, or a function that returns a Model"
TRIED = 20  # runs of which the first that can begin tells whether outputs are known


@dataclass(frozen=True)
class Subject(ABC):
    """Something that is swept; ``given`` are arguments of `simulate`, None for t_end means no run.

    ``owner`` is the function that a user called: messages begin with it.
    """

    given: Mapping[str, Any]
    owner: str = field(default=OWNER, kw_only=True)

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of what is swept."""

    @abstractmethod
    def identity(self) -> str:
        """A hash of the model and of how it is run."""

    @abstractmethod
    def expect(self, names: Iterable[str]) -> None:
        """Refuse parameters that are not there."""

    @abstractmethod
    def made(self, parameters: Row) -> tuple[Model, dict[str, Any]]:
        """The model with these values, and arguments of `simulate`."""

    def run(self, parameters: Row) -> tuple[Any, str]:
        """The result of a run and its verdict; the model itself where nothing is simulated."""
        model, settings = self.made(parameters)
        if settings.get("t_end") is None:
            model.check()
            return model, ""
        result, doubts = prepare(model).run(RunOptions(**settings, progress=False))
        if not result.success:
            raise SuppleError(f"the run {result.message}")
        looked = settings.get("monitored", True) or not result.data.compiled.deforming
        steps = int(result.statistics.get("equal_steps", 0))
        monitored = result.monitor if looked else None
        asked = settings.get("monitored", True)
        # a run is made again only if it is so long that errors may have grown
        if asked:
            motion = motion_audit(result, again=is_long(result))
        else:
            motion = MotionAudit((), not_judged(result, "the run is not monitored"))
        verdict = headline(result.energy, result.momentum, monitored, steps, motion)
        if doubts and verdict.startswith(LEVELS[0]):  # those of constraints are no part of it
            verdict = f"{LEVELS[1]}: {doubts[0]}"
        return result, verdict

    def expect_outputs(self, plan: list[Row], readings: tuple[Reading, ...]) -> None:
        """Refuse settings that are wrong and outputs that are not there, before any run.

        The first run that can begin tells; what is wrong with one set of parameters is not asked.
        """
        for parameters in plan[:TRIED]:
            if self.tells(parameters, readings):
                return

    def tells(self, parameters: Row, readings: tuple[Reading, ...]) -> bool:
        """Refuse the same by one run; whether it can begin, so that it tells."""
        texts = [r for r in readings if r.function is None]
        with without_warnings():
            try:
                model, settings = self.made(parameters)
                if settings.get("t_end") is None:
                    _refuse_texts(texts, self.owner)
                    return True
                result = first_instant(prepare(model), RunOptions(**settings, progress=False))
            except ModelError as error:
                if error.object in (SIMULATE, self.owner):
                    raise
                return False
            except Exception:  # of a function that builds: it is the reason of its row
                return False
            for reading in texts:
                if not reading.quantity.startswith("energy."):  # some come with the run
                    reading.series(result)
        return True


def _refuse_texts(texts: list[Reading], owner: str) -> None:
    if texts:
        expected = "the end of the runs in s, because outputs are quantities of a run"
        raise ModelError(owner, "t_end", None, expected)


@dataclass(frozen=True)
class OfModel(Subject):
    """A model, whose parameters are paths to its fields."""

    model: Model

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model.name

    def identity(self) -> str:
        """Hash of all items and settings."""
        return digest("model", self.model, self.given)

    def expect(self, names: Iterable[str]) -> None:
        """Refuse paths that lead nowhere."""
        for name in names:
            expect_path(self.model, name, self.owner)

    def made(self, parameters: Row) -> tuple[Model, dict[str, Any]]:
        """A copy of the model with other fields."""
        return replaced(self.model, parameters), dict(self.given)


@dataclass(frozen=True)
class OfFile(Subject):
    """A model file, whose parameters are its own, or paths to fields of its model."""

    path: Path

    @property
    def name(self) -> str:
        """Name of the file."""
        return self.path.name

    def identity(self) -> str:
        """Hash of the file and of every file that it reads."""
        with recorded() as paths:
            ModelFile(self.path)
        files = [(p.name, p.read_bytes()) for p in sorted(set(paths), key=str)]
        return digest("file", files, self.given)

    def expect(self, names: Iterable[str]) -> None:
        """Refuse names that the file does not have."""
        file = ModelFile(self.path)
        for name in names:
            if name in file.parameters:
                continue
            if "." not in name:
                near = suggestion(name, list(file.parameters))
                raise ModelError.plain(f"{self.path.name}: there is no parameter {name!r}, {near}")
            expect_path(file.model, name, self.owner)

    def made(self, parameters: Row) -> tuple[Model, dict[str, Any]]:
        """The model of the file, read with these parameters."""
        own = {name: value for name, value in parameters.items() if "." not in name}
        file = ModelFile(self.path, own)  # type: ignore[arg-type]
        paths = {name: value for name, value in parameters.items() if "." in name}
        settings = {k: v for k, v in file.settings.items() if k not in (*KEPT, "progress")}
        asked = {k: v for k, v in self.given.items() if v is not None and k != "events"}
        events = (*file.events, *self.given["events"])
        return replaced(file.model, paths), {**settings, **asked, "events": events}


@dataclass(frozen=True)
class OfFunction(Subject):
    """A function of the parameters that returns a model."""

    build: Callable[..., Any]

    @property
    def name(self) -> str:
        """Name of the function."""
        return str(getattr(self.build, "__name__", "build"))

    def identity(self) -> str:
        """Hash of the function's code and of the settings."""
        return digest("function", self.build, self.given)

    def expect(self, names: Iterable[str]) -> None:
        """Refuse names that are no arguments of the function."""
        try:
            inspect.signature(self.build).bind(**dict.fromkeys(names))
        except TypeError as reason:
            raise ModelError.plain(
                f"{self.owner}: {self.name} cannot be called with these parameters ({reason}), "
                "expected its arguments"
            ) from None
        except ValueError:  # a function that does not tell its arguments
            return

    def made(self, parameters: Row) -> tuple[Model, dict[str, Any]]:
        """The model that the function returns."""
        model = self.build(**parameters)
        if not isinstance(model, Model):
            raise ModelError(self.owner, f"what {self.name} returns", model, "a Model")
        return model, dict(self.given)


def expect_path(model: Model, path: str, owner: str = OWNER) -> None:
    """Refuse a path that leads to no field of the model, or to one that is no single value."""
    name, _, field = path.partition(".")
    if not field:
        raise ModelError(owner, "parameters", path, "'object.field', e.g. 'link2.mass'")
    item = model[name]
    if item is model.ground:
        raise ModelError(owner, "parameters", path, "a field of an item other than the ground")
    value = value_at(item, field)
    if isinstance(value, np.ndarray) and value.size > 1:
        expected = f"one number of it, e.g. '{path}.0'"
        raise ModelError(owner, "parameters", path, expected)


def replaced(model: Model, parameters: Row) -> Model:
    """A copy of the model with other values at paths."""
    varied = model.copy()
    fields: dict[str, dict[str, Any]] = {}
    for path, value in parameters.items():
        name, _, field = path.partition(".")
        fields.setdefault(name, {})[field] = value
    for name, changes in fields.items():  # together: one alone may not fit the others
        if not all(_is_plainly(value_at(varied[name], f), x) for f, x in changes.items()):
            varied.replace(name, **changes)
    return varied


def _is_plainly(now: Any, value: Any) -> bool:
    """True if a field is this number already, so that nothing is to be made again."""
    return isinstance(now, float) and isinstance(value, float) and now == value


def subject_of(
    model: Any,
    given: Mapping[str, Any],
    options: Mapping[str, Any],
    monitored: bool = True,
    owner: str = OWNER,
) -> Subject:
    """The subject that the first argument of `sweep` means."""
    expect_options(owner, options, OPTIONS)
    expect_start(owner, options.get("start"))
    settings = {**given, **options, **({} if monitored else {"monitored": False})}
    if isinstance(model, Model):
        return OfModel(settings, model.copy(), owner=owner)
    if isinstance(model, ModelFile):
        return OfFile(settings, model.path.resolve(), owner=owner)
    if isinstance(model, (str, Path)):
        file = ModelFile(path_of(owner, "model", model))
        return OfFile(settings, file.path.resolve(), owner=owner)
    if callable(model) and not isinstance(model, type):
        return OfFunction(settings, model, owner=owner)
    raise ModelError(owner, "model", model, EXPECTED)


LONGEST_REASON = 500


@dataclass
class Way:
    """Progress of a sweep or a batch."""

    owner: str
    total: int
    before: int = 0
    ended: int = 0
    failed: int = 0
    began: float = 0.0

    def __post_init__(self) -> None:
        self.began = time.monotonic()

    def count(self, record: Record) -> None:
        """One more run has ended."""
        self.ended += 1
        self.failed += record.state == "failed"

    def text(self) -> str:
        """The line that tells it."""
        part = int(100 * self.ended / max(self.total, 1))
        parts = [f"{self.owner}: {self.ended} of {self.total} runs ({part}%)"]
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.before:
            parts.append(f"{self.before} known before")
        if self.ended:
            left = (time.monotonic() - self.began) * (self.total - self.ended) / self.ended
            parts.append(f"{duration(left)} to go")
        return ", ".join(parts)


@dataclass(frozen=True, eq=False)
class Record:
    """Record of a run."""

    state: Literal["done", "failed"]  # "done" or "failed"
    reason: str = ""  # why it failed, in one sentence
    verdict: str = ""  # of the result
    seconds: float = 0.0  # of the clock
    # numbers and histories by name; empty if it failed
    outputs: dict[str, Any] = field(default_factory=dict)
    time: Array | None = None  # (nt,) output times in s of the histories, if there are any


def failed(reason: str, seconds: float = 0.0) -> Record:
    """The record of a run that failed."""
    text = " ".join(reason.split())
    text = text if len(text) <= LONGEST_REASON else f"{text[: LONGEST_REASON - 4]} ..."
    return Record("failed", text, seconds=seconds)


@dataclass(frozen=True)
class OneRun:
    """Makes runs of a subject; called in any process."""

    subject: Subject
    readings: tuple[Reading, ...]

    def __call__(self, parameters: Row) -> Record:
        """Make a run; whatever goes wrong is in its record."""
        with without_warnings():
            return self.recorded(parameters)

    def recorded(self, parameters: Row) -> Record:
        """Make a run where warnings are off already."""
        begin = time.perf_counter()
        try:
            with raised_at_once(), np.errstate(all="ignore"):
                run, verdict = self.subject.run(parameters)
                views: dict[str, Any] = {}
                outputs = {reading.name: reading.read(run, views) for reading in self.readings}
        except SuppleError as error:
            return failed(str(error), time.perf_counter() - begin)
        except Exception as error:  # of functions of the user, or a defect: never the others' end
            return failed(f"{type(error).__name__}: {error}", time.perf_counter() - begin)
        histories = any(reading.is_history for reading in self.readings)
        t = run.t if histories and isinstance(run, Result) else None
        return Record("done", "", verdict, time.perf_counter() - begin, outputs, t)
