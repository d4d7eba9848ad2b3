"""Table of force elements: everything needed outside kernels.

How to add one is in CONTRIBUTING.md, "A force element".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from supple.core.forces import forces as codes
from supple.forces.base import ForceElement
from supple.forces.contact_sets import Contacts
from supple.forces.contacts import Contact
from supple.forces.controllers import SampledController, StateSpaceController
from supple.forces.functions import EffortFunction, ForceFunction, PairFunction
from supple.forces.joints import (
    PID,
    CoordinateSpring,
    JointEffort,
    JointFriction,
    JointSpring,
    JointStop,
    Motor,
)
from supple.forces.points import Bushing, CartesianSpring, DistributedLoad, Force, SpringDamper
from supple.forces.ropes import Rope
from supple.forces.surfaces import Pressure, SurfaceLoad
from supple.forces.tyres import Tyre
from supple.foundation.errors import ModelError, label
from supple.joints.motions import ALL_METHODS, WITHOUT_ENERGY, Method

Couples = Literal["", "nodes", "velocities", "state", "terms", "path"]
Stores = Literal[
    "", "coordinate", "line", "rope", "frames", "coupling", "gear", "contact", "contacts",
    "tyre",
]  # fmt: skip
View = Literal[
    "motor", "coordinate", "efforts", "line", "point", "rope", "contact", "contacts", "energy",
    "sampled", "controller", "tyre",
]  # fmt: skip


@dataclass(frozen=True)
class ElementKind:
    """A law of the kernels."""

    code: int  # the element's integer in the kernels
    words: str  # what it is, for sentences
    dissipates: bool  # its power is energy lost, not work done on the system
    # what its tangent couples beyond bodies: paths to two nodes (places 1 and 2 of its integers),
    # two velocities (places 2 and 4), a velocity with a controller state (2 and 4), the velocities
    # of its terms, or paths to all stations of a rope or of lines
    couples: Couples = ""
    methods: frozenset[Method] = ALL_METHODS  # families of integrators that treat it


ONE_STEP: frozenset[Method] = frozenset(("one-step",))
ELEMENTS: dict[int, ElementKind] = {
    kind.code: kind
    for kind in (
        ElementKind(codes.FORCE, "a force", False),
        ElementKind(codes.SPRING_DAMPER, "a spring", True, "nodes"),
        ElementKind(codes.BODY_DAMPING, "damping of a body", True, "", WITHOUT_ENERGY),
        ElementKind(codes.BUSHING, "a bushing", True, "nodes", WITHOUT_ENERGY),
        ElementKind(codes.LOAD, "a distributed load", False, "", WITHOUT_ENERGY),
        ElementKind(codes.FRAME_FUNCTION, "a function of the state", False, "", WITHOUT_ENERGY),
        ElementKind(
            codes.JOINT_FUNCTION, "a function of the state", False, "terms", WITHOUT_ENERGY
        ),
        ElementKind(codes.PAIR_FUNCTION, "a function of the state", False, "nodes", WITHOUT_ENERGY),
        ElementKind(codes.LINE_LAW, "a spring with a law", True, "nodes", WITHOUT_ENERGY),
        ElementKind(codes.CARTESIAN, "a spring along axes", True, "nodes", WITHOUT_ENERGY),
        ElementKind(codes.GEAR, "an elastic gear", True, "velocities", WITHOUT_ENERGY),
        ElementKind(codes.DRIVE, "a driver", False, "", WITHOUT_ENERGY),
        ElementKind(codes.MEMBRANE, "stiffening of a body", False, "", WITHOUT_ENERGY),
        ElementKind(codes.GRADIENT, "a gradient body", True),
        ElementKind(codes.LINEAR_CONTROL, "a controller", False, "terms", WITHOUT_ENERGY),
        ElementKind(codes.ROPE, "a rope", True, "path", WITHOUT_ENERGY),
        ElementKind(codes.CONTACT, "a contact", True, "nodes", WITHOUT_ENERGY),
        ElementKind(codes.RUBBING, "friction of a contact", True, "", WITHOUT_ENERGY),
        ElementKind(codes.CONTACT_SET, "a set of bodies found by cells", True, "", ONE_STEP),
        ElementKind(codes.SET_RUBBING, "friction of a set", True, "", ONE_STEP),
        ElementKind(codes.TYRE, "a tyre", True, "nodes", WITHOUT_ENERGY),
        ElementKind(codes.TYRE_SLIP, "slip of a tyre", True, "", WITHOUT_ENERGY),
        ElementKind(codes.LINE_CONTACT, "contact of two lines", True, "path", WITHOUT_ENERGY),
        ElementKind(codes.LINE_RUBBING, "friction of two lines", True, "", WITHOUT_ENERGY),
        ElementKind(codes.SHAPES, "shapes that roll", False, "", WITHOUT_ENERGY),
        ElementKind(codes.VECTOR_LOAD, "a load along a gradient body", False),
        ElementKind(
            codes.SECTION_LOAD, "a load on sections of a gradient body", False, "", WITHOUT_ENERGY
        ),
        ElementKind(codes.PRESSURE, "pressure on a gradient body", False, "", WITHOUT_ENERGY),
        ElementKind(codes.JOINT_SPRING, "a spring", True),
        ElementKind(codes.JOINT_EFFORT, "an effort", False),
        ElementKind(codes.PID, "a controller", False, "state", WITHOUT_ENERGY),
        ElementKind(codes.JOINT_FRICTION, "friction", True),
        ElementKind(codes.JOINT_STOP, "a stop", True, "", WITHOUT_ENERGY),
        ElementKind(codes.JOINT_LAW, "a spring with a law", True, "", WITHOUT_ENERGY),
    )
}


def _never(force: Any) -> bool:
    return False


def _always(force: Any) -> bool:
    return True


def _if_kinked(force: JointSpring | SpringDamper) -> bool:
    return any(law is not None and law.kinked for law in (force.spring, force.damper))


def _if_limited(force: PID | StateSpaceController) -> bool:
    return bool(np.any(np.asarray(force.limit) < math.inf))


@dataclass(frozen=True)
class ForceKind:
    """A class of force elements."""

    cls: type[ForceElement]
    laws: tuple[int, ...]  # codes of the elements that it is compiled to
    view: View  # what ``result["its name"]`` shows
    stores: Stores  # along which motion it stores energy as a spring; "" if it stores none
    at_frames: bool = False  # its wrenches act at its ``frames``
    states: int = 0  # number of controller states
    # whether the law of a given element has branches, between which steps must end
    switches: Callable[[Any], bool] = _never


FORCES: dict[type[ForceElement], ForceKind] = {
    kind.cls: kind
    for kind in (
        ForceKind(Force, (codes.FORCE,), "point", "", at_frames=True),
        ForceKind(
            SpringDamper,
            (codes.SPRING_DAMPER, codes.LINE_LAW),
            "line",
            "line",
            at_frames=True,
            switches=_if_kinked,
        ),
        ForceKind(Rope, (codes.ROPE,), "rope", "rope", at_frames=True, switches=_always),
        ForceKind(
            Contact,
            (codes.CONTACT, codes.RUBBING, codes.LINE_CONTACT, codes.LINE_RUBBING),
            "contact",
            "contact",
            at_frames=True,
            switches=_always,
        ),
        ForceKind(
            Contacts,
            (
                *(codes.CONTACT, codes.RUBBING, codes.LINE_CONTACT, codes.LINE_RUBBING),
                *(codes.CONTACT_SET, codes.SET_RUBBING),
            ),
            "contacts",
            "contacts",
            at_frames=True,
            switches=_always,
        ),
        ForceKind(
            Tyre,
            (codes.TYRE, codes.TYRE_SLIP),
            "tyre",
            "tyre",
            at_frames=True,
            switches=_always,
        ),
        ForceKind(CartesianSpring, (codes.CARTESIAN,), "point", "frames", at_frames=True),
        ForceKind(Bushing, (codes.BUSHING,), "point", "frames", at_frames=True),
        ForceKind(
            DistributedLoad,
            (codes.LOAD, codes.FORCE, codes.VECTOR_LOAD, codes.SECTION_LOAD),
            "energy",
            "",
        ),
        ForceKind(SurfaceLoad, (codes.VECTOR_LOAD,), "energy", ""),
        ForceKind(Pressure, (codes.PRESSURE,), "energy", ""),
        ForceKind(ForceFunction, (codes.FRAME_FUNCTION,), "point", "", at_frames=True),
        ForceKind(PairFunction, (codes.PAIR_FUNCTION,), "point", "", at_frames=True),
        ForceKind(EffortFunction, (codes.JOINT_FUNCTION,), "efforts", ""),
        ForceKind(CoordinateSpring, (codes.GEAR,), "efforts", "coupling"),
        ForceKind(SampledController, (codes.JOINT_EFFORT,), "sampled", ""),
        ForceKind(
            StateSpaceController, (codes.LINEAR_CONTROL,), "controller", "", switches=_if_limited
        ),
        ForceKind(Motor, (codes.JOINT_SPRING, codes.GEAR), "motor", "gear"),
        ForceKind(
            JointSpring,
            (codes.JOINT_SPRING, codes.JOINT_LAW),
            "coordinate",
            "coordinate",
            switches=_if_kinked,
        ),
        ForceKind(JointEffort, (codes.JOINT_EFFORT,), "coordinate", ""),
        ForceKind(PID, (codes.PID,), "coordinate", "", states=1, switches=_if_limited),
        ForceKind(JointFriction, (codes.JOINT_FRICTION,), "coordinate", ""),
        ForceKind(JointStop, (codes.JOINT_STOP,), "coordinate", "coordinate", switches=_always),
    )
}


def force_kind(force: ForceElement) -> ForceKind:
    """The row of a force element."""
    found = FORCES.get(type(force))
    if found is None:
        known = ", ".join(cls.__name__ for cls in FORCES)
        raise ModelError(label(force), "type", type(force), f"one of {known}")
    return found
