"""Radau with Newton's matrix in an envelope: the same steps as with the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from random_loops import flexible_loop
from supple.core import layout as at
from supple.core import links, radau_views
from supple.engine import plan as elimination
from supple.formulations.equations import Equations

# Beyond its limit the integral of a controller follows the velocity, too.
GAINS = {"kp": 3.0, "ki": 20.0, "kd": 0.3, "limit": 0.2, "tracking": 0.01}


def narrow(monkeypatch: pytest.MonkeyPatch, work: float) -> None:
    """Models of any size get an envelope if ``work`` is zero, and none if it is infinite."""
    monkeypatch.setattr(elimination, "NARROW", work)
    monkeypatch.setattr(elimination, "WIDE_FROM", 1)
    monkeypatch.setattr(radau_views, "WIDE_FROM", 1)


def in_order(eq: Equations) -> bool:
    """Whether the plan has an order of Newton's unknowns."""
    ints = eq.compiled.ints
    return bool(at.integers(ints, "plan")[at.PLAN_NEWTON])


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


def both(monkeypatch, model, formulation, step):
    """Some hundred steps of a given size (s), but where the error asks for smaller ones."""
    runs = []
    options = {"integrator": sp.Radau(first_step=step, max_step=step), "tolerance": 1e-5}
    for work in (0.0, np.inf):
        narrow(monkeypatch, work)
        assert in_order(formulation.equations(model)) == (work == 0.0)
        runs.append(sp.simulate(model, 100 * step, formulation=formulation, output=10, **options))
    return runs


def agree(wide, dense):
    """The same steps, but for a decision that rounding tips, and the same motion.

    Rounding of solutions is that of the matrix times its condition, 1e-16 times some 1e4. Steps of
    free size would not do: they depend on errors, which rounding changes more and more.
    """
    for name in ("steps", "newton_iterations", "factorizations"):
        x, y = wide.statistics[name], dense.statistics[name]
        assert abs(x - y) <= 1 + y / 50, name
    for x, y in ((wide.q, dense.q), (wide.u, dense.u)):
        assert np.abs(x - y).max() < 1e-12 * (1.0 + np.abs(y).max())


@pytest.mark.parametrize("controlled", [False, True])
def test_chain_of_free_bodies(monkeypatch, controlled):
    """The same Newton iteration, so the same numbers but for rounding."""
    agree(*both(monkeypatch, chain(6, controlled), sp.Absolute(), 1e-3))


@pytest.mark.parametrize("number", [2, *(pytest.param(k, marks=pytest.mark.slow) for k in (5, 9))])
@pytest.mark.parametrize(
    "formulation", [sp.JointCoordinates(), sp.Absolute()], ids=["joint", "absolute"]
)
def test_flexible_loops(monkeypatch, number, formulation):
    """Loops of flexible bodies with all forces: entries that the order does not know of."""
    model = flexible_loop(number).model()
    agree(*both(monkeypatch, model, formulation, 2e-4))


def test_an_order_is_taken_where_it_saves_work():
    """Chains of free bodies from five links on; not joint coordinates, where all couple."""
    assert not in_order(sp.Absolute().equations(chain(2)))
    assert in_order(sp.Absolute().equations(chain(6)))
    closed = chain(6)
    end = closed.bodies["link5"].at(0.5)
    closed.add(sp.Spherical("closing", closed.ground.at(3.0), end))
    assert not in_order(sp.JointCoordinates().equations(closed))


def test_width_does_not_grow_with_the_chain():
    """Entries of a chain stay as near to the diagonal, whatever its length."""
    widths = []
    for count in (12, 24):
        ints = sp.Absolute().equations(chain(count)).compiled.ints
        c = sp.Absolute().equations(chain(count)).compiled
        plan = elimination._Plan(ints, c.reals)
        place = np.array(plan.newton())
        n = plan.nu + plan.nz
        widths.append(
            max(
                np.ptp(
                    place[
                        [
                            *sorted(plan.ends(link)),
                            *(n + int(r) for r in link[at.LINK_ROW :] if r >= 0),
                        ]
                    ]
                )
                for link in plan.links
                if link[at.LINK_KIND] == links.JOIN
            )
        )
    assert widths[1] <= 1.2 * widths[0] < 80
