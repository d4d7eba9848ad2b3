"""Neighbours: a model that is run, and the same model with one of its parameters displaced."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.analyses.run.options import RunOptions
from supple.analyses.run.problem import same_places
from supple.analyses.run.simulate import prepare
from supple.core.base import layout as at
from supple.engine.base.body_records import FlexRecord
from supple.engine.base.compiled import Compiled
from supple.engine.pack.attachments import attached_masses
from supple.engine.reading.phases import in_phase, with_holds
from supple.engine.reading.recompile import Beside
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, SuppleWarning, label
from supple.foundation.frames import Body
from supple.integrators.run.driver import Problem
from supple.loops.assembly import assembled
from supple.model import Model
from supple.modelling.replacement import changed
from supple.reduction.matching import ModePattern
from supple.sweeps.designs import Row
from supple.sweeps.subjects import OfModel, Subject

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody


class Matching:
    """Matches modes of neighbours of a model; ``owner`` begins its messages."""

    def __init__(self, owner: str, compiled: Compiled) -> None:
        self.owner, self._records = owner, compiled.flexible
        self._patterns: dict[str, ModePattern | None] = {}

    def of(self, model: Model, name: str) -> Model:
        """The model beside the first one along a parameter, or a copy with matched modes."""
        matched, bodies = [], model.bodies
        for record in self._records.values():
            body = cast("FlexibleBody", bodies.get(record.name))  # a part is not listed there
            if type(body) is not type(record.body):
                continue
            masses = attached_masses(model, body)
            if body is record.body and masses == record.point_masses:
                continue
            pattern = self._pattern(record)
            if pattern is None:
                continue
            with warnings.catch_warnings():  # the model itself has given them
                warnings.simplefilter("ignore", SuppleWarning)
                other = body.matched(pattern, masses)
            if other is None:
                raise self._cut(name, body)
            if other is not body:
                matched.append(other)
        return _with_bodies(model, matched) if matched else model

    def _pattern(self, record: FlexRecord) -> ModePattern | None:
        if record.name not in self._patterns:
            self._patterns[record.name] = record.body.mode_pattern(record.point_masses)
        return self._patterns[record.name]

    def _cut(self, name: str, body: FlexibleBody) -> ModelError:
        """Error where a mode that is kept and one that is left out change places."""
        expected = (
            f"one with which the model changes smoothly, but modes of {label(body)} that are kept "
            "change places with some that are left out: keep both or neither, or take a value "
            "beside it"
        )
        return ModelError(self.owner, "parameters", name, expected)


def _with_bodies(model: Model, bodies: Iterable[Body]) -> Model:
    """A copy with other objects for bodies of the same names, places and frames."""
    new = model.copy()
    for body in bodies:
        new._put(body)
    new._graph = model._graph
    return new


# Which entries of inertia integrals are zero is no structure: where that differs, so do these.
STRIP_TABLES = {"strip", "strip_row"}
STRIP_COLUMNS = {
    "head": [at.H_STRIPS, at.H_STRIP_ROWS, at.H_FLEX_DATA],
    "flex": [at.FLEX_AT, at.FLEX_STRIP, at.FLEX_STRIPS, at.FLEX_STRIP_ROW, at.FLEX_STRIP_AT],
    "attach": [at.ATTACH_AT],
}


def same_structure(one: Compiled, two: Compiled) -> bool:
    """True if two models have the same states and constraint rows, and equations of one form."""
    if one.ints is two.ints and one.all_rows == two.all_rows:
        return True
    rows = [r.label for r in one.all_rows] == [r.label for r in two.all_rows]
    sizes = (one.nq, one.nu, one.nz) == (two.nq, two.nu, two.nz)
    if not rows or not sizes:
        return False
    a, b = one.complete.ints, two.complete.ints
    return np.array_equal(a, b) or all(
        np.array_equal(_compared(a, name), _compared(b, name))
        for name in at.TREE_RECORD.parts[0].fields
        if name not in STRIP_TABLES
    )


def _compared(ints: np.ndarray, name: str) -> np.ndarray:
    """A field of a model's integers without what says where strips of zeros are."""
    field = at.integers(ints, name).copy()
    if name in STRIP_COLUMNS:
        field[..., STRIP_COLUMNS[name]] = 0
    return field


OWNER = "sensitivity"
# Displacement of a parameter, in units of its value: central differences err by its square, and by
# the rounding of the equations divided by it
STEP = 3e-5
# The same for modes of many elements, whose rounding is larger: differences are of order 4
WIDE_STEP = 1e-3


@dataclass(frozen=True)
class Start:
    """A model as it is run, made when it is asked for, its buffers, and its state at the start."""

    make: Callable[[], Model]
    compiled: Compiled
    q: Array
    u: Array
    z: Array

    @cached_property
    def model(self) -> Model:
        """The model."""
        return self.make()

    @property
    def state(self) -> tuple[Array, Array, Array]:
        """Coordinates, velocities, states of controllers."""
        return self.q, self.u, self.z


@dataclass(frozen=True)
class Neighbours:
    """A subject at values of its parameters, and beside them."""

    subject: Subject
    values: dict[str, float]  # of the parameters, by name
    scales: Mapping[str, float]  # units of the parameters, by name
    _made: dict[tuple[str, float], Start] = field(default_factory=dict)
    _problems: list[Problem] = field(default_factory=list)
    _wide: dict[str, bool] = field(default_factory=dict)

    @property
    def here(self) -> Start:
        """The model at the values themselves."""
        return self.at("", 0.0)

    @cached_property
    def _matching(self) -> Matching:
        """Gives neighbours the modes of the model itself."""
        return Matching(OWNER, self.here.compiled)

    @property
    def problem(self) -> Problem:
        """Problem of an integrator, of the model itself."""
        assert self.here is not None
        return self._problems[0]

    def step(self, name: str) -> float:
        """By how much a parameter is displaced."""
        return STEP * self.scales[name]

    def at(self, name: str, displacement: float) -> Start:
        """The model with one parameter displaced."""
        key = (name, displacement)
        if key not in self._made:
            beside = self._beside(name, displacement) if name else None
            if beside is None:
                values: Row = dict(self.values)
                if name:
                    values[name] = self.values[name] + displacement
                beside = self._start(values, name)
            self._made[key] = beside
        return self._made[key]

    def item_of(self, name: str) -> str | None:
        """The only item of the model that a parameter changes; None if that is not known."""
        item = name.partition(".")[0]
        known = isinstance(self.subject, OfModel) and not isinstance(self.here.model[item], Body)
        return item if known else None

    @cached_property
    def _base(self) -> Beside | None:
        """Makes neighbours of what is compiled; None where each is prepared as a model is."""
        here, settings = self.here, self.subject.given
        built = here.model.built.get("joint coordinates")
        if not isinstance(self.subject, OfModel) or built is None:
            return None
        if settings.get("start") is not None or here.compiled.joints is not built.joints:
            return None
        return Beside(here.model, built)

    def _beside(self, name: str, displacement: float) -> Start | None:
        """A neighbour made of the model itself: only one of its items is another."""
        base = self._base
        if base is None:
            return None
        here, (item, _, field) = self.here, name.partition(".")
        changes = {field: self.values[name] + displacement}

        def make() -> Model:
            model = here.model.copy()
            model.replace(item, **changes)
            return model

        old = here.model[item]
        new = changed(old, changes, self._bodies)
        compiled = base.alone(old, new)
        if compiled is None:
            model = self._matching.of(make(), name)
            compiled, make = base.of(model, old, model[item]), lambda: model
        if compiled.nr:
            compiled = self._closed(compiled, same_places(old, new))
        return Start(make, compiled, compiled.q0, compiled.u0, compiled.z0)

    @cached_property
    def _bodies(self) -> dict[str, Body]:
        model = self.here.model
        return {model.ground.name: model.ground, **model.bodies}

    def _closed(self, compiled: Compiled, same: bool) -> Compiled:
        """A neighbour on its constraints; the start is the ``same`` if only forces differ."""
        here = self.here.compiled
        if not same or compiled.ints is not here.complete.ints:
            return assembled(compiled)
        own = {x: getattr(compiled, x) for x in ("reals", "z0", "signals", "breakpoints")}
        return replace(here, **own)

    def sides(self, name: str) -> tuple[Start, Start, float]:
        """Two models between which differences are taken, and how far they are apart."""
        return *self.pair(name), 2.0 * self.step(name)

    def displacements(self, name: str) -> list[tuple[float, float]]:
        """Displacements of a parameter with the weights of their central differences.

        One as a rule. Where modes of a body of many elements are others with another value,
        rounding of these asks for models that are farther apart, and so for differences of order 4.
        """
        if name not in self._wide:
            self._wide[name] = self._changes_meshes(name)
        if not self._wide[name]:
            return [(self.step(name), 1.0)]
        h = WIDE_STEP * self.scales[name]
        return [(h, 4.0 / 3.0), (2.0 * h, -1.0 / 3.0)]

    def differences(self, name: str) -> list[tuple[Start, Start, float]]:
        """Pairs of models and lengths: derivatives are the sum of differences over these."""
        return [(*self.pair(name, by), 2.0 * by / w) for by, w in self.displacements(name)]

    def _changes_meshes(self, name: str) -> bool:
        """True if modes of a body of many elements are others beside the model."""
        meshes = {k: r for k, r in self.here.compiled.flexible.items() if r.body.many_elements}
        there = self.sides(name)[0].compiled.flexible if meshes else {}
        return any(
            not np.array_equal(getattr(there[k].modal, which), getattr(record.modal, which))
            for k, record in meshes.items()
            for which in ("M", "K")
        )

    def pair(self, name: str, displacement: float | None = None) -> tuple[Start, Start]:
        """The model with a parameter displaced to both sides; both are of one structure."""
        by = self.step(name) if displacement is None else displacement
        sides = self.at(name, by), self.at(name, -by)
        for one in sides:
            self._expect_alike(name, one)
        return sides

    def _start(self, values: Row, name: str) -> Start:
        model, settings = self.subject.made(values)
        if name:
            model = self._matching.of(model, name)
        model, problem, _ = prepare(model).problem(RunOptions(**settings, progress=False))
        if problem.sampler is not None:
            controller = problem.sampler.loops[0].controller
            raise ModelError(
                OWNER, "model", controller, "one without sampled controllers, which jump"
            )
        if not self._problems:  # the first is that of the model itself
            self._problems.append(problem)
        compiled = problem.equations.compiled
        return Start(lambda: model, compiled, problem.q, problem.u, problem.z)

    def _expect_alike(self, name: str, other: Start) -> None:
        if not same_structure(self.here.compiled, other.compiled):
            expected = "a number that changes no structure: all else is refused"
            raise ModelError(OWNER, "parameters", name, expected)

    def jump(self, name: str) -> ModelError:
        """Error of a parameter with which a model does not change smoothly."""
        expected = (
            "one with which the model changes smoothly, but it jumps here, as damping ratios do "
            "that are given by number to modes of equal frequency: take a value beside it"
        )
        return ModelError(OWNER, "parameters", name, expected)


def like(compiled: Compiled, model: Compiled) -> Compiled:
    """A compiled model with the constraint rows, and in the phase, of another one."""
    if model.whole is not None and model.phase is not None and compiled.whole is not None:
        compiled = in_phase(with_holds(compiled.whole, model.whole), model.phase)
    kept = [int(k) for k in np.flatnonzero(~model.left_out)]
    return compiled.complete.with_rows(kept) if compiled.all_rows else compiled


def start_variation(neighbours: Neighbours, name: str) -> tuple[Array, Array, Array]:
    """Derivatives (nu,), (nu,), (nz,) of the state at the start along a parameter.

    By differences of order 4: the start may be what closes loops, or an equilibrium.
    """
    here, first = neighbours.here, neighbours.sides(name)[0]
    n = len(here.u)
    if all(a is b or np.array_equal(a, b) for a, b in zip(here.state, first.state, strict=True)):
        return np.zeros(n), np.zeros(n), np.zeros(len(here.z))
    h, equations = neighbours.step(name), neighbours.problem.equations
    slopes: list[Array] = []
    for by in (h, 2.0 * h):
        one, two = neighbours.pair(name, by)
        x = equations.increment(here.q, one.q) - equations.increment(here.q, two.q)
        slopes.append(np.concatenate([x, one.u - two.u, one.z - two.z]) / (2.0 * by))
    if np.max(np.abs(slopes[0] - slopes[1])) > 0.02 * np.max(np.abs(slopes[0])):
        raise neighbours.jump(name)
    s = (4.0 * slopes[0] - slopes[1]) / 3.0
    return s[:n], s[n : 2 * n], s[2 * n :]


def scale_of(value: float) -> float:
    """Unit of a parameter: its own size, or 1 if it is zero."""
    return abs(value) if value != 0.0 else 1.0
