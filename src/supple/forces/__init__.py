"""Force elements: what pushes, pulls, turns and drives."""

from supple.forces.base import ForceElement, JointForce
from supple.forces.functions import (
    EffortFunction,
    ForceFunction,
    FrameState,
    PairFunction,
    PairState,
)
from supple.forces.joints import (
    PID,
    CouplingSpring,
    JointEffort,
    JointFriction,
    JointSpring,
    JointStop,
)
from supple.forces.laws import ForceFormula, ForceTable
from supple.forces.motor import Motor
from supple.forces.points import Bushing, CartesianSpring, DistributedLoad, Force, SpringDamper
from supple.forces.ropes import Drum, Pulley, Rope
from supple.forces.surfaces import Pressure, SurfaceLoad

__all__ = [
    "PID",
    "Bushing",
    "CartesianSpring",
    "CouplingSpring",
    "DistributedLoad",
    "Drum",
    "EffortFunction",
    "Force",
    "ForceElement",
    "ForceFormula",
    "ForceFunction",
    "ForceTable",
    "FrameState",
    "JointEffort",
    "JointForce",
    "JointFriction",
    "JointSpring",
    "JointStop",
    "Motor",
    "PairFunction",
    "PairState",
    "Pressure",
    "Pulley",
    "Rope",
    "SpringDamper",
    "SurfaceLoad",
]
