"""Friction, stops, bushings, loads, motors, saturation, functions: closed forms and audits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from models.random_models import KINDS, Recipe

BOTH = (sp.Radau(), sp.DormandPrince())


def slider(mass=2.0, speed=0.0, place=0.0):
    m = sp.Model()
    block = m.add(sp.RigidBody("block", mass, inertia=(1, 1, 1)))
    rail = sp.Prismatic("rail", m.ground.at(0), block.at(0), "x", place, speed)
    m.add(rail)
    return m, block


def wheel(inertia=0.5, speed=0.0):
    m = sp.Model()
    disc = m.add(sp.RigidBody("disc", 1.0, inertia=(1, 1, inertia)))
    m.add(sp.Revolute("axle", m.ground.at(0), disc.at(0), axis="z", initial_rate=speed))
    return m, disc


def equations(m):
    return sp.JointCoordinates().equations(m)


# ----------------------------------------------------------------------------------------- friction


@pytest.mark.parametrize("integrator", BOTH)
def test_a_block_slides_to_rest(integrator):
    """v0^2/(2 F/m) of way, m v0^2/2 of heat; the rounding at standstill adds creep of its size."""
    m, _ = slider(speed=1.5)
    m.add(sp.JointFriction("friction", "rail", coulomb=3.0, transition=1e-3))
    r = sp.simulate(m, t_end=2.0, integrator=integrator)
    assert r.success and r.energy.level == "trusted"
    assert_allclose(r["rail"].displacement[-1], 1.5**2 / (2 * 3.0 / 2.0), atol=2e-3)
    assert_allclose(r["friction"].dissipated[-1], 0.5 * 2.0 * 1.5**2, rtol=1e-6)
    assert abs(r["rail"].displacement_rate[-1]) < 1e-6


def test_friction_law():
    """Coulomb far from standstill, the static part near it, viscous on top; odd in the rate."""
    m, _ = slider()
    more = {"static": 5.0, "transition": 1e-3, "stribeck": 0.1}
    m.add(sp.JointFriction("friction", "rail", coulomb=3.0, viscous=0.4, **more))
    eq = equations(m)

    def resistance(v):
        return eq.residual(0.0, eq.q0, np.array([v]), np.zeros(1))[0]

    assert_allclose(resistance(2.0), 3.0 + 0.8, rtol=1e-14)
    assert_allclose(resistance(0.01), 3.0 + 2.0 * math.exp(-0.01) + 0.004, rtol=1e-8)
    assert resistance(0.0) == 0.0
    assert_allclose(resistance(-0.3), -resistance(0.3), rtol=1e-15)


# -------------------------------------------------------------------------------------------- stops


@pytest.mark.parametrize("integrator", BOTH)
def test_an_elastic_stop_reflects(integrator):
    """Contact lasts half a period; the block returns with its speed."""
    m, _ = slider(speed=3.0)
    m.add(sp.JointStop("stop", "rail", upper=0.6, stiffness=800.0))
    contact = math.pi * math.sqrt(2.0 / 800.0)
    t_end = 0.6 / 3.0 * 2 + contact
    r = sp.simulate(m, t_end=t_end, integrator=integrator)
    assert_allclose(r["rail"].displacement[-1], 0.0, atol=2e-6)
    assert_allclose(r["rail"].displacement_rate[-1], -3.0, rtol=1e-6)
    assert_allclose(r["rail"].displacement.max(), 0.6 + 3.0 * math.sqrt(2.0 / 800.0), atol=2e-3)
    assert r.energy.level == "trusted"


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_restitution_of_a_damped_stop(exponent):
    """Hunt and Crossley: 1 - 2/3 damping v, with an error of the second order."""
    lost = []
    for damping in (0.02, 0.01):
        m, _ = slider(speed=-2.0)
        stop = sp.JointStop(
            "stop", "rail", lower=-0.1, stiffness=5e3, damping=damping, exponent=exponent
        )
        m.add(stop)
        r = sp.simulate(m, t_end=0.5, tolerance="tight")
        lost.append(1.0 - r["rail"].displacement_rate[-1] / 2.0 - 2.0 / 3.0 * damping * 2.0)
        heat = 0.5 * 2.0 * (2.0**2 - r["rail"].displacement_rate[-1] ** 2)
        assert_allclose(r["stop"].dissipated[-1], heat, rtol=1e-7)
    assert abs(lost[0]) < 1e-3
    assert_allclose(lost[0] / lost[1], 4.0, rtol=0.1)


def test_a_stop_never_pulls():
    m, _ = slider()
    m.add(sp.JointStop("stop", "rail", lower=0.0, upper=1.0, stiffness=100.0, damping=10.0))
    eq = equations(m)
    for place, rate in ((1.2, -5.0), (-0.2, 5.0), (0.5, 3.0)):
        assert eq.residual(0.0, np.array([place]), np.array([rate]), np.zeros(1))[0] == 0.0
    assert eq.residual(0.0, np.array([1.2]), np.array([1.0]), np.zeros(1))[0] > 0.0


# ----------------------------------------------------------------------------------------- bushings


def test_bushing_frequencies():
    """Small motion of a free body: sqrt(k/m) along each axis, sqrt(K/I) about each."""
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 2.0, inertia=(0.3, 0.4, 0.5)))
    m.add(sp.Free("free", m.ground.at(0.4, 0.2, 0), block.at(0)))
    stiffness = np.array([200.0, 300.0, 400.0, 5.0, 6.0, 7.0])
    m.add(sp.Bushing("bushing", m.ground.at(0.4, 0.2, 0), block.at(0), stiffness, 0.1 * stiffness))
    eq = equations(m)
    t = eq.tangents(0.0, eq.q0, eq.u0, np.zeros(6))
    assert_allclose(t.Rq, np.diag(np.roll(stiffness, 3)), atol=1e-12)
    assert_allclose(t.Ru, np.diag(np.roll(0.1 * stiffness, 3)), atol=1e-12)


def test_bushing_at_a_large_rotation():
    """About one axis it is a torsion spring up to half a turn, whatever the axis."""
    axis = np.array([1.0, 2.0, -2.0]) / 3.0
    for angle in (1e-9, 1e-3, 0.4, 2.0, 3.0):
        m = sp.Model()
        block = m.add(sp.RigidBody("block", 1.0, inertia=(1, 1, 1)))
        m.add(sp.Revolute("pin", m.ground.at(0), block.at(0), axis=axis, initial=angle))
        m.add(sp.Bushing("bushing", m.ground.at(0), block.at(0), (0, 0, 0, 4, 4, 4), (0,) * 6))
        eq = equations(m)
        torque = eq.residual(0.0, eq.q0, eq.u0, np.zeros(1))[0]
        assert_allclose(torque, 4.0 * angle, rtol=1e-12, atol=1e-15)
        energy = eq.energies(0.0, eq.q0, eq.u0).elastic
        assert_allclose(energy, 2.0 * angle**2, rtol=1e-6 if angle < 1e-6 else 1e-12)


# -------------------------------------------------------------------------------- distributed loads


def beam_model(axes_turn=None, **options):
    m = sp.Model(gravity=options.pop("gravity", (0, 0, 0)))
    steel = sp.Material(E=2e11, G=8e10, density=7800)
    section = sp.Rectangle(0.02, 0.03)
    beam = m.add(sp.Beam("beam", 1.5, section, steel, elements=3, **options))
    m.add(sp.Fixed("wall", m.ground.at(0, rotation=axes_turn), beam.at(0)))
    return m, beam


def static_tip(m, beam):
    eq = equations(m)
    t = eq.tangents(0.0, eq.q0, eq.u0, np.zeros(eq.nu))
    shape = beam.attachment(beam.at(beam.length)).Phi
    return shape @ np.linalg.solve(t.Rq, -t.r)


def test_deflection_of_a_cantilever():
    """q L^4/(8 EI) uniform, q L^4/(30 EI) for a triangle to the tip: exact at nodes."""
    for profile, factor in (((1, 1), 8.0), ((1, 0), 30.0)):
        m, beam = beam_model()
        m.add(sp.DistributedLoad("snow", beam.at(0), (0, 0, -40.0), profile=profile))
        EI = 2e11 * 0.02 * 0.03**3 / 12.0
        assert_allclose(static_tip(m, beam)[2], -40.0 * 1.5**4 / (factor * EI), rtol=1e-9)


def test_a_load_on_a_part_of_the_beam():
    m, beam = beam_model()
    m.add(sp.DistributedLoad("part", beam.at(0.4), (0, 30.0, 0), end=1.1))
    EI = 2e11 * 0.03 * 0.02**3 / 12.0
    # superposition of point loads: x^2 (3 L - x)/(6 EI)
    a, b, L = 0.4, 1.1, 1.5
    wanted = 30.0 * (L * (b**3 - a**3) - (b**4 - a**4) / 4.0) / (6.0 * EI)
    assert_allclose(static_tip(m, beam)[1], wanted, rtol=1e-9)


@pytest.mark.parametrize("reference", ["clamped", "chord", "mean_axis"])
def test_weight_as_a_load(reference):
    """The same accelerations as gravity, at any state, when rotary inertia does not matter."""
    rng = np.random.default_rng(3)
    g = np.array([1.0, -7.0, 5.0])
    accelerations = []
    for gravity in (g, np.zeros(3)):
        m, beam = beam_model(gravity=gravity, modes=6, reference=reference)
        m.replace("wall", A=m.ground.at(0))
        m2 = sp.Model(gravity=gravity)
        beam = m2.add(beam)
        m2.add(sp.Free("free", m2.ground.at(0), beam.at(0.7)))
        if not gravity.any():
            density = beam.mass / beam.length * g
            m2.add(sp.DistributedLoad("weight", beam.at(0), density))
        eq = equations(m2)
        if not accelerations:
            q = eq.retract(eq.q0, rng.normal(scale=0.02, size=eq.nu))
            u = rng.normal(scale=0.1, size=eq.nu)
        accelerations.append(eq.accelerate(0.0, q, u))
    assert_allclose(accelerations[1], accelerations[0], rtol=1e-9, atol=1e-9)


def test_axes_of_loads():
    """Body axes turn with the frame, section axes also with the deformed section."""
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    efforts = {}
    for axes, force in (("world", (0, 20.0, 0)), ("body", (20.0, 0, 0)), ("section", (20.0, 0, 0))):
        m, beam = beam_model(axes_turn=turn, modes=4)
        m.add(sp.DistributedLoad("load", beam.at(0), force, axes=axes))
        eq = equations(m)
        efforts[axes] = eq.residual(0.0, eq.q0, eq.u0, np.zeros(eq.nu))
        bent = 0.05 * np.ones(eq.nu)
        efforts[axes, "bent"] = eq.residual(0.0, bent, eq.u0, np.zeros(eq.nu))
    assert_allclose(efforts["body"], efforts["world"], atol=1e-12)
    assert_allclose(efforts["section"], efforts["body"], atol=1e-12)
    assert np.abs(efforts["section", "bent"] - efforts["body", "bent"]).max() > 1e-2


# ------------------------------------------------------------------------------------------- motors


def test_a_rigid_gear_reflects_inertia():
    m, _ = wheel(inertia=0.5)
    motor = m.add(sp.Motor("motor", "axle", inertia=0.02, ratio=-10.0, damping=0.3))
    m.add(sp.JointEffort("torque", motor, 0.7))
    eq = equations(m)
    assert_allclose(eq.mass_matrix(eq.q0), 0.5 + 100.0 * 0.02)
    a = eq.accelerate(0.0, eq.q0, np.array([0.2]))
    assert_allclose(a, (-10.0 * 0.7 - 100.0 * 0.3 * 0.2) / 2.5)
    r = sp.simulate(m, t_end=1.0)
    assert r.energy.level == "trusted"
    assert_allclose(r["motor"].angle, -10.0 * r["axle"].angle)
    assert_allclose(r["motor"].rate, -10.0 * r["axle"].angle_rate)


def test_an_elastic_gear_rings():
    """Two inertias and a spring: k (1/I + 1/(n^2 J)), about the common motion."""
    m, _ = wheel(inertia=0.5, speed=1.0)
    m.add(sp.Motor("motor", "axle", inertia=0.02, ratio=5.0, stiffness=300.0))
    m.replace("motor", inertia=0.03)
    eq = equations(m)
    M = eq.mass_matrix(eq.q0)
    K = eq.tangents(0.0, eq.q0, eq.u0, np.zeros(2)).Rq
    values = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    assert_allclose(values, [0.0, 300.0 * (1 / 0.5 + 1 / (25 * 0.03))], atol=1e-9)
    assert_allclose(eq.u0, [1.0, 5.0])
    r = sp.simulate(m, t_end=1.0)
    assert_allclose(r["axle"].angle_rate, 1.0, atol=1e-9)  # the gear starts at rest


def test_a_stiff_gear_tends_to_the_rigid_one():
    angles = []
    for gear in ({"stiffness": 1e6, "gear_damping": 2e3}, {}):
        m, _ = wheel()
        motor = m.add(sp.Motor("motor", "axle", inertia=0.02, ratio=8.0, damping=0.01, **gear))
        m.add(sp.PID("pid", motor, kp=3.0, kd=0.5, target="2*sin(3*t)"))
        r = sp.simulate(m, t_end=2.0)
        assert r.energy.level == "trusted"
        angles.append(r["axle"].angle)
    assert_allclose(angles[0], angles[1], atol=1e-5)


def test_a_saturated_controller():
    """Full torque first, then the target; without back-calculation the integral overshoots more."""
    overshoot = []
    for tracking in (None, 1e6):
        m, _ = wheel(inertia=0.5)
        m.add(sp.PID("pid", "axle", kp=40, ki=30, kd=8, target=1.0, limit=0.8, tracking=tracking))
        r = sp.simulate(m, t_end=12.0)
        assert r.energy.level == "trusted"
        assert_allclose(r["axle"].angle[r.t < 0.5], 0.8 * r.t[r.t < 0.5] ** 2, atol=1e-8)
        overshoot.append(r["axle"].angle.max() - 1.0)
        assert abs(r["axle"].effort).max() <= 0.8 + 1e-12
    assert overshoot[1] > 3.0 * overshoot[0]


def test_a_buckled_spring():
    m, _ = slider()
    m.add(sp.JointSpring("well", "rail", stiffness=-1.0, cubic=2.0, damping=0.3))
    eq = equations(m)
    q, u = np.array([0.7]), np.array([0.2])
    force = eq.residual(0.0, q, u, np.zeros(1))
    assert_allclose(force, -0.7 + 2.0 * 0.7**3 + 0.06)
    assert_allclose(eq.energies(0.0, q, u).elastic, -0.5 * 0.49 + 0.5 * 0.7**4)
    with pytest.raises(sp.ModelError, match="stiffness is -1"):
        sp.JointSpring("soft", "rail", stiffness=-1.0)


# --------------------------------------------------------------------------------- Python functions


def pendulum():
    m = sp.Model(gravity=(0, 0, -9.81))
    rod = m.add(sp.RigidBody("rod", 1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)))
    m.add(sp.Spherical("hip", m.ground.at(0), rod.at(0), initial=(0.6, 0.3, 0)))
    foot = m.add(sp.RigidBody("foot", 0.5, com=(0.1, 0, 0), inertia=(0.02, 0.02, 0.01)))
    m.add(sp.Revolute("ankle", rod.at(0, 0, -1), foot.at(0), axis="y", initial_rate=2.0))
    return m, rod, foot


@pytest.mark.parametrize("integrator", BOTH)
def test_functions_do_what_elements_do(integrator):
    """A spring to the ground, and a damped spring on a joint, written as functions."""
    ends = []
    for functions in (False, True):
        m, _, foot = pendulum()
        anchor, free = np.array([0.5, 0.2, -0.3]), 0.4
        if functions:

            def pull(t, s, anchor=anchor, free=free):
                d = anchor - s.position
                length = np.linalg.norm(d)
                rate = -(d @ s.velocity) / length
                return (30.0 * (length - free) + 0.8 * rate) * d / length

            m.add(sp.ForceFunction("cord", foot.at(0.2), pull))
            m.add(sp.EffortFunction("spring", "ankle", lambda t, q, u: -3 * (q - 0.2) - 0.1 * u))
        else:
            m.add(sp.SpringDamper("cord", m.ground.at(*anchor), foot.at(0.2), 30.0, 0.8, free))
            m.add(sp.JointSpring("spring", "ankle", 3.0, 0.1, 0.2))
        r = sp.simulate(m, t_end=1.0, integrator=integrator, tolerance=1e-9)
        assert r.energy.level == "trusted"
        ends.append(np.concatenate([r["hip"].coordinates[-1], r["ankle"].coordinates[-1]]))
    assert_allclose(ends[1], ends[0], atol=2e-8)


def test_tangents_of_functions_by_differences():
    m, rod, foot = pendulum()

    def lift(t, s):
        return -0.3 * s.velocity * np.linalg.norm(s.velocity), s.rotation @ (0.1, 0, t) - 0.2 * (
            s.angular_velocity
        )

    m.add(sp.ForceFunction("lift", foot.at(0.2, 0.1, 0), lift))
    m.add(sp.ForceFunction("magnet", rod.at(0, 0, -0.7), lambda t, s: -4.0 * s.position**3))
    motor = m.add(sp.Motor("motor", "ankle", inertia=0.01, ratio=4.0))
    m.add(sp.EffortFunction("control", [motor], lambda t, q, u: [-np.sin(q[0]) - 0.1 * u[0] ** 3]))
    eq = equations(m)
    rng = np.random.default_rng(5)
    q = eq.retract(eq.q0, 0.4 * rng.normal(size=eq.nu))
    u, a = rng.normal(size=(2, eq.nu))
    t = eq.tangents(0.3, q, u, a)
    h = 1e-6

    def difference(f):
        return np.array([(f(h * e) - f(-h * e)) / (2 * h) for e in np.eye(eq.nu)]).T

    assert_allclose(t.Rq, difference(lambda d: eq.residual(0.3, eq.retract(q, d), u, a)), atol=3e-6)
    assert_allclose(t.Ru, difference(lambda d: eq.residual(0.3, q, u + d, a)), atol=3e-6)


def test_several_joints_in_one_function():
    m, _, _ = pendulum()
    m.replace("hip", initial=(0.6, 0, 0))
    seen = []

    def both(t, q, u):
        seen.append((q.shape, u.shape))
        return -2.0 * q - 0.3 * u

    arm = sp.Model()
    a = arm.add(sp.RigidBody("a", 1.0, inertia=(1, 1, 1)))
    b = arm.add(sp.RigidBody("b", 1.0, inertia=(1, 1, 1)))
    arm.add(sp.Cylindrical("ja", arm.ground.at(0), a.at(0), axis="x", initial=(0.1, 0.2)))
    arm.add(sp.Revolute("jb", a.at(0), b.at(0), axis="x", initial=0.3))
    names = [("ja", 0), ("ja", 1), "jb"]
    arm.add(sp.EffortFunction("all", names, both))
    r = sp.simulate(arm, t_end=0.5)
    assert r.energy.level == "trusted" and seen[0] == ((3,), (3,))


@pytest.mark.parametrize("integrator", BOTH)
@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda t, q, u: math.nan if t > 0.5 else -q, "returned nan, expected finite numbers"),
        (lambda t, q, u: 1.0 / 0.0 if t > 0.5 else -q, "raised ZeroDivisionError"),
        (lambda t, q, u: [1.0, 2.0], "returned 2 numbers, expected 1"),
        (lambda t, q, u: "fast", "returned 'fast', expected 1 number"),
    ],
)
def test_a_function_that_fails(integrator, function, words):
    """The run ends with a sentence and keeps what it computed."""
    m, _ = wheel(speed=1.0)
    m.add(sp.EffortFunction("control", "axle", function))
    r = sp.simulate(m, t_end=1.0, integrator=integrator)
    assert not r.success
    assert "EffortFunction 'control': its function" in r.message and words in r.message
    assert r.t[-1] <= 0.51
    if "2 numbers" not in words and "fast" not in words:
        assert r.t[-1] > 0.45
        assert_allclose(r["axle"].angle, np.sin(r.t / math.sqrt(0.5)) * math.sqrt(0.5), atol=1e-6)


def test_trouble_that_was_overcome_is_not_blamed():
    """A function that fails once, in a step that is then repeated, does not end the run later."""
    m, _ = wheel(speed=1.0)
    failed = []

    def once(t, q, u):
        if t > 0.3 and not failed:
            failed.append(t)
            raise ValueError("once")
        return -q

    m.add(sp.EffortFunction("control", "axle", once))
    with pytest.warns(sp.SuppleWarning):
        r = sp.simulate(m, t_end=10.0, integrator=sp.Radau(max_step=0.05, max_steps=60))
    assert failed and r.t[-1] > failed[0]
    assert "max_steps" in r.message and "once" not in r.message


def test_ctrl_c_in_a_function():
    def interrupted(t, q, u):
        raise KeyboardInterrupt

    m, _ = wheel()
    m.add(sp.EffortFunction("control", "axle", interrupted))
    with pytest.raises(KeyboardInterrupt):
        sp.simulate(m, t_end=1.0)


# ------------------------------------------------------------------ audits with everything together


@pytest.mark.parametrize("seed", [*(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2)), 3])
def test_audit_of_twenty_elements_of_all_kinds(seed):
    """The error of the energy balance falls with the tolerance, with functions among the forces."""
    recipe = Recipe(KINDS[:6], seed, forces="all", can_lock=False, beams=(False,) * 4 + (True,) * 2)
    m = recipe.model()
    names = [j.name for j in m.joints.values() if j.nu == 1]
    body = next(iter(m.bodies.values()))
    m.add(sp.ForceFunction("drag", body.at(0.1), lambda t, s: -0.5 * s.velocity))
    m.add(sp.EffortFunction("law", names, lambda t, q, u: np.sin(t) - 0.1 * u))
    assert len(m.forces) >= 18
    errors = []
    for tolerance in (1e-5, 1e-8):
        r = sp.simulate(m, t_end=0.4, tolerance=tolerance)
        assert r.success and r.energy.level == "trusted", r.message
        errors.append(r.energy.record.max_error / r.energy.record.kinetic_max)
    assert errors[0] < 1e-4 and errors[1] < 1e-7


# --------------------------------------------------------------------------------------- hard cases


def test_a_controller_gain_of_1e9():
    m, _, _ = pendulum()
    m.add(sp.PID("stiff", "ankle", kp=1e9, kd=1e6, target="0.3*sin(2*t)"))
    r = sp.simulate(m, t_end=0.5)
    assert r.success, r.message
    assert_allclose(r["ankle"].angle[-1], 0.3 * math.sin(1.0), atol=1e-4)


def test_a_stop_hit_at_high_speed():
    m, _ = slider(speed=1e4)
    m.add(sp.JointStop("wall", "rail", upper=1.0, stiffness=1e9, damping=1e-5, exponent=1.5))
    r = sp.simulate(m, t_end=5e-4)
    assert r.success and r.energy.level == "trusted"
    assert r["rail"].displacement_rate[-1] < 0.0


def test_a_signal_that_jumps_often():
    m, _ = slider()
    times = np.linspace(0.0, 1.0, 41)
    values = np.where(np.arange(41) % 2 == 0, 5.0, -5.0)
    jumps = zip(times[1:20], values, values[1:20], strict=False)
    text = " + ".join(f"({b - a})*step(t - {t})" for t, a, b in jumps)
    m.add(sp.JointEffort("chatter", "rail", f"{values[0]} + {text}"))
    r = sp.simulate(m, t_end=1.0)
    assert r.success and r.energy.level == "trusted"
    assert r.statistics["rejected"] == 0
