"""Beams whose shear centre is not the centroid: a channel bends and twists."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.linalg import eigh

import supple as sp
from models.shell_meshes import isotropic, solve
from supple.fem.beams.beam import BeamMesh
from supple.fem.beams.frame import FrameMesh
from supple.fem.shells.shell import ShellMesh
from supple.foundation.errors import ModelError

Array = np.ndarray
STEEL = isotropic(2.1e11, 0.3, 7850.0)
# A channel of thin walls: web along y, flanges towards +z from it, one thickness.
HEIGHT, WIDTH, WALL, LENGTH = 0.1, 0.05, 0.003, 2.0


def channel() -> tuple[sp.Section, float, float]:
    """The section, the distance of the shear centre from the web, of the centroid from the web.

    S. P. Timoshenko, Strength of Materials, part I: the shear centre is 3 b^2 / (h + 6 b) outside
    of the web for walls of one thickness, with sizes of the middle line.
    """
    h, b, t = HEIGHT, WIDTH, WALL
    area = t * (h + 2.0 * b)
    centroid = t * b * b / area
    I_z = t * h**3 / 12.0 + 2.0 * b * t * (0.5 * h) ** 2
    I_y = 2.0 * t * b**3 / 12.0 + 2.0 * b * t * (0.5 * b - centroid) ** 2 + h * t * centroid**2
    outside = 3.0 * b * b / (h + 6.0 * b)
    J = (h + 2.0 * b) * t**3 / 3.0
    section = sp.Section(area, I_y, I_z, J, shear_centre=(0.0, -outside - centroid))
    return section, outside, centroid


def mesh(elements: int = 3, **options) -> BeamMesh:
    given = {"section": channel()[0], "material": STEEL, "length": LENGTH, "elements": elements}
    return BeamMesh(**{**given, **options})


def cantilever(beam: BeamMesh, load: Array) -> Array:
    """Coordinates (6,) of the free end under a load (6,) on it."""
    return np.linalg.solve(beam.stiffness_matrix[6:, 6:], np.r_[np.zeros(beam.size - 12), load])[
        -6:
    ]


@pytest.mark.parametrize("theory", ["euler_bernoulli", "timoshenko"])
def test_a_load_through_the_centroid_twists_a_channel(theory: str) -> None:
    """P e L / (G J) about the shear centre; the centroid moves with it."""
    section = channel()[0]
    e, k = section.shear_centre[1], 0.4
    shear = sp.Section(section.area, section.I_y, section.I_z, section.J, shear=(k, k),
                       shear_centre=section.shear_centre)  # fmt: skip
    beam, P = mesh(section=shear, theory=theory), 10.0
    end = cantilever(beam, np.array([0.0, P, 0, 0, 0, 0]))
    twist = e * P * LENGTH / (STEEL.G * section.J)  # arm from the shear centre: -e along z
    bending = P * LENGTH**3 / (3.0 * STEEL.E * section.I_z)
    if theory == "timoshenko":
        bending += P * LENGTH / (k * STEEL.G * section.area)
    assert end[3] == pytest.approx(twist, rel=1e-10)
    assert end[1] == pytest.approx(bending + e * twist, rel=1e-10)
    assert end[5] == pytest.approx(P * LENGTH**2 / (2.0 * STEEL.E * section.I_z), rel=1e-10)
    # through the shear centre: bending alone
    end = cantilever(beam, np.array([0.0, P, 0, -e * P, 0, 0]))
    assert abs(end[3]) < 1e-10 * abs(twist) and end[1] == pytest.approx(bending, rel=1e-10)
    # along z, the axis of symmetry: no twist
    assert abs(cantilever(beam, np.array([0.0, 0, P, 0, 0, 0]))[3]) < 1e-10 * abs(twist)
    # an axial force acts on the centroid: no bending
    assert np.abs(cantilever(beam, np.array([P, 0, 0, 0, 0, 0]))[1:]).max() < 1e-15


def test_both_offsets_have_their_signs() -> None:
    """Twist is the torque about the shear centre by G J, whatever the directions."""
    numbers = (1e-3, 3e-7, 8e-7, 2e-9)
    e = np.array([0.03, -0.02])
    beam = mesh(section=sp.Section(*numbers, shear_centre=tuple(e)))
    for F in np.random.default_rng(1).normal(size=(3, 2)):
        end = cantilever(beam, np.array([0.0, *F, 0, 0, 0]))
        torque = -e[0] * F[1] + e[1] * F[0]  # (0 - e) x F
        assert end[3] == pytest.approx(torque * LENGTH / (STEEL.G * numbers[3]), rel=1e-9)


def test_rigid_motions_are_free_and_mass_is_that_of_the_centroids() -> None:
    section = sp.Section(1e-3, 3e-7, 8e-7, 2e-9, shear_centre=(0.03, -0.02))
    beam, plain = (
        mesh(section=section, roll=0.4),
        mesh(section=sp.Section(1e-3, 3e-7, 8e-7, 2e-9), roll=0.4),
    )
    motions = sp.fem.rigid_modes(beam)
    K = beam.stiffness_matrix
    assert np.abs(K @ motions).max() < 1e-9 * np.abs(K).max()
    assert np.linalg.matrix_rank(K, tol=1e-10 * np.abs(K).max()) == beam.size - 6
    for mass in (beam.mass_matrix, plain.mass_matrix):
        assert motions.T @ mass @ motions == pytest.approx(
            motions.T @ plain.mass_matrix @ motions, rel=1e-12, abs=1e-12
        )
    points = beam.material_points(np.eye(beam.size))
    cloud = np.einsum("k,kib,kia->ba", points[0], points[2], points[2])
    assert cloud == pytest.approx(beam.mass_matrix, rel=1e-12, abs=1e-14)


def test_coupled_frequencies_between_forks() -> None:
    """Bending and twist of half a sine wave: a problem of two unknowns, exact.

    V is the deflection of the shear centre; the centroid moves by V + e twist.
    """
    section = channel()[0]
    e, k, rho = section.shear_centre[1], np.pi / LENGTH, STEEL.density
    K = np.diag([STEEL.E * section.I_z * k**4, STEEL.G * section.J * k**2])
    A = rho * section.area
    M = np.array([[A + rho * section.I_z * k**2, A * e], [A * e, A * e * e + rho * section.I_p]])
    exact = np.sqrt(eigh(K, M, eigvals_only=True))
    errors = []
    for n in (4, 8):
        beam = mesh(n)
        keep = [6 * i + c for i in range(n + 1) for c in (1, 3, 5)]
        keep = [c for c in keep if c not in (1, 3, 6 * n + 1, 6 * n + 3)]
        part = np.ix_(keep, keep)
        values = eigh(beam.stiffness_matrix[part], beam.mass_matrix[part], eigvals_only=True)
        errors.append(np.sqrt(values[0]) / exact[0] - 1.0)
    assert errors[0] > errors[1] > 0.0
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)  # twist is linear
    assert errors[1] < 0.007  # (pi / 8)^2 / 24, the error of linear twist


def test_a_member_and_a_rolled_beam_are_the_same_beam() -> None:
    section = sp.Section(1e-3, 3e-7, 8e-7, 2e-9, shear_centre=(0.03, -0.02))
    beam = mesh(section=section, roll=0.7)
    member = sp.Member("a", "b", section, STEEL, elements=3, roll=0.7)
    frame = FrameMesh(("a", "b"), np.array([[0.0, 0, 0], [LENGTH, 0, 0]]), (member,))
    order = np.concatenate([6 * node + np.arange(6) for node in (0, 3, 1, 2)])  # a, b, inner nodes
    for one, two in (
        (beam.stiffness_matrix, frame.stiffness_matrix), (beam.mass_matrix, frame.mass_matrix),
    ):  # fmt: skip
        dense = two.toarray()
        assert one[np.ix_(order, order)] == pytest.approx(dense, rel=1e-9, abs=1e-9 * dense.max())
    # rolling the beam turns the response
    c, s = np.cos(0.7), np.sin(0.7)
    R = np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])
    F = np.array([0.0, 3.0, -2.0])
    turned = cantilever(beam, np.r_[R @ F, 0, 0, 0])
    plain = cantilever(mesh(section=section), np.r_[F, 0, 0, 0])
    assert turned == pytest.approx(np.r_[R @ plain[:3], R @ plain[3:]], rel=1e-9, abs=1e-15)


def test_a_channel_of_shells_twists_the_same_way() -> None:
    """A force on the web's plane: Vlasov's twist, whose end cannot warp, with the same sign."""
    section, outside, _ = channel()
    h, b, t, nx, nf = HEIGHT, WIDTH, WALL, 40, 3
    line = [(0.5 * h, b * (nf - i) / nf) for i in range(nf)]  # along the middle line, (y, z)
    line += [(0.5 * h - h * i / 4, 0.0) for i in range(5)]
    line += [(-0.5 * h, b * (i + 1) / nf) for i in range(nf)]
    x = np.linspace(0.0, 1.0, nx + 1)
    nodes = np.array([[xi, y, z] for xi in x for y, z in line])
    m = len(line)
    cells = [(i * m + j, (i + 1) * m + j, (i + 1) * m + j + 1, i * m + j + 1)
             for i in range(nx) for j in range(m - 1)]  # fmt: skip
    triangles = [corner for a, c, d, e in cells for corner in ((a, c, d), (a, d, e))]
    shell = ShellMesh(nodes, triangles, t, STEEL)
    middle = nx * m + nf + 2  # of the web at the free end
    load = np.zeros(shell.size)
    load[6 * middle + 1] = 1.0
    q = solve(shell, load, np.arange(6 * m))
    corners = nx * m + nf + np.array([0, 4])
    twist = (q[6 * corners[0] + 2] - q[6 * corners[1] + 2]) / h  # w = y tx along the web
    # warping constant of the channel, about its shear centre (thin walls)
    warp = t * b**3 * h**2 / 12.0 * (3.0 * b + 2.0 * h) / (6.0 * b + h)
    k = np.sqrt(STEEL.G * section.J / (STEEL.E * warp))
    exact = -outside / (STEEL.G * section.J) * (1.0 - np.tanh(k) / k)  # torque (0 - e) x F
    assert np.sign(twist) == np.sign(section.shear_centre[1])
    # thin walls: terms of t / b = 0.06 and b / L = 0.05, and a coarse mesh
    assert twist == pytest.approx(exact, rel=0.05)


def test_messages() -> None:
    assert sp.Rectangle(0.1, 0.2).shear_centre == (0.0, 0.0)
    cases = [
        (
            lambda: sp.Section(1e-4, 1e-9, 1e-9, 1e-9, shear_centre=0.1),
            "Section: shear_centre is 0.1, expected 2 finite numbers",
        ),
        (
            lambda: sp.TaperedSection(
                channel()[0], sp.Section(1e-4, 1e-9, 1e-9, 1e-9, shear_centre=(0.01, 0.0))
            ),
            "TaperedSection: shear centres of its sections is (",
        ),
        (
            lambda: sp.Beam(
                "b", 1.0, channel()[0], STEEL, modes=sp.reduction.SineShapes(2), reference="chord"
            ),
            "Beam 'b': shear_centre of its section is (0, -0.03125), expected (0, 0) with assumed",
        ),
        (
            lambda: sp.Beam("b", 1.0, channel()[0], STEEL, stiffening="axial"),
            "Beam 'b': shear_centre of its section is (0, -0.03125), expected (0, 0) with stiffen",
        ),
    ]
    for make, sentence in cases:
        with pytest.raises(ModelError, match=re.escape(sentence)):
            make()
