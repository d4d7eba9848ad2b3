"""Robot files: URDF and MJCF against Pinocchio and MuJoCo; options."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from models.random_robots import RandomRobots
from oracles.robot_references import OPTIONS, ROBOTS, STORED, assert_same, references
from supple.formulations.trees import JointCoordinates
from supple.foundation.poses import Pose
from supple.graph.reading import written_poses

REFERENCES = json.loads(STORED.read_text())
# Sums of some tens of products in another order.
ROUNDING = 1e-10
# MuJoCo finds the principal axes of several shapes to some 1e-6.
PRINCIPAL_AXES = 1e-5


def robot(name: str, **changes: object) -> sp.files.RobotFile:
    return sp.files.RobotFile(ROBOTS / name, **{**OPTIONS[name], **changes})


def written(folder: Path, text: str, name: str = "r.urdf") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


# against other programs


@pytest.mark.parametrize("name", OPTIONS)
def test_equations_of_other_programs(name: str, tmp_path: Path) -> None:
    """Mass matrix, gravity, bias and inverse dynamics; also of the model in a file of its own."""
    file = robot(name)
    assert_same(file, REFERENCES[name], ROUNDING)
    file.model = sp.files.read_model(sp.files.write_model(file.model, tmp_path / "again.yaml"))
    assert_same(file, REFERENCES[name], ROUNDING)


@pytest.mark.parametrize("name", [n for n in OPTIONS if n.endswith(".urdf")])
def test_frames_of_links(name: str) -> None:
    """All links are where Pinocchio has them, those without mass too."""
    state = REFERENCES[name]["states"][0]
    file = robot(name)
    for joint, x in state["coordinates"].items():
        found, k = file.joints[joint]
        initial = np.array(file.model[found].initial)
        initial[k : k + len(x)] = x
        file.model.replace(found, initial=initial)
    tree = file.model.spanning_tree()
    bodies = written_poses(tree, file.model.joints)
    # a link without mass between two joints is no place on a body
    assert set(file.frames) == set(state["places"]) - {"universe", "quill_slide"}
    for link, frame in file.frames.items():
        R, p = bodies[frame.body.name].then(Pose(frame.rotation, frame.position))
        np.testing.assert_allclose(np.column_stack([R, p]), state["places"][link], atol=1e-12)


@pytest.mark.parametrize("name", ["delta.xml", "walker.xml"])
def test_loops_of_equalities(name: str) -> None:
    """Accelerations of what is let go at rest: those of MuJoCo's rows as exact constraints."""
    expected = REFERENCES[name]["released"]
    scale = max(np.abs(a).max() for a in expected.values())
    file = robot(name)
    result = sp.simulate(file.model, 1e-3, output=2)
    for joint, a in expected.items():
        found, k = file.joints[joint]
        mine = result[found].accelerations[0, k : k + len(a)]
        # places in the file have 12 digits; their errors act through springs and rows
        np.testing.assert_allclose(mine, a, rtol=0, atol=1e-8 * scale)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_random_robots(seed: int, tmp_path: Path) -> None:
    pytest.importorskip("pinocchio")
    path = written(tmp_path, RandomRobots(seed).urdf(9))
    assert_same(sp.files.RobotFile(path), references(path), ROUNDING)
    pytest.importorskip("mujoco")
    path = written(tmp_path, RandomRobots(seed).mjcf(6), "r.xml")
    assert_same(sp.files.RobotFile(path), references(path), PRINCIPAL_AXES)


EQUALITIES = """<mujoco><compiler angle="radian"/><default><equality active="true"/></default>
<worldbody>
<body name="a" pos="0.1 0.2 0.3" euler="0.3 0.2 0.1">
  <joint name="a1" axis="0 1 0" ref="0.4"/><geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0.2"/>
  <site name="s" pos="0.2 0.1 0.4" euler="0 0.3 0"/>
  <body name="b" pos="0.3 0 0.1" quat="1 0.2 0.3 0.4">
    <joint name="b1" type="ball"/><geom type="box" size="0.3 0.1 0.2" pos="0 0.1 0.2"/>
  </body>
</body>
<body name="c" pos="0.5 0.1 0" zaxis="1 1 1"><freejoint name="free"/>
  <geom type="cylinder" size="0.1 0.3"/><site name="t" pos="0.1 0 0.3"/>
</body>
<body name="d" pos="0 1 0"><joint name="d1" ref="0.2" axis="1 0 0"/><joint name="d2" axis="0 1 0"/>
  <geom type="box" size="0.1 0.2 0.1" pos="0.1 0.2 -0.3"/></body>
</worldbody>
<equality><weld body1="b" body2="c"/><joint joint1="d1" joint2="a1" polycoef="0 0.7 0 0 0"/>
<connect body1="d" anchor="0.1 0.2 0.3" active="false"/></equality></mujoco>"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "other",
    [
        "",
        '<joint joint1="d2"/>',
        '<connect body1="a" body2="d" anchor="1 0 0"/>',
        '<connect body1="d" anchor="0 0 1"/>',
    ],
)
def test_other_equalities(other: str, tmp_path: Path) -> None:
    """As the test of loops, with welds, followers and points on the world."""
    pytest.importorskip("mujoco")
    text = EQUALITIES.replace("<equality><", f"<equality>{other}<")
    path = written(tmp_path, text, "r.xml")
    expected = references(path)["released"]
    file = sp.files.RobotFile(path)
    result = sp.simulate(file.model, 1e-4, output=2)
    del expected["free"]  # in other axes
    for joint, a in expected.items():
        found, k = file.joints[joint]
        mine = result[found].accelerations[0, k : k + len(a)]
        np.testing.assert_allclose(mine, a, rtol=0, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIONS)
def test_stored_references_are_those_of_the_programs(name: str) -> None:
    pytest.importorskip("pinocchio" if name.endswith(".urdf") else "mujoco")
    found = references(ROBOTS / name, OPTIONS[name].get("base", "fixed"))
    for mine, theirs in zip(REFERENCES[name]["states"], found["states"], strict=True):
        for what in ("mass_matrix", "inverse"):
            np.testing.assert_allclose(mine[what], theirs[what], rtol=0, atol=ROUNDING)


# mimics, loops, replaced links


def test_mimics_are_couplings(tmp_path: Path) -> None:
    """The gripper moves as its mass matrix on the motions that the mimics leave."""
    text = (ROBOTS / "gripper.urdf").read_text()
    text = text.replace('multiplier="-1"', 'multiplier="0.5" offset="0.1"', 1)
    given = {"left_knuckle": 0.3, "wrist": 0.7}
    path = written(tmp_path, text)
    file = sp.files.RobotFile(path, initial=given, gravity=(5.0, 1.0, -9.0))
    tree = file.model.copy()
    for name in [*tree.constraints, *tree.forces]:
        tree.remove(name)
    equations = JointCoordinates().equations(tree)
    names = list(file.joints)
    left = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    assert names == ["wrist", "left_knuckle", "left_pad_joint", "right_knuckle", "right_pad_joint"]
    q = equations.q0
    np.testing.assert_allclose(q, left @ [0.3, 0.7] + [0, 0, 0.1, 0, 0], atol=1e-15)
    M, f = equations.mass_matrix(q), -equations.residual(0.0, q, 0 * q, 0 * q)
    expected = left @ np.linalg.solve(left.T @ M @ left, left.T @ f)
    result = sp.simulate(file.model, 1e-3, output=2)
    found = [result[name].accelerations[0, 0] for name in names]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_loop_is_closed_by_its_name() -> None:
    file = robot("five_bar.urdf")
    result = sp.simulate(file.model, 0.2)
    tips = [result[file.frames[n].body.name].at(*file.frames[n].position).position
            for n in ("left_tip", "right_tip")]  # fmt: skip
    assert np.abs(tips[0] - tips[1]).max() < 1e-9 and np.ptp(tips[0], axis=0).max() > 0.05
    ball = robot("five_bar.urdf", close={"hand": ("left_tip", "right_tip")})
    other = sp.simulate(ball.model, 0.2)
    for name in ("left_motor", "right_motor"):
        np.testing.assert_allclose(other[name].angle, result[name].angle, rtol=0, atol=1e-6)


LUMP = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)
UPRIGHT = (0.0, -math.pi / 2, 0.0)  # turns the x axis of a beam into z of a link
ALUMINIUM = sp.Material(70e9, 26e9, 2700.0)


def tube(**changes: object) -> sp.Beam:
    given = {"length": 0.392, "section": sp.Tube(0.08, 0.004), "material": ALUMINIUM}
    return sp.Beam("any", **{**given, "rotation": UPRIGHT, "modes": 0, **changes})


def test_a_replaced_link_stands_where_the_link_was(tmp_path: Path) -> None:
    """A beam that does not bend is a link with the inertia of a tube."""
    beam = tube()
    section, rho, length = beam.section, 2700.0, 0.392
    mass = rho * section.area * length
    across = mass * length**2 / 12 + rho * section.I_y * length
    inertial = (
        f'<inertial><origin xyz="0 0 {length / 2}"/><mass value="{mass!r}"/><inertia '
        f'ixx="{across!r}" iyy="{across!r}" izz="{2 * rho * section.I_y * length!r}" ixy="0" '
        'ixz="0" iyz="0"/></inertial>'
    )
    text = (ROBOTS / "arm.urdf").read_text()
    text = re.sub(
        r'(<link name="forearm">)\s*<inertial>.*?</inertial>',
        rf"\1{inertial}",
        text,
        count=1,
        flags=re.S,
    )
    links = sp.files.read_urdf(written(tmp_path, text), initial={"elbow": 0.4})
    beams = robot("arm.urdf", replace={"forearm": beam}, initial={"elbow": 0.4})
    assert beams.model["forearm"].length == length
    assert beams.frames["forearm"].position.tolist() == [0, 0, 0]
    models = links, beams.model
    q = np.array([0.3, -0.5, 0.4, 1.0, -0.7, 0.2])
    one, two = (JointCoordinates().equations(m).mass_matrix(q) for m in models)
    np.testing.assert_allclose(two, one, rtol=0, atol=1e-12)


def test_a_replaced_link_bends() -> None:
    # five diameters long: shear is 6 % of its deflection
    bending = tube(modes=sp.reduction.AttachmentModes(2), theory="timoshenko")
    arm = robot("arm.urdf", replace={"forearm": bending})
    result = sp.simulate(arm.model, 0.02)
    assert result.verdict.startswith("trusted")
    assert 0.0 < np.abs(result["forearm"].at(0.392).deflection).max() < 1e-3


def test_a_frame_beside_a_beam_is_told_when_it_is_asked_for(tmp_path: Path) -> None:
    text = (ROBOTS / "arm.urdf").read_text()
    flange = (
        '<link name="side"/><joint name="beside" type="fixed"><parent link="forearm"/>'
        '<child link="side"/><origin xyz="0.1 0 0"/></joint></robot>'
    )
    path = written(tmp_path, text.replace("</robot>", flange))
    arm = sp.files.RobotFile(path, replace={"forearm": tube()})
    with pytest.raises(sp.ModelError, match=r"frame 'side': link 'forearm': Beam .* has nothing"):
        arm.frames["side"]
    with pytest.raises(sp.ModelError, match="there is no frame 'sde', did you mean"):
        arm.frames["sde"]


def test_a_place_beside_a_beam_is_refused() -> None:
    with pytest.raises(sp.files.ModelFileError) as caught:
        robot("arm.urdf", replace={"forearm": tube(rotation=None)})
    assert str(caught.value) == (
        "arm.urdf:57: link 'forearm': Beam 'any' in its place has nothing at (0, 0, 0.392) m of "
        "the link's axes, where a joint or frame is, expected a place on it; the nearest is "
        "(0, 0, 0), 0.392 m away"
    )


# options


def test_a_robot_on_a_robot(tmp_path: Path) -> None:
    """The gripper on the arm's tool is the robot of one file with both."""
    texts = [(ROBOTS / name).read_text() for name in ("arm.urdf", "gripper.urdf")]
    inside = "".join(re.search(r"<robot.*?>(.*)</robot>", text, re.S)[1] for text in texts)
    weld = '<joint name="w" type="fixed"><parent link="tool0"/><child link="mount"/></joint>'
    both = sp.files.read_urdf(written(tmp_path, f"<robot>{inside}{weld}</robot>"))
    arm = robot("arm.urdf")
    hand = robot("gripper.urdf", into=arm.model, on=arm.frames["tool0"], prefix="my ")
    assert (
        "my wrist damping" in hand.model and "palm" not in hand.model and len(arm.model.joints) == 7
    )
    q = np.linspace(-1.0, 1.0, 11)
    one, two = (JointCoordinates().equations(m) for m in (both, hand.model))
    np.testing.assert_allclose(two.mass_matrix(q), one.mass_matrix(q), rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        two.residual(0.0, q, q, q), one.residual(0.0, q, q, q), rtol=0, atol=1e-10
    )
    bent = robot("arm.urdf", replace={"forearm": tube()})
    with pytest.raises(sp.ModelError, match=r"on is .*forearm@.* because the robot begins at"):
        robot("gripper.urdf", into=bent.model, on=bent.model["forearm"].at(0.2))


def test_names_that_are_taken(tmp_path: Path) -> None:
    """A joint of the file called "base" is not the joint of the floating base."""
    text = (ROBOTS / "gripper.urdf").read_text().replace('"wrist"', '"base"')
    text = text.replace('<link name="mount"/>', f'<link name="mount">{LUMP}</link>')
    file = sp.files.RobotFile(written(tmp_path, text), base="floating", initial={"base": 0.3})
    assert file.joints["base"] == ("base", 0) and file.model["base"].initial == [0.3]
    assert type(file.model["base joint"]) is sp.Free
    with pytest.raises(
        sp.files.ModelFileError, match="link 'quill_slide': it has no mass and is between"
    ):
        robot("scara.urdf", close={"x": ("quill_slide", "column")})


def test_keyframes() -> None:
    file = robot("walker.xml", initial="crouch")
    assert file.model["forward + up + pitch"].initial.tolist() == [0.0, 1.1, 0.1]
    assert file.model["left_knee"].initial == [-1.0]
    with pytest.raises(sp.ModelError, match=r"initial is 'crouc', .* \(did you mean 'crouch'"):
        robot("walker.xml", initial="crouc")


def test_base_limits_and_names(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """<robot name="a/b"><link name="elbow"><inertial><mass value="2"/><inertia ixx="1" iyy="1"
        izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="ground"><inertial>
        <origin xyz="0 0 1"/><mass value="1"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0"
        iyz="0"/></inertial></link><joint name="elbow" type="revolute"><parent link="elbow"/>
        <child link="ground"/><axis xyz="0 2 0"/><limit lower="0.2" upper="1" effort="3"
        velocity="4"/></joint></robot>""",
    )
    file = sp.files.RobotFile(
        path, base="floating", position=(1, 2, 3), rotation=(0, 0, 0.5), stops=1e4
    )
    model = file.model
    assert model.name == "a_b" and list(model.bodies) == ["elbow", "ground link"]
    assert list(model.joints) == ["base", "elbow joint"] and file.joints["elbow"] == (
        "elbow joint",
        0,
    )
    assert model["elbow joint"].initial == [0.2] and file.limits["elbow"] == (0.2, 1.0, 3.0, 4.0)
    stop = model["elbow joint stop"]
    assert (stop.lower, stop.upper, stop.stiffness) == (0.2, 1.0, 1e4)
    half = [math.cos(0.25), 0, 0, math.sin(0.25)]
    np.testing.assert_allclose(model["base"].initial, [*half, 1, 2, 3], atol=1e-15)
    fixed = sp.files.read_urdf(path, position=(1, 2, 3), gravity=(0, 0, 0))
    assert fixed["base"].A.position.tolist() == [1, 2, 3] and not fixed.gravity.any()
    with pytest.raises(sp.ModelError, match="read_urdf: initial is 'elbo', expected the name of a"):
        sp.files.read_urdf(path, initial={"elbo": 1.0})
    with pytest.raises(
        sp.ModelError, match=r"position or rotation is \(0, 0, 1\), expected left out"
    ):
        sp.files.RobotFile(ROBOTS / "walker.xml", position=(0, 0, 1))


def test_included_files_and_what_is_left_out(tmp_path: Path) -> None:
    written(
        tmp_path, "<mujocoinclude><geom size='0.1'/><joint name='j'/></mujocoinclude>", "in.xml"
    )
    text = """<mujoco><worldbody><body name="b"><include file="in.xml"/></body></worldbody>
    <actuator><motor joint="j"/><motor joint="j"/></actuator></mujoco>"""
    with pytest.warns(sp.SuppleWarning, match=r"r.xml: 2 actuators from line 2 on are left out"):
        file = sp.files.RobotFile(written(tmp_path, text, "r.xml"))
    assert list(file.model.joints) == ["j"] and len(file.left_out) == 1
    inner = tmp_path / "inner"
    inner.mkdir()
    for name in ("../in.xml", str(tmp_path / "in.xml"), "r.xml", "none.xml"):
        path = written(inner, text.replace("in.xml", name), "r.xml")
        with pytest.raises(
            sp.ModelError, match=r"outside of the model's folder|not read|no such file"
        ):
            sp.files.RobotFile(path)
