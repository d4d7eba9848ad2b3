"""Beams cut into parts: large deflections, and one beam with one name in results."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import supple as sp

LENGTH, HEIGHT = 1.0, 1e-3
STEEL = sp.Material(E=2.1e11, G=0.8e11, density=7800.0)
SQUARE = sp.Rectangle(HEIGHT, HEIGHT)
BENDING = STEEL.E * HEIGHT**4 / 12
# What linear shapes of a small deflection leave out is of its third power.
SMALL = 1e-4


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
    """Towards 64 parts, bent out of both planes; a part cannot follow its own taper exactly."""
    section = sp.TaperedSection(sp.Rectangle(2e-3, 1e-3), sp.Rectangle(1e-3, 1e-3))
    force = (0.0, 6.0 * BENDING, 4.0 * BENDING)
    found = {}
    for parts in (4, 8, 16, 64):
        m = cantilever(parts, section, force=force, roll=0.3)
        found[parts] = sp.statics(m)["beam"].at(LENGTH).position[0]
    errors = [np.linalg.norm(found[n] - found[64]) for n in (4, 8, 16)]
    assert np.log2(errors[0] / errors[1]) > 3.5
    assert np.log2(errors[1] / errors[2]) > 3.5


def test_stations_that_are_used_become_ends_of_parts():
    m = cantilever(3, force=(0, 1e-6, 0))
    beam = m["beam"]
    m.add(sp.PointMass("bob", beam.at(0.45), 1e-3))
    m.add(sp.DistributedLoad("wind", beam.at(0.1), (0, 1e-6, 0), end=0.9))
    stations = m.bodies["beam"].part_stations
    assert set(stations.tolist()) >= {0.0, 0.1, 0.45, 0.9, 1.0}
    assert np.diff(stations).max() <= 1 / 3 + 1e-12
    assert m["beam"].part_stations.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])
    m.remove("wind")
    assert 0.1 not in m.bodies["beam"].part_stations
    m.replace("beam", parts=(0.2, 0.45, 0.7))
    np.testing.assert_allclose(m.bodies["beam"].part_stations, [0, 0.2, 0.45, 0.7, 1.0])


def frame_of_beams(parts, scale=1.0) -> sp.Model:
    """Joints at both ends and in the middle, in both directions, loads and masses between."""
    m = sp.Model(gravity=scale * np.array([0.0, -9.81, 0.5]))
    options = {"damping": sp.KelvinVoigt(1e5)}
    section = sp.Rectangle(0.02, 0.03)
    if parts is None:
        options |= {"elements": 8, "stiffening": "second_order"}
    one = m.add(sp.Beam("one", 1.0, section, STEEL, parts=parts, **options))
    two = m.add(sp.Beam("two", 0.8, section, STEEL, parts=parts, roll=0.2, **options))
    m.add(sp.Revolute("root", one.at(0.5), m.ground.at(0), "z", initial_rate=1.0))
    m.add(sp.Revolute("elbow", two.at(0.8), one.at(1.0, rotation=(0.2, 0, 0)), "z", initial=0.3))
    m.add(sp.PointMass("bob", one.at(0.25), 0.4))
    m.add(sp.SpringDamper("spring", m.ground.at(0, 1), two.at(0.4), 200.0, 1.0, 0.4))
    wind = tuple(scale * np.array([5.0, 20.0, 3.0]))
    m.add(sp.DistributedLoad("wind", one.at(0.125), wind, 0.875, (1.0, 0.2)))
    m.add(sp.DistributedLoad("jet", two.at(0.0), (0.0, 4.0 * scale, 3.0 * scale), axes="section"))
    return m


def test_views_are_those_of_a_whole_beam():
    """The same finite elements, small deformations: differences are of second order."""
    cut, whole = (sp.simulate(frame_of_beams(parts), 0.1, output=10) for parts in (8, None))
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

    cut, whole = result(8), result(None)
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
        frequencies.append(sp.linearize(m).frequencies)
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
    section = sp.Rectangle(0.01, 0.02)

    def run(m, start, middle, end):
        m.add(sp.Revolute("hinge", m.ground.at(0), start, "z", initial_rate=5.0))
        m.add(sp.Force("push", middle, (0, 3.0, 1.0)))
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
    np.testing.assert_allclose(found["beam"].at(0.7).position, expected["beam1"].at(0.2).position)


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
        "which is not cut": {"modes": sp.Sines(3), "reference": "chord"},
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
    with pytest.raises(sp.ModelError, match=r"Beam 'beam\[0\]' is flexible, expected rigid"):
        sp.simulate(cantilever(4), 0.1, integrator=sp.EnergyScheme(step=0.01),
                    formulation=sp.Absolute())  # fmt: skip
    with pytest.raises(sp.ModelError, match="Beam 'beam': the velocity transformation does not"):
        sp.velocity_transformation(cantilever(4))
    assert beam(stiffening="none").stiffening == "none"
    assert not beam(stiffening="none").part_bodies[0].stiffened
    assert beam().part_bodies[0].second_order
