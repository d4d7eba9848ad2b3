"""Force elements: springs, dampers, motors, controllers, ropes, loads.

What a user writes, and the table of kinds that says everything but the kernels' part about each:
where it may act, its energy, its drawing, its names. It imports joints, bodies and signals.
"""

from supple.forces.base import ForceElement, JointForce
from supple.forces.contact_laws import Friction, Hertz, HuntCrossley, RoundedFriction
from supple.forces.contact_sets import Contacts
from supple.forces.contacts import Contact
from supple.forces.controllers import (
    ControlLaw,
    Controller,
    SampledController,
    StateSpaceController,
    state_feedback,
)
from supple.forces.functions import (
    EffortFunction,
    ForceFunction,
    FrameState,
    PairFunction,
    PairState,
)
from supple.forces.joints import (
    PID,
    CoordinateSpring,
    JointEffort,
    JointFriction,
    JointSpring,
    JointStop,
    Motor,
)
from supple.forces.laws import FormulaLaw, TableLaw
from supple.forces.points import Bushing, CartesianSpring, DistributedLoad, Force, SpringDamper
from supple.forces.ropes import Drum, Pulley, Rope
from supple.forces.surfaces import Pressure, SurfaceLoad
from supple.forces.tyre_laws import BrushTyre, LinearTyre, MagicFormula
from supple.forces.tyres import Tyre

__all__ = [
    "PID",
    "BrushTyre",
    "Bushing",
    "CartesianSpring",
    "Contact",
    "Contacts",
    "ControlLaw",
    "Controller",
    "CoordinateSpring",
    "DistributedLoad",
    "Drum",
    "EffortFunction",
    "Force",
    "ForceElement",
    "ForceFunction",
    "FormulaLaw",
    "FrameState",
    "Friction",
    "Hertz",
    "HuntCrossley",
    "JointEffort",
    "JointForce",
    "JointFriction",
    "JointSpring",
    "JointStop",
    "LinearTyre",
    "MagicFormula",
    "Motor",
    "PairFunction",
    "PairState",
    "Pressure",
    "Pulley",
    "Rope",
    "RoundedFriction",
    "SampledController",
    "SpringDamper",
    "StateSpaceController",
    "SurfaceLoad",
    "TableLaw",
    "Tyre",
    "state_feedback",
]
