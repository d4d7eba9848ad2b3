"""What a user writes down: frames, bodies, joints, forces, events, the model, lazy names."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import supple as sp
from supple.foundation.poses import quaternion_matrix
from supple.joints import Motion

finite = st.floats(-3.0, 3.0)


def arm() -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81), name="arm")
    link1 = m.add(sp.RigidBody("link1", mass=2.0, com=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2)))
    link2 = m.add(sp.RigidBody("link2", mass=1.0, com=(0.4, 0, 0), inertia=(0.01, 0.1, 0.1)))
    m.add(sp.Revolute("shoulder", m.ground.at(0), link1.at(0), axis="z", initial=0.1))
    m.add(sp.Revolute("elbow", link1.at(1.0), link2.at(0), axis="y"))
    m.add(sp.PointMass("payload", link2.at(0.8), mass=0.5))
    m.add(sp.JointSpring("spring", "elbow", stiffness=10))
    return m


def pair() -> tuple[sp.Frame, sp.Frame]:
    return sp.RigidBody("a", 1.0).at(0), sp.RigidBody("b", 1.0).at(0)


# frames


def test_frame_has_body_position_rotation_and_name() -> None:
    body = sp.RigidBody("link2", mass=1.0)
    frame = body.at(1.02)
    assert frame.body is body
    assert frame.name == "link2@(1.02, 0, 0)"
    assert repr(frame) == "Frame(link2@(1.02, 0, 0))"
    assert_array_equal(frame.position, [1.02, 0, 0])
    assert_array_equal(frame.rotation, np.eye(3))
    assert body.at(-0.0, 1e-9, -2).name == "link2@(0, 1e-09, -2)"


def test_frame_rotation_maps_frame_axes_to_body_axes() -> None:
    body = sp.RigidBody("b", mass=1.0)
    quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])  # the frame's x is the body's y
    for rotation in (quarter, (np.sqrt(0.5), 0, 0, np.sqrt(0.5)), (0, 0, np.pi / 2), (1, 0, 0, 1)):
        assert_allclose(body.at(0, rotation=rotation).rotation, quarter, atol=1e-15)


@given(st.tuples(finite, finite, finite))
def test_rotation_vector_agrees_with_rodrigues(vector: tuple[float, float, float]) -> None:
    v = np.array(vector)
    angle = np.linalg.norm(v)
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    first = np.sin(angle) / angle if angle > 1e-9 else 1.0
    second = (1 - np.cos(angle)) / angle**2 if angle > 1e-4 else 0.5
    R = sp.RigidBody("b", mass=1.0).at(0, rotation=v).rotation
    assert_allclose(R, np.eye(3) + first * K + second * K @ K, atol=1e-8)
    assert_allclose(R.T @ R, np.eye(3), atol=1e-14)


def test_typed_rotation_matrix_becomes_an_exact_rotation() -> None:
    c, s = 0.8660254, 0.5
    R = sp.Frame(sp.Ground(), rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]]).rotation
    assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert_allclose(R[0, 0], np.cos(np.pi / 6), atol=1e-7)


# bodies


def test_inertia_in_all_its_forms() -> None:
    full = np.array([[2.0, 0.1, 0.2], [0.1, 3.0, 0.3], [0.2, 0.3, 4.0]])
    assert_array_equal(sp.RigidBody("b", 1, inertia=full).inertia, full)
    assert_array_equal(sp.RigidBody("b", 1, inertia=(2, 3, 4, 0.1, 0.2, 0.3)).inertia, full)
    assert_array_equal(sp.RigidBody("b", 1, inertia=(2, 3, 4)).inertia, np.diag([2, 3, 4]))
    assert_array_equal(sp.RigidBody("b", 1, inertia=5).inertia, 5 * np.eye(3))
    assert_array_equal(sp.RigidBody("b", 1).inertia, np.zeros((3, 3)))


def test_parallel_axes() -> None:
    rod = sp.RigidBody("rod", mass=3.0, com=(1, 0, 0), inertia=(0, 1, 1))  # length 2
    assert_allclose(rod.inertia_com, np.diag([0, 1, 1]))
    assert_allclose(rod.inertia_origin, np.diag([0, 4, 4]))  # m L^2 / 3


@given(st.tuples(finite, finite, finite))
def test_inertia_about_origin_and_com_describe_the_same_body(com: tuple[float, ...]) -> None:
    a = sp.RigidBody("a", mass=2.0, com=com, inertia=(2, 3, 4, 0.1, -0.2, 0.3))
    b = sp.RigidBody("b", 2.0, com, inertia=a.inertia_origin, inertia_about="origin")
    assert_allclose(b.inertia_com, a.inertia_com, atol=1e-12)
    assert_allclose(b.inertia_origin, a.inertia_origin, atol=1e-12)


def test_thin_rod_given_about_its_end_is_accepted_in_silence() -> None:
    m = sp.Model()
    rod = m.add(sp.RigidBody("rod", 3.0, (1, 0, 0), (0, 4, 4), inertia_about="origin"))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.check()


def test_link_with_lumped_joint_inertia_is_accepted_with_one_warning() -> None:
    # First link of the two-link arm of Huang (1998): a joint's inertia is lumped into Iyy.
    m = sp.Model()
    link = m.add(
        sp.RigidBody(
            "link1", 2.067, (0, 0, -0.1155), (0.04022, 0.08884, 3.752e-4), inertia_about="origin"
        )
    )
    m.add(sp.Revolute("waist", m.ground.at(0), link.at(0)))
    with pytest.warns(sp.SuppleWarning, match="triangle inequality") as caught:
        m.check()
        m.check()
    assert len(caught) == 1
    m.replace("link1", mass=2.07)
    with pytest.warns(sp.SuppleWarning):  # a changed body is another body
        m.check()


# joints


@pytest.mark.parametrize(
    ("joint", "kinds", "axes", "names", "units", "nu"),
    [
        (sp.Fixed("j", *pair()), (), (), (), (), 0),
        (sp.Revolute("j", *pair()), ("rotate",), ([0, 0, 1],), ("angle",), ("rad",), 1),
        (sp.Prismatic("j", *pair()), ("translate",), ([1, 0, 0],), ("displacement",), ("m",), 1),
        (
            sp.Cylindrical("j", *pair()),
            ("translate", "rotate"),
            ([0, 0, 1], [0, 0, 1]),
            ("displacement", "angle"),
            ("m", "rad"),
            2,
        ),
        (
            sp.Universal("j", *pair()),
            ("rotate", "rotate"),
            ([1, 0, 0], [0, 1, 0]),
            ("angle_1", "angle_2"),
            ("rad", "rad"),
            2,
        ),
        (
            sp.Planar("j", *pair()),
            ("translate", "translate", "rotate"),
            ([1, 0, 0], [0, 1, 0], [0, 0, 1]),
            ("displacement_1", "displacement_2", "angle"),
            ("m", "m", "rad"),
            3,
        ),
        (
            sp.Spherical("j", *pair()),
            ("ball",),
            (None,),
            ("qw", "qx", "qy", "qz"),
            ("1", "1", "1", "1"),
            3,
        ),
        (
            sp.Free("j", *pair()),
            ("free",),
            (None,),
            ("qw", "qx", "qy", "qz", "x", "y", "z"),
            ("1", "1", "1", "1", "m", "m", "m"),
            6,
        ),
        (
            sp.General("j", *pair(), axes=[("rotate", "z"), ("translate", (2, 0, 0))]),
            ("rotate", "translate"),
            ([0, 0, 1], [1, 0, 0]),
            ("angle_1", "displacement_2"),
            ("rad", "m"),
            2,
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, sp.joints.Joint) else "",
)
def test_what_the_compiler_reads(joint, kinds, axes, names, units, nu) -> None:  # type: ignore[no-untyped-def]
    assert tuple(motion.kind for motion in joint.motions) == kinds
    for motion, axis in zip(joint.motions, axes, strict=True):
        assert (motion.axis is None) if axis is None else np.array_equal(motion.axis, axis)
    assert joint.coordinate_names == names
    assert joint.units == units
    assert (joint.nq, joint.nu) == (len(names), nu)
    assert joint.initial.shape == (joint.nq,)
    assert joint.initial_rate.shape == (joint.nu,)
    assert not joint.initial.flags.writeable
    copy = dataclasses.replace(joint)
    assert_array_equal(copy.initial, joint.initial)
    assert copy.coordinate_names == joint.coordinate_names


def test_axis_spellings() -> None:
    a, b = pair()
    assert_array_equal(sp.Revolute("j", a, b, "-y").axis, [0, -1, 0])
    assert_allclose(sp.Revolute("j", a, b, (3, 0, 4)).axis, [0.6, 0, 0.8])
    assert_allclose(sp.Revolute("j", a, b, (1e-300, 0, 1e-300)).axis, np.sqrt([0.5, 0, 0.5]))
    assert np.signbit(sp.Revolute("j", a, b, "-y").axis).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("normal", "first", "second"),
    [("z", "x", "y"), ("x", "y", "z"), ("y", "z", "x"), ("-z", "x", "-y")],
)
def test_planar_axes(normal: str, first: str, second: str) -> None:
    motions = sp.Planar("j", *pair(), normal=normal).motions
    for motion, axis in zip(motions, (first, second, normal), strict=True):
        assert_array_equal(motion.axis, sp.Revolute("j", *pair(), axis=axis).axis)


@given(st.tuples(finite, finite, finite).filter(lambda v: max(map(abs, v)) > 1e-3))
def test_planar_axes_are_right_handed(normal: tuple[float, float, float]) -> None:
    e1, e2, n = (motion.axis for motion in sp.Planar("j", *pair(), normal=normal).motions)
    axes = np.column_stack([e1, e2, n])
    assert_allclose(axes.T @ axes, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) > 0


def test_initial_values() -> None:
    a, b = pair()
    assert_array_equal(sp.Revolute("j", a, b, initial=1, initial_rate=[2]).initial, [1.0])
    assert_array_equal(sp.Universal("j", a, b, initial=(1, 2)).initial, [1, 2])
    assert_array_equal(sp.Free("j", a, b, initial=(1, 2, 3)).initial, [1, 0, 0, 0, 1, 2, 3])
    free = sp.Free("j", a, b, initial=(0, 0, 2, 0, 1, 2, 3), initial_rate=range(6))
    assert_array_equal(free.initial, [0, 0, 1, 0, 1, 2, 3])
    assert_array_equal(free.initial_rate, range(6))
    ball = sp.Spherical("j", a, b, initial=(0, 0, np.pi / 2))
    assert_allclose(quaternion_matrix(ball.initial) @ [1, 0, 0], [0, 1, 0], atol=1e-15)


def test_motion_sizes() -> None:
    assert [(Motion(k).nq, Motion(k).nu) for k in ("ball", "free")] == [(4, 3), (7, 6)]


# forces and events


def test_force_components_become_signals() -> None:
    ramp = sp.SmoothStep(0, 1)
    force = sp.Force("f", sp.RigidBody("b", 1).at(0), force=(1, ramp, 0), axes="body")
    assert force.force[1] is ramp
    assert [s(0.0) for s in force.force] == [1.0, 0.0, 0.0]
    assert len(force.signals) == 6
    assert dataclasses.replace(force).force[1] is ramp


def test_joint_forces_store_the_joints_name() -> None:
    joint = sp.Universal("wrist", *pair())
    assert sp.JointSpring("k", joint, stiffness=1, coordinate="angle_2").joint == "wrist"
    assert sp.JointEffort("t", "wrist", 3.0).signals[0](5.0) == 3.0
    pid = sp.PID("c", joint, kp=1, ki=2, kd=3, target=sp.Sine(1, 1), coordinate=1)
    assert (pid.joint, pid.kp, pid.ki, pid.kd, pid.coordinate) == ("wrist", 1, 2, 3, 1)


def test_events() -> None:
    joint = sp.Revolute("elbow", *pair())
    assert sp.Event("e", joint).joint == "elbow"
    assert sp.Event("e", "elbow", "rate", direction=-1, terminal=False).of == "elbow"
    hit = sp.Event("hit", joint.A, "z", value=0.1)
    assert hit.joint is None
    assert hit.frames == {"of": joint.A}
    m = arm()
    m.check(events=[sp.Event("e", "elbow"), sp.Event("h", m.bodies["link2"].at(0.8), "z")])


# model


def test_model_keeps_items_by_kind_in_order() -> None:
    m = arm()
    assert list(m.bodies) == ["link1", "link2"]
    assert list(m.joints) == ["shoulder", "elbow"]
    assert list(m.forces) == ["spring"]
    assert list(m.point_masses) == ["payload"]
    assert list(m) == ["link1", "link2", "shoulder", "elbow", "payload", "spring"]
    assert m["elbow"] is m.joints["elbow"]
    assert m["ground"] is m.ground
    assert "elbow" in m
    assert "elbw" not in m
    assert repr(m) == "<Model 'arm': 2 bodies, 2 joints, 1 forces, 1 point masses>"
    m.check()


def test_views_and_arrays_are_read_only() -> None:
    m = arm()
    with pytest.raises(TypeError):
        m.bodies["x"] = m.bodies["link1"]  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        m.gravity[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        m.joints["elbow"].initial[0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        m.bodies["link1"].name = "x"  # type: ignore[misc]


def test_arrays_are_copies() -> None:
    com = np.array([1.0, 0, 0])
    body = sp.RigidBody("b", 1.0, com=com)
    com[0] = 5.0
    assert body.com[0] == 1.0


def test_replace_keeps_name_place_and_connections() -> None:
    m = arm()
    new = m.replace("link1", mass=6)
    assert m["link1"] is new
    assert (new.name, new.mass) == ("link1", 6.0)
    assert_array_equal(new.com, [0.5, 0, 0])
    assert list(m.bodies) == ["link1", "link2"]
    m.replace("shoulder", axis="x", initial=0.3)
    assert_array_equal(m.joints["shoulder"].initial, [0.3])
    m.replace("spring", damping=2)
    m.add(sp.Force("push", new.at(0.2), force=(1, 0, 0)))  # a frame on the new version
    m.check()
    assert m.spanning_tree().order[-1] == "link2"


@pytest.mark.parametrize("kind", ["Beam", "ANCFBeam", "Cable"])
@pytest.mark.parametrize("length", [0.7, 1.6])
def test_what_is_at_the_end_of_a_beam_stays_there(kind: str, length: float) -> None:
    m = sp.Model()
    steel = sp.Material(E=2e11, G=8e10, density=7800)
    beam = m.add(getattr(sp, kind)("beam", 1.0, sp.Circle(0.02), steel))
    disc = m.add(sp.RigidBody("disc", 1.0))
    turn = np.eye(3)
    if kind != "Cable":
        turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    m.add(sp.Spherical("root", m.ground.at(0), beam.at(0)))
    m.add(sp.Spherical("pin", beam.at(1.0, rotation=turn), disc.at(0)))
    m.add(sp.PointMass("tip", beam.at(0.1 + 0.9), 0.1))
    m.add(sp.PointMass("middle", beam.at(0.5), 0.1))
    m.add(sp.SpringDamper("spring", m.ground.at(2), beam.at(1.0), 10.0))
    m.add(sp.DistributedLoad("wind", beam.at(0.2), (0, 1, 0)))
    m.add(sp.DistributedLoad("part", beam.at(0.2), (0, 1, 0), end=0.4))
    m.replace("beam", length=length)
    for frame in (m["pin"].A, m["tip"].frame, m["spring"].B):
        assert_array_equal(frame.position, [length, 0, 0])
    assert_array_equal(m["pin"].A.rotation, turn)
    assert_array_equal(m["middle"].frame.position, [0.5, 0, 0])
    assert (m["wind"].end, m["part"].end) == (length, 0.4)
    m.check()
    m.replace("beam.material.E", 7e10)
    assert_array_equal(m["tip"].frame.position, [length, 0, 0])


def test_gravity_can_be_changed() -> None:
    m = sp.Model()
    m.gravity = (0, 0, -1.62)
    assert_array_equal(m.gravity, [0, 0, -1.62])


def test_joints_may_point_either_way() -> None:
    m = sp.Model()
    a = m.add(sp.RigidBody("a", 1.0))
    b = m.add(sp.RigidBody("b", 1.0))
    m.add(sp.Revolute("ab", b.at(0), a.at(0)))
    m.add(sp.Revolute("root", a.at(0), m.ground.at(0)))
    m.check()
    assert [edge.reversed for edge in m.spanning_tree().tree] == [True, True]


def test_model_pickles() -> None:
    m = pickle.loads(pickle.dumps(arm()))
    assert list(m) == list(arm())
    m.check()


# package


def test_vocabulary_is_light_and_names_are_complete() -> None:
    code = (
        "import sys, supple\n"
        "from supple import Model, Table\n"
        "assert set(supple.__all__) <= set(dir(supple))\n"
        "heavy = {'scipy', 'xarray', 'networkx', 'pydantic', 'typer', 'rich', 'matplotlib'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_unknown_names_of_the_package() -> None:
    with pytest.raises(AttributeError, match="no attribute 'simulte'"):
        sp.simulte  # noqa: B018


def test_simulate_is_the_function_even_after_its_module_was_imported() -> None:
    import supple.analyses.run.simulate

    assert callable(sp.simulate)
    assert sp.simulate is supple.analyses.run.simulate.simulate
