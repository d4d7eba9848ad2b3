"""Model files: what cannot be done is told before a run, by the line or by the option."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import supple as sp
from supple.cli import app
from supple.integrators.run.driver import LoopRun

PENDULUM = """\
supple: 1
gravity: [0, 0, -9.81]
bodies:
  rod: {type: RigidBody, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  pin: {type: Revolute, A: ground at 0, B: rod at 0, axis: y}
"""
END = "simulation: {t_end: 0.1 s, output: 5}\n"
# After the pendulum, and what is wrong with it in which line.
REFUSED = {
    "outputs: {save: nowhere/run.nc}": (
        "8: outputs.save: the file '[^']*nowhere/run.nc' cannot be written: there is no folder"
    ),
    "outputs: {plots: {a.doc: pin}}": "8: outputs.plots.a.doc: .* its ending is none of ",
    "outputs: {plots: {a.png: [pin, energy.lost, rod.positoin]}}": (
        "8: outputs.plots.a.png: cannot plot 'rod.positoin', did you mean 'rod.position'?"
    ),
    "simulation: {t_end: -0.0}": (
        "7: simulation.t_end: -0.0 found, expected a time after the start at 0 s"
    ),
    "outputs: {html: arm.yaml}": "8: outputs.html: it is the model file, expected another",
    "outputs: {save: a.nc, html: a.nc}": "8: outputs.html: it is another output, expected another",
    "forces:\n  motor: {type: Motor, joint: pin, inertia: 0.1}\n"
    "events:\n  gone: {at: 0.05, then: {type: Release, item: pin}}": (
        "11: events.gone: Event 'gone': then releases Revolute 'pin', on which Motor 'motor' acts"
    ),
}


def run(*arguments: str | Path):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that begins has failed the test."""
    monkeypatch.setattr(LoopRun, "run", lambda self: pytest.fail("a run has begun"))


@pytest.mark.parametrize("more", REFUSED)
def test_check_refuses_what_run_refuses(more: str, folder: Path, no_runs: None) -> None:
    """In the same words and before the first step; what needs no run is not in the way."""
    end = "" if more.startswith("simulation") else END
    Path("arm.yaml").write_text(f"{PENDULUM}{end}{more}\n")
    done = run("run", "arm.yaml")
    assert done.exit_code == 1 and re.match(f"supple: arm.yaml:{REFUSED[more]}", done.stderr)
    assert done.stderr[len("supple: ") :].strip() in run("check", "arm.yaml").stdout
    found = run("check", "arm.yaml", "--json")
    (finding,) = json.loads(found.stdout)["findings"]
    assert found.exit_code == 1 and finding["severe"]
    place = f"{finding['file']}:{finding['line']}: {finding['key']}: {finding['text']}"
    assert done.stderr == f"supple: {place}\n"
    assert sorted(os.listdir()) == ["arm.yaml"]


def test_a_method_that_does_not_treat_the_model(folder: Path, no_runs: None) -> None:
    Path("arm.yaml").write_text(
        f"{PENDULUM}simulation: {{t_end: 1, integrator: {{type: EnergyScheme, step: 0.01}}}}\n"
    )
    done = run("run", "arm.yaml")
    assert done.exit_code == 1 and "EnergyScheme" in done.stderr
    assert done.stderr[len("supple: ") :].strip() in run("check", "arm.yaml").stdout


WRONG_OPTIONS = {
    "run arm.yaml --until 0": "--until is 0.0, expected a time after the start",
    "view arm.yaml --until nan": "--until is nan, expected",
    "run arm.yaml --every 3": "--every is 3.0, expected a checkpoint",
    "run arm.yaml --checkpoint c --interval -1": "--interval is -1.0, expected",
    "run arm.yaml --checkpoint nowhere/c": "there is no folder 'nowhere'",
    "run arm.yaml --output-to .": "it is a folder, expected a file's path",
    "run arm.yaml --checkpoint run.nc": "--checkpoint is an output of the file, expected another",
    "new other.yaml --floating": "--floating is for a robot, expected --from with a URDF file",
    "demo --out arm.yaml/here": "the folder 'arm.yaml/here' cannot be made: Not a directory",
    "library --out arm.yaml": "the folder 'arm.yaml' cannot be made: File exists",
    "new arm.yaml/other.yaml": "the folder 'arm.yaml' cannot be made: File exists",
    "export arm.yaml --to arm.yaml/vtk": "the folder 'arm.yaml/vtk' cannot be made: Not a direc",
    "resume arm.yaml --html page.txt": "ends with .html or .htm",
}


@pytest.mark.parametrize("call", WRONG_OPTIONS)
def test_wrong_options_are_named(call: str, folder: Path, no_runs: None) -> None:
    Path("arm.yaml").write_text(f"{PENDULUM}{END}outputs: {{save: run.nc}}\n")
    done = run(*call.split())
    assert done.exit_code == 2 and done.stdout == ""
    assert WRONG_OPTIONS[call] in done.stderr and len(done.stderr.splitlines()) == 1
    assert os.listdir() == ["arm.yaml"]


def test_a_run_that_goes_on_answers_as_any(folder: Path) -> None:
    """With a page, as JSON, and with the outputs of a model file that has another name now."""
    Path("arm.yaml").write_text(f"{PENDULUM}{END}outputs: {{save: run.nc}}\n")
    call = ("--html", "page.html", "--json")
    first = json.loads(run("run", "arm.yaml", "--checkpoint", "c", *call).stdout)
    for name in ("run.nc", "page.html"):
        Path(name).unlink()
    Path("arm.yaml").rename("other.yaml")
    done = run("resume", "c", "--json")
    assert json.loads(done.stdout)["written"] == [] and "supple resume --file" in done.stderr
    again = json.loads(run("resume", "c", "--file", "other.yaml", *call).stdout)
    assert again == first
    assert Path("page.html").exists() and len(sp.files.load_result("run.nc").t) == 6
    Path("other.yaml").write_text(f"{PENDULUM}{END}outputs: {{save: no/run.nc}}\n")
    done = run("resume", "c", "--file", "other.yaml")
    assert done.exit_code == 1 and "other.yaml:8: outputs.save: the file" in done.stderr


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
def test_levels_of_a_run_that_fails(folder: Path) -> None:
    """Nothing of it is called trusted or valid, however small its errors were until then."""
    small = "simulation: {t_end: 1, integrator: {type: Radau, max_steps: 3}}\n"
    Path("arm.yaml").write_text(f"{PENDULUM}{small}")
    done = run("run", "arm.yaml", "--json")
    answer = json.loads(done.stdout)
    assert done.exit_code == 1 and "until then trusted" in answer["verdict"]
    assert set(answer["levels"].values()) == {"failed"}
