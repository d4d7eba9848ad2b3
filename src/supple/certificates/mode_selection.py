"""choose_modes: few modes of each body, as a tolerance for outputs allows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

from supple.analyses.base.arguments import expect
from supple.analyses.run.options import StudyOptions, takes
from supple.bodies.base.refinement import has_modes, leaves_modes_open, mesh_size, more_modes
from supple.certificates.runs import INTERVALS, Made, Runs, expect_outputs, runs_of
from supple.foundation import validate
from supple.foundation.errors import ModelError, SimulationError, label, suggestion
from supple.foundation.progress import told
from supple.foundation.reports import Report
from supple.model import Model
from supple.reduction.eigen import DENSE
from supple.reduction.shape_sets import AttachmentModes
from supple.results.flexibility.truncation import LIMIT, truncations

OWNER = "choose_modes"
PLAIN, STATIC = (1, 2, 4, 8), 4  # numbers of modes; from this one on with static shapes
STATIC_SHAPES = 18  # of a body that is attached in two places
FACTOR, VERIFYING = 4, 8  # times the modes, of runs that modes are compared with
SHARE = 0.5  # of a tolerance that is left to the body which needs it most, and to what is not known
EXPECTED = "a mapping of texts to tolerances, e.g. {'tip.position.y @ max': 1e-4}"


@dataclass(frozen=True)
class OutputError:
    """Error of an output by the choice of modes."""

    output: str  # what it is
    value: float  # with the modes that were chosen
    error: float  # difference to a run with all coordinates, or with far more modes
    tolerance: float  # that was asked for

    @property
    def met(self) -> bool:
        """True if the error is as small as was asked for."""
        return self.error <= self.tolerance


@dataclass(frozen=True, eq=False)
class ChosenModes:
    """Modes of the bodies of a model.

    Attributes
    ----------
    model : copy of the model with these modes
    modes : value of the field ``modes`` by the name of the body
    coordinates : number of elastic coordinates by the name of the body
    outputs : see `OutputError`, by output
    verified_by : what the outputs were compared with, in words
    runs : how many runs were made
    """

    model: Model
    modes: dict[str, Any]
    coordinates: dict[str, int]
    outputs: dict[str, OutputError]
    verified_by: str
    runs: int

    @property
    def met(self) -> bool:
        """True if all tolerances are met."""
        return all(output.met for output in self.outputs.values())

    @property
    def verdict(self) -> str:
        """One line."""
        total = sum(self.coordinates.values())
        word = "met" if self.met else "NOT met"
        return f"tolerances {word} with {total} elastic coordinates, against {self.verified_by}"

    def _report(self) -> Report:
        return Report(self.verdict, [*self._rows()], "good" if self.met else "bad")

    def _rows(self) -> Iterator[tuple[str, ...]]:
        for name, modes in self.modes.items():
            yield name, f"modes={modes!r}", f"{self.coordinates[name]} coordinates"
        for name, o in self.outputs.items():
            word = "within" if o.met else "NOT within"
            yield name, f"{o.value:.6g}", f"error {o.error:.2e}, {word} {o.tolerance:g}"

    def __str__(self) -> str:
        return self._report().columns()

    def __repr__(self) -> str:
        return f"<ChosenModes {self.verdict}>"

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        return self._report().html()


@takes(StudyOptions)
def choose_modes(
    model: Model,
    t_end: float,
    outputs: Mapping[str, float],
    *,
    bodies: Sequence[str] | None = None,
    intervals: int = INTERVALS,
    **options: Unpack[StudyOptions],
) -> ChosenModes:
    """Choose the modes of bodies so that outputs of a run are right within tolerances.

    Body by body the number of modes is doubled, with static shapes for what is attached where
    loads need them, until the outputs differ from those with far more modes, of small meshes with
    all coordinates, by less than their tolerances.

    Parameters
    ----------
    t_end : end of the run, s
    outputs : mapping of texts to tolerances
        "tip.position.y @ max" is a number, as for `certify`; its tolerance is in the same units.
        What a tolerance is about are the modes alone: `certify` tells about mesh and integration.
    bodies : sequence of str, optional
        Names of the bodies; by default all with modes="auto".
    intervals, start, formulation, integrator, tolerance, events, progress : as for `certify`
    """
    expect(OWNER, "outputs", outputs, Mapping, EXPECTED)
    limits = {
        " ".join(validate.text(OWNER, "outputs", name, EXPECTED).split()): validate.positive(
            OWNER, f"outputs[{name!r}]", limit
        )
        for name, limit in outputs.items()
    }
    runs = runs_of(OWNER, model, t_end, list(limits), options, intervals)
    progress = runs.options.expect_line(OWNER)
    names = _names(runs, bodies)
    search = _Search(runs, limits, {name: _levels(runs.model[name]) for name in names})
    expect_outputs(search.with_levels(runs, search.at))
    with told(lambda: f"choose_modes: {search.count} runs", progress):
        return search.found()


def _names(runs: Runs, bodies: Any) -> tuple[str, ...]:
    """Bodies whose modes are chosen."""
    known = [name for name, body in runs.bodies().items() if has_modes(body)]
    if bodies is None:
        open_names = left_open(runs)
        if not open_names:
            raise ModelError.plain(
                f"{OWNER}: no body of {label(runs.model)} has modes='auto', expected one, or "
                "bodies=[...]"
            )
        return open_names
    listed = validate.listed(OWNER, "bodies", bodies, "names of flexible bodies with meshes")
    for name in listed:
        if not isinstance(name, str) or name not in known:
            raise ModelError(
                OWNER, "bodies", name, f"a body with a mesh ({suggestion(str(name), known)})"
            )
    if not listed:
        raise ModelError(OWNER, "bodies", bodies, "names of flexible bodies with meshes")
    return tuple(dict.fromkeys(listed))


def left_open(runs: Runs) -> tuple[str, ...]:
    """Names of the bodies with modes="auto"."""
    return tuple(name for name, body in runs.bodies().items() if leaves_modes_open(body))


def _levels(body: Any) -> tuple[Any, ...]:
    """Choices of modes from few to many coordinates, at last all that a small mesh has."""
    size = mesh_size(body)
    levels: list[Any] = [n for n in PLAIN if n < size]
    n = STATIC
    while n + STATIC_SHAPES < size and n <= DENSE:
        levels.append(AttachmentModes(n))
        n *= 2
    return (*levels, "all") if size <= DENSE else tuple(levels)


@dataclass(eq=False)
class _Search:
    """Levels of modes that are raised until tolerances are met."""

    runs: Runs
    limits: Mapping[str, float]
    levels: Mapping[str, tuple[Any, ...]]
    at: dict[str, int] = field(default_factory=dict)
    count: int = 0
    made: dict[Any, Made] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.at = {name: min(1, len(found) - 1) for name, found in self.levels.items()}

    def with_levels(self, runs: Runs, at: Mapping[str, int]) -> Runs:
        """Runs of the model with these modes."""
        model = runs.varied({n: {"modes": self.levels[n][k]} for n, k in at.items()})
        return replace(runs, model=model)

    def found(self) -> ChosenModes:
        """Raise levels until the tolerances are met, or nothing is left to be raised."""
        while True:
            base = self.run({})
            words, finer = self.finer(FACTOR)
            errors = self.errors(base, self.run(finer, words))
            share = 1.0 if self.whole(finer) else SHARE
            if self.worst(errors) <= share:
                if self.whole(finer):
                    return self.answer(base, errors, words)
                words, finer = self.finer(VERIFYING)
                errors = self.errors(base, self.run(finer, words))
                if self.worst(errors) <= 1.0:
                    return self.answer(base, errors, words)
            if not self.raise_levels(base, finer):
                return self.answer(base, errors, words)

    def choice(self, name: str) -> Any:
        """The present modes of a body."""
        return self.levels[name][self.at[name]]

    def finer(self, factor: int) -> tuple[str, dict[str, Any]]:
        """Choice that the present one is compared with, in words, and modes by body."""
        model, modes = self.with_levels(self.runs, self.at).model, {}
        for name in self.levels:
            fields = more_modes(model[name], factor)
            modes[name] = fields.get("modes", "all")
        if self.whole(modes):
            return "a run with all coordinates of the meshes", modes
        return f"a run with {factor} times the modes and static shapes", modes

    def whole(self, modes: Mapping[str, Any]) -> bool:
        """True if these are all coordinates."""
        return all(isinstance(m, str) for m in modes.values())

    def run(self, modes: Mapping[str, Any], words: str = "a run") -> Made:
        """A run with other modes of some bodies, made once."""
        chosen = {name: modes.get(name, self.choice(name)) for name in self.levels}
        key = tuple((name, repr(m)) for name, m in chosen.items())
        if key not in self.made:
            self.count += 1
            self.made[key] = self.runs.make(words, {n: {"modes": m} for n, m in chosen.items()})
        made = self.made[key]
        if made.failed:
            raise SimulationError(f"{OWNER}: {words} with modes {chosen} fails: {made.reason}")
        return made

    def errors(self, base: Made, finer: Made) -> dict[str, float]:
        """Differences of the outputs; infinite between runs with other events."""
        if base.events != finer.events:
            return dict.fromkeys(self.limits, math.inf)
        samples = ((n, base.samples[n], finer.samples[n]) for n in self.limits)
        return {n: abs(a.value - b.value) for n, a, b in samples}

    def worst(self, errors: Mapping[str, float]) -> float:
        """Largest difference in units of its tolerance."""
        return max(errors[name] / limit for name, limit in self.limits.items())

    def raise_levels(self, base: Made, finer: Mapping[str, Any]) -> bool:
        """Raise bodies to which the differences belong; whether there are any."""
        free = [n for n in self.levels if self.at[n] + 1 < len(self.levels[n])]
        if not free:
            return False
        weights = {n: 1.0 for n in free}
        if len(self.levels) > 1:
            weights = {
                n: self.worst(self.errors(base, self.run({n: finer[n]}, f"more modes of {n!r}")))
                for n in free
            }
        most = max(weights.values())
        needed = [n for n in free if weights[n] >= min(most, SHARE / len(self.levels))]
        left_out = truncations(base.result) if base.result is not None else {}
        for name in needed:
            self.at[name] += 1
            few = name in left_out and left_out[name].largest > LIMIT
            if few and self.at[name] > PLAIN.index(STATIC):  # more modes would not do it
                self.at[name] = _first_static(self.levels[name], self.at[name])
        return True

    def answer(self, base: Made, errors: Mapping[str, float], words: str) -> ChosenModes:
        """The present choice."""
        modes = {name: self.choice(name) for name in self.levels}
        assert base.result is not None
        flexible = base.result.data.compiled.flexible
        return ChosenModes(
            self.with_levels(self.runs, self.at).model,
            modes,
            {name: flexible[name].modal.n for name in modes},
            {
                name: OutputError(name, base.samples[name].value, errors[name], limit)
                for name, limit in self.limits.items()
            },
            words,
            self.count,
        )


def _first_static(levels: Iterable[Any], start: int) -> int:
    """The first level from one on that has static shapes, or all coordinates."""
    for k, level in enumerate(levels):
        if k >= start and not isinstance(level, int):
            return k
    return start
