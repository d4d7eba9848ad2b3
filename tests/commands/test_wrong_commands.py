"""Wrong command lines: each ends at once in a sentence and an exit code, never in a traceback."""

from __future__ import annotations

import shutil
import signal
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import supple as sp
from models.valid_calls import pendulum
from supple.cli import app

LONGEST = 20  # s
# The first words of a command that is right, and what its options must be.
COMMANDS: dict[str, tuple[list[str], dict[str, str]]] = {
    "demo": ([], {"--out": "folder"}),
    "new": (["new.yaml"], {"--from": "text"}),
    "check": (["m.yaml"], {}),
    "run": (
        ["m.yaml"],
        {"--until": "number", "--html": "file", "--checkpoint": "file", "--every": "number",
         "--interval": "number", "--output-to": "file"},
    ),
    "resume": (["m.cp"], {"--file": "source", "--html": "file", "--every": "number"}),
    "sweep": (["s.yaml"], {"--workers": "number", "--cluster": "number"}),
    "certify": (
        ["m.yaml", "pin.angle @ end"],
        {"--within": "number", "--until": "number", "--without": "text"},
    ),
    "view": (["m.yaml", "--no-browser"], {"--count": "number", "--until": "number"}),
    "graph": (["m.yaml"], {"--out": "file"}),
    "modes": (["m.yaml"], {"--count": "number", "--at": "text"}),
    "plot": (["m.nc"], {"--out": "file"}),
    "compare": (["m.nc", "m.nc"], {"--tolerance": "number", "--out": "file"}),
    "crosscheck": (["m.yaml"], {"--until": "number", "--accuracy": "number", "--out": "file"}),
    "export": (["m.nc"], {"--to": "file", "--every": "number"}),
    "fmu": (
        ["m.yaml"],
        {"--out": "file", "--input": "text", "--output": "text", "--version": "text",
         "--kind": "text", "--until": "number"},
    ),
    "library": ([], {"--out": "folder"}),
    "cases run": (["huang-rigit"], {}),
    "cases report": (["huang-rigit"], {"--out": "folder"}),
}  # fmt: skip
WRONG = {
    "number": ["x", "nan", "-1", "", "1e999", "--until"],
    "text": ["no such thing", "\x1b[31m", "a\nb"],
    "file": ["nowhere/x.png", "folder", "x.unknown/", "m.yaml/x"],
    "folder": ["nowhere/x/y/z/\0", "m.yaml"],
    "source": ["nothing.yaml", "folder", "empty.yaml", "binary.yaml", "latin.yaml"],
}
SOURCES = [
    "nothing.yaml", "folder", "empty.yaml", "binary.yaml", "latin.yaml", "list.yaml", "deep.yaml",
    "cut.nc", "cut.h5", "flipped.nc", "cut.cp", "strange.xyz", "robot.urdf", "\0", "a" * 5000, "",
]  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files, good ones and others."""
    here = tmp_path_factory.mktemp("commands")
    m = pendulum()
    sp.files.write_model(m, here / "m.yaml", t_end=0.02, output=4)
    result = sp.simulate(m, 0.02, output=4, checkpoint=here / "m.cp", output_to=here / "m.h5")
    result.save(here / "m.nc")
    (here / "s.yaml").write_text(
        "model: m.yaml\nparameters: {rod.mass: [1.0, 2.0]}\noutputs: [pin.angle @ end]\n"
    )
    (here / "folder").mkdir()
    (here / "empty.yaml").write_bytes(b"")
    (here / "binary.yaml").write_bytes(np.random.default_rng(1).bytes(3000))
    (here / "latin.yaml").write_bytes("name: Läufer\n".encode("latin-1"))
    (here / "list.yaml").write_text("- 1\n- 2\n")
    (here / "deep.yaml").write_text("[" * 3000)
    (here / "strange.xyz").write_text("hello\n")
    (here / "robot.urdf").write_text("<robot>")
    for name in ("m.nc", "m.h5", "m.cp"):
        content = (here / name).read_bytes()
        (here / name.replace("m", "cut", 1)).write_bytes(content[: len(content) // 2])
    changed = bytearray((here / "m.nc").read_bytes())
    changed[len(changed) // 2] ^= 4
    (here / "flipped.nc").write_bytes(bytes(changed))
    return here


def wrong_lines() -> Iterator[list[str]]:
    """Command lines, each wrong in one way."""
    yield ["no-such-command"]
    yield ["--no-such-option"]
    yield ["cases", "no-such-command"]
    for name, (words, options) in COMMANDS.items():
        command = name.split()
        yield [*command, *words, "--no-such-option"]
        if words and name not in ("cases run", "cases report"):
            yield [*command, *words[:-1]] if len(words) == 2 and words[1][0] != "-" else command
        if "." in "".join(words[:1]) and name != "new":
            for source in SOURCES:
                if source != words[0]:
                    yield [*command, source, *words[1:]]
        if words and name in ("check", "run", "resume", "sweep", "graph", "modes", "crosscheck"):
            yield [*command, *words, "one more"]
        for option, kind in options.items():
            yield [*command, *words, option]
            for value in WRONG[kind]:
                if (option, value) not in RIGHT:
                    yield [*command, *words, option, value]


# Files of any ending, and a folder for VTK files.
RIGHT = {("--checkpoint", "x.unknown/"), ("--output-to", "x.unknown/"), ("--to", "folder")}
LINES = list(wrong_lines())


def test_there_are_many() -> None:
    assert len(LINES) > 300


class Endless(BaseException):
    """A command took too long."""


def refused(line: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)

    def stop(*_: Any) -> None:
        raise Endless

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = CliRunner().invoke(app, line)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    problem = answer.exception
    if problem is not None and not isinstance(problem, SystemExit):
        tail = "".join(traceback.format_exception(problem))[-1500:]
        pytest.fail(f"{line} ends in {problem!r}\n{tail}")
    assert answer.exit_code not in (0, None), f"{line} is accepted: {answer.output[-500:]}"
    assert "Traceback" not in answer.output
    assert len(answer.output.strip()) > 10, line


def copied(files: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(files, tmp_path / "here"))


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there is no such clock")
@pytest.mark.parametrize("name", COMMANDS)
def test_some_wrong_lines(name: str, files: Path, tmp_path: Path, monkeypatch) -> None:
    """Two of each command."""
    own = [line for line in LINES if line[: len(name.split())] == name.split()]
    here = copied(files, tmp_path)
    for line in (own[0], own[len(own) // 2]):
        refused(line, here, monkeypatch)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there is no such clock")
@pytest.mark.parametrize("number", range(len(LINES)), ids=lambda k: " ".join(LINES[k])[:60])
def test_all_wrong_lines(number: int, files: Path, tmp_path: Path, monkeypatch) -> None:
    refused(LINES[number], copied(files, tmp_path), monkeypatch)
