"""Soft parts on stiff ones: digits of the soft ones are not lost in the numbers of the stiff."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

import supple as sp
from supple.reduction.eigen import dense
from supple.reduction.modes import rigid_motions

SECTION = sp.Rectangle(0.04, 0.03)
LENGTHS = (1.0, 0.7)
# Entries of the mesh's matrices carry relative rounding of 1e-16, and a thousandfold of it is seen
# in deflections of beams: their axial stiffness is that much larger.
EXACT = 1e-11


def material(ratio: float) -> sp.Material:
    return sp.Material(2.1e11 / ratio, 8.1e10 / ratio, 7850.0)


def chain(ratio: float, modes: Any, **options: Any) -> sp.FrameStructure:
    """A stiff bar from the clamp at "a" to "b", then one that is softer by ``ratio``, to "c"."""
    x = np.cumsum([0.0, *LENGTHS])
    nodes = {name: (float(at), 0.0, 0.0) for name, at in zip("abc", x, strict=True)}
    members = [
        sp.Member("a", "b", SECTION, material(1.0), elements=3),
        sp.Member("b", "c", SECTION, material(ratio), elements=3),
    ]
    return sp.FrameStructure("chain", nodes, members, modes, **options)


def cantilever(length: float, ratio: float) -> np.ndarray:
    """Flexibility (6, 6) of the end of a clamped bar along x, after Euler and Bernoulli."""
    m, s, L = material(ratio), SECTION, length
    F = np.diag([L / (m.E * s.area)] * 6)
    for v, t, inertia, sign in ((1, 5, s.I_z, 1.0), (2, 4, s.I_y, -1.0)):
        EI = m.E * inertia
        F[v, v], F[t, t] = L**3 / (3.0 * EI), L / EI
        F[v, t] = F[t, v] = sign * L**2 / (2.0 * EI)
    F[3, 3] = L / (m.G * s.J)
    return F


def exact(ratio: float) -> np.ndarray:
    """Flexibility (6, 6) of the end of the chain: bars in series."""
    carried = np.eye(6)  # motion of "c" by that of "b": v_c = v_b + t_b x d
    carried[1, 5], carried[2, 4] = LENGTHS[1], -LENGTHS[1]
    return carried @ cantilever(LENGTHS[0], 1.0) @ carried.T + cantilever(LENGTHS[1], ratio)


def found(body: sp.FrameStructure, node: str) -> np.ndarray:
    at = body.attachment(body.at(node))
    rows = np.vstack([at.Phi, at.Psi])
    return rows @ np.linalg.solve(body.modal().K, rows.T)


@pytest.mark.parametrize("ratio", [1.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("inner", [0, 5])
def test_craig_bampton_is_exact_in_statics(inner: int, ratio: float) -> None:
    body = chain(ratio, sp.reduction.CraigBampton(["a", "b", "c"], inner))
    assert body.modal().n == 12 + inner
    for node, flexibility in (("b", cantilever(LENGTHS[0], 1.0)), ("c", exact(ratio))):
        size = np.sqrt(np.diag(flexibility))
        assert np.abs((found(body, node) - flexibility) / np.outer(size, size)).max() < EXACT


@pytest.mark.parametrize("reference", ["clamped", "mean_axis"])
@pytest.mark.parametrize("ratio", [1e3, 1e6])
def test_craig_bampton_with_all_modes_has_all_frequencies(ratio: float, reference: str) -> None:
    """The lowest by the flexibility, which is right for them: K x = w^2 M x as M x = w^-2 K x."""
    body = chain(ratio, sp.reduction.CraigBampton(["a", "b", "c"], 24), reference=reference)
    mesh = body.mesh()
    K, M = (dense(X) for X in (mesh.stiffness_matrix, mesh.mass_matrix))
    basis = np.eye(len(K))[:, 6:]
    if reference == "mean_axis":  # deformations without momentum
        rigid = rigid_motions(mesh.nodes)
        basis -= rigid @ np.linalg.solve(rigid.T @ M @ rigid, rigid.T @ M @ basis)
    K, M = (basis.T @ X @ basis for X in (K, M))
    lowest = 1.0 / eigh(M, K, eigvals_only=True)[::-1][:6]
    frequencies = (2.0 * np.pi * body.modal().frequencies[:6]) ** 2
    # A free body moves its stiff part with the soft one: of the soft one's energy the rounding of
    # the stiff one's matrix remains, on both sides.
    bound = EXACT if reference == "clamped" else max(EXACT, 1e-13 * ratio)
    assert frequencies == pytest.approx(lowest, rel=bound)
