"""Reading a result, from a motion made by hand: no simulation is needed here."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

import supple as sp
from supple.results.data.audit import AuditRecord, MomentumRecord
from supple.results.data.run_data import EventRecord, History, RunData
from supple.results.result import Result
from supple.results.saved import load_result
from supple.results.views.views import quaternions


class Arrays(SimpleNamespace):
    """Stands for the compiled model: one joint after another, no reversed ones."""

    weight = 0.0
    gradient: ClassVar = {}
    deforming: ClassVar = {}

    def to_user(self, name, q, u):
        s = self.slices[name]
        return q[:, s], u[:, s]

    def coordinate(self, name, index):
        return (self.slices[name].start + index,) * 2

    def shaft(self, name, index):
        return *self.coordinate(name, index), 1.0

    def channels(self, name):
        return [self.force_names.index(name)]

    def effort_to_user(self, name, effort):
        return effort[:, self.slices[name]]


def turn_z(angle):
    c, s, o, e = np.cos(angle), np.sin(angle), 0 * angle, 1 + 0 * angle
    return np.stack([c, -s, o, s, c, o, o, o, e], axis=1).reshape(-1, 3, 3)


def angle(t):
    return 3.0 * t + t**2


@pytest.fixture(scope="module")
def model():
    m = sp.Model(gravity=(0, -9.81, 0), name="slider")
    cart = m.add(sp.RigidBody("cart", mass=2.0))
    arm = m.add(sp.RigidBody("arm", mass=1.0, com=(0.5, 0, 0), inertia=0.1))
    m.add(sp.PointMass("tip", arm.at(1.0, 0.2), 0.3))
    m.add(sp.Prismatic("rail", m.ground.at(0), cart.at(0), axis="x"))
    turned = arm.at(0, rotation=(0, 0, 0.4))
    m.add(sp.Revolute("hinge", cart.at(0), turned, axis="z"))
    m.add(sp.JointEffort("motor", "rail", effort=1.0))
    m.add(sp.JointSpring("grease", "hinge", damping=0.1))
    return m


@pytest.fixture(scope="module")
def result(model):
    """The cart moves as sin t, the arm turns on it by angle(t)."""
    t = np.linspace(0.0, 4.0, 41)
    o = np.zeros_like(t)
    x, v, a = np.sin(t), np.cos(t), -np.sin(t)
    w = 3.0 + 2.0 * t
    R = np.stack([turn_z(o), turn_z(angle(t))], axis=1)
    p = np.stack([np.column_stack([x, o, o])] * 2, axis=1)
    V = np.stack([np.column_stack([o, o, o, v, o, o]), np.column_stack([o, o, w, v, o, o])], axis=1)
    A = np.stack(
        [np.column_stack([o, o, o, a, o, o]), np.column_stack([o, o, 2 + o, a, o, o])], axis=1
    )
    wrench = np.tile(np.arange(12.0).reshape(2, 6), (len(t), 1, 1))
    history = History(
        a=np.column_stack([a, 2 + o]),
        R=R,
        p=p,
        V=V,
        A=A,
        wrench=wrench,
        reaction=wrench - 1.0,
        effort=np.column_stack([1 + o, -0.1 * w]),
        energy=np.column_stack([t, -t + 1e-9 * t, o]),
        momentum=np.tile(np.arange(6.0), (len(t), 1)),
        strain=o,
    )
    compiled = Arrays(
        body_names=("cart", "arm"),
        joint_names=("rail", "hinge"),
        force_names=("motor", "grease"),
        force_dissipates=(False, True),
        energy_creating=(),
        flexible={},
        slices={"rail": slice(0, 1), "hinge": slice(1, 2)},
    )
    return Result(
        RunData(
            model=model,
            compiled=compiled,
            t=t,
            q=np.column_stack([x, angle(t)]),
            u=np.column_stack([v, w]),
            z=np.zeros((len(t), 0)),
            channels=np.column_stack([2 * t, 2 * t]),
            history=history,
            audit=AuditRecord(4e-9, 0.0, 0.0, 4.0, 4.0),
            momentum=(MomentumRecord("momentum along z", 0.0, 1e-14, "kg m/s", 0.0),),
            events=(EventRecord("half turn", 0.79),),
            success=True,
            message="reached the end",
            statistics={"steps": 12, "rejected": np.int64(1), "cpu_seconds": 0.01},
        )
    )


def test_joint_by_coordinate_name(result):
    t = result.t
    assert np.array_equal(result["rail"].displacement, np.sin(t))
    assert np.array_equal(result["hinge"].angle, angle(t))
    assert np.array_equal(result["hinge"].angle_rate, 3.0 + 2.0 * t)
    assert result["hinge"].coordinates.shape == (41, 1)
    assert result["hinge"].rates.shape == (41, 1)
    assert np.array_equal(result["hinge"].effort[:, 0], -0.1 * (3.0 + 2.0 * t))
    assert np.array_equal(result["hinge"].wrench[3], np.arange(6.0, 12.0))
    assert np.array_equal(result["hinge"].reaction[3], np.arange(5.0, 11.0))
    assert "angle" in dir(result["hinge"])


def test_joint_local_is_along_frame_b(result):
    """At t = 0 frame B of the hinge is turned by 0.4 rad about z in the world."""
    torque = result["hinge"].local.wrench[0, :3]
    assert np.allclose(turn_z(np.array([0.4]))[0] @ torque, [6.0, 7.0, 8.0])
    again = result["hinge"].local.local.wrench
    assert np.allclose(again, result["hinge"].local.wrench)


def test_ball_and_free_joints_have_vector_rates(result):
    from supple.results.views.views import JointView

    m = sp.Model()
    body = m.add(sp.RigidBody("stone", mass=1.0, inertia=1.0))
    joint = sp.Free("flight", m.ground.at(0), body.at(0))
    rates = np.arange(12.0).reshape(2, 6)
    none = np.zeros((2, 6))
    coordinates = np.tile([1.0, 0, 0, 0, 5, 6, 7], (2, 1))
    axes = np.tile(np.eye(3), (2, 1, 1))
    view = JointView(joint, coordinates, rates, rates, none, none, none, axes)
    assert np.array_equal(view.angular_velocity, rates[:, :3])
    assert np.array_equal(view.velocity, rates[:, 3:])
    assert np.array_equal(view.y, [6.0, 6.0])


def test_rotation_matrix_and_quaternion_agree_without_jumps(result):
    """The arm turns by more than four revolutions; w passes zero several times."""
    q = result["arm"].rotation
    half = angle(result.t) / 2
    assert np.allclose(q, np.column_stack([np.cos(half), 0 * half, 0 * half, np.sin(half)]))
    assert result["arm"].matrix.shape == (41, 3, 3)


def test_quaternions_of_any_attitude():
    rng = np.random.default_rng(3)
    q = rng.normal(size=(200, 4))
    half_turns = np.eye(4)[1:]
    q = np.vstack([q / np.linalg.norm(q, axis=1, keepdims=True), half_turns])
    w, v = q[:, 0], q[:, 1:]
    skew = np.cross(np.eye(3)[None], v[:, None])  # rows e_i x v, that is the matrix of v x
    R = np.eye(3) + 2 * w[:, None, None] * skew + 2 * skew @ skew
    found = quaternions(R)
    assert np.allclose(np.abs(np.einsum("ti,ti->t", found, q)), 1.0, atol=1e-14)
    assert found[0, 0] >= 0.0
    assert np.all(np.einsum("ti,ti->t", found[1:], found[:-1]) >= 0.0)


def test_point_on_a_body(result):
    """Velocity and acceleration of a point against derivatives of its position, written out."""
    t = result.t
    point = result["arm"].at(1.0, 0.2)
    assert point.name == "arm@(1, 0.2, 0)"
    th, w, dw = angle(t), 3.0 + 2.0 * t, 2.0
    e = np.column_stack([np.cos(th) - 0.2 * np.sin(th), np.sin(th) + 0.2 * np.cos(th), 0 * t])
    n = np.column_stack([-e[:, 1], e[:, 0], 0 * t])
    cart = np.column_stack([np.sin(t), 0 * t, 0 * t])
    speed = np.column_stack([np.cos(t), 0 * t, 0 * t])
    assert np.allclose(point.position, cart + e)
    assert np.allclose(point.velocity, speed + w[:, None] * n)
    assert np.allclose(point.acceleration, -cart + dw * n - (w**2)[:, None] * e)
    for same in (result["tip"], result[result.model["arm"].at(1.0, 0.2)]):
        assert np.array_equal(same.acceleration, point.acceleration)


def test_body_in_its_own_axes(result):
    arm = result["arm"]
    own = arm.local
    for kind in ("position", "velocity", "acceleration", "angular_velocity"):
        world = np.einsum("tij,tj->ti", arm.matrix, getattr(own, kind))
        assert np.allclose(world, getattr(arm, kind))
    assert np.array_equal(own.rotation, arm.rotation)
    assert np.allclose(own.local.velocity, own.velocity)
    assert np.allclose(own.at(1.0, 0.2).acceleration, arm.at(1.0, 0.2).local.acceleration)


def test_forces(result):
    assert np.array_equal(result["motor"].work, 2 * result.t)
    assert np.array_equal(result["grease"].dissipated, 2 * result.t)
    with pytest.raises(AttributeError, match=r"see its \.dissipated"):
        _ = result["grease"].work
    with pytest.raises(AttributeError, match=r"see its \.work"):
        _ = result["motor"].dissipated
    assert np.array_equal(result.energy.work, result.energy.dissipated)


def test_unknown_names_are_answered_with_the_closest(result):
    with pytest.raises(sp.SuppleError, match="nothing named 'hing', did you mean 'hinge'"):
        result["hing"]
    with pytest.raises(AttributeError, match="no 'angel', did you mean 'angle'"):
        _ = result["hinge"].angel
    with pytest.raises(sp.SuppleError, match=r"cannot plot 'hinge.angel', did you mean 'hinge.ang"):
        result.plot("hinge.angel")
    assert "hinge" in result
    assert "hing" not in result


def test_repr_fits_one_screen(result):
    lines = repr(result).splitlines()
    assert len(lines) < 15
    assert lines[0] == "Result of model 'slider': 0 to 4 s, 41 output times, completed"
    for part in (result.energy.verdict, result.momentum.verdict, "12 (1 rejected)", "half turn"):
        assert part in repr(result)


def test_result_keeps_the_items_it_was_made_with(result):
    other = sp.Model()
    body = other.add(sp.RigidBody("cart", mass=1.0))
    joint = other.add(sp.Prismatic("rail", other.ground.at(0), body.at(0)))
    data = result.data
    changed = Result(RunData(**{**vars(data), "model": other}))
    other.replace("rail", axis="y")
    assert changed.joints["rail"] is joint


def test_dataset(result):
    ds = result.dataset
    assert ds is result.dataset
    assert ds["hinge.angle"].attrs["units"] == "rad"
    assert ds["hinge.angle_rate"].attrs["units"] == "rad/s"
    assert ds["rail.effort"].attrs["units"] == "N"
    assert ds["arm.position"].dims == ("time", "xyz")
    assert ds["arm.position"].attrs["frame"] == "world"
    assert ds["hinge.reaction"].sel(wrench="force_x").values[0] == 8.0
    assert list(ds["arm.rotation"].coords["quaternion"].values) == ["w", "x", "y", "z"]
    assert {"energy.kinetic", "energy.error", "motor.work", "grease.dissipated"} <= set(ds)
    assert all("units" in ds[name].attrs for name in ds.data_vars)
    assert ds.attrs["energy_verdict"] == result.energy.verdict
    assert ds.attrs["verdict"] == result.verdict
    assert json.loads(ds.attrs["statistics"])["rejected"] == 1


def test_save_and_load(result, tmp_path):
    path = result.save(tmp_path / "run.nc")
    saved = load_result(path)
    assert np.array_equal(saved.t, result.t)
    assert np.array_equal(saved["hinge.angle"], result["hinge"].angle)
    assert np.array_equal(saved["arm.position"], result["arm"].position)
    assert saved.verdict == result.verdict
    assert saved.success is True
    assert saved.statistics["steps"] == 12
    assert saved.events == [["half turn", 0.79]]
    assert saved.dataset["hinge.angle"].attrs["units"] == "rad"
    assert saved.dataset.identical(result.dataset)
    assert saved.verdict in repr(saved)
    with pytest.raises(sp.SuppleError, match=r"no variable 'hinge\.angl', did you mean 'hing"):
        saved["hinge.angl"]
    with pytest.raises(sp.SuppleError, match="there is no file"):
        load_result(tmp_path / "none.nc")


def test_to_pandas(result):
    table = result.to_pandas()
    assert table.index.name == "time"
    assert len(table) == 41
    assert np.array_equal(table["hinge.angle"], result["hinge"].angle)
    assert np.array_equal(table["arm.position.x"], np.sin(result.t))


def test_plots(result, tmp_path):
    figure = result.plot("rail", "hinge.reaction", "arm", "energy", path=tmp_path / "run.png")
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == [
        "rail displacement (m)",
        "hinge.reaction (N m)",
        "hinge.reaction (N)",
        "arm (m)",
        "energy (J)",
        "energy error (J)",
    ]
    assert figure.axes[-1].get_yscale() == "log"
    assert (tmp_path / "run.png").stat().st_size > 10_000
    overview = result.plot()
    assert [ax.get_ylabel() for ax in overview.axes[:2]] == [
        "joints rail.displacement (m)",
        "joints hinge.angle (rad)",
    ]
    again = load_result(result.save(tmp_path / "run.nc")).plot("hinge")
    assert len(again.axes) == 1


def test_plotting_leaves_pyplot_alone(result):
    import sys

    result.plot("hinge")
    if "matplotlib.pyplot" in sys.modules:
        assert not sys.modules["matplotlib.pyplot"].get_fignums()


def test_pickles(result):
    import pickle

    view = result["hinge"]
    assert np.array_equal(pickle.loads(pickle.dumps(view)).angle, view.angle)


# From here on with a real run: what the views say must fit together by the laws of mechanics.


TARGET = sp.Sine(amplitude=0.3, frequency=0.5)  # smooth, so that differences are accurate


@pytest.fixture(scope="module")
def flight():
    """A base flies, a ball joint connected backwards and a motor carry two links."""
    m = sp.Model(gravity=(0.5, 0, -9.81), name="flight")
    base = m.add(sp.RigidBody("base", 3.0, (0.1, 0, 0.05), (0.2, 0.3, 0.25, 0.01, 0.02, -0.03)))
    arm = m.add(sp.RigidBody("arm", 1.0, (0.3, 0.02, 0), (0.01, 0.04, 0.04)))
    hand = m.add(sp.RigidBody("hand", 0.6, (0, 0.1, 0.05), (0.01, 0.008, 0.009)))
    m.add(sp.PointMass("tool", hand.at(0, 0.2, 0.1), 0.2))
    start = (0.2, -0.1, 0.4, 0.3, 0.2, -0.5)
    m.add(sp.Free("float", m.ground.at(0, 0, 1), base.at(0), initial_rate=start))
    ball = (0.3, -0.4, 0.5)
    socket = base.at(0.5, rotation=(0.1, 0.2, 0.3))
    m.add(sp.Spherical("ball", arm.at(0), socket, initial=ball, initial_rate=(1, -2, 0.5)))
    m.add(sp.Revolute("wrist", arm.at(0.6), hand.at(0, rotation=(0.5, 0, 0)), axis="y"))
    m.add(sp.PID("motor", "wrist", kp=1.0, kd=0.05, target=TARGET))
    m.add(sp.JointSpring("grease", "wrist", damping=0.05))
    return sp.simulate(m, 1.0, tolerance="tight", output=1000)


def derivative(values, t):
    """Fourth-order differences inside the grid."""
    h = t[1] - t[0]
    return (values[:-4] - 8 * values[1:-3] + 8 * values[3:-1] - values[4:]) / (12 * h)


INNER = slice(2, -2)


@pytest.mark.parametrize("name", ["base", "arm", "hand"])
def test_velocities_are_derivatives(flight, name):
    t, view = flight.t, flight[name]
    for point in (view, view.at(0.3, -0.2, 0.1)):
        assert np.allclose(derivative(point.position, t), point.velocity[INNER], atol=1e-7)
        assert np.allclose(derivative(point.velocity, t), point.acceleration[INNER], atol=1e-6)
    spin = derivative(view.angular_velocity, t)
    assert np.allclose(spin, view.angular_acceleration[INNER], atol=1e-6)
    turning = np.cross(view.angular_velocity[INNER, None, :], np.swapaxes(view.matrix[INNER], 1, 2))
    assert np.allclose(derivative(view.matrix, t), np.swapaxes(turning, 1, 2), atol=1e-7)


def frame_poses(result, frame):
    view = result[frame.body.name]
    return view.matrix @ frame.rotation, view.at(*frame.position).position


@pytest.mark.parametrize("name", ["float", "ball", "wrist"])
def test_coordinates_are_the_pose_of_b_in_a(flight, name):
    view = flight[name]
    R_A, p_A = frame_poses(flight, view.joint.A)
    R_B, p_B = frame_poses(flight, view.joint.B)
    R = np.swapaxes(R_A, 1, 2) @ R_B
    p = np.einsum("tij,ti->tj", R_A, p_B - p_A)
    spin_A, spin_B = (flight[f.body.name].angular_velocity for f in (view.joint.A, view.joint.B))
    if name == "wrist":
        assert np.allclose(R @ [0, 1, 0], [0, 1, 0])
        assert np.allclose(R[:, 2, 2], np.cos(view.angle))
        assert np.allclose(R[:, 0, 2], np.sin(view.angle))
        assert np.allclose(derivative(view.angle, flight.t), view.angle_rate[INNER], atol=1e-7)
    else:
        quaternion = view.coordinates[:, :4]
        match = np.einsum("ti,ti->t", quaternions(R), quaternion)
        assert np.allclose(np.abs(match), 1.0, atol=1e-12)
        assert np.allclose(np.einsum("tij,ti->tj", R_B, spin_B - spin_A), view.angular_velocity)
    expected = view.coordinates[:, 4:] if name == "float" else 0.0
    assert np.allclose(p, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["float", "ball", "wrist"])
def test_accelerations_are_rates_of_rates(flight, name):
    """Also of the ball joint, which is connected backwards."""
    view = flight[name]
    found = derivative(view.rates, flight.t)
    assert np.allclose(found, view.accelerations[INNER], atol=1e-6)
    if name == "float":
        assert np.array_equal(view.velocity_rate, view.accelerations[:, 3:])
        assert np.array_equal(view.angular_acceleration, view.accelerations[:, :3])
        place = view.coordinates[:, 4:]  # in A's axes, which are the world's
        own = view.velocity_rate + np.cross(view.angular_velocity, view.velocity)
        R = flight["base"].matrix
        twice = derivative(derivative(place, flight.t), flight.t[INNER])
        assert np.allclose(np.einsum("tij,tj->ti", R, own)[4:-4], twice, atol=1e-6)
    if name == "wrist":
        assert np.array_equal(view.angle_acceleration, view.accelerations[:, 0])


def momentum_rates(result, name, about):
    """Force and torque about the points ``about`` (nt, 3) that a body's motion needs."""
    body = result.bodies[name]
    view = result[name]
    parts = [(body.mass, body.com, body.inertia_com)]
    parts += [
        (p.mass, p.frame.position, np.zeros((3, 3)))
        for p in result.point_masses.values()
        if p.frame.body.name == name
    ]
    force, torque = np.zeros((2, len(result.t), 3))
    for mass, com, J in parts:
        centre = view.at(*com)
        f = mass * (centre.acceleration - result.model.gravity)
        w, dw = view.local.angular_velocity, view.local.angular_acceleration
        spin = np.einsum("tij,tj->ti", view.matrix, dw @ J + np.cross(w, w @ J))
        force += f
        torque += spin + np.cross(centre.position - about, f)
    return np.hstack([torque, force])


def test_wrenches_balance_the_motion(flight):
    """Newton and Euler for the hand, then for arm and hand together; the base is free."""
    wrist = frame_poses(flight, flight["wrist"].joint.B)[1]
    needed = momentum_rates(flight, "hand", wrist)
    assert np.allclose(needed, flight["wrist"].wrench, atol=1e-9)
    ball = frame_poses(flight, flight["ball"].joint.B)[1]
    both = momentum_rates(flight, "hand", ball) + momentum_rates(flight, "arm", ball)
    # A is on the arm: the wrench on B, the socket of the base, is the opposite.
    assert np.allclose(-both, flight["ball"].wrench, atol=1e-9)
    assert np.allclose(flight["ball"].reaction[:, :3], 0.0, atol=1e-9)
    assert np.allclose(flight["float"].reaction, 0.0, atol=1e-9)


def test_effort_is_what_the_reaction_leaves_out(flight):
    view = flight["wrist"]
    axis = frame_poses(flight, view.joint.A)[0] @ [0, 1, 0]
    along = np.einsum("ti,ti->t", axis, view.wrench[:, :3])
    assert np.allclose(along, view.effort[:, 0], atol=1e-9)
    assert np.allclose(np.einsum("ti,ti->t", axis, view.reaction[:, :3]), 0.0, atol=1e-9)
    omega = 2 * np.pi * 0.5
    rate = 0.3 * omega * np.cos(omega * flight.t)
    expected = 1.0 * (TARGET(flight.t) - view.angle) + 0.05 * (rate - view.angle_rate)
    assert np.allclose(view.effort[:, 0], expected - 0.05 * view.angle_rate, atol=1e-12)


def test_energy_channels(flight):
    rate = flight["wrist"].angle_rate
    lost = derivative(flight["grease"].dissipated, flight.t)
    assert np.allclose(lost, 0.05 * rate[INNER] ** 2, atol=1e-7)
    power = (flight["wrist"].effort[:, 0] + 0.05 * rate) * rate
    assert np.allclose(derivative(flight["motor"].work, flight.t), power[INNER], atol=1e-6)
    assert flight.energy.level == "trusted"
    # between steps the dense output adds at most the tolerance of the run, 1e-10 of the energies
    record = flight.energy.record
    assert np.abs(flight.energy.error).max() <= record.max_error + 1e-10 * record.max_energy


@pytest.mark.slow
def test_flight_dataset_and_plots(flight, tmp_path):
    saved = load_result(flight.save(tmp_path / "flight.nc"))
    assert saved.dataset["ball.angular_velocity"].attrs["frame"] == "B"
    assert saved["float.velocity"].shape == (1001, 3)
    assert len(flight.plot(path=tmp_path / "all.png").axes) == 5
    assert len(flight.plot("motor", "momentum").axes) == 3
