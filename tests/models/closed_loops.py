"""Closed loops in the plane and in space, and their runs."""

from __future__ import annotations

from typing import Any

import numpy as np

import supple as sp
from supple.core.run import step as st


def four_bar() -> sp.Model:
    """A planar four-bar of spatial revolutes: three of the rows follow from others."""
    m = sp.Model(gravity=(0, -9.81, 0))
    crank = m.add(sp.RigidBody("crank", 1.0, (0.15, 0, 0), (1e-3, 0.01, 0.01)))
    coupler = m.add(sp.RigidBody("coupler", 1.5, (0.4, 0.05, 0), (2e-3, 0.08, 0.08)))
    rocker = m.add(sp.RigidBody("rocker", 1.2, (0.25, 0, 0), (1e-3, 0.03, 0.03)))
    m.add(sp.Revolute("A", m.ground.at(0), crank.at(0), "z", 1.0, 4.0))
    m.add(sp.Revolute("B", crank.at(0.3), coupler.at(0), "z", -0.5))
    m.add(sp.Revolute("C", coupler.at(0.8), rocker.at(0.5), "z", 0.5))
    m.add(sp.Revolute("D", m.ground.at(0.7), rocker.at(0), "z", 1.2))
    return m


def spatial_loop() -> sp.Model:
    """Crank and rocker about skew axes; the rod hangs on two ball joints and spins."""
    m = sp.Model(gravity=(0, 0, -9.81))
    crank = m.add(sp.RigidBody("crank", 1.0, (0.1, 0, 0), (2e-3, 0.01, 0.01)))
    rod = m.add(sp.RigidBody("rod", 0.8, (0.4, 0.02, 0), (4e-3, 0.05, 0.05)))
    rocker = m.add(sp.RigidBody("rocker", 1.2, (0.2, 0, 0), (2e-3, 0.03, 0.03)))
    m.add(sp.Revolute("A", m.ground.at(0), crank.at(0), "z", 0.3, 3.0))
    m.add(sp.Spherical("B", crank.at(0.2), rod.at(0)))
    m.add(sp.Spherical("C", rod.at(0.8), rocker.at(0.4), initial_rate=(0.5, 0, 0)))
    m.add(sp.Revolute("D", m.ground.at(0.7, 0.3, -0.1), rocker.at(0), (0.2, 1, 0), -1.2))
    return m


class Watched:
    """The compiled loop, step by step: it remembers the end of each step."""

    name, loaded = "watched", True

    def __init__(self, kernel, turns: float, steps: int) -> None:
        self.kernel, self.turns, self.steps = kernel, turns, steps
        self.t: list[float] = []
        self.lam: list[np.ndarray] = []
        self.states: list[tuple[float, np.ndarray, np.ndarray]] = []

    def ready(self):
        run = self.kernel.ready()

        def loop(*arguments) -> int:
            *buffers, budget = arguments
            state, count = buffers[4:6]
            fields = st.read_run(buffers[0], buffers[3], count)
            for _ in range(budget):
                if self.turns and 0 < count[st.STEPS] < self.steps - 1:  # h and 2 h in turn
                    state[st.H] = self.turns * (2 - count[st.STEPS] % 2)
                outcome = run(*buffers, 1)
                self.t.append(float(state[st.T]))
                self.lam.append(fields.lam.copy())
                self.states.append((self.t[-1], fields.q.copy(), fields.u.copy()))
                if outcome != st.PAUSED:
                    return outcome
            return st.PAUSED

        return loop


def watch(build, formulation, method, options, turns: float = 0.0, steps: int = 0, **run: Any):
    """A result, and what was seen at the ends of its steps."""
    seen = Watched(method(**options).kernel, turns, steps)

    class Seen(method):
        kernel = seen

    result = sp.simulate(build(), formulation=formulation, integrator=Seen(**options), **run)
    assert result.success, result.message
    return result, seen
