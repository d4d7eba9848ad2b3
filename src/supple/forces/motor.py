"""Motor: rotor and gear of an actuator."""

from __future__ import annotations

from dataclasses import dataclass

from supple.forces.base import JointForce
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.joints.interactions import Shaft


@dataclass(frozen=True, eq=False, init=False)
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

    inertia: float
    ratio: float
    damping: float
    stiffness: float | None
    gear_damping: float

    def __init__(
        self,
        name: str,
        joint: Joint | str,
        inertia: float = 0.0,
        ratio: float = 1.0,
        damping: float = 0.0,
        stiffness: float | None = None,
        gear_damping: float = 0.0,
        coordinate: int | str = 0,
    ) -> None:
        owner = self._act_on(name, joint, coordinate)
        if isinstance(joint, Shaft):
            raise ModelError(owner, "joint", joint, "a joint or its name, not another motor")
        ratio = validate.not_zero(owner, "ratio", ratio)
        inertia = validate.not_negative(owner, "inertia", inertia)
        gear_damping = validate.not_negative(owner, "gear_damping", gear_damping)
        if stiffness is not None:
            stiffness = validate.positive(owner, "stiffness", stiffness)
            if inertia == 0.0:
                raise ModelError(owner, "inertia", inertia, "positive with an elastic gear")
        elif gear_damping > 0.0:
            expected = "zero for a rigid gear; an elastic one has a stiffness"
            raise ModelError(owner, "gear_damping", gear_damping, expected)
        set_fields(
            self,
            inertia=inertia,
            ratio=ratio,
            damping=validate.not_negative(owner, "damping", damping),
            stiffness=stiffness,
            gear_damping=gear_damping,
        )
