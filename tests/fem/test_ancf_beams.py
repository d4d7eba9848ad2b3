"""Beam elements with 24 coordinates: locking, sections, shapes at rest.

Numbers of the literature are the case `ancf-tables`.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from models.ancf_meshes import (
    beam,
    elastica,
    equilibrium,
    slender,
    strain_matrix,
    tip_force,
    tip_moment,
)
from supple.bodies.nodal.ancf_line import ANCFBeam
from supple.fem.base.material import Material
from supple.fem.nodal.ancf_beam import section_rule
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.sections.sections import Circle, Rectangle, TaperedSection, Tube

# ------------------------------------------------------------------------- large deflections


def bent(kind: str, elements: int, heights: tuple[float, ...], load: float) -> list[np.ndarray]:
    """Tips (2,) of ever thinner beams; each starts from the one before."""
    found, e = [], None
    for height in heights:
        poisson = 0.0 if kind == "continuum" else 0.3
        mesh = beam(kind, elements, Rectangle(height, height), slender(height, poisson))
        e = equilibrium(mesh, tip_force(mesh, [0.0, load, 0.0]), e)
        found.append(e[-1, 0, :2])
        assert abs(e[-1, 0, 2]) < 1e-9
    return found


def test_collocated_elements_do_not_lock():
    exact, heights = elastica(1.0), (1e-1, 1e-2, 1e-3, 1e-4)
    tips = bent("collocated", 16, heights, 1.0)[1:]
    np.testing.assert_allclose(np.linalg.norm(tips - exact, axis=1), 0.0, atol=2e-4)
    errors = [np.linalg.norm(bent("collocated", n, heights[:3], 1.0)[-1] - exact) for n in (4, 8)]
    assert 3.0 < errors[0] / errors[1] < 5.0  # second order


SLOW = pytest.mark.slow


@pytest.mark.parametrize("kind", [pytest.param("continuum", marks=SLOW), "elastic_line"])
def test_elements_of_the_literature_lock(kind):
    """What the documentation says of them: with the slenderness, at the same load."""
    thick, thin = (np.linalg.norm(t - elastica(1.0)) for t in bent(kind, 16, (1e-2, 1e-3), 1.0))
    assert thick < 0.01
    assert thin > 0.04


def test_rolled_up_to_a_circle():
    """A moment 2 pi E I / L brings the tip back to the origin; the error is of second order."""
    errors = []
    for elements in (32, 64):
        mesh = beam("collocated", elements, Rectangle(0.01, 0.01), slender(0.01))
        angles = np.linspace(0.0, 2 * np.pi, elements + 1)
        c, s, o = np.cos(angles), np.sin(angles), np.zeros(elements + 1)
        places = np.stack([s, 1 - c, o], axis=1) / (2 * np.pi)
        axes = np.array([[c, s, o], [-s, c, o], [o, o, o + 1]]).transpose(2, 0, 1)
        start = np.concatenate([places[:, None], axes], axis=1)
        e = equilibrium(mesh, tip_moment(mesh, 2 * np.pi), start)
        errors.append(np.linalg.norm(e[-1, 0]))
    assert errors[1] < 0.006
    assert 3.0 < errors[0] / errors[1] < 5.0


# ----------------------------------------------------------------------- sections and shapes


def displacement(mesh: ANCFMesh, load: np.ndarray) -> np.ndarray:
    """Small displacements (12,) of the last node under forces (12,) there.

    The first node is held as a joint does it: its slope r_x keeps its direction, not its length.
    """
    rows = strain_matrix(mesh)
    along = 3 + int(np.argmax(np.abs(mesh.rest[0, 1])))
    rows = np.delete(rows, [k for k in range(12) if k != along], axis=1)
    force = np.zeros(rows.shape[1])
    force[-12:] = load
    # K = rows^T rows, by the triangle of rows: the condition is not squared.
    triangle = np.linalg.qr(rows, mode="r")
    return np.linalg.solve(triangle, np.linalg.solve(triangle.T, force))[-12:]


def flexibility(mesh: ANCFMesh, force: np.ndarray) -> np.ndarray:
    """Small displacement (3,) of the tip under a force (3,) there."""
    return displacement(mesh, np.concatenate([force, np.zeros(9)]))[:3]


MATERIAL = Material(E=70e9, G=27e9, density=2700)


def test_straight_beams_bend_twist_and_stretch():
    """Small deflections are those of Euler and Bernoulli: curvatures are those of the axis."""
    section, length = Rectangle(0.02, 0.03), 1.0
    body = ANCFBeam("b", length, section, MATERIAL, elements=8)
    for axis, second in ((1, section.I_z), (2, section.I_y)):
        exact = length**3 / (3 * MATERIAL.E * second)
        assert flexibility(body.mesh, np.eye(3)[axis])[axis] == pytest.approx(exact, rel=1e-4)
    stretched = flexibility(body.mesh, np.array([1.0, 0.0, 0.0]))[0]
    assert stretched == pytest.approx(length / (MATERIAL.E * section.area), rel=1e-9)
    # a torque on the last section, half of it on each gradient
    torque = np.zeros((3, 3))
    torque[1, 2], torque[2, 1] = 0.5, -0.5
    turned = displacement(body.mesh, np.concatenate([np.zeros(3), torque.ravel()]))[8]
    assert turned == pytest.approx(length / (MATERIAL.G * section.J), rel=1e-9)


def test_tapered_beam():
    sections = Rectangle(0.02, 0.03), Rectangle(0.01, 0.03)
    body = ANCFBeam("b", 1.0, TaperedSection(*sections), MATERIAL, elements=32)
    heights = np.linspace(0.02, 0.01, 20001)
    x = np.linspace(0.0, 1.0, 20001)
    exact = np.trapezoid((1 - x) ** 2 / (MATERIAL.E * 0.03 * heights**3 / 12), x)
    assert flexibility(body.mesh, np.array([0.0, 1.0, 0.0]))[1] == pytest.approx(exact, rel=1e-3)
    assert body.mesh.mass == pytest.approx(2700 * 0.03 * 0.015)


@pytest.mark.parametrize(
    ("kind", "bound"),
    [("collocated", 0.006), ("elastic_line", 0.01), pytest.param("continuum", 0.01, marks=SLOW)],
)
def test_curved_beams(kind, bound):
    """A quarter of a circle, clamped: Castigliano in the plane and out of it."""
    R, d = 1.0, 0.04
    material = Material(E=70e9, G=35e9, density=2700)  # nu = 0: sections may bend freely
    EI, GJ = material.E * np.pi * d**4 / 64, material.G * np.pi * d**4 / 32
    exact = R**3 * np.pi / (4 * EI), R**3 * (np.pi / (4 * EI) + (3 * np.pi / 4 - 2) / GJ)
    errors = []
    for elements in (8, 16):
        body = ANCFBeam(
            "arc",
            np.pi / 2 * R,
            Circle(d),
            material,
            elements=elements,
            element=kind,
            centre_line=lambda s: (R * np.sin(s / R), R - R * np.cos(s / R), 0.0),
        )
        rest = np.abs(body.mesh.forces(body.mesh.rest)).max()
        assert rest < 1e-11 * material.E * Circle(d).area
        found = [flexibility(body.mesh, np.eye(3)[axis])[axis] for axis in (0, 2)]
        errors.append(np.abs(np.array(found) / exact - 1.0))
    assert errors[1].max() < bound
    assert np.all(errors[0] > 3.0 * errors[1])


def test_strains_of_a_curved_continuum_are_those_of_space():
    """All vectors mapped by F: the strains are 1/2 (F^T F - 1) everywhere."""
    body = ANCFBeam(
        "ring",
        1.0,
        Circle(0.3),
        MATERIAL,
        elements=2,
        element="continuum",
        twist=0.4,
        centre_line=lambda s: (np.sin(s), 1 - np.cos(s), 0.0),
    )
    F = np.eye(3) + 0.2 * np.random.default_rng(2).normal(size=(3, 3))
    green = 0.5 * (F.T @ F - np.eye(3))
    wanted = [*np.diag(green), 2 * green[0, 1], 2 * green[0, 2], 2 * green[1, 2]]
    for k, strains in enumerate(body.mesh.strains(body.mesh.rest @ F.T)):
        space, in_plane = strains[:360].reshape(-1, 6), strains[360:]
        np.testing.assert_allclose(space, np.tile(wanted, (60, 1)), atol=1e-12)
        axes = body.mesh.rest[k : k + 2, 2:]  # y and z of the sections at both nodes
        np.testing.assert_allclose(in_plane, [2 * y @ green @ z for y, z in axes], atol=1e-12)


def test_twisted_beam():
    """A strip with a quarter turn from end to end: its flexibility turns along it."""
    section, n = Rectangle(0.005, 0.02), 32
    body = ANCFBeam("t", 1.0, section, MATERIAL, elements=n, roll=0.3, twist=np.pi / 2)

    def bending(x: float, i: int, j: int) -> float:
        angle = 0.3 + np.pi / 2 * x
        y, z = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        moments = np.outer(y, y) / section.I_z + np.outer(z, z) / section.I_y
        return (1.0 - x) ** 2 * moments[i, j] / MATERIAL.E

    exact = np.array([[quad(bending, 0, 1, args=(i, j))[0] for j in (0, 1)] for i in (0, 1)])
    found = np.array([flexibility(body.mesh, np.eye(3)[1 + i])[1:] for i in (0, 1)])
    np.testing.assert_allclose(found, exact, atol=2e-3 * exact.max())


@pytest.mark.parametrize("section", [Rectangle(0.03, 0.05), Circle(0.04), Tube(0.04, 0.003)])
def test_points_of_sections(section):
    y, z, area = np.array(section_rule("body", section)).T
    assert area.sum() == pytest.approx(section.area)
    np.testing.assert_allclose(area @ (y * y), section.I_z, rtol=1e-13)
    np.testing.assert_allclose(area @ (z * z), section.I_y, rtol=1e-13)
    fourth = area @ (y**2 * z**2)
    if isinstance(section, Rectangle):
        assert fourth == pytest.approx(section.I_y * section.I_z / section.area)
    else:
        outer, inner = 0.02, 0.02 - getattr(section, "wall", 0.02)
        assert fourth == pytest.approx(np.pi / 24 * (outer**6 - inner**6))
