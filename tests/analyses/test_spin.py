"""Equilibrium in steady rotation: closed forms, both formulations, and what is not steady."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import supple as sp
from supple.cases.beams.rotating import UNIT_MATERIAL, UNIT_SECTION
from supple.cases.case import references
from supple.cases.linkages.governor import linked_governor, stiff_governor
from supple.foundation.errors import ModelError

G = 9.81
FORMULATIONS = [None, sp.Absolute()]


def rotating_pendulum(initial: float = 0.4, offset: float = 0.0, driven: bool = False) -> sp.Model:
    """A point mass on a rod that hangs on a vertical shaft; the angle is that from the vertical."""
    m = sp.Model(gravity=(0, 0, -G), name="rotating pendulum")
    shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=0.1))
    rod = m.add(sp.RigidBody("rod", 2.0, com=(0, 0, -0.5), inertia=1e-12 * np.ones(3)))
    m.add(sp.Revolute("spin", m.ground.at(0), shaft.at(0), axis="z"))
    m.add(sp.Revolute("hinge", shaft.at(offset), rod.at(0), axis="y", initial=initial))
    if driven:
        m.add(sp.Driver("drive", "spin", "6*t"))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("driven", [False, True])
def test_rotating_pendulum(formulation, driven):
    """cos a = g / (w^2 L); the reaction carries weight and centrifugal force; a run stays there."""
    w, L = 6.0, 0.5
    m = rotating_pendulum(driven=driven)
    found = sp.statics(m, spin={"spin": w}, formulation=formulation)
    assert found.success and found.stable, found.message
    angle = found["hinge"].angle[0]
    assert math.cos(angle) == pytest.approx(G / (w**2 * L), rel=1e-9)
    assert found["spin"].angle_rate[0] == pytest.approx(w)
    assert found["hinge"].angle_rate[0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(found.drive["spin"], 0.0, atol=1e-9)
    pull = found["hinge"].reaction[0, 3:]
    side = -2.0 * w**2 * L * abs(math.sin(angle))
    np.testing.assert_allclose(np.abs(pull), [abs(side), 0.0, 2.0 * G], atol=1e-7)
    run = sp.simulate(m, 2.0, start=found, formulation=formulation)
    assert np.ptp(run["hinge"].angle) < 1e-6
    # below the critical rate it hangs down
    slow = sp.statics(m, spin={"spin": 3.0}, formulation=formulation)
    assert slow.stable and slow["hinge"].angle[0] == pytest.approx(0.0, abs=1e-9)


def test_hanging_down_is_unstable_at_speed():
    found = sp.statics(rotating_pendulum(initial=0.0), spin={"spin": 6.0})
    assert found.success and not found.stable and "unstable" in found.message


def rotating_bar(axis: str = "z", **options) -> sp.Model:
    m = sp.Model(gravity=(0, 0, 0), name="bar")
    hub = m.add(sp.RigidBody("hub", 1.0, inertia=0.1))
    steel = sp.Material(E=2e9, G=8e8, density=8000.0)
    bar = m.add(sp.Beam("bar", 2.0, sp.Rectangle(0.1, 0.1), steel, **options))
    m.add(sp.Revolute("spin", m.ground.at(0), hub.at(0), axis=axis))
    m.add(sp.Fixed("root", hub.at(0.5), bar.at(0)))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_extension_of_a_rotating_bar(formulation):
    """E u'' + rho w^2 (r + x + u) = 0: u is a sum of sine, cosine and -(r + x).

    Linear elements with nodal coordinates: the error of the tip falls with the square of the size.
    """
    w, r, L, rho, E = 20.0, 0.5, 2.0, 8000.0, 2e9
    k = w * math.sqrt(rho / E)
    b = (1.0 + k * r * math.sin(k * L)) / (k * math.cos(k * L))  # u(0) = 0, u'(L) = 0
    tip = r * math.cos(k * L) + b * math.sin(k * L) - (r + L)
    errors = []
    for elements in (4, 8):
        m = rotating_bar(elements=elements)
        found = sp.statics(m, spin={"spin": w}, formulation=formulation)
        assert found.success, found.message
        reach = float(np.linalg.norm(found["bar"].at(L).position[0]))
        errors.append((reach - (r + L)) / tip - 1.0)
    assert abs(errors[1]) < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2) or abs(errors[1]) < 1e-8


def blade(stiffening: str | None, w: float) -> sp.results.StaticResult:
    """A blade that a small weight along the axis bends."""
    m = sp.Model(gravity=(0, 0, -G), name="blade")
    hub = m.add(sp.RigidBody("hub", 1.0, inertia=0.1))
    alloy = sp.Material(E=7e10, G=2.7e10, density=2700.0)
    beam = sp.Beam(
        "blade", 4.0, sp.Rectangle(0.05, 0.02), alloy, elements=8, modes=6, stiffening=stiffening
    )
    m.add(beam)
    m.add(sp.Revolute("spin", m.ground.at(0), hub.at(0), axis="z"))
    m.add(sp.Fixed("root", hub.at(0), beam.at(0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sp.statics(m, spin={"spin": w})


def stiffened_droop(w: float) -> float:
    """Tip of (EI v'')'' - (N v')' = -m g, N the centrifugal force, by Ritz's method.

    Ten polynomials, whose integrals are exact: the droop is known to many digits.
    """
    L, E, I, m = 4.0, 7e10, 0.05 * 0.02**3 / 12.0, 2700.0 * 0.05 * 0.02
    x, weight = np.polynomial.legendre.leggauss(60)
    x, weight = 0.5 * L * (x + 1.0), 0.5 * L * weight
    k = np.arange(2, 12)
    shape = (x[:, None] / L) ** k
    first = k * (x[:, None] / L) ** (k - 1) / L
    second = k * (k - 1) * (x[:, None] / L) ** (k - 2) / L**2
    N = 0.5 * m * w**2 * (L**2 - x**2)
    K = second.T @ (weight[:, None] * E * I * second) + first.T @ ((weight * N)[:, None] * first)
    load = -m * G * (shape.T @ weight)
    return float(np.linalg.solve(K, load).sum())


def test_blade_with_displacements_of_second_order():
    """Centrifugal force stiffens a drooping blade; without second order it does not."""
    w = 10.0
    droop = stiffened_droop(w)
    stiff = blade("second_order", w)
    assert stiff.success and stiff.stable, stiff.message
    tip = stiff["blade"].at(4.0).position[0, 2]
    still = stiffened_droop(1e-6)
    assert droop / still < 0.5  # it matters
    # displacements of second order: slopes of some hundredths, errors of their squares
    assert tip == pytest.approx(droop, rel=0.01)
    plain = blade(None, w)["blade"].at(4.0).position[0, 2]
    assert abs(plain) > 1.5 * abs(droop)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("make", [linked_governor, stiff_governor])
def test_flyball_governor(make, formulation):
    """In balance at w the virtual work of weight and centrifugal forces vanishes.

    The links of 0.5 m are rigid, or so stiff that they hardly stretch.
    """
    m = make()
    rate = 8.0
    found = sp.statics(m, spin={"spin": rate}, formulation=formulation)
    assert found.success, found.message
    run = sp.simulate(m, 0.5, start=found, formulation=formulation, tolerance="tight")
    assert np.ptp(run["hinge1"].angle) < 1e-6 and np.ptp(run["slide"].displacement) < 1e-6
    assert found["hinge1"].angle[0] == pytest.approx(found["hinge2"].angle[0], abs=1e-7)
    if make is linked_governor:
        # potential V(a) - w^2 I(a) / 2 is stationary along the mechanism's own freedom
        angle = found["hinge1"].angle[0]
        a = np.linspace(angle - 1e-4, angle + 1e-4, 3)
        values = [amended(x, rate) for x in a]
        slope = (values[2] - values[0]) / 2e-4
        assert abs(slope) < 1e-5 * abs(values[1])


def amended(a: float, w: float) -> float:
    """Potential of the linked governor at the angle a below the horizontal, less w^2 I / 2."""
    rho, s = 3000.0, 0.01**2
    rod, link, slider, ball = rho * s * 1.0, rho * s * 0.5, rho * 0.1**3, 5.0
    c, h = math.cos(a), 1.0  # hinges at x = 0.05, height 1
    potential = 0.0
    inertia = 0.0
    # rod from the hinge outwards and down; uniform, and the ball at its end
    potential += 2 * G * (rod * (h - 0.5 * math.sin(a)) + ball * (h - math.sin(a)))
    inertia += 2 * (rod * (0.05**2 + 0.05 * c + c * c / 3.0) + ball * (0.05 + c) ** 2)
    # link from the middle of the rod inwards and down as steeply, to x = 0.05
    potential += 2 * G * link * (h - 0.5 * math.sin(a) - 0.25 * math.sin(a))
    inertia += 2 * link * (0.05**2 + 0.05 * 0.5 * c + (0.5 * c) ** 2 / 3.0)
    potential += G * slider * (h - math.sin(a))
    # thickness of rods and links across: constant about the axis up to s^2 terms that turn with a
    inertia += 2 * (rod + link) * 0.01**2 / 12.0 * (1.0 + math.sin(a) ** 2)
    return potential - 0.5 * w**2 * inertia


def test_sleeve_on_the_ground_turns_along():
    """A second joint to the ground on the same axis follows; both formulations agree."""
    m = rotating_pendulum(initial=0.9, offset=0.1)
    collar = m.add(sp.RigidBody("collar", 0.3, inertia=0.01))
    m.add(sp.Cylindrical("guide", m.ground.at(0), collar.at(0), axis="z", initial=(-0.9, 0.0)))
    m.add(sp.Distance("tie", collar.at(-0.1), m.bodies["rod"].at(0, 0, -0.5), 0.6))
    angles = []
    for formulation in FORMULATIONS:
        found = sp.statics(m, spin={"spin": 6.0, ("guide", "angle"): 6.0}, formulation=formulation)
        assert found.success, found.message
        angles.append(found["hinge"].angle[0])
        assert found["guide"].angle_rate[0] == pytest.approx(6.0)
    assert angles[0] == pytest.approx(angles[1], abs=1e-8)


def test_friction_in_the_bearing_asks_for_a_drive():
    m = rotating_pendulum()
    m.add(sp.JointSpring("bearing", "spin", stiffness=0.0, damping=0.3))
    found = sp.statics(m, spin={"spin": 6.0})
    assert found.success and found.drive["spin"][0] == pytest.approx(1.8, rel=1e-9)


def test_what_is_not_steady():
    m = rotating_pendulum()
    tilted = sp.Model(gravity=(0, -G, 0), name="tilted")
    shaft = tilted.add(sp.RigidBody("shaft", 1.0, inertia=0.1))
    rod = tilted.add(sp.RigidBody("rod", 2.0, com=(0, 0, -0.5), inertia=0.01))
    tilted.add(sp.Revolute("spin", tilted.ground.at(0), shaft.at(0), axis="z"))
    tilted.add(sp.Revolute("hinge", shaft.at(0), rod.at(0), axis="y", initial=0.4))
    tilted.add(sp.JointSpring("coil", "hinge", stiffness=50.0))
    with pytest.warns(sp.SuppleWarning, match="loads change while the model turns"):
        assert not sp.statics(tilted, spin={"spin": 2.0}).success
    from supple.cases.linkages.four_bar import four_bar

    with pytest.warns(sp.SuppleWarning, match="does not stand still|loads change|no equilibrium"):
        bar = four_bar()
        first = next(iter(bar.joints))
        assert not sp.statics(bar, spin={first: 2.0}).success
    with pytest.raises(ModelError, match=r"statics: spin is 3.0, expected rates by joint"):
        sp.statics(m, spin=3.0)
    with pytest.raises(ModelError, match=r"statics: spin is 'spun', expected the name of a joint"):
        sp.statics(m, spin={"spun": 3.0})
    with pytest.raises(ModelError, match=r"statics: spin\['spin'\] is None, expected a finite"):
        sp.statics(m, spin={"spin": None})


def test_frequencies_of_a_rotating_blade():
    """Linearized about its steady rotation, a driven blade has the exact frequencies of the case.

    Ten modes of the resting blade in each plane come within 0.1 %, see
    `supple.cases.beams.rotating`.
    """
    speed = 8
    known = references("rotating")["rotating-beam"]["flap"][str(speed)][0]
    m = sp.Model(gravity=(0, 0, 0), name="blade")
    beam = m.add(
        sp.Beam(
            "beam", 1.0, UNIT_SECTION, UNIT_MATERIAL, elements=24, modes=20,
            rotary_inertia=False, stiffening="second_order",
        )
    )  # fmt: skip
    m.add(sp.Revolute("hub", m.ground.at(0), beam.at(0), "z"))
    m.add(sp.Driver("drive", "hub", f"{speed}*t"))
    steady = sp.statics(m, spin={"hub": speed})
    assert steady.success and steady.stable, steady.message
    lowest = 2.0 * np.pi * np.sort(sp.linearize(m, steady).frequencies)[:2]
    inside = math.sqrt(known**2 - speed**2)
    np.testing.assert_allclose(lowest, [inside, known], rtol=1e-3)


@pytest.mark.parametrize("number", range(4))
def test_random_models_turn(number):
    """Bodies on springs, joints in both directions: formulations agree, and a run stays there."""
    rng = np.random.default_rng([number, 5])
    m = sp.Model(gravity=(0, 0, -G), name="random")
    before = m.add(sp.RigidBody("hub", 2.0, com=rng.normal(size=3) * 0.1, inertia=0.2))
    ends = [m.ground.at(0), before.at(*(0.1 * rng.normal(size=3)))]
    m.add(sp.Revolute("spin", *(ends[::-1] if number % 2 else ends), axis="z"))
    for k in range(3):
        body = m.add(sp.RigidBody(f"b{k}", 0.5, com=rng.normal(size=3) * 0.15, inertia=0.02))
        ends = [
            part.at(*(0.2 * rng.normal(size=3)), rotation=rng.normal(size=3))
            for part in (before, body)
        ]
        ends = ends[::-1] if rng.random() < 0.5 else ends
        joint = sp.Universal(f"j{k}", *ends) if k == 2 else sp.Revolute(f"j{k}", *ends, axis="y")
        m.add(joint)
        for c in range(joint.nu):
            m.add(sp.JointSpring(f"s{k}{c}", joint, stiffness=30.0, coordinate=c))
        before = body
    found = [sp.statics(m, spin={"spin": 5.0}, formulation=f) for f in FORMULATIONS]
    assert all(x.success and x.stable for x in found)
    run = sp.simulate(m, 0.5, start=found[0])
    for k in range(3):
        a, b = (x[f"j{k}"].coordinates[0] for x in found)
        np.testing.assert_allclose(a, b, atol=1e-9)
        assert np.max(np.ptp(run[f"j{k}"].coordinates, axis=0)) < 1e-6
