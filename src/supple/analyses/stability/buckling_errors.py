"""Errors of load factors, by comparison with finer flexible bodies."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from supple.bodies.base.refinement import finer_mesh, more_modes
from supple.foundation.errors import SuppleError, percent
from supple.model import Model
from supple.results.checks.deformation_findings import STRAIN, yield_strain

if TYPE_CHECKING:
    from supple.analyses.stability.buckling import BucklingResult
    from supple.results.data.findings import BodyMonitor

FINER = 2  # times the elements, parts and modes
LIMIT = 0.02  # part of a load factor that is told, by modes and elements and by given meshes
BENT = 0.05  # part of the stiffness that is left at the load factor: it is not linear in the load


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


def strained(
    model: Model,
    seen: Mapping[str, BodyMonitor],
    before: Mapping[str, BodyMonitor],
    times: float,
) -> dict[str, float]:
    """Strains at a load factor in parts of what linear elasticity bears, where they are beyond it.

    ``times`` is the factor in those of ``seen``; ``before`` has the strains without loads.
    """
    found = {}
    for name, body in seen.items():
        rest, strain = before[name].strain, body.strain
        yields = yield_strain(cast("Any", model.bodies[name]))
        part = (rest + (strain - rest) * times) / (STRAIN if yields is None else yields)
        if part > 1.0:
            found[name] = float(part)
    return found


def doubts(found: BucklingResult) -> list[str]:
    """Sentences about load factors that are wrong, or tell less than they seem to."""
    out = []
    if found.follows_motion:
        out.append(
            f"buckling: loads follow the motion, so the load factor {found.factors[0]:.6g} is one "
            "of divergence; the model may flutter at a smaller one, see stability"
        )
    if found.carried:
        name, part = max(found.carried.items(), key=lambda each: each[1])
        out.append(
            f"buckling: flexible body {name!r} has no stiffening and carries {part:.2g} of its own "
            f"buckling load at the load factor {found.factors[0]:.6g}, which is too high by up to "
            "about that part: stiffening='second_order', or more bodies"
        )
    if found.strained:
        name, part = max(found.strained.items(), key=lambda each: each[1])
        out.append(
            f"buckling: at the load factor {found.factors[0]:.6g} the strain of flexible body "
            f"{name!r} is {part:.3g} times its limit, the yield stress over E or 0.01: it yields "
            f"at about {found.factors[0] / part:.3g}, before it buckles"
        )
    if abs(found.error) > LIMIT:
        size, high = percent(abs(found.error)), "high" if found.error > 0.0 else "low"
        out.append(
            f"buckling: the load factor {found.factors[0]:.6g} is about {size} too {high} with its "
            f"flexible bodies as they are: {found.cure}"
        )
    if abs(part := sum(found.by_mesh.values())) > LIMIT:
        worst = max(found.by_mesh, key=lambda name: abs(found.by_mesh[name]))
        high, wrong = ("high", part / (1.0 - part)) if part > 0.0 else ("low", -part)
        out.append(
            f"buckling: by the mesh of flexible body {worst!r} the load factor "
            f"{found.factors[0]:.6g} is about {percent(wrong)} too {high}, expected at most "
            f"{percent(LIMIT)}: use smaller elements, or tet10 instead of tet4"
        )
    if found.left > BENT:
        out.append(
            f"buckling: the model deforms before it buckles, {found.left:.2g} of the stiffness is "
            f"left at the load factor {found.factors[0]:.6g}: statics with follow= has the path"
        )
    return out
