"""Supple: dynamics of systems of rigid and flexible bodies that move far and deform.

Write down a ``Model`` of bodies, joints and forces, run it by ``simulate``, read the ``Result``.
The vocabulary is loaded at once; the engine, results and cases are loaded on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from supple.analyses.diagnosis import Diagnosis
from supple.bodies import (
    Beam,
    Body,
    FlexibleBody,
    FrameBody,
    Ground,
    PointMass,
    RigidBody,
    SIDBody,
    write_sid,
)
from supple.changes import Change, Lock, Release, Unlock
from supple.constraints import (
    Constraint,
    Coupling,
    Distance,
    Driver,
    FrameDriver,
    Gear,
    PointOnLine,
    PointOnPlane,
    Rack,
    Screw,
)
from supple.errors import FileError, ModelError, SimulationError, SuppleError, SuppleWarning
from supple.events import Event
from supple.fem import (
    Box,
    Circle,
    ISection,
    KelvinVoigt,
    Material,
    Member,
    ModalDamping,
    Rayleigh,
    Rectangle,
    Section,
    TaperedSection,
    Tube,
    mass_properties,
    rigid_modes,
)
from supple.forces import (
    PID,
    Bushing,
    CartesianSpring,
    CouplingSpring,
    DistributedLoad,
    EffortFunction,
    Force,
    ForceElement,
    ForceFormula,
    ForceFunction,
    ForceTable,
    FrameState,
    JointEffort,
    JointFriction,
    JointSpring,
    JointStop,
    Motor,
    PairFunction,
    PairState,
    SpringDamper,
)
from supple.frames import Frame
from supple.graph.linear_graph import GraphEdge, LinearGraph
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
from supple.reduction import (
    AttachmentModes,
    Axial,
    CraigBampton,
    NormalModes,
    PointLoad,
    Polynomials,
    SecondOrder,
    Sines,
    StaticShapes,
    UserShapes,
    VonKarman,
    WeightLoad,
)
from supple.signals import Constant, Expression, Polynomial, Signal, Sine, SmoothStep, Table
from supple.state import State

if TYPE_CHECKING:
    from supple import cases
    from supple.analyses.inverse import inverse_dynamics
    from supple.analyses.kinematics import kinematics
    from supple.analyses.linear_model import LinearModel
    from supple.analyses.linearize import linearize
    from supple.analyses.prepared import Prepared, prepare
    from supple.analyses.simulate import simulate
    from supple.analyses.statics import StaticResult, statics
    from supple.analyses.stiffness import stiffness
    from supple.analyses.stiffness_result import StiffnessResult
    from supple.bodies.mesh import MeshBody
    from supple.fem.abaqus import read_abaqus
    from supple.fem.block import block
    from supple.fem.buckling import Buckling, buckling
    from supple.fem.check import ComponentReport, check_component
    from supple.fem.geometry_files import mesh_geometry
    from supple.fem.imported import ImportedComponent
    from supple.fem.interface import Interface
    from supple.fem.matrix_files import (
        load_component,
        read_calculix,
        save_component,
    )
    from supple.fem.matrix_market import read_matrix_market
    from supple.fem.mesh_data import MeshData
    from supple.fem.mesh_files import read_mesh
    from supple.fem.nastran import read_nastran
    from supple.fem.rosette import principal_strains, rosette_strain
    from supple.fem.solid import SolidMesh
    from supple.fem.ties import tie
    from supple.fem.vibration import lowest_modes
    from supple.formulations.transformation import velocity_transformation
    from supple.formulations.trees import Absolute, Branch, JointCoordinates
    from supple.integrators.alpha import HHT, GeneralizedAlpha, Newmark
    from supple.integrators.energy import EnergyScheme
    from supple.integrators.explicit import DormandPrince
    from supple.integrators.radau import Radau
    from supple.integrators.sundials import BDF, Adams
    from supple.loops.assembly import assemble
    from supple.modelfiles.document import ModelFile, read_model
    from supple.modelfiles.problems import ModelFileError
    from supple.modelfiles.writer import write_model
    from supple.results.monitor import Monitor
    from supple.results.result import Result, load
    from supple.results.section_views import SectionForces
    from supple.studies.comparison import compare
    from supple.studies.convergence import converge
    from supple.studies.lyapunov import lyapunov

__version__ = "0.1.0.dev0"

__all__ = [
    "BDF",
    "HHT",
    "PID",
    "Absolute",
    "Adams",
    "AttachmentModes",
    "Axial",
    "Beam",
    "Body",
    "Box",
    "Branch",
    "Buckling",
    "Bushing",
    "CartesianSpring",
    "Change",
    "Circle",
    "ComponentReport",
    "Constant",
    "Constraint",
    "Coupling",
    "CouplingSpring",
    "CraigBampton",
    "Cylindrical",
    "Diagnosis",
    "Distance",
    "DistributedLoad",
    "DormandPrince",
    "Driver",
    "EffortFunction",
    "EnergyScheme",
    "Event",
    "Expression",
    "FileError",
    "Fixed",
    "FlexibleBody",
    "Force",
    "ForceElement",
    "ForceFormula",
    "ForceFunction",
    "ForceTable",
    "Frame",
    "FrameBody",
    "FrameDriver",
    "FrameState",
    "Free",
    "Gear",
    "General",
    "GeneralizedAlpha",
    "GraphEdge",
    "Ground",
    "ISection",
    "ImportedComponent",
    "Interface",
    "Joint",
    "JointCoordinates",
    "JointEffort",
    "JointFriction",
    "JointSpring",
    "JointStop",
    "KelvinVoigt",
    "LinearGraph",
    "LinearModel",
    "Lock",
    "Material",
    "Member",
    "MeshBody",
    "MeshData",
    "ModalDamping",
    "Model",
    "ModelError",
    "ModelFile",
    "ModelFileError",
    "Monitor",
    "Motor",
    "Newmark",
    "NormalModes",
    "PairFunction",
    "PairState",
    "Planar",
    "PointLoad",
    "PointMass",
    "PointOnLine",
    "PointOnPlane",
    "Polynomial",
    "Polynomials",
    "Prepared",
    "Prismatic",
    "Rack",
    "Radau",
    "Rayleigh",
    "Rectangle",
    "Release",
    "Result",
    "Revolute",
    "RigidBody",
    "SIDBody",
    "Screw",
    "SecondOrder",
    "Section",
    "SectionForces",
    "Signal",
    "SimulationError",
    "Sine",
    "Sines",
    "SmoothStep",
    "SolidMesh",
    "Spherical",
    "SpringDamper",
    "State",
    "StaticResult",
    "StaticShapes",
    "StiffnessResult",
    "SuppleError",
    "SuppleWarning",
    "Table",
    "TaperedSection",
    "Tube",
    "Universal",
    "Unlock",
    "UserShapes",
    "VonKarman",
    "WeightLoad",
    "assemble",
    "block",
    "buckling",
    "cases",
    "check_component",
    "compare",
    "converge",
    "inverse_dynamics",
    "kinematics",
    "linearize",
    "load",
    "load_component",
    "lowest_modes",
    "lyapunov",
    "mass_properties",
    "mesh_geometry",
    "prepare",
    "principal_strains",
    "read_abaqus",
    "read_calculix",
    "read_matrix_market",
    "read_mesh",
    "read_model",
    "read_nastran",
    "rigid_modes",
    "rosette_strain",
    "save_component",
    "simulate",
    "statics",
    "stiffness",
    "tie",
    "velocity_transformation",
    "write_model",
    "write_sid",
]

# name: the module it is loaded from on first use (None: it is a module itself)
_ON_FIRST_USE: dict[str, str | None] = {
    "Absolute": "supple.formulations.trees",
    "Adams": "supple.integrators.sundials",
    "BDF": "supple.integrators.sundials",
    "Branch": "supple.formulations.trees",
    "Buckling": "supple.fem.buckling",
    "ComponentReport": "supple.fem.check",
    "DormandPrince": "supple.integrators.explicit",
    "EnergyScheme": "supple.integrators.energy",
    "GeneralizedAlpha": "supple.integrators.alpha",
    "HHT": "supple.integrators.alpha",
    "ImportedComponent": "supple.fem.imported",
    "Interface": "supple.fem.interface",
    "JointCoordinates": "supple.formulations.trees",
    "LinearModel": "supple.analyses.linear_model",
    "MeshBody": "supple.bodies.mesh",
    "MeshData": "supple.fem.mesh_data",
    "ModelFile": "supple.modelfiles.document",
    "ModelFileError": "supple.modelfiles.problems",
    "Monitor": "supple.results.monitor",
    "Newmark": "supple.integrators.alpha",
    "Prepared": "supple.analyses.prepared",
    "Radau": "supple.integrators.radau",
    "Result": "supple.results.result",
    "SectionForces": "supple.results.section_views",
    "SolidMesh": "supple.fem.solid",
    "StaticResult": "supple.analyses.statics",
    "StiffnessResult": "supple.analyses.stiffness_result",
    "assemble": "supple.loops.assembly",
    "block": "supple.fem.block",
    "buckling": "supple.fem.buckling",
    "cases": None,
    "check_component": "supple.fem.check",
    "compare": "supple.studies.comparison",
    "converge": "supple.studies.convergence",
    "inverse_dynamics": "supple.analyses.inverse",
    "kinematics": "supple.analyses.kinematics",
    "linearize": "supple.analyses.linearize",
    "load": "supple.results.result",
    "load_component": "supple.fem.matrix_files",
    "lowest_modes": "supple.fem.vibration",
    "lyapunov": "supple.studies.lyapunov",
    "mesh_geometry": "supple.fem.geometry_files",
    "prepare": "supple.analyses.prepared",
    "principal_strains": "supple.fem.rosette",
    "read_abaqus": "supple.fem.abaqus",
    "read_calculix": "supple.fem.matrix_files",
    "read_matrix_market": "supple.fem.matrix_market",
    "read_mesh": "supple.fem.mesh_files",
    "read_model": "supple.modelfiles.document",
    "read_nastran": "supple.fem.nastran",
    "rosette_strain": "supple.fem.rosette",
    "save_component": "supple.fem.matrix_files",
    "simulate": "supple.analyses.simulate",
    "statics": "supple.analyses.statics",
    "stiffness": "supple.analyses.stiffness",
    "tie": "supple.fem.ties",
    "velocity_transformation": "supple.formulations.transformation",
    "write_model": "supple.modelfiles.writer",
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
