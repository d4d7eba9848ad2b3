"""Tolerances of runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.foundation.errors import ModelError

TOLERANCES = {"loose": (1e-4, 1e-6), "default": (1e-7, 1e-9), "tight": (1e-10, 1e-12)}


def tolerances(given: str | float | Sequence[float]) -> tuple[float, float]:
    """(rtol, atol) of a word, a number (rtol; atol a hundredth of it) or a pair.

    Tolerances are relative errors per step of angles (1 rad), places (the model's length), their
    rates, and energies.
    """
    expected = "'loose', 'default', 'tight', a number between 1e-13 and 0.1, or (rtol, atol)"
    if isinstance(given, str):
        if given not in TOLERANCES:
            raise ModelError("simulate", "tolerance", given, expected)
        return TOLERANCES[given]
    if isinstance(given, float) and 1e-13 <= given <= 0.1:
        return float(given), 0.01 * float(given)
    try:
        values = np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError, OverflowError):
        values = np.array([np.nan])
    if values.shape == (1,):
        values = np.array([values[0], 0.01 * values[0]])
    if values.shape != (2,) or not (1e-13 <= values[0] <= 0.1) or not (0.0 < values[1] <= 0.1):
        raise ModelError("simulate", "tolerance", given, expected)
    return float(values[0]), float(values[1])
