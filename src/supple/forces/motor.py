"""Motor: rotor and gear of an actuator."""

from __future__ import annotations

from typing import Any

from supple.forces.base import JointForce
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, declared, given, not_negative, not_zero, positive
from supple.joints import Joint
from supple.joints.interactions import Shaft


@declared
class Motor(JointForce, Shaft):
    """The rotor and gear of an actuator on a joint coordinate.

    It has a shaft on which other elements act: ``PID("control", motor, ...)``, ``JointEffort``,
    ``JointFriction`` and so on see the shaft's angle and rate and turn the shaft.

    Parameters
    ----------
    inertia : kg m2 (or kg on a sliding coordinate)
        Of the rotor about its own axis. On the joint it counts ``ratio**2`` times. Gyroscopic
        torques of the rotor are left out.
    ratio : float
        Shaft angle for each unit of the joint coordinate; negative turns the other way.
    damping : N m s/rad
        On the shaft.
    stiffness : N m/rad (or N/m), optional
        Of an elastic gear, seen at the joint: the effort on the joint is
        ``stiffness (shaft/ratio - q) + gear_damping (shaft'/ratio - q')``. The shaft then has an
        angle of its own, which starts with the gear at rest. Without it the gear is rigid.
    gear_damping : N m s/rad
        Of an elastic gear, seen at the joint.
    """

    joint: Given[Joint | str, str] = given()
    inertia: float = not_negative("kg m2 or kg", default=0.0)
    ratio: float = not_zero(default=1.0)
    damping: float = not_negative("N m s/rad or N s/m", default=0.0)
    stiffness: float | None = positive("N m/rad or N/m", default=None)
    gear_damping: float = not_negative("N m s/rad or N s/m", default=0.0)
    coordinate: int | str = given(default=0)

    def _check(self, owner: str) -> None:
        joint: Any = self.joint
        super()._check(owner)
        if isinstance(joint, Shaft):
            raise ModelError(owner, "joint", joint, "a joint or its name, not another motor")
        if self.stiffness is None and self.gear_damping > 0.0:
            expected = "zero for a rigid gear; an elastic one has a stiffness"
            raise ModelError(owner, "gear_damping", self.gear_damping, expected)
        if self.stiffness is not None and self.inertia == 0.0:
            raise ModelError(owner, "inertia", self.inertia, "positive with an elastic gear")
