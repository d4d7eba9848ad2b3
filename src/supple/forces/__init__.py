"""Force elements: what pushes, pulls, turns and drives."""

from supple.forces.base import ForceElement, JointForce
from supple.forces.controllers import Controller, LinearLaw
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
from supple.forces.sampled import SampledController
from supple.forces.state_space import StateSpaceController, state_feedback
from supple.forces.surfaces import Pressure, SurfaceLoad

__all__ = [
    "PID",
    "Bushing",
    "CartesianSpring",
    "Controller",
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
    "LinearLaw",
    "Motor",
    "PairFunction",
    "PairState",
    "Pressure",
    "Pulley",
    "Rope",
    "SampledController",
    "SpringDamper",
    "StateSpaceController",
    "SurfaceLoad",
    "state_feedback",
]
