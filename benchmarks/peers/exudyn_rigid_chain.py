"""The chain of rigid links in Exudyn: a kinematic tree, or bodies with constraints.

Run as a program it prints one line of JSON; ``--help`` tells the options.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.exudynFast = True  # its build without range checks
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # as a program: chain is next door

import chain  # noqa: E402
import numpy as np  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import exudyn as exu
    from exudyn import itemInterface as items  # noqa: N813
    from exudyn.rigidBodyUtilities import InertiaCuboid

ADAPTIVE = ("DOPRI5", "ODE23")
IMPLICIT = ("GeneralizedAlpha", "TrapezoidalIndex2")


@dataclass(frozen=True)
class Run:
    """CPU seconds of the solver and of building plus solving, steps, and the path of one point."""

    solve: float
    whole: float
    steps: int
    t: np.ndarray  # (nt,) s
    path: np.ndarray  # (nt, 3) m


def tree(mbs: Any, links: int, probe: int) -> int:
    """Joint coordinates: Exudyn's kinematic tree; returns the sensor at link ``probe``."""
    still = [0.0] * links
    node = mbs.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=still,
            initialCoordinates=still,
            initialCoordinates_t=still,
            numberOfODE2Coordinates=links,
        )
    )
    turns, offsets = exu.Matrix3DList(), exu.Vector3DList()
    inertias, centres = exu.Matrix3DList(), exu.Vector3DList()
    for i in range(links):
        turns.Append(np.eye(3))
        offsets.Append([chain.LENGTH if i else 0.0, 0.0, 0.0])
        inertias.Append(np.diag([chain.ALONG, chain.ACROSS, chain.ACROSS]))
        centres.Append([chain.LENGTH / 2, 0.0, 0.0])
    kinds = {"y": exu.JointType.RevoluteY, "z": exu.JointType.RevoluteZ}
    made = mbs.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[kinds[chain.axis(i)] for i in range(links)],
            linkParents=np.arange(links) - 1,
            jointTransformations=turns,
            jointOffsets=offsets,
            linkInertiasCOM=inertias,
            linkCOMs=centres,
            linkMasses=[chain.MASS] * links,
            baseOffset=[0.0, 0.0, 0.0],
            gravity=list(chain.GRAVITY),
        )
    )
    return mbs.AddSensor(
        items.SensorKinematicTree(
            objectNumber=made,
            linkNumber=probe - 1,
            localPosition=[chain.LENGTH, 0.0, 0.0],
            storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )


def redundant(mbs: Any, links: int, probe: int) -> int:
    """Absolute coordinates (Euler parameters) and joint constraints; returns the sensor."""
    size = [chain.LENGTH, chain.WIDTH, chain.WIDTH]
    inertia = InertiaCuboid(density=chain.MASS / float(np.prod(size)), sideLengths=size)
    before, measured = mbs.CreateGround(), None
    for i in range(links):
        body = mbs.CreateRigidBody(
            inertia=inertia,
            referencePosition=[(i + 0.5) * chain.LENGTH, 0.0, 0.0],
            gravity=list(chain.GRAVITY),
            nodeType=exu.NodeType.RotationEulerParameters,
        )
        mbs.CreateRevoluteJoint(
            itemNumbers=[before, body],
            position=[i * chain.LENGTH, 0.0, 0.0],
            axis=[0, 1, 0] if chain.axis(i) == "y" else [0, 0, 1],
            useGlobalFrame=True,
        )
        before = body
        measured = body if i == probe - 1 else measured
    return mbs.AddSensor(
        items.SensorBody(
            bodyNumber=measured,
            localPosition=[chain.LENGTH / 2, 0.0, 0.0],
            storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )


def settings(
    variant: str, solver: str, setting: float, links: int, t_end: float, every: float
) -> Any:
    """Options of a run; ``setting`` is the tolerance of an adaptive solver, else the step in s."""
    chosen = exu.SimulationSettings()
    time_options = chosen.timeIntegration
    time_options.endTime = t_end
    time_options.verboseMode = 0
    time_options.automaticStepSize = solver in ADAPTIVE
    if solver in ADAPTIVE:
        time_options.absoluteTolerance = time_options.relativeTolerance = setting
        time_options.initialStepSize = 1e-3
        time_options.numberOfSteps = 20  # sets the largest step
    else:
        time_options.numberOfSteps = round(t_end / setting)
    time_options.generalizedAlpha.spectralRadius = 0.9
    time_options.newton.relativeTolerance = 1e-8
    time_options.newton.useModifiedNewton = True
    time_options.explicit.computeEndOfStepAccelerations = solver in IMPLICIT
    chosen.solution.file.write = False
    chosen.solution.sensors.writePeriod = 1e-6 if solver in ADAPTIVE else every
    chosen.parallel.numberOfThreads = 1
    sparse = variant == "redundant" and links > 4
    kind = exu.LinearSolverType.EigenSparse if sparse else exu.LinearSolverType.EXUdense
    chosen.linearSolver.solverType = kind
    return chosen


def solve(
    links: int,
    variant: str,
    solver: str,
    setting: float,
    *,
    t_end: float = 2.0,
    probe: int = 0,
    every: float = 0.01,
) -> Run:
    """Run the chain from straight rest; ``every`` s (adaptive solvers: every step) gives a row.

    ``variant`` is "tree" or "redundant"; ``probe`` is the link whose far end is followed (0: last).
    """
    start = time.process_time()
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    build = {"tree": tree, "redundant": redundant}[variant]
    sensor = build(mbs, links, probe or links)
    mbs.Assemble()
    options = settings(variant, solver, setting, links, t_end, every)
    begin = time.process_time()
    mbs.SolveDynamic(options, solverType=getattr(exu.DynamicSolverType, solver))
    end = time.process_time()
    rows = np.array(mbs.GetSensorStoredData(sensor))
    steps = int(mbs.sys["dynamicSolver"].it.currentStepIndex) - 1  # it counts the start
    return Run(end - begin, end - start, steps, rows[:, 0], rows[:, 1:4])


def main() -> None:
    """One run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--links", type=int, default=8)
    parser.add_argument("--variant", choices=("tree", "redundant"), default="tree")
    parser.add_argument("--solver", default="RK44", help="RK44, DOPRI5, GeneralizedAlpha ...")
    parser.add_argument("--setting", type=float, default=1e-3, help="step in s, or tolerance")
    parser.add_argument("--t-end", type=float, default=2.0, help="s")
    parser.add_argument("--probe", type=int, default=0, help="link that is followed; 0: the last")
    given = vars(parser.parse_args())
    run = solve(**given)
    found = {"solve": run.solve, "whole": run.whole, "steps": run.steps}
    print(json.dumps({**given, **found, "end": run.path[-1].tolist()}))


if __name__ == "__main__":
    main()
