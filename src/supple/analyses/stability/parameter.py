"""Parameter: a model and its state of rest or uniform rotation for each value of something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from supple.analyses.base.arguments import starting_state
from supple.analyses.equilibrium.balance import AtRest, Equilibrium, Spin, check_spin
from supple.analyses.equilibrium.continuation import Loaded, Loading
from supple.analyses.equilibrium.equilibrium import Search
from supple.analyses.equilibrium.static_result import StaticResult, static_result
from supple.analyses.linear.finer_models import carried
from supple.analyses.linear.linear_model import LinearModel
from supple.analyses.linear.linearize import linear_model, with_monitor
from supple.engine.base.compiled import Compiled
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, SimulationError
from supple.foundation.frames import System
from supple.joints import Joint
from supple.loops.assembly import compile_model
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from supple.model import Model

Over: TypeAlias = "str | Joint | Callable[[float], Model]"
EXPECTED = (
    "a joint, 'loads', 'gravity', a force or driver, a field such as 'spring.stiffness', or a "
    "function that makes a model"
)
FREQUENCIES = ("frequency", "frequencies")  # findings about frequencies that are too high
JUMP = 0.2  # rad or lengths of the model: states of two values that are farther apart
CLOSEST = 1e-6  # part of the distance of two values: two states that are still far apart are others


@dataclass(frozen=True)
class Followed:
    """The state at a value."""

    value: float
    model: Model
    search: Search[AtRest]
    turning: Spin | None
    found: Equilibrium

    @cached_property
    def linear(self) -> LinearModel:
        """Small motion about it."""
        state = State(self.search.rest.t, self.found.q, self.found.u, self.found.z)
        effort = None if self.turning is None else self.found.drive
        return linear_model(self.search.equations, state, self.model, effort=effort)

    @cached_property
    def judged(self) -> LinearModel:
        """Small motion with what the monitor finds, frequencies included."""
        return with_monitor(self.search.equations, self.linear)

    @cached_property
    def result(self) -> StaticResult:
        """The state as a result, with a sentence about it."""
        return static_result(self.model, self.search.rest, self.found, self.turning)

    def doubts(self) -> list[str]:
        """Serious findings about flexible bodies, and all about their lowest frequencies."""
        if not self.search.compiled.deforming:
            return []
        findings = self.judged.monitor.findings
        return [f.sentence for f in findings if f.serious or f.what in FREQUENCIES]


class Parameter:
    """Models, and rates of their uniform rotation, by a value.

    Attributes
    ----------
    words : what the values are of
    """

    def __init__(
        self,
        owner: str,
        model: Model,
        over: Any,
        spin: Mapping[Any, float] | None,
        t: float,
        formulation: Formulation,
    ) -> None:
        model = formulation.written(model)
        self.owner, self.model, self.t, self.formulation = owner, model, t, formulation
        if spin is not None:
            check_spin(owner, spin)
        self.rates, self.joint, self.over = dict(spin or {}), None, over
        self.loading: Loading | None = None
        self.loaded: Loaded | None = None
        name = over.name if isinstance(over, Joint) else over
        self.words = name if isinstance(name, str) else "value"
        if isinstance(name, str) and name in model.joints:
            self.joint = name
        elif isinstance(name, str) and not ("." in name and name not in model.forces):
            self.loading = Loading(owner, model, t, name, spin, "over", EXPECTED)
            self.loaded = Loaded(owner, self.loading, formulation)
        elif not isinstance(name, str) and not callable(over):
            raise ModelError(owner, "over", over, EXPECTED)

    def first(self, value: float, start: State | Result | None) -> Followed:
        """The state of the first value, as `statics` finds it."""
        model, search, turning = self._prepared(value)
        state = starting_state(self.owner, start, search.compiled)
        rest = search.run(state.q, state.z)
        here = Followed(value, model, search, turning, rest)
        if not here.result.success:
            raise SimulationError(
                f"{self.owner}: there is no state at the first value {value:g} to begin with: "
                f"{here.result.message}"
            )
        return here

    def follow(self, a: Followed, value: float) -> tuple[Followed | None, Followed]:
        """The state at a value, found from that at another, or None; and the last on the way."""
        goals, whole = [value], abs(value - a.value)
        while goals:
            b = self._near(a, goals[-1])
            if b is not None:
                a = b
                goals.pop()
                continue
            if abs(goals[-1] - a.value) <= CLOSEST * whole:
                return None, a
            goals.append(0.5 * (a.value + goals[-1]))
        return a, a

    def _near(self, a: Followed, value: float) -> Followed | None:
        model, search, turning = self._prepared(value)
        q, z = a.found.q, a.found.z
        if len(q) != search.compiled.nq or len(z) != search.compiled.nz:
            raise ModelError(self.owner, "over", value, "models with the same joints and bodies")
        rest = search.near(q, z)
        d = search.equations.increment(q, rest.q) / search.compiled.scale
        near = not np.max(np.abs(d), initial=0.0) > JUMP
        return Followed(value, model, search, turning, rest) if rest.found and near else None

    def another(self, here: Followed, model: Model) -> Followed | None:
        """The state of another model with the same joints near a state; None if there is none."""
        equations = Equations(self._tree(model))
        rates = self._made(here.value)[1]
        turning = Spin(model, equations, self.t, rates, self.owner) if rates else None
        search = Search(AtRest(equations, self.t, turning))
        q = carried(here.search.compiled, here.found.q, equations.compiled)
        rest = search.run(q, here.found.z)
        return Followed(here.value, model, search, turning, rest) if rest.found else None

    def _prepared(self, value: float) -> tuple[Model, Search[AtRest], Spin | None]:
        """The model of a value, ready for a search."""
        model, rates = self._made(value)
        equations = Equations(self._compiled(model, value))
        turning = Spin(model, equations, self.t, rates, self.owner) if rates else None
        return model, Search(AtRest(equations, self.t, turning)), turning

    def _compiled(self, model: Model, value: float) -> Compiled:
        if self.loaded is not None:
            return self.loaded.under(value)
        return self._same if model is self.model else self._tree(model)

    @cached_property
    def _same(self) -> Compiled:
        """The model itself, of which only rates change."""
        return self._tree(self.model)

    def _tree(self, model: Model) -> Compiled:
        return compile_model(model, (), self.formulation.tree(model), self.t)

    def _made(self, value: float) -> tuple[Model, dict[Any, float]]:
        rates = dict(self.rates)
        if self.joint is not None:
            return self.model, {**rates, self.joint: value}
        if self.loading is not None:
            return self.loading.under(value), self.loading.spun(value) or {}
        if isinstance(self.over, str):
            model = self.model.copy()
            model.replace(self.over, value)
            return model, rates
        made: Any = self.over(value)
        if not isinstance(made, System):
            raise ModelError(self.owner, f"over({value:g})", made, "a Model")
        return self.formulation.written(cast("Model", made)), rates
