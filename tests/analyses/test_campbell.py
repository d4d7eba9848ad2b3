"""Modes over a speed: exact frequencies, whirl as seen from the world, names by energy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple as sp
from models.rotors import jeffcott
from supple.analyses.equilibrium.balance import turned
from supple.analyses.linear.energy_shares import STORED, potential_shares, strain_kinds
from supple.analyses.linear.independent import dof_names, followed, reduced
from supple.cases.beams.rotating import UNIT_MATERIAL, UNIT_SECTION
from supple.cases.case import references
from supple.forces.kinds import FORCES
from supple.formulations.equations import Equations
from supple.foundation.errors import ModelError, SuppleError, SuppleWarning


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_whirl_of_a_shaft_that_turns_along(sign: float) -> None:
    """Seen from the world both whirls of a round shaft have 100 rad/s at any speed.

    In the shaft they are at |100 -+ speed|; the forward one passes zero and is followed.
    """
    speeds = sign * np.array([0.0, 40.0, 80.0, 120.0, 200.0])[:: int(sign)]
    found = sp.campbell(jeffcott(0.0, 0.0), "turn", speeds)
    ahead, back = found.track("first forward whirl"), found.track("first backward whirl")
    assert found.names[2] == "first motion of bend.angle, 100 % level"
    for track, way in ((ahead, 1.0), (back, -1.0)):
        np.testing.assert_allclose(2 * np.pi * track.world_frequencies, 100.0, rtol=1e-8)
        turning = np.abs(100.0 - way * np.abs(speeds))
        np.testing.assert_allclose(2 * np.pi * track.frequencies, turning, rtol=1e-8)
        np.testing.assert_allclose(track.directions[speeds != 0.0], way, rtol=1e-8)
        assert track.directions[speeds == 0.0] == pytest.approx([0.0], abs=1e-9)
        assert "50 % k" in track.name
    assert found.critical_speeds()[ahead.name] == pytest.approx([100.0 * sign], rel=1e-8)
    # half the speed meets the forward whirl where 100 - speed = speed / 2, in turning axes
    assert 200.0 / 3.0 * sign == pytest.approx(
        found.critical_speeds(0.5, axes="model")[ahead.name][int(sign < 0.0)], rel=1e-8
    )


def test_directions_are_against_the_rotation_of_each_speed() -> None:
    """A whirl that goes with the rotation goes against it when that is reversed."""
    found = sp.campbell(jeffcott(0.0, 0.0), "turn", [-40.0, 0.0, 40.0])
    for track in found.tracks[:2]:
        way = np.sign(track.directions[2])
        assert track.directions == pytest.approx([-way, 0.0, way], abs=1e-8)
        assert np.sign(track.frequencies[2] - track.frequencies[1]) == -way


def test_the_critical_speed_itself_is_bridged() -> None:
    """At 100 rad/s the forward whirl stands still in the shaft: no oscillation, no gap."""
    found = sp.campbell(jeffcott(0.0, 0.0), "turn", [60.0, 100.0, 140.0])
    ahead = found.track("first forward whirl")
    assert ahead.modes[1] is None and np.isnan(ahead.frequencies[1])
    assert 2 * np.pi * ahead.frequencies[[0, 2]] == pytest.approx([40.0, 40.0], rel=1e-8)
    assert found.critical_speeds()[ahead.name] == pytest.approx([100.0], rel=1e-8)


def tilting_disc(stiffness: tuple[float, float]) -> sp.Model:
    """A disc on a gimbal that does not turn, with springs about both its axes."""
    m = sp.Model(name="disc")
    ring = m.add(sp.RigidBody("ring", 1e-9, inertia=1e-15))
    disc = m.add(sp.RigidBody("disc", 1.0, inertia=(0.02, 0.02, 0.03)))
    m.add(sp.Universal("tilt", m.ground.at(0), ring.at(0), axes=("x", "y")))
    m.add(sp.Revolute("spin", ring.at(0), disc.at(0), axis="z"))
    for k in (0, 1):
        m.add(sp.JointSpring(f"k{k}", "tilt", stiffness[k], coordinate=k))
    return m


@pytest.mark.parametrize("stiffness", [(50.0, 50.0), (50.0, 80.0)])
@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
def test_a_disc_that_tilts_whirls_forward_and_backward(stiffness, formulation) -> None:
    """(k1 - I w^2)(k2 - I w^2) = (Ip W w)^2; the faster goes with the rotation, by ellipses.

    Coordinates do not turn: frequencies are those of the world. Semi-axes of the ellipse are as
    k1 - I w^2 to Ip W w.
    """
    speeds = np.array([10.0, 30.0, 80.0, 200.0])
    found = sp.campbell(tilting_disc(stiffness), "spin", speeds, formulation=formulation)
    assert [t.kind for t in found.tracks] == ["backward whirl", "forward whirl"]
    k1, k2, inertia, polar = *stiffness, 0.02, 0.03
    for k, speed in enumerate(speeds):
        middle = -inertia * (k1 + k2) - (polar * speed) ** 2
        squares = np.sort(np.roots([inertia**2, middle, k1 * k2]).real)
        for track, square, way in zip(found.tracks, squares, (-1.0, 1.0), strict=True):
            w = np.sqrt(square)
            assert 2 * np.pi * track.frequencies[k] == pytest.approx(w, rel=1e-6)
            assert track.world_frequencies[k] == track.frequencies[k]
            a, b = abs(k1 - inertia * square), polar * speed * w
            assert track.directions[k] == pytest.approx(way * 2 * a * b / (a * a + b * b), rel=1e-5)


def test_any_independent_coordinates_have_the_same_motion() -> None:
    """Also those whose matrices change as the model turns: the same motion solves them all.

    A ring that does not turn and a disc that does, in absolute coordinates. A mode in those of the
    ring, as coordinates of the disc or of both: y = T(t) (shape exp(s t)), with T and its
    derivatives by differences of order 4, h = 1e-2 rad.
    """
    m = tilting_disc((50.0, 80.0))
    m.replace("ring", mass=1.0, inertia=(0.01, 0.012, 0.02))
    free = sp.Absolute()
    linear = sp.linearize(m, sp.statics(m, spin={"spin": 80.0}, formulation=free), formulation=free)
    names, state = dof_names(linear.state.compiled), linear.state
    ring, equations = [names.index(n) for n in linear.names], Equations(state.compiled)
    assert linear.names[:2] == ("free:ring.rotation_x", "free:ring.rotation_y")
    x, y, z = (names.index(f"free:disc.rotation_{axis}") for axis in "xyz")
    h = 1e-2 / 80.0
    for chosen in ([x, y, z], [ring[1], x, z]):
        moved = [turned(equations, state.q, k * h * state.u) for k in (-2, -1, 0, 1, 2)]
        T = [followed(equations, state.t, q, state.u, ring).N[chosen] for q in moved]
        rate = (8.0 * (T[3] - T[1]) - (T[4] - T[0])) / (12.0 * h)
        curve = (16.0 * (T[3] + T[1]) - (T[4] + T[0]) - 30.0 * T[2]) / (12.0 * h * h)
        other = reduced(equations, state, chosen, None, True)
        for mode in (mode for mode in linear.modes if mode.eigenvalue.imag > 0.0):
            s, shape = mode.eigenvalue, mode.shape[ring]
            push = (curve + 2.0 * s * rate + s * s * T[2]) @ shape
            parts = other.M @ push, other.C @ (rate + s * T[2]) @ shape, other.K @ T[2] @ shape
            size = max(np.abs(part).max() for part in parts)
            assert np.abs(sum(parts)).max() < 1e-6 * size


@pytest.mark.filterwarnings("ignore::supple.foundation.errors.SuppleWarning")
def test_a_shaft_with_rotary_inertia_in_bearings() -> None:
    """A closed loop. Rayleigh: (1 + r^2 b^2) w^2 -+ 2 r^2 b^2 W w = E I b^4 / (line mass).

    b = pi / L; six cubic elements: (b h)^4 / 1440 of a frequency, 5.2e-5.
    """
    m = sp.Model(name="shaft")
    steel = sp.Material(E=2e11, G=8e10, density=7800)
    hub = m.add(sp.RigidBody("hub", 1e-3, inertia=1e-6))
    options = {"elements": 6, "stiffening": sp.reduction.SecondOrder(twist=True)}
    beam = m.add(sp.Beam("beam", 1.0, sp.Circle(0.1), steel, **options))
    m.add(sp.Revolute("spin", m.ground.at(0), hub.at(0), axis="x"))
    m.add(sp.Universal("cardan", hub.at(0), beam.at(0), axes=("y", "z")))
    m.add(sp.PointOnLine("bearing", m.ground.at(0), beam.at(1.0), axis="x"))
    m.add(sp.Driver("motor", "spin", 0.0))
    speeds = np.array([500.0, 1000.0, 1500.0])
    found = sp.campbell(m, "spin", speeds, count=2)
    assert sorted(found.names) == [
        "first backward whirl, 100 % beam bending", "first forward whirl, 100 % beam bending"
    ]  # fmt: skip
    r2, b2 = 0.1**2 / 16, np.pi**2
    for name, way in (("first forward whirl", 1.0), ("first backward whirl", -1.0)):
        for w, speed in zip(found.track(name).world_frequencies, speeds, strict=True):
            square = 2e11 * r2 * b2**2 / 7800
            exact = np.roots([1.0 + r2 * b2, -2.0 * way * r2 * b2 * speed, -square]).max()
            assert 2 * np.pi * w == pytest.approx(exact, rel=1e-4)


def test_a_rotating_cantilever() -> None:
    """Exact frequencies to 1e-4, in the plane of the rotation and out of it; names and shares."""
    m = sp.Model(name="blade")
    hub = m.add(sp.RigidBody("hub", 1.0, inertia=(1.0, 1.0, 1.0)))
    options = {"elements": 24, "modes": 40, "rotary_inertia": False, "stiffening": "second_order"}
    blade = m.add(sp.Beam("blade", 1.0, UNIT_SECTION, UNIT_MATERIAL, **options))
    m.add(sp.Revolute("turn", m.ground.at(0), hub.at(0), axis="z"))
    m.add(sp.Fixed("root", hub.at(0), blade.at(0)))
    m.add(sp.Driver("motor", "turn", 0.0))
    speeds = np.array([2.0, 6.0, 12.0])
    found = sp.campbell(m, "turn", speeds, count=4)
    known = references("rotating")["rotating-beam"]["flap"]
    for k, ordinal in enumerate(("first", "second")):
        flap = np.array([known[f"{speed:.0f}"][k] for speed in speeds])
        for word, exact in (("flap", flap), ("lag", np.sqrt(flap**2 - speeds**2))):
            track = found.track(f"{ordinal} {word}")
            assert track.name == f"{ordinal} {word}, 100 % blade bending"
            assert 2 * np.pi * track.frequencies == pytest.approx(exact, rel=1e-4)
            # along the axis the world sees the same, across it w + W and w - W
            assert np.all(np.isfinite(track.world_frequencies)) == (word == "flap")
    assert found.limits == () and found.stability.message == "stable at all values"


def test_a_shaft_and_bearings_that_are_both_not_round_have_no_constant_matrices() -> None:
    """Coefficients are periodic then, and eigenvalues of an instant are no verdict: it is told.

    Either of them alone has constant matrices in coordinates of its own.
    """
    m = jeffcott(0.0, 0.0)
    m.add(sp.CartesianSpring("bearing", m.ground.at(0), m["disc"].at(0), stiffness=(3e3, 3e3, 0)))
    assert max(x.periodic for x in sp.stability(m, "turn", [30.0, 60.0]).linear) < 1e-9
    m.replace("bearing", stiffness=(3e3, 0, 0))
    with pytest.warns(SuppleWarning, match="do not tell whether the rotation is stable"):
        found = sp.stability(m, "turn", [30.0, 60.0])
    assert found.message.endswith("by eigenvalues that hold for an instant only")
    # 3e3 cos^2 after 0.7 rad, of a stiffness of 1e4 - m speed^2 + 3e3 at the first speed
    change = 3e3 * np.sin(0.7) ** 2 / (1e4 - 30.0**2 + 3e3)
    assert found.linear[0].periodic == pytest.approx(change, rel=0.2)
    with pytest.warns(SuppleWarning, match="linearize: mass, damping or stiffness change by"):
        sp.linearize(m, sp.statics(m, spin={"turn": 30.0}))


def test_shares_are_those_of_the_stiffness() -> None:
    """Strain of a beam by kind is its stiffness; springs between bodies count along their way.

    A bar on four springs of 3 N/m that store what 1/2 K x^2 is: without other stiffness the shares
    are the parts of the whole stiffness matrix.
    """
    m = sp.Model(name="held")
    steel = sp.Material(E=2e11, G=8e10, density=7800)
    bar = m.add(sp.Beam("bar", 1.0, sp.Rectangle(0.03, 0.01), steel, elements=4))
    g = m.ground
    m.add(sp.Free("free", g.at(0), bar.at(0)))
    stiff = np.diag([2e3, 5e3, 4e3, 70.0, 60.0, 50.0])
    # A is on the bar and B beside it; the preload holds the distance
    arm = np.array([0.1, 0.0, 0.05])
    preload = stiff @ [*arm, 0, 0, 0]
    m.add(sp.Bushing("pad", bar.at(0), g.at(*arm), stiffness=stiff, preload=preload))
    m.add(sp.CartesianSpring("net", g.at(1.0), bar.at(1.0), stiffness=(1e3, 2e3, 3e3)))
    m.add(sp.SpringDamper("wire", g.at(1, -1), bar.at(1.0), 7e3, length=1.0))
    linear = sp.linearize(m, "initial")
    kinds = strain_kinds(linear.state.compiled)
    K = linear.state.compiled.flexible["bar"].modal.K
    assert np.allclose(sum(kinds["bar"].values()), K, atol=1e-9 * np.abs(K).max())
    for mode in linear.modes[:10]:
        y = mode.shape[list(linear.places)].real
        whole = y @ linear.K @ y
        shares = potential_shares(mode, kinds)
        assert sum(shares.values()) == pytest.approx(1.0, abs=1e-5)
        end, start = mode.at(bar.at(1.0)), mode.at(bar.at(0.0))
        moved = end.translation.real
        turn = start.rotation.real
        six = np.concatenate([start.translation.real + np.cross(turn, arm), turn])
        for name, twice in (
            ("net", np.array([1e3, 2e3, 3e3]) @ moved**2),
            ("wire", 7e3 * moved[1] ** 2),
            ("pad", six @ stiff @ six),
        ):
            assert shares.get(name, 0.0) == pytest.approx(twice / whole, abs=2e-6)


def test_every_spring_has_its_share() -> None:
    """Laws, stops, ropes, couplings and gears: shares by hand, from stiffness and stretch."""
    m = sp.Model(gravity=(0, 0, 0))
    carts = [m.add(sp.RigidBody(f"cart{k}", 1.0 + k)) for k in range(3)]
    for k, cart in enumerate(carts):
        m.add(sp.Prismatic(f"x{k}", m.ground.at(k, 0), cart.at(0), "x"))
    m.add(sp.JointSpring("law", "x0", 200.0, spring=[(-1, -900), (1, 900)], cubic=1e6))
    m.add(sp.JointStop("wall", "x2", upper=-0.01, stiffness=3e3, exponent=2.0))
    m.add(sp.JointEffort("push", "x2", 3e3 * 0.01**2))  # against the wall
    m.add(sp.CoordinateSpring("band", "x0", "x1", 700.0, ratio=2.0))
    m.add(sp.SpringDamper("line", carts[1].at(0), carts[2].at(0), length=1.0, spring="500*x"))
    path = [m.ground.at(-1, 0), carts[0].at(0)]
    m.add(sp.Rope("rope", path, 400.0, 0.8))
    m.add(sp.JointEffort("pull", "x0", 400.0 * 0.2 / 0.8))
    m.add(sp.Motor("motor", "x1", 0.3, ratio=4.0, stiffness=900.0))
    slack = [m.ground.at(5, 1), carts[2].at(0)]
    m.add(sp.Rope("slack", slack, 400.0, 9.0))
    linear = sp.linearize(m, "initial")
    kinds = strain_kinds(linear.state.compiled)
    assert len(linear.modes) == 4
    for mode in linear.modes:
        y = mode.shape[list(linear.places)].real
        x = [mode.shape[linear.state.compiled.joints[f"x{k}"].u.start].real for k in range(3)]
        shaft = mode.shape[linear.state.compiled.motors["motor"].u].real
        twice = {
            "law": (200.0 + 900.0) * x[0] ** 2,
            "wall": 3e3 * 2.0 * 0.01 * x[2] ** 2,
            "band": 700.0 * (x[0] - 2.0 * x[1]) ** 2,
            "line": 500.0 * (x[2] - x[1]) ** 2,
            "rope": 400.0 / 0.8 * x[0] ** 2,
            "motor": 900.0 * (shaft / 4.0 - x[1]) ** 2,
        }
        whole = y @ linear.K @ y
        assert sum(twice.values()) == pytest.approx(whole, rel=1e-6)
        shares = potential_shares(mode, kinds)
        assert {name for name, e in twice.items() if e > 1e-5 * whole} <= set(shares)
        for name, share in shares.items():
            assert share == pytest.approx(twice[name] / whole, rel=1e-5, abs=1e-6)


def test_kinds_of_springs_have_an_energy() -> None:
    assert {kind.stores for kind in FORCES.values()} == set(STORED)


def test_a_picture_and_sentences(tmp_path: Path) -> None:
    m = tilting_disc((50.0, 80.0))
    found = sp.campbell(m, m["spin"], [0.0, 40.0, 90.0])
    ax = found.plot(tmp_path / "campbell.png", orders=(1, 2), axes="world").axes[0]
    labels = [line.get_label() for line in ax.lines]
    assert set(found.names) <= set(labels) and "2 x rate" in labels
    assert "forward whirl" in repr(found) and repr(found.tracks[0]) == f"<{found.names[0]}>"
    with pytest.raises(ModelError, match="campbell: joint is 'spn', expected a joint of the model"):
        sp.campbell(m, "spn", [0.0, 1.0])
    with pytest.raises(SuppleError, match="no track 'third flap'"):
        found.track("third flap")
    with pytest.raises(ModelError, match="axes is 'moon'"):
        found.critical_speeds(axes="moon")  # type: ignore[arg-type]
