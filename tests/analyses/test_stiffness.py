"""How stiff a model holds a frame: exact beams, springs, loops, guides over their stroke."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

L, T, B, E = 0.1, 0.5e-3, 0.02, 2e11
SOFT = np.diag([20.0, 30.0, 25.0, 0.5, 0.4, 0.6])  # N/m, N m/rad
LEAF, STEEL = sp.Rectangle(T, B), sp.Material(E, E / 2.6, 7800.0)


def cantilever(**options) -> tuple[sp.Model, sp.Beam]:
    m = sp.Model(gravity=(0, 0, 0))
    rod = m.add(sp.Beam("rod", L, LEAF, STEEL, elements=2, modes="all", **options))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    return m, rod


def test_a_cantilever_is_the_one_of_textbooks():
    """Compliance along six directions, and the stiffness of an element where all are held."""
    m, rod = cantilever()
    r = sp.stiffness(m, rod.at(L))
    area, iz, iy = T * B, B * T**3 / 12, T * B**3 / 12
    torsion = LEAF.J
    found = {d: r.along(d)[0] for d in r.directions}
    exact = {
        "x": E * area / L,
        "y": 3 * E * iz / L**3,
        "z": 3 * E * iy / L**3,
        "rx": E / 2.6 * torsion / L,
        "ry": E * iy / L,
        "rz": E * iz / L,
    }
    assert found == pytest.approx(exact, rel=1e-9)
    y, rz = r.directions.index("y"), r.directions.index("rz")
    assert r.compliance[0, y, rz] == pytest.approx(L**2 / (2 * E * iz), rel=1e-9)
    assert r.matrix[0, y, y] == pytest.approx(12 * E * iz / L**3, rel=1e-9)
    assert r.matrix[0, y, rz] == pytest.approx(-6 * E * iz / L**2, rel=1e-9)


def test_directions_are_in_the_world():
    m = sp.Model(gravity=(0, 0, 0))
    rod = m.add(sp.Beam("rod", L, LEAF, STEEL, elements=1, modes="all"))
    m.add(sp.Fixed("root", m.ground.at(0, 0, 0, (0, 0, np.pi / 2)), rod.at(0)))
    r = sp.stiffness(m, rod.at(L), ["y", (1, 0, 0)])
    assert r.directions == ("y", "(1, 0, 0)")
    assert r.along("y")[0] == pytest.approx(E * T * B / L, rel=1e-9)
    assert r.along("(1, 0, 0)")[0] == pytest.approx(E * B * T**3 / 4 / L**3, rel=1e-9)


def slider_crank(k: float, angle: float, driven: bool = False) -> tuple[sp.Model, sp.RigidBody]:
    """A crank of 0.2 m on a torsion spring k, a rod of 0.5 m, and a slider along x."""
    m = sp.Model(gravity=(0, 0, 0))
    crank = m.add(sp.RigidBody("crank", 1.0, inertia=0.01))
    rod = m.add(sp.RigidBody("bar", 1.0, inertia=0.01))
    ram = m.add(sp.RigidBody("ram", 1.0, inertia=0.01))
    beta = -angle - np.arcsin(0.2 * np.sin(angle) / 0.5)
    m.add(sp.Revolute("shaft", m.ground.at(0), crank.at(0), initial=angle))
    m.add(sp.Revolute("pin", crank.at(0.2), rod.at(0), initial=beta))
    m.add(sp.Prismatic("slide", m.ground.at(0), ram.at(0), axis="x", initial=0.6))
    m.add(sp.Revolute("wrist", rod.at(0.5), ram.at(0)))
    m.add(sp.JointSpring("coil", "shaft", stiffness=k, rest=angle))
    if driven:
        m.add(sp.Driver("motor", "shaft", angle))
    return m, ram


def test_a_loop_of_rigid_bodies():
    """k over the square of the transmission dx/dangle; nothing gives way if the crank is driven."""
    angle, k = 0.7, 30.0
    m, ram = slider_crank(k, angle)
    slope = (
        -0.2
        * np.sin(angle)
        * (1 + 0.2 * np.cos(angle) / np.sqrt(0.25 - (0.2 * np.sin(angle)) ** 2))
    )
    for formulation in (None, sp.Absolute()):
        r = sp.stiffness(m, ram.at(0), ["x"], formulation=formulation)
        assert r.along("x")[0] == pytest.approx(k / slope**2, rel=1e-9)
    held, ram = slider_crank(k, angle, driven=True)
    assert sp.stiffness(held, ram.at(0), ["x"]).compliance[0, 0, 0] == pytest.approx(0.0, abs=1e-15)


def spatial(force=(0, 0, 0), torque=(0, 0, 0)) -> tuple[sp.Model, sp.Beam]:
    """A tilted arm that bends far under its load, held by springs and a rod: a loop in space."""
    m = sp.Model(gravity=(0, -9.81, 0))
    arm = m.add(sp.Beam("arm", 0.5, sp.Rectangle(2e-3, 3e-3), STEEL, parts=3))
    rod = m.add(sp.RigidBody("rod", 0.1, (0.15, 0, 0), inertia=1e-3))
    m.add(sp.Universal("root", m.ground.at(0, 0, 0, (0.2, 0.4, 0.3)), arm.at(0), initial=(0.1, 0)))
    m.add(sp.Spherical("pin", arm.at(0.3), rod.at(0)))
    m.add(sp.PointOnLine("foot", m.ground.at(0.1, -0.2, 0.3), rod.at(0.3), axis=(1, 0.4, 0.2)))
    m.add(sp.JointSpring("coil", "root", stiffness=2.0))
    m.add(sp.JointSpring("other", "root", stiffness=3.0, coordinate=1))
    m.add(sp.SpringDamper("hold", m.ground.at(0.4, 0.3, 0), rod.at(0.3), 50.0, length=0.2))
    m.add(sp.Bushing("soft", m.ground.at(0.2, -0.1, 0.1), rod.at(0.1), stiffness=SOFT))
    m.add(sp.Force("test", arm.at(0.5), force, torque=torque))
    return m, arm


def test_compliance_is_what_small_loads_do():
    """Six loads, there and back, on a bent arm in a loop in space; Maxwell's symmetry."""
    m, arm = spatial()
    rest = sp.statics(m)
    found = {f: sp.stiffness(m, arm.at(0.5), formulation=f) for f in (None, sp.Absolute())}
    first = found[None].compliance[0]
    assert found[sp.Absolute()].compliance[0] == pytest.approx(first, rel=1e-6, abs=1e-9)
    # of torques the world's axes stay: the load is that of a potential only for small rotations
    assert first[:3, :3] == pytest.approx(first[:3, :3].T, rel=1e-6, abs=1e-9)
    for k in range(6):
        size = 1e-4 / np.sqrt(first[k, k])  # of equal energy
        moved = []
        for sign in (1.0, -1.0):
            load = [tuple(sign * size * np.eye(3)[k % 3]), (0, 0, 0)]
            pushed = spatial(*(load if k < 3 else load[::-1]))[0]
            tip = sp.statics(pushed, start=rest)[arm.at(0.5)]
            moved.append((tip.position[0], tip.matrix[0]))
        (p, R), (q, S) = moved
        skew = 0.5 * (R @ S.T - S @ R.T)  # the rotation is small
        change = np.array([*(p - q), skew[2, 1], skew[0, 2], skew[1, 0]]) / (2.0 * size)
        assert change == pytest.approx(first[:, k], rel=1e-5, abs=1e-5 * np.abs(first[:, k]).max())


def test_what_nothing_holds_is_told():
    m = sp.Model(gravity=(0, 0, 0))
    cart = m.add(sp.RigidBody("cart", 1.0, inertia=0.1))
    m.add(sp.Prismatic("rail", m.ground.at(0), cart.at(0), axis="x"))
    with pytest.raises(sp.SuppleError, match="load along 'x' moves the frame without resistance"):
        sp.stiffness(m, cart.at(0), ["x"])
    m.add(sp.PID("hold", "rail", target=0.0, kp=50.0, kd=1.0))
    assert sp.stiffness(m, cart.at(0), ["x"]).along("x")[0] == pytest.approx(50.0, rel=1e-9)
    m.replace("hold", ki=3.0)  # an integral that settles gives way to nothing
    assert sp.stiffness(m, cart.at(0), ["x"]).compliance[0, 0, 0] == pytest.approx(0.0, abs=1e-12)


def guide(parts: int, held: bool) -> tuple[sp.Model, sp.RigidBody]:
    """A stage on two leaf springs far apart, cut into parts, that moves along y."""
    m = sp.Model(gravity=(0, 0, 0))
    stage = m.add(sp.RigidBody("stage", 1.0, inertia=(1, 1, 1)))
    for side, y in (("a", -1.0), ("b", 1.0)):
        options = {"parts": parts, "stiffening": sp.reduction.SecondOrder(twist=True)}
        leaf = m.add(sp.Beam(side, L, LEAF, STEEL, **options))
        m.add(sp.Fixed(f"{side} foot", m.ground.at(0, y, 0), leaf.at(0)))
        m.add(sp.Fixed(f"{side} end", leaf.at(L), stage.at(0, y, 0)))
    if held:
        m.add(sp.FrameDriver("stroke", m.ground.at(0), stage.at(0), y=0.0))
    else:
        m.add(sp.Force("push", stage.at(0), (0, 0, 0)))
    return m, stage


@pytest.mark.slow
def test_a_leaf_spring_guide_over_its_stroke():
    """What moves beside its stroke, and what bends it; its stiffness is the case's."""
    m, stage = guide(4, held=True)
    strokes = np.array([0.0, 5.0, 10.0]) * T
    r = sp.stiffness(m, stage.at(0), ["x", "rz"], over="stroke.y", values=strokes)
    assert r.displacement[:, 1] == pytest.approx(strokes, abs=1e-12)
    # shortening of an S-shaped leaf, to the square of its slope
    assert r.parasitic("y")[-1] == pytest.approx([-0.6 * strokes[-1] ** 2 / L, 0, 0], rel=0.01)
    assert np.abs(r.rotation[:, :2]).max() < 1e-12
    # s = E (t/2) kappa, kappa = 6 d / L^2 at the clamps
    assert r.stress[1:] == pytest.approx(3 * E * T * strokes[1:] / L**2, rel=0.01)
    assert r.frequency[-1] < r.frequency[0]  # twist of the leaves, softer as they bend
    assert r.success
    assert r.verdict.startswith("valid")
    assert "stroke.y" in repr(r)


def test_one_part_a_leaf_is_told():
    """It shows no loss of support stiffness at all."""
    m, stage = guide(1, held=True)
    with pytest.warns(sp.SuppleWarning, match="use more parts"):
        r = sp.stiffness(m, stage.at(0), ["x"], over="stroke.y", values=[0.0, 10 * T])
    assert r.along("x")[1] > 0.99 * r.along("x")[0]
    assert not r.verdict.startswith("valid")


def test_a_load_lets_the_stroke_give_way():
    """At a constant force a load along x also moves the stage along y, so x is far softer."""
    m, stage = guide(2, held=False)
    push = 24 * E * (B * T**3 / 12) / L**3 * 5 * T
    m.replace("push", force=(0, push, 0))
    free = sp.stiffness(m, stage.at(0), ["x", "y"], over="push", values=[0, 1])
    y = free.position[-1, 1]
    assert y == pytest.approx(5 * T, rel=0.02)
    fixed, stage = guide(2, held=True)
    held = sp.stiffness(fixed, stage.at(0), ["x"], over="stroke.y", values=[0.0, y])
    assert free.along("x")[0] == pytest.approx(held.along("x")[0], rel=1e-9)
    assert free.along("x")[1] < 0.2 * held.along("x")[1]
    # with y held, too, it is the same stiffness: the inverse of the compliance of both
    both = np.linalg.inv(free.compliance[1])[0, 0]
    assert both == pytest.approx(held.along("x")[1], rel=1e-6)


def test_a_path_that_ends():
    """A slider cannot go farther than crank and rod reach: what was found is kept."""
    m, ram = slider_crank(30.0, 0.7)
    m.add(sp.FrameDriver("pull", m.ground.at(0), ram.at(0), x=0.6))
    with pytest.warns(sp.SuppleWarning, match="pull.x = 0.8"):
        r = sp.stiffness(m, ram.at(0), ["y"], over="pull.x", values=[0.6, 0.65, 0.8])
    assert not r.success
    assert len(r.positions) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"directions": ["w"]}, "directions is 'w'"),
        ({"directions": []}, "directions"),
        ({"directions": ["x", (2, 0, 0)]}, "do not depend on each other"),
        ({"over": "rod.length"}, "values of what changes, together with over"),
        ({"values": [1.0]}, "values of what changes, together with over"),
        ({"over": 3, "values": [1.0]}, "over is 3"),
        ({"over": "rod.length", "values": []}, "one or more numbers"),
        ({"over": "nobody.y", "values": [1.0]}, "nobody"),
        ({"at": "rod"}, "a frame on a body"),
    ],
)
def test_wrong_arguments(change, message):
    m, rod = cantilever()
    with pytest.raises(sp.SuppleError, match=message):
        sp.stiffness(**({"model": m, "at": rod.at(L)} | change))


def test_the_plot_shows_every_quantity(tmp_path):
    m, rod = cantilever()
    m.add(sp.Force("push", rod.at(L), (0, 0.1, 0)))
    r = sp.stiffness(m, rod.at(L), ["y"], over="push", values=[0, 0.5, 1])
    figure = r.plot(tmp_path / "stiffness.png")
    assert len(figure.axes) == 4
    assert (tmp_path / "stiffness.png").stat().st_size > 1000
    with pytest.raises(sp.SuppleError, match="no direction 'x'"):
        r.along("x")
