"""Shapes of contact of URDF and MJCF files, and contacts that are made of them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import supple as sp

# ruff: noqa: E501 (files as texts)
LAW = sp.HuntCrossley(stiffness=1e7, restitution=0.5, speed=1.0)
FLOOR = '<geom name="floor" type="plane" size="5 5 0.1"/>'
MASS = '<inertial><mass value="{m}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def mjcf(folder: Path, world: str, rest: str = "", **options: object) -> sp.files.RobotFile:
    path = folder / "r.xml"
    text = f'<mujoco><compiler angle="degree"/>{rest}<worldbody>{world}</worldbody></mujoco>'
    path.write_text(text, encoding="utf-8")
    return sp.files.RobotFile(path, **options)


def urdf(folder: Path, inside: str, **options: object) -> sp.files.RobotFile:
    path = folder / "r.urdf"
    path.write_text(f'<robot name="r">{inside}</robot>', encoding="utf-8")
    return sp.files.RobotFile(path, **options)


def body(name: str, inside: str, place: str = "0 0 0.5") -> str:
    return f'<body name="{name}" pos="{place}"><freejoint/>{inside}</body>'


def rest_depth(weight: float, stiffness: float = 1e7) -> float:
    return (weight / stiffness) ** (2.0 / 3.0)


def test_forms_of_all_kinds_have_their_place_and_size(tmp_path: Path) -> None:
    """Defaults, classes, frames, ends: gaps of the first instant are those of closed forms."""
    rest = '<default><geom type="capsule" size="0.05 0.2"/><default class="ball"><geom type="sphere" size="0.1"/></default></default>'
    world = (
        '<geom name="floor" type="plane" size="5 5 0.1" pos="0 0 0.1"/>'
        + body("a", '<geom pos="0 0 0.3" euler="0 60 0"/>')
        + body("b", '<geom fromto="0 0 -0.3 0.4 0 0" size="0.02"/>')
        + body("c", '<frame pos="0 0 0.2"><geom class="ball" pos="0 0 0.1"/></frame>', "0 0 0.6")
        + body("d", '<geom type="box" size="0.1 0.2 0.3" quat="0.5 0.5 0.5 0.5"/>')
        + body("e", '<geom name="roll" type="cylinder" size="0.1 0.3" zaxis="1 0 0"/>')
    )
    robot = mjcf(tmp_path, world, rest)
    assert list(robot.shapes) == ["floor", "a", "b", "c", "d", "roll"]
    names = robot.add_contacts("floor", LAW)
    assert names == ["a on floor", "b on floor", "c on floor", "d on floor", "roll on floor"]
    result = sp.simulate(robot.model, 0.01)
    gaps = [result[name].gap[0] for name in names]
    # heights above 0.1 m: a capsule tilted by 60 degrees with its middle at 0.8 m, the lower end of
    # another, a ball, a box that stands on its y, the side of a cylinder
    expected = [0.7 - 0.2 * 0.5 - 0.05, 0.1 - 0.02, 0.8 - 0.1, 0.5 - 0.2 - 0.1, 0.5 - 0.1 - 0.1]
    np.testing.assert_allclose(gaps, expected, rtol=0, atol=1e-12)


def test_forms_of_all_kinds_touch_a_box_and_a_cylinder(tmp_path: Path) -> None:
    """Gaps beside a table and a post; cylinders are crowned and have round edges."""
    world = (
        '<geom name="table" type="box" size="2 2 0.1"/>'
        '<geom name="post" type="cylinder" size="0.1 2" pos="5 0 0"/>'
        + body("a", '<geom name="roll" type="cylinder" size="0.1 0.3" zaxis="1 0 0"/>')
        + body("b", '<geom name="stand" type="cylinder" size="0.1 0.3"/>')
        + body("c", '<geom name="stick" type="capsule" size="0.1 0.3"/>', "0 0 0.7")
    )
    robot = mjcf(tmp_path, world)
    chosen = ["roll", "stand", "stick"]
    names = [n for other in ("table", "post") for n in robot.add_contacts(other, LAW, of=chosen)]
    result = sp.simulate(robot.model, 1e-9)
    gaps = [result[name].gap[0] for name in names]
    # crowns are 5e-4 of half lengths
    np.testing.assert_allclose(gaps, [0.3, 0.1, 0.2, 4.6, 4.8, 4.8], rtol=0, atol=3e-4)


@pytest.mark.parametrize(
    ("form", "points", "height"),
    [
        ('type="sphere" size="0.1"', 1, 0.1),
        ('type="box" size="0.3 0.2 0.1"', 4, 0.1),
        ('fromto="-0.2 0 0 0.2 0 0" type="capsule" size="0.1"', 2, 0.1),
    ],
)
def test_what_falls_lies_on_the_plane(
    form: str, points: int, height: float, tmp_path: Path
) -> None:
    """Ball, box and capsule of MJCF come to rest at the depth of the law under their weight."""
    robot = mjcf(tmp_path, FLOOR + body("it", f'<geom {form} mass="3"/>', "0 0 0.12"))
    (name,) = robot.add_contacts("floor", sp.HuntCrossley(0.2, 0.1, stiffness=1e6))
    result = sp.simulate(robot.model, 1.0)
    touching = result[name].normal_forces[-1]
    assert np.count_nonzero(touching) == points
    # what is left of the last bounces is below the hundredth part of the weight
    assert touching.sum() == pytest.approx(3 * 9.81, rel=1e-2)
    depth = rest_depth(3 * 9.81 / points, 1e6)
    assert result["it"].position[-1, 2] == pytest.approx(height - depth, abs=0.05 * depth)


def test_a_cart_of_urdf_rolls(tmp_path: Path) -> None:
    """Wheels of a floating URDF roll without sliding: its speed follows from their moments of inertia."""
    wheels = "".join(
        f'<link name="{side}"><inertial><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.02" '
        'ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><sphere radius="0.1"/></geometry>'
        f'</collision></link><joint name="{side} axle" type="continuous"><parent link="frame"/>'
        f'<child link="{side}"/><origin xyz="{x} {y} -0.1"/><axis xyz="0 1 0"/></joint>'
        for side, x, y in (("front", 0.3, 0.0), ("left", -0.2, 0.2), ("right", -0.2, -0.2))
    )
    frame = f'<link name="frame">{MASS.format(m=6)}</link>'
    robot = urdf(
        tmp_path, frame + wheels, base="floating", position=(0, 0, 0.2), gravity=(1, 0, -9.81)
    )
    floor = sp.Plane(robot.model.ground.at(0))
    names = robot.add_contacts(floor, sp.HuntCrossley(0.1, 0.01, 1e8), sp.Friction(0.8))
    assert names == ["front on floor", "left on floor", "right on floor"]
    result = sp.simulate(robot.model, 1.0)
    # 9 kg and three wheels of 0.02 kg m2 on arms of 0.1 m less half the depth, 1e-5 m
    assert result["frame"].velocity[-1, 0] == pytest.approx(
        9.0 / (9.0 + 3 * 0.02 / 0.1**2), rel=2e-3
    )


def test_groups_and_exclusions_say_what_touches(tmp_path: Path) -> None:
    rest = '<contact><exclude body1="b" body2="world"/></contact>'
    world = (
        '<geom name="floor" type="plane" size="1 1 1" contype="1" conaffinity="4"/>'
        + body("a", '<geom size="0.1" contype="4" conaffinity="2"/>')
        + body("b", '<geom size="0.1"/>')
        + body("c", '<geom size="0.1" contype="2" conaffinity="2"/>')
        + body("d", '<geom size="0.1" contype="2" conaffinity="1"/>')
        + body("e", '<geom size="0.1" contype="0" conaffinity="0"/>')
    )
    robot = mjcf(tmp_path, world, rest)
    assert list(robot.shapes) == ["floor", "a", "b", "c", "d"]  # e is only seen
    assert robot.add_contacts("floor", LAW) == ["a on floor", "d on floor"]
    assert robot.add_contacts("floor", LAW, of=["b"]) == ["b on floor"]  # who asks gets it


def test_links_beside_a_joint_do_not_touch_by_themselves(tmp_path: Path) -> None:
    leg = '<body name="leg" pos="0 0 -0.2"><joint axis="0 1 0"/><geom size="0.1"/>'
    foot = '<body name="foot" pos="0 0 -0.2"><joint axis="0 1 0"/><geom size="0.1"/></body></body>'
    robot = mjcf(tmp_path, body("trunk", f'<geom size="0.1"/>{leg}{foot}'))
    assert robot.add_contacts("trunk", LAW, None) == ["foot on trunk"]


def test_friction_of_a_file(tmp_path: Path) -> None:
    """The larger coefficients count, or those of the higher priority; rolling from condim 6 on."""
    world = (
        '<geom name="floor" type="plane" size="1 1 1" friction="0.5 0.02 0.003"/>'
        + body("a", '<geom size="0.1" friction="0.8"/>')
        + body("b", '<geom size="0.1" friction="0.3" condim="6"/>')
        + body("c", '<geom size="0.1" friction="0.2 0.01" priority="1" condim="4"/>')
        + body("d", '<geom size="0.1" friction="0.1" priority="2" condim="1"/>')
    )
    robot = mjcf(tmp_path, world)
    robot.add_contacts("floor", LAW)
    found = [robot.model[f"{name} on floor"].friction for name in "abcd"]
    mu = [None if f is None else (f.mu[0], f.spinning, f.rolling) for f in found]
    assert mu == [(0.8, 0.0, 0.0), (0.5, 0.02, 0.003), (0.2, 0.01, 0.0), None]
    robot.add_contacts("floor", LAW, None, ["a"])
    assert robot.model["a on floor contact"].friction is None


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    world = (
        FLOOR
        + body(
            "a",
            '<geom name="egg" type="ellipsoid" size="0.1 0.2 0.3"/><geom size="0.1" solref="0.1 1"/>',
        )
        + body(
            "b",
            '<geom type="mesh" mesh="m" mass="0"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>',
        )
    )
    with pytest.warns(sp.SuppleWarning):
        robot = mjcf(tmp_path, world)
    assert robot.left_out == (
        "1 ellipsoid, 1 mesh of contact from line 1 on left out: no shapes of these kinds",
        "solref, solimp and margins of 1 geoms from line 1 on are left out: laws of contact are "
        "given where contacts are added",
    )
    with pytest.raises(
        sp.ModelError, match=r"shape 'egg': ellipsoid in line 1 found, expected a plane"
    ):
        robot.shapes["egg"]
    with pytest.raises(sp.ModelError, match=r"there is no shape 'flor', did you mean 'floor'"):
        robot.shapes["flor"]
    collision = '<collision><geometry><mesh filename="x.stl"/></geometry></collision>'
    with pytest.warns(sp.SuppleWarning, match="1 mesh of contact from line 1 on left out"):
        arm = urdf(tmp_path, f'<link name="a">{MASS.format(m=1)}{collision}</link>')
    assert not arm.shapes
    with pytest.raises(sp.ModelError, match=r"shape 'a': mesh in line 1 found"):
        arm.add_contacts("a", LAW)


def test_names_of_forms(tmp_path: Path) -> None:
    ball = "<geometry><sphere radius='0.1'/></geometry>"
    link = f'<link name="a">{MASS.format(m=1)}<collision>{ball}</collision><collision name="a 2">{ball}'
    link += (
        f'</collision><collision>{ball}</collision><collision name="a 2">{ball}</collision></link>'
    )
    assert list(urdf(tmp_path, link).shapes) == ["a 1", "a 2", "a 2 shape", "a 3"]


def test_forms_of_links_without_mass_and_of_replaced_ones(tmp_path: Path) -> None:
    """A tool without mass carries its ball on the arm; beside a beam there is no shape."""
    ball = '<collision><origin xyz="{x} 0 0.1"/><geometry><sphere radius="0.05"/></geometry></collision>'
    arm = f'<link name="base"/><link name="arm">{MASS.format(m=2)}</link>'
    arm += '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>'
    arm += '<joint name="w" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 0 0.3"/></joint>'
    tool = f'<link name="tool">{ball.format(x=0)}</link>'
    shape = urdf(tmp_path, arm + tool).shapes["tool"]
    assert shape.frame.body.name == "arm"
    np.testing.assert_allclose(shape.frame.position, [0, 0, 0.4])
    steel = sp.Material(E=2e11, G=8e10, density=7800)
    damping = sp.Rayleigh(stiffness=1e-4)
    turn, shapes = (0, -np.pi / 2, 0), sp.reduction.AttachmentModes(2)
    beam = sp.Beam("x", 0.4, sp.Circle(0.02), steel, modes=shapes, damping=damping, rotation=turn)
    soft = urdf(tmp_path, arm + tool, replace={"arm": beam}, initial={"j": 1.5})
    assert soft.shapes["tool"].frame.position[0] == pytest.approx(0.4)
    floor = sp.Plane(soft.model.ground.at(0, 0, 0.4 * np.cos(1.5) - 0.05 - 1e-5))
    assert soft.add_contacts(floor, LAW) == ["tool on floor"]
    result = sp.simulate(soft.model, 0.01)
    energy, drop = result.energy, result["tool on floor"]
    assert drop.gap[0] == pytest.approx(1e-5, rel=1e-6) and drop.touching.any()
    # touches with p^1.5 take a hundred times the tolerance of 1e-7
    assert np.abs(energy.error).max() < 1e-5 * np.ptp(energy.gravity)
    beside = urdf(
        tmp_path, arm + f'<link name="tool">{ball.format(x=0.2)}</link>', replace={"arm": beam}
    )
    with pytest.raises(sp.ModelError, match=r"shape 'tool': link 'arm': Beam 'x' in its place has"):
        beside.shapes["tool"]


def test_a_second_robot_has_its_own_names(tmp_path: Path) -> None:
    world = body("a.1", '<geom size="0.1"/>')
    first = mjcf(tmp_path, world)
    second = mjcf(tmp_path, world, into=first.model, prefix="my ")
    floor = sp.Plane(second.model.ground.at(0))
    assert second.add_contacts(floor, LAW) == ["my a_1 on floor"]
    again = sp.files.read_model(sp.files.write_model(second.model, tmp_path / "m.yaml"))
    assert again["my a_1 on floor"].A.normal[2] == 1.0


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"floor": "flor"}, r"add_contacts: floor is 'flor', expected the name of a shape \(did"),
        ({"floor": 3}, r"floor is 3, expected a shape with a frame, or the name of a shape"),
        ({"law": 1e6}, r"law is 1000000.0, expected a law, e.g."),
        ({"friction": 0.5}, r"friction is 0.5, expected a law of friction, \"file\" or None"),
        ({"of": ["bal"]}, r"of is 'bal', expected names of shapes \(did you mean 'ball'"),
        ({"of": "ball"}, r"of is 'ball', expected names of shapes"),
    ],
)  # fmt: skip
def test_wrong_contacts(given: dict[str, object], sentence: str, tmp_path: Path) -> None:
    world = FLOOR + body("ball", '<geom size="0.1"/>')
    world += "".join(body(n, '<geom type="box" size="0.1 0.1 0.1"/>') for n in ("box", "block"))
    robot = mjcf(tmp_path, world)
    with pytest.raises(sp.ModelError, match=sentence):
        robot.add_contacts(**{"floor": "floor", "law": LAW, **given})
    assert not robot.model.forces


def test_a_floor_that_nothing_touches_is_told(tmp_path: Path) -> None:
    robot = mjcf(tmp_path, FLOOR + body("it", '<geom size="0.1" contype="2" conaffinity="2"/>'))
    with pytest.raises(
        sp.ModelError, match=r"no shape of r\.xml touches it, expected one on another"
    ):
        robot.add_contacts("floor", LAW)


WRONG = {
    '<geom size="0.1" contype="-1"/>': "<geom contype>: -1.0 found, expected a number of 0 or more",
    '<geom size="0.1" contype="1.5"/>': "<geom contype>: 1.5 found, expected a whole number up to 2147483647",
    '<geom size="0.1" condim="2"/>': "<geom condim>: 2.0 found, expected 1, 3, 4 or 6",
    '<geom size="0.1" friction="1 -1"/>': "<geom friction>: '1 -1' found, expected numbers of 0 or more",
    '<geom name="g" size="0.1"/><geom name="g" size="0.1"/>':
        "<geom> 'g': the name is taken by another geom, expected another",
    '<collision><geometry><box size="1 0 1"/></geometry></collision>':
        "<box>: (1, 0, 1) found, expected sizes above zero",
    '<collision><origin xyz="0 0 0"/></collision>': "<collision>: there is no <geometry>, expected one",
}  # fmt: skip


@pytest.mark.parametrize("inside", WRONG)
def test_wrong_forms(inside: str, tmp_path: Path) -> None:
    with pytest.raises(sp.files.ModelFileError) as caught:
        if inside.startswith("<geom"):
            mjcf(tmp_path, body("b", inside))
        else:
            urdf(tmp_path, f'<link name="b">{MASS.format(m=1)}{inside}</link>')
    assert re.sub(r"^r\.\w+:1: ", "", str(caught.value).splitlines()[0]) == WRONG[inside]
