"""BDF and Adams on closed loops: errors, violations, audit, Jacobian and number of steps."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given

import supple as sp
from models.points import Point
from models.random_loops import loop_recipes
from models.random_models import examples
from supple import cases
from supple.cases.linkages.four_bar import four_bar
from supple.cases.linkages.n_four_bar import windows
from supple.core.base.layout import read_work
from supple.core.run import step as st
from supple.engine.pack.builder import build as build_loops
from supple.formulations.equations import Equations
from supple.formulations.trees import Absolute, Branch, JointCoordinates
from supple.integrators.methods import sundials
from supple.integrators.methods.sundials import coordinate_scales

DAMPING = sp.Rayleigh(mass=0.5, stiffness=1e-3)
METHODS = [sp.BDF, sp.Adams]
both_methods = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.__name__)


def rod(name: str, mass: float, length: float) -> sp.RigidBody:
    """A rod along x that begins at its origin."""
    across = mass * length**2 / 12
    return sp.RigidBody(name, mass, (0.5 * length, 0, 0), (0.02 * across, across, across))


def spatial_loop() -> sp.Model:
    """A crank leads a rocker on another axis by a bar with a ball and a universal joint."""
    m = sp.Model(gravity=(0, 0, -9.81), name="spatial loop")
    crank = m.add(rod("crank", 1.0, 0.3))
    bar = m.add(rod("bar", 1.5, 1.0))
    rocker = m.add(rod("rocker", 1.2, 0.7))
    m.add(sp.Revolute("drive", m.ground.at(0), crank.at(0), "z", 0.4, 30.0))
    m.add(sp.Spherical("ball", crank.at(0.3), bar.at(0), (0, -0.6, -0.3)))
    m.add(sp.Revolute("swing", m.ground.at(0.9, 0, 0.1), rocker.at(0), "y", -1.3))
    m.add(sp.Universal("cross", bar.at(1.0), rocker.at(0.7), ("z", "y")))
    m.add(sp.JointSpring("bearing", "swing", stiffness=3.0, rest=-1.3, damping=0.2))
    return m


def flexible_loop() -> sp.Model:
    """The four-bar linkage with a damped flexible coupler."""
    m = four_bar()
    bars = {name: m.joints[name] for name in ("drive", "knee", "bearing", "pin")}
    out = sp.Model(gravity=(0, 0, -9.81), name="flexible four-bar")
    crank, rocker = out.add(m.bodies["crank"]), out.add(m.bodies["rocker"])
    soft = sp.Material(E=2e9, G=0.8e9, density=1200.0)
    shapes = sp.reduction.SineShapes(2, planes=("z",))
    section = sp.Rectangle(0.03, 0.02)
    coupler = out.add(
        sp.Beam("coupler", 1.1, section, soft, modes=shapes, reference="chord", damping=DAMPING)
    )
    ends = {
        "drive": (out.ground.at(0), crank.at(0)),
        "knee": (crank.at(0.4), coupler.at(0)),
        "bearing": (out.ground.at(1.0), rocker.at(0)),
        "pin": (rocker.at(0.9), coupler.at(1.1)),
    }
    for name, (a, b) in ends.items():
        joint = bars[name]
        out.add(sp.Revolute(name, a, b, (0, -1, 0), joint.initial[0], joint.initial_rate[0]))
    return out


def driven_slider() -> sp.Model:
    """A slider-crank with an uneven motion of the crank and a pendulum that hangs on the slider."""
    m = sp.Model(gravity=(0, -9.81, 0), name="driven slider")
    crank, bar = m.add(rod("crank", 0.5, 0.2)), m.add(rod("bar", 1.0, 0.6))
    slider = m.add(sp.RigidBody("slider", 2.0, inertia=0.01))
    bob = m.add(rod("bob", 0.4, 0.5))
    m.add(sp.Revolute("axle", m.ground.at(0), crank.at(0), "z", 0.3))
    m.add(sp.Revolute("pin", crank.at(0.2), bar.at(0), "z", -0.4))
    m.add(sp.Prismatic("guide", m.ground.at(0), slider.at(0), "x", 0.78))
    m.add(sp.Revolute("eye", slider.at(0), bar.at(0.6), "z", -0.1))
    m.add(sp.Revolute("hook", slider.at(0), bob.at(0), "z", -1.2))
    m.add(sp.JointSpring("spring", "guide", stiffness=40.0, damping=3.0, rest=0.6))
    m.add(sp.Driver("motor", "axle", sp.Polynomial((0.3, 5.0, 1.0)) + sp.Sine(0.2, 1.3)))
    return m


BRANCHES = {
    four_bar: ["drive", "knee", "pin"],
    spatial_loop: ["swing", "cross", "ball"],
    flexible_loop: ["bearing", "pin", "knee"],
    driven_slider: ["guide", "eye", "pin", "hook"],
}
TIMES = np.linspace(0.0, 1.0, 51)
TOLERANCES = (1e-4, 1e-6, 1e-8)


def seen(result: sp.results.Result) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and rates of all joints and beams, in an order that no tree changes."""
    c = result.data.compiled
    q, u = [], []
    for name in sorted(c.joints):
        rows = [c.joints[name].to_user(a, b) for a, b in zip(result.q, result.u, strict=True)]
        place, rate = (np.array(x) for x in zip(*rows, strict=True))
        if c.joints[name].kind != "axes":  # a quaternion and its opposite are the same
            place[:, :4] *= np.sign(place[:, :1])
        q.append(place)
        u.append(rate)
    for body in c.flexible.values():
        q.append(result.q[:, body.q])
        u.append(result.u[:, body.u])
    return np.hstack(q), np.hstack(u)


@cache
def reference(build) -> sp.results.Result:
    return sp.simulate(build(), 1.0, tolerance=(1e-12, 1e-13), output=TIMES)


@cache
def run(build, kind, method, tolerance: float) -> sp.results.Result:
    form = Branch(BRANCHES[build]) if kind is Branch else kind()
    options = {"tolerance": tolerance, "formulation": form, "integrator": method()}
    result = sp.simulate(build(), 1.0, output=TIMES, **options)
    assert result.success, result.message
    return result


def error(found: sp.results.Result, exact: sp.results.Result) -> float:
    """Largest error: of angles and lengths, of rates and of work in parts of their largest."""
    pairs = zip(seen(found), seen(exact), strict=True)
    (q, q_exact), (u, u_exact) = pairs
    energy = exact.energy.record.kinetic_max + exact.energy.record.max_elastic
    w, w_exact = found.data.channels, exact.data.channels
    parts = (
        np.abs(q - q_exact),
        np.abs(u - u_exact) / (0.01 + np.abs(u_exact).max(axis=0)),
        np.abs(w - w_exact) / (0.01 + energy + np.abs(w_exact).max(axis=0)),
    )
    return max(float(x.max()) for x in parts if x.size)


def every_run():
    """All models in all coordinates; long studies are all but one of each."""
    for build in BRANCHES:
        for kind in (JointCoordinates, Absolute, Branch):
            quick = kind is JointCoordinates or build is spatial_loop
            for method in METHODS:
                yield pytest.param(
                    build,
                    kind,
                    method,
                    id=f"{method.__name__}-{kind.__name__}-{build.__name__}",
                    marks=[] if quick else [pytest.mark.slow],
                )


def in_all_coordinates(test):
    return pytest.mark.parametrize(("build", "kind", "method"), list(every_run()))(test)


# The error of a formula of order k falls with tolerance^(k/(k + 1)): by 1e4^(1/2) at least, when
# the tolerance falls by 1e4. It is less than the sum of the errors of all steps; the tolerance
# bounds their mean over n unknowns, which may be the error of one of them alone.
@in_all_coordinates
def test_errors_fall_with_the_tolerance(build, kind, method) -> None:
    runs = [run(build, kind, method, tolerance) for tolerance in TOLERANCES]
    worst = np.array([error(r, reference(build)) for r in runs])
    unknowns = runs[0].q.shape[1] + runs[0].u.shape[1]
    steps = np.array([r.statistics["steps"] for r in runs])
    assert np.all(np.diff(worst) < 0.0) and worst[-1] < 0.01 * worst[0], worst
    assert np.all(worst < np.sqrt(unknowns) * steps * TOLERANCES), worst


@in_all_coordinates
def test_results_are_on_the_constraints(build, kind, method) -> None:
    for tolerance in TOLERANCES:
        r = run(build, kind, method, tolerance)
        equations = Equations(r.data.compiled)
        for t, q, u in zip(r.t, r.q, r.u, strict=True):
            rows = equations.constraints(t, q, u)
            assert np.abs(rows.violation).max() < 1e-10
            assert np.abs(rows.rate).max() < 1e-8


# An error of rtol in the velocities of each step is one of 2 rtol in the kinetic energy.
@in_all_coordinates
def test_the_audit_closes(build, kind, method) -> None:
    for tolerance in TOLERANCES:
        r = run(build, kind, method, tolerance)
        record = r.energy.record
        size = record.kinetic_max + record.exchanged
        assert record.max_error < 2.0 * tolerance * r.statistics["steps"] * size
    assert r.energy.level == "trusted"


@both_methods
def test_a_driver_does_the_work_that_is_stored_and_lost(method) -> None:
    """Energy, the damper and the driver balance along the way; at 1e-8 to the errors of steps."""
    r = run(driven_slider, JointCoordinates, method, 1e-8)
    given = r.energy.total - r.energy.total[0] + r["spring"].dissipated
    assert np.ptp(given) > 1.0  # J
    np.testing.assert_allclose(r["motor"].work, given, rtol=0, atol=1e-5)


# --------------------------------------------------------------------------------------- the solver


class Watch:
    """Largest violation and rate of the solver's own unknowns in a run."""

    def __init__(self, monkeypatch) -> None:
        self.violation = self.rate = 0.0
        step = sundials._Loop._step

        def watched(loop):
            outcome = step(loop)
            self.look(loop)
            return outcome

        monkeypatch.setattr(sundials._Loop, "_step", watched)

    def look(self, loop) -> None:
        c = loop.compiled
        q, u = loop.base + loop.y[: c.nq], loop.y[c.nq : c.nq + c.nu].copy()
        for joint in (*c.joints.values(), *c.extra.values()):
            if joint.kind != "axes":
                own = slice(joint.q.start, joint.q.start + 4)
                q[own] /= np.linalg.norm(q[own])
        rows = loop.problem.equations.constraints(loop.state[st.T], q, u)
        self.violation = max(self.violation, float(np.abs(rows.violation).max()))
        self.rate = max(self.rate, float(np.abs(rows.rate).max()))


# An error of the constraints lives as long as one unit of the motion, which takes some 50 steps;
# BDF solves the constraints at every step, up to the error of its iteration.
@pytest.mark.parametrize(("method", "units"), [(sp.BDF, 10.0), (sp.Adams, 100.0)])
@pytest.mark.parametrize("kind", [JointCoordinates, pytest.param(Absolute, marks=pytest.mark.slow)])
def test_the_solver_does_not_drift(kind, method, units, monkeypatch) -> None:
    seen_rows = Watch(monkeypatch)
    options = {"tolerance": 1e-6, "formulation": kind(), "integrator": method()}
    result = sp.simulate(spatial_loop(), 30.0, output=10, **options)
    assert result.success
    assert seen_rows.violation < units * 1e-6
    assert seen_rows.rate < 10.0 * units * 1e-6


def hanging_window() -> sp.Model:
    """A parallelogram of four-bar type that swings about its lowest place."""
    m = windows(1)
    for name in m.joints:
        sign = 1.0 if name.startswith("left") else -1.0
        m.replace(name, initial=sign * (np.pi - 0.8), initial_rate=0.0)
    return m


def equal_pendulum() -> sp.Model:
    """With the moment 2 m g L and the inertia (1 + 2/3) m L2 of that parallelogram."""
    m = sp.Model(gravity=(0, -9.81, 0))
    body = m.add(sp.RigidBody("body", 4.0, (0, 0.5, 0), (1.0, 1.0, 2.0 / 3.0)))
    m.add(sp.Revolute("base0", m.ground.at(0), body.at(0), "z", -(np.pi - 0.8)))
    return m


@both_methods
@pytest.mark.parametrize("tolerance", [1e-5, 1e-7, 1e-9])
def test_multipliers_do_not_hold_the_solver_up(method, tolerance) -> None:
    """A loop takes about as many steps as a tree with the same motion.

    Absolute coordinates go along circles, which swing twice as often as the angle.
    """
    options = {"tolerance": tolerance, "integrator": method(), "output": 20}
    tree = sp.simulate(equal_pendulum(), 5.0, **options)
    for kind, most in ((JointCoordinates, 2.0), (Absolute, 4.0)):
        loop = sp.simulate(hanging_window(), 5.0, formulation=kind(), **options)
        difference = loop["base0"].angle - tree["base0"].angle
        assert np.abs(difference).max() < tolerance * tree.statistics["steps"]
        assert loop.statistics["steps"] < most * tree.statistics["steps"]


def check_jacobian(recipe) -> None:
    """As for trees: differences of order 4, about 1e-10 of the largest entries around them.

    The state is off the constraints, with multipliers of both kinds; two unknowns are padding.
    """
    equations = Equations(build_loops(recipe.model()))
    c = equations.compiled
    assume(c.nr > 0)
    rng = np.random.default_rng(recipe.tree.seed)
    q = equations.retract(equations.q0, 0.1 * rng.normal(size=c.nu) * c.scale)
    for joint in (*c.joints.values(), *c.extra.values()):
        if joint.kind != "axes":
            q[joint.q.start : joint.q.start + 4] *= rng.uniform(0.9, 1.1)
    y = np.concatenate([q, rng.normal(size=c.nu + c.nz + 2 * c.nr + 2)])
    yp = rng.normal(size=len(y))
    read_work(c.ints, equations.work).solved[:] = rng.normal()  # as accelerations leave factors
    point, factor, h, t = Point(equations), rng.uniform(0.5, 20.0), 1e-4, 0.3
    found, expected = point.jacobian(t, y, yp, factor), np.empty((len(y), len(y)))
    for k, d in enumerate(h * np.eye(len(y))):
        f = {s: point.residual(t, y + s * d, yp + s * factor * d) for s in (-2, -1, 1, 2)}
        expected[:, k] = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * h)
    scale = np.maximum(np.abs(expected).max(axis=1, keepdims=True), 1.0)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-7)


@examples(40)
@given(loop_recipes(max_closings=3, max_bodies=4, forces="all"))
def test_jacobian_is_the_derivative_of_the_residual(recipe) -> None:
    check_jacobian(recipe)


@examples(15)
@given(loop_recipes(max_closings=2, flexible=True))
def test_jacobian_with_beams_is_the_derivative_of_the_residual(recipe) -> None:
    check_jacobian(recipe)


# ------------------------------------------------------------------------------------ around a step


@both_methods
def test_loops_start_again_behind_kinks(method) -> None:
    """A torque that jumps, and a driver that stands still and has kinks in its acceleration."""
    m = driven_slider()
    m.replace("motor", motion=sp.SmoothStep(start=0.2, end=0.7, before=0.3, after=2.0))
    m.add(sp.JointEffort("push", "hook", sp.Table((0, 0.4, 0.4 + 1e-13, 1.0), (0, 0, 2, 2))))
    exact = sp.simulate(m, 1.0, tolerance=(1e-12, 1e-13), output=TIMES)
    found = sp.simulate(m, 1.0, tolerance=1e-9, output=TIMES, integrator=method())
    assert found.success and found.energy.level == "trusted"
    assert error(found, exact) < 1e-9 * found.statistics["steps"]
    assert found.statistics["steps"] < 2000


@both_methods
def test_events_in_loops(method) -> None:
    """The crank passes its start after a turn; the time is that of Radau."""
    event = sp.Event("turn", "drive", value=0.7 + 2 * np.pi)
    runs = [
        sp.simulate(four_bar(), 5.0, tolerance=1e-10, events=event, integrator=m())
        for m in (sp.Radau, method)
    ]
    assert all("'turn'" in r.message for r in runs)
    assert runs[1].t[-1] == pytest.approx(runs[0].t[-1], abs=1e-7)


@both_methods
def test_an_elastic_gear_has_a_weight(method) -> None:
    """The shaft behind an elastic gear is a coordinate of no joint."""
    m = sp.Model()
    wheel = m.add(sp.RigidBody("wheel", 1.0, inertia=0.5))
    m.add(sp.Revolute("axle", m.ground.at(0), wheel.at(0)))
    m.add(sp.Motor("motor", "axle", inertia=0.02, ratio=5.0, stiffness=300.0, damping=0.1))
    m.add(sp.JointEffort("push", "axle", "sin(3*t)"))
    exact = sp.simulate(m, 1.0, tolerance=(1e-12, 1e-13), output=TIMES)
    found = sp.simulate(m, 1.0, tolerance=1e-8, output=TIMES, integrator=method())
    assert np.all(coordinate_scales(found.data.compiled)[0] > 0.0)
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-8 * found.statistics["steps"])


# Bennett's and Bricard's loops need other rows on the way, see test_rows_must_be_exchanged. A
# solver that keeps its old ones stops or goes astray there; so does a choice of rows that takes
# what violations add to the rank, at loose tolerances, for one more independent row.
@both_methods
@pytest.mark.parametrize(("name", "span"), [("bricard", 10.0), ("bennett", 5.0)])
def test_rows_are_exchanged_on_the_way(name, span, method) -> None:
    times = np.linspace(0.0, span, 101)
    tight = {"tolerance": 1e-12, "integrator": sp.DormandPrince()}
    exact = sp.simulate(cases.get(name).build(), span, output=times, **tight)
    worst, steps = [], []
    for tolerance in TOLERANCES:
        with warnings.catch_warnings():
            warnings.simplefilter("error", sp.SuppleWarning)
            options = {"tolerance": tolerance, "integrator": method(), "output": times}
            found = sp.simulate(cases.get(name).build(), span, **options)
        assert found.success
        steps.append(found.statistics["steps"])
        worst.append(np.abs(found.q - exact.q).max())
    assert np.all(np.diff(steps) > 0), steps
    assert np.all(np.diff(worst) < 0.0) and worst[-1] < 0.01 * worst[0], worst
