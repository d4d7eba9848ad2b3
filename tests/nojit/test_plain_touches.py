"""What is passed through is seen at accepted steps, by kernels as plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple.core.base.layout import new_work, read_model, read_work
from supple.core.run import step as st
from supple.core.run import touches
from supple.loops.assembly import compile_model

THIN = 1e-4


def flight(way: tuple[float, float, float], bend: float = 0.0) -> tuple[float, float]:
    """Passages and overlap after a step in which a point goes that way past a thin plate.

    ``bend`` is how far it goes aside in the middle.
    """
    m = sp.Model()
    body = m.add(sp.RigidBody("point", 1.0, inertia=0.1))
    ways = [("translate", axis) for axis in "xyz"]
    m.add(sp.General("ways", m.ground.at(0), body.at(0), ways, initial=(0, 0, 0.5)))
    plate = sp.Cuboid(m.ground.at(0), size=(1.0, 1.0, THIN), rounding=0.0)
    m.add(sp.Contact("hit", sp.Point(body.at(0)), plate, sp.HuntCrossley(stiffness=1e3)))
    compiled = compile_model(m)
    reals, integers = st.RUN_RECORD.span(compiled.ints, 0, 0)
    run, count = np.zeros(reals), np.zeros(integers, dtype=np.int64)
    model = read_model(compiled.ints, compiled.reals)
    work = read_work(compiled.ints, new_work(compiled.ints))
    r = st.read_run(compiled.ints, run, count)
    r.q[:] = compiled.q0
    for k in range(3):
        r.px[k, 1] = way[k]
    r.px[0, 1], r.px[0, 2] = r.px[0, 1] + 4 * bend, -4 * bend
    touches.contact_follow(model, work, r, count, 0.0, 1.0, 1.0)
    return float(r.through.max()), float(r.jump.max())


@pytest.mark.parametrize("way, bend, through, jump", [
    ((0.1, 0.2, -1.0), 0.0, 1, 0.0), ((0.1, 0.2, -1.0), 2.0, 0, 0.0),
    ((0.0, 0.0, -0.3), 0.0, 0, 0.0), ((0.0, 0.0, -0.5), 0.0, 0, 0.5 * THIN),
])  # fmt: skip
def test_what_a_step_passes_through(way, bend, through, jump) -> None:
    """Straight through, around its edge, not as far, and into it."""
    assert flight(way, bend) == (through, pytest.approx(jump, abs=1e-12))
