"""Literature cases: the references against a second Lagrangian, and the engine against them."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import supple as sp
from supple import cases
from supple.cases import Case, Quantity, huang
from supple.cases.case import references

AXES = {"x": np.eye(3)[0], "y": np.eye(3)[1], "z": np.eye(3)[2]}


def turn(axis, angle):
    """Rodrigues' formula; works for complex angles."""
    k = AXES[axis]
    skew = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


def about_com(mass, com, about_origin):
    c = np.array(com)
    return mass, c, np.diag(about_origin) - mass * (c @ c * np.eye(3) - np.outer(c, c))


def tip(mass, x):
    return mass, np.array([x, 0.0, 0.0]), np.zeros((3, 3))


def slices(n=400):
    """The beam of chapter 3 cut into slices, each with its section's inertia: no closed form."""
    rho, area, second, length = 2770.0, 7.104e-5, 1.4891168e-9, 1.02
    dx = length / n
    own = rho * area * dx * dx**2 / 12 * np.array([0, 1, 1])
    section = rho * second * dx * np.array([2, 1, 1])
    for k in range(n):
        yield rho * area * dx, np.array([(k + 0.5) * dx, 0, 0]), np.diag(own + section)


def gathered(parts):
    """Mass, first moment and inertia about the origin of parts (mass, com, inertia about com)."""
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for m, c, J in parts:
        mass, first = mass + m, first + m * c
        second = second + J + m * (c @ c * np.eye(3) - np.outer(c, c))
    return mass, first, second


TABLE_5_1 = (
    [about_com(1.76, (0.1, 0, 0), (3.92e-4, 0.0236, 0.0236))],
    [about_com(0.49, (0.1, 0, 0), (2.45e-5, 0.0065, 0.0065)), tip(0.5, 0.2)],
)
CHAPTER_3 = (
    [about_com(2.067, (0, 0, -0.1155), (0.04022, 0.08884, 3.752e-4))],
    [*slices(), tip(0.5, 1.02)],
)
READINGS = {  # axes, parts of both links, place of joint 2 on link 1, gravity
    "huang-rigid": ("yz", CHAPTER_3, (0, 0, -0.231), (0, -9.81, 0), huang.RIGID),
    "huang-two-rigid-zz": ("zz", TABLE_5_1, (0.2, 0, 0), (9.81, 0, 0), huang.PARALLEL),
    "huang-two-rigid-zy": ("zy", TABLE_5_1, (0.2, 0, 0), (9.81, 0, 0), huang.CROSSED),
}


def lagrangian(axes, links, place, gravity):
    """Return M(q) and V(q) of a two-link arm, from the angular Jacobians of its links."""
    (_, f1, J1), (m2, f2, J2) = (gathered(parts) for parts in links)
    place, g = np.array(place), np.array(gravity)

    def terms(q):
        R1 = turn(axes[0], q[0])
        R2 = R1 @ turn(axes[1], q[1])
        w1, w2 = AXES[axes[0]], R1 @ AXES[axes[1]]
        o2 = R1 @ place
        W1, W2 = np.array([w1, 0 * w1]).T, np.array([w1, w2]).T
        U2 = np.array([np.cross(w1, o2), 0 * o2]).T  # velocity of the origin of link 2
        s2 = R2 @ f2
        S2 = np.array([np.cross(w, s2) for w in W2.T]).T
        M = W1.T @ (R1 @ J1 @ R1.T) @ W1 + W2.T @ (R2 @ J2 @ R2.T) @ W2
        M = M + m2 * U2.T @ U2 + U2.T @ S2 + S2.T @ U2
        return M, -(g @ (R1 @ f1) + g @ (m2 * o2 + s2))

    return terms


@pytest.mark.parametrize("name", READINGS)
def test_reference_against_a_second_lagrangian(name):
    """Derivatives by complex step, DOP853 of SciPy: nothing in common with Supple."""
    from scipy.integrate import solve_ivp

    *arm, reference = READINGS[name]
    terms = lagrangian(*arm)

    def rhs(t, y):
        q, u = y[:2], y[2:]
        steps = [terms(q + 1e-30j * e) for e in np.eye(2)]
        dM = [M.imag / 1e-30 for M, _ in steps]
        dV = np.array([V.imag / 1e-30 for _, V in steps])
        bias = (dM[0] * u[0] + dM[1] * u[1]) @ u - np.array([0.5 * u @ d @ u for d in dM])
        return np.concatenate([u, np.linalg.solve(terms(q)[0].real, -bias - dV)])

    run = solve_ivp(
        rhs, (0, 5), [1.5, -1.0, 0, 0], method="DOP853", rtol=1e-11, atol=1e-12, t_eval=huang.TIMES
    )
    q, u = run.y[:2].T, run.y[2:].T
    assert np.abs(q - reference.angles).max() < 1e-7
    assert np.abs(u - reference.rates).max() < 1e-6
    for k in range(len(huang.TIMES)):
        M, V = terms(q[k])
        assert 0.5 * u[k] @ M.real @ u[k] == pytest.approx(reference.kinetic[k], abs=1e-7)
        assert V.real == pytest.approx(reference.gravity[k], abs=1e-7)


def test_rigid_beam_is_the_sum_of_its_slices():
    beam = huang.rigid_beam("beam")
    mass, first, second = gathered(slices())
    assert beam.mass == pytest.approx(mass, rel=1e-12)
    assert np.allclose(beam.mass * beam.com, first, rtol=1e-12, atol=0)
    assert np.allclose(beam.inertia_origin, second, rtol=1e-12, atol=1e-18)


def runs():
    """Every case by both methods, where both can: long runs are slow tests."""
    for case in cases.all():
        for method in ("Radau", "DormandPrince"):
            if (case.name, method) in HOPELESS:
                continue
            slow = case.long or (case.name, method) in LONG
            marks = [pytest.mark.slow] if slow else []
            yield pytest.param(case, method, id=f"{case.name}-{method}", marks=marks)


# An explicit method must follow stiff damping, an implicit one of order 5 fast vibration.
HOPELESS = {
    ("huang-five-elements", "DormandPrince"),
    ("huang-five-elements-undamped", "Radau"),
}
LONG = {("huang-two-link", "Radau")}


@pytest.mark.parametrize(("case", "method"), list(runs()))
def test_case_holds(case, method):
    found = case.run(integrator=getattr(sp, method)())
    assert [q for q in found if not q.passed] == []
    assert len(found) >= 31
    assert len({q.name for q in found}) == len(found)


def test_a_case_runs_by_the_method_that_suits_it():
    """Few steps for the undamped beam mean the explicit method; the audit stays far below."""
    result = cases.get("huang-two-link").simulate()
    assert result.statistics["jacobians"] == 0
    assert result.energy.record.max_error < 1e-9
    assert result.momentum.max_error < 1e-9


@pytest.mark.parametrize("name", ["huang-two-link-damped", "huang-five-elements"])
def test_damped_runs_lose_exactly_what_is_dissipated(name):
    result = cases.get(name).simulate()
    lost = result.energy.dissipated[-1]
    start = result.energy.record.initial_energy
    assert lost > 0.01
    assert start - result.energy.total[-1] == pytest.approx(lost, abs=1e-9)


@pytest.mark.parametrize("name", ["huang-two-modes", "huang-two-link-damped"])
def test_energy_error_at_default_tolerances(name):
    assert cases.get(name).simulate(tolerance="default").energy.record.max_error < 1e-7


def test_largest_strain_energy_on_the_grid_of_the_reference():
    """The reference lists it sampled every 2 ms: on that grid it is the same number."""
    for name in ("huang-two-link", "huang-two-link-damped", "huang-two-modes", "huang-three-link"):
        listed = references("huang_flexible")[name]["max_strain"]
        result = cases.get(name).simulate(output=2500)
        assert result.energy.strain.max() == pytest.approx(listed, rel=1e-7)
        assert result.energy.record.max_strain > listed * (1 + 1e-6)


def test_a_wrong_beam_fails():
    """An error of 0.001 in the stiffness is found, and missing rotary inertia."""
    case = cases.get("huang-two-link-damped")

    def changed(**changes):
        model = case.build()
        model.replace("link2", **changes)
        return model

    softer = sp.Material(E=69e9 * 0.999, G=26e9, density=huang.DENSITY)
    found = dataclasses.replace(case, build=lambda: changed(material=softer)).run()
    assert sum(not q.passed for q in found) > 40
    still = dataclasses.replace(case, build=lambda: changed(rotary_inertia=False)).run()
    assert sum(not q.passed for q in still) > 20


def test_cyclic_momentum_is_sharp():
    """Energy cannot see terms that do no work; the momentum of the cyclic angle can."""
    (momentum,) = (q for q in cases.get("huang-rigid").run() if "momentum" in q.name)
    assert momentum.tolerance == 1e-9
    assert momentum.value < 1e-9


def test_a_wrong_model_fails():
    """A case is worth something only if an error of 0.001 in one mass is found."""
    case = cases.get("huang-rigid")

    def heavier():
        model = case.build()
        model.replace("tip", mass=0.5005)
        return model

    found = dataclasses.replace(case, build=heavier).run()
    assert sum(not q.passed for q in found) > 20


def test_the_published_inertia_is_told_but_not_at_every_run(recwarn):
    case = cases.get("huang-rigid")
    case.simulate(output=np.array([0.0, 0.1]))
    assert not [w for w in recwarn if issubclass(w.category, sp.SuppleWarning)]
    with pytest.warns(sp.SuppleWarning, match="link1.*triangle inequality"):
        case.build().check()


def test_registry():
    assert cases.names() == [
        "huang-rigid",
        "huang-two-rigid-zz",
        "huang-two-rigid-zy",
        "huang-two-link",
        "huang-two-link-damped",
        "huang-five-elements",
        "huang-five-elements-undamped",
        "huang-two-modes",
        "huang-three-link",
    ]
    assert all(isinstance(case, Case) and case.source and case.title for case in cases.all())
    with pytest.raises(sp.SuppleError, match="no case 'huang-rigit', did you mean 'huang-rigid'"):
        cases.get("huang-rigit")


def test_quantity():
    assert Quantity("x", 1.0 + 1e-7, 1.0, 1e-6).passed
    assert not Quantity("x", 1.1, 1.0, 1e-6).passed
    assert not Quantity("x", math.nan, 1.0, 1e-6).passed
