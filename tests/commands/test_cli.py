"""The command line: what it prints where, and its exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import supple
from supple.cases import Case, Quantity
from supple.cli import app

ROBOTS = Path(__file__).resolve().parents[2] / "examples" / "robots"


def run(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def made_up(monkeypatch):
    """Replace the cases by quick ones: the command is under test here, not the engine."""

    def case(name, value):
        made = Case(name, f"title of {name}", "a book", (1.0,), lambda: None, lambda result: [])
        object.__setattr__(made, "run", lambda: [Quantity("height", value, 2.0, 1e-3)])
        return made

    made = (case("apple", 2.0), case("pear", 2.1), case("plum", float("nan")))
    monkeypatch.setattr("supple.cases.all", lambda: made)


def test_version():
    done = run("--version")
    assert done.exit_code == 0
    assert done.stdout.strip() == f"supple {supple.__version__}"


def test_cases_list(made_up):
    done = run("cases", "list")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:2] == ["apple  title of apple", "       a book"]


def test_cases_run_json_is_exact_and_alone(made_up):
    done = run("cases", "run", "apple", "pear", "--json")
    assert done.exit_code == 1
    quantity = {"name": "height", "value": 2.0, "reference": 2.0, "tolerance": 1e-3, "passed": True}
    off = quantity | {"value": 2.1, "passed": False}
    assert json.loads(done.stdout) == [
        {"case": "apple", "source": "a book", "passed": True, "quantities": [quantity]},
        {"case": "pear", "source": "a book", "passed": False, "quantities": [off]},
    ]
    assert done.stderr == ""


def test_cases_run_exit_codes(made_up):
    assert run("cases", "run", "apple").exit_code == 0
    assert run("cases", "run", "pear").exit_code == 1
    assert run("cases", "run", "apple", "pear").exit_code == 1
    for everything in (run("cases", "run", "all", "--json"), run("cases", "run", "--json")):
        assert everything.exit_code == 1
        report = json.loads(everything.stdout)
        assert [entry["case"] for entry in report] == ["apple", "pear", "plum"]
        assert report[2]["quantities"][0]["value"] is None


def test_cases_run_tells_what_is_off(made_up):
    done = run("cases", "run", "pear")
    assert "pear: FAILED, 1 of 1 off" in done.stdout
    assert "height: 2.1, reference 2, off by 1.0e-01" in done.stdout
    assert "apple: passed" in run("cases", "run", "apple").stdout


def test_exact_cases_have_no_tolerance():
    done = run("cases", "run", "richard-graph")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == ["richard-graph: passed, 114 quantities", "  all exact"]


def test_unknown_case(made_up):
    done = run("cases", "run", "appel", "--json")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.strip() == "supple: there is no case 'appel', did you mean 'apple'?"


def test_errors_of_supple_are_one_sentence(monkeypatch):
    def fail():
        raise supple.ModelError("RigidBody 'link1'", "mass", -1.0, "a positive number")

    monkeypatch.setattr("supple.cases.all", fail)
    done = run("cases", "list")
    assert done.exit_code == 1
    assert done.stdout == ""
    expected = "supple: RigidBody 'link1': mass is -1.0, expected a positive number"
    assert done.stderr.strip() == expected


def test_help_is_light():
    code = (
        "import sys; from typer.testing import CliRunner; from supple.cli import app;"
        "out = CliRunner().invoke(app, ['--help']); assert out.exit_code == 0, out.output;"
        "assert 'warmup' in out.stdout and 'demo' in out.stdout;"
        "heavy = {'scipy', 'xarray', 'matplotlib', 'networkx', 'pydantic', 'h5py', 'pandas'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_warmup(monkeypatch):
    asked = []
    monkeypatch.setattr("supple.native.library.warm_up", lambda: asked.append(True))
    done = run("warmup")
    assert done.exit_code == 0 and asked
    assert re.fullmatch(r"kernels ready after 0\.\d s", done.stdout.strip())


@pytest.mark.parametrize("command", ["warmup", "demo"])
def test_without_a_compiler(tmp_path, command):
    """Numba is not installed and there is no library: a sentence that says what to install."""
    code = (
        "import importlib.metadata as m\n"
        "def none(name): raise m.PackageNotFoundError(name)\n"
        "m.version = none\n"
        "from supple.cli import app\n"
        "app()"
    )
    env = {**os.environ, "SUPPLE_PREBUILT": "0", "SUPPLE_CACHE_DIR": str(tmp_path)}
    call = [sys.executable, "-c", code, command]
    done = subprocess.run(call, capture_output=True, text=True, env=env, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.strip() == (
        "supple: there are no compiled kernels of supple for this platform, and without numba none "
        "can be compiled: pip install numba"
    )


def test_other_failing_imports_keep_their_traceback(monkeypatch):
    def fail():
        raise ImportError("no module of that name")

    monkeypatch.setattr("supple.cases.all", fail)
    assert type(run("cases", "list").exception) is ImportError


def test_demo(tmp_path):
    done = run("demo", "--out", str(tmp_path / "new"))
    assert done.exit_code == 0
    assert "trusted: energy error" in done.stdout
    assert "J, strain energy 4.6e-02 J" in done.stdout
    assert "trusted: constant" in done.stdout
    assert "triangle inequality" in done.stdout
    assert done.stderr == ""
    assert (tmp_path / "new" / "demo.png").stat().st_size > 20_000
    assert "demo.html: open it in a browser" in done.stdout
    assert "link2" in (tmp_path / "new" / "demo.html").read_text(encoding="utf-8")


def test_real_cases_as_json():
    done = run("cases", "run", "huang-rigid", "--json")
    assert done.exit_code == 0
    (entry,) = json.loads(done.stdout)
    assert entry["case"] == "huang-rigid"
    assert entry["passed"] is True
    assert all(q["passed"] for q in entry["quantities"])


@pytest.mark.slow
def test_model_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("new", "arm.yaml").exit_code == 0
    assert run("new", "arm.yaml").exit_code == 1
    done = run("check", "arm.yaml")
    assert done.exit_code == 0 and "ready to run" in done.stdout
    text = (tmp_path / "arm.yaml").read_text()
    outputs = text.replace("# outputs:", "outputs:").replace("#   ", "  ").replace("2 s", "0.1 s")
    (tmp_path / "arm.yaml").write_text(outputs)
    done = run("run", "arm.yaml")
    assert done.exit_code == 0 and "trusted" in done.stdout and "pendulum.nc" in done.stdout
    assert (tmp_path / "pendulum.nc").exists() and (tmp_path / "pendulum.png").exists()
    done = run("view", "arm.yaml", "--html", "arm.html")
    assert done.exit_code == 0 and "arm.html: open it in a browser" in done.stdout
    assert (tmp_path / "arm.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "other.html" in run("run", "arm.yaml", "--html", "other.html").stdout
    assert (tmp_path / "other.html").exists()


def test_examples_and_robots_as_model_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    listed = run("examples").stdout
    assert re.search(r"^chain +A chain of equal links", listed, re.MULTILINE)
    assert run("new", "mine.yaml", "--from", "chain").exit_code == 0
    assert (tmp_path / "parts" / "link.yaml").exists()
    done = run("run", "mine.yaml", "--until", "0.01")
    assert done.exit_code == 0 and "0 to 0.01 s" in done.stdout
    assert "did you mean 'chain'?" in run("new", "other.yaml", "--from", "chian").stderr
    robot = str(ROBOTS / "quadruped.urdf")
    assert run("new", "dog.yaml", "--from", robot, "--floating").exit_code == 0
    assert type(supple.files.read_model("dog.yaml")["base"]) is supple.Free
    assert "ready to run" in run("check", robot).stdout
    assert run("run", robot, "--until", "0.01").exit_code == 0
    assert run("run", robot).stderr == (
        "supple: quadruped.urdf: there is no t_end, expected one by `supple run --until`, "
        "or `supple new x.yaml --from quadruped.urdf`\n"
    )


def test_wrong_model_files(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text("supple: 1\nbodies:\n  a: {type: RigidBody, mass: -1}\n  b: {type: Rod}\n")
    for command in ("check", "run"):
        done = run(command, str(path))
        assert done.exit_code == 1 and done.stdout == ""
        assert done.stderr.splitlines()[0] == (
            "supple: arm.yaml:3: bodies.a.mass: -1.0 found, expected a positive number"
        )
        assert done.stderr.splitlines()[1].startswith("arm.yaml:4: bodies.b.type: 'Rod' found")
    path.write_text("supple: 1\nbodies:\n  a: {type: RigidBody, mass: 1}\n")
    assert "arm.yaml:3: bodies.a: RigidBody 'a' has no path" in run("check", str(path)).stderr
    assert "no such file" in run("run", str(tmp_path / "none.yaml")).stderr


def test_schema():
    done = run("schema")
    assert done.exit_code == 0 and json.loads(done.stdout)["title"] == "Supple model file"


@pytest.mark.parametrize("called", [["supple"], ["-m"]])
@pytest.mark.parametrize("module", ["supple.bodies", "typer", "supple.io.modelfiles"])
def test_ctrl_c_at_any_time(called, module):
    """While libraries are loaded, before the command begins and in it: a sentence, no traceback."""
    code = (
        "import os, signal, sys\n"
        f"sys.argv = {called} + ['schema']; sys.orig_argv = ['python', '-m', 'supple']\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "from supple.cli import app; app()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "supple: stopped by the user\n")
