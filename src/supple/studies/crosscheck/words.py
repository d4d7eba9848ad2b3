"""Words of a row of a cross-check: its state, and a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable

from supple.studies.crosscheck.elements import Refinement
from supple.studies.crosscheck.result import RowState
from supple.studies.crosscheck.runs import Judgement
from supple.studies.crosscheck.states import StateFinding

ROUNDING = 1e-10  # of the range: below it differences are called rounding
TOO_LONG = (
    "its changes with ever shorter steps do not fall: equal steps are too long for a vibration; "
    "choose shorter ones, or a method that chooses its own"
)


def told_run(
    findings: tuple[StateFinding, ...],
    found: Judgement,
    ends: str,
    accuracy: float,
    chaotic: Callable[[], bool],
) -> tuple[RowState, str]:
    """Of a run with the elements of the reference; ``ends`` says that it ends at another time."""
    parted = found.parting
    if findings or parted or ends:
        parts = []
        if parted:
            parts.append(
                f"{parted.name} from t = {parted.t:.4g} s on, by {parted.part:.1e} of its range"
            )
        parts += [ends] if ends else []
        parts += [findings[0].sentence] if findings else []
        return "differs", f"differs: {'; '.join(parts)}"
    if found.unknown:
        name, t, part = found.unknown
        return "undecided", (
            f"undecided: not resolved, {name} differs from t = {t:.4g} s on, by {part:.1e} of its "
            f"range, but {TOO_LONG}"
        )
    if found.missing:
        return "undecided", f"undecided: {', '.join(found.missing[:4])} not compared"
    if math.isfinite(found.until):
        return _unresolved(found, accuracy, chaotic)
    if not found.worst:
        return "undecided", "undecided: nothing moves"
    if found.difference <= ROUNDING:
        return "rounding", f"agrees to rounding: {found.difference:.1e} of the range"
    return "tolerance", (
        f"agrees to {found.difference:.1e} of the range ({found.worst}), "
        f"within the errors of both, {found.error:.1e}"
    )


def _unresolved(
    found: Judgement, accuracy: float, chaotic: Callable[[], bool]
) -> tuple[RowState, str]:
    """Of a run whose errors exceed the accuracy."""
    words = (
        f"the error of {found.unresolved} exceeds {accuracy:g} of its range from "
        f"t = {found.until:.4g} s on"
    )
    if not found.falls:
        return "undecided", f"undecided: not resolved, {words}, and {TOO_LONG}"
    if chaotic():
        return "until", f"agrees until t = {found.until:.4g} s, then it is chaotic"
    finer = "a tighter tolerance or shorter steps"
    return "undecided", f"undecided: {words}: choose {finer}, or end there"


def told_elements(found: Refinement, ends: str, accuracy: float) -> tuple[RowState, str]:
    """Of a formulation with elements of its own."""
    if ends:
        return "differs", f"differs: {ends}"
    numbers = ", ".join(map(str, found.levels))
    seen = ", ".join(f"{d:.1e}" for d in found.differences)
    trend = f"{seen} of the range with {numbers} {found.counted}"
    if math.isfinite(found.order):
        trend += f", changes of order {found.order:.1f}"
    if found.differences[-1] <= accuracy and found.changes[-1] <= accuracy:
        return "discretisation", f"agrees to discretisation: {trend}"
    if found.changes[-1] > accuracy:
        return "undecided", f"undecided: it has not converged, {trend}"
    return "undecided", (
        f"undecided: {found.worst} differs, {trend}: these converge to something else than "
        "the model's own elements, modes and stiffening give"
    )
