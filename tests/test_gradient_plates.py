"""Thin plates and solids over nodal vectors: exact plates, elasticas, linear meshes, bodies."""

from __future__ import annotations

import numpy as np
import pytest

from gradient_meshes import elastica, equilibrium, frequencies
from supple.bodies.gradient_nodes import GradientPlate, GradientSolid
from supple.errors import ModelError
from supple.fem import KelvinVoigt, Material, Rayleigh
from supple.fem.block import block
from supple.fem.gradient_mesh import GradientMesh
from supple.fem.gradient_plate import plate_mesh
from supple.fem.gradient_solid import solid_mesh

STEEL = Material(E=2e11, G=2e11 / 2.6, density=7800)


def bent_plate(n: int, clamped: bool) -> float:
    """Deflection w B / (q a^4) in the middle of a square plate under a load q per area."""
    h = 1e-3
    mesh = plate_mesh((1.0, 1.0), (n, n), h, STEEL)
    K = mesh.tangents(mesh.rest)[0]
    places = np.arange(mesh.size).reshape(n + 1, n + 1, 3, 3)
    free = np.zeros(places.shape, dtype=bool)
    free[..., 2] = True  # w, w_x, w_y
    free[[0, -1], :, 0, 2] = free[:, [0, -1], 0, 2] = False
    free[[0, -1], :, 2, 2] = free[:, [0, -1], 1, 2] = False
    if clamped:
        free[[0, -1], :, 1, 2] = free[:, [0, -1], 2, 2] = False
    kept = places[free]
    load = np.zeros(places.shape)
    load[..., 2] = mesh.weight.reshape(n + 1, n + 1, 3) / (STEEL.density * h)
    moved = np.zeros(mesh.size)
    moved[kept] = np.linalg.solve(K.toarray()[np.ix_(kept, kept)], load.ravel()[kept])
    return moved[places[n // 2, n // 2, 0, 2]] * STEEL.E * h**3 / (12 * (1 - 0.3**2))


@pytest.mark.parametrize(("clamped", "exact"), [(False, 0.00406235), (True, 0.00126532)])
def test_square_plates(clamped, exact):
    """Navier's and Taylor's plates, with the second order of the element."""
    errors = [bent_plate(n, clamped) / exact - 1.0 for n in (4, 8)]
    assert abs(errors[1]) < 0.035
    assert 3.3 < errors[0] / errors[1] < 4.7


def strip(elements: int, h: float) -> GradientMesh:
    """A strip with the bending stiffness 1 of its width 0.1, without lateral contraction."""
    material = Material(E=120 / h**3, G=60 / h**3, density=1.0)
    return plate_mesh((1.0, 0.1), (elements, 1), h, material)


def test_a_strip_bends_as_an_elastica():
    errors = []
    for elements in (8, 16):
        e = None
        for h in (1e-1, 1e-2):
            mesh = strip(elements, h)
            forces = np.zeros(mesh.rest.shape)
            forces[-2:, 0, 2] = 0.5
            e = equilibrium(mesh, lambda e, f=forces: (f, None), e, held=2)
        tip = e[-2:, 0].mean(axis=0)[[0, 2]]
        errors.append(np.linalg.norm(tip - elastica(1.0)))
    assert errors[0] < 2e-4
    assert errors[1] < errors[0] / 3.0


def meshes() -> dict[str, GradientMesh]:
    times = 1e-4, 1e-4
    found = {"plate": plate_mesh((1.0, 0.7), (2, 1), 0.02, STEEL, 1e-4)}
    for kind in ("tet4", "hex8", "tet10"):
        found[kind] = solid_mesh(block((1.0, 0.5, 0.4), (1, 1, 1), kind, STEEL), times)
    return found


@pytest.mark.parametrize("kind", ["plate", "tet4", "hex8", "tet10"])
def test_forces_and_tangents(kind):
    mesh = meshes()[kind]
    rng = np.random.default_rng(5)
    e = mesh.rest + 0.05 * rng.normal(size=mesh.rest.shape)
    v = rng.normal(size=e.shape)
    way = rng.normal(size=e.shape)
    forces = mesh.forces(e, v)
    scale = np.abs(forces).max()
    slope = mesh.energy(e + 1e-30j * way).imag / 1e-30
    assert slope == pytest.approx(np.sum(mesh.forces(e) * way), rel=1e-11)
    by_vectors, by_rates = mesh.tangents(e, v)
    column = mesh.forces(e + 1e-30j * way, v).imag.ravel() / 1e-30
    np.testing.assert_allclose(by_vectors @ way.ravel(), column, atol=1e-11 * np.abs(column).max())
    np.testing.assert_allclose(
        (mesh.forces(e, v + way) - forces).ravel(), by_rates @ way.ravel(), atol=1e-11 * scale
    )
    np.testing.assert_allclose(forces[:, 0].sum(axis=0), 0.0, atol=1e-11 * scale)
    moments = np.einsum("nvx,nvy->xy", e, forces)
    np.testing.assert_allclose(moments, moments.T, atol=1e-11 * scale)
    values = frequencies(mesh)
    assert values[5] < 1e-7 * values[6]


@pytest.mark.parametrize("kind", ["tet4", "tet10", "hex8", "hex20"])
def test_solids_are_the_linear_ones_in_small_motion(kind):
    solid = block((1.0, 0.5, 0.4), (2, 1, 1), kind, STEEL)
    mesh = solid_mesh(solid)
    K, M = mesh.tangents(mesh.rest)[0], mesh.mass_matrix
    assert np.abs(K - solid.stiffness_matrix).max() < 1e-13 * np.abs(K).max()
    assert np.abs(M - solid.mass_matrix[::3, ::3]).max() < 1e-13 * np.abs(M).max()
    assert len(mesh.tables) == (1 if kind.startswith("hex") else 6)


def test_a_stretched_bar_of_a_solid():
    """Saint-Venant and Kirchhoff, nu = 0: P = E (l^3 - l) / 2 in a uniform stretch l."""
    material = Material(E=1e6, G=5e5, density=1.0)
    mesh = solid_mesh(block((1.0, 1.0, 1.0), (1, 1, 1), "hex8", material))
    e = mesh.rest.copy()
    e[..., 0] *= 1.2
    held = mesh.forces(e)[:, 0]
    right = mesh.rest[:, 0, 0] == 1.0
    np.testing.assert_allclose(held[right].sum(axis=0), [1e6 * (1.2**3 - 1.2) / 2, 0, 0], atol=1e-6)


# -------------------------------------------------------------------------------------- bodies


def test_bodies_and_their_nodes():
    plate = GradientPlate("p", (1.0, 0.5), 0.01, STEEL, elements=(4, 2), damping=KelvinVoigt(2e7))
    assert plate.mass == pytest.approx(7800 * 0.005)
    assert plate.node(plate.at(0.5, 0.25)) == 7
    assert plate.mesh.tables[0].damped
    np.testing.assert_allclose(plate.nearest(np.array([0.6, 0.2, 0.1])), [0.5, 0.25, 0.0])
    solid = GradientSolid("s", block((1.0, 0.5, 0.4), (2, 1, 1), "hex8", STEEL), Rayleigh(1e-4))
    assert solid.mass == pytest.approx(7800 * 0.2)
    np.testing.assert_allclose(solid.node_pose(solid.node(solid.at(0.5, 0.5))).p, [0.5, 0.5, 0.0])
    table = solid.mesh.tables[0]
    np.testing.assert_allclose(table.viscosity, 1e-4 * table.elasticity)
    assert plate.turns
    assert not solid.turns


PLATE = {"name": "p", "size": (1.0, 0.5), "thickness": 0.01, "material": STEEL}
WRONG = {
    "size is (1, -1), expected 2 positive numbers": {"size": (1.0, -1.0)},
    "thickness is 0.0, expected a positive number": {"thickness": 0.0},
    "elements is (1, 2, 3), expected 2 positive integers": {"elements": (1, 2, 3)},
    "elements is (1000, 1000), expected 2 positive integers": {"elements": (1000, 1000)},
    "Poisson's ratio E / (2 G) - 1": {"material": Material(E=1e10, G=1e9, density=500)},
    "damping is Rayleigh": {"damping": Rayleigh(mass=1.0)},
}


@pytest.mark.parametrize("sentence", WRONG)
def test_sentences(sentence):
    with pytest.raises(ModelError) as found:
        GradientPlate(**{**PLATE, **WRONG[sentence]})
    assert sentence in str(found.value)


def test_more_sentences():
    with pytest.raises(ModelError, match="expected that of a node; the nearest is"):
        GradientPlate(**PLATE).at(0.1, 0.1)
    with pytest.raises(ModelError, match="component is 3, expected a SolidMesh"):
        GradientSolid("s", 3)
