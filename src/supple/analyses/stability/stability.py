"""stability: where a state loses its stability as a speed, a load or another value grows.

At each value the state of rest or of uniform rotation is found near that of the value before, and
small motion about it is linearized in independent coordinates. A limit is where the largest real
part of the eigenvalues passes zero:

    flutter      a complex pair; root of its real part. Without damping two pairs meet on the
                 imaginary axis instead: root of the square of their distance.
    divergence   through zero; root of the stiffness that vanishes.
    limit point  the state ends: a stiffness vanishes with the root of the distance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import coordinates_of, expect, number
from supple.analyses.equilibrium.balance import one_way
from supple.analyses.linear.linear_model import LinearModel
from supple.analyses.linear.mode import Mode
from supple.analyses.stability.parameter import Followed, Over, Parameter
from supple.formulations.base import Formulation
from supple.foundation import validate
from supple.foundation.arrays import Array, Complex
from supple.foundation.atomic_files import save_figure
from supple.foundation.errors import ModelError, SimulationError, warn_caller
from supple.foundation.frames import System
from supple.foundation.progress import told
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.model import Model

# Of eigenvalues that meet: their rounding is 1e-8. Real parts grow with the root of the distance,
# so that this is 1e-14 in the value.
MEETING = 1e-7
OWNER = "stability"
LOCATED = 1e-12  # part of a value to which limits are located
NEAR = 1e-3  # part of the distance of two values within which eigenvalues are told apart
REAL = 1e-6  # imaginary part of an eigenvalue that is none
DAMPED = 1e-9  # real part, in parts of the eigenvalue, beyond rounding


def moving(linear: LinearModel) -> Complex:
    """Eigenvalues but zeros, which belong to motions that nothing holds."""
    values = linear.eigenvalues
    moving: Complex = values[values != 0.0]
    return moving


def growth(linear: LinearModel) -> float:
    """Largest real part of the eigenvalues, 1/s."""
    values = moving(linear)
    return float(np.max(values.real)) if len(values) else 0.0


def grows(linear: LinearModel) -> bool:
    """True if an eigenvalue has a positive real part beyond the rounding of two that meet."""
    values = moving(linear)
    return bool(np.any(values.real > MEETING * np.abs(values)))


def fastest(linear: LinearModel) -> complex:
    """The eigenvalue that grows fastest, with an imaginary part that is not negative."""
    values = moving(linear)
    value = complex(values[np.argmax(values.real)])
    return complex(value.real, abs(value.imag))


def apart(linear: LinearModel, frequency: float) -> float:
    """Square of half the distance of two eigenvalues that meet near a frequency, rad/s.

    Negative while both are on the imaginary axis, positive when they have left it: smooth.
    """
    values = moving(linear)
    order = np.argsort(np.abs(values - 1j * frequency))
    if len(order) < 2:
        return 0.0
    return float((((values[order[0]] - values[order[1]]) / 2.0) ** 2).real)


def nearest(linear: LinearModel, value: complex) -> complex:
    """The eigenvalue that is nearest to a number."""
    values = moving(linear)
    return complex(values[np.argmin(np.abs(values - value))])


def least_stiffness(linear: LinearModel) -> float:
    """A stiffness that passes zero where a motion loses it, in the units of increments."""
    K = linear.stiffness
    if not one_way(K):
        return float(np.linalg.eigvalsh(0.5 * (K + K.T))[0])
    left, values, right = np.linalg.svd(K)
    return float(values[-1] * np.linalg.det(left) * np.linalg.det(right))


def smallest_stiffness(linear: LinearModel) -> float:
    """The stiffness that is nearest to zero, in the units of increments."""
    return float(np.min(np.abs(np.linalg.eigvals(linear.stiffness)), initial=np.inf))


@dataclass(frozen=True)
class StabilityLimit:
    """A value at which a state becomes unstable, or stable again.

    Attributes
    ----------
    value : rad/s of a joint, load factor, or in the unit of the parameter
    kind : "flutter" (oscillations grow), "divergence" (it leaves without oscillating) or "limit
        point" (it ends: beyond the value there is no state near by). In coordinates that rotate, a
        whirl at the speed of the rotation does not oscillate.
    becomes : "unstable" or "stable", with a growing value
    eigenvalue : 1/s, of the motion at the limit
    linear : small motion at the limit, with its ``state``; of a limit point right before it
    """

    value: float
    kind: Literal["flutter", "divergence", "limit point"]
    becomes: Literal["unstable", "stable"]
    eigenvalue: complex
    linear: LinearModel

    @property
    def frequency(self) -> float:
        """Frequency of the motion, Hz; as seen in rotating coordinates if these rotate."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)

    @property
    def mode(self) -> Mode:
        """The mode whose eigenvalue is nearest."""
        return min(self.linear.modes, key=lambda m: abs(m.eigenvalue - self.eigenvalue))

    def __repr__(self) -> str:
        return f"<{self.kind} from {self.value:.9g} on, {self.frequency:.6g} Hz: {self.becomes}>"


@dataclass(frozen=True, eq=False)
class Stability:
    """Small motion about a state over a speed, a load or another value.

    Attributes
    ----------
    over : what the values are of
    values : (n,)
    linear : small motion at each value
    limits : where stability is lost or won between two of the values
    message : one sentence
    """

    over: str
    values: Array
    linear: tuple[LinearModel, ...]
    limits: tuple[StabilityLimit, ...]
    message: str

    @property
    def eigenvalues(self) -> tuple[Complex, ...]:
        """Eigenvalues at each value, 1/s, by ascending magnitude."""
        return tuple(linear.eigenvalues for linear in self.linear)

    @property
    def growth(self) -> Array:
        """Largest real part of the eigenvalues but zeros at each value (n,), 1/s."""
        return np.array([growth(linear) for linear in self.linear])

    @property
    def stable(self) -> np.ndarray:
        """True (n,) where no eigenvalue has a positive real part; undamped is stable."""
        return np.array([linear.stable for linear in self.linear], dtype=bool)

    @property
    def limit(self) -> float | None:
        """The first value at which the state becomes unstable; None if there is none.

        Beyond the last of ``values`` nothing is known.
        """
        lost = [limit.value for limit in self.limits if limit.becomes == "unstable"]
        return lost[0] if lost else None

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw real parts and frequencies of the eigenvalues over the values."""
        from supple.results.plot import COLOURS, blank_figure, dress

        figure, (top, bottom) = blank_figure(5.6, 2, 1, sharex=True)
        kept = [s[s.imag >= 0.0] for s in self.eigenvalues]
        at = np.concatenate([np.full(len(s), v) for v, s in zip(self.values, kept, strict=True)])
        every = np.concatenate(kept)
        for ax, y in ((top, every.real), (bottom, every.imag / (2.0 * np.pi))):
            ax.plot(at, y, ".", color=COLOURS[0], ms=4, label="eigenvalues")
            for k, limit in enumerate(self.limits):
                label = "limits" if k == 0 else "_limits"
                ax.axvline(limit.value, color=COLOURS[2], lw=1.0, ls=":", label=label)
        dress(top, y="growth (1/s)")
        dress(bottom, self.over, "frequency (Hz)")
        return save_figure(figure, path)

    def plot_campbell(
        self,
        orders: Sequence[float] = (1, 2, 3),
        path: str | Path | None = None,
        high: float | None = None,
    ) -> Figure:
        """Draw frequencies, up to ``high`` Hz, over a joint's rate: `stability.campbell`."""
        from supple.analyses.stability.campbell_diagram import draw

        return draw(self, orders, path, high)

    def __repr__(self) -> str:
        first, last = self.values[0], self.values[-1]
        lines = [f"Stability over {self.over} from {first:g} to {last:g}"]
        lines += [f"  {limit!r}" for limit in self.limits]
        return "\n".join([*lines, f"  message  {self.message}"])


def stability(
    model: Model,
    over: Over,
    values: ArrayLike,
    *,
    spin: Mapping[Any, float] | None = None,
    t: float = 0.0,
    start: State | Result | None = None,
    formulation: Formulation | None = None,
) -> Stability:
    """Find where a state of rest or of uniform rotation loses its stability.

    Parameters
    ----------
    over : str, joint or callable
        What the values are of: a joint (its rate in uniform rotation, rad/s), "loads", "gravity" or
        the name of a force, an effort or a driver (a load factor, see `statics`), a field such as
        "spring.stiffness", or a function that makes the model of a value.
    values : (n,) increasing
        Where small motion is computed. Limits are located between two neighbours of which one is
        stable and one is not, to 1e-10 of the value; a state that is lost and won again between
        two neighbours is not seen.
    spin : mapping, optional
        Constant rates of other joints, see `statics`.
    t : s
        When signals stand still.
    start : State or Result, optional
        Where the search for the first state begins.
    formulation : JointCoordinates, Absolute or Branch, optional
        The choice of coordinates; eigenvalues do not depend on it, but for axes that turn: those
        of a round rotor may be seen in its own axes or in those of its bearings.

    The first state is the equilibrium that `statics` finds. The others are followed from it, stable
    or not; where there is none near by, the analysis ends with a message. A rotation is kept by
    constant efforts, or at its rate if the joint has a `Driver`.
    """
    expect(OWNER, "model", model, System, "a Model")
    formulation = coordinates_of(OWNER, formulation)
    expected = "one or more increasing numbers"
    wanted = validate.array(OWNER, "values", values, expected)
    if wanted.ndim != 1 or not len(wanted) or np.any(np.diff(wanted) <= 0.0):
        raise ModelError(OWNER, "values", values, expected)
    parameter = Parameter(OWNER, model, over, spin, number(OWNER, "t", t), formulation)
    with told("stability: small motion is computed"):
        found, doubts = _Analysis(parameter, start).run(wanted)
    for doubt in doubts:
        warn_caller(doubt)
    return found


class _Analysis:
    """Small motion at values, and limits between them."""

    def __init__(self, parameter: Parameter, start: State | Result | None) -> None:
        self.parameter, self.start = parameter, start

    def run(self, values: Array) -> tuple[Stability, list[str]]:
        self.first, self.last = float(values[0]), float(values[-1])
        here = self.parameter.first(self.first, self.start)
        states, limits, problem = [here], [], ""
        for value in values[1:]:
            there, last = self.parameter.follow(here, float(value))
            if there is None:
                problem = (
                    f"the state ends near {self.parameter.words} = {last.value:.9g}: no "
                    "equilibrium is near by beyond it"
                )
                limits += self._turning(here, last, float(value))
                break
            if here.linear.stable != there.linear.stable:
                limits.append(self._limit(here, there))
            states.append(there)
            here = there
        growing = [x.value for x in limits if x.becomes == "unstable"]
        if not states[0].linear.stable:
            message = "unstable at the first value"
        elif growing:
            message = f"unstable from {growing[0]:.9g} on"
        else:
            message = "stable at all values"
        changing = max(states, key=lambda state: state.linear.periodic).linear.doubts(OWNER)
        problems = [problem, "by eigenvalues that hold for an instant only" if changing else ""]
        message = "; ".join([message, *(one for one in problems if one)])
        reached = np.array([s.value for s in states])
        linear = tuple(s.linear for s in states)
        doubts = [f"stability: {problem}"] if problem else []
        serious = (s for state in (states[0], states[-1]) for s in state.doubts())
        doubts += list(dict.fromkeys(serious))[:1]
        doubts += changing
        return Stability(self.parameter.words, reached, linear, tuple(limits), message), doubts

    def _limit(self, a: Followed, b: Followed) -> StabilityLimit:
        """The limit between two values of which one is stable."""
        becomes: Literal["unstable", "stable"] = "unstable" if a.linear.stable else "stable"
        width = NEAR * (b.value - a.value)
        near = self._halved(a, b, lambda s: s.linear.stable, width)
        # away from it again: at the limit itself rounding decides what is stable
        a, b = self._wider(*near, width)
        bad = b if a.linear.stable else a
        s = fastest(bad.linear)
        kind: Literal["flutter", "divergence"] = "flutter"
        if abs(s.imag) <= REAL * abs(s):
            kind = "divergence"
            spot = self._root(a, b, lambda x: least_stiffness(x.linear))
        else:
            spot = self._crossing(a, b) or self._root(a, b, lambda x: apart(x.linear, s.imag))
        if spot is None:  # several motions at once
            edge = LOCATED * max(abs(a.value), abs(b.value))
            a, b = self._halved(a, b, lambda x: not grows(x.linear), edge)
            spot = b if a.linear.stable or not grows(a.linear) else a
        there = 0j if kind == "divergence" else nearest(spot.linear, s)
        if kind == "flutter":
            size = float(np.median(np.abs(moving(spot.linear))))
            kind = kind if abs(there.imag) > REAL * size else "divergence"
        return StabilityLimit(spot.value, kind, becomes, there, spot.linear)

    def _turning(self, here: Followed, last: Followed, goal: float) -> list[StabilityLimit]:
        """The limit point at which a state ends, if it does so.

        A stiffness vanishes there with the root of the distance, so that its square leads to it.
        """
        whole = goal - here.value
        before, _ = self.parameter.follow(here, max(last.value - NEAR * whole, here.value))
        if before is None or not before.value < last.value:
            return []
        near, far = (smallest_stiffness(x.linear) ** 2 for x in (last, before))
        if not near < 0.1 * far:
            return []
        value = last.value + (last.value - before.value) * near / (far - near)
        return [StabilityLimit(value, "limit point", "unstable", 0j, last.linear)]

    def _wider(self, a: Followed, b: Followed, width: float) -> tuple[Followed, Followed]:
        """Two states around a and b, farther apart by a width on either side."""
        low, high = max(a.value - width, self.first), min(b.value + width, self.last)
        return self._between(a, low), self._between(b, high)

    def _between(self, a: Followed, value: float) -> Followed:
        state, last = self.parameter.follow(a, value)
        if state is None:
            raise SimulationError(
                f"stability: the state ends near {self.parameter.words} = {last.value:.9g}, "
                "between a value at which it is stable and one at which it is not"
            )
        return state

    def _halved(
        self, a: Followed, b: Followed, held: Callable[[Followed], bool], width: float
    ) -> tuple[Followed, Followed]:
        """Halve the distance of two states of which one is held until it is small."""
        first = held(a)
        while b.value - a.value > width:
            middle = 0.5 * (a.value + b.value)
            if not a.value < middle < b.value:
                break
            half = self._between(a, middle)
            a, b = (half, b) if held(half) == first else (a, half)
        return a, b

    def _root(
        self, a: Followed, b: Followed, function: Callable[[Followed], float]
    ) -> Followed | None:
        """The state between two at which a function vanishes; None if its sign does not change."""
        from scipy.optimize import brentq

        known = {a.value: a, b.value: b}

        def at(value: float) -> float:
            if value not in known:
                known[value] = self._between(a, value)
            return function(known[value])

        if not at(a.value) * at(b.value) < 0.0:
            return None
        edge = LOCATED * max(abs(a.value), abs(b.value))
        value = float(brentq(at, a.value, b.value, xtol=edge, rtol=1e-15, maxiter=200))
        at(value)
        return known[value]

    def _crossing(self, a: Followed, b: Followed) -> Followed | None:
        """The state at which a pair of eigenvalues crosses the imaginary axis; None: undamped."""
        good, bad = (a, b) if a.linear.stable else (b, a)
        there = fastest(bad.linear)
        here = nearest(good.linear, there)
        if not here.real < -DAMPED * abs(here):
            return None

        def real(x: Followed) -> float:
            part = (x.value - good.value) / (bad.value - good.value)
            return nearest(x.linear, here + part * (there - here)).real

        return self._root(a, b, real)
