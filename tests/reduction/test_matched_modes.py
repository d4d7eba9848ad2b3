"""Derivatives where modes of equal frequency change places, against differences of whole runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import supple as sp
from oracles.differences import REACHED, differences
from supple.engine.pack.builder import build
from supple.reduction.matching import ModePattern
from supple.sensitivities.neighbours import Neighbours
from supple.sweeps.subjects import subject_of

SOFT = sp.Material(E=70e9, G=2e9, density=2700.0)  # the first twist is among the bending modes
SIDE = 0.01
OUTPUTS = ["beam.at(0.6).position.y @ 0.03 s", "beam.at(0.6).position.z @ min"]
RUN: dict[str, Any] = {"outputs": OUTPUTS, "t_end": 0.04, "times": 0.0025}


def arm(section: sp.Section, material: sp.Material = SOFT, **options: Any) -> sp.Model:
    """A hub that turns in space, with a beam that bends in both planes and twists."""
    m = sp.Model(gravity=(0, -9.81, 3.0))
    hub = m.add(sp.RigidBody("hub", 0.5, (0.02, 0.01, 0), 1e-3))
    given = {"elements": 4, "modes": 5, **options}
    beam = m.add(sp.Beam("beam", 0.6, section, material, **given))
    m.add(sp.Spherical("joint", m.ground.at(0), hub.at(0), initial_rate=(1.0, 2.0, 3.0)))
    m.add(sp.Fixed("weld", hub.at(0.05, 0.02, 0), beam.at(0)))
    return m


def square(**options: Any) -> Callable[[float], sp.Model]:
    return lambda side: arm(sp.Rectangle(side, SIDE), **options)


def expect_whole_runs(model: Any, parameters: Any, reached: float = REACHED, **given: Any) -> None:
    """Both methods give what differences of whole runs do."""
    given = RUN | given
    found = [
        sp.sensitivity(model, parameters, tolerance=1e-10, method=method, **given)
        for method in ("forward", "adjoint")
    ]
    for name in found[0].parameters:
        exact = differences(model, dict(found[0].parameters), name, **given)
        for output, slope in zip(given["outputs"], exact, strict=True):
            error = max(abs(one[output, name] - slope) for one in found)
            assert error <= reached * abs(slope), (output, name)


OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "turned": {"roll": 0.3},  # neighbours bend in planes that are between those of the model
    "stiffened": {"stiffening": "second_order"},
    "membrane": {"stiffening": "von_karman"},
    "damped": {"damping": sp.ModalDamping(0.01)},
    "attached": {"modes": sp.reduction.AttachmentModes(2)},
    "turned, stiffened": {"roll": 0.3, "stiffening": sp.reduction.SecondOrder(twist=True)},
    "attached, stiffened": {"modes": sp.reduction.AttachmentModes(2), "stiffening": "second_order"},
    "interfaces": {"modes": sp.reduction.CraigBampton([0.0, 0.6], 2)},
    "mean axis": {"reference": "mean_axis"},
    "chord": {"reference": "chord", "damping": sp.KelvinVoigt(1e6)},
}
QUICK = ("plain", "turned")


@pytest.mark.parametrize(
    "case", [c if c in QUICK else pytest.param(c, marks=pytest.mark.slow) for c in OPTIONS]
)
def test_one_side_of_a_square_has_a_derivative(case: str) -> None:
    expect_whole_runs(square(**OPTIONS[case]), {"side": SIDE})


def test_fields_of_a_model_are_parameters_too() -> None:
    expect_whole_runs(square()(SIDE), ["beam.section.size_y"])


def test_the_radius_of_a_round_section() -> None:
    expect_whole_runs(lambda radius: arm(sp.Circle(radius), modes=4), {"radius": 0.006})
    with pytest.warns(sp.SuppleWarning, match="without mode 4"):  # which stays where it is
        expect_whole_runs(lambda radius: arm(sp.Circle(radius), modes=3), {"radius": 0.006})


def twisting_as_bending(mass: float = 0.0) -> float:
    """Shear modulus with which the first twist has the frequency of a bending mode."""
    beam = crossing(SOFT.G)["beam"]
    found = beam.reduction(((0.6, mass),) if mass else ())
    frequency = found.body.frequencies
    twist = int(np.argmax(np.abs(found.basis.reshape(-1, 6, 5)[:, 3]).max(axis=0)))
    bending = np.delete(frequency, twist).max()
    return float(SOFT.G * (bending / frequency[twist]) ** 2)


def crossing(G: float, side: float = 0.012, modes: int = 5, mass: float = 0.0) -> sp.Model:
    """The arm with a tool beside its axis, which twists it."""
    material = sp.Material(E=SOFT.E, G=G, density=SOFT.density)
    m = arm(sp.Rectangle(side, 0.01), material, modes=modes)
    tool = m.add(sp.RigidBody("tool", 0.2, (0, 0.06, 0.04), 1e-4))
    m.add(sp.Fixed("grip", m["beam"].at(0.6), tool.at(0)))
    if mass:
        m.add(sp.PointMass("tip", m["beam"].at(0.6), mass))
    return m


TOOL = ["tool.at(0, 0.06, 0.04).position.y @ 0.03 s", "tool.at(0, 0.06, 0.04).position.z @ min"]
STRANGE = pytest.mark.filterwarnings("ignore:.*of its material:supple.SuppleWarning")


@STRANGE
def test_twist_and_bending_exchange_their_numbers() -> None:
    G = twisting_as_bending()
    above, below = (crossing(G * (1.0 + by))["beam"].reduction().basis for by in (1e-5, -1e-5))
    both = np.linalg.norm(above - below, axis=0) > 0.1 * np.linalg.norm(above, axis=0)
    assert both.sum() == 2  # of five
    expect_whole_runs(crossing, {"G": G, "side": 0.012}, outputs=TOOL)


@STRANGE
def test_a_point_mass_exchanges_modes_of_the_body_it_is_on() -> None:
    expect_whole_runs(crossing(twisting_as_bending(0.02), mass=0.02), ["tip.mass"], outputs=TOOL)


@STRANGE
def test_modes_that_are_cut_apart_are_refused() -> None:
    for modes in (1, 3):
        with (
            pytest.raises(sp.ModelError, match="Beam 'beam' that are kept change places"),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", sp.SuppleWarning)
            sp.sensitivity(square(modes=modes), {"side": SIDE}, **RUN)
    shear = {"G": twisting_as_bending()}
    with (
        pytest.warns(sp.SuppleWarning, match="mode 4 without mode 5"),
        pytest.raises(sp.ModelError, match="change places with some that are left out"),
    ):
        sp.sensitivity(lambda G: crossing(G, modes=4), shear, **RUN)


def test_damping_ratios_by_number_jump_with_the_modes() -> None:
    ratios = sp.ModalDamping([0.01, 0.03])
    with pytest.raises(sp.ModelError, match="by number to modes of equal frequency"):
        sp.sensitivity(square(damping=ratios), {"side": SIDE}, **RUN)
    expect_whole_runs(square(damping=ratios), {"side": 1.01 * SIDE})


@pytest.mark.parametrize("more", [0.0, pytest.param(3e-3, marks=pytest.mark.slow), 0.1])
def test_modes_of_near_frequencies_turn_fast(more: float) -> None:
    """One half of a beam begins to bend about inclined axes, the other is a square, or nearly."""

    def framed(side: float) -> sp.Model:
        m = sp.Model(gravity=(0, -9.81, 3.0))
        nodes = {"a": (0, 0, 0), "middle": (0.3, 0, 0), "b": (0.6, 0, 0)}
        members = [
            sp.Member("a", "middle", sp.Rectangle(side, SIDE), SOFT, elements=2, y=(0, 0.9, 0.4)),
            sp.Member("middle", "b", sp.Rectangle((1.0 + more) * SIDE, SIDE), SOFT, elements=2),
        ]
        body = m.add(sp.FrameStructure("beam", nodes, members, modes=4))
        m.add(sp.Spherical("joint", m.ground.at(0), body.at("a"), initial_rate=(9.0, 20.0, 30.0)))
        return m

    expect_whole_runs(framed, {"side": SIDE})


@pytest.mark.slow
def test_a_square_block() -> None:
    def solid(side: float) -> sp.Model:
        """A block that is turned about its axis: its pairs of modes are in no plane of the axes."""
        soft = sp.Material(E=7e8, G=7e8 / 2.6, density=2700.0)
        block = sp.fem.block((0.3, side, SIDE), (6, 1, 1), "hex20", soft)
        c, s = np.cos(0.3), np.sin(0.3)
        nodes = (block.nodes - [0.0, side / 2, SIDE / 2]) @ [[1, 0, 0], [0, c, s], [0, -s, c]]
        mesh = sp.fem.SolidMesh(nodes, block.cells, "hex20", soft, block.groups)
        foot, tip = (
            sp.fem.Interface(name, (x, 0, 0), block.groups[face])
            for name, x, face in (("foot", 0.0, "x_min"), ("tip", 0.3, "x_max"))
        )
        m = sp.Model(gravity=(0, -9.81, 3.0))
        body = m.add(sp.MeshBody("beam", mesh, [foot, tip], modes=4))
        m.add(sp.Spherical("joint", m.ground.at(0), body.at("foot"), initial_rate=(1, 2, 3)))
        return m

    # The lowest of 240 frequencies are right to 1e-10, rounding of the highest; differences of both
    # kinds are over 1e-3 and 2e-3, and the motion sees the frequency times 10 rad: some 1e-6 of it.
    outputs = ["beam.at(0.3).position.y @ end", "beam.at(0.3).position.z @ end"]
    expect_whole_runs(solid, {"side": SIDE}, 3.0 * REACHED, outputs=outputs, t_end=0.03)


def test_numbers_of_modes_are_those_of_the_model_itself() -> None:
    """Its first mode is in the plane of y; that of a neighbour may be the second."""

    def across(result: Any) -> float:
        record = result.data.compiled.flexible["beam"]
        rows = record.attachment(record.body.at(0.6)).Phi
        return float(result["beam"].coordinates[-1, np.argmax(np.abs(rows[1]))])

    def first(result: Any) -> float:
        return float(result["beam"].coordinates[-1, 0])

    build, given = square(modes=2), {"t_end": 0.04, "times": 0.0025}
    found = sp.sensitivity(
        build, {"side": SIDE}, outputs={"first": first}, tolerance=1e-10, **given
    )
    exact = differences(build, {"side": SIDE}, "side", outputs={"first": across}, **given)[0]
    assert abs(found["first", "side"] - exact) <= REACHED * abs(exact)
    jumped = differences(build, {"side": SIDE}, "side", outputs={"first": first}, **given)[0]
    assert abs(jumped - exact) > abs(exact)


def neighbours(model: Any, name: str) -> Neighbours:
    given = {"t_end": 0.1, "output": None, "events": (), "integrator": sp.Radau()}
    return Neighbours(subject_of(model, given, {}), {name: SIDE}, {name: SIDE})


@pytest.mark.parametrize("options", [{}, {"roll": 0.3}, {"stiffening": "second_order"}])
def test_neighbours_made_of_what_changes_are_those_that_are_compiled_whole(options: Any) -> None:
    one = neighbours(square(**options)(SIDE), "beam.section.size_y")
    two = neighbours(square(**options), "side")
    for by in (3e-7, -3e-7):
        a, b = one.at("beam.section.size_y", by), two.at("side", by)
        for field in ("ints", "reals", "q0", "u0"):
            assert getattr(a.compiled, field).tobytes() == getattr(b.compiled, field).tobytes()
        assert build(a.model).reals.tobytes() == a.compiled.reals.tobytes()
        here, there = (x.compiled.flexible["beam"].modal for x in (one.here, a))
        assert np.allclose(here.S1, there.S1, rtol=0.0, atol=1e-3 * np.abs(here.S1).max())


def test_a_pattern_finds_modes_that_were_turned_exchanged_and_reversed() -> None:
    rng = np.random.default_rng(3)
    M = np.diag(rng.uniform(1.0, 2.0, 9))
    shapes = np.linalg.qr(rng.normal(size=(9, 5)))[0] / np.sqrt(np.diag(M))[:, None]
    values = np.array([1.0, 2.0, 2.0, 5.0, 9.0])
    pattern = ModePattern(values, shapes, False)
    c, s = np.cos(1.0), np.sin(1.0)
    other = shapes.copy()
    other[:, 1:3] = shapes[:, 1:3] @ [[c, -s], [s, c]]
    other = other[:, [1, 0, 2, 4, 3]] * [1, -1, -1, 1, -1]
    turn = pattern.turn(M, other)
    assert turn is not None and np.allclose(other @ turn, shapes, rtol=0.0, atol=1e-14)
    assert np.count_nonzero(turn) == 7  # no mode has anything of one of another frequency
    assert np.array_equal(np.abs(pattern.turn(M, shapes)), np.eye(5))
    left = np.linalg.qr(rng.normal(size=(9, 5)))[0] / np.sqrt(np.diag(M))[:, None]
    assert pattern.turn(M, left) is None
