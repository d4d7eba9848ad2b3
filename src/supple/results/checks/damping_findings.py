"""Damping ratios that a body does not get because of what is welded to it.

Ratios of `ModalDamping` are those of the body's own modes, with the point masses on it. A rigid
body that is welded to it makes its modes slower, and their ratios smaller. Here these masses are
added to the body's own, which is exact for a body that is clamped in its frame; `linearize` looks
at the modes of the whole model.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.base.elastic import damping_of
from supple.fem.base.damping import ModalDamping, own_modes
from supple.foundation.errors import label
from supple.foundation.frames import Body, Frame
from supple.foundation.poses import Array
from supple.model import Model
from supple.results.data.findings import Finding

if TYPE_CHECKING:
    from supple.engine.base.body_records import FlexRecord

OFF = 0.2  # part of what was asked for


def damping_finding(body: Body, frequency: float, asked: float, found: float) -> Finding | None:
    """Finding about a mode (Hz) whose damping ratio is off by more than a fifth, or None."""
    if not asked > 0.0 or abs(found - asked) <= OFF * asked:
        return None
    part = found / asked - 1.0
    less = f"{abs(part):.0%} {'less' if part < 0.0 else 'more'}"
    sentence = (
        f"{label(body)}: its damping asks {100 * asked:.3g} % of critical of its own modes, but "
        f"the mode of the model at {frequency:.4g} Hz gets {100 * found:.3g} %, {less}: "
        f"fit_damping(model, {asked:.4g}) damps the modes of the model, ModalDamping(..., "
        "of='body') says that those of the body are meant"
    )
    return Finding(body.name, "damping", abs(part), OFF, None, False, sentence)


def asked_damping(body: Any) -> ModalDamping | None:
    """Ratios of a body that may be meant of the modes of the model; None if there are none."""
    found = damping_of(body)
    return found if isinstance(found, ModalDamping) and found.of is None else None


def of_damping(model: Model, record: FlexRecord) -> Iterator[Finding]:
    """Finding if the lowest mode of a body misses its ratio because of what is welded to it."""
    damping, own = asked_damping(record.body), record.modal
    if damping is None or not own.n or not np.any(damping.ratios):
        return
    added = _welded(model, record)
    if added is None or not np.any(added):
        return
    squares, shapes = own_modes(own.M + added, own.K)
    y, w = shapes[:, 0], float(np.sqrt(max(squares[0], 0.0)))
    if w > 0.0:
        found = float(y @ own.C @ y) / (2.0 * w)
        told = damping_finding(
            record.body, w / (2.0 * np.pi), damping.asked(own.M, own.K, y), found
        )
        if told is not None:
            yield told


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
            if body.written_as != "rigid" or body.name not in model.bodies:
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
    x, y, z = origin + R @ body.com
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    inertia = body.inertia
    if body.inertia_about == "origin":
        inertia = inertia - body.parallel_axes
    moved = Phi - across @ Psi
    return np.asarray(body.mass * moved.T @ moved + Psi.T @ R @ inertia @ R.T @ Psi)
