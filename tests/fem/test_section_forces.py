"""Section forces and stresses of beams and frames: statics, torsion, and the balance of a run."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import supple as sp
from supple.fem.beams.beam import BeamMesh
from supple.fem.beams.section_forces import (
    beam_section_forces,
    frame_section_forces,
    in_section_axes,
)
from supple.fem.sections.section_stress import beam_von_mises, outline, stress_rows, torsion_stress
from supple.reduction.assumed.beam import AssumedBeam, assumed_section_forces
from supple.results.views.section_views import SectionForces

ALLOY = sp.Material(E=70e9, G=26e9, density=2700)
LOAD = np.array([5.0, 2.0, -3.0, 0.7, 0.4, -0.6])  # force and torque on the tip
TAPERED = sp.TaperedSection(sp.Rectangle(0.03, 0.03), sp.Rectangle(0.02, 0.025))
SECTIONS = [sp.Rectangle(0.02, 0.03), sp.Circle(0.02), TAPERED]
STATIONS = (0.0, 0.2, 1 / 3, 0.75, 1.0)


def in_section(x, roll, load=LOAD, length=1.0):
    """Statics: the tip's load, carried to the section and along its axes."""
    torque = load[3:] + np.cross([length - x, 0.0, 0.0], load[:3])
    return in_section_axes(np.concatenate([load[:3], torque])[:, None], roll)[:, 0]


@pytest.mark.parametrize("theory", ["euler_bernoulli", "timoshenko"])
@pytest.mark.parametrize("section", SECTIONS, ids=["rectangle", "circle", "tapered"])
def test_cantilever_with_a_load_at_its_tip(section, theory):
    """Elements carry end loads exactly, tapered ones as well: rounding is all that is left."""
    roll = 0.3
    mesh = BeamMesh(
        section=section, material=ALLOY, length=1.0, elements=3, theory=theory, roll=roll
    )
    K = mesh.stiffness_matrix
    q = np.zeros(mesh.size)
    q[6:] = np.linalg.solve(K[6:, 6:], np.concatenate([np.zeros(mesh.size - 12), LOAD]))
    for x in STATIONS:
        assert np.allclose(beam_section_forces(mesh, x) @ q, in_section(x, roll), atol=1e-11)


@pytest.mark.parametrize(
    ("section", "n", "bound"),
    [(SECTIONS[0], 3, 1e-10), (SECTIONS[1], 2, 1e-10), (TAPERED, 4, 1.0), (TAPERED, 6, 0.06)],
)
def test_cantilever_of_polynomials(section, n, bound):
    """Two polynomials contain the cubic of a uniform beam; a tapered one converges.

    Its curvature is a series in the relative change of size 1/3, of which a polynomial more takes
    a factor of some four: at the root the error of the forces falls from 0.8 (n = 4) to 0.05.
    """
    roll = -0.4
    shapes = sp.reduction.PolynomialShapes(n, axial=n, twist=n)
    beam = AssumedBeam(section=section, material=ALLOY, length=1.0, roll=roll, shapes=shapes)
    end = np.vstack([beam.displacement(1.0), beam.rotation(1.0)])
    q = np.linalg.solve(beam.body.K, end.T @ LOAD)
    for x in STATIONS:
        assert np.allclose(assumed_section_forces(beam, x) @ q, in_section(x, roll), atol=bound)


def test_members_of_a_frame_carry_what_is_beyond_them():
    """A bent cantilever: statics in the axes of each member."""
    nodes = {"a": (0, 0, 0), "b": (0.3, 0.4, 0.1), "c": (0.5, 0.2, 0.9)}
    members = [
        sp.Member("a", "b", sp.Rectangle(0.02, 0.03), ALLOY, elements=2, roll=0.2),
        sp.Member("b", "c", sp.Tube(0.03, 0.002), ALLOY, elements=1, theory="timoshenko"),
    ]
    body = sp.FrameStructure("f", nodes, members)
    mesh = body.mesh()
    K = mesh.stiffness_matrix.toarray()
    load = np.zeros(mesh.size)
    load[12:18] = LOAD
    q = np.zeros(mesh.size)
    q[6:] = np.linalg.solve(K[6:, 6:], load[6:])
    for k, member in enumerate(members):
        first, last = (np.array(nodes[n], dtype=float) for n in (member.start, member.end))
        axes = member.axes(last - first)
        for s in (0.0, 0.3, 1.0):
            arm = np.array(nodes["c"]) - (first + s * (last - first))
            exact = np.concatenate(
                [axes.T @ LOAD[:3], axes.T @ (LOAD[3:] + np.cross(arm, LOAD[:3]))]
            )
            assert np.allclose(frame_section_forces(mesh, k, s) @ q, exact, atol=1e-10)
    # the body's own rows belong to its elastic coordinates: all nodes but the clamped one
    assert np.allclose(body.section_forces(1, 0.3) @ q[6:], frame_section_forces(mesh, 1, 0.3) @ q)


def test_stress_is_the_modulus_times_the_strain_of_a_gauge():
    beam = sp.Beam("b", 1.0, sp.Rectangle(0.02, 0.03), ALLOY, elements=4, roll=0.5)
    q = np.random.default_rng(1).normal(size=beam.modal().n) * 1e-4
    forces = SectionForces((beam.section_forces(0.3) @ q)[None], beam.section, "shapes")
    for side, (y, z) in {"y": (0.01, 0.0), "-z": (0.0, -0.015)}.items():
        strain = beam.strain_gauge(0.3, side) @ q
        assert forces.normal_stress(y, z)[0] == pytest.approx(ALLOY.E * strain, rel=1e-11)
        assert forces.stress(y, z)[0, 0] == pytest.approx(ALLOY.E * strain, rel=1e-11)


@pytest.mark.parametrize(
    "section",
    [
        sp.Circle(0.02),
        sp.Tube(0.03, 0.004),
        sp.Rectangle(0.02, 0.01),
        sp.Rectangle(0.01, 0.04),
        sp.Box(0.03, 0.05, 0.002),
    ],
    ids=lambda s: type(s).__name__,
)
def test_torsion_stress_makes_up_the_torque(section):
    """The integral of y s_xz - z s_xy is the torque 1 (thin walls: on their middle line)."""
    if isinstance(section, sp.Box):
        t = section.wall
        a, b = 0.5 * (section.size_y - t), 0.5 * (section.size_z - t)
        # walls between the corners of the middle line: their stress is constant
        lever = 2 * (a * torsion_stress(section, a, 0.0)[1] * 2 * b * t)
        lever += 2 * (-b * torsion_stress(section, 0.0, b)[0] * 2 * a * t)
        assert lever == pytest.approx(1.0, rel=1e-12)
        return
    x, w = np.polynomial.legendre.leggauss(24)
    total = 0.0
    if isinstance(section, sp.Rectangle):
        a, b = section.half_sizes
        for s, u in zip(x, w, strict=True):
            for r, v in zip(x, w, strict=True):
                xy, xz = torsion_stress(section, a * s, b * r)
                total += u * v * a * b * (a * s * xz - b * r * xy)
        # a series that is cut after 1000 terms, and J of another series
        assert total == pytest.approx(1.0, abs=1e-6)
        return
    R = 0.5 * section.diameter
    inner = R - getattr(section, "wall", R)
    for s, u in zip(x, w, strict=True):
        r = 0.5 * (R + inner) + 0.5 * (R - inner) * s
        xy, xz = torsion_stress(section, 0.6 * r, 0.8 * r)
        total += 0.5 * (R - inner) * u * 2 * np.pi * r * (0.6 * r * xz - 0.8 * r * xy)
    assert total == pytest.approx(1.0, rel=1e-12)


def test_torsion_of_a_rectangle_is_that_of_the_tables():
    """S. P. Timoshenko, J. N. Goodier, Theory of Elasticity: torque / (largest stress a b^2)."""
    for ratio, k in ((1.0, 0.208), (1.5, 0.231), (2.0, 0.246), (4.0, 0.282), (10.0, 0.312)):
        section = sp.Rectangle(ratio, 1.0)
        largest = np.abs(torsion_stress(section, 0.0, 0.5)).max()
        assert 1.0 / (largest * ratio) == pytest.approx(k, abs=6e-4)
        turned = sp.Rectangle(1.0, ratio)
        assert torsion_stress(turned, 0.5, 0.0)[1] == pytest.approx(largest, rel=1e-6)
        # no stress across the surface, none in a corner
        assert abs(torsion_stress(section, 0.5 * ratio, 0.2)[0]) < 1e-12 * largest
        assert abs(torsion_stress(section, 0.3, 0.5)[1]) < 1e-12 * largest
        assert np.abs(torsion_stress(section, 0.5 * ratio, 0.5)).max() < 1e-9 * largest


def test_torsion_of_an_i_section_is_that_of_narrow_walls():
    section = sp.ISection(0.1, 0.06, 0.004, 0.006)
    assert torsion_stress(section, 0.05, 0.02)[1] == pytest.approx(0.006 / section.J)
    assert torsion_stress(section, -0.05, 0.02)[1] == pytest.approx(-0.006 / section.J)
    assert torsion_stress(section, 0.0, 0.002)[0] == pytest.approx(-0.004 / section.J)
    # the side of the top flange towards the web runs the other way
    assert torsion_stress(section, 0.044, 0.02)[1] == pytest.approx(-0.006 / section.J)


def test_tube_under_torque_and_bending():
    """Known to every handbook: s = M R / I, tau = T R / (2 I), on the surface."""
    section = sp.Tube(0.05, 0.003)
    forces = SectionForces(np.array([[0.0, 0, 0, 30.0, 0, 40.0]]), section, "shapes")
    s, tau = 40.0 * 0.025 / section.I_z, 30.0 * 0.025 / (2 * section.I_z)
    assert np.allclose(forces.stress(0.025, 0.0), [[-s, 0.0, tau]])
    assert np.allclose(forces.stress(0.0, 0.025), [[0.0, -tau, 0.0]], atol=1e-9 * s)
    assert forces.von_mises()[0] == pytest.approx(np.hypot(s, np.sqrt(3) * tau), rel=1e-12)
    assert forces.von_mises(0.025)[0] == pytest.approx(np.hypot(s, np.sqrt(3) * tau), rel=1e-12)
    # between two of the 48 points around a circle, 3.75 degrees from both: 1 - cos is missing
    angle = np.pi / 48
    between = np.array([[0.0, 0, 0, 0.0, 40.0 * np.sin(angle), 40.0 * np.cos(angle)]])
    found = SectionForces(between, section, "shapes").von_mises()[0]
    assert found == pytest.approx(s * np.cos(angle), rel=1e-12)


def test_outlines_are_on_the_surface():
    for section in (sp.Rectangle(0.02, 0.03), sp.Box(0.02, 0.03, 0.002), sp.Circle(0.02)):
        points = outline(section)
        assert np.abs(points).max(axis=0) == pytest.approx(section.half_sizes)
        for y, z in points.tolist():
            stress_rows(section, y, z)  # refuses a point outside
    i = sp.ISection(0.1, 0.06, 0.004, 0.006)
    assert all(np.isfinite(stress_rows(i, y, z)).all() for y, z in outline(i).tolist())
    assert beam_von_mises(np.array([3.0, 4.0, 0.0])) == pytest.approx(np.sqrt(9 + 48))


def test_sentences_of_errors():
    with pytest.raises(sp.ModelError, match=r"point \(y, z\) is \(0.02, 0\), expected a point of"):
        torsion_stress(sp.Rectangle(0.02, 0.02), 0.02, 0.0)
    for section in (sp.Tube(0.05, 0.003), sp.Box(0.05, 0.05, 0.003)):
        with pytest.raises(sp.ModelError, match="expected a point of the section"):
            torsion_stress(section, 0.0, 0.001)
    numbers = sp.Section(1e-4, 1e-9, 1e-9, 1e-9)
    with pytest.raises(sp.ModelError, match="torsion stress is None, expected a Rectangle, Circle"):
        torsion_stress(numbers, 0.0, 0.0)
    with pytest.raises(sp.ModelError, match="outline is None, expected a Rectangle, Circle"):
        outline(numbers)
    beam = sp.Beam("b", 1.0, numbers, ALLOY)
    with pytest.raises(sp.ModelError, match=r"x of section_forces is 2\.0, expected a station"):
        beam.section_forces(2.0)
    frame = sp.FrameStructure("f", [(0, 0, 0), (1, 0, 0)], [sp.Member(0, 1, numbers, ALLOY)])
    with pytest.raises(sp.ModelError, match="member of section_forces is 3, expected a number bel"):
        frame.section_forces(3, 0.0)
    with pytest.raises(sp.ModelError, match=r"s of section_forces is 2\.0, expected a number from"):
        frame.section_forces(0, 2.0)


def swinging(modes, **options):
    """A beam on a turning hub, with everything on it that loads a beam."""
    m = sp.Model(gravity=(0, -9.81, 0))
    beam = m.add(
        sp.Beam(
            "b",
            1.0,
            sp.Rectangle(0.02, 0.012),
            ALLOY,
            elements=4,
            modes=modes,
            damping=sp.Rayleigh(stiffness=1e-4, mass=0.1),
            roll=0.2,
            **options,
        )
    )
    hub = m.add(sp.RigidBody("hub", mass=1.0, inertia=(0.1, 0.1, 0.1)))
    m.add(sp.Revolute("base", m.ground.at(0), hub.at(0), axis="y", initial_rate=3.0))
    m.add(sp.Revolute("hinge", hub.at(0.1), beam.at(0), axis="z", initial=0.3))
    m.add(sp.JointSpring("motor", "hinge", stiffness=20.0))
    load = m.add(sp.RigidBody("load", mass=0.1, inertia=(1e-3, 1e-3, 1e-3)))
    m.add(sp.Revolute("wrist", beam.at(0.7), load.at(0.05), axis="x"))
    m.add(sp.PointMass("p", beam.at(0.8), 0.1))
    m.add(sp.SpringDamper("cord", m.ground.at(0.5, 1, 0.2), beam.at(0.6), stiffness=30, length=0.5))
    m.add(sp.Force("push", beam.at(1.0), force=(0, 1.0, 0.5), torque=(0.1, 0, 0), axes="body"))
    m.add(sp.DistributedLoad("snow", beam.at(0.1), force=(0, -2, 1.0), end=0.93, profile=(1, 0.3)))
    m.add(sp.DistributedLoad("wind", beam.at(0), force=(0, 1, 0), axes="section"))
    return m


@pytest.fixture(scope="module")
def run():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        return sp.simulate(swinging(6), 0.4, output=40)


def test_root_forces_by_balance_are_the_reaction_of_the_joint(run):
    """Inertia and loads of all that is beyond: to rounding of the engine, whatever the modes."""
    found = run["b"].at(0.0).section_forces("balance")
    wrench = run["hinge"].local.wrench
    exact = -np.hstack([wrench[:, 3:], wrench[:, :3]])  # by the beam on the hub
    assert np.allclose(found.values, in_section_axes(exact.T, 0.2).T, atol=1e-9)
    assert np.abs(found.values).max(axis=0).min() > 1e-3  # all six are there
    assert np.allclose(run["b"].local.at(0.0).section_forces("balance").values, found.values)


def test_balance_with_displacements_of_second_order():
    """Mass points move by the shapes of second order, too."""
    result = sp.simulate(swinging(6, stiffening="second_order"), 0.1, output=10)
    found = result["b"].at(0.0).section_forces("balance").values
    wrench = result["hinge"].local.wrench
    exact = in_section_axes(-np.hstack([wrench[:, 3:], wrench[:, :3]]).T, 0.2).T
    assert np.abs(found - exact).max() < 1e-8 * np.abs(exact).max()


def test_balance_knows_each_load_at_its_station(run):
    """Forces jump where something is joined, by its load, and end with that of the tip."""
    view = run["b"]
    here, beyond = (view.at(x).section_forces("balance").values for x in (0.7, 0.7 - 1e-9))
    wrench = -run["wrist"].wrench  # by the load on the beam, world axes
    axes = view.at(0.7).matrix
    jump = np.hstack([np.einsum("tij,ti->tj", axes, wrench[:, k : k + 3]) for k in (3, 0)])
    assert np.allclose(beyond - here, in_section_axes(jump.T, 0.2).T, atol=1e-6)
    tip = view.at(1.0).section_forces("balance").values
    force = np.array([0.0, 1.0, 0.5])
    axes = view.at(1.0).matrix
    local = np.einsum("tij,tjk,k->ti", np.swapaxes(axes, 1, 2), view.at(1.0).matrix, force)
    torque = np.broadcast_to([0.1, 0.0, 0.0], local.shape)
    assert np.allclose(tip, in_section_axes(np.hstack([local, torque]).T, 0.2).T, atol=1e-9)


@pytest.mark.slow
def test_shapes_come_to_the_balance_with_modes():
    """The moment of the shapes converges to that of the balance; two modes are far off."""
    errors = []
    for modes in (2, 6, 20):
        m = swinging(modes)
        m.replace("b", elements=6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)
            r = sp.simulate(m, 0.1, output=[0.05, 0.1])
        moments = [r["b"].at(0.3).section_forces(m).values[:, 4:] for m in ("shapes", "balance")]
        errors.append(np.abs(moments[0] - moments[1]).max() / np.abs(moments[1]).max())
    assert errors[0] > 2 * errors[1] > 4 * errors[2]
    assert errors[2] < 0.02  # measured 0.006


def test_a_load_that_is_not_known_is_refused():
    m = sp.Model(gravity=(0, -9.81, 0))
    beam = m.add(sp.Beam("b", 1.0, sp.Circle(0.02), ALLOY, modes=4))
    m.add(sp.Revolute("hinge", m.ground.at(0), beam.at(0), axis="z"))
    m.add(sp.Distance("rod", m.ground.at(1.0, 1.0), beam.at(1.0), 1.0))
    r = sp.simulate(m, 0.02, output=2)
    with pytest.raises(sp.SuppleError, match=r"Beam 'b': loads leave .* unbalanced, expected none"):
        r["b"].at(0.5).section_forces("balance")
    with pytest.raises(sp.ModelError, match="method is 'modes', expected"):
        r["b"].at(0.5).section_forces("modes")
    assert r["b"].at(0.5).section_forces().method == "shapes"


def test_views_of_a_beam(run):
    view = run["b"]
    station = view.at(0.1)
    assert np.allclose(station.stress(0.01, 0.006), station.section_forces().stress(0.01, 0.006))
    assert np.allclose(station.stress(0.0, 0.006)[:, 0], ALLOY.E * station.strain("z"))
    assert "by shapes, 41 times; largest N" in repr(station.section_forces())
    largest = view.largest_stress()
    assert largest.value == view.von_mises().max() == view.stress_envelope().largest.max()
    assert largest.value >= station.von_mises().max()
    found = view.at(largest.place[0]).von_mises()
    assert found.max() == pytest.approx(largest.value, rel=1e-12)
    assert run.t[np.argmax(found)] == largest.time
    assert f"{largest.value:.4g} Pa at t = {largest.time:.6g} s in (" in str(largest)
    assert "x = " in largest.where
    assert view.stress_history.von_mises().shape == (41, len(view.stress_envelope().names))


def test_views_travel_without_the_run(run):
    """Pickled, a view keeps what belongs to it; loads belong to the result."""
    view = run["b"]
    largest = view.largest_stress()
    copy = pickle.loads(pickle.dumps(view))
    assert copy.largest_stress() == largest
    assert np.array_equal(
        copy.at(0.3).section_forces().values, view.at(0.3).section_forces().values
    )
    with pytest.raises(sp.SuppleError, match="section forces by balance need the loads of a run"):
        copy.at(0.3).section_forces("balance")


def test_stress_points_are_where_they_say():
    """In axes of the body, not those of a rolled section: s_xx = E (u' - y v'' - z w'')."""
    beam = sp.Beam("b", 1.0, sp.Rectangle(0.02, 0.03), ALLOY, elements=2, roll=0.5)
    frame = sp.FrameStructure(
        "f",
        [(0, 0, 0), (1, 0, 0)],
        [sp.Member(0, 1, sp.Rectangle(0.02, 0.03), ALLOY, elements=2, roll=0.5)],
    )
    strain = {x: beam._reduced(()).strain(x) for x in (0.0, 0.25, 0.75, 1.0)}
    for body in (beam, frame):
        blocks = [b for b in body.stress_blocks() if b.places[0, 0] in strain]
        assert len(blocks) == 4
        for block in blocks:
            stretch, about_z, about_y = strain[block.places[0, 0]][:3]
            y, z = block.places[:, 1:2], block.places[:, 2:3]
            exact = ALLOY.E * (stretch - y * about_z - z * about_y)
            # a frame counts its named node at the end before the one between
            order = np.arange(12) if body is beam else np.r_[6:12, 0:6]
            found = block.stress[:, 0][:, order]
            assert np.allclose(found, exact, atol=1e-9 * np.abs(exact).max())
