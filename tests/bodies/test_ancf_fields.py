"""Plates and solids without a frame in models: strain, interfaces, the monitor, pictures."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple as sp
from supple.results.files.export import drawn_bodies, write_series
from supple.visualization.scene import body_things

STEEL = sp.Material(E=2e11, G=2e11 / 2.6, density=7800.0)
TURN = Rotation.from_rotvec([0.7, -0.4, 1.1]).as_matrix()


def test_strain_of_a_bent_plate():
    """Half a tube of radius R, turned anyhow: z / R on the outside, whatever the elements."""
    R, h, n = 0.4, 2e-3, 12
    plate = sp.ANCFPlate("p", (1.0, 0.3), h, STEEL, (n, 2))
    e = plate.mesh.rest.copy()
    angle = e[:, 0, 0] / R
    c, s, zero = np.cos(angle), np.sin(angle), np.zeros(len(angle))
    e[:, 0, 0], e[:, 0, 2] = R * s, R * c
    e[:, 1] = np.stack([c, zero, -s], axis=1)
    strain = plate.field.at_nodes((e @ TURN.T).reshape(1, -1, 3))[0]
    turned = 1.0 / (R * n)  # rad of an element: its cubic errs by the square
    assert np.abs(strain[:, 3] * R - 1.0).max() < turned**2
    assert np.abs(strain[:, [1, 2, 4, 5]]).max() < 1e-12
    top = strain @ plate.field.sides["top"].T
    assert top[:, 0] == pytest.approx(0.5 * h / R, rel=turned**2, abs=0.05 * turned**4)


def test_a_curved_plate_has_no_strain_at_rest_and_that_of_a_stretch():
    """Coordinates that are no lengths and not at right angles: strains are along its axes."""
    plate = sp.ANCFPlate("p", (1.0, 1.0), 0.01, STEEL, (3, 3), lambda x, y: (2 * x + 0.5 * y, y, 0))
    rest = plate.mesh.rest
    assert np.abs(plate.field.at_nodes(rest.reshape(1, -1, 3))).max() < 1e-9
    wide = rest.copy()
    wide[..., 1] *= 1.0 + 1e-5  # along y of the body: the second axis of its nodes
    strain = plate.field.at_nodes(wide.reshape(1, -1, 3))[0]
    assert np.abs(strain - [0, 1e-5, 0, 0, 0, 0]).max() < 1e-9
    assert plate.mass == pytest.approx(2.0 * 0.01 * 7800)
    assert np.allclose(plate.rest_pose(np.array([1.0, 1.0, 0.0])).p, [2.5, 1.0, 0.0])


@pytest.mark.parametrize("kind", ["tet4", "hex20"])
def test_strain_of_a_solid_is_that_of_the_linear_mesh(kind):
    mesh = sp.fem.block((1.0, 0.5, 0.4), (2, 1, 1), kind, STEEL)
    solid = sp.ANCFSolid("s", mesh)
    u = 1e-9 * np.random.default_rng(1).normal(size=mesh.nodes.shape)
    found = solid.field.at_nodes((mesh.nodes + u)[None])[0]
    for k in (0, 5, len(mesh.nodes) - 1):
        wanted = mesh.strain(mesh.nodes[k]) @ u.ravel()
        assert np.abs(found[k] - wanted).max() < 1e-14 + 1e-6 * np.abs(wanted).max()


# ------------------------------------------------------------------------------- in models


def bar(kind: str, divisions: tuple[int, int, int], height: float = 0.1, **options) -> sp.Model:
    """A bar along x with interfaces at both ends, one fixed, the other loaded."""
    mesh = sp.fem.block((1.0, height, height), divisions, kind, STEEL)
    middle = 0.5 * height
    ends = [
        sp.fem.Interface("foot", (0, middle, middle), mesh.group("x_min")),
        sp.fem.Interface("tip", (1, middle, middle), mesh.group("x_max")),
    ]
    model = sp.Model()
    body = model.add(sp.ANCFSolid("bar", mesh, ends, **options))
    model.add(sp.Fixed("clamp", model.ground.at(0), body.at("foot")))
    return model


def test_a_bar_that_is_held_by_its_faces():
    """Bending, stretching with lateral contraction, and torsion: exact but for the ends."""
    model = bar("hex20", (10, 1, 1))
    tip = model["bar"].at("tip")
    force, EI = 1e4, STEEL.E * 1e-4 / 12
    model.add(sp.Force("pull", tip, (100 * force, 0, force), (200.0, 0, 0)))
    found = sp.statics(model)
    bar_ = found["bar"]
    wrench = np.concatenate([found["clamp"].force[0], found["clamp"].torque[0]])
    moved = bar_.at("tip").displacement[0]
    arm = 1.0 + moved[0]
    turning = np.array([200.0, 0, 0])
    moment = turning + np.cross([arm, moved[1], moved[2]], [100 * force, 0, force])
    assert np.allclose(wrench, [-100 * force, 0, -force, *-moment], atol=1e-6 * force)
    # shear adds 3 E I / (k G A L^2) = 0.0078 to bending, the force along the bar stiffens it; faces
    # that stay plane take 1 % by nu^2 h / L, and the mesh 1 %
    shear = 3 * EI / (STEEL.G * 0.01 / 1.2)
    N = 100 * force / EI
    k = np.sqrt(N)
    stiffened = force / EI * (1.0 / N - np.tanh(k) / (k * N))
    assert moved[2] == pytest.approx(stiffened + force / 3 / EI * shear, rel=0.03)
    assert moved[0] == pytest.approx(100 * force / STEEL.E / 0.01 - 0.6 * moved[2] ** 2, rel=0.02)
    # one element across cannot warp as a square does: between Saint-Venant and none at all, which
    # the stress along the bar stiffens as if it were added to G
    turn = bar_.at("tip").rotation_vector[0, 0] * STEEL.G * 1e-4 / 200
    assert 6.0 / (1.0 + 100 * force / 0.01 / STEEL.G) < turn < 1.0 / 0.1406
    stretch = 1e6 / STEEL.E / 0.01
    middle = bar_.at(0.5, 0.0, 0.05).strain()[0]
    assert middle[:3] == pytest.approx(stretch * np.array([1, -0.3, -0.3]), rel=0.02)
    assert bar_.at(0.5, 0.0, 0.05).stress()[0, 0] == pytest.approx(1e8, rel=0.02)
    for ask, sentence in (
        (lambda: bar_.at(0.5, 0, 0.05).strain("top"), "surface is 'top', expected none: a solid"),
        (lambda: bar_.at(0.5, 0, 0.05).moment(), "it has no thickness, expected stress"),
        (lambda: bar_.at(0.5, 0, 0.05).section_forces(), "it has no sections, expected strain"),
    ):
        with pytest.raises(sp.SuppleError, match=sentence):
            ask()


def flying(body) -> sp.Model:
    model = sp.Model()
    model.add(body)
    link = model.add(sp.RigidBody("link", 0.3, (0.1, 0.05, 0), (0.002, 0.003, 0.004)))
    place = body.at("tip") if isinstance(body, sp.ANCFSolid) else body.at(1.0, 0.5)
    model.add(sp.Revolute("pin", place, link.at(0), "z", 0.1, 3.0))
    rate = (1, 2, 8, 0.3, 0.2, 0.1)
    model.add(sp.Free("free", model.ground.at(0), link.at(0), initial_rate=rate))
    return model


def rubber_bodies():
    rubber = sp.Material(E=1e7, G=4e6, density=1000.0)
    mesh = sp.fem.block((1.0, 0.1, 0.1), (2, 1, 1), "hex8", rubber)
    tip = sp.fem.Interface("tip", (1.0, 0.05, 0.0), mesh.group("x_max"))
    return {
        "plate": sp.ANCFPlate("body", (1.0, 0.5), 0.02, rubber, (2, 1)),
        "shell": sp.ANCFPlate(
            "body", (1.0, 0.5), 0.02, rubber, (2, 1), lambda x, y: (x, y, 0.2 * x * x)
        ),
        "solid": sp.ANCFSolid("body", mesh, [tip]),
    }


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize("kind", ["plate", "shell", "solid"])
def test_free_flight_with_a_link_keeps_energy_and_momenta(kind, tmp_path):
    result = sp.simulate(flying(rubber_bodies()[kind]), 0.05, tolerance=1e-5, output=5)
    assert result.energy.verdict.startswith("trusted")
    assert len(result.data.momentum) == 6 and result.momentum.verdict.startswith("trusted")
    view = result["body"]
    assert view.strain_energy[-1] > 1e-4
    assert view.strain_energy == pytest.approx(result.energy.strain, rel=1e-9, abs=1e-12)
    end = view.at("tip") if kind == "solid" else view.at(1.0, 0.5)
    assert np.abs(end.position - result["link"].position).max() < 1e-9
    # pictures and files show the nodes, and the stress of the view
    thing = next(t for t in body_things(result) if t.name == "body")
    nodes = view.nodes[-1]
    shown = thing.vertices(len(result.t) - 1)
    nearest = np.linalg.norm(nodes[:, None] - shown, axis=2).min(axis=1)
    assert nearest.max() < 1e-6  # SAMPLED of its size
    drawn = next(d for d in drawn_bodies(result) if d.name == "body")
    assert np.abs(drawn.at(-1).places - nodes).max() < 1e-14
    first = drawn.at(0)
    assert np.abs(first.displacement).max() < 1e-12  # it starts without load
    cells = drawn.cells
    edges = np.linalg.norm(first.places[cells[:, 1]] - first.places[cells[:, 0]], axis=1)
    assert np.allclose(edges, 0.5, rtol=0.1)  # half of its length
    written = write_series(result, tmp_path, every=5).read_text()
    assert "meshes_0.vtu" in written
    largest = view.stress_envelope().over_time[-1]
    assert thing.von_mises(len(result.t) - 1).max() == pytest.approx(largest, rel=5e-3)


def edge_held(elements: tuple[int, int], load: float = 1.0, sides: str = "x", **options):
    """A square plate under its own weight times a factor, held at edges."""
    model = sp.Model(gravity=(0, 0, -9.81 * load))
    plate = model.add(sp.ANCFPlate("plate", (1.0, 1.0), 0.01, STEEL, elements, **options))
    kind = sp.Fixed if sides == "x" else sp.Spherical
    for k, (x, y, _) in enumerate(plate.coordinates):
        if x == 0.0 or (sides == "all" and (x == 1.0 or y in (0.0, 1.0))):
            model.add(kind(f"held {k}", model.ground.at(x, y), plate.at(x, y)))
    return model


# How far deflections are off is in `supple.results.monitor.nodal_vectors`.
JUDGED = {
    "a cantilever of 4 x 4": (lambda: edge_held((4, 4)), "valid", ""),
    "of 1 x 1 (9 % off)": (lambda: edge_held((1, 1)), "doubtful", "one element"),
    "on simple supports, 2 x 2 (25 % off)": (
        lambda: edge_held((2, 2), 0.1, "all"), "not valid", "disagree",
    ),
    "nothing can move": (lambda: edge_held((1, 1), 0.1, "all"), "not valid", "at every node"),
    "large load": (lambda: edge_held((4, 4), 300.0), "not valid", "its strain reaches"),
    "hex20": (lambda: loaded(bar("hex20", (6, 1, 1))), "valid", ""),
    "thin hex8 (70 % off)": (lambda: loaded(bar("hex8", (8, 1, 1), 0.05)), "not valid", "lock"),
    "a twisted bar with one element across (12 % off)": (
        lambda: loaded(bar("hex20", (6, 1, 1)), (0, 0, 0), (2.0, 0, 0)), "doubtful", "disagree",
    ),
    "one hex20 (46 % off)": (lambda: loaded(bar("hex20", (1, 1, 1))), "doubtful", "one element"),
}  # fmt: skip


def loaded(model: sp.Model, force=(0, 0, 100.0), torque=(0, 0, 0)) -> sp.Model:
    model.add(sp.Force("push", model["bar"].at("tip"), force, torque))
    return model


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize("name", JUDGED)
def test_the_monitor(name):
    make, level, words = JUDGED[name]
    found = sp.statics(make()).monitor
    assert found.level == level, str(found)
    assert words in str(found)
