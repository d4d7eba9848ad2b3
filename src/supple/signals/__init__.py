"""Signals: numbers that depend on time."""

from supple.signals.base import Combination, Signal, SignalLike
from supple.signals.formulas import Expression, Sine, as_signal
from supple.signals.piecewise import (
    OPEN_END,
    Constant,
    Piecewise,
    Polynomial,
    SmoothStep,
    Table,
)
from supple.signals.shaping import Shaped, shaped

__all__ = [
    "OPEN_END",
    "Combination",
    "Constant",
    "Expression",
    "Piecewise",
    "Polynomial",
    "Shaped",
    "Signal",
    "SignalLike",
    "Sine",
    "SmoothStep",
    "Table",
    "as_signal",
    "shaped",
]
