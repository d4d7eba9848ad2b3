"""Shells against exact solutions, tables and benchmarks from the literature."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from models.shell_meshes import ALUMINIUM, at, frequencies, isotropic, lumped, solve, where
from supple.fem.base.material import Material
from supple.fem.shells.shell import ShellMesh, plate
from supple.foundation.errors import SuppleWarning

# Numbers of an independent program with the same elements on the same meshes; frequencies of
# slender problems keep about ten of its digits.
SAME = 1e-8
H, D = 0.001, 70e9 * 0.001**3 / 12 / (1 - 0.3**2)  # m, N m; the square plates have side 1
PLANE, BEND = (0, 1, 5), (2, 3, 4)
NAMES = {"/": "right", "uj": "centre", "sym": "mirror"}


def square(n: int, pattern: str, support: str, **options) -> tuple[ShellMesh, np.ndarray]:
    """Square plate with all motion in its plane held, and its supports."""
    options = {"thickness": H, "material": ALUMINIUM, "rotary_inertia": False, **options}
    mesh = plate(1.0, 1.0, n, n, pattern=NAMES.get(pattern, pattern), **options)
    x, y = mesh.nodes[:, 0], mesh.nodes[:, 1]
    across, along = (x == 0) | (x == 1), (y == 0) | (y == 1)
    fixed = [at(np.arange(len(x)), *PLANE)]
    if support == "simple":  # the slope along a supported side is zero too
        fixed += [at(where(across | along), 2), at(where(across), 3), at(where(along), 4)]
    elif support == "clamped":
        fixed += [at(where(across | along), *BEND)]
    elif support == "cantilever":
        fixed += [at(where(x == 0), *BEND)]
    return mesh, np.unique(np.concatenate(fixed))


def centre_deflections(n: int, pattern: str, support: str) -> np.ndarray:
    """w D / (q a^4) under uniform load and w D / (P a^2) under a central force."""
    mesh, fixed = square(n, pattern, support)
    centre = int(np.argmin(np.linalg.norm(mesh.nodes - [0.5, 0.5, 0.0], axis=1)))
    force = np.zeros(mesh.size)
    force[6 * centre + 2] = 1.0
    q = solve(mesh, np.stack([lumped(mesh, 2), force], axis=1), fixed)
    return q[6 * centre + 2] * D


# ------------------------------------------------------------------------------ static plates

# Timoshenko, Woinowsky-Krieger, Theory of Plates and Shells, tables 8, 23, 35, 37 (0.00406, 0.0116,
# 0.00126, 0.00560), with more digits of the same series.
EXACT = {"simple": (0.00406235, 0.0116008), "clamped": (0.00126532, 0.00561202)}
STATIC = {
    ("simple", "/"): [
        (0.00387527246, 0.01220186589),
        (0.00401970601, 0.01180403756),
        (0.00405222774, 0.01166453453),
    ],
    ("simple", "uj"): [
        (0.00405587381, 0.01168787503),
        (0.00406484581, 0.01163425595),
        (0.00406367164, 0.01161390352),
    ],
    ("clamped", "/"): [
        (0.00138684645, 0.00606937019),
        (0.00130292756, 0.00579787495),
        (0.00127508706, 0.00567163384),
    ],
    ("clamped", "uj"): [
        (0.00154738353, 0.00585546437),
        (0.00134741063, 0.00570755082),
        (0.00128653227, 0.00564104516),
    ],
}


@pytest.mark.parametrize(("support", "pattern"), list(STATIC))
def test_static_plates(support: str, pattern: str) -> None:
    found = np.array([centre_deflections(n, pattern, support) for n in (4, 8, 16)])
    np.testing.assert_allclose(found, STATIC[support, pattern], rtol=SAME)
    errors = np.abs(found / EXACT[support] - 1.0)
    # Second order, or better than half a percent at once.
    assert np.all((errors[2] < 0.35 * errors[1]) | (errors[2] < 0.002)), errors
    assert np.all(errors[2] < 0.02)


def test_a_square_plate_converges_to_the_tables() -> None:
    for support, exact in EXACT.items():
        coarse, fine = (centre_deflections(n, "alternate", support) for n in (16, 32))
        np.testing.assert_allclose(fine + (fine - coarse) / 3, exact, rtol=1e-3)


# -------------------------------------------------------------------------------- frequencies

UNIT = math.sqrt(D / (2700.0 * H))  # frequencies are w a^2 sqrt(rho h / D)
SIMPLE = math.pi**2 * np.array([2.0, 5, 5, 8, 10, 10])  # exact
# Leissa, J. Sound Vib. 31 (1973) 257-293, cantilever, nu = 0.3: from above, by Ritz' method
LEISSA = np.array([3.4917, 8.5246, 21.429, 27.331, 31.111, 54.443])
SPECTRA = {
    ("simple", "/", 4): (
        19.31440720439,
        47.50814297151,
        48.18416126250,
        74.46634671486,
        95.96690219209,
        96.77022139910,
    ),
    ("simple", "/", 8): (
        19.61056549999,
        48.74753809686,
        48.87988208339,
        77.08753230566,
        97.40541409201,
        97.44132302546,
    ),
    ("simple", "/", 16): (
        19.70496633478,
        49.18459064883,
        49.21486684904,
        78.42177249665,
        98.30911284653,
        98.31099894203,
    ),
    ("simple", "uj", 8): (
        19.62294480555,
        48.82202440865,
        48.82202440865,
        77.25762881757,
        97.42129760360,
        97.86728744252,
    ),
    ("cantilever", "/", 8): (
        3.47130051682,
        8.53113148106,
        21.35130919511,
        27.17946977070,
        31.06903389493,
        54.18995794739,
    ),
    ("cantilever", "sym", 4): (
        3.46727259905,
        8.69902029822,
        21.58702858226,
        27.22871644015,
        31.46530565979,
        53.92048997348,
    ),
    ("cantilever", "sym", 8): (
        3.47209349634,
        8.56433744254,
        21.39680704072,
        27.20968141820,
        31.17481715860,
        54.43931328520,
    ),
}


@pytest.mark.parametrize(("support", "pattern", "n"), list(SPECTRA))
def test_frequencies_of_the_same_mesh(support: str, pattern: str, n: int) -> None:
    found = frequencies(*square(n, pattern, support), 6) / UNIT
    np.testing.assert_allclose(found, SPECTRA[support, pattern, n], rtol=SAME)


def test_frequencies_of_supported_plates_converge_to_the_exact_ones() -> None:
    coarse, middle, fine = (
        np.abs(frequencies(*square(n, "alternate", "simple"), 6) / UNIT / SIMPLE - 1)
        for n in (8, 16, 32)
    )
    assert np.all(middle < 0.35 * coarse) and np.all(fine < 0.3 * middle)  # second order: 1 / 4
    assert np.all(fine < 0.0015)


@pytest.mark.parametrize("pattern", ["right", "alternate", "centre", "cross"])
def test_frequencies_of_a_cantilever_plate(pattern: str) -> None:
    """Ritz' method is above the truth, by less than one percent."""
    found = frequencies(*square(12, pattern, "cantilever"), 6) / UNIT
    np.testing.assert_allclose(found, LEISSA, rtol=0.01)


def test_rotary_inertia_lowers_the_frequencies() -> None:
    """Simply supported: w^2 = D k^4 / (rho h (1 + h^2 k^2 / 12)) with k^2 = w of the thin plate."""
    h, errors = 0.05, []
    exact = 1 - 1 / np.sqrt(1 + h * h * SIMPLE[:4] / 12)
    for n in (8, 16):
        options = {"thickness": h, "material": ALUMINIUM}
        thin, full = (
            frequencies(*square(n, "centre", "simple", rotary_inertia=rotary, **options), 4)
            for rotary in (False, True)
        )
        errors.append(np.abs((thin - full) / thin / exact - 1))
    # How much lower is known to the accuracy of the mesh, which is of second order.
    assert np.all(errors[1] < 0.35 * errors[0]) and np.all(errors[1] < 0.02)


def test_a_strip_vibrates_as_a_rod_and_as_a_beam_in_its_plane() -> None:
    """The inertia in the plane: slender, nu = 0, one row of cells."""
    L, b, E, rho = 1.0, 0.01, 70e9, 2700.0
    mesh = plate(L, b, 40, 1, thickness=0.002, material=isotropic(E, 0.0, rho))
    x = mesh.nodes[:, 0]
    fixed = np.union1d(at(np.arange(len(x)), *BEND), at(where(x == 0), *PLANE))
    found = frequencies(mesh, fixed, 8)
    bending = np.array([1.875104, 4.694091, 7.854757]) ** 2 * math.sqrt(E * b * b / 12 / rho)
    axial = math.pi / 2 * math.sqrt(E / rho)
    # Shear and rotary inertia lower the third frequency by 0.3 percent.
    np.testing.assert_allclose(found[:3], bending, rtol=0.005)
    assert np.min(np.abs(found / axial - 1)) < 1e-3


# A panel of 32 triangles (steel, 2 m x 2 m, 3 mm, clamped along x = 0): rad/s, bending only
PANEL = (
    4.083196474432,
    10.244308169587,
    25.421733216065,
    32.065606552552,
    37.054780513071,
    63.498888036486,
)
PANEL_64 = (4.088873752546, 25.197720853143, 32.043190162655, 64.109874757807, 72.088481491737)


def panel(n: int) -> np.ndarray:
    material = isotropic(210e9, 0.3, 7800.0)
    options = {"thickness": 0.003, "material": material, "pattern": "mirror"}
    mesh = plate(2.0, 2.0, n, n, rotary_inertia=False, **options)
    fixed = np.union1d(
        at(np.arange(len(mesh.nodes)), *PLANE), at(where(mesh.nodes[:, 0] == 0), *BEND)
    )
    return frequencies(mesh, fixed, 7)


def test_frequencies_of_a_panel_of_32_triangles() -> None:
    coarse, middle, fine = (panel(n) for n in (4, 8, 16))
    np.testing.assert_allclose(coarse[:6], PANEL, rtol=SAME)
    np.testing.assert_allclose(middle[[0, 2, 3, 5, 6]], PANEL_64, rtol=SAME)
    converged = fine + (fine - middle) / 3
    np.testing.assert_allclose(coarse[:6], converged[:6], rtol=0.025)
    assert abs(coarse[0] / converged[0] - 1) < 0.002


# ------------------------------------------------------------------------------- in the plane


def cook(n: int) -> float:
    """Deflection of Cook's trapezoid amid its loaded side, with drilling free at the wall."""
    square = plate(1.0, 1.0, n, n, thickness=0.1, material=ALUMINIUM, pattern="left")
    s, t = square.nodes[:, 0], square.nodes[:, 1]
    nodes = np.column_stack([48 * s, 44 * s + t * (44 - 28 * s), 0 * s])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)  # units of the literature
        mesh = ShellMesh(nodes, square.triangles, 1.0, isotropic(1.0, 1 / 3))
    load, end = np.zeros(mesh.size), where(s == 1)
    load[at(end, 1)] = np.array([0.5, *[1.0] * (n - 1), 0.5]) / n
    fixed = np.union1d(at(np.arange(len(s)), *BEND), at(where(s == 0), 0, 1))
    return float(solve(mesh, load, fixed)[6 * end[n // 2] + 1])


def test_cooks_membrane() -> None:
    """The numbers of Felippa 2003 for OPT, given with two decimals; the limit is 23.96."""
    found = [cook(n) for n in (2, 4, 8, 16, 32)]
    np.testing.assert_allclose(found, [20.56, 22.45, 23.43, 23.80, 23.91], atol=0.006)
    assert found[-1] + (found[-1] - found[-2]) / 3 == pytest.approx(23.96, abs=0.02)


def test_a_short_cantilever_under_shear() -> None:
    """48 x 12 x 1, E 30000, nu 1/4, end shear 40: deflection 0.35583 (Felippa 2003)."""
    P, c = 40.0, 6.0
    found = []
    for n in (1, 2, 4):
        mesh = plate(48.0, 12.0, 16 * n, 4 * n, thickness=1.0, material=isotropic(3e4, 0.25))
        x, y = mesh.nodes[:, 0], mesh.nodes[:, 1] - c
        load, end = np.zeros(mesh.size), where(x == 48)
        # The integral of the parabolic shear to a height, shared by the ends of each side.
        part = np.diff(P * (0.5 + (3 * y[end] / c - (y[end] / c) ** 3) / 4))
        load[at(end[:-1], 1)] += part / 2
        load[at(end[1:], 1)] += part / 2
        fixed = np.union1d(at(np.arange(len(x)), *BEND), at(where(x == 0), *PLANE))
        found.append(solve(mesh, load, fixed)[6 * end[len(end) // 2] + 1] / 0.35583)
    np.testing.assert_allclose(found, 1.0, atol=0.008)
    assert abs(found[2] - 1) < 0.001 and abs(found[2] - 1) < abs(found[0] - 1)


# ------------------------------------------------------------------------------ curved shells


def cylinder(
    n: int, pattern: str, R: float, half: float, angle: float, h: float, material: Material
):
    """Part of a cylinder about y, from the crown (s = 0) to an angle, from mid-length (t = 0)."""
    flat = plate(1.0, 1.0, n, n, thickness=h / R, material=material, pattern=pattern)
    s, t = flat.nodes[:, 0], flat.nodes[:, 1]
    nodes = np.column_stack([R * np.sin(angle * s), half * t, R * np.cos(angle * s)])
    return ShellMesh(nodes, flat.triangles, h, material), s, t


def roof(n: int, pattern: str) -> float:
    """Scordelis and Lo: a quarter of a roof on two diaphragms; deflection of the free edge."""
    material = isotropic(4.32e8, 0.0, 360.0)
    mesh, s, t = cylinder(n, pattern, 25.0, 25.0, math.radians(40), 0.25, material)
    fixed = [at(where(t == 1), 0, 2), at(where(s == 0), 0, 4, 5), at(where(t == 0), 1, 3, 5)]
    q = solve(mesh, lumped(mesh, 2, -90.0), np.unique(np.concatenate(fixed)))
    return float(-q[6 * where((s == 1) & (t == 0))[0] + 2])


def test_a_roof() -> None:
    """0.3024 of shallow shells (MacNeal, Harder 1985), 0.3006 of deep ones (Scordelis, Lo 1964)."""
    found = [roof(n, "left") for n in (4, 8, 16)]
    np.testing.assert_allclose(found, [0.32752360557, 0.30660417367, 0.30201816395], rtol=SAME)
    assert abs(roof(16, "alternate") - 0.3006) < 0.001
    assert abs(roof(32, "right") - 0.3006) < 0.0005


def test_a_pinched_cylinder() -> None:
    """Forces at mid-length, diaphragms at the ends: 1.8248e-5 (Lindberg, Olson, Cowper 1969)."""
    found = []
    for n in (8, 16, 32):
        material = isotropic(3e6, 0.3, 100.0)
        mesh, s, t = cylinder(n, "alternate", 300.0, 300.0, math.pi / 2, 3.0, material)
        load = np.zeros(mesh.size)
        load[6 * where((s == 0) & (t == 0))[0] + 2] = -0.25
        fixed = [at(where(t == 1), 0, 2), at(where(t == 0), 1, 3, 5)]
        fixed += [at(where(s == 0), 0, 4, 5), at(where(s == 1), 2, 3, 4)]
        q = solve(mesh, load, np.unique(np.concatenate(fixed)))
        found.append(load @ q / 0.25 / 1.8248e-5)
    assert found[0] > 0.9 and abs(found[1] - 1) < 0.02 and abs(found[2] - 1) < 0.01


def tube(n: int, b: float, L: float, h: float, material: Material) -> tuple[ShellMesh, np.ndarray]:
    """Square tube along x, n cells for each wall, four walls at right angles; its angles (N,)."""
    around, steps = 4 * n, round(n * L / b)
    s = np.arange(around) / n  # walls 0 to 4
    corners = np.array([[1.0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]]) * b / 2
    wall = np.minimum(s.astype(int), 3)
    yz = corners[wall] + (s - wall)[:, None] * (corners[wall + 1] - corners[wall])
    x = np.repeat(np.linspace(0.0, L, steps + 1), around)
    nodes = np.column_stack([x, np.tile(yz, (steps + 1, 1))])
    i, j = (c.ravel() for c in np.meshgrid(np.arange(around), np.arange(steps)))
    a, c = i + around * j, (i + 1) % around + around * j
    first = np.stack([a, c, c + around], axis=1)
    second = np.stack([a, c + around, a + around], axis=1)
    return ShellMesh(nodes, np.concatenate([first, second]), h, material), x


def test_a_square_tube_is_a_beam() -> None:
    """Stretching, Bredt's torsion and bending with shear of a thin-walled tube, from its walls."""
    b, L, h, E, G = 0.1, 1.0, 0.001, 70e9, 70e9 / 2.6
    mesh, x = tube(4, b, L, h, ALUMINIUM)
    end = where(x == L)
    loads = np.zeros((len(x), 6, 3))
    loads[end, 0, 0] = 1 / len(end)  # pulled by 1 N
    # Turned by 1 N m: a shear flow 1 / (2 b^2) along the walls. Pushed by 1 N along z: half in
    # each wall that is parallel to z.
    for i, j in zip(end, np.roll(end, -1), strict=True):
        side = mesh.nodes[j] - mesh.nodes[i]
        for k in (i, j):
            loads[k, :3, 1] += side / (4 * b * b)
            loads[k, 2, 2] += abs(side[2]) / (4 * b)
    loads = loads.reshape(-1, 3)
    q = solve(mesh, loads, at(where(x == 0), *range(6)))
    moved = np.sum(loads * q, axis=0)  # what the unit loads do work on
    I = 2 / 3 * b**3 * h
    exact = [
        L / (E * 4 * b * h),
        L / (G * b**3 * h),  # Bredt: 4 area^2 h / perimeter
        L**3 / (3 * E * I) + L / (G * 2 * b * h),  # walls along z carry the shear
    ]
    # The clamped end, where walls cannot contract or warp, and shear lag: of the size b^2 / L^2.
    np.testing.assert_allclose(moved, exact, rtol=0.01)
