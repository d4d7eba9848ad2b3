"""Checks of reduced bodies: deflections that modes leave out, errors of meshes, damping ratios.

The work of all loads on the deflections by them is compared with that of a finer mesh
(`supple.reduction.mesh_flexibility`): for one force it is the error of the deflection where it
acts. Both are means over the run, so that neither what bends little counts, nor the instant of a
sudden load, when a body has not had time to follow it. Where loads would deflect it more at rest,
the error of that deflection is told if it is smaller.

Ratios of `ModalDamping` are those of the body's own modes, with the point masses on it. A rigid
body that is welded to it makes its modes slower, and their ratios smaller. Here these masses are
added to the body's own, which is exact for a body that is clamped in its frame; `linearize` looks
at the modes of the whole model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.base.flexible import damping_of
from supple.fem.base.damping import ModalDamping, own_modes
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, percent
from supple.foundation.frames import Body, Frame
from supple.foundation.poses import skew
from supple.reduction.shape_sets import NormalModes
from supple.results.data.findings import Check
from supple.results.flexibility.truncation import ALONG, LIMIT, Deflected, Truncation, trapezoidal

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.engine.base.body_records import FlexRecord
    from supple.model import Model
    from supple.reduction.mesh_flexibility import MeshFlexibility
    from supple.results.result import Result


SHARE = 0.05  # strain energy in the highest mode, where what is left out is not known
SERIOUS, SMALL = 0.25, 1e-5  # part of the deflections; these in lengths of the body
RIGID = 0.99  # a body that leaves out more does not deform at all
NAMED = 4  # things attached to a body, of which a sentence gives the names
MISSED = 0.02  # part of the deflections by which a mesh may be wrong
OFF = 0.2  # part of the damping ratio that was asked for


def modes(
    result: Result, body: FlexibleBody, truncation: Truncation | None, share: float | None
) -> Iterator[Check]:
    """Check of what a body leaves out; where that is not known, of its highest mode that moves."""
    if truncation is None:
        yield _highest_mode(body, share)
        return
    text = f"with its {coordinates(body, truncation.count)} it"
    if not truncation.largest > LIMIT:

        def stretched_sentence(value: float, then: str) -> str:
            return (
                f"{text} leaves out what it stretches along its axis, {percent(value)} of its "
                f"largest displacement, expected at most {percent(ALONG)}, {then}: "
                f"{advice(body, truncation.count)}"
            )

        yield Check(body, "modes", truncation.along, ALONG, np.inf, stretched_sentence)
        return
    under, missing = f"its loads{attached(result, body)}", truncation.flexibility
    what = f"leaves out {percent(truncation.deflected)} of its deflection under {under}"
    if missing >= RIGID:
        what = f"cannot deform under {under}"
    elif missing > LIMIT:
        what = f"is {percent(1.0 / (1.0 - missing) - 1.0)} too stiff for {under}"

    def bent_sentence(_: float, then: str) -> str:
        return (
            f"{text} {what}, expected at most {percent(LIMIT)} of deflections left out, {then}: "
            f"{advice(body, truncation.count)}"
        )

    yield Check(
        body,
        "modes",
        truncation.largest,
        LIMIT,
        SERIOUS if truncation.size > SMALL else np.inf,
        bent_sentence,
        truncation.passed,
    )


def _highest_mode(body: FlexibleBody, share: float | None) -> Check:
    """Check of the strain energy in the highest mode that moves."""

    def sentence(value: float, _: str) -> str:
        return (
            f"its highest mode that moves carries {value:.0%} of the strain energy, expected at "
            f"most {SHARE:.0%}: see whether {body.refinement} change the answer"
        )

    return Check(body, "modes", share, SHARE, np.inf, sentence)


def mesh(
    result: Result, body: FlexibleBody, truncation: Truncation | None, error: MeshError | None
) -> Iterator[Check]:
    """Check of a mesh that is too coarse for its loads, or made of elements that lock."""
    if truncation is None or error is None:
        return
    what = ("too stiff", "too small") if error.part > 0.0 else ("too soft", "too large")

    def sentence(value: float, then: str) -> str:
        return (
            f"its mesh is {what[0]} for its loads{attached(result, body)}, deflections are about "
            f"{percent(value)} {what[1]}, expected at most {percent(MISSED)}, {then}, whatever "
            f"modes it has: {body.mesh_advice(error.part > 0.0)}"
        )

    yield Check(
        body,
        "mesh",
        abs(error.part),
        MISSED,
        SERIOUS if truncation.size > SMALL else np.inf,
        sentence,
        error.time,
    )


def damping_ratio(body: Body, frequency: float, asked: float, actual: float) -> Check:
    """Check of a mode (Hz) whose damping ratio may be off by a fifth of what is asked."""
    part = actual / asked - 1.0 if asked > 0.0 else 0.0

    def sentence(value: float, _: str) -> str:
        return (
            f"its damping asks {100 * asked:.3g} % of critical of its own modes, but the mode of "
            f"the model at {frequency:.4g} Hz gets {100 * actual:.3g} %, {value:.0%} "
            f"{'less' if part < 0.0 else 'more'}: fit_damping(model, {asked:.4g}) damps the modes "
            "of the model, ModalDamping(..., of='body') says that those of the body are meant"
        )

    return Check(body, "damping", abs(part), OFF, np.inf, sentence)


def coordinates(body: FlexibleBody, n: int) -> str:
    """The elastic coordinates of a body, in words."""
    kind = "nodal coordinate" if body.modes == "all" else "mode"
    return f"{n} {kind}s" if n > 1 else f"one {kind}"


def advice(body: FlexibleBody, n: int) -> str:
    """Advice for a body that leaves out too much."""
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


@dataclass(frozen=True)
class MeshError:
    """Error of the deflections of a body by its mesh, over a run."""

    part: float  # of the deflections by which it is too stiff, or, negative, too soft
    time: float  # s, at which it does so first


def mesh_works(body: Deflected) -> tuple[Array, Array] | None:
    """Works (k,) of loads, of a body's mesh and about exact ones; None where they are not known."""
    flexibility = against_finer_mesh(body.record, body.loads.places)
    return None if flexibility is None else flexibility.works(body.right)


def against_finer_mesh(record: FlexRecord, places: tuple[float, ...]) -> MeshFlexibility | None:
    """A body's mesh beside a finer one under unit loads; None where it is not known."""
    try:
        return record.body.mesh_flexibility(places, record.point_masses)
    except (ModelError, np.linalg.LinAlgError):  # the finer mesh cannot be held so
        return None


def mesh_error(body: Deflected) -> MeshError | None:
    """Error by a body's mesh under its loads; None where it is not known."""
    flexibility = against_finer_mesh(body.record, body.loads.places)
    if flexibility is None:
        return None
    own, exact = flexibility.works(body.right)
    weights = trapezoidal(body.t)
    whole = float(np.average(exact, weights=weights))
    if not whole > 0.0:
        return None
    parts = (exact - own) / whole
    beyond = np.flatnonzero(np.abs(parts) > MISSED)
    part = float(np.average(parts, weights=weights))
    other = _of_applied(body, flexibility, weights, whole)
    part = part if other is None or abs(part) < abs(other) else other
    return MeshError(part, float(body.t[beyond[0] if len(beyond) else 0]))


def _of_applied(
    body: Deflected, flexibility: MeshFlexibility, weights: Array | None, whole: float
) -> float | None:
    """Error under the loads without the inertia of elastic coordinates; None if that is the load.

    Of a sudden load and the inertia that balances it little is left on the mesh itself, and more
    than that on a finer one, whose shapes of fast vibration are others.
    """
    applied = body.right.copy()
    applied[:, body.loads.factors.shape[1] :] = 0.0
    own, exact = (float(np.average(x, weights=weights)) for x in flexibility.works(applied))
    return (exact - own) / exact if exact >= whole else None


def asked_damping(body: Any) -> ModalDamping | None:
    """Ratios of a body that may be meant of the modes of the model; None if there are none."""
    damping = damping_of(body)
    return damping if isinstance(damping, ModalDamping) and damping.of is None else None


def damping(model: Model, record: FlexRecord) -> Iterator[Check]:
    """Check of the ratio that the lowest mode of a body gets with what is welded to it."""
    asked_of, own = asked_damping(record.body), record.modal
    if asked_of is None or not own.n or not np.any(asked_of.ratios):
        return
    added = _welded(model, record)
    if added is None or not np.any(added):
        return
    squares, shapes = own_modes(own.M + added, own.K)
    y, w = shapes[:, 0], float(np.sqrt(max(squares[0], 0.0)))
    if w > 0.0:
        actual = float(y @ own.C @ y) / (2.0 * w)
        asked = asked_of.asked(own.M, own.K, y)
        yield damping_ratio(record.body, w / (2.0 * np.pi), asked, actual)


def _welded(model: Model, record: FlexRecord) -> Array | None:
    """Mass (n, n) of rigid bodies that are welded to a body; None if they are held elsewhere."""
    total = np.zeros((record.modal.n, record.modal.n))
    welds = [(j.A, j.B) for j in model.joints.values() if j.nu == 0]
    seen = {record.name}
    for mine, other in _pairs(welds, record.name):
        where = record.attachment(mine)
        if where.fixed:  # where the body is clamped in its frame
            continue
        todo: list[tuple[Frame, Array, Array]] = [(other, where.R0, np.zeros(3))]
        while todo:
            frame, R, p = todo.pop()  # its axes, and its place from the attached one
            body = frame.body
            if body.name in seen:
                continue
            if body.discretisation != "rigid" or body.name not in model.bodies:
                return None
            seen.add(body.name)
            R = R @ frame.rotation.T  # axes of the body
            origin = p - R @ frame.position
            total += _mass(body, R, origin, where.Phi, where.Psi)
            for near, far in _pairs(welds, body.name):
                todo.append((far, R @ near.rotation, origin + R @ near.position))
    return total


def _pairs(welds: list[tuple[Frame, Frame]], name: str) -> Iterator[tuple[Frame, Frame]]:
    """Frames of a body that are welded to others, with these."""
    for A, B in welds:
        if A.body.name == name:
            yield A, B
        if B.body.name == name:
            yield B, A


def _mass(body: Any, R: Array, origin: Array, Phi: Array, Psi: Array) -> Array:
    """Mass (n, n) of a rigid body that moves with a place of a flexible one."""
    inertia = body.inertia
    if body.inertia_about == "origin":
        inertia = inertia - body.parallel_axes
    moved = Phi - skew(origin + R @ body.com) @ Psi
    return np.asarray(body.mass * moved.T @ moved + Psi.T @ R @ inertia @ R.T @ Psi)
