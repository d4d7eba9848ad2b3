"""Frequencies of solid blocks against exact and beam solutions, and how they converge."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import expm
from scipy.optimize import brentq
from scipy.sparse.linalg import splu

import supple as sp
from models.solid_meshes import CORK, KINDS, STEEL, coordinates
from supple.fem.base.vibration import DENSE, Factor, elimination_order


def axial(mesh: sp.fem.SolidMesh) -> float:
    """Lowest frequency of a block that can only move along x, one end held."""
    across = np.arange(mesh.size).reshape(-1, 3)[:, 1:].ravel()
    held = np.union1d(across, 3 * mesh.group("x_min"))
    return float(sp.fem.lowest_modes(mesh, 1, held).frequencies[0])


@pytest.mark.parametrize("kind", KINDS)
def test_axial_frequency_converges_with_the_order_of_the_element(kind: str) -> None:
    """Without Poisson's ratio a bar's longitudinal waves are exact in three dimensions."""
    exact = np.sqrt(CORK.E / CORK.density) / 4.0  # c / (4 L), L = 1 m
    errors = [
        axial(sp.fem.block((1.0, 0.1, 0.1), (n, 1, 1), kind, CORK)) / exact - 1.0 for n in (6, 12)
    ]
    assert errors[0] > errors[1] > 0.0  # from above
    order = np.log2(errors[0] / errors[1])
    expected = 2.0 if kind in ("tet4", "hex8") else 4.0
    # tetrahedra of other shapes in the two meshes, and terms of higher order
    assert order == pytest.approx(expected, abs=0.25)


def timoshenko(L: float, h: float, material: sp.Material, number: int) -> float:
    """Frequency (Hz) of a cantilever of square section by Timoshenko's theory.

    The state w, psi, M, Q is carried along the beam; at the free end M and Q vanish.
    """
    area, moment, shear = h * h, h**4 / 12, 5.0 / 6.0 * material.G * h * h

    def determinant(f: float) -> float:
        w2 = (2 * np.pi * f) ** 2 * material.density
        A = np.zeros((4, 4))
        A[0, 1], A[0, 3] = 1.0, 1.0 / shear  # w' = psi + Q / (k G A)
        A[1, 2] = 1.0 / (material.E * moment)
        A[2, 1], A[2, 3] = -w2 * moment, -1.0  # M' = -Q - rho I w^2 psi
        A[3, 0] = -w2 * area
        end = expm(A * L)[2:, 2:]
        return float(np.linalg.det(end / [1.0, 1.0 / L]))

    grid = np.linspace(1.0, 3000.0, 3000)
    signs = np.sign([determinant(f) for f in grid])
    place = np.flatnonzero(signs[1:] != signs[:-1])[number]
    return float(brentq(determinant, grid[place], grid[place + 1], xtol=1e-9))


@pytest.mark.parametrize("kind", ["tet10", "hex20", "hex27"])
def test_cantilever_converges_to_timoshenko(kind: str) -> None:
    """A slender block without Poisson's ratio; both theories differ by the shear coefficient."""
    beams = [timoshenko(1.0, 0.1, CORK, k) for k in (0, 1)]
    found = []
    for n in (6, 12):
        mesh = sp.fem.block((1.0, 0.1, 0.1), (n, 2, 2), kind, CORK)
        held = coordinates(mesh.group("x_min"))
        modes = sp.fem.lowest_modes(mesh, 6, held).frequencies
        found.append(modes[[0, 2]])  # in pairs: the section is square
    assert np.all(found[0] > found[1])
    # Shear is 0.7 % and 4 % of the two frequencies, and 5/6 is good to two percent of it in a beam
    # whose end is held; what is left of the mesh is below a tenth of the step between both meshes.
    for k, shear in enumerate((0.007, 0.04)):
        mesh_error = 0.1 * (found[0][k] - found[1][k])
        assert found[1][k] == pytest.approx(beams[k], abs=0.02 * shear * beams[k] + mesh_error)


def test_free_modes_are_orthonormal_and_free_of_momentum() -> None:
    mesh = sp.fem.block((1.0, 0.2, 0.1), (6, 2, 2), "hex20", STEEL)
    assert mesh.size > DENSE  # the sparse way
    found = sp.fem.lowest_modes(mesh, 12)
    M, K = mesh.mass_matrix, mesh.stiffness_matrix
    assert found.shapes.T @ (M @ found.shapes) == pytest.approx(np.eye(12), abs=1e-10)
    assert np.abs(found.eigenvalues[:6]).max() < 1e-9 * found.eigenvalues[6]
    momentum = sp.fem.rigid_modes(mesh).T @ (M @ found.shapes[:, 6:])
    assert np.abs(momentum).max() < 1e-8
    residual = K @ found.shapes[:, 6:] - (M @ found.shapes[:, 6:]) * found.eigenvalues[6:]
    # rounding of the terms that cancel in K times a smooth shape
    assert np.abs(residual).max() < 1e-11 * (np.abs(K) @ np.abs(found.shapes)).max()


def test_sparse_and_dense_ways_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = sp.fem.block((1.0, 0.2, 0.1), (4, 2, 1), "hex20", STEEL)
    held = coordinates(mesh.group("x_min"))
    sparse = [sp.fem.lowest_modes(mesh, 8), sp.fem.lowest_modes(mesh, 8, held)]
    monkeypatch.setattr("supple.fem.base.vibration.DENSE", 10**6)
    dense = [sp.fem.lowest_modes(mesh, 8), sp.fem.lowest_modes(mesh, 8, held)]
    for a, b in zip(sparse, dense, strict=True):
        assert a.frequencies[6:] == pytest.approx(b.frequencies[6:], rel=1e-9)
    assert np.all(sparse[1].shapes[held] == 0.0)


def test_factor_solves_and_counts_negative_eigenvalues() -> None:
    mesh = sp.fem.block((1.0, 0.2, 0.1), (3, 2, 2), "tet10", STEEL)
    M, K = mesh.mass_matrix, mesh.stiffness_matrix
    kept = np.setdiff1d(np.arange(mesh.size), coordinates(mesh.group("x_min")))
    right = np.random.default_rng(0).standard_normal((len(kept), 2))
    solution = Factor(mesh, K, kept).solve(right)
    assert K[kept][:, kept] @ solution == pytest.approx(right, abs=1e-9)
    squares = sp.fem.lowest_modes(mesh, 12, np.setdiff1d(np.arange(mesh.size), kept)).eigenvalues
    between = 0.5 * (squares[7] + squares[8])
    assert Factor(mesh, K - between * M, kept).negative == 8


def test_nested_dissection_leaves_factors_sparse() -> None:
    """Every node once, and far less fill than in the order of the mesh or in the reverse one."""
    mesh = sp.fem.block((1.0, 1.0, 1.0), (9, 9, 9), "hex8", STEEL)
    everything = np.arange(mesh.size)
    matrix = sparse.csc_array(mesh.stiffness_matrix + 1e9 * mesh.mass_matrix)
    order = elimination_order(mesh, matrix, everything)
    assert np.array_equal(np.sort(order), everything)
    fill = [
        splu(
            sparse.csc_array(matrix[p][:, p]),
            permc_spec="NATURAL",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        ).nnz
        for p in (order, everything, order[::-1])
    ]
    # n^(4/3) instead of n^(5/3) entries, which counts little at 10 x 10 x 10 nodes (0.69 times)
    assert fill[0] < 0.75 * fill[1] and fill[0] < 0.75 * fill[2]


@pytest.mark.slow
def test_fifty_thousand_coordinates() -> None:
    """Assembling and 20 modes of a cube, the worst case for fill: a minute and 4 GB.

    The time is that of the processor: nearly all of it is one thread's, and others may be at work.
    """
    import resource
    import time

    start = time.process_time()
    mesh = sp.fem.block((0.8, 0.8, 0.8), (16, 16, 16), "hex20", STEEL)
    assert mesh.size > 50_000
    found = sp.fem.lowest_modes(mesh, 20, coordinates(mesh.group("x_min")))
    seconds = time.process_time() - start
    K, M = mesh.stiffness_matrix, mesh.mass_matrix
    kept = np.setdiff1d(np.arange(mesh.size), coordinates(mesh.group("x_min")))
    forces = (K @ found.shapes)[kept]
    residual = forces - (M @ found.shapes)[kept] * found.eigenvalues
    assert np.abs(residual).max() < 1e-7 * np.abs(forces).max()
    assert seconds < 60.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4e6  # kB
