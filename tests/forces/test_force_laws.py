"""Springs and dampers with tables and formulas: closed forms, energies, kinks, sentences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

import supple as sp

MASS = 2.0
BOTH = (sp.Radau(), sp.DormandPrince())
PAIRS = [(-0.4, -300.0), (-0.1, -20.0), (0.2, 30.0), (0.3, 90.0), (0.7, 95.0)]


def slider(speed: float = 0.0, place: float = 0.0) -> tuple[sp.Model, sp.RigidBody]:
    m = sp.Model()
    block = m.add(sp.RigidBody("block", MASS, inertia=(1, 1, 1)))
    m.add(sp.Prismatic("rail", m.ground.at(0), block.at(0), "x", place, speed))
    return m, block


def force_at(m: sp.Model, x: float, v: float = 0.0) -> tuple[float, float]:
    """Effort that resists, and the energy stored (J)."""
    eq = sp.JointCoordinates().equations(m)
    q, u = np.array([x]), np.array([v])
    return eq.residual(0.0, q, u, np.zeros(1))[0], eq.energies(0.0, q, u).elastic


# ------------------------------------------------------------------------------------------- tables


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
@pytest.mark.parametrize("beyond", ["slope", "hold"])
def test_a_table_between_and_beyond_its_points(interpolation, beyond):
    """The kernels give what is defined, and its integral; the curve passes through its points."""
    table = sp.TableLaw(PAIRS, interpolation, beyond)
    m, _ = slider()
    m.add(sp.JointSpring("spring", "rail", spring=table))
    x, f = np.array(PAIRS).T
    assert_allclose(table(x), f, rtol=1e-14)
    for place in (-2.0, -0.5, -0.4, -0.25, 0.0, 0.2, 0.28, 0.69, 0.7, 0.9, 3.0):
        force, energy = force_at(m, place)
        assert_allclose(force, table(place), rtol=1e-13)
        kinks = [y for y in x if 0 < y / place < 1] if place else []
        area = quad(table, 0.0, place, points=kinks or None, epsabs=1e-12, epsrel=1e-12)[0]
        assert_allclose(energy, area, rtol=1e-11, atol=1e-12)
        assert_allclose(energy, table.energy(place), rtol=1e-13, atol=1e-14)
    slopes = [(table(y + 1e-6) - table(y)) / 1e-6 for y in (-1.5, 2.0)]
    if beyond == "hold":
        assert slopes == [0.0, 0.0] and table(-9.0) == -300.0 and table(9.0) == 95.0
    elif interpolation == "linear":
        assert_allclose(slopes, [280.0 / 0.3, 5.0 / 0.4], rtol=1e-6)


def test_a_cubic_table_rises_where_its_points_do():
    table = sp.TableLaw(PAIRS, "cubic")
    assert np.all(np.diff(table(np.linspace(-0.4, 0.7, 500))) > 0.0)


@pytest.mark.parametrize("integrator", BOTH)
def test_a_spring_of_two_stiffnesses(integrator):
    """Half periods of either stiffness; steps end at the kink, and energy is kept there."""
    stiff, soft = 900.0, 100.0
    period = math.pi * (math.sqrt(MASS / stiff) + math.sqrt(MASS / soft))
    for count, tolerance in ((1, 1e-6), (3, 1e-9)):
        m, _ = slider(speed=1.5)
        pairs = [(-1.0, -soft), (0.0, 0.0), (1.0, stiff)]
        m.add(sp.JointSpring("spring", "rail", spring=pairs))
        r = sp.simulate(m, count * period, integrator=integrator, tolerance=tolerance, output=80)
        assert r.success and r.energy.level == "trusted"
        # some thirty steps a period, each with an error of its tolerance
        assert_allclose(r["rail"].displacement[-1], 0.0, atol=100 * count * tolerance)
        assert_allclose(r["rail"].displacement_rate[-1], 1.5, atol=1000 * count * tolerance)
    x = r["rail"].displacement
    assert_allclose(r.energy.elastic, 0.5 * np.where(x > 0, stiff, soft) * x**2, atol=1e-9)
    assert_allclose(r["spring"].effort, -np.where(x > 0, stiff, soft) * x, atol=1e-8)
    assert_allclose(r["spring"].dissipated, 0.0, atol=1e-12)


KINKED = {"formula": "min(x, 90*x)", "table": [(-1.0, -90.0), (0.0, 0.0), (1.0, 1.0)]}


@pytest.mark.parametrize("law", KINKED)
@pytest.mark.parametrize("along_a_line", [False, True])
def test_steps_end_at_kinks(law, along_a_line):
    """Between kinks a method of order 8 errs by far less than its tolerance, over them by it.

    A function, whose kinks nobody knows, is stepped over.
    """
    rest = 2.0 if along_a_line else 0.0
    half = [math.pi * math.sqrt(MASS / k) for k in (1.0, 90.0)]  # s, of one passage
    last = half[0] + half[1] + 0.3 * half[0]
    exact = rest + 1.5 * math.sqrt(MASS) * math.sin(0.3 * math.pi)
    errors = []
    for known in (True, False):
        m, block = slider(speed=1.5, place=rest)
        if not known:
            m.add(sp.EffortFunction("law", "rail", lambda t, q, u: -min(q - rest, 90 * (q - rest))))
        elif along_a_line:
            frames = m.ground.at(0), block.at(0)
            m.add(sp.SpringDamper("law", *frames, length=rest, spring=KINKED[law]))
        else:
            m.add(sp.JointSpring("law", "rail", spring=KINKED[law]))
        r = sp.simulate(m, last, tolerance=1e-4, output=1, integrator=sp.DormandPrince())
        errors.append(abs(r["rail"].displacement[-1] - exact))
    assert errors[0] < 0.2 * errors[1] and errors[0] < 1e-4


def test_lines_that_go_on_have_no_kink():
    straight = sp.TableLaw([(-1, -3.0), (0.1, 0.3), (2, 6.0)])
    assert not straight.kinked and sp.TableLaw(PAIRS).kinked
    assert not sp.TableLaw(PAIRS, "cubic").kinked and sp.TableLaw(PAIRS, "cubic", "hold").kinked
    assert not sp.FormulaLaw("2*x**3").kinked and sp.FormulaLaw("max(x, v)").kinked


def test_a_damper_from_a_table():
    """Along a straight part it is a linear damper with an offset: an exponential."""
    m, _ = slider(speed=3.0)
    m.add(sp.JointSpring("damper", "rail", damper=[(0.0, 2.0), (1.0, 5.0), (4.0, 14.0)]))
    r = sp.simulate(m, 0.5, tolerance=1e-9, output=5)
    v = (3.0 + 2.0 / 3.0) * np.exp(-3.0 * r.t / MASS) - 2.0 / 3.0
    assert_allclose(r["rail"].displacement_rate, v, atol=1e-7)
    assert_allclose(r["damper"].dissipated, 0.5 * MASS * (9.0 - v**2), atol=1e-7)
    assert r.energy.level == "trusted" and np.all(r.energy.elastic == 0.0)


# ----------------------------------------------------------------------------------------- formulas


@pytest.mark.parametrize("integrator", BOTH)
def test_a_formula_does_what_the_element_does(integrator):
    ends = []
    for more in ({"stiffness": 40.0, "cubic": 900.0, "damping": 0.5}, None):
        m, _ = slider(speed=1.5)
        laws = more or {"spring": "40*x + 900*x**3", "damper": "0.5*v"}
        m.add(sp.JointSpring("spring", "rail", rest=0.1, **laws))
        r = sp.simulate(m, 1.0, integrator=integrator, tolerance=1e-10, output=4)
        assert r.energy.level == "trusted"
        ends.append([r["rail"].displacement, r.energy.elastic, r["spring"].dissipated])
    assert_allclose(ends[1], ends[0], atol=1e-8)


def test_quadratic_drag():
    """m v' = -b v |v| has v = v0/(1 + b v0 t/m), and takes what the body loses."""
    m, _ = slider(speed=-3.0)
    m.add(sp.JointSpring("drag", "rail", damper="4*v*abs(v)"))
    r = sp.simulate(m, 2.0, tolerance=1e-9, output=6)
    v = -3.0 / (1.0 + 4.0 * 3.0 * r.t / MASS)
    assert_allclose(r["rail"].displacement_rate, v, atol=1e-7)
    assert_allclose(r["drag"].dissipated, 0.5 * MASS * (9.0 - v**2), rtol=1e-6, atol=1e-7)
    assert r.energy.level == "trusted"


@pytest.mark.parametrize(
    ("text", "energy"),
    [
        ("50*x + 20*abs(x - 0.1)", lambda x: 25 * x**2 + 10 * (x - 0.1) * abs(x - 0.1) + 0.1),
        ("300*max(x - 0.2, 0)**1.5", lambda x: 120 * max(x - 0.2, 0.0) ** 2.5),
        ("30*(exp(x) - 1)", lambda x: 30 * (math.exp(x) - 1 - x)),
        ("10/(1 - x)**1.4 - 10", lambda x: 25 * ((1 - x) ** -0.4 - 1) - 10 * x),
        ("5*sign(x)", lambda x: 5 * abs(x)),
    ],
)
def test_energy_of_a_formula(text, energy):
    """An integral between kinks; where they are not known, the panels shrink around them."""
    m, _ = slider()
    m.add(sp.JointSpring("spring", "rail", spring=text))
    law = sp.FormulaLaw(text)
    for x in (-0.7, -0.1, 0.0, 0.05, 0.15, 0.4, 0.8):
        force, stored = force_at(m, x)
        assert_allclose(force, law(x), rtol=1e-13, atol=1e-14)
        assert_allclose(stored, energy(x), rtol=1e-12, atol=1e-13)


def test_slopes_of_a_formula():
    """Against complex steps in tests/nojit; here compiled, against differences."""
    m, _ = slider()
    text = "(3 + x**2)*v + sqrt(2 + v)*atan(x) - log(2 + x)*asin(v/9) + acos(x/3)*cos(v)/(1 + x*v)"
    m.add(sp.JointSpring("spring", "rail", spring="x**2.5 + 2**x*sin(x)*tan(x)", damper=text))
    eq = sp.JointCoordinates().equations(m)
    x, v, h = np.array([0.6]), np.array([0.8]), 1e-6
    found = eq.tangents(0.0, x, v, np.zeros(1))

    def resist(q, u):
        return eq.residual(0.0, q, u, np.zeros(1))[0]

    assert_allclose(found.Rq[0, 0], (resist(x + h, v) - resist(x - h, v)) / (2 * h), rtol=1e-8)
    assert_allclose(found.Ru[0, 0], (resist(x, v + h) - resist(x, v - h)) / (2 * h), rtol=1e-8)


# ------------------------------------------------------------------------------------- along a line


def test_a_line_with_laws_pulls_its_ends_together():
    """On one body: tension, its sign and its energy as they are written."""
    m = sp.Model()
    ball = m.add(sp.RigidBody("ball", MASS, inertia=0.1))
    m.add(sp.Free("air", m.ground.at(0), ball.at(0), (1, 0, 0, 0, 0.0, 0.9, 1.2), (0,) * 6))
    frames = m.ground.at(0), ball.at(0)
    m.add(sp.SpringDamper("cord", *frames, length=1.0, spring="80*x", damper="3*v"))
    m.add(sp.SpringDamper("band", *frames, length=1.0, spring=[(0, 0), (1, 20)]))
    r = sp.simulate(m, 0.3, tolerance=1e-10, output=6)
    # a damped spring along one line: 1.5 m, 0.5 m of them stretch
    decay, omega = 0.75, math.sqrt(100.0 / MASS - 0.75**2)
    wave = np.cos(omega * r.t) + decay / omega * np.sin(omega * r.t)
    stretch = 0.5 * np.exp(-decay * r.t) * wave
    assert_allclose(r["cord"].length, 1.0 + stretch, atol=1e-8)
    x, v = r["cord"].length - 1.0, r["cord"].length_rate
    assert_allclose(r["cord"].tension, 80.0 * x + 3.0 * v, atol=1e-9)
    assert_allclose(r["band"].tension, 20.0 * x, atol=1e-9)
    assert_allclose(r["cord"].force[0], [0, -40 * 0.6, -40 * 0.8], atol=1e-9)  # on B, towards A
    assert_allclose(r.energy.elastic, 50.0 * x**2, atol=1e-9)
    assert r.energy.level == "trusted"
    assert r.dataset["cord.tension"].attrs["units"] == "N"


@pytest.mark.parametrize("integrator", BOTH)
def test_a_rope_becomes_taut(integrator):
    """It pulls beyond its length only; a fall, half an oscillation about the lower rest, a rise."""
    m = sp.Model(gravity=(0, 0, -10.0))
    ball = m.add(sp.RigidBody("ball", MASS, inertia=0.1))
    start = (1, 0, 0, 0, 0, 0, -0.2)
    m.add(sp.Free("air", m.ground.at(0), ball.at(0), start, (0,) * 6))
    rope = sp.SpringDamper("rope", m.ground.at(0), ball.at(0), length=1.0, spring="500*max(x, 0)")
    m.add(rope)
    speed, omega, sag = 4.0, math.sqrt(500.0 / MASS), MASS * 10.0 / 500.0
    taut = 2.0 * (math.pi / 2.0 + math.atan(sag * omega / speed)) / omega
    r = sp.simulate(m, 0.4 + taut + 0.4, integrator=integrator, tolerance=1e-9, output=100)
    assert_allclose(r["ball"].position[-1], [0, 0, -0.2], atol=1e-6)
    assert_allclose(r["ball"].velocity[-1], 0.0, atol=1e-5)
    assert r.energy.level == "trusted"
    assert r["rope"].tension.min() == 0.0 and r["rope"].tension.max() > 100.0


# ---------------------------------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: sp.TableLaw([(0, 0)]),
            r"TableLaw: points is \(\(0, 0\)\), expected two or more pairs",
        ),
        (
            lambda: sp.TableLaw([(0, 0), (0, 1)]),
            r"TableLaw: points\[1\] is 0.0, expected a deflection beyond 0.0",
        ),
        (lambda: sp.TableLaw(PAIRS, "spline"), "interpolation is 'spline', expected 'linear' or"),
        (lambda: sp.TableLaw(PAIRS, beyond="zero"), "beyond is 'zero', expected 'slope' or"),
        (
            lambda: sp.JointSpring("s", "rail", spring="2*x + v"),
            r"JointSpring 's': spring is .*expected an expression in x, .*unknown name 'v'",
        ),
        (
            lambda: sp.JointSpring("s", "rail", spring=sp.FormulaLaw("v")),
            "JointSpring 's': spring is 'v', expected a formula in x; what depends on v",
        ),
        (
            lambda: sp.JointSpring("s", "rail", spring="1/x"),
            "spring is '1/x', expected a formula that is finite at x = 0",
        ),
        (
            lambda: sp.JointSpring("s", "rail", damper="3*t"),
            "damper is '3.t', expected an expression in x and v, .*unknown name 't'",
        ),
        (
            lambda: sp.JointSpring("s", "rail", damper="__import__('os')"),
            "damper is .*unknown function '__import__'",
        ),
        (lambda: sp.JointSpring("s", "rail", damper=3.0), "damper is 3.0, expected a formula or"),
        (lambda: sp.JointSpring("s", "rail", spring=[1, 2, 3]), "spring is .*two or more pairs"),
    ],
)
def test_sentences(make, sentence):
    with pytest.raises(sp.ModelError, match=sentence):
        make()


@pytest.mark.parametrize("integrator", BOTH)
@pytest.mark.parametrize("along_a_line", [False, True])
def test_a_formula_without_value_ends_the_run(along_a_line, integrator):
    """A root that is taken of a negative number: the sentence says whose it is."""
    m, block = slider(speed=-1.5, place=2.0)
    if along_a_line:
        m.add(sp.SpringDamper("gas", m.ground.at(0), block.at(0), length=1.0, spring="sqrt(x)"))
    else:
        m.add(sp.JointSpring("gas", "rail", rest=1.0, spring="sqrt(x)"))
    with pytest.warns(sp.SuppleWarning):
        r = sp.simulate(m, 2.0, integrator=integrator)
    assert not r.success and "the law of 'gas' fails or is not finite there" in r.message
    assert_allclose(r["rail"].displacement[-1], 1.0, atol=1e-2)


def test_laws_are_replaced_and_copied():
    m, _ = slider(speed=1.0)
    m.add(sp.JointSpring("spring", "rail", spring="40*x"))
    other = m.copy()
    other.replace("spring", spring=PAIRS, damping=1.0)
    assert isinstance(other["spring"].spring, sp.TableLaw) and m["spring"].spring.text == "40*x"
    other.replace("spring", damper="v")
    assert other["spring"].spring is not None
