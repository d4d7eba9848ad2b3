"""Newton's matrix by blocks: the same steps as with the whole matrix."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import supple as sp
from models.kind_models import sliding
from models.random_loops import flexible_loop
from supple.analyses.run.simulate import WholeMatrices
from supple.core.base import layout as at
from supple.core.linalg import multifrontal as blocks
from supple.engine.sparsity import block_plan
from supple.formulations.equations import Equations

# Beyond its limit the integral of a controller follows the velocity, too.
GAINS = {"kp": 3.0, "ki": 20.0, "kd": 0.3, "limit": 0.2, "tracking": 0.01}


def choose(monkeypatch: pytest.MonkeyPatch, work: float) -> None:
    """Models of any size are solved by blocks if ``work`` is zero, and never if it is infinite."""
    monkeypatch.setattr(block_plan, "WORTH", work)
    monkeypatch.setattr(block_plan, "SMALLEST", 1)


def by_blocks(eq: Equations) -> bool:
    """Whether the plan has blocks of Newton's matrix."""
    return blocks.lengths(eq.compiled.ints) != (0, 0)


def chain(count: int, controlled: bool = False) -> sp.Model:
    """Links on ball joints and revolutes, the last held by a spring, some with a controller."""
    m = sp.Model(gravity=(0, -3.0, -9.81))
    end = m.ground.at(0)
    for i in range(count):
        body = m.add(sp.RigidBody(f"link{i}", 1.0, (0.25, 0, 0), (1e-3, 0.02, 0.02)))
        if i % 3 == 2:
            joint = m.add(sp.Spherical(f"joint{i}", end, body.at(0)))
        else:
            joint = m.add(sp.Revolute(f"joint{i}", end, body.at(0), axis="yz"[i % 2]))
            if controlled:
                m.add(sp.PID(f"control{i}", joint, target=0.2, **GAINS))
        end = body.at(0.5)
    m.add(sp.SpringDamper("spring", m.ground.at(0, 0, 2.0), end, stiffness=20.0, damping=0.5))
    return m


def both(monkeypatch, model, formulation, step, method=sp.Radau):
    """Some hundred steps of a given size (s), but where the error asks for smaller ones."""
    runs = []
    options = {"integrator": method(first_step=step, max_step=step), "tolerance": 1e-5}
    for work in (0.0, np.inf):
        choose(monkeypatch, work)
        assert by_blocks(formulation.equations(model)) == (work == 0.0)
        model.built.clear()  # what was compiled of it the other way
        runs.append(sp.simulate(model, 100 * step, formulation=formulation, output=10, **options))
        assert runs[-1].statistics["newton"] == ("blocks" if work == 0.0 else "dense")
    return runs


def agree(few, dense, condition=1e4, increments=False):
    """The same steps, but for a decision that rounding tips, and the same motion.

    Rounding of solutions is that of the matrix, 1e-16, times its condition. Steps of
    free size would not do: they depend on errors, which rounding changes more and more. Where rates
    are made of ``increments`` over steps, an increment differs by at most twice what positions do,
    and rates by gamma/beta of that over the step, here of half the mean step or longer.
    """
    for name in ("steps", "newton_iterations", "factorizations"):
        x, y = few.statistics[name], dense.statistics[name]
        assert abs(x - y) <= 1 + y / 50, name
    places, rates = np.abs(few.q - dense.q).max(), np.abs(few.u - dense.u).max()
    assert places < 1e-16 * condition * (1.0 + np.abs(dense.q).max())
    bound = 1e-16 * condition * (1.0 + np.abs(dense.u).max())
    if increments:
        _, _, beta, gamma, *_ = sp.GeneralizedAlpha().coefficients()
        step = float(dense.t[-1]) / dense.statistics["steps"]
        bound = gamma / beta * 2.0 * places / (0.5 * step)
    assert rates < bound


@pytest.mark.parametrize("controlled", [False, True])
@pytest.mark.parametrize("method", [sp.Radau, sp.GeneralizedAlpha])
def test_chain_of_free_bodies(monkeypatch, method, controlled):
    """The same Newton iteration, so the same numbers but for rounding."""
    runs = both(monkeypatch, chain(6, controlled), sp.Absolute(), 1e-3, method)
    agree(*runs, increments=method is sp.GeneralizedAlpha)


def test_ropes_and_sliding_points(monkeypatch):
    """A rope couples paths to all its places, a sliding point all nodes of its line."""
    roped = chain(6)
    wheel = sp.Pulley(roped["link2"].at(0.2, 0, 0.3), 0.05, "y", friction=0.2)
    path = [roped.ground.at(0, 0, 0.5), wheel, roped["link5"].at(0.5)]
    roped.add(sp.Rope("rope", path, 2e3, 2.8, 20.0, transition=0.5))
    agree(*both(monkeypatch, roped, sp.Absolute(), 1e-3))
    # Newton's matrix with its rows, in units of increments, has the condition 5e4 there, and what
    # a hundred steps round adds up
    agree(*both(monkeypatch, sliding(), sp.JointCoordinates(), 5e-4), condition=5e6)


def test_positions_alone(monkeypatch):
    """Generalized-alpha with constraints of index 3: mu is zero by rows of its own."""
    method = partial(sp.GeneralizedAlpha, step=1e-3, constraints="index3")
    agree(*both(monkeypatch, chain(6, True), sp.Absolute(), 1e-3, method))


@pytest.mark.parametrize("number", [2, *(pytest.param(k, marks=pytest.mark.slow) for k in (5, 9))])
@pytest.mark.parametrize(
    "formulation", [sp.JointCoordinates(), sp.Absolute()], ids=["joint", "absolute"]
)
def test_flexible_loops(monkeypatch, number, formulation):
    """Loops of flexible bodies with all forces."""
    model = flexible_loop(number).model()
    agree(*both(monkeypatch, model, formulation, 2e-4))


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize("tolerance", [1e-5, pytest.param(1e-7, marks=pytest.mark.slow)])
def test_bodies_without_inertia_before_the_rows_that_hold_them(tolerance):
    """Their fronts are singular until pivots are found to be rounding; then Radau holds the rows.

    Steps differ from those of whole matrices: ends do by errors, within tolerances. What is added
    to matrices and right sides is in ``nojit/test_block_matrices.py``.
    """
    model = flexible_loop(93).model()
    few, dense = (
        sp.simulate(model, 0.005, formulation=f, tolerance=tolerance, output=5)
        for f in (sp.Absolute(), WholeMatrices(sp.Absolute()))
    )
    assert few.success and few.statistics["newton"] == "blocks"
    assert dense.success and dense.statistics["newton"] == "dense"
    assert 0 < few.statistics["replaced_pivots"] < 10
    for name in ("steps", "newton_iterations"):
        assert few.statistics[name] < 1.2 * dense.statistics[name], name
    for x, y in ((few.q, dense.q), (few.u, dense.u)):
        assert np.abs(x - y).max() < 10.0 * tolerance * (1.0 + np.abs(y).max())


def test_blocks_are_taken_where_they_save_work():
    """Chains of free bodies from some links on; not joint coordinates, where all couple."""
    assert not by_blocks(sp.Absolute().equations(chain(2)))
    assert by_blocks(sp.Absolute().equations(chain(6)))
    closed = chain(6)
    end = closed.bodies["link5"].at(0.5)
    closed.add(sp.Spherical("closing", closed.ground.at(3.0), end))
    assert not by_blocks(sp.JointCoordinates().equations(closed))


def sizes(model: sp.Model) -> np.ndarray:
    """Pivots and sizes of the fronts of a model in absolute coordinates."""
    plan = at.integers(sp.Absolute().equations(model).compiled.ints, "plan")
    own = plan[plan[at.PLAN_NEWTON] :]
    table = own[own[blocks.TABLE] :][: own[blocks.FRONTS] * blocks.FRONT_INTS]
    return table.reshape(-1, blocks.FRONT_INTS)[:, [blocks.PIVOTS, blocks.SIZE]]


def test_fronts_do_not_grow_with_the_chain():
    """6 velocities, an angle and 6 rows twice; left are velocities and mu of the next link."""
    for count in (12, 24):
        found = sizes(chain_of_revolutes(count))
        assert len(found) == count
        assert np.all(found[1:-1] == (19, 31))


def chain_of_revolutes(count: int) -> sp.Model:
    """A straight chain that hangs on the ground."""
    m = sp.Model(gravity=(0, 0, -9.81))
    end = m.ground.at(0)
    for i in range(count):
        body = m.add(sp.RigidBody(f"link{i}", 1.0, (0.25, 0, 0), (1e-3, 0.02, 0.02)))
        m.add(sp.Revolute(f"joint{i}", end, body.at(0), axis="yz"[i % 2]))
        end = body.at(0.5)
    return m


def test_closing_joints_that_may_be_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which link gives coordinates without inertia changes when a joint locks: no blocks then."""
    choose(monkeypatch, 0.0)
    m = sp.Model(gravity=(0, 0, -9.81))
    tips = []
    for side in range(3):
        end = m.ground.at(0, side, 0)
        for k in range(2):
            b = m.add(sp.RigidBody(f"b{side}{k}", 1.0, (0.25, 0, 0), (1e-3, 0.02, 0.02)))
            m.add(sp.Revolute(f"j{side}{k}", end, b.at(0), axis="yz"[k]))
            end = b.at(0.5)
        tips.append(end)
    m.add(sp.Free("g0", tips[0], tips[1]))
    m.add(sp.Free("g1", tips[1], tips[2]))
    lock = sp.Event("grip", at=0.01, then=sp.Lock("g0"))
    r = sp.simulate(m, 0.02, formulation=sp.Absolute(), events=lock, output=3)
    assert r.success and r.energy.level == "trusted"


def test_nothing_that_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    choose(monkeypatch, 0.0)
    m = sp.Model()
    body = m.add(sp.RigidBody("plate", 1.0, inertia=(1, 1, 1)))
    m.add(sp.Fixed("weld", m.ground.at(0), body.at(0)))
    m.add(sp.Fixed("again", m.ground.at(0), body.at(0)))
    assert not by_blocks(sp.JointCoordinates().equations(m))
