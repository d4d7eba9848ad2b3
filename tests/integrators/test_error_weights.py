"""Weights of the error test: a motion is computed alike, however small and wherever it is."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

STIFFNESS, MASS = 100.0, 1.0
OMEGA = 10.0
METHODS = {
    "Radau": sp.Radau(),
    "DormandPrince": sp.DormandPrince(),
    "GeneralizedAlpha": sp.GeneralizedAlpha(),
    "BDF": sp.BDF(),
}
RTOL = {"loose": 1e-4, "default": 1e-7, "tight": 1e-10}
# Largest errors of a large vibration, relative to its amplitude, in units of rtol: of 1.6 periods,
# hundreds of steps, each of which may err by rtol, and of order 2 thousands
ALLOWED = {"Radau": 0.1, "DormandPrince": 2.0, "GeneralizedAlpha": 500.0, "BDF": 200.0}


def block(amplitude: float, joint="Prismatic", far: float = 0.0, unit: float = 1.0) -> sp.Model:
    """A block on a spring; ``far`` from the origin, lengths in metres times ``unit``."""
    model = sp.Model(gravity=(0.0, 0.0, 0.0))
    inertia = 0.1 * unit**2
    body = model.add(sp.RigidBody("block", MASS, inertia=(inertia, inertia, inertia)))
    ends = model.ground.at(0), body.at(0)
    if joint == "Prismatic":
        start = {"initial": unit * (far + amplitude)}
        model.add(sp.Prismatic("guide", *ends, axis=(1, 0, 0), **start))
    else:
        model.add(sp.Free("guide", *ends, initial=(unit * (far + amplitude), 0.0, 0.0)))
    hook = model.ground.at(unit * (far - 1.0), 0.0, 0.0)
    model.add(sp.SpringDamper("spring", hook, body.at(0), stiffness=STIFFNESS, length=unit))
    return model


def relative_error(result: sp.results.Result, amplitude: float, far: float = 0.0) -> float:
    """Of place and velocity at the end of the run, which is the end of a step."""
    angle, moved = OMEGA * result.t[-1], result["block"]
    place = moved.position[-1, 0] - far - amplitude * np.cos(angle)
    rate = moved.velocity[-1, 0] + amplitude * OMEGA * np.sin(angle)
    return float(np.hypot(place, rate / OMEGA)) / amplitude


@pytest.mark.parametrize("joint", ["Prismatic", "Free"])
@pytest.mark.parametrize(
    ("method", "tolerance"),
    # order 2 would take a hundred thousand steps at the tight tolerance
    [(m, t) for m in METHODS for t in RTOL if (m, t) != ("GeneralizedAlpha", "tight")],
)
def test_a_small_vibration_has_small_errors(method, tolerance, joint) -> None:
    """Relative to the size of the block, four times the large motion, or to ten small ones."""
    run = {"tolerance": tolerance, "integrator": METHODS[method]}
    errors = []
    for amplitude in (0.1, 1e-5):
        result = sp.simulate(block(amplitude, joint), 1.0, **run)
        assert result.success
        errors.append(relative_error(result, amplitude))
    large, small = errors
    assert large < ALLOWED[method] * RTOL[tolerance]
    # a step of a small motion may err by ten rtol of it; two such steps may stand out, the first
    # ones; rounding of the spring's length of 1 m is eleven digits below the small motion
    assert small < 10.0 * large + 20.0 * RTOL[tolerance] + 1e-11


@pytest.mark.parametrize("method", ["Radau", "DormandPrince", "BDF"])
def test_steps_do_not_depend_on_amplitude_place_or_unit(method) -> None:
    """A linear model: steps differ by the reserve of ten between motion and unit, at order 4."""
    counts = []
    for amplitude, far, unit in ((0.1, 0, 1), (1e-4, 0, 1), (1e-4, 100, 1), (1e-4, 0, 1e3)):
        model = block(amplitude, "Prismatic", far, unit)
        counts.append(sp.simulate(model, 1.0, integrator=METHODS[method]).statistics["steps"])
    assert max(counts) < 1.35 * min(counts)


@pytest.mark.parametrize("joint", ["Prismatic", "Free"])
@pytest.mark.parametrize("method", ["Radau", "DormandPrince", "BDF"])
def test_far_from_the_origin_what_is_possible_is_kept(method, joint) -> None:
    """At 1e6 m places are rounded to 1.2e-10 m: the run goes on, and says so."""
    far, run = 1e6, {"tolerance": "tight", "integrator": METHODS[method]}
    with pytest.warns(sp.SuppleWarning, match="asks for 3.9e-11 m .* rounding allows 3.5e-09 m"):
        result = sp.simulate(block(0.1, joint, far), 1.0, **run)
    assert result.success
    near = sp.simulate(block(0.1, joint), 1.0, **run)
    assert result.statistics["steps"] < 2 * near.statistics["steps"]
    assert relative_error(result, 0.1, far) < 1e-6  # some hundred roundings of places, 1e-8 m
    quiet = sp.simulate(block(0.1, joint, far), 1.0, integrator=METHODS[method])  # 3e-8 m is asked
    assert quiet.success


@pytest.mark.parametrize("method", METHODS)
def test_rest_takes_no_effort(method) -> None:
    """At rest, and where only rounding moves."""
    for amplitude in (0.0, 1e-16):
        result = sp.simulate(block(amplitude), 10.0, integrator=METHODS[method])
        assert result.statistics["steps"] < 100


def struck(load: float = 200.0) -> sp.Model:
    """A short steel beam with a weight at its end, on which forces act at once."""
    steel = sp.Material(E=2.1e11, G=8e10, density=7800.0)
    model = sp.Model()
    beam = model.add(sp.ANCFBeam("beam", 0.3, sp.Rectangle(0.01, 0.01), steel, elements=2))
    model.add(sp.Fixed("clamp", model.ground.at(0), beam.at(0)))
    weight = model.add(sp.RigidBody("weight", 0.2, inertia=(1e-4, 1e-4, 1e-4)))
    model.add(sp.Fixed("weld", beam.at(0.3), weight.at(0)))
    model.add(sp.Force("push", weight.at(0), (load, load, load / 4)))
    return model


@pytest.mark.parametrize("method", ["Radau", "GeneralizedAlpha"])
def test_places_of_nodal_vectors_follow_the_tolerance(method) -> None:
    """One period of bending, 20 ms, in which sections breathe ten thousand times.

    Who followed that would need more than a hundred thousand steps. Errors of places add up over
    the steps of a period; ten are allowed.
    """
    tolerance = 1e-4
    exact = sp.simulate(struck(), 0.02, tolerance=1e-6, output=20)
    result = sp.simulate(struck(), 0.02, tolerance=tolerance, output=20, integrator=METHODS[method])
    assert result.success and result.statistics["steps"] < 1000
    one, other = (r["beam"].at(0.3).position for r in (exact, result))
    assert np.abs(one - other).max() < 10 * tolerance * 0.3
