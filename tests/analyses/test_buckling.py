"""Load factors of columns, plates and strips against exact ones, and how they converge."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

import supple as sp
from models.shell_meshes import ALUMINIUM, at, isotropic, where
from models.solid_meshes import CORK
from oracles.linear_stretch import linear_stretch
from supple.fem.shells.shell import ShellMesh, plate
from supple.foundation.errors import ModelError

Array = np.ndarray
NO_POISSON = isotropic(70e9, 0.0, 2700.0)


def uniform_loads(mesh: ShellMesh, stress: tuple[float, float, float]) -> Array:
    """Nodal loads (size,) of a uniform plane stress xx, yy, xy in Pa: they are on the edges."""
    xx, yy, twice = np.linalg.solve(mesh.law, stress)
    return mesh.stiffness_matrix @ linear_stretch(
        mesh.nodes, np.array([[xx, 0.5 * twice], [0.5 * twice, yy]])
    )


# ------------------------------------------------------------------------------------ columns


@pytest.mark.parametrize(
    ("ends", "factor"), [("cantilever", 0.25), ("pinned", 1.0), ("clamped", 4.0)]
)
def test_a_strip_buckles_as_eulers_column(ends: str, factor: float) -> None:
    """factor pi^2 E I / L^2, from above with the square of the element."""
    L, b, t = 1.0, 0.1, 0.005
    exact = factor * np.pi**2 * NO_POISSON.E * b * t**3 / 12.0 / L**2
    errors = []
    for n in (8, 16):
        mesh = plate(L, b, n, n // 8, thickness=t, material=NO_POISSON)
        x = mesh.nodes[:, 0]
        first, both = where(x == 0.0), where((x == 0.0) | (x == L))
        held = {
            "cantilever": at(first, 0, 1, 2, 3, 4, 5),
            "pinned": np.concatenate([at(first, 0, 1, 2), at(both, 2)]),
            "clamped": np.concatenate([at(first, 0), at(both, 1, 2, 3, 4, 5)]),
        }[ends]
        loads = uniform_loads(mesh, (-1.0 / (b * t), 0.0, 0.0))  # 1 N
        errors.append(sp.buckling(mesh, loads, held).factors[0] / exact - 1.0)
    assert errors[0] > errors[1] > 0.0
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)
    assert errors[1] < 0.003  # (pi / 16)^4 times the factor, for cubics; here the square rules


def test_a_strip_buckles_in_its_plane() -> None:
    """The in-plane gradients: nothing moves out of the plane."""
    L, b, t = 1.0, 0.02, 0.05
    euler = 0.25 * np.pi**2 * NO_POISSON.E * t * b**3 / 12.0 / L**2
    exact = euler / (1.0 + euler / (5.0 / 6.0 * NO_POISSON.G * b * t))  # Engesser
    errors = []
    for n in (8, 16):
        mesh = plate(L, b, n, n // 8, thickness=t, material=NO_POISSON)
        out = at(np.arange(len(mesh.nodes)), 2, 3, 4)
        held = np.union1d(out, at(where(mesh.nodes[:, 0] == 0.0), *range(6)))
        loads = uniform_loads(mesh, (-1.0 / (b * t), 0.0, 0.0))
        errors.append(sp.buckling(mesh, loads, held).factors[0] / exact - 1.0)
    assert errors[0] > errors[1] > 0.0 and errors[0] / errors[1] > 3.0 and errors[1] < 0.001


@pytest.mark.parametrize("kind", ["tet10", "hex20", "hex27"])
@pytest.mark.parametrize(("ends", "factor"), [("cantilever", 0.25), ("pinned", 1.0)])
def test_a_block_buckles_as_eulers_column(kind: str, ends: str, factor: float) -> None:
    """E I / L^2 with the shear of Engesser; Green's strain adds the stress itself to E."""
    L, h, b = 1.0, 0.04, 0.06
    area, moment = h * b, b * h**3 / 12.0
    euler = factor * np.pi**2 * CORK.E * moment / L**2
    exact = euler / (1.0 + euler / (5.0 / 6.0 * CORK.G * area))
    errors = []
    for n in (8, 16):
        mesh = sp.fem.block((L, b, h), (n, 1, 1), kind, CORK)
        x, z = mesh.nodes[:, 0], mesh.nodes[:, 2]
        state = np.zeros((len(x), 3))
        state[:, 0] = -x / (CORK.E * area)  # 1 N
        loads = mesh.stiffness_matrix @ state.ravel()
        ends_of = np.flatnonzero(((x == 0.0) | (x == L)) & (z == 0.5 * h))
        across = 3 * np.arange(len(x)) + 1  # plane bending: Poisson's ratio is zero
        held = {
            "cantilever": (3 * mesh.group("x_min")[:, None] + np.arange(3)).ravel(),
            "pinned": np.concatenate([3 * ends_of + 2, 3 * ends_of[x[ends_of] == 0.0]]),
        }[ends]
        found = sp.buckling(mesh, loads, np.union1d(held, across)).factors[0]
        errors.append(found / exact - 1.0)
    # Green's strain makes E smaller by the stress: the limit is within one strain of the beam
    assert errors[0] > errors[1] and abs(errors[1]) < exact / (CORK.E * area)


# ------------------------------------------------------------------------------------- plates


def simply_supported(n: int, stress: tuple[float, float, float], count: int = 1) -> Array:
    """Factors of k pi^2 D / b^2 of a square plate with n x n cells; its edges move in the plane."""
    t = 0.01
    mesh = plate(1.0, 1.0, n, n, thickness=t, material=ALUMINIUM)
    x, y = mesh.nodes[:, 0], mesh.nodes[:, 1]
    on_x, on_y = (x == 0.0) | (x == 1.0), (y == 0.0) | (y == 1.0)
    held = np.concatenate(
        [
            at(where(on_x | on_y), 2),
            at(where(on_x), 3),
            at(where(on_y), 4),
            at([0], 0, 1),
            at([n], 1),
        ]
    )
    D = ALUMINIUM.E * t**3 / (12.0 * (1.0 - mesh.poisson**2))
    return sp.buckling(mesh, uniform_loads(mesh, stress), held, count).factors * t / (np.pi**2 * D)


def test_a_square_plate_buckles_at_four_and_at_two() -> None:
    """(m + 1/m)^2 along one side, m^2 + 1 along both (Bryan 1891): 4, 6.25 and 2."""
    one = [simply_supported(n, (-1.0, 0.0, 0.0), 2) for n in (8, 16)]
    both = [simply_supported(n, (-1.0, -1.0, 0.0)) for n in (8, 16)]
    errors = np.array([np.append(a / [4.0, 6.25], b / 2.0) for a, b in zip(one, both, strict=True)])
    errors -= 1.0
    assert np.all(np.abs(errors[0]) < 0.01)  # DKT at 8 x 8 cells: below one percent
    order = np.log2(errors[0] / errors[1])
    assert np.all((order > 1.8) & (order < 2.6))


def shear_factor(terms: int) -> float:
    """k of a square plate in shear, from sines (an upper bound that falls with their number)."""
    m, n = (v.ravel() for v in np.meshgrid(*(np.arange(1, terms + 1),) * 2, indexing="ij"))
    stiff = (m**2 + n**2).astype(float) ** 2
    # int_0^1 sin(p pi x) cos(r pi x) pi r dx for odd p + r is 2 p r / (p^2 - r^2)
    p, r = m[:, None], m[None]
    s, u = n[:, None], n[None]
    with np.errstate(all="ignore"):
        along = np.where((p + r) % 2 == 1, 2.0 * p * r / (p**2 - r**2), 0.0)
        up = np.where((s + u) % 2 == 1, 2.0 * s * u / (s**2 - u**2), 0.0)
    # D pi^4 / 4 stiff against 2 n_xy int w,x w,y, with n_xy = k pi^2 D
    couple = -along * up
    values = eigh(2.0 * couple * 4.0 / np.pi**2, np.diag(stiff), eigvals_only=True)
    return float(1.0 / np.abs(values).max())


def test_a_square_plate_buckles_in_shear() -> None:
    """9.34 in the books (M. Stein, J. Neff, NACA TN 1222, 1947); sines give more digits."""
    exact = shear_factor(14)
    assert exact == pytest.approx(shear_factor(10), rel=2e-4)
    assert exact == pytest.approx(9.34, abs=0.02)  # printed from fewer terms: above
    found = [simply_supported(n, (0.0, 0.0, sign))[0] for n, sign in ((8, 1), (16, 1), (16, -1))]
    assert found[1] == pytest.approx(found[2], rel=1e-9)  # diagonals alternate: no sense of shear
    errors = np.array(found[:2]) / exact - 1.0
    assert np.all(np.abs(errors) < [0.01, 0.0025])


@pytest.mark.slow
def test_a_narrow_cantilever_buckles_sideways() -> None:
    """4.013 sqrt(E I G J) / L^2 under a force on its end (Prandtl, Michell 1899).

    The clamped end does not warp, over the length b / sqrt(24) without Poisson's ratio: the load is
    higher in proportion to b / L, which two strips and meshes of halved size remove.
    """
    found = []
    for ratio in (20, 40):
        b = 1.0 / ratio
        t = b / 20.0
        beam = np.sqrt(NO_POISSON.E * b * t**3 / 12.0 * NO_POISSON.G * b * t**3 / 3.0)
        meshes = []
        for n in (4, 8):
            mesh = plate(1.0, b, 20 * n, n, thickness=t, material=NO_POISSON)
            x, y = mesh.nodes[:, 0], mesh.nodes[:, 1]
            loads = np.zeros(mesh.size)
            loads[at(where((x == 1.0) & (np.abs(y - b / 2.0) < 1e-9)), 1)] = -1.0
            meshes.append(sp.buckling(mesh, loads, at(where(x == 0.0), *range(6))).factors[0])
        found.append((meshes[1] + (meshes[1] - meshes[0]) / 3.0) / beam)
    assert 1.0 < found[1] / 4.013 < found[0] / 4.013 < (1.0 - 1.0 / (20.0 * np.sqrt(24.0))) ** -2
    assert 2.0 * found[1] - found[0] == pytest.approx(4.013, rel=2e-3)  # extrapolated twice


# --------------------------------------------------------------------------------------- rings


def shell_ring(n: int, thickness: float) -> tuple[ShellMesh, Array, Array]:
    """A quarter of a ring of radius 1 m and width 0.1 m, its angles, loads of 1 N/m inwards."""
    flat = plate(0.5 * np.pi, 0.1, n, 1, thickness=thickness, material=NO_POISSON)
    angle = flat.nodes[:, 0]
    out = np.stack([np.cos(angle), np.sin(angle), np.zeros(len(angle))], axis=1)
    mesh = ShellMesh(out + [0, 0, 1] * flat.nodes[:, 1:2], flat.triangles, thickness, NO_POISSON)
    loads = np.zeros((len(angle), 6))
    ends = np.isclose(angle, 0.0) | np.isclose(angle, 0.5 * np.pi)
    loads[:, :3] = -out * (0.25 * np.pi / n * np.where(ends, 0.5, 1.0))[:, None]
    return mesh, angle, loads.ravel()


def test_a_ring_of_shells_buckles_under_dead_pressure() -> None:
    """m^2 E I / R^3 for m = 2, 4 waves, if the pressure keeps its directions (not m^2 - 1).

    Without stretch w = cos(m a), v = -sin(m a) / m: the curvature is (m^2 - 1) cos(m a) / R^2, the
    rotation (m^2 - 1) sin(m a) / (m R), and the hoop force -p R does work on its square. No
    two triangles of different cells are in one plane.
    """
    errors = []
    for n in (8, 16):
        mesh, angle, loads = shell_ring(n, 0.01)
        first, last = where(np.isclose(angle, 0.0)), where(np.isclose(angle, 0.5 * np.pi))
        plane = at(np.arange(len(angle)), 2, 3, 4)  # motion in the plane of the ring
        held = np.concatenate([plane, at(first, 1, 5), at(last, 0, 5)])  # two planes of symmetry
        scale = NO_POISSON.E * 0.1 * 0.01**3 / 12.0
        errors.append(sp.buckling(mesh, loads, held, 2).factors / scale / [4.0, 16.0] - 1.0)
    assert np.all(errors[1] > 0.0) and np.all(errors[1] < [0.0015, 0.004])
    assert np.all(np.abs(np.log2(errors[0] / errors[1]) - 2.0) < 0.4)


def test_a_ring_of_solids_buckles_under_dead_pressure() -> None:
    t, material = 0.05, CORK
    flat = sp.fem.block((0.5 * np.pi, t, 0.1), (24, 1, 1), "hex20", material)
    angle, radius = flat.nodes[:, 0], 1.0 + flat.nodes[:, 1] - 0.5 * t
    out = np.stack([np.sin(angle), np.cos(angle), np.zeros(len(angle))], axis=1)
    nodes = radius[:, None] * out + [0, 0, 1] * flat.nodes[:, 2:]
    mesh = sp.fem.SolidMesh(nodes, flat.cells, "hex20", material)
    loads = -(mesh.mass_matrix @ out.ravel()) / (material.density * t * 0.1)
    first, last = np.flatnonzero(angle == 0.0), np.flatnonzero(np.isclose(angle, 0.5 * np.pi))
    held = np.concatenate([3 * np.arange(len(angle)) + 2, 3 * first, 3 * last + 1])
    found = sp.buckling(mesh, loads, held).factors[0] / (material.E * 0.1 * t**3 / 12.0)
    # shear: 1 / (1 + P / (k G A)) with P = 4 E I / R^2; thickness and hoop strain: (t / R)^2
    shear = 4.0 * material.E * t**2 / 12.0 / (5.0 / 6.0 * material.G)
    assert found == pytest.approx(4.0 / (1.0 + shear), rel=0.003)


# ------------------------------------------------------------------------------- what is returned


def test_modes_are_scaled_and_solve_the_equations() -> None:
    for divisions in ((4, 1, 1), (10, 2, 2)):  # by dense and by sparse matrices
        mesh = sp.fem.block((1.0, 0.1, 0.05), divisions, "hex20", CORK)
        held = (3 * mesh.group("x_min")[:, None] + np.arange(3)).ravel()
        loads = np.zeros((len(mesh.nodes), 3))
        loads[mesh.group("x_max"), 0] = -1.0
        found = sp.buckling(mesh, loads.ravel(), held, 3)
        assert np.all(np.diff(found.factors) > 0.0) and not found.shapes[held].any()
        kept = np.setdiff1d(np.arange(mesh.size), held)
        K, G = mesh.stiffness_matrix, mesh.geometric_stiffness(found.state)
        rest = (K @ found.state - loads.ravel())[kept]
        assert np.abs(rest).max() < 1e-9
        for factor, shape in zip(found.factors, found.shapes.T, strict=True):
            assert np.linalg.norm(shape.reshape(-1, 3), axis=1).max() == pytest.approx(1.0)
            work = shape @ K @ shape
            assert shape @ (K + factor * G) @ shape == pytest.approx(0.0, abs=1e-8 * work)
            residual = ((K + factor * G) @ shape)[kept]
            assert np.abs(residual).max() < 1e-6 * np.abs((factor * G @ shape)[kept]).max()


def test_tension_has_no_load_factor_in_large_meshes_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mesh = plate(1.0, 0.5, 12, 6, thickness=0.005, material=NO_POISSON)  # sparse matrices
    held = at(where(mesh.nodes[:, 0] == 0.0), *range(6))
    with pytest.raises(ModelError, match="no positive load factor"):
        sp.buckling(mesh, uniform_loads(mesh, (1.0, 0.0, 0.0)), held, 2)
    # tension along x, less pressure along y: the larger inverse factors are negative
    loads = uniform_loads(mesh, (20.0, -1.0, 0.0))
    supports = np.concatenate([at(np.flatnonzero(mesh.nodes[:, 1] == 0.0), 1, 2, 3), at([0], 0)])
    few = sp.buckling(mesh, loads, supports, 2)
    back = sp.buckling(mesh, -loads, supports, 1)
    assert 1.0 / back.factors[0] > 1.0 / few.factors[0]
    monkeypatch.setattr("supple.fem.base.buckling.DENSE", mesh.size)
    assert few.factors == pytest.approx(sp.buckling(mesh, loads, supports, 2).factors, rel=1e-8)


def test_messages() -> None:
    mesh = plate(1.0, 0.1, 4, 1, thickness=0.01, material=ALUMINIUM)
    still = plate(1.0, 0.1, 4, 1, thickness=0.01, material=NO_POISSON)  # tension alone
    held = at(where(mesh.nodes[:, 0] == 0.0), *range(6))
    pull = uniform_loads(still, (1.0, 0.0, 0.0))
    press = -pull
    component = sp.fem.ImportedComponent(mesh.nodes, 6, mesh.mass_matrix, mesh.stiffness_matrix)
    size = "60 finite numbers, one for each nodal coordinate, not all zero"
    cases: list[tuple[tuple[Any, ...], str]] = [
        (
            (component, press, held),
            "buckling: component is the class ImportedComponent, expected one with "
            "geometric_stiffness, e.g. a ShellMesh or a SolidMesh",
        ),
        ((mesh, [1.0], held), f"buckling: loads is (1), expected {size}"),
        ((mesh, 0.0 * press, held), f"expected {size}"),
        ((mesh, press, [60]), "buckling: held is 60, expected coordinates from 0 to 59"),
        ((mesh, press, [-1]), "buckling: held is -1, expected coordinates from 0 to 59"),
        ((mesh, press, []), "buckling: held is (), expected coordinates from 0 to 59"),
        (
            (mesh, press, at([0], 0, 1, 2, 3, 4)),
            "buckling: held leaves a rigid motion free with 5 coordinates, expected supports "
            "against all six",
        ),
        (
            (mesh, press, at([0, 1, 2, 3, 4], 1, 2)),
            "buckling: held leaves a rigid motion free with 10 coordinates, expected supports "
            "against all six",
        ),
        ((mesh, press, held, 48), "buckling: count is 48, expected an integer from 1 to 47"),
        ((mesh, press, held, 0), "buckling: count is 0, expected an integer from 1 to 47"),
        (
            (still, pull, held),
            "buckling: the loads have no positive load factor, expected loads that press",
        ),
    ]
    for arguments, sentence in cases:
        with pytest.raises(ModelError, match=re.escape(sentence)):
            sp.buckling(*arguments)
