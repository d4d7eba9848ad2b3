"""The soft pendulum in Exudyn as a cable: absolute nodal coordinates, in space or in a plane.

A square bar, hinged at one end and let go from the horizontal. Run as a program it prints one line
of JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import pairwise
from typing import Any

import numpy as np

from peers.exudyn_soft_pendulum import (
    AREA,
    DENSITY,
    GRAVITY,
    LENGTH,
    SECOND_MOMENT,
    E,
    Run,
    exu,
    items,
)


def pendulum(mbs: Any, elements: int, plane: bool) -> int:
    """Build the cable; returns the sensor at its tip."""
    length = LENGTH / elements
    node = items.NodePoint2DSlope1 if plane else items.NodePointSlope1
    cable = items.ObjectANCFCable2D if plane else items.ObjectANCFCable
    size = 2 if plane else 3
    nodes = []
    for k in range(elements + 1):
        place, slope = [0.0] * size, [0.0] * size
        place[0], slope[0] = k * length, 1.0
        nodes.append(mbs.AddNode(node(referenceCoordinates=place + slope)))
    for ends in pairwise(nodes):
        element = mbs.AddObject(
            cable(
                nodeNumbers=list(ends),
                physicsLength=length,
                physicsMassPerLength=DENSITY * AREA,
                physicsBendingStiffness=E * SECOND_MOMENT,
                physicsAxialStiffness=E * AREA,
            )
        )
        marker = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=element))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[0, -GRAVITY, 0]))
    ground = mbs.AddNode(items.NodePointGround(referenceCoordinates=[0, 0, 0]))
    fixed = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for k in range(size):
        moving = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[fixed, moving]))
    return mbs.AddSensor(
        items.SensorNode(
            nodeNumber=nodes[-1],
            storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )


def solve(
    step: float,
    *,
    elements: int = 32,
    plane: bool = False,
    newton: float = 1e-6,
    t_end: float = 1.0,
    every: float = 0.01,
) -> Run:
    """Let the cable fall with steps of ``step`` s; ``every`` s gives a row of the path."""
    start = time.process_time()
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    sensor = pendulum(mbs, elements, plane)
    mbs.Assemble()
    chosen = exu.SimulationSettings()
    options = chosen.timeIntegration
    options.endTime, options.numberOfSteps, options.verboseMode = t_end, round(t_end / step), 0
    options.generalizedAlpha.spectralRadius = 0.9
    options.newton.relativeTolerance, options.newton.useModifiedNewton = newton, True
    chosen.solution.file.write = False
    chosen.solution.sensors.writePeriod = every
    chosen.parallel.numberOfThreads = 1
    chosen.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    chosen.linearSolver.reuseAnalyzedPattern = True
    begin = time.process_time()
    mbs.SolveDynamic(chosen, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    end = time.process_time()
    rows = np.array(mbs.GetSensorStoredData(sensor))
    steps = int(mbs.sys["dynamicSolver"].it.currentStepIndex) - 1  # it counts the start
    return Run(end - begin, end - start, steps, rows[:, 0], rows[:, 1:4])


def main() -> None:
    """One run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=float, default=1e-3, help="s")
    parser.add_argument("--elements", type=int, default=32)
    parser.add_argument("--plane", action="store_true", help="nodes in a plane")
    parser.add_argument("--newton", type=float, default=1e-6, help="its relative tolerance")
    parser.add_argument("--t-end", type=float, default=1.0, help="s")
    given = vars(parser.parse_args())
    run = solve(**given)
    found = {"solve": run.solve, "whole": run.whole, "steps": run.steps}
    print(json.dumps({**given, **found, "end": run.path[-1].tolist()}))


if __name__ == "__main__":
    main()
