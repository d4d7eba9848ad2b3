"""The energy scheme on bodies over nodal vectors: what it keeps, its order, what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import supple as sp
from oracles.energy_errors import energy_error, momentum_error, run

SOFT = sp.Material(E=1e6, G=4e5, density=1000.0)
STRAINED = pytest.mark.filterwarnings("ignore:(Cable|ANCFBeam) 'arm'. (its strain|an element)")
pytestmark = STRAINED


def cable(elements: int = 2, **options) -> sp.Cable:
    return sp.Cable("arm", 2.0, sp.Rectangle(0.02, 0.02), SOFT, elements, **options)


def beam(elements: int = 1, **options) -> sp.ANCFBeam:
    return sp.ANCFBeam("arm", 2.0, sp.Rectangle(0.1, 0.2), SOFT, elements, **options)


BODIES = {"cable": cable, "beam": beam}


def flight(body: sp.Cable | sp.ANCFBeam, spin: float = 1.0, **model) -> sp.Model:
    m = sp.Model(**model)
    arm = m.add(body)
    rates = (spin, 2 * spin, 5 * spin, 0.3, 0.2, 0.1)
    m.add(sp.Free("free", m.ground.at(0), arm.at(0), initial_rate=rates))
    return m


def shaken(model: sp.Model, speed: float) -> sp.State:
    """The start of a model with random velocities (m/s) of all nodes beside their own."""
    state = run(model, 1e-3, 1e-3, output=1e-3).state(0)
    nodes = len(model.bodies["arm"].stations)
    rates = state.rates("arm").reshape(nodes, -1, 3).copy()
    rates[:, 0] += speed * np.random.default_rng(0).normal(size=(nodes, 3))
    return state.changed(rates={"arm": rates.ravel()})


def newton(result: sp.results.Result) -> float:
    """Iterations a step; with exact derivatives four or five reach rounding."""
    return result.statistics["newton_iterations"] / result.statistics["steps"]


@pytest.mark.parametrize(("kind", "speed", "spin"), [("cable", 0.3, 2.0), ("beam", 1.0, 2.2)])
def test_free_flight(kind, speed, spin):
    """Energy and all momenta over 2000 large steps with strains beyond 0.1."""
    m = flight(BODIES[kind](), spin)
    result = run(m, 10.0, 5e-3, start=shaken(m, speed), output=5e-3)
    assert result.statistics["steps"] == 2000
    assert max(np.abs(result["arm"].at(x).axial_strain).max() for x in (0.2, 1.0, 1.8)) > 0.1
    assert energy_error(result) < 1e-10
    assert len(result.momentum) == 6 and momentum_error(result) < 1e-10


@pytest.mark.parametrize("kind", BODIES)
def test_damping_and_decay_only_take(kind):
    """Without decay the balance closes with what damping takes; with decay nothing grows."""
    m = flight(BODIES[kind](damping=sp.Rayleigh(stiffness=0.02)), gravity=(0.3, -9.81, 1.0))
    start = shaken(m, 1.0)
    result = run(m, 0.2, 0.01, start=start, output=0.01)
    assert result.energy.dissipated[-1] > 1e-3 * result.energy.record.kinetic_max
    assert energy_error(result) < 1e-12
    assert newton(result) < 6.0
    for damping in (None, sp.Rayleigh(stiffness=0.02)):
        m = flight(BODIES[kind](damping=damping))
        fading = run(m, 0.2, 0.01, 1.0, start=start, output=0.01)
        assert np.diff(fading.energy.total).max() < 0.0
        assert newton(fading) < 6.0


Maker = Callable[..., sp.joints.Joint]
JOINTS: dict[str, Maker] = {
    "Fixed": lambda *a: sp.Fixed(*a),
    "Revolute z": lambda *a: sp.Revolute(*a, "z", 0.1, 1.0),
    "Revolute x": lambda *a: sp.Revolute(*a, "x", 0.1, 1.0),
    "Cylindrical x": lambda *a: sp.Cylindrical(*a, "x", (0.1, 0.2), (0.1, 1.0)),
    "Spherical": lambda *a: sp.Spherical(*a, (0.1, 0.2, 0.3), (1.0, 2.0, 0.5)),
}


def carrying(joint: Maker, backwards: bool, body: Callable[..., sp.bodies.Body] = beam) -> sp.Model:
    """A flexible arm on a ball joint with a rigid body, a mass, a spring and a force on it."""
    m = sp.Model(gravity=(0.3, -9.81, 1.0))
    arm = m.add(body(1))
    link = m.add(sp.RigidBody("link", 0.3, (0.1, 0.05, 0), (0.02, 0.03, 0.04)))
    rates = (1.0, 2.0, 5.0)
    m.add(sp.Spherical("top", m.ground.at(0), arm.at(0), (0.3, 0.2, 0.1), rates))
    ends = arm.at(2.0), link.at(0.1, 0.02)
    m.add(joint("end", *(ends[::-1] if backwards else ends)))
    m.add(sp.PointMass("bob", arm.at(2.0), 0.05))
    m.add(sp.SpringDamper("spring", m.ground.at(1, 1), arm.at(2.0), 30, 2, 0.5))
    m.add(sp.Force("push", arm.at(2.0), (1, 2, 3)))
    return m


def places(result: sp.results.Result) -> np.ndarray:
    """What is compared at the end: places and velocities of both bodies, attitude of the link."""
    tip, link = result["arm"].at(2.0), result["link"]
    parts = tip.position, link.position, link.matrix.reshape(len(link.position), 9)
    return np.concatenate([part[-1] for part in (*parts, 0.01 * tip.velocity)])


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("kind", JOINTS)
def test_joints_do_no_work(kind, backwards):
    """The balance closes over large steps, and the bodies stay on their joint."""
    m = carrying(JOINTS[kind], backwards)
    result = run(m, 0.1, 0.01, output=0.01)
    assert energy_error(result) < 1e-12
    fading = run(m, 0.1, 0.01, 1.0, output=0.01)
    assert np.diff(fading.energy.error).max() < 0.0
    for r in (result, fading):
        assert newton(r) < 6.0
        tip, link = r["arm"].at(2.0), r["link"]
        if "Cylindrical" not in kind:
            assert np.abs(tip.position - link.at(0.1, 0.02).position).max() < 1e-12
        held = {"Fixed": [0, 1, 2], "Revolute z": [2], "Spherical": []}.get(kind, [0])
        assert np.abs((tip.matrix - link.matrix)[:, :, held]).max(initial=0.0) < 1e-12
        angles = r["end"].coordinates
        if kind.startswith("Revolute"):  # a coordinate of the engine, written from the axes
            n = "xyz".index(kind[-1])
            turn = np.einsum("tij,tik->tjk", tip.matrix, link.matrix)
            sine = turn[:, (n + 2) % 3, (n + 1) % 3]
            assert np.abs(np.sin(angles[:, 0]) - (-sine if backwards else sine)).max() < 1e-12
        if kind == "Spherical":  # its rates are written from those of the section
            A, B = (link, tip) if backwards else (tip, link)
            spin = (B.angular_velocity - A.angular_velocity)[-1] @ B.matrix[-1]
            assert np.abs(r.state().rates("end") - spin).max() < 1e-11 * np.abs(spin).max()


@pytest.mark.parametrize(("kind", "body"), [("Revolute z", beam), ("Spherical", cable)])
def test_order_two(kind, body):
    """A run goes where Radau goes, with a quarter of the error for half the step."""
    m = carrying(JOINTS[kind], False, body)
    exact = places(sp.simulate(m, 0.02, tolerance=1e-9, output=0.01))
    errors = [np.abs(places(run(m, 0.02, h, output=0.01)) - exact).max() for h in (4e-4, 2e-4)]
    assert errors[1] < 1e-4
    assert 3.5 < errors[0] / errors[1] < 4.5


REFUSED: dict[str, tuple[Callable[[sp.Model], object], str]] = {
    "about y": (
        lambda m: m.add(sp.Revolute("hinge", m.ground.at(0), m["arm"].at(0), "y")),
        "Revolute 'hinge' has rotations on a section that are not one about its x or z axis",
    ),
    "torque": (
        lambda m: (
            m.add(sp.Free("free", m.ground.at(0), m["arm"].at(0))),
            m.add(sp.Force("push", m["arm"].at(0), torque=(0, 0, 1))),
        ),
        "'push' turns with ANCFBeam 'arm' or has a torque",
    ),
    "effort": (
        lambda m: (
            m.add(sp.Revolute("hinge", m.ground.at(0), m["arm"].at(0), "z")),
            m.add(sp.JointEffort("motor", "hinge", 1.0)),
        ),
        "'motor' acts along a coordinate on ANCFBeam 'arm'",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused(kind):
    """What is no quadratic form of nodal vectors, by a sentence."""
    add, sentence = REFUSED[kind]
    m = sp.Model()
    m.add(beam())
    add(m)
    with pytest.raises(sp.ModelError) as problem:
        run(m, 0.01, 0.01)
    assert str(problem.value).startswith(f"EnergyScheme: {sentence}, expected ")


def arm_with_a_beam(**fields) -> sp.Model:
    """A rigid hub, a beam on a hinge, and a weight welded to its end."""
    m = sp.Model(gravity=(0, -9.81, 0))
    soft = sp.Material(E=1e8, G=4e7, density=1000)
    hub = m.add(sp.RigidBody("hub", 0.2, com=(0.1, 0, 0), inertia=(1e-3, 2e-3, 2e-3)))
    rod = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.02, 0.02), soft, **fields))
    weight = m.add(sp.RigidBody("weight", 0.1, inertia=1e-4))
    m.add(sp.Revolute("pin", m.ground.at(0), hub.at(0)))
    m.add(sp.Revolute("knee", hub.at(0.2), rod.at(0), initial=0.3))
    m.add(sp.Fixed("weld", rod.at(1.0), weight.at(0)))
    return m


@pytest.mark.parametrize("fields", [{"parts": 4}, {"elements": 4}], ids=["parts", "one frame"])
def test_beams_are_written_with_nodal_vectors(fields):
    """Energy is kept to rounding, and the motion comes nearer to Radau's with the second order."""
    written = sp.ANCF(4, absolute=True)
    true = sp.simulate(arm_with_a_beam(**fields), 0.2, formulation=written)
    errors = []
    for step in (0.008, 0.004):
        scheme = sp.EnergyScheme(step=step)
        r = sp.simulate(arm_with_a_beam(**fields), 0.2, integrator=scheme, formulation=written)
        assert r.energy.record.max_error < 1e-12
        errors.append(np.linalg.norm((r["weight"].position - true["weight"].position)[-1]))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.3)


def test_a_beam_in_another_formulation_is_told_what_to_take():
    expected = r"ANCF\(absolute=True\) writes beams so"
    with pytest.raises(sp.ModelError, match=expected):
        scheme = sp.EnergyScheme(step=0.1)
        sp.simulate(arm_with_a_beam(), 0.1, integrator=scheme, formulation=sp.Absolute())
