"""Models that change at events: joints that lock, unlock and let go."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from models.random_loops import LoopRecipe
from models.random_models import KINDS, Recipe
from supple.foundation.errors import ModelError

G = 9.81
# Errors of a run at the default tolerance, relative to lengths and rates of order one
RUN = 1e-5
ROUNDING = 1e-12


def discs(backwards: bool = False) -> sp.Model:
    """Two coaxial discs; the second turns on the first."""
    m = sp.Model(gravity=(0, 0, 0), name="discs")
    a = m.add(sp.RigidBody("a", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 2.0)))
    b = m.add(sp.RigidBody("b", mass=1.0, com=(0, 0, 0), inertia=(2, 2, 3.0)))
    m.add(sp.Revolute("base", m.ground.at(0), a.at(0), axis="z", initial_rate=5.0))
    if backwards:
        m.add(sp.Revolute("clutch", b.at(0), a.at(0), axis="z", initial_rate=4.0))
    else:
        m.add(sp.Revolute("clutch", a.at(0), b.at(0), axis="z", initial_rate=-4.0))
    return m


METHODS = [
    sp.Radau(),
    sp.DormandPrince(),
    sp.DormandPrince(constraints="partitioning"),
    sp.DormandPrince(constraints="baumgarte"),
    sp.GeneralizedAlpha(),
    sp.HHT(),
    sp.Newmark(step=1e-3),
]


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_latching_discs(method, backwards, formulation):
    """I1 w1 + I2 w2 = (I1 + I2) w; the energy lost is that of the relative motion."""
    m, value = discs(backwards), 1.57 if backwards else -1.57
    latch = sp.Event("latched", "clutch", value=value, then=sp.Lock("clutch"))
    r = sp.simulate(m, 1.0, events=latch, integrator=method, formulation=formulation, output=40)
    assert r.success, r.message
    (change,) = r.changes
    assert change.t == pytest.approx(1.57 / 4.0, abs=1e-9)
    assert [e.name for e in r.events] == ["latched"]
    w = (2.0 * 5.0 + 3.0 * 1.0) / 5.0
    late = r.t > change.t
    np.testing.assert_allclose(r["base"].angle_rate[late], w, rtol=1e-9)
    np.testing.assert_allclose(r["clutch"].angle[late], value, rtol=1e-9)
    np.testing.assert_allclose(r["clutch"].angle_rate[late], 0.0, atol=1e-9)
    lost = 0.5 * 2.0 * 3.0 / 5.0 * 4.0**2
    assert change.lost == pytest.approx(lost, rel=1e-9)
    np.testing.assert_allclose(r.energy.lost, np.where(late, change.lost, 0.0))
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-9 * lost)
    assert r.energy.level == "trusted"
    sign = -1.0 if backwards else 1.0  # the disc with w = 1 is taken along
    np.testing.assert_allclose(change.impulses["clutch"], sign * 3.0 * (w - 1.0), rtol=1e-9)
    momentum = r.data.history.momentum
    np.testing.assert_allclose(momentum[:, 2], 13.0, rtol=1e-9)
    before, after = change.before, change.after
    assert before.rates("base")[0] == pytest.approx(5.0, rel=1e-9)
    assert after.rates("base")[0] == pytest.approx(w, rel=1e-9)
    assert after.rates("clutch")[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", ["BDF", "Adams"])
def test_latching_discs_by_sundials(name):
    pytest.importorskip("sksundae")
    latch = sp.Event("latched", "clutch", value=-1.57, then=sp.Lock("clutch"))
    if name == "Adams":
        integrator = sp.Adams()
        formulation = None
    else:
        integrator, formulation = sp.BDF(), sp.Absolute()
    r = sp.simulate(discs(), 1.0, events=latch, integrator=integrator, formulation=formulation)
    assert r.success, r.message
    assert r["base"].angle_rate[-1] == pytest.approx(2.6, rel=1e-7)


def test_energy_scheme_says_that_it_does_not_lock():
    latch = sp.Event("latched", "clutch", value=-1.57, then=sp.Lock("clutch"))
    with pytest.raises(
        ModelError, match=r"EnergyScheme: 'clutch' lock or let go in the run, which"
    ):
        sp.simulate(
            discs(), 1.0, events=latch,
            integrator=sp.EnergyScheme(step=1e-3), formulation=sp.Absolute(),
        )  # fmt: skip


def pendulum(joint: str = "pin", rate: float = 0.0) -> sp.Model:
    m = sp.Model(gravity=(0, -G, 0), name="pendulum")
    body = m.add(sp.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.01, 0.02, 0.03)))
    m.add(sp.Revolute(joint, m.ground.at(0), body.at(0), axis="z", initial=-0.5, initial_rate=rate))
    return m


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
@pytest.mark.parametrize("method", [*METHODS[:3], *METHODS[4:6]])
def test_released_pendulum_flies_on_a_parabola(method, formulation):
    m = pendulum(rate=6.0)
    let_go = sp.Event("let go", "pin", value=0.3, then=sp.Release("pin"))
    r = sp.simulate(m, 1.0, events=let_go, integrator=method, formulation=formulation, output=50)
    assert r.success, r.message
    (change,) = r.changes
    assert change.lost == pytest.approx(0.0, abs=1e-10)
    late = r.t >= change.t
    bob = r["bob"].at(1.0)
    w = change.before.rates("pin")[0]
    # energy gives the rate at the release
    I = 0.03 + 2.0
    known = np.sqrt(36.0 - 2.0 * 2.0 * G * (np.sin(0.3) - np.sin(-0.5)) / I)
    tight = RUN if "Alpha" in repr(method) or "HHT" in repr(method) else 1e-7
    assert w == pytest.approx(known, rel=tight)
    s = r.t[late] - change.t
    x0 = np.array([np.cos(0.3), np.sin(0.3), 0.0])
    v0 = w * np.array([-np.sin(0.3), np.cos(0.3), 0.0])
    path = x0 + np.outer(s, v0) + 0.5 * np.outer(s**2, [0.0, -G, 0.0])
    np.testing.assert_allclose(bob.position[late], path, atol=10 * tight)
    np.testing.assert_allclose(r["bob"].angular_velocity[late][:, 2], w, rtol=tight)
    assert np.all(np.isnan(r["pin"].angle[late])) and not np.any(np.isnan(r["pin"].angle[~late]))
    np.testing.assert_allclose(r["pin"].reaction[late], 0.0, atol=1e-9)
    assert r.energy.level == "trusted", r.verdict


@pytest.mark.parametrize("joint", ["spherical", "universal", "fixed", "backwards"])
def test_other_joints_let_go(joint):
    """Behind the release the mass centre is in free flight, whatever the joint was."""
    m = sp.Model(gravity=(0, -G, 0), name="drop")
    carrier = m.add(sp.RigidBody("carrier", mass=3.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2)))
    load = m.add(sp.RigidBody("load", mass=2.0, com=(0.4, 0.1, 0), inertia=(0.01, 0.02, 0.03)))
    m.add(sp.Revolute("arm", m.ground.at(0), carrier.at(0), axis="z", initial_rate=3.0))
    A, B = carrier.at(1.0), load.at(0)
    made = {
        "spherical": lambda: sp.Spherical("bolt", A, B, initial_rate=(1.0, 0.5, -0.7)),
        "universal": lambda: sp.Universal("bolt", A, B, ("x", "z"), initial_rate=(1.0, -0.5)),
        "fixed": lambda: sp.Fixed("bolt", A, B),
        "backwards": lambda: sp.Revolute("bolt", B, A, axis="z", initial_rate=2.0),
    }
    m.add(made[joint]())
    r = sp.simulate(m, 0.6, events=sp.Event("cut", at=0.2, then=sp.Release("bolt")), output=60)
    plain = sp.simulate(m, 0.2, output=[0.2])
    assert r.success, r.message
    assert r.changes[0].t == 0.2
    centre = r["load"].at(0.4, 0.1, 0.0)
    start = plain["load"].at(0.4, 0.1, 0.0)
    s = r.t[r.t >= 0.2] - 0.2
    path = start.position[0] + np.outer(s, start.velocity[0])
    path[:, 1] -= 0.5 * G * s**2
    np.testing.assert_allclose(centre.position[r.t >= 0.2], path, atol=RUN)
    assert r.energy.level == "trusted", r.verdict
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-5)


def stage_pair() -> sp.Model:
    """A launcher of two stages in flight, joined by a weld."""
    m = sp.Model(gravity=(0, 0, 0), name="stages")
    one = m.add(sp.RigidBody("one", mass=5.0, com=(0.2, 0, 0), inertia=(1, 3, 3)))
    two = m.add(sp.RigidBody("two", mass=2.0, com=(0.5, 0, 0), inertia=(0.3, 0.5, 0.5)))
    m.add(sp.Free("flight", m.ground.at(0), one.at(0), initial_rate=(0.3, 0.2, 1.0, 4.0, 0, 0)))
    m.add(sp.Fixed("bolt", one.at(1.0), two.at(0)))
    m.add(sp.SpringDamper("pusher", one.at(1.0), two.at(0.2), stiffness=500.0, length=0.4))
    return m


def test_separating_stages_keep_momentum_and_energy():
    m = stage_pair()
    r = sp.simulate(m, 1.0, events=sp.Event("separation", at=0.3, then=sp.Release("bolt")))
    momentum = r.data.history.momentum
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(r.t), 1)), atol=1e-6)
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-5)
    gap = np.linalg.norm(r["two"].position - r["one"].at(1.0).position, axis=1)
    assert np.max(gap[r.t < 0.3]) < 1e-9 < 0.01 < gap[-1]
    assert r.changes[0].lost == pytest.approx(0.0, abs=1e-9)
    assert len(r.momentum) == 6 and r.momentum.level == "trusted", r.momentum.verdict
    size = np.max(np.abs(momentum))
    assert all(record.max_error < 1e-6 * size for record in r.momentum)
    assert sorted(abs(x.initial) for x in r.momentum) == pytest.approx(sorted(np.abs(momentum[0])))


def panels(flexible: bool = False, n: int = 2) -> sp.Model:
    """Panels that springs unfold on a body in free flight."""
    m = sp.Model(gravity=(0, 0, 0), name="panels")
    hub = m.add(sp.RigidBody("hub", mass=20.0, com=(0, 0, 0), inertia=(2, 2, 3)))
    m.add(sp.Free("flight", m.ground.at(0), hub.at(0)))
    for k, side in enumerate((1.0, -1.0)[:n]):
        if flexible:
            part = m.add(
                sp.Beam(
                    f"panel{k}", length=1.0, section=sp.Rectangle(0.05, 0.01),
                    material=sp.Material(E=7e10, G=2.6e10, density=2700.0),
                    elements=2, modes=2,
                )
            )  # fmt: skip
        else:
            part = m.add(
                sp.RigidBody(f"panel{k}", mass=2.0, com=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2))
            )
        turn = None if side > 0 else (0.0, np.pi, 0.0)
        at = hub.at(0.3 * side, 0, 0) if turn is None else hub.at(0.3 * side, 0, 0, rotation=turn)
        m.add(sp.Revolute(f"hinge{k}", at, part.at(0), axis="z", initial=-1.5))
        m.add(sp.JointSpring(f"spring{k}", f"hinge{k}", stiffness=2.0, rest=0.3))
    return m


def latches(n: int = 2) -> list[sp.Event]:
    return [
        sp.Event(f"latch{k}", f"hinge{k}", value=0.0, then=sp.Lock(f"hinge{k}")) for k in range(n)
    ]


def test_two_panels_latch_at_one_instant():
    """Symmetric panels: both latch, nothing turns afterwards, momentum stays zero."""
    r = sp.simulate(panels(), 4.0, events=latches())
    assert r.success, r.message
    assert len(r.changes) == 1 and sorted(r.changes[0].events) == ["latch0", "latch1"]
    end = r.state()
    for name in ("hinge0", "hinge1"):
        assert end.rates(name)[0] == pytest.approx(0.0, abs=1e-12)
        assert end.coordinates(name)[0] == pytest.approx(0.0, abs=1e-8)
    np.testing.assert_allclose(r.data.history.momentum, 0.0, atol=1e-8)
    assert r.momentum.level == "trusted", r.momentum.verdict
    assert r.energy.level == "trusted", r.verdict


def test_panels_that_latch_one_after_the_other():
    m = panels()
    m.replace("hinge1", initial=-1.0)
    r = sp.simulate(m, 4.0, events=latches())
    assert len(r.changes) == 2 and [e.name for e in r.events] == ["latch0", "latch1"]
    np.testing.assert_allclose(r.data.history.momentum, 0.0, atol=1e-7)
    assert r.momentum.level == "trusted", r.momentum.verdict
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-6)
    other = sp.simulate(m, 4.0, events=latches(), formulation=sp.Absolute())
    for a, b in zip(r.changes, other.changes, strict=True):
        assert a.t == pytest.approx(b.t, abs=1e-6)
        assert a.lost == pytest.approx(b.lost, rel=1e-5)
        for name, impulse in a.impulses.items():
            np.testing.assert_allclose(b.impulses[name], impulse, atol=1e-6)


def test_lock_unlock_and_lock_again():
    m = discs()
    events = [
        sp.Event("first", at=0.1, then=sp.Lock("clutch")),
        sp.Event("again", at=0.2, then=sp.Lock("clutch")),
        sp.Event("open", at=0.3, then=sp.Unlock("clutch")),
        sp.Event("gone", at=0.4, then=sp.Release("clutch")),
    ]
    m.add(sp.JointEffort("drive", "clutch", 1.0))
    r = sp.simulate(m, 0.6, events=events, output=60)
    assert r.success, r.message
    assert [c.lost for c in r.changes] == pytest.approx([r.changes[0].lost, 0, 0, 0], abs=1e-9)
    angle = r["clutch"].angle
    held = (r.t >= 0.1) & (r.t < 0.3)
    assert np.ptp(angle[held]) < ROUNDING
    np.testing.assert_allclose(r["clutch"].effort[held], 0.0, atol=1e-9)  # held against the drive
    free = (r.t >= 0.3) & (r.t < 0.4)
    accelerations = np.array([1.0 / 3.0 + 1.0 / 2.0])
    np.testing.assert_allclose(r["clutch"].angle_acceleration[free], accelerations[0], rtol=1e-9)
    assert np.all(np.isnan(angle[r.t >= 0.4]))
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-8)


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_locking_a_pose(kind, absolute):
    """Two bodies in flight become one: momenta and pose are kept, the reaction moves both."""
    m = sp.Model(gravity=(0, 0, 0), name="docking")
    a = m.add(sp.RigidBody("a", mass=3.0, com=(0.1, 0, 0), inertia=(1, 2, 2.5)))
    b = m.add(sp.RigidBody("b", mass=2.0, com=(0.3, 0.2, 0), inertia=(0.5, 0.4, 0.6)))
    m.add(sp.Free("flight", m.ground.at(0), a.at(0), initial_rate=(0.2, 0.4, 0.1, 1, 0, 0)))
    where = a.at(0.5, rotation=(0.2, 0.1, -0.3)), b.at(0, 0.1, 0, rotation=(0, 0.4, 0))
    if kind == "spherical":
        m.add(sp.Spherical("link", *where, initial_rate=(0.8, -0.6, 1.0)))
    else:
        m.add(sp.Free("link", *where, initial_rate=(0.8, -0.6, 1.0, 0.3, 0.2, -0.1)))
    dock = sp.Event("dock", at=0.5, then=sp.Lock("link"))
    r = sp.simulate(m, 1.0, events=dock, formulation=sp.Absolute() if absolute else None, output=50)
    assert r.success, r.message
    momentum = r.data.history.momentum
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(r.t), 1)), atol=1e-6)
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-6)
    assert r.changes[0].lost > 0.1
    late = r.t >= 0.5
    pose = r["link"].coordinates[late]
    np.testing.assert_allclose(pose, np.tile(pose[0], (late.sum(), 1)), atol=1e-7)
    # Newton for b alone: the load of the joint is the rate of its momentum
    body = r["b"]
    centre = body.at(0.3, 0.2, 0.0)
    np.testing.assert_allclose(
        r["link"].wrench[late][:, 3:], 2.0 * centre.acceleration[late], atol=1e-6
    )
    impulse = r.changes[0].impulses["link"]
    assert impulse.shape == (3 if kind == "spherical" else 6,)


def test_locked_joint_is_a_weld():
    """Behind a lock the motion is that of a model with a weld in that place."""
    m = sp.Model(gravity=(0, -G, 0), name="arm")
    one = m.add(sp.RigidBody("one", mass=2.0, com=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2)))
    two = m.add(sp.RigidBody("two", mass=1.0, com=(0.4, 0, 0), inertia=(0.01, 0.1, 0.1)))
    m.add(sp.Revolute("shoulder", m.ground.at(0), one.at(0), axis="z"))
    m.add(sp.Revolute("elbow", one.at(1.0), two.at(0), axis="z", initial_rate=3.0))
    r = sp.simulate(m, 2.0, events=sp.Event("stop", "elbow", value=0.7, then=sp.Lock("elbow")))
    after = r.changes[0].after
    welded = sp.Model(gravity=(0, -G, 0), name="welded")
    one = welded.add(sp.RigidBody("one", mass=2.0, com=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2)))
    two = welded.add(sp.RigidBody("two", mass=1.0, com=(0.4, 0, 0), inertia=(0.01, 0.1, 0.1)))
    start = dict(initial=after.coordinates("shoulder"), initial_rate=after.rates("shoulder"))
    welded.add(sp.Revolute("shoulder", welded.ground.at(0), one.at(0), axis="z", **start))
    welded.add(sp.Fixed("elbow", one.at(1.0, rotation=(0, 0, 0.7)), two.at(0)))
    late = r.t > r.changes[0].t
    other = sp.simulate(welded, 2.0, output=r.t[late] - r.changes[0].t)
    np.testing.assert_allclose(r["shoulder"].angle[late], other["shoulder"].angle, atol=RUN)
    np.testing.assert_allclose(r["elbow"].wrench[late], other["elbow"].wrench, atol=1e-3)


def test_going_on_behind_a_change():
    """A run that starts from a result goes on in its phase, in any formulation."""
    m = panels(n=1)
    whole = sp.simulate(m, 4.0, events=latches(1), output=400)
    cut = sp.simulate(m, 3.0, events=latches(1), output=300)
    assert len(cut.changes) == 1
    for formulation in (None, sp.Absolute()):
        rest = sp.simulate(m, 4.0, start=cut, output=100, formulation=formulation)
        np.testing.assert_allclose(rest["hub"].position, whole["hub"].position[300:], atol=RUN)
        assert np.ptp(rest["hinge0"].angle) < 1e-9
    again = sp.simulate(
        m, 4.0, start=cut, events=sp.Event("open", at=3.2, then=sp.Unlock("hinge0")), output=100
    )
    assert np.ptp(again["hinge0"].angle) > 0.01
    early = sp.simulate(m, 4.0, start=whole.state(0), events=latches(1))
    assert len(early.changes) == 1
    with pytest.raises(ModelError, match="'hinge0' locked or let go"):
        sp.linearize(m, cut)


def test_going_on_behind_a_release():
    m = pendulum(rate=6.0)
    let_go = sp.Event("let go", "pin", value=0.3, then=sp.Release("pin"))
    whole = sp.simulate(m, 1.0, events=let_go, output=100)
    cut = sp.simulate(m, 0.5, events=let_go, output=50)
    for formulation in (None, sp.Absolute()):
        rest = sp.simulate(m, 1.0, start=cut, output=50, formulation=formulation)
        np.testing.assert_allclose(rest["bob"].position, whole["bob"].position[50:], atol=RUN)


def test_flexible_panels_latch():
    """Elastic rates jump too; energy and momentum are in balance; the beams ring on."""
    m = panels(flexible=True, n=2)
    r = sp.simulate(m, 3.0, events=latches(2), output=300)
    assert r.success, r.message
    lost = sum(c.lost for c in r.changes)
    assert lost > 0.0
    assert np.max(np.abs(r.energy.error)) < 1e-4 * lost
    momentum = r.data.history.momentum
    np.testing.assert_allclose(momentum, 0.0, atol=1e-6)
    assert r.energy.level == "trusted", r.verdict


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
def test_hinge_between_two_beams_latches(formulation):
    """Flexible bodies on both sides: both formulations find the same impact and the same motion."""
    m = sp.Model(gravity=(0, -G, 0), name="two beams")
    steel = sp.Material(E=7e10, G=2.6e10, density=2700.0)
    for name in ("inner", "outer"):
        m.add(sp.Beam(name, 0.5, sp.Rectangle(0.02, 0.01), steel, elements=2, modes=4))
    inner, outer = m.bodies["inner"], m.bodies["outer"]
    m.add(sp.Revolute("root", m.ground.at(0), inner.at(0), axis="z"))
    m.add(sp.Revolute("hinge", inner.at(0.5), outer.at(0), axis="z", initial_rate=4.0))
    latch = sp.Event("latched", "hinge", value=0.3, then=sp.Lock("hinge"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        r = sp.simulate(m, 0.12, events=latch, formulation=formulation, output=24, tolerance=1e-8)
        known = sp.simulate(m, 0.12, events=latch, output=24, tolerance=1e-8)
    assert r.success and len(r.changes) == 1, r.message
    assert np.max(np.abs(r.energy.error)) < 1e-6 * np.max(r.energy.kinetic)
    assert (
        r.changes[0].lost == pytest.approx(known.changes[0].lost, rel=1e-5)
        and known.changes[0].lost > 1e-4
    )
    tips = (x["outer"].at(0.5).position for x in (r, known))
    np.testing.assert_allclose(*tips, atol=1e-6)


def test_prepared_runs_and_other_values():
    """Changes with what was prepared for other runs of the model."""
    ready = sp.prepare(discs())
    latch = sp.Event("latched", "clutch", value=-1.0, then=sp.Lock("clutch"))
    plain = ready.simulate(0.2)
    first, again = ready.simulate(1.0, events=latch), ready.simulate(1.0, events=latch)
    np.testing.assert_array_equal(first.u, again.u)
    np.testing.assert_array_equal(plain.u, ready.simulate(0.2).u)
    other = ready.with_values({"clutch": {"initial_rate": -2.0}}).simulate(1.0, events=latch)
    assert other.changes[0].t == pytest.approx(0.5)
    assert other["base"].angle_rate[-1] == pytest.approx((2.0 * 5.0 + 3.0 * 3.0) / 5.0)


def test_changes_at_the_ends_of_a_run():
    lock = sp.Lock("clutch")
    r = sp.simulate(discs(), 0.5, events=sp.Event("start", at=0.0, then=lock), output=5)
    np.testing.assert_allclose(r["base"].angle_rate, 2.6)
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-9)
    assert r.energy.lost[0] == pytest.approx(9.6)
    r = sp.simulate(discs(), 0.5, events=sp.Event("end", at=0.5, then=lock), output=5)
    np.testing.assert_allclose(r["base"].angle_rate, [5.0] * 5 + [2.6])
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-9)
    m = discs()
    m.add(sp.Driver("drive", "base", "5*t"))
    with pytest.raises(sp.SimulationError, match="at the start Driver 'drive' moves"):
        sp.simulate(m, 0.5, events=sp.Event("start", at=0.0, then=sp.Lock("base")))
    r = sp.simulate(m, 0.5, events=sp.Event("end", at=0.5, then=lock), output=5)
    assert r["drive"].work[-1] - r["drive"].work[-2] == pytest.approx(3.0 * 4.0 * 5.0)
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-9)
    r = sp.simulate(discs(), 0.5, events=sp.Event("never", at=0.0), output=5)
    assert r.success and r.t[-1] == 0.5
    r = sp.simulate(discs(), 0.5, events=sp.Event("later", at=0.7, then=lock), output=5)
    assert not r.changes


def test_flexible_beam_is_released():
    m = sp.Model(gravity=(0, -G, 0), name="beam")
    beam = m.add(
        sp.Beam(
            "beam", length=1.0, section=sp.Rectangle(0.02, 0.02),
            material=sp.Material(E=2e9, G=8e8, density=2000.0), elements=2,
        )
    )  # fmt: skip
    m.add(sp.Fixed("wall", m.ground.at(0), beam.at(0)))
    r = sp.simulate(
        m, 0.5, start="static", events=sp.Event("cut", at=0.1, then=sp.Release("wall")), output=50
    )
    assert r.success, r.message
    late = r.t >= 0.1
    momentum = r.data.history.momentum[late]
    mass = 2000.0 * 0.02**2
    np.testing.assert_allclose(momentum[:, 4], -mass * G * (r.t[late] - 0.1), atol=1e-5)
    assert np.max(np.abs(r.energy.error)) < 1e-3 * np.max(r.energy.strain)


def four_bar() -> sp.Model:
    m = sp.Model(gravity=(0, -G, 0), name="four bar")
    lengths = {"crank": 0.5, "rod": 1.2, "rocker": 0.9}
    made = {}
    for name, x in lengths.items():
        made[name] = m.add(
            sp.RigidBody(name, mass=x, com=(x / 2, 0, 0), inertia=(1e-3, x**3 / 12, x**3 / 12))
        )
    m.add(
        sp.Revolute(
            "A", m.ground.at(0), made["crank"].at(0), axis="z", initial=1.0, initial_rate=3.0
        )
    )
    m.add(sp.Revolute("B", made["crank"].at(0.5), made["rod"].at(0), axis="z", initial=-0.7))
    m.add(sp.Revolute("C", made["rod"].at(1.2), made["rocker"].at(0.9), axis="z", initial=-1.5))
    m.add(sp.Revolute("D", m.ground.at(1.3), made["rocker"].at(0), axis="z", initial=1.8))
    return m


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
def test_four_bar_opens(formulation):
    """A loop opens at C, whichever joint closes it: two chains swing on, energy stays."""
    m = four_bar()
    r = sp.simulate(
        m, 1.0, events=sp.Event("opens", at=0.2, then=sp.Release("C")), formulation=formulation
    )
    assert r.success, r.message
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-5)
    gap = np.linalg.norm(r["rod"].at(1.2).position - r["rocker"].at(0.9).position, axis=1)
    assert np.max(gap[r.t < 0.2]) < 1e-9 < 0.1 < np.max(gap)


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
@pytest.mark.parametrize("method", [sp.Radau(), sp.DormandPrince(), sp.HHT(), "BDF"])
def test_an_event_in_a_loop_happens_once(method, formulation):
    """A start is moved onto the constraints: an event that it has just passed does not count."""
    if method == "BDF":
        pytest.importorskip("sksundae")
        method = sp.BDF()
    opens = sp.Event("opens", "A", value=0.0, direction=-1, then=sp.Release("C"))
    r = sp.simulate(four_bar(), 0.5, events=opens, formulation=formulation, integrator=method)
    assert r.success and [e.name for e in r.events] == ["opens"] and len(r.changes) == 1


@pytest.mark.parametrize("names", [("B",), ("B", "D"), ("A", "B", "C", "D")])
def test_four_bar_stops(names):
    """One locked joint stops a mechanism of one freedom; further locks are redundant."""
    m = four_bar()
    locks = [sp.Lock(name) for name in names]
    r = sp.simulate(m, 0.6, events=sp.Event("stop", at=0.2, then=locks), output=60)
    assert r.success, r.message
    late = r.t >= 0.2
    assert np.ptp(r["A"].angle[late]) < 1e-9
    (change,) = r.changes
    kinetic = sp.simulate(m, 0.2, output=[0.2]).energy.kinetic[0]
    assert change.lost == pytest.approx(kinetic, rel=1e-6)


@pytest.mark.parametrize("number", range(8))
def test_random_models_lock_and_let_go(number):
    """All kinds of joints, in the tree and out of it: two formulations agree, energy is in balance.

    Differences are errors of two runs at a tolerance of 1e-8.
    """
    rng = np.random.default_rng([number, 3])
    kinds = tuple(str(kind) for kind in rng.choice(KINDS, 3))
    closings = ("Spherical",) if number % 2 else ()
    m = LoopRecipe(Recipe(kinds, seed=number), closings).model()
    moving = [name for name, joint in m.joints.items() if joint.nu]
    binding = [name for name, joint in m.joints.items() if not isinstance(joint, sp.Free)]
    events = []
    if moving:
        events.append(sp.Event("lock", at=0.02, then=sp.Lock(str(rng.choice(moving)))))
    if binding:
        events.append(sp.Event("let go", at=0.04, then=sp.Release(str(rng.choice(binding)))))
    runs = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for formulation in (None, sp.Absolute()):
            r = sp.simulate(
                m, 0.06, events=events, formulation=formulation, output=12, tolerance=1e-8
            )
            assert r.success, r.message
            size = np.max(r.energy.kinetic)
            np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-6 * size)
            runs.append(r)
    a, b = runs
    assert len(a.changes) == len(events)
    for first, second in zip(a.changes, b.changes, strict=True):
        assert second.lost == pytest.approx(first.lost, rel=1e-5, abs=1e-9)
        assert first.lost >= -1e-12
        if not closings:  # in loops they need not be unique
            for name, wrench in first.wrenches.items():
                np.testing.assert_allclose(second.wrenches[name], wrench, atol=1e-5 * size)
    for name in m.bodies:
        for what in ("position", "velocity", "angular_velocity"):
            x, y = getattr(a[name], what), getattr(b[name], what)
            np.testing.assert_allclose(x, y, atol=1e-6 * max(1.0, np.max(np.abs(x))))


@pytest.mark.parametrize("kind", ["revolute", "backwards", "spherical"])
@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
def test_impulses_of_joints(kind, formulation):
    """The impulse that a joint passes on is the jump of momentum of what hangs on it."""
    m = sp.Model(gravity=(0, -G, 0), name="chain")
    one = m.add(sp.RigidBody("one", 2.0, com=(0.5, 0.1, 0), inertia=(0.1, 0.2, 0.25)))
    two = m.add(sp.RigidBody("two", 1.0, com=(0.4, 0, 0.1), inertia=(0.1, 0.15, 0.1)))
    m.add(sp.Spherical("base", m.ground.at(0), one.at(0), initial_rate=(1.0, 2.0, 0.5)))
    A, B = one.at(1.0, rotation=(0.1, 0.2, 0.3)), two.at(0.05, rotation=(0.2, 0, 0))
    if kind == "spherical":
        m.add(sp.Spherical("link", A, B, initial_rate=(3.0, -2.0, 1.0)))
    elif kind == "revolute":
        m.add(sp.Revolute("link", A, B, axis="z", initial_rate=5.0))
    else:
        m.add(sp.Revolute("link", B, A, axis="z", initial_rate=5.0))
    m.add(sp.JointSpring("coil", "link", stiffness=3.0) if kind != "spherical" else
          sp.SpringDamper("coil", one.at(0), two.at(0.4), stiffness=3.0))  # fmt: skip
    lock = sp.Event("stop", at=0.1, then=sp.Lock("link"))
    r = sp.simulate(m, 0.1 + 1e-9, events=lock, formulation=formulation, output=[0.1])
    before = sp.simulate(m, 0.1, formulation=formulation, output=[0.1])
    (change,) = r.changes
    body, old = r["two"], before["two"]
    jump = r["two"].at(0.4, 0, 0.1).velocity[0] - before["two"].at(0.4, 0, 0.1).velocity[0]
    R = body.matrix[0]
    inertia = R @ np.diag([0.1, 0.15, 0.1]) @ R.T
    turn = inertia @ (body.angular_velocity[0] - old.angular_velocity[0])
    frame = A if kind == "backwards" else B  # the joint's frame B
    origin = r[frame].position[0]
    arm = body.at(0.4, 0, 0.1).position[0] - origin
    expected = np.concatenate([turn + np.cross(arm, 1.0 * jump), 1.0 * jump])
    sign = -1.0 if kind == "backwards" else 1.0
    np.testing.assert_allclose(sign * change.wrenches["link"], expected, atol=1e-6)
    assert np.linalg.norm(jump) > 0.05


def test_what_drives_a_joint_goes_with_it():
    """A driven crank lets go: the driver drives nothing more, and the rod flies on."""
    m = pendulum()
    m.replace("pin", initial=0.0)
    m.add(sp.Driver("motion", "pin", "2*t**2"))
    r = sp.simulate(m, 1.0, events=sp.Event("off", at=0.5, then=sp.Release("pin")), output=50)
    assert r.success, r.message
    late = r.t >= 0.5
    np.testing.assert_allclose(r["bob"].angular_velocity[late][:, 2], 2.0, rtol=1e-7)
    assert np.ptp(r["motion"].work[late]) < 1e-9
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-6)


def test_reactions_that_are_not_unique():
    """A plane linkage of spatial revolutes: the smallest reactions, before and behind a lock.

    Before it they are those of a run without changes, in every formulation; behind a second,
    redundant lock even torques about the axes are not unique; nothing holds a joint that is gone.
    """
    m = four_bar()
    events = [
        sp.Event("one", at=0.1, then=sp.Lock("B")),
        sp.Event("two", at=0.2, then=sp.Lock("D")),
        sp.Event("off", at=0.3, then=sp.Release("C")),
    ]
    a, b = (
        sp.simulate(m, 0.4, events=events, output=40, formulation=f) for f in (None, sp.Absolute())
    )
    plain = sp.simulate(m, 0.4, output=40)
    early = a.t < 0.1
    for name in m.joints:
        assert not a[name].unique and not plain[name].unique
        size = np.max(np.abs(plain[name].reaction))
        np.testing.assert_allclose(
            a[name].reaction[early], plain[name].reaction[early], atol=1e-5 * size
        )
        np.testing.assert_allclose(a[name].reaction, b[name].reaction, atol=1e-4 * size)
        np.testing.assert_allclose(a[name].effort, b[name].effort, atol=1e-4 * size)
    np.testing.assert_allclose(a["C"].reaction[a.t >= 0.3], 0.0, atol=1e-9)
    single = sp.simulate(pendulum(), 0.2, events=sp.Event("e", at=0.1, then=sp.Lock("pin")))
    assert single["pin"].unique


def test_a_driver_does_work_in_an_impact():
    """The shaft is driven at 5 rad/s; the disc at rest is taken along: the driver gives I w^2."""
    m = sp.Model(gravity=(0, 0, 0), name="driven")
    a = m.add(sp.RigidBody("a", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    b = m.add(sp.RigidBody("b", mass=1.0, com=(0, 0, 0), inertia=(2, 2, 3)))
    m.add(sp.Revolute("base", m.ground.at(0), a.at(0), axis="z", initial_rate=5.0))
    m.add(sp.Revolute("clutch", a.at(0), b.at(0), axis="z", initial_rate=-5.0))
    m.add(sp.Driver("drive", "base", "5*t"))
    r = sp.simulate(m, 1.0, events=sp.Event("engage", at=0.5, then=sp.Lock("clutch")), output=50)
    assert r.success, r.message
    (change,) = r.changes
    assert change.lost == pytest.approx(0.5 * 3.0 * 25.0, rel=1e-9)
    assert r["drive"].work[-1] == pytest.approx(3.0 * 25.0, rel=1e-9)
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-8)
    # what drives a joint goes with it, or stands against a lock
    clash = sp.Event("clash", at=0.5, then=sp.Lock("base"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stopped = sp.simulate(m, 1.0, events=clash, output=50)
    assert not stopped.success
    assert "Driver 'drive' moves a coordinate of 'base' that locks" in stopped.message
    both = sp.Event("both", at=0.5, then=[sp.Release("drive"), sp.Lock("base")])
    r = sp.simulate(m, 1.0, events=both, output=50)
    assert r.success and np.ptp(r["base"].angle[r.t >= 0.5]) < ROUNDING


def test_what_is_held_passes_no_value():
    """A held joint does not trigger its event again; other events go on."""
    m = discs()
    events = [
        sp.Event("latched", "clutch", value=-1.0, then=sp.Lock("clutch")),
        sp.Event("turns", "base", value=2.0, terminal=False),
        sp.Event("end", "base", value=2.5),
    ]
    r = sp.simulate(m, 5.0, events=events)
    assert [e.name for e in r.events] == ["latched", "turns", "end"]
    assert r["base"].angle[-1] == pytest.approx(2.5, abs=1e-9)
    assert r.message.startswith("event 'end'")


def test_terminal_change_ends_behind_it():
    latch = sp.Event("latched", "clutch", value=-1.0, then=sp.Lock("clutch"), terminal=True)
    r = sp.simulate(discs(), 5.0, events=latch)
    assert r.t[-1] == pytest.approx(0.25) and r.state().rates("clutch")[0] == pytest.approx(0.0)
    assert r["base"].angle_rate[-1] == pytest.approx(2.6)
    assert r.energy.lost[-1] == pytest.approx(9.6)
    np.testing.assert_allclose(r.energy.error, 0.0, atol=1e-9)


def test_event_at_a_time_ends_a_run():
    r = sp.simulate(discs(), 5.0, events=sp.Event("enough", at=0.3))
    assert r.t[-1] == pytest.approx(0.3) and r.message == "event 'enough' at t = 0.3 s"


@pytest.mark.slow
def test_dataset_file_plot_and_monitor(tmp_path):
    m = panels(flexible=True, n=1)
    r = sp.simulate(
        m, 3.0, events=[*latches(1), sp.Event("cut", at=2.5, then=sp.Release("hinge0"))]
    )
    assert len(r.changes) == 2
    data = r.dataset
    np.testing.assert_allclose(data["energy.lost"].values[-1], r.changes[0].lost)
    back = sp.files.load_result(r.save(tmp_path / "run.nc"))
    assert [e[0] for e in back.events] == ["latch0", "cut"]
    np.testing.assert_allclose(back.dataset["energy.lost"].values, r.energy.lost)
    assert [words for _, *words in back.changes] == [["Lock('hinge0')"], ["Release('hinge0')"]]
    with pytest.raises(sp.SuppleError, match="values that are no numbers"):
        r.spectrum("hinge0.angle")
    assert isinstance(r.monitor.verdict, str)
    assert "lost in impacts" in r.energy.verdict
    pytest.importorskip("matplotlib")
    r.plot("hinge0", path=tmp_path / "hinge.png")
    r.plot("energy", path=tmp_path / "energy.png")


SENTENCES = [
    (lambda: sp.Event("e", "clutch", then=3), r"Event 'e': then is 3, expected Lock, Unlock or"),
    (lambda: sp.Lock(3), r"Lock: joint is 3, expected a joint or its name"),
    (lambda: sp.Release(3), r"Release: item is 3, expected a joint, a constraint or the name"),
    (lambda: sp.Event("e", "clutch", at=1.0), r"Event 'e': at is 1.0, expected either 'at' or"),
]


@pytest.mark.parametrize("make, words", SENTENCES)
def test_sentences(make, words):
    with pytest.raises(ModelError, match=words):
        make()


CHANGES = [
    (
        sp.Lock("clutsh"),
        r"then=Lock is 'clutsh', expected the name of a joint of Model 'discs', .*clutch",
    ),
    (sp.Release("x"), r"then=Release is 'x', expected the name of a joint or constraint"),
    (sp.Lock("clutch", "phi"), r"coordinate is 'phi', expected 0 or 'angle'"),
]


@pytest.mark.parametrize("change, words", CHANGES)
def test_sentences_about_the_model(change, words):
    with pytest.raises(ModelError, match=words):
        sp.simulate(discs(), 1.0, events=sp.Event("e", at=0.1, then=change))


def test_more_sentences_about_the_model():
    m = stage_pair()
    with pytest.raises(ModelError, match="expected a joint that holds something"):
        sp.simulate(m, 1.0, events=sp.Event("e", at=0.1, then=sp.Release("flight")))
    with pytest.raises(ModelError, match="expected a joint that moves"):
        sp.simulate(m, 1.0, events=sp.Event("e", at=0.1, then=sp.Lock("bolt")))
    tree = sp.Branch(["flight", "bolt"])
    with pytest.raises(ModelError, match="an event releases 'bolt'"):
        sp.simulate(m, 1.0, formulation=tree, events=sp.Event("e", at=0.1, then=sp.Release("bolt")))
    m = discs()
    m.add(sp.Motor("motor", "clutch", inertia=0.1))
    with pytest.raises(ModelError, match="on which Motor 'motor' acts"):
        sp.simulate(m, 1.0, events=sp.Event("e", at=0.1, then=sp.Release("clutch")))
    events = [sp.Event("e", at=0.1, then=sp.Lock("clutch")), sp.Event("e", at=0.2)]
    with pytest.raises(ModelError, match="a name that no other event has"):
        sp.simulate(m, 1.0, events=events)
    late = [
        sp.Event("go", at=0.1, then=sp.Release("base")),
        sp.Event("hold", at=0.2, then=sp.Lock("base")),
    ]
    with pytest.warns(sp.SuppleWarning, match="which has let go"):
        r = sp.simulate(discs(), 1.0, events=late)
    assert not r.success
