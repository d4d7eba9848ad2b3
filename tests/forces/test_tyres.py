"""Tyres against closed forms: relaxation, brush, braking, rolling, standing, energy, momentum."""

from __future__ import annotations

import math

import numpy as np
import pytest

import supple as sp
from models.random_models import KINDS, Recipe
from models.tyre_models import CAR, LAWS, G, add_tyre, over_road, rolling

SLOW = 1e-9  # tolerance of runs that are compared with closed forms


def led(
    law: sp.forces.TyreLaw, way: tuple[float, float], spin: float, depth: float = 0.01
) -> sp.Model:
    """A wheel (R 0.3 m) that is led with given velocities along x and y and a spin."""
    m = sp.Model(gravity=(0, 0, 0))
    wheel = m.add(sp.RigidBody("wheel", 1.0, inertia=0.1))
    ways = [("translate", "x"), ("translate", "y"), ("rotate", "y")]
    rates = (*way, spin)
    m.add(sp.General("lead", m.ground.at(0, 0, 0.3 - depth), wheel.at(0), ways, initial_rate=rates))
    for k, rate in enumerate(rates):
        m.add(sp.Driver(f"drive{k}", "lead", f"{rate}*t", coordinate=k))
    shape = sp.Torus(wheel.at(0), radius=0.25, section=0.05, axis="y")
    m.add(sp.Tyre("tyre", shape, sp.Plane(m.ground.at(0)), law, stiffness=2e5))
    return m


@pytest.mark.parametrize("settling", [0.0, 2e-3])
def test_forces_follow_slip_over_the_relaxation_length(settling: float) -> None:
    """s' (1 + V tau/sigma) = v - V s/sigma from s = 0; the force is K (s + tau s')."""
    C, sigma, V, v, arm = (8e4, 5e4), (0.2, 0.5), 10.0, 0.3, 0.295
    law = sp.LinearTyre(C[1], C[0], relaxation=sigma, trail=0.04, settling=settling)
    r = sp.simulate(led(law, (V, v), 9.9 / arm), 1.0, tolerance=SLOW)
    t, seen = r.t, r["tyre"]
    for k, (slip, force) in enumerate(
        ((V - 9.9, seen.longitudinal_force), (v, seen.lateral_force))
    ):
        last = sigma[k] / V + settling
        s = slip * sigma[k] / V * (1.0 - np.exp(-t / last))
        rate = slip * sigma[k] / V / last * np.exp(-t / last)
        expected = -C[k] / sigma[k] * (s + settling * rate)
        assert np.abs(force - expected).max() < 1e-7 * np.abs(expected).max()
    assert seen.longitudinal_force[-1] == pytest.approx(-C[0] * (V - 9.9) / V, rel=1e-6)
    assert seen.lateral_force[-1] == pytest.approx(-C[1] * v / V, rel=1e-6)
    assert seen.slip == pytest.approx(-(V - 9.9) / V, rel=1e-12)
    assert seen.slip_angle == pytest.approx(math.atan(v / V), rel=1e-12)
    assert np.allclose(seen.aligning_moment, -0.04 * seen.lateral_force, rtol=1e-12)
    assert seen.normal_force == pytest.approx(2000.0, rel=1e-12)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_signs(way: float) -> None:
    """Ahead is x for an axle along y; a wheel that goes to the left is pushed to the right."""
    law = sp.LinearTyre(8e4, relaxation=0.1, trail=0.04)
    r = sp.simulate(led(law, (way * 10.0, 0.5), way * 10.5 / 0.295), 0.2)
    seen = r["tyre"]
    assert np.allclose(seen.heading, (1, 0, 0), atol=1e-12)
    assert np.allclose(seen.travel_speed, way * 10.0)
    assert np.allclose(seen.rolling_speed, way * 10.5)
    assert way * seen.longitudinal_force[-1] > 0.0 and seen.lateral_force[-1] < 0.0
    assert way * seen.slip[-1] == pytest.approx(0.05)
    assert way * seen.aligning_moment[-1] > 0.0
    assert np.allclose(seen.force[-1, :2], (seen.longitudinal_force[-1], seen.lateral_force[-1]))


BRUSH = sp.BrushTyre(3e4, mu=0.8, relaxation=0.1, half_length=0.06)


@pytest.mark.parametrize(
    ("along", "aside"),
    [(0.0, 0.02), (0.0, 0.09), (0.03, 0.0), (-0.08, 0.0), (0.04, 0.03), (-0.05, 0.12), (0.3, 0.4)],
)
def test_brush_is_its_closed_form(along: float, aside: float) -> None:
    """Steady forces by theoretical slip; mu N against the velocity of sliding where all slides."""
    rolls, load = 10.0, 2000.0
    v = np.array([along, aside]) * rolls  # of sliding
    r = sp.simulate(led(BRUSH, (rolls + v[0], v[1]), rolls / 0.295), 0.5, tolerance=SLOW)
    seen = r["tyre"]
    slip = np.hypot(along, aside)
    z = min(3e4 * slip / (3.0 * 0.8 * load), 1.0)
    size = 0.8 * load * (3 * z - 3 * z**2 + z**3)
    found = np.array([seen.longitudinal_force[-1], seen.lateral_force[-1]])
    assert np.allclose(found, -size * v / np.linalg.norm(v), rtol=1e-6, atol=1e-6 * size)
    trail = 0.06 / 3.0 * (1 - z) ** 3 / (1 - z + z**2 / 3)
    assert seen.aligning_moment[-1] == pytest.approx(-trail * found[1], rel=1e-6, abs=1e-6 * size)


def book(c: dict[str, float], load: float, N: float, kappa: float, tangent: float, radius: float):
    """Fx, Fy, Mz by Pacejka 2012, (4.E9) to (4.E62), as they are printed: y to the right.

    Slips are those of the book: kappa > 0 drives, tangent > 0 where the wheel goes to the left.
    """
    from math import atan, cos, exp, sin, sqrt

    c = {"PKY1": 0.0, **c}
    df, a = (N - load) / load, tangent

    def g(name: str) -> float:
        return c.get(name, 0.0)

    def formula(B: float, C: float, D: float, E: float, x: float) -> float:
        return D * sin(C * atan(B * x - E * (B * x - atan(B * x))))

    kx = kappa + g("PHX1") + g("PHX2") * df
    D = (g("PDX1") + g("PDX2") * df) * N
    E = g("PEX1") + g("PEX2") * df + g("PEX3") * df**2
    Kx = N * (g("PKX1") + g("PKX2") * df) * exp(g("PKX3") * df)
    Fx = formula(Kx / (g("PCX1") * D), g("PCX1"), D, E, kx) + N * (g("PVX1") + g("PVX2") * df)
    Fx *= cos(g("RCX1") * atan(g("RBX1") * cos(atan(g("RBX2") * kappa)) * a))
    ay = a + g("PHY1") + g("PHY2") * df
    D = (g("PDY1") + g("PDY2") * df) * N
    E = g("PEY1") + g("PEY2") * df
    Ky = abs(g("PKY1")) * load * sin(2 * atan(N / (g("PKY2") * load)))
    Fy = formula(Ky / (g("PCY1") * D), g("PCY1"), D, E, ay) - N * (g("PVY1") + g("PVY2") * df)
    Fy *= cos(g("RCY1") * atan(g("RBY1") * cos(atan(g("RBY2") * (a - g("RBY3")))) * kappa))
    at = a + g("QHZ1") + g("QHZ2") * df
    at = sqrt(at**2 + (Kx / Ky * kappa) ** 2)
    B = g("QBZ1") + g("QBZ2") * df + g("QBZ3") * df**2
    E = g("QEZ1") + g("QEZ2") * df + g("QEZ3") * df**2
    D = N * radius / load * (g("QDZ1") + g("QDZ2") * df)
    trail = D * cos(g("QCZ1") * atan(B * at - E * (B * at - atan(B * at)))) * cos(atan(a))
    return Fx, -Fy, trail * Fy  # of ISO: y to the left, z up


@pytest.mark.parametrize(
    ("kappa", "tangent"),
    [(0.0, 0.0), (0.0, 0.05), (0.0, -0.3), (0.04, 0.0), (-0.2, 0.0), (0.1, 0.1), (-0.6, -0.2)],
)
@pytest.mark.parametrize("ratio", [0.6, 1.3])
def test_magic_formula_is_that_of_the_book(kappa: float, tangent: float, ratio: float) -> None:
    """Beyond the peak, too; printed signs are those of axes whose y points to the right."""
    load, depth, V = 2000.0 / ratio, 0.01, 10.0
    law = sp.MagicFormula(load, CAR, relaxation=0.1)
    r = sp.simulate(
        led(law, (V, V * tangent), V * (1.0 + kappa) / 0.295, depth), 1.0, tolerance=SLOW
    )
    seen = r["tyre"]
    expected = book(CAR, load, 2000.0, kappa, tangent, 0.3)
    found = seen.longitudinal_force[-1], seen.lateral_force[-1], seen.aligning_moment[-1]
    assert np.allclose(found, expected, rtol=1e-6, atol=1e-4)


def test_magic_formula_stops_and_stands() -> None:
    """A locked wheel rubs with what the formula has at slip -1, stops, and springs back."""
    m = rolling(sp.MagicFormula(200.0, CAR), 3.0, spins=False)
    r = sp.simulate(m, 6.0, tolerance=1e-8)
    assert r.success
    fast = r["wheel"].velocity[:, 0] > 0.5
    force = book(CAR, 200.0, 20.0 * G, -1.0, 0.0, 0.3)[0]
    late = fast & (r.t > 0.1)
    assert np.allclose(r["tyre"].longitudinal_force[late], force, rtol=1e-3)
    x = r["wheel"].position[r.t > 5.0, 0]
    assert np.ptp(x) < 1e-3


def test_brakes_of_a_locked_wheel_take_mu_g() -> None:
    """At v^2/(2 mu g) it stops for the first time: t* is above mu N from the start."""
    law = sp.BrushTyre(5e4, mu=0.7, relaxation=0.3, settling=5e-3)
    m = rolling(law, 10.0, spins=False)
    stop = sp.Event("stop", m["wheel"].at(0), "vx", value=0.0, direction=-1)
    r = sp.simulate(m, 5.0, tolerance=SLOW, events=[stop])
    way = float(r["wheel"].position[-1, 0])
    assert way == pytest.approx(100.0 / (2.0 * 0.7 * G), rel=1e-7)
    assert r.t[-1] == pytest.approx(10.0 / (0.7 * G), rel=1e-7)
    on = slice(1, -1)
    assert np.allclose(r["tyre"].longitudinal_force[on], -0.7 * 20.0 * G, rtol=1e-7)
    assert np.allclose(r["tyre"].slip[on], -1.0)
    assert r["tyre"].lost_by_slip[-1] == pytest.approx(0.5 * 20.0 * 100.0, rel=2e-2)
    assert np.abs(r.energy.error).max() < 1e-6 * r.energy.record.max_energy


def test_a_locked_wheel_rests_where_its_brush_has_sprung_back() -> None:
    law = sp.BrushTyre(5e4, mu=0.7, relaxation=0.3, settling=5e-3)
    r = sp.simulate(rolling(law, 2.0, spins=False), 8.0, tolerance=1e-8)
    back = 0.7 * 20.0 * G / (5e4 / 0.3)
    assert r["wheel"].position[-1, 0] == pytest.approx(4.0 / (2 * 0.7 * G) - back, rel=1e-6)
    assert np.abs(r["wheel"].velocity[-1]).max() < 1e-6


@pytest.mark.parametrize(
    "law", [sp.LinearTyre(5e4, relaxation=0.3), BRUSH], ids=["linear", "brush"]
)
def test_a_free_wheel_keeps_its_speed(law: sp.forces.TyreLaw) -> None:
    r = sp.simulate(rolling(law, 10.0), 5.0)
    assert np.abs(r["wheel"].velocity[:, 0] - 10.0).max() < 1e-7
    assert np.abs(r["tyre"].slip).max() < 1e-9
    assert r["tyre"].lost_by_slip[-1] < 1e-6


@pytest.mark.parametrize("law", [sp.LinearTyre(5e4, settling=0.02), BRUSH], ids=["linear", "brush"])
def test_a_braked_wheel_does_not_creep_on_a_slope(law: sp.forces.TyreLaw) -> None:
    m = rolling(law, 0.0, spins=False)
    m.gravity = (G * math.sin(0.3), 0, -G * math.cos(0.3))
    r = sp.simulate(m, 40.0, tolerance=1e-8)
    x = r["wheel"].position[r.t > 30.0, 0]
    assert np.ptp(x) < 1e-9
    sprung = 20.0 * G * math.sin(0.3) / law.carcass[0]
    assert r["tyre"].deflection[-1, 0] == pytest.approx(sprung, rel=1e-6)


def test_a_wheel_starts_and_stops() -> None:
    """Driven from rest, then braked to rest: nothing is divided by the speed."""
    m = rolling(BRUSH, 0.0)
    torque = sp.SmoothStep(0.0, 0.5, after=-30.0) + sp.SmoothStep(2.0, 2.5, after=30.0)
    m.add(sp.JointEffort("engine", "track", torque, 2))
    m.add(sp.JointFriction("brake", "track", coulomb=15.0, coordinate=2))
    r = sp.simulate(m, 8.0)
    assert r.success
    assert r["wheel"].velocity[:, 0].max() > 1.0
    assert np.abs(r["wheel"].velocity[-1, 0]) < 1e-3
    assert np.abs(r.energy.error).max() < 1e-5 * r.energy.record.max_energy


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("road", ["plane", "heights"])
def test_energy_and_momentum_of_a_wheel_and_a_road_in_space(name: str, road: str) -> None:
    r = sp.simulate(over_road(LAWS[name], road=road), 1.0, output=200)
    assert r.success, r.message
    assert np.abs(r.energy.error).max() < 1e-5 * r.energy.record.max_energy
    assert len(r.momentum) == 6
    for record in r.momentum:
        assert record.max_error < 1e-6 * record.scale
    assert r["tyre"].lost_by_slip[-1] > 0.0


def test_a_wheel_lifts_and_lands() -> None:
    m = rolling(sp.LinearTyre(5e4, load=200.0), 5.0)
    m.replace("track", initial_rate=(5.0, 2.0, -5.0 / 0.29951))
    r = sp.simulate(m, 2.0)
    seen = r["tyre"]
    assert r.success and seen.lifted.any() and len(seen.touches) > 2
    assert np.all(seen.normal_force >= 0.0)
    up = seen.lifted
    assert not seen.longitudinal_force[up].any() and not seen.slip[seen.gap > 0].any()
    assert np.abs(r.energy.error).max() < 1e-5 * r.energy.record.max_energy


@pytest.mark.parametrize(
    "method",
    [sp.GeneralizedAlpha(), sp.BDF(), sp.DormandPrince(), sp.Adams(), sp.Radau()],
    ids=lambda m: type(m).__name__,
)
def test_every_method_that_takes_states(method: sp.integrators.Integrator) -> None:
    """One second of braking, against Radau at a small tolerance."""
    law = sp.BrushTyre(3e4, mu=0.8, relaxation=0.1, settling=0.02)

    def run(**more):
        m = rolling(law, 5.0)
        m.add(sp.JointEffort("brake", "track", 20.0, 2))
        return sp.simulate(m, 0.5, output=50, **more)

    best, r = run(tolerance=1e-9), run(integrator=method, tolerance=1e-6)
    assert np.abs(r["wheel"].velocity - best["wheel"].velocity).max() < 1e-3


def drawn(seed: int, law: str, floating: bool = True) -> sp.Model:
    """A small tree in space, two bodies of which carry a wheel and a road that soon touch."""
    rng = np.random.default_rng([seed, 79])
    kinds = tuple(str(kind) for kind in rng.choice(KINDS, rng.integers(2, 4)))
    if set(kinds) == {"Fixed"}:
        kinds = ("Free",) * len(kinds)
    options = {"floating": floating, "gravity": not floating, "can_lock": False}
    m = Recipe(kinds, seed, "none", second_order=False, **options).model()
    add_tyre(m, rng, float(rng.uniform(-0.001, 0.03)), law)
    return m


@pytest.mark.parametrize(
    "seeds",
    [(3, 8, 12, 28, 29, 30), pytest.param(tuple(range(100, 140)), marks=pytest.mark.slow)],
    ids=["few", "many"],
)
@pytest.mark.parametrize("law", LAWS)
def test_energy_and_momentum_of_random_models(law: str, seeds: tuple[int, ...]) -> None:
    touched = 0
    for seed in seeds:
        r = sp.simulate(drawn(seed, law), 0.5, integrator=sp.Radau(max_steps=8000), output=100)
        assert r.success, (seed, r.message)
        touched += len(r.data.touches) > 0
        assert np.abs(r.energy.error).max() < 3e-5 * r.energy.record.max_energy, seed
        for record in r.momentum:
            assert record.max_error < 1e-6 * record.scale, seed
    assert touched > len(seeds) // 5


def parts() -> tuple[sp.Model, sp.RigidBody, sp.Torus, sp.Plane]:
    m = sp.Model()
    wheel = m.add(sp.RigidBody("wheel", 1.0, inertia=0.1))
    shape = sp.Torus(wheel.at(0), radius=0.25, section=0.05, axis="y")
    return m, wheel, shape, sp.Plane(m.ground.at(0))


NEEDED = {"PCX1": 1.6, "PDX1": 1.0, "PKX1": 20, "PCY1": 1.3, "PDY1": 1, "PKY1": -16, "PKY2": 1.7}


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda m, b, w, r: sp.Tyre("t", sp.Sphere(b.at(0), radius=0.3), r, BRUSH, 2e5),
            "wheel is .*expected a Torus or Cylinder with a frame",
        ),
        (
            lambda m, b, w, r: sp.Tyre(
                "t", sp.Cylinder(b.at(0), radius=0.3, length=0.1, inside=True), r, BRUSH, 2e5
            ),
            "wheel is .*expected a Torus or Cylinder with a frame",
        ),
        (
            lambda m, b, w, r: sp.Tyre("t", w, sp.Sphere(m.ground.at(0), radius=3.0), BRUSH, 2e5),
            "road is .*expected a Plane or HeightField with a frame",
        ),
        (
            lambda m, b, w, r: sp.Tyre("t", w, r, sp.HuntCrossley(stiffness=2e5), 2e5),
            "law is .*expected a law of a tyre, e.g. LinearTyre",
        ),
        (lambda m, b, w, r: sp.Tyre("t", w, r, BRUSH), "stiffness is None, expected stiffness in"),
        (
            lambda m, b, w, r: sp.Tyre("t", w, r, BRUSH, 1e5, push=sp.HuntCrossley(stiffness=1e5)),
            "expected stiffness in N/m or push, .*not both",
        ),
        (
            lambda m, b, w, r: sp.Tyre("t", w, r, BRUSH, push=sp.Hertz(E=1e6)),
            "push is .*expected a HuntCrossley",
        ),
        (
            lambda m, b, w, r: sp.Tyre(
                "t",
                sp.Torus(b.at(0), radius=0.3),
                sp.HeightField(m.ground.at(0), np.zeros((4, 4)), 1.0),
                BRUSH,
                2e5,
            ),
            "expected a wheel with a round edge on a HeightField",
        ),
        (
            lambda m, b, w, r: sp.LinearTyre(),
            "cornering is missing, expected a positive number in N",
        ),
        (
            lambda m, b, w, r: sp.BrushTyre(),
            "stiffness is missing, expected a positive number in N",
        ),
        (lambda m, b, w, r: sp.LinearTyre(8e4, relaxation=-0.1), "relaxation is -0.1, expected a"),
        (lambda m, b, w, r: sp.LinearTyre(8e4, relaxation=(0.1, 0)), "or two: along the heading"),
        (lambda m, b, w, r: sp.MagicFormula(), "load is missing, expected a positive number in N"),
        (lambda m, b, w, r: sp.MagicFormula(4e3), "coefficients is missing, expected a mapping"),
        (lambda m, b, w, r: sp.MagicFormula(4e3, 3), "coefficients is 3, expected a mapping of"),
        (
            lambda m, b, w, r: sp.MagicFormula(4e3, {**NEEDED, "PCX2": 1.0}),
            "is 'PCX2', expected a coefficient that is treated, did you mean",
        ),
        (
            lambda m, b, w, r: sp.MagicFormula(4e3, {"PCX1": 1.6}),
            "coefficients is 'PCX1', expected PCX1, PDX1, PKX1, .* that are not zero, too",
        ),
        (
            lambda m, b, w, r: sp.MagicFormula(4e3, {**NEEDED, "PCY1": 2.5}),
            r"coefficients\['PCY1'\] is 2.5, expected a number between 0 and 2",
        ),
        (
            lambda m, b, w, r: sp.MagicFormula(4e3, {**NEEDED, "PDX2": -0.5}),
            r"coefficients\['PDX2'\] is -0.5, expected PDX1 \+ PDX2 \(N - load\)/load above zero",
        ),
        (
            lambda m, b, w, r: sp.MagicFormula(4e3, {**NEEDED, "PKY2": -1.7}),
            r"coefficients\['PKY2'\] is -1.7, expected a positive number",
        ),
    ],
)
def test_sentences(make, sentence: str) -> None:
    with pytest.raises(sp.ModelError, match=sentence):
        make(*parts())


@pytest.mark.parametrize("arm", [0.0, 2.0])
def test_a_tyre_resists_turning(arm: float) -> None:
    """On the spot as a spring with a damper; on a circle by K sigma over its radius."""
    rate, K, sigma, tau = 0.5, 300.0, 0.4, 2e-3
    m = sp.Model(gravity=(0, 0, 0))
    table = m.add(sp.RigidBody("table", 1.0, inertia=0.1))
    m.add(sp.Revolute("pin", m.ground.at(0, 0, 0.29), table.at(0), "z", initial_rate=rate))
    m.add(sp.Driver("drive", "pin", f"{rate}*t"))
    shape = sp.Torus(table.at(0, -arm, 0), radius=0.25, section=0.05, axis="y")
    law = sp.LinearTyre(5e4, relaxation=sigma, settling=tau, turning=K)
    m.add(sp.Tyre("tyre", shape, sp.Plane(m.ground.at(0)), law, stiffness=2e5))
    r = sp.simulate(m, 10.0 if arm else 1.0, tolerance=SLOW)
    seen = r["tyre"]
    if arm:
        assert seen.aligning_moment[-1] == pytest.approx(-K * sigma / arm, rel=1e-4)
        assert seen.twist[-1] == pytest.approx(sigma / arm, rel=1e-4)
    else:
        assert np.allclose(seen.aligning_moment, -K * rate * (r.t + tau), rtol=1e-7)


@pytest.mark.parametrize(
    "law", [sp.LinearTyre(5e4), BRUSH, sp.MagicFormula(200.0, CAR)], ids=lambda x: type(x).__name__
)
def test_a_parked_wheel_has_an_equilibrium(law: sp.forces.TyreLaw) -> None:
    """The tyre holds it wherever it stands; a run that begins there does not move."""
    m = rolling(law, 0.0, spins=False)
    m.gravity = (G * math.sin(0.1), 0, -G * math.cos(0.1))
    found = sp.statics(m)["tyre"]
    assert found.normal_force[0] == pytest.approx(20.0 * G * math.cos(0.1), rel=1e-9)
    assert found.longitudinal_force[0] == pytest.approx(-20.0 * G * math.sin(0.1), rel=1e-9)
    r = sp.simulate(m, 1.0, start="static")
    assert np.ptp(r["wheel"].position, axis=0).max() < 1e-12
