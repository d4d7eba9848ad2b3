"""Supple: dynamics of systems of rigid and flexible bodies that move far and deform.

Write down a ``Model`` of bodies, joints and forces, run it by ``simulate``, read the ``Result``.
The vocabulary is loaded at once; the engine, results and cases are loaded on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from supple.bodies import Beam, Body, Ground, PointMass, RigidBody
from supple.errors import ModelError, SimulationError, SuppleError, SuppleWarning
from supple.events import Event
from supple.fem import Box, Circle, Material, Rayleigh, Rectangle, Section, Tube
from supple.forces import PID, Force, ForceElement, JointEffort, JointSpring, SpringDamper
from supple.frames import Frame
from supple.joints import (
    Cylindrical,
    Fixed,
    Free,
    General,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from supple.model import Model
from supple.signals import Constant, Polynomial, Signal, Sine, SmoothStep, Table
from supple.state import State

if TYPE_CHECKING:
    from supple import cases
    from supple.formulations.joint import JointCoordinates
    from supple.integrators.alpha import HHT, GeneralizedAlpha, Newmark
    from supple.integrators.explicit import DormandPrince
    from supple.integrators.radau import Radau
    from supple.result import Result, load
    from supple.simulation import simulate
    from supple.transformation import velocity_transformation

__version__ = "0.1.0.dev0"

__all__ = [
    "HHT",
    "PID",
    "Beam",
    "Body",
    "Box",
    "Circle",
    "Constant",
    "Cylindrical",
    "DormandPrince",
    "Event",
    "Fixed",
    "Force",
    "ForceElement",
    "Frame",
    "Free",
    "General",
    "GeneralizedAlpha",
    "Ground",
    "Joint",
    "JointCoordinates",
    "JointEffort",
    "JointSpring",
    "Material",
    "Model",
    "ModelError",
    "Newmark",
    "Planar",
    "PointMass",
    "Polynomial",
    "Prismatic",
    "Radau",
    "Rayleigh",
    "Rectangle",
    "Result",
    "Revolute",
    "RigidBody",
    "Section",
    "Signal",
    "SimulationError",
    "Sine",
    "SmoothStep",
    "Spherical",
    "SpringDamper",
    "State",
    "SuppleError",
    "SuppleWarning",
    "Table",
    "Tube",
    "Universal",
    "cases",
    "load",
    "simulate",
    "velocity_transformation",
]

# name: the module it is loaded from on first use (None: it is a module itself)
_ON_FIRST_USE: dict[str, str | None] = {
    "DormandPrince": "supple.integrators.explicit",
    "GeneralizedAlpha": "supple.integrators.alpha",
    "HHT": "supple.integrators.alpha",
    "JointCoordinates": "supple.formulations.joint",
    "Newmark": "supple.integrators.alpha",
    "Radau": "supple.integrators.radau",
    "Result": "supple.result",
    "cases": None,
    "load": "supple.result",
    "simulate": "supple.simulation",
    "velocity_transformation": "supple.transformation",
}


def __getattr__(name: str) -> Any:
    """Load a name on first use and keep it."""
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module 'supple' has no attribute {name!r}")
    module = _ON_FIRST_USE[name]
    if module is None:
        value: Any = importlib.import_module(f"supple.{name}")
    else:
        value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Names loaded so far and those loaded on first use."""
    return sorted({*globals(), *__all__})
