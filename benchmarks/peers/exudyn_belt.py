"""The belt drive in Exudyn: cables in a plane, each of which touches both pulleys by segments.

The contact is that of its example of belt drives, with the axis of the belt on circles that are
larger by half of its thickness.
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

import belt  # noqa: E402
import numpy as np  # noqa: E402
from equal_error import Run  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import exudyn as exu
    from exudyn import itemInterface as items  # noqa: N813
    from exudyn.beams import PointsAndSlopes2ANCFCable2D

METHODS = ("GeneralizedAlpha", "TrapezoidalIndex2")
SEGMENTS = belt.POINTS // belt.ELEMENTS


def cables(mbs: Any) -> tuple[Any, float]:
    """The belt as it is laid; its nodes and elements, and the length of an element, m."""
    places, slopes, length = belt.laid()
    rows = np.hstack([places, slopes])
    element = length / belt.ELEMENTS
    template = items.Cable2D(
        physicsMassPerLength=belt.case.MASS,
        physicsBendingStiffness=belt.case.STIFFNESS * belt.case.SIDE**2 / 12.0,
        physicsAxialStiffness=belt.case.STIFFNESS,
        physicsAxialDamping=belt.case.VISCOSITY * belt.case.STIFFNESS,
        physicsReferenceAxialStrain=-belt.case.STRAIN,
        useReducedOrderIntegration=2,
    )
    lengths = [element] * belt.ELEMENTS
    closed = np.vstack([rows, rows[:1]])
    load = [0, -belt.case.G, 0]
    made = PointsAndSlopes2ANCFCable2D(
        mbs, closed, lengths, template, massProportionalLoad=load, firstNodeIsLastNode=True
    )
    return made, element


def touch(mbs: Any, pulley: Any, cable: Any, element: float) -> None:
    """One cable element on one pulley."""
    shape = mbs.AddMarker(items.MarkerBodyCable2DShape(bodyNumber=cable, numberOfSegments=SEGMENTS))
    start = [0.1] * SEGMENTS + [-2.0] * SEGMENTS + [0.0] * SEGMENTS
    memory = mbs.AddNode(
        items.NodeGenericData(initialCoordinates=start, numberOfDataCoordinates=3 * SEGMENTS)
    )
    push, hold = (x * element / SEGMENTS for x in (belt.case.PUSH, belt.case.HOLD))
    mbs.AddObject(
        items.ObjectContactFrictionCircleCable2D(
            markerNumbers=[pulley, shape],
            nodeNumber=memory,
            numberOfContactSegments=SEGMENTS,
            contactStiffness=push,
            contactDamping=1e-3 * push,
            frictionVelocityPenalty=belt.case.SETTLING * hold,
            frictionStiffness=hold,
            frictionCoefficient=belt.case.MU,
            circleRadius=belt.case.RADIUS + 0.5 * belt.case.SIDE,
        )
    )


def build(mbs: Any) -> tuple[int, int]:
    """Write the model; returns the sensors of the lever's end and of a node of the belt."""
    made, element = cables(mbs)
    ground = mbs.AddObject(items.ObjectGround())
    still = mbs.AddNode(items.NodePointGround())
    fixed = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=still, coordinate=0))
    for k in range(2):
        centre = [k * belt.case.DISTANCE, 0, 0]
        node = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=centre))
        body = mbs.AddObject(items.ObjectRigidBody2D(mass=1.0, inertia=0.01, nodeNumber=node))
        pulley = mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=node))
        axle = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=ground, localPosition=centre))
        mbs.AddObject(items.RevoluteJoint2D(markerNumbers=[axle, pulley]))
        if k == 0:
            angle = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=2))
            mbs.AddObject(
                items.CoordinateConstraint(
                    markerNumbers=[fixed, angle],
                    velocityLevel=True,
                    offsetUserFunction_t=lambda mbs, t, item, offset: 2.0 * math.pi * t,
                )
            )
        else:
            end = [0, -belt.case.LEVER, 0]
            tip = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=end))
            mbs.AddLoad(items.Force(markerNumber=tip, loadVector=[0, -belt.case.G, 0]))
            kind = exu.OutputVariableType.Position
            lever = mbs.AddSensor(
                items.SensorBody(
                    bodyNumber=body, localPosition=end, storeInternal=True, outputVariableType=kind
                )
            )
        for cable in made[1]:
            touch(mbs, pulley, cable, element)
    node = made[0][0]
    kind = exu.OutputVariableType.Position
    place = mbs.AddSensor(
        items.SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=kind)
    )
    return lever, place


def solve(solver: str, step: float) -> Run:
    """Run the drive; paths every ``belt.EVERY`` s."""
    start = time.process_time()
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    sensors = build(mbs)
    mbs.Assemble()
    chosen = exu.SimulationSettings()
    options = chosen.timeIntegration
    options.endTime = belt.T_END
    options.numberOfSteps = round(belt.T_END / step)
    options.verboseMode = 0
    options.stepInformation = 0
    options.generalizedAlpha.spectralRadius = 0.5
    options.newton.useModifiedNewton = True
    options.newton.numericalDifferentiation.minimumCoordinateSize = 1
    options.discontinuous.maxIterations = 7
    chosen.solution.file.write = False
    chosen.solution.sensors.writePeriod = belt.EVERY
    chosen.parallel.numberOfThreads = 1
    chosen.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    begin = time.process_time()
    mbs.SolveDynamic(chosen, solverType=getattr(exu.DynamicSolverType, solver))
    end = time.process_time()
    rows = [np.array(mbs.GetSensorStoredData(sensor)) for sensor in sensors]
    path = np.hstack([row[:, 1:4] for row in rows]) / math.sqrt(2.0)
    steps = round(belt.T_END / step)
    return Run(end - begin, end - start, steps, rows[0][:, 0], path)
