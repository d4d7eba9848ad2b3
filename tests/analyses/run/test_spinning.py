"""Radau on fast spinning bodies: stiff bearings, couplings that turn, many turns."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

SPIN = 314.0  # rad/s
SIX = [("translate", axis) for axis in "xyz"] + [("rotate", axis) for axis in "xyz"]


def rotor(joint: str, stiffness: float = 2e8, damping: float = 2e6) -> sp.Model:
    """An unbalanced rotor in two stiff damped bearings, with gravity across."""
    model = sp.Model(gravity=(0.0, -9.81, 0.0))
    body = model.add(sp.RigidBody("rotor", 78.0, inertia=(1.7, 1.7, 1.0), com=(1e-4, 0.0, 0.0)))
    if joint == "Free":
        start = {"initial": (1e-5, 0.0, 0.0), "initial_rate": (0.0, 0.0, SPIN, 0.0, 0.0, 0.0)}
        model.add(sp.Free("spin", model.ground.at(0), body.at(0), **start))
    else:
        start = {"initial": (1e-5, 0, 0, 0, 0, 0), "initial_rate": (0, 0, 0, 0, 0, SPIN)}
        model.add(sp.General("spin", model.ground.at(0), body.at(0), SIX, **start))
    for name, z in (("left", -0.2), ("right", 0.3)):
        ends = model.ground.at(0, 0, z), body.at(0, 0, z)
        forces = {"stiffness": (stiffness,) * 3 + (0,) * 3, "damping": (damping,) * 3 + (0,) * 3}
        model.add(sp.Bushing(name, *ends, **forces))
    return model


def shaft(discs: int = 3) -> sp.Model:
    """Free discs that spin together, coupled by stiff bushings that turn with them."""
    model = sp.Model(gravity=(0.0, -9.81, 0.0))
    last = None
    for k in range(discs):
        centre = (1e-4 if k == 1 else 0.0, 0.0, 0.0)
        disc = model.add(sp.RigidBody(f"disc{k}", 10.0, inertia=(0.1, 0.1, 0.2), com=centre))
        place = model.ground.at(0, 0, 0.1 * k)
        model.add(sp.Free(f"free{k}", place, disc.at(0), initial_rate=(0, 0, SPIN, 0, 0, 0)))
        if last is not None:
            stiffness, damping = (1e8, 2e8, 1e8, 1e6, 1e6, 1e6), (1e5,) * 3 + (1e3,) * 3
            ends = last.at(0, 0, 0.05), disc.at(0, 0, -0.05)
            model.add(sp.Bushing(f"shaft{k}", *ends, stiffness=stiffness, damping=damping))
        if k in (0, discs - 1):
            bearing = {"stiffness": (1e8, 2e8, 1e8, 0, 0, 0), "damping": (1e5,) * 3 + (0,) * 3}
            model.add(sp.Bushing(f"bearing{k}", place, disc.at(0), **bearing))
        last = disc
    return model


def carousel() -> sp.Model:
    """A rod on a ball joint and a stiff rotational bushing, on a carrier that spins."""
    model = sp.Model()
    carrier = model.add(sp.RigidBody("carrier", 5.0, inertia=(0.1, 0.1, 0.2)))
    rod = model.add(sp.RigidBody("rod", 1.0, inertia=(0.02, 0.021, 0.004), com=(0, 0, 0.05)))
    model.add(sp.Revolute("axle", model.ground.at(0), carrier.at(0), initial_rate=300.0))
    seat = carrier.at(0.1, 0, 0)
    model.add(sp.Spherical("hinge", seat, rod.at(0)))
    stiff = {"stiffness": (0, 0, 0, 1e6, 2e6, 1e6), "damping": (0, 0, 0, 1e3, 1e3, 1e3)}
    model.add(sp.Bushing("mount", seat, rod.at(0), **stiff))
    return model


@pytest.mark.parametrize(("stiffness", "damping"), [(2e8, 2e6), (2e10, 2e7), (1e7, 1e3)])
def test_a_free_rotor_costs_what_six_axes_cost(stiffness, damping) -> None:
    """A vibration of frequency w has w + SPIN in turning axes: so many more steps, no failures."""
    runs = [sp.simulate(rotor(joint, stiffness, damping), 0.02) for joint in ("Free", "General")]
    free, fixed = (run.statistics for run in runs)
    faster = 1.0 + SPIN / np.sqrt(2 * stiffness / 78.0)
    assert free["steps"] < 1.1 * faster * fixed["steps"]
    assert free["newton_failures"] < 0.02 * free["steps"]
    # both keep the tolerance of 1e-7 m, scaled by their bodies of some 0.3 m
    gap = runs[0]["rotor"].position - runs[1]["rotor"].position
    assert np.abs(gap).max() < 1e-7


@pytest.mark.parametrize("build", [shaft, carousel])
@pytest.mark.parametrize("formulation", [sp.JointCoordinates(), sp.Absolute()], ids=str)
@pytest.mark.parametrize("tolerance", ["default", "tight"])
def test_spinning_couplings_hardly_fail(build, formulation, tolerance) -> None:
    """At the tight tolerance corrections of slow relative motion end in rounding of the fast."""
    counts = sp.simulate(build(), 0.005, tolerance=tolerance, formulation=formulation).statistics
    assert counts["newton_failures"] < 0.05 * counts["steps"]
    assert counts["newton_iterations"] < 4 * counts["steps"]


def test_a_step_does_not_reach_a_whole_turn() -> None:
    """Rotation about a principal axis has no error that would limit steps: the chart does."""
    model = sp.Model(gravity=(0.0, 0.0, 0.0))
    body = model.add(sp.RigidBody("body", 1.0, inertia=(1.0, 1.5, 2.0)))
    spin = (0, 0, SPIN, 0, 0, 0)
    model.add(sp.Free("free", model.ground.at(0), body.at(0), initial_rate=spin))
    result = sp.simulate(model, 1.0)
    counts = result.statistics
    assert SPIN / np.pi < counts["steps"] < 1.2 * SPIN / 3.0
    assert counts["rejected"] == counts["newton_failures"] == 0
    c, s = np.cos(SPIN), np.sin(SPIN)
    # the increments of 100 steps of 3 rad are exact, but for rounding
    turned = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    np.testing.assert_allclose(result["body"].matrix[-1], turned, atol=1e-11)


@pytest.mark.parametrize(
    ("inertia", "steps", "failures"),
    # of the last one rounding is a twentieth of the weights: some steps are repeated for it
    [(1e-4, 100, 0.0), (1e-6, 100, 0.0), (1e-8, 1000, 0.5)],
)
def test_little_inertia_about_an_axis(inertia, steps, failures) -> None:
    """A bob on a ball joint: its spin moves nearly no mass, and feels the rounding of others."""
    model = sp.Model(gravity=(0.0, 0.0, -9.81))
    bob = model.add(sp.RigidBody("bob", 1.0, com=(0, 0, -1), inertia=inertia))
    start = {"initial": (0.0, -np.pi / 3, 0.0), "initial_rate": (1.732, 0.0, 0.0)}
    model.add(sp.Spherical("pivot", model.ground.at(0), bob.at(0), **start))
    runs = [sp.simulate(model, 1.0, integrator=m) for m in (sp.Radau(), sp.DormandPrince())]
    counts = runs[0].statistics
    assert counts["steps"] < steps
    assert counts["newton_failures"] <= failures * counts["steps"]
    tips = [run["bob"].at(0, 0, -1).position for run in runs]
    np.testing.assert_allclose(tips[0], tips[1], atol=1e-5)
