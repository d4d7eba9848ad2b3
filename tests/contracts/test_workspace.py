"""No run reads what it did not write: bits of results do not depend on what its workspace held."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.kind_models import KINDS
from models.kind_runs import INTEGRATORS, model_of, run
from supple.core.base.layout import WORK_RECORD, read_work
from supple.integrators.run.driver import LoopRun

# Zero at first: a matrix of which only some entries are ever written, and a flag
KEPT = {"mass", "quiet"}
SCRATCH = ("px", "pu", "pz", "pw", "qt", "ut", "zt", "wt", "xt", "vt", "about", "qs", "shown")


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """While its entry is True, runs begin with a workspace that is not a number."""
    fill, begin = [False], LoopRun._begin

    def begin_filled(self: LoopRun) -> None:
        begin(self)
        if fill[0]:
            work = read_work(self.compiled.ints, self.problem.equations.work)
            views = [getattr(work, name) for name in WORK_RECORD.shapes if name not in KEPT]
            for view in [*views, *(getattr(self.fields, name) for name in SCRATCH)]:
                view[...] = np.nan

    monkeypatch.setattr(LoopRun, "_begin", begin_filled)
    return fill


@pytest.mark.parametrize("method", [pytest.param(m, marks=pytest.mark.slow) for m in INTEGRATORS])
def test_a_workspace_may_hold_anything(method: str, filled: list[bool]) -> None:
    different = []
    for kind in KINDS:
        found = []
        for filled[0] in (False, True):
            try:
                r = run(model_of(kind), INTEGRATORS[method], sp.JointCoordinates())
            except sp.SuppleError:
                break
            found.append((r.q.tobytes(), r.u.tobytes(), r.z.tobytes()))
        if found and found[0] != found[-1]:
            different.append(kind)
    assert not different


def test_a_box_on_a_plane_reads_what_it_wrote(filled: list[bool]) -> None:
    """Of bars alone the scratch of a pair has an axis."""
    found = []
    for filled[0] in (False, True):
        m = sp.Model(gravity=(0, 0, -9.81))
        b = m.add(sp.RigidBody("box", 1.0, inertia=0.1))
        m.add(sp.Free("air", m.ground.at(0, 0, 0.1), b.at(0), initial_rate=(0, 0, 0, 1, 0, 0)))
        pair = sp.Cuboid(b.at(0), size=(0.2, 0.3, 0.2)), sp.Plane(m.ground.at(0))
        rubs = sp.RoundedFriction(0.5, transition=1e-2)
        m.add(sp.Contact("base", *pair, sp.HuntCrossley(0.2, 0.1, 1e5), rubs))
        r = sp.simulate(m, 0.02, output=2)
        assert r.success, r.message
        found.append((r.q.tobytes(), r.u.tobytes()))
    assert found[0] == found[1]
