"""Friction with states in Newton's matrix: the same motion whichever way it is eliminated."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.coupled_chains import Tree
from models.touching_chains import state_of, touching_chain
from supple.core.base import layout as at
from supple.engine.sparsity import block_plan

RADAU = 3.6378342527, 2.6810828736 + 3.0504301992j


def test_along_the_tree():
    """What solutions with real and complex coefficients leave of the whole system is rounding."""
    rng = np.random.default_rng(3)
    eq = sp.JointCoordinates("dense").equations(touching_chain(6))
    q, u, z = state_of(eq, 4)
    state = 0.0, q, u, rng.normal(size=eq.nu), z
    found, tree = eq.tangents(*state), Tree(eq)
    assert tree.ints[at.H_BLOCK] and tree.ints[at.H_BORDER] == 12 and tree.ints[at.H_INNER] == 24
    for h in (1e-5, 1e-2):
        for g in RADAU:
            N = np.block(
                [
                    [g * found.M + h * found.Ru + h * h / g * found.Rq, h * h * found.Rz],
                    [-h / g * found.Gq - found.Gu, g * np.eye(eq.nz) - h * found.Gz],
                ]
            )
            b = rng.normal(size=len(N)) + (np.imag(g) != 0) * 1j * rng.normal(size=len(N))
            b = b if np.imag(g) else b.real
            b[: eq.nu] *= np.sqrt(np.diag(found.M))
            y, _ = tree.solve(state, np.array([h * h / g, h, g, h * h, h / g, 1.0, g, h]), b)
            expected = np.linalg.solve(N, b)
            for part in (slice(eq.nu), slice(eq.nu, None)):
                size = np.abs(expected[part]).max()
                assert np.abs(y[part] - expected[part]).max() < 1e-9 * size


@pytest.mark.parametrize("method", [sp.Radau, sp.GeneralizedAlpha])
def test_runs_are_the_same_whichever_way(monkeypatch, method):
    """Steps of a given size with a few Newton iterations each, which rounding does not tip."""
    runs, step = {}, 2e-5
    ways = {
        "dense": sp.JointCoordinates("dense"),
        "blocks": sp.JointCoordinates("blocks"),
        "rows": sp.Absolute(),
    }
    if method is sp.Radau:
        ways["tree"] = sp.JointCoordinates("tree")
    for name, formulation in ways.items():
        monkeypatch.setattr(block_plan, "WORTH", 0.0 if name != "dense" else np.inf)
        monkeypatch.setattr(block_plan, "SMALLEST", 1)
        integrator = method(first_step=step, max_step=step)
        runs[name] = sp.simulate(
            touching_chain(4),
            50 * step,
            integrator=integrator,
            formulation=formulation,
            tolerance=1e-6,
            output=5,
        )
        assert runs[name].statistics["newton"] == ("blocks" if name == "rows" else name)
    dense = runs["dense"]
    for name, run in runs.items():
        for k in range(4):
            way = np.abs(run[f"link{k}"].position - dense[f"link{k}"].position).max()
            assert way < 1e-6 * np.ptp(dense[f"link{k}"].position, axis=0).max(), name
        assert (
            np.abs(run.data.z[:, 1:] - dense.data.z[:, 1:]).max()
            < 1e-5 * np.abs(dense.data.z[:, 1:]).max()
        ), name


def test_large_models_that_stick_are_not_whole():
    """Bodies on a floor go along the tree, closed chains by blocks."""
    m = touching_chain(60)
    assert sp.JointCoordinates().equations(m).compiled.ints[at.H_BLOCK] > 0
    absolute = sp.Absolute().equations(m).compiled
    assert absolute.ints[at.H_PLANNED] == 1
