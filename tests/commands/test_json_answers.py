"""Answers as JSON: every command that has ``--json``, and every kind of value they may hold."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import supple as sp
from supple.cli import app
from supple.commands.answers import plain

STUDY = """\
supple: 1
model: arm.yaml
t_end: 0.02
parameters: {m1: [1.0, 2.0]}
outputs: [shoulder.angle @ end]
"""
# what each command is called with, its exit code, and a key of its answer
CALLS = {
    "check": ("arm.yaml", 0, "ok"),
    "run": ("arm.yaml --until 0.02", 0, "success"),
    "resume": ("run.checkpoint", 0, "success"),
    "sweep": ("study.yaml --workers 1", 0, "rows"),
    "certify": ('arm.yaml "elbow.angle @ end" --until 0.02 --without formulation', 0, "outputs"),
    "graph": ("arm.yaml", 0, "tree"),
    "modes": ("arm.yaml", 0, "modes"),
    "compare": ("arm.nc other.nc", 0, "passed"),
    "crosscheck": ("arm.yaml --until 0.02 --no-refine", 0, "verdict"),
    "cases list": ("", 0, None),
    "cases run": ("richard-graph four-bar", 0, None),
}


def with_json() -> Iterator[str]:
    """Names of all commands that have ``--json``."""

    def below(command: Any, name: str) -> Iterator[str]:
        for key, each in getattr(command, "commands", {}).items():
            yield from below(each, f"{name} {key}".strip())
        if any("--json" in one.opts for one in command.params):
            yield name

    return below(typer.main.get_command(app), "")


def test_every_command_is_called() -> None:
    assert set(with_json()) == set(CALLS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that the commands are given."""
    place = tmp_path_factory.mktemp("answers")
    model = Path(__file__).resolve().parents[2] / "examples" / "models" / "two_link_arm.yaml"
    (place / "arm.yaml").write_bytes(model.read_bytes())
    (place / "study.yaml").write_text(STUDY)
    result = sp.files.ModelFile(place / "arm.yaml").run(
        t_end=0.02, checkpoint=place / "run.checkpoint", every=0.01
    )
    for name in ("arm.nc", "other.nc"):
        result.save(place / name)
    return place


@pytest.mark.parametrize("command", CALLS)
def test_answers_are_json(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output is one document of strict JSON, with truth values instead of numbers."""
    monkeypatch.chdir(folder)
    arguments, code, key = CALLS[command]
    done = CliRunner().invoke(app, [*command.split(), *shlex.split(arguments), "--json"])
    assert done.exit_code == code, done.output
    found = json.loads(done.stdout, parse_constant=pytest.fail)
    assert found and (key is None or key in found)
    if command == "cases run":
        assert all(q["passed"] is True for case in found for q in case["quantities"])


def test_values_of_numpy() -> None:
    given = {
        "yes": np.bool_(True),
        3: [np.int64(2), np.float32(0.5), np.nan, -np.inf],
        "array": np.array([[1.0, np.nan]]),
        "truths": np.array([True, False]),
        "pair": np.complex128(1.0 + 2.0j),
        "file": Path("a/b"),
    }
    found = plain(given)
    assert found == {
        "yes": True,
        "3": [2, 0.5, None, None],
        "array": [[1.0, None]],
        "truths": [True, False],
        "pair": [1.0, 2.0],
        "file": str(Path("a/b")),
    }
    assert found["yes"] is True and type(found["3"][0]) is int
    with pytest.raises(TypeError, match="object has no form in JSON"):
        plain([object()])
