"""Tangents of closed loops beside complex steps."""

from __future__ import annotations

import numpy as np
from hypothesis import assume

from models.random_models import State
from oracles.residual_laws import close
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations


def state(eq: Equations, seed: int, far: float = 0.3) -> State:
    """A random state near the assembled one, off the constraints."""
    rng = np.random.default_rng([seed, 3])
    c = eq.compiled
    q = eq.retract(eq.q0, far * rng.normal(size=c.nu) * c.scale)
    u, a = rng.normal(size=c.nu), rng.normal(size=c.nu)
    return State(0.3, q, u, a, rng.normal(size=c.nz))


def check_tangents(columns, recipe):
    eq = Equations(build(recipe.model()))
    assume(eq.compiled.nr > 0)
    check_tangents_of(columns, eq, recipe.tree.seed)


def check_tangents_of(columns, eq: Equations, seed: int) -> None:
    """Tangents with multipliers, and what these push, at a random state."""
    s = state(eq, seed, far=0.1)
    lam = np.random.default_rng(seed).normal(size=eq.compiled.nr)
    found = eq.tangents(s.t, s.q, s.u, s.a, s.z, lam)
    along_q, _ = columns(eq, s, "d", lam)
    along_u, _ = columns(eq, s, "u", lam)
    close(found.Rq, along_q)
    close(found.Ru, along_u, 1e-9, 1e-3 * np.abs(found.M).max())
    close(found.r, eq.residual(s.t, s.q, s.u, s.a, s.z, lam), 1e-11)
    without = eq.residual(s.t, s.q, s.u, s.a, s.z)
    push = eq.constraints(s.t, s.q, s.u).G.T @ lam
    close(found.r - without, push, 1e-11, 1.0 + np.abs(found.r).max())
