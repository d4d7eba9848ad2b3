"""Linear models with inputs and outputs: closed forms, another construction, exact receptances."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import supple as sp
from models.sprung_four_bar import FourBar, sprung_four_bar
from supple.cases.linkages import four_bar as numbers
from supple.formulations.equations import Equations
from supple.foundation.errors import ModelError, SuppleError, SuppleWarning

EVERY = [None, sp.Absolute()]
G, INERTIA, MOMENT = 9.81, 0.04 + 2 * 0.3**2, 2 * 0.3


def cart(driven: bool) -> sp.Model:
    """A pendulum that hangs from a cart on a rail, damped in its hinge."""
    m = sp.Model(gravity=(0, 0, -G), name="cart")
    box = m.add(sp.RigidBody("box", 3.0, inertia=0.1))
    rod = m.add(sp.RigidBody("rod", 2.0, com=(0.3, 0, 0), inertia=(1e-3, 0.04, 0.04)))
    m.add(sp.Prismatic("rail", m.ground.at(0), box.at(0), axis="x"))
    m.add(sp.Revolute("hinge", box.at(0), rod.at(0), axis="y", initial=1.3))
    m.add(sp.JointSpring("oil", "hinge", damping=0.5))
    m.add(sp.JointEffort("motor", "hinge", 0.0))
    if driven:
        m.add(sp.Driver("shake", "rail", 0.0))
    return m


@pytest.mark.parametrize("formulation", EVERY)
def test_a_pendulum_on_a_driven_cart(formulation) -> None:
    """I a'' + c a' + m g l a + l F = effort + m l s'', and its end at 1 m goes by s - a along x.

    F holds the mass centre: 40 N/m and 3 N s/m times l a - s.
    """
    m = cart(True)
    held = m["rod"].at(0.3)
    tie = {"stiffness": (40.0, 0, 0), "damping": (3.0, 0, 0)}
    m.add(sp.CartesianSpring("tie", m.ground.at(0, 0, -0.3), held, **tie))
    end = m["rod"].at(1.0)
    linear = sp.linearize(m, independent=["hinge"], formulation=formulation)
    space = linear.state_space(
        ["shake", "motor"], ["hinge.angle", (end, "x"), (end, "rotation_y"), "rail"]
    )
    assert space.states == ("hinge.angle", "hinge.angle.rate", "shake.motion", "shake.motion.rate")
    assert space.inputs == ("shake.acceleration", "motor")
    assert space.input_units == ("m/s2", "N m") and space.output_units == ("rad", "m", "rad", "m")
    f = np.array([0.3, 0.8, 5.0])
    w = 2 * np.pi * f
    hold = 40.0 + 3j * w
    swing = 1.0 / (-(w**2) * INERTIA + 0.5j * w + G * MOMENT + 0.3**2 * hold)
    found = space.frequency_response(f)
    shaken = (MOMENT - 0.3 * hold / w**2) * swing
    for column, angle, rail in ((0, shaken, -1.0 / w**2), (1, swing, 0.0 * w)):
        exact = np.stack([angle, rail - angle, angle, rail], axis=1)
        np.testing.assert_allclose(found.values[:, :, column], exact, rtol=1e-10, atol=1e-14)
    assert np.array_equal(found.of("hinge.angle", "motor"), found.values[:, 0, 1])


@pytest.mark.parametrize("formulation", EVERY)
def test_rates_and_accelerations(formulation) -> None:
    """Of a free cart: the mass matrix written by hand; derivatives are i w times the one before."""
    m = cart(False)
    box, end = m["box"], m["rod"].at(1.0)
    linear = sp.linearize(m, formulation=formulation, independent=["rail", "hinge"])
    f = np.array([0.5, 3.0])
    w = 2j * np.pi * f[:, None, None]
    spaces = [linear.state_space([(box, "x"), end], [end, "rail"], k) for k in range(3)]
    place, rate, push = (space.frequency_response(f).values for space in spaces)
    np.testing.assert_allclose(rate, w * place, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(push, w * rate, rtol=1e-9, atol=1e-12)
    M = np.array([[5.0, -MOMENT], [-MOMENT, INERTIA]])
    exact = np.linalg.solve(M, np.array([[1.0, 1.0], [0.0, -1.0]]))  # forces on box and end
    rows = np.array([[1.0, -1.0], [1.0, 0.0]])
    assert spaces[2].D[np.ix_([0, 6], [0, 1])] == pytest.approx(rows @ exact, rel=1e-12)
    assert spaces[2].outputs[-1] == "rail.displacement.acceleration"
    assert spaces[2].output_units[-1] == "m/s2" and np.all(spaces[1].D == 0.0)


@pytest.mark.parametrize("crank", [0.3, 1.1, 2.4, 4.0, 5.5])
def test_a_four_bar_at_several_angles(crank: float) -> None:
    """On its exact closure, held where the spring is in balance with the weight; both trees.

    The response to the crank's effort and to a force at the rocker's end, by virtual work.
    """
    exact = FourBar()
    (coupler, rocker), _ = numbers.closed(crank, 0.0)
    x = np.array([crank, coupler, rocker])
    here = exact.slope(x)  # with a spring whose rest is 1.2
    rest = 1.2 + here / (50.0 * exact.tangent(x)[2])

    def slope(angle: float) -> float:
        (b, c), _ = numbers.closed(angle, 0.0)
        at = np.array([angle, b, c])
        return exact.slope(at) - 50.0 * (rest - 1.2) * exact.tangent(at)[2]

    h = 1e-3
    ends, near = (slope(crank + k * h) - slope(crank - k * h) for k in (2, 1))
    stiff = (8.0 * near - ends) / (12.0 * h)
    inertia, ratio = exact.inertia(x), exact.tangent(x)[2]
    m = sprung_four_bar()
    m.replace("coil", rest=rest)
    m.replace("drive", initial=crank)
    m.replace("knee", initial=coupler - crank)
    m.replace("bearing", initial=rocker)
    m.replace("pin", initial=coupler - rocker)
    end = m["rocker"].at(0.9)
    for formulation in EVERY:
        linear = sp.linearize(m, "initial", independent=["drive"], formulation=formulation)
        assert linear.unsteady < 1e-9
        # differences of order 4: h^4 = 1e-12 of derivatives that grow near dead points
        assert (linear.K[0, 0], linear.M[0, 0]) == pytest.approx((stiff, inertia), rel=1e-7)
        square = stiff / inertia
        assert linear.eigenvalues[0] ** 2 == pytest.approx(-square, rel=1e-7)
        space = linear.state_space(["drive", (end, "x")], ["bearing", (end, "z")])
        arm = 0.9 * ratio * np.array([-np.sin(rocker), np.cos(rocker)])  # of the end by the crank
        found = space.C[:, :1] @ space.B[1:]
        rows = np.outer([ratio, arm[1]], [1.0, arm[0]]) / inertia
        np.testing.assert_allclose(found, rows, rtol=1e-9, atol=1e-12)


def test_efforts_on_a_loop_accelerate_it_as_the_equations_say() -> None:
    """Against accelerations with multipliers, of any state: all coordinates follow N."""
    m = sprung_four_bar()
    linear = sp.linearize(m, "initial", independent=["bearing"])
    space = linear.state_space(["drive", "knee"], ["drive", "knee", "bearing"], derivative=2)
    c = linear.state.compiled
    equations, s = Equations(c), linear.state
    still = equations.accelerate(s.t, s.q, s.u, s.z)
    for k, name in enumerate(("drive", "knee")):
        effort = np.zeros(c.nu)
        effort[c.coordinate(name, 0)[1]] = 1.0
        push = equations.accelerate(s.t, s.q, s.u, s.z, effort) - still
        own = [c.coordinate(n, 0)[1] for n in ("drive", "knee", "bearing")]
        np.testing.assert_allclose(space.D[:, k], push[own], rtol=1e-9)


@pytest.mark.slow
def test_the_receptance_of_a_cantilever() -> None:
    """The end under a force there, exact for Euler and Bernoulli.

    Sixteen cubic elements: (b h)^4 / 720 of a square of a frequency, 1.4e-5 at the highest.
    """
    m = sp.Model(name="cantilever")
    material = sp.Material(E=70e9, G=26e9, density=2700)
    section = sp.Rectangle(0.02, 0.01)
    rod = m.add(sp.Beam("rod", 1.0, section, material, elements=16, rotary_inertia=False))
    m.add(sp.Fixed("clamp", m.ground.at(0), rod.at(0)))
    EI, line = 70e9 * 0.02 * 0.01**3 / 12, 2700 * 2e-4
    space = sp.linearize(m).state_space((rod.at(1.0), "z"), (rod.at(1.0), "z"))
    f = np.array([1e-3, 5.0, 30.0, 60.0])
    b = (line * (2 * np.pi * f) ** 2 / EI) ** 0.25
    up = np.sin(b) * np.cosh(b) - np.cos(b) * np.sinh(b)
    exact = up / (EI * b**3 * (1.0 + np.cos(b) * np.cosh(b)))
    found = space.frequency_response(f)
    assert found.of().real == pytest.approx(exact, rel=1e-4)
    assert np.abs(found.of().imag).max() == 0.0
    assert found.amplitudes[0, 0, 0] == pytest.approx(1.0 / (3.0 * EI), rel=1e-6)
    figure = found.plot()
    assert figure.axes[0].get_ylabel() == "amplitude (m/(N))"


def test_a_spinning_rotor_has_inputs_in_its_own_coordinates() -> None:
    """m (x'' - 2 W y' - W^2 x) + k x = f: the response in axes that turn; places there turn."""
    m = sp.Model(name="rotor")
    shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=(1.0, 1.0, 1.0)))
    disc = m.add(sp.RigidBody("disc", 2.0, inertia=(1e-3, 1e-3, 1e-3)))
    m.add(sp.Revolute("turn", m.ground.at(0), shaft.at(0), axis="z"))
    m.add(sp.General("bend", shaft.at(0), disc.at(0), [("translate", "x"), ("translate", "y")]))
    for k in (0, 1):
        m.add(sp.JointSpring(f"k{k}", "bend", 2e4, coordinate=k))
    m.add(sp.Driver("motor", "turn", 0.0))
    speed, w = 40.0, 2j * np.pi * 9.0
    linear = sp.linearize(m, sp.statics(m, spin={"turn": speed}))
    names = ["bend.displacement_1", "bend.displacement_2"]
    found = linear.state_space(names, names).frequency_response(9.0).values[0]
    own, across = 2.0 * (w**2 - speed**2) + 2e4, 2.0 * 2.0 * speed * w
    exact = np.linalg.inv(np.array([[own, -across], [across, own]]))
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-12 * np.abs(exact).max())
    with pytest.raises(ModelError, match=r"outputs is 'disc@.*', expected what does not turn"):
        linear.state_space("bend", disc.at(0.1))


def test_python_control_gets_the_same_with_its_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def ss(*given, **names):
        return given, names

    space = sp.linearize(cart(False)).state_space("hinge", "hinge")
    monkeypatch.setitem(sys.modules, "control", SimpleNamespace(ss=ss))
    given, names = space.to_control()
    for a, b in zip(given, (space.A, space.B, space.C, space.D), strict=True):
        assert a is b
    assert names["name"] == "cart" and names["inputs"] == names["outputs"] == ["hinge_angle"]
    assert len(set(names["states"])) == 4
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(SuppleError, match=r"pip install 'supple\[control\]'"):
        space.to_control()


def test_python_control_itself() -> None:
    control = pytest.importorskip("control", reason="python-control is not installed")
    space = sp.linearize(cart(True)).state_space(["shake", "motor"], "hinge")
    system = space.to_control()
    assert isinstance(system, control.StateSpace)
    assert system.input_labels == ["shake_acceleration", "motor"]
    own = space.frequency_response(0.7).values[0, 0]
    assert system(2j * np.pi * 0.7)[0] == pytest.approx(own, rel=1e-10)


def test_sentences_about_state_spaces() -> None:
    linear = sp.linearize(cart(False))
    for inputs, match in (
        ("hinje", "the name of a coordinate, did you mean 'hinge.angle'"),
        ("oil", "a JointEffort or a Motor"),
        ([], "inputs is .*, expected joints, coordinates such as"),
        (["hinge", "hinge"], "each of them once"),
        ([(linear.model["rod"], "w")], "a frame with one of 'x', 'y'"),
        (sp.RigidBody("other", 1.0), "a body of the model, or a frame on one"),
        ([("hinge", 3)], "coordinate"),
    ):
        with pytest.raises(ModelError, match=match):
            linear.state_space(inputs)
    with pytest.raises(ModelError, match="derivative is 3, expected 0"):
        linear.state_space("hinge", derivative=3)
    space = linear.state_space("hinge")
    with pytest.raises(ModelError, match=r"frequencies\[0\] is 0.0, expected a frequency at which"):
        space.frequency_response(0.0)  # nothing holds the cart
    with pytest.raises(ModelError, match="frequencies is -1"):
        space.frequency_response(-1.0)
    with pytest.raises(SuppleError, match="output is None"):
        space.frequency_response(1.0).of()
    m = cart(True)
    m.replace("hinge", initial=-np.pi / 2)
    upright = sp.linearize(m, "initial").state_space("hinge")
    assert "UNSTABLE" in repr(upright)
    with pytest.warns(SuppleWarning, match="its free motion grows"):
        upright.frequency_response(1.0)
    m.replace("hinge", initial=np.pi / 2)
    m.replace("oil", damping=0.0)
    free = sp.linearize(m).state_space("hinge")
    with pytest.raises(ModelError, match="no motion without damping resonates"):
        free.frequency_response(np.sqrt(G * MOMENT / INERTIA) / (2 * np.pi))
