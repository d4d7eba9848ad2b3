"""Closed loops on random models: rows, tangents, accelerations, and every tree alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given

import supple as sp
from models.random_loops import loop_recipes
from models.random_models import examples
from oracles.loop_laws import check_tangents, state
from oracles.residual_laws import close
from supple import cases
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations
from supple.loops.assembly import compile_model

STEP = 1e-3
STENCIL = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}  # fourth order




def difference(f) -> np.ndarray:
    """Derivative of f at 0 by a central difference of fourth order."""
    return sum(w * np.asarray(f(k * STEP)) for k, w in STENCIL.items()) / STEP


@examples(60)
@given(loop_recipes(max_closings=3, max_bodies=4))
def test_rows_and_their_derivatives(recipe):
    """Violation, rate, acceleration, G and H are derivatives of one another."""
    eq = Equations(build(recipe.model()))
    assume(eq.compiled.nr > 0)
    s = state(eq, recipe.tree.seed)
    found = eq.constraints(s.t, s.q, s.u, s.a)
    size = 10.0 * (1.0 + np.abs(found.G).max() + np.abs(found.H).max())
    for k, unit in enumerate(np.eye(eq.nu)):

        def moved(x: float, d=unit):
            return eq.constraints(s.t, eq.retract(s.q, x * d), s.u)

        close(found.G[:, k], difference(lambda x, f=moved: f(x).violation), 1e-9, size)
        close(found.H[:, k], difference(lambda x, f=moved: f(x).rate), 1e-9, size)
    in_time = difference(lambda x: eq.constraints(s.t + x, s.q, s.u).violation)
    close(found.rate, found.G @ s.u + in_time, 1e-9, size)
    speed = difference(lambda x: eq.constraints(s.t + x, s.q, s.u).rate)
    # along the motion: q' by its retraction, u' = a
    close(found.acceleration, found.G @ s.a + found.H @ s.u + speed, 1e-8, size)


@pytest.mark.slow
@examples(60)
@given(recipe=loop_recipes(max_closings=3, max_bodies=4, forces="all"))
def test_tangents_with_multipliers_equal_complex_steps(columns, recipe):
    check_tangents(columns, recipe)


@pytest.mark.slow
@examples(25)
@given(recipe=loop_recipes(max_closings=2, flexible=True))
def test_tangents_of_flexible_loops(columns, recipe):
    check_tangents(columns, recipe)




@examples(60)
@given(loop_recipes(max_closings=2, max_bodies=4, forces="all"))
def test_accelerations_solve_the_constrained_equations(recipe):
    """M a + h - f + G' lam = 0 and the rows' second derivatives vanish."""
    try:
        eq = Equations(compile_model(recipe.model()))
    except sp.ModelError as error:  # a driver of something that cannot move
        assume("expected drivers that the constraints can follow" not in str(error))
        raise
    assume(eq.compiled.nr > 0)
    q, u = eq.q0, eq.u0
    z = np.zeros(eq.nz)
    try:
        a = eq.accelerate(0.0, q, u, z)
    except sp.ModelError:
        assume(False)  # a lock or singular position of the random model
    lam = eq.multipliers()
    rows = eq.constraints(0.0, q, u, a)
    M = eq.mass_matrix(q)
    condition = np.linalg.cond(np.block([[M, rows.G.T], [rows.G, np.zeros((len(lam),) * 2)]]))
    assume(condition < 1e7)
    size = 1.0 + np.abs(a).max()
    close(rows.acceleration, np.zeros(len(lam)), 1e-9, size * (1.0 + np.abs(rows.G).max()))
    close(eq.residual(0.0, q, u, a, z, lam), np.zeros(eq.nu), 1e-9, size * (1.0 + np.abs(M).max()))
    assert np.abs(rows.violation).max() < 1e-10
    assert np.abs(rows.rate).max() < 1e-9 * (1.0 + np.abs(u).max())


# ------------------------------------------------------------------------------- steps on one loop


@dataclass(frozen=True)
class Loose(sp.DormandPrince):
    """A method that does not know of constraints."""

    loops = False


def test_a_method_without_constraints_is_refused():
    with pytest.raises(sp.ModelError) as caught:
        sp.simulate(cases.get("four-bar").build(), 0.1, integrator=Loose())
    assert str(caught.value).endswith("expected a method that keeps constraints, e.g. Radau()")


@pytest.mark.parametrize("formulation", [sp.JointCoordinates(), sp.Absolute()])
def test_newton_converges_on_loops_at_any_tolerance(formulation):
    """Exact tangents of the rows: about three iterations a step, hardly one that fails.

    Without d(G u)/dq in the matrix, or with multipliers that are not extrapolated, steps fail by
    the hundred at tight tolerances, and some runs stop.
    """
    model = cases.get("four-bar").build()
    for tolerance in (1e-6, 1e-8, 1e-10):
        r = sp.simulate(model, 0.5, tolerance=tolerance, formulation=formulation, output=5)
        assert r.success, r.message
        steps = r.statistics["steps"]
        assert r.statistics["newton_failures"] <= 2 + 0.1 * steps
        assert r.statistics["newton_iterations"] < 5 * steps
