"""Supple: dynamics of systems of rigid and flexible bodies that move far and deform.

Write down a ``Model`` of bodies, joints and forces, run it by ``simulate``, read the ``Result``.
The vocabulary is loaded at once; the engine, results and cases are loaded on first use.
"""

from __future__ import annotations

# ruff: noqa: E402
from supple import starting

starting.listen()  # before what takes time to load

import importlib
import sys
from typing import TYPE_CHECKING, Any

from supple.analyses.diagnosis import Diagnosis
from supple.bodies import (
    Beam,
    Body,
    Cuboid,
    Cylinder,
    FlexibleBody,
    FrameBody,
    Ground,
    MeshFile,
    PointMass,
    RigidBody,
    SIDBody,
    Sphere,
    write_sid,
)
from supple.calls import public
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
    SlidingJoint,
)
from supple.errors import (
    ArgumentError,
    FileError,
    ModelError,
    SimulationError,
    SuppleError,
    SuppleWarning,
)
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
from supple.first_use import ON_FIRST_USE
from supple.forces import (
    PID,
    Bushing,
    CartesianSpring,
    CouplingSpring,
    DistributedLoad,
    Drum,
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
    LinearLaw,
    Motor,
    PairFunction,
    PairState,
    Pressure,
    Pulley,
    Rope,
    SampledController,
    SpringDamper,
    StateSpaceController,
    SurfaceLoad,
    state_feedback,
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
from supple.signals import (
    Constant,
    Expression,
    Polynomial,
    Shaped,
    Signal,
    Sine,
    SmoothStep,
    Table,
    shaped,
)
from supple.state import State

if TYPE_CHECKING:
    from supple import cases
    from supple.analyses.buckling import BucklingMode, ModelBuckling, buckling
    from supple.analyses.campbell_result import Campbell, ModeTrack
    from supple.analyses.damping_fit import fit_damping
    from supple.analyses.damping_result import DampingFit
    from supple.analyses.frequency_response import FrequencyResponse
    from supple.analyses.inverse import inverse_dynamics
    from supple.analyses.kinematics import kinematics
    from supple.analyses.linear_model import LinearModel
    from supple.analyses.linearize import linearize
    from supple.analyses.path import EquilibriumPath, SpecialPoint
    from supple.analyses.prepared import Prepared, prepare
    from supple.analyses.regulator import Estimator, Regulator, lqr, observer
    from supple.analyses.simulate import simulate
    from supple.analyses.speeds import campbell
    from supple.analyses.stability import Stability, StabilityLimit, stability
    from supple.analyses.state_space import StateSpace
    from supple.analyses.static_result import StaticResult
    from supple.analyses.statics import statics
    from supple.analyses.stepper import Stepper
    from supple.analyses.stepper_snapshot import Snapshot
    from supple.analyses.stiffness import stiffness
    from supple.analyses.stiffness_result import StiffnessResult
    from supple.analyses.transfer import transfer
    from supple.analyses.transfer_result import Transfer, TransferPath
    from supple.bodies.gradient import Cable, GradientBeam
    from supple.bodies.gradient_plate import GradientPlate
    from supple.bodies.gradient_solid import GradientSolid
    from supple.bodies.mesh import MeshBody
    from supple.certificates.certificate import Certificate
    from supple.certificates.certify import certify
    from supple.certificates.choice import ChosenModes, choose_modes
    from supple.fem.abaqus import read_abaqus
    from supple.fem.block import block
    from supple.fem.buckling import Buckling
    from supple.fem.check import ComponentReport, check_component
    from supple.fem.geometry_files import mesh_geometry
    from supple.fem.imported import ImportedComponent
    from supple.fem.interface import Interface
    from supple.fem.matrix_files import load_component, read_calculix, save_component
    from supple.fem.matrix_market import read_matrix_market
    from supple.fem.mesh_data import MeshData
    from supple.fem.mesh_files import read_mesh
    from supple.fem.nastran import read_nastran
    from supple.fem.rosette import principal_strains, rosette_strain
    from supple.fem.solid import SolidMesh
    from supple.fem.ties import tie
    from supple.fem.vibration import lowest_modes
    from supple.fmu.controller import FMUController
    from supple.fmu.export import export_fmu
    from supple.formulations.deformation import DeformationModes
    from supple.formulations.gradient import GradientBodies
    from supple.formulations.transformation import velocity_transformation
    from supple.formulations.trees import Absolute, Branch, JointCoordinates, OrderN
    from supple.integrators.alpha import HHT, GeneralizedAlpha, Newmark
    from supple.integrators.energy import EnergyScheme
    from supple.integrators.explicit import DormandPrince
    from supple.integrators.radau import Radau
    from supple.integrators.sundials import BDF, Adams
    from supple.loops.assembly import assemble
    from supple.modelfiles.archive import load_run, resume
    from supple.modelfiles.model_file import ModelFile, read_model
    from supple.modelfiles.problems import ModelFileError
    from supple.modelfiles.writer import write_model
    from supple.results.monitor import Monitor
    from supple.results.result import Result, load
    from supple.results.section_views import SectionForces
    from supple.robots.robot_file import RobotFile, read_mjcf, read_urdf
    from supple.sensitivities.fit import fit
    from supple.sensitivities.fit_result import Fit
    from supple.sensitivities.optimize import Optimum, optimize
    from supple.sensitivities.sensitivity import Sensitivity, sensitivity
    from supple.studies.comparison import compare
    from supple.studies.convergence import converge
    from supple.studies.crosscheck import crosscheck
    from supple.studies.crosscheck_result import CrossCheck
    from supple.studies.lyapunov import lyapunov
    from supple.sweeps.batch import batch
    from supple.sweeps.study import Sweep
    from supple.sweeps.sweep import sweep

__version__ = "0.1.0.dev0"

__all__ = [
    "BDF", "HHT", "PID", "Absolute", "Adams", "ArgumentError", "AttachmentModes", "Axial", "Beam",
    "Body", "Box",
    "Branch", "Buckling", "BucklingMode", "Bushing", "Cable", "Campbell", "CartesianSpring",
    "Certificate", "Change", "ChosenModes", "Circle", "ComponentReport", "Constant", "Constraint",
    "Coupling", "CouplingSpring", "CraigBampton", "CrossCheck", "Cuboid", "Cylinder", "Cylindrical",
    "DampingFit", "DeformationModes", "Diagnosis", "Distance", "DistributedLoad", "DormandPrince",
    "Driver", "Drum", "EffortFunction", "EnergyScheme", "EquilibriumPath", "Estimator", "Event",
    "Expression", "FMUController", "FileError", "Fit", "Fixed", "FlexibleBody", "Force",
    "ForceElement", "ForceFormula", "ForceFunction", "ForceTable", "Frame", "FrameBody",
    "FrameDriver", "FrameState", "Free", "FrequencyResponse", "Gear", "General", "GeneralizedAlpha",
    "GradientBeam", "GradientBodies", "GradientPlate", "GradientSolid", "GraphEdge", "Ground",
    "ISection", "ImportedComponent", "Interface", "Joint", "JointCoordinates", "JointEffort",
    "JointFriction", "JointSpring", "JointStop", "KelvinVoigt", "LinearGraph", "LinearLaw",
    "LinearModel", "Lock", "Material", "Member", "MeshBody", "MeshData", "MeshFile", "ModalDamping",
    "ModeTrack", "Model", "ModelBuckling", "ModelError", "ModelFile", "ModelFileError", "Monitor",
    "Motor", "Newmark", "NormalModes", "Optimum", "OrderN", "PairFunction", "PairState", "Planar",
    "PointLoad", "PointMass", "PointOnLine", "PointOnPlane", "Polynomial", "Polynomials",
    "Prepared", "Pressure", "Prismatic", "Pulley", "Rack", "Radau", "Rayleigh", "Rectangle",
    "Regulator", "Release", "Result", "Revolute", "RigidBody", "RobotFile", "Rope", "SIDBody",
    "SampledController", "Screw", "SecondOrder", "Section", "SectionForces", "Sensitivity",
    "Shaped", "Signal", "SimulationError", "Sine", "Sines", "SlidingJoint", "SmoothStep",
    "Snapshot", "SolidMesh", "SpecialPoint", "Sphere", "Spherical", "SpringDamper", "Stability",
    "StabilityLimit", "State", "StateSpace", "StateSpaceController", "StaticResult", "StaticShapes",
    "Stepper", "StiffnessResult", "SuppleError", "SuppleWarning", "SurfaceLoad", "Sweep", "Table",
    "TaperedSection", "Transfer", "TransferPath", "Tube", "Universal", "Unlock", "UserShapes",
    "VonKarman", "WeightLoad", "assemble", "batch", "block", "buckling", "campbell", "cases",
    "certify", "check_component", "choose_modes", "compare", "converge", "crosscheck", "export_fmu",
    "fit", "fit_damping", "inverse_dynamics", "kinematics", "linearize", "load", "load_component",
    "load_run", "lowest_modes", "lqr", "lyapunov", "mass_properties", "mesh_geometry", "observer",
    "optimize", "prepare", "principal_strains", "read_abaqus", "read_calculix",
    "read_matrix_market", "read_mesh", "read_mjcf", "read_model", "read_nastran", "read_urdf",
    "resume", "rigid_modes", "rosette_strain", "save_component", "sensitivity", "shaped",
    "simulate", "stability", "state_feedback", "statics", "stiffness", "sweep", "tie", "transfer",
    "velocity_transformation", "write_model", "write_sid",
]  # fmt: skip

for _name in __all__:
    if _name in globals():
        globals()[_name] = public(globals()[_name])


def __getattr__(name: str) -> Any:
    """Load a name on first use and keep it."""
    if name not in ON_FIRST_USE:
        raise AttributeError(f"module 'supple' has no attribute {name!r}")
    module = ON_FIRST_USE[name]
    if module is None:
        value: Any = importlib.import_module(f"supple.{name}")
    else:
        value = public(getattr(importlib.import_module(module), name))
        _speak()
    globals()[name] = value
    return value


def _speak() -> None:
    """Let wrong calls of all public classes that are loaded by now end in a sentence."""
    for name, module in ON_FIRST_USE.items():
        found = vars(sys.modules[module]).get(name) if module in sys.modules else None
        if isinstance(found, type):
            public(found)


def __dir__() -> list[str]:
    """Names loaded so far and those loaded on first use."""
    return sorted({*globals(), *__all__})
