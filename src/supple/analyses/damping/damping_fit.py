"""fit_damping: damping of flexible bodies with which the modes of a model have given ratios.

How factors are fitted is in `mode_fit`. Here is what may damp bodies: ratios of their own modes,
or parts of stiffness and mass.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from supple.analyses.base.arguments import expect
from supple.analyses.damping.damping_result import OFF, DampingFit
from supple.analyses.damping.mode_fit import Asked, ModeFit, Term
from supple.analyses.kinematics.taken_as_rigid import deforming
from supple.analyses.linear.linearize import linearize
from supple.analyses.modes.linear_model import LinearModel
from supple.bodies.base.elastic import takes_damping
from supple.fem.base.damping import Damping, ModalDamping, Rayleigh, own_modes
from supple.formulations.base import Formulation
from supple.foundation import validate
from supple.foundation.errors import (
    ModelError,
    SimulationError,
    SuppleWarning,
    suggestion,
    warn_caller,
)
from supple.foundation.poses import Array
from supple.model import Model
from supple.results.result import Result
from supple.state import State

OWNER = "fit_damping"
KINDS = ("modal", "rayleigh")


def fit_damping(
    model: Model,
    ratios: float | Sequence[float],
    *,
    frequencies: Sequence[float] | None = None,
    kind: Literal["modal", "rayleigh"] = "modal",
    bodies: Sequence[str] | None = None,
    at: State | Result | Literal["initial"] | None = None,
    formulation: Formulation | None = None,
) -> DampingFit:
    """Find damping of the flexible bodies with which the model's own modes have given ratios.

    Parameters
    ----------
    ratios : number or sequence of numbers
        Parts of critical damping: one for all modes of the model, or one for each of the lowest
        elastic ones; the last holds for those above.
    frequencies : Hz, optional
        Where the ratios hold; between two of them they change linearly.
    kind : "modal" or "rayleigh"
        "modal": each body gets a `ModalDamping`, bodies in parts and over nodal vectors get a
        `Rayleigh` of stiffness. "rayleigh": all bodies get the same `Rayleigh`.
    bodies : names, optional
        The bodies that are damped; by default all flexible ones. Others keep what they have.
    at, formulation : as for `linearize`
        The state whose modes count, at rest: by default the equilibrium.

    What bodies, dampers and controllers do besides counts. Modes that are held by springs for more
    than a half are not asked. ``fit.model`` is a copy of the model with the damping; print ``fit``
    for the ratios that result, beside those that were asked. It warns where one is off by more than
    a fifth.
    """
    expect(OWNER, "model", model, Model, "a Model")
    validate.choice(OWNER, "kind", kind, KINDS)
    asked = Asked(OWNER, ratios, frequencies)
    plain = model.copy()
    damped = _damped(plain, bodies)
    for name in damped:
        plain.replace(name, damping=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        linear = linearize(plain, at, formulation=formulation)
        if np.any(linear.state.u != 0.0):
            raise SimulationError(f"{OWNER}: the model moves in the state, expected one at rest")
        terms, strain = _terms(plain, damped, linear, kind, formulation)
    found = ModeFit(linear, terms, strain, asked, kind == "rayleigh")
    factors = found.run()
    dampings = {name: _made(name, terms, factors) for name in damped}
    for name, made in dampings.items():
        plain.replace(name, damping=made)
    fit = DampingFit(plain, dampings, found.modes(factors))
    if fit.worst is not None and abs(fit.worst.off) > OFF:
        warn_caller(f"{OWNER}: {fit.worst.sentence}")
    return fit


def _made(name: str, terms: Sequence[Term], factors: Array) -> Damping:
    """The damping of a body with the factors of its terms."""
    own = {t.part: float(x) for t, x in zip(terms, factors, strict=True) if t.body == name}
    if "stiffness" in own:
        return Rayleigh(own["stiffness"], own.get("mass", 0.0))
    return ModalDamping([own[k] for k in sorted(own)], of="body")


def _damped(model: Model, given: Any) -> list[str]:
    """Names of the bodies whose damping is fitted."""
    able = [body.name for body in deforming(model) if takes_damping(body)]
    if given is None:
        if not able:
            raise ModelError(OWNER, "model", "one without flexible bodies", "one with some")
        return able
    expected = "names of flexible bodies"
    listed = [given] if isinstance(given, str) else given
    chosen = list(validate.listed(OWNER, "bodies", listed, expected))
    for name in chosen:
        if not isinstance(name, str) or name not in able:
            raise ModelError(OWNER, "bodies", name, f"flexible bodies; {suggestion(name, able)}")
    if not chosen:
        raise ModelError(OWNER, "bodies", given, expected)
    return chosen


def _terms(
    model: Model,
    damped: list[str],
    linear: LinearModel,
    kind: str,
    formulation: Formulation | None,
) -> tuple[list[Term], Array]:
    """Terms that may damp the bodies, and the stiffness (n, n) of their strain."""
    compiled = linear.state.compiled
    assert compiled is not None
    terms, strain = [], np.zeros_like(linear.K)
    for name in damped:
        record = compiled.flexible.get(name)
        if record is not None:
            own, rows = record.modal, linear.N[record.u]
            strain += rows.T @ own.K @ rows
            if kind == "modal":
                units: list[Any] = [ModalDamping([0.0] * i + [1.0, 0.0]) for i in range(own.n)]
            else:
                units = [Rayleigh(stiffness=1.0), Rayleigh(mass=1.0)]
            words: Sequence[str | int] = range(own.n) if kind == "modal" else ("stiffness", "mass")
            times = [1.0, np.nan]
            if kind == "modal":
                times = list(2.0 / np.sqrt(np.maximum(own_modes(own.M, own.K)[0], 1e-300)))
            for word, unit, time in zip(words, units, times, strict=True):
                terms.append(Term(name, word, rows.T @ unit.matrix(own.M, own.K) @ rows, time))
            continue
        other = model.copy()
        other.replace(name, damping=Rayleigh(stiffness=1.0))
        matrix = linearize(other, linear.state, formulation=formulation).C - linear.C
        strain += matrix
        terms.append(Term(name, "stiffness", matrix, 1.0))
    return terms, 0.5 * (strain + strain.T)
