"""How kernels are compiled, kept and loaded."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import supple
from supple.core.base import layout
from supple.core.bodies import chart
from supple.core.run import step
from supple.native import build, cache, declare, library, plain_launcher
from supple.native.declare import INTS, IVEC, REALS, VEC

PACKAGE = Path(supple.__file__).parent


def run(code: str, cache_folder: Path, parent: Path = PACKAGE.parent, **variables: str):
    """Run a fresh interpreter on the package below ``parent``."""
    env = {**os.environ, "PYTHONPATH": str(parent), "SUPPLE_CACHE_DIR": str(cache_folder)}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**env, **variables},
        capture_output=True,
        text=True,
        check=True,
    )


# Moves a ball joint: `move` calls `retract`, which calls `so3.quaternion_step`. Buffers of
# the model come from a file, so that no other entry is needed.
MOVE = """
import sys, numpy as np
from supple.core.bodies import chart
ints, reals, work, q = (np.load(sys.argv[1])[k] for k in ("ints", "reals", "work", "q"))
out = np.zeros(4)
chart.move(ints, reals, work, q, np.array([0.4, 0.0, 0.0]), out)
print(*map(float.hex, out), "numba" in sys.modules)
"""


@pytest.fixture(scope="module")
def ball(tmp_path_factory):
    """Buffers of a body on a ball joint, in a file."""
    from supple.formulations.trees import JointCoordinates

    m = supple.Model()
    b = m.add(supple.RigidBody("b", mass=1, inertia=1))
    m.add(supple.Spherical("s", m.ground.at(0), b.at(0)))
    eq = JointCoordinates().equations(m)
    c = eq.compiled
    path = tmp_path_factory.mktemp("ball") / "ball.npz"
    np.savez(path, ints=c.ints, reals=c.reals, work=layout.new_work(c.ints), q=eq.q0)
    return path


def moved(ball, cache_folder, parent=PACKAGE.parent, **variables):
    """What ``MOVE`` prints in a fresh process: the four numbers, and what it says meanwhile."""
    code = MOVE.replace("sys.argv[1]", repr(str(ball)))
    done = run(code, cache_folder, parent, **variables)
    *numbers, numba = done.stdout.split()
    assert numba == "False"  # compilers run in other processes
    return numbers, done.stderr


@pytest.mark.slow
def test_after_an_edit_only_what_depends_on_it_is_compiled_again(tmp_path, ball):
    """The edited function is two files away from the kernel that is called."""
    copy = tmp_path / "supple"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    kept = tmp_path / "cache"
    first, message = moved(ball, kept, tmp_path)
    numbers = [float.fromhex(n) for n in first]
    np.testing.assert_allclose(numbers, [np.cos(0.2), np.sin(0.2), 0.0, 0.0], atol=1e-15)
    assert "compiling kernels" in message
    again, message = moved(ball, kept, tmp_path)
    assert again == first
    assert message == ""  # from the cache
    other = copy / "core" / "linalg" / "multifrontal.py"
    other.write_text(other.read_text() + "\n# `move` has nothing to do with it\n")
    assert moved(ball, kept, tmp_path) == (first, "")
    so3 = copy / "core" / "base" / "so3.py"
    so3.write_text(so3.read_text().replace("f = 0.5 * c\n", "f = 0.25 * c\n"))
    edited, message = moved(ball, kept, tmp_path)
    assert "compiling kernels" in message
    assert edited != first
    assert not list(kept.rglob(".*-*"))  # no temporary files are left


@pytest.mark.slow
def test_every_way_to_machine_code_gives_the_same_numbers(tmp_path, ball):
    """With and without a C compiler, with Numba as it is written; all for one processor."""
    empty = tmp_path / "no programs"
    empty.mkdir()
    common = dict(SUPPLE_PREBUILT="0", SUPPLE_CPU="x86-64-v2")
    found = [
        moved(ball, tmp_path / "cache", **common)[0],
        moved(ball, tmp_path / "cache", PATH=str(empty), CC="", **common)[0],
        moved(ball, tmp_path / "cache", SUPPLE_PLAIN_NUMBA="1", **common)[0],
    ]
    assert found[0] == found[1] == found[2]


def test_importing_compiles_nothing():
    code = (
        "from supple.native import declare\n"
        "entries = declare.all_entries()\n"
        "assert entries and not any(e.loaded for e in entries.values())\n"
        "import sys; assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("launcher", ["compiled", "plain"])
@pytest.mark.parametrize(
    "which, value",
    [
        (2, np.zeros((10, 2))[:, 0]),
        (3, np.zeros(4, np.float32)),
        (3, np.zeros((2, 2))),
        (0, np.zeros(8)),
        (5, 3.0),
        (4, np.frombuffer(bytes(32))),
        (4, np.frombuffer(bytearray(36), offset=4)),
    ],
    ids=["stride", "single", "dimensions", "real for whole", "number", "read-only", "misaligned"],
)
def test_other_arguments_are_refused(launcher, which, value):
    move = chart.move.ready()
    if launcher == "plain":
        move = plain_launcher._callable("move", "iffvvv", "-", 8)  # refused before it is called
    given = [np.zeros(64, np.int64), *(np.zeros(n) for n in (64, 64, 4, 4, 4))]
    given[which] = value
    with pytest.raises(TypeError, match="move: argument"):
        move(*given)
    with pytest.raises(TypeError, match="move takes 6 arguments, not 5"):
        move(*given[:5])


def test_every_entry_is_in_the_warm_up():
    names = set(declare.all_entries())
    assert {"radau_run", "residual", "accelerate", "mass_matrix", "tangent", "history"} <= names


def test_declared_types_are_those_of_the_views():
    """Shared kernels have one signature: that of the views as they are cut."""
    from supple.native.compiler import numba_type, of_kernel

    def returned(kernel, *kinds):
        given = tuple(numba_type(k) for k in kinds)
        made = of_kernel(kernel)
        made.compile(given)
        return made.overloads[given].signature.return_type.types

    tree, work = returned(layout.views, INTS, REALS, VEC)
    assert (tree, work) == (numba_type(layout.TREE).content, numba_type(layout.WORK).content)
    run_kind, *_ = returned(step.run_views, layout.TREE, VEC, IVEC)
    assert run_kind == numba_type(step.RUN).content


def test_an_unusable_cache_folder_is_told_and_nothing_is_left(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    done = run("from supple.native import cache; print(cache.folder())", blocked)
    assert f"cannot be kept in {blocked}" in done.stderr
    assert not Path(done.stdout.strip()).exists()


def test_the_cache_folder_may_be_in_the_home_folder(monkeypatch):
    monkeypatch.setenv(cache.VARIABLE, "~/kernels")
    assert cache.wanted_folder() == Path.home() / "kernels"


@pytest.mark.slow
def test_a_killed_build_leaves_nothing_running(tmp_path):
    """The workers end at once, though they are compiling."""
    env = {**os.environ, "SUPPLE_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, str(PACKAGE / "native" / "alone.py"), "build", "radau_run"]
    process = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        pytest.skip("child processes are not listed here")
    deadline = time.monotonic() + 30.0
    workers: list[int] = []
    while not workers and time.monotonic() < deadline:
        workers = [int(n) for n in children.read_text().split()]
        time.sleep(0.1)
    time.sleep(2.0)  # Numba is being imported, or compiles
    process.send_signal(signal.SIGKILL)
    process.wait()
    while any(Path(f"/proc/{n}").exists() for n in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert workers and not any(Path(f"/proc/{n}").exists() for n in workers)


def test_a_kernel_that_cannot_be_compiled_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    entry = declare.Entry(lambda x: x.nothing, (VEC,))
    entry.name = "unknown_entry"
    with pytest.raises(build.BuildError, match="kernel unknown_entry cannot be compiled"):
        build.compile_objects([entry], "x86-64-v2")


def test_the_schedule_hands_out_everything_once_and_tells_the_time():
    entries = [e for e in declare.all_entries().values()]
    plan = build.Schedule(entries, 2)
    assert plan.seconds_left() > 1.0
    first, second = plan.take(), plan.take()
    assert first.name != second.name
    plan.finish(first)
    assert 0.0 < plan.share() < 1.0
    handed = [first, second]
    while (entry := plan.take()) is not None:
        handed.append(entry)
        plan.finish(entry)
    assert sorted(e.name for e in handed) == sorted(e.name for e in entries)
    plan.finish(second)
    assert plan.share() == pytest.approx(1.0) and plan.seconds_left() == 1.0


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """Time of the schedule, in s."""
    now = [0.0]
    monkeypatch.setattr(build, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_the_time_left_falls_while_the_first_entries_compile(clock):
    plan = build.Schedule(declare.all_entries().values(), 2)
    first, second = plan.take(), plan.take()
    at_start, work = plan.seconds_left(), min(plan._work([e]) for e in (first, second))
    for clock[0] in np.linspace(0.0, build.SURE * build.SECONDS * work, 10):
        assert plan.seconds_left() == pytest.approx(at_start - clock[0])


def test_what_progress_tells_goes_one_way(clock, capsys):
    """It moves within the first entries, and on a slow machine the time left does not grow."""
    plan, progress = build.Schedule(declare.all_entries().values(), 2), build.Progress()
    first, second = plan.take(), plan.take()
    entries, expected = [first, second], build.SECONDS * plan._work([first])
    for clock[0] in np.arange(0.0, 30.0 * expected, 5.0):
        progress.show(plan)
        if entries and clock[0] > 3.0 * expected:
            plan.finish(entries.pop())
    found = re.findall(r": (\d+) %, about (\d+) s left", capsys.readouterr().err)
    shares, left = np.array(found, dtype=float).T
    assert len(found) > 5 and shares[0] == 0.0 and shares[-1] > 0.0
    assert np.all(np.diff(shares) >= 0.0) and np.all(np.diff(left) <= 0.0)


def test_the_time_left_learns_from_an_entry_that_takes_long(clock):
    """On a machine three times slower the truth is told before the first entry is done."""
    plan = build.Schedule(declare.all_entries().values(), 1)
    first = plan.take()
    guessed, expected = plan.seconds_left(), build.SECONDS * plan._work([first])
    told = []
    for clock[0] in np.linspace(expected, 3.0 * expected, 10):
        told.append(clock[0] + plan.seconds_left())  # the whole time
    assert np.all(np.diff(told) > 0.0)
    held_back = 1.0 / build.SURE - 1.0  # of the entry, so that the machine may seem slower still
    assert told[-1] == pytest.approx(3.0 * guessed, rel=held_back)
    plan.finish(first)
    assert clock[0] + plan.seconds_left() == pytest.approx(3.0 * guessed, rel=held_back)


def test_the_library_has_all_entries():
    library.warm_up()
    entries = declare.all_entries().values()
    assert all(e.loaded for e in entries if not isinstance(e, declare.Shared))
