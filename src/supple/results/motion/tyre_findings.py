"""Findings about tyres: slip beyond a law, speed beyond its relaxation, camber, loads, depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.forces import LinearTyre, MagicFormula, Tyre
from supple.foundation.arrays import Array
from supple.foundation.errors import label
from supple.results.data.findings import Extreme, RunFinding
from supple.results.data.run_data import depth_of

if TYPE_CHECKING:
    from supple.results.result import Result

LIGHT = 0.01  # of the largest normal force: slip under less than that is not judged
LONGER = 0.2  # of the relaxation length, by which damping makes it longer
LEANS = 0.17  # rad of camber, ten degrees: laws do not know of it
# Nominal loads, beyond which coefficients were hardly measured, and are held
OVER, SERIOUS = 2.0, 4.0


def tyre_findings(result: Result, force: Tyre) -> Iterator[RunFinding]:
    """Findings where a run has been outside of what the law of a tyre describes."""
    if len(result.t) < 2 or result.data.loads is None:
        return
    view: Any = result[force.name]
    push = np.nan_to_num(view.normal_force)
    loaded = push > LIGHT * push.max(initial=0.0)
    yield from _depth(result, force)
    if loaded.any():
        yield from _slip(result, force, view, push, loaded)
        yield from _relaxation(result, force, view, loaded)
        yield from _camber(result, force, view, loaded)
        yield from _load(result, force, push)


def _told(
    force: Tyre, what: str, seen: Extreme, limit: float, serious: bool, sentence: str
) -> RunFinding:
    when = seen.passes(limit)
    return RunFinding(
        force.name, what, seen.largest, limit, when, serious, f"{label(force)}: {sentence}"
    )


def _depth(result: Result, force: Tyre) -> Iterator[RunFinding]:
    """A stiff wheel in the road stands for a tyre that is flat there: half its chord is short."""
    depth, allowed = float(result.statistics.get(depth_of(force.name), 0.0)), force.allowed_depth
    if depth > allowed:
        yield RunFinding(
            force.name,
            "depth",
            depth,
            allowed,
            None,
            True,
            f"{label(force)}: the wheel is {depth:.2g} m deep in the road, expected at most "
            f"{allowed:.2g} m, a fifth of its radius: use a larger stiffness",
        )


def _slip(
    result: Result, force: Tyre, view: Any, push: Array, loaded: Array
) -> Iterator[RunFinding]:
    """The linear law beside a brush of the same stiffness; no tyre carries more than mu N."""
    law = force.law
    if not isinstance(law, LinearTyre):
        return
    size = np.hypot(view.longitudinal_force, view.lateral_force)
    used = np.where(loaded, np.nan_to_num(size) / np.where(loaded, law.mu * push, 1.0), 0.0)
    seen, limit = Extreme(result.t, used), law.linear_slip
    if seen.largest > limit:
        yield _told(
            force,
            "slip",
            seen,
            limit,
            seen.largest > 1.0,
            f"forces by slip reach {seen.largest:.2g} of mu N, expected at most {limit:.2g}, up to "
            "which a tyre with friction has 0.9 of them: take BrushTyre or MagicFormula",
        )


def _relaxation(result: Result, force: Tyre, view: Any, loaded: Array) -> Iterator[RunFinding]:
    """Forces follow slip over sigma + settling |V|."""
    law = force.law
    shortest = min(C / k for C, k in zip(law.slip_stiffness, law.carcass, strict=True))
    more = np.where(loaded, law.settling * np.abs(np.nan_to_num(view.travel_speed)), 0.0)
    seen = Extreme(result.t, more / shortest)
    if seen.largest > LONGER:
        wanted = 0.5 * LONGER * law.settling / seen.largest
        yield _told(
            force,
            "relaxation",
            seen,
            LONGER,
            False,
            f"its damping makes the relaxation length longer by {seen.largest:.2g} of it, expected "
            f"at most {LONGER:g}: use a settling of {wanted:.1e} s",
        )


def _camber(result: Result, force: Tyre, view: Any, loaded: Array) -> Iterator[RunFinding]:
    seen = Extreme(result.t, np.where(loaded, np.abs(np.nan_to_num(view.camber)), 0.0))
    if seen.largest > LEANS:
        yield _told(
            force,
            "camber",
            seen,
            LEANS,
            False,
            f"the wheel leans by {seen.largest:.2g} rad, expected at most {LEANS:g}: the forces by "
            "camber of a tyre are not in its law",
        )


def _load(result: Result, force: Tyre, push: Array) -> Iterator[RunFinding]:
    law = force.law
    if not isinstance(law, MagicFormula):
        return
    seen = Extreme(result.t, push / law.load)
    if seen.largest > OVER:
        yield _told(
            force,
            "load",
            seen,
            OVER,
            seen.largest > SERIOUS,
            f"the normal force is {seen.largest:.2g} times the nominal one, expected at most "
            f"{OVER:g}: coefficients beyond the loads at which they were measured",
        )
