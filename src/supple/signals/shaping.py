"""Input shaping: a signal convolved with impulses, so that what follows it does not vibrate.

An impulse at t_i moves an oscillator by A_i; with amplitudes and delays chosen by its period and
damping all that is left behind the last one cancels. N. C. Singer and W. P. Seering, Preshaping
command inputs to reduce system vibration, ASME J. Dynamic Systems, Measurement and Control 112
(1990) 76-82; EI: W. Singhose, W. Seering, N. Singer, ASME J. Mechanical Design 116 (1994) 654-659.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.core.base import opcodes as op
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given
from supple.foundation.validate import read_only, set_fields
from supple.signals.base import Combination, Packed, Signal, SignalLike
from supple.signals.formulas import Sine, as_signal, to_signal
from supple.signals.piecewise import Piecewise, row

Kind = Literal["ZV", "ZVD", "ZVDD", "EI"]
KINDS = ("ZV", "ZVD", "ZVDD", "EI")
MOST_IMPULSES = 4096  # of one signal: each is a delayed copy of it
SAME_TIME = 1e-12  # of the last delay


@dataclass(frozen=True, eq=False)
class _Later(Piecewise):
    """Polynomial pieces, each so much later."""

    signal: Piecewise
    delay: float

    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """Pieces of the signal."""
        breaks, origins, coefficients = (np.asarray(x, dtype=float) for x in self.signal.pieces())
        return breaks + self.delay, origins + self.delay, coefficients

    def breakpoints(self) -> tuple[float, ...]:
        """Times of the signal, later."""
        return tuple(t + self.delay for t in self.signal.breakpoints())

    def ends(self) -> tuple[float, ...]:
        """Times of the signal, later."""
        return tuple(t + self.delay for t in self.signal.ends())


def delayed(signal: Signal, delay: float) -> Signal:
    """The signal as it was ``delay`` (s) ago."""
    if delay == 0.0:
        return signal
    if isinstance(signal, ShapedSignal):
        return ShapedSignal(signal.signal, signal.amplitudes, signal.delays + delay)
    if isinstance(signal, Sine):
        phase = signal.phase - 2.0 * math.pi * signal.frequency * delay
        return Sine(signal.amplitude, signal.frequency, phase, signal.offset)
    if isinstance(signal, Piecewise):
        return _Later(signal, delay)
    made = signal.written_out()
    operations: list[tuple[int, float]] = []
    for code, argument in made.operations:
        operations.append((code, argument))
        if code == op.TIME:
            operations += [(op.NUMBER, delay), (op.SUBTRACT, 0.0)]
    parts = tuple(delayed(part, delay) for part in made.signals)
    return Combination(tuple(operations), parts, tuple(t + delay for t in made.kinks))


@declared
class ShapedSignal(Signal):
    """A signal convolved with impulses: the sum of ``amplitudes[i] signal(t - delays[i])``.

    `shape_signal` makes one that leaves no vibration.

    Parameters
    ----------
    signal : signal, number or expression
    amplitudes : (n,)
        Their sum is one if the signal is to keep its final value.
    delays : (n,) s
        Zero or later.
    """

    signal: Given[SignalLike, Signal] = checked(to_signal)
    amplitudes: Given[ArrayLike, Vector] = checked(row, least=1, expected="a row of finite numbers")
    delays: Given[ArrayLike, Vector] = given("s")

    def _check(self, owner: str) -> None:
        count = self.amplitudes.size
        expected = f"{count} times in s, zero or later"
        times = validate.vector(owner, "delays", self.delays, count, expected)
        if np.any(times < 0.0):
            raise ModelError(owner, "delays", self.delays, expected)
        set_fields(self, delays=times)

    @cached_property
    def _sum(self) -> Combination:
        pairs = zip(self.amplitudes.tolist(), self.delays.tolist(), strict=True)
        terms: list[Signal] = [a * delayed(self.signal, t) for a, t in pairs]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total.written_out()

    def _value(self, t: Vector) -> Any:
        return self._sum._value(t)

    def derivatives(self, t: ArrayLike) -> tuple[Vector, Vector, Vector]:
        """Value, rate and curvature at the times t (s)."""
        return self._sum.derivatives(t)

    def program(self) -> Packed:
        """Program of the sum."""
        return self._sum.program()

    @property
    def parts(self) -> tuple[Signal, ...]:
        """The delayed signals."""
        return self._sum.parts

    def breakpoints(self) -> tuple[float, ...]:
        """Times of all delayed signals."""
        return self._sum.breakpoints()

    def ends(self) -> tuple[float, ...]:
        """Times of all delayed signals."""
        return self._sum.ends()

    def written_out(self) -> Combination:
        """Return the sum."""
        return self._sum


def shape_signal(
    signal: SignalLike,
    frequencies: ArrayLike,
    damping: ArrayLike = 0.0,
    kind: Kind = "ZV",
    residual: float = 0.05,
) -> ShapedSignal:
    """A signal that excites no vibration at some frequencies once it has come to its end.

    Parameters
    ----------
    signal : signal, number or expression
    frequencies : Hz
        Of the modes, as if undamped: one, or several, whose impulses are convolved.
    damping : part of the critical one
        Of each, or of all.
    kind : "ZV", "ZVD", "ZVDD" or "EI"
        No vibration at the frequency; and none to first order of its error; and to second; or
        ``residual`` at the frequency and none at two beside it. The more, the later: half a period,
        one, one and a half, one.
    residual : part of the vibration that the signal itself leaves, for "EI"
    """
    owner = "shape_signal"
    source = as_signal(signal, owner, "signal")
    expected = "one or several positive frequencies in Hz"
    wanted = np.atleast_1d(validate.array(owner, "frequencies", frequencies, expected))
    if wanted.ndim != 1 or not wanted.size or np.any(wanted <= 0.0):
        raise ModelError(owner, "frequencies", frequencies, expected)
    expected = "a number from 0 to below 1, or one for each frequency"
    ratios = np.asarray(validate.array(owner, "damping", damping, expected))
    if ratios.ndim > 1 or (ratios.ndim and len(ratios) != len(wanted)):
        raise ModelError(owner, "damping", damping, expected)
    if np.any(ratios < 0.0) or np.any(ratios >= 1.0):
        raise ModelError(owner, "damping", damping, expected)
    validate.choice(owner, "kind", kind, KINDS)
    left = validate.number(owner, "residual", residual)
    if not 0.0 <= left < 1.0:
        raise ModelError(owner, "residual", residual, "a number from 0 to below 1")
    sizes, times = np.ones(1), np.zeros(1)
    for f, ratio in zip(wanted, np.broadcast_to(ratios, wanted.shape), strict=True):
        a, t = _impulses(float(f), float(ratio), kind, left)
        sizes, times = _merged(np.outer(sizes, a).ravel(), np.add.outer(times, t).ravel())
        if len(sizes) > MOST_IMPULSES:
            raise ModelError(
                owner,
                "number of frequencies",
                wanted.size,
                f"fewer of them: each multiplies the impulses of the signal by {len(a)}, and there "
                f"can be {MOST_IMPULSES}",
            )
    return ShapedSignal(source, sizes, times)


def _merged(sizes: Vector, times: Vector) -> tuple[Vector, Vector]:
    """Impulses by time, those at one instant as one."""
    order = np.argsort(times, kind="stable")
    sizes, times = sizes[order], times[order]
    first = np.append(True, np.diff(times) > SAME_TIME * times[-1])
    return np.add.reduceat(sizes, np.flatnonzero(first)), times[first]


def _impulses(
    frequency: float, damping: float, kind: Kind, residual: float
) -> tuple[Vector, Vector]:
    """Amplitudes and delays (s) for one mode."""
    root = math.sqrt(1.0 - damping**2)
    half = 0.5 / (frequency * root)  # of the damped period
    k = math.exp(-damping * math.pi / root)  # by which it decays within it
    if kind == "EI":
        found = np.array([(1.0 + residual) / 4.0, (1.0 - residual) / 2.0, (1.0 + residual) / 4.0])
    else:
        n = KINDS.index(kind) + 1
        found = np.array([math.comb(n, i) for i in range(n + 1)], dtype=float)
    steps = np.arange(len(found), dtype=np.float64)
    found = found * k**steps
    return read_only(found / found.sum()), read_only(half * steps)
