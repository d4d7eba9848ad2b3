"""Runs that are kept: a run that goes on from any checkpoint ends as if it had never stopped.

A kill is a copy of the checkpoint as it is on the disk at some moment, and `resume` from the copy.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import supple as sp
from models.blades import blade
from models.linkages import slider_crank
from supple import cli
from supple.analyses.run import checkpointing
from supple.cases.linkages.n_four_bar import windows
from supple.engine.base import histories
from supple.foundation.check_sums import pack, unpack
from supple.integrators.run import driver
from supple.integrators.run.checkpoints import restore
from supple.results import result
from supple.results.monitor import monitor as monitor_blocks


def arm() -> sp.Model:
    """Two links with a ball joint, a spring and a controller."""
    m = sp.Model(gravity=(0, 0, -9.81), name="arm")
    a = m.add(sp.RigidBody("a", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)))
    b = m.add(sp.RigidBody("b", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)))
    m.add(sp.Revolute("pin", m.ground.at(0), a.at(0), "y", 1.0))
    m.add(sp.Spherical("elbow", a.at(1.0), b.at(0), initial_rate=(0.3, 0, 1.0)))
    m.add(sp.PID("servo", "pin", target="0.5*sin(3*t)", kp=20.0, ki=5.0, kd=3.0))
    return m


def watched() -> list[sp.Event]:
    tip = arm()["b"].at(1.0)  # a frame is found again by the name of its body
    return [
        sp.Event("level", "pin", terminal=False),
        sp.Event("low", tip, "z", value=-1.0, terminal=False),
    ]


def beam() -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    alloy = sp.Material(E=70e9, G=26e9, density=2700)
    blade = m.add(sp.Beam("blade", 1.0, sp.Rectangle(0.01, 0.02), alloy, elements=2, modes=3))
    m.add(sp.Revolute("root", m.ground.at(0), blade.at(0), "y"))
    m.add(sp.JointSpring("spring", "root", stiffness=30.0, damping=0.1))
    return m


def discs() -> sp.Model:
    m = sp.Model(gravity=(0, 0, 0), name="discs")
    a = m.add(sp.RigidBody("a", 1.0, (0, 0, 0), (1, 1, 2.0)))
    b = m.add(sp.RigidBody("b", 1.0, (0, 0, 0), (2, 2, 3.0)))
    m.add(sp.Revolute("base", m.ground.at(0), a.at(0), "z", initial_rate=5.0))
    m.add(sp.Revolute("clutch", a.at(0), b.at(0), "z", initial_rate=-4.0))
    m.add(sp.JointSpring("spring", "base", stiffness=30.0))
    return m


LATCH = [
    sp.Event("latched", "clutch", value=-0.5, then=sp.Lock("clutch")),
    sp.Event("free", at=0.6, then=sp.Unlock("clutch")),
    sp.Event("half", "base", value=0.5, terminal=False),
]


class Run(NamedTuple):
    model: Callable[[], sp.Model]
    end: float
    options: dict[str, Any]
    interval: float | None


RUNS = {
    "Radau with events": Run(arm, 2.0, {"events": watched()}, 0.2),
    "generalized-alpha": Run(arm, 1.0, {"integrator": sp.GeneralizedAlpha(rho=0.8)}, 0.1),
    "fixed steps": Run(arm, 1.0, {"integrator": sp.HHT(alpha=-0.1, step=1e-2)}, 0.1),
    "explicit": Run(arm, 2.0, {"integrator": sp.DormandPrince(), "events": watched()}, 0.2),
    "BDF with events": Run(arm, 1.0, {"integrator": sp.BDF(), "events": watched()}, 0.1),
    "energy scheme": Run(
        slider_crank, 0.5,
        {"integrator": sp.EnergyScheme(step=5e-3), "formulation": sp.Absolute()}, 0.1,
    ),
    "phases": Run(discs, 1.0, {"events": LATCH}, 0.1),
    "a singular position": Run(lambda: windows(2), 1.0, {"tolerance": "tight"}, 0.05),
    "exchanged rows": Run(sp.cases.get("bennett").build, 3.0, {}, 0.1),
    "a quasi-static start": Run(beam, 0.2, {"start": "quasi-static"}, 0.03),
    "other bodies": Run(beam, 0.1, {"formulation": sp.DeformationModes()}, 0.02),
    "without bound": Run(blade, 3.0, {"tolerance": "loose"}, 0.1),
    "loops by BDF": Run(slider_crank, 0.5, {"integrator": sp.BDF()}, 0.1),
}  # fmt: skip


QUICK = {"Radau with events", "generalized-alpha", "BDF with events", "phases", "without bound"}
QUICK |= {"a singular position"}


def some(names: Iterable[str], quick: set[str]) -> list[Any]:
    """All names, of which some are quick."""
    return [n if n in quick else pytest.param(n, marks=pytest.mark.slow) for n in names]


@pytest.fixture
def checkpoints(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """All checkpoints that runs write, of which there is one wherever a loop can pause."""
    found: list[bytes] = []

    def noted(path: Path, content: bytes) -> Path:
        found.append(bytes(content))
        path.write_bytes(content)
        return path

    monkeypatch.setattr(checkpointing, "write_whole", noted)
    monkeypatch.setattr(driver, "PAUSE", 0.0)  # pauses at every step
    return found


def same(a: sp.results.Result, b: sp.results.Result) -> None:
    """Equal to the last bit, in all that a run finds."""
    for name in ("t", "q", "u", "z"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), strict=True)
    np.testing.assert_array_equal(a.data.channels, b.data.channels)
    counts = [{k: v for k, v in r.statistics.items() if k != "cpu_seconds"} for r in (a, b)]
    assert counts[0] == counts[1]
    assert (a.events, a.message, a.success) == (b.events, b.message, b.success)
    assert (a.data.audit, a.data.momentum) == (b.data.audit, b.data.momentum)
    assert [(c.t, c.changes, c.lost) for c in a.changes] == [
        (c.t, c.changes, c.lost) for c in b.changes
    ]
    final = a.state(), b.state()
    np.testing.assert_array_equal(final[0].q, final[1].q)
    assert a.verdict == b.verdict


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize("name", some(RUNS, QUICK))
def test_a_killed_run_goes_on(name: str, tmp_path: Path, checkpoints: list[bytes]) -> None:
    """From some of its checkpoints, one of them the last, to the same result to the last bit."""
    run = RUNS[name]
    kept = {"checkpoint": tmp_path / "run", "interval": run.interval}
    whole = sp.simulate(run.model(), run.end, output=50, **run.options, **kept)
    assert whole.success == (name != "without bound"), whole.message
    if not isinstance(run.options.get("integrator"), sp.BDF):  # a checkpoint changes nothing
        same(sp.simulate(run.model(), run.end, output=50, **run.options), whole)
    written = list(checkpoints)
    assert len(written) >= 5
    for k in {1, len(written) // 2, len(written) - 1}:
        (tmp_path / "copy").write_bytes(written[k])
        same(sp.resume(tmp_path / "copy"), whole)


def pushed(force: float = 3.0) -> sp.Model:
    """A model with a function in Python, which no file can hold."""
    m = arm()
    m.add(sp.EffortFunction("push", "pin", lambda t, q, u: force * np.sin(q) - 0.1 * u))
    return m


def test_a_model_with_functions_is_given_again(tmp_path: Path, checkpoints: list[bytes]) -> None:
    path = tmp_path / "run"
    whole = sp.simulate(pushed(), 1.0, events=watched(), checkpoint=path, interval=0.3)
    path.write_bytes(checkpoints[1])
    with pytest.raises(sp.ModelError, match=r"EffortFunction has a Python .*, expected model=\.\."):
        sp.resume(path)
    heavier = pushed()
    heavier.replace("a", mass=1.0 + 1e-12)
    with pytest.raises(sp.ModelError, match="other numbers than those of the checkpoint"):
        sp.resume(path, heavier)
    with pytest.raises(sp.ModelError, match="functions of EffortFunction 'push' accelerations"):
        sp.resume(path, pushed(3.001))
    same(sp.resume(path, pushed()), whole)


@pytest.mark.parametrize(
    "name", some(["Radau with events", "loops by BDF", "energy scheme"], {"loops by BDF"})
)
def test_states_go_to_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is that of a run in memory; a killed run goes on with the rows that are there."""
    run, folder, copies = RUNS[name], tmp_path / "runs", []
    folder.mkdir()
    write = checkpointing.write_whole

    def noted(path: Path, content: bytes) -> Path:
        copies.append({file.name: file.read_bytes() for file in folder.iterdir()})
        copies[-1][path.name] = bytes(content)
        return write(path, content)

    monkeypatch.setattr(checkpointing, "write_whole", noted)
    monkeypatch.setattr(driver, "PAUSE", 0.0)
    kept = {"checkpoint": folder / "run", "interval": run.interval}
    known = sp.simulate(run.model(), run.end, output=50, **run.options, **kept)
    copies.clear()
    kept["output_to"] = folder / "states.h5"
    same(sp.simulate(run.model(), run.end, output=50, **run.options, **kept), known)
    assert len(copies) >= 5
    for k in (0, 3, len(copies) - 1):
        other = tmp_path / str(k)
        other.mkdir()
        for file, content in copies[k].items():
            (other / file).write_bytes(content)
        if 0 < k < len(copies) - 1:  # the first is written before the run begins
            with pytest.raises(sp.ModelError, match="its run did not come to an end, expected"):
                sp.files.open_run(other / "states.h5")
        same(sp.resume(other / "run"), known)
        found = sp.files.open_run(other / "states.h5")
        same(found, known)
    part, whole = found.between(0.1, 0.4, every=2), known.data.history
    which = np.flatnonzero((known.t >= 0.1) & (known.t <= 0.4))[::2]
    np.testing.assert_array_equal(part.t, known.t[which])
    np.testing.assert_array_equal(part.data.history.wrench, whole.wrench[which])
    base = found.q
    while base is not None and not isinstance(base, np.memmap):
        base = base.base
    assert base is not None  # read where it is looked at


def test_energies_and_validity_are_found_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Energies are the same as of few output times, and nothing is called valid that is not."""
    whole = sp.simulate(beam(), 0.2, output=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast = sp.simulate(spun(), 0.2, output=300)
    for module in (histories, monitor_blocks):
        monkeypatch.setattr(module, "LONG", 100)
        monkeypatch.setattr(module, "BLOCK", 70)
    monkeypatch.setattr(result, "LONG", 100)
    for known in (whole, fast):
        found = sp.results.Result(known.data.part(np.arange(301)))
        np.testing.assert_array_equal(found.energy.kinetic, known.energy.kinetic)
        np.testing.assert_array_equal(found.data.history.momentum, known.data.history.momentum)
        before, now = known.monitor["blade"], found.monitor["blade"]
        assert (now.rotation, now.strain, now.spin) == (before.rotation, before.strain, before.spin)
        assert {f.what for f in before.findings} <= {f.what for f in now.findings}
    assert found.monitor.level == known.monitor.level == "not valid"


def spun() -> sp.Model:
    """The beam, spinning too fast for a body without stiffening."""
    m = beam()
    m.replace("root", initial_rate=60.0)
    return m


def test_ctrl_c_leaves_a_checkpoint(tmp_path: Path) -> None:
    path, start = tmp_path / "run", sp.simulate(arm(), 0.3, formulation=sp.Absolute()).state()
    whole = sp.simulate(arm(), 60.0, start=start)  # many pauses, whatever the machine

    def stop(t: float) -> None:
        if t > 1.0:
            os.kill(os.getpid(), signal.SIGINT)

    kept = {"checkpoint": path, "output_to": tmp_path / "states.h5"}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs of a shell ignore it
    try:
        with pytest.warns(sp.SuppleWarning, match="stopped by the user"):
            stopped = sp.simulate(arm(), 60.0, start=start, progress=stop, **kept)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not stopped.success and 1.0 < stopped.t[-1] < 60.0
    assert sp.files.open_run(tmp_path / "states.h5").t[-1] == stopped.t[-1]
    with pytest.raises(sp.ModelError, match=r"output_to is 'states.h5', expected another path"):
        sp.simulate(arm(), 0.1, output_to=tmp_path / "states.h5")
    same(sp.resume(path), whole)
    same(sp.files.open_run(tmp_path / "states.h5"), whole)


@pytest.mark.slow
def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a model file asks for is written by the run that goes on, too."""
    monkeypatch.chdir(tmp_path)
    sp.files.write_model(arm(), "arm.yaml", events=watched(), t_end=1.0, output=20)
    text = Path("arm.yaml").read_text()
    Path("arm.yaml").write_text(text + "outputs:\n  save: run.nc\n")
    call = ["run", "arm.yaml", "--checkpoint", "arm.checkpoint", "--interval", "0.2"]
    found = CliRunner().invoke(cli.app, call)
    assert found.exit_code == 0, found.output
    first = sp.files.load_result("run.nc")
    Path("run.nc").unlink()
    found = CliRunner().invoke(cli.app, ["resume", "arm.checkpoint"])
    assert found.exit_code == 0 and "written" in found.output
    np.testing.assert_array_equal(sp.files.load_result("run.nc")["pin.angle"], first["pin.angle"])
    Path("arm.yaml").write_text("nonsense")  # the checkpoint has the model
    found = CliRunner().invoke(cli.app, ["resume", "arm.checkpoint"])
    assert found.exit_code == 0 and "arm.yaml: the model file cannot be read" in found.output
    found = CliRunner().invoke(cli.app, ["resume", "arm.yaml"])
    assert found.exit_code == 1 and "expected a checkpoint" in found.output


def test_a_checkpoint_that_cannot_be_written(monkeypatch, tmp_path: Path) -> None:
    """It is told once, and the run goes on: it may be the last thing on a full disk."""
    path, write, calls = tmp_path / "run", checkpointing.write_whole, []

    def full(path: Path, content: bytes) -> Path:
        calls.append(path)
        if len(calls) in (1, 3):
            return write(path, content)
        raise sp.FileError(f"the file {path.name!r} cannot be written: No space left on device")

    monkeypatch.setattr(checkpointing, "write_whole", full)
    monkeypatch.setattr(driver, "PAUSE", 0.0)
    with pytest.warns(sp.SuppleWarning, match="No space .* goes on, its last checkpoint") as told:
        whole = sp.simulate(arm(), 1.0, checkpoint=path, interval=0.1)
    assert len(told) == 1 and len(calls) > 8
    monkeypatch.undo()
    same(sp.resume(path), whole)


def changed(content: bytes, **changes: Any) -> bytes:
    return bytes(pack(unpack(content) | changes))


def test_sentences(tmp_path: Path, checkpoints: list[bytes]) -> None:
    path = tmp_path / "run"
    whole = sp.simulate(discs(), 1.0, events=LATCH, checkpoint=path, interval=0.1)
    kept = checkpoints[2]
    for content, words in (
        (kept[:-1000], "it cannot be read (.*), expected a checkpoint of simulate"),
        (
            kept[:5000] + bytes([kept[5000] ^ 1]) + kept[5001:],
            "it cannot be read (.*), expected a checkpoint of",
        ),
        (changed(kept, format="other"), "it holds something else, expected a checkpoint"),
        (changed(kept, version=["0.0", ""]), r"another version of Supple wrote it \(0.0\), exp"),
        (changed(kept, pending=None, finished=[{}]), "there is no 'rows'"),
    ):
        path.write_bytes(content)
        with pytest.raises(sp.SuppleError, match=words):
            sp.resume(path)
    path.write_bytes(changed(kept, version=["0.0", ""]))
    run = {"checkpoint": path, "events": LATCH, "start": whole.state(len(whole.t) // 2)}
    for options, words in (
        (run, "start is .*, expected none of a run that is kept"),
        ({"output_to": path, "events": LATCH}, "output_to is .*, expected none in a run whose ev"),
        ({"output_to": path, "checkpoint": path}, "expected another file than the checkpoint"),
        ({"checkpoint": path}, "checkpoint is 'run', expected another path, since a run is in it"),
        ({"every": 3.0}, "every is 3.0, expected a checkpoint"),
        ({"checkpoint": tmp_path / "no" / "run"}, "there is no folder"),
        ({"checkpoint": path, "interval": -1.0}, "interval is -1.0, expected"),
    ):
        with pytest.raises(sp.SuppleError, match=words):
            sp.simulate(discs(), 1.0, **options)


FORGED = {
    "whole matrices": Run(arm, 0.5, {}, 0.1),
    "driven": Run(lambda: driven_arm(), 0.5, {}, 0.1),
    "blocks": Run(
        lambda: windows(2), 0.5, {"formulation": sp.Absolute(), "tolerance": "tight"}, 0.05
    ),
    "blocks, alpha": Run(
        slider_crank, 0.2, {"integrator": sp.GeneralizedAlpha(), "formulation": sp.Absolute()}, 0.02
    ),
    "along the tree": Run(lambda: chain(8), 0.1, {}, 0.01),
    "alpha along the tree": Run(
        lambda: chain(34), 0.02, {"integrator": sp.GeneralizedAlpha()}, 1e-3
    ),
}


def driven_arm() -> sp.Model:
    m = arm()
    m.add(sp.Driver("lead", "pin", "1.0 + 0.2*t**2"))
    return m


def chain(count: int) -> sp.Model:
    """Links in a row, long enough for an elimination along the tree; a controller."""
    m = sp.Model(gravity=(0, 0, -9.81))
    end = m.ground.at(0)
    for k in range(count):
        link = m.add(sp.RigidBody(f"link{k}", 1.0, (0.5, 0, 0), 0.1))
        m.add(sp.Spherical(f"ball{k}", end, link.at(0), initial_rate=(0.1, 0.3 * k, 0.2)))
        end = link.at(1.0)
    wheel = m.add(sp.RigidBody("wheel", 1.0, (0.1, 0, 0), 0.1))
    m.add(sp.Revolute("pin", end, wheel.at(0), "y"))
    m.add(sp.PID("servo", "pin", target="0.1", kp=20.0, ki=5.0, kd=3.0))
    return m


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize("name", FORGED)
def test_forged_places_reach_no_kernel(
    name: str, tmp_path: Path, checkpoints: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An integer of the method that a file changes is refused, or put right, or means nothing."""
    run, path = FORGED[name], tmp_path / "run"
    kept = {"checkpoint": path, "interval": run.interval}
    whole = sp.simulate(run.model(), run.end, output=20, **run.options, **kept)
    path.write_bytes(checkpoints[-3])
    refused = []

    def forged(part: driver.LoopRun, data: Any) -> None:
        """Change each integer that is not zero alone; go on with all changes that are taken."""
        counts = [data["buffers"][2], *([data["passage"]["kept"][2]] if "passage" in data else [])]
        for count in counts:
            honest, taken = count.copy(), []
            for k in np.flatnonzero(honest)[::-1]:
                if k < len(honest) - part.own_integers:
                    break
                count[k] = 2**40
                try:
                    restore(part, data)
                    taken.append(k)
                except sp.ModelError:
                    refused.append(k)
                count[k] = honest[k]
            count[taken] = 2**40
        restore(part, data)

    monkeypatch.setattr("supple.integrators.run.checkpoints.restore", forged)
    same(sp.resume(path), whole)
    assert len(refused) > 3


SCRIPT = """
import sys, warnings
import numpy as np, supple as sp
from test_long_runs import KILLED
warnings.simplefilter("ignore")
name, folder, what = sys.argv[1:]
run = KILLED[name]
if what == "resume":
    result = sp.resume(f"{folder}/run")
else:
    often = {"every": 0.03} if run.interval is None else {"interval": run.interval}
    kept = {"checkpoint": f"{folder}/run", **often}
    result = sp.simulate(run.model(), run.end, output=200, **run.options, **kept)
np.savez(f"{folder}/result.npz", q=result.q, u=result.u, w=result.data.channels)
"""
KILLED = {
    "Radau with events": Run(arm, 200.0, {"events": watched(), "tolerance": "tight"}, None),
    "generalized-alpha": Run(arm, 100.0, {"integrator": sp.GeneralizedAlpha(rho=0.8)}, None),
    "loops": Run(lambda: windows(2), 60.0, {"tolerance": "tight"}, None),
    "BDF": Run(arm, 60.0, {"integrator": sp.BDF()}, 0.5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KILLED)
def test_kills_at_random_moments(name: str, tmp_path: Path) -> None:
    """A process is killed 13 times soon after new checkpoints; it ends in the same bits."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    random, path, kills = np.random.default_rng(len(name)), tmp_path / "run", 0

    def start(folder: Path, what: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", SCRIPT, name, str(folder), what], env=env)

    known = tmp_path / "known"
    known.mkdir()
    assert start(known, "simulate").wait() == 0
    while kills < 13:
        before = path.stat().st_mtime_ns if path.exists() else 0
        process = start(tmp_path, "resume" if before else "simulate")
        while process.poll() is None and not (path.exists() and path.stat().st_mtime_ns > before):
            time.sleep(1e-3)
        time.sleep(0.1 * random.random())
        assert process.poll() is None  # the run is long enough
        process.kill()
        process.wait()
        kills += 1
    assert start(tmp_path, "resume").wait() == 0
    with np.load(known / "result.npz") as a, np.load(tmp_path / "result.npz") as b:
        for part in a.files:
            np.testing.assert_array_equal(a[part], b[part])


# The most memory of this program: getrusage begins with that of the process that started it.
MEMORY = """
import re, sys
from pathlib import Path
import supple as sp
from test_long_runs import arm, beam
model, end = {"arm": (arm, 100.0), "beam": (beam, 1.0)}[sys.argv[1]]
result = sp.simulate(model(), end, output=1_000_000, output_to=sys.argv[2])
assert result.success and result.verdict and len(sp.files.open_run(sys.argv[2]).t) == 1_000_001
print(int(re.search("VmHWM:\\s*([0-9]+) kB", Path("/proc/self/status").read_text())[1]) / 1e3)
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
@pytest.mark.parametrize("name", ["arm", "beam"])
def test_a_million_output_times_need_little_memory(name: str, tmp_path: Path) -> None:
    """The run, its verdict and the file that is opened again stay below 1 GB."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    call = [sys.executable, "-W", "ignore", "-c", MEMORY, name, str(tmp_path / "states.h5")]
    found = subprocess.run(call, env=env, capture_output=True, text=True, check=True)
    assert float(found.stdout.split()[-1]) < 1000.0  # MB


def test_states_in_a_file_that_another_result_reads(tmp_path: Path) -> None:
    """The first result keeps its own states, though the file is written again."""
    path = tmp_path / "states.h5"
    first = sp.simulate(arm(), 1.0, output=4000, output_to=path)
    end = np.array(first.q[-1])
    sp.simulate(arm(), 0.5, output=10, output_to=path)
    np.testing.assert_array_equal(first.q[-1], end)


def test_states_of_a_run_that_can_go_on_are_kept(tmp_path: Path, checkpoints: list[bytes]) -> None:
    """Another run is refused in their place, until the first one is over."""
    path, kept = tmp_path / "states.h5", {"checkpoint": tmp_path / "run", "interval": 0.2}
    whole = sp.simulate(arm(), 1.0, output=20, output_to=path, **kept)
    with h5py.File(path, "r+") as file:  # as after a kill
        del file["record"], file["time"]
        file.attrs["over"] = 0
    before, words = path.read_bytes(), "output_to is .*, expected another path, since the states"
    for other in ({}, {"checkpoint": tmp_path / "other"}):
        with pytest.raises(sp.ModelError, match=words):
            sp.simulate(arm(), 0.5, output_to=path, **other)
    assert path.read_bytes() == before and not (tmp_path / "other").exists()
    (tmp_path / "run").write_bytes(checkpoints[2])
    same(sp.resume(tmp_path / "run"), whole)
    assert sp.simulate(arm(), 0.5, output_to=path).success


def test_parts_without_output_times(tmp_path: Path) -> None:
    result = sp.simulate(arm(), 0.1, output=4)
    with pytest.raises(sp.ModelError, match=r"an interval with output times, which are from 0 to"):
        result.between(1.0, 2.0)
