"""Loads in joints and force elements: statics by hand, closed forms, random trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import supple as sp
from models.random_models import examples, flexible_recipes, recipes
from oracles.flexible_oracle import Cloud
from oracles.residual_laws import close, coupling_law, equations, joint_law
from supple.engine.base.compiled import RowSets
from supple.engine.base.histories import RunHistory
from supple.engine.reading.loads import Loads
from supple.forces import JointForce

pytestmark = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")

G = 9.81


def pendulum(backwards=False, **options):
    """A rod of mass 2 kg whose centre is 0.4 m from the hinge; angle 0 is along +x."""
    m = sp.Model(gravity=(0, -G, 0))
    rod = m.add(sp.RigidBody("rod", 2.0, com=(0.4, 0, 0), inertia=(0.01, 0.1, 0.1)))
    ends = [m.ground.at(0.3, 0.2, 0.1), rod.at(0)]
    m.add(sp.Revolute("hinge", *(ends[::-1] if backwards else ends), axis="z", **options))
    return m


# ------------------------------------------------------------------------------------ by hand


@pytest.mark.parametrize("backwards", [False, True])
def test_a_hanging_pendulum_pulls_by_its_weight(backwards):
    sign = -1.0 if backwards else 1.0
    r = sp.simulate(pendulum(backwards, initial=-sign * np.pi / 2), 0.5, output=5)
    # By A on B: the ground holds the rod up; connected backwards the rod pulls the ground down.
    weight = np.array([0, 0, 0, 0, sign * 2.0 * G, 0])
    assert np.allclose(r["hinge"].reaction, weight, atol=1e-10)
    assert np.array_equal(r["hinge"].force, r["hinge"].wrench[:, 3:])
    assert np.array_equal(r["hinge"].torque, r["hinge"].wrench[:, :3])
    # Frame B is the rod's, whose x axis points down, or the ground's.
    local = weight if backwards else [0, 0, 0, -2.0 * G, 0, 0]
    assert np.allclose(r["hinge"].local.reaction, local, atol=1e-10)
    assert np.allclose(r["hinge"].accelerations, 0.0, atol=1e-12)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_motor_that_holds_a_rod_level(backwards):
    """The effort is the moment of the weight about the hinge, along z; it is not a reaction."""
    sign = -1.0 if backwards else 1.0
    m = pendulum(backwards)
    hold = sign * 2.0 * G * 0.4
    m.add(sp.JointEffort("motor", "hinge", effort=hold))
    r = sp.simulate(m, 0.1, output=4)
    hinge = r["hinge"]
    assert np.allclose(hinge.angle_acceleration, 0.0, atol=1e-12)
    assert np.allclose(r["motor"].effort, hold)
    assert np.allclose(hinge.wrench, sign * np.array([0, 0, 2.0 * G * 0.4, 0, 2.0 * G, 0]))
    assert np.allclose(hinge.active, sign * np.array([0, 0, 2.0 * G * 0.4, 0, 0, 0]))
    assert np.allclose(hinge.reaction, sign * np.array([0, 0, 0, 0, 2.0 * G, 0]))
    assert np.allclose(hinge.effort[:, 0], hold)


def test_a_swinging_pendulum_by_its_closed_form():
    """Acceleration -m g l cos(x) / J; the pin carries weight and the centre's acceleration."""
    r = sp.simulate(pendulum(initial=0.3, initial_rate=1.5), 2.0, tolerance="tight", output=100)
    x, w = r["hinge"].angle, r["hinge"].angle_rate
    turning = -2.0 * G * 0.4 * np.cos(x) / (0.1 + 2.0 * 0.4**2)
    assert np.allclose(r["hinge"].angle_acceleration, turning, atol=1e-12)
    assert np.array_equal(r["hinge"].accelerations[:, 0], r["hinge"].angle_acceleration)
    along, across = -0.4 * w**2, 0.4 * turning
    force = 2.0 * np.column_stack(
        [
            along * np.cos(x) - across * np.sin(x),
            along * np.sin(x) + across * np.cos(x) + G,
            0.0 * x,
        ]
    )
    assert np.allclose(r["hinge"].force, force, atol=1e-11)
    assert np.allclose(r["hinge"].torque, 0.0, atol=1e-11)
    point = r["rod"].at(0.4)
    assert np.allclose(2.0 * (point.acceleration - r.model.gravity), force, atol=1e-11)
    assert np.allclose(point.angular_acceleration[:, 2], turning)
    assert np.allclose(point.angular_velocity[:, 2], w)


def test_a_cantilever_carries_its_weights():
    """A damped beam welded to the ground, with a mass at its end: force and moment at rest."""
    m = sp.Model(gravity=(0, -G, 0))
    beam = m.add(
        sp.Beam(
            "beam",
            1.2,
            sp.Rectangle(0.02, 0.03),
            sp.Material(E=7e10, G=2.6e10, density=2700),
            elements=3,
            damping=sp.Rayleigh(stiffness=0.05),
        )
    )
    m.add(sp.Fixed("weld", m.ground.at(0), beam.at(0)))
    m.add(sp.PointMass("load", beam.at(1.2), 0.5))
    r = sp.simulate(m, 60.0, output=2)
    own = 1.2 * 0.02 * 0.03 * 2700
    moment = G * (own * 0.6 + 0.5 * 1.2)  # places shift along x only in second order
    expected = [0, 0, moment, 0, G * (own + 0.5), 0]
    shortening = (np.abs(r["beam"].at(1.2).rotation[-1]).max()) ** 2
    assert shortening < 1e-3
    assert np.allclose(r["weld"].wrench[-1], expected, rtol=1e-9, atol=1e-6)
    assert np.array_equal(r["weld"].wrench, r["weld"].reaction)
    assert r["weld"].effort.shape == (3, 0) and r["weld"].accelerations.shape == (3, 0)


def test_a_spring_at_rest_carries_the_weight():
    m = sp.Model(gravity=(0, 0, -G))
    body = m.add(sp.RigidBody("body", 3.0, inertia=0.1))
    m.add(sp.Prismatic("rail", m.ground.at(0), body.at(0), axis="z", initial=-3.0 * G / 200.0))
    spring = sp.SpringDamper("spring", m.ground.at(0, 0, 0.5), body.at(0), 200.0, 5.0, 0.5)
    m.add(spring)
    r = sp.simulate(m, 1.0, output=3)
    assert np.allclose(r["spring"].tension, 3.0 * G)
    assert np.allclose(r["spring"].length, 0.5 + 3.0 * G / 200.0)
    assert np.allclose(r["spring"].length_rate, 0.0, atol=1e-12)
    assert np.allclose(r["spring"].force, [0, 0, 3.0 * G])  # on B, the body
    assert np.allclose(r["spring"].power, 0.0, atol=1e-12)
    assert np.allclose(r["rail"].wrench, 0.0, atol=1e-11)


# ------------------------------------------------------------------------------- random trees


def efforts_of(model, eq, s):
    """Efforts of each element on joint coordinates, from its definition, by engine places."""
    for f in model.forces.values():
        if isinstance(f, JointForce) and not isinstance(f, sp.Motor):
            place, ratio, effort, _ = joint_law(model, eq, s, f)
            yield f.name, {place: ratio * effort}
        elif isinstance(f, sp.CoordinateSpring):
            both: dict[int, float] = {}
            for place, effort in coupling_law(model, eq, s, f):
                both[place] = both.get(place, 0.0) + effort
            yield f.name, both


def without_rotors(model):
    """The same model, whose rotors weigh next to nothing."""
    other = model.copy()
    for name, f in model.forces.items():
        if isinstance(f, sp.Motor):
            other.replace(name, inertia=1e-300)
    return other


def loads_of(model, eq, s):
    states = (np.array([x]) for x in (s.t, s.q, s.u, s.z))
    return Loads(RunHistory(RowSets.of(eq.compiled), *states), dict(model.forces))


def check_elements(model, eq, s):
    """Each element alone against its definition, and all together against the whole."""
    loads, cloud = loads_of(model, eq, s), Cloud(model, eq)
    found = {name: loads(name) for name in eq.compiled.force_names}
    for name, efforts in efforts_of(model, eq, s):
        places = list(efforts)
        others = np.delete(found[name].efforts[0], places)
        # the slope of a target is a difference
        close(found[name].efforts[0, places], list(efforts.values()), 1e-6)
        assert not np.any(others)
        assert found[name].wrenches.shape == (1, 0, 6)
    for name, f in model.forces.items():
        expected = cloud.loads(f, s.t, s.q, s.u)
        if not expected or isinstance(f, sp.DistributedLoad):
            continue
        assert not np.any(found[name].efforts)
        assert [frame for frame, _, _ in expected] == list(f.frames.values())
        for k, (_, torque, force) in enumerate(expected):
            size = np.abs([torque, force]).max()
            close(found[name].wrenches[0, k], [*torque, *force], 1e-8, size)
    total = sum(load.efforts[0] for load in found.values())
    rotors = np.diag(eq.mass_matrix(s.q) - equations(without_rotors(model)).mass_matrix(s.q))
    a, history = eq.body_states(s.t, s.q, s.u, s.z)
    close(total - rotors * a, history.effort[0], 1e-9)
    power = [load.power[0] for load in found.values()]
    close(power, eq.power(s.t, s.q, s.u, s.z), 1e-12)


@examples(40)
@given(recipes(forces="all", max_bodies=6))
def test_elements_of_rigid_trees(recipe):
    model = recipe.model()
    eq = equations(model)
    check_elements(model, eq, recipe.state(eq))


@examples(40)
@given(flexible_recipes(forces="all"))
def test_elements_of_flexible_trees(recipe):
    model = recipe.model()
    eq = equations(model)
    check_elements(model, eq, recipe.state(eq))


@examples(30)
@given(flexible_recipes(forces="all"))
def test_power_of_joints_is_power_of_efforts(recipe):
    """Over one joint: the wrench on the relative motion of its sides works by efforts times rates;

    the reaction does not work. The sides move as the independent model says.
    """
    model = recipe.model()
    eq = equations(model)
    s = recipe.state(eq)
    cloud = Cloud(model, eq)
    history = eq.body_states(s.t, s.q, s.u, s.z)[1]
    size = np.abs(eq.residual(s.t, s.q, s.u, np.zeros(eq.nu), s.z)) @ np.abs(s.u)
    for i, (name, record) in enumerate(eq.compiled.joints.items()):
        joint = model.joints[name]
        (_, pa), Ja = cloud.frame_jacobian(s.q, joint.A)
        (_, pb), Jb = cloud.frame_jacobian(s.q, joint.B)
        a, b = s.u @ Ja, s.u @ Jb
        motion = b - a
        motion[3:] -= np.cross(a[:3], pb - pa)
        work = history.effort[0, record.u] @ s.u[record.u]
        scale = size + np.linalg.norm(history.wrench[0, i]) * np.linalg.norm(motion)
        close(history.wrench[0, i] @ motion, work, 1e-8, scale)
        close(history.reaction[0, i] @ motion, 0.0, 1e-8, scale)


@examples(40)
@given(recipes(forces="all", max_bodies=5))
def test_accelerations_of_joints_are_rates_of_their_rates(recipe):
    """In the user's convention, with ball and free joints in either direction."""
    model = recipe.model()
    eq = equations(model)
    s = recipe.state(eq)
    h = 1e-6
    for name in eq.compiled.joints:
        found = eq.compiled.to_user(name, s.q, s.a)[1]
        sides = []
        for step in (h, -h):
            # a path with velocity u and acceleration a at the state
            q = eq.retract(s.q, step * s.u)
            sides.append(eq.compiled.to_user(name, q, s.u + step * s.a)[1])
        size = np.abs(s.a).max() + np.abs(s.u).max() ** 2
        close(found, (sides[0] - sides[1]) / (2 * h), 1e-7, size * (1.0 + np.abs(s.q).max()))


# -------------------------------------------------------------------------------------- views


@pytest.fixture(scope="module")
def arm():
    m = pendulum(initial=-0.4)
    rod = m["rod"]
    m.add(sp.PID("motor", "hinge", kp=30.0, ki=5.0, kd=4.0, target=sp.Sine(0.3, frequency=0.5)))
    m.add(sp.JointSpring("bearing", "hinge", stiffness=2.0, damping=0.1))
    m.add(sp.SpringDamper("cord", m.ground.at(0, 1, 0), rod.at(0.8), 40.0, 1.0, 0.5))
    push = (0, sp.Sine(1.0, 1.0), 0)
    m.add(sp.Force("wind", rod.at(0.6), force=push, torque=(0, 0, 0.2), axes="body"))
    return sp.simulate(m, 2.0, output=400)


def test_efforts_add_up_and_power_is_the_rate_of_energy(arm):
    assert np.allclose(arm["motor"].effort + arm["bearing"].effort, arm["hinge"].effort[:, 0])
    h = arm.t[1] - arm.t[0]
    for name in ("motor", "bearing", "cord", "wind"):
        view = arm[name]
        energy = view.dissipated if view.dissipates else view.work
        slope = (energy[:-4] - 8 * energy[1:-3] + 8 * energy[3:-1] - energy[4:]) / (12 * h)
        # differences of fourth order, and the tolerance of the run, 1e-8, over the interval
        assert np.allclose(slope, view.power[2:-2], atol=1e-5 * np.abs(view.power).max())
    cord = arm["cord"]
    expected = 40.0 * (cord.length - 0.5) + 1.0 * cord.length_rate
    assert np.allclose(cord.tension, expected, atol=1e-11)
    assert np.allclose(cord.power, cord.length_rate**2)
    assert np.allclose(arm["wind"].torque, [0, 0, 0.2])
    push = np.outer(sp.Sine(1.0, 1.0)(arm.t), [0, 1, 0])
    turned = np.einsum("tij,tj->ti", arm["rod"].matrix, push)
    assert np.allclose(arm["wind"].force, turned, atol=1e-12)


def test_loads_are_in_the_dataset_with_units(arm, tmp_path):
    d = arm.dataset
    units = {
        "motor.effort": "N m",
        "bearing.effort": "N m",
        "cord.tension": "N",
        "cord.length": "m",
        "wind.force": "N",
        "wind.torque": "N m",
        "hinge.angle_acceleration": "rad/s2",
    }
    for name, unit in units.items():
        assert d[name].attrs["units"] == unit
    assert np.array_equal(d["cord.tension"].values, arm["cord"].tension)
    saved = sp.files.load_result(arm.save(tmp_path / "arm.nc"))
    assert np.array_equal(saved["motor.effort"], arm["motor"].effort)
    labels = [ax.get_ylabel() for ax in saved.plot("motor", "cord", "wind").axes]
    assert labels == ["motor effort (N m)", "cord tension (N)", "wind (N)", "wind (N m)"]


def test_loads_survive_pickling_and_changes_of_the_model(arm):
    import pickle

    tension = arm["cord"].tension
    other = pickle.loads(pickle.dumps(arm))
    other.model.replace("cord", stiffness=1.0)
    assert np.array_equal(other["cord"].tension, tension)


def test_damping_of_a_beam_has_a_power():
    m = sp.Model(gravity=(0, -G, 0))
    material = sp.Material(E=7e10, G=2.6e10, density=2700)
    damping = sp.Rayleigh(stiffness=1e-3)
    beam = sp.Beam("beam", 1.0, sp.Rectangle(0.01, 0.02), material, 2, 4, damping=damping)
    m.add(beam)
    m.add(sp.Fixed("weld", m.ground.at(0), beam.at(0)))
    r = sp.simulate(m, 0.2, output=50)
    C = r.data.compiled.flexible["beam"].modal.C
    u = r["beam"].rates
    assert np.allclose(r["beam.damping"].power, np.einsum("ti,ij,tj->t", u, C, u))
