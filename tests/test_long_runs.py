"""Runs that are kept: a run that goes on from any checkpoint ends as if it had never stopped.

A kill is a copy of the checkpoint as it is on the disk at some moment, and `resume` from the copy.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import supple as sp
from linkages import slider_crank
from supple.analyses import keeping
from supple.cases.n_four_bar import windows
from supple.integrators import driver


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
    sp.Event("latched", "clutch", value=-1.0, then=sp.Lock("clutch")),
    sp.Event("free", at=0.6, then=sp.Unlock("clutch")),
    sp.Event("half", "base", value=0.5, terminal=False),
]


class Run(NamedTuple):
    model: Callable[[], sp.Model]
    end: float
    options: dict[str, Any]
    interval: float


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
    "loops by BDF": Run(slider_crank, 0.5, {"integrator": sp.BDF()}, 0.1),
}  # fmt: skip


@pytest.fixture
def checkpoints(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """All checkpoints that runs write, of which there is one wherever a loop can pause."""
    found: list[bytes] = []

    def noted(path: Path, content: bytes) -> Path:
        found.append(bytes(content))
        path.write_bytes(content)
        return path

    monkeypatch.setattr(keeping, "write_whole", noted)
    monkeypatch.setattr(driver, "PAUSE", 0.0)  # pauses at every step
    return found


def same(a: sp.Result, b: sp.Result) -> None:
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
@pytest.mark.parametrize("name", RUNS)
def test_a_killed_run_goes_on(name: str, tmp_path: Path, checkpoints: list[bytes]) -> None:
    """From some of its checkpoints, one of them the last, to the same result to the last bit."""
    run = RUNS[name]
    kept = {"checkpoint": tmp_path / "run", "interval": run.interval}
    whole = sp.simulate(run.model(), run.end, output=50, **run.options, **kept)
    assert whole.success, whole.message
    if not isinstance(run.options.get("integrator"), sp.BDF):  # a checkpoint changes nothing
        same(sp.simulate(run.model(), run.end, output=50, **run.options), whole)
    written = list(checkpoints)
    assert len(written) >= 5
    for k in {0, len(written) // 2, len(written) - 2, len(written) - 1}:
        (tmp_path / "copy").write_bytes(written[k])
        same(sp.resume(tmp_path / "copy"), whole)
