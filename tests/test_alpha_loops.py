"""Generalized-alpha, HHT and Newmark on closed loops, absolute coordinates and drivers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings

import supple as sp
from random_loops import loop_recipes
from supple.core import alpha
from supple.core import step as st
from test_alpha import LINEAR, oscillator
from test_integrators import plane_pendulum

BOTH, POSITIONS = {"constraints": "ggl"}, {"constraints": "index3"}
held = pytest.mark.parametrize("held", [BOTH, POSITIONS], ids=lambda h: h["constraints"])
JOINTS, ABSOLUTE = sp.JointCoordinates(), sp.Absolute()
BRANCH = sp.Branch(["A", "D", "free:coupler"])


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


def flexible_loop() -> sp.Model:
    """A four-bar whose coupler is a damped beam with three modes, one of them out of its plane."""
    m = sp.Model(gravity=(0, -9.81, 0))
    crank = m.add(sp.RigidBody("crank", 1.0, (0.1, 0, 0), (1e-3, 0.01, 0.01)))
    rocker = m.add(sp.RigidBody("rocker", 1.2, (0.25, 0, 0), (1e-3, 0.03, 0.03)))
    soft = sp.Material(E=2e9, G=1e9, density=1200)
    damping = sp.Rayleigh(stiffness=1e-3)
    section = sp.Rectangle(0.02, 0.01)
    rod = m.add(sp.Beam("rod", 0.8, section, soft, elements=3, modes=3, damping=damping))
    m.add(sp.Revolute("A", m.ground.at(0), crank.at(0), "z", 1.0, 3.0))
    m.add(sp.Revolute("B", crank.at(0.2), rod.at(0), "z", -0.5))
    m.add(sp.Revolute("C", rod.at(0.8), rocker.at(0.5), "z", 0.5))
    m.add(sp.Revolute("D", m.ground.at(0.7), rocker.at(0), "z", 1.2))
    return m


def driven_loop() -> sp.Model:
    """The four-bar, its crank moved as a function of time; a pendulum on its coupler is free."""
    m = four_bar()
    m.replace("A", initial_rate=3.0)
    m.add(sp.Driver("drive", "A", 1.0 + 1.5 * sp.Sine(1.0, 2.0)))
    bob = m.add(sp.RigidBody("bob", 0.5, (0, -0.2, 0.05), (0.01, 0.004, 0.01)))
    m.add(sp.Revolute("E", m.bodies["coupler"].at(0.4), bob.at(0), "z"))
    m.add(sp.JointSpring("bearing", "E", stiffness=2.0, damping=0.1))
    return m


def pushed_loop() -> sp.Model:
    """The four-bar; the torque on its rocker jumps at an end of fixed steps, between TIMES."""
    m = four_bar()
    after = np.nextafter(0.2125, 1.0)
    m.add(sp.JointEffort("push", "D", sp.Table((0, 0.2125, after, 1), (0, 0, 8, 8))))
    return m


class Watched:
    """The compiled loop, step by step: it remembers the multipliers at the end of each step."""

    name, cached = "watched", True

    def __init__(self, sizes: tuple[int, ...], turns: float, steps: int) -> None:
        self.sizes, self.turns, self.steps = sizes, turns, steps
        self.t: list[float] = []
        self.lam: list[np.ndarray] = []

    def ready(self):
        run = alpha.alpha_run.ready()
        nq, *_, nr = self.sizes

        def loop(*arguments) -> int:
            *buffers, budget = arguments
            state, count = buffers[4:6]
            events, screws = (int(k) for k in count[st.INT_STATE : st.INT_STATE + 2])
            end = st.run_size(*self.sizes[:4], events, screws, nr) - nq
            for _ in range(budget):
                if self.turns and 0 < count[st.STEPS] < self.steps - 1:  # h and 2 h in turn
                    state[st.H] = self.turns * (2 - count[st.STEPS] % 2)
                outcome = run(*buffers, 1)
                self.t.append(float(state[st.T]))
                self.lam.append(buffers[3][end - nr : end].copy())
                if outcome != st.PAUSED:
                    return outcome
            return st.PAUSED

        return loop


def watched(build, formulation, method, options, turns: float = 0.0, steps: int = 0, **run: Any):
    """A result, and the times and multipliers of all its steps."""
    c = formulation.equations(build()).compiled
    seen = Watched((c.nq, c.nu, c.nz, len(c.force_names), c.nr), turns, steps)

    class Seen(method):
        kernel = seen

    result = sp.simulate(build(), formulation=formulation, integrator=Seen(**options), **run)
    assert result.success, result.message
    return result, np.array(seen.t), np.array(seen.lam)


SPAN = 0.4
TIMES = SPAN * np.arange(1, 17) / 16


@cache
def reference(build, formulation, times: tuple[float, ...]) -> tuple[sp.Result, np.ndarray]:
    """Radau in joint coordinates, Dormand-Prince in others; multipliers at the same instants."""
    tight = {"tolerance": "tight", "integrator": sp.Radau()}
    if formulation != JOINTS or build is driven_loop:
        tight = {"tolerance": 1e-12, "integrator": sp.DormandPrince()}
    output = np.array(times)
    exact = sp.simulate(build(), SPAN, formulation=formulation, output=output, **tight)
    assert exact.success
    equations, lam = formulation.equations(build()), []
    for t, q, u, z in zip(exact.t, exact.q, exact.u, exact.z, strict=True):
        equations.accelerate(t, q, u, z)
        lam.append(equations.multipliers().copy())
    return exact, np.array(lam)


def errors(build, formulation, method, options, n: int, turns: bool = False) -> np.ndarray:
    """Largest errors of q, u and multipliers at ends of n equal steps, or of n pairs of h and 2 h."""
    times, h, steps = TIMES, 0.0, n
    if turns:  # the first and the last step are 3/2 h, so that pairs fill what is between
        h, steps = SPAN / (3 * n), 2 * n
        times = 1.5 * h + 3.0 * h * np.arange(1, 16) * n / 16
    exact, right = reference(build, formulation, tuple(times))
    run = {"t_end": SPAN, "output": times, "tolerance": 1e-11, "turns": h, "steps": steps}
    own = {**options, "step": SPAN / steps}
    result, t, lam = watched(build, formulation, method, own, **run)
    assert result.statistics["steps"] == steps
    ends = np.array([np.argmin(np.abs(t - x)) for x in times])
    np.testing.assert_allclose(t[ends], times, atol=1e-12)
    pairs = (result.q, exact.q), (result.u, exact.u), (lam[ends], right)
    return np.array([np.abs(a - b).max() for a, b in pairs])


def slopes(*arguments, counts: tuple[int, int], **options) -> np.ndarray:
    coarse, fine = (errors(*arguments, n, **options) for n in counts)
    return np.log2(coarse / fine)


CASES = [
    (four_bar, JOINTS, sp.GeneralizedAlpha, {}),
    (four_bar, JOINTS, sp.GeneralizedAlpha, {"rho": 0.3, **POSITIONS}),
    (four_bar, JOINTS, sp.GeneralizedAlpha, {"rho": 1.0}),
    (four_bar, JOINTS, sp.HHT, POSITIONS),
    (four_bar, JOINTS, sp.Newmark, {}),
    (four_bar, ABSOLUTE, sp.GeneralizedAlpha, {}),
    (four_bar, ABSOLUTE, sp.GeneralizedAlpha, POSITIONS),
    (four_bar, BRANCH, sp.GeneralizedAlpha, {"rho": 0.0}),
    (four_bar, BRANCH, sp.HHT, POSITIONS),
    (spatial_loop, JOINTS, sp.GeneralizedAlpha, {"rho": 0.5}),
    (spatial_loop, JOINTS, sp.GeneralizedAlpha, {"rho": 0.5, **POSITIONS}),
    (spatial_loop, ABSOLUTE, sp.HHT, {}),
    (spatial_loop, ABSOLUTE, sp.GeneralizedAlpha, POSITIONS),
    (flexible_loop, JOINTS, sp.GeneralizedAlpha, {}),
    (flexible_loop, JOINTS, sp.GeneralizedAlpha, POSITIONS),
    (flexible_loop, ABSOLUTE, sp.GeneralizedAlpha, {}),
    (driven_loop, JOINTS, sp.GeneralizedAlpha, {}),
    (driven_loop, JOINTS, sp.GeneralizedAlpha, POSITIONS),
    (driven_loop, ABSOLUTE, sp.GeneralizedAlpha, {"rho": 0.5, **POSITIONS}),
    (pushed_loop, JOINTS, sp.GeneralizedAlpha, {}),
    (pushed_loop, JOINTS, sp.GeneralizedAlpha, POSITIONS),
]


@pytest.mark.parametrize(("build", "formulation", "method", "options"), CASES)
def test_order_is_two_of_positions_velocities_and_multipliers(
    build, formulation, method, options
) -> None:
    counts = (2048, 4096) if build is flexible_loop else (512, 1024)  # fast modes
    found = slopes(build, formulation, method, options, counts=counts)
    # the next order changes the slope by no more than the step itself changes it: a few percent
    assert np.all(np.abs(found - 2.0) < 0.1), found


@held
@pytest.mark.parametrize("formulation", [JOINTS, ABSOLUTE])
@pytest.mark.parametrize("build", [four_bar, spatial_loop])
def test_steps_of_changing_size_keep_the_order(build, formulation, held) -> None:
    """Where the offset of velocities is not carried to the new step, multipliers are of order 1."""
    options = {"rho": 0.3, **held}
    found = slopes(build, formulation, sp.GeneralizedAlpha, options, counts=(512, 1024), turns=True)
    assert np.all(np.abs(found - 2.0) < 0.1), found
