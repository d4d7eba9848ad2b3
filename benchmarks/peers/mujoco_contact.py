"""Bodies that touch in MuJoCo: constraints that are as soft as the springs of the other programs.

Its law is one of accelerations: stiffness and damping over the mass. Balls that touch each other
have half of the stiffness of a ball on the floor. Friction is rounded as
much as the push is damped.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import mujoco
import numpy as np
import touching

INTEGRATORS = ("Euler", "implicitfast", "RK4")


@dataclass(frozen=True)
class Run:
    """CPU seconds of the steps and of building plus stepping, steps, and the bodies' path."""

    solve: float
    whole: float
    steps: int
    t: np.ndarray  # (nt,) s
    path: np.ndarray  # (nt, 3 n) m, over the root of n


def description(problem: touching.Problem, integrator: str, step: float) -> str:
    """The model in MuJoCo's language."""
    hard = touching.STIFFNESS / touching.MASS
    law = f'solref="{-hard} {-problem.damping / touching.MASS}" friction="{touching.MU} 0 0"'
    touch = f'{law} solimp="0.9999 0.9999 0.001 0.5 2"'
    bodies = []
    for place in problem.places:
        geom = f'<geom type="sphere" size="{touching.RADIUS}" mass="{touching.MASS}" {touch}/>'
        at = " ".join(repr(float(x)) for x in place)
        bodies.append(f'<body pos="{at}"><freejoint/>{geom}</body>')
    if not bodies:
        size = " ".join(str(0.5 * x) for x in touching.BLOCK)
        geom = f'<geom type="box" size="{size}" mass="{touching.MASS}" {touch}/>'
        bodies = [f'<body pos="0 0 {0.5 * touching.BLOCK[2]}"><freejoint/>{geom}</body>']
    return f"""<mujoco><option gravity="0 0 {-touching.GRAVITY}" timestep="{step!r}"
        integrator="{integrator}" cone="elliptic" impratio="10" solver="Newton"/>
        <worldbody><geom type="plane" size="9 9 1" {touch}/>{"".join(bodies)}</worldbody>
        </mujoco>"""


def solve(problem: touching.Problem, integrator: str, step: float) -> Run:
    """Run the problem with equal steps (s), a whole number of which make 0.01 s."""
    start = time.process_time()
    many = round(touching.EVERY / step)
    model = mujoco.MjModel.from_xml_string(description(problem, integrator, touching.EVERY / many))
    data = mujoco.MjData(model)
    places = data.qpos.reshape(-1, 7)[:, :3]
    speeds = data.qvel.reshape(-1, 6)[:, :3]
    speeds[:] = problem.velocities if len(problem.velocities) else (touching.SPEED, 0, 0)
    rows = round(problem.t_end / touching.EVERY)
    path = np.empty((rows + 1, places.size))
    path[0] = places.ravel()
    begin = time.process_time()
    for k in range(rows):
        mujoco.mj_step(model, data, nstep=many)
        path[k + 1] = places.ravel()
    end = time.process_time()
    t = touching.EVERY * np.arange(rows + 1)
    return Run(end - begin, end - start, rows * many, t, touching.scaled(path))
