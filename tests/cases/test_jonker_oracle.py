"""Jonker's element by itself: invariance, derivatives, energy, frequencies, and printed numbers.

Tables of the slider-crank and the shaft are from independent programs that use (2.4) and (4.18),
to 2e-4 of the rod's length and to 1e-6; growth rates from a complex model of two elements.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from models.jonker_mechanisms import ROD, Shaft, SliderCrank
from oracles.jonker_oracle import LP, LQ, XP, XQ, Element, bar_matrix, euler_parameters, rotation

# speed, growth rate and frequency seen from the ground with all terms; the same by (4.29)
GROWTH = (
    (0.0, -2.2004802062754303, 832.5021259941578, -2.2004802062754303),
    (400.0, -1.1431959721720466, 832.5027973735268, -1.3205719481296374),
    (800.0, -0.08591685395323347, 832.5048114953856, -0.3377959070849826),
    (835.0, 0.006594656124682868, 832.5050516148476, -0.2422844456812631),
    (900.0, 0.17840152675025714, 832.5055248243657, -0.05912189917992309),
    (1000.0, 0.4427191880578778, 832.5063220707887, 0.2397762877729958),
)
# planar, two elements, with the quadratic term, every 30 degrees of the first revolution
PLANAR = (
    0.009682321496005526,
    0.01174868719101565,
    0.005751629058717035,
    0.003952100768813037,
    -0.0008374126865728732,
    0.002976753417748565,
)
SPATIAL = (  # vxy and vxz
    (0.011251124504003857, 0.009754320642034882, 0.00879318540327393),
    (-0.021523039786499366, 0.008841491388842503, -0.012117567101911045),
)


def random_element(inertia: str = "full", nonlinear: bool = True):
    """A bent element in any place, with velocities; Euler parameters have length one."""
    rng = np.random.default_rng(3)
    triad = Rotation.random(random_state=5).as_matrix()
    element = Element(0.4, 2.0, (5.0, 2.0, 3.0, 4.0), nonlinear, triad, inertia)
    y, v = rng.normal(size=14), rng.normal(size=14)
    turn = Rotation.random(random_state=7)
    y[XP] = rng.normal(size=3)
    y[XQ] = y[XP] + (turn * Rotation.from_rotvec([0.1, 0.2, -0.1])).as_matrix() @ triad[:, 0] * 0.38
    for own, bend in ((LP, (0.1, -0.2, 0.15)), (LQ, (-0.12, 0.1, 0.2))):
        y[own] = (turn * Rotation.from_rotvec(bend)).as_quat()[[3, 0, 1, 2]]
        v[own] -= y[own] * (y[own] @ v[own])
    return element, y, v


def test_rotations_are_those_of_euler_parameters():
    turn = Rotation.random(random_state=2)
    lam = turn.as_quat()[[3, 0, 1, 2]]
    assert rotation(lam) == pytest.approx(turn.as_matrix(), abs=1e-15)
    R = Rotation.from_rotvec([0.3, -0.4, 0.2]).as_matrix()
    assert rotation(euler_parameters(R)) == pytest.approx(R, abs=1e-15)


def test_deformations_do_not_see_rigid_motion():
    element, y, _ = random_element()
    turn, shift = Rotation.random(random_state=11), np.array([3.0, -2.0, 5.0])
    moved = y.copy()
    for x in (XP, XQ):
        moved[x] = shift + turn.as_matrix() @ y[x]
    for own in (LP, LQ):
        moved[own] = (turn * Rotation.from_quat(y[own][[1, 2, 3, 0]])).as_quat()[[3, 0, 1, 2]]
    w, speed = np.array([0.7, -0.4, 1.1]), np.array([1.0, 2.0, 3.0])
    rigid = np.concatenate(
        [speed + np.cross(w, y[XP]), speed + np.cross(w, y[XQ])]
        + [0.5 * bar_matrix(y[x]).T @ rotation(y[x]).T @ w for x in (LP, LQ)]
    )
    one, other = (element.deformed(x, rigid) for x in (y, moved))
    assert np.abs(one.e).max() > 0.01
    assert other.e == pytest.approx(one.e, abs=1e-14)
    assert one.De @ rigid == pytest.approx(np.zeros(6), abs=1e-14)


@pytest.mark.parametrize("nonlinear", [False, True])
def test_derivatives_are_those_of_the_deformations(nonlinear):
    """Central differences, extrapolated: what is left is (h v/l)^4 of them, below 1e-8."""
    element, y, v = random_element(nonlinear=nonlinear)

    def along(h: float):
        a, b = element.deformed(y + h * v, v), element.deformed(y - h * v, v)
        return (a.e - b.e) / (2 * h), (a.De @ v - b.De @ v) / (2 * h)

    coarse, fine = along(2e-3), along(1e-3)
    first, second = ((4 * b - a) / 3 for a, b in zip(coarse, fine, strict=True))
    d = element.deformed(y, v)
    assert first == pytest.approx(d.De @ v, abs=1e-8)
    assert second == pytest.approx(d.e2, abs=1e-8)


def field(element: Element, y, s: float):
    """The place (4.18) of a point of the axis."""
    e = element.deformed(y, 0.0 * y).e
    (zp, yp), (zq, yq) = (
        (rotation(y[x]) @ element.triad[:, 2], rotation(y[x]) @ element.triad[:, 1])
        for x in (LP, LQ)
    )
    alpha, beta = s**3 - 2 * s**2 + s, s**2 - s**3
    bend = alpha * (e[2] * zp - e[4] * yp) + beta * (e[3] * zq - e[5] * yq)
    return (1 - s) * y[XP] + s * y[XQ] + bend


def test_inertia_is_that_of_the_field():
    """Kinetic energy and virtual power of accelerations by differences of (4.18)."""
    element, y, v = random_element()
    d = element.deformed(y, v)
    M, f = element.inertia_forces(y, v, d)
    nodes, weights = np.polynomial.legendre.leggauss(6)
    w = np.random.default_rng(9).normal(size=14)
    h, energy, power = 1e-3, 0.0, 0.0
    for s, weight in zip(0.5 * (nodes + 1), 0.5 * weights, strict=True):
        r = [field(element, y + k * h * v, s) for k in (-2, -1, 0, 1, 2)]
        rate = (r[0] - 8 * r[1] + 8 * r[3] - r[4]) / (12 * h)
        push = (-r[0] + 16 * r[1] - 30 * r[2] + 16 * r[3] - r[4]) / (12 * h * h)
        x = [field(element, y + k * h * w, s) for k in (-2, -1, 1, 2)]
        virtual = (x[0] - 8 * x[1] + 8 * x[2] - x[3]) / (12 * h)
        energy += weight * rate @ rate
        power += weight * push @ virtual
    size = element.m * element.l0
    assert 0.5 * v @ M @ v == pytest.approx(0.5 * size * energy, rel=1e-9)
    assert f @ w == pytest.approx(size * power, rel=1e-7)


def test_neglected_terms_are_of_second_and_first_order():
    """(4.28) leaves out what is quadratic in the deformations, (4.29) what is linear."""

    def differences(part: float):
        found = {}
        for inertia in ("full", "first", "none"):
            element, y, v = random_element(inertia)
            straight = y.copy()
            straight[XQ] = y[XP] + rotation(y[LP]) @ element.triad[:, 0] * element.l0
            straight[LQ] = y[LP]
            y = straight + part * (y - straight)
            found[inertia] = element.inertia_forces(y, v, element.deformed(y, v))[0]
        return [np.abs(found["full"] - found[x]).max() for x in ("first", "none")]

    one, half = differences(0.02), differences(0.01)
    assert one[0] / half[0] == pytest.approx(4.0, rel=0.1)
    assert one[1] / half[1] == pytest.approx(2.0, rel=0.1)


def test_lumped_bodies_turn_by_euler():
    """(4.13) against the rate of the angular momentum, with its virtual power."""
    element, y, v = random_element("lumped")
    a = np.random.default_rng(4).normal(size=14)
    for own in (LP, LQ):  # second rate of the length
        a[own] -= y[own] * (y[own] @ a[own] + v[own] @ v[own])
    M, f = element.inertia_forces(y, v, element.deformed(y, v))
    half = 0.5 * element.m * element.l0
    J = element.triad @ np.diag([0, 1, 1]) @ element.triad.T * half * (0.5 * element.l0) ** 2 / 3
    for own in (LP, LQ):
        bar = bar_matrix(y[own])
        w, push = 2 * bar @ v[own], 2 * bar @ a[own]
        torque = J @ push + np.cross(w, J @ w)
        virtual = 0.5 * bar.T @ np.array([0.3, -0.2, 0.6])  # keeps the length of lam
        given = (M @ a + f)[own] @ virtual
        assert given == pytest.approx(torque @ (2 * bar @ virtual), rel=1e-12)


class Swinging(SliderCrank):
    """The rod with its first end held: nothing does work."""

    speed = 0.0


def test_energy_is_kept_while_nothing_does_work():
    """The tolerance of the integration is 1e-10."""
    m = Swinging(2, 0.7, True)
    y, v = m.start()
    v = m.closed(0.0, y, np.random.default_rng(1).normal(size=m.size) * 3.0)[1]
    before = m.energy(y, v)
    ys, vs = m.run(y, v, np.array([0.0, 5e-4]), 1e-10)
    assert np.abs(ys[-1] - ys[0]).max() > 1e-3
    assert m.energy(ys[-1], vs[-1]) == pytest.approx(before, rel=1e-8)


@pytest.mark.slow
def test_frequencies_converge():
    """832.505 rad/s with two elements; the exact pi^2 sqrt(EI/m)/l^2 is met with order four."""
    exact = 829.2321403788675
    found = []
    for n in (2, 4):
        shaft = Shaft(n, 0.0, nonlinear=False)
        shaft.damping = 0.0
        found.append(float(np.abs(shaft.eigenvalues()).min()))
    assert found == pytest.approx([832.5050341577, 829.447460660439], rel=1e-9)
    order = np.log2((found[0] - exact) / (found[1] - exact))
    assert order == pytest.approx(4.0, abs=0.2)


@pytest.mark.parametrize(
    ("speed", "growth", "frequency", "simple"),
    [pytest.param(*row, marks=() if row[0] == 800.0 else pytest.mark.slow) for row in GROWTH],
)
def test_growth_rates_of_the_shaft(speed, growth, frequency, simple):
    values = Shaft(2, speed).eigenvalues()
    worst = values[np.argmax(values.real)]
    # turning axes see the whirl that moves with them slower by the speed, or the one against
    seen = (abs(worst.imag + s * speed) for s in (1, -1))
    assert worst.real == pytest.approx(growth, rel=1e-8, abs=1e-10)
    assert min(abs(x - frequency) for x in seen) < 1e-7
    values = Shaft(2, speed, inertia="none").eigenvalues()
    assert values.real.max() == pytest.approx(simple, rel=1e-8)


@pytest.mark.slow
def test_the_limit_without_small_terms_is_too_high():
    growth = [Shaft(2, w, inertia="none").eigenvalues().real.max() for w in (920.0, 921.0)]
    assert growth[0] < 0.0 < growth[1]
    with_terms = [Shaft(2, w, inertia="first").eigenvalues().real.max() for w in (832.5, 832.51)]
    assert with_terms[0] < 0.0 < with_terms[1]


def test_the_slider_crank_begins_as_printed():
    times = np.radians(np.arange(0, 91, 30)) / 150.0
    m = SliderCrank(2, 0.0, True)
    found = m.deflections(m.run(*m.start(), times[:3], 1e-6)[0])
    assert found[1:, 0] == pytest.approx(PLANAR[:2], abs=2e-4)
    assert np.abs(found[:, 1]).max() == 0.0


@pytest.mark.slow
def test_the_slider_crank_goes_on_as_printed():
    times = np.radians(np.arange(0, 181, 30)) / 150.0
    m = SliderCrank(2, 0.0, True)
    found = m.deflections(m.run(*m.start(), times, 1e-8)[0])
    assert found[1:, 0] == pytest.approx(PLANAR, abs=2e-4)
    m = SliderCrank(2, np.pi / 4, True)
    found = m.deflections(m.run(*m.start(), times[:4], 1e-8)[0])
    for k in (0, 1):
        assert found[1:, k] == pytest.approx(SPATIAL[k], abs=2e-4)


def test_the_rod_has_the_mass_of_its_volume():
    assert ROD.mass == pytest.approx(7870.0 * np.pi * 0.006**2 / 4 * 0.3)
