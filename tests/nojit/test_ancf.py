"""Tangents of bodies without a frame against complex steps, their kernels as plain Python."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import supple as sp
from models import ancf_machine
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations


def test_tangents(columns):
    """Damped elements, and a frame on a node that carries a joint, a mass, forces and rows."""
    model = ancf_machine.machine(damping=sp.Rayleigh(stiffness=0.02))
    eq = Equations(build(model))
    q, u, a = ancf_machine.moved(eq)
    lam = np.random.default_rng(1).normal(size=eq.compiled.nr)
    found = eq.tangents(0.0, q, u, a, None, lam)
    state = SimpleNamespace(t=0.0, q=q, u=u, a=a, z=np.zeros(0))
    for which, tangent in (("d", found.Rq), ("u", found.Ru), ("a", found.M)):
        exact, _ = columns(eq, state, which, lam)
        # entries of sections and of joints differ by the stiffness of sections: scale by rows
        size = np.abs(exact).max(axis=1, keepdims=True) + 1e-12 * np.abs(exact).max()
        assert np.max(np.abs(tangent - exact) / size) < 1e-9, which
    assert np.allclose(eq.mass_matrix(q), found.M, rtol=1e-12, atol=1e-14)
