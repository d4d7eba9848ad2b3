"""The arm with a flexible second link in Exudyn: a rigid body and a reduced floating frame.

The beam is a row of lumped masses with the stiffness of Euler-Bernoulli elements, whose rotations
are condensed; its first bending modes, clamped at the joint, are kept. Axes and start are those of
``supple.commands.demo``, without damping. Run as a program it prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

sys.exudynFast = True  # its build without range checks

import numpy as np  # noqa: E402
from scipy import sparse  # noqa: E402
from scipy.linalg import eigh  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import exudyn as exu
    from exudyn import itemInterface as items  # noqa: N813
    from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface
    from exudyn.rigidBodyUtilities import (
        RigidBodyInertia,
        RotationMatrixY,
        RotationMatrixZ,
    )

GRAVITY = [0.0, -9.81, 0.0]  # m/s2
SHOULDER, ELBOW = 1.5, -1.0  # rad
OFFSET, LENGTH = 0.231, 1.02  # m, from shoulder to elbow and from elbow to tip
OUTER, INNER = 0.0127, 0.0127 - 2 * 0.0016  # m, sides of the tube
E, DENSITY, TIP_MASS = 69e9, 2770.0, 0.5  # N/m2, kg/m3, kg
AREA = OUTER**2 - INNER**2  # m2
SECOND_MOMENT = (OUTER**4 - INNER**4) / 12.0  # m4


@dataclass(frozen=True)
class Run:
    """CPU seconds of the solver and of building plus solving, steps, and the path of the tip."""

    solve: float
    whole: float
    steps: int
    t: np.ndarray  # (nt,) s
    path: np.ndarray  # (nt, 3) m


def bending_stiffness(elements: int) -> np.ndarray:
    """Stiffness of the deflections of all nodes but the clamped one, in one plane, N/m."""
    h = LENGTH / elements
    element = np.array(
        [
            [12, 6 * h, -12, 6 * h],
            [6 * h, 4 * h * h, -6 * h, 2 * h * h],
            [-12, -6 * h, 12, -6 * h],
            [6 * h, 2 * h * h, -6 * h, 4 * h * h],
        ]
    )
    whole = np.zeros((2 * elements + 2, 2 * elements + 2))
    for i in range(elements):
        whole[2 * i : 2 * i + 4, 2 * i : 2 * i + 4] += E * SECOND_MOMENT / h**3 * element
    free = whole[2:, 2:]
    w, turn = free[::2, ::2], free[1::2, 1::2]
    coupling = free[::2, 1::2]
    return w - coupling @ np.linalg.solve(turn, coupling.T)


def beam(elements: int, modes: int) -> Any:
    """The reduced beam: bending modes in both planes, in pairs, along x from the elbow."""
    mass = np.full(elements + 1, DENSITY * AREA * LENGTH / elements)
    mass[[0, -1]] *= 0.5
    mass[-1] += TIP_MASS
    last = (modes + 1) // 2 - 1
    squares, shapes = eigh(
        bending_stiffness(elements), np.diag(mass[1:]), subset_by_index=[0, last]
    )
    basis = np.zeros((elements + 1, 3, modes))
    for j in range(modes):
        basis[1:, 1 + j % 2, j] = shapes[:, j // 2]
    size = 3 * (elements + 1)
    fem = FEMinterface()
    x = np.linspace(0.0, LENGTH, elements + 1)
    fem.nodes = {"Position": np.column_stack([x, 0 * x, 0 * x])}
    fem.massMatrix = sparse.csr_matrix(sparse.diags(np.repeat(mass, 3)))
    fem.stiffnessMatrix = sparse.csr_matrix((size, size))  # the reduced one is set below
    fem.modeBasis = {"matrix": basis.reshape(size, modes), "type": "NormalModes"}
    fem.surface = []
    made = ObjectFFRFreducedOrderInterface(fem)
    made.stiffnessMatrixReduced = np.diag(squares[np.arange(modes) // 2])
    made.inertiaLocal[0, 0] += 2.0 * DENSITY * SECOND_MOMENT * LENGTH  # lumped masses have none
    return made


def arm(mbs: Any, elements: int, modes: int) -> int:
    """Build the arm; returns the sensor at the tip."""
    ground = mbs.CreateGround()
    column = RotationMatrixY(SHOULDER)
    inertia = RigidBodyInertia(
        mass=2.067, inertiaTensor=np.diag([0.04022, 0.08884, 3.752e-4]), com=[0, 0, -0.1155]
    )
    link1 = mbs.CreateRigidBody(
        inertia=inertia,
        referencePosition=[0, 0, 0],
        referenceRotationMatrix=column,
        gravity=GRAVITY,
        nodeType=exu.NodeType.RotationEulerParameters,
    )
    mbs.CreateRevoluteJoint(
        itemNumbers=[ground, link1], position=[0, 0, 0], axis=[0, 1, 0], useGlobalFrame=True
    )
    link2 = beam(elements, modes).AddObjectFFRFreducedOrder(
        mbs,
        positionRef=list(column @ [0, 0, -OFFSET]),
        rotationMatrixRef=column @ RotationMatrixZ(ELBOW),
        gravity=GRAVITY,
    )
    ends = [
        mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=link1, localPosition=[0, 0, -OFFSET])),
        mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=link2["nRigidBody"])),
    ]
    mbs.AddObject(items.ObjectJointRevoluteZ(markerNumbers=ends))
    return mbs.AddSensor(
        items.SensorSuperElement(
            bodyNumber=link2["oFFRFreducedOrder"],
            meshNodeNumber=elements,
            storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )


def settings(step: float, newton: float, t_end: float, every: float) -> Any:
    """Options of a run."""
    chosen = exu.SimulationSettings()
    time_options = chosen.timeIntegration
    time_options.endTime = t_end
    time_options.numberOfSteps = round(t_end / step)
    time_options.verboseMode = 0
    time_options.generalizedAlpha.spectralRadius = 0.9
    time_options.newton.relativeTolerance = newton
    time_options.newton.useModifiedNewton = True  # a new matrix in each step costs more
    chosen.solution.file.write = False
    chosen.solution.sensors.writePeriod = every
    chosen.parallel.numberOfThreads = 1
    chosen.linearSolver.solverType = exu.LinearSolverType.EXUdense
    return chosen


def solve(
    step: float,
    *,
    newton: float = 1e-8,
    solver: str = "GeneralizedAlpha",
    modes: int = 4,
    elements: int = 40,
    t_end: float = 5.0,
    every: float = 0.01,
) -> Run:
    """Run the arm from rest with steps of ``step`` s; ``every`` s gives a row of the path."""
    start = time.process_time()
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    with redirect_stdout(StringIO()):  # it repeats on each run that the inertia is unusual
        sensor = arm(mbs, elements, modes)
    mbs.Assemble()
    options = settings(step, newton, t_end, every)
    begin = time.process_time()
    mbs.SolveDynamic(options, solverType=getattr(exu.DynamicSolverType, solver))
    end = time.process_time()
    rows = np.array(mbs.GetSensorStoredData(sensor))
    steps = int(mbs.sys["dynamicSolver"].it.currentStepIndex) - 1  # it counts the start
    return Run(end - begin, end - start, steps, rows[:, 0], rows[:, 1:4])


def main() -> None:
    """One run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=float, default=1e-3, help="s")
    parser.add_argument("--newton", type=float, default=1e-8, help="its relative tolerance")
    parser.add_argument("--solver", default="GeneralizedAlpha", help="or TrapezoidalIndex2")
    parser.add_argument("--modes", type=int, default=4)
    parser.add_argument("--elements", type=int, default=40)
    parser.add_argument("--t-end", type=float, default=5.0, help="s")
    given = vars(parser.parse_args())
    run = solve(**given)
    found = {"solve": run.solve, "whole": run.whole, "steps": run.steps}
    print(json.dumps({**given, **found, "end": run.path[-1].tolist()}))


if __name__ == "__main__":
    main()
