"""Robot files that are wrong, or meant to harm: located sentences, soon, and no more."""

# ruff: noqa: E501 -- files and messages stand on one line

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import supple as sp

OPENED: list[str] | None = None


def note_opened(event: str, given: tuple) -> None:
    if OPENED is not None and event in ("open", "socket.connect", "subprocess.Popen"):
        OPENED.append(str(given[0]))


sys.addaudithook(note_opened)


def written(folder: Path, text: str, name: str = "r.urdf") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
TWO = f'<link name="a">{MASS}</link>\n<link name="b">{MASS}</link>\n'
ENDS = '<parent link="a"/><child link="b"/>'
BODY = '<body name="b"><joint name="j"/><geom size="1"/></body>'
WRONG = {
    # URDF: inside of <robot>, in line 2 and so on
    f'{TWO}<joint name="j" type="revolut">{ENDS}</joint>':
        "4: <joint type>: 'revolut' found, expected one of revolute, continuous, prismatic, floating, "
        "planar, spherical, fixed",
    f'{TWO}<joint name="j" type="fixed"><parent link="a"/><child link="c"/></joint>':
        "4: <child link>: 'c' found, expected the name of a link (known: 'a', 'b')",
    f'{TWO}<joint name="j" type="fixed">{ENDS}</joint>\n<joint name="k" type="fixed">{ENDS}</joint>':
        "5: <joint> 'k': link 'b' is the child of joint 'j' already, expected one parent (close loops "
        "by their names)",
    TWO: "1: <robot>: links 'a', 'b' have no parent, expected one root",
    f'{TWO}<link name="a"/>': "4: <link> 'a': the name is taken in line 2, expected another",
    f'<link name="a"/>\n<link name="b"/>\n<joint name="j" type="revolute">{ENDS}</joint>':
        "3: link 'b': it has no mass, and nothing on it has one, but joint 'j' moves it, expected a mass",
    f'{TWO}<joint name="j" type="revolute">{ENDS}<axis xyz="0 0 0"/></joint>':
        "4: <axis xyz>: '0 0 0' found, expected numbers, not all zero",
    f'{TWO}<joint name="j" type="revolute">{ENDS}<origin xyz="0 nan 0"/></joint>':
        "4: <origin xyz>: '0 nan 0' found, expected 3 numbers",
    f'{TWO}<joint name="j" type="revolute">{ENDS}<limit lower="2" upper="1"/></joint>':
        "4: <limit upper>: 1.0 found, expected at least lower, which is 2",
    f'{TWO}<joint name="j" type="revolute">{ENDS}<mimic joint="j"/></joint>':
        "4: <mimic joint>: 'j' found, expected the name of another joint with one coordinate (there "
        "are none yet)",
    f'{TWO}<joint name="j" type="floating">{ENDS}<dynamics damping="1"/></joint>':
        "4: <dynamics>: damping or friction of a floating joint found, expected none",
    f'{TWO}<joint name="j" type="revolute">{ENDS}<origin xyz="0 1e40 0"/></joint>':
        "4: <origin xyz>: '0 1e40 0' found, expected 3 numbers below 1e+30",
    '<link name="a"><inertal/></link>':
        "2: <inertal>: there is no such element in <link> 'a', expected another (did you mean "
        "<inertial>?)",
    '<link name="a"><inertial><mass value="1"/></inertial></link>':
        "2: <inertial>: there is no <inertia>, expected one",
    '<xacro:macro name="a"/>':
        "2: <xacro:macro> 'a': it is a file of xacro, expected the URDF that xacro makes of it",
    f'<link name="a">{MASS.replace("1", "-1", 1)}</link>':
        "2: <mass value>: -1.0 found, expected a number of 0 or more",
    '<link name="a">' + MASS.replace('ixx="1"', 'ixx="-3"') + "</link>":
        "2: RigidBody 'a': inertia is ((-3, 0, 0), (0, 1, 0), (0, 0, 1)), expected no negative "
        "principal moment about the centre of mass (they are -3, 1, 1)",
}  # fmt: skip
WRONG_MJCF = {
    '<worldbody><body><composite/></body></worldbody>':
        "2: <composite>: it is not supported, expected <body>, <frame>, <geom>, <site>, <camera>, "
        "<light>, <joint>, <freejoint>, <inertial>",
    '<worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody>':
        "2: <geom>: a mesh with mass found, expected an <inertial> of the body",
    '<worldbody><body><joint type="ball" damping="1"/><geom size="1"/></body></worldbody>':
        "2: <joint>: damping of a joint with several directions found, expected none",
    '<worldbody><body euler="1 2 3" quat="1 0 0 0"/></worldbody>':
        "2: <body>: quat and euler found, expected one of them",
    f'<worldbody>{BODY}</worldbody><equality><connect body1="c" anchor="0 0 0"/></equality>':
        "2: <connect body1>: 'c' found, expected the name of a body (known: 'b')",
    f'<worldbody>{BODY}</worldbody><equality><joint joint1="j" polycoef="0 1 2"/></equality>':
        "2: <joint polycoef>: '0 1 2' found, expected zeros behind the first two numbers",
    f'<worldbody>{BODY}</worldbody><tendon><fixed stiffness="3"/></tendon>':
        "2: <fixed>: a tendon with stiffness found, expected none",
    '<worldbody><body><joint class="x"/><geom size="1"/></body></worldbody>':
        "2: <joint class>: 'x' found, expected the name of a class (known: 'main')",
    '<worldbody><body><joint axis="1 0 0"/><joint axis="0 1 0" pos="1 0 0"/><joint axis="0 0 1" '
    'pos="1 3 0"/><geom size="1"/></body></worldbody>':
        "2: joints 'body 1 joint 2' and 'body 1 joint 3' are 3 m apart without a mass between them, "
        "expected a mass, or axes that meet",
    '<worldbody/><option density="1.2"/>': "2: <option>: a density of the air found, expected none",
    '<worldbody>\n<include file="../up.xml"/></worldbody>':
        "3: <include file>: up.xml: '{folder}/../up.xml' is outside of the model's folder, expected an MJCF "
        "file in it",
    '<include file="none.xml"/>':
        "2: <include file>: none.xml: there is no such file, expected an MJCF file",
    '<compiler coordinate="global"/>':
        "2: <compiler coordinate>: 'global' found, expected local",
}  # fmt: skip


@pytest.mark.parametrize(
    "inside", [*WRONG, *WRONG_MJCF], ids=lambda text: re.sub(r"\\W+", " ", text)[-40:]
)
def test_sentences(inside: str, tmp_path: Path) -> None:
    tag, expected = (
        ("robot", WRONG.get(inside)) if inside in WRONG else ("mujoco", WRONG_MJCF[inside])
    )
    path = written(tmp_path, f"<{tag}>\n{inside}\n</{tag}>", "r.xml")
    with pytest.raises(sp.files.ModelFileError) as caught:
        sp.files.RobotFile(path)
    expected = expected.replace("{folder}", str(tmp_path))
    assert str(caught.value).splitlines()[0] == f"r.xml:{expected}"


BOMB = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10 if k else "bomb"}">' for k in range(9))
HOSTILE = {
    "bomb": f"<!DOCTYPE robot [{BOMB}]><robot name='&e8;'/>",
    "external": '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
    "external DTD": '<!DOCTYPE robot SYSTEM "http://127.0.0.1/x.dtd"><robot name="r"/>',
    "unknown entity": '<robot name="&x;"/>',
    "deep": "<robot>" + "<link>" * 3000,
    "many": "<robot>" + "<link/>" * 31_000 + "</robot>",
    "encoding": '<?xml version="1.0" encoding="utf-99"?><robot name="r"/>',
    "codec": '<?xml version="1.0" encoding="zip"?><robot name="r"/>',
    "other": "<svg/>",
    "circle": "<robot>" + "".join(
        f'<link name="l{k}"/><joint name="j{k}" type="fixed"><parent link="l{k}"/>'
        f'<child link="l{(k + 1) % 9}"/></joint>' for k in range(9)) + "</robot>",
    "long number": f'<robot><link name="a"><inertial><mass value="{"1" * 10**6}"/>'
                   '<inertia/></inertial></link></robot>',
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files(what: str, tmp_path: Path) -> None:
    """One located sentence, soon, and no other file is opened."""
    global OPENED
    path = written(tmp_path, HOSTILE[what])
    OPENED = []
    try:
        with pytest.raises(sp.files.ModelFileError) as caught:
            sp.files.RobotFile(path)
    finally:
        seen, OPENED = OPENED, None
    text = str(caught.value)
    assert re.match(r"r\.urdf:[0-9]+: .*expected ", text) and len(text) < 600, text
    assert not [name for name in seen if not name.endswith(("r.urdf", ".py", ".pyc"))]


def test_long_chains_are_read(tmp_path: Path) -> None:
    """Depth of nesting is the length of a chain in MJCF; none of it is recursion."""
    text = BODY.replace("</body>", "").replace(' name="b"', "").replace(' name="j"', "") * 200
    path = written(tmp_path, f"<mujoco><worldbody>{text}{'</body>' * 200}</worldbody></mujoco>")
    model = sp.files.read_mjcf(path)
    assert len(model.joints) == 200
