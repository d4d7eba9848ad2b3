"""Displacements of second order: the field itself, and what follows from it.

That the engine moves bodies by this field, and by nothing else, is tried on random trees
(test_flexible_properties.py). Here are the field, known frequencies and buckling loads,
conservation, and results.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

import supple as sp
from models.second_order_bodies import (
    BEAMS,
    PLACES,
    SOFT,
    beam,
    deflected,
    l_frame,
    tangents,
)
from oracles.elastica_oracle import SpinningElastica, spin_up
from supple.engine.pack.attachments import attached_masses
from supple.formulations.trees import JointCoordinates
from supple.reduction.modal import Strips

# ------------------------------------------------------------------------------------ the field


def slopes(body: sp.Beam, x: float) -> np.ndarray:
    """Slopes v', w' (2, n) by differences of the displacement."""
    h = 2e-5
    at = [body.attachment(body.at(y), PLACES).Phi for y in (x - h, x + h)]
    return (at[1] - at[0])[1:] / (2.0 * h)


def stations(start: float, end: float) -> list[tuple[float, float]]:
    """Gauss points and weights between two stations, in cells without kinks."""
    cuts = np.unique([start, end, 0.37, *np.linspace(0.0, 1.0, 7)])
    cuts = cuts[(cuts >= start) & (cuts <= end)]
    s, w = np.polynomial.legendre.leggauss(5)
    return [
        (0.5 * (a + b) + 0.5 * (b - a) * x, 0.5 * (b - a) * weight)
        for a, b in pairwise(cuts)
        for x, weight in zip(s, w, strict=True)
    ]


def shortening(body: sp.Beam, q: np.ndarray, start: float, end: float) -> float:
    """-1/2 int (v'^2 + w'^2) between two stations."""
    parts = [w * np.sum((slopes(body, x) @ q) ** 2) for x, w in stations(start, end)]
    return -0.5 * float(np.sum(parts))


@pytest.mark.parametrize("kind", BEAMS)
def test_attached_places_come_nearer_by_what_bending_takes(kind):
    """The distance along the axis between two attached places is exact, however few shapes.

    Bound: slopes are central differences, whose error is 1e-7 of the shortest wave.
    """
    body = BEAMS[kind]
    n = body.modal(PLACES).n
    q = np.random.default_rng(1).normal(size=n)
    q *= 0.1 / max(np.abs(body.attachment(body.at(x), PLACES).Psi @ q).max() for x in (0.5, 1.0))
    second = []
    for x in (0.37, 1.0):
        where = body.attachment(body.at(x), PLACES)
        now, rate, _ = where.motion(q, q, np.zeros(n))
        second.append(now[0] - (where.Phi @ q)[0])
        # z = q Gamma q / 2 is quadratic: its rate along q is twice itself
        assert rate[0] - (where.Phi @ q)[0] == pytest.approx(2.0 * second[-1], rel=1e-12)
    expected = shortening(body, q, 0.37, 1.0)
    assert abs(expected) > 1e-4
    assert second[1] - second[0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kind", BEAMS)
def test_gravity_along_the_axis_sees_the_whole_field(kind):
    """int rho u and int rho x u of the slaved field are those of the true one, integrated by parts.

    Bound: the field has a kink at 0.37 inside an element, or in the middle of a beam of sines,
    where four mass points for each element integrate to 1e-3 only.
    """
    body = BEAMS[kind]
    modal = body.modal(PLACES)
    held = body.clamp_node / body.elements
    q = 0.02 * np.random.default_rng(2).normal(size=modal.n)
    z = 0.5 * np.einsum("i,rij,j->r", q, modal.slaves.Gamma, q)
    found = [modal.slaves.S1[0, modal.n :] @ z, modal.slaves.D0[0, 0, modal.n :] @ z]
    moments = np.zeros(2)
    for x, w in stations(0.0, 1.0):
        part = -0.5 * w * np.sum((slopes(body, x) @ q) ** 2)
        for k in (0, 1):
            moments[k] += part * (_moment(body, x, k) - (x < held) * _moment(body, 0.0, k))
    if body.reference == "mean_axis":  # moved along so that int rho u vanishes
        moments[1] -= moments[0] * _moment(body, 0.0, 1) / _moment(body, 0.0, 0)
        assert found[0] == pytest.approx(0.0, abs=2e-3 * abs(moments[0]))
        moments[0] = found[0]
    np.testing.assert_allclose(found, moments, rtol=2e-3)


@pytest.mark.parametrize("m", [1, 3, 4, 5, 9])
def test_strips_hold_every_entry_of_the_integrals_once(m):
    """Sums over strips are those over whole matrices, up to the order of the terms."""
    rng = np.random.default_rng(m)
    D1 = rng.normal(size=(3, 3, m, m)) * (rng.random((3, 3, m, m)) < 0.3)
    D1[1, 2] = 0.0
    found = Strips.of(D1)
    assert 5 not in found.strips[:, 0]
    assert np.all(np.any(found.values, axis=1))
    again, k = np.zeros((9, m, m + 3)), 0
    for part, column, count in found.strips:
        for row in found.rows[k : k + count]:
            again[part, row, column : column + 4] += found.values[k]
            k += 1
    assert k == len(found.rows) == len(found.values)
    np.testing.assert_array_equal(again[:, :, :m], D1.reshape(9, m, m))
    assert not again[:, :, m:].any()


def _moment(body: sp.Beam, start: float, power: int) -> float:
    """int rho x^power from a station to the end, with the point masses."""
    s, w = np.polynomial.legendre.leggauss(10)
    x = start + 0.5 * (1.0 - start) * (s + 1.0)
    rho = np.array([SOFT.density * body.section.at(y).area for y in x])
    total = 0.5 * (1.0 - start) * np.sum(w * rho * x**power)
    return total + sum(m * p**power for p, m in PLACES if p > start)


def test_few_shapes_whatever_the_modes():
    """Two shapes for inertia and one for each attached place that moves along the axis.

    With rotary inertia there are those of tilting sections, too: products of two slopes, and of
    slopes with twist.
    """
    for modes, tilting in ((2, 3), (8, 3), (20, 5)):
        rotary = beam(elements=8, modes=modes).modal(((1.0, 0.0),))
        body = beam(elements=8, modes=modes, rotary_inertia=False)
        assert rotary.r == 3 + tilting
        assert body.modal().r == 2
        assert body.modal(((1.0, 0.0),)).r == 3
        assert body.modal(((0.0, 0.0), (0.5, 0.0), (1.0, 0.0))).r == 4
    assert beam(modes=0).modal(PLACES).r == 0
    assert beam(stiffening=None).modal(PLACES).slaves is None


def test_what_a_model_attaches():
    """Joints, forces, constraints and point masses are places; what is only watched is none."""
    model = sp.Model(gravity=(0, 0, 0))
    body = model.add(beam())
    model.add(sp.Revolute("hinge", model.ground.at(0), body.at(0)))
    model.add(sp.Force("pull", body.at(0.4), (1, 0, 0)))
    model.add(sp.PointMass("lump", body.at(0.8), 0.2))
    model.add(sp.DistributedLoad("wind", body.at(0.1), (0, 1, 0)))
    assert attached_masses(model, body) == ((0.8, 0.2), (0.0, 0.0), (0.4, 0.0))
    plain = dataclasses.replace(body, stiffening=None)
    assert attached_masses(model, plain) == ((0.8, 0.2),)


# ------------------------------------------------------------------------- frequencies and buckling




def rotating_flap(speed: float, terms: int = 16) -> np.ndarray:
    """Frequencies of a rotating cantilever with unit EI, length and line mass, by Ritz's method.

    w'''' - ((1 - x^2) w'/2)' speed^2 = f^2 w, with polynomials x^2 P_j. Motion in the plane of
    rotation has the same modes and f^2 - speed^2.
    """
    x, weight = np.polynomial.legendre.leggauss(40)
    x, weight = 0.5 * (x + 1.0), 0.5 * weight
    shapes = [
        np.polynomial.Polynomial([0, 0, 1])
        * np.polynomial.Legendre.basis(j, domain=[0, 1]).convert(kind=np.polynomial.Polynomial)
        for j in range(terms)
    ]
    w, d, c = (np.array([p.deriv(k)(x) if k else p(x) for p in shapes]) for k in (0, 1, 2))
    K = (c * weight) @ c.T + 0.5 * speed**2 * (d * weight * (1.0 - x**2)) @ d.T
    return np.sqrt(eigh(K, (w * weight) @ w.T, eigvals_only=True))


def rotating(speed: float, **options) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies in the plane and out of it: unit EI, length, line mass; it hardly stretches."""
    model = sp.Model(gravity=(0, 0, 0))
    section, material = sp.Section(1.0, 1e-8, 1e-8, 1e-8), sp.Material(E=1e8, G=1e8, density=1.0)
    given = {"elements": 24, "modes": 20, "stiffening": "second_order"} | options
    body = model.add(sp.Beam("beam", 1.0, section, material, rotary_inertia=False, **given))
    model.add(sp.Revolute("hub", model.ground.at(0), body.at(0), "z", initial_rate=speed))
    Rq, _, M = tangents(model)
    own = slice(1, None)
    values, shapes = eigh(Rq[own, own], M[own, own])
    out = np.abs(body.attachment(body.at(1.0)).Phi @ shapes)
    flat = out[1] > out[2]
    return np.sqrt(np.maximum(values[flat], 0.0)), np.sqrt(values[~flat])


@pytest.mark.parametrize("speed", [2.0, 6.0, 12.0])
def test_rotating_cantilever(speed):
    """First two frequencies in and out of the plane within 0.1 %, ten modes in each."""
    exact = rotating_flap(speed)
    np.testing.assert_allclose(exact[:2], rotating_flap(speed, 13)[:2], rtol=1e-8)
    chord, flap = rotating(speed)
    np.testing.assert_allclose(flap[:2], exact[:2], rtol=1e-3)
    np.testing.assert_allclose(chord[:2], np.sqrt(exact[:2] ** 2 - speed**2), rtol=1e-3)


def test_without_stiffening_a_fast_cantilever_loses_its_stiffness():
    """Above its first frequency, 3.516, centrifugal force throws it aside."""
    chord, _ = rotating(4.0, stiffening="none")
    assert chord[0] == 0.0
    assert rotating(4.0)[0][0] > 3.5


def loaded(force: tuple[float, float, float], body: sp.Beam) -> float:
    """Smallest eigenvalue of the stiffness of a clamped beam under a force at its tip."""
    model = sp.Model(gravity=(0, 0, 0))
    model.add(body)
    model.add(sp.Fixed("root", model.ground.at(0), body.at(0)))
    model.add(sp.Force("load", body.at(1.0), force))
    Rq, _, _ = tangents(model)
    np.testing.assert_allclose(Rq, Rq.T, rtol=0, atol=1e-10 * np.abs(Rq).max())
    return float(np.linalg.eigvalsh(Rq)[0])


def test_euler_load():
    """pi^2/4 EI/L^2; modes converge to it from above, 1e-3 with five in a plane."""
    section, material = sp.Section(1.0, 1e-8, 3e-8, 1e-8), sp.Material(E=1e8, G=4e7, density=1.0)
    inside = {"clamp_node": 2, "modes": "all", "elements": 6}
    for options in ({}, {"stiffening": sp.reduction.SecondOrder(twist=True)}, inside):
        given = {"elements": 10, "modes": 12, "stiffening": "second_order"} | options
        body = sp.Beam("beam", 1.0, section, material, **given)
        found = brentq(lambda P, b=body: loaded((-P, 0, 0), b), 1.0, 4.0)
        assert np.pi**2 / 4 * (1 - 1e-6) < found < np.pi**2 / 4 * (1 + 1e-3), options


def test_lateral_buckling_needs_twist():
    """4.0126 sqrt(EI GJ)/L^2 with all shapes; a beam that only shortens never buckles so.

    Bound: twist is linear in each of 12 elements (see test_geometric_stiffness.py), 0.2 %.
    """
    section, material = sp.Section(1.0, 1e-8, 1e-4, 2e-8), sp.Material(E=1e8, G=4e7, density=1.0)
    options = {"elements": 12, "modes": 24}
    twisting, shortening_only = (
        sp.Beam(
            "beam", 1.0, section, material, stiffening=sp.reduction.SecondOrder(twist), **options
        )
        for twist in (True, False)
    )
    found = brentq(lambda P: loaded((0, P, 0), twisting), 1.0, 6.0)
    assert found / np.sqrt(0.8) == pytest.approx(4.0126, rel=2e-3)
    assert loaded((0, 6.0, 0), shortening_only) > 0.0


# ------------------------------------------------------------------------------------- conservation


def floating(body: sp.Beam | sp.FrameStructure, far: sp.Frame) -> sp.Model:
    """A spinning body that carries a rigid one at its far end."""
    model = sp.Model(gravity=(0, 0, 0))
    model.add(body)
    hand = model.add(sp.RigidBody("hand", 0.05, (0.02, 0.01, 0), (2e-5, 3e-5, 4e-5)))
    model.add(sp.Free("free", model.ground.at(0), body.at(0.0), initial_rate=(1, 4, -3, 0, 0, 0.1)))
    model.add(sp.Universal("wrist", far, hand.at(0), axes=("x", "y"), initial_rate=(3, -2)))
    return model






@pytest.mark.parametrize("kind", ["clamped", "mean axis", "twist", "frame"])
def test_a_floating_body_keeps_energy_and_momentum(kind):
    """Bending in both planes and spinning: both to 1e-10 of their size; steps err by less."""
    body = l_frame() if kind == "frame" else BEAMS[kind]
    far = body.at("c") if kind == "frame" else body.at(1.0)
    model = floating(body, far)
    start = deflected(model, "beam")
    method = sp.DormandPrince()
    result = sp.simulate(model, 0.1, start=start, integrator=method, tolerance=1e-12, output=20)
    assert result.success, result.message
    tip = result["beam"].at("c" if kind == "frame" else 1.0).deflection
    assert np.ptp(tip[:, 1]) > 0.01 and np.ptp(tip[:, 2]) > 0.01
    record = result.data.audit
    assert record.max_error < 1e-10 * record.max_energy
    assert len(result.momentum) == 6
    for momentum in result.momentum:
        assert momentum.max_error < 1e-10 * momentum.scale


# ------------------------------------------------------------------------------------------ results


@pytest.mark.parametrize("kind", ["clamped", "twist", "frame"])
def test_places_in_results_move_with_what_is_joined_there(kind):
    """A place on the body moves as the rigid body that is fixed to it, in everything."""
    body = l_frame() if kind == "frame" else BEAMS[kind]
    far = body.at("c") if kind == "frame" else body.at(1.0)
    model = sp.Model(gravity=(0, -9.81, 0))
    model.add(body)
    hand = model.add(sp.RigidBody("hand", 0.3, (0.02, 0.01, 0), (2e-5, 3e-5, 4e-5)))
    model.add(sp.Revolute("hinge", model.ground.at(0), body.at(0.0), "z", initial_rate=2.0))
    model.add(sp.Fixed("grip", far, hand.at(0)))
    start = deflected(model, "beam")
    result = sp.simulate(model, 0.05, start=start, output=5)
    place, other = result["beam"].at(*far.position), result["hand"]
    first = body.attachment(far, result.data.compiled.flexible["beam"].point_masses)
    linear = result["beam"].coordinates @ first.Phi.T
    assert np.abs(place.deflection - linear).max() > 1e-5
    for quantity in ("position", "velocity", "acceleration", "angular_velocity", "matrix"):
        found, expected = getattr(place, quantity), getattr(other, quantity)
        np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_formulations_agree():
    """A beam hung at its far end carries another, in joint and in absolute coordinates.

    The body's own frame is another node in each: with inward edges, or free with constraint rows.
    """
    model = sp.Model(gravity=(0, -9.81, 0))
    first = model.add(beam(modes=4))
    second = model.add(dataclasses.replace(BEAMS["mean axis"], name="second", modes=4))
    model.add(sp.Revolute("root", first.at(1.0), model.ground.at(0), "z", initial_rate=3.0))
    model.add(sp.Universal("elbow", first.at(0.0), second.at(0.2), initial=(0.5, 0.3)))
    runs = [
        sp.simulate(model, 0.1, tolerance="tight", output=4, formulation=formulation)
        for formulation in (sp.JointCoordinates(), sp.Absolute())
    ]
    tips = [run["second"].at(1.0).position for run in runs]
    assert np.abs(runs[0]["beam"].at(1.0).deflection[:, 0]).max() > 1e-5
    # tight is 1e-9 for each of some hundred steps
    np.testing.assert_allclose(tips[0], tips[1], atol=1e-7)


def test_velocity_transformation_knows_the_second_order():
    """B and its rate by paths, against the engine's velocities and accelerations of a rigid tip."""
    model = sp.Model(gravity=(0, 0, 0))
    body = model.add(BEAMS["twist"])
    hand = model.add(sp.RigidBody("hand", 0.3, (0.02, 0.01, 0), (2e-5, 3e-5, 4e-5)))
    model.add(sp.Revolute("hinge", model.ground.at(0), body.at(0.0), "z"))
    model.add(sp.Revolute("grip", body.at(1.0), hand.at(0), "y"))
    eq = JointCoordinates().equations(model)
    c = eq.compiled
    rng = np.random.default_rng(0)
    q, u = deflected(model, "beam").q, rng.normal(size=eq.nu)
    names = ("hinge", "grip")
    values = {name: q[c.joints[name].q] for name in names} | {"beam": q[c.flexible["beam"].q]}
    rates = {name: u[c.joints[name].u] for name in names} | {"beam": u[c.flexible["beam"].u]}
    found = sp.velocity_transformation(model, values, rates)
    order = np.concatenate([rates[name] for name in found.columns])
    _, history = eq.body_states(0.0, q, u, np.zeros(0))
    k = list(c.body_names).index("hand")
    twist = found.B[found.bodies["hand"]] @ order
    V = history.V[0, k]
    np.testing.assert_allclose(twist[:6], V, atol=1e-12 * np.abs(V).max())
    # B' against a central difference of B along the motion
    h = 1e-6
    ahead, behind = (
        sp.velocity_transformation(
            model, {name: values[name] + s * h * rates[name] for name in values}, rates
        ).B
        for s in (1, -1)
    )
    np.testing.assert_allclose(found.B_dot, (ahead - behind) / (2 * h), atol=1e-6)


# ------------------------------------------------------------------------------ spin-up, long study


@pytest.mark.slow
def test_spin_up_reference_is_the_elastica():
    """The stored numbers of the case `spin-up`, computed again without small angles."""
    from supple.cases.case import references

    known = references("rotating")["spin-up"]
    times = np.array(known["times"])
    hub = spin_up(6.0, 15.0)
    found = SpinningElastica(10.0, 1.4e4, 1.2, hub, terms=5).run(times, 1e-9)
    np.testing.assert_allclose(found[:, 1], known["tip"], atol=known["error"])


# ------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: sp.reduction.SecondOrder(twist="yes"),
            "SecondOrder: twist is 'yes', expected True or False",
        ),
        (
            lambda: dataclasses.replace(
                l_frame(),
                members=[
                    sp.Member(
                        "a", "b", sp.Section(1e-4, 1e-9, 1e-9, 2e-9, shear_centre=(0.01, 0.0)), SOFT
                    )
                ],
                nodes={"a": (0, 0, 0), "b": (1, 0, 0)},
            ),
            "FrameStructure 'beam': shear_centre of member 0 is (0.01, 0), "
            "expected (0, 0) with stiffening",
        ),
        (
            lambda: beam(
                reference="chord",
                modes=sp.reduction.SineShapes(2),
                stiffening=sp.reduction.SecondOrder(twist=True),
            ),
            "Beam 'beam': stiffening is SecondOrder(twist=True), "
            "expected SecondOrder() with SineShapes(2), which has no elements",
        ),
    ],
)
def test_errors(make, message):
    with pytest.raises(sp.ModelError) as caught:
        make()
    assert str(caught.value) == message
