"""Shell elements: patch tests, rigid motions, exact integrals, recovery, messages."""

from __future__ import annotations

import dataclasses
import math
import warnings

import numpy as np
import pytest
from scipy.sparse import csc_array

from models.shell_meshes import (
    ALUMINIUM,
    at,
    folded,
    irregular,
    isotropic,
    rigid,
    solve,
    turned,
    where,
)
from oracles.linear_stretch import linear_stretch
from supple.fem.base.material import Material
from supple.fem.shells.membrane import beta_0
from supple.fem.shells.points import plane_von_mises
from supple.fem.shells.shell import ShellMesh, plate
from supple.fem.shells.triangles import MIDSIDES, Triangles, mass_points
from supple.foundation.errors import ModelError, SuppleWarning

# Rounding of sums of some hundred terms; patch tests amplify it by the condition of the mesh.
ROUNDING, PATCH = 1e-13, 1e-12
INNER = (0.2, 0.5, 0.3)


def quadratic_bending(nodes: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Nodal coordinates of w = c0 x x / 2 + c1 y y / 2 + c2 x y, in the plane z = 0."""
    x, y = nodes[:, 0], nodes[:, 1]
    q = np.zeros((len(nodes), 6))
    q[:, 2] = c[0] * x * x / 2 + c[1] * y * y / 2 + c[2] * x * y
    q[:, 3] = c[1] * y + c[2] * x  # w,y
    q[:, 4] = -(c[0] * x + c[2] * y)  # -w,x
    return q.ravel()


def cubic_shapes(mesh: ShellMesh) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(mesh.size, 4))


# ----------------------------------------------------------------------------------- geometry


def test_a_shell_is_a_component_of_six_coordinates_for_each_node() -> None:
    mesh = folded()
    assert mesh.nodes.shape == (16, 3) and mesh.node_size == 6 and mesh.size == 96
    assert mesh.length == pytest.approx(np.linalg.norm(np.ptp(mesh.nodes, axis=0)))
    for matrix in (mesh.stiffness_matrix, mesh.mass_matrix):
        assert isinstance(matrix, csc_array) and matrix.shape == (96, 96)
    assert mesh.stiffness_matrix is mesh.stiffness_matrix  # computed once


def test_points_integrate_products_of_cubics() -> None:
    shares, weights = mass_points()
    for a in range(7):
        for b in range(7 - a):
            for c in range(7 - a - b):
                exact = 2.0 * math.factorial(a) * math.factorial(b) * math.factorial(c)
                exact /= math.factorial(a + b + c + 2)
                found = shares @ np.prod(weights ** np.array([a, b, c]), axis=1)
                assert found == pytest.approx(exact, rel=1e-13, abs=0)


def test_axes_are_x_projected_or_y_where_x_is_normal() -> None:
    mesh = folded()
    axes = mesh.shape.axes
    np.testing.assert_allclose(
        axes @ axes.transpose(0, 2, 1), np.eye(3)[None] + 0 * axes, atol=1e-14
    )
    np.testing.assert_allclose(np.linalg.det(axes), 1.0, rtol=1e-14)
    assert np.all(axes[:, 0, 0] > 0) and np.allclose(axes[:, 1, 0], 0.0, atol=1e-15)
    wall = Triangles(np.array([[[0.0, 0, 0], [0, 1, 0], [0, 0, 1]]]))
    np.testing.assert_allclose(wall.axes[0], [[0, 1, 0], [0, 0, 1], [1, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(wall.gradients[0], [[-1, -1], [1, 0], [0, 1]], atol=1e-15)


@pytest.mark.parametrize(
    ("pattern", "triangles"),
    [("right", 12), ("left", 12), ("alternate", 12), ("centre", 12), ("mirror", 12), ("cross", 24)],
)
def test_plates_are_filled_once_with_the_top_towards_z(pattern: str, triangles: int) -> None:
    mesh = plate(3.0, 1.0, 3, 2, thickness=0.01, material=ALUMINIUM, pattern=pattern)
    assert len(mesh.triangles) == triangles
    assert mesh.shape.areas.sum() == pytest.approx(3.0, rel=1e-14)
    assert np.all(mesh.shape.normals[:, 2] > 0)
    np.testing.assert_allclose(mesh.nodes[1 + 4 * 2], [1.0, 1.0, 0.0])


def test_patterns_of_diagonals() -> None:
    def diagonals(pattern: str) -> str:
        mesh = plate(1.0, 1.0, 2, 2, thickness=0.01, material=ALUMINIUM, pattern=pattern)
        first, second = mesh.triangles[::2], mesh.triangles[1::2]
        cells = [set(a) & set(b) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
        return "".join("/" if max(c) - min(c) == 4 else "\\" for c in cells)

    assert diagonals("right") == "////" and diagonals("left") == "\\\\\\\\"
    assert diagonals("alternate") == diagonals("centre") == "/\\\\/"
    assert diagonals("mirror") == "//\\\\"


# ------------------------------------------------------------------------------ patch tests


@pytest.mark.parametrize("seed", range(4))
def test_constant_curvature_is_exact(seed: int) -> None:
    """The inner nodes of an irregular patch find the state of constant curvature."""
    mesh, c = irregular(seed), np.array([0.7, -0.4, 0.9])
    exact = quadratic_bending(mesh.nodes, c)
    check_patch(mesh, exact)
    for point in (mesh.at(triangle=7, weights=INNER), mesh.at(node=8), mesh.at((0.9, 0.4, 0.0))):
        np.testing.assert_allclose(point.curvature() @ exact, [-0.7, 0.4, -1.8], atol=PATCH)
    law = mesh.law * 0.01**3 / 12
    k = -np.array([0.7, -0.4, 1.8])
    energy = 0.5 * exact @ (mesh.stiffness_matrix @ exact)
    assert energy == pytest.approx(0.5 * 2.0 * k @ law @ k, rel=PATCH)


@pytest.mark.parametrize("seed", range(4))
def test_constant_strain_is_exact(seed: int) -> None:
    mesh, grad = irregular(seed), np.array([[0.3, -0.8], [0.5, 0.2]])
    exact = linear_stretch(mesh.nodes, grad)
    check_patch(mesh, exact)
    e = np.array([0.3, 0.2, -0.3])
    for point in (mesh.at(triangle=7, weights=INNER), mesh.at(node=8), mesh.at((0.9, 0.4, 0.0))):
        np.testing.assert_allclose(point.membrane_strain() @ exact, e, atol=PATCH)
    energy = 0.5 * exact @ (mesh.stiffness_matrix @ exact)
    assert energy == pytest.approx(0.5 * 2.0 * 0.01 * e @ mesh.law @ e, rel=PATCH)


def check_patch(mesh: ShellMesh, exact: np.ndarray) -> None:
    x, y = mesh.nodes[:, 0], mesh.nodes[:, 1]
    edge = at(where((x == 0) | (x == 2) | (y == 0) | (y == 1)), *range(6))
    held = np.zeros(mesh.size)
    held[edge] = exact[edge]
    q = held + solve(mesh, -mesh.stiffness_matrix @ held, edge)
    np.testing.assert_allclose(q, exact, atol=PATCH * np.abs(exact).max())


@pytest.mark.parametrize("nu", [0.0, 0.25, 0.3, 0.49])
@pytest.mark.parametrize("aspect", [1.0, 2.0, 4.0, 8.0, 16.0])
@pytest.mark.parametrize("pattern", ["right", "left"])
def test_bending_in_the_plane_is_exact(nu: float, aspect: float, pattern: str) -> None:
    """Felippa 2003: the energy of a rectangle of two triangles in pure bending is the exact one."""
    mesh = plate(
        aspect, 1.0, 1, 1, thickness=0.01, material=isotropic(70e9, nu, 2700.0), pattern=pattern
    )
    x, y = mesh.nodes[:, 0] - aspect / 2, mesh.nodes[:, 1] - 0.5
    q = np.zeros((4, 6))
    q[:, 0], q[:, 1], q[:, 5] = x * y, -(x * x + nu * y * y) / 2, -x
    q = q.ravel()
    energy = 0.5 * q @ (mesh.stiffness_matrix @ q)
    # Parts of K that cancel are larger than the energy by aspect^4.
    exact = 0.5 * 70e9 * 0.01 * aspect / 12
    assert energy == pytest.approx(exact, rel=1e-15 * max(aspect**4, 100.0))


def test_the_factor_of_the_linear_strains() -> None:
    assert beta_0(0.0) == 0.5 and beta_0(0.25) == pytest.approx(0.375)
    assert beta_0(0.5) == beta_0(-0.6) == 0.01


# --------------------------------------------------------------------- rigid motions, symmetry


@pytest.mark.parametrize("nu", [-0.5, 0.0, 0.3, 0.5])
@pytest.mark.parametrize("make", [folded, irregular])
def test_six_motions_without_energy_and_no_more(make, nu: float) -> None:
    mesh = make(material=isotropic(70e9, nu, 2700.0))
    K = mesh.stiffness_matrix.toarray()
    assert np.array_equal(K, K.T)
    R = rigid(mesh.nodes)
    assert np.abs(K @ R).max() < 1e-12 * np.abs(K).max() * np.abs(R).max()
    values = np.linalg.eigvalsh(K)
    assert np.abs(values[:6]).max() < 1e-13 * values[-1]
    assert values[6] > 1e-9 * values[-1]  # thin plates bend so much easier than they stretch


def test_a_turned_shell_is_the_same_shell() -> None:
    mesh, Q = folded(), turned(9)
    other = ShellMesh(mesh.nodes @ Q.T + [1, 2, 3], mesh.triangles, mesh.thickness, ALUMINIUM)
    T = np.kron(np.eye(2 * len(mesh.nodes)), Q)
    for name in ("stiffness_matrix", "mass_matrix"):
        A, B = getattr(mesh, name).toarray(), getattr(other, name).toarray()
        np.testing.assert_allclose(B, T @ A @ T.T, atol=ROUNDING * np.abs(A).max())


def test_the_order_of_corners_changes_nothing_but_the_side() -> None:
    mesh = folded()
    other = ShellMesh(mesh.nodes, np.roll(mesh.triangles, 1, axis=1), mesh.thickness, ALUMINIUM)
    back = ShellMesh(mesh.nodes, mesh.triangles[:, ::-1], mesh.thickness, ALUMINIUM)
    for name in ("stiffness_matrix", "mass_matrix"):
        A = getattr(mesh, name).toarray()
        for changed in (other, back):
            B = getattr(changed, name).toarray()
            np.testing.assert_allclose(A, B, atol=ROUNDING * np.abs(A).max())
    q = np.random.default_rng(0).normal(size=mesh.size)
    top, bottom = mesh.at(triangle=4).gauge("y", "top"), back.at(triangle=4).gauge("y", "bottom")
    assert top @ q == pytest.approx(bottom @ q, rel=1e-11)


def test_stiffness_grows_with_thickness_and_its_cube() -> None:
    thin = irregular()
    thick = dataclasses.replace(thin, thickness=2.0 * thin.thickness)
    for q, factor in (
        (linear_stretch(thin.nodes, np.array([[1.0, 0.2], [0.0, -1.0]])), 2.0),
        (quadratic_bending(thin.nodes, np.array([1.0, 2.0, 0.5])), 8.0),
    ):
        energies = [q @ (m.stiffness_matrix @ q) for m in (thin, thick)]
        assert energies[1] == pytest.approx(factor * energies[0], rel=1e-11)


# -------------------------------------------------------------------------------------- mass


@pytest.mark.parametrize("rotary", [False, True])
def test_points_and_mass_matrix_agree(rotary: bool) -> None:
    mesh = folded(rotary_inertia=rotary)
    basis = cubic_shapes(mesh)
    mass, place, shape = mesh.material_points(basis)
    assert shape.shape == (len(mass), 3, 4) and place.shape == (len(mass), 3)
    M = mesh.mass_matrix.toarray()
    assert np.array_equal(M, M.T)
    np.testing.assert_allclose(
        np.einsum("k,kia,kib->ab", mass, shape, shape), basis.T @ M @ basis, rtol=1e-12, atol=1e-12
    )
    assert np.linalg.eigvalsh(M)[0] > 0  # no motion of the nodes is without mass


@pytest.mark.parametrize("rotary", [False, True])
def test_points_move_rigidly_in_rigid_motions(rotary: bool) -> None:
    mesh = folded(rotary_inertia=rotary)
    _, place, shape = mesh.material_points(rigid(mesh.nodes))
    for k, axis in enumerate(np.eye(3)):
        np.testing.assert_allclose(shape[:, :, k], np.broadcast_to(axis, place.shape), atol=1e-13)
        np.testing.assert_allclose(shape[:, :, 3 + k], np.cross(axis, place), atol=1e-13)


@pytest.mark.parametrize("rotary", [False, True])
def test_a_plate_has_the_inertia_of_a_block(rotary: bool) -> None:
    a, b, h = 2.0, 1.0, 0.1
    mesh = plate(a, b, 3, 2, thickness=h, material=ALUMINIUM, rotary_inertia=rotary)
    R = rigid(mesh.nodes - [a / 2, b / 2, 0.0])
    m, t = ALUMINIUM.density * a * b * h, h if rotary else 0.0
    moments = [(b * b + t * t) / 12, (a * a + t * t) / 12, (a * a + b * b) / 12]
    exact = m * np.diag([1.0, 1.0, 1.0, *moments])
    np.testing.assert_allclose(R.T @ (mesh.mass_matrix @ R), exact, atol=1e-12 * m)


@pytest.mark.parametrize("rotary", [False, True])
def test_mass_of_fields_that_the_elements_contain(rotary: bool) -> None:
    """Quadratic deflection and linear stretching: the integrals have a closed form."""
    mesh = irregular(3, rotary_inertia=rotary)
    c, G = np.array([0.7, -0.4, 0.9]), np.array([[0.3, -0.8], [0.5, 0.2]])
    q = quadratic_bending(mesh.nodes, c) + linear_stretch(mesh.nodes, G)
    # Gauss points of the rectangle 2 x 1
    g, weight = np.polynomial.legendre.leggauss(4)
    X, Y = np.meshgrid(1.0 + g, 0.5 + 0.5 * g)
    area = 0.5 * np.outer(weight, weight)
    w = c[0] * X * X / 2 + c[1] * Y * Y / 2 + c[2] * X * Y
    wx, wy = c[0] * X + c[2] * Y, c[1] * Y + c[2] * X
    u, v = G[0, 0] * X + G[0, 1] * Y, G[1, 0] * X + G[1, 1] * Y
    rh, ri = 2700.0 * 0.01, 2700.0 * 0.01**3 / 12 * rotary
    exact = np.sum(area * (rh * (u * u + v * v + w * w) + ri * (wx * wx + wy * wy)))
    assert q @ (mesh.mass_matrix @ q) == pytest.approx(exact, rel=1e-12)


# ---------------------------------------------------------------------------------- recovery


def test_a_point_at_a_node_moves_with_it() -> None:
    mesh = folded()
    q = np.random.default_rng(2).normal(size=mesh.size)
    for n in range(len(mesh.nodes)):
        point = mesh.at(node=n)
        np.testing.assert_allclose(point.place, mesh.nodes[n], atol=1e-15)
        np.testing.assert_allclose(point.displacement @ q, q[6 * n : 6 * n + 3], atol=1e-13)
        np.testing.assert_allclose(point.rotation @ q, q[6 * n + 3 : 6 * n + 6], atol=1e-13)


def test_points_follow_rigid_motions_and_do_not_strain() -> None:
    mesh = folded()
    R = rigid(mesh.nodes)
    point = mesh.at(triangle=5, weights=INNER)
    motion = np.stack([np.cross(axis, point.place) for axis in np.eye(3)], axis=1)
    np.testing.assert_allclose(point.displacement @ R, np.hstack([np.eye(3), motion]), atol=1e-13)
    np.testing.assert_allclose(
        point.rotation @ R, np.hstack([np.zeros((3, 3)), np.eye(3)]), atol=1e-13
    )
    assert np.abs(point.strain("top") @ R).max() < 1e-12


def test_slopes_are_the_rotation_of_the_surface() -> None:
    """The rotation about axes in the plane is that of the quadratic deflection, sign included."""
    mesh, c = irregular(2), np.array([0.7, -0.4, 0.9])
    q = quadratic_bending(mesh.nodes, c) + linear_stretch(
        mesh.nodes, np.array([[0, -0.3], [0.5, 0]])
    )
    point = mesh.at((0.7, 0.6, 0.0))
    x, y, _ = point.place
    np.testing.assert_allclose([x, y], [0.7, 0.6], rtol=1e-14)
    expected = [c[1] * y + c[2] * x, -c[0] * x - c[2] * y, 0.4]
    np.testing.assert_allclose(point.rotation @ q, expected, rtol=1e-12)
    w = c[0] * x * x / 2 + c[1] * y * y / 2 + c[2] * x * y
    np.testing.assert_allclose(point.displacement @ q, [-0.3 * y, 0.5 * x, w], rtol=1e-12)


def test_deflection_goes_on_across_sides() -> None:
    mesh = irregular(1)
    q = np.random.default_rng(3).normal(size=(len(mesh.nodes), 6))
    q[:, [0, 1, 5]] = 0.0  # bending; drilling moves the sides of neighbours by different cubics
    q = q.ravel()
    a, b = mesh.triangles[0], mesh.triangles[1]
    common = sorted(set(a.tolist()) & set(b.tolist()))
    values = [
        mesh.at(triangle=t, weights=[{common[0]: 0.3, common[1]: 0.7}.get(n, 0.0) for n in corners])
        for t, corners in ((0, a.tolist()), (1, b.tolist()))
    ]
    assert values[0].displacement[2] @ q == pytest.approx(values[1].displacement[2] @ q, rel=1e-12)


def test_sides_bend_as_beams_in_their_plane_too() -> None:
    """One corner turns: its two sides take the cubic with that slope there and none beyond."""
    nodes = np.array([[0.1, 0.2, 0.0], [1.3, 0.4, 0.0], [0.5, 1.1, 0.0]])
    mesh = ShellMesh(nodes, [[0, 1, 2]], 0.01, ALUMINIUM)
    q = np.zeros(18)
    q[5] = 1.0  # drilling of the first corner
    t = 0.3
    for end, weights in ((1, [1 - t, t, 0.0]), (2, [1 - t, 0.0, t])):
        side = nodes[end] - nodes[0]
        exact = t * (1 - t) ** 2 * np.cross([0.0, 0.0, 1.0], side)
        found = mesh.at(triangle=0, weights=weights).displacement @ q
        np.testing.assert_allclose(found, exact, atol=1e-15)
    across = mesh.at(triangle=0, weights=[0.0, 1 - t, t]).displacement @ q
    np.testing.assert_allclose(across, 0.0, atol=1e-15)


def test_surface_strain_stress_and_moment_have_their_signs() -> None:
    """A plate bent upwards at its ends, w,xx > 0, is pressed on top and pulled at the bottom."""
    nu, h, k = 0.3, 0.01, 0.02
    mesh = irregular()
    q = quadratic_bending(mesh.nodes, np.array([k, 0.0, 0.0]))
    q += linear_stretch(mesh.nodes, np.diag([1e-5, 0.0]))
    point = mesh.at((1.1, 0.3, 0.0))
    top, bottom = 1e-5 - k * h / 2, 1e-5 + k * h / 2
    np.testing.assert_allclose(point.strain("top") @ q, [top, 0, 0], atol=1e-15)
    np.testing.assert_allclose(point.strain("bottom") @ q, [bottom, 0, 0], atol=1e-15)
    np.testing.assert_allclose(point.strain("middle") @ q, [1e-5, 0, 0], atol=1e-15)
    E = 70e9 / (1 - nu**2)
    np.testing.assert_allclose(point.stress("top") @ q, [E * top, nu * E * top, 0], atol=1e-3)
    D = E * h**3 / 12
    np.testing.assert_allclose(point.moment() @ q, [-D * k, -nu * D * k, 0], atol=1e-10)
    np.testing.assert_allclose(
        point.membrane_force() @ q, [E * h * 1e-5, nu * E * h * 1e-5, 0], atol=1e-6
    )
    np.testing.assert_allclose(mesh.strains(q, "top"), np.tile([top, 0, 0], (32, 1)), atol=1e-15)
    np.testing.assert_allclose(mesh.stresses(q, "bottom")[3], point.stress("bottom") @ q, atol=1e-3)


def test_gauges_and_rosettes_in_any_plane() -> None:
    flat, Q = irregular(), turned(4)
    mesh = ShellMesh(flat.nodes @ Q.T, flat.triangles, 0.01, ALUMINIUM)
    grad = np.array([[3e-4, -8e-4], [5e-4, 2e-4]])
    q = np.kron(np.eye(2 * len(flat.nodes)), Q) @ linear_stretch(flat.nodes, grad)
    strain = 0.5 * (grad + grad.T)
    point = mesh.at(Q @ [0.8, 0.5, 0.0])
    for angle in (0.0, 0.4, 2.0):
        direction = np.array([math.cos(angle), math.sin(angle)])
        found = point.gauge(Q @ [*direction, 0.5]) @ q  # the part along the normal has no effect
        assert found == pytest.approx(direction @ strain @ direction, abs=1e-16)
    gauges = point.rosette(Q[:, 0]) @ q
    exact = [strain[0, 0], strain[[0, 0, 1, 1], [0, 1, 0, 1]].sum() / 2, strain[1, 1]]
    np.testing.assert_allclose(gauges, exact, atol=1e-16)
    in_axes = point.strain("middle", along=Q[:, 1]) @ q
    np.testing.assert_allclose(in_axes, [strain[1, 1], strain[0, 0], -2 * strain[0, 1]], atol=1e-16)
    axes = point.axes(Q[:, 1])
    np.testing.assert_allclose(axes, [Q[:, 1], -Q[:, 0], Q[:, 2]], atol=1e-14)


def test_stress_over_the_mesh_gives_the_strain_energy() -> None:
    mesh = folded()
    q = np.random.default_rng(7).normal(size=mesh.size)
    energy = 0.0
    for t, area in enumerate(mesh.shape.areas):
        for weights in MIDSIDES:
            p = mesh.at(triangle=t, weights=weights)
            density = (p.membrane_force() @ q) @ (p.membrane_strain() @ q)
            density += (p.moment() @ q) @ (p.curvature() @ q)
            energy += 0.5 * density * area / 3
    assert energy == pytest.approx(0.5 * q @ (mesh.stiffness_matrix @ q), rel=1e-12)


@pytest.mark.parametrize("pattern", ["right", "alternate", "cross"])
def test_means_at_inner_nodes_are_exact_for_linear_strains(pattern: str) -> None:
    nu = 0.3
    mesh = plate(2.0, 1.0, 4, 4, thickness=0.01, material=ALUMINIUM, pattern=pattern)
    x, y = mesh.nodes[:, 0], mesh.nodes[:, 1]
    q = np.zeros((len(x), 6))
    q[:, 0], q[:, 1], q[:, 5] = x * y, -(x * x + nu * y * y) / 2, -x
    q[:, 2], q[:, 3], q[:, 4] = x**3 - x * y * y, -2 * x * y, -(3 * x * x - y * y)
    n = 6 + 5 * 1  # inner: x = 0.5, y = 0.5
    point = mesh.at(node=n)
    X, Y = x[n], y[n]
    np.testing.assert_allclose(point.membrane_strain() @ q.ravel(), [Y, -nu * Y, 0], atol=1e-13)
    np.testing.assert_allclose(point.curvature() @ q.ravel(), [-6 * X, 2 * X, 4 * Y], atol=1e-12)


@pytest.mark.parametrize("n", [1, 4])
def test_the_strain_of_a_bent_strip(n: int) -> None:
    """A cantilever strip with nu = 0, lifted at its end: strain -6 F (L - x) / (E b h^2) on top."""
    L, b, h, F, E = 1.0, 0.1, 0.002, 0.3, 70e9
    mesh = plate(L, b, 10 * n, n, thickness=h, material=isotropic(E, 0.0, 2700.0))
    x = mesh.nodes[:, 0]
    load = np.zeros(mesh.size)
    load[at(where(x == L), 2)] = np.array([0.5, *[1.0] * (n - 1), 0.5]) * F / n
    q = solve(mesh, load, at(where(x == 0), *range(6)))
    deflection = F * L**3 / (3 * E * b * h**3 / 12)
    np.testing.assert_allclose(q[at(where(x == L), 2)], deflection, rtol=2e-3 / n**2)
    for place in (0.25, 0.55):
        strain = mesh.at((place, b / 2, 0.0)).strain("top") @ q
        # The curvature is linear in a triangle but its slope is not exact: first order, half of
        # what the strain changes over one element.
        error = 6 * F / (E * b * h * h) * 0.5 * L / (10 * n)
        exact = [-6 * F * (L - place) / (E * b * h * h), 0.0, 0.0]
        np.testing.assert_allclose(strain, exact, atol=error)


def test_von_mises() -> None:
    assert plane_von_mises([-5.0, 0.0, 0.0]) == 5.0
    assert plane_von_mises([0.0, 0.0, 2.0]) == pytest.approx(2.0 * math.sqrt(3.0))
    assert plane_von_mises([3.0, 3.0, 0.0]) == 3.0
    assert plane_von_mises(np.ones((4, 2, 3))).shape == (4, 2)


# ---------------------------------------------------------------------------------- messages

SQUARE = [[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
TWO = [[0, 1, 2], [0, 2, 3]]
NODES = "a table of at least 3 nodes with 3 finite coordinates each (m)"
TABLE = "a table of triangles with 3 node numbers each"
MESH = plate(1.0, 1.0, 2, 2, thickness=0.01, material=ALUMINIUM)


def shell(nodes=SQUARE, triangles=TWO, thickness=0.01, material=ALUMINIUM, **options) -> ShellMesh:
    return ShellMesh(nodes, triangles, thickness, material, **options)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: shell(nodes=[[0, 0], [1, 0], [0, 1]]),
            f"nodes is ((0, 0), (1, 0), (0, 1)), expected {NODES}",
        ),
        (
            lambda: shell(nodes=[[0, 0, math.nan]] * 3),
            f"nodes is ((0, 0, nan), (0, 0, nan), (0, 0, nan)), expected {NODES}",
        ),
        (lambda: shell(triangles=[[0.0, 1.0, 2.0]]), f"triangles is ((0, 1, 2)), expected {TABLE}"),
        (
            lambda: shell(triangles=[[0, 1, 2], [0, 1]]),
            f"triangles is ((0, 1, 2), (0, 1)), expected {TABLE}",
        ),
        (
            lambda: shell(triangles=[[0, 1, 2], [0, 2, 9]]),
            "triangles[1] is (0, 2, 9), expected 3 different node numbers from 0 to 3",
        ),
        (
            lambda: shell(triangles=[[0, 1, 2], [0, 2, 2]]),
            "triangles[1] is (0, 2, 2), expected 3 different node numbers from 0 to 3",
        ),
        (
            lambda: shell(triangles=[[0, 1, 2], [-1, 0, 2]]),
            "triangles[1] is (-1, 0, 2), expected 3 different node numbers from 0 to 3",
        ),
        (
            lambda: shell(nodes=[*SQUARE, [2, 0, 0]], triangles=[*TWO, [0, 1, 4]]),
            "triangles[2] is (0, 1, 4), expected corners that are not in line: its area is zero",
        ),
        (
            lambda: shell(triangles=[*TWO, [2, 0, 1]]),
            "triangles[2] is (2, 0, 1), expected corners of its own, not those of triangles[0]",
        ),
        (
            lambda: shell(nodes=[*SQUARE, [2, 0, 0]]),
            "nodes[4] is (2, 0, 0), expected a corner of some triangle",
        ),
        (
            lambda: shell(nodes=[*SQUARE, [2, 0, 0], [1, 1, 0]], triangles=[*TWO, [1, 4, 5]]),
            "nodes[5] is (1, 1, 0), expected a place of its own, not that of nodes[2]",
        ),
        (
            lambda: shell(
                nodes=[*SQUARE, [2, 0, 0], [3, 0, 0], [2, 1, 0]], triangles=[*TWO, [4, 5, 6]]
            ),
            "triangles are 2 separate parts (triangles[0] and triangles[2] are in different"
            " ones), expected one mesh connected by common nodes",
        ),
        (lambda: shell(thickness=0.0), "thickness is 0.0, expected a positive number"),
        (
            lambda: shell(thickness=[0.01, -0.02]),
            "thickness[1] is -0.02, expected a positive number",
        ),
        (
            lambda: shell(thickness=[0.01]),
            "thickness is (0.01), expected a positive number, or 2 of them, one for each"
            " triangle (m)",
        ),
        (lambda: shell(material="steel"), "material is 'steel', expected a Material"),
        (
            lambda: shell(material=Material(70e9, 20e9, 2700.0)),
            "Poisson's ratio E / (2 G) - 1 is 0.75, expected at most 0.5: G = E / (2 (1 + nu))"
            " of an isotropic material",
        ),
        (lambda: shell(name=3), "name is 3, expected a text"),
        (lambda: shell(rotary_inertia=1), "rotary_inertia is 1, expected True or False"),
        (lambda: MESH.at(), "point is (), expected one of place, triangle and node"),
        (lambda: MESH.at(triangle=8), "triangle is 8, expected a number from 0 to 7"),
        (lambda: MESH.at(node=-1), "node is -1, expected a number from 0 to 8"),
        (
            lambda: MESH.at(triangle=0, weights=(0.5, 0.6, 0.1)),
            "weights is (0.5, 0.6, 0.1), expected 3 numbers from 0 to 1 that add up to 1",
        ),
        (
            lambda: MESH.at((3.0, 0.5, 0.0)),
            "place is (3, 0.5, 0), expected a place on the shell, whose nearest point is 2 m away",
        ),
        (
            lambda: MESH.at(triangle=1).gauge("z"),
            "along is (0, 0, 1), expected a direction that is not normal to triangle 1",
        ),
        (
            lambda: MESH.at(triangle=1).strain("upper"),
            "surface is 'upper', expected 'top' or 'middle' or 'bottom'",
        ),
    ],
)
def test_sentences(make, sentence: str) -> None:
    with pytest.raises(ModelError) as error:
        make()
    assert str(error.value) == f"ShellMesh: {sentence}"


def test_sentences_carry_the_name() -> None:
    with pytest.raises(ModelError, match=r"^ShellMesh 'wing': thickness is -1.0, expected"):
        shell(thickness=-1.0, name="wing")
    with pytest.raises(ModelError, match=r"^plate 'wing': nx is 0, expected a whole number of"):
        plate(1.0, 1.0, 0, 1, thickness=0.01, material=ALUMINIUM, name="wing")
    with pytest.raises(
        ModelError, match=r"^plate: pattern is 'star', expected 'right' or 'left' or"
    ):
        plate(1.0, 1.0, 1, 1, thickness=0.01, material=ALUMINIUM, pattern="star")
    with pytest.raises(ModelError, match=r"^plate: size_y is -1.0, expected a positive number$"):
        plate(1.0, -1.0, 1, 1, thickness=0.01, material=ALUMINIUM)
    with pytest.raises(ModelError, match=r"density is 0\.0, expected a positive number"):
        Material(70e9, 27e9, 0.0)


def test_strains_at_a_fold_belong_to_one_triangle() -> None:
    box = shell(
        nodes=[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]], triangles=[[0, 1, 2], [0, 3, 1]]
    )
    box.at(node=2).strain()
    assert box.at(node=0).rotation.shape == (3, 24)
    with pytest.raises(ModelError) as error:
        box.at(node=0).strain()
    assert str(error.value) == (
        "ShellMesh: node is 0, expected a node of a smooth shell: strains at a fold belong to one"
        " triangle"
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"material": Material(70e3, 27e3, 2700.0)},  # MPa
            r"speed of sound sqrt\(E / density\) is 5.09 m/s, expected 20 to 30000 of a solid",
        ),
        (
            {"material": Material(70e9, 27e9, 2.7)},  # g/cm3
            r"speed of sound sqrt\(E / density\) is 1.61e\+05 m/s, expected 20 to 30000 of a solid",
        ),
        (
            {"thickness": [0.01, 3.0]},  # mm
            "thickness of triangle 1 is 3 m, expected far less than the size of the mesh, which"
            " is 1.41 m",
        ),
        (
            {"triangles": [[0, 1, 2], [0, 3, 2]]},
            "normals of triangles 0 and 1 point to opposite sides, expected the same order of"
            " corners",
        ),
    ],
)
def test_warnings(options: dict, sentence: str) -> None:
    with pytest.warns(SuppleWarning, match=sentence):
        shell(**options)


def test_good_shells_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        folded()
        # Three triangles at one side have no common top.
        shell(
            nodes=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]],
            triangles=[[0, 1, 2], [1, 0, 3], [0, 1, 4]],
        )
