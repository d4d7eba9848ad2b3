"""Limits of stability against exact ones: rotors, follower loads, springs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple as sp
from models.columns import column
from models.rotors import jeffcott
from models.trusses import link, truss
from supple.foundation.errors import ModelError, SuppleWarning

# ------------------------------------------------------------------------------------ rotors


@pytest.mark.parametrize("driven", [True, False])
@pytest.mark.parametrize(("inner", "outer"), [(2.0, 1.0), (3.0, 0.5)])
def test_a_rotor_with_damping_of_its_shaft(inner: float, outer: float, driven: bool) -> None:
    """Unstable from (1 + outer / inner) of the critical speed of 100 rad/s on.

    It whirls forward with 100 rad/s: seen in the rotor, the difference. Below, growth rates are
    those of m z'' + (ci + ce) z' + (k - i W ci) z = 0 in the world.
    """
    found = sp.stability(jeffcott(inner, outer, driven), "turn", [0.0, 60.0, 110.0, 230.0])
    exact = 100.0 * (1.0 + outer / inner)
    (limit,) = found.limits
    assert limit.value == pytest.approx(exact, rel=1e-10)
    assert limit.kind == "flutter"
    assert limit.becomes == "unstable"
    assert 2 * np.pi * limit.frequency == pytest.approx(exact - 100.0, rel=1e-8)
    assert found.limit == limit.value
    assert found.stable.tolist() == [True, True, True, False]
    for speed, growth in zip(found.values, found.growth, strict=True):
        roots = np.roots([1.0, inner + outer, 1e4 - 1j * speed * inner])
        assert growth == pytest.approx(np.max(roots.real), rel=1e-8)


def test_damping_does_not_make_an_equilibrium_in_rotation_unstable() -> None:
    """Below its critical speed all stiffnesses are positive, above it two are not."""
    assert sp.statics(jeffcott(), spin={"turn": 50.0}).stable
    assert not sp.statics(jeffcott(), spin={"turn": 110.0}).stable


def test_a_blade_of_several_bodies_has_its_frequencies_at_speed() -> None:
    """Against the exact ones of `cases.beams.rotating`, with eight parts; no limit is found."""
    from supple.cases.beams.rotating import UNIT_MATERIAL, UNIT_SECTION
    from supple.cases.case import references

    m = sp.Model(name="blade")
    hub = m.add(sp.RigidBody("hub", 1.0, inertia=(1.0, 1.0, 1.0)))
    m.add(sp.Revolute("turn", m.ground.at(0), hub.at(0), axis="z"))
    m.add(sp.Driver("motor", "turn", 0.0))
    before: Any = hub.at(0)
    for k in range(8):
        part = m.add(
            sp.Beam(
                f"part{k}", 0.125, UNIT_SECTION, UNIT_MATERIAL, 1,
                rotary_inertia=False, stiffening="second_order",
            )
        )  # fmt: skip
        m.add(sp.Fixed(f"weld{k}", before, part.at(0)))
        before = part.at(0.125)
    found = sp.stability(m, "turn", [0.0, 4.0, 8.0])
    assert np.all(found.stable)
    known = references("rotating")["rotating-beam"]["flap"]
    for speed, linear in zip((0, 4, 8), found.linear, strict=True):
        flap = known[str(speed)][0]
        lag = np.sqrt(flap**2 - speed**2)
        lowest = 2 * np.pi * np.sort(linear.frequencies)[:2]
        assert lowest == pytest.approx([lag, flap], rel=2e-3)


def test_a_rotor_that_the_air_alone_damps_is_stable() -> None:
    """The limit moves away with less damping of the shaft; the sign of it decides."""
    found = sp.stability(jeffcott(0.0, 1.0), "turn", [0.0, 100.0, 1000.0])
    assert np.all(found.stable)
    assert found.limits == ()
    assert found.limit is None
    assert "stable at all values" in found.message


def test_a_rotor_without_damping_is_stable_beyond_its_critical_speed() -> None:
    """Its stiffness as seen in the rotor is negative there; Coriolis forces hold it."""
    found = sp.stability(jeffcott(0.0, 0.0), "turn", [0.0, 50.0, 150.0, 300.0])
    assert np.all(found.stable)
    assert np.abs(found.growth) == pytest.approx(0.0, abs=1e-8)
    for speed, linear in zip(found.values, found.linear, strict=True):
        whirl = sorted([abs(100.0 - speed), 100.0 + speed])
        assert 2 * np.pi * linear.frequencies[:2] == pytest.approx(whirl, rel=1e-8)


@pytest.mark.slow
def test_a_shaft_that_is_not_round_is_unstable_between_two_speeds() -> None:
    """Stiffnesses k1, k2 that turn along: unstable from sqrt(k1/m) to sqrt(k2/m)."""
    m = jeffcott(0.0, 0.0)
    m.replace("k1", stiffness=1.21e4)
    found = sp.stability(m, "turn", np.linspace(0.0, 200.0, 21) + 3.0)
    assert [x.becomes for x in found.limits] == ["unstable", "stable"]
    assert [x.kind for x in found.limits] == ["divergence", "divergence"]
    assert [x.value for x in found.limits] == pytest.approx([100.0, 110.0], rel=1e-10)


def test_the_limit_at_a_given_value_is_found() -> None:
    """A value at the very limit: rounding decides whether it is stable."""
    found = sp.stability(jeffcott(), "turn", [149.9, 150.0, 150.1])
    assert [x.value for x in found.limits] == [pytest.approx(150.0, rel=1e-10)]


def beam_shaft(speed: float, parts: int = 2) -> float:
    """Growth of cubic elements in the plane, whose whirl is that of z'' = ... in the world.

    M z'' + Ev/E K (z' - i W z) + K z = 0: damping belongs to the shaft that turns.
    """
    from scipy.linalg import eigh

    E, d, rho, length, lag = 200e9, 0.006, 7870.0, 0.3 / parts, 1.27e6 / 200e9
    EI, mass = E * np.pi * d**4 / 64, rho * np.pi * d**2 / 4
    h = length
    k = EI / h**3 * np.array(
        [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
         [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
    )  # fmt: skip
    m = mass * h / 420 * np.array(
        [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
         [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]
    )  # fmt: skip
    n = 2 * (parts + 1)
    K, M = np.zeros((n, n)), np.zeros((n, n))
    for e in range(parts):
        at = slice(2 * e, 2 * e + 4)
        K[at, at] += k
        M[at, at] += m
    keep = [i for i in range(n) if i not in (0, n - 2)]
    squares = eigh(K[np.ix_(keep, keep)], M[np.ix_(keep, keep)], eigvals_only=True)
    roots = [np.roots([1.0, lag * w2, w2 * (1.0 - 1j * lag * speed)]) for w2 in squares]
    return float(np.max(np.real(roots)))


@pytest.mark.filterwarnings("ignore::supple.foundation.errors.SuppleWarning")
@pytest.mark.slow
def test_jonkers_shaft_loses_stability_at_its_critical_speed() -> None:
    """Two elements: the limit 832.505034 rad/s, and growth rates at constant speed."""
    from supple.cases.linkages.spacar import bending, shaft

    speeds = [0.0, 800.0, 835.0, 900.0]
    found = sp.stability(shaft(), "spin", speeds, formulation=bending())
    assert found.limit == pytest.approx(832.505034, abs=5e-7)
    assert found.growth == pytest.approx([-2.20048, -0.085917, 0.006595, 0.178402], abs=1e-6)
    exact = [beam_shaft(speed) for speed in found.values]
    assert found.growth == pytest.approx(exact, rel=1e-8)
    from scipy.optimize import brentq

    assert found.limit == pytest.approx(brentq(beam_shaft, 800, 900, xtol=1e-10), rel=1e-10)


def test_small_motion_about_a_driven_rotation_is_steady() -> None:
    """A bearing that brakes: the effort that keeps the speed stays, and nothing accelerates.

    The conical pendulum has w^2 = W^2 sin^2 a about its angle if the speed is kept (Driver), and
    W^2 (1 + 3 cos^2 a) of a free shaft without inertia.
    """
    m = sp.Model(gravity=(0, 0, -9.81))
    light = m.add(sp.RigidBody("shaft", 1e-6, inertia=1e-9))
    rod = m.add(sp.RigidBody("rod", 2.0, com=(0, 0, -0.5), inertia=1e-9))
    m.add(sp.Revolute("turn", m.ground.at(0), light.at(0), axis="z"))
    m.add(sp.Revolute("hinge", light.at(0), rod.at(0), axis="y", initial=0.4))
    m.add(sp.JointSpring("bearing", "turn", stiffness=0.0, damping=1e-6))
    steady = sp.statics(m, spin={"turn": 6.0})
    angle = steady["hinge"].angle[0]
    assert steady.drive["turn"][0] == pytest.approx(6e-6)
    linear = sp.linearize(m, steady)
    assert linear.unsteady < 1e-9
    whirl = 6.0 * np.sqrt(1.0 + 3.0 * np.cos(angle) ** 2)
    assert 2 * np.pi * linear.frequencies[-1] == pytest.approx(whirl, rel=1e-5)
    m.add(sp.Driver("motor", "turn", 0.0))
    kept = sp.linearize(m, sp.statics(m, spin={"turn": 6.0}))
    assert 2 * np.pi * kept.frequencies == pytest.approx([6.0 * np.sin(angle)], rel=1e-6)


def test_a_hanging_rod_diverges_at_a_speed() -> None:
    """Omega^2 = g / l, past which the state on the axis is still followed."""
    m = sp.Model(gravity=(0, 0, -9.81))
    shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=0.1))
    rod = m.add(sp.RigidBody("rod", 2.0, com=(0, 0, -0.5), inertia=1e-12))
    m.add(sp.Revolute("turn", m.ground.at(0), shaft.at(0), axis="z"))
    m.add(sp.Revolute("hinge", shaft.at(0), rod.at(0), axis="y"))
    m.add(sp.Driver("motor", "turn", 0.0))
    found = sp.stability(m, "turn", np.linspace(0.0, 8.0, 5))
    (limit,) = found.limits
    assert limit.kind == "divergence"
    assert limit.value == pytest.approx(np.sqrt(9.81 / 0.5), rel=1e-10)
    assert found.stable.tolist() == [True, True, True, False, False]
    # 2 kg at 0.5 m: s^2 = W^2 - g/l
    assert found.growth[-1] == pytest.approx(np.sqrt(64.0 - 9.81 / 0.5), rel=1e-8)


# ------------------------------------------------------------------------------------ loads


def ziegler() -> sp.Model:
    """Two bars of length 1 with masses 2 and 1 at their ends, springs of 1, a follower load of 1 N.

    H. Ziegler, Ing.-Arch. 20 (1952): without damping it flutters from 7/2 - sqrt 2 on.
    """
    m = sp.Model(name="double pendulum")
    before: Any = m.ground.at(0)
    for k, mass in ((1, 2.0), (2, 1.0)):
        bar = m.add(sp.RigidBody(f"bar{k}", 1e-9, inertia=1e-9))
        m.add(sp.PointMass(f"mass{k}", bar.at(1.0), mass))
        m.add(sp.Revolute(f"pin{k}", before, bar.at(0)))
        m.add(sp.JointSpring(f"coil{k}", f"pin{k}", stiffness=1.0))
        before = bar.at(1.0)
    m.add(sp.Force("press", before, force=(-1.0, 0, 0), axes="body"))
    return m


def test_zieglers_pendulum_flutters() -> None:
    found = sp.stability(ziegler(), "press", np.linspace(0.0, 4.0, 9))
    (limit,) = found.limits
    assert limit.kind == "flutter"
    assert limit.value == pytest.approx(3.5 - np.sqrt(2.0), rel=1e-7)  # 1e-9 of masses of bars


def test_damping_destabilizes_zieglers_pendulum() -> None:
    """With equal, vanishing damping of both hinges 41/28."""
    m = ziegler()
    for k in (1, 2):
        m.replace(f"coil{k}", damping=1e-4)
    found = sp.stability(m, "press", np.linspace(0.0, 4.0, 9))
    assert found.limit == pytest.approx(41.0 / 28.0, rel=1e-6)


def test_half_of_a_load_that_follows_diverges() -> None:
    """Half of the load keeps its direction: 1 - 1.5 p + 0.5 p^2 = 0, p = 1 and 2.

    A load factor exists, and is the limit here; that it need not be is told.
    """
    m = ziegler()
    m.replace("press", force=(-0.5, 0, 0))
    m.add(sp.Force("dead", m["bar2"].at(1.0), force=(-0.5, 0, 0)))
    with pytest.warns(SuppleWarning, match="one of divergence; the model may flutter"):
        found = sp.buckling(m, count=2)
    assert found.follows_motion
    assert found.factors == pytest.approx([1.0, 2.0], rel=1e-8)
    limit = sp.stability(m, "loads", np.linspace(0.0, 1.5, 4)).limits[0]
    assert (limit.kind, limit.value) == ("divergence", pytest.approx(1.0, rel=1e-8))
    with pytest.warns(SuppleWarning, match="another path crosses"):
        path = sp.statics(m, follow="loads", until=1.5)
    assert path.critical == pytest.approx(1.0, rel=1e-8)


def test_becks_column_flutters_and_does_not_buckle() -> None:
    """20.05 E I / L^2 (M. Beck, 1952), eight times the load at which a dead load buckles it."""
    unit = np.pi**2  # of the load of this column, in E I / L^2
    found = sp.stability(column("free", 8, "body"), "press", np.linspace(0.0, 24.0, 7) / unit)
    (limit,) = found.limits
    assert limit.kind == "flutter"
    assert limit.value * unit == pytest.approx(20.051, rel=1e-3)
    assert 2 * np.pi * limit.frequency > 1.0
    path = sp.statics(column("free", 4, "body"), follow="press", until=24.0 / unit)
    assert path.follows_motion
    assert path.critical is None
    assert "may flutter, see stability" in path.message
    assert np.all(path.stable[path.load < 20.0 / unit])
    assert not np.any(path.stable[path.load > 20.2 / unit])


def test_a_dead_load_diverges() -> None:
    found = sp.stability(column("free"), "press", [0.0, 0.1, 0.2, 0.4])
    (limit,) = found.limits
    assert limit.kind == "divergence"
    assert limit.value == pytest.approx(0.25, rel=5e-4)
    assert limit.value == pytest.approx(sp.buckling(column("free")).factors[0], rel=1e-3)


def test_a_state_that_ends_is_told() -> None:
    """The truss snaps through at 0.3019: there is no state near by beyond it."""
    with pytest.warns(SuppleWarning, match=r"the state ends near push = 0\.3019"):
        found = sp.stability(truss(), "push", [0.0, 0.1, 0.2, 0.25, 0.5])
    assert found.values.tolist() == [0.0, 0.1, 0.2, 0.25]
    assert np.all(found.stable)
    assert "ends near" in found.message


# ------------------------------------------------------------------------------------ parameters


def test_a_field_and_a_function() -> None:
    """A link under its load of 1 N is stable with a spring of more than 1 N m."""
    for over in ("coil.stiffness", _softened):
        found = sp.stability(link(), over, [0.2, 0.6, 1.5, 2.0])
        (limit,) = found.limits
        assert (limit.kind, limit.becomes) == ("divergence", "stable")
        assert limit.value == pytest.approx(1.0, rel=1e-10)
        assert found.limit is None
    assert found.plot().axes[0].get_ylabel() == "growth (1/s)"
    assert "divergence" in repr(found)


def _softened(value: float) -> sp.Model:
    m = link()
    m.replace("coil", stiffness=value)
    return m


def test_sentences_about_stability() -> None:
    m = link()
    with pytest.raises(ModelError, match="stability: over is 'foo', expected a joint"):
        sp.stability(m, "foo", [0.0, 1.0])
    with pytest.raises(ModelError, match="stability: over is 3"):
        sp.stability(m, 3, [0.0, 1.0])  # type: ignore[arg-type]
    for values in ([], [1.0, 0.5], [[0.0, 1.0]], "all"):
        with pytest.raises(ModelError, match="stability: values is"):
            sp.stability(m, "press", values)
    with pytest.raises(ModelError, match=r"over\(0\) is None, expected a Model"):
        sp.stability(m, lambda value: None, [0.0, 1.0])  # type: ignore[arg-type, return-value]
    with pytest.raises(ModelError, match="there is no field 'stifness'"):
        sp.stability(m, "coil.stifness", [0.0, 1.0])
