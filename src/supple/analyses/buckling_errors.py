"""How much too high a load factor is: the same model with finer flexible bodies."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from supple.bodies.refinement import finer_mesh, more_modes
from supple.errors import SuppleError
from supple.model import Model

FINER = 2  # times the elements, parts and modes
LIMIT = 0.02  # part of a load factor that is told


def finer_models(model: Model) -> list[tuple[Model, str]]:
    """Models to compare with, best first, each with what to do if it differs."""
    ways: tuple[tuple[Callable[[Any, int], dict[str, Any]], ...], ...] = (
        (finer_mesh, more_modes),
        (more_modes,),
        (finer_mesh,),
    )
    found: list[tuple[Model, str]] = []
    for steps in ways:
        made = model.copy()
        advice: dict[str, list[str]] = {}
        for name in model.bodies:
            for refine in steps:
                try:
                    fields = refine(made[name], FINER)
                except SuppleError:  # a mesh that is given
                    continue
                if fields:
                    made.replace(name, **fields)
                    advice.setdefault(name, []).append(_words(fields))
        if advice:
            name, words = next(iter(advice.items()))
            others = " and others" if len(advice) > 1 else ""
            found.append((made, f"use more {' and '.join(words)} of {name!r}{others}"))
    return found


def with_finer(model: Model, factor: Callable[[Model], float]) -> tuple[float, str] | None:
    """Load factor of the finest model that has one, and advice; None: there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for finer, advice in finer_models(model):
            try:
                return factor(finer), advice
            except SuppleError:  # too large, or without a load factor
                continue
    return None


def _words(fields: dict[str, Any]) -> str:
    if "modes" in fields:
        return "modes"
    return "parts" if "parts" in fields else "elements"
