"""Model files that are wrong in many ways or meant to harm: located sentences, soon, and no more."""

# ruff: noqa: E501 -- files and messages stand on one line

from __future__ import annotations

import os
import re
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple as sp
from models.random_models import examples
from supple.io.modelfiles import tree
from supple.io.modelfiles.problems import NotedError, Problems
from supple.signals import expressions
from supple.signals.infix import combination, text_of

LINE = re.compile(r"[^:\n]+:[0-9]+: \S.*")
SLOWEST = 2.0  # s, for one file
GOOD = """\
supple: 1
name: arm
gravity: [0, 0, -9.81]
parameters: {L: 1, half: L/2}
materials: {steel: {E: 210 GPa, G: 81e9, density: 7850}}
bodies:
  rod: {type: RigidBody, mass: 2, com: [half, 0, 0], inertia: [0.1, 0.1, 0.1]}
  beam: {type: Beam, length: L, section: {type: Tube, diameter: 40 mm, wall: 2 mm}, material: steel, modes: 2}
joints:
  pin: {type: Revolute, A: ground at 0, B: rod at 0, axis: y, initial: 30 deg}
  weld: {type: Fixed, A: [rod, L], B: beam at 0}
forces:
  law{i}: {type: JointSpring, count: 2, joint: pin, stiffness: 3, spring: 2*x + x**3}
  push: {type: Force, frame: beam at L, force: [0, 0, "sin(t)"]}
events: {stop: {of: pin, value: 90 deg}}
simulation: {t_end: 1, integrator: {type: Radau}}
outputs: {save: run.nc}
"""
OPENED: list[str] | None = None


def note_opened(event: str, arguments: tuple) -> None:
    if OPENED is not None and event in ("open", "os.system", "subprocess.Popen", "exec", "import"):
        OPENED.append(f"{event} {arguments[0]}")


sys.addaudithook(note_opened)


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """What is opened, run and imported meanwhile."""
    global OPENED
    OPENED = []
    yield OPENED
    OPENED = None


def outcome(path: Path) -> str | None:
    """Text of the problems, None if there are none; anything else fails."""
    start = time.process_time()  # whatever else the machine does
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sp.files.ModelFile(path)
        found = None
    except sp.files.ModelFileError as error:
        found = str(error)
        for line in found.splitlines():
            assert LINE.fullmatch(line) and len(line) < 600, line
    except sp.ModelError as error:  # the file itself cannot be read
        found = str(error)
        assert "\n" not in found and path.name in found
    assert time.process_time() - start < SLOWEST, path.read_text()[:300]
    return found


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    return path


VALUES = [
    "", "null", "true", "[]", "{}", "[[]]", "{a: {b: {}}}", ".nan", ".inf", "-.inf", "1e400", "9" * 400, "-1", "0",
    "1e308", "10000000000000000", "nonsense", "L/0", "9**9**9", "L**L**9999", "2 parsec", "3 kg/s", "5 mm", "12 deg",
    "'no such name'", "__import__('os').system('touch made')", "(lambda: 1)()", "L.__class__", "{i}", '"{L.__class__}"',
    "!!python/object/apply:os.system [touch made]", "!!binary aGVsbG8=", "!include x", "*anchor", "&anchor 1",
    "../../etc/passwd", "/etc/passwd", "C:\\\\x", "${HOME}", "~/x", "ground at 0", "rod at 9e99", "rod at", " at 0", "[rod]",
    "[rod, 1, 2, 3, 4, 5]", "{body: rod}", "{body: rod, world: 3}", "{type: Table, times: [0], values: []}",
    "{type: Constant, value: {type: Constant, value: 1}}", "{type: block, size: [1, 1, 1], divisions: [9999999, 99999, 9999], kind: hex8, material: steel}",
    "{type: read_mesh, path: /etc/passwd}", "{type: load_component, path: ../x.npz}", "{type: SIDBody, file: x}",
    "{count: 99999999999}", "{from: -1, to: 1e9}", "[1, [2, [3, [4]]]]", "x" * 3000, "(" * 500, "-" * 1900 + "1", "'\\u0000'",
    '"\\0"', "0x1F", "1:30", "2001-01-01", "yes", "|\n    text\n    more", "steel", "pin", "half", "i", "t", "{type: [1]}", "{type: {}}",
    "{1: 2}", "{? [a]: b}", "'", "[", "}", "%", "@", "`", "a: b: c", "#",
]  # fmt: skip


@pytest.mark.parametrize("each", [1, pytest.param(6, marks=pytest.mark.slow)])
def test_every_value_replaced_by_every_wrong_one(
    each: int, tmp_path: Path, opened: list[str]
) -> None:
    """Files with one value that is something else; more than five hundred in the long suite."""
    places = [m.span(1) for m in re.finditer(r"(?<=: )([^\s{}\[\],][^{}\[\],\n]*)", GOOD)]
    assert len(places) >= 35
    rng = np.random.default_rng(3)
    refused = total = 0
    for value in VALUES:
        for start, end in (places[k] for k in rng.choice(len(places), each, replace=False)):
            path = write(tmp_path / "m.yaml", GOOD[:start] + value + GOOD[end:])
            refused += outcome(path) is not None
            total += 1
    assert total > 80 * each and refused > 0.8 * total
    assert not (tmp_path / "made").exists() and not Path("made").exists()
    assert not [what for what in opened if "passwd" in what or what.startswith(("os.", "sub"))]


def test_lines_cut_moved_and_doubled(tmp_path: Path) -> None:
    lines = GOOD.splitlines(keepends=True)
    for k in range(len(lines)):
        for changed in (
            lines[:k] + lines[k + 1 :],
            lines[:k] + lines[k : k + 1] + lines[k:],
            [*lines[:k], "   " + lines[k], *lines[k + 1 :]],
            [*lines[:k], lines[k].replace(": ", ":", 1), *lines[k + 1 :]],
            [*lines[:k], lines[k].replace("{", "[", 1), *lines[k + 1 :]],
        ):
            outcome(write(tmp_path / "m.yaml", "".join(changed)))
    assert outcome(write(tmp_path / "m.yaml", GOOD)) is None


def test_bytes_at_random(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    content = np.frombuffer(GOOD.encode(), np.uint8)
    for _ in range(60):
        changed = content.copy()
        at = rng.integers(0, len(changed), 4)
        changed[at] = rng.integers(1, 256, 4)
        (tmp_path / "m.yaml").write_bytes(changed.tobytes())
        outcome(tmp_path / "m.yaml")


LARGE = {
    "aliases": "a: &a [x, x]\n" + "".join(f"{chr(98 + k)}: &{chr(98 + k)} [*{chr(97 + k)}, *{chr(97 + k)}]\n" for k in range(20)),
    "an alias of itself": "a: &a [*a]",
    "merged keys": "a: &a {b: 1}\nc:\n  <<: *a",
    "brackets": "a: " + "[" * 200_000,
    "braces": "a: " + "{a: " * 50_000,
    "lists in lists": "- " * 100_000,
    "questions": "? " * 50_000,
    "levels": "".join(" " * k + "a:\n" for k in range(300)),
    "many values": "a: [" + "x, " * 150_000 + "]",
    "many keys": "parameters:\n" + "".join(f"  a{k}: 1\n" for k in range(60_000)),
    "a chain of parameters": "supple: 1\nparameters:\n  a0: 1\n" + "".join(f"  a{k + 1}: a{k} + 1\n" for k in range(900)),
    "parameters that grow": "supple: 1\nparameters:\n  a0: 9\n" + "".join(f"  a{k + 1}: a{k}**a{k}\n" for k in range(20)),
    "a long text": "name: " + "x" * 2_000_000,
    "long numbers": "supple: 1\ngravity: [" + ", ".join(["1" * 900] * 300) + "]",
    "numbers": "supple: 1\nsignals: {s: {type: Table, times: [" + ", ".join(["1.5"] * 50_000) + "], values: [1]}}",
    "comments": "# x\n" * 60_000,
    "tags": "a: !" + "a" * 100_000,
    "quotes": "'" * 100_001,
    "tabs": "\t" * 100_000,
    "documents": "---\n" * 30_000,
    "directives": "%YAML 1.1\n" * 1000 + "---\na: 1",
    "repeated items": "supple: 1\nbodies:\n" + "".join(f"  a{k}_{{i}}: {{type: RigidBody, mass: 1, count: 9000}}\n" for k in range(20)),
    "elements": "supple: 1\nmaterials: {s: {E: 1e9, G: 1e9, density: 1}}\ncomponents: {a: {type: block, size: [1, 1, 1], divisions: [200, 200, 200], kind: hex8, material: s}}",
    "many elements": "supple: 1\nmaterials: {s: {E: 1e9, G: 1e9, density: 1}}\ncomponents: {\"b{i}\": {count: 5000, type: plate, size_x: 1, size_y: 1, nx: 30, ny: 30, thickness: 1 mm, material: s}}",
    "modes": "supple: 1\nmaterials: {s: {E: 1e9, G: 1e9, density: 1}}\nbodies: {b: {type: Beam, length: 1, elements: 99999999, section: {type: Circle, diameter: 1}, material: s}}",
}  # fmt: skip


@pytest.mark.parametrize("case", LARGE)
def test_files_that_would_take_for_ever(case: str, tmp_path: Path) -> None:
    found = outcome(write(tmp_path / "m.yaml", LARGE[case]))
    assert (found is None) == (case == "a chain of parameters")


def test_nothing_outside_the_folder_is_read(tmp_path: Path, opened: list[str]) -> None:
    folder, secret = tmp_path / "models", tmp_path / "secret"
    folder.mkdir()
    secret.mkdir()
    write(secret / "part.yaml", "bodies: {spy: {type: RigidBody, mass: 1}}")
    write(secret / "x.npz", "secret")
    write(secret / "x.inp", "*NODE\n1, 0, 0, 0\n")
    (folder / "link.yaml").symlink_to(secret / "part.yaml")
    (folder / "link.npz").symlink_to(secret / "x.npz")
    (folder / "inside").symlink_to(secret, target_is_directory=True)
    (folder / "loop.yaml").symlink_to(folder / "loop.yaml")
    data = Path(__file__).parents[1] / "data"
    for ending in ("dof", "sti", "mas"):
        (folder / f"job.{ending}").write_bytes((data / f"hexahedra.{ending}").read_bytes())
    write(
        folder / "job.inp", f"*INCLUDE, INPUT={secret / 'x.inp'}\n*INCLUDE, INPUT=../secret/x.inp\n"
    )
    opened.clear()
    ways = ["../secret/part.yaml", str(secret / "part.yaml"), "link.yaml", "inside/part.yaml", "loop.yaml",
            "./../secret/part.yaml", "inside/../../secret/part.yaml", "", ".", "..", "//", "part.yaml/.."]  # fmt: skip
    for way in ways:
        assert outcome(write(folder / "m.yaml", f"supple: 1\ninclude: '{way}'")) is not None
    body = "supple: 1\nbodies: {b: {type: MeshBody, modes: 2, component: {type: %s}}}"
    for component in (
        "load_component, path: link.npz", "load_component, path: ../secret/x.npz",
        f"load_component, path: {secret / 'x.npz'}", "read_calculix, job: job",
        "read_calculix, job: ../secret/x", "load_component, path: inside/x.npz",
        "solid, mesh: {type: read_mesh, path: ../secret/x.msh}, material: {E: 1e9, G: 1e9, density: 1}",
    ):  # fmt: skip
        assert outcome(write(folder / "m.yaml", body % component)) is not None
    for way in ("../run.nc", str(secret / "run.nc"), "inside/run.nc"):
        text = GOOD.replace("run.nc", way)
        assert outcome(write(folder / "m.yaml", text)) is not None
    assert not [what for what in opened if "open" in what and "secret" in what]
    assert sorted(os.listdir(secret)) == ["part.yaml", "x.inp", "x.npz"]


def test_files_elsewhere_are_read_without_a_model_file(tmp_path: Path) -> None:
    """The rule holds for model files only, and while they are read only."""
    outcome(write(tmp_path / "m.yaml", "supple: 1\ninclude: ../x.yaml"))
    data = Path(__file__).parents[1] / "data"
    assert sp.fem.read_calculix(data / "hexahedra") is not None


def test_circles_of_includes(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", "include: b.yaml")
    write(tmp_path / "b.yaml", "include: c.yaml")
    write(tmp_path / "c.yaml", "include: a.yaml")
    assert "c.yaml:1: include: 'a.yaml' found, expected another file" in str(
        outcome(write(tmp_path / "m.yaml", "supple: 1\ninclude: a.yaml"))
    )
    for k in range(12):  # 2^12 files, were they all read
        write(
            tmp_path / f"p{k}.yaml",
            f"include: [{{file: p{k + 1}.yaml, prefix: a}}, {{file: p{k + 1}.yaml, prefix: b}}]",
        )
    write(tmp_path / "p12.yaml", "bodies: {x: {type: RigidBody, mass: 1}}")
    found = outcome(write(tmp_path / "m.yaml", "supple: 1\ninclude: p0.yaml"))
    assert found is not None and "more than 100 files found" in found


TOKENS = st.sampled_from(
    ["L", "t", "x", "i", "pi", "e", "1", "0", "2.5", "1e9", "1e999", "9" * 320, ".", "+", "-", "*", "/", "**", "(", ")",
     "((", "))", ",", "sin", "max", "min(", "sqrt(", "abs(", "if", "else", "lambda", ":", "[", "]", "{", "}", "'", '"', "_", "__",
     "import", "%", "//", "@", "=", "==", "<", "not", "and", "\n", " ", "\0", "é", "\u2028", "1j", "True", "None", "f''", "b''"]
)  # fmt: skip


@given(text=st.one_of(st.lists(TOKENS, max_size=30).map("".join), st.text(max_size=60)))
@examples(300)
def test_expressions_of_any_text(text: str) -> None:
    """A finite number, or a sentence: nothing else comes out of a text."""
    try:
        assert np.isfinite(expressions.value(text, {"L": 2.0, "i": -3.0}))
    except expressions.ExpressionError as error:
        assert str(error)
    for parse in (expressions.parse, expressions.names):
        try:
            parse(text)
        except expressions.ExpressionError:
            pass
    try:
        again = expressions.with_numbers(text, {"L": -2.0})
        assert again == text or "L" not in expressions.names(again)
    except expressions.ExpressionError:
        pass
    try:
        found = combination(text, ["L"], [sp.Sine(1.0, 1.0)])
        assert (
            combination(text_of(found.operations, ["L"]), ["L"], found.signals).operations
            == found.operations
        )
    except expressions.ExpressionError:
        pass


@given(text=st.text(alphabet=" \n-:[]{},'\"#&*!|>%@ab1.?\t", max_size=80))
@examples(300)
def test_yaml_of_any_text(text: str) -> None:
    problems = Problems()
    try:
        tree.parse(text, "m.yaml", problems)
    except NotedError:
        assert problems.found
