"""One valid call of every public class and function, and of methods that users call.

A public name that is in none of the tables fails `tests/contracts/test_bad_inputs.py`.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import supple as sp
from supple.foundation import public_names

DATA = Path(__file__).parents[1] / "data"
ROBOTS = Path(__file__).resolve().parents[2] / "examples" / "robots"


class Call(NamedTuple):
    """A callable and arguments that are right; those by place come first."""

    what: Callable[..., Any]
    given: dict[str, Any]
    by_place: tuple[str, ...] = ()

    def __call__(self, **changes: Any) -> Any:
        arguments = self.given | changes
        first = [arguments.pop(name) for name in self.by_place]
        return self.what(*first, **arguments)

    @property
    def fields(self) -> dict[str, inspect.Parameter]:
        """Parameters by name, without those that take any number of arguments."""
        known = inspect.signature(self.what).parameters
        return {
            name: p
            for name, p in known.items()
            if name != "self" and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        }


STEEL = sp.Material(2.1e11, 8.1e10, 7850.0)
ROD = sp.Rectangle(0.02, 0.01)
LINK, ARM = sp.RigidBody("link", 1.0), sp.RigidBody("arm", 1.0)
PAIR = {"A": LINK.at(0.1), "B": ARM.at(0.2)}
SHEET = sp.ANCFPlate("sheet", (1.0, 0.5), 0.01, STEEL, elements=(1, 1))
WIRE = sp.Cable("wire", 1.0, sp.Circle(0.01), STEEL, elements=2)
HINGE = sp.Revolute("hinge", LINK.at(0), ARM.at(0))
SLIDE = sp.Prismatic("slide", LINK.at(0), ARM.at(0))
BEAM = sp.Beam("beam", 1.0, ROD, STEEL, elements=2, modes=2)
CUBE = sp.fem.block((1.0, 1.0, 1.0), (2, 1, 1), "hex8", STEEL)
FACE = np.flatnonzero(CUBE.nodes[:, 0] == 0.0)
FOOT = sp.fem.Interface("foot", CUBE.nodes[FACE].mean(axis=0), FACE)


# Removed when the process ends.
FOLDER = tempfile.TemporaryDirectory(prefix="supple-")
FILES = Path(FOLDER.name)


def pendulum() -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81), name="pendulum")
    rod = m.add(sp.RigidBody("rod", 1.0, (0.5, 0, 0), 0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="y", initial=0.3))
    return m


def held_beam(modes: Any = "auto") -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81), name="held beam")
    beam = m.add(sp.Beam("beam", 1.0, ROD, STEEL, elements=2, modes=modes))
    m.add(sp.Fixed("wall", m.ground.at(0), beam.at(0)))
    return m


def driven() -> sp.Model:
    m = pendulum()
    m.add(sp.Driver("drive", "pin", sp.Sine(0.1, 1.0)))
    return m


def sprung() -> sp.Model:
    m = pendulum()
    m.add(sp.JointSpring("coil", "pin", stiffness=8.0))
    m.add(sp.Force("press", m["rod"].at(1.0), force=(-1.0, 0, 0)))
    return m


@cache
def run() -> sp.results.Result:
    return sp.simulate(pendulum(), 0.2, output=16)


def kept_run(how: str) -> Path:
    """The file of a run that is kept."""
    path = FILES / how
    sp.simulate(pendulum(), 0.01, output=3, **{how: path})
    return path


@cache
def path() -> sp.results.EquilibriumPath:
    return sp.statics(sprung(), steps=2)


@cache
def speeds() -> sp.results.Campbell:
    return sp.campbell(sprung(), "pin", (0.0,))


@cache
def saved_cube() -> Path:
    path = FILES / "saved cube.npz"
    sp.fem.save_component(path, CUBE)
    return path


@cache
def sid() -> Path:
    path = FILES / "beam.sid"
    sp.files.write_sid(path, BEAM, {"left": BEAM.at(0.0), "right": BEAM.at(1.0)})
    return path


@cache
def model_file() -> Path:
    return sp.files.write_model(pendulum(), FILES / "pendulum.yaml")


def frame_body(**changes: Any) -> Any:
    return CALLS["FrameStructure"](**changes)


@cache
def mesh_body() -> Any:
    return sp.MeshBody("cube", CUBE, [FOOT], modes=2)


def zero(t: float, state: Any) -> Any:
    return np.zeros(6)


NAME = {"name": "new"}
FRAME = {"name": "new", "frame": LINK.at(0.3)}
JOINT = {"name": "new", "joint": HINGE}

CALLS: dict[str, Call] = {
    name: Call(public_names.value(name), given)
    for name, given in {
        # bodies
        "RigidBody": {**NAME, "mass": 1.0, "inertia": (1.0, 1.0, 1.0)},
        "PointMass": {**FRAME, "mass": 1.0},
        "Cuboid": {"size": (0.1, 0.2, 0.3), "position": (0, 0, 1), "rotation": (0, 0, 0.1)},
        "Cylinder": {"diameter": 0.1, "length": 0.3, "axis": "x"},
        "Sphere": {"frame": LINK.at(0.3), "diameter": 0.1, "position": (0, 0, 1)},
        "Capsule": {"radius": 0.1, "length": 0.3, "axis": "x"},
        "Cone": {"radius": 0.1, "length": 0.3, "axis": "x", "tip": 0.01},
        "Cam": {"radii": [0.1] * 16, "width": 0.02},
        "HeightField": {"heights": np.zeros((4, 5)), "spacing": 0.1},
        "Torus": {"radius": 0.1, "section": 0.02, "axis": "x"},
        "Plane": {"frame": LINK.at(0.3), "normal": "y"},
        "Line": {"frame": WIRE.at(0), "diameter": 0.02, "points": 5},
        "Surface": {"frame": SHEET.at(0, 0), "nodes": [0, 1, 2, 3], "radius": 0.005},
        "Point": {"frame": LINK.at(0.3), "position": (0, 0, 1)},
        "InvoluteGear": {"frame": LINK.at(0.3), "teeth": 20, "module": 2e-3, "width": 0.02},
        "Beam": {**NAME, "length": 1.0, "section": ROD, "material": STEEL, "elements": 2},
        "Cable": {**NAME, "length": 1.0, "section": sp.Circle(0.01), "material": STEEL},
        "Belt": {
            **NAME,
            "pulleys": [(0, 0, 0.1), (0.5, 0, 0.2)],
            "section": sp.Circle(0.01),
            "material": STEEL,
        },
        "ANCFBeam": {**NAME, "length": 1.0, "section": ROD, "material": STEEL, "elements": 2},
        "ANCFPlate": {**NAME, "size": (1.0, 0.5), "thickness": 0.01, "material": STEEL},
        "ANCFSolid": {**NAME, "component": CUBE, "interfaces": [FOOT]},
        "FrameStructure": {
            **NAME,
            "nodes": {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 1, 0)},
            "members": [sp.Member("a", "b", ROD, STEEL), sp.Member("b", "c", ROD, STEEL)],
            "modes": 2,
        },
        "MeshBody": {**NAME, "component": CUBE, "interfaces": [FOOT], "modes": 2},
        "SIDBody": {**NAME, "file": sid()},
        "Ground": {},
        "Frame": {"body": LINK, "position": (0.1, 0.2, 0.3), "rotation": (0.0, 0.0, 0.1)},
        "Member": {"start": "a", "end": "b", "section": ROD, "material": STEEL},
        "Interface": {**NAME, "place": (0.0, 0.5, 0.5), "nodes": FACE},
        # sections, materials, damping
        "Material": {"E": 2.1e11, "G": 8.1e10, "density": 7850.0, "yield_stress": 3e8},
        "Rectangle": {"size_y": 0.02, "size_z": 0.01},
        "Circle": {"diameter": 0.02},
        "Tube": {"diameter": 0.02, "wall": 0.002},
        "Box": {"size_y": 0.02, "size_z": 0.02, "wall": 0.002},
        "ISection": {"size_y": 0.02, "size_z": 0.02, "web": 0.002, "flange": 0.002},
        "Section": {"area": 1e-4, "I_y": 1e-9, "I_z": 1e-9, "J": 2e-9},
        "Rayleigh": {"stiffness": 1e-4, "mass": 0.1},
        "KelvinVoigt": {"E": 1e6, "G": 1e6},
        "ModalDamping": {"ratios": 0.01, "of": "body"},
        # shapes and stiffening
        "NormalModes": {"n": 3},
        "CraigBampton": {"interfaces": ["foot"], "n": 2},
        "AttachmentModes": {"n": 2},
        "StaticShapes": {"loads": [sp.reduction.PointLoadPattern("foot", (1, 0, 0))]},
        "PointLoadPattern": {"place": "foot", "force": (1, 0, 0)},
        "WeightPattern": {"direction": "z"},
        "PolynomialShapes": {"n": 2},
        "SineShapes": {"n": 2},
        "UserShapes": {"v": [lambda s: s * s]},
        "Axial": {},
        "SecondOrder": {},
        "VonKarman": {},
        # joints
        "Revolute": {**NAME, **PAIR},
        "Prismatic": {**NAME, **PAIR},
        "Cylindrical": {**NAME, **PAIR},
        "Universal": {**NAME, **PAIR},
        "Spherical": {**NAME, **PAIR},
        "Planar": {**NAME, **PAIR},
        "Free": {**NAME, **PAIR},
        "Fixed": {**NAME, **PAIR},
        "General": {**NAME, **PAIR, "axes": [("rotate", "x"), ("translate", "y")]},
        # constraints
        "Distance": {**NAME, **PAIR, "length": 1.0},
        "PointOnLine": {**NAME, **PAIR},
        "SlidingJoint": {**NAME, "A": WIRE.at(0.5), "B": ARM.at(0.2)},
        "PointOnPlane": {**NAME, **PAIR},
        "Driver": {**JOINT, "motion": "sin(t)"},
        "SpeedDriver": {**JOINT, "rate": "sin(t)"},
        "RateCoupling": {**NAME, "terms": [(HINGE, 1.0), (SLIDE, 2.0)]},
        "Blade": {**NAME, **PAIR},
        "Rolling": {**NAME, "A": sp.Plane(LINK.at(0.1)), "B": sp.Sphere(ARM.at(0.2), radius=0.1)},
        "FrameDriver": {**NAME, **PAIR, "x": 1.0},
        "Coupling": {**NAME, "terms": [(HINGE, 1.0), (SLIDE, 2.0)]},
        "Gear": {**NAME, "first": HINGE, "second": "other", "ratio": 2.0},
        "Rack": {**NAME, "rack": SLIDE, "pinion": HINGE, "radius": 0.1},
        "Screw": {**NAME, "joint": sp.Cylindrical("screw", **PAIR), "pitch": 0.01},
        # forces
        "Force": {**FRAME, "force": (1.0, "sin(t)", 0.0)},
        "DistributedLoad": {**NAME, "frame": BEAM.at(0.0), "force": (0.0, 1.0, 0.0)},
        "SurfaceLoad": {**NAME, "frame": SHEET.at(0, 0), "force": (0.0, 1.0, 0.0)},
        "Pressure": {**NAME, "frame": SHEET.at(0, 0), "pressure": 1.0, "nodes": [0, 1, 2, 3]},
        "SpringDamper": {**NAME, **PAIR, "stiffness": 10.0},
        "Bushing": {**NAME, **PAIR, "stiffness": 10.0},
        "HuntCrossley": {"restitution": 0.5, "stiffness": 1e6},
        "Hertz": {"restitution": 0.5, "E": 2e11, "nu": 0.3},
        "Friction": {"mu": (0.3, 0.4), "static": 0.5, "stiffness": 1e5},
        "RoundedFriction": {"mu": 0.3, "transition": 1e-2},
        "Contact": {
            **NAME,
            "A": sp.Sphere(PAIR["A"], radius=0.1),
            "B": sp.Plane(PAIR["B"]),
            "law": sp.HuntCrossley(stiffness=1e6),
            "friction": sp.Friction(0.3),
        },
        "Contacts": {
            **NAME,
            "shapes": [sp.Sphere(PAIR["A"], radius=0.1), sp.Plane(PAIR["B"])],
            "law": sp.HuntCrossley(stiffness=1e6),
            "friction": sp.Friction(0.3),
            "except_joined": False,
            "cells": False,
        },
        "LinearTyre": {"cornering": 8e4, "longitudinal": 1e5, "relaxation": (0.2, 0.4)},
        "BrushTyre": {"stiffness": 8e4, "mu": 0.9, "half_length": 0.06},
        "MagicFormula": {
            "load": 4e3,
            "coefficients": {
                **{"PCX1": 1.6, "PDX1": 1.0, "PKX1": 20.0},
                **{"PCY1": 1.3, "PDY1": 0.9, "PKY1": 15.0, "PKY2": 1.7},
            },
        },
        "Tyre": {
            **NAME,
            "wheel": sp.Torus(PAIR["A"], radius=0.25, section=0.05),
            "road": sp.Plane(PAIR["B"]),
            "law": sp.LinearTyre(8e4),
            "stiffness": 2e5,
            "damping": 100.0,
        },
        "JointSpring": {**JOINT, "stiffness": 1.0},
        "JointEffort": {**JOINT, "effort": 1.0},
        "JointFriction": {**JOINT, "coulomb": 1.0},
        "JointStop": {**JOINT, "upper": 1.0, "stiffness": 10.0},
        "PID": {**JOINT, "kp": 1.0},
        "Motor": {**JOINT, "inertia": 1.0},
        "ForceFunction": {**FRAME, "function": zero},
        "PairFunction": {**NAME, **PAIR, "function": zero},
        "CartesianSpring": {**NAME, **PAIR, "stiffness": 10.0},
        "Rope": {**NAME, "path": [PAIR["A"], PAIR["B"]], "stiffness": 1e3, "length": 1.0},
        "Pulley": {"frame": FRAME["frame"], "radius": 0.1},
        "Drum": {"frame": FRAME["frame"], "joint": "hinge", "radius": 0.1},
        "CoordinateSpring": {**NAME, "first": "hinge", "second": "slide", "stiffness": 1.0},
        "TableLaw": {"points": [(-1.0, -2.0), (0.0, 0.0), (1.0, 3.0)]},
        "FormulaLaw": {"text": "3*x + v"},
        "Lock": {"joint": "hinge"},
        "Unlock": {"joint": "hinge"},
        "Release": {"item": "hinge"},
        "ControlLaw": {"D": [[1.0, 2.0]]},
        "state_feedback": {**NAME, "joints": "hinge", "gain": [[1.0, 2.0]]},
        "shape_signal": {"signal": "t", "frequencies": 2.0},
        "ShapedSignal": {"signal": "t", "amplitudes": [0.5, 0.5], "delays": [0.0, 0.1]},
        "SampledController": {
            **NAME,
            "joints": "hinge",
            "law": sp.ControlLaw([[1.0, 2.0]]),
            "period": 0.1,
        },
        "StateSpaceController": {**NAME, "joints": "hinge", "law": sp.ControlLaw([[1.0, 2.0]])},
        "EffortFunction": {**NAME, "joints": "hinge", "function": lambda t, q, u: 0.0},
        # signals and events
        "Constant": {"value": 1.0},
        "Polynomial": {"coefficients": (1.0, 2.0)},
        "Sine": {"amplitude": 1.0, "frequency": 2.0},
        "SmoothStep": {"start": 0.0, "end": 1.0},
        "Table": {"times": (0.0, 1.0, 2.0), "values": (0.0, 1.0, 0.0)},
        "Expression": {"text": "sin(t)"},
        "Event": {**NAME, "of": HINGE},
        # integrators and formulations
        **{name: {} for name in ("Radau", "DormandPrince", "BDF", "Adams", "GeneralizedAlpha")},
        **{name: {} for name in ("HHT", "Newmark", "JointCoordinates", "OrderN", "Absolute")},
        "DeformationModes": {},
        "ANCF": {},
        "EnergyScheme": {"step": 0.01},
        "Branch": {"tree": ["pin"]},
        # models and analyses
        "Model": {"gravity": (0, 0, -9.81), "name": "m"},
        "simulate": {"model": pendulum(), "t_end": 0.01},
        "statics": {"model": pendulum()},
        "stiffness": {"model": driven(), "at": driven().bodies["rod"].at(1.0), "directions": ["x"]},
        "kinematics": {"model": driven(), "t_end": 0.01},
        "inverse_dynamics": {"model": driven(), "t_end": 0.01},
        "linearize": {"model": pendulum(), "at": "initial"},
        "fit_damping": {"model": held_beam(2), "ratios": 0.01},
        "lqr": {"model": sprung(), "inputs": "pin"},
        "observer": {"model": sprung(), "inputs": "pin", "outputs": "pin"},
        "stability": {"model": sprung(), "over": "press", "values": (0.0, 1.0)},
        "campbell": {"model": sprung(), "joint": "pin", "speeds": (0.0,), "count": 2},
        "transfer": {"model": pendulum(), "inputs": "pin", "path": {"pin": [0.1]}},
        "assemble": {"model": pendulum()},
        "prepare": {"model": pendulum()},
        "velocity_transformation": {"model": pendulum()},
        "lyapunov": {"model": pendulum(), "t_end": 0.2, "interval": 0.004},
        "converge": {"model": pendulum(), "what": "rod.mass", "t_end": 0.01, "values": [1, 2]},
        "compare": {"first": run(), "second": run()},
        "crosscheck": {"model": pendulum(), "t_end": 0.01, "formulations": [sp.Absolute()]},
        "sweep": {
            "model": pendulum(),
            "parameters": {"rod.mass": [1, 2]},
            "outputs": "pin.angle @ max",
            "t_end": 0.01,
            "workers": 1,
        },
        "sensitivity": {
            "model": pendulum(),
            "parameters": ["rod.mass"],
            "outputs": "pin.angle @ max",
            "t_end": 0.01,
        },
        "optimize": {
            "model": pendulum(),
            "parameters": {"rod.mass": (1.0, 2.0)},
            "minimize": "pin.angle @ max",
            "t_end": 0.01,
        },
        "fit": {
            "model": pendulum(),
            "parameters": {"pin.initial_rate": 0.1},
            "records": {"pin.angle": ([0.0, 0.005, 0.01], [0.0, 0.1, 0.2])},
        },
        "batch": {
            "model": pendulum(),
            "parameters": {"rod.mass": [1, 2]},
            "outputs": "pin.angle @ max",
            "t_end": 0.01,
            "threads": 2,
        },
        "certify": {
            "model": pendulum(),
            "t_end": 0.01,
            "outputs": "pin.angle @ max",
            "intervals": 10,
            "contributions": ["integration"],
        },
        "choose_modes": {
            "model": held_beam(),
            "t_end": 0.001,
            "outputs": {"beam.at(1.0).position.y @ end": 1.0},
            "intervals": 10,
        },
        "Stepper": {"model": pendulum(), "inputs": "pin", "outputs": "pin.angle", "dt": 0.01},
        "export_fmu": {"model": pendulum(), "path": FILES / "a.fmu", "inputs": "pin", "t_end": 0.1},
        "FMUController": {
            "path": sp.files.export_fmu(pendulum(), FILES / "pendulum.fmu", "pin"),
            "inputs": ["input.pin.angle"],
            "outputs": ["pin.angle"],
            "period": 0.01,
            "start": {"state.pin.angle": 0.1},
        },
        # components
        "SolidMesh": {"nodes": CUBE.nodes, "cells": CUBE.cells, "kind": "hex8", "material": STEEL},
        "MeshData": {"nodes": CUBE.nodes, "cells": {"hex8": CUBE.cells}, "groups": {"a": [0]}},
        "ImportedComponent": {
            "nodes": CUBE.nodes,
            "node_size": 3,
            "mass_matrix": CUBE.mass_matrix,
            "stiffness_matrix": CUBE.stiffness_matrix,
        },
        "plate": {
            "size_x": 1.0,
            "size_y": 0.5,
            "nx": 1,
            "ny": 1,
            "thickness": 0.01,
            "material": STEEL,
        },
        "ShellMesh": {
            "nodes": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
            "triangles": [[0, 1, 2]],
            "thickness": 0.01,
            "material": STEEL,
        },
        "block": {"size": (1, 1, 1), "divisions": (1, 1, 1), "kind": "hex8", "material": STEEL},
        "buckling": {
            "component": CUBE,
            "loads": np.tile([-1.0, 0.0, 0.0], len(CUBE.nodes)),
            "held": (3 * FACE[:, None] + np.arange(3)).ravel(),
        },
        "check_component": {"component": CUBE},
        "lowest_modes": {"component": CUBE, "count": 7},
        "mass_properties": {"component": CUBE},
        "rigid_modes": {"component": CUBE},
        "tie": {"component": CUBE, "interfaces": [FOOT]},
        "principal_strains": {"strain": (1e-3, 0.0, 1e-3)},
        "plane_von_mises": {"stress": (1e6, 0.0, 1e6)},
        "rosette_strain": {"readings": (1e-3, 0.0, 1e-3)},
        # files
        "load_result": {"path": run().save(FILES / "run.nc")},
        "resume": {"path": kept_run("checkpoint")},
        "open_run": {"path": kept_run("output_to")},
        "save_component": {"path": FILES / "cube.npz", "component": CUBE},
        "load_component": {"path": saved_cube()},
        "write_sid": {"path": FILES / "out.sid", "body": BEAM, "frames": [BEAM.at(0)]},
        "read_calculix": {"job": DATA / "hexahedra"},
        "read_model": {"path": model_file()},
        "write_model": {"model": pendulum(), "path": FILES / "out.yaml"},
        "ModelFile": {"path": model_file()},
        "RobotFile": {
            "path": ROBOTS / "five_bar.urdf",
            "close": {"hand": ("left_tip", "right_tip")},
        },
        "read_urdf": {"path": ROBOTS / "five_bar.urdf", "base": "fixed"},
        "read_mjcf": {"path": ROBOTS / "walker.xml"},
        "read_nastran": {"model": DATA / "beam.bdf", "matrices": DATA / "beam_dense.op4"},
    }.items()
}
CALLS["TaperedSection"] = Call(
    lambda first, second, stations=None: sp.TaperedSection(first, second, stations=stations),
    {"first": ROD, "second": ROD, "stations": (0.0, 1.0)},
)
CALLS |= {
    "statics, steps": Call(sp.statics, {"model": sprung(), "steps": 2, "until": 0.5}),
    "statics, follow": Call(sp.statics, {"model": sprung(), "follow": "press", "points": 50}),
    "buckling, model": Call(sp.buckling, {"component": sprung(), "follow": "press", "count": 1}),
    "EquilibriumPath[]": Call(lambda item: path()[item], {"item": 1}),
    "EquilibriumPath.of": Call(path().of, {"text": "pin.angle"}),
    "EquilibriumPath.plot": Call(path().plot, {"what": "pin.angle", "path": None}),
    "Stability.plot": Call(
        sp.stability(sprung(), "press", (0.0, 1.0)).plot, {"path": FILES / "stability.png"}
    ),
    "Campbell.track": Call(speeds().track, {"name": speeds().names[0]}),
    "Campbell.critical_speeds": Call(speeds().critical_speeds, {"order": 1.0, "axes": "world"}),
    "Campbell.plot": Call(speeds().plot, {"path": None, "orders": (1, 2), "high": 10.0}),
    "LinearModel.state_space": Call(
        sp.linearize(sprung()).state_space, {"inputs": "pin", "outputs": "pin", "derivative": 0}
    ),
    "LinearModel.shape_signal": Call(
        sp.linearize(sprung()).shape_signal, {"signal": "t", "count": 1}
    ),
    "Regulator.controller": Call(sp.lqr(sprung(), "pin").controller, {"name": "servo"}),
    "Estimator.law": Call(
        sp.observer(sprung(), "pin", "pin").law, {"regulator": sp.lqr(sprung(), "pin")}
    ),
    "StateSpace.frequency_response": Call(
        sp.linearize(sprung()).state_space("pin").frequency_response, {"frequencies": (0.5, 9.0)}
    ),
    "FrequencyResponse.of": Call(
        sp.linearize(sprung()).state_space("pin").frequency_response(0.5).of,
        {"output": "pin.angle", "input": "pin.angle"},
    ),
    "Stepper.step": Call(
        sp.Stepper(pendulum(), "pin").step, {"dt": 0.01, "inputs": {"pin.angle": 1.0}}
    ),
    "RigidBody.at": Call(LINK.at, {"x": 0.1}),
    "Beam in parts": Call(
        sp.Beam,
        {
            **NAME,
            "length": 1.0,
            "section": ROD,
            "material": STEEL,
            "parts": 2,
            "twist": 0.1,
            "centre_line": [(0, 0, 0), (0.5, 0, 0), (1, 0, 0)],
            "first_y": (0, 1, 0),
        },
    ),
    "Beam.at": Call(BEAM.at, {"x": 0.1}),
    "FrameStructure.at": Call(lambda **given: frame_body().at(**given), {"x": "a"}),
    "MeshBody.at": Call(lambda **given: mesh_body().at(**given), {"x": "foot"}),
    "SIDBody.at": Call(lambda **given: sp.SIDBody("sid", sid()).at(**given), {"x": "left"}),
    "Model.add": Call(lambda item: pendulum().add(item), {"item": LINK}),
    "Model[]": Call(lambda name: pendulum()[name], {"name": "rod"}),
    "Model.replace": Call(
        lambda name, mass: pendulum().replace(name, mass=mass), {"name": "rod", "mass": 2.0}
    ),
    "Model.doctor": Call(lambda until: pendulum().doctor(until), {"until": 0.1}),
    "Model.graph": Call(lambda tree: pendulum().graph(tree), {"tree": None}),
    "Model.spanning_tree": Call(lambda tree: pendulum().spanning_tree(tree), {"tree": None}),
    "Model.check": Call(lambda events: pendulum().check(events), {"events": ()}),
    "Prepared.with_values": Call(
        sp.prepare(pendulum()).with_values, {"changes": {"rod": {"mass": 2.0}}}
    ),
    "Result[]": Call(lambda item: run()[item], {"item": "pin"}),
    "Result.history": Call(run().history, {"name": "pin.angle"}),
    "Result.spectrum": Call(run().spectrum, {"what": "pin.angle"}),
    "Result.spectrogram": Call(run().spectrogram, {"what": "pin.angle", "window": 0.1}),
    "Result.state": Call(run().state, {"index": 3}),
    "Result.plot": Call(
        lambda what, path: run().plot(what, path=path), {"what": "pin", "path": None}
    ),
    "Result.to_html": Call(run().to_html, {"path": FILES / "run.html", "frames": 5}),
    "Result.picture": Call(run().picture, {"t": 0.1, "magnification": 2.0}),
    "Result.to_gltf": Call(run().to_gltf, {"path": FILES / "run.glb", "frames": 5}),
    "Result.save": Call(run().save, {"path": FILES / "again.nc"}),
    "State.changed": Call(run().state().changed, {"coordinates": {"pin": 0.1}, "t": 1.0}),
    "State.coordinates": Call(run().state().coordinates, {"name": "pin"}),
    "State.rates": Call(run().state().rates, {"name": "pin"}),
    "Beam.strain_gauge": Call(BEAM.strain_gauge, {"x": 0.5}),
    "Beam.section_forces": Call(BEAM.section_forces, {"x": 0.5}),
    "SolidMesh.group": Call(CUBE.group, {"name": "x_min"}),
    "SolidMesh.nodes_on_plane": Call(CUBE.nodes_on_plane, {"normal": "x", "at": 0.0}),
    "SolidMesh.nodes_in_box": Call(CUBE.nodes_in_box, {"lower": (0, 0, 0), "upper": (1, 1, 1)}),
    "SolidMesh.nodes_near": Call(CUBE.nodes_near, {"point": (0, 0, 0), "radius": 0.1}),
    "SolidMesh.strain": Call(CUBE.strain, {"point": (0.5, 0.5, 0.5)}),
    "SolidMesh.stress": Call(CUBE.stress, {"point": (0.5, 0.5, 0.5)}),
    "SolidMesh.displacement": Call(CUBE.displacement, {"point": (0.5, 0.5, 0.5)}),
    "MeshData.solid": Call(
        sp.fem.MeshData(CUBE.nodes, {"hex8": CUBE.cells}, {}).solid, {"material": STEEL}
    ),
    "MeshData.used": Call(
        sp.fem.MeshData(CUBE.nodes, {"hex8": CUBE.cells}, {}).used, {"kind": "hex8"}
    ),
    "TaperedSection.at": Call(sp.TaperedSection(ROD, ROD).at, {"s": 0.5}),
}
# Bases, errors, and what Supple makes and users only read.
NOT_CALLED = {
    "Body", "FlexibleBody", "Joint", "Constraint", "ForceElement", "Signal", "Result",
    "StaticResult", "LinearModel", "LinearGraph", "GraphEdge", "Diagnosis", "ComponentReport",
    "Transfer", "TransferPath", "StiffnessResult", "StateSpace", "FrequencyResponse",
    "Campbell", "Estimator", "ModeTrack", "Regulator", "Sweep", "Sensitivity", "Optimum", "Fit",
    "CrossCheck", "Snapshot",
    "Certificate", "ChosenModes",
    "ComponentBuckling", "BucklingMode", "DampingFit", "BucklingResult",
    "EquilibriumPath", "SpecialPoint",
    "Stability",
    "StabilityLimit", "SectionForces", "Monitor", "FrameState", "PairState", "Change", "State",
    "Prepared", "ModelError", "SuppleError", "SimulationError", "FileError", "SuppleWarning",
    "ModelFileError", "ArgumentError", "cases",
    # files of other programs are in tests/contracts/test_broken_files.py
    "read_abaqus", "read_matrix_market", "read_mesh", "MeshShape", "mesh_geometry",
}  # fmt: skip
