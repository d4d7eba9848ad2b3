"""Geometric stiffening by membranes in runs, statics and frequencies, and its sentences."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq

import supple as sp
from models.membrane_beams import LAWS, SOFT, STRIP, beam


def flying(law, **fields) -> sp.Model:
    """A soft beam that flies, spins and vibrates in space, with a mass at one end."""
    m = sp.Model(gravity=(0, 0, 0))
    body = m.add(beam(stiffening=law, **fields))
    m.add(sp.PointMass("weight", body.at(1.3), 0.4))
    m.add(sp.Free("air", m.ground.at(0), body.at(0.65), initial_rate=(3.0, 2.0, -4.0, 1, 0.5, 0.2)))
    return m


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_free_beam_keeps_energy_and_momentum(law):
    """Momentum with all laws, since they are internal; energy with those that have one."""
    model = flying(law, elements=1, reference="mean_axis")
    result = sp.simulate(model, 0.3, tolerance="tight")
    assert result.success, result.message
    assert len(result.momentum) == 6
    for record in result.momentum:
        assert record.max_error < 1e-10 * record.scale
    energy = result.energy
    assert energy.record.max_error < 1e-10 * energy.record.max_energy
    assert result["beam"].strain_energy == pytest.approx(energy.strain, rel=1e-12)
    kept = isinstance(law, sp.reduction.VonKarman)
    assert energy.creates != kept
    assert (np.abs(np.ptp(energy.total)) < 1e-9 * energy.record.max_energy) == kept
    assert result.energy.verdict.startswith("trusted: " if kept else "integration trusted: ")


def swinging(law) -> sp.Model:
    """A soft pendulum, let go horizontally."""
    m = sp.Model(gravity=(0, 0, -9.81))
    body = m.add(beam(elements=1, stiffening=law, damping=sp.Rayleigh(1e-4)))
    m.add(sp.PointMass("bob", body.at(1.3), 0.2))
    m.add(sp.Universal("pin", m.ground.at(0), body.at(0), axes=("y", "z"), initial_rate=(0, 2.0)))
    m.add(sp.JointSpring("bearing", "pin", 2.0, 0.05, coordinate=0))
    return m


@pytest.mark.parametrize("law", [sp.reduction.Axial(), sp.reduction.Axial(quadratic=True)], ids=str)
def test_what_a_one_way_force_creates_is_in_the_balance(law):
    """The balance closes with its channel, and would not without; the verdict says how much."""
    result = sp.simulate(swinging(law), 0.5, tolerance="tight", output=2000)
    energy, view = result.energy, result["beam.stiffening"]
    most = float(energy.created[np.argmax(np.abs(energy.created))])
    assert abs(most) > 1e-4 * energy.strain.max()
    assert np.abs(energy.error).max() < 1e-8 * energy.strain.max()
    assert energy.record.max_error < 1e-8 * energy.strain.max()
    assert np.array_equal(energy.created, view.work) and not energy.work.any()
    steps = 0.5 * np.diff(result.t) * (view.power[1:] + view.power[:-1])  # errs by (step)^2
    assert energy.created[-1] == pytest.approx(steps.sum(), abs=1e-3 * abs(most))
    word = "created" if most > 0.0 else "took"
    assert result.energy.verdict.startswith("integration trusted: energy error ")
    assert result.energy.verdict.endswith(f"; the model {word} {abs(most):.0e} J")
    assert np.array_equal(result.dataset["energy.created"].values, energy.created)


def test_a_conservative_model_has_no_such_channel():
    result = sp.simulate(swinging(sp.reduction.VonKarman()), 0.02)
    assert not result.energy.created.any() and not result["beam.stiffening"].work.any()
    assert "energy.created" not in result.dataset


@cache
def by_radau():
    """Coordinates after 0.2 s, at a tight tolerance."""
    return (
        sp.simulate(swinging(sp.reduction.Axial(quadratic=True)), 0.2, tolerance="tight").state().q
    )


def integrators():
    for method, tolerance, bound in (
        (sp.DormandPrince(), "tight", 1e-8),
        (sp.BDF(), 1e-11, 1e-6),
        (sp.Adams(), 1e-11, 1e-6),
        (sp.GeneralizedAlpha(), 1e-8, 1e-4),
    ):
        yield pytest.param(method, tolerance, bound, id=type(method).__name__)


@pytest.mark.parametrize(("method", "tolerance", "bound"), list(integrators()))
def test_all_integrators_agree(method, tolerance, bound):
    """With Radau at a tight tolerance; each within some ten thousand of its own tolerances."""
    model = swinging(sp.reduction.Axial(quadratic=True))
    end = sp.simulate(model, 0.2, tolerance=tolerance, integrator=method).state()
    assert np.abs(end.q - by_radau()).max() < bound


def test_formulations_agree():
    """The pin as a row of constraints, or as a joint of the tree."""
    places = [
        sp.simulate(swinging(sp.reduction.VonKarman()), 0.2, tolerance="tight", formulation=f)[
            "bob"
        ].position
        for f in (None, sp.Absolute())
    ]
    assert np.abs(places[0] - places[1]).max() < 1e-8


# ------------------------------------------------------------------------------- statics, tension


FLAT = sp.Rectangle(0.01, 0.03)
BENDING = SOFT.E * FLAT.I_z


def clamped_strip(elements: int, load: float) -> sp.Model:
    """A strip between two walls, pushed across in its middle."""
    m = sp.Model(gravity=(0, 0, 0))
    strip = m.add(
        sp.Beam("strip", 1.0, FLAT, SOFT, elements, rotary_inertia=False, stiffening="von_karman")
    )
    m.add(sp.Fixed("left", m.ground.at(0), strip.at(0)))
    m.add(sp.Fixed("right", m.ground.at(1.0), strip.at(1.0)))
    m.add(sp.Force("push", strip.at(0.5), (0, load, 0)))
    return m


def exact_deflection(load: float) -> float:
    """Middle deflection of a clamped strip of length 1 whose tension N is E A times its stretch.

    With k^2 = N / E I its half is v = c (tanh(k/4) (cosh kx - 1) - sinh kx + kx), c = P / (2 N k):
    flat at the wall and in the middle, with the shear force P/2.
    """

    def shape(tension: float) -> tuple[float, float]:
        k = np.sqrt(tension / BENDING)
        c, t = load / (2.0 * tension * k), np.tanh(k / 4.0)
        x, w = np.polynomial.legendre.leggauss(60)
        y = 0.25 * (1.0 + x)
        slope = c * k * (t * np.sinh(k * y) - np.cosh(k * y) + 1.0)
        middle = c * (t * (np.cosh(k / 2) - 1.0) - np.sinh(k / 2) + k / 2)
        return float(middle), 0.5 * float(w @ slope**2)  # both halves

    def missing(tension: float) -> float:
        return tension - 0.5 * SOFT.E * FLAT.area * shape(tension)[1]

    return shape(brentq(missing, 1e-3 * BENDING, 1e6 * BENDING, rtol=1e-14))[0]


def test_a_clamped_strip_stretches_as_it_bends():
    """The exact solution of the theory, which cubic elements approach with the fourth power."""
    load = 192.0 * BENDING * 0.03  # linear theory: a deflection of three thicknesses
    exact, found = exact_deflection(load), []
    assert 0.01 < exact < 0.015
    for elements in (8, 16):
        result = sp.statics(clamped_strip(elements, load))
        assert result.success, result.message
        found.append(result["strip"].at(0.5).deflection[0, 1])
        assert result.energy.strain[0] == pytest.approx(result["strip"].strain_energy[0], rel=1e-12)
    assert 13.0 < (found[0] - exact) / (found[1] - exact) < 18.0
    assert (16.0 * found[1] - found[0]) / 15.0 == pytest.approx(exact, rel=1e-5)


def tension_root(ratio: float) -> float:
    """The number b of a cantilever that the force ratio E I / L^2 pulls at its tip.

    Its first frequency is b^2 sqrt(E I / m L^4).

    At the tip the moment vanishes and the shear force is that of the pull, which keeps its
    direction: E I v''' = F v'.
    """

    def determinant(b: float) -> float:
        rest = np.hypot(0.5 * ratio, b**2)
        p, r = np.sqrt(rest + 0.5 * ratio), np.sqrt(rest - 0.5 * ratio)
        # v = A (cosh px - cos rx) + B (sinh px / p - sin rx / r)
        a1, b1 = p * np.sinh(p) + r * np.sin(r), np.cosh(p) - np.cos(r)
        a2, b2 = p**2 * np.cosh(p) + r**2 * np.cos(r), p * np.sinh(p) + r * np.sin(r)
        a3, b3 = p**3 * np.sinh(p) - r**3 * np.sin(r), p**2 * np.cosh(p) + r**2 * np.cos(r)
        return float(a2 * (b3 - ratio * b1) - b2 * (a3 - ratio * a1))

    places = np.linspace(0.1, 4.0, 400)
    values = [determinant(b) for b in places]
    k = next(i for i in range(len(places) - 1) if values[i] * values[i + 1] < 0.0)
    return float(brentq(determinant, places[k], places[k + 1], xtol=1e-14))


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("ratio", [5.0, -2.0])
def test_tension_stiffens_and_pressure_softens(ratio, law):
    """The first frequency of a cantilever; without a pull b^2 is 3.516, at -2.467 it buckles.

    The beam hardly changes its length. Errors of cubic elements fall with the fourth power of
    their size: 5e-5 with five of them and a pull, 3e-6 with ten.
    """
    assert tension_root(1e-9) ** 2 == pytest.approx(3.5160153, rel=1e-7)
    steel, section = sp.Material(E=2e11, G=8e10, density=7800.0), sp.Rectangle(0.002, 0.03)
    m = sp.Model(gravity=(0, 0, 0))
    strip = m.add(sp.Beam("strip", 1.0, section, steel, 10, rotary_inertia=False, stiffening=law))
    m.add(sp.Fixed("clamp", m.ground.at(0), strip.at(0)))
    bending, line = steel.E * section.I_z, steel.density * section.area
    m.add(sp.Force("pull", strip.at(1.0), (ratio * bending, 0, 0)))
    found = sp.linearize(m).frequencies[0]
    unit = np.sqrt(bending / line) / (2.0 * np.pi)
    assert (found > 1.2 * 3.516 * unit) if ratio > 0.0 else (found < 0.6 * 3.516 * unit)
    assert found == pytest.approx(tension_root(ratio) ** 2 * unit, rel=1e-5)


@pytest.mark.parametrize("law", LAWS[::3], ids=str)
def test_statics_tells_bent_from_buckled(law):
    """One-way forces have no symmetric stiffness; what they hold is stable all the same."""
    m = sp.Model(gravity=(0, 0, 0))
    strip = m.add(sp.Beam("strip", 1.0, FLAT, SOFT, 3, stiffening=law))
    m.add(sp.Fixed("clamp", m.ground.at(0), strip.at(0)))
    m.add(sp.Force("pull", strip.at(1.0), (8.0 * BENDING, 0.8 * BENDING, 0)))
    bent = sp.statics(m)
    assert bent.stable and "unstable" not in bent.message
    assert bent["strip"].at(1.0).deflection[0, 1] > 0.05
    for ratio, stable in ((-2.4, True), (-2.6, False)):  # Euler's load is 2.467 E I / L^2
        m.replace("pull", force=(ratio * BENDING, 0, 0))
        straight = sp.statics(m)
        assert straight.success and straight.stable == stable
        assert ("unstable along Beam 'strip' (v_" in straight.message) != stable


# ------------------------------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (sp.reduction.Axial(), "does nothing"),
        (sp.reduction.Axial(quadratic=True), "holds both ends of the axis"),
        (sp.reduction.VonKarman(), "holds both ends of the axis"),
    ],
    ids=str,
)
def test_bending_alone_is_no_basis_for_membranes(law, words):
    expected = (
        f"Beam 'beam': stiffening is {law!r}, which {words} with these modes, "
        "expected modes that stretch the axis among them"
    )
    for modes, reference in ((2, "clamped"), (sp.reduction.SineShapes(1), "chord")):
        with pytest.warns(sp.SuppleWarning) as caught:
            beam(modes=modes, reference=reference, stiffening=law).modal()
        assert [str(w.message) for w in caught] == [expected]


def test_a_rigid_beam_has_no_membranes():
    assert beam(modes=0, stiffening="axial").modal().membranes is None
    assert beam(modes=2).modal().membranes is None


def test_words_of_frames():
    member = sp.Member("a", "b", STRIP, SOFT)
    places = {"a": (0, 0, 0), "b": (1, 0, 0)}
    frame = sp.FrameStructure("frame", places, [member], stiffening="von_karman")
    assert frame.stiffening == sp.reduction.VonKarman()
    with pytest.raises(sp.ModelError) as caught:
        sp.FrameStructure("frame", places, [member], stiffening="much")
    assert str(caught.value).startswith(
        "FrameStructure 'frame': stiffening is 'much', expected 'none'"
    )
