"""Tangents of contacts, kernels as plain Python: every surface and every law of friction."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.plain_models import CARRIED, MEETINGS, ROLLERS, RUBBING, laid, meeting, touching
from oracles.complex_steps import compare
from supple.core.base.layout import KIND, new_work, read_model, read_work
from supple.core.contact import contact, pairs
from supple.core.equations import dynamics
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates

PAIRS = [
    *(("bristle", shape, False) for shape in CARRIED),
    *((rubbing, shape, False) for rubbing in RUBBING for shape in ("ring", "plane")),
    *((rubbing, "plane", True) for rubbing in RUBBING | ROLLERS),
]
# Numbers of parts of surfaces, as core/contact/surfaces.py counts them
PARTS = {
    "end of a bar": (1, 2),
    "end of a cylinder": (1, 2),
    "edge of a cylinder": (3, 4),
    "face of a box": (17, 19, 20, 28, 32, 64),
    "edge of a box": (68,),
    "corner of a box": (69,),
}


def branch(equations: Equations, q, u, a, z) -> tuple[int, int]:
    """Branch of the contact, and the part of the surface that it touches."""
    compiled = equations.compiled
    ints, reals, work = compiled.ints, compiled.reals, new_work(compiled.ints)
    dynamics.residual(ints, reals, work, 0.4, q, u, a, z, np.zeros(equations.nu))
    model, views = read_model(ints, reals), read_work(ints, work)
    (e,) = np.flatnonzero(model.element[:, KIND] == pairs.CONTACT)
    part, code = divmod(contact.contact_branch(model, views, int(e), z), 4)
    return code, part


def state(equations: Equations, seed: int) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(seed)
    q = equations.retract(equations.q0, 0.02 * random.standard_normal(equations.nu))
    u = equations.u0 + random.standard_normal(equations.nu)
    return q, u, random.standard_normal(equations.nu), 0.1 * random.standard_normal(equations.nz)


@pytest.mark.parametrize(("rubbing", "shape", "wheel"), PAIRS)
def test_tangents_are_the_complex_step(rubbing: str, shape: str, wheel: bool) -> None:
    equations = JointCoordinates().equations(touching(shape, rubbing, wheel))
    q, u, a, z = state(equations, 1)
    compare(equations, q, u, a, z)
    code, part = branch(equations, q, u, a, z)
    assert code == (3 if "slides" in rubbing else 2), "it does not touch as its name says"
    assert part in PARTS.get(shape, (0,))


@pytest.mark.parametrize("name", MEETINGS)
def test_tangents_of_pairs_of_solids(name: str) -> None:
    """At the places that their names tell of; some part of them touches."""
    for rubbing in ("bristle", "rounded"):
        equations = JointCoordinates().equations(meeting(name, rubbing))
        _, u, a, z = state(equations, 1)
        u = equations.u0 + 0.1 * (u - equations.u0)
        for row in touched(equations, u, a, z):
            assert -0.2 < row[pairs.GAP] < 0.0, "it does not touch"
        compare(equations, equations.q0, u, a, z)


def touched(equations: Equations, u, a, z) -> list[np.ndarray]:
    """Numbers of the pairs that touch, at the start; not none."""
    compiled = equations.compiled
    ints, reals, work = compiled.ints, compiled.reals, new_work(compiled.ints)
    dynamics.residual(ints, reals, work, 0.4, equations.q0, u, a, z, np.zeros(equations.nu))
    model, views, found = read_model(ints, reals), read_work(ints, work), []
    for e in np.flatnonzero(model.element[:, KIND] == pairs.CONTACT):
        pairs.locate(model, views, int(e))
        row = pairs.numbers(views)[0].copy()
        if row[pairs.GAP] < 0.0:
            found.append(row)
    assert found
    return found


LAWS = {
    "none": None,
    "bristle": sp.Friction(40.0, stiffness=30.0, damping=4.0),
    "rounded": sp.RoundedFriction(0.4, transition=0.5),
}


@pytest.mark.parametrize("kind", ["cable", "beam"])
@pytest.mark.parametrize("rubbing", LAWS)
def test_tangents_of_a_line_are_the_complex_step(kind: str, rubbing: str) -> None:
    """Points within elements, which have no axes: pushed and rubbed at their centres."""
    equations = JointCoordinates().equations(laid(kind, LAWS[rubbing]))
    q, u, a, z = state(equations, 2)
    assert contact_gaps(equations, q, u, a, z).max() < 0.0
    compare(equations, q, u, a, z)


def contact_gaps(equations: Equations, q, u, a, z) -> np.ndarray:
    """Gap of each contact of a model."""
    compiled = equations.compiled
    ints, reals, work = compiled.ints, compiled.reals, new_work(compiled.ints)
    dynamics.residual(ints, reals, work, 0.4, q, u, a, z, np.zeros(equations.nu))
    model, views = read_model(ints, reals), read_work(ints, work)
    gaps = []
    for e in np.flatnonzero(model.element[:, KIND] == pairs.CONTACT):
        pairs.locate(model, views, int(e))
        gaps.append(pairs.numbers(views)[0][pairs.GAP])
    return np.array(gaps)
