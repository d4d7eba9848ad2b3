"""The energy-preserving and energy-decaying scheme: what it keeps, its order, what it refuses."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest

import supple as sp
from models.closed_loops import four_bar, spatial_loop
from models.random_loops import LoopRecipe
from models.random_models import Recipe
from oracles.energy_errors import ABSOLUTE, energy_error, momentum_error, run
from supple import cases
from supple.core.base.layout import new_work
from supple.formulations.equations import Equations
from supple.loops.assembly import row_sizes, rows_at


def tumbling() -> sp.Model:
    """A body of three different moments of inertia, its origin beside its mass centre."""
    m = sp.Model(gravity=(0, 0, 0))
    body = m.add(sp.RigidBody("body", 2.0, (0.1, 0.2, -0.1), (0.3, 0.5, 0.7)))
    m.add(sp.Free("flight", m.ground.at(0), body.at(0), initial_rate=(1, 2, -3, 0.1, 0.2, 0.3)))
    return m


# ------------------------------------------------------------------------------------- what is kept


def test_free_body():
    """Energy and all momenta to the rounding of 400 steps that turn by 0.2 rad."""
    result = run(tumbling(), 20.0, 0.05)
    assert energy_error(result) < 1e-13
    assert len(result.momentum) == 6
    assert momentum_error(result) < 1e-13


JOINTS = (
    "Fixed",
    "Revolute",
    "Prismatic",
    "Cylindrical",
    "Universal",
    "Spherical",
    "Planar",
    "General",
)
CLOSINGS = ("Spherical", "Universal", "Free", "Distance", "PointOnLine", "PointOnPlane", "General")


def random_model(seed: int, floating: bool) -> sp.Model:
    """A tree of every joint in random order with one loop, and springs between its bodies.

    Floating: nothing but the free joint of the first body reaches the ground.
    """
    rng = np.random.default_rng(seed)
    kinds = tuple(str(k) for k in rng.permutation(JOINTS)[:4])
    for further in range(0, 10_000, 100):
        tree = Recipe(
            kinds, seed + further, floating=floating, gravity=not floating, can_lock=False
        )
        m = LoopRecipe(tree, (CLOSINGS[seed % len(CLOSINGS)],)).model()
        if not floating or m.ground.name not in (
            m["closing0"].A.body.name,
            m["closing0"].B.body.name,
        ):
            break
    bodies = list(m.bodies.values())
    bodies = bodies if floating else [m.ground, *bodies]
    for k in range(2):
        a, b = (bodies[i] for i in rng.permutation(len(bodies))[:2])
        ends = a.at(*rng.normal(size=3)), b.at(*rng.normal(size=3))
        m.add(sp.SpringDamper(f"spring{k}", *ends, stiffness=20.0, length=0.5))
    for joint in list(m.joints.values()):
        if joint.nq == joint.nu > 0:
            place = int(rng.integers(joint.nu))
            rest = float(joint.initial[place])
            name = f"pad {joint.name}"
            m.add(sp.JointSpring(name, joint.name, 5.0, 0.0, rest, place, cubic=2.0))
    return m


@pytest.mark.parametrize("seed", range(14))
def test_random_systems_keep_energy(seed):
    """All joints, closed loops, gravity and springs, 150 large steps; and with decay never more."""
    m = random_model(seed, floating=False)
    result = run(m, 3.0, 0.02)
    assert energy_error(result) < 1e-11
    assert result.statistics["newton_iterations"] < 6.0 * result.statistics["steps"]
    every_coordinate_fits(result)
    fading = run(m, 1.0, 0.02, 1.0, output=0.02)
    rises = np.diff(fading.energy.total)
    assert rises.max() < 1e-12 * fading.energy.record.max_energy
    every_coordinate_fits(fading)


def every_coordinate_fits(result: sp.results.Result) -> None:
    """The joints' own coordinates fit the bodies in the last state, which nothing has moved."""
    c = result.data.compiled.complete
    state = result.state()
    rows = rows_at(c, new_work(c.ints), state.t, state.q, state.u)
    assert np.abs(rows.violation / row_sizes(c)).max(initial=0.0) < 1e-11


@pytest.mark.parametrize("seed", range(20, 27))
def test_floating_systems_keep_momentum(seed):
    """Energy is blind for forces that do no work: all six momenta of systems in free flight."""
    result = run(random_model(seed, floating=True), 3.0, 0.02, output=0.02)
    equations = Equations(result.data.compiled)
    pairs = zip(result.q, result.u, strict=True)
    momentum = np.array([equations.momentum(q, u) for q, u in pairs])
    size = np.abs(momentum).max() + np.sqrt(result.energy.record.kinetic_max)
    assert np.abs(momentum - momentum[0]).max() < 1e-11 * size
    assert energy_error(result) < 1e-11


def everything() -> sp.Model:
    """A chain with each force element that is known, driven and damped."""
    m = sp.Model(gravity=(0, 0, -9.81))
    b = m.add(sp.RigidBody("b", 2.0, (0.1, 0.2, -0.1), (0.3, 0.5, 0.7)))
    c = m.add(sp.RigidBody("c", 1.0, (0.3, 0, -0.1), (0.1, 0.2, 0.25)))
    d = m.add(sp.RigidBody("d", 1.5, (0.3, 0.1, 0.1), (0.1, 0.2, 0.25)))
    e = m.add(sp.RigidBody("e", 1.5, (0, 0.1, 0.1), (0.1, 0.2, 0.25)))
    m.add(sp.Revolute("r", m.ground.at(0), b.at(0), "y", 0.3, 2.0))
    m.add(sp.Universal("u", b.at(0.5), c.at(0), ("x", (0.3, 1, 0)), (0.2, 0.4), (1, -1)))
    m.add(sp.Cylindrical("cy", c.at(0.5), d.at(0), "z", (0.1, 0.3), (0.5, 2)))
    m.add(sp.Prismatic("p", e.at(0.3, 0.1, 0), d.at(0.2, 0, 0.3), (1, 2, 3), 0.3, -1.0))
    m.add(sp.JointSpring("js", "r", stiffness=20.0, damping=0.1, rest=0.2, cubic=3.0))
    m.add(sp.JointSpring("jp", "p", stiffness=200.0, damping=0.5, rest=0.2))
    m.add(sp.JointSpring("ju", "u", stiffness=5.0, damping=0.1, coordinate=1))
    m.add(sp.JointEffort("je", "cy", "sin(3*t)", coordinate="angle"))
    m.add(sp.JointFriction("jf", "u", coulomb=0.3, viscous=0.1, transition=0.1))
    ends = m.ground.at(1, 1, 1), e.at(0.1, 0.2, 0.3)
    m.add(sp.SpringDamper("s1", *ends, stiffness=50, damping=1, length=0.5))
    ends = b.at(1, 1, 1), d.at(0.1, 0.2, 0.3)
    m.add(sp.SpringDamper("s2", *ends, stiffness=50, damping=1, length=0.5))
    load = {"force": (1, "2*t", 3), "torque": (0.1, 0.2, "t")}
    m.add(sp.Force("fw", d.at(0.2, 0.2, 0), **load))
    m.add(sp.Force("fb", e.at(0.2, 0.2, 0), **load, axes="body"))
    return m


def test_work_is_what_forces_do():
    """The balance with work and dissipation is exact at any step, both are of order 2."""
    exact = sp.simulate(everything(), 1.0, tolerance="tight", output=10)
    errors = []
    for step in (0.02, 0.01):
        result = run(everything(), 1.0, step, output=10)
        assert energy_error(result) < 1e-12
        assert result.statistics["newton_iterations"] < 6.0 * result.statistics["steps"]
        found = np.array([result.energy.work - exact.energy.work])
        lost = np.array([result.energy.dissipated - exact.energy.dissipated])
        errors.append([np.abs(found).max(), np.abs(lost).max()])
    assert np.all(np.abs(np.log2(np.divide(*errors)) - 2.0) < 0.3)
    # with decay the balance only falls
    result = run(everything(), 1.0, 0.01, 1.0, output=0.01)
    assert np.diff(result.energy.error).max() < 1e-12 * result.energy.record.max_energy
    assert -0.05 < result.energy.error[-1] < -1e-3


# -------------------------------------------------------------------------------------------- order


@cache
def reference(name: str) -> sp.results.Result:
    return sp.simulate(MODELS[name](), 1.0, tolerance="tight", output=20)


MODELS = {"four-bar": four_bar, "spatial": spatial_loop, "everything": everything}


def differences(name: str, step: float, decay: float) -> list[float]:
    """Largest errors of places, velocities and reactions at common times."""
    exact, result = reference(name), run(MODELS[name](), 1.0, step, decay, output=20)
    bodies, joints = exact.data.model.bodies, exact.data.model.joints
    pairs = [(result[b].at(1.0), exact[b].at(1.0)) for b in bodies]
    place = max(np.abs(a.position - b.position).max() for a, b in pairs)
    rate = max(np.abs(a.velocity - b.velocity).max() for a, b in pairs)
    reaction = max(np.abs(result[j].reaction - exact[j].reaction).max() for j in joints)
    return [place, rate, reaction]


@pytest.mark.parametrize("name", MODELS)
def test_order_two(name):
    errors = np.array([differences(name, step, 0.0) for step in (0.01, 0.005, 0.0025)])
    orders = np.log2(errors[:-1] / errors[1:])
    assert np.abs(orders[-1] - 2.0).max() < 0.15
    assert errors[-1, 0] < 1e-2


@pytest.mark.parametrize("name", ["spatial", "everything"])
def test_order_with_decay(name):
    """Order 2 at least: what the decay takes is of order 3."""
    errors = np.array([differences(name, step, 0.5) for step in (0.01, 0.005, 0.0025)])
    orders = np.log2(errors[:-1] / errors[1:])
    assert orders[-1].min() > 1.8


def oscillator(frequency: float = 1.0, start: float = 1.0) -> sp.Model:
    """A mass that slides on a spring."""
    m = sp.Model(gravity=(0, 0, 0))
    mass = m.add(sp.RigidBody("mass", 2.0, inertia=(1, 1, 1)))
    m.add(sp.Prismatic("slide", m.ground.at(0), mass.at(0), "x", start))
    m.add(sp.JointSpring("spring", "slide", 2.0 * frequency**2))
    return m


def amplification(z: complex, decay: float) -> complex:
    """Factor of a linear mode exp(z t/h) in one step."""
    # of y_f - y_i = z (y_j + y_f)/2 and y_j - y_i = decay z (y_j - y_f)/6
    return (1 + z * (3 - decay) / 6) / (1 - z * (3 + decay) / 6 + decay * z * z / 6)


@pytest.mark.parametrize("decay", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("turn", [0.3, 2.0, 30.0])
def test_linear_vibration_follows_its_amplification(decay, turn):
    """Every step multiplies a linear mode by the rational function of the scheme."""
    result = run(oscillator(turn), 6.0, 1.0, decay, output=6)
    factor = amplification(1j * turn, decay)
    expected = (factor ** np.arange(7)).real
    assert np.abs(result["slide"].displacement - expected).max() < 1e-12
    size = abs(factor) ** (2 * np.arange(7))
    assert np.abs(result.energy.total / result.energy.total[0] - size).max() < 1e-11


def test_decay_one_is_of_order_three_for_vibrations():
    errors = []
    for step in (0.1, 0.05):
        result = run(oscillator(), 10.0, step, 1.0, output=10)
        errors.append(np.abs(result["slide"].displacement - np.cos(np.arange(11.0))).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.1)


def test_fast_vibration_is_annihilated():
    """A swing with a hard pad: its vibration, 1000 radians a step, is gone after two steps."""

    def swing(hard: bool) -> sp.Model:
        m = sp.Model(gravity=(0, 0, -9.81))
        bob = m.add(sp.RigidBody("bob", 1.0, inertia=(0.1, 0.1, 0.1)))
        rod = m.add(sp.RigidBody("rod", 0.2, inertia=(0.01, 0.01, 0.01)))
        m.add(sp.Revolute("pivot", m.ground.at(0), rod.at(0), "y", 1.0))
        if hard:
            m.add(sp.Prismatic("stretch", rod.at(1.0), bob.at(0), "x", 1e-4))
            m.add(sp.JointSpring("pad", "stretch", 1e10))
        else:
            m.add(sp.Fixed("stretch", rod.at(1.0), bob.at(0)))
        return m

    kept = run(swing(hard=True), 1.0, 0.01, output=0.01)
    damped = run(swing(hard=True), 1.0, 0.01, 1.0, output=0.01)
    first = kept.energy.elastic[0]
    assert kept.energy.elastic[1:].max() > 0.9 * first  # nothing is lost without decay
    # a place is known to its rounding, which in every step is worth the force times it
    assert kept.energy.record.max_error < 100 * 1e10 * 1e-4 * np.finfo(float).eps
    assert damped.energy.elastic[2:].max() < 1e-6 * first
    assert np.diff(damped.energy.total).max() < 1e-12 * first
    # and the swing goes on as with a rigid rod
    rigid = sp.simulate(swing(hard=False), 1.0, output=0.01)
    assert np.abs(damped["pivot"].angle - rigid["pivot"].angle).max() < 1e-3


# ------------------------------------------------------------------- redundant rows, and long runs


@pytest.mark.parametrize("name", ["four-bar", "bennett", "bricard"])
@pytest.mark.parametrize("decay", [0.0, 1.0])
def test_redundant_rows(name, decay):
    """Loops with more rows than are independent move as those of the default method."""
    m = cases.get(name).build()
    first = next(iter(m.joints))
    exact = sp.simulate(m, 1.0, output=20)
    errors = []
    for step in (0.005, 0.0025):
        result = run(m, 1.0, step, decay, output=20)
        errors.append(np.abs(result[first].angle - exact[first].angle).max())
        if decay == 0.0:
            assert energy_error(result) < 1e-12
        else:
            assert np.diff(result.energy.total).max() < 1e-12 * result.energy.record.max_energy
    assert np.log2(errors[0] / errors[1]) > 1.9
    compiled = result.data.compiled.complete
    rows = rows_at(compiled, new_work(compiled.ints), 1.0, result.q[-1], result.u[-1])
    assert np.abs(rows.violation).max() < 1e-11


def revolve(seconds: float, step: float) -> np.ndarray:
    """Errors of energy, relative, of a four-bar without weight at 751 ends of steps."""
    m = cases.get("four-bar").build()
    m.gravity = (0.0, 0.0, 0.0)
    result = run(m, seconds, step, output=np.linspace(0.0, seconds, 751))
    angle = result["drive"].angle
    assert angle[-1] - angle[0] > 4.2 * seconds  # counted through all turns
    record = result.energy.record
    assert np.abs(result.energy.error).max() <= record.max_error + 1e-14 * record.kinetic_max
    return result.energy.error / record.kinetic_max


@pytest.mark.slow
def test_a_hundred_revolutions_keep_energy():
    """Seventy steps a turn: rounding, ten times the root of their number."""
    error = revolve(150.0, 0.02)
    assert np.abs(error).max() < 2e-13


@pytest.mark.slow
def test_ten_thousand_revolutions_keep_energy():
    """Rounding of steps does not add up: less than a fiftieth of it is left of each."""
    error = revolve(15_000.0, 0.02)
    assert np.abs(error).max() < 15_000.0 / 0.02 * np.finfo(float).eps / 50.0


# ---------------------------------------------------------------------------- output, events, stops


def test_angles_go_on_beyond_a_turn():
    m = sp.Model(gravity=(0, 0, 0))
    wheel = m.add(sp.RigidBody("wheel", 1.0, inertia=(1, 1, 1)))
    m.add(sp.Revolute("axle", m.ground.at(0), wheel.at(0), "z", 0.5, 10.0))
    result = run(m, 10.0, 0.1)
    turn = 2.0 * np.arctan(0.5) / 0.1  # rad/s: a Cayley step of 10 rad/s
    assert result["axle"].angle[-1] == pytest.approx(0.5 + 10.0 * turn, abs=1e-11)
    assert result["axle"].angle_rate[-1] == pytest.approx(10.0, abs=1e-12)


def test_output_between_steps_and_events():
    """Dense output is of order 2, an event is where the output says."""
    m = four_bar()
    event = sp.Event("level", "A", value=2.0, terminal=False)
    errors = []
    for step in (0.01, 0.005):
        times = np.linspace(0.0, 0.5, 173)
        result = run(m, 0.5, step, output=times, events=event)
        exact = sp.simulate(m, 0.5, output=times, tolerance="tight", events=event)
        errors.append(
            [
                np.abs(result["A"].angle - exact["A"].angle).max(),
                np.abs(result["A"].angle_rate - exact["A"].angle_rate).max(),
                abs(result.events[0].t - exact.events[0].t),
            ]
        )
    orders = np.log2(np.divide(*errors))
    assert orders.min() > 1.7
    stopped = run(m, 0.5, 0.01, events=dataclasses.replace(event, terminal=True))
    # the joint and the bodies are interpolated by cubics, each on its own, and then fitted
    assert stopped["A"].angle[-1] == pytest.approx(2.0, abs=1e-5)
    assert stopped.state().coordinates("A")[0] == pytest.approx(2.0, abs=1e-12)


def test_steps_end_on_breakpoints():
    """A force that jumps at 0.333 s: equal steps on both sides, and order 2."""
    m = oscillator()
    jump = "3*step(t - 0.333)"
    m.add(sp.Force("push", m.bodies["mass"].at(0), force=(jump, 0, 0)))
    exact = sp.simulate(m, 1.0, tolerance="tight", output=10)
    errors = []
    for step in (0.02, 0.01):
        result = run(m, 1.0, step, output=10)
        errors.append(np.abs(result["slide"].displacement - exact["slide"].displacement).max())
        assert energy_error(result) < 1e-13
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_velocity_residual_is_reported():
    """Without decay velocities leave the constraints by an error of order 2; with decay not."""
    residuals = [run(four_bar(), 0.5, h).statistics["velocity_residual"] for h in (0.01, 0.005)]
    assert 1.4 < np.log2(residuals[0] / residuals[1]) < 2.4  # it changes its sign from step to step
    assert run(four_bar(), 0.5, 0.01, 1.0).statistics["velocity_residual"] < 1e-13


# ----------------------------------------------------------------------------------------- refusals


def refused(model: sp.Model, formulation=ABSOLUTE, decay: float = 0.0) -> str:
    scheme = sp.EnergyScheme(step=0.01, decay=decay)
    with pytest.raises(sp.ModelError) as caught:
        sp.simulate(model, 0.1, integrator=scheme, formulation=formulation)
    return str(caught.value)


FORCES = (
    "expected forces whose work over a step is known exactly: gravity, Force, SpringDamper, "
    "JointSpring, JointEffort and JointFriction"
)
ROWS = (
    "expected joints and constraints that are quadratic in places and rotations, whose forces do "
    "exactly no work over a step"
)


def test_options_are_checked():
    with pytest.raises(sp.ModelError) as caught:
        sp.EnergyScheme(step=0.0)
    assert str(caught.value) == "EnergyScheme: step is 0.0, expected a positive number"
    with pytest.raises(sp.ModelError) as caught:
        sp.EnergyScheme(step=0.1, decay=1.5)
    assert str(caught.value) == "EnergyScheme: decay is 1.5, expected a number from 0 to 1"


def test_joint_coordinates_are_refused():
    sentence = refused(four_bar(), sp.JointCoordinates())
    assert sentence == (
        "EnergyScheme: body 'crank' moves by joint coordinates, expected formulation=Absolute(), "
        "in which every body moves freely"
    )


def test_flexible_bodies_are_refused():
    m = sp.Model(gravity=(0, 0, 0))
    steel = sp.Material(E=2e11, G=8e10, density=7800)
    beam = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.02, 0.01), steel))
    m.add(sp.Revolute("A", m.ground.at(0), beam.at(0)))
    assert refused(m) == (
        "EnergyScheme: Beam 'rod' is flexible, expected rigid bodies, whose motion over a step is "
        "a turn and a displacement, or bodies with nodal vectors: "
        "formulation=ANCF(absolute=True) writes beams so"
    )


def test_further_constraints_are_refused():
    m = four_bar()
    m.add(sp.Driver("drive", "A", "1 + 4*t"))
    assert refused(m) == f"EnergyScheme: Driver 'drive' relates or drives coordinates, {ROWS}"
    m = oscillator()
    m.add(sp.FrameDriver("hand", m.ground.at(0), m.bodies["mass"].at(0), "1 + t"))
    assert refused(m) == f"EnergyScheme: FrameDriver 'hand' drives a frame, {ROWS}"


@pytest.mark.parametrize(
    ("axes", "what"),
    [
        ((("rotate", "x"), ("rotate", "y"), ("rotate", "z")), "3 rotations in a row"),
        (
            (("translate", "x"), ("rotate", "z"), ("translate", "y")),
            "translations along axes that are fixed to neither or to both of its bodies",
        ),
    ],
)
def test_some_general_joints_are_refused(axes, what):
    m = sp.Model(gravity=(0, 0, 0))
    body = m.add(sp.RigidBody("body", 1.0, inertia=(1, 1, 1)))
    m.add(sp.General("G", m.ground.at(0), body.at(0), axes, initial=(0.1, 0.2, 0.3)))
    assert refused(m) == f"EnergyScheme: General 'G' has {what}, {ROWS}"


def test_other_forces_are_refused():
    mass = oscillator().bodies["mass"]
    elements = {
        "a bushing": sp.Bushing("x", oscillator().ground.at(0), mass.at(0), 1.0),
        "a controller": sp.PID("x", "slide", kp=1.0, target=0.0),
        "a stop": sp.JointStop("x", "slide", upper=2.0, stiffness=1.0),
    }
    for what, element in elements.items():
        m = oscillator()
        m.add(element)
        assert refused(m) == f"EnergyScheme: 'x' is {what}, {FORCES}"
    m = oscillator()
    m.add(sp.EffortFunction("x", ["slide"], lambda t, q, u: [0.0]))
    assert refused(m) == f"EnergyScheme: 'x' is a function of the state, {FORCES}"
    m = oscillator()
    m.add(sp.ForceFunction("x", m.bodies["mass"].at(0), lambda t, state: np.zeros(6)))
    assert refused(m) == f"EnergyScheme: 'x' is a function of the state, {FORCES}"
    m = four_bar()
    m.add(sp.Motor("M", "A", inertia=1e-3, ratio=10.0))
    assert refused(m) == f"EnergyScheme: Motor 'M' has a rotor of its own, {FORCES}"
    m = oscillator()
    m.add(sp.JointFriction("x", "slide", coulomb=1.0, static=2.0))
    run(m, 0.1, 0.01)
    assert refused(m, decay=0.5) == (
        "EnergyScheme: 'x' has more static than sliding friction, expected decay 0, or friction "
        "that grows with the rate so that energy never does"
    )


def test_a_step_that_is_too_large_says_so():
    """A step of 0.3 s over which the crank turns by seven radians."""
    m = four_bar()
    m.replace("A", initial_rate=25.0)
    with pytest.warns(sp.SuppleWarning, match="a smaller fixed step may help"):
        result = sp.simulate(m, 3.0, integrator=sp.EnergyScheme(step=0.3), formulation=ABSOLUTE)
    assert not result.success
