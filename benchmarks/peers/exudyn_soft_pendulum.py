"""The soft pendulum in Exudyn: geometrically exact beams in space, their weight at the nodes.

A square bar, hinged at one end and let go from the horizontal. Run as a program it prints one line
of JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

sys.exudynFast = True  # its build without range checks

import numpy as np  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import exudyn as exu
    from exudyn import itemInterface as items  # noqa: N813

GRAVITY = 9.81  # m/s2
LENGTH, SIDE = 2.0, 0.02  # m
E, G, DENSITY = 1e7, 5e6, 1000.0  # N/m2, N/m2, kg/m3
AREA, SECOND_MOMENT = SIDE**2, SIDE**4 / 12.0  # m2, m4
TORSION = 0.1406 * SIDE**4  # m4, of a square


@dataclass(frozen=True)
class Run:
    """CPU seconds of the solver and of building plus solving, steps, and the path of the tip."""

    solve: float
    whole: float
    steps: int
    t: np.ndarray  # (nt,) s
    path: np.ndarray  # (nt, 3) m


def section() -> Any:
    """Stiffness and inertia of the bar's section: stretch, shears, twist, bendings."""
    made = exu.BeamSection()
    shear = G * AREA * 5.0 / 6.0
    bend = E * SECOND_MOMENT
    made.stiffnessMatrix = np.diag([E * AREA, shear, shear, G * TORSION, bend, bend])
    made.inertia = DENSITY * SECOND_MOMENT * np.diag([2.0, 1.0, 1.0])
    made.massPerLength = DENSITY * AREA
    return made


def pendulum(mbs: Any, elements: int) -> int:
    """Build the bar; returns the sensor at its tip."""
    length, beam = LENGTH / elements, section()
    nodes = [
        mbs.AddNode(items.NodeRigidBodyRotVecLG(referenceCoordinates=[k * length, 0, 0, 0, 0, 0]))
        for k in range(elements + 1)
    ]
    for ends in pairwise(nodes):
        mbs.AddObject(
            items.ObjectBeamGeometricallyExact(
                nodeNumbers=list(ends), length=length, sectionData=beam
            )
        )
    hinge = [
        mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.AddObject(items.ObjectGround()))),
        mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=nodes[0])),
    ]
    mbs.AddObject(items.GenericJoint(markerNumbers=hinge, constrainedAxes=[1, 1, 1, 1, 1, 0]))
    for k, node in enumerate(nodes):
        weight = DENSITY * AREA * length * GRAVITY * (0.5 if k in (0, elements) else 1.0)
        marker = mbs.AddMarker(items.MarkerNodePosition(nodeNumber=node))
        mbs.AddLoad(items.Force(markerNumber=marker, loadVector=[0, -weight, 0]))
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
    newton: float = 1e-6,
    t_end: float = 1.0,
    every: float = 0.01,
) -> Run:
    """Let the bar fall with steps of ``step`` s; ``every`` s gives a row of the path."""
    start = time.process_time()
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    sensor = pendulum(mbs, elements)
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
    parser.add_argument("--newton", type=float, default=1e-6, help="its relative tolerance")
    parser.add_argument("--t-end", type=float, default=1.0, help="s")
    given = vars(parser.parse_args())
    run = solve(**given)
    found = {"solve": run.solve, "whole": run.whole, "steps": run.steps}
    print(json.dumps({**given, **found, "end": run.path[-1].tolist()}))


if __name__ == "__main__":
    main()
