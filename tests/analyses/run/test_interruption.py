"""Ctrl-C: what was computed is kept, a second one raises, and no handler is left behind.

The signals are real ones, sent to a process of its own whenever it prints "now".
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import supple as sp
from models.pendulums import pendulum
from supple.integrators.run.interruption import Interruption, raised_at_once

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")

LONG = 1e6  # s, of motion: minutes at least


def interrupted(script: str, *, signals: int = 1, code: int = 0) -> list[str]:
    """Run a script, send it Ctrl-C when it prints "now", and return what else it prints."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    guard = threading.Timer(100.0, process.kill)
    guard.start()
    lines = []
    assert process.stdout is not None and process.stderr is not None
    for line in process.stdout:
        if line.strip() == "now":
            for k in range(signals):
                time.sleep(0.3 * k)
                process.send_signal(signal.SIGINT)
        else:
            lines.append(line.strip())
    errors = process.stderr.read()
    guard.cancel()
    assert process.wait() == code, errors
    return lines


BEGIN = """
import signal, time, warnings
import supple as sp
import numpy as np
from test_interruption import LONG, METHODS, pendulum

warnings.simplefilter("ignore")

class Now:
    told = False

    def __call__(self, t):
        if t > 0.5 and not self.told:
            self.told = True
            print("now", flush=True)
"""

ONE_SIGNAL = (
    BEGIN
    + """
from supple.analyses.run import simulate as runs

def told(r):
    whole = r.t[-1] == r.state().t and len(r.t) > 3 and r.energy.kinetic[1] > 0.0
    print(r.success, whole, r.message)

for method in METHODS:
    form = sp.Absolute() if isinstance(method, sp.EnergyScheme) else None
    now = Now()
    options = {"integrator": method, "formulation": form, "output": [0, 0.1, 0.2, 0.3, LONG]}
    r = sp.simulate(pendulum(), LONG, progress=now, **options)
    told(r)
    assert now.told and sp.simulate(pendulum(), r.t[-1] + 0.1, start=r, formulation=form).success

for method in (sp.Radau(), sp.BDF()):
    now, m = Now(), pendulum()
    m.add(sp.EffortFunction("brake", "pin", lambda t, q, u: now(0.2 * t) or -0.1 * u))
    r = sp.simulate(m, LONG, output=[0, 0.1, 0.2, 0.3, LONG], integrator=method)
    told(r)
    assert np.all(np.isfinite(r["brake"].effort))  # the function answers again

plain = runs.examined

def with_signal(*arguments):
    print("now", flush=True)
    time.sleep(1.0)
    return plain(*arguments)

runs.examined = with_signal
with warnings.catch_warnings(record=True) as doubts:
    warnings.simplefilter("always")
    told(sp.simulate(pendulum(), 0.5))
print(doubts[-1].message)
runs.examined = plain

for study in (
    lambda: sp.converge(pendulum(), "tolerance", t_end=LONG, output="pin.angle", progress=Now()),
    lambda: sp.lyapunov(pendulum(), LONG, interval=LONG / 100, progress=Now()),
    lambda: sp.cases.get("duffing-regular").run(progress=Now()),
):
    try:
        study()
    except KeyboardInterrupt:
        print("raised")
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""
)
METHODS = (
    sp.Radau(),
    sp.DormandPrince(),
    sp.GeneralizedAlpha(),
    sp.BDF(),
    sp.Adams(),
    sp.EnergyScheme(step=1e-3),
)


def test_what_was_computed_is_kept() -> None:
    """By every method, within Python functions, while the result is computed; studies raise."""
    lines = interrupted(ONE_SIGNAL)
    stopped, rest = lines[: len(METHODS) + 2], lines[len(METHODS) + 2 :]
    assert all(line.startswith("False True stopped by the user at t = ") for line in stopped)
    complete = "Ctrl-C came when the run had reached its end: its result is complete"
    assert rest == ["True True reached t = 0.5 s", complete, "raised", "raised", "raised"]


TWO_SIGNALS = (
    BEGIN
    + """
def slow(t, q, u):
    if t > 0.01:
        print("now", flush=True)
        time.sleep(20.0)
    return -u

for method in (sp.Radau(), sp.BDF()):
    m = pendulum()
    m.add(sp.EffortFunction("brake", "pin", slow))
    begin = time.monotonic()
    try:
        sp.simulate(m, 1.0, integrator=method)
    except KeyboardInterrupt:
        print("raised", time.monotonic() - begin < 10.0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""
)


def test_a_second_one_raises_at_once() -> None:
    assert interrupted(TWO_SIGNALS, signals=2) == ["raised True", "raised True"]


def test_the_command_line_ends_with_130() -> None:
    demo = """
import sys
from supple import cli

plain = sp.simulate
sp.simulate = lambda model, t_end: plain(pendulum(), LONG, progress=Now())
sys.argv = ["supple", "demo"]
cli.app()
"""
    assert interrupted(BEGIN + demo, code=130) == []


def test_other_handlers_and_threads_are_left_alone() -> None:
    def mine(number: int, frame: object) -> None:
        raise AssertionError

    before = signal.signal(signal.SIGINT, mine)
    try:
        with Interruption():
            assert signal.getsignal(signal.SIGINT) is mine
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with raised_at_once(), Interruption():
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        with pytest.raises(ZeroDivisionError), Interruption() as outer:
            assert signal.getsignal(signal.SIGINT) == outer._note
            with Interruption() as inner:  # a run within a force law of another one
                signal.raise_signal(signal.SIGINT)
                assert inner.requested() and outer.requested()
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
            raise ZeroDivisionError
        with pytest.raises(ZeroDivisionError), Interruption():
            raise ZeroDivisionError
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        found = []
        thread = threading.Thread(target=lambda: found.append(sp.simulate(pendulum(), 0.1)))
        thread.start()
        thread.join()
        assert found[0].success
    finally:
        signal.signal(signal.SIGINT, before)


def test_it_is_told_and_not_called_completed() -> None:
    calls = []

    def stop(t: float) -> None:
        calls.append(t)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        pytest.skip("another handler is in place")
    with pytest.warns(sp.SuppleWarning, match="stopped by the user at t = "):
        result = sp.simulate(pendulum(), LONG, output=[0.1, LONG], progress=stop)
    assert not result.success and "STOPPED" in repr(result)
    assert result.verdict.startswith("run stopped by the user; until then trusted: ")
    assert result.t[-1] == pytest.approx(calls[-1])
