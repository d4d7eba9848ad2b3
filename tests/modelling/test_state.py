"""States by name: reading, changing, and starts that belong to another model."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp


def robot(reverse=False, modes=2):
    m = sp.Model(gravity=(0, 0, -9.81))
    base = m.add(sp.RigidBody("base", 3.0, inertia=(0.2, 0.3, 0.25)))
    hand = m.add(sp.RigidBody("hand", 0.6, (0, 0.1, 0.05), (0.01, 0.008, 0.009)))
    material = sp.Material(E=7e10, G=2.6e10, density=2700)
    rod = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.01, 0.02), material, 2, modes))
    ends = [m.ground.at(0, 0, 1), base.at(0)]
    m.add(sp.Free("float", *(ends[::-1] if reverse else ends)))
    ends = [base.at(0.5), hand.at(0)]
    axes = ("x", "y")
    m.add(sp.Universal("wrist", *(ends[::-1] if reverse else ends), axes=axes, initial=(0.2, 0.1)))
    m.add(sp.Spherical("ball", hand.at(0.2), rod.at(0)))
    return m


@pytest.fixture(scope="module")
def run():
    return sp.simulate(robot(), 0.2, output=10)


def test_read_by_name(run):
    state = run.state(4)
    for name in ("float", "wrist", "ball", "rod"):
        view = run[name]
        assert np.array_equal(state.coordinates(name), view.coordinates[4])
        assert np.array_equal(state.rates(name), view.rates[4])
    assert np.array_equal(run.state().coordinates("wrist"), run["wrist"].coordinates[-1])


@pytest.mark.parametrize("reverse", [False, True])
def test_changed_by_name(reverse):
    """The next run starts with the new values, in the user's convention, also backwards."""
    m = robot(reverse)
    before = sp.simulate(m, 0.2, output=4)
    state = before.state(2)
    half = np.sqrt(0.5)
    pose = [2 * half, 0, 0, 2 * half, 0.1, 0.2, 0.3]  # made to length one
    new = state.changed(
        coordinates={"wrist": (0.5, -0.4), "float": pose, "rod": [1e-3, -1e-3]},
        rates={"wrist": [1.0, 2.0], "float": [1, 2, 3, 4, 5, 6]},
        t=0.0,
    )
    r = sp.simulate(m, 0.1, start=new, output=2)
    assert r.t[0] == 0.0
    assert np.allclose(r["wrist"].coordinates[0], [0.5, -0.4])
    assert np.allclose(r["wrist"].rates[0], [1.0, 2.0])
    assert np.allclose(r["float"].coordinates[0], [half, 0, 0, half, 0.1, 0.2, 0.3])
    assert np.allclose(r["float"].rates[0], [1, 2, 3, 4, 5, 6])
    assert np.allclose(r["rod"].coordinates[0], [1e-3, -1e-3])
    assert np.allclose(r["rod"].rates[0], state.rates("rod"))
    assert np.allclose(r["ball"].coordinates[0], state.coordinates("ball"))
    # the first state is as it was, also its own arrays
    assert np.array_equal(state.coordinates("wrist"), before["wrist"].coordinates[2])


def test_sentences(run):
    state = run.state()
    with pytest.raises(sp.SuppleError, match="no joint or flexible body 'wrst', did you mean 'wri"):
        state.coordinates("wrst")
    with pytest.raises(sp.SuppleError, match=r"coordinates of 'wrist' are 0\.5, expected 2 finite"):
        state.changed({"wrist": 0.5})
    with pytest.raises(sp.SuppleError, match="rates of 'ball' are 'fast', expected 3 finite"):
        state.changed(rates={"ball": "fast"})
    with pytest.raises(sp.SuppleError, match="of 'ball' begin with four zeros, expected a quat"):
        state.changed({"ball": [0, 0, 0, 0]})
    plain = sp.State(0.0, state.q, state.u, state.z)
    with pytest.raises(sp.SuppleError, match="made by hand knows no names"):
        plain.rates("wrist")
    assert sp.simulate(robot(), 0.1, start=plain, output=2).success


def wheel(joint):
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 1.0, inertia=1.0))
    m.add(sp.Revolute(joint, m.ground.at(0), body.at(0)))
    return m


def test_a_start_belongs_to_its_model(run):
    """Sizes alone do not tell: the same number of coordinates may mean something else."""
    r = sp.simulate(wheel("hinge"), 0.1, output=2)
    with pytest.raises(sp.ModelError, match="a state of a model without 'knee'"):
        sp.simulate(wheel("knee"), 1.0, start=r)
    with pytest.raises(sp.ModelError, match="with another 'float'"):
        sp.simulate(robot(reverse=True), 1.0, start=run)
    with pytest.raises(sp.ModelError, match="with another 'rod'"):
        sp.simulate(robot(modes=[1, 3]), 1.0, start=run)
    other = wheel("hinge")
    other.replace("body", mass=3.0)
    other.gravity = (0, -9.81, 0)
    assert sp.simulate(other, 1.0, start=r, output=2).success  # other numbers are welcome


def test_the_end_of_a_beam_is_the_usual_station(run):
    assert np.array_equal(run["rod"].at().position, run["rod"].at(1.0).position)
    assert run["rod"].at().name == "rod@1"
