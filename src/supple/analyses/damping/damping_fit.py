"""fit_damping: damping of flexible bodies with which the modes of a model have given ratios.

Bodies may be damped by ratios of their own modes, or by parts of stiffness and mass: factors of
damping matrices. Ratios are linear in the factors x, to first order: with undamped modes y of unit
modal mass

    ratio_k = y_k . (C_0 + sum_p x_p C_p) y_k / (2 w_k)

C_0 is what dampers, controllers and other bodies do already, C_p what a factor of 1 does. Factors
that are not negative are fitted to the asked ratios in parts of these, and again to what the
eigenvalues then are.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from supple.analyses.base.arguments import expect
from supple.analyses.kinematics.kinematics import deforming
from supple.analyses.linear.energy_shares import moves_most
from supple.analyses.linear.linear_model import LinearModel
from supple.analyses.linear.linearize import linearize
from supple.analyses.linear.mode import Mode
from supple.bodies.base.flexible import takes_damping
from supple.fem.base.damping import Damping, ModalDamping, Rayleigh, own_modes
from supple.formulations.base import Formulation
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.errors import (
    ModelError,
    SimulationError,
    SuppleWarning,
    suggestion,
    warn_caller,
)
from supple.foundation.frames import System
from supple.foundation.reports import Report
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from supple.model import Model

OWNER = "fit_damping"
KINDS = ("modal", "rayleigh")
OWN = 0.5  # part of the potential energy of a mode that is strain of bodies, if it counts
LOWEST, SEVERAL = 2, 6  # factors that are few; elastic modes for more of them if none are named
ANOTHER = 1.5  # times the lowest frequency: that of a mode that tells two factors apart
BESIDE = 1e-3  # weight of modes that are not asked, beside those that are
NEAR = 1e-3  # weight of factors that are usual, beside that of the asked ratios
WIDE = 4.0  # how many times what is usual a factor may be
TINY = 1e-300
PASSES = 5
ROUNDING = 1e-12  # part of the largest square of a frequency
OFF = 0.2  # part of what was asked for
SHOWN = 20  # modes in a table


@dataclass(frozen=True)
class DampedMode:
    """A mode of the model with its damping."""

    frequency: float  # Hz, without damping
    # asked, ratio: parts of critical damping, asked and what results; NaN if nothing was asked
    asked: float
    ratio: float
    strain: float  # part of its potential energy that is strain of the bodies that are damped
    moves: str  # the coordinate that moves most

    @property
    def off(self) -> float:
        """Relative deviation of the damping ratio from what was asked; NaN if nothing was."""
        if self.asked == 0.0:
            return 0.0 if self.ratio < 1e-9 else np.inf
        return self.ratio / self.asked - 1.0

    @property
    def sentence(self) -> str:
        """Sentence about its difference."""
        by = "more" if self.off > 0.0 else "less"
        size = f"{abs(self.off):.0%} {by}" if np.isfinite(self.off) else by
        return (
            f"the mode at {self.frequency:.4g} Hz ({self.moves}) gets {100 * self.ratio:.3g} % of "
            f"critical damping instead of {100 * self.asked:.3g} %, {size}: kind='modal', ratios "
            "at fewer frequencies, or less damping of what else acts in it"
        )


@dataclass(frozen=True, eq=False)
class DampingFit:
    """Damping of flexible bodies, fitted to ratios of the model's modes.

    Attributes
    ----------
    model : a copy of the model with this damping
    damping : `ModalDamping` or `Rayleigh` by the name of the body
    modes : those of the model that oscillate, with what was asked and what results
    """

    model: Model
    damping: dict[str, Damping]
    modes: tuple[DampedMode, ...]

    @property
    def worst(self) -> DampedMode | None:
        """The mode that is farthest from what was asked; None if nothing was."""
        asked = [mode for mode in self.modes if not np.isnan(mode.asked)]
        return max(asked, key=lambda mode: abs(mode.off), default=None)

    def __str__(self) -> str:
        return self._report.text(12)

    def _repr_html_(self) -> str:
        """Return the report as an HTML table, for notebooks."""
        return self._report.html()

    @property
    def _report(self) -> Report:
        rows = [(name, _words(made)) for name, made in self.damping.items()]
        for mode in self.modes[:SHOWN]:
            asked = "not asked" if np.isnan(mode.asked) else f"asked {100 * mode.asked:.4g} %"
            told = f"damping {100 * mode.ratio:.4g} %, {asked}; {mode.strain:.0%} strain"
            rows.append((f"{mode.frequency:.4g} Hz", f"{told}; {mode.moves}"))
        if len(self.modes) > SHOWN:
            rows.append(("...", f"{len(self.modes)} modes in all"))
        good = self.worst is None or abs(self.worst.off) <= OFF
        title = f"Damping of model '{self.model.name}', fitted to its modes"
        return Report(title, rows, "good" if good else "bad")

    __repr__ = __str__


def _words(made: Damping) -> str:
    if isinstance(made, ModalDamping):
        shown = ", ".join(f"{100 * ratio:.4g}" for ratio in made.ratios[:8])
        return f"ModalDamping, {shown}{', ...' if len(made.ratios) > 8 else ''} % of its own modes"
    stiffness, mass = getattr(made, "stiffness", 0.0), getattr(made, "mass", 0.0)
    return f"Rayleigh(stiffness={stiffness:.6g} s, mass={mass:.6g} 1/s)"


@dataclass(frozen=True)
class Term:
    """Damping matrix (n, n) for a factor of 1, in the coordinates of the linear model.

    ``part`` is "stiffness", "mass" or the number of a mode of the body. ``time`` (s) is what a
    factor of 1 multiplies the stiffness of the strain by that it damps; NaN if it is none.
    """

    body: str
    part: str | int
    matrix: Array
    time: float


class Asked:
    """Ratios by the number of an elastic mode, or by its frequency."""

    def __init__(self, owner: str, ratios: Any, frequencies: Any) -> None:
        expected = "a number or numbers that are zero or positive"
        self.ratios = np.atleast_1d(validate.array(owner, "ratios", ratios, expected))
        if self.ratios.ndim != 1 or not self.ratios.size or self.ratios.min() < 0.0:
            raise ModelError(owner, "ratios", ratios, expected)
        self.owner = owner
        self.frequencies: Array | None = None
        if frequencies is None:
            return
        expected = "positive numbers in Hz that increase, as many as ratios, or any with one ratio"
        hertz = np.atleast_1d(validate.array(owner, "frequencies", frequencies, expected))
        fits = len(self.ratios) in (1, len(hertz))
        ordered = hertz.ndim == 1 and hertz.size and np.all(np.diff(hertz, prepend=0.0) > 0.0)
        if not fits or not ordered:
            raise ModelError(owner, "frequencies", frequencies, expected)
        self.frequencies = hertz
        self.ratios = np.broadcast_to(self.ratios, hertz.shape)

    @property
    def all_alike(self) -> bool:
        """True if one ratio is asked of all modes."""
        return self.frequencies is None and len(self.ratios) == 1

    def of(self, frequencies: Array) -> Array:
        """Ratios (k,) of elastic modes with ascending frequencies (k,), Hz."""
        if self.frequencies is None:
            places = np.minimum(np.arange(len(frequencies)), len(self.ratios) - 1)
            return np.asarray(self.ratios[places])
        return np.interp(frequencies, self.frequencies, self.ratios)

    def counts(self, frequencies: Array, few: bool) -> np.ndarray:
        """True for modes (k,) that must have their ratios; of ``few`` factors the lowest."""
        if self.frequencies is not None:
            chosen = (frequencies >= self.frequencies[0]) & (frequencies <= self.frequencies[-1])
            for f in self.frequencies:
                chosen[np.argmin(np.abs(frequencies - f))] = True
            return np.asarray(chosen)
        most = len(self.ratios) if len(self.ratios) > 1 else SEVERAL
        if few and len(self.ratios) == 1:
            most = 1 + int(np.argmax(frequencies > ANOTHER * frequencies[0]))
        return np.asarray(np.arange(len(frequencies)) < most)


class ModeFit:
    """Ratios of the modes of a linear model by factors of some terms.

    ``strain`` (n, n) is the stiffness of the strain of the bodies that are damped; ``shared`` says
    that all terms of one part have the same factor.
    """

    def __init__(
        self, linear: LinearModel, terms: Sequence[Term], strain: Array, asked: Asked, shared: bool
    ) -> None:
        self.linear, self.terms, self.asked = linear, terms, asked
        parts = list(dict.fromkeys(t.part for t in terms)) if shared else range(len(terms))
        every = [(t.part if shared else k) for k, t in enumerate(terms)]
        self.group = np.array([[float(e == p) for p in parts] for e in every])  # (terms, factors)
        still = replace(linear, C=np.zeros_like(linear.C), F=0.0 * linear.F, V=0.0 * linear.V)
        squares, shapes = still._squares()
        real = squares > ROUNDING * float(np.max(squares, initial=0.0))
        Y = shapes[:, real]
        Y = Y / np.sqrt(np.einsum("ik,ij,jk->k", Y, linear.M, Y))
        order = np.argsort(squares[real])
        self.Y, self.w = Y[:, order], np.sqrt(squares[real][order])
        self.strain = np.einsum("ik,ij,jk->k", self.Y, strain, self.Y) / self.w**2
        self.elastic = np.flatnonzero(self.strain >= OWN)
        if not len(self.elastic):
            raise SimulationError(
                f"{asked.owner}: no mode of the model is one of its flexible bodies: none has half "
                "of its potential energy as strain, expected bodies that vibrate"
            )
        f = self.w[self.elastic] / (2.0 * np.pi)
        self.wanted = asked.of(f)
        self.counts = asked.counts(f, shared)

    @cached_property
    def slopes(self) -> Array:
        """Ratios (k, factors) of the elastic modes for each factor of 1."""
        Y, w = self.Y[:, self.elastic], self.w[self.elastic]
        own = [np.einsum("ik,ij,jk->k", Y, t.matrix, Y) / (2.0 * w) for t in self.terms]
        return np.asarray(np.stack(own, axis=1) @ self.group)

    def run(self) -> Array:
        """Factors (terms,) of the terms."""
        from scipy.optimize import lsq_linear

        Y, w = self.Y[:, self.elastic], self.w[self.elastic]
        already = np.einsum("ik,ij,jk->k", Y, self.linear.C, Y) / (2.0 * w)
        size = np.where(self.wanted > 0.0, self.wanted, np.max(self.wanted, initial=0.0) or 1.0)
        low = (w[0] / w) ** 2  # modes that are seen most
        weight = np.where(self.counts, low if self.asked.all_alike else 1.0, BESIDE * low) / size
        A, goal = self.slopes, self.wanted.copy()
        scale = np.maximum(np.linalg.norm(weight[:, None] * A, axis=0), 1e-300)
        x = np.zeros(A.shape[1])
        for _ in range(PASSES):
            usual, bounds = self._usual(np.maximum(goal - already, 0.0), w)
            rows = np.vstack([weight[:, None] * A / scale, NEAR * np.diag(bounds < np.inf)])
            sides = np.concatenate([weight * (goal - already), NEAR * usual * scale])
            limits = (
                np.where(bounds < np.inf, usual / bounds, 0.0),
                np.maximum(usual, TINY) * bounds,
            )
            x = lsq_linear(rows, sides, [limit * scale for limit in limits]).x / scale
            beyond = self._ratios(self.group @ x)[self.elastic] - already - A @ x
            if np.all(np.abs(goal + beyond - self.wanted)[self.counts] <= 1e-6 * size[self.counts]):
                break
            goal = self.wanted - beyond  # of first order, so that the eigenvalues are right
        return np.asarray(self.group @ x)

    def _usual(self, ratios: Array, w: Array) -> tuple[Array, Array]:
        """Factors that are usual for ratios (k,) of the elastic modes, and times them the bounds.

        Strain that a mode of frequency w stores is damped by the time 2 ratio / w; what stores
        energy in several of them by the mean, and not by many times that. Without a time a factor
        has no bound.
        """
        times = np.array([t.time for t in self.terms]) @ self.group / self.group.sum(axis=0)
        known = np.isfinite(times)
        share = np.maximum(self.slopes / w[:, None], 0.0)
        mean = (2.0 * ratios / w) @ share / np.maximum(share.sum(axis=0), TINY)
        bound = known & (self.group.shape[1] > LOWEST)
        return np.where(bound, mean / np.where(known, times, 1.0), 0.0), np.where(
            bound, WIDE, np.inf
        )

    def modes(self, factors: Array) -> tuple[DampedMode, ...]:
        """The modes with what was asked and what results."""
        ratios, shapes = self._ratios(factors), self._modes(factors)
        asked = np.full(len(self.w), np.nan)
        asked[self.elastic[self.counts]] = self.wanted[self.counts]
        return tuple(
            DampedMode(
                float(self.w[k] / (2.0 * np.pi)),
                float(asked[k]),
                float(ratios[k]),
                float(self.strain[k]),
                moves_most(shapes[k]),
            )
            for k in range(len(self.w))
        )

    def _ratios(self, factors: Array) -> Array:
        """Parts of critical damping (k,) of all modes, by the eigenvalues of the damped model."""
        return np.array([mode.damping for mode in self._modes(factors)])

    def _modes(self, factors: Array) -> list[Mode]:
        """The damped modes, each that whose shape and frequency are nearest to an undamped one."""
        C = self.linear.C + sum(x * t.matrix for x, t in zip(factors, self.terms, strict=True))
        modes = [m for m in replace(self.linear, C=C).modes if not m.rigid]
        shapes = np.array([m.shape[list(self.linear.places)] for m in modes])
        sizes = np.sqrt(np.einsum("ki,ij,kj->k", shapes.conj(), self.linear.M, shapes).real)
        alike = np.abs(shapes @ self.linear.M @ self.Y) / sizes[:, None]
        values = np.array([abs(m.eigenvalue) for m in modes])
        apart = np.abs(np.log(values[:, None] / self.w))
        return [modes[int(np.argmax(alike[:, k] - apart[:, k]))] for k in range(len(self.w))]


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
    expect(OWNER, "model", model, System, "a Model")
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
    fitted = ModeFit(linear, terms, strain, asked, kind == "rayleigh")
    factors = fitted.run()
    dampings = {name: _made(name, terms, factors) for name in damped}
    for name, made in dampings.items():
        plain.replace(name, damping=made)
    fit = DampingFit(plain, dampings, fitted.modes(factors))
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
    compiled = linear.compiled
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
