"""Statics of cables with many elements: what is soft is told from what nothing holds."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple.analyses.equilibrium.sparse_balance import rounding

pytestmark = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")


def rope(elements: int, gravity: float, both: bool) -> sp.Model:
    """A cable of 1 m, 5 mm thick, held at one end or at two that are 0.8 m apart."""
    m = sp.Model(name="rope", gravity=(0.0, 0.0, -gravity))
    material = sp.Material(E=1e9, G=4e8, density=1000.0)
    line = m.add(sp.Cable("rope", 1.0, sp.Circle(0.005), material, elements))
    m.add(sp.Spherical("left", m.ground.at(0), line.at(0)))
    if both:
        m.add(sp.Spherical("right", m.ground.at(0.8, 0, 0), line.at(1.0)))
    return m


@pytest.mark.parametrize("elements", [16, 128, pytest.param(1024, id="many")])
def test_a_hung_cable_is_stable_however_fine_it_is(elements):
    """Its softest motion is a pendulum; its stiffness is 1e-8 to 1e-13 of the largest entry."""
    found = sp.statics(rope(elements, 9.81, both=True))
    assert found.stable and not found.free, found.message
    least = found.equilibrium.stiffness[0]
    # a motion of norm one over n nodes moves each by 1/sqrt(n): n times the stiffness is the same
    coarse = sp.statics(rope(128, 9.81, both=True)).equilibrium.stiffness[0]
    assert least * elements == pytest.approx(coarse * 128, rel=0.15)


@pytest.mark.parametrize("elements", [8, 128, pytest.param(1024, id="many")])
def test_a_cable_that_nothing_holds_is_indifferent(elements):
    """Without gravity one that is held at an end turns about it in two directions, not more."""
    found = sp.statics(rope(elements, 0.0, both=False))
    assert found.success and not found.stable
    assert "indifferent along" in found.message
    assert len(found.free) == 2  # it bends, too, but that is held


def test_rounding_of_a_stiffness():
    """Entries that are rounded at random change v K v by less than is said, and not by far less."""
    from scipy.sparse import random_array

    rng = np.random.default_rng(3)
    K = random_array((200, 200), density=0.05, rng=rng).tocsr()
    v = rng.normal(size=(200, 1))
    v /= np.linalg.norm(v)
    changes = []
    for _ in range(100):
        other = K.copy()
        other.data = other.data * rng.uniform(-1.0, 1.0, size=K.nnz) * np.finfo(float).eps
        changes.append(abs(float((v.T @ (other @ v))[0, 0])))
    said = float(rounding(K, v)[0])
    assert 0.005 * said < max(changes) < said
