"""Bodies that touch in Exudyn: its contact of all with all, with explicit and implicit methods.

A floor of two triangles; the stiffness of a pair is that of both springs in series. The block
touches by balls at its corners. Dampers of a pair add up; all damping is that of the floor, and of
half of each ball.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.exudynFast = True  # its build without range checks
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402
import touching  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import exudyn as exu
    from exudyn import itemInterface as items  # noqa: N813
    from exudyn.rigidBodyUtilities import RigidBodyInertia

EXPLICIT = ("ExplicitMidpoint", "RK44", "RK67")
IMPLICIT = ("TrapezoidalIndex2", "GeneralizedAlpha")
SIDE = 4.0  # m, half length of the floor


@dataclass(frozen=True)
class Run:
    """CPU seconds of the solver and of building plus solving, steps, and the bodies' path."""

    solve: float
    whole: float
    steps: int
    t: np.ndarray  # (nt,) s
    path: np.ndarray  # (nt, 3 n) m, over the root of n


def floor(mbs: Any, damping: float) -> Any:
    """The contact of all with all, and a floor in it."""
    contact = mbs.AddGeneralContact()
    contact.frictionProportionalZone = touching.TRANSITION
    contact.SetFrictionPairings(touching.MU * np.eye(1))
    contact.SetSearchTreeCellSize(numberOfCells=[8, 8, 2])
    low, high = [-0.3, -0.3, -0.1], [1.0, 0.8, 0.4]
    contact.SetSearchTreeBox(pMin=np.array(low), pMax=np.array(high))
    ground = mbs.AddNode(items.NodePointGround(referenceCoordinates=[0, 0, 0]))
    corners = [[x * SIDE, y * SIDE, 0] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    contact.AddTrianglesRigidBodyBased(
        rigidBodyMarkerIndex=mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=ground)),
        contactStiffness=2.0 * touching.STIFFNESS,
        contactDamping=damping,
        frictionMaterialIndex=0,
        pointList=corners,
        triangleList=[[0, 1, 2], [0, 2, 3]],
    )
    return contact


def body(mbs: Any, contact: Any, inertia: Any, place: Any, velocity: Any, balls: Any) -> int:
    """A body with balls (place, radius) that touch; returns the sensor of its place."""
    made = mbs.CreateRigidBody(
        inertia=RigidBodyInertia(mass=touching.MASS, inertiaTensor=np.diag(inertia)),
        referencePosition=list(place),
        initialVelocity=list(velocity),
        gravity=[0, 0, -touching.GRAVITY],
        nodeType=exu.NodeType.RotationRotationVector,
    )
    for at, radius in balls:
        marker = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=made, localPosition=list(at)))
        contact.AddSphereWithMarker(
            marker,
            radius=radius,
            contactStiffness=2.0 * touching.STIFFNESS,
            contactDamping=0.0,
            frictionMaterialIndex=0,
        )
    kind = exu.OutputVariableType.Position
    return mbs.AddSensor(
        items.SensorBody(bodyNumber=made, storeInternal=True, outputVariableType=kind)
    )


def build(mbs: Any, problem: touching.Problem) -> list[int]:
    """Write the model; returns the sensors."""
    contact = floor(mbs, problem.damping)
    r = touching.RADIUS
    inertia = 0.4 * touching.MASS * r**2 * np.ones(3)
    rows = zip(problem.places, problem.velocities, strict=True)
    sensors = [body(mbs, contact, inertia, x, v, [((0, 0, 0), r)]) for x, v in rows]
    if not sensors:
        half = 0.5 * np.array(touching.BLOCK)
        place = (0, 0, half[2] - touching.sunk())
        signs = [(x, y) for x in (-1, 1) for y in (-1, 1)]
        down = touching.CORNER - half[2]
        balls = [((x * half[0], y * half[1], down), touching.CORNER) for x, y in signs]
        speed = (touching.SPEED, 0, 0)
        sensors = [body(mbs, contact, touching.block_inertia(), place, speed, balls)]
    return sensors


def settings(solver: str, step: float, t_end: float) -> Any:
    """Options of a run with steps of that length, s."""
    chosen = exu.SimulationSettings()
    options = chosen.timeIntegration
    options.endTime = t_end
    options.numberOfSteps = round(t_end / step)
    options.verboseMode = 0
    options.generalizedAlpha.spectralRadius = 0.9
    options.newton.useModifiedNewton = True
    options.newton.numericalDifferentiation.forODE2 = False
    options.discontinuous.iterationTolerance = 1e-3
    options.explicit.computeEndOfStepAccelerations = solver in IMPLICIT
    options.stepInformation = 0
    chosen.solution.file.write = False
    chosen.solution.sensors.writePeriod = touching.EVERY
    chosen.parallel.numberOfThreads = 1
    chosen.linearSolver.solverType = exu.LinearSolverType.EXUdense
    return chosen


def solve(problem: touching.Problem, solver: str, step: float) -> Run:
    """Run the problem; paths every 0.01 s."""
    start = time.process_time()
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    sensors = build(mbs, problem)
    mbs.Assemble()
    options = settings(solver, step, problem.t_end)
    begin = time.process_time()
    mbs.SolveDynamic(options, solverType=getattr(exu.DynamicSolverType, solver))
    end = time.process_time()
    rows = [np.array(mbs.GetSensorStoredData(sensor)) for sensor in sensors]
    path = touching.scaled(np.hstack([row[:, 1:4] for row in rows]))
    steps = round(problem.t_end / step)
    return Run(end - begin, end - start, steps, rows[0][:, 0], path)
