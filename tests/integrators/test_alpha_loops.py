"""Generalized-alpha, HHT and Newmark on closed loops, absolute coordinates and drivers."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.linalg import null_space

import supple as sp
from models.closed_loops import four_bar, spatial_loop, watch
from models.integrator_problems import plane_pendulum
from models.oscillators import LINEAR, oscillator
from models.random_loops import loop_recipes
from models.random_models import examples

BOTH, POSITIONS = {"constraints": "ggl"}, {"constraints": "index3"}
held = pytest.mark.parametrize("held", [BOTH, POSITIONS], ids=lambda h: h["constraints"])
JOINTS, ABSOLUTE = sp.JointCoordinates(), sp.Absolute()
BRANCH = sp.Branch(["A", "D", "free:coupler"])






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






def watched(*arguments, **options):
    """A result, and the times and multipliers of all its steps."""
    result, seen = watch(*arguments, **options)
    return result, np.array(seen.t), np.array(seen.lam)


SPAN = 0.4
TIMES = SPAN * np.arange(1, 17) / 16


@cache
def reference(build, formulation, times: tuple[float, ...]) -> tuple[sp.results.Result, np.ndarray]:
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
    """Largest errors of q, u and multipliers at ends of n equal steps, or n pairs of h and 2 h."""
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
    # Where positions alone are held, what multipliers are off at the start falls by rho at every
    # step only: after an eighth of 512 steps 0.8^64 = 6e-7 of it is left.
    settled = times > (0.12 * SPAN if options.get("constraints") == "index3" else 0.0)
    pairs = (result.q, exact.q), (result.u, exact.u), (lam[ends][settled], right[settled])
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
    """The next order changes the slope by what the step is of the time constants, a few percent.

    Where positions alone are held, rounding of places is divided by h^2 in the multipliers: with
    1e-16 / 2e-7 these steps are far from showing it in errors of 2e-5 and more.
    """
    found = slopes(build, formulation, method, options, counts=(512, 1024))
    assert np.all(np.abs(found - 2.0) < 0.1), found


@held
@pytest.mark.parametrize("formulation", [JOINTS, ABSOLUTE])
@pytest.mark.parametrize("build", [four_bar, spatial_loop])
def test_steps_of_changing_size_keep_the_order(build, formulation, held) -> None:
    """Where the offset of velocities is not carried to the new step, multipliers are of order 1."""
    options = {"rho": 0.3, **held}
    found = slopes(build, formulation, sp.GeneralizedAlpha, options, counts=(512, 1024), turns=True)
    assert np.all(np.abs(found - 2.0) < 0.1), found


@held
@pytest.mark.parametrize("build", [four_bar, spatial_loop, flexible_loop])
def test_formulations_agree(build, held) -> None:
    """Bodies go the same way in every choice of coordinates, to the method's error."""
    middle = "coupler" if build is four_bar else "rod"
    trees = [JOINTS, ABSOLUTE, sp.Branch(["A", "D", f"free:{middle}"])]
    gaps = []
    for n in (400, 800):
        runs = [
            sp.simulate(
                build(),
                SPAN,
                formulation=tree,
                output=TIMES,
                tolerance=1e-9,
                integrator=sp.GeneralizedAlpha(step=SPAN / n, **held),
            )
            for tree in trees
        ]
        places = [np.hstack([r[body].position for body in build().bodies]) for r in runs]
        gaps.append([np.abs(p - places[0]).max() for p in places[1:]])
    assert np.all(np.array(gaps[1]) > 1e-9)  # they are different calculations
    found = np.log2(np.array(gaps[0]) / np.array(gaps[1]))
    # flexible: 800 steps are 10 in a period of the fastest mode
    assert np.all(np.abs(found - 2.0) < (0.3 if build is flexible_loop else 0.1)), found


@pytest.mark.parametrize("formulation", [JOINTS, ABSOLUTE, BRANCH])
def test_velocities_off_the_constraints(formulation) -> None:
    """Held alone, positions leave velocities off by h^2; held as well, they are off by rounding."""
    found = {}
    for held in (BOTH, POSITIONS):
        for n in (512, 1024):
            integrator = sp.GeneralizedAlpha(step=SPAN / n, **held)
            run = {"integrator": integrator, "tolerance": 1e-11, "output": 4}
            result = sp.simulate(four_bar(), SPAN, formulation=formulation, **run)
            found[held["constraints"], n] = result.statistics["velocity_residual"]
            # what is shown is on the constraints anyway
            equations = formulation.equations(four_bar())
            rows = equations.constraints(result.t[2], result.q[2], result.u[2])
            assert np.abs(rows.rate).max() < 1e-12 * np.abs(result.u).max()
    # speeds reach 30 rad/s: rounding of their sums is 1e-14
    assert found["ggl", 512] < 1e-12 and found["ggl", 1024] < 1e-12
    slope = np.log2(found["index3", 512] / found["index3", 1024])
    assert slope == pytest.approx(2.0, abs=0.02)
    assert found["index3", 1024] > 1e-6


def test_size_of_the_velocity_offset() -> None:
    """(1/6 - beta - s/2) h^2 times the third derivative of a motion that a driver prescribes."""
    model = sp.Model()
    block = model.add(sp.RigidBody("block", 1.0))
    model.add(sp.Prismatic("rail", model.ground.at(0), block.at(0), "x", initial_rate=0.3))
    model.add(sp.Driver("drive", "rail", sp.Polynomial((0.0, 0.3, 0.1, 0.5))))
    integrator = sp.GeneralizedAlpha(rho=0.6, step=1e-2, **POSITIONS)
    result = sp.simulate(model, 1.0, integrator=integrator)
    m, f, beta, *_ = integrator.coefficients()
    expected = abs(1 / 6 - beta - 0.5 * (m - f)) * 1e-4 * 3.0
    # the jerk is constant: but for rounding of places over h^2, 1e-16/1e-4, this is exact
    length = result.data.compiled.length
    assert result.statistics["velocity_residual"] * length == pytest.approx(expected, rel=1e-9)


def test_statistics_without_constraints() -> None:
    result = sp.simulate(plane_pendulum(), 0.1, integrator=sp.GeneralizedAlpha(step=0.01))
    assert "velocity_residual" not in result.statistics


@held
@pytest.mark.parametrize(("integrator", "parameters"), LINEAR)
@pytest.mark.parametrize("wh", [0.05, 0.7, 30.0])
def test_numerical_damping_of_a_mode_is_unchanged(integrator, parameters, wh, held) -> None:
    """A block on a rail is a free body with five constraints: the same motion but for rounding."""
    if held == POSITIONS and parameters[2:] == (0.25, 0.5):
        held = BOTH  # without damping the other is refused
    options = {"output": 0.1 * np.arange(41), "tolerance": 1e-10}
    free = sp.simulate(oscillator(10 * wh), 4.0, integrator=integrator, **options)
    bound = dataclasses.replace(integrator, **held)
    found = sp.simulate(oscillator(10 * wh), 4.0, formulation=ABSOLUTE, integrator=bound, **options)
    gap = np.abs(found["rail"].displacement - free["rail"].displacement)
    # Newton stops at 1e-10 of a place, in each of 40 steps; a fast mode multiplies what it leaves
    assert gap.max() < 40 * 1e-10 * max(1.0, wh)


@held
@pytest.mark.parametrize("build", [four_bar, spatial_loop])
def test_the_error_falls_with_the_tolerance(build, held) -> None:
    """A hundred times tighter: the error of a step falls so much, the whole error 100^(2/3)."""
    exact, _ = reference(build, JOINTS, tuple(TIMES))
    found = []
    for tolerance in (1e-5, 1e-7):
        options = {"output": TIMES, "tolerance": tolerance}
        result = sp.simulate(build(), SPAN, integrator=sp.GeneralizedAlpha(**held), **options)
        assert result.success
        assert result.statistics["rejected"] < 0.1 * result.statistics["steps"] + 5
        found.append(np.abs(result.u - exact.u).max())
    assert 3.5**2 < found[0] / found[1] < 6.0**2, found


@held
@pytest.mark.parametrize("formulation", [JOINTS, pytest.param(ABSOLUTE, marks=pytest.mark.slow)])
def test_constraints_do_not_drift(formulation, held) -> None:
    """After 20000 steps, some 25 turns of the crank, they hold as after 2000."""
    violations, rates = [], []
    equations = formulation.equations(four_bar())
    for span in (2.0, 20.0):
        integrator = sp.GeneralizedAlpha(step=1e-3, **held)
        run = {"integrator": integrator, "tolerance": 1e-9, "output": 1}
        result = sp.simulate(four_bar(), span, formulation=formulation, **run)
        assert result.success and result.statistics["steps"] == round(1000 * span)
        end = result.state()
        violations.append(np.abs(equations.constraints(span, end.q, end.u).violation).max())
        rates.append(result.statistics["velocity_residual"])
    # Newton stops at the tolerance
    assert max(violations) < 1e-9, violations
    assert rates[1] < (1e-7 if held == BOTH else 3.0 * rates[0]), rates


def drive_work(result: sp.results.Result) -> np.ndarray:
    data = result.data
    work: np.ndarray = data.channels[:, data.compiled.channels("drive")].sum(axis=1)
    return work


@held
def test_a_driver_does_the_work(held) -> None:
    """The drive's work and the energy balance with it are of order 2."""
    run = {"output": TIMES, "tolerance": 1e-9}
    exact = drive_work(sp.simulate(driven_loop(), SPAN, **run))
    assert np.abs(exact).max() > 1.0
    found = []
    for n in (512, 1024):
        integrator = sp.GeneralizedAlpha(step=SPAN / n, **held)
        result = sp.simulate(driven_loop(), SPAN, integrator=integrator, **run)
        gap = np.abs(drive_work(result) - exact).max()
        found.append([result.energy.record.max_error, gap])
    slope = np.log2(np.array(found[0]) / np.array(found[1]))
    assert np.all(np.abs(slope - 2.0) < 0.1), slope


@held
@pytest.mark.parametrize("step", [None, 1e-3])
def test_events_in_a_loop(step, held) -> None:
    low = sp.Event("low", "A", value=2.0)
    times = []
    for integrator in (sp.Radau(), sp.GeneralizedAlpha(step=step, **held)):
        result = sp.simulate(four_bar(), 2.0, events=[low], integrator=integrator, tolerance=1e-7)
        assert result.success and len(result.events) == 1
        times.append(result.events[0].t)
    assert times[1] == pytest.approx(times[0], rel=1e-4)


def padded_loop(stiffness: float, damping: float = 0.0) -> sp.Model:
    """The four-bar with a bob on a stiff hinge of its coupler, at rest in the hinge."""
    m = four_bar()
    c = JOINTS.equations(m).compiled
    for name in "ABCD":  # assembled: else the bob would take part in it
        (angle,), (rate,) = c.joints[name].to_user(c.q0, c.u0)
        m.replace(name, initial=angle, initial_rate=rate)
    bob = m.add(sp.RigidBody("bob", 0.5, (0, -0.2, 0.05), (0.01, 0.004, 0.01)))
    m.add(sp.Revolute("E", m.bodies["coupler"].at(0.4), bob.at(0), "z"))
    m.add(sp.JointSpring("pad", "E", stiffness=stiffness, damping=damping))
    return m


@held
@pytest.mark.parametrize("formulation", [JOINTS, ABSOLUTE])
def test_fixed_steps_pass_over_fast_modes(formulation, held) -> None:
    """Slow motion is of order 2 with steps of a hundred radians of a mode of 1e5 rad/s."""
    damped = sp.simulate(padded_loop(3e8, 3e5), SPAN, output=TIMES)
    found = []
    for n in (200, 400):
        integrator = sp.GeneralizedAlpha(step=SPAN / n, **held)
        run = {"integrator": integrator, "output": TIMES, "formulation": formulation}
        result = sp.simulate(padded_loop(3e8), SPAN, **run)
        assert result.success and result.statistics["steps"] == n
        found.append(np.abs(result["A"].angle - damped["A"].angle).max())
    assert np.log2(found[0] / found[1]) == pytest.approx(2.0, abs=0.1)


def fastest(equations, a: np.ndarray) -> float:
    """Frequency or decay of the fastest mode that the constraints leave (1/s)."""
    q, u, lam = equations.q0, equations.u0, equations.multipliers().copy()
    T = equations.tangents(0.0, q, u, a, equations.z0, lam)
    Z = null_space(equations.constraints(0.0, q, u).G)
    inverse = np.linalg.inv(Z.T @ T.M @ Z)
    stiff, swift = (np.abs(np.linalg.eigvals(inverse @ Z.T @ X @ Z)).max() for X in (T.Rq, T.Ru))
    return float(max(np.sqrt(stiff), swift, np.abs(u).max()))


@held
@examples(20)
@given(recipe=loop_recipes(max_closings=2, max_bodies=4, forces="all"))
def test_order_is_two_on_random_loops(held, recipe) -> None:
    """All joints and constraints, all force elements; 16 steps resolve half a radian at most."""
    model = recipe.model()
    for force in tuple(model.forces.values()):  # kinks that no break point announces
        if isinstance(force, sp.JointStop):
            model.replace(force.name, lower=-1e3, upper=1e3)
        elif isinstance(force, sp.PID):
            model.replace(force.name, limit=np.inf)
    try:
        equations = JOINTS.equations(model)
        a = equations.accelerate(0.0, equations.q0, equations.u0)
    except sp.ModelError:
        assume(False)  # a lock, or a driver of something that cannot move
    c = equations.compiled
    assume(0 < c.nr < c.nu)
    G, M = equations.constraints(0.0, equations.q0, equations.u0).G, equations.mass_matrix(c.q0)
    assume(np.linalg.cond(np.block([[M, G.T], [G, np.zeros((c.nr, c.nr))]])) < 1e6)
    span = min(1e-2, 0.5 / fastest(equations, a))
    run = {"output": 16}
    exact = sp.simulate(model, span, tolerance=1e-13, integrator=sp.DormandPrince(), **run)
    assume(exact.success)
    gaps, steps = [], []
    for n in (16, 32):
        integrator = sp.GeneralizedAlpha(step=span / n, rho=0.5, **held)
        found = sp.simulate(model, span, tolerance=1e-10, integrator=integrator, **run)
        assert found.success, found.message
        steps.append(found.statistics["steps"])  # n, or a few more to land on breakpoints
        pairs = (found.q, exact.q), (found.u, exact.u), (found.z, exact.z)
        gaps.append([np.abs(x - y).max(initial=0.0) for x, y in pairs])
    coarse, fine = np.array(gaps)
    size = np.array([np.abs(x).max(initial=1.0) for x in (exact.q, exact.u, exact.z)])
    # above rounding; that of places is divided by the step where they alone are held
    noise = np.full(3, 1e-11) if held == BOTH else 1e-11 + 1e-13 * n / span * np.array([0, 1, 1])
    seen = fine > noise * size
    slope = np.log(coarse[seen] / fine[seen]) / np.log(steps[1] / steps[0])
    assert np.all(np.abs(slope - 2.0) < 0.15), (slope, fine, steps)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: sp.GeneralizedAlpha(constraints="index2"),
            "GeneralizedAlpha: constraints is 'index2', expected 'ggl' or 'index3'",
        ),
        (
            lambda: sp.Newmark(constraints="index3"),
            "Newmark: constraints is 'index3', expected 'ggl' with parameters that do not damp",
        ),
        (
            lambda: sp.GeneralizedAlpha(rho=1.0, constraints="index3"),
            "GeneralizedAlpha: constraints is 'index3', expected 'ggl' with parameters that do not",
        ),
        (
            lambda: sp.HHT(alpha=0.0, constraints="index3"),
            "HHT: constraints is 'index3', expected 'ggl' with parameters that do not damp",
        ),
    ],
)
def test_options_that_cannot_work(make, message) -> None:
    with pytest.raises(sp.ModelError, match=message):
        make()
