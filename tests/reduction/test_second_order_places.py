"""Places of second-order bodies that are only looked at: in results and by events."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.second_order_bodies import BEAMS, l_frame
from supple.fem.solids.solid import block

STRIP = {
    "section": sp.Section(1.0, 1e-4, 1e-8, 1e-4),
    "material": sp.Material(E=1e8, G=1e8, density=1.0),
}


def clamped(mark: bool, **options) -> sp.Model:
    """A clamped strip under its weight, with or without something attached to its tip."""
    model = sp.Model(gravity=(0, -0.8, 0))
    given = {"elements": 10, "modes": 6, "stiffening": "second_order", "rotary_inertia": False}
    body = model.add(sp.Beam("strip", 1.0, **STRIP, **(given | options)))
    model.add(sp.Fixed("root", model.ground.at(0), body.at(0)))
    if mark:
        model.add(sp.Force("nothing", body.at(1.0), (0, 0, 0)))
    return model


@pytest.mark.parametrize(
    "options", [{}, {"stiffening": sp.reduction.SecondOrder(twist=True), "rotary_inertia": True}]
)
def test_a_free_tip_shortens_wholly(options):
    """4/7 of its deflection squared over its length, for the elastic line under its weight.

    Bound: three modes in the plane; the shortening goes with the fourth power of the deflection
    that is left out in the fourth.
    """
    tips = []
    for mark in (False, True):
        deflection = sp.statics(clamped(mark, **options))["strip"].at(1.0).deflection[0]
        tips.append(-deflection[0] / deflection[1] ** 2)
    np.testing.assert_allclose(tips, 4.0 / 7.0, rtol=1e-3)
    assert tips[0] == pytest.approx(tips[1], rel=1e-5)


@pytest.mark.parametrize("kind", [*BEAMS, "frame", "solid"])
def test_looking_is_as_good_as_attaching(kind):
    """Motion of a place, in all six directions and with its rates, with and without an attachment.

    Bound: with an attachment combinations of loads with less than 1e-8 of the work are dropped,
    1e-4 of the displacement.
    """
    if kind == "solid":
        mesh = block((1.0, 0.1, 0.05), (4, 1, 1), "hex20", sp.Material(1e7, 4e6, 1e3))
        x = mesh.nodes[:, 0]
        ends = [
            sp.fem.Interface("root", (0, 0.05, 0.025), np.flatnonzero(x == 0.0)),
            sp.fem.Interface("tip", (1, 0.05, 0.025), np.flatnonzero(x == 1.0), "average"),
        ]
        body = sp.MeshBody("solid", mesh, ends, modes=6, stiffening="second_order")
        frame = body.at("tip")
    elif kind == "frame":
        body = l_frame()
        frame = body.at("c")
    else:
        body = BEAMS[kind]
        frame = body.at(0.83)
    looked_at = body.shown(frame, ())
    joined = body.attachment(frame, ((body.station(frame), 0.0),))
    rng = np.random.default_rng(3)
    q, u, a = rng.normal(size=(3, looked_at.Phi.shape[1]))
    linear = np.vstack([looked_at.Phi, looked_at.Psi]) @ q
    assert np.abs(joined.motion(q, u, a)[0] - linear).max() > 0.0
    for found, expected in zip(looked_at.motion(q, u, a), joined.motion(q, u, a), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())


def test_velocity_and_acceleration_are_derivatives_of_what_is_shown():
    """Central differences of position and velocity over the output of a run."""
    model = sp.Model(gravity=(0, -9.81, 0))
    body = model.add(BEAMS["clamped"])
    model.add(sp.Revolute("hub", model.ground.at(0), body.at(0), "z", initial_rate=8.0))
    result = sp.simulate(model, 0.02, output=400, tolerance=1e-11)
    tip, h = result["beam"].at(1.0), result.t[1] - result.t[0]
    carried = result["beam"].carried(1.0)
    assert np.abs(tip.deflection - carried.deflection).max() > 1e-7
    for values, rates in ((tip.position, tip.velocity), (tip.velocity, tip.acceleration)):
        difference = (values[2:] - values[:-2]) / (2.0 * h)
        change = np.abs(np.diff(rates, 2, axis=0)).max()  # the error of differences is a sixth
        np.testing.assert_allclose(difference, rates[1:-1], atol=change + 1e-6)


@pytest.mark.parametrize("kind", ["clamped", "twist", "frame"])
def test_an_event_sees_what_is_shown_and_changes_nothing(kind):
    """A place that only an event looks at is where results show it; the motion is the same.

    Bound: roots of events are found to 1e-12 of the step, the tolerance of the run is 1e-10.
    """
    body = l_frame() if kind == "frame" else BEAMS[kind]
    tip = body.at("c") if kind == "frame" else body.at(0.83)
    model = sp.Model(gravity=(0, -9.81, 0))
    model.add(body)
    model.add(sp.Revolute("hub", model.ground.at(0), body.at(0.0), "z", initial_rate=-3.0))
    free = sp.simulate(model, 0.05, output=11, tolerance=1e-10)
    place = free["beam"].at(*tip.position)
    linear = free["beam"].coordinates @ body.attachment(tip).Phi.T
    assert np.abs(place.deflection - linear).max() > 1e-5
    middle = float(place.position[5, 1])
    watch = sp.Event("level", tip, "y", value=middle, terminal=False)
    watched = sp.simulate(model, 0.05, output=11, tolerance=1e-10, events=[watch])
    # to rounding: one frame more moves the point of reference
    np.testing.assert_allclose(watched.q, free.q, rtol=0, atol=1e-12)
    times = [e.t for e in watched.events]
    assert len(times) == 1
    assert times[0] == pytest.approx(free.t[5], abs=1e-9)
