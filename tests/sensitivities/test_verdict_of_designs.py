"""Derivatives, optima and fits carry the verdict of the run that they stand on."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp


def links(n: int, start: float) -> sp.Model:
    """Rods of 0.4 m that hang from each other."""
    m = sp.Model(gravity=(0, 0, -9.81))
    place = m.ground.at(0)
    for k in range(n):
        rod = m.add(sp.RigidBody(f"rod{k}", 0.5, com=(0, 0, -0.2), inertia=7e-3))
        m.add(sp.Revolute(f"pin{k}", place, rod.at(0), "y", initial=start))
        place = rod.at(0, 0, -0.4)
    return m


def clamped(coulomb: float = 2.0, transition: float = 1e-2) -> sp.Model:
    """A block of 1 kg under 1.8 N, which dry friction of 2 N holds, and its rounded law does not.

    By artanh(0.9) of its transition it creeps.
    """
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 1.0, inertia=1.0))
    m.add(sp.Prismatic("rail", m.ground.at(0), body.at(0), "x"))
    m.add(sp.JointFriction("dry", "rail", coulomb=coulomb, transition=transition))
    m.add(sp.JointEffort("push", "rail", effort=1.8))
    return m


def test_derivatives_of_a_good_run_are_trusted() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sp.sensitivity(
            links(1, 0.5), ["rod0.mass"], outputs="pin0.angle @ end", t_end=2.0, times=50
        )
    assert found.trusted and found.verdict.startswith("trusted")
    assert f"the run: {found.verdict}" in str(found)
    assert "2a9d62" in found._repr_html_()  # green


def test_derivatives_of_chaos_are_not_trusted() -> None:
    """At a loose tolerance errors of three links have grown to the motion itself in 12 s."""
    with pytest.warns(sp.SuppleWarning, match=r"sensitivity: the run is not trusted: errors grow"):
        found = sp.sensitivity(
            links(3, 2.0),
            ["rod0.mass"],
            outputs="pin0.angle @ end",
            t_end=12.0,
            times=120,
            tolerance="loose",
        )
    assert not found.trusted and "errors grow tenfold" in str(found)
    assert found.result.motion.findings[0].what == "growth"


def test_an_optimum_of_a_run_that_creeps_is_told() -> None:
    """The way that friction lets the block creep is no property of friction."""
    with pytest.warns(sp.SuppleWarning, match=r"optimize: the run is not trusted: JointFriction"):
        found = sp.optimize(
            clamped(),
            {"body.mass": (1.0, 0.5, 2.0)},
            minimize="rail.displacement @ end",
            t_end=60.0,
            times=60,
            most=2,
        )
    assert not found.trusted and "run" in str(found) and found.verdict in str(found)
    way = 60.0 * 1e-2 * np.arctanh(0.9)
    assert found.result.motion.findings[0].what == "creep"
    assert found.objective == pytest.approx(way, rel=0.02)


def test_an_optimum_of_a_good_run_is_trusted() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sp.optimize(
            links(1, 0.5),
            {"pin0.initial": (0.5, 0.1, 1.0)},
            minimize="pin0.angle @ rms",
            t_end=1.0,
            times=20,
            most=3,
        )
    assert found.trusted and f"run          {found.verdict}" in str(found)


def test_a_fit_tells_the_verdict_of_its_run() -> None:
    truth = sp.simulate(links(1, 0.5), 1.0, output=40)
    record = {"pin0.angle": (truth.t, truth["pin0"].angle)}
    found = sp.fit(links(1, 0.6), {"pin0.initial": (0.6, 0.3, 0.9)}, record)
    assert found.values["pin0.initial"] == pytest.approx(0.5, abs=1e-6)
    assert found.trusted and found.verdict in str(found)
