"""Wheels that roll in Exudyn: in redundant coordinates as in its examples, and as trees.

The trees have the angles of yaw, lean and spin, so that no axes turn with a wheel. The contact is
its joint of a rolling disc.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from pathlib import Path
from typing import Any

sys.exudynFast = True  # its build without range checks
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402
from equal_error import Run  # noqa: E402
from wheels import BICYCLE, CAR, COIN, Problem  # noqa: E402

from supple.cases import contacts_compared as slipping  # noqa: E402
from supple.cases import rolling_compared as compared  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import exudyn as exu
    from exudyn import itemInterface as items  # noqa: N813
    from exudyn.rigidBodyUtilities import RigidBodyInertia, RotationMatrixY, RotationMatrixZ

exu.config.printToConsole = False  # what it says of runs that fail, which are left out
G = [0, 0, -9.81]
EDGE, TILT, TURN = 0.01, math.radians(1.0), 10.0 * math.pi  # m, rad, rad/s
# Rear hub, head, front hub, centres of mass of the frame and of the fork
HUB, HEAD, FRONT = np.array([[0, 0, 0.3], [0.82188470506, 0, 0.85595086466], [1.02, 0, 0.35]])
FRAME, FORK = np.array([[0.3, 0, 0.9], [0.9, 0, 0.7]])
STEER = RotationMatrixY(-math.pi / 10.0)
FRAME_INERTIA = np.array([[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]])
FORK_INERTIA = np.array([[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]])

# Solver, nodes (with Euler parameters or rotation vectors) or "tree", and whether the Newton matrix
# is kept
METHODS: dict[str, tuple[str, str, bool]] = {
    "trapezoidal, parameters": ("TrapezoidalIndex2", "RotationEulerParameters", True),
    "trapezoidal, rotations": ("TrapezoidalIndex2", "RotationRotationVector", False),
    "generalized alpha, parameters": ("GeneralizedAlpha", "RotationEulerParameters", True),
    "trapezoidal, tree": ("TrapezoidalIndex2", "tree", True),
}
FINEST = "trapezoidal, parameters"


def methods(problem: Problem) -> list[str]:
    """Methods to compare: rotation vectors cost bicycle and car twice the parameters."""
    out = {"trapezoidal, rotations"} if problem.case in (BICYCLE, CAR) else set()
    out |= {"trapezoidal, tree"} if problem.case == CAR else set()
    return [name for name in METHODS if name not in out]


def sensed(mbs: Any, body: int) -> int:
    """The sensor of a body's place."""
    kind = exu.OutputVariableType.Position
    return mbs.AddSensor(
        items.SensorBody(bodyNumber=body, storeInternal=True, outputVariableType=kind)
    )


def rolls(mbs: Any, marker: int, radius: float, axis: Any = (1, 0, 0)) -> None:
    """A disc on the ground."""
    ground = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.CreateGround()))
    mbs.AddObject(
        items.ObjectJointRollingDisc(
            markerNumbers=[ground, marker], discRadius=radius, discAxis=list(axis)
        )
    )


def body(mbs: Any, nodes: str, mass: float, inertia: Any, place: Any, **start: Any) -> int:
    """A body in redundant coordinates."""
    return mbs.CreateRigidBody(
        referencePosition=list(place),
        inertia=RigidBodyInertia(mass=mass, inertiaTensor=np.array(inertia)),
        gravity=G,
        nodeType=getattr(exu.NodeType, nodes),
        **start,
    )


def single(problem: Problem) -> tuple[float, float, np.ndarray, np.ndarray, np.ndarray, Any]:
    """The disc: radius, mass, moments (about its axis, across), place, angular velocity, turn."""
    if problem.case == COIN:
        place = EDGE * np.array([math.sin(TILT), 0, math.cos(TILT)])
        moments = EDGE**2 * np.array([0.5, 0.25])
        return EDGE, 1.0, moments, place, np.array([0, 0, TURN]), RotationMatrixY(TILT)
    r, mass = compared.WHEEL, compared.WHEEL_MASS
    moments = np.array([0.5 * mass * r**2, compared.WHEEL_ACROSS])
    spin = np.array([-compared.WHEEL_SPIN, compared.WHEEL_FALL, 0])
    return r, mass, moments, np.array([1, 0, r]), spin, np.eye(3)


def disc(mbs: Any, problem: Problem, nodes: str) -> list[int]:
    """The coin or the wheel; returns the sensor."""
    r, mass, (about, across), place, spin, turn = single(problem)
    arm = np.array([0.0, 0.0, r]) if problem.case != COIN else place
    made = body(
        mbs, nodes, mass, np.diag([about, across, across]), place,
        referenceRotationMatrix=turn, initialVelocity=list(np.cross(spin, arm)),
        initialAngularVelocity=list(spin),
    )  # fmt: skip
    rolls(mbs, mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=made)), r)
    return [sensed(mbs, made)]


def bicycle(mbs: Any, nodes: str) -> list[int]:
    """The bicycle; returns the sensors of frame and front wheel."""
    speed, lean = compared.SLOW

    def part(place: Any, mass: float, inertia: Any, spin: float = 0.0, turned: Any = None) -> int:
        return body(
            mbs, nodes, mass, inertia, place,
            referenceRotationMatrix=np.eye(3) if turned is None else turned,
            initialVelocity=[speed, -lean * place[2], 0], initialAngularVelocity=[lean, spin, 0],
        )  # fmt: skip

    aside = RotationMatrixZ(0.5 * math.pi)
    rear = part(HUB, 2, np.diag([0.12, 0.0603, 0.0603]), speed / HUB[2], aside)
    front = part(FRONT, 3, np.diag([0.28, 0.1405, 0.1405]), speed / FRONT[2], aside)
    frame, fork = part(FRAME, 85, FRAME_INERTIA), part(FORK, 4, FORK_INERTIA)
    for bodies, place, axis in (
        ([rear, frame], HUB, [0, 1, 0]),
        ([front, fork], FRONT, [0, 1, 0]),
        ([frame, fork], HEAD, list(STEER @ [0, 0, 1])),
    ):
        mbs.CreateRevoluteJoint(bodyNumbers=bodies, position=list(place), axis=axis)
    for wheel, hub in ((rear, HUB), (front, FRONT)):
        rolls(mbs, mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=wheel)), hub[2])
    return [sensed(mbs, frame), sensed(mbs, front)]


def car(mbs: Any, nodes: str) -> list[int]:
    """The car, whose wheels slip on springs; returns the sensor."""
    r, x, y, width = slipping.CAR_WHEEL, slipping.CAR_WIDTH, slipping.CAR_LENGTH, 0.1
    mass = 500.0 * math.pi * r**2 * width
    across = mass * (3.0 * r**2 + width**2) / 12.0
    sizes = np.array([y * y + r * r, x * x + r * r, x * x + y * y])
    depth = 9.81 * (slipping.CAR_MASS + 4.0 * mass) / 4.0 / slipping.CAR_HARD
    inertia = np.diag(sizes * slipping.CAR_MASS / 12.0)
    made = body(mbs, nodes, slipping.CAR_MASS, inertia, (0, 0, r - depth))
    left, right = (math.atan(y / curve) for curve in (slipping.CAR_CURVE, slipping.CAR_CURVE + x))
    for dx, dy, steer in ((-x, -y, 0.0), (x, -y, 0.0), (-x, y, left), (x, y, right)):
        place, turn = np.array([0.5 * dx, 0.5 * dy, 0.0]), RotationMatrixZ(steer)
        wheel = body(
            mbs, nodes, mass, np.diag([0.5 * mass * r**2, across, across]),
            place + np.array([0, 0, r - depth]), referenceRotationMatrix=turn,
        )  # fmt: skip
        hub = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=wheel))
        axle = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=made, localPosition=list(place)))
        mbs.AddObject(
            items.GenericJoint(
                markerNumbers=[hub, axle], rotationMarker1=turn, constrainedAxes=[1, 1, 1, 0, 1, 1]
            )
        )
        slips(mbs, hub, r)
        if dy < 0.0:
            torque = [slipping.CAR_DRIVE, 0, 0]
            mbs.AddLoad(items.Torque(markerNumber=hub, loadVector=torque, bodyFixed=True))
    return [sensed(mbs, made)]


def slips(mbs: Any, marker: int, radius: float) -> None:
    """A disc on the ground that slips."""
    ground = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.CreateGround()))
    memory = mbs.AddNode(
        items.NodeGenericData(initialCoordinates=[0, 0, 0], numberOfDataCoordinates=3)
    )
    mbs.AddObject(
        items.ObjectConnectorRollingDiscPenalty(
            markerNumbers=[ground, marker],
            nodeNumber=memory,
            discRadius=radius,
            dryFriction=[0.4, 0.4],
            dryFrictionProportionalZone=1e-2,
            useLinearProportionalZone=True,
            contactStiffness=slipping.CAR_HARD,
            contactDamping=0.0,
        )
    )


def tree(mbs: Any, joints: str, parents: list[int], links: list[Any], rates: list[float]) -> int:
    """A tree without forces in its joints; a link is (mass, centre, inertia, offset, turn)."""
    named = {
        "x": exu.JointType.PrismaticX, "y": exu.JointType.PrismaticY, "z": exu.JointType.PrismaticZ,
        "X": exu.JointType.RevoluteX, "Y": exu.JointType.RevoluteY, "Z": exu.JointType.RevoluteZ,
    }  # fmt: skip
    n = len(joints)
    masses, centres, inertias, offsets, turns = zip(*links, strict=True)
    node = mbs.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=[0.0] * n,
            initialCoordinates=[0.0] * n,
            initialCoordinates_t=rates,
            numberOfODE2Coordinates=n,
        )
    )
    return mbs.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[named[kind] for kind in joints],
            linkParents=parents,
            jointTransformations=exu.Matrix3DList(list(turns)),
            jointOffsets=exu.Vector3DList(list(offsets)),
            linkInertiasCOM=exu.Matrix3DList(list(inertias)),
            linkCOMs=exu.Vector3DList(list(centres)),
            linkMasses=list(masses),
            baseOffset=[0.0, 0.0, 0.0],
            gravity=G,
            jointForceVector=[0.0] * n,
        )
    )


def held(mbs: Any, made: int, link: int, radius: float, axis: Any) -> None:
    """The wheel of a link of a tree on the ground."""
    marker = items.MarkerKinematicTreeRigid(
        objectNumber=made, linkNumber=link, localPosition=[0, 0, 0]
    )
    rolls(mbs, mbs.AddMarker(marker), radius, axis)


def seen(mbs: Any, made: int, link: int, place: Any = (0, 0, 0)) -> int:
    """The sensor of a place on a link of a tree."""
    return mbs.AddSensor(
        items.SensorKinematicTree(
            objectNumber=made,
            linkNumber=link,
            localPosition=list(place),
            storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )


def bare(count: int, first: Any) -> list[Any]:
    """Links without mass; the first one begins at a place."""
    zero = np.zeros(3)
    return [
        (0.0, zero, np.zeros((3, 3)), first if k == 0 else zero, np.eye(3)) for k in range(count)
    ]


def disc_tree(mbs: Any, problem: Problem) -> list[int]:
    """The coin or the wheel with yaw, lean and spin."""
    r, mass, (about, across), place, spin, turn = single(problem)
    arm = np.array([0.0, 0.0, r]) if problem.case != COIN else place
    velocity = np.cross(spin, arm)
    links = bare(6, place)
    links[4] = (*links[4][:4], turn)
    links[5] = (mass, np.zeros(3), np.diag([about, across, across]), np.zeros(3), np.eye(3))
    rates = [*velocity, spin[2], spin[1], spin[0]]
    made = tree(mbs, "xyzZYX", [-1, 0, 1, 2, 3, 4], links, list(map(float, rates)))
    held(mbs, made, 5, r, (1, 0, 0))
    return [seen(mbs, made, 5)]


def bicycle_tree(mbs: Any) -> list[int]:
    """The bicycle as a tree from its frame."""
    speed, lean = compared.SLOW
    zero, wheel = np.zeros(3), np.diag([0.0603, 0.12, 0.0603])
    links = [
        *bare(5, HUB),
        (85.0, FRAME - HUB, FRAME_INERTIA, zero, np.eye(3)),
        (2.0, zero, wheel, zero, np.eye(3)),
        (4.0, STEER.T @ (FORK - HEAD), STEER.T @ FORK_INERTIA @ STEER, HEAD - HUB, STEER),
        (3.0, zero, np.diag([0.1405, 0.28, 0.1405]), STEER.T @ (FRONT - HEAD), STEER.T),
    ]
    rates = [speed, -lean * HUB[2], 0, 0, lean, 0, speed / HUB[2], 0, speed / FRONT[2]]
    made = tree(mbs, "xyzZXYYZY", [-1, 0, 1, 2, 3, 4, 5, 5, 7], links, list(map(float, rates)))
    for link, hub in ((6, HUB), (8, FRONT)):
        held(mbs, made, link, hub[2], (0, 1, 0))
    return [seen(mbs, made, 5, FRAME - HUB), seen(mbs, made, 8)]


def build(mbs: Any, problem: Problem, nodes: str) -> list[int]:
    """Write the model; returns the sensors."""
    if problem.case == CAR:
        return car(mbs, nodes)
    if nodes == "tree":
        return bicycle_tree(mbs) if problem.case == BICYCLE else disc_tree(mbs, problem)
    return bicycle(mbs, nodes) if problem.case == BICYCLE else disc(mbs, problem, nodes)


def solve(problem: Problem, method: str, step: float) -> Run:
    """Run the problem; a run that fails ends at its start."""
    solver, nodes, kept = METHODS[method]
    start = time.process_time()
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    sensors = build(mbs, problem, nodes)
    mbs.Assemble()
    chosen = exu.SimulationSettings()
    options = chosen.timeIntegration
    options.endTime = problem.t_end
    options.numberOfSteps = round(problem.t_end / step)
    options.verboseMode = 0
    options.stepInformation = 0
    # Springs of the car vibrate fast
    options.generalizedAlpha.spectralRadius = 0.2 if problem.case == CAR else 0.9
    options.newton.useModifiedNewton = kept
    chosen.solution.file.write = False
    chosen.solution.sensors.writePeriod = problem.every
    chosen.parallel.numberOfThreads = 1
    chosen.linearSolver.solverType = exu.LinearSolverType.EXUdense
    begin = time.process_time()
    try:
        mbs.SolveDynamic(chosen, solverType=getattr(exu.DynamicSolverType, solver))
    except (ValueError, exu.SolverError, exu.InternalError):
        nothing = np.full((1, 3 * len(sensors)), np.nan)
        return Run(0.0, 0.0, 0, np.zeros(1), nothing)
    end = time.process_time()
    rows = [np.array(mbs.GetSensorStoredData(sensor)) for sensor in sensors]
    path = np.hstack([row[:, 1:4] for row in rows]) / math.sqrt(len(rows))
    steps = round(problem.t_end / step)
    return Run(end - begin, end - start, steps, rows[0][:, 0], path)
