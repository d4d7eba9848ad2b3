"""Ropes over pulleys: exact motions, law of the capstan, energy, momentum, bad input."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import supple as sp

G = 9.81
STIFF = 1e6  # N, EA
TIGHT = 1e-10
# Tensions of these motions are constant, and so is the stretch of a rope that begins with it: all
# places are parabolas over time, which Radau follows within its tolerance at each of ten steps.
CLOSE = 1e-8  # m, m/s


def weight(model: sp.Model, name: str, mass: float, x: float, z: float = -1.0) -> sp.RigidBody:
    """A body that slides along the vertical through (x, 0, 0)."""
    body = model.add(sp.RigidBody(name, mass, (0, 0, 0), 0.1 * np.eye(3)))
    model.add(sp.Prismatic(f"{name}_slide", model.ground.at(x), body.at(0), "z", initial=z))
    return body


def taut(
    model: sp.Model, name: str, path: list, tension: float, stiffness: float = STIFF, **options
) -> sp.Rope:
    """A rope that has this mean tension where the model begins."""
    length = model.rope_length(path) / (1.0 + tension / stiffness)
    return model.add(sp.Rope(name, path, stiffness, length, **options))


def fallen(model: sp.Model, until: float = 0.4) -> sp.results.Result:
    result = sp.simulate(model, until, tolerance=TIGHT, output=21)
    assert result.success, result.message
    assert result.energy.verdict.startswith("trusted"), result.energy.verdict
    return result


def flying(name: str, model: sp.Model, place, rates) -> sp.RigidBody:
    body = model.add(sp.RigidBody(name, 1.2, (0.1, 0.03, -0.05), np.diag([0.02, 0.03, 0.04])))
    model.add(sp.Free(f"{name}_air", model.ground.at(*place), body.at(0), initial_rate=rates))
    return body


@pytest.mark.parametrize("crossed", [False, True])
def test_length_of_open_and_crossed_belts(crossed: bool) -> None:
    R, r, d = 0.5, 0.3, 2.0
    model = sp.Model()
    end = flying("end", model, (d + r, 0, 1.0 if crossed else -1.0), np.zeros(6))
    wheels = [
        sp.Pulley(model.ground.at(0), R, "y"),
        sp.Pulley(model.ground.at(d), r, (0, -1, 0) if crossed else "y"),
    ]
    found = model.rope_length([model.ground.at(-R, 0, -1), *wheels, end.at(0)])
    across = R + r if crossed else R - r
    tilt = math.asin(across / d)
    arcs = R * (math.pi / 2 + tilt) + r * (math.pi / 2 + (tilt if crossed else -tilt))
    assert found == pytest.approx(2.0 + math.sqrt(d**2 - across**2) + arcs, rel=1e-14)


def test_a_sliding_rope_obeys_the_law_of_the_capstan() -> None:
    """Two masses over a fixed drum: the ratio of tensions, the motion, what friction takes."""
    light, heavy, friction, t = 2.0, 6.0, 0.25, 0.4
    ratio = math.exp(friction * math.pi)
    fall = G * (heavy - light * ratio) / (heavy + light * ratio)
    T = light * (G + fall)
    model = sp.Model(gravity=(0, 0, -G))
    a, b = weight(model, "a", light, -0.2), weight(model, "b", heavy, 0.2)
    for name, sign in (("a", 1.0), ("b", -1.0)):  # they move already, faster than the transition
        model.replace(f"{name}_slide", initial_rate=sign)
    path = [a.at(0), sp.Pulley(model.ground.at(0), 0.2, "y", friction=friction), b.at(0)]
    # the mean tension changes as the spans do: the stretch of a stiff rope is below 1e-7
    taut(model, "rope", path, 0.5 * T * (1.0 + ratio), 1e9, damping=1e5)
    result = fallen(model, t)
    tension = result["rope"].tension
    np.testing.assert_allclose(tension[:, 1] / tension[:, 0], ratio, rtol=1e-6)
    way = t + 0.5 * fall * t**2
    assert result["b_slide"].coordinates[-1, 0] == pytest.approx(-1.0 - way, abs=1e-6)
    taken = T * (ratio - 1.0) * way
    assert result["rope"].dissipated[-1] == pytest.approx(taken, rel=1e-6)
    assert np.all(np.diff(result["rope"].dissipated) >= 0.0)


def test_drum_with_inertia() -> None:
    """Atwood's machine: the tensions of two ropes on a wheel differ by what turns it."""
    m1, m2, inertia, R, t = 2.0, 3.0, 0.3, 0.2, 0.4
    a = G * (m2 - m1) / (m1 + m2 + inertia / R**2)
    for backwards in (False, True):
        model = sp.Model(gravity=(0, 0, -G))
        left, right = weight(model, "left", m1, -R), weight(model, "right", m2, R)
        wheel = model.add(sp.RigidBody("wheel", 1.0, (0, 0, 0), (inertia,) * 3))
        ends = model.ground.at(0), wheel.at(0)
        model.add(sp.Revolute("axle", *(ends[::-1] if backwards else ends), "y"))
        drums = [sp.Drum(model.ground.at(0), "axle", R, "y", (x, 0, 1)) for x in (-1, 1)]
        taut(model, "rope1", [left.at(0), drums[0]], m1 * (G + a))
        taut(model, "rope2", [drums[1], right.at(0)], m2 * (G - a))
        result = fallen(model, t)
        way = 0.5 * a * t**2
        sign = -1.0 if backwards else 1.0
        assert result["left"].position[-1, 2] == pytest.approx(-1.0 + way, abs=CLOSE)
        assert result["right"].position[-1, 2] == pytest.approx(-1.0 - way, abs=CLOSE)
        assert result["axle"].coordinates[-1, 0] == pytest.approx(sign * way / R, abs=CLOSE / R)
        for name, tension in (("rope1", m1 * (G + a)), ("rope2", m2 * (G - a))):
            np.testing.assert_allclose(result[name].tension, tension, rtol=1e-6)


def test_block_and_tackle() -> None:
    """A load on a lower block with two pulleys: four falls of rope carry it."""
    load, pull, r, t = 30.0, 9.0, 0.1, 0.4
    a = G * (pull - load / 4) / (pull + load / 16)  # of the free end, downwards
    T = pull * (G - a)
    model = sp.Model(gravity=(0, 0, -G))
    block = weight(model, "block", load, 0.3, z=-3.0)
    end = weight(model, "end", pull, 0.8)
    top = model.ground
    path = [
        top.at(-0.1, 0, 0),
        sp.Pulley(block.at(-0.3), r, (0, -1, 0)),
        sp.Pulley(top.at(0.2), r, "y"),
        sp.Pulley(block.at(0.1), r, (0, -1, 0)),
        sp.Pulley(top.at(0.6), r, "y"),
        end.at(-0.1),
    ]
    taut(model, "rope", path, T)
    result = fallen(model, t)
    assert result["end"].position[-1, 2] == pytest.approx(-1.0 - 0.5 * a * t**2, abs=CLOSE)
    assert result["block"].position[-1, 2] == pytest.approx(-3.0 + 0.125 * a * t**2, abs=CLOSE)
    np.testing.assert_allclose(result["rope"].tension, T, rtol=1e-6)
    np.testing.assert_allclose(result["rope"].force.sum(axis=1), 0.0, atol=1e-9 * T)
    assert result.dataset["rope.tension_5"].attrs["units"] == "N"
    (begin, end), *_ = result["rope"].spans  # the first fall is vertical, as long as it hangs
    np.testing.assert_allclose(begin, np.broadcast_to((-0.1, 0, 0), begin.shape), atol=1e-12)
    np.testing.assert_allclose(end[:, 2], result["block"].position[:, 2], rtol=1e-12)


def test_ropes_in_space_keep_energy_and_momentum() -> None:
    """Pulleys on flying bodies, spans that leave their planes by a third of a radian."""
    model = sp.Model()
    a = flying("a", model, (-1, 0.3, 0), (0.3, 1, 0.2, 0.4, 0.1, 0.2))
    b = flying("b", model, (0, 0, 1), (0.5, -0.4, 0.7, 0.2, -0.3, 0))
    c = flying("c", model, (1, 0, 1.2), (0.3, 0.2, -0.6, 0.1, 0.2, 0.1))
    d = flying("d", model, (2, -0.4, 0), (1, 0.2, 0.3, -0.4, 0, 0.1))
    wheels = [sp.Pulley(b.at(0.1), 0.2, (0.2, 1, 0)), sp.Pulley(c.at(0), 0.15, (-0.2, 1, 0.2))]
    path = [a.at(0.1, 0.1), *wheels, d.at(0, 0.1, 0.2)]
    model.add(sp.Rope("rope", path, 400.0, 0.97 * model.rope_length(path)))
    result = fallen(model, 0.6)
    momentum = result.data.history.momentum
    assert np.ptp(result["rope"].tension) > 5.0  # it does something
    # the orbit and spin of bodies of 5 kg at 0.5 m/s: errors of the steps only
    np.testing.assert_allclose(momentum - momentum[0], 0.0, atol=1e-8)


def test_friction_in_space_balances_energy() -> None:
    model = sp.Model(gravity=(0, 0, -G))
    a = flying("a", model, (-0.6, 0.1, -1), (0.3, 1, 0.2, 0.4, 0.1, 0.2))
    b = flying("b", model, (0.8, 0, -1.5), (0.1, 0, 0.2, 0, 0.3, 0))
    wheel = sp.Pulley(model.ground.at(0), 0.2, "y", friction=0.2)
    path = [a.at(0), wheel, b.at(0.1)]
    model.add(sp.Rope("rope", path, 500.0, model.rope_length(path), 5.0, transition=0.05))
    result = sp.simulate(model, 1.0, tolerance=1e-8)
    assert result.energy.verdict.startswith("trusted")
    assert np.all(np.diff(result["rope"].dissipated) >= -1e-9)
    assert result["rope"].dissipated[-1] > 0.1


def test_a_slack_rope_does_not_push_and_catches() -> None:
    """A mass falls freely until its rope is taut, then swings on it as on a spring."""
    mass, fall, stiffness = 2.0, 0.2, 400.0  # N/m
    model = sp.Model(gravity=(0, 0, -G))
    body = weight(model, "body", mass, 0.0)
    length = 1.0 + fall
    model.add(sp.Rope("rope", [model.ground.at(0), body.at(0)], stiffness * length, length))
    result = sp.simulate(model, 0.8, tolerance=1e-10, output=400)
    z, tension = result["body"].position[:, 2], result["rope"].tension[:, 0]
    assert np.all(tension[z > -length] == 0.0) and tension.min() == 0.0
    rest = mass * G / stiffness  # stretch where weight and rope are in balance
    lowest = -length - rest - math.sqrt(rest**2 + 2.0 * fall * rest)
    assert z.min() == pytest.approx(lowest, abs=1e-4)  # between two of 400 output times
    assert result.energy.verdict.startswith("trusted")


def test_a_rope_leaves_a_pulley_it_does_not_reach() -> None:
    """Above the line between its ends it is bent by the pulley, below it is straight."""
    model = sp.Model()
    body = model.add(sp.RigidBody("body", 1.0, (0, 0, 0), np.eye(3)))
    model.add(sp.Prismatic("lift", model.ground.at(1), body.at(0), "z", initial=-0.5))
    wheel = sp.Pulley(model.ground.at(0), 0.1, "y")
    path = [model.ground.at(-1, 0, 0.1), wheel, body.at(0)]
    model.add(sp.Rope("rope", path, 1.0, 1.0))
    model.add(sp.Driver("up", "lift", sp.SmoothStep(0, 1, -0.5, 0.5)))
    result = sp.simulate(model, 1.0, tolerance=1e-8, output=51)
    z, length, angle = (
        result["body"].position[:, 2],
        result["rope"].length,
        result["rope"].angle[:, 1],
    )
    free = z > 0.1
    np.testing.assert_allclose(length[free], np.hypot(2.0, z[free] - 0.1), rtol=1e-12)
    assert np.all(angle[free] == 0.0) and np.all(angle[z < 0.1 - 1e-6] > 0.0)
    assert np.all(np.diff(length[z < 0.1]) < 0.0)
    steps = np.diff(length) / np.diff(result.t)
    rate = result["rope"].length_rate[1:-1]
    # differences err by the step times second derivatives, z'^2 / span at most
    np.testing.assert_allclose(rate, 0.5 * (steps[1:] + steps[:-1]), atol=0.02 * 2.0**2)


def test_winding_by_several_turns() -> None:
    """A driven drum lifts a weight by its radius times the angle, over whole turns."""
    model = sp.Model(gravity=(0, 0, -G))
    body = weight(model, "body", 2.0, 0.1, z=-3.0)
    wheel = model.add(sp.RigidBody("wheel", 1.0, (0, 0, 0), np.eye(3)))
    model.add(sp.Revolute("axle", model.ground.at(0), wheel.at(0), "y"))
    model.add(sp.Driver("winch", "axle", sp.SmoothStep(0, 2, 0.0, -20.0)))
    drum = sp.Drum(model.ground.at(0), "axle", 0.1, "y")
    taut(model, "rope", [drum, body.at(0)], 2.0 * G, damping=2e3)
    result = sp.simulate(model, 2.0, tolerance=1e-8)
    stretch = result["rope"].tension[-1, 0] / STIFF
    length = model["rope"].length * (1.0 + stretch)  # x is where it touches the drum
    assert result["body"].position[-1, 2] == pytest.approx(2.0 - length, abs=1e-6)
    assert result["rope"].dissipated[-1] >= 0.0


def test_frequencies_of_a_rope_over_a_pulley() -> None:
    """Stiffness in linear models: EA/L on two masses that swing against each other."""
    m1, m2 = 2.0, 3.0
    model = sp.Model(gravity=(0, 0, -G))
    a, b = weight(model, "a", m1, -0.2), weight(model, "b", m2, 0.2)
    model.replace("a", mass=m2)
    path = [a.at(0), sp.Pulley(model.ground.at(0), 0.2, "y"), b.at(0)]
    rope = taut(model, "rope", path, m2 * G)
    found = sp.linearize(model).frequencies
    wanted = math.sqrt(STIFF / rope.length * 2.0 / m2) / (2.0 * math.pi)
    assert max(found) == pytest.approx(wanted, rel=1e-9)


GROUND = sp.Model().ground


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ([GROUND.at(0)], "number of places in path is 1, expected a list of 2 to 64 frames"),
        (
            [sp.Pulley(GROUND.at(0), 1.0), GROUND.at(1)],
            r"path\[0\] is .*, expected a frame or a Dr",
        ),
        (
            [GROUND.at(0), sp.Drum(GROUND.at(0), "axle", 1.0), GROUND.at(1)],
            r"path\[1\] is .*, expected a frame or a Pulley",
        ),
        (
            [GROUND.at(0), GROUND.at(1)],
            "body of all places in path is 'ground', expected places on",
        ),
    ],
)
def test_bad_paths(path: list, sentence: str) -> None:
    with pytest.raises(sp.ModelError, match=f"^Rope 'rope': {sentence}"):
        sp.Rope("rope", path, 1.0, 1.0)


def test_bad_drums_and_pulleys_without_a_tangent() -> None:
    model = sp.Model(gravity=(0, 0, -G))
    body, other = weight(model, "body", 1.0, 0.5), weight(model, "other", 1.0, 0.7)
    wheel = model.add(sp.RigidBody("wheel", 1.0, (0, 0, 0), np.eye(3)))
    model.add(sp.Revolute("axle", model.ground.at(0), wheel.at(0), "y"))
    drums = {
        "joint of the drum is .*, expected a Revolute": sp.Drum(
            GROUND.at(0), "body_slide", 0.1, "y"
        ),
        "frame of the drum is .*, expected a frame on one of": sp.Drum(
            other.at(0), "axle", 0.1, "y"
        ),
        "axis of the drum is .*, expected that of Revolute": sp.Drum(
            GROUND.at(0), "axle", 0.1, "z"
        ),
        "centre of the drum is .*, expected a point on the axis": (
            sp.Drum(GROUND.at(0.1), "axle", 0.1, "y")
        ),
    }
    for sentence, drum in drums.items():
        with pytest.raises(sp.ModelError, match=rf"^Rope 'rope': path\[0\]: {sentence}"):
            model.rope_length([drum, body.at(0)])
    inside = [model.ground.at(0, 0, 0.3), sp.Pulley(model.ground.at(0), 0.4, "y"), body.at(0)]
    with pytest.raises(sp.ModelError, match="the path of a rope has no tangent"):
        model.rope_length(inside)
    model.add(sp.Rope("rope", inside, 1e3, 0.1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        result = sp.simulate(model, 0.1)
    assert not result.success and "the rope 'rope' has no tangent" in result.message


def test_ropes_follow_changes_of_their_model() -> None:
    """Frames of pulleys and joints of drums are renamed and moved with their items."""
    model = sp.Model()
    body = model.add(sp.RigidBody("body", 1.0, (0, 0, 0), np.eye(3), position=(0, 0, -1)))
    model.add(sp.Revolute("axle", model.ground, body, "y", at=(0, 0, 0)))
    hook = model.add(sp.RigidBody("hook", 1.0, (0, 0, 0), np.eye(3)))
    model.add(sp.Free("air", model.ground.at(1, 0, -1), hook.at(0)))
    wheel = sp.Pulley(body.at_world(0, 0, 0), 0.1, "y")
    drum = sp.Drum(model.ground.at(0), "axle", 0.2, "y")
    model.add(sp.Rope("rope", [drum, wheel, hook.at(0)], 1.0, 1.0))
    model.replace("body", position=(0, 0, -2))
    assert model["rope"].path[1].frame.position.tolist() == [0, 0, 2]
    model.rename("axle", "shaft")
    model.rename("body", "wheel")
    path = model["rope"].path
    assert path[0].joint == "shaft" and path[1].frame.body.name == "wheel"
    with pytest.raises(sp.ModelError, match=r"is used by .*Rope 'rope'"):
        model.remove("shaft")


def test_a_mass_on_two_ropes_over_pulleys() -> None:
    """It sinks between two pulleys and lifts a weight at each side: one coordinate y, exactly.

    With L(y) the length of one rope on the side of the mass and on its pulley, L' = (y t + r a)/d^2
    with d^2 = a^2 + y^2 and the straight part t: (m + 2 M L'^2) y'' + 2 M L' L'' y'^2 = g (m - 2 M
    L'). The ropes are stretched by 2e-6 of 2 m under 20 N.
    """
    m, weight, a, r, y0, stiffness = 3.0, 2.0, 0.8, 0.1, 0.5, 1e7

    def slopes(y: float) -> tuple[float, float]:
        d2 = a * a + y * y
        t = math.sqrt(d2 - r * r)
        first = (y * t + r * a) / d2
        return first, (t + y * y / t - 2.0 * y * first) / d2

    def exact(_: float, state: np.ndarray) -> list[float]:
        y, v = state
        first, second = slopes(y)
        force = G * (m - 2.0 * weight * first) - 2.0 * weight * first * second * v * v
        return [v, force / (m + 2.0 * weight * first**2)]

    first, _ = slopes(y0)
    tension = weight * (G + first * exact(0.0, np.array([y0, 0.0]))[1])
    model = sp.Model(gravity=(0, 0, -G))
    middle = model.add(sp.RigidBody("middle", m, (0, 0, 0), np.eye(3)))
    model.add(sp.Prismatic("drop", model.ground.at(0), middle.at(0), "z", initial=-y0))
    for name, side in (("left", -1.0), ("right", 1.0)):
        body = model.add(sp.RigidBody(name, weight, (0, 0, 0), np.eye(3)))
        place = model.ground.at(side * (a + r))
        model.add(sp.Prismatic(f"{name} lift", place, body.at(0), "z", initial=-1.0))
        wheel = sp.Pulley(model.ground.at(side * a), r, (0, side, 0))
        path = [middle.at(0), wheel, body.at(0)]
        length = model.rope_length(path) / (1.0 + tension / stiffness)
        model.add(sp.Rope(f"{name} rope", path, stiffness, length, damping=1e3))
    result = sp.simulate(model, 0.6, tolerance=1e-8, output=6)
    known = solve_ivp(exact, (0, 0.6), [y0, 0.0], t_eval=result.t, rtol=1e-11, atol=1e-12).y
    assert known[0, -1] - y0 > 0.1
    np.testing.assert_allclose(-result["middle"].position[:, 2], known[0], atol=1e-5)
    np.testing.assert_allclose(-result["middle"].velocity[:, 2], known[1], atol=1e-4)
    np.testing.assert_allclose(result["left"].position[:, 2], result["right"].position[:, 2])
