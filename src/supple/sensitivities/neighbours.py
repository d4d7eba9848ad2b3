"""Neighbours: a model that is run, and the same model with one of its parameters displaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from supple.analyses.keeping import Arguments
from supple.analyses.prepared import prepare
from supple.engine.compiled import Compiled
from supple.engine.phases import in_phase, with_holds
from supple.errors import ModelError
from supple.integrators.driver import Problem
from supple.model import Model
from supple.poses import Array
from supple.sweeps.designs import Row
from supple.sweeps.subjects import Subject

OWNER = "sensitivity"
# Displacement of a parameter, in units of its value: central differences err by its square, and by
# the rounding of the equations divided by it
STEP = 3e-5


class Start(NamedTuple):
    """A model as it is run, ready to start."""

    model: Model
    problem: Problem

    @property
    def compiled(self) -> Compiled:
        """Its buffers."""
        return self.problem.equations.compiled


@dataclass(frozen=True)
class Neighbours:
    """A subject at values of its parameters, and beside them.

    Attributes
    ----------
    values : of the parameters, by name
    scales : what a parameter is compared with, by name
    """

    subject: Subject
    values: dict[str, float]
    scales: Mapping[str, float]
    _made: dict[tuple[str, float], Start] = field(default_factory=dict)

    @property
    def here(self) -> Start:
        """The model at the values themselves."""
        return self.at("", 0.0)

    def step(self, name: str) -> float:
        """By how much a parameter is displaced."""
        return STEP * self.scales[name]

    def at(self, name: str, displacement: float) -> Start:
        """The model with one parameter displaced."""
        key = (name, displacement)
        if key not in self._made:
            values: Row = dict(self.values)
            if name:
                values[name] = self.values[name] + displacement
            self._made[key] = self._start(values)
        return self._made[key]

    def sides(self, name: str) -> tuple[Start, Start, float]:
        """Two models between which differences are taken, and how far they are apart."""
        return *self.pair(name), 2.0 * self.step(name)

    def pair(self, name: str, displacement: float | None = None) -> tuple[Start, Start]:
        """The model with a parameter displaced to both sides; both are of one structure."""
        by = self.step(name) if displacement is None else displacement
        found = self.at(name, by), self.at(name, -by)
        for one in found:
            self._expect_alike(name, one)
        return found

    def _start(self, values: Row) -> Start:
        model, given = self.subject.made(values)
        model, problem, _ = prepare(model).problem(Arguments(**given, progress=False))
        if problem.sampler is not None:
            name = problem.sampler.loops[0].controller
            raise ModelError(OWNER, "model", name, "one without sampled controllers, which jump")
        return Start(model, problem)

    def _expect_alike(self, name: str, other: Start) -> None:
        here, there = self.here.compiled, other.compiled
        rows = [r.label for r in here.all_rows] == [r.label for r in there.all_rows]
        sizes = (here.nq, here.nu, here.nz) == (there.nq, there.nu, there.nz)
        if not rows or not sizes or here.complete.ints.tolist() != there.complete.ints.tolist():
            expected = "a number that changes no structure: all else is refused"
            raise ModelError(OWNER, "parameters", name, expected)

    def jump(self, name: str) -> ModelError:
        """What is said of a parameter with which a model does not change smoothly."""
        expected = (
            "one with which the model changes smoothly; modes of equal frequency, of a square or "
            "round section for example, change places here: take a value beside it, or all nodal "
            "coordinates"
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
    here, first = neighbours.here.problem, neighbours.sides(name)[0].problem
    n = len(here.u)
    if all(np.array_equal(getattr(here, x), getattr(first, x)) for x in "quz"):
        return np.zeros(n), np.zeros(n), np.zeros(len(here.z))
    h = neighbours.step(name)
    found: list[Array] = []
    for by in (h, 2.0 * h):
        one, two = (s.problem for s in neighbours.pair(name, by))
        x = here.equations.increment(here.q, one.q) - here.equations.increment(here.q, two.q)
        found.append(np.concatenate([x, one.u - two.u, one.z - two.z]) / (2.0 * by))
    if np.max(np.abs(found[0] - found[1])) > 0.02 * np.max(np.abs(found[0])):
        raise neighbours.jump(name)
    s = (4.0 * found[0] - found[1]) / 3.0
    return s[:n], s[n : 2 * n], s[2 * n :]


def scale_of(value: float) -> float:
    """What a parameter is compared with: itself, or one unit if it is zero."""
    return abs(value) if value != 0.0 else 1.0
