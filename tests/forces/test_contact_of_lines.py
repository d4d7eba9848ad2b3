"""Lines that touch lines: forces against sums and integrals, momentum, energy, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.line_models import LAW, ROD, SOFT, crossing, loop
from supple.foundation.errors import ModelError, SuppleError

RUBS = sp.RoundedFriction(0.4, transition=0.05)


def kept(r: sp.results.Result, scale: float = 1.0) -> None:
    """Momentum and energy are constant, the first within rounding of many steps."""
    assert r.success
    for name in ("linear", "angular"):
        momentum = r.dataset[f"momentum.{name}"].values
        assert np.abs(momentum - momentum[0]).max() < 1e-10 * np.abs(momentum[0]).max()
    assert np.abs(r.energy.error).max() < scale * 1e-6 * r.energy.record.max_energy


COLLISIONS = {
    "cables": lambda: crossing(friction=RUBS, gap=0.002, elements=2),
    "nodal beams": lambda: crossing("nodal beam", RUBS, gap=0.002, elements=2),
    "beams in parts": lambda: crossing("beam", gap=0.002, elements=2),
    "a cable and a beam": lambda: crossing("cable", gap=0.002, elements=2, other="beam"),
    "past an end": lambda: crossing(friction=RUBS, gap=0.002, at=(-0.02, 0.4), elements=2),
}


@pytest.mark.parametrize(
    "name", [k if k == "cables" else pytest.param(k, marks=pytest.mark.slow) for k in COLLISIONS]
)
def test_momentum_and_energy_of_a_collision(name: str) -> None:
    r = sp.simulate(COLLISIONS[name](), 0.04, tolerance=1e-8)
    touch = r["touch"]
    assert touch.gap[0] > 0.0 and touch.depth.max() > 1e-3
    assert touch.lost_by_push[-1] > 1e-4
    assert touch.lost_by_friction[-1] > 1e-5 or r.data.model["touch"].friction is None
    kept(r)


@pytest.mark.parametrize("elements", [4, pytest.param(12, marks=pytest.mark.slow)])
def test_a_line_that_touches_itself_keeps_momentum_and_energy(elements: int) -> None:
    """A helix whose turns overlap; pieces are longer, and shorter, than what is left out."""
    r = sp.simulate(loop(RUBS, elements), 0.002, tolerance=1e-8, output=50)
    assert r.statistics["steps"] < 1000
    assert r["touch"].depth[0] > 0.01 and r["touch"].lost_by_friction[-1] > 0.0
    kept(r)


# --------------------------------------------------------------------------------- closed forms


def fixed(
    angle: float, gap: float, friction: sp.RoundedFriction | None, rate: tuple[float, ...]
) -> sp.results.Result:
    """Two straight cables of one metre whose middles are above each other; the second one moves."""
    m = crossing(gap=gap, angle=angle, at=(0.5, 0.5), friction=friction, elements=2)
    for name in ("fly 1", "fly 2"):
        m.replace(name, initial_rate=(0, 0, 0, *(rate if name == "fly 2" else (0, 0, 0))))
    return sp.simulate(m, 1e-9, output=2)


def pushes(angle: float, gap: float) -> tuple[float, float, float]:
    """Of balls at even distances, twelve in the sum of both radii, by the law of the model.

    Sum of the pushes, sum of their parts across both lines, least gap.
    """
    pieces, length = 4, 0.25
    count = int(np.ceil(length / 0.1 * 12.0))
    x = np.concatenate([length * (k + (np.arange(count) + 0.5) / count) for k in range(pieces)])
    distance = np.hypot(0.1 + gap, (x - 0.5) * np.sin(angle))
    push = LAW.stiffness * np.maximum(0.1 - distance, 0.0) ** LAW.exponent * length / count
    across = np.sum(push * (0.1 + gap) / distance)
    return float(np.sum(push)), float(across), float(distance.min() - 0.1)


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2, np.pi / 2])
def test_the_push_is_the_sum_of_the_law_over_the_balls(angle: float) -> None:
    found, (push, across, gap) = fixed(angle, -0.02, None, (0, 0, 0))["touch"], pushes(angle, -0.02)
    assert found.normal_force[0] == pytest.approx(push, rel=1e-8)
    assert found.gap[0] == pytest.approx(gap, abs=1e-9)
    np.testing.assert_allclose(found.force[0], (0, 0, across), atol=1e-7)


def test_parallel_lines_push_by_their_law_per_length() -> None:
    found = fixed(0.0, -0.02, None, (0, 0, 0))["touch"]
    assert found.normal_force[0] == pytest.approx(LAW.stiffness * 0.02**1.5, rel=1e-9)


def test_lines_that_cross_push_as_a_line_on_a_capsule() -> None:
    """The same sum with other balls: of bells 9 balls wide trapezoids tell the area to 1 %."""
    m = sp.Model(gravity=(0, 0, 0))
    rod = m.add(sp.Cable("rod", 1.0, ROD, SOFT, elements=2))
    m.add(sp.Free("fly", m.ground.at(0, 0, 0), rod.at(0)))
    bar = sp.Capsule(m.ground.at(0.5, 0, -0.07), radius=0.05, length=1.0, axis="y")
    m.add(sp.Contact("touch", sp.Line(rod, radius=0.05, points=121), bar, LAW))
    capsule = sp.simulate(m, 1e-9, output=2)["touch"].normal_force[0]
    line = fixed(np.pi / 2, -0.03, None, (0, 0, 0))["touch"].normal_force[0]
    assert line == pytest.approx(capsule, rel=0.01)


@pytest.mark.parametrize(
    ("angle", "way", "part"),
    [
        (np.pi / 2, (1, 0, 0), 1.0),  # along the one
        (np.pi / 2, (0, 1, 0), 1.0),  # along the other
        (np.pi / 2, (1, 1, 0), 1.0),
        (0.0, (1, 0, 0), 1.0),
        (0.0, (0, 1, 0), 0.0),  # lines roll on each other
    ],
)
def test_friction_of_lines(angle: float, way: tuple[int, ...], part: float) -> None:
    """mu N v/sqrt(v.v + v0^2) against the motion of B, but for lines that roll."""
    rate = 2.0 * np.array(way) / np.linalg.norm(way)
    c, s = np.cos(angle), np.sin(angle)  # to the axes of its joint
    turned = c * rate[0] + s * rate[1], c * rate[1] - s * rate[0], 0.0
    found = fixed(angle, -0.02, RUBS, turned)["touch"]
    wanted = -0.4 * found.normal_force[0] * part * rate / np.sqrt(4.0 + 0.05**2)
    np.testing.assert_allclose(found.friction_force[0], wanted, atol=1e-4 * found.normal_force[0])


@pytest.mark.filterwarnings("ignore:Beam")  # of a material that is stiffer than any
def test_a_cable_in_a_groove_of_two_beams() -> None:
    """Each beam pushes with half the weight over the cosine, at the depth that belongs to it.

    Between stations, where its pushes are, the cable bends by less than 1e-5 of that depth.
    """
    g, k, aside = 9.81, 1e5, 0.06
    m = sp.Model(gravity=(0, 0, -g))
    steel, rigid = (sp.Material(E=e, G=0.4 * e, density=1000.0) for e in (1e11, 1e16))
    cable = m.add(sp.Cable("cable", 1.0, ROD, steel, elements=2))
    weight = float(cable.mass) * g
    height = 0.08 - 1e-3
    m.add(sp.Free("lies", m.ground.at(0, 0, height), cable.at(0)))
    m.add(sp.CartesianSpring("along", m.ground.at(0, 0, height), cable.at(0), stiffness=(1, 0, 0)))
    law = sp.HuntCrossley(stiffness=k, exponent=1)
    for name, y in (("left", -aside), ("right", aside)):
        beam = m.add(sp.Beam(name, 1.4, ROD, rigid, modes=2, elements=4))
        m.add(sp.Fixed(f"hold {name}", m.ground.at(-0.2, y, 0), beam.at(0)))
        lines = sp.Line(beam, radius=0.05), sp.Line(cable, radius=0.05)
        m.add(sp.Contact(f"on {name}", *lines, law))
    found = sp.statics(m)
    z = float(found[cable.at(0.5)].position[0, 2])
    distance = np.hypot(aside, z)
    push = found["on left"].normal_force[0]
    assert push == pytest.approx(k * (0.1 - distance), rel=1e-4)
    assert 2.0 * push * z / distance == pytest.approx(weight, rel=1e-4)


def test_lines_of_a_set_do_what_those_of_a_contact_do() -> None:
    shown = []
    for several in (False, True):
        m = crossing(friction=RUBS, gap=-0.02)
        if several:
            m.remove("touch")
            shapes = [sp.Line(m["one"], radius=0.05), sp.Line(m["two"], radius=0.05)]
            m.add(sp.Contacts("touch", shapes, LAW, RUBS))
        r = sp.simulate(m, 1e-9, output=2)
        v = r["touch"]
        shown.append((v.depth[0], v.normal_force[0], v.energy[0]))
        assert r.statistics["depth of touch"] > 0.019
    np.testing.assert_allclose(*shown, rtol=1e-7)


def test_a_model_file_keeps_a_line_that_touches_itself(tmp_path) -> None:
    sp.files.write_model(loop(RUBS), tmp_path / "loop.yaml")
    again = sp.files.read_model(tmp_path / "loop.yaml")
    assert again["touch"].touches_itself
    one, other = (sp.simulate(m, 1e-4, output=2)["touch"] for m in (again, loop(RUBS)))
    np.testing.assert_array_equal(one.normal_forces, other.normal_forces)


# -------------------------------------------------------------------------------------- searches


@pytest.mark.parametrize("speed", [3.0, 300.0])
def test_thin_cables_do_not_pass_through_each_other(speed: float) -> None:
    """In a step of free flight: 4 mm of cables, 0.3 m away from each other."""
    m, steel = sp.Model(gravity=(0, 0, 0)), sp.Material(E=1e9, G=4e8, density=1000.0)
    one, two = (m.add(sp.Cable(n, 1.0, sp.Circle(0.004), steel, elements=4)) for n in "ab")
    m.add(sp.Free("fly a", m.ground.at(0), one.at(0)))
    start = m.ground.at(0.5, -0.5, 0.3, rotation=(0, 0, np.pi / 2))
    m.add(sp.Free("fly b", start, two.at(0), initial_rate=(0, 0, 0, 0, 0, -speed)))
    law = sp.HuntCrossley(0.5, speed, stiffness=1e8 * speed**2, exponent=1)
    m.add(sp.Contact("hit", sp.Line(one, radius=0.002), sp.Line(two, radius=0.002), law))
    r = sp.simulate(m, 0.302 / speed, tolerance=1e-3)
    assert r["hit"].lost_by_push[-1] > 0.0
    assert 0.0 < r.statistics["depth of hit"] < 0.002


@pytest.mark.slow
def test_collisions_converge_with_elements() -> None:
    """What a hit loses, of cables of 4, 8 and 16 elements."""
    found = []
    for n in (4, 8, 16):
        m = crossing(gap=0.001, elements=n, at=(0.5, 0.5), law=sp.HuntCrossley(0.6, 1.0, 3e4))
        found.append(sp.simulate(m, 0.02, tolerance=1e-7)["touch"].lost_by_push[-1])
    first, second = np.abs(np.diff(found))
    assert second < 0.5 * first < 0.05 * found[-1]


# -------------------------------------------------------------------------------------- refusals


def test_what_lines_cannot_do_is_refused() -> None:
    m = crossing()
    one, two = (sp.Line(m[name], radius=0.05) for name in ("one", "two"))
    cases = {
        "friction of two lines is a Friction, expected RoundedFriction": sp.Friction(0.3),
        "expected friction without resistance to rolling": sp.RoundedFriction(0.3, rolling=1e-3),
        "expected friction with one coefficient": sp.RoundedFriction((0.3, 0.2)),
    }
    for sentence, friction in cases.items():
        with pytest.raises(ModelError, match=sentence):
            sp.Contact("c", one, two, LAW, friction)
    thick = sp.Line(m["one"], radius=0.06)
    with pytest.raises(ModelError, match=r"B is .*, expected the line A, or a line of"):
        sp.Contact("c", one, thick, LAW)
    with pytest.raises(ModelError, match="Hertz"):
        sp.Contact("c", one, two, sp.Hertz(1e9, 0.3))
    bars = [sp.Member(0, k, ROD, SOFT) for k in (1, 2, 3)]
    nodes = {0: (0, 0, 0), 1: (1, 0, 0), 2: (-0.5, 0.8, 0), 3: (-0.5, -0.8, 0)}
    star = sp.Line(sp.FrameStructure("star", nodes, bars), radius=0.05)
    with pytest.raises(ModelError, match="follow each other along one smooth curve"):
        sp.Contact("c", one, star, LAW)
    beams = crossing("beam", RUBS)
    with pytest.raises(ModelError, match="expected None: lines rub where places have no axes"):
        sp.simulate(beams, 0.01)
    with pytest.raises(ModelError):
        sp.simulate(m, 0.01, integrator=sp.EnergyScheme())
    with pytest.raises(SuppleError, match=r"touches of two lines, .* are not followed"):
        _ = sp.simulate(m, 1e-9, output=2)["touch"].touches
