"""Supple: dynamics of systems of rigid and flexible bodies that move far and deform.

Write down a ``Model`` of bodies, joints and forces, run it by ``simulate``, read the ``Result``.
The vocabulary is loaded at once; the engine, results and cases are loaded on first use.
"""

from __future__ import annotations

# ruff: noqa: E402
from supple.foundation import startup_interrupt

startup_interrupt.listen()  # before what takes time to load

import importlib
import sys
from typing import TYPE_CHECKING, Any

from supple.analyses.doctor.diagnosis import Diagnosis
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
from supple.constraints.topology_changes import Change, Lock, Release, Unlock
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
from supple.foundation.calls import public
from supple.foundation.errors import (
    ArgumentError,
    FileError,
    ModelError,
    SimulationError,
    SuppleError,
    SuppleWarning,
)
from supple.foundation.frames import Frame
from supple.foundation.lazy_names import ON_FIRST_USE
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
    from supple.analyses.control.regulator import Estimator, Regulator, lqr, observer
    from supple.analyses.damping.damping_fit import fit_damping
    from supple.analyses.damping.damping_result import DampingFit
    from supple.analyses.equilibrium.path import EquilibriumPath, SpecialPoint
    from supple.analyses.equilibrium.static_result import StaticResult
    from supple.analyses.equilibrium.statics import statics
    from supple.analyses.kinematics.inverse import inverse_dynamics
    from supple.analyses.kinematics.kinematics import kinematics
    from supple.analyses.kinematics.transfer import transfer
    from supple.analyses.kinematics.transfer_result import Transfer, TransferPath
    from supple.analyses.linear.linearize import linearize
    from supple.analyses.linear.state_space import FrequencyResponse, StateSpace
    from supple.analyses.modes.linear_model import LinearModel
    from supple.analyses.run.prepared import Prepared, prepare
    from supple.analyses.run.simulate import simulate
    from supple.analyses.run.stepper import Snapshot, Stepper
    from supple.analyses.stability.buckling import BucklingMode, ModelBuckling, buckling
    from supple.analyses.stability.campbell_result import Campbell, ModeTrack
    from supple.analyses.stability.speeds import campbell
    from supple.analyses.stability.stability import Stability, StabilityLimit, stability
    from supple.analyses.stability.stiffness import stiffness
    from supple.analyses.stability.stiffness_result import StiffnessResult
    from supple.bodies.nodal.ancf_line import Cable, GradientBeam
    from supple.bodies.nodal.ancf_plate import GradientPlate
    from supple.bodies.nodal.ancf_solid import GradientSolid
    from supple.bodies.structure.mesh import MeshBody
    from supple.certificates.certificate import Certificate
    from supple.certificates.certify import certify
    from supple.certificates.mode_selection import ChosenModes, choose_modes
    from supple.fem.base.buckling import Buckling
    from supple.fem.base.imported import ImportedComponent
    from supple.fem.base.vibration import lowest_modes
    from supple.fem.checks.component import ComponentReport, check_component
    from supple.fem.files.abaqus import read_abaqus
    from supple.fem.files.geometry_files import mesh_geometry
    from supple.fem.files.matrix_files import load_component, read_calculix, save_component
    from supple.fem.files.matrix_market import read_matrix_market
    from supple.fem.files.mesh_data import MeshData
    from supple.fem.files.mesh_files import read_mesh
    from supple.fem.files.nastran import read_nastran
    from supple.fem.recovery.rosette import principal_strains, rosette_strain
    from supple.fem.solids.block import block
    from supple.fem.solids.solid import SolidMesh
    from supple.fem.ties.interface import Interface
    from supple.fem.ties.ties import tie
    from supple.formulations.deformation import DeformationModes
    from supple.formulations.gradient import GradientBodies
    from supple.formulations.transformation import velocity_transformation
    from supple.formulations.trees import Absolute, Branch, JointCoordinates, OrderN
    from supple.integrators.energy.scheme import EnergyScheme
    from supple.integrators.methods.alpha import HHT, GeneralizedAlpha, Newmark
    from supple.integrators.methods.explicit import DormandPrince
    from supple.integrators.methods.radau import Radau
    from supple.integrators.methods.sundials import BDF, Adams
    from supple.io.fmu.controller import FMUController
    from supple.io.fmu.export import export_fmu
    from supple.io.modelfiles.archive import load_run, resume
    from supple.io.modelfiles.model_file import ModelFile, read_model
    from supple.io.modelfiles.problems import ModelFileError
    from supple.io.modelfiles.writer import write_model
    from supple.io.robots.robot_file import RobotFile, read_mjcf, read_urdf
    from supple.loops.assembly import assemble
    from supple.results.data.findings import Monitor
    from supple.results.result import Result, load
    from supple.results.views.section_views import SectionForces
    from supple.sensitivities.fitting.fit import fit
    from supple.sensitivities.fitting.fit_result import Fit
    from supple.sensitivities.optimize import Optimum, optimize
    from supple.sensitivities.sensitivity import Sensitivity, sensitivity
    from supple.studies.comparison import compare
    from supple.studies.convergence import converge
    from supple.studies.crosscheck.crosscheck import crosscheck
    from supple.studies.crosscheck.result import CrossCheck
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
