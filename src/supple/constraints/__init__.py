"""Constraints and drivers: relations that hold at every instant, whatever force it takes.

What a user writes, and the table of kinds that says everything but the kernels' part about each:
rows, unknowns, drawing, names of loads. Changes of a model at events are here, too. It imports
joints, bodies and signals.
"""

from supple.constraints.base import Constraint, FrameConstraint
from supple.constraints.couplings import CoordinateConstraint, Coupling, Gear, Rack, Screw
from supple.constraints.drivers import Driver, FrameDriver, check_drivers
from supple.constraints.points import Distance, PointOnLine, PointOnPlane, SlidingJoint
from supple.constraints.rates import Blade, RateConstraint, RateCoupling, SpeedDriver
from supple.constraints.rolling import Rolling
from supple.constraints.topology_changes import Change

__all__ = [
    "Blade",
    "Change",
    "Constraint",
    "CoordinateConstraint",
    "Coupling",
    "Distance",
    "Driver",
    "FrameConstraint",
    "FrameDriver",
    "Gear",
    "PointOnLine",
    "PointOnPlane",
    "Rack",
    "RateConstraint",
    "RateCoupling",
    "Rolling",
    "Screw",
    "SlidingJoint",
    "SpeedDriver",
    "check_drivers",
]
