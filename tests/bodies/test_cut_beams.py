"""Beams cut into parts: large deflections, and one beam with one name in results."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import supple as sp
from models.random_models import KINDS, Recipe
from supple.bodies.discretisation import divided

LENGTH, HEIGHT = 1.0, 1e-3
STEEL = sp.Material(E=2.1e11, G=0.8e11, density=7800.0)
SQUARE = sp.Rectangle(HEIGHT, HEIGHT)
BENDING = STEEL.E * HEIGHT**4 / 12
# What linear shapes of a small deflection leave out is of its third power.
SMALL = 1e-4
SEEDS = [pytest.param(k, marks=pytest.mark.slow) for k in range(1, 10)]


def cantilever(parts, section=SQUARE, force=None, torque=None, **options) -> sp.Model:
    m = sp.Model()
    beam = m.add(sp.Beam("beam", LENGTH, section, STEEL, parts=parts, **options))
    m.add(sp.Fixed("clamp", m.ground.at(0), beam.at(0)))
    zero = (0.0, 0.0, 0.0)
    m.add(sp.Force("tip", beam.at(LENGTH), force or zero, torque=torque or zero))
    return m


def elastica(load: float) -> np.ndarray:
    """Tip (x, y) of a cantilever that only bends, load = F L^2/EI across it, in lengths."""

    def tip(m0):
        rate = lambda s, y: [y[1], -load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]  # noqa: E731
        return solve_ivp(rate, (0, 1), [0.0, m0, 0.0, 0.0], rtol=1e-11, atol=1e-12).y[:, -1]

    return tip(brentq(lambda m0: tip(m0)[1], 0.0, load))[2:]


@pytest.mark.parametrize(("parts", "bound"), [(8, 5e-5), (16, 3e-6)])
def test_elastica_without_load_steps(parts, bound):
    load = 10.0
    result = sp.statics(cantilever(parts, force=(0, load * BENDING / LENGTH**2, 0)))
    assert result.iterations <= 6
    end = result["beam"].at(LENGTH)
    assert np.linalg.norm(end.position[0, :2] - elastica(load)) < bound
    assert result.monitor.level == "valid"
    assert list(result.monitor.bodies) == ["beam"]
    np.testing.assert_allclose(end.deflection[0], end.position[0] - [1.0, 0.0, 0.0], atol=1e-15)


def test_the_order_is_four():
    """In any plane: the chain knows no preferred axis."""
    load, exact = 10.0 * BENDING, elastica(10.0)
    direction = np.array([0.0, 0.6, 0.8])
    errors = []
    for parts in (4, 8, 16):
        result = sp.statics(cantilever(parts, force=tuple(load * direction)))
        place = result["beam"].at(LENGTH).position[0]
        errors.append(np.hypot(place[0] - exact[0], place @ direction - exact[1]))
    assert np.log2(errors[0] / errors[1]) > 3.7
    assert np.log2(errors[1] / errors[2]) > 3.7


def test_rolled_up_in_one_step():
    """A full circle: the chord of a part of angle 2a is short by a^4/120 of itself."""
    for parts in (8, 16):
        result = sp.statics(cantilever(parts, torque=(0, 0, 2 * np.pi * BENDING)))
        assert result.iterations <= 2
        view = result["beam"]
        assert np.linalg.norm(view.at(LENGTH).position[0]) < 1e-12
        diameter = view.at(LENGTH / 2).position[0, 1]
        a = np.pi / parts
        assert abs(diameter * np.pi - 1.0) < 1.1 * a**4 / 120


@pytest.mark.slow
def test_tapered_beam_converges_with_order_four():
    """In a plane; of few parts the error along the beam changes its sign."""
    section = sp.TaperedSection(sp.Rectangle(2e-3, 2e-3), sp.Rectangle(1e-3, 1e-3))
    errors = convergence((4, 8, 16), 48, section, (0.0, 30.0 * BENDING, 0.0))
    assert errors[0] < 5e-5
    assert np.log2(errors[1] / errors[2]) > 3.9


@pytest.mark.slow
def test_the_order_is_two_where_beams_bend_and_twist():
    """Twist is linear in a part. A frame that turned with one end alone would leave order one."""
    section = sp.Rectangle(2e-3, 1e-3)
    force = (0.0, 6.0 * BENDING, 4.0 * BENDING)
    errors = convergence((4, 8, 16), 32, section, force, roll=0.3)
    assert np.all(np.log2(errors[:-1] / errors[1:]) > 1.9)


def convergence(numbers, finest, section, force, **options) -> np.ndarray:
    """Distances of the tip from that of the finest division."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        for parts in (*numbers, finest):
            m = cantilever(parts, section, force=force, **options)
            found[parts] = sp.statics(m)["beam"].at(LENGTH).position[0]
    return np.array([np.linalg.norm(found[n] - found[finest]) for n in numbers])


def test_stations_that_are_used_become_ends_of_parts():
    m = cantilever(3, force=(0, 1e-6, 0))
    beam = m["beam"]
    m.add(sp.PointMass("bob", beam.at(0.45), 1e-3))
    m.add(sp.DistributedLoad("wind", beam.at(0.1), (0, 1e-6, 0), end=0.9))
    stations = m.bodies["beam"].part_stations
    assert set(stations.tolist()) >= {0.0, 0.1, 0.45, 0.9, 1.0}
    assert np.diff(stations).max() <= 1 / 3 + 1e-12
    assert divided(m["beam"]).part_stations.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])
    m.remove("wind")
    assert 0.1 not in m.bodies["beam"].part_stations
    m.replace("beam", parts=(0.2, 0.45, 0.7))
    np.testing.assert_allclose(m.bodies["beam"].part_stations, [0, 0.2, 0.45, 0.7, 1.0])
    cells, points = m.bodies["beam"].line.load_cells(4)  # shapes have kinks between segments
    assert cells.tolist() == pytest.approx([0.2, 0.45, 0.7]) and points == 4


def frame_of_beams(parts, scale=1.0) -> sp.Model:
    """Joints at both ends and in the middle, in both directions, loads and masses between."""
    m = sp.Model(gravity=scale * np.array([0.0, -9.81, 0.5]))
    options = {"damping": sp.KelvinVoigt(1e5)}
    section = sp.Rectangle(0.02, 0.03)
    if parts is None:
        options |= {"elements": 4, "stiffening": "second_order"}
    one = m.add(sp.Beam("one", 1.0, section, STEEL, parts=parts, **options))
    two = m.add(sp.Beam("two", 0.8, section, STEEL, parts=parts, roll=0.2, **options))
    m.add(sp.Revolute("root", one.at(0.5), m.ground.at(0), "z", initial_rate=1.0))
    m.add(sp.Revolute("elbow", two.at(0.8), one.at(1.0, rotation=(0.2, 0, 0)), "z", initial=0.3))
    m.add(sp.PointMass("bob", one.at(0.25), 0.4))
    m.add(sp.SpringDamper("spring", m.ground.at(0, 1), two.at(0.4), 200.0, 1.0, 0.4))
    wind = tuple(scale * np.array([5.0, 20.0, 3.0]))
    m.add(sp.DistributedLoad("wind", one.at(0.25), wind, 0.75, (1.0, 0.2)))
    m.add(sp.DistributedLoad("jet", two.at(0.0), (0.0, 4.0 * scale, 3.0 * scale), axes="section"))
    return m


@pytest.mark.slow
def test_views_are_those_of_a_whole_beam():
    """The same finite elements, small deformations: differences are of second order."""
    cut, whole = (sp.simulate(frame_of_beams(parts), 0.005, output=10) for parts in (4, None))
    assert cut.success
    assert cut.energy.level == "trusted"
    assert cut.monitor.level == "valid", cut.monitor
    assert list(cut.monitor.bodies) == ["one", "two"]
    size = np.abs(whole["one"].at(1.0).deflection - whole["one"].at(0.0).deflection).max()
    close = {"rtol": SMALL, "atol": 1e-3 * size}
    for name, place in (("one", 0.3), ("one", 0.95), ("two", 0.05), ("two", 0.45)):
        a, b = (r[name].at(place) for r in (cut, whole))
        np.testing.assert_allclose(a.position, b.position, **close)
        np.testing.assert_allclose(a.velocity, b.velocity, atol=1e-3)
        strain = np.abs(b.strain()).max()
        np.testing.assert_allclose(a.strain("z"), b.strain("z"), atol=1e-2 * strain)
        one, other = (v.section_forces("balance").values[:, 3:] for v in (a, b))
        np.testing.assert_allclose(one, other, atol=1e-2 * np.abs(other).max())
    for name in ("one", "two"):
        a, b = (r[name] for r in (cut, whole))
        np.testing.assert_allclose(a.strain_energy, b.strain_energy, rtol=1e-2, atol=1e-4)
        assert a.largest_stress().value == pytest.approx(b.largest_stress().value, rel=1e-2)
        assert a.largest_stress().place == pytest.approx(b.largest_stress().place, abs=1e-9)
    np.testing.assert_allclose(cut["wind"].work, whole["wind"].work, atol=1e-3)
    np.testing.assert_allclose(cut["jet"].work, whole["jet"].work, atol=1e-3)
    np.testing.assert_allclose(cut["spring"].tension, whole["spring"].tension, rtol=1e-3)
    np.testing.assert_allclose(cut["root"].wrench, whole["root"].wrench, rtol=1e-2, atol=0.5)
    variables = cut.track().variables
    assert {"one.strain_energy", "one@1.deflection", "two.position"} <= set(variables)


def test_section_forces_under_small_loads():
    """Loads of a thousandth: what is left of the difference is a thousandth of itself."""

    def result(parts):
        m = frame_of_beams(parts, 1e-3)
        for joint in ("root", "elbow"):
            m.add(sp.JointSpring(f"{joint} spring", joint, 1e4, rest=0.3 * (joint == "elbow")))
        m.remove("spring")
        return sp.statics(m)

    cut, whole = result(4), result(None)
    for name, place in (("one", 0.25), ("one", 0.3), ("one", 0.95), ("two", 0.05), ("two", 0.4)):
        a, b = (r[name].at(place) for r in (cut, whole))
        for method in ("shapes", "balance"):
            one, other = (v.section_forces(method).values[0] for v in (a, b))
            for part in (slice(0, 3), slice(3, 6)):
                limit = 1e-4 * np.abs(other[part]).max()
                np.testing.assert_allclose(one[part], other[part], atol=limit)
        limit = 1e-4 * b.von_mises().max()
        np.testing.assert_allclose(a.von_mises(), b.von_mises(), atol=limit)
        np.testing.assert_allclose(a.stress(0.01, 0.015), b.stress(0.01, 0.015), atol=limit)
        limit = 1e-4 * np.abs(b.deflection).max()
        np.testing.assert_allclose(a.deflection, b.deflection, atol=limit)
        np.testing.assert_allclose(a.rotation, b.rotation, atol=1e-4 * np.abs(b.rotation).max())


def test_small_vibrations_are_those_of_the_whole_beam():
    """Deformation and nodal coordinates of the same elements: the same matrices in other axes."""
    parts = 5
    m = sp.Model()
    section = sp.Rectangle(0.02, 0.03)
    frequencies = []
    for name, options in (("whole", {"elements": parts}), ("cut", {"parts": parts})):
        m = sp.Model()
        beam = m.add(sp.Beam(name, 1.0, section, STEEL, **options))
        m.add(sp.Fixed("clamp", m.ground.at(0), beam.at(0)))
        found = sp.linearize(m)
        frequencies.append(found.frequencies)
        assert len(found.modes[0].of(name)) == 6 * parts
    np.testing.assert_allclose(frequencies[1], frequencies[0], rtol=1e-8)


def test_a_free_spinning_beam_keeps_energy_and_momenta():
    m = sp.Model()
    soft = sp.Material(E=2e7, G=0.8e7, density=1000.0)
    beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.03), soft, parts=3))
    twist = (0.5, 3.0, 12.0, 0.3, 0.2, 0.1)
    m.add(sp.Free("free", m.ground.at(0), beam.at(0.4), initial_rate=twist))
    result = sp.simulate(m, 0.2, output=10)
    assert result.success
    assert result.energy.level == "trusted"
    assert len(result.momentum) == 6
    assert result.momentum.level == "trusted"
    assert result.energy.strain.max() > 1e-3 * result.energy.kinetic[0]


def test_parts_are_beams_welded_by_hand():
    """In a plane: with twist the frame of a part turns with the mean of both ends."""
    section = sp.Rectangle(0.01, 0.02)

    def run(m, start, middle, end):
        m.add(sp.Revolute("hinge", m.ground.at(0), start, "z", initial_rate=5.0))
        m.add(sp.Force("push", middle, (0, 3.0, 0)))
        m.add(sp.PointMass("tip", end, 0.1))
        return sp.simulate(m, 0.05, output=5)

    m = sp.Model(gravity=(0, -9.81, 0))
    beam = m.add(sp.Beam("beam", 1.0, section, STEEL, parts=2))
    found = run(m, beam.at(0.0), beam.at(0.5), beam.at(1.0))
    m = sp.Model(gravity=(0, -9.81, 0))
    options = {"elements": 1, "reference": "chord", "stiffening": "second_order"}
    a, b = (m.add(sp.Beam(f"beam{k}", 0.5, section, STEEL, **options)) for k in (0, 1))
    m.add(sp.Fixed("weld", a.at(0.5), b.at(0.0)))
    expected = run(m, a.at(0.0), a.at(0.5), b.at(0.5))
    for view, other in zip(found["beam"].parts, ("beam0", "beam1"), strict=True):
        np.testing.assert_allclose(
            view.coordinates, expected[other].coordinates, rtol=1e-9, atol=1e-12
        )
    a, b = found["beam"].at(0.7), expected["beam1"].at(0.2)
    np.testing.assert_allclose(a.position, b.position, rtol=1e-9, atol=1e-12)


def guide(parts, push, pull=0.0, lift=0.0, **options) -> sp.Model:
    """A stage on two parallel leaf springs along x, pushed across, pulled along, lifted on edge."""
    length, thick, wide, apart, steel = 0.1, 0.5e-3, 0.02, 2.0, sp.Material(2e11, 0.8e11, 7800.0)
    m = sp.Model()
    stage = m.add(sp.RigidBody("stage", 1.0, inertia=1.0))
    for name, y in (("left", -apart / 2), ("right", apart / 2)):
        section = sp.Rectangle(thick, wide)
        leaf = m.add(sp.Beam(name, length, section, steel, parts=parts, **options))
        m.add(sp.Fixed(f"{name} foot", m.ground.at(0, y), leaf.at(0)))
        m.add(sp.Fixed(f"{name} end", leaf.at(length), stage.at(0, y)))
    unit = 24.0 * steel.E * wide * thick**3 / 12 / length**3 * thick  # a stroke of one thickness
    m.add(sp.Force("push", stage.at(0), (pull, push * unit, lift)))
    return m


@pytest.mark.parametrize(("parts", "level"), [(1, "not valid"), (2, "not valid"), (4, "valid")])
def test_the_monitor_asks_for_more_parts_of_leaf_springs(parts, level):
    """One part loses none of its support stiffness: 1/(1 + 12/700 20^2) of it would be right."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        found = sp.statics(guide(parts, 20.0)).monitor
    assert found.level == level
    lost = [f.value for f in found["left"].findings if f.what == "parts"]
    if parts == 1:
        assert lost == pytest.approx([12 / 700 * 20**2], rel=0.02)
        assert "with one part it leaves out" in found.verdict
    assert len(lost) == (parts < 4)


def test_the_monitor_knows_the_flexibility_of_leaf_springs_that_twist():
    """Bent by 20 thicknesses and lifted on edge: parts that twist evenly are too stiff."""

    def flexibility(parts, twist):
        stiffening = sp.reduction.SecondOrder(twist=twist)
        low, high = (sp.statics(guide(parts, 20.0, 0.0, f, stiffening=stiffening)) for f in (0, 1))
        return (high["stage"].position - low["stage"].position)[0, 2], high.monitor

    stiff, told = flexibility(4, False)
    right, fine = flexibility(8, True)
    (lost,) = [f.value for f in told["left"].findings if f.what == "parts"]
    assert lost == pytest.approx(right / stiff - 1.0, rel=0.05)
    assert told.level == "doubtful"
    assert "use more parts, or stiffening=SecondOrder(twist=True)" in told.verdict
    assert fine.level == "valid"


@pytest.mark.parametrize("stiffening", ["second_order", "none"])
@pytest.mark.parametrize("parts", [1, 2, 4, 8])
def test_verdicts_on_a_pressed_column(parts, stiffening):
    """Half of Euler's load and a small force across its middle: 3 (tan u - u)/u^3 times as much."""
    m, middle = sp.Model(), 0.5 * LENGTH
    options = {"parts": parts, "stiffening": stiffening}
    column = m.add(sp.Beam("column", LENGTH, SQUARE, STEEL, **options))
    m.add(sp.Revolute("foot", m.ground.at(0), column.at(0), "z"))
    m.add(sp.PointOnLine("top", m.ground.at(0), column.at(LENGTH), axis="x"))
    m.add(sp.Force("weight", column.at(LENGTH), (-0.5 * np.pi**2 * BENDING, 0, 0)))
    aside = 1e-3 * BENDING
    m.add(sp.DistributedLoad("wind", column.at(0), (0, aside, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        result = sp.statics(m)
    u = 0.25 * np.pi * np.sqrt(2.0)
    exact = aside / BENDING / (16 * u**4) * (1 / np.cos(u) - 1 - u**2 / 2)
    error = abs(result["column"].at(middle).position[0, 1] / exact - 1.0)
    level = result.monitor.level
    assert (level == "valid") == (parts >= (2 if stiffening == "second_order" else 8))
    assert error < 0.02 or level != "valid"


@pytest.mark.slow
@pytest.mark.parametrize(("parts", "bound"), [(4, 0.03), (8, 0.015)])
def test_support_stiffness_of_a_held_stroke(parts, bound):
    """Awtar, Slocum, Sevincer 2007: 1/(1 + 12/700 (d/t)^2) of that without stroke."""
    stroke, pull = 20.0 * 0.5e-3, 20.0

    def place(pull):
        def miss(push):
            return sp.statics(guide(parts, push, pull))["stage"].position[0, 1] - stroke

        push = brentq(miss, 5.0, 40.0, xtol=1e-12)
        return sp.statics(guide(parts, push, pull))["stage"].position[0, 0]

    stiffness = 2.0 * pull / (place(pull) - place(-pull)) / (2.0 * 2e11 * 0.5e-3 * 0.02 / 0.1)
    assert stiffness == pytest.approx(1.0 / (1.0 + 12 / 700 * 20**2), rel=bound)


def mechanism(**options) -> sp.Model:
    """A crank of rigid parts that drives a flexible rod whose end slides."""
    m = sp.Model(gravity=(0, -9.81, 0))
    crank = m.add(sp.RigidBody("crank", 1.0, com=(0.1, 0, 0), inertia=0.01))
    rod = m.add(sp.Beam("rod", 0.6, sp.Rectangle(0.01, 0.02), STEEL, **options))
    m.add(sp.Revolute("shaft", m.ground.at(0), crank.at(0), "z", initial_rate=10.0))
    m.add(sp.Revolute("pin", crank.at(0.2), rod.at(0), "z"))
    m.add(sp.PointOnLine("guide", m.ground.at(0), rod.at(0.6), axis="x"))
    return m


def test_deformation_modes_cut_every_beam():
    """The same model: parts instead of elements, mixed with rigid bodies and loops."""
    model = mechanism(elements=3, modes=4, reference="chord", stiffening="second_order")
    cut = sp.simulate(model, 0.02, output=5, formulation=sp.DeformationModes())
    by_hand = sp.simulate(mechanism(parts=3), 0.02, output=5)
    assert cut.success
    assert cut.energy.level == "trusted"
    np.testing.assert_array_equal(cut["rod"].coordinates, by_hand["rod"].coordinates)
    assert [len(part.coordinate_names) for part in cut["rod"].parts] == [6, 6, 6]
    assert not model["rod"].divides
    plain = sp.DeformationModes().written(mechanism(elements=2)).bodies["rod"]
    assert not any(part.stiffened for part in plain.part_bodies)
    rigid = sp.DeformationModes().written(mechanism(modes=0)).bodies["rod"]
    assert not rigid.divides


def test_undeformable_parts_have_fewer_coordinates():
    """Jonker's class of deformations that are prescribed as zero; stiff ones are their limit."""
    without = sp.DeformationModes(elongation=False, twist=False)
    model = mechanism(elements=2, stiffening="second_order")
    found = sp.simulate(model, 0.03, output=5, formulation=without)
    assert found.energy.level == "trusted"
    names = [name for part in found["rod"].parts for name in part.coordinate_names]
    assert names == 2 * ["ty_0", "tz_0", "ty_1", "tz_1"]
    whole = sp.simulate(model, 0.03, output=5, formulation=sp.DeformationModes())
    place = [r["rod"].at(0.3).position for r in (found, whole)]
    np.testing.assert_allclose(*place, atol=1e-5)
    length = np.linalg.norm(found["rod"].at(0.3).position - found["rod"].at(0.0).position, axis=1)
    assert np.all(length <= 0.3 * (1 + 1e-12))  # it bends and does not stretch


def test_a_spinning_shaft_with_inner_damping():
    """Jonker 1989: two parts that only bend; computed from his equations apart from this package.

    Growth rates at constant spin, zero at 832.505 rad/s. Without terms linear in the deformations
    (4.29) the shaft seems to be stable at 900 rad/s; see `tests/cases/test_jonker_oracle.py`.
    """
    rates = {0.0: -2.20048, 800.0: -0.085917, 835.0: 0.006595, 900.0: 0.178402}
    each = [(speed, rate, "consistent") for speed, rate in rates.items()]
    each += [(800.0, -0.337796, "undeformed"), (900.0, -0.059122, "undeformed")]
    steel = sp.Material(E=200e9, G=77e9, density=7870)
    for speed, rate, mass in each:
        bending = sp.DeformationModes(elongation=False, twist=False, mass=mass)
        m = sp.Model()
        options = {"rotary_inertia": False, "damping": sp.KelvinVoigt(1.27e6)}
        shaft = m.add(sp.Beam("shaft", 0.3, sp.Circle(0.006), steel, elements=2, **options))
        disc = m.add(sp.RigidBody("disc", 1.0, inertia=1e-3))
        m.add(sp.Revolute("spin", m.ground.at(0), disc.at(0), "x", initial_rate=speed))
        m.add(sp.Universal("end", disc.at(0), shaft.at(0), axes=("y", "z")))
        m.add(sp.PointOnLine("bearing", m.ground.at(0), shaft.at(0.3), (1, 0, 0)))
        m.add(sp.Driver("drive", m.joints["spin"], motion=sp.Polynomial((0.0, speed))))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)
            found = sp.linearize(m, "initial", formulation=bending)
        assert found.eigenvalues.real.max() == pytest.approx(rate, abs=6e-6)


@pytest.mark.filterwarnings("ignore:.*waves travel")
@pytest.mark.parametrize("stiffening", ["none", "second_order"])
def test_inertia_of_undeformed_parts(stiffening):
    """Places without deflection, rates of deflections in axes that do not turn (Jonker 4.29)."""
    soft = sp.Material(E=1.0, G=0.4, density=2000.0)  # inertia is all that there is
    m = sp.Model()
    options = {"parts": 1, "stiffening": stiffening, "rotary_inertia": False}
    beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.03, 0.05), soft, **options))
    m.add(sp.Spherical("ball", m.ground.at(0), beam.at(0.0)))
    m.add(sp.PointMass("tip", beam.at(1.0), 2.0))
    written = sp.DeformationModes(mass="undeformed")
    eq, rng = written.equations(m), np.random.default_rng(1)
    q = eq.retract(eq.q0, 0.2 * rng.normal(size=eq.nu))
    u, a, h = 2.0 * rng.normal(size=eq.nu), 3.0 * rng.normal(size=eq.nu), 1e-6

    tangents, push = eq.tangents(0.0, q, u, a), h * np.eye(eq.nu)
    places = [(eq.retract(q, e), eq.retract(q, -e)) for e in push]
    slopes = [(eq.residual(0, one, u, a) - eq.residual(0, two, u, a)) for one, two in places]
    rates = [(eq.residual(0, q, u + e, a) - eq.residual(0, q, u - e, a)) for e in push]
    for found, expected in ((tangents.Rq, slopes), (tangents.Ru, rates)):
        differences = np.array(expected).T / (2 * h)
        np.testing.assert_allclose(found, differences, atol=1e-7 * np.abs(differences).max())

    c = eq.compiled
    _, history = eq.history(np.zeros(1), q[None], u[None], np.zeros((1, 0)))
    k, record = c.body_names.index("beam[0]"), c.flexible["beam[0]"]
    R, V, modal = history.R[0, k], history.V[0, k], record.modal
    w, v = R.T @ V[:3], R.T @ V[3:]
    S1, D0, M, own = modal.S1, modal.D0, modal.M, u[record.u]
    if modal.slaves is not None:
        G = np.einsum("rij,j->ri", modal.slaves.Gamma, q[record.q])
        S1, D0, M = modal.slaves.S1, modal.slaves.D0, modal.slaves.M
        own = np.concatenate([own, G @ own])
    turned = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    # int rho |v + w x x + S u|^2 / 2
    rigid = modal.mass * v @ v + 2 * v @ turned @ modal.s0
    rigid += np.trace(turned @ modal.E0 @ turned.T)
    mixed = v @ S1 @ own + np.einsum("ji,ijn,n->", turned, D0, own)
    energy = 0.5 * rigid + mixed + 0.5 * own @ M @ own
    assert eq.energies(0.0, q, u).kinetic == pytest.approx(energy, rel=1e-12)


def test_lumped_masses_converge_to_the_same_frequencies():
    """Mass at the nodes: frequencies from below, with the square of the length of a part."""
    errors = []
    for parts in (4, 8):
        m = sp.Model()
        beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.03), STEEL, elements=parts))
        m.add(sp.Fixed("clamp", m.ground.at(0), beam.at(0)))
        modes = sp.DeformationModes(), sp.DeformationModes(mass="lumped")
        exact, lumped = (sp.linearize(m, formulation=f).frequencies[:2] for f in modes)
        errors.append(1.0 - lumped / exact)
    assert np.all(errors[0] > 0.0)
    np.testing.assert_allclose(errors[0] / errors[1], 4.0, rtol=0.15)
    m = cantilever(3, force=(0, 1e-4, 0))
    rest = sp.statics(m, formulation=sp.DeformationModes(mass="lumped"))
    assert rest["beam"].at(1.0).position == pytest.approx(sp.statics(m)["beam"].at(1.0).position)
    with pytest.raises(sp.ModelError, match="mass along the beam, for section forces by balance"):
        rest["beam"].at(0.5).section_forces("balance")


def test_what_cannot_be_cut_is_named():
    m = sp.Model()
    panel = m.add(
        sp.Beam("panel", 1.0, SQUARE, STEEL, modes=sp.reduction.SineShapes(2), reference="chord")
    )
    m.add(sp.Revolute("hinge", m.ground.at(0), panel.at(0)))
    with pytest.raises(sp.ModelError, match="Beam 'panel' cannot be cut into parts, expected a B"):
        sp.simulate(m, 0.1, formulation=sp.DeformationModes())
    for options, sentence in (
        ({"elongation": 1}, "DeformationModes: elongation is 1, expected True or False"),
        ({"mass": "heavy"}, "DeformationModes: mass is 'heavy', expected"),
    ):
        with pytest.raises(sp.ModelError, match=sentence):
            sp.DeformationModes(**options)
    thin = mechanism(rotary_inertia=False)
    with pytest.raises(sp.ModelError, match="rotary_inertia is False, expected True with lumped"):
        sp.simulate(thin, 0.1, formulation=sp.DeformationModes(mass="lumped"))


def cut_tree(seed, floating=False) -> sp.Model:
    """A random tree whose beams are cut, with loads, masses and joints anywhere on them."""
    rng = np.random.default_rng(seed)
    kinds = tuple(str(kind) for kind in rng.choice(KINDS[1:], 4))
    forces, beams = "internal" if floating else "frames", (True, False, True, True)
    options = {"can_lock": False, "gravity": not floating, "beams": beams}
    recipe = Recipe(kinds, seed, forces, floating, **options)
    m = recipe.model()
    for name in list(m.bodies):
        if isinstance(m[name], sp.Beam):
            m.replace(
                name,
                modes="all",
                reference="clamped",
                clamp_node=0,
                damping=sp.KelvinVoigt(10.0),
                stiffening=str(rng.choice(["second_order", "none"])),
                parts=int(rng.integers(1, 4)),
            )
    for name, force in list(m.forces.items()):
        if isinstance(force, sp.DistributedLoad) and force.axes == "body":
            m.replace(name, axes="section")
    return m


@pytest.mark.parametrize("seed", [0, *SEEDS])
def test_random_trees_of_cut_beams(seed):
    """Energy and work agree, and so do joint and absolute coordinates."""
    m = cut_tree(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        found = sp.simulate(m, 0.003, output=2)
        other = sp.simulate(m, 0.003, output=2, formulation=sp.Absolute())
    assert found.success
    assert found.energy.level == "trusted"
    for name, body in m.bodies.items():
        place = body.at(0.3) if body.is_beam else body.at(0.3, 0.1, 0.2)
        np.testing.assert_allclose(
            found[place].position, other[place].position, atol=1e-7, err_msg=name
        )


@pytest.mark.parametrize("seed", [0, *SEEDS])
def test_floating_trees_of_cut_beams_keep_their_momenta(seed):
    m = cut_tree(seed, floating=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        found = sp.simulate(m, 0.003, output=2)
    assert found.success
    assert found.energy.level == "trusted"
    assert len(found.momentum) == 6
    assert found.momentum.level == "trusted"


def test_sentences():
    def beam(**options):
        return sp.Beam("beam", 1.0, SQUARE, STEEL, **({"parts": 4} | options))

    refused = {
        "parts is 0, expected a number of parts": {"parts": 0},
        "expected a number of parts, e.g. 8, or ascending": {"parts": (0.5, 0.2)},
        "modes is 3, expected 'all' with parts": {"modes": 3},
        "reference is 'chord', expected 'clamped' with parts": {"reference": "chord"},
        "expected KelvinVoigt": {"damping": sp.ModalDamping(0.01)},
        "'second_order' or 'none' with parts": {"stiffening": "von_karman"},
        "which is not cut": {"modes": sp.reduction.SineShapes(3), "reference": "chord"},
    }
    for sentence, options in refused.items():
        with pytest.raises(sp.ModelError, match=sentence):
            beam(**options)
    with pytest.raises(sp.ModelError, match="Beam 'beam': parts is 4, expected None, a beam that"):
        beam().modal()
    m = cantilever(4)
    m.add(sp.DistributedLoad("wind", m["beam"].at(0.0), (0, 1, 0), axes="body"))
    with pytest.raises(sp.ModelError, match="axes is 'body', expected 'world' or 'section' on"):
        sp.statics(m)
    with pytest.raises(sp.ModelError, match="Beam 'beam' is flexible, expected rigid"):
        sp.simulate(cantilever(4), 0.1, integrator=sp.EnergyScheme(step=0.01),
                    formulation=sp.Absolute())  # fmt: skip
    with pytest.raises(sp.ModelError, match="Beam 'beam': the velocity transformation does not"):
        sp.velocity_transformation(cantilever(4))
    assert beam(stiffening="none").stiffening == "none"
    assert not divided(beam(stiffening="none")).part_bodies[0].stiffened
    assert divided(beam()).part_bodies[0].second_order


def test_loops_of_whole_and_cut_beams():
    """A portal frame with redundant reactions: the corner of two whole and a cut beam."""

    def portal(parts):
        m = sp.Model(gravity=(0, -9.81, 0))
        section = sp.Rectangle(0.02, 0.03)
        beams = {}
        for name, cut in (("left", None), ("top", parts), ("right", None)):
            options = {"elements": 4} if cut is None else {"parts": cut}
            beams[name] = m.add(sp.Beam(name, 1.0, section, STEEL, **options))
        up, down = (0, 0, np.pi / 2), (0, 0, -np.pi / 2)
        m.add(sp.Fixed("foot", m.ground.at(0, rotation=up), beams["left"].at(0)))
        m.add(sp.Fixed("corner", beams["left"].at(1.0, rotation=down), beams["top"].at(0)))
        m.add(sp.Fixed("knee", beams["top"].at(1.0, rotation=down), beams["right"].at(0)))
        m.add(sp.Fixed("base", beams["right"].at(1.0), m.ground.at(1.0, rotation=down)))
        m.add(sp.Force("push", beams["left"].at(1.0), (50.0, 0, 0)))
        return m

    cut, whole = sp.statics(portal(4)), sp.statics(portal(None))
    for name in ("left", "top", "right"):
        a, b = (r[name].at(0.5).position for r in (cut, whole))
        np.testing.assert_allclose(a, b, atol=1e-5)
    assert cut.monitor.level == whole.monitor.level == "valid"
    one, other = (sp.linearize(m).frequencies[:4] for m in (portal(4), portal(None)))
    # the cut beam has stiffening: weight and push are 1e-3 of the load under which it buckles
    np.testing.assert_allclose(one, other, rtol=1e-3)
