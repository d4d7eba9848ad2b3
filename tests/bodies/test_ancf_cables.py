"""Cable elements: elasticas, a full circle, stretched cables that bend, bodies and sentences."""

from __future__ import annotations

import numpy as np
import pytest

from models.ancf_meshes import cable, elastica, equilibrium, tip_force, tip_moment
from supple.bodies.nodal.ancf_line import ANCFBeam, Cable
from supple.fem.base.damping import KelvinVoigt, ModalDamping, Rayleigh
from supple.fem.base.material import Material
from supple.fem.sections.sections import Circle, Rectangle, Section, TaperedSection
from supple.foundation.errors import ModelError

STEEL = Material(E=2e11, G=8e10, density=7800)


def tips(kind: str, elements: int, heights: tuple[float, ...], load: float) -> list[np.ndarray]:
    """Tips (2,) of ever thinner cables; each starts from the one before."""
    found, e = [], None
    for height in heights:
        mesh = cable(kind, elements, height)
        for part in np.linspace(0.0, load, 6)[1:] if e is None else [load]:
            e = equilibrium(mesh, tip_force(mesh, [0.0, part]), e)
        found.append(e[-1, 0])
    return found


def test_mean_strain_converges_with_the_fourth_order():
    exact, heights = elastica(10.0), (1e-1, 1e-2, 1e-3, 1e-4)
    sizes = 8, 16, 32
    errors = {n: np.linalg.norm(tips("mean", n, heights, 10.0) - exact, axis=1) for n in sizes}
    assert errors[8][3] < 1.5e-4 and errors[16][2:].max() < 5e-6
    assert errors[8][3] / errors[16][3] > 12.0 and errors[16][3] / errors[32][3] > 12.0
    # At two points the same load costs two orders.
    points = tips("two_points", 16, heights[:3], 10.0)[-1]
    assert 1e-4 < np.linalg.norm(points - exact) < 1e-3


def test_short_elements_see_the_rounding_of_places_only():
    """A straight cable that was moved: ends of an element, 3 m away, are rounded by half a bit."""
    mesh = Cable("rope", 2.0, Rectangle(0.02, 0.02), STEEL, elements=2048).mesh
    moved = np.array(mesh.rest)
    moved[:, 0, 0] += 0.7
    length, rounding = 2.0 / 2048, 2.0 * np.finfo(float).eps
    assert max(np.abs(s).max() for s in mesh.strains(moved)) < 4.0 * rounding / length


def test_rolled_up_to_a_circle():
    errors = []
    for elements in (8, 16):
        mesh, e = cable("mean", elements, 1e-3), None
        angles = np.linspace(0.0, 2 * np.pi, elements + 1)
        c, s = np.cos(angles), np.sin(angles)
        places = np.stack([s, 1 - c], axis=1) / (2 * np.pi)
        start = np.stack([places, np.stack([c, s], axis=1)], axis=1)
        e = equilibrium(mesh, tip_moment(mesh, 2 * np.pi), start)
        errors.append(np.linalg.norm(e[-1, 0]))
    assert errors[1] < 1e-3
    assert errors[0] > 12.0 * errors[1]


@pytest.mark.parametrize("kind", ["mean", "two_points"])
@pytest.mark.parametrize("stretch", [0.01, -0.01, 0.03])
def test_a_stretched_cable_bends_as_stiffly_as_before(kind, stretch):
    """On an arc the energy of bending is 1/2 E I theta_x^2, whatever the stretch.

    With |r_xx| as curvature it would be (1 + stretch)^2 times that. What is left is of second
    order in the strain, and the cubics' error.
    """
    mesh, curvature = cable(kind, 32, 1e-3), 0.5
    s = np.linspace(0.0, 1.0, 33)
    long = 1.0 + stretch
    straight = np.stack([np.stack([s, 0 * s], 1), np.stack([1 + 0 * s, 0 * s], 1)], axis=1)
    angle = curvature * s
    c, d = np.cos(angle), np.sin(angle)
    arc = np.stack([np.stack([d, 1 - c], 1) / curvature, np.stack([c, d], 1)], axis=1)
    bent = mesh.energy(long * arc) - mesh.energy(long * straight)
    assert bent == pytest.approx(0.5 * curvature**2, rel=8 * stretch**2 + 1e-4)


def test_in_space_as_in_the_plane():
    """The same cable in space, its load turned out of the plane."""
    plane, space = cable("mean", 4, 1e-2, 2), cable("mean", 4, 1e-2, 3)
    flat = equilibrium(plane, tip_force(plane, [0.0, 1.0]))[-1, 0]
    tip = equilibrium(space, tip_force(space, [0.0, 0.6, 0.8]))[-1, 0]
    np.testing.assert_allclose(tip, [flat[0], 0.6 * flat[1], 0.8 * flat[1]], atol=1e-9)


# -------------------------------------------------------------------------------------- bodies


def test_nodes_where_frames_are():
    for body in (
        Cable("rope", 2.0, Circle(0.01), STEEL, elements=4),
        ANCFBeam("arm", 2.0, Rectangle(0.01, 0.02), STEEL, elements=4, roll=0.4),
    ):
        with pytest.raises(ModelError, match="expected a node"):
            body.node(body.at(1.1))
        used = body.divided([body.at(1.1), body.at(0.0), body.at(2.0), body.at(1.1)])
        assert used.divided([used.at(1.1)]) is used
        np.testing.assert_allclose(used.stations, [0, 1.1 / 3, 2.2 / 3, 1.1, 1.55, 2.0])
        assert used.node(used.at(1.1)) == 3
        assert used.mesh.mass == pytest.approx(body.mass)
        assert used.mesh.mass == pytest.approx(body.mesh.mass)
        assert len(used.mesh.tables) == 4  # two lengths, each at an end of the line too
        np.testing.assert_allclose(used.node_pose(3).p, [1.1, 0, 0])
        np.testing.assert_allclose(used.mesh.rest[3, 0], [1.1, 0, 0])


def test_axes_of_nodes_are_those_of_the_section():
    body = ANCFBeam(
        "arm",
        1.0,
        Rectangle(0.01, 0.02),
        STEEL,
        roll=0.4,
        twist=0.3,
        centre_line=lambda s: (np.sin(s), 1 - np.cos(s), 0.0),
    )
    for node in (0, 5):
        pose, x = body.node_pose(node), body.stations[node]
        _, tangent, y, z = body.mesh.rest[node]
        np.testing.assert_allclose(pose.R, np.column_stack([tangent, y, z]), atol=1e-9)
        np.testing.assert_allclose(tangent, [np.cos(x), np.sin(x), 0], atol=1e-9)
        across = np.array([-np.sin(x), np.cos(x), 0])
        angle = 0.4 + 0.3 * x
        np.testing.assert_allclose(y, np.cos(angle) * across + [0, 0, np.sin(angle)], atol=1e-9)


def test_damping():
    for damping in (KelvinVoigt(2e7), Rayleigh(stiffness=1e-4)):
        beam = ANCFBeam("b", 1.0, Circle(0.01), STEEL, damping=damping)
        table = beam.mesh.tables[0]
        np.testing.assert_allclose(table.viscosity, 1e-4 * table.elasticity)
        table = Cable("c", 1.0, Circle(0.01), STEEL, damping=damping).mesh.tables[0]
        np.testing.assert_allclose(table.viscosity, 1e-4 * table.elasticity)
    own = ANCFBeam("b", 1.0, Circle(0.01), STEEL, damping=KelvinVoigt(2e7, 0.0)).mesh.tables[0]
    shears = own.viscosity[own.elasticity == own.elasticity.max()]
    assert np.all(shears > 0.0)
    assert np.any(own.viscosity < 1e-4 * own.elasticity)


LINE = {"name": "b", "length": 1.0, "section": Circle(0.01), "material": STEEL}
WRONG = {
    "length is -1.0, expected a positive number": (Cable, {"length": -1.0}),
    "elements is 0, expected an integer from 1 to 100000": (Cable, {"elements": 0}),
    "elements is 100001, expected an integer from 1": (ANCFBeam, {"elements": 100001}),
    "element is 'bc', expected 'collocated' or": (ANCFBeam, {"element": "bc"}),
    "element is 'none', expected 'mean' or 'two_points'": (Cable, {"element": "none"}),
    "expected KelvinVoigt(E) or Rayleigh(stiffness=...) with": (
        ANCFBeam,
        {"damping": ModalDamping(0.1)},
    ),
    "damping is Rayleigh": (Cable, {"damping": Rayleigh(mass=1.0)}),
    "expected one with equal I_y and I_z, because": (Cable, {"section": Rectangle(1, 2)}),
    "expected a Rectangle, Circle or Tube with element 'continuum'": (
        ANCFBeam,
        {"element": "continuum", "section": Section(1e-4, 1e-9, 1e-9, 1e-9, shear=(0.8, 0.8))},
    ),
    "Section: shear is None": (ANCFBeam, {"section": Section(1e-4, 1e-9, 1e-9, 1e-9)}),
    "shear_centre of its section": (
        ANCFBeam,
        {"section": Section(1e-4, 1e-9, 1e-9, 1e-9, shear=(1, 1), shear_centre=(0.01, 0))},
    ),
    "expected E and G with 0 < E < 3 G": (
        ANCFBeam,
        {"element": "elastic_line", "damping": KelvinVoigt(1e7, 0.0)},
    ),
    "as Poisson's ratio, expected less than 0.5": (
        ANCFBeam,
        {"element": "elastic_line", "material": Material(E=1e10, G=1e9, density=500)},
    ),
    "volume of an element": (
        ANCFBeam,
        {
            "element": "continuum",
            "section": Circle(1.5),
            "centre_line": lambda s: (0.5 * np.sin(2 * s), 0.5 - 0.5 * np.cos(2 * s), 0.0),
        },
    ),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_sentences(sentence):
    kind, changes = WRONG[sentence]
    with pytest.raises(ModelError) as found:
        kind(**{**LINE, **changes})
    assert sentence in str(found.value)


def test_a_cable_may_be_tapered():
    rod = TaperedSection(Rectangle(0.002, 0.002), Rectangle(0.001, 0.001))
    body = Cable("rod", 1.0, rod, STEEL, elements=3)
    assert not body.turns
    assert len(body.mesh.tables) == 3
    assert body.mesh.mass == pytest.approx(7800 * 7e-6 / 3)
