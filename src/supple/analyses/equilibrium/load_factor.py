"""Loads that grow together with one factor, and the model under its loads times a factor."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from supple.analyses.equilibrium.balance import AtRest
from supple.analyses.equilibrium.equilibrium import Search
from supple.analyses.equilibrium.spin import Spin, check_spin
from supple.engine.pack.builder import Compiled
from supple.forces import DistributedLoad, Force, JointEffort, Pressure, SurfaceLoad
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.foundation.errors import ModelError, suggestion
from supple.loops.assembly import compile_model
from supple.model import Model
from supple.signals import Constant, Signal

UNIT = 2.0**-20  # a small load factor, so that drivers that grow begin near their beginning
LOADS, GRAVITY, SPIN = "loads", "gravity", "spin"
APPLIED = (Force, DistributedLoad, SurfaceLoad, Pressure, JointEffort)
EXPECTED = (
    "'loads' (all of them), 'gravity', 'spin', or names of forces, efforts and drivers that are "
    "not zero"
)


class Loading:
    """The loads of a model that a factor multiplies, while all signals stand still.

    Attributes
    ----------
    names : forces, efforts, controllers and constraints whose signals grow
    gravity, spin : whether these grow, too
    """

    def __init__(
        self,
        owner: str,
        model: Model,
        t: float,
        given: str | Sequence[str],
        spin: Mapping[Any, float] | None = None,
        field: str = "follow",
        expected: str = EXPECTED,
    ) -> None:
        if spin is not None:
            check_spin(owner, spin)
        self.model, self.t, self.rates = model, t, spin
        wanted = (given,) if isinstance(given, str) else given
        known = _with_signals(model)
        if not isinstance(wanted, Sequence) or not wanted:
            raise ModelError(owner, field, given, expected)
        names: dict[str, None] = {}
        self.gravity = self.spin = False
        for each in wanted:
            name = getattr(each, "name", each)
            if name == LOADS:
                names |= {n: None for n, f in model.forces.items() if isinstance(f, APPLIED)}
                self.gravity = True
            elif name == GRAVITY:
                self.gravity = True
            elif name == SPIN and spin is not None:
                self.spin = True
            elif isinstance(name, str) and name in known:
                names[name] = None
            else:
                hint = suggestion(name, [LOADS, GRAVITY, *known])
                raise ModelError(owner, field, name, f"{expected}; {hint}")
        self.names = tuple(names)
        pull = self.gravity and bool(np.any(model.gravity != 0.0))
        acts = any(s(t) != 0.0 for n in names for s in known[n])
        if not (pull or acts or self.spin):
            raise ModelError(owner, field, given, expected)

    def under(self, factor: float) -> Model:
        """The model with its loads times a factor and all signals at rest."""
        model = self.model.copy()
        for name in _with_signals(self.model):
            times = factor if name in self.names else 1.0
            model.replace(name, **_signals(self.model[name], self.t, times))
        if self.gravity:
            model.gravity = factor * self.model.gravity
        return model

    def spun(self, factor: float) -> dict[Any, float] | None:
        """Rates of the rotation at a factor."""
        if self.rates is None:
            return None
        times = factor if self.spin else 1.0
        return {key: times * rate for key, rate in self.rates.items()}


class Loaded:
    """Loads and stiffness of a model at rest under its loads times a factor.

    Loads are numbers of the compiled model, all proportional to the factor: two compiled models
    show which.
    """

    def __init__(self, owner: str, loading: Loading, formulation: Formulation) -> None:
        self.loading, t = loading, loading.t
        small = [loading.under(factor) for factor in (UNIT, 2.0 * UNIT)]
        first, second = (compile_model(m, (), formulation.tree(m), t) for m in small)
        self._grown = np.flatnonzero(second.reals != first.reals)
        self._slope = (second.reals[self._grown] - first.reals[self._grown]) / UNIT
        self.compiled = dataclasses.replace(first, reals=first.reals.copy())
        self.equations = Equations(self.compiled)
        self.equations.accelerate(t, first.q0, 0.0 * first.u0)  # a massless joint is its fault
        rates = loading.rates
        self.turning = None if rates is None else Spin(small[0], self.equations, t, rates, owner)
        self._rates = None if self.turning is None else self.turning.rates
        self.rest = AtRest(self.equations, t, self.turning)
        self.search = Search(self.rest)

    def under(self, factor: float) -> Compiled:
        """The compiled model with the loads of a factor, for good."""
        reals, gravity = self.compiled.reals.copy(), self.compiled.gravity
        reals[self._grown] = factor * self._slope
        if self.loading.gravity:
            gravity = factor * self.loading.model.gravity
        return dataclasses.replace(self.compiled, reals=reals, gravity=gravity)

    def set(self, factor: float) -> None:
        """Let the loads be those of a factor."""
        self.compiled.reals[self._grown] = factor * self._slope
        if self.loading.spin and self.turning is not None and self._rates is not None:
            self.turning.rates = factor * self._rates


def _with_signals(model: Model) -> dict[str, tuple[Signal, ...]]:
    """Items of a model that have signals, with these."""
    items = [*model.forces.values(), *model.constraints.values()]
    found = {item.name: tuple(s for _, s in _fields(item)) for item in items}
    return {name: signals for name, signals in found.items() if signals}


def _fields(item: Any) -> list[tuple[str, Signal]]:
    out = []
    for field in dataclasses.fields(item):
        value = getattr(item, field.name)
        each = value if isinstance(value, tuple) else (value,)
        out += [(field.name, s) for s in each if isinstance(s, Signal)]
    return out


def _signals(item: Any, t: float, factor: float) -> dict[str, Any]:
    """Signals of an item by field, at rest at a factor of their values at the time t."""
    out: dict[str, Any] = {}
    for name in {name for name, _ in _fields(item)}:
        value = getattr(item, name)
        many = isinstance(value, tuple)
        new = tuple(Constant(factor * float(s(t))) for s in (value if many else (value,)))
        out[name] = new if many else new[0]
    return out
