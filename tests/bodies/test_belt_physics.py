"""Running belts: the law of the capstan, elastic creep, and where its energy goes."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

# ------------------------------------------------------------------------------------- capstan

DRUM, THIN, PULL, SPEED, V0 = 0.2, 5e-4, 10.0, 0.2, 1e-3
LIMP = sp.Material(E=5e9, G=2e9, density=2000.0)


def band(wrap: float, laid: float, friction: sp.RoundedFriction | None, elements: int) -> sp.Model:
    """A cable over a drum, by the angle ``laid`` of ``wrap``, for whose length it is."""
    m = sp.Model(gravity=(0, 0, 0))
    start, length = (-0.3, 0, DRUM + 0.5 * THIN), 0.4 + DRUM * wrap
    damping = sp.Rayleigh(stiffness=1e-3)
    size = {"elements": elements, "damping": damping, "position": start}
    cable = m.add(sp.Cable("cable", length, sp.Circle(THIN), LIMP, **size))
    m.add(sp.Spherical("anchor", m.ground.at(*start), cable.at(0)))
    drum = m.add(sp.RigidBody("drum", 1.0, inertia=1e-2))
    m.add(sp.Revolute("axle", m.ground.at(0), drum.at(0), "y"))
    m.add(sp.Driver("motor", "axle", f"{SPEED / DRUM}*0.01*log(1+exp((t-0.03)/0.01))"))
    side = sp.Cylinder(drum.at(0), radius=DRUM, length=0.2, axis="y")
    law = sp.HuntCrossley(stiffness=1e7, exponent=1)
    m.add(sp.Contact("grip", sp.Line(cable, radius=0.5 * THIN), side, law, friction))
    force = (PULL * np.cos(laid), 0, -PULL * np.sin(laid))
    m.add(sp.Force("pull", cable.at(length), force=force))
    return m


def capstan(wrap: float, mu: float, elements: int) -> float:
    """Ratio of the tensions where the drum slides under the cable, over exp(mu wrap), less one."""
    state = None
    for laid in np.linspace(0.0, wrap, round(10 * wrap) + 1):
        state = sp.statics(band(wrap, laid, None, elements), start=state).state()
    model = band(wrap, wrap, sp.RoundedFriction(mu, transition=V0), elements)
    r = sp.simulate(model, 0.2, start=state, tolerance=1e-4)
    assert r["grip"].slip[-1] == pytest.approx(SPEED, rel=0.02)
    return float(np.linalg.norm(r["anchor"].force[-1]) / (PULL * np.exp(mu * wrap)) - 1.0)


# What is left: friction is rounded by (V0/SPEED)^2/2 = 1e-5 of it; bending takes EI/(T R^2) = 4e-5
# where the cable comes to the drum, and where it leaves; the piece before the first ball that
# touches may be turned by the depth, 8e-6 m, over the distance of balls, 0.0125 m, which is 6e-4
# rad times mu, and so may that behind the last one
@pytest.mark.parametrize(
    ("wrap", "mu", "coarse", "fine"),
    [(1.0, 0.5, 5e-3, 6e-4), pytest.param(0.8, 0.3, 5e-3, 4e-4, marks=pytest.mark.slow)],
)
def test_tensions_have_the_ratio_of_the_capstan(
    wrap: float, mu: float, coarse: float, fine: float
) -> None:
    """T1/T2 = exp(mu angle), whatever the radius and the stiffness; it converges with elements."""
    assert abs(capstan(wrap, mu, 8)) < coarse
    assert abs(capstan(wrap, mu, 24)) < fine


# --------------------------------------------------------------------------------------- creep

RADIUS, DISTANCE, SIZE, TENSION, EA, TORQUE = 0.1, 0.25, 1e-3, 30.0, 4000.0, 2.0
STIFFNESS, HOLD, MU, RATE = 4e6, 3e6, 0.5, 20.0
AREA = 0.25 * np.pi * SIZE**2
ELEMENTS, POINTS = 32, 128


def drive() -> sp.Model:
    """A belt that is driven at a steady rate and carries a torque to the other pulley."""
    m = sp.Model(gravity=(0, 0, 0))
    axis = RADIUS + 0.5 * SIZE - TENSION / (RADIUS * STIFFNESS)
    rubber = sp.Material(E=EA / AREA, G=0.4 * EA / AREA, density=1000.0)
    around = [(0, 0, axis), (DISTANCE, 0, axis)]
    damping = sp.Rayleigh(stiffness=1e-3)
    belt = sp.Belt("belt", around, sp.Circle(SIZE), rubber, ELEMENTS, TENSION, damping=damping)
    m.add(belt)
    m.add(sp.Free("air", m.ground.at(*belt.begin), belt.at(0)))
    law = sp.HuntCrossley(0.5, 1.0, STIFFNESS, exponent=1)
    friction = sp.Friction(MU, stiffness=HOLD, damping=1e-3 * HOLD)
    for k in range(2):
        wheel = m.add(sp.RigidBody(f"wheel{k}", 1.0, inertia=1e-3))
        m.add(sp.Revolute(f"axle{k}", m.ground.at(k * DISTANCE, 0, 0), wheel.at(0), "z"))
        side = sp.Cylinder(wheel.at(0), radius=RADIUS, length=0.5, axis="z")
        line = sp.Line(belt, radius=0.5 * SIZE, points=POINTS)
        m.add(sp.Contact(f"grip{k}", line, side, law, friction))
    m.add(sp.Driver("motor", "axle0", f"{RATE}*0.01*log(1+exp((t-0.03)/0.01))"))
    load = sp.Table([0.0, 0.06, 0.09, 9.0], [0.0, 0.0, -TORQUE, -TORQUE], "linear")
    m.add(sp.JointEffort("brake", "axle1", load))
    return m


def rise(values: np.ndarray) -> float:
    return float(values[-1] - values[0])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
def test_a_belt_that_carries_a_torque_creeps() -> None:
    """What a belt carries is lost as creep, and its power as slip.

    Of the length without load as much comes to either pulley, at the stretch of its span: speeds of
    the axis are as stretches, 1 - (T1 - T2)/EA. Pulleys turn with them over the radius of the axis
    where the belt comes to each, which is pressed in by T/(R k), 1e-4 m. On its way in it is held
    already, over some sqrt(T/k) = 3 mm, by bristles which are sqrt(EA/HOLD) = 37 mm long: together
    some 1e-4 3/37 of it, 1e-5 m or 1e-4 of R, 2 % of the creep.
    """
    m = drive()
    r = sp.simulate(m, 0.3, tolerance=2e-4, output=np.arange(0.0, 0.3001, 1e-3))
    assert r.success
    passage = m["belt"].length / ELEMENTS / (RATE * RADIUS)
    late = r.t > r.t[-1] - 5 * passage
    strain, nodes = r["belt"].axial_strain[late], r["belt"].nodes[late]
    middle = np.abs(nodes[:, : strain.shape[1], 0] - 0.5 * DISTANCE) < 0.08
    upper = middle & (nodes[:, : strain.shape[1], 1] > 0.0)
    stretches = [np.sqrt(1.0 + 2.0 * strain[where].mean()) for where in (upper, middle & ~upper)]
    pulls = [EA * 0.5 * (s**2 - 1.0) * s for s in stretches]
    tight, slack = (pulls.index(f(pulls)) for f in (max, min))
    axes = [RADIUS + 0.5 * SIZE - pulls[k] / (RADIUS * STIFFNESS) for k in (tight, slack)]
    ratio = stretches[slack] / stretches[tight] * axes[0] / axes[1]
    turned = [rise(r[f"axle{k}"].angle[late]) for k in range(2)]
    assert 1.0 - turned[1] / turned[0] == pytest.approx(1.0 - ratio, rel=0.02)
    transmitted = pulls[tight] - pulls[slack]
    assert transmitted * axes[1] == pytest.approx(TORQUE, rel=0.01)
    assert 1.0 - stretches[slack] / stretches[tight] == pytest.approx(transmitted / EA, rel=0.05)
    # energy: that of the audit, and the power of slip; push and belt damp some 5 % more
    assert np.abs(r.energy.error).max() < 1e-3 * r.energy.record.exchanged
    given = rise(np.asarray(r["motor"].work)[late]) - TORQUE * turned[1]
    taken = sum(rise(r[f"grip{k}"].lost_by_friction[late]) for k in range(2))
    creep = transmitted * axes[0] * (turned[0] - turned[1])
    assert taken == pytest.approx(creep, rel=0.05)
    assert given > taken
