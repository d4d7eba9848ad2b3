"""Bricks of eight nodes: bending and volume without locking, exact fields, moderate distortion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import spsolve

import supple as sp
from models.solid_meshes import STEEL, coordinates, shaken
from supple.fem.base.solid_kinds import rule, shapes
from supple.fem.solids.geometry import slopes_in_space, strain_rows
from supple.fem.solids.matrices import FUNCTIONS, strains_at


def material(nu: float) -> sp.Material:
    return sp.Material(E=1e6, G=5e5 / (1.0 + nu), density=1.0)


def bending(nodes: np.ndarray, nu: float, middle: tuple[float, float]) -> np.ndarray:
    """Displacements of pure bending in x, y with curvature 1: stress E y alone, exact in space."""
    x, y, z = nodes[:, 0], nodes[:, 1] - middle[0], nodes[:, 2] - middle[1]
    return np.stack([x * y, -(x * x + nu * (y * y - z * z)) / 2, -nu * y * z], axis=1)


@pytest.mark.parametrize("nu", [0.0, 0.3, 0.499, 0.49999])
@pytest.mark.parametrize("divisions", [(4, 1, 1), (2, 2, 3)])
def test_a_block_holds_pure_bending(divisions, nu: float) -> None:
    """Nodal values of the exact field: no force on inner and free nodes, the moment is E I."""
    mesh = sp.fem.block((1.0, 0.2, 0.1), divisions, "hex8", material(nu))
    u = bending(mesh.nodes, nu, (0.1, 0.05)).ravel()
    force = (mesh.stiffness_matrix @ u).reshape(-1, 3)
    ends = np.union1d(mesh.group("x_min"), mesh.group("x_max"))
    inner = np.setdiff1d(np.arange(len(mesh.nodes)), ends)
    # stiffness times displacements cancels up to rounding of the largest term, that of the volume
    rounding = 1e-13 * np.abs(mesh.stiffness_matrix).max() * np.abs(u).max()
    assert np.abs(force[inner]).max() < max(1e-9, rounding)
    tip = mesh.group("x_max")
    moment = force[tip, 0] @ (mesh.nodes[tip, 1] - 0.1)
    assert moment == pytest.approx(1e6 * 0.1 * 0.2**3 / 12, rel=1e-6)


@pytest.mark.parametrize("nu", [0.0, 0.3, 0.499])
def test_stresses_of_bending_are_linear_within_one_brick(nu: float) -> None:
    mesh = sp.fem.block((1.0, 0.2, 0.1), (3, 1, 1), "hex8", material(nu))
    u = bending(mesh.nodes, nu, (0.1, 0.05)).ravel()
    for y in (0.03, 0.17):
        stress = mesh.stress((0.5, y, 0.02)) @ u
        assert stress == pytest.approx([1e6 * (y - 0.1), 0, 0, 0, 0, 0], abs=1e-3)


@pytest.mark.parametrize("nu", [0.0, 0.3, 0.499])
def test_one_layer_bends_like_a_beam(nu: float) -> None:
    """A moment at the end, the other end free to contract: tip at M L^2 / 2 E I."""
    mesh = sp.fem.block((1.0, 0.02, 0.02), (10, 1, 1), "hex8", material(nu))
    foot, tip = mesh.group("x_min"), mesh.group("x_max")
    held = [*(3 * foot), 3 * foot[0] + 1, 3 * foot[0] + 2, 3 * foot[1] + 1]
    load = np.zeros((len(mesh.nodes), 3))
    load[tip, 0] = np.sign(mesh.nodes[tip, 1] - 0.01) / (4 * 0.01)  # a unit moment about -z
    free = np.setdiff1d(np.arange(mesh.size), held)
    u = np.zeros(mesh.size)
    u[free] = spsolve(mesh.stiffness_matrix[free][:, free], load.ravel()[free])
    exact = -1.0 / (2 * 1e6 * 0.02**4 / 12)
    assert u.reshape(-1, 3)[tip, 1].mean() == pytest.approx(exact, rel=2e-3)


def test_moderate_distortion_is_borne() -> None:
    """Skewed bricks, edges inclined by 1 to 4 in the plane of bending: a few percent."""
    size, found = (1.0, 0.1, 0.1), []
    for slope in (0.0, 0.25, -0.25):
        mesh = sp.fem.block(size, (16, 1, 1), "hex8", material(0.0))
        nodes = mesh.nodes.copy()
        inner = (nodes[:, 0] > 1e-9) & (nodes[:, 0] < 1 - 1e-9)
        nodes[inner, 0] += slope * (nodes[inner, 1] - 0.05)
        mesh = sp.fem.SolidMesh(nodes, mesh.cells, "hex8", material(0.0), mesh.groups)
        held = coordinates(mesh.group("x_min"))
        load = np.zeros((len(nodes), 3))
        load[mesh.group("x_max"), 1] = 0.25
        free = np.setdiff1d(np.arange(mesh.size), held)
        u = np.zeros(mesh.size)
        u[free] = spsolve(mesh.stiffness_matrix[free][:, free], load.ravel()[free])
        found.append(u.reshape(-1, 3)[mesh.group("x_max"), 1].mean())
    exact = 1 / (3 * 1e6 * 0.1**4 / 12) + 1.2 / (5e5 * 0.01)
    assert found == pytest.approx([exact] * 3, rel=0.03)


def test_own_strains_do_no_work_on_constant_stress() -> None:
    """Their mean vanishes in every element, so that the patch test is passed."""
    mesh = shaken("hex8")
    places, weights = rule(False, 3)
    corners = mesh.nodes[mesh.cells]
    volume, rows = strains_at("hex8", corners, mesh.law, places)
    of_nodes = strain_rows(slopes_in_space(shapes("hex8", places)[1], corners)[1])
    assert np.abs(rows - of_nodes).max() > 0.1 * np.abs(of_nodes).max()
    mean = np.einsum("eq,eqia->eia", weights * volume, rows - of_nodes)
    assert np.abs(mean).max() < 1e-14 * np.abs(of_nodes).max()
    assert len(FUNCTIONS) == 21


def test_numbering_from_another_corner_changes_nothing() -> None:
    mesh = shaken("hex8", (2, 2, 2))
    turned = mesh.cells[:, [1, 2, 3, 0, 5, 6, 7, 4]]
    tipped = mesh.cells[:, [3, 2, 6, 7, 0, 1, 5, 4]]
    K = mesh.stiffness_matrix
    for cells in (turned, tipped):
        other = sp.fem.SolidMesh(mesh.nodes, cells, "hex8", STEEL)
        assert np.abs(other.stiffness_matrix - K).max() < 1e-12 * np.abs(K).max()


def test_a_column_of_bricks_buckles_at_eulers_load() -> None:
    """Clamped and free, one layer: stress of the own strains and compatible slopes agree."""
    mesh = sp.fem.block((1.0, 0.03, 0.02), (16, 1, 1), "hex8", material(0.0))
    loads = np.zeros((len(mesh.nodes), 3))
    loads[mesh.group("x_max"), 0] = -0.25
    found = sp.buckling(mesh, loads.ravel(), coordinates(mesh.group("x_min")))
    exact = np.pi**2 * 1e6 * 0.03 * 0.02**3 / 12 / 4
    # slopes are constant in an element: pi^2 / 12 of the square of its part of the wave, 1/32
    assert found.factors[0] == pytest.approx(exact, rel=5e-3)
