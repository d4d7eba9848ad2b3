"""The line that tells how far a run is: in terminals, not in files, and gone at the end."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest

import supple as sp
from models.pendulums import pendulum
from supple.foundation import progress
from supple.foundation.progress import duration, told


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def see(monkeypatch, stream: io.StringIO) -> None:
    """Let the line be written to a stream; pytest has its own one in the place of sys.stderr."""
    seen = types.SimpleNamespace(stderr=stream, stdout=stream, modules={})
    monkeypatch.setattr(progress, "sys", seen)
    monkeypatch.setattr(progress, "_teller", progress.Teller())


@pytest.fixture
def terminal(monkeypatch) -> Terminal:
    stream = Terminal()
    see(monkeypatch, stream)
    monkeypatch.setattr(progress, "FIRST", 0.1)
    monkeypatch.setattr(progress, "EVERY", 0.02)
    monkeypatch.setenv("COLUMNS", "150")
    return stream


def slow(seconds: float = 0.4) -> sp.Model:
    """A pendulum whose run takes some time, whatever the machine."""
    m, begin = pendulum(), []

    def brake(t: float, q: float, u: float) -> float:
        begin.append(time.monotonic())
        time.sleep(0.002 if begin[-1] - begin[0] < seconds else 0.0)
        return -0.1 * u

    m.add(sp.EffortFunction("brake", "pin", brake))
    return m


def test_a_run_in_a_terminal(terminal, monkeypatch) -> None:
    monkeypatch.setattr("supple.integrators.run.progress.WINDOW", 0.3)
    sp.simulate(slow(), 2.0)
    lines = terminal.getvalue().split("\r")
    shown = [line for line in lines if line.startswith("supple: t = ")]
    number = r"\d(\.\d+)?e-\d\d"
    told = rf"t = \S+ of 2 s \(\d+%\), step {number} s, energy error ({number}|0), ~\d+ s left"
    assert shown and re.fullmatch(f"supple: {told}", shown[-1].rstrip())
    assert len(shown[-1].rstrip()) < 80  # it fits a usual terminal
    assert lines[-1] == "" and lines[-2].strip() == ""  # it is removed
    assert max(map(len, lines)) < 150


def test_when_it_is_not_wanted(terminal) -> None:
    sp.simulate(slow(), 2.0, progress=False)
    times: list[float] = []
    sp.simulate(slow(), 2.0, progress=times.append)
    assert times and terminal.getvalue() == ""


def test_files_get_lines_only_if_asked(terminal, monkeypatch) -> None:
    file = io.StringIO()
    see(monkeypatch, file)
    monkeypatch.setattr(progress, "EVERY_LINE", 0.1)
    sp.simulate(slow(), 2.0)
    assert file.getvalue() == ""
    sp.simulate(slow(), 2.0, progress=True)
    lines = file.getvalue().splitlines()
    assert lines and all(line.startswith("supple: ") for line in lines)


def test_short_runs_are_silent(terminal, monkeypatch) -> None:
    monkeypatch.setattr(progress, "FIRST", 1.5)
    sp.simulate(pendulum(), 0.1)
    assert terminal.getvalue() == ""


def test_the_thread_ends_when_there_is_nothing_to_tell(terminal, monkeypatch) -> None:
    monkeypatch.setattr(progress, "IDLE", 3)
    with told("something"):
        thread = progress._teller._thread
        assert thread is not None and thread.is_alive()
    thread.join(timeout=10.0)
    assert not thread.is_alive()
    with told("something else"):  # and comes back
        time.sleep(0.3)
    assert "something else" in terminal.getvalue()


def test_what_progress_may_be() -> None:
    with pytest.raises(sp.ModelError, match="progress is 3, expected True, False, None or a call"):
        sp.simulate(pendulum(), 0.1, progress=3)


def test_the_innermost_text_is_shown(terminal) -> None:
    with told("outer"):
        with told("inner"):
            time.sleep(0.3)
        with told(""):
            shown = terminal.getvalue()
            time.sleep(0.1)
            assert terminal.getvalue() == shown  # others write
        with told(lambda: 1 / 0):  # a text that cannot be made yet
            time.sleep(0.1)
        assert "inner" in shown and "outer" not in shown
        time.sleep(0.2)
    assert "outer" in terminal.getvalue()
    with told("never", show=False), told("nor this"):
        time.sleep(0.2)
    assert "never" not in terminal.getvalue() and "nor this" not in terminal.getvalue()


def test_a_notebook(monkeypatch) -> None:
    class ZMQInteractiveShell:
        pass

    class Shell(ZMQInteractiveShell):  # services derive their own from it
        pass

    class IPython:
        get_ipython = staticmethod(Shell)

    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    monkeypatch.setitem(sys.modules, "IPython", IPython)
    assert progress._place(None) == (sys.stdout, True)
    cell = io.StringIO()
    line = progress.Line(cell, True, "t = 1 of 4 s (25%)")
    line._next = 0.0
    line.tell()
    assert cell.getvalue() == "\rsupple: " + 5 * "\u2588" + 15 * "\u2591" + " t = 1 of 4 s (25%)"
    assert progress.bar("the lowest modes are searched") == ""


def test_durations() -> None:
    times = (0.2, 40.0, 300.0, 7200.0, 4e5, 1e12)
    assert [duration(t) for t in times] == [
        *("1 s", "40 s", "5 min", "2 h", "5 days", "3.2e+04 years")
    ]


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of POSIX")
def test_a_real_terminal() -> None:
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    script = (
        "from supple.foundation import progress\nprogress.FIRST = 0.2; progress.EVERY = 0.1\n"
        "import supple as sp\nfrom test_progress import slow\n"
        "sp.simulate(slow(), 2.0)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run([sys.executable, "-c", script], stderr=slave, env=env, timeout=100)
    os.close(slave)
    text = os.read(master, 100_000).decode()
    os.close(master)
    assert done.returncode == 0 and "supple: t = " in text and text.endswith("\r")
