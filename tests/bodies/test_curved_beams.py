"""Curved and pre-twisted beams in parts against exact statics, published results and invariants."""

import warnings

import numpy as np
import pytest
from scipy.integrate import quad_vec

import supple as sp
from supple.bodies.discretisation import divided

STEEL = sp.Material(E=2e11, G=8e10, density=7800.0)
FLAT = sp.Rectangle(0.01, 0.02)
RADIUS = 1.0
QUARTER = 0.5 * np.pi * RADIUS


def arc(s, radius=RADIUS):
    return np.array([radius * np.sin(s / radius), radius * (1 - np.cos(s / radius)), 0.0])


def helix(s, radius=1.0, rise=0.3):
    a = s / np.hypot(radius, rise)
    return np.array([radius * np.sin(a), radius * (1 - np.cos(a)), rise * a])


def cantilever(length, section, material, force=(0, 0, 0), torque=(0, 0, 0), **options):
    m = sp.Model()
    beam = m.add(sp.Beam("beam", length, section, material, **options))
    m.add(sp.Fixed("clamp", m.ground.at(0), beam.at(0)))
    if np.any(force) or np.any(torque):
        m.add(sp.Force("tip", beam.at(beam.length), force, torque=torque))
    return m


def tip(model) -> sp.results.Result:
    return sp.statics(model)["beam"].at()


def castigliano(
    length, axes, place, section, force, torque=(0, 0, 0), material=STEEL, shear=(np.inf, np.inf)
):
    """Displacement and rotation (6,) of the end by the unit-load theorem; axes(s) of sections."""
    soft = 1.0 / np.array(
        [
            material.E * section.area,
            *shear,
            material.G * section.J,
            material.E * section.I_y,
            material.E * section.I_z,
        ]
    )
    end = place(length)

    def rows(s):
        R, (x, y, z) = axes(s), end - place(s)
        arm = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.vstack([np.hstack([R.T, np.zeros((3, 3))]), np.hstack([R.T @ arm, R.T])])

    found = quad_vec(lambda s: (rows(s).T * soft) @ rows(s), 0.0, length, epsrel=1e-12)[0]
    return found @ np.concatenate([force, torque])


def arc_axes(s):
    c, d = np.cos(s / RADIUS), np.sin(s / RADIUS)
    return np.array([[c, -d, 0.0], [d, c, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("parts", [2, 5])
@pytest.mark.parametrize(
    "load", [((1, 0, 0), (0, 0, 0)), ((0, 1, 0), (0, 0, 0)), ((0, 0, 1), (0, 0, 0)),
             ((0, 0, 0), (1, 2, 3))]
)  # fmt: skip
def test_small_deflections_of_an_arc_are_exact(load, parts):
    """In and out of its plane, bending with twist: whatever the number of parts."""
    force, torque = (1e-5 * np.array(x, dtype=float) for x in load)
    exact = castigliano(QUARTER, arc_axes, arc, FLAT, force, torque)
    options = {"parts": parts, "centre_line": arc}
    view = tip(cantilever(QUARTER, FLAT, STEEL, force, torque, **options))
    found = np.concatenate([view.deflection[0], view.rotation[0]])
    # what is left is of second order in the load: a deflection of 1e-8 of the radius
    np.testing.assert_allclose(found, exact, atol=1e-6 * np.abs(exact).max())


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize("stiffening", ["none", sp.reduction.SecondOrder(twist=True)])
def test_small_deflections_are_exact_with_any_stiffening(stiffening):
    force, torque = np.array([0.0, 1e-5, 2e-5]), np.array([1e-5, -2e-5, 1e-5])
    exact = castigliano(QUARTER, arc_axes, arc, FLAT, force, torque)
    options = {"parts": 2, "centre_line": arc, "stiffening": stiffening}
    view = tip(cantilever(QUARTER, FLAT, STEEL, force, torque, **options))
    found = np.concatenate([view.deflection[0], view.rotation[0]])
    np.testing.assert_allclose(found, exact, atol=1e-6 * np.abs(exact).max())


def test_a_thick_arc_shears():
    """Half as high as its radius."""
    thick = sp.Rectangle(0.5, 0.3)
    shear = [STEEL.G * thick.area * k for k in thick.shear_coefficients(STEEL.poisson)]
    force, torque = np.array([1e3, 2e3, 3e3]), np.zeros(3)
    exact = castigliano(QUARTER, arc_axes, arc, thick, force, torque, shear=shear)
    options = {"parts": 2, "centre_line": arc, "theory": "timoshenko"}
    view = tip(cantilever(QUARTER, thick, STEEL, force, **options))
    # a deflection of 2e-5 of the radius: what is of second order in it
    np.testing.assert_allclose(view.deflection[0], exact[:3], atol=2e-5 * np.abs(exact[:3]).max())
    without = castigliano(QUARTER, arc_axes, arc, thick, force)
    assert np.abs(without[:3] / exact[:3] - 1.0).max() > 0.03


def test_damping_of_curved_parts():
    """Viscosity of the material in proportion to its moduli is that of Rayleigh."""
    options = {"parts": 2, "centre_line": helix, "twist": 0.3}
    both = sp.KelvinVoigt(1e-4 * STEEL.E), sp.Rayleigh(stiffness=1e-4)
    for damping in both:
        beam = sp.Beam("beam", 1.0, FLAT, STEEL, damping=damping, **options)
        for part in divided(beam).part_bodies:
            body = part.modal()
            np.testing.assert_allclose(body.C, 1e-4 * body.K, atol=1e-14 * body.K.max())
    only = sp.Beam("beam", 1.0, FLAT, STEEL, damping=sp.KelvinVoigt(0.0, G=1.0), **options)
    rank = np.linalg.matrix_rank(divided(only).part_bodies[0].modal().C, tol=1e-9)
    assert 1 <= rank < 6  # torsion alone: its moments along a part have a few shapes


def test_loads_along_an_arc_converge_with_the_fourth_power():
    """Out of its plane, by the unit-load theorem: bending and torsion of p R^2 (1 - cos), ..."""
    p = 1e-5
    E, G = STEEL.E, STEEL.G

    def density(a):  # at the angle a from the tip, radius 1: a unit force times what p does
        bent = np.sin(a) * (1 - np.cos(a)) / (E * FLAT.I_y)
        return p * (bent + (1 - np.cos(a)) * (a - np.sin(a)) / (G * FLAT.J))

    exact = quad_vec(density, 0.0, 0.5 * np.pi)[0]
    errors = []
    for parts in (2, 4):
        m = cantilever(QUARTER, FLAT, STEEL, parts=parts, centre_line=arc)
        m.add(sp.DistributedLoad("weight", m["beam"].at(0), (0, 0, p)))
        errors.append(abs(tip(m).deflection[0, 2] / exact - 1.0))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.3)


@pytest.mark.parametrize("turns", [1, 30])
def test_sections_on_a_helix_do_not_turn_about_it(turns):
    """Against the frame of Frenet they turn by minus the torsion."""
    radius, rise = 0.1, 0.02
    slant = np.hypot(radius, rise)
    length = 2.0 * np.pi * turns * slant
    beam = sp.Beam(
        "coil", length, FLAT, STEEL, parts=8 * turns,
        centre_line=lambda s: helix(s, radius, rise), first_y=(0, 1, 0),
    )  # fmt: skip
    pose = beam.rest_pose((length, 0.0, 0.0))
    angle = -rise / slant**2 * length
    c, d = np.cos(angle), np.sin(angle)  # whole turns: the frame of Frenet is the first one again
    np.testing.assert_allclose(
        pose.R, [[1, 0, 0], [0, c, -d], [0, d, c]], atol=1e-6 * turns, rtol=0
    )
    along = 2.0 * np.pi * turns * rise * np.array([rise, 0.0, radius]) / slant
    np.testing.assert_allclose(pose.p, along, atol=1e-9 * length)


@pytest.mark.slow
def test_a_coil_spring():
    """Closely coiled, pulled along its axis: 8 F D^3 n / (G d^4), torsion of the wire alone."""
    radius, rise, turns, wire = 0.02, 2e-4, 2, sp.Circle(1e-3)
    slant, force = np.hypot(radius, rise), 1e-3
    length = 2.0 * np.pi * turns * slant
    options = {"parts": 8 * turns, "centre_line": lambda s: helix(s, radius, rise)}
    m = cantilever(length, wire, STEEL, **options)
    lift = np.array([rise, 0.0, radius]) / slant  # the axis of the coil in the first section
    pull, arm = force * lift, np.array([0.0, radius, 0.0])  # from the wire to the axis
    m.add(sp.Force("pull", m["beam"].at(length), pull, torque=np.cross(arm, pull)))
    found = tip(m)
    up = found.deflection[0] + np.cross(found.rotation[0], arm)  # of the axis
    exact = 8.0 * force * (2.0 * radius) ** 3 * turns / (STEEL.G * 1e-3**4)
    assert lift @ up == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize("twist", [False, True])
@pytest.mark.parametrize("theory", ["euler_bernoulli", "timoshenko"])
def test_a_straight_centre_line_changes_nothing(theory, twist):
    direction = np.array([1.0, 2.0, 2.0]) / 3.0
    force = (20.0, 300.0, -100.0)
    options = {"parts": 3, "theory": theory, "damping": sp.KelvinVoigt(1e6), "roll": 0.4}
    options["stiffening"] = sp.reduction.SecondOrder(twist=twist)
    plain = cantilever(1.0, FLAT, STEEL, force, **options)
    lines = [
        {"centre_line": lambda s: s * np.array([1.0, 0.0, 0.0])},
        {"centre_line": lambda s: s * direction, "first_y": (-2.0, 1.0, 0.0)},
        {"centre_line": [(0, 0, 0), (0.3, 0, 0), (1, 0, 0)]},
        {"twist": 0.0},
    ]
    expected = tip(plain)
    for line in lines:
        model = cantilever(1.0, FLAT, STEEL, force, **options, **line)
        np.testing.assert_allclose(tip(model).position, expected.position, rtol=1e-9, atol=1e-12)
        segments = [divided(m["beam"]).part_bodies for m in (model, plain)]
        for a, b in zip(*segments, strict=True):
            for name in ("K", "C"):
                one, two = getattr(a.modal(), name), getattr(b.modal(), name)
                np.testing.assert_allclose(one, two, rtol=0, atol=1e-10 * np.abs(two).max())


def test_a_bent_arc_converges_with_the_fourth_power_in_its_plane():
    push = 3.0 * STEEL.E * FLAT.I_z / RADIUS**2

    def place(parts):
        options = {"parts": parts, "centre_line": arc}
        return tip(cantilever(QUARTER, FLAT, STEEL, (0, push, 0), **options)).position[0]

    best = place(24)
    errors = [np.linalg.norm(place(n) - best) for n in (3, 6)]
    assert np.linalg.norm(best - arc(QUARTER)) > 0.4 * RADIUS
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.2)
    assert errors[1] < 1e-4 * QUARTER


def bend(parts, **options):
    """The 45 degree bend of Bathe and Bolourchi, torsion by the polar moment as theirs."""
    rubber = sp.Material(E=1e7, G=5e6, density=1.0)
    options = {"parts": parts, "centre_line": lambda s: arc(s, 100.0), "torsion": "polar"} | options
    m = cantilever(25.0 * np.pi, sp.Rectangle(1.0, 1.0), rubber, (0, 0, 600.0), **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        return tip(m).position[0]


def test_the_45_degree_bend():
    """Simo and Vu-Quoc 1986: (15.79, 47.23, 53.37), with other axes."""
    np.testing.assert_allclose(bend(8), [47.23, 15.79, 53.37], rtol=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("stiffening", "order"), [(None, 4.0), ("second_order", 2.0)])
def test_a_bend_in_space_converges(stiffening, order):
    """With the fourth power; with the square if what bends and twists does not move aside."""
    found = [bend(n, stiffening=stiffening) for n in (8, 16, 32)]
    coarse, fine = np.linalg.norm(np.diff(found, axis=0), axis=1)
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.2)


TWISTED = sp.Rectangle(0.32, 1.1)
SOFT = sp.Material(E=29e6, G=29e6 / 2.44, density=1.0)


@pytest.mark.parametrize(
    "twist", [0.5 * np.pi, lambda s: 0.5 * np.pi * s / 12.0, [(0, 0), (12.0, 0.5 * np.pi)]]
)
def test_the_twisted_beam_of_macneal_and_harder(twist):
    for force, k, expected in (((0, 1.0, 0), 1, 5.424e-3), ((0, 0, 1.0), 2, 1.754e-3)):
        options = {"parts": 4, "twist": twist, "theory": "timoshenko"}
        found = tip(cantilever(12.0, TWISTED, SOFT, force, **options)).deflection[0]
        assert found[k] == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_small_deflections_of_a_twisted_beam_are_exact(turn):
    """Two parts, the first section turned by roll or by the pre-twist there: the same."""

    def axes(s):
        a = turn + 0.5 * np.pi * (s / 12.0) ** 2
        c, d = np.cos(a), np.sin(a)
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -d], [0.0, d, c]])

    force = np.array([0.0, 1e-4, 2e-4])
    exact = castigliano(
        12.0, axes, lambda s: np.array([s, 0.0, 0.0]), TWISTED, force, material=SOFT
    )
    given = [
        {"roll": turn, "twist": lambda s: 0.5 * np.pi * (s / 12.0) ** 2},
        {"twist": lambda s: turn + 0.5 * np.pi * (s / 12.0) ** 2},
    ]
    for options in given:
        view = tip(cantilever(12.0, TWISTED, SOFT, force, parts=2, **options))
        np.testing.assert_allclose(
            view.deflection[0], exact[:3], atol=1e-6 * np.abs(exact[:3]).max()
        )
        np.testing.assert_allclose(view.rotation[0], exact[3:], atol=1e-6 * np.abs(exact).max())


def floating(rate=(0.0,) * 6, **options):
    rubber = sp.Material(2e9, 8e8, 1000.0)
    given = {"parts": 4, "centre_line": helix, "twist": 0.6, "roll": 0.3} | options
    m = sp.Model()
    beam = m.add(sp.Beam("beam", 2.0, sp.Rectangle(0.01, 0.03), rubber, **given))
    m.add(sp.Free("free", m.ground.at(0), beam.at(0), initial_rate=rate))
    return m


def test_a_curved_beam_rests_without_strain():
    """Coordinates of its parts are not zero and nothing else is there."""
    result = sp.simulate(floating(), 0.02, output=3)
    view = result["beam"]
    assert np.abs(view.coordinates).max() > 0.05
    assert result.energy.level == result.momentum.level == "trusted"
    assert not np.any(view.strain_energy)
    assert not np.any(view.rates)
    assert not np.any(view.von_mises())
    for x in (0.5, 0.7, 2.0):
        here = view.at(x)
        assert np.abs(here.deflection).max() < 1e-15 * 2.0 * 10
        assert np.abs(here.rotation).max() < 1e-7  # half of the digits are lost in a small angle
        assert not np.any(here.strain("y"))
        assert not np.any(here.section_forces().values)
    end = result["beam"].at().position[-1]
    line = np.linalg.inv(result_axes()) @ helix(2.0)
    np.testing.assert_allclose(end, line, atol=1e-12)
    assert result.monitor.level == "valid"


def result_axes():
    """Axes of the helix at its origin: tangent, y made normal, z."""
    along = np.array([1.0, 0.0, 0.3]) / np.hypot(1.0, 0.3)
    y = np.array([0.0, 1.0, 0.0])
    return np.column_stack([along, y, np.cross(along, y)])


def test_a_free_spinning_helix_keeps_energy_and_momentum():
    m = floating((3.0, 5.0, -7.0, 1.0, 2.0, 3.0))
    found = sp.simulate(m, 0.05, output=5)
    assert found.energy.level == "trusted"
    assert found.momentum.level == "trusted"
    assert len(found.momentum) == 6
    assert found["beam"].strain_energy.max() > 1e-3
    other = sp.simulate(m, 0.05, output=5, formulation=sp.Absolute())
    np.testing.assert_allclose(found["beam"].at().position, other["beam"].at().position, atol=1e-8)


def test_stress_and_section_forces_of_an_arc():
    """A radial force at the tip: N, V and M follow from statics alone; energy from both sides."""
    force = np.array([0.0, 0.02, 0.01])
    options = {"parts": 4, "centre_line": arc, "roll": 0.2}
    result = sp.statics(cantilever(QUARTER, FLAT, STEEL, force, **options))
    view = result["beam"]
    c, d = np.cos(0.2), np.sin(0.2)
    roll = np.array([[1.0, 0.0, 0.0], [0.0, c, -d], [0.0, d, c]])
    for x in (0.0, 0.3, 0.5 * QUARTER):
        R = arc_axes(x) @ roll
        exact = np.concatenate([R.T @ force, R.T @ np.cross(arc(QUARTER) - arc(x), force)])
        for method in ("shapes", "balance"):
            values = view.at(x).section_forces(method).values[0]
            np.testing.assert_allclose(values, exact, atol=1e-4 * np.abs(exact).max())
        bending = exact[5] / (STEEL.E * FLAT.I_z) * -0.005 + exact[0] / (STEEL.E * FLAT.area)
        assert view.at(x).strain("y")[0] == pytest.approx(bending, rel=1e-3)
    work = 0.5 * force @ view.at().deflection[0]
    assert view.strain_energy[0] == pytest.approx(work, rel=1e-4)


@pytest.mark.parametrize(("parts", "level"), [(4, "valid"), (2, "doubtful")])
@pytest.mark.slow
def test_verdicts_on_an_arch(parts, level):
    """Clamped at both ends: four parts are right to 0.1 %, whose rest is no defect."""

    def crown(parts):
        m = sp.Model()
        arch = m.add(sp.Beam("arch", np.pi, FLAT, STEEL, parts=parts, centre_line=arc))
        m.add(sp.Fixed("foot", m.ground.at(0), arch.at(0)))
        m.add(sp.Fixed("end", m.ground.at(0, 2.0, 0, rotation=(0, 0, np.pi)), arch.at(np.pi)))
        m.add(sp.Force("push", arch.at(np.pi / 2), (-200.0, 50.0, 30.0)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)
            return sp.statics(m)

    found, best = crown(parts), crown(8)
    a, b = (r["arch"].at(np.pi / 2).deflection[0] for r in (found, best))
    assert found.monitor.level == level
    assert np.abs(a - b).max() < (1e-3 if level == "valid" else 0.1) * np.abs(b).max()


@pytest.mark.slow
def test_frequencies_of_a_ring():
    """Two welded half rings: Hoppe's frequencies of two and three waves, thin and inextensible."""
    waves = np.array([2, 3])
    factor = np.sqrt(waves**2 * (waves**2 - 1) ** 2 / (waves**2 + 1.0))
    exact = factor * np.sqrt(STEEL.E * FLAT.I_z / (STEEL.density * FLAT.area)) / (2.0 * np.pi)
    errors = []
    for parts in (4, 8):
        m = sp.Model()
        one, two = (
            m.add(sp.Beam(name, np.pi, FLAT, STEEL, parts=parts, centre_line=arc))
            for name in ("one", "two")
        )
        m.add(sp.Free("free", m.ground.at(0), one.at(0)))
        m.add(sp.Fixed("top", one.at(np.pi), two.at(0)))
        m.add(sp.Fixed("foot", two.at(np.pi), one.at(0)))
        found = sp.linearize(m, at="initial").frequencies
        near = [found[np.argsort(np.abs(found - f))[:2]] for f in exact]
        errors.append([np.abs(pair / f - 1.0).max() for pair, f in zip(near, exact, strict=True)])
    # extension and rotary inertia, (0.01 / radius)^2 / 12 times the square of the waves, are left
    assert max(errors[1]) < 5e-4
    assert errors[0][0] > 8.0 * errors[1][0]


def test_places_in_the_world_of_a_curved_beam():
    """A joint given by a place in the world is on the line, with the axes of the world."""
    m = sp.Model()
    beam = m.add(
        sp.Beam("beam", QUARTER, FLAT, STEEL, parts=2, centre_line=arc, position=(1.0, 2.0, 3.0))
    )
    m.add(sp.Fixed("clamp", m.ground, beam, at=(1.0, 2.0, 3.0)))
    frame = beam.at_world(*(np.array([1.0, 2.0, 3.0]) + arc(0.7)))
    assert frame.position[0] == pytest.approx(0.7, abs=1e-7)
    mass = m.add(sp.RigidBody("mass", 1.0, inertia=1.0, position=np.array([1, 2, 3]) + arc(0.7)))
    m.add(sp.Fixed("held", beam, mass, at=np.array([1.0, 2.0, 3.0]) + arc(0.7)))
    found = sp.simulate(m, 1e-4, output=2)
    np.testing.assert_allclose(found["mass"].position[0], np.array([1, 2, 3]) + arc(0.7), atol=1e-7)
    np.testing.assert_allclose(found["mass"].matrix[0], np.eye(3), atol=1e-6)
    with pytest.raises(sp.ModelError, match="a place on it; the nearest is"):
        beam.at_world(1.0, 3.0, 3.0)


def test_a_curve_through_points():
    """Its length is its own; points of an arc give an arc."""
    points = [arc(s) for s in np.linspace(0.0, QUARTER, 9)]
    beam = sp.Beam("beam", None, FLAT, STEEL, parts=3, centre_line=points)
    assert beam.length == pytest.approx(QUARTER, rel=1e-4)
    force = (0.0, 1e-3, 2e-3)
    found = tip(
        cantilever(None, FLAT, STEEL, force, parts=3, centre_line=points, first_y=(0, 1, 0))
    )
    exact = tip(cantilever(QUARTER, FLAT, STEEL, force, parts=3, centre_line=arc))
    size = np.abs(exact.deflection).max()
    # the end of a spline errs more than its inside: its first tangent is 1e-3 rad off
    np.testing.assert_allclose(found.deflection, exact.deflection, atol=5e-3 * size)


def test_a_change_of_the_centre_line_is_another_beam():
    m = cantilever(QUARTER, FLAT, STEEL, parts=2, centre_line=arc)
    m.replace("beam", centre_line=None, twist=0.2)
    np.testing.assert_allclose(tip(m).position[0], [QUARTER, 0, 0], atol=1e-12)


def test_sentences():
    def beam(**options):
        return sp.Beam("beam", 1.0, FLAT, STEEL, **({"parts": 4} | options))

    half = {"centre_line": lambda s: arc(s, 1.0 / np.pi)}
    refused = {
        r"twist is 1.5, expected None without parts=, e.g. parts=8": {"twist": 1.5, "parts": None},
        "centre_line is .* expected None without parts=": {**half, "parts": None},
        "twist is 'x', expected an angle": {"twist": "x"},
        "expected an angle .rad. from end to end": {"twist": [(0, 0), (0.5, 1.0)]},
        "moves by 2 m per m at": {"centre_line": lambda s: np.array([2 * s, 0, 0])},
        "a function with the value": {"centre_line": lambda s: s},
        "a function that fails: no": {"centre_line": _failing},
        "expected a function of the arc length": {"centre_line": [(0, 0, 0)]},
        "length is 1.0, expected None or 2, that of the curve": {
            "centre_line": [(0, 0, 0), (2, 0, 0)]
        },
        "a direction across the line": {**half, "first_y": (1, 0, 0)},
        "rotary_inertia is False, expected True with twist": {**half, "rotary_inertia": False},
    }
    for sentence, options in refused.items():
        with pytest.raises(sp.ModelError, match=sentence):
            beam(**options)
    with pytest.raises(
        sp.ModelError, match=r"parts is 1, expected more: an end of beam\[0\] turns"
    ):
        sp.statics(cantilever(1.0, FLAT, STEEL, parts=1, **half))
    kink = {"centre_line": lambda s: np.array([min(s, 0.47), max(s - 0.47, 0.0), 0.0])}
    with pytest.raises(
        sp.ModelError, match=r"centre_line is a line with a kink at 0\.4.* expected"
    ):
        sp.statics(cantilever(1.0, FLAT, STEEL, parts=4, **kink))
    m = cantilever(1.0, FLAT, STEEL, parts=4, **half)
    with pytest.raises(sp.ModelError, match="it is curved or twisted, expected a RigidBody in its"):
        sp.kinematics(m, 1.0, bodies="rigid")
    assert "twist is 90 rad, expected 1.5708 if degrees are meant" in beam(twist=90.0).suspicion()
    with pytest.raises(sp.ModelError, match="elongation and twist is False, expected True for a"):
        sp.simulate(m, 0.1, formulation=sp.DeformationModes(twist=False))


def _failing(s):
    raise ValueError("no")
