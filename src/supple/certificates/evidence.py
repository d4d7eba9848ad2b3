"""Evidence: the runs by which the errors of numbers are estimated, each made once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from supple.bodies.base.refinement import beyond_linear, finer_mesh, more_modes, with_shear
from supple.certificates.runs import Made, Runs, another_method, refined
from supple.formulations.base import Formulation
from supple.formulations.trees import Absolute, JointCoordinates
from supple.foundation.errors import ModelError, without_warnings
from supple.foundation.frames import Body
from supple.integrators.methods.base import Integrator
from supple.integrators.methods.radau import Radau

TIGHTER, TIGHTEST = 10.0, 100.0  # divisors of tolerances
EXPLICIT = (
    1000.0  # the same of an explicit method of order 8: steps are long, their inside is worse
)
DENSER = 2  # times the output times, of the finest run

Fields = dict[str, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Ladder:
    """Runs of a model that is refined more and more.

    Attributes
    ----------
    runs : the coarsest one is not among them
    bodies : names of those that are refined
    exact : whether the last one is the limit
    unknown : sentences about bodies that cannot be refined
    """

    runs: tuple[Made, ...]
    bodies: tuple[str, ...]
    exact: bool
    unknown: tuple[str, ...]


@dataclass(eq=False)
class Evidence:
    """Runs that are made when they are asked for first.

    Attributes
    ----------
    runs : how they are made
    asked : names of the contributions that are asked for
    count : runs that were made
    tightest : whether the finest run has a smaller tolerance, too
    """

    runs: Runs
    asked: Sequence[str]
    count: int = 0
    tightest: bool = True

    def _make(self, what: str, changes: Fields | None = None, **options: Any) -> Made:
        self.count += 1
        return self.runs.make(what, changes, **options)

    @cached_property
    def base(self) -> Made:
        """The run with the settings that were given."""
        return self._make("the run")

    @cached_property
    def fine(self) -> Made:
        """The run with a tenth of the tolerance."""
        return self._make("a tenth of the tolerance", tighter=TIGHTER)

    @cached_property
    def other(self) -> Made:
        """The run by another method with a far smaller tolerance, or by its own."""
        method = another_method(self.runs, self.base)
        name = type(method).__name__
        tighter = EXPLICIT if method.stability_limit else TIGHTEST
        what = f"{name} and 1/{tighter:g} of it"
        found = self._make(what, tighter=tighter, integrator=method)
        if found.failed:
            why = found.reason.removeprefix(f"{name}: ")
            what = f"the same method and 1/{TIGHTEST:g} of it ({name}: {why})"
            found = self._make(what, tighter=TIGHTEST)
        return found

    @cached_property
    def formulation(self) -> Made:
        """The run in other coordinates."""
        usual = isinstance(self.runs.options.coordinates, JointCoordinates)
        other: Formulation = Absolute() if usual else JointCoordinates()
        return self._make(f"{type(other).__name__} coordinates", formulation=other)

    @cached_property
    def modes(self) -> Ladder:
        """More modes of all bodies."""
        first, unknown = refined(self.runs, lambda body: more_modes(body, 2))
        whole = all(fields == {"modes": "all"} for fields in first.values())
        runs = [self._make("more modes", first, **self._refining)] if first else []
        if first and not whole:
            second, _ = refined(self.runs, lambda body: more_modes(body, 4))
            runs.append(self._make("still more modes", second, **self._refining))
        return Ladder(tuple(runs), tuple(first), whole, tuple(unknown))

    @cached_property
    def mesh(self) -> Ladder:
        """Finer meshes of all bodies, but for those that are given."""
        given = self.given_meshes
        first, unknown = refined(
            self.runs, lambda body: {} if body.name in given else finer_mesh(body, 2)
        )
        runs: list[Made] = []
        if first:
            second, _ = refined(
                self.runs, lambda body: {} if body.name in given else finer_mesh(body, 4)
            )
            runs = [
                self._make("twice the elements", first, **self._refining),
                self._make("four times the elements", second, **self._refining),
            ]
        return Ladder(tuple(runs), tuple(first), False, tuple(unknown))

    @cached_property
    def given_meshes(self) -> dict[str, float]:
        """Parts of their deflections that meshes get wrong, by name of bodies with a given one."""
        return mesh_errors(self.runs.bodies(), self.base)

    @cached_property
    def rigid_meshes(self) -> Made:
        """The bodies with a given mesh, rigid."""
        bodies = self.runs.bodies()
        return self._make("rigid bodies", {n: bodies[n].rigid_fields() for n in self.given_meshes})

    @property
    def _refining(self) -> dict[str, Any]:
        """Options of runs of refined models: not by explicit methods, whose steps become too short.

        Tolerances stay: what a smaller one changes is known by then.
        """
        explicit = self.runs.options.method.stability_limit > 0.0
        method: Integrator | None = Radau() if explicit else None
        return {"integrator": method}

    @cached_property
    def beyond(self) -> tuple[Fields, tuple[str, ...]]:
        """Bodies as a theory of larger deflections, and of shear, has them.

        And names of those without a theory of larger deflections.
        """
        changes: Fields = {}
        without = []
        for name, body in self.runs.bodies().items():
            larger, sheared = beyond_linear(body), with_shear(body)
            if larger is None or not self._possible(name, larger):
                without.append(name)
                larger = {}
            fields = larger | sheared
            if sheared and not self._possible(name, fields):
                fields = larger
            if fields:
                changes[name] = fields
        return changes, tuple(without)

    def _possible(self, name: str, fields: dict[str, Any]) -> bool:
        """True if a body takes these fields: matrices of another program know no stiffening."""
        try:
            with without_warnings():
                self.runs.varied({name: fields})
        except ModelError:
            return False
        return True

    @property
    def sheared(self) -> bool:
        """True if a body has a theory of shear in the run that is compared with."""
        return any("theory" in fields or "members" in fields for fields in self.beyond[0].values())

    @cached_property
    def stiffened(self) -> Made:
        """Bodies as a theory of larger deflections, and of shear, has them."""
        changes, _ = self.beyond
        words = sorted({word for fields in changes.values() for word in _words(fields)})
        return self._make(" and ".join(words), changes, **self._refining)

    @cached_property
    def rigid(self) -> Made:
        """The bodies without another theory, rigid."""
        bodies = self.runs.bodies()
        changes = {name: bodies[name].rigid_fields() for name in self.beyond[1]}
        return self._make("rigid bodies", changes)

    @cached_property
    def finest(self) -> Made:
        """Everything refined together."""
        changes: Fields = dict(self.beyond[0]) if "validity" in self.asked else {}
        steps: list[Callable[[Body], dict[str, Any]]] = []
        if "mesh" in self.asked:
            steps.append(lambda body: finer_mesh(body, 2))
        if "modes" in self.asked:
            steps.append(lambda body: more_modes(body, 2))
        for step in steps:  # of bodies as the steps before have made them
            finer = replace(self.runs, model=self.runs.varied(changes))
            for name, fields in refined(finer, step)[0].items():
                changes[name] = changes.get(name, {}) | fields
        tighter = TIGHTER if self.tightest else 1.0
        options = self._refining | {"tighter": tighter, "denser": DENSER}
        return self._make("everything finer", changes, **options)


def _words(fields: dict[str, Any]) -> Iterator[str]:
    if "parts" in fields:
        yield "parts"
    elif "stiffening" in fields:
        yield "stiffening of second order"
    if "theory" in fields or "members" in fields:
        yield "shear of sections"


def mesh_errors(bodies: Mapping[str, Any], made: Made) -> dict[str, float]:
    """Parts of their deflections that the meshes of bodies get wrong, where these are given."""
    found = {}
    seen = {} if made.result is None else made.result.monitor.bodies
    for name, body in bodies.items():
        part = abs(seen[name].mesh_error) if name in seen else np.nan
        if np.isfinite(part) and part < 1.0 and _given(body):
            found[name] = float(part)
    return found


def _given(body: Any) -> bool:
    try:
        finer_mesh(body, 2)
    except ModelError:
        return True
    return False
