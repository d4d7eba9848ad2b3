"""Beam elements: closed forms, patch tests, brute-force integrals, exact frequencies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from supple.fem.base.inertia import point_loads
from supple.fem.base.material import Material
from supple.fem.beams.beam import BeamMesh
from supple.fem.sections.sections import Box, Circle, CrossSection, Rectangle
from supple.reduction.modes import rigid_motions

ALUMINIUM = Material(E=69e9, G=26e9, density=2770)
LENGTH = 1.3
PLANE_Y, PLANE_Z = [1, 5, 7, 11], [2, 4, 8, 10]
AXIAL, TWIST = [0, 6], [3, 9]


def mesh(section: CrossSection | None = None, elements: int = 1, **options) -> BeamMesh:
    section = section or Rectangle(0.02, 0.05)
    return BeamMesh(
        section=section, material=ALUMINIUM, length=LENGTH, elements=elements, **options
    )


def in_plane(matrix: np.ndarray, plane: list[int]) -> np.ndarray:
    """Block of one bending plane, in terms of displacement and slope (w' = -ty)."""
    sign = np.array([1.0, -1.0, 1.0, -1.0]) if plane is PLANE_Z else np.ones(4)
    return sign[:, None] * matrix[np.ix_(plane, plane)] * sign


# ------------------------------------------------------------------------------- closed forms


def test_stiffness_is_the_classical_one() -> None:
    section, L = Rectangle(0.02, 0.05), LENGTH
    K = mesh(section).stiffness_matrix
    pattern = np.array(
        [
            [12.0, 6 * L, -12, 6 * L],
            [6 * L, 4 * L**2, -6 * L, 2 * L**2],
            [-12, -6 * L, 12, -6 * L],
            [6 * L, 2 * L**2, -6 * L, 4 * L**2],
        ]
    )
    E, G = ALUMINIUM.E, ALUMINIUM.G
    for plane, second in ((PLANE_Y, section.I_z), (PLANE_Z, section.I_y)):
        np.testing.assert_allclose(in_plane(K, plane), E * second / L**3 * pattern, rtol=1e-12)
    ends = np.array([[1.0, -1.0], [-1.0, 1.0]])
    np.testing.assert_allclose(K[np.ix_(AXIAL, AXIAL)], E * section.area / L * ends, rtol=1e-12)
    np.testing.assert_allclose(K[np.ix_(TWIST, TWIST)], G * section.J / L * ends, rtol=1e-12)
    assert not K[np.ix_(PLANE_Y, PLANE_Z + AXIAL + TWIST)].any()


@pytest.mark.parametrize("rotary", [False, True])
def test_mass_is_the_classical_one(rotary: bool) -> None:
    section, L, rho = Rectangle(0.02, 0.05), LENGTH, ALUMINIUM.density
    M = mesh(section, rotary_inertia=rotary).mass_matrix
    line = np.array(
        [
            [156.0, 22 * L, 54, -13 * L],
            [22 * L, 4 * L**2, 13 * L, -3 * L**2],
            [54, 13 * L, 156, -22 * L],
            [-13 * L, -3 * L**2, -22 * L, 4 * L**2],
        ]
    )
    slopes = np.array(
        [
            [36.0, 3 * L, -36, 3 * L],
            [3 * L, 4 * L**2, -3 * L, -(L**2)],
            [-36, -3 * L, 36, -3 * L],
            [3 * L, -(L**2), -3 * L, 4 * L**2],
        ]
    )
    for plane, second in ((PLANE_Y, section.I_z), (PLANE_Z, section.I_y)):
        expected = rho * section.area * L / 420 * line + rotary * rho * second / (30 * L) * slopes
        np.testing.assert_allclose(in_plane(M, plane), expected, rtol=1e-12)
    ends = np.array([[2.0, 1.0], [1.0, 2.0]]) * rho * L / 6
    np.testing.assert_allclose(M[np.ix_(AXIAL, AXIAL)], section.area * ends, rtol=1e-12)
    np.testing.assert_allclose(
        M[np.ix_(TWIST, TWIST)], rotary * section.I_p * ends, rtol=1e-12, atol=0
    )


def test_roll_turns_the_section() -> None:
    # A quarter turn exchanges the sizes; any roll is a change of axes of the nodal coordinates.
    quarter = mesh(Rectangle(0.02, 0.05), 2, roll=math.pi / 2)
    swapped = mesh(Rectangle(0.05, 0.02), 2)
    for name in ("mass_matrix", "stiffness_matrix"):
        exact = getattr(swapped, name)
        np.testing.assert_allclose(getattr(quarter, name), exact, atol=1e-12 * np.abs(exact).max())
    roll = 0.4
    c, s = math.cos(roll), math.sin(roll)
    turn = np.kron(np.eye(6), np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]]))
    plain, rolled = mesh(elements=2), mesh(elements=2, roll=roll)
    for name in ("mass_matrix", "stiffness_matrix"):
        exact = turn @ getattr(plain, name) @ turn.T
        np.testing.assert_allclose(getattr(rolled, name), exact, atol=1e-12 * np.abs(exact).max())


# ------------------------------------------------------------- patch tests and rigid motions


@pytest.mark.parametrize("elements", [1, 3])
def test_rigid_motions_are_exact(elements: int) -> None:
    section = Rectangle(0.02, 0.05)
    beam = mesh(section, elements, roll=0.3, point_masses=((0.37, 0.8),))
    rigid = rigid_motions(beam.nodes)
    assert np.abs(beam.stiffness_matrix @ rigid).max() < 1e-12 * np.abs(beam.stiffness_matrix).max()

    _, place, shape = beam.material_points(rigid)
    # The axes of the section are turned there and back: two roundings of 1.
    unit = np.broadcast_to(np.eye(3), shape[:, :, :3].shape)
    np.testing.assert_allclose(shape[:, :, :3], unit, atol=4e-16)
    for axis in range(3):
        np.testing.assert_allclose(
            shape[:, :, 3 + axis], np.cross(np.eye(3)[axis], place), atol=1e-14
        )

    # The 6x6 inertia of the rigid bar about its origin, in turned axes of the section.
    rho, c, s = ALUMINIUM.density, math.cos(0.3), math.sin(0.3)
    turn = np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])
    bar = rho * section.area * LENGTH
    second = np.diag([bar * LENGTH**2 / 3, rho * section.I_z * LENGTH, rho * section.I_y * LENGTH])
    E = turn @ second @ turn.T + np.diag([0.8 * 0.37**2, 0, 0])
    inertia = np.trace(E) * np.eye(3) - E
    first = bar * LENGTH / 2 + 0.8 * 0.37
    cross = first * np.array([[0.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    expected = np.block([[(bar + 0.8) * np.eye(3), -cross], [cross, inertia]])
    np.testing.assert_allclose(rigid.T @ beam.mass_matrix @ rigid, expected, atol=1e-13 * bar)
    for x in (0.0, 0.21, LENGTH):
        np.testing.assert_allclose(beam.rotation(x) @ rigid, np.eye(6)[3:], atol=1e-14)


@pytest.mark.parametrize("elements", [1, 2, 5])
def test_patch(elements: int) -> None:
    """Constant strain, curvatures and twist: nodal values give them back at every station."""
    beam = mesh(elements=elements)
    x = beam.nodes[:, 0]
    strain = np.array([1e-3, 2e-2, -3e-2, 4e-2])
    e, kv, kw, kt = strain
    nodal = np.stack([e * x, kv * x**2 / 2, kw * x**2 / 2, kt * x, -kw * x, kv * x], axis=1).ravel()
    for station in (0.0, 0.17, 0.5 * LENGTH, LENGTH):
        np.testing.assert_allclose(beam.strain(station) @ nodal, strain, rtol=1e-11)
    law = np.diag(beam.at(0.0).law)
    energy = 0.5 * LENGTH * law @ strain**2
    assert 0.5 * nodal @ beam.stiffness_matrix @ nodal == pytest.approx(energy, rel=1e-11)


@pytest.mark.parametrize("elements", [1, 4])
def test_cantilever_statics_are_exact(elements: int) -> None:
    section, L = Box(0.03, 0.05, 0.003), LENGTH
    beam = mesh(section, elements)
    E, G = ALUMINIUM.E, ALUMINIUM.G
    tip = np.linalg.inv(beam.stiffness_matrix[6:, 6:])[-6:, -6:]  # flexibility of the free end
    y, z = E * section.I_z, E * section.I_y
    expected = np.diag([L / (E * section.area), L**3 / (3 * y), L**3 / (3 * z),
                        L / (G * section.J), L / z, L / y])  # fmt: skip
    expected[1, 5] = expected[5, 1] = L**2 / (2 * y)
    expected[2, 4] = expected[4, 2] = -(L**2) / (2 * z)
    np.testing.assert_allclose(tip, expected, rtol=1e-9, atol=1e-9 * np.abs(tip).max())


# ------------------------------------------------------------------------------- integrals


def brute_force(beam: BeamMesh, section: Rectangle, roll: float, basis: np.ndarray) -> tuple:
    """D0 and D1 by quadrature over the volume, from polynomials fitted to the nodal values."""
    n, h = basis.shape[1], beam.step
    points, weights = np.polynomial.legendre.leggauss(7)
    points, weights = 0.5 * points, 0.5 * weights  # on -1/2 .. 1/2
    # v = c0 + c1 s + c2 s^2 + c3 s^3 with value and slope given at s = 0 and s = h.
    fit = np.linalg.inv([[1, 0, 0, 0], [0, 1, 0, 0], [1, h, h**2, h**3], [0, 1, 2 * h, 3 * h**2]])
    D0, D1 = np.zeros((3, 3, n)), np.zeros((3, 3, n, n))
    for e in range(beam.elements):
        a, b = basis[6 * e : 6 * e + 6], basis[6 * e + 6 : 6 * e + 12]
        v = fit @ np.stack([a[1], a[5], b[1], b[5]])
        w = fit @ np.stack([a[2], -a[4], b[2], -b[4]])
        for i, wi in zip(points, weights, strict=True):
            s = (i + 0.5) * h
            power, slope = np.array([1, s, s**2, s**3]), np.array([0, 1, 2 * s, 3 * s**2])
            u, twist = (a[k] + (b[k] - a[k]) * s / h for k in (0, 3))
            for j, wj in zip(points, weights, strict=True):
                for k, wk in zip(points, weights, strict=True):
                    y0, z0 = j * section.size_y, k * section.size_z
                    y = math.cos(roll) * y0 - math.sin(roll) * z0
                    z = math.sin(roll) * y0 + math.cos(roll) * z0
                    dm = ALUMINIUM.density * section.area * h * wi * wj * wk
                    S = np.stack(
                        [u - y * slope @ v - z * slope @ w, power @ v - z * twist,
                         power @ w + y * twist]
                    )  # fmt: skip
                    x = np.array([e * h + s, y, z])
                    D0 += dm * np.einsum("i,ja->ija", x, S)
                    D1 += dm * np.einsum("ib,ja->ijba", S, S)
    for x, m in beam.point_masses:
        S = beam.displacement(x) @ basis
        D0 += m * np.einsum("i,ja->ija", [x, 0, 0], S)
        D1 += m * np.einsum("ib,ja->ijba", S, S)
    return D0, D1


@pytest.mark.parametrize("seed", range(4))
def test_integrals_against_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    section = Rectangle(*rng.uniform(0.05, 0.4, 2))
    roll = rng.uniform(-3, 3)
    masses = tuple(zip(rng.uniform(0, LENGTH, 2), rng.uniform(0.1, 1, 2), strict=True))
    beam = mesh(section, int(rng.integers(1, 4)), roll=roll, point_masses=masses)
    basis = rng.normal(size=(beam.size, 4))
    D0, D1 = brute_force(beam, section, roll, basis)
    m, place, shape = beam.material_points(basis)
    found = np.einsum("k,ki,kja->ija", m, place, shape)
    np.testing.assert_allclose(found, D0, atol=1e-12 * np.abs(D0).max())
    found = np.einsum("k,kib,kja->ijba", m, shape, shape)
    np.testing.assert_allclose(found, D1, atol=1e-12 * np.abs(D1).max())
    gram = basis.T @ beam.mass_matrix @ basis
    np.testing.assert_allclose(gram, np.einsum("iiba->ba", D1), atol=1e-12 * np.abs(gram).max())


def test_inertia_loads_are_those_of_the_material_points() -> None:
    """Bound: rounding of sums over a few hundred points."""
    beam = mesh(Rectangle(0.05, 0.02), 3, roll=0.4, point_masses=((0.5, 0.3), (LENGTH, 0.1)))
    expected = point_loads(beam)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(beam.inertia_loads(), expected, rtol=0.0, atol=1e-13 * scale)


def test_matrices_are_symmetric_and_positive() -> None:
    beam = mesh(Circle(0.02), 3, point_masses=((0.4, 1.0),))
    for matrix in (beam.mass_matrix, beam.stiffness_matrix):
        np.testing.assert_allclose(matrix, matrix.T, atol=1e-15 * np.abs(matrix).max())
    assert np.linalg.eigvalsh(beam.mass_matrix).min() > 0.0
    assert np.linalg.eigvalsh(beam.stiffness_matrix[6:, 6:]).min() > 0.0


def test_stations_meet_nodes_exactly() -> None:
    beam = mesh(elements=3)
    for k in range(4):
        x = k * LENGTH / 3
        unit = np.eye(beam.size)
        assert np.array_equal(beam.displacement(x), unit[6 * k : 6 * k + 3])
        assert np.array_equal(beam.rotation(x), unit[6 * k + 3 : 6 * k + 6])
    # Slopes are derivatives of the displacements, also inside an element.
    rng, d = np.random.default_rng(1), 1e-6
    nodal = rng.normal(size=beam.size)
    for x in (0.1, 0.62, 1.29):
        rate = (beam.displacement(x + d) - beam.displacement(x - d)) @ nodal / (2 * d)
        rotation = beam.rotation(x) @ nodal
        assert rotation[1] == pytest.approx(-rate[2], rel=1e-6)
        assert rotation[2] == pytest.approx(rate[1], rel=1e-6)


def test_strain_at_an_inner_node_is_the_mean() -> None:
    beam, d = mesh(elements=2), 1e-7
    nodal = np.random.default_rng(2).normal(size=beam.size)
    sides = [beam.strain(0.5 * LENGTH + side) @ nodal for side in (-d, d)]
    assert np.abs(sides[0] - sides[1]).min() > 0.1
    np.testing.assert_allclose(beam.strain(0.5 * LENGTH) @ nodal, np.mean(sides, 0), rtol=1e-4)
