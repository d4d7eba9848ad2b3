"""Inputs that are held over a step: efforts, forces, accelerations of driven motions.

The words are those of `supple.analyses.linear.state_space`. An input is a polynomial of time in a
force element or driver of the model; a stepper writes its numbers where the compiled model has
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from supple.analyses.linear.state_space import AXES, EFFORTS, EXPECTED
from supple.constraints.couplings import joint_target
from supple.constraints.drivers import Driver
from supple.engine.base.compiled import Compiled
from supple.forces import Force, JointEffort, Motor
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, suggestion
from supple.foundation.frames import Body, Frame
from supple.foundation.validate import listed
from supple.joints import Joint
from supple.model import Model
from supple.signals.piecewise import Polynomial

MARK = 1.6180339887498949e-210  # s; instants that are zero, and by which polynomials are found


class HeldInput(NamedTuple):
    """An input: its name and unit, the instant that marks its polynomial, whether it is driven."""

    name: str
    unit: str
    mark: float
    driven: bool = False


class Inputs:
    """Adds inputs to a copy of a model.

    Attributes
    ----------
    model : the copy
    held : the inputs in the order in which they were asked for
    """

    def __init__(self, owner: str, model: Model, given: Any, t: float) -> None:
        self.owner, self.model, self.t = owner, model.copy(), t
        self.held: list[HeldInput] = []
        one = isinstance(given, (str, Joint, Body, Frame)) or _is_pair(given)
        for item in [given] if one else listed(owner, "inputs", given, EXPECTED):
            self._add(item)

    def _add(self, item: Any) -> None:
        if isinstance(item, (Body, Frame)):
            self._at_frame(item, AXES)
        elif _is_pair(item) and isinstance(item[0], (Body, Frame)):
            if item[1] not in AXES:
                expected = f"a frame with one of {', '.join(map(repr, AXES))}"
                raise ModelError(self.owner, "inputs", tuple(item), expected)
            self._at_frame(item[0], (item[1],))
        elif isinstance(item, str) and item in self.model.forces:
            self._in_element(item)
        elif isinstance(item, str) and item in self.model.drivers:
            self._in_driver(item)
        else:
            for joint, index in self._coordinates(item):
                name = f"{joint.name}.{joint.coordinate_names[index]}"
                signal = self._held(name, EFFORTS[joint.units[index]])
                self._put(JointEffort(f"input {name.replace('.', ' ')}", joint, signal, index))

    def _held(self, name: str, unit: str, motion: Sequence[float] = ()) -> Polynomial:
        """The polynomial of the next input: zero, or with the value and rate of a motion."""
        if any(name == held.name for held in self.held):
            raise ModelError(self.owner, "inputs", name, "each of them once")
        mark = (1 + len(self.held)) * MARK
        self.held.append(HeldInput(name, unit, mark, bool(motion)))
        value, rate = motion or (0.0, 0.0)
        return Polynomial([value - rate * self.t, rate, 0.0], start=mark)

    def _put(self, item: Any) -> None:
        if item.name in self.model:
            expected = "an input that no item of the model has the name of"
            raise ModelError(self.owner, "inputs", item.name, expected)
        self.model.add(item)

    def _at_frame(self, item: Body | Frame, axes: Sequence[str]) -> None:
        body = item.body if isinstance(item, Frame) else item
        known = self.model[body.name] if body.name in self.model else None
        if known is not body:
            expected = "a body of the model, or a frame on one"
            raise ModelError(self.owner, "inputs", item, expected)
        frame = item if isinstance(item, Frame) else item.at(0.0)
        units = dict(zip(AXES, ("N",) * 3 + ("N m",) * 3, strict=True))
        parts = {a: self._held(f"{frame.name}.{a}", units[a]) for a in axes}
        six: list[Any] = [parts.get(axis, 0.0) for axis in AXES]
        name = f"input {len(self.held)} at {body.name}"
        self._put(Force(name, frame, force=six[:3], torque=six[3:]))

    def _in_element(self, name: str) -> None:
        force = self.model.forces[name]
        if not isinstance(force, (JointEffort, Motor)):
            expected = "a JointEffort or a Motor; of other forces, the frame that they act at"
            raise ModelError(self.owner, "inputs", name, expected)
        joint, coordinate = self.model.joints.get(force.joint), force.coordinate
        motor = self.model.forces.get(force.joint)
        if isinstance(motor, Motor):
            joint, coordinate = self.model.joints[motor.joint], motor.coordinate
        unit = EFFORTS["m"]  # of what slides along a line
        if joint is not None:
            unit = EFFORTS[joint.units[joint.coordinate_index(coordinate, self.owner)]]
        signal = self._held(name, unit)
        if isinstance(force, Motor):
            self._put(JointEffort(f"input {name}", name, signal))
        else:
            self.model.replace(name, effort=signal)

    def _in_driver(self, name: str) -> None:
        driver = self.model.drivers[name]
        if not isinstance(driver, Driver):
            expected = "a Driver of a joint coordinate; it is the only constraint that may be one"
            raise ModelError(self.owner, "inputs", name, expected)
        joint = self.model.joints[driver.joint]
        unit = joint.units[joint.coordinate_index(driver.coordinate, self.owner)]
        value, rate, _ = (float(x) for x in driver.motion.derivatives(self.t))
        signal = self._held(f"{name}.acceleration", f"{unit}/s2", (value, rate))
        self.model.replace(name, motion=signal)

    def _coordinates(self, item: Any) -> Iterator[tuple[Joint, int]]:
        """Scalar coordinates of joints that an item means."""
        joints = self.model.joints
        coordinate: int | str | None
        if isinstance(item, str):
            name, _, word = item.partition(".")
            coordinate = word or None
        elif isinstance(item, Joint) or _is_pair(item):
            target = item if isinstance(item, Joint) else tuple(item)
            name, place = joint_target(self.owner, "inputs", target)
            coordinate = None if isinstance(item, Joint) else place
        else:
            raise ModelError(self.owner, "inputs", item, EXPECTED)
        if name not in joints:
            known = [*joints, *self.model.forces, *self.model.drivers]
            hint = suggestion(name, known)
            raise ModelError(self.owner, "inputs", name, f"{EXPECTED}; {hint}")
        joint = joints[name]
        if joint.nq != joint.nu or not joint.nu:
            expected = "a joint with angles or displacements; of others, the frame B"
            raise ModelError(self.owner, "inputs", name, expected)
        if coordinate is None:
            yield from ((joint, k) for k in range(joint.nu))
        else:
            yield joint, joint.coordinate_index(coordinate, self.owner)

    def places(self, compiled: Compiled) -> Array:
        """Places (n,) of the polynomials' instants among the reals; value and rates are behind."""
        found = [np.flatnonzero(compiled.reals == held.mark) for held in self.held]
        assert all(len(places) == 1 for places in found)
        return np.array([places[0] for places in found], dtype=np.int64)


def _is_pair(item: Any) -> bool:
    pair = isinstance(item, (tuple, list)) and len(item) == 2 and isinstance(item[1], (str, int))
    return pair and isinstance(item[0], (Joint, Body, Frame))
