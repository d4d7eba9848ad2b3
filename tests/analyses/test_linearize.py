"""linearize: frequencies by closed forms, by exact closure, by another tree and by a run."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import supple as sp
from models.sprung_four_bar import FourBar, G, sprung_four_bar
from supple.analyses.base.snapshot_result import instant
from supple.cases.linkages import four_bar as numbers
from supple.formulations.equations import Equations
from supple.results.result import Result

EVERY = [None, sp.Absolute()]


def pendulum(damping: float = 0.0) -> sp.Model:
    model = sp.Model(gravity=(0, 0, -G), name="pendulum")
    rod = model.add(sp.RigidBody("rod", 2.0, com=(0.3, 0, 0), inertia=(1e-3, 0.04, 0.04)))
    model.add(sp.Revolute("hinge", model.ground.at(0), rod.at(0), axis="y", initial=0.3))
    model.add(sp.JointSpring("oil", "hinge", damping=damping))
    return model


@pytest.mark.parametrize("formulation", EVERY)
def test_a_pendulum(formulation):
    inertia, stiffness = 0.04 + 2 * 0.3**2, 2 * G * 0.3
    linear = sp.linearize(pendulum(), formulation=formulation)
    assert linear.frequencies == pytest.approx(
        [np.sqrt(stiffness / inertia) / 2 / np.pi], rel=1e-12
    )
    assert linear.conservative and linear.stable and linear.zeros == 0
    assert linear.modes[0].damping == 0.0 and linear.unsteady < 1e-9
    damped = sp.linearize(pendulum(0.5), formulation=formulation, independent=["hinge"])
    assert damped.names == ("hinge.angle",)
    for found, expected in ((damped.M, inertia), (damped.C, 0.5), (damped.K, stiffness)):
        assert found == pytest.approx(np.array([[expected]]), rel=1e-12)
    root = complex(-0.5, np.sqrt(4 * inertia * stiffness - 0.25)) / (2 * inertia)
    mode = damped.modes[0]
    assert mode.eigenvalue == pytest.approx(root, rel=1e-12)
    assert mode.damped_frequency == pytest.approx(root.imag / 2 / np.pi)
    assert mode.damping == pytest.approx(-root.real / abs(root))
    assert sorted(damped.eigenvalues.imag) == pytest.approx([-root.imag, root.imag])


def test_an_upright_pendulum_falls():
    model = pendulum()
    model.replace("hinge", initial=-np.pi / 2)
    linear = sp.linearize(model)
    growth = np.sqrt(2 * G * 0.3 / 0.22)
    assert not linear.stable
    assert sorted(linear.eigenvalues.real) == pytest.approx([-growth, growth], rel=1e-9)
    assert len(linear.frequencies) == 0


def beam(elements: int = 8, **options) -> sp.Beam:
    material = sp.Material(E=70e9, G=26e9, density=2700)
    return sp.Beam("rod", 1.0, sp.Rectangle(0.02, 0.01), material, elements=elements, **options)


EI, LINE = 70e9 * 0.02 * 0.01**3 / 12, 2700 * 2e-4


def hertz(root: float) -> float:
    return root**2 * np.sqrt(EI / LINE) / (2 * np.pi)


def test_a_cantilever():
    """Errors of eight cubic elements: (beta h)^4/720 at the first, second, third root."""
    model = sp.Model()
    rod = model.add(beam(rotary_inertia=False))
    model.add(sp.Fixed("clamp", model.ground.at(0), rod.at(0)))
    found = sp.linearize(model)
    for root in (1.875104068711961, 4.694091132974175, 7.854757438237613):
        near = found.frequencies[np.argmin(np.abs(found.frequencies - hertz(root)))]
        assert near == pytest.approx(hertz(root), rel=2 * (root / 8) ** 4 / 720)
    first = found.modes[0].of("rod")
    assert first.shape == (rod.modal(()).n,) and np.abs(first.imag).max() == 0.0


@pytest.mark.parametrize("formulation", EVERY)
@pytest.mark.parametrize("reference", ["clamped", "mean_axis"])
def test_a_free_beam(formulation, reference):
    """Twelve zeros, six rigid motions; then the free-free roots."""
    model = sp.Model()
    rod = model.add(beam(rotary_inertia=False, reference=reference))
    model.add(sp.Free("flight", model.ground.at(0), rod.at(0)))
    if reference == "clamped":
        with pytest.raises(sp.ModelError, match="moves no mass of its own"):
            sp.linearize(model, formulation=formulation)  # a line has no inertia about itself
    model.replace("rod", rotary_inertia=True)
    found = sp.linearize(model, formulation=formulation)
    assert found.zeros == 12 and np.sum(found.eigenvalues == 0.0) == 12
    assert found.stable
    for root in (4.730040744862704, 7.853204624095838):
        near = found.frequencies[np.argmin(np.abs(found.frequencies - hertz(root)))]
        # rotary inertia lowers it by about (beta r)^2 / 2 (1 + 6/beta), r the radius of gyration
        assert near == pytest.approx(
            hertz(root), rel=2 * (root / 8) ** 4 / 720 + 2.0 * root**2 / 12e4
        )


@pytest.mark.parametrize("formulation", [*EVERY, sp.Branch(["drive", "bearing", "pin"])])
def test_a_four_bar_on_its_exact_closure(formulation):
    """Stiffness: the second derivative of the energy along the closure, at the same equilibrium."""
    exact = FourBar()

    def at(crank):
        (coupler, rocker), _ = numbers.closed(crank, 0.0)
        return np.array([crank, coupler, rocker])

    rest = sp.statics(sprung_four_bar())["drive"].angle[0]
    crank = brentq(lambda s: exact.slope(at(s)), rest - 0.05, rest + 0.05, xtol=1e-14)
    assert rest == pytest.approx(crank, abs=1e-10)
    h = 1e-4
    curve = (-exact.slope(at(crank + 2 * h)) + 8 * exact.slope(at(crank + h))) / (12 * h)
    curve -= (8 * exact.slope(at(crank - h)) - exact.slope(at(crank - 2 * h))) / (12 * h)
    inertia = exact.inertia(at(crank))
    linear = sp.linearize(sprung_four_bar(), formulation=formulation, independent=["drive"])
    assert linear.M == pytest.approx(np.array([[inertia]]), rel=1e-10)
    assert linear.K == pytest.approx(np.array([[curve]]), rel=1e-8)  # differences: 1e-15/h
    mode = linear.modes[0]
    ratio = (mode.of("bearing") / mode.of("drive"))[0]
    assert ratio == pytest.approx(exact.tangent(at(crank))[2], rel=1e-9)


def test_the_frequency_is_that_of_a_run():
    """A small swing about the equilibrium; its period changes with the square of 1e-3 rad."""
    model = sprung_four_bar()
    linear = sp.linearize(model)
    rest = sp.statics(model)
    shift = linear.modes[0].of("drive").real * 1e-3
    start = rest.state().changed(coordinates={"drive": rest["drive"].angle[0] + shift})
    run = sp.simulate(model, 6.0, start=start, tolerance="tight", output=6000)
    swing = run["drive"].angle - rest["drive"].angle[0]
    up = np.flatnonzero((swing[:-1] < 0.0) & (swing[1:] >= 0.0))
    zeros = run.t[up] - swing[up] * (run.t[up + 1] - run.t[up]) / (swing[up + 1] - swing[up])
    period = np.mean(np.diff(zeros))
    assert 1.0 / period == pytest.approx(linear.frequencies[0], rel=1e-5)


def flexible_arm(damping: sp.Rayleigh | None) -> sp.Model:
    model = sp.Model(gravity=(0, 0, -G))
    hub = model.add(sp.RigidBody("hub", 2.0, com=(0.1, 0, 0), inertia=(0.01, 0.05, 0.05)))
    rod = model.add(beam(4, damping=damping))
    model.add(sp.Revolute("base", model.ground.at(0), hub.at(0), axis="y", initial=1.0))
    model.add(sp.Revolute("elbow", hub.at(0.2), rod.at(0), axis="z", initial=0.3))
    model.add(sp.JointSpring("grease", "elbow", stiffness=0.5, damping=0.01))
    return model


@pytest.mark.parametrize("damping", [None, sp.Rayleigh(stiffness=3e-4)])
def test_eigenvalues_do_not_depend_on_coordinates(damping):
    """Slow and fast, over five decades."""
    a, b = (sp.linearize(flexible_arm(damping), formulation=f) for f in EVERY)
    for first, second in zip(a.modes, b.modes, strict=True):
        assert second.eigenvalue == pytest.approx(first.eigenvalue, rel=1e-8)
    assert a.frequencies == pytest.approx(b.frequencies, rel=1e-8)


def spinner(formulation, hub) -> sp.results.LinearModel:
    """A bob on a spinning shaft, steady at the angle where weight and spin balance."""
    model = sp.Model(gravity=(0, 0, -G))
    shaft = model.add(sp.RigidBody("shaft", 1.0, inertia=(3, 3, 5.0)))
    bob = model.add(sp.RigidBody("bob", 2.0, com=(hub[0], hub[1], hub[2] - 0.5), inertia=0.0))
    rate = np.sqrt(G / (0.5 * np.cos(0.6)))
    model.add(sp.Revolute("spin", model.ground.at(0), shaft.at(0), axis="z", initial_rate=rate))
    model.add(sp.Revolute("arm", shaft.at(0), bob.at(*hub), axis="y", initial=0.6))
    return sp.linearize(model, at="initial", formulation=formulation)


@pytest.mark.parametrize("hub", [(0, 0, 0), (0.3, -0.2, 0.7)])
@pytest.mark.parametrize("formulation", EVERY)
def test_a_steady_spin(formulation, hub):
    """Gyroscopic terms: the spin gives way so that its angular momentum stays constant.

    ``hub`` is the hinge on the bob, whose own frame then moves on a circle of its own.
    """
    linear = spinner(formulation, hub)
    s, c = np.sin(0.6), np.cos(0.6)
    square = G / (0.5 * c)  # rate^2
    inertia, change = 5.0 + 0.5 * s * s, 2 * 0.5 * s * c  # of the spin, and its derivative
    # theta'' = rate^2 s c - g/l s with rate = H / inertia
    stiff = G / 0.5 * c - square * (c * c - s * s) + 2.0 * square * change / inertia * s * c
    assert linear.zeros == 2 and linear.unsteady < 1e-12 and linear.stable
    assert linear.frequencies == pytest.approx([np.sqrt(stiff) / 2 / np.pi], rel=1e-11)


@pytest.mark.parametrize("formulation", EVERY)
def test_a_spinning_top_nutates(formulation):
    """A free symmetric body: perturbations turn with (1 - C/A) spin in its own axes."""
    model = sp.Model()
    top = model.add(sp.RigidBody("top", 1.0, inertia=(2.0, 2.0, 3.0)))
    model.add(sp.Spherical("ball", model.ground.at(0), top.at(0), initial_rate=(0, 0, 4.0)))
    linear = sp.linearize(model, at="initial", formulation=formulation)
    # w' = (1 - C/A) spin x w, and the attitude follows in axes that turn with the spin
    found = sorted(abs(linear.eigenvalues.imag))
    assert found == pytest.approx([0, 0, 2.0, 2.0, 4.0, 4.0], abs=1e-7)


def test_charts_turn_with_their_bodies():
    """Moving by x, then by h u, is moving by h u, then by x - h L x, to first order in both."""
    model = sp.Model()
    a = model.add(sp.RigidBody("a", 1.0, inertia=1.0))
    b = model.add(sp.RigidBody("b", 1.0, inertia=1.0))
    model.add(sp.Free("flight", model.ground.at(0), a.at(0), initial=(1, 2, 3)))
    model.add(sp.Spherical("ball", a.at(0.5), b.at(0), initial=(0.3, -0.2, 0.5)))
    model.add(sp.Revolute("pin", b.at(0.5), model.add(sp.RigidBody("c", 1.0, inertia=1.0)).at(0)))
    equations = sp.JointCoordinates().equations(model)
    u, x = np.random.default_rng(5).normal(size=(2, equations.nu))
    turn = equations.drift(u)
    step = 1e-4

    def mixed(f):
        signs = [(i, j) for i in (-1, 1) for j in (-1, 1)]
        return sum(i * j * f(i * step, j * step) for i, j in signs) / (4 * step**2)

    def first(s, h):
        return equations.retract(equations.retract(equations.q0, s * x), h * u)

    def second(s, h):
        return equations.retract(equations.retract(equations.q0, h * u), s * x - s * h * turn @ x)

    # differences err by step^2 and by rounding over step^2, 1e-16/1e-8
    assert mixed(first) == pytest.approx(mixed(second), abs=3e-7)
    assert (
        np.abs(
            mixed(lambda s, h: second(s, h))
            - mixed(lambda s, h: equations.retract(equations.retract(equations.q0, h * u), s * x))
        ).max()
        > 0.1
    )


def test_controllers_are_states():
    """PID on a mass: m s^3 + kd s^2 + kp s + ki = 0."""
    model = sp.Model()
    block = model.add(sp.RigidBody("block", 2.0, inertia=0.1))
    model.add(sp.Prismatic("rail", model.ground.at(0), block.at(0), axis="x"))
    model.add(sp.PID("motor", "rail", kp=50.0, ki=20.0, kd=6.0, target=0.4))
    linear = sp.linearize(model)
    roots = np.roots([2.0, 6.0, 50.0, 20.0])
    assert np.sort_complex(linear.eigenvalues) == pytest.approx(np.sort_complex(roots), rel=1e-10)
    assert linear.A.shape == (3, 3) and not linear.conservative and linear.stable
    assert linear.state.coordinates("rail") == pytest.approx([0.4])


def test_a_damped_slide_that_nothing_holds_has_one_zero():
    model = sp.Model()
    block = model.add(sp.RigidBody("block", 2.0, inertia=0.1))
    model.add(sp.Prismatic("rail", model.ground.at(0), block.at(0), axis="x"))
    model.add(sp.JointSpring("oil", "rail", damping=3.0))
    linear = sp.linearize(model)
    assert linear.zeros == 1
    assert sorted(linear.eigenvalues.real) == pytest.approx([-1.5, 0.0])


@pytest.mark.parametrize("formulation", EVERY)
def test_matrices_give_the_accelerations_near_the_state(formulation):
    """With loads that follow the beam and an unsteady state with ball joints: differences of runs'
    accelerations along the constraints."""
    model = sp.Model(gravity=(0, 0, -G))
    a = model.add(sp.RigidBody("a", 1.0, com=(0.2, 0, 0.1), inertia=(0.02, 0.03, 0.04)))
    b = model.add(sp.RigidBody("b", 0.7, com=(0.1, 0.1, 0), inertia=(0.02, 0.01, 0.02)))
    model.add(sp.Universal("base", model.ground.at(0), a.at(0), initial=(0.4, -0.3)))
    model.add(sp.Revolute("elbow", a.at(0.5), b.at(0), axis="z", initial=0.7))
    model.add(sp.SpringDamper("cord", model.ground.at(0.5, 0.2, 0), b.at(0.3), 40.0, damping=2.0))
    model.add(sp.Force("jet", b.at(0.2), force=(0.5, 1.0, 0), axes="body"))
    linear = sp.linearize(model, formulation=formulation)
    assert not linear.conservative
    equations = Equations(linear.state.compiled)
    state, h = linear.state, 1e-6
    rng = np.random.default_rng(3)
    y, w = rng.normal(size=(2, 3))

    def acceleration(s):
        from supple.loops.assembly import on_constraints

        moved = equations.retract(state.q, s * linear.N @ y)
        there = on_constraints(
            linear.state.compiled, sp.State(0.0, moved, s * linear.N @ w, state.z)
        )
        return equations.accelerate(0.0, there.q, there.u)[list(linear.places)]

    slope = (acceleration(h) - acceleration(-h)) / (2 * h)
    expected = -np.linalg.solve(linear.M, linear.K @ y + linear.C @ w)
    # central differences: h^2 of third derivatives, and rounding 1e-15/h of accelerations of 100
    assert slope == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())


def test_names_and_shapes_of_all_kinds():
    model = sp.Model()
    shaft = model.add(sp.RigidBody("wheel", 1.0, inertia=1.0))
    model.add(sp.Revolute("axle", shaft.at(0), model.ground.at(0)))
    model.add(sp.JointSpring("coil", "axle", stiffness=4.0))
    model.add(sp.Motor("drive", "axle", inertia=0.01, ratio=10.0, stiffness=100.0))
    linear = sp.linearize(model)
    assert set(linear.names) == {"axle.angle", "drive.shaft"}
    ball = sp.Model(gravity=(0, 0, -G))
    bob = ball.add(sp.RigidBody("bob", 1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.05)))
    ball.add(sp.Spherical("neck", bob.at(0), ball.ground.at(0)))
    swing = sp.linearize(ball)
    assert swing.names == ("neck.rotation_x", "neck.rotation_y", "neck.rotation_z")
    assert swing.zeros == 2 and swing.frequencies == pytest.approx(
        2 * [np.sqrt(G * 0.5 / 0.35) / 2 / np.pi], rel=1e-12
    )
    assert swing.modes[-1].of("neck").shape == (3,)
    assert "Small motion of 3 coordinates" in repr(swing) and "Hz" in repr(swing.modes[-1])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"independent": ["drive", "knee"]}, "expected 1 coordinates that move all others"),
        ({"independent": ["dive"]}, "independent is 'dive', expected the name of a joint: 'drive'"),
        ({"at": 3}, "linearize: start is 3, expected a State or a Result of this model"),
        ({"t": None}, "linearize: t is None, expected a finite number of seconds"),
    ],
)
def test_wrong_arguments_get_one_sentence(options, sentence):
    with pytest.raises(sp.ModelError) as caught:
        sp.linearize(sprung_four_bar(), **options)
    assert sentence in str(caught.value)


def test_a_mode_knows_its_names():
    with pytest.raises(sp.SuppleError, match="the mode has no joint or flexible body 'hing', did"):
        sp.linearize(pendulum()).modes[0].of("hing")


# ---------------------------------------------------------------------- shapes at places, 0 Hz


def test_a_mode_moves_places_as_a_small_step_along_its_shape_does() -> None:
    material = sp.Material(E=70e9, G=26e9, density=2700)
    m = sp.Model(gravity=(0, -9.81, 0))
    hub = m.add(sp.RigidBody("hub", 1.0, (0.1, 0, 0), 0.02))
    beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.03, 0.02), material, modes=4))
    m.add(sp.Spherical("ball", m.ground.at(0), hub.at(0), initial=(0.1, 0.2, -0.3)))
    m.add(sp.Revolute("pin", hub.at(0.3), beam.at(0), axis=(0, 1, 1), initial=0.4))
    m.add(sp.JointSpring("coil", "pin", 50.0, damping=0.5, rest=0.4))
    linear = sp.linearize(m, "initial")
    frames = (hub.at(0.1, 0.2, 0.3), beam.at(0.7), beam.at(1.0))
    c, q = linear.state.compiled, linear.state.q
    equations, h = Equations(c), 1e-6
    for mode in linear.modes[:6]:
        parts = []
        for part in (mode.shape.real, mode.shape.imag):
            ends = []
            for sign in (1.0, -1.0):
                there = dataclasses.replace(linear.state, q=equations.retract(q, sign * h * part))
                ends.append(Result(instant(m, equations, there, True, "", {})))
            parts.append(ends)
        for frame in frames:
            moved = [(a[frame].position - b[frame].position)[0] / (2 * h) for a, b in parts]
            found = mode.at(frame)
            assert np.allclose(found.translation, moved[0] + 1j * moved[1], atol=1e-7)
            turned = [
                Rotation.from_matrix(a[frame].matrix[0] @ b[frame].matrix[0].T).as_rotvec()
                for a, b in parts
            ]
            assert np.allclose(found.rotation, (turned[0] + 1j * turned[1]) / (2 * h), atol=1e-7)
        assert np.allclose(mode.at("hub").translation, 0.0, atol=1e-12)


def test_a_free_beam_has_six_rigid_modes_and_the_shape_of_the_textbook() -> None:
    E, rho, a, b, length = 70e9, 2700, 0.02, 0.01, 1.0
    material = sp.Material(E, 26e9, rho)
    m = sp.Model()
    beam = m.add(sp.Beam("beam", length, sp.Rectangle(a, b), material, 8, rotary_inertia=True))
    m.add(sp.Free("free", m.ground.at(0), beam.at(0)))
    linear = sp.linearize(m, "initial")
    assert len(linear.rigid_modes) == 6
    assert linear.zeros == 12
    assert all(mode.rigid and mode.frequency == 0.0 for mode in linear.rigid_modes)
    assert "0 Hz, nothing holds it" in repr(linear)
    assert np.array_equal(linear.all_frequencies[:6], np.zeros(6))
    assert np.array_equal(linear.all_frequencies[6:], linear.frequencies)
    # each rigid mode moves the beam as one piece: lengths stay to first order
    for mode in linear.rigid_modes:
        moves = [mode.at(beam.at(x)) for x in (0.0, 0.5, 1.0)]
        for place in moves:
            assert np.allclose(place.rotation, moves[0].rotation, atol=1e-9)
        arm = moves[1].translation - moves[0].translation
        assert np.allclose(arm, np.cross(moves[0].rotation, (0.5, 0, 0)), atol=1e-9)
    together = np.array([np.concatenate(mode.at(beam.at(0))).real for mode in linear.rigid_modes])
    assert np.linalg.matrix_rank(together) == 6
    first = next(mode for mode in linear.modes if not mode.rigid)
    # 4.7300^2 and -0.6078, of a thin beam; rotary inertia takes some 1e-4
    exact = 4.730041**2 / (2 * np.pi * length**2) * np.sqrt(E * b**2 / 12 / rho)
    assert np.isclose(first.frequency, exact, rtol=1e-3)
    ends, middle = (first.at(beam.at(x)).translation for x in (0.0, 0.5))
    assert np.isclose(middle[2] / ends[2], -0.6078, rtol=2e-3)
    assert np.isclose(first.at(beam.at(1.0)).translation[2], ends[2])


def test_a_pendulum_has_no_rigid_mode_and_a_cart_has_one() -> None:
    m = sp.Model(gravity=(0, -9.81, 0))
    cart = m.add(sp.RigidBody("cart", 1.0))
    bob = m.add(sp.RigidBody("bob", 1.0, (0, -1, 0)))
    m.add(sp.Prismatic("rail", m.ground.at(0), cart.at(0)))
    m.add(sp.Revolute("pin", cart.at(0), bob.at(0)))
    linear = sp.linearize(m, "initial")
    (free,) = linear.rigid_modes
    assert np.allclose(free.at(bob.at(0, -1, 0)).translation, (1, 0, 0))
    assert np.allclose(free.of("pin"), 0.0)
    assert np.isclose(linear.frequencies[0], np.sqrt(2 * 9.81) / (2 * np.pi))
    m.add(sp.JointSpring("spring", "rail", 10.0))
    assert sp.linearize(m, "initial").rigid_modes == ()
