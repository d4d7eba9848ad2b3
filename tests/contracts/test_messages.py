"""Every error is one sentence that names object, field, what was found and what was expected."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import supple as sp
from supple.foundation.errors import describe

NAN = float("nan")
link1 = sp.RigidBody("link1", mass=1.0)
link2 = sp.RigidBody("link2", mass=1.0)
elbow = sp.Revolute("elbow", link1.at(0), link2.at(0))
ball = sp.Spherical("ball", link1.at(0), link2.at(0))
wrist = sp.Universal("wrist", link1.at(0), link2.at(0))
A, B = link1.at(0), link2.at(0)
AXIS = "'x', 'y', 'z', '-x', '-y', '-z' or 3 numbers that are not all zero"


def arm() -> sp.Model:
    m = sp.Model(name="arm")
    for item in (link1, link2):
        m.add(item)
    m.add(sp.Revolute("shoulder", m.ground.at(0), link1.at(0)))
    m.add(elbow)
    return m


def model_of(*items: Any) -> sp.Model:
    m = sp.Model(name="m")
    for item in items:
        m.add(item)
    return m


CONSTRUCTION: list[tuple[Callable[[], Any], str]] = [
    # names
    (lambda: sp.RigidBody(3, 1.0), "RigidBody: name is 3, expected a text"),
    (
        lambda: sp.RigidBody("a.b", 1.0),
        "RigidBody: name is 'a.b', expected a text without '.', '/', '@' and without blanks at "
        "its ends",
    ),
    (
        lambda: sp.Revolute("", A, B),
        "Revolute: name is '', expected a text without '.', '/', '@' and without blanks at its "
        "ends",
    ),
    # bodies
    (
        lambda: sp.RigidBody("link1", mass=-1.0),
        "RigidBody 'link1': mass is -1.0, expected a positive number",
    ),
    (
        lambda: sp.RigidBody("link1", mass=0),
        "RigidBody 'link1': mass is 0.0, expected a positive number",
    ),
    (
        lambda: sp.RigidBody("link1", mass="1"),
        "RigidBody 'link1': mass is '1', expected a positive number",
    ),
    (
        lambda: sp.RigidBody("link1", mass=True),
        "RigidBody 'link1': mass is True, expected a positive number",
    ),
    (
        lambda: sp.RigidBody("link1", mass=NAN),
        "RigidBody 'link1': mass is nan, expected a positive number",
    ),
    (
        lambda: sp.RigidBody("link1", 1.0, com=(0, 0)),
        "RigidBody 'link1': com is (0, 0), expected 3 finite numbers",
    ),
    (
        lambda: sp.RigidBody("link1", 1.0, com=(0, NAN, 1.5)),
        "RigidBody 'link1': com is (0, nan, 1.5), expected 3 finite numbers",
    ),
    (
        lambda: sp.RigidBody("link1", 1.0, com=("0", "0", "0")),
        "RigidBody 'link1': com is ('0', '0', '0'), expected 3 finite numbers",
    ),
    (
        lambda: sp.RigidBody("link1", 1.0, inertia=(1, 2)),
        "RigidBody 'link1': inertia is (1, 2), expected a number, 3 moments, 6 entries "
        "xx yy zz xy xz yz, or a 3x3 matrix",
    ),
    (
        lambda: sp.RigidBody("link1", 1.0, inertia=[[1, 2], [3]]),
        "RigidBody 'link1': inertia is ((1, 2), (3)), expected a number, 3 moments, 6 entries "
        "xx yy zz xy xz yz, or a 3x3 matrix",
    ),
    (
        lambda: sp.RigidBody("link1", 1.0, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
        "RigidBody 'link1': inertia is ((1, 2, 0), (0, 1, 0), (0, 0, 1)), expected a symmetric "
        "matrix",
    ),
    (
        lambda: sp.RigidBody("link1", mass=1, com=(1e200, 0, 0)),
        "RigidBody 'link1': com is (1e+200, 0, 0), expected a place that gives a finite moment of "
        "inertia",
    ),
    (
        lambda: sp.RigidBody("link1", 1.0, inertia=(1, -2, 1)),
        "RigidBody 'link1': inertia is (1, -2, 1), expected no negative principal moment about "
        "the centre of mass (they are -2, 1, 1)",
    ),
    (
        lambda: sp.RigidBody("link1", 2.0, (1, 0, 0), (1, 1.5, 3), inertia_about="origin"),
        "RigidBody 'link1': inertia is (1, 1.5, 3), expected no negative principal moment about "
        "the centre of mass (they are -0.5, 1, 1)",
    ),
    (
        lambda: sp.RigidBody("link1", 1.0, inertia_about="center"),
        "RigidBody 'link1': inertia_about is 'center', expected 'com' or 'origin'",
    ),
    (
        lambda: sp.PointMass("tip", link1.at(0), 0.0),
        "PointMass 'tip': mass is 0.0, expected a positive number",
    ),
    (
        lambda: sp.PointMass("tip", link1, 1.0),
        "PointMass 'tip': frame is RigidBody 'link1', expected a Frame, e.g. link1.at(0, 0, 0)",
    ),
    (
        lambda: sp.PointMass("tip", sp.Ground().at(0), 1.0),
        "PointMass 'tip': frame is Frame 'ground@(0, 0, 0)', expected a frame on a body, because "
        "nothing can move or load the ground",
    ),
    # frames
    (
        lambda: link1.at(NAN),
        "RigidBody 'link1': x of at(x, y, z) is nan, expected a finite number",
    ),
    (
        lambda: link1.at((1, 2, 3)),
        "RigidBody 'link1': x of at(x, y, z) is (1, 2, 3), expected a finite number",
    ),
    (
        lambda: link1.at(0, rotation=(0, 0, 0, 0)),
        "Frame on 'link1': rotation is (0, 0, 0, 0), expected a 3x3 rotation matrix, a quaternion "
        "(w, x, y, z) or a rotation vector of 3 (rad)",
    ),
    (
        lambda: link1.at(0, rotation=2 * np.eye(3)),
        "Frame on 'link1': rotation is ((2, 0, 0), (0, 2, 0), (0, 0, 2)), expected a rotation "
        "matrix with orthonormal columns",
    ),
    (
        lambda: link1.at(0, rotation=np.diag([1, 1, -1])),
        "Frame on 'link1': rotation is ((1, 0, 0), (0, 1, 0), (0, 0, -1)), expected a right-handed "
        "rotation matrix (determinant +1)",
    ),
    (lambda: sp.Frame("link1"), "Frame: body is 'link1', expected a body or the ground"),
    # joints
    (
        lambda: sp.Revolute("j", link1, link2.at(0)),
        "Revolute 'j': A is RigidBody 'link1', expected a Frame, e.g. link1.at(0, 0, 0), "
        "or at=(x, y, z)",
    ),
    (
        lambda: sp.Revolute("j", sp.Ground(), link2.at(0)),
        "Revolute 'j': A is Ground 'ground', expected a Frame, e.g. model.ground.at(0, 0, 0), "
        "or at=(x, y, z)",
    ),
    (
        lambda: sp.Revolute("j", A, "link2"),
        "Revolute 'j': B is 'link2', expected a Frame, e.g. link1.at(0, 0, 0)",
    ),
    (
        lambda: sp.Revolute("j", A, link1.at(1)),
        "Revolute 'j': B is Frame 'link1@(1, 0, 0)', expected a frame on another body than A, "
        "which is Frame 'link1@(0, 0, 0)'",
    ),
    (
        lambda: sp.Revolute("j", A, B, axis=(0, 0, 0)),
        f"Revolute 'j': axis is (0, 0, 0), expected {AXIS}",
    ),
    (lambda: sp.Prismatic("j", A, B, axis="w"), f"Prismatic 'j': axis is 'w', expected {AXIS}"),
    (
        lambda: sp.Planar("j", A, B, normal=(0, 1)),
        f"Planar 'j': normal is (0, 1), expected {AXIS}",
    ),
    (
        lambda: sp.Universal("j", A, B, axes=("x", "-x")),
        "Universal 'j': axes is ('x', '-x'), expected 2 axes that are not parallel",
    ),
    (
        lambda: sp.Universal("j", A, B, axes=("x",)),
        "Universal 'j': axes is ('x'), expected 2 axes, e.g. ('x', 'y')",
    ),
    (
        lambda: sp.Universal("j", A, B, axes=("x", "q")),
        f"Universal 'j': axes[1] is 'q', expected {AXIS}",
    ),
    (
        lambda: sp.General("j", A, B, axes=[]),
        "General 'j': axes is (), expected 1 to 6 pairs such as ('rotate', 'z') or "
        "('translate', (1, 0, 0))",
    ),
    (
        lambda: sp.General("j", A, B, axes=["z"]),
        "General 'j': axes[0] is 'z', expected a pair such as ('rotate', 'z')",
    ),
    (
        lambda: sp.General("j", A, B, axes=[("turn", "z")]),
        "General 'j': kind of axes[0] is 'turn', expected 'rotate' or 'translate'",
    ),
    (
        lambda: sp.General("j", A, B, axes=[("rotate", "z"), ("rotate", "-z")]),
        "General 'j': axes[1] is ('rotate', '-z'), expected an axis that is not parallel to the "
        "rotate before it",
    ),
    (
        lambda: sp.General(
            "j", A, B, axes=[("translate", c) for c in "xyz"] + [("translate", "x")]
        ),
        "General 'j': axes is (('translate', 'x'), ('translate', 'y'), ('translate', 'z'), "
        "('translate', 'x')), expected not more than 3 translations",
    ),
    (
        lambda: sp.Revolute("j", A, B, initial=(1, 2)),
        "Revolute 'j': initial is (1, 2), expected a finite number",
    ),
    (
        lambda: sp.Revolute("j", A, B, initial_rate=NAN),
        "Revolute 'j': initial_rate is nan, expected a finite number",
    ),
    (
        lambda: sp.Cylindrical("j", A, B, initial=1),
        "Cylindrical 'j': initial is 1, expected 2 finite numbers, one for each coordinate",
    ),
    (
        lambda: sp.Free("j", A, B, initial_rate=(1, 2, 3)),
        "Free 'j': initial_rate is (1, 2, 3), expected 6 finite numbers, one for each velocity",
    ),
    (
        lambda: sp.Fixed("j", A, B, initial=1.0),
        "Fixed 'j': initial is 1.0, expected nothing, because the joint has no coordinate",
    ),
    (
        lambda: sp.Spherical("j", A, B, initial=(0, 0, 0, 0)),
        "Spherical 'j': initial is (0, 0, 0, 0), expected a quaternion (w, x, y, z) that is not "
        "zero or a rotation vector of 3 (rad)",
    ),
    (
        lambda: sp.Free("j", A, B, initial=(0, 0, 0, 0, 1, 2, 3)),
        "Free 'j': initial is (0, 0, 0, 0, 1, 2, 3), expected 7 numbers (quaternion that is not "
        "zero, then position) or 3 (position)",
    ),
    # signals
    (lambda: sp.Constant(NAN), "Constant: value is nan, expected a finite number"),
    (
        lambda: sp.Polynomial([]),
        "Polynomial: coefficients is (), expected one or more finite numbers, the constant first",
    ),
    (lambda: sp.Table([1], [1]), "Table: times is (1), expected a row of 2 or more finite numbers"),
    (
        lambda: sp.Table([0, 2, 2, 3], [0, 1, 2, 3]),
        "Table: times[2] is 2.0, expected a time after times[1], which is 2.0",
    ),
    (
        lambda: sp.Table([0, 1], [0, 1, 2]),
        "Table: values is (0, 1, 2), expected 2 finite numbers, as in times",
    ),
    (
        lambda: sp.Table([0, 1], [0, 1], "quadratic"),
        "Table: interpolation is 'quadratic', expected 'linear' or 'cubic'",
    ),
    (
        lambda: sp.SmoothStep(1, 1),
        "SmoothStep: end is 1.0, expected a time after start, which is 1.0",
    ),
    (lambda: sp.Sine("1", 1), "Sine: amplitude is '1', expected a finite number"),
    # forces
    (
        lambda: sp.Force("f", sp.Ground().at(1)),
        "Force 'f': frame is Frame 'ground@(1, 0, 0)', expected a frame on a body, because "
        "nothing can move or load the ground",
    ),
    (
        lambda: sp.Force("f", A, force=3),
        "Force 'f': force is 3, expected 3 numbers, expressions or signals",
    ),
    (
        lambda: sp.Force("f", A, torque=(0, None, 0)),
        "Force 'f': torque[1] is None, expected a finite number, a signal, e.g. SmoothStep(0, 1), "
        "or an expression, e.g. 'sin(2*t)'",
    ),
    (
        lambda: sp.Force("f", A, axes="local"),
        "Force 'f': axes is 'local', expected 'world' or 'body'",
    ),
    (
        lambda: sp.SpringDamper("s", A, B, stiffness=-1),
        "SpringDamper 's': stiffness is -1.0, expected zero or a positive number",
    ),
    (
        lambda: sp.SpringDamper("s", A, link1.at(1)),
        "SpringDamper 's': B is Frame 'link1@(1, 0, 0)', expected a frame on another body than A, "
        "which is Frame 'link1@(0, 0, 0)'",
    ),
    (
        lambda: sp.JointSpring("k", ball),
        "JointSpring 'k': joint is Spherical 'ball', expected a joint with scalar coordinates, "
        "not with a quaternion",
    ),
    (
        lambda: sp.JointEffort("t", sp.Fixed("weld", A, B), 1.0),
        "JointEffort 't': joint is Fixed 'weld', expected a joint with at least one coordinate",
    ),
    (
        lambda: sp.JointSpring("k", wrist, coordinate=2),
        "JointSpring 'k': coordinate is 2, expected 0 to 1 or 'angle_1', 'angle_2' of Universal "
        "'wrist'",
    ),
    (
        lambda: sp.PID("c", elbow, coordinate="angel"),
        "PID 'c': coordinate is 'angel', expected 0 or 'angle' of Revolute 'elbow'",
    ),
    (
        lambda: sp.PID("c", link1),
        "PID 'c': joint is RigidBody 'link1', expected a joint, a motor or the name of one",
    ),
    (lambda: sp.PID("c", elbow, kp=NAN), "PID 'c': kp is nan, expected a finite number"),
    # events
    (
        lambda: sp.Event("e", A),
        "Event 'e': quantity is 'coordinate', expected 'x' or 'y' or 'z' or 'vx' or 'vy' or 'vz' "
        "or 'wx' or 'wy' or 'wz'",
    ),
    (
        lambda: sp.Event("e", elbow, "z"),
        "Event 'e': of is Revolute 'elbow', expected a Frame, e.g. link1.at(0, 0, 0)",
    ),
    (
        lambda: sp.Event("e", link1),
        "Event 'e': of is RigidBody 'link1', expected a joint or Contact, its name, or a Frame, "
        "e.g. link1.at(0, 0, 0)",
    ),
    (
        lambda: sp.Event("e", elbow, direction=2),
        "Event 'e': direction is 2, expected -1 or 0 or 1",
    ),
    (
        lambda: sp.Event("e", elbow, terminal=1),  # type: ignore[arg-type]
        "Event 'e': terminal is 1, expected True or False",
    ),
]

MODEL: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: sp.Model(gravity=9.81),
        "Model 'model': gravity is 9.81, expected 3 finite numbers, e.g. (0, 0, -9.81)",
    ),
    (
        lambda: arm().add(sp.RigidBody("elbow", 1.0)),
        "RigidBody: name is 'elbow', expected a name that is not yet taken in Model 'arm' (there "
        "is Revolute 'elbow')",
    ),
    (
        lambda: arm().add(sp.RigidBody("ground", 1.0)),
        "RigidBody: name is 'ground', expected another name than the reserved 'ground', 'energy', "
        "'momentum', 'com'",
    ),
    (
        lambda: arm().add(sp.Ground()),
        "Model 'arm': the ground is already there as model.ground",
    ),
    (
        lambda: arm().add("link3"),
        "Model 'arm': item to add is 'link3', expected a body, joint, constraint, force element or "
        "point mass",
    ),
    (
        lambda: arm().add(sp.RigidBody),
        "Model 'arm': item to add is the class RigidBody, expected a body, joint, constraint, "
        "force element or point mass",
    ),
    (
        lambda: arm().add(sp.Event("stop", elbow)),
        "Event 'stop' is not a part of a model, expected in simulate(events=[...])",
    ),
    (
        lambda: arm().add(sp.Revolute("j", link2.at(1), sp.RigidBody("link3", 1.0).at(0))),
        "Revolute 'j': B is Frame 'link3@(0, 0, 0)', expected a frame on a body of Model 'arm', "
        "to which RigidBody 'link3' was not added",
    ),
    (
        lambda: arm().add(sp.JointSpring("k", "elbw")),
        "JointSpring 'k': joint is 'elbw', expected the name of a joint or motor of Model 'arm', "
        "did you mean 'elbow'?",
    ),
    (
        lambda: arm().add(sp.JointSpring("k", "elbow", coordinate=1)),
        "JointSpring 'k': coordinate is 1, expected 0 or 'angle' of Revolute 'elbow'",
    ),
    (
        lambda: arm().check(events=[sp.Event("e", "link1")]),
        "Event 'e': joint is 'link1', expected the name of a joint of Model 'arm', known: "
        "'shoulder', 'elbow'",
    ),
    (lambda: arm()["elbw"], "Model 'arm': there is no item 'elbw', did you mean 'elbow'?"),
    (
        lambda: arm()["qqq"],
        "Model 'arm': there is no item 'qqq', known: 'link1', 'link2', 'shoulder', 'elbow'",
    ),
    (lambda: sp.Model()["a"], "Model 'model': there is no item 'a', there are none yet"),
    (
        lambda: arm().replace("link1", masss=2),
        "RigidBody 'link1': there is no field 'masss', did you mean 'mass'?",
    ),
    (
        lambda: arm().replace("link1", mass=-2),
        "RigidBody 'link1': mass is -2.0, expected a positive number",
    ),
    (
        lambda: arm().replace("link1", name="link0"),
        "RigidBody 'link1': the name cannot be replaced, expected model.rename",
    ),
    (lambda: arm().replace("ground", mass=2), "Model 'arm': the ground has nothing to replace"),
    (
        lambda: arm().replace("elbow", B=sp.RigidBody("link3", 1.0).at(0)),
        "Revolute 'elbow': B is Frame 'link3@(0, 0, 0)', expected a frame on a body of Model "
        "'arm', to which RigidBody 'link3' was not added",
    ),
    (
        lambda: sp.Model().check(),
        "Model 'model': there are no bodies, expected at least one",
    ),
    (
        lambda: model_of(link1, link2, elbow).check(),
        "RigidBody 'link1' has no path of joints to the ground, expected one, e.g. "
        "Free('link1_free', model.ground.at(0, 0, 0), link1.at(0, 0, 0))",
    ),
    (
        lambda: model_of(sp.RigidBody("link 1", 1.0)).check(),
        "RigidBody 'link 1' has no path of joints to the ground, expected one, e.g. "
        "Free('link 1_free', model.ground.at(0, 0, 0), body.at(0, 0, 0))",
    ),
]


def message(action: Callable[[], Any]) -> str:
    with pytest.raises(sp.ModelError) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize(("action", "sentence"), CONSTRUCTION, ids=[s for _, s in CONSTRUCTION])
def test_construction(action: Callable[[], Any], sentence: str) -> None:
    assert message(action) == sentence


@pytest.mark.parametrize(("action", "sentence"), MODEL, ids=[s for _, s in MODEL])
def test_model(action: Callable[[], Any], sentence: str) -> None:
    assert message(action) == sentence


def test_failed_changes_leave_the_model_as_it_was() -> None:
    m = arm()
    before = [m[name] for name in m]
    message(lambda: m.replace("link1", mass=-2))
    message(lambda: m.add(sp.JointSpring("k", "elbw")))
    assert [m[name] for name in m] == before


def test_joint_replaced_under_a_spring_is_found_by_check() -> None:
    m = arm()
    m.add(sp.RigidBody("link3", 1.0))
    axes = [("rotate", "z"), ("rotate", "x")]
    m.add(sp.General("hand", link2.at(1), m.bodies["link3"].at(0), axes=axes))
    m.add(sp.JointSpring("k", "hand", coordinate=1))
    m.replace("hand", axes=axes[:1], initial=0, initial_rate=0)
    assert message(m.check) == (
        "JointSpring 'k': coordinate is 1, expected 0 or 'angle_1' of General 'hand'"
    )


def test_triangle_warning_has_the_numbers() -> None:
    m = sp.Model()
    inertia = (0.04022, 0.08884, 3.752e-4)
    body = m.add(sp.RigidBody("link1", 2.067, (0, 0, -0.1155), inertia, inertia_about="origin"))
    m.add(sp.Revolute("waist", m.ground.at(0), body.at(0)))
    text = (
        "RigidBody 'link1': principal moments of inertia about the centre of mass are 0.0003752, "
        "0.01265 and 0.06127 kg m2, the largest exceeds the sum of the others by 0.04824 kg m2, "
        "which breaks the triangle inequality of real bodies"
    )
    with pytest.warns(sp.SuppleWarning, match=re.escape(text)) as caught:
        m.check()
    assert caught[0].filename == __file__


def test_error_has_its_parts_and_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="mass") as caught:
        sp.RigidBody("link1", mass=-1)
    error = caught.value
    assert isinstance(error, sp.SuppleError)
    assert isinstance(error, sp.ModelError)
    assert (error.object, error.field, error.found) == ("RigidBody 'link1'", "mass", -1.0)
    assert error.expected == "a positive number"


def test_errors_pickle() -> None:
    for error in (sp.ModelError("A 'a'", "f", lambda: 0, "b"), sp.ModelError.plain("No.")):
        copy = pickle.loads(pickle.dumps(error))
        assert str(copy) == str(error)
        assert (copy.object, copy.field) == (error.object, error.field)


def test_found_values_are_short() -> None:
    assert describe(np.float64(0.5)) == "0.5"
    assert describe(np.int64(3)) == "3"
    assert describe(np.array([1.0, 0.25])) == "(1, 0.25)"
    assert describe(None) == "None"
    assert len(describe(list(range(1000)))) <= 160
