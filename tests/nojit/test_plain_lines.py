"""Tangents of lines that touch each other and themselves, kernels as plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.line_models import crossing, loop
from oracles.complex_steps import compare
from supple.core.base.layout import KIND, new_work, read_model, read_work
from supple.core.contact import lines
from supple.core.equations import dynamics
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates

RUBS = sp.RoundedFriction(0.4, transition=0.5, static=0.6, stribeck=1.0)
MODELS = {
    "cross": lambda: crossing(friction=RUBS),
    "along": lambda: crossing(friction=RUBS, angle=0.1, at=(0.4, 0.6)),
    "past an end": lambda: crossing(friction=RUBS, at=(-0.02, 0.4), gap=-0.02),
    "beams": lambda: crossing("beam"),
    "a cable on a beam": lambda: crossing("cable", other="beam"),
    "itself": lambda: loop(RUBS),
}


def touching(equations: Equations, q, u, a, z) -> int:
    """Number of pieces that touch."""
    c = equations.compiled
    work = new_work(c.ints)
    dynamics.residual(c.ints, c.reals, work, 0.4, q, u, a, z, np.zeros(equations.nu))
    model, views = read_model(c.ints, c.reals), read_work(c.ints, work)
    (e,) = np.flatnonzero(model.element[:, KIND] == lines.LINE_CONTACT)
    lines.line_note(model, views, int(e))
    pieces = lines.own(model, views, int(e))[2]
    return int((pieces[: model.element[e, lines.BALLS], lines.GAP] < 0.0).sum())


@pytest.mark.parametrize("name", MODELS)
def test_tangents_are_the_complex_step(name: str) -> None:
    equations = JointCoordinates().equations(MODELS[name]())
    random = np.random.default_rng(3)
    q = equations.retract(equations.q0, 0.003 * random.standard_normal(equations.nu))
    u = equations.u0 + 0.2 * random.standard_normal(equations.nu)
    a, z = random.standard_normal(equations.nu), np.zeros(equations.nz)
    assert touching(equations, q, u, a, z) > 0
    compare(equations, q, u, a, z)
