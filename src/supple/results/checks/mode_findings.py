"""Sentences about flexible bodies whose elastic coordinates do not describe their deflections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from supple.foundation.errors import label, percent
from supple.reduction.shape_sets import NormalModes
from supple.results.data.findings import Finding
from supple.results.flexibility.truncation import ALONG, LIMIT, Truncation

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.foundation.frames import Frame
    from supple.results.result import Result

SHARE = 0.05  # strain energy in the highest mode, where what is left out is not known
SERIOUS, SMALL = 0.25, 1e-5  # part of the deflections; these in lengths of the body
RIGID = 0.99  # a body that leaves out more does not deform at all
NAMED = 4  # things attached to a body, of which a sentence gives the names


def of_modes(
    result: Result, body: FlexibleBody, found: Truncation | None, share: float | None
) -> Iterator[Finding]:
    """What a body leaves out; where that is not known, whether its highest mode moves."""
    if found is None:
        if share is not None and share > SHARE:
            sentence = (
                f"{label(body)}: its highest mode that moves carries {share:.0%} of the strain "
                f"energy, expected at most {SHARE:.0%}: see whether {body.refinement} change the "
                "answer"
            )
            yield Finding(body.name, "modes", share, SHARE, None, False, sentence)
        return
    passed = found.passed
    if passed is None:
        return
    value = found.largest
    if value > LIMIT:
        loads = f"its loads{attached(result, body)}"
        missing = found.flexibility
        what = f"leaves out {percent(found.deflected)} of its deflection under {loads}"
        if missing >= RIGID:
            what = f"cannot deform under {loads}"
        elif missing > LIMIT:
            what = f"is {percent(1.0 / (1.0 - missing) - 1.0)} too stiff for {loads}"
        sentence = (
            f"{label(body)}: with its {coordinates(body, found.count)} it {what}, expected at "
            f"most {percent(LIMIT)} of deflections left out, from t = {passed:.4g} s on: "
            f"{advice(body, found.count)}"
        )
        serious = value > SERIOUS and found.size > SMALL
        yield Finding(body.name, "modes", value, LIMIT, passed, serious, sentence)
    else:
        value = found.along.largest
        sentence = (
            f"{label(body)}: with its {coordinates(body, found.count)} it leaves out what it "
            f"stretches along its axis, {percent(value)} of its largest displacement, expected at "
            f"most {percent(ALONG)}, from t = {passed:.4g} s on: {advice(body, found.count)}"
        )
        yield Finding(body.name, "modes", value, ALONG, passed, False, sentence)


def coordinates(body: FlexibleBody, n: int) -> str:
    """The elastic coordinates of a body, in words."""
    kind = "nodal coordinate" if body.modes == "all" else "mode"
    return f"{n} {kind}s" if n > 1 else f"one {kind}"


def advice(body: FlexibleBody, n: int) -> str:
    """What to do for a body that leaves out too much."""
    if isinstance(body.modes, (int, tuple, NormalModes)):
        return f"use modes=AttachmentModes({n}), which adds static shapes for what is attached"
    return f"use {body.refinement}"


def attached(result: Result, body: FlexibleBody) -> str:
    """Names of what is attached to a body."""
    model = result.data.model
    items: list[tuple[str, Mapping[str, Frame]]] = []
    for group in (model.joints, model.constraints, model.forces):
        items += [(item.name, item.frames) for item in group.values()]
    names = [
        f"'{name}'" for name, at in items if any(f.body.name == body.name for f in at.values())
    ]
    if not names:
        return ""
    if len(names) > NAMED:
        names = [*names[:NAMED], "others"]
    return f" at {names[0]}" if len(names) == 1 else f" at {', '.join(names[:-1])} and {names[-1]}"
