"""Findings about bodies that are held to roll: where they would part, or slip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.constraints import Rolling
from supple.foundation.errors import SuppleError, label
from supple.results.data.findings import RunFinding

if TYPE_CHECKING:
    from supple.results.result import Result
    from supple.results.views.constraint_views import RollingView

ROUNDING = 1e-6  # of the largest normal force


def held_findings(result: Result) -> Iterator[RunFinding]:
    """Bodies that roll, and would part or slip: constraints pull and hold whatever it takes."""
    for item in result.constraints.values():
        if isinstance(item, Rolling) and result.data.loads is not None and len(result.t) > 1:
            view = cast("RollingView", result[item.name])
            if {"gap", "slip along x", "slip along y"} <= set(view.parts):
                yield from _of_rolling(result, item, view)


def _of_rolling(result: Result, item: Rolling, view: RollingView) -> Iterator[RunFinding]:
    try:
        push, along = view.normal_force, np.linalg.norm(view.friction_force, axis=1)
    except SuppleError:  # a load that is not determined
        return
    if not np.all(np.isfinite(push)):
        return
    size = float(np.max(np.abs(push), initial=0.0))
    pulls = push < -ROUNDING * size
    if np.any(pulls):
        k = int(np.argmin(push))
        begin = float(result.t[int(np.argmax(pulls))])
        yield RunFinding(
            item.name,
            "lifts",
            float(-push[k]),
            0.0,
            begin,
            True,
            f"{label(item)} lifts: from t = {begin:.3g} s on its normal force is negative, "
            f"{push[k]:.3g} N at t = {result.t[k]:.3g} s, which holds down what would part: "
            "use a Contact",
        )
    mu = item.friction
    if mu is None:
        return
    slips = along > mu * np.maximum(push, 0.0) + ROUNDING * size
    if np.any(slips):
        begin = float(result.t[int(np.argmax(slips))])
        ratio = np.where(push > ROUNDING * size, along / np.where(push == 0.0, 1.0, push), 0.0)
        k = int(np.argmax(np.where(slips, ratio, 0.0)))
        yield RunFinding(
            item.name,
            "slips",
            float(ratio[k]),
            mu,
            begin,
            True,
            f"{label(item)} slips: from t = {begin:.3g} s on it needs more friction than "
            f"{mu:.3g}, a coefficient of {ratio[k]:.3g} at t = {result.t[k]:.3g} s: use a Contact "
            "with friction",
        )
