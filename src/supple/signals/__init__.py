"""Signals: numbers that depend on time."""

from supple.signals.kinds import (
    OPEN_END,
    Combination,
    Constant,
    Expression,
    Piecewise,
    Polynomial,
    Signal,
    SignalLike,
    Sine,
    SmoothStep,
    Table,
    as_signal,
)

__all__ = [
    "OPEN_END",
    "Combination",
    "Constant",
    "Expression",
    "Piecewise",
    "Polynomial",
    "Signal",
    "SignalLike",
    "Sine",
    "SmoothStep",
    "Table",
    "as_signal",
]
