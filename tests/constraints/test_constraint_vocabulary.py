"""Constraints and drivers as a user writes them down: fields, relations, sentences, jumps."""

from __future__ import annotations

import dataclasses
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import supple as sp
from supple.constraints import CoordinateConstraint
from supple.constraints.smooth import jumps

link1, link2 = sp.RigidBody("link1", 1.0), sp.RigidBody("link2", 1.0)
A, B = link1.at(0), link2.at(0)
elbow = sp.Revolute("elbow", A, B)
ball = sp.Spherical("ball", A, B)
bolt = sp.Cylindrical("bolt", A, B)
corner = sp.Table((0, 1, 2), (0, 2, 1))
spline = sp.Table((0, 1, 2, 3), (0, 1, 0.5, 0.2), interpolation="cubic")


def machine() -> sp.Model:
    """A slide, a screw and two wheels, all on the ground."""
    m = sp.Model(name="machine")
    for name, joint in {
        "slide": lambda a, b: sp.Prismatic("rail", a, b, initial=0.2),
        "nut": lambda a, b: sp.Cylindrical("thread", a, b, initial=(0.1, 0.5)),
        "wheel1": lambda a, b: sp.Revolute("axle1", a, b, initial=0.3),
        "wheel2": lambda a, b: sp.Revolute("axle2", a, b),
        "bob": lambda a, b: sp.Spherical("socket", a, b),
    }.items():
        body = m.add(sp.RigidBody(name, 1.0, inertia=1.0))
        m.add(joint(m.ground.at(0), body.at(0)))
    return m


def message(call: Callable[[], Any]) -> str:
    with pytest.raises(sp.ModelError) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    return text


# fields


def test_points() -> None:
    rod = sp.Distance("rod", A, B, 0.8)
    assert rod.frames == {"A": A, "B": B}
    assert rod.length(3.0) == 0.8
    assert rod.signals == (rod.length,)
    assert rod.targets == rod.breakpoints == ()
    winch = sp.Distance("winch", A, B, sp.SmoothStep(1, 2, 0.8, 0.3))
    assert winch.breakpoints == (1.0, 2.0)
    assert sp.Distance("formula", A, B, "1 + 0.1*sin(t)").length(0.0) == 1.0
    line = sp.PointOnLine("slot", A, B)
    assert_array_equal(line.axis, [1, 0, 0])
    assert line.signals == ()
    assert line.frames == {"A": A, "B": B}
    assert_allclose(sp.PointOnLine("slot", A, B, axis=(0, 3, 4)).axis, [0, 0.6, 0.8])
    assert_array_equal(sp.PointOnPlane("table", A, B).normal, [0, 0, 1])
    assert_array_equal(sp.PointOnPlane("table", A, B, normal="-y").normal, [0, -1, 0])


def test_terms_of_a_coupling() -> None:
    c = sp.Coupling("sum", [(elbow, 2), ("knee", 1, -0.5), (bolt, "angle", 3)], value="t**2")
    assert c.terms == (("elbow", 0, 2.0), ("knee", 1, -0.5), ("bolt", "angle", 3.0))
    assert c.targets == (("elbow", 0), ("knee", 1), ("bolt", "angle"))
    assert c.value(3.0) == 9.0
    assert c.frames == {}
    assert c.signals == (c.value,)
    assert sp.Coupling("zero", [("elbow", 1.0)]).value(5.0) == 0.0


def test_terms_of_gear_screw_and_rack() -> None:
    gear = sp.Gear("gear", elbow, (bolt, "angle"), ratio=-3)
    assert gear.terms == (("elbow", 0, 1.0), ("bolt", "angle", 3.0))
    assert gear.value is gear.offset is None
    assert gear.signals == ()
    screw = sp.Screw("screw", bolt, pitch=0.004, offset=0.1)
    assert screw.terms == (("bolt", "displacement", 1.0), ("bolt", "angle", -0.002 / math.pi))
    assert screw.value(0.0) == 0.1
    assert screw.signals == (screw.offset,)
    other = sp.Screw("screw", "wrist", pitch=-1, displacement=1, angle="angle_3")
    assert other.targets == (("wrist", 1), ("wrist", "angle_3"))
    rack = sp.Rack("rack", "rail", ("bolt", 1), radius=0.05, offset="0.1*t")
    assert rack.terms == (("rail", 0, 1.0), ("bolt", 1, -0.05))
    assert rack.value(2.0) == 0.2
    for item in (gear, screw, rack, sp.Driver("d", elbow, 1.0)):
        assert isinstance(item, CoordinateConstraint)


def test_relations_have_the_right_sense() -> None:
    """What a user expects of a turn: the sums of the terms at such places equal the offset."""

    def total(constraint: Any, *q: float) -> float:
        return sum(c * x for (_, _, c), x in zip(constraint.terms, q, strict=True))

    turn = 2 * math.pi
    # a right-hand thread advances by its pitch, a left-hand one goes back
    assert_allclose(total(sp.Screw("s", "bolt", pitch=0.004), 0.004, turn), 0.0, atol=1e-17)
    assert_allclose(total(sp.Screw("s", "bolt", pitch=-0.004), -0.004, turn), 0.0, atol=1e-17)
    # a pinion rolls its circumference
    assert_allclose(total(sp.Rack("r", "a", "b", radius=0.5), turn / 2, turn), 0.0, atol=1e-15)
    # the first turns ratio times as far as the second
    assert_allclose(total(sp.Gear("g", "a", "b", ratio=3), 3 * turn, turn), 0.0, atol=1e-15)
    assert total(sp.Driver("d", "a", 0.0), 0.7) == 0.7


def test_driver() -> None:
    motion = sp.SmoothStep(0.5, 1.5)
    driver = sp.Driver("crank", bolt, motion, coordinate="angle")
    assert driver.motion is driver.value is motion
    assert driver.terms == (("bolt", "angle", 1.0),)
    assert driver.targets == (("bolt", "angle"),)
    assert driver.signals == (motion,)
    assert driver.breakpoints == (0.5, 1.5)
    assert sp.Driver("hold", "elbow", 0.3).motion(1.0) == 0.3


def test_frame_driver() -> None:
    x, angle = sp.Sine(0.1, 2), sp.Polynomial((0, 1, 2))
    shaker = sp.FrameDriver("shaker", A, B, x=x, z=0.2, axis=(0, 0, 2), angle=angle)
    assert shaker.frames == {"A": A, "B": B}
    assert [m.kind for m in shaker.motions] == ["translate"] * 3 + ["rotate"]
    assert_array_equal([m.axis for m in shaker.motions[:3]], np.eye(3))
    assert_array_equal(shaker.motions[3].axis, [0, 0, 1])
    assert shaker.drives == ((0, x), (2, shaker.z), (3, angle))
    assert shaker.signals == (x, shaker.z, angle)
    assert shaker.y is None
    assert shaker.targets == ()
    loose = sp.FrameDriver("pin", A, B, y="sin(t)")
    assert [m.kind for m in loose.motions] == ["translate"] * 3 + ["ball"]
    assert sum(m.nu for m in loose.motions) == 6
    assert loose.drives == ((1, loose.y),)
    assert loose.axis is loose.angle is None
    turned = sp.FrameDriver("turn", A, B, axis="x", angle=0)
    assert turned.drives == ((3, turned.angle),)


# sentences

EACH: list[tuple[Callable[[], Any], str]] = [
    (lambda: sp.Distance("", A, B, 1.0), "Distance: name is '', expected a text without..."),
    (lambda: sp.Gear(3, "a", "b", 1.0), "Gear: name is 3, expected a text"),
    (
        lambda: sp.Distance("rod", link1, B, 1.0),
        "Distance 'rod': A is RigidBody 'link1', expected a Frame, e.g. link1.at(0, 0, 0)",
    ),
    (
        lambda: sp.PointOnLine("slot", A, link1.at(1)),
        "PointOnLine 'slot': B is Frame 'link1@(1, 0, 0)', expected a frame on another body than "
        "A, which is Frame 'link1@(0, 0, 0)'",
    ),
    (
        lambda: sp.Distance("rod", A, B, 0),
        "Distance 'rod': length is 0.0, expected a positive number",
    ),
    (
        lambda: sp.Distance("rod", A, B, sp.Constant(-1)),
        "Distance 'rod': length is -1.0, expected a positive number",
    ),
    (
        lambda: sp.Distance("rod", A, B, None),
        "Distance 'rod': length is None, expected a finite number, a signal, e.g. SmoothStep(0, "
        "1), or an expression, e.g. 'sin(2*t)'",
    ),
    (
        lambda: sp.PointOnLine("slot", A, B, axis="w"),
        "PointOnLine 'slot': axis is 'w', expected 'x', 'y', 'z', '-x', '-y', '-z' or 3 numbers "
        "that are not all zero",
    ),
    (
        lambda: sp.PointOnPlane("table", A, B, normal=(0, 0, 0)),
        "PointOnPlane 'table': normal is (0, 0, 0), expected 'x', 'y', 'z', '-x', '-y', '-z' or 3 "
        "numbers that are not all zero",
    ),
    (
        lambda: sp.Coupling("c", "elbow"),
        "Coupling 'c': terms is 'elbow', expected a list of terms such as ('elbow', 2.0)",
    ),
    (
        lambda: sp.Coupling("c", []),
        "Coupling 'c': terms is (), expected a list of terms such as ('elbow', 2.0)",
    ),
    (
        lambda: sp.Coupling("c", [("elbow", 1), "knee"]),
        "Coupling 'c': terms[1] is 'knee', expected (joint, coefficient) or (joint, coordinate, "
        "coefficient)",
    ),
    (
        lambda: sp.Coupling("c", [(3, 1)]),
        "Coupling 'c': terms[0] is 3, expected a joint or its name",
    ),
    (
        lambda: sp.Coupling("c", [("elbow", 1), ("knee", 0)]),
        "Coupling 'c': coefficient of terms[1] is 0.0, expected a number that is not zero",
    ),
    (
        lambda: sp.Coupling("c", [(ball, 1.0)]),
        "Coupling 'c': joint is Spherical 'ball', expected a joint with scalar coordinates, not "
        "with a quaternion",
    ),
    (
        lambda: sp.Gear("g", elbow, ("knee", 0, 1), 2.0),
        "Gear 'g': second is ('knee', 0, 1), expected a joint or a pair (joint, coordinate)",
    ),
    (
        lambda: sp.Gear("g", 7, elbow, 2.0),
        "Gear 'g': first is 7, expected a joint or its name",
    ),
    (
        lambda: sp.Gear("g", (bolt, "turn"), elbow, 2.0),
        "Gear 'g': coordinate is 'turn', expected 0 to 1 or 'displacement', 'angle' of Cylindrical "
        "'bolt'",
    ),
    (
        lambda: sp.Gear("g", "a", "b", 0),
        "Gear 'g': ratio is 0.0, expected a number that is not zero",
    ),
    (
        lambda: sp.Gear("g", "a", "b", "2"),
        "Gear 'g': ratio is '2', expected a number that is not zero",
    ),
    (
        lambda: sp.Gear("g", "a", "b", 1, offset=math.nan),
        "Gear 'g': offset is nan, expected a finite number, a signal, e.g. SmoothStep(0, 1), or an "
        "expression, e.g. 'sin(2*t)'",
    ),
    (
        lambda: sp.Screw("s", elbow, 0.01),
        "Screw 's': coordinate is 'displacement', expected 0 or 'angle' of Revolute 'elbow'",
    ),
    (
        lambda: sp.Screw("s", bolt, 0),
        "Screw 's': pitch is 0.0, expected a number that is not zero",
    ),
    (
        lambda: sp.Rack("r", "a", "b", 0.0),
        "Rack 'r': radius is 0.0, expected a number that is not zero",
    ),
    (
        lambda: sp.Driver("d", A, 1.0),
        "Driver 'd': joint is Frame 'link1@(0, 0, 0)', expected a joint or its name",
    ),
    (
        lambda: sp.Driver("d", elbow, 1.0, coordinate=1),
        "Driver 'd': coordinate is 1, expected 0 or 'angle' of Revolute 'elbow'",
    ),
    (
        lambda: sp.Driver("d", elbow, "2t"),
        "Driver 'd': motion is '2t', expected an expression in t, e.g. ...",
    ),
    (
        lambda: sp.FrameDriver("f", A, B),
        "FrameDriver 'f': nothing is given, expected x, y or z, or axis and angle",
    ),
    (
        lambda: sp.FrameDriver("f", A, B, angle=1.0),
        "FrameDriver 'f': axis is None, expected the axis of the angle, e.g. 'z'",
    ),
    (
        lambda: sp.FrameDriver("f", A, B, x=0, axis="z"),
        "FrameDriver 'f': angle is None, expected a motion in rad about the axis",
    ),
    (
        lambda: sp.FrameDriver("f", A, B, axis="q", angle=1),
        "FrameDriver 'f': axis is 'q', expected 'x', 'y', 'z', ...",
    ),
    (
        lambda: sp.FrameDriver("f", A, B, x=[1]),
        "FrameDriver 'f': x is (1), expected a finite number, a signal, ...",
    ),
    # in a model
    (
        lambda: machine().add(sp.Distance("rod", A, B, 1.0)),
        "Distance 'rod': A is Frame 'link1@(0, 0, 0)', expected a frame on a body of Model "
        "'machine', to which RigidBody 'link1' was not added",
    ),
    (
        lambda: machine().add(sp.Gear("g", "axle1", "axel2", 2)),
        "Gear 'g': joint is 'axel2', expected the name of a joint of Model 'machine', did you mean "
        "'axle2'?",
    ),
    (
        lambda: machine().add(sp.Driver("d", "wheel1", 2)),
        "Driver 'd': joint is 'wheel1', expected the name of a joint of Model 'machine', known: "
        "'rail', 'thread', 'axle1', 'axle2', 'socket'",
    ),
    (
        lambda: machine().add(sp.Driver("d", "socket", 2)),
        "Driver 'd': joint is Spherical 'socket', expected a joint with scalar coordinates, not "
        "with a quaternion",
    ),
    (
        lambda: machine().add(sp.Driver("d", "thread", 2, coordinate=2)),
        "Driver 'd': coordinate is 2, expected 0 to 1 or 'displacement', 'angle' of Cylindrical "
        "'thread'",
    ),
    (
        lambda: machine().add(sp.Gear("g", ("thread", 1), ("thread", "angle"), 2)),
        "Gear 'g': coordinate 'angle' of Cylindrical 'thread' occurs twice, expected different "
        "coordinates",
    ),
    (
        lambda: machine().add(sp.Coupling("c", [("rail", 1), ("axle1", 1), ("rail", 0, 2)])),
        "Coupling 'c': coordinate 'displacement' of Prismatic 'rail' occurs twice, expected "
        "different coordinates",
    ),
    (
        lambda: machine().add(sp.Rack("r", "axle1", "rail", 0.1)),
        "Rack 'r': coordinate is 'angle' of Revolute 'axle1', expected a displacement",
    ),
    (
        lambda: machine().add(sp.Rack("r", "rail", "thread", 0.1)),
        "Rack 'r': coordinate is 'displacement' of Cylindrical 'thread', expected an angle",
    ),
    (
        lambda: machine().add(sp.Screw("s", "thread", 0.1, displacement=1, angle=0)),
        "Screw 's': coordinate is 'angle' of Cylindrical 'thread', expected a displacement",
    ),
    (
        lambda: machine().add(sp.Driver("ground", "rail", 0)),
        "Driver: name is 'ground', expected another name than the reserved 'ground', 'energy', "
        "'momentum', 'com'",
    ),
    (
        lambda: machine().add(sp.Driver("rail", "rail", 0)),
        "Driver: name is 'rail', expected a name that is not yet taken in Model 'machine' (there "
        "is Prismatic 'rail')",
    ),
    # jumps
    (
        lambda: sp.Driver("d", elbow, corner),
        "Driver 'd': jump of the rate of motion at 0 s is 2.0, expected none, because no body can "
        "follow it, e.g. a SmoothStep or a Table with cubic interpolation",
    ),
    (
        lambda: sp.Driver("d", elbow, "max(0, t - 1.5)"),
        "Driver 'd': jump of the rate of motion at 1.5 s is 1.0, expected none, ...",
    ),
    (
        lambda: sp.FrameDriver("f", A, B, y="0.25*step(t - 0.7)"),
        "FrameDriver 'f': jump of y at 0.7 s is 0.25, expected none, ...",
    ),
    (
        lambda: sp.FrameDriver("f", A, B, axis="x", angle="abs(3*t - 1)"),
        "FrameDriver 'f': jump of the rate of angle at 0.333333 s is 6.0, expected none, ...",
    ),
    (
        lambda: sp.Distance("rod", A, B, 5 - corner),
        "Distance 'rod': jump of the rate of length at 0 s is -2.0, expected none, ...",
    ),
    (
        lambda: sp.Coupling("c", [("a", 1)], value="sign(t - 2)"),
        "Coupling 'c': jump of value at 2 s is 2.0, expected none, ...",
    ),
    (
        lambda: sp.Screw("s", "a", 1, offset=spline * sp.Expression("step(t - 1.5)")),
        "Screw 's': jump of offset at 1.5 s is 0.8...",
    ),
]


@pytest.mark.parametrize(("call", "text"), EACH, ids=[text[:60] for _, text in EACH])
def test_sentences(call: Callable[[], Any], text: str) -> None:
    """Three dots stand for an end that another test has."""
    found = message(call)
    if text.endswith("..."):
        assert found.startswith(text.removesuffix("..."))
    else:
        assert found == text


# jumps


@pytest.mark.parametrize(
    "motion",
    [
        0.3,
        sp.Polynomial((1, 2, 3)),
        sp.Sine(1, 200),
        sp.SmoothStep(1000, 1000.001, 0, 3),
        sp.SmoothStep(0, 1) * sp.Sine(1, 50) + "t",
        spline,
        2 * spline + sp.SmoothStep(0.2, 0.4),
        "abs(t - 1)*(7*t - 7)",
        "step(t - 1)*(t - 1)**2",
        sp.Expression("sin(2*pi*20000*t)", kinks=[0.1, 0.5]),
        sp.Table((0, 1, 2), (3, 3, 3)),
    ],
    ids=repr,
)
def test_smooth_motions_pass(motion: Any) -> None:
    assert isinstance(sp.Driver("d", elbow, motion).motion, sp.signals.Signal)


def test_random_steps_are_smooth_and_kinks_are_not() -> None:
    rng = np.random.default_rng(7)
    for _ in range(200):
        size, length = 10 ** rng.uniform(-4, 4), 10 ** rng.uniform(-5, 2)
        start = rng.uniform(-1, 1) * 10 ** rng.uniform(-2, 3)
        step = sp.SmoothStep(start, start + length, size * rng.normal(), size * rng.normal())
        wave = sp.Sine(1, 10 ** rng.uniform(-1, 3)) * step
        for smooth in (step, wave + sp.SmoothStep(start - length / 3, start + length / 7)):
            assert list(jumps(smooth)) == []
        slope = 10 ** rng.uniform(-5, 1)
        kink = sp.Expression(f"{slope}*abs(t - ({start}))") + sp.Sine(1, 1)
        (jump,) = jumps(kink)
        assert jump[:2] == ("rate", start)
        # Rounding of the sine's phase, up to 2 pi 1000, times its largest rate, 2 pi.
        assert_allclose(jump.size, 2 * slope, rtol=1e-12, atol=1e-11)


def test_limits_leave_out_the_slope() -> None:
    """Value and rate jump by what they jump, not by what they change nearby."""
    value, rate = jumps(sp.Expression("3*t + exp(t) + step(t - 1)*(0.5 + 4*t**2)"))
    assert value[:2] == ("value", 1.0)
    assert rate[:2] == ("rate", 1.0)
    # Rounding of values of about ten.
    assert_allclose((value.size, rate.size), (4.5, 8.0), rtol=1e-14)


def test_a_spline_moves_between_its_ends_only() -> None:
    """Its motion starts and ends with a jump, which a run must not pass."""
    driver = sp.Driver("d", elbow, spline)
    driver.check_run(0.0, 3.0)
    driver.check_run(1.0, 2.0)
    driver.check_run(3.0, 9.0)
    slope = spline.rate(0.0)
    assert message(lambda: driver.check_run(-1.0, 1.0)) == (
        f"Driver 'd': jump of the rate of motion at 0 s is {float(f'{slope:.6g}')}, expected none "
        "between -1 and 1 s, because no body can follow it"
    )
    assert "at 3 s" in message(lambda: driver.check_run(0.0, 3.1))
    sp.FrameDriver("f", A, B, x=sp.SmoothStep(0, 1)).check_run(-1, 2)


# models


def test_mappings_and_repr() -> None:
    m = machine()
    assert dict(m.constraints) == {}
    assert repr(m) == "<Model 'machine': 5 bodies, 5 joints, 0 forces, 0 point masses>"
    gear = m.add(sp.Gear("gear", "axle1", "axle2", 2))
    driver = m.add(sp.Driver("crank", m.joints["axle1"], 0.3))
    plane = m.add(sp.PointOnPlane("table", m.ground.at(0), m.bodies["bob"].at(0)))
    shaker = m.add(sp.FrameDriver("shaker", m.ground.at(0), m.bodies["slide"].at(0), x="sin(t)"))
    assert list(m.constraints.values()) == [gear, driver, plane, shaker]
    assert dict(m.drivers) == {"crank": driver, "shaker": shaker}
    assert m["gear"] is gear
    assert not m.forces
    assert "4 constraints" in repr(m)
    with pytest.raises(TypeError):
        m.constraints["x"] = gear  # type: ignore[index]


def test_replace_and_copy() -> None:
    m = machine()
    slide = m.bodies["slide"]
    items = [
        sp.Distance("rod", m.ground.at(0), slide.at(1), 1.0),
        sp.PointOnLine("slot", m.ground.at(0), slide.at(0)),
        sp.PointOnPlane("table", m.ground.at(0), slide.at(0)),
        sp.Coupling("sum", [("rail", 1.0), ("thread", "angle", 2.0)], value=0.5),
        sp.Gear("gear", "axle1", ("thread", "angle"), 2),
        sp.Screw("screw", "thread", 0.01, offset=0.1),
        sp.Rack("rack", "rail", "axle2", 0.2),
        sp.Driver("crank", "axle1", "sin(t)"),
        sp.FrameDriver("shaker", m.ground.at(0), slide.at(0), x=0, axis="z", angle="t**2"),
    ]
    changes: dict[str, dict[str, Any]] = {
        "rod": {"length": 2.0},
        "slot": {"axis": "y"},
        "table": {"normal": "x"},
        "sum": {"value": "t"},
        "gear": {"ratio": -1.0},
        "screw": {"pitch": 0.02},
        "rack": {"offset": 0.3},
        "crank": {"motion": 1.0},
        "shaker": {"angle": 2.0, "z": 1.0},
    }
    for item in items:
        m.add(item)
    other = m.copy()
    for item in items:
        same = dataclasses.replace(item)
        for field in dataclasses.fields(item):
            assert_array_equal(getattr(same, field.name), getattr(item, field.name))
        new = m.replace(item.name, **changes[item.name])
        assert m[item.name] is new is not item
        assert other[item.name] is item
        assert type(pickle.loads(pickle.dumps(new))) is type(item)
    assert m["rod"].length(0.0) == 2.0
    assert m["rack"].value(0.0) == 0.3
    assert m["gear"].terms == (("axle1", 0, 1.0), ("thread", "angle", 1.0))
    assert m["shaker"].drives[-1][0] == 3
    assert message(lambda: m.replace("gear", ration=1)) == (
        "Gear 'gear': there is no field 'ration', did you mean 'ratio'?"
    )
    assert "did you mean 'axle2'" in message(lambda: m.replace("crank", joint="axel2"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        m["gear"].ratio = 3.0


def test_two_drivers_of_one_coordinate_are_refused() -> None:
    m = machine()
    m.add(sp.Driver("first", "thread", 0.1, coordinate=1))
    m.add(sp.Driver("along", "thread", 0.1))
    m.add(sp.Driver("again", "thread", "t**2", coordinate="angle"))
    assert message(m.check) == (
        "Driver 'again': 'angle' of Cylindrical 'thread' is driven by Driver 'first' already, "
        "expected one driver for each coordinate"
    )
    m.replace("again", joint="axle1", coordinate=0)
    m.check()


def beam_end(m: sp.Model, x: float) -> sp.Frame:
    """A station of the model's beam, which is added when it is asked for first."""
    if "beam" not in m:
        steel = sp.Material(E=2e11, G=8e10, density=7800)
        beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.01), steel))
        m.add(sp.Fixed("wall", m.ground.at(0), beam.at(0)))
    return m.bodies["beam"].at(x)


def test_two_drivers_of_one_direction_are_refused() -> None:
    """Displacements by the axes of A and the point of B, wherever A is; rotations by both axes."""
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 1.0, inertia=1.0))
    m.add(sp.Free("free", m.ground.at(0), block.at(0)))
    m.add(sp.FrameDriver("shaker", m.ground.at(0), block.at(0), x="t**2", z=0.0))
    m.add(sp.FrameDriver("lift", m.ground.at(0.5), block.at(0), y=0.1))
    m.check()
    m.add(sp.FrameDriver("again", m.ground.at(0.5), block.at(0), z="t"))
    assert message(m.check) == (
        "FrameDriver 'again': 'z' of Frame 'block@(0, 0, 0)' is driven by FrameDriver 'shaker' "
        "already, expected one driver for each direction"
    )
    m.replace("again", B=block.at(0.2))  # another point: the block turns
    m.check()
    m.replace("again", A=m.ground.at(0, rotation=(0.0, 0.3, 0.0)), B=block.at(0))
    m.check()
    m.replace("again", A=beam_end(m, 0.3))
    m.replace("lift", A=beam_end(m, 0.6), z=0.0)  # sections of a beam turn differently
    m.check()
    m.replace("shaker", axis="z", angle=0.0)
    m.replace("lift", A=m.ground.at(0.5), z=None, axis="x", angle="t")
    assert message(m.check) == (
        "FrameDriver 'lift': 'angle' of Frame 'block@(0, 0, 0)' is driven by FrameDriver "
        "'shaker' already, expected one driver for each direction"
    )


@pytest.mark.parametrize(
    ("length", "until", "found"),
    [
        ("0.5 - t", 1.0, "length at 1 s is -0.5, expected a positive one from 0 to 1 s"),
        ("0.5 - t", 0.5, "length at 0.5 s is 0.0, expected a positive one from 0 to 0.5 s"),
        (sp.Sine(0.3, 2.0, offset=0.2), 0.6, "length at 0.375 s is -0.1, expected a positive"),
        (sp.SmoothStep(0.1, 0.3, 0.5, -0.1), 0.9, "length at 0."),
        (
            sp.Table((0, 0.4, 0.5, 0.6, 1.0), (0.5, 0.1, -0.2, 0.1, 0.5), interpolation="cubic"),
            0.9,
            "length at 0.5",
        ),
    ],
)
def test_a_length_must_stay_positive(length, until, found) -> None:
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 1.0, inertia=1.0))
    m.add(sp.Prismatic("rail", m.ground.at(0), block.at(0), "x", 0.5, -0.1))
    rod = m.add(sp.Distance("rod", m.ground.at(0), block.at(0), length))
    for analyse in (sp.simulate, sp.kinematics):
        assert message(lambda run=analyse: run(m, until)).startswith(f"Distance 'rod': {found}")
    diagnosis = m.doctor(until)
    assert not diagnosis.ok and diagnosis.drivers[0].startswith(f"Distance 'rod': {found}")
    rod.check_run(0.0, 0.1)


def test_a_replaced_joint_is_checked_again() -> None:
    m = sp.Model(name="m")
    body = m.add(sp.RigidBody("b", 1.0, inertia=1.0))
    axes = [("translate", "x"), ("rotate", "x")]
    m.add(sp.General("j", m.ground.at(0), body.at(0), axes=axes))
    m.add(sp.Screw("s", "j", 0.1, displacement=0, angle=1))
    m.replace("j", axes=[("translate", "x"), ("translate", "y")])
    assert message(m.check) == (
        "Screw 's': coordinate is 'displacement_2' of General 'j', expected an angle"
    )
