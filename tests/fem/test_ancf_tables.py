"""Elements over nodal vectors: what holds for every table, whatever its strains are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from models.ancf_meshes import beam, cable, frequencies, slender
from supple.cases.beams import ancf_tables
from supple.fem.base.material import Material
from supple.fem.nodal import ancf_forces as gf
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.nodal.ancf_table import HEAD, ElementTable
from supple.fem.sections.sections import Circle, Rectangle

STEEL = Material(E=2e11, G=8e10, density=7800)


def damped_beam(kind: str) -> ANCFMesh:
    section = Circle(0.05) if kind == "continuum" else Rectangle(0.03, 0.05)
    return beam(kind, 2, section, STEEL, times=(1e-4, 2e-4))


MESHES = {
    "collocated": lambda: damped_beam("collocated"),
    "elastic_line": lambda: damped_beam("elastic_line"),
    "continuum": lambda: damped_beam("continuum"),
    "cable, mean": lambda: cable("mean", 2, 0.03, 3, time=1e-4),
    "cable, two points": lambda: cable("two_points", 2, 0.03, 3, time=1e-4),
    "plane cable": lambda: cable("mean", 2, 0.03, 2, time=1e-4),
}


@pytest.fixture(params=MESHES)
def mesh(request) -> ANCFMesh:
    return MESHES[request.param]()


def moved(mesh: ANCFMesh, size: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Vectors far from rest, and rates."""
    rng = np.random.default_rng(3)
    return mesh.rest + size * rng.normal(size=mesh.rest.shape), rng.normal(size=mesh.rest.shape)


def test_forces_are_slopes_of_the_energy_and_tangents_of_the_forces(mesh):
    e, v = moved(mesh)
    by_vectors, by_rates = mesh.tangents(e, v)
    forces = mesh.forces(e, v)
    for way in np.random.default_rng(4).normal(size=(3, *e.shape)):
        step = 1e-30j * way
        slope = mesh.energy(e + step).imag / 1e-30
        assert slope == pytest.approx(
            np.sum(mesh.forces(e) * way), abs=1e-12 * np.abs(forces).sum()
        )
        column, found = mesh.forces(e + step, v).imag / 1e-30, by_vectors @ way.ravel()
        np.testing.assert_allclose(found, column.ravel(), atol=1e-12 * np.abs(column).max())
        column, found = mesh.forces(e, v + way) - forces, by_rates @ way.ravel()
        np.testing.assert_allclose(found, column.ravel(), atol=1e-12 * np.abs(forces).max())
    assert np.abs(by_rates).max() > 0.0
    assert np.abs(by_rates - by_rates.T).max() <= 1e-13 * np.abs(by_rates).max()


def test_rigid_motion_changes_nothing_and_forces_have_no_resultant(mesh):
    e, v = moved(mesh)
    d = mesh.dimension
    turn = Rotation.from_rotvec([0.7, -0.4, 1.1] if d == 3 else [0, 0, 1.3]).as_matrix()[:d, :d]
    there = e @ turn.T
    there[:, 0] += [3.0, -2.0, 1.0][:d]
    forces = mesh.forces(e, v)
    scale = np.abs(forces).max()
    np.testing.assert_allclose(mesh.forces(there, v @ turn.T), forces @ turn.T, atol=1e-11 * scale)
    assert mesh.energy(there) == pytest.approx(mesh.energy(e), rel=1e-11)
    # Momentum: places carry the resultant, all vectors its moment.
    np.testing.assert_allclose(forces[:, 0].sum(axis=0), 0.0, atol=1e-12 * scale)
    moments = np.einsum("nvx,nvy->xy", e, forces)
    np.testing.assert_allclose(moments, moments.T, atol=1e-12 * scale)
    # A rigid velocity has no viscous stress, however far from rest.
    spin = np.array([[0.0, -1.2, 0.3], [1.2, 0.0, 0.5], [-0.3, -0.5, 0.0]])[:d, :d]
    rates = e @ spin.T
    rates[:, 0] += 1.7
    np.testing.assert_allclose(mesh.forces(e, rates), mesh.forces(e), atol=1e-12 * scale)
    assert np.einsum("nvx,nvx", forces - mesh.forces(e), v) > 0.0  # and others lose energy


def test_only_rigid_motions_have_no_energy(mesh):
    d = mesh.dimension
    free = {2: 3, 3: 6 if mesh.node_vectors == 4 else 5}[d]  # a line does not see its own spin
    values = frequencies(mesh)
    assert values[free - 1] < 1e-7 * values[free]


def test_mass_and_gravity(mesh):
    """A rigid velocity has the kinetic energy of mass points along the axis, and of sections."""
    M, w = mesh.mass_matrix.toarray(), mesh.weight
    assert w[:, 0].sum() == pytest.approx(mesh.mass)
    first = np.einsum("nv,nvx->x", w, mesh.rest)  # the first moment of mass
    np.testing.assert_allclose(first[:2], [0.5 * mesh.mass, 0.0], atol=1e-14 * mesh.mass)
    lines = mesh.rest.reshape(-1, mesh.dimension)
    second = lines.T @ M @ lines
    assert second[0, 0] == pytest.approx(mesh.mass / 3.0)
    if mesh.node_vectors == 4:
        sizes = np.array([0.05**2 / 16, 0.05**2 / 16])
        if mesh.tables[0].most_strains != 6:  # a rectangle
            sizes = np.array([0.03**2, 0.05**2]) / 12
        np.testing.assert_allclose(np.diag(second)[1:], mesh.mass * sizes)


def test_buffers_hold_the_whole_table(mesh):
    """Read by the layout in the head of the file alone, with loops as a kernel has them."""
    e, v = moved(mesh)
    for element, kind in zip(mesh.vectors, mesh.kinds, strict=True):
        table = mesh.tables[kind]
        vectors, rates = (x.reshape(-1, mesh.dimension)[element] for x in (e, v))
        found = from_buffers(table.integers, table.reals, vectors, rates)
        wanted = gf.forces(table, vectors[None], rates[None])[0]
        np.testing.assert_allclose(found, wanted, atol=1e-12 * np.abs(wanted).max())


def from_buffers(integers, reals, e, rates):
    K, P, R, T, N, Q, _, _, damped = integers[:HEAD]
    points = integers[HEAD : HEAD + 7 * P].reshape(P, 7)
    terms = integers[HEAD + 7 * P :].reshape(T, 3)
    parts, at = [], 0
    for count in (R * K, T, N, Q, Q, K * K, K * K, K):
        parts.append(reals[at : at + count])
        at += count
    assert at == len(reals)
    S, factors, rest, D, viscosity, mass, C, weight = parts
    S = S.reshape(R, K)
    forces = C.reshape(K, K) @ e
    for row, rows, term, count, strain, strains, entry in points:
        r, u = S[row : row + rows] @ e, S[row : row + rows] @ rates
        eps, rate = -rest[strain : strain + strains], np.zeros(strains)
        for (i, a, b), c in zip(terms[term : term + count], factors[term:], strict=False):
            eps[i] += c * (r[a] @ r[b])
            rate[i] += c * (u[a] @ r[b] + r[a] @ u[b])
        block = slice(entry, entry + strains**2)
        stress = D[block].reshape(strains, -1) @ eps
        if damped:
            stress += viscosity[block].reshape(strains, -1) @ rate
        g = np.zeros_like(r)
        for (i, a, b), c in zip(terms[term : term + count], factors[term:], strict=False):
            g[a] += c * stress[i] * r[b]
            g[b] += c * stress[i] * r[a]
        forces = forces + S[row : row + rows].T @ g
    assert weight.sum() > 0.0
    assert mass.sum() > 0.0
    return forces


def test_equal_elements_share_a_table():
    mesh = beam("collocated", 7, Rectangle(0.01, 0.01), slender(0.01))
    assert len(mesh.tables) == 3  # those at the ends of the line have their own
    assert len(set(mesh.kinds[1:-1])) == 1
    assert isinstance(mesh.tables[0], ElementTable)
    assert not mesh.tables[0].damped


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["elastic_line", "continuum"])
def test_first_frequencies_of_two_elements_without_rounding(kind: str) -> None:
    """The stiffness from its strains and its inverse in rational numbers.

    Of the inverse the slowest mode is the largest value: floating point keeps all its digits. The
    reference of the case lost them to a stiffness 1e12 times larger than what this mode sees.
    """
    mesh = ancf_tables.strip("strip", kind, 2).mesh
    rows = ancf_tables.strain_matrix(mesh)[:, 12:]
    exact = [[Fraction(x) for x in row] for row in rows]
    n = rows.shape[1]
    K = [[sum(r[i] * r[j] for r in exact if r[i] and r[j]) for j in range(n)] for i in range(n)]
    whole = [[*row, *(Fraction(int(i == j)) for j in range(n))] for i, row in enumerate(K)]
    for i in range(n):
        p = max(range(i, n), key=lambda k: abs(whole[k][i]))
        whole[i], whole[p] = whole[p], whole[i]
        whole[i] = [x / whole[i][i] for x in whole[i]]
        for k in range(n):
            factor = whole[k][i]
            if k != i and factor:
                whole[k] = [a - factor * b for a, b in zip(whole[k], whole[i], strict=True)]
    flexibility = np.array([[float(x) for x in row[n:]] for row in whole])
    mass = np.kron(mesh.mass_matrix.toarray(), np.eye(3))[12:, 12:]
    lower = np.linalg.cholesky(mass)
    largest = np.linalg.eigvalsh(lower.T @ flexibility @ lower)[-1]
    found = ancf_tables.frequencies(mesh, held=1)[0]
    assert found == pytest.approx(1.0 / np.sqrt(largest), rel=1e-12)
