"""Involute gears: distances of flanks and tips, backlash, pairs in mesh, momentum, energy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial import cKDTree

import supple as sp
from models.random_models import State
from supple.bodies.shapes.gears import Mesh, involute
from supple.engine.pack.contacts import contact_history
from supple.foundation.arrays import Array

ALPHA = math.radians(20.0)
MODULE = 2e-3
SIZES = {"module": MODULE, "width": 0.02}
LAW = sp.HuntCrossley(0.5, 0.1, 2e8, exponent=1)
# (teeth of A, teeth of B, ring, shifts): teeth of B, and whether it is a ring
PAIRS = {
    "equal": (20, 20, False, 0.0, 0.0),
    "shifted": (17, 40, False, 0.4, -0.1),
    "ring": (22, 60, True, 0.0, 0.0),
    "shifted ring": (20, 61, True, 0.2, 0.3),
}


def gears(kind: str, A: sp.Frame, B: sp.Frame, thinning: float = 0.0, **more: float) -> tuple:
    """Two gears; a space of B, of a ring a tooth, is opposite to its x axis."""
    one, two, ring, x, y = PAIRS[kind]
    first = sp.InvoluteGear(A, one, profile_shift=x, thinning=thinning, **SIZES)
    phase = more.pop("phase", math.pi + math.pi / two if not ring else 0.0)
    second = sp.InvoluteGear(
        B, two, profile_shift=y, thinning=thinning, inside=ring, phase=phase, **SIZES
    )
    return first, second


def mesh(kind: str) -> Mesh:
    g = sp.Model().ground.at(0)
    return Mesh("mesh", *gears(kind, g, g))


def plane(kind: str, thinning: float = 0.0) -> sp.Model:
    """A rests, B moves in the plane."""
    m = sp.Model(gravity=(0, 0, 0))
    wheel = m.add(sp.RigidBody("wheel", 1.0, inertia=1e-3))
    m.add(sp.Planar("plane", m.ground.at(0), wheel.at(0)))
    m.add(sp.Contact("mesh", *gears(kind, m.ground.at(0), wheel.at(0), thinning), LAW))
    return m


def shown(m: sp.Model, q: Array, u: Array | None = None):
    """What the contact does at places (nt, 3): x, y and angle of B."""
    eq = sp.JointCoordinates().equations(m)
    q = np.atleast_2d(q).astype(float)
    u = np.zeros_like(q) if u is None else u
    order = [eq.compiled.coordinate("plane", k)[0] for k in range(3)]
    assert sorted(order) == [0, 1, 2]
    z = np.zeros((len(q), eq.nz))
    return contact_history(eq.compiled, m["mesh"], q[:, np.argsort(order)], u, z)


def places(kind: str, count: int, seed: int = 1, loose: float = 0.02 * MODULE) -> Array:
    """Places on all sides of A where teeth are in spaces, within ``loose`` (m) of their middles."""
    rng, at = np.random.default_rng(seed), mesh(kind)
    a = at.distance + at.sense * MODULE * rng.uniform(0.0, 0.2, count)
    angle = rng.uniform(-math.pi, math.pi, count)
    one, two, ring, _, _ = PAIRS[kind]
    turn = (angle - math.pi) * (1.0 - one / two) if ring else angle * (1.0 + one / two)
    turn += rng.uniform(-loose, loose, count) / abs(at.radii[1])
    return np.stack([a * np.cos(angle), a * np.sin(angle), turn], axis=1)


# ---------------------------------------------------------------------------------------- geometry


def flank(gear: sp.InvoluteGear, tooth: int, side: float, count: int = 801) -> Array:
    """Points (count, 2) of a flank in the axes of its gear, from the base circle to the tip."""
    ring = gear.inside
    far = 1.3 * gear.tip_radius if ring else gear.tip_radius
    near = gear.tip_radius if ring else gear.base_radius
    grown = np.sqrt(np.linspace(near**2 - gear.base_radius**2, far**2 - gear.base_radius**2, count))
    roll = grown / gear.base_radius
    begin = 2.0 * math.pi * tooth / gear.teeth + side * gear.half_angle
    turn = begin - side * (roll - np.arctan(roll))
    radius = np.hypot(grown, gear.base_radius)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)


@pytest.mark.parametrize("kind", PAIRS)
def test_gaps_are_those_of_flanks_that_are_drawn_point_by_point(kind: str) -> None:
    """All pairs of teeth on both sides, flanks and tips, at places where they do not overlap."""
    m = plane(kind, thinning=0.1 * MODULE)
    A, B = m["mesh"].A, m["mesh"].B
    swept, compared = places(kind, 5), 0
    found = shown(m, swept)
    for k, (x, y, turn) in enumerate(swept):
        c, s = math.cos(turn + B.phase), math.sin(turn + B.phase)
        R, at = np.array([[c, -s], [s, c]]), np.array([x, y])
        toward = math.atan2(y, x) + (math.pi if B.inside else 0.0)
        first = round(toward * A.teeth / (2.0 * math.pi))
        second = round((math.atan2(y, x) + math.pi - turn - B.phase) * B.teeth / (2.0 * math.pi))
        for side in (1.0, -1.0):
            one = np.concatenate([flank(A, first + i, side) for i in range(-2, 3)])
            two = np.concatenate([flank(B, second + j, side) for j in range(-2, 3)]) @ R.T + at
            least = float(cKDTree(one).query(two)[0].min())
            half = len(found.gap[k]) // 2
            gaps = found.gap[k, :half] if side > 0 else found.gap[k, half:]
            # points are 2e-5 m apart: a distance d is off by less than (1.4e-5)^2/(2 d)
            compared += 1
            assert gaps.min() > 1e-5
            assert gaps.min() == pytest.approx(least, abs=1e-10 / gaps.min() + 1e-9)
    assert compared == 10


@pytest.mark.parametrize("kind", PAIRS)
def test_backlash_is_that_of_the_closed_form(kind: str) -> None:
    """jn = 2 (rA + rB) (inv of the working angle - inv of that without backlash) + thinning."""
    at, thin = mesh(kind), 0.02 * MODULE
    both = sum(at.radii)
    swept = places(kind, 40)
    found = shown(plane(kind, thin), swept)
    half = found.gap.shape[1] // 2
    backlash = found.gap[:, :half].min(axis=1) + found.gap[:, half:].min(axis=1)
    working = np.arccos(abs(both) / np.hypot(*swept[:, :2].T))
    wanted = 2.0 * both * (np.tan(working) - working - involute(at.angle)) + 2.0 * thin * math.cos(
        ALPHA
    )
    np.testing.assert_allclose(backlash, wanted, rtol=0, atol=1e-13)
    if kind == "equal":
        assert at.distance == pytest.approx(20 * MODULE, rel=1e-12)


def test_rates_and_turns_of_gaps_are_derivatives() -> None:
    """The rate is n.v, normals and points of flanks and tips change as distances do."""
    for kind in PAIRS:
        m, q = plane(kind), places(kind, 60, seed=3)
        rng, h = np.random.default_rng(5), 1e-6
        u = rng.normal(size=q.shape) * [1.0, 1.0, 20.0] * 0.01
        before, now, after = (shown(m, q + s * h * u, u) for s in (-1.0, 0.0, 1.0))
        slope = (after.gap - before.gap) / (2.0 * h)
        # second derivatives, some v^2/(5 mm), jump at tips: differences are off by them times h
        same = np.isclose(slope, now.rate, rtol=0, atol=1e-6)
        clipped = now.gap > 0.1 * MODULE
        assert np.all(same | clipped) and (now.gap < 0.02 * MODULE).sum() > 40


@pytest.mark.parametrize("kind", PAIRS)
def test_twice_the_allowed_depth_is_still_an_overlap(kind: str) -> None:
    """Of teeth without backlash, turned into each other to both sides."""
    m, at = plane(kind), mesh(kind)
    depth = 1.9 * m["mesh"].A.allowed_depth
    a = -at.distance if at.sense < 0.0 else at.distance
    for side in (1.0, -1.0):
        gap = shown(m, [a, 0.0, side * depth / abs(at.radii[1])]).gap[0]
        assert gap.min() == pytest.approx(-depth, rel=1e-9)
        assert (gap < 0.0).sum() >= math.floor(at.ratio)


def test_distances_are_continuous_from_flank_to_tip() -> None:
    """Along a turn of both gears: no jump of any gap, whose rate is known; slots go over unseen."""
    for kind in PAIRS:
        one, two, ring, _, _ = PAIRS[kind]
        m, at = plane(kind), mesh(kind)
        turn = np.linspace(0.0, 2.0 * math.pi * 4 / one, 4001)  # B goes around A by four teeth
        way = turn * (1.0 - one / two) if ring else turn * (1.0 + one / two)
        a = at.distance + at.sense * 0.02 * MODULE
        start = math.pi if ring else 0.0
        q = np.stack([a * np.cos(turn + start), a * np.sin(turn + start), way], axis=1)
        gap = shown(m, q).gap
        # flanks pass each other by less than a module while the angle grows by one step
        assert np.abs(np.diff(gap, axis=0)).max() < a * (turn[1] - turn[0])
        half = gap.shape[1] // 2
        side = gap[:, :half]
        assert np.ptp(side.min(axis=1)) < 1e-12  # the distance of flanks does not change
        touching = np.isclose(side, side.min(axis=1)[:, None], rtol=0, atol=1e-13).sum(axis=1)
        # pairs whose flanks face each other: on average the contact ratio
        begins = math.sqrt(a**2 - sum(at.radii) ** 2) * at.sense - at.tips[1]
        assert touching[:-1].mean() == pytest.approx((at.tips[0] - begins) / at.pitch, abs=5e-3)


# ------------------------------------------------------------------------------------------ motion


def train(
    kind: str = "equal", load: float = 5.0, rate: float = 20.0, thinning: float = 0.0, **more
) -> sp.Model:
    """Two gears on pins; A is driven with a constant rate, B is braked by a torque (N m)."""
    m, at = sp.Model(gravity=(0, 0, 0)), mesh(kind)
    one, two, ring, _, _ = PAIRS[kind]
    A, B = (m.add(sp.RigidBody(name, 1.0, inertia=1e-3)) for name in ("A", "B"))
    place = m.ground.at(-at.distance if ring else at.distance, 0, 0)
    ratio = one / two if ring else -one / two
    m.add(sp.Revolute("in", m.ground.at(0), A.at(0), initial_rate=rate))
    m.add(sp.Revolute("out", place, B.at(0), initial_rate=ratio * rate))
    law = more.pop("law", sp.HuntCrossley(0.1, 1e-2, 2e8, exponent=1))
    pair = gears(kind, A.at(0), B.at(0), thinning)
    m.add(sp.Contact("mesh", *(pair[::-1] if more.pop("swapped", False) else pair), law, **more))
    if load:
        m.add(sp.JointEffort("load", "out", -load * np.sign(ratio)))
        m.add(sp.JointEffort("motor", "in", load * one / two))
    return m


@pytest.mark.parametrize("kind", [pytest.param("shifted", marks=pytest.mark.slow), "ring"])
def test_ratio_energy_and_force(kind: str) -> None:
    """Under a load both flanks' sums of pushes are torque over base radius; the ratio is exact."""
    result = sp.simulate(train(kind, thinning=0.01 * MODULE), 0.02)
    one, two, ring, _, _ = PAIRS[kind]
    at, view, late = mesh(kind), result["mesh"], result.t > 0.01
    ratio = one / two if ring else -one / two
    turns = result["out"].angle - ratio * result["in"].angle
    slack = 2.0 * 0.01 * MODULE * math.cos(ALPHA) + 2.0 * view.depth.max()
    assert np.abs(turns).max() * abs(at.radii[1]) < slack
    assert np.mean(view.normal_force[late]) == pytest.approx(5.0 / abs(at.radii[1]), rel=0.02)
    energy = result.energy
    assert np.abs(energy.error).max() < 1e-6 * energy.kinetic[0]
    assert view.lost_by_push[-1] > 0.0


def test_push_begins_at_zero_where_teeth_come_and_go() -> None:
    """No jump: changes of pushes between instants become small as these come close."""
    jumps = []
    for count in (500, 2000):
        m = train(load=20.0, rate=5.0)
        result = sp.simulate(m, 0.1, output=np.linspace(0.02, 0.1, count))
        push = result["mesh"].normal_forces
        assert (push > 0.0).any(axis=0).sum() == 3 and (push[0] > 0).sum() != 3
        jumps.append(np.abs(np.diff(push, axis=0)).max() / push.max())
    assert jumps[1] < 0.5 * jumps[0]


@pytest.mark.parametrize("kind", ["equal", "ring"])
def test_pairs_of_teeth_come_into_mesh_at_the_cost_of_a_few_steps(kind: str) -> None:
    """While the load falls, a tip comes near a flank slowly beside its way along it.

    Touches are those that the gaps at many instants show.
    """
    m = train(kind, 0.0, rate=100.0, thinning=0.02 * MODULE)
    m.add(sp.JointEffort("swing", "in", "4*cos(160*t)"))
    m.add(sp.JointSpring("brake", "out", damping=0.02))
    output = np.linspace(0.0, 0.03, 3001)
    result = sp.simulate(m, 0.03, tolerance=1e-6, output=output[1:])
    assert result.success and result.statistics["steps"] < 1500
    view = result["mesh"]
    touching = (view.gaps < 0.0).any(axis=1)
    seen = np.zeros_like(touching)
    for begin, end in view.touches:
        seen |= (begin <= result.t) & (result.t <= end)
    assert touching.any() and not touching.all()
    assert not (touching & ~seen).any()


def test_momentum_of_gears_that_are_free() -> None:
    """Linear and angular momentum, with friction, of two gears that move freely."""
    m, at = sp.Model(gravity=(0, 0, 0)), mesh("equal")
    A, B = (m.add(sp.RigidBody(name, 0.3, inertia=(1e-4, 1e-4, 2e-4))) for name in ("A", "B"))
    m.add(sp.Free("a", m.ground.at(0), A.at(0), initial_rate=(0, 0, 30.0, 0, 0, 0)))
    place = m.ground.at(at.distance + 0.1 * MODULE, 0, 0)
    m.add(sp.Free("b", place, B.at(0), initial_rate=(0, 0, 5.0, -0.05, 0, 0)))
    pair = gears("equal", A.at(0), B.at(0))
    m.add(sp.Contact("mesh", *pair, LAW, sp.Friction(0.1)))
    result = sp.simulate(m, 0.01)
    assert result["mesh"].touching.any() and result["mesh"].lost_by_friction[-1] > 0.0
    bodies = [result[name] for name in "AB"]
    linear = sum(0.3 * one.velocity for one in bodies)
    spins = sum(one.angular_velocity * [1e-4, 1e-4, 2e-4] for one in bodies)
    angular = spins + sum(0.3 * np.cross(one.position, one.velocity) for one in bodies)
    # wrenches of both bodies are opposite: what is left are errors of the method's charts
    assert np.abs(linear - linear[0]).max() < 1e-7 * 0.3
    assert np.abs(angular - angular[0]).max() < 1e-7 * np.abs(angular[0]).max()
    assert np.abs(result.energy.error).max() < 1e-5 * result.energy.kinetic[0]


@pytest.mark.slow
def test_either_order_and_antiparallel_axes() -> None:
    first, second = (sp.simulate(train("ring", swapped=s), 0.01) for s in (False, True))
    np.testing.assert_allclose(first["out"].angle, second["out"].angle, rtol=0, atol=1e-7)
    np.testing.assert_allclose(first["mesh"].force, -second["mesh"].force, rtol=0, atol=1.0)


def test_the_spectrum_of_the_force_has_the_frequency_of_the_teeth() -> None:
    """20 teeth at 20 rad/s: 63.66 Hz, by the number of pairs that share the load."""
    rate, count = 20.0, 2048
    t = 0.05 + np.arange(count) * (8.0 * 2.0 * math.pi / (20 * rate)) / count
    result = sp.simulate(train(load=20.0, rate=rate), t[-1], output=t)
    slot = result["mesh"].depth
    lines = np.abs(np.fft.rfft(slot - slot.mean()))
    assert (
        int(lines.argmax()) % 8 == 0
        and lines[8::8].sum() > 3.0 * np.delete(lines, np.s_[::8]).max()
    )


FLAT = {"addendum": 0.5}


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ({"module": 1e-3}, {}, "base pitches are 0.00295213143 and 0.00590426287 m, expected"),
        (
            {**FLAT, "inside": True},
            {**FLAT, "inside": True},
            "both gears are rings, expected one in the other",
        ),
        ({}, {**FLAT, "inside": True}, "the ring has 20 teeth, the gear in it 20, expected more"),
        ({"teeth": 12}, {"teeth": 80}, "tips of one gear reach below the base circle of the oth"),
        (
            {"profile_shift": -0.9, "teeth": 40},
            {"profile_shift": -0.9, "teeth": 40},
            "leave no room for each",
        ),
        ({"teeth": 3}, {}, "teeth is 3, expected a whole number from 4"),
        ({"teeth": None}, {}, "teeth is missing, expected a whole number from 4"),
        ({"pressure_angle": 20}, {}, "pressure_angle is 20, expected an angle from 0.1 to 0.8"),
        ({"addendum": 3.0}, {}, "its teeth have no width at their tips, expected another"),
        ({"inside": True, "addendum": 2.0}, {}, "expected tips outside of the base circle"),
    ],
)
def test_sentences(first: dict, second: dict, sentence: str) -> None:
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 1.0, inertia=1e-3))
    common = {"teeth": 20, **SIZES}
    with pytest.raises(sp.ModelError, match=sentence):
        pair = [
            sp.InvoluteGear(frame, **{**common, **own})
            for frame, own in ((m.ground.at(0), first), (body.at(0), second))
        ]
        sp.Contact("mesh", *pair, LAW)


def test_a_gear_touches_gears_only_and_axes_that_tilt_are_told() -> None:
    m = sp.Model(gravity=(0, 0, 0))
    A, B = (m.add(sp.RigidBody(name, 1.0, inertia=1e-3)) for name in "AB")
    pair = gears("equal", A.at(0), B.at(0))
    with pytest.raises(sp.ModelError, match="InvoluteGear and Sphere"):
        sp.Contact("mesh", pair[0], sp.Sphere(B.at(0), radius=0.1), LAW)
    m.add(sp.Revolute("in", m.ground.at(0), A.at(0)))
    place = m.ground.at(mesh("equal").distance, 0, 0, rotation=(0, 0.3, 0))
    m.add(sp.Revolute("out", place, B.at(0)))
    m.add(sp.Contact("mesh", *pair, LAW))
    result = sp.simulate(m, 1e-3)
    assert result.verdict.startswith("not trusted")
    (found,) = (one for one in result.motion.findings if one.what == "tilt")
    assert "axes of its gears are 0.3 rad apart" in found.sentence and found.serious


def test_forms_of_gears_are_closed_and_seen_from_outside() -> None:
    """Volume of what is drawn beside that between root and tip circles."""
    for ring in (False, True):
        gear = sp.InvoluteGear(sp.Model().ground.at(0), 40, inside=ring, **SIZES)
        drawn = gear.surface()
        a, b, c = (drawn.points[drawn.triangles[:, k]] for k in range(3))
        volume = float(np.einsum("fi,fi->", a, np.cross(b, c)) / 6.0)
        radii = sorted((gear.tip_radius, gear.root_radius))
        disc = [math.pi * r**2 * gear.width for r in radii]
        rim = math.pi * (gear.root_radius + 2.5 * MODULE) ** 2 * gear.width
        low, high = (rim - disc[1], rim - disc[0]) if ring else disc
        assert low < volume < high


@pytest.mark.slow
@pytest.mark.parametrize(
    "friction", [None, sp.Friction(0.2), sp.RoundedFriction(0.2, rolling=1e-4)]
)
@pytest.mark.parametrize("kind", PAIRS)
def test_tangents_equal_complex_steps(columns, kind: str, friction) -> None:
    """Of flanks and tips that overlap, both gears free in space, axes parallel."""
    ends = sp.Model(gravity=(0, 0, 0))
    A, B = (ends.add(sp.RigidBody(n, 1.0, inertia=(1e-3, 2e-3, 3e-3))) for n in "AB")
    ends.add(sp.Planar("a", ends.ground.at(0), A.at(0)))
    ends.add(sp.Free("b", A.at(0), B.at(0)))
    ends.add(sp.Contact("mesh", *gears(kind, A.at(0), B.at(0)), LAW, friction))
    eq = sp.JointCoordinates().equations(ends)
    rng, touched = np.random.default_rng(7), set()
    for x, y, turn in places(kind, 30, seed=11, loose=0.2 * MODULE):
        q = np.zeros(eq.nq)
        half = 0.5 * turn
        q[eq.compiled.coordinate("b", 0)[0] :][:7] = [math.cos(half), 0, 0, math.sin(half), x, y, 0]
        u, a = rng.normal(size=eq.nu) * 0.1, rng.normal(size=eq.nu)
        s = State(0.0, q, u, a, 1e-7 * rng.normal(size=eq.nz))
        _, Rq, Ru, *_ = eq.tangents(s.t, s.q, s.u, s.a, s.z)
        for found, which in ((Rq, "d"), (Ru, "u")):
            wanted = columns(eq, s, which)[0]
            np.testing.assert_allclose(
                found, wanted, rtol=0, atol=1e-9 * (1.0 + np.abs(wanted).max())
            )
        touched.add(
            int(contact_history(eq.compiled, ends["mesh"], q[None], u[None], s.z[None]).push.any())
        )
    assert 1 in touched
