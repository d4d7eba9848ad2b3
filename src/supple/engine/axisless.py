"""What cannot be attached to a body whose places have no axes: what turns them, or is along them.

A cable passes on forces, no moments. What asks for more is refused: nothing would resist it, and no
result would show that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from supple.constraints import (
    Distance,
    FrameConstraint,
    PointOnLine,
    PointOnPlane,
    SlidingJoint,
)
from supple.errors import ModelError, label
from supple.forces import Bushing, CartesianSpring, Drum, Force, Pulley, Rope
from supple.frames import Body, Frame
from supple.joints import Joint
from supple.model import Model
from supple.signals import Constant


def refuse_axes(model: Model, body: Body, turns: Callable[[Frame], bool]) -> None:
    """Refuse joints, constraints and forces that need axes at frames of a body without any.

    ``turns`` says whether a frame of the body has axes that turn with it.
    """
    items: list[Any] = [*model.joints.values(), *model.constraints.values()]
    for item in (*items, *model.forces.values()):
        for name, frame in item.frames.items():
            if frame.body.name == body.name and not turns(frame):
                _refuse(item, name, frame, body)


def _refuse(item: Any, name: str, frame: Frame, body: Body) -> None:
    if isinstance(item, Joint):
        charts = [motion.row.chart for motion in item.motions]
        if not any(chart is not None and chart.quaternion for chart in charts):
            _raise(item, name, body, "a joint that leaves all rotations free, e.g. Spherical")
    elif isinstance(item, FrameConstraint) and not isinstance(item, (Distance, SlidingJoint)):
        point = isinstance(item, (PointOnLine, PointOnPlane)) and name == "B"
        if not point:
            _raise(item, name, body, "a constraint of its place alone, e.g. Distance")
    elif isinstance(item, Force):
        turning = [s for s in item.torque if not (isinstance(s, Constant) and s.value == 0.0)]
        if turning or item.axes == "body":
            _raise(item, name, body, "a force along the axes of the world without a torque")
    elif isinstance(item, (Bushing, CartesianSpring)) and name == "A":
        _raise(item, name, body, "a SpringDamper, or this place at B")
    elif isinstance(item, Rope):
        stations = dict(zip(item.frames, item.path, strict=True))
        if isinstance(stations[name], (Pulley, Drum)):
            _raise(item, name, body, "a point, which needs no axes")
    elif isinstance(item, Bushing):
        _raise(item, name, body, "a SpringDamper or a CartesianSpring")


def _raise(item: Any, name: str, body: Body, expected: str) -> None:
    raise ModelError.plain(
        f"{label(item)}: {name} is on {label(body)}, whose places have no axes that turn with it, "
        f"expected {expected}"
    )
