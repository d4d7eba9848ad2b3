"""Signals: numbers that depend on time.

Formulas, piecewise polynomials, expressions in t by a whitelist parser, shaped inputs; each is a
program for the kernels' stack machine, with its rate and curvature. It imports foundation.
"""

from supple.signals.base import Combination, Signal, SignalLike
from supple.signals.formulas import Expression, Sine, as_signal, to_signal
from supple.signals.piecewise import (
    OPEN_END,
    Constant,
    Piecewise,
    Polynomial,
    SmoothStep,
    Table,
)
from supple.signals.shaping import ShapedSignal, shape_signal

__all__ = [
    "OPEN_END",
    "Combination",
    "Constant",
    "Expression",
    "Piecewise",
    "Polynomial",
    "ShapedSignal",
    "Signal",
    "SignalLike",
    "Sine",
    "SmoothStep",
    "Table",
    "as_signal",
    "shape_signal",
    "to_signal",
]
