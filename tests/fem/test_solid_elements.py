"""Solid elements: integration, rigid motions, the patch test, strains and stresses at points."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest
from scipy.sparse.linalg import spsolve

import supple as sp
from models.solid_meshes import KINDS, STEEL, coordinates, curved, inside, shaken
from supple.fem.base.solid_kinds import KINDS as DESCRIBED
from supple.fem.base.solid_kinds import rule, shapes

RNG = np.random.default_rng(7)
# An affine displacement: every entry different, so that exchanged axes are seen.
SLOPE = np.array([[1.0, 0.3, -0.2], [0.5, -0.7, 0.4], [0.1, 0.6, 0.9]]) * 1e-3
SHIFT = np.array([0.01, -0.02, 0.03])
STRAIN = np.array(
    [
        *np.diag(SLOPE),
        SLOPE[0, 1] + SLOPE[1, 0],
        SLOPE[0, 2] + SLOPE[2, 0],
        SLOPE[1, 2] + SLOPE[2, 1],
    ]
)


@pytest.mark.parametrize("degree", [1, 2, 4, 7])
def test_rules_of_tetrahedra_are_exact(degree: int) -> None:
    places, weights = rule(True, degree)
    assert weights.min() > 0.0
    for a in range(degree + 1):
        for b in range(degree + 1 - a):
            for c in range(degree + 1 - a - b):
                exact = factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3)
                found = weights @ np.prod(places ** [a, b, c], axis=1)
                assert found == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("degree", [2, 3, 4, 5, 9])
def test_rules_of_hexahedra_are_exact(degree: int) -> None:
    places, weights = rule(False, degree)
    assert weights.min() > 0.0
    for powers in RNG.integers(0, degree + 1, (20, 3)):
        exact = 1.0 / np.prod(powers + 1)
        assert weights @ np.prod(places**powers, axis=1) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_shape_functions_belong_to_their_nodes(kind: str) -> None:
    places = DESCRIBED[kind].places
    values, slopes = shapes(kind, places)
    assert values == pytest.approx(np.eye(len(places)), abs=1e-14)
    at = RNG.uniform(0.1, 0.3, (4, 3))
    step = 1e-6 * np.eye(3)
    for axis in range(3):
        difference = (shapes(kind, at + step[axis])[0] - shapes(kind, at - step[axis])[0]) / 2e-6
        # the rounding of a difference: eps / 2e-6
        assert shapes(kind, at)[1][:, :, axis] == pytest.approx(difference, abs=1e-9)
    assert slopes.sum(axis=1) == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize("make", [curved, shaken])
@pytest.mark.parametrize("kind", KINDS)
def test_rigid_motions_need_no_force(kind: str, make) -> None:
    mesh = make(kind)
    K, R = mesh.stiffness_matrix, sp.fem.rigid_modes(mesh)
    assert np.abs(K @ R).max() < 1e-13 * np.abs(K).max()
    # no further motion without strain: seven eigenvalues from the lowest, six are rounding
    found = sp.fem.lowest_modes(mesh, 7).eigenvalues
    assert np.abs(found[:6]).max() < 1e-9 * found[6]
    assert (K - K.T).count_nonzero() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_patch(kind: str) -> None:
    """Constant strain on the surface becomes constant strain in a mesh of any shape."""
    mesh = shaken(kind)
    exact = (mesh.nodes @ SLOPE.T + SHIFT).ravel()
    free = coordinates(inside(mesh))
    held = np.setdiff1d(np.arange(mesh.size), free)
    K = mesh.stiffness_matrix
    found = exact.copy()
    found[free] = spsolve(K[free][:, free], -(K[free][:, held] @ exact[held]))
    assert found == pytest.approx(exact, abs=1e-13 * np.abs(exact).max() * 100)
    point = (0.43, 0.37, 0.29)
    assert mesh.strain(point) @ found == pytest.approx(STRAIN, abs=1e-14)


@pytest.mark.parametrize("kind", ["tet10", "hex20", "hex27"])
def test_patch_with_curved_faces(kind: str) -> None:
    """Constant stress is in equilibrium: forces on inner nodes vanish in curved elements, too."""
    mesh = curved(kind, divisions=(2, 2, 2))
    force = mesh.stiffness_matrix @ (mesh.nodes @ SLOPE.T).ravel()
    scale = np.abs(mesh.stiffness_matrix).max() * np.abs(mesh.nodes @ SLOPE.T).max()
    assert len(inside(mesh))
    assert np.abs(force[coordinates(inside(mesh))]).max() < 1e-13 * scale


@pytest.mark.parametrize("kind", KINDS)
def test_strain_energy_of_constant_strain(kind: str) -> None:
    """Energy is half of strain, law and volume; the law is written out here again."""
    mesh = sp.fem.block((0.5, 0.3, 0.2), (2, 1, 2), kind, STEEL)
    u = (mesh.nodes @ SLOPE.T).ravel()
    nu, E = 0.3, 2.1e11
    stress = np.empty(6)
    for i in range(3):
        others = STRAIN[:3].sum() - STRAIN[i]
        stress[i] = E / (1 + nu) / (1 - 2 * nu) * ((1 - nu) * STRAIN[i] + nu * others)
    stress[3:] = E / 2 / (1 + nu) * STRAIN[3:]
    assert u @ (mesh.stiffness_matrix @ u) == pytest.approx(STRAIN @ stress * 0.03, rel=1e-12)
    assert mesh.stress((0.2, 0.1, 0.1)) @ u == pytest.approx(stress, rel=1e-11)


@pytest.mark.parametrize("make", [curved, shaken])
@pytest.mark.parametrize("kind", KINDS)
def test_material_points_integrate_what_the_mass_matrix_does(kind: str, make) -> None:
    mesh = make(kind)
    basis = RNG.standard_normal((mesh.size, 4))
    mass, place, shape = mesh.material_points(basis)
    assert mass.min() > 0.0
    M = mesh.mass_matrix
    energy = np.einsum("k,kia,kib->ab", mass, shape, shape)
    assert energy == pytest.approx(basis.T @ (M @ basis), rel=1e-12, abs=1e-12 * energy.max())
    R = sp.fem.rigid_modes(mesh)
    moved = np.concatenate([np.tile(np.eye(3), (len(mass), 1, 1)), _turned(place)], axis=2)
    rigid = np.einsum("k,kia,kib->ab", mass, moved, moved)
    assert rigid == pytest.approx(R.T @ (M @ R), rel=1e-12, abs=1e-12 * rigid.max())


def _turned(place):
    """Displacements (k, 3, 3) of unit rotations about x, y, z."""
    return np.stack([np.cross(axis, place) for axis in np.eye(3)], axis=2)


@pytest.mark.parametrize("kind", ["tet10", "hex20", "hex27"])
def test_curved_volume_is_exact(kind: str) -> None:
    """The map x + a y z, y + b x^2, z + c x y of the block has a volume in closed form."""
    mesh = curved(kind)
    # determinant of [[1, .3 z, .3 y], [.8 x, 1, 0], [.5 y, .5 x, 1]], integrated over the block
    lengths = np.array([0.6, 0.4, 0.2])
    mean = lengths / 2
    square = lengths**2 / 3
    determinant = (
        1.0 - 0.3 * 0.8 * mean[2] * mean[0] + 0.3 * (0.8 * 0.5 * square[0] * mean[1])
        - 0.3 * 0.5 * square[1]
    )  # fmt: skip
    exact = 7850.0 * lengths.prod() * determinant
    assert sp.fem.mass_properties(mesh).mass == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("kind", ["tet10", "hex8", "hex20", "hex27"])
def test_curved_mass_is_exact(kind: str) -> None:
    """A finer rule changes nothing: two functions and a curved volume are integrated exactly."""
    mesh = curved(kind)
    places, weights = rule(DESCRIBED[kind].simplex, 12)
    values, slopes = shapes(kind, places)
    volume = np.linalg.det(np.einsum("qni,enj->eqij", slopes, mesh.nodes[mesh.cells]))
    found = mesh.mass_matrix[::3, ::3].toarray()
    expected = np.zeros_like(found)
    for cell, part in zip(mesh.cells, 7850.0 * weights * volume, strict=True):
        expected[np.ix_(cell, cell)] += values.T @ (part[:, None] * values)
    assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()


def test_mass_properties_of_a_block() -> None:
    mesh = sp.fem.block((0.6, 0.4, 0.2), (2, 2, 1), "hex8", STEEL, origin=(1.0, -2.0, 3.0))
    found = sp.fem.mass_properties(mesh)
    mass = 7850.0 * 0.6 * 0.4 * 0.2
    assert found.mass == pytest.approx(mass, rel=1e-13)
    assert found.centre == pytest.approx([1.3, -1.8, 3.1], rel=1e-13)
    a, b, c = 0.36, 0.16, 0.04
    exact = mass / 12 * np.diag([b + c, a + c, a + b])
    # mass times the square of the distance is subtracted: some 13 kg m2 of 1e3
    assert found.inertia == pytest.approx(exact, abs=1e-11 * mass)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_at_points(kind: str) -> None:
    """Displacement, rotation and strain of an affine field at points anywhere in a curved mesh."""
    mesh = curved(kind)
    u = (mesh.nodes @ SLOPE.T + SHIFT).ravel()
    spin = 0.5 * np.array(
        [SLOPE[2, 1] - SLOPE[1, 2], SLOPE[0, 2] - SLOPE[2, 0], SLOPE[1, 0] - SLOPE[0, 1]]
    )
    _, places, _ = mesh.material_points(np.zeros((mesh.size, 0)))
    for point in [*RNG.choice(places, 5), mesh.nodes[0], mesh.nodes[len(mesh.nodes) // 2]]:
        assert mesh.displacement(point) @ u == pytest.approx(SLOPE @ point + SHIFT, rel=1e-11)
        assert mesh.rotation(point) @ u == pytest.approx(spin, abs=1e-14)
        assert mesh.strain(point) @ u == pytest.approx(STRAIN, abs=1e-14)


def test_strain_on_a_face_is_the_mean_of_both_sides() -> None:
    mesh = sp.fem.block((2.0, 1.0, 1.0), (2, 1, 1), "hex8", STEEL)
    # only the right element is stretched along x
    u = np.zeros((len(mesh.nodes), 3))
    u[mesh.group("x_max"), 0] = 0.01
    for x, exact in ((0.5, 0.0), (1.0, 0.005), (1.5, 0.01)):
        found = mesh.strain((x, 0.4, 0.6)) @ u.ravel()
        assert found == pytest.approx([exact, 0, 0, 0, 0, 0], abs=1e-15)


def test_quadratic_elements_hold_pure_bending() -> None:
    """Without Poisson's ratio u = x y, v = -x^2 / 2 is exact: no force inside, stress E y."""
    material = sp.Material(E=1e6, G=5e5, density=1.0)
    for kind in ("tet10", "hex20", "hex27"):
        mesh = sp.fem.block((1.0, 0.2, 0.1), (3, 2, 2), kind, material)
        x, y, _ = mesh.nodes.T
        u = 1e-3 * np.stack([x * y, -x * x / 2, 0 * x], axis=1).ravel()
        force = mesh.stiffness_matrix @ u
        ends = np.union1d(mesh.group("x_min"), mesh.group("x_max"))
        rest = coordinates(np.setdiff1d(np.arange(len(mesh.nodes)), ends))
        assert np.abs(force[rest]).max() < 1e-12 * np.abs(force).max()
        stress = mesh.stress((0.4, 0.17, 0.03)) @ u
        assert stress == pytest.approx([1e3 * 0.17, 0, 0, 0, 0, 0], abs=1e-9)
        # the moment on the end: E I times curvature
        f = force.reshape(-1, 3)[mesh.group("x_max"), 0]
        moment = f @ mesh.nodes[mesh.group("x_max"), 1] - f.sum() * 0.1
        assert moment == pytest.approx(1e6 * 0.1 * 0.2**3 / 12 * 1e-3, rel=1e-11)
