"""Force elements: what pushes, pulls, turns and drives."""

from supple.forces.base import ForceElement, JointForce
from supple.forces.functions import EffortFunction, ForceFunction, FrameState
from supple.forces.joints import PID, JointEffort, JointFriction, JointSpring, JointStop
from supple.forces.motor import Motor
from supple.forces.points import Bushing, DistributedLoad, Force, SpringDamper

__all__ = [
    "PID",
    "Bushing",
    "DistributedLoad",
    "EffortFunction",
    "Force",
    "ForceElement",
    "ForceFunction",
    "FrameState",
    "JointEffort",
    "JointForce",
    "JointFriction",
    "JointSpring",
    "JointStop",
    "Motor",
    "SpringDamper",
]
