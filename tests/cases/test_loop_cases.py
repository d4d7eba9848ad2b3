"""Closed-loop cases: their reference against `loop_oracle`, their models against both."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import supple as sp
from oracles.flexible_oracle import POINTS, WEIGHTS, Cloud
from oracles.loop_oracle import Chord, deflection, four_bar, middle, slider_crank
from supple.cases import Case
from supple.cases.case import references
from supple.cases.linkages import jonker
from supple.cases.linkages import richard_four_bar as richard
from supple.formulations.equations import Equations

REFERENCES = references("loops")
TILTS = {"jonker-slider-crank": 0.0, "jonker-slider-crank-spatial": jonker.TILT}


def frequencies(beam: sp.Beam, n: int) -> np.ndarray:
    """Of a uniform beam on two pins, rad/s."""
    speed = beam.material.E * beam.section.I_z / (beam.material.density * beam.section.area)
    return (np.arange(1, n + 1) * np.pi / beam.length) ** 2 * np.sqrt(speed)


def jonker_chord(tilt: float) -> Callable[[float], Chord]:
    return slider_crank(jonker.CRANK, jonker.ROD, jonker.SPEED, tilt)


def richard_chords() -> tuple[Callable[[float], Chord], Callable[[float], Chord]]:
    lengths = richard.GROUND, richard.CRANK, richard.COUPLER, richard.FOLLOWER
    return four_bar(*lengths, richard.SPEED)


@cache
def rod_of_the_slider_crank(name: str) -> np.ndarray:
    """Amplitudes (times, 3, 3) of the rod of a case, by the oracle."""
    w = frequencies(jonker.slider_crank().bodies["rod"], 3)
    return deflection(jonker_chord(TILTS[name]), jonker.ROD, w, np.array(jonker.TIMES))[0]


@cache
def beam_of_the_four_bar(name: str) -> np.ndarray:
    """Amplitudes (times, 2, 3) of the coupler or the follower, by the oracle."""
    beam = richard.four_bar().bodies[name]
    chord = dict(zip(("coupler", "follower"), richard_chords(), strict=True))[name]
    return deflection(chord, beam.length, frequencies(beam, 2), np.array(richard.TIMES))[0]


# ------------------------------------------------------------------------------------ the reference


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("chord", [jonker_chord(0.6), *richard_chords()])
def test_derivatives_of_the_chords(chord: Callable[[float], Chord], part: int) -> None:
    t, h = 0.0123, 1e-5
    for order in (0, 1):
        found = sum(w * chord(t + k * h)[part][order] for k, w in zip(POINTS, WEIGHTS, strict=True))
        size = np.abs(chord(t)[1][order + 1]).max()
        np.testing.assert_allclose(found / h, chord(t)[part][order + 1], atol=1e-9 * size)


@pytest.mark.parametrize(
    "name",
    ["jonker-slider-crank", pytest.param("jonker-slider-crank-spatial", marks=pytest.mark.slow)],
)
def test_reference_of_the_slider_crank(name: str) -> None:
    v = middle(rod_of_the_slider_crank(name)) / jonker.ROD
    reference = REFERENCES[name]
    # Ten times the error of the reference.
    for key, k in (("vxy", 1), ("vxz", 2)):
        signed = np.sign(v[:, k]) * np.hypot(v[:, 0], v[:, k])
        np.testing.assert_allclose(signed[::30], reference[key], rtol=0, atol=9e-9)
        extremes = signed.max(), signed.min()
        np.testing.assert_allclose(extremes, reference[f"max_min_{key}"], rtol=0, atol=9e-9)


@pytest.mark.slow
def test_reference_of_the_four_bar() -> None:
    model, reference = richard.four_bar(), REFERENCES["richard-four-bar"]
    np.testing.assert_allclose(richard.start()[0], reference["angles"], rtol=1e-14)
    times = np.array(richard.TIMES)
    ends = zip(("coupler", "follower"), ("AB", "BC"), richard_chords(), strict=True)
    for k, (name, key, chord) in enumerate(ends):
        beam = model.bodies[name]
        w = frequencies(beam, 2)
        assert w[0] == pytest.approx(reference["frequencies"][k], rel=1e-14)
        normal = np.array([np.cross([0, 0, 1], chord(t).d[0]) for t in times])
        v = np.sum(middle(beam_of_the_four_bar(name)) * normal, axis=1)
        # The absolute error that the reference states; found 1e-14.
        np.testing.assert_allclose(v[::30], reference[f"mid_{key}"], rtol=0, atol=1e-6)
        extremes = v.max(), v.min()
        np.testing.assert_allclose(extremes, reference[f"max_min_{key}"], rtol=0, atol=1e-6)


def audited(views: dict) -> SimpleNamespace:
    """Something that a case can measure: views by name, and an audit without error."""
    record = SimpleNamespace(max_error=0.0, kinetic_max=1.0)
    energy = SimpleNamespace(record=record)
    return type("Measured", (dict,), {"energy": energy})(views)


@pytest.mark.parametrize("case", jonker.CASES[:2], ids=lambda case: case.name)
@pytest.mark.slow
def test_slider_crank_is_measured_as_the_reference_was(case: Case) -> None:
    times, chord = np.array(case.times), jonker_chord(TILTS[case.name])
    assert case.times == jonker.TIMES
    y = rod_of_the_slider_crank(case.name).copy()

    def at(x: float) -> SimpleNamespace:
        sines = np.sin(np.arange(1, 4) * np.pi * x / jonker.ROD)
        ends = np.array([chord(t).A[0] + x * chord(t).d[0] for t in times])
        return SimpleNamespace(position=ends + np.einsum("i,tic->tc", sines, y))

    y += 1e-14 * np.cos(np.arange(y.size)).reshape(y.shape)  # rounding out of the plane
    found = case.measure(audited({"rod": SimpleNamespace(at=at)}))
    assert len(found) == 2 * 25 + 4 + 1
    assert all(q.passed for q in found), [q for q in found if not q.passed]
    # and another motion is not taken for it
    y *= 1.0 + 1e-5
    assert not all(q.passed for q in case.measure(audited({"rod": SimpleNamespace(at=at)})))


@pytest.mark.slow
def test_four_bar_is_measured_as_the_reference_was() -> None:
    (case,) = richard.CASES
    assert case.times == richard.TIMES
    times, views = np.array(case.times), {}
    for name, chord in zip(("coupler", "follower"), richard_chords(), strict=True):
        y = beam_of_the_four_bar(name)
        axes = [Rotation.from_euler("z", np.arctan2(*chord(t).d[0][1::-1])) for t in times]
        local = np.array([R.inv().apply(v) for R, v in zip(axes, middle(y), strict=True)])
        views[name] = SimpleNamespace(at=lambda x, v=local: SimpleNamespace(deflection=v))
    found = case.measure(audited(views))
    assert len(found) == 2 * 25 + 4 + 1
    assert all(q.passed for q in found), [q for q in found if not q.passed]


# --------------------------------------------------------------------------------------- the models


def opened(model: sp.Model, closing: str) -> sp.Model:
    """The same model without one of its joints."""
    tree = sp.Model(gravity=model.gravity)
    for name in model:
        if name != closing:
            tree.add(model[name])
    return tree


MODELS = {
    "four-bar": (richard.four_bar, "pin B"),
    "planar": (jonker.slider_crank, "pin B"),
    "spatial": (lambda: jonker.slider_crank(jonker.TILT), "pin B"),
}


@pytest.mark.parametrize("name", MODELS)
def test_closing_joint_fits_at_the_start(name: str) -> None:
    """Pose and twist between its frames in the open tree are those of its initial values."""
    build, closing = MODELS[name]
    model = build()
    joint = model.joints[closing]
    assert model.graph().chords == (closing,)
    tree = opened(model, closing)
    eq = sp.JointCoordinates().equations(tree)
    q, u = eq.compiled.q0, eq.compiled.u0
    cloud = Cloud(tree, eq)
    sides = [cloud.frame_jacobian(q, frame) for frame in (joint.A, joint.B)]
    ((Ra, pa), Ja), ((Rb, pb), Jb) = sides
    (wa, va), (wb, vb) = (np.split(u @ J, 2) for J in (Ja, Jb))
    if isinstance(joint, sp.Spherical):
        turn = Rotation.from_quat(joint.initial[[1, 2, 3, 0]]).as_matrix()
        spin, move = Rb @ joint.initial_rate, np.zeros(3)
    else:  # along z, then about z; nothing else
        turn = Rotation.from_euler("z", joint.initial[1]).as_matrix()
        spin, move = Ra @ [0, 0, joint.initial_rate[1]], np.zeros(3)
        assert not joint.initial[[0, 2, 3]].any()
        assert not joint.initial_rate[[0, 2, 3]].any()
    np.testing.assert_allclose(Ra.T @ Rb, turn, atol=1e-14)
    np.testing.assert_allclose(pb - pa, 0.0, atol=1e-15)
    # Differences of places have errors of 1e-11 of the velocities, up to 100 m/s.
    np.testing.assert_allclose(wb - wa, spin, atol=1e-8)
    np.testing.assert_allclose(vb - va, move, atol=1e-8)


# ----------------------------------------------------- the oracle's motion in the models' equations

H = 2e-5  # s, step of the differences: the fastest sine turns by 0.15 rad in it


def in_axes(R: np.ndarray, y: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """Elastic coordinates of world amplitudes y (n, 3) for a body with axes R."""
    local = y @ R
    return np.array([local[int(name[2:]) - 1, "uvw".index(name[0])] for name in names])


def root_turn(beam: sp.Beam, own: np.ndarray) -> np.ndarray:
    """Rotation of the section at the first end against the body's axes."""
    return Rotation.from_rotvec(beam.attachment(beam.at(0)).Psi @ own).as_matrix()


def slider_crank_values(tree: sp.Model, tilt: float, t: float, y: dict) -> dict[str, np.ndarray]:
    """Coordinates of the open slider-crank by name."""
    rod = tree.bodies["rod"]
    chord = jonker_chord(tilt)(t)
    d = chord.d[0]
    crank = Rotation.from_euler("yz", [tilt, 0]).as_matrix()
    crank = crank @ Rotation.from_euler("z", jonker.SPEED * t).as_matrix()
    side = np.cross([0, 0, 1.0], d)
    side /= np.linalg.norm(side)
    upright = np.column_stack([d, side, np.cross(d, side)])

    def axes(spin: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Body axes, elastic coordinates, and section axes seen from the crank."""
        R = upright @ Rotation.from_euler("x", spin).as_matrix()
        own = in_axes(R, y["rod"], rod.modal().coordinate_names)
        return R, own, crank.T @ R @ root_turn(rod, own)

    # A universal joint Rz(a) Ry(b) has the entry (3, 2) zero: this decides the spin of the body.
    spin = brentq(lambda s: axes(s)[2][2, 1], -1.5, 1.5, xtol=1e-15)
    _, own, section = axes(spin)
    return {
        "bearing": [jonker.SPEED * t],
        "pin A": [np.arctan2(-section[0, 1], section[1, 1]),
                  np.arctan2(-section[2, 0], section[2, 2])],
        "guide": [chord.A[0][0] + jonker.ROD * d[0]],
        "rod": own,
    }  # fmt: skip


def four_bar_values(tree: sp.Model, t: float, y: dict) -> dict[str, np.ndarray]:
    """Coordinates of the open four-bar by name."""
    found = {"bearing O": [richard.SPEED * t]}
    for name, joint, chord in zip(
        ("coupler", "follower"), ("pin A", "bearing C"), richard_chords(), strict=True
    ):
        beam, d = tree.bodies[name], chord(t).d[0]
        angle = np.arctan2(d[1], d[0])
        R = Rotation.from_euler("z", angle).as_matrix()
        found[name] = in_axes(R, y[name], beam.modal().coordinate_names)
        slope = (beam.attachment(beam.at(0)).Psi @ found[name])[2]
        found[joint] = [angle + slope - (richard.SPEED * t if joint == "pin A" else 0.0)]
    return found


def state_of_the_oracle(eq: Equations, rods: dict, values: Callable, t: float) -> tuple:
    """Coordinates, rates and accelerations of a tree whose rods move as the oracle says.

    ``rods`` has chord, length and frequencies by body; ``values(t, amplitudes)`` the coordinates.
    """
    grid = t + H * np.arange(-6, 7)
    times = np.concatenate([[0.0], grid])
    shapes = {name: deflection(*rod, times)[0][1:] for name, rod in rods.items()}
    rows = np.zeros((len(grid), eq.nq))
    c = eq.compiled
    for k, now in enumerate(grid):
        for name, x in values(now, {name: y[k] for name, y in shapes.items()}).items():
            rows[k, (c.joints.get(name) or c.flexible.get(name)).q] = x
    rows = np.unwrap(rows, axis=0)
    rates = np.array([WEIGHTS @ rows[k + POINTS] / H for k in range(3, 10)])
    return rows[6], rates[3], WEIGHTS @ rates[3 + POINTS] / H


@pytest.mark.parametrize("name", MODELS)
def test_the_oracle_obeys_the_equations_of_the_open_tree(name: str) -> None:
    """What is left of them is a force of the closing joint or of the drive."""
    build, closing = MODELS[name]
    model = build()
    tree = opened(model, closing)
    eq = sp.JointCoordinates().equations(tree)
    if name == "four-bar":
        chords = dict(zip(("coupler", "follower"), richard_chords(), strict=True))
        count, drive = 2, "bearing O"

        def values(t: float, y: dict) -> dict:
            return four_bar_values(tree, t, y)
    else:
        tilt = jonker.TILT if name == "spatial" else 0.0
        chords, count, drive = {"rod": jonker_chord(tilt)}, 3, "bearing"

        def values(t: float, y: dict) -> dict:
            return slider_crank_values(tree, tilt, t, y)

    rods = {
        body: (chord, tree.bodies[body].length, frequencies(tree.bodies[body], count))
        for body, chord in chords.items()
    }
    joint = model.joints[closing]
    for t in (0.004, 0.011, 0.0173):
        q, u, a = state_of_the_oracle(eq, rods, values, t)
        cloud = Cloud(tree, eq)
        ((_, pa), Ja), ((_, pb), Jb) = (cloud.frame_jacobian(q, f) for f in (joint.A, joint.B))
        np.testing.assert_allclose(pa, pb, atol=1e-13)
        closed = (Jb - Ja)[:, 3:].T
        if isinstance(joint, sp.General):
            closed = closed[:2]  # it slides along z
        driven = np.zeros((1, eq.nu))
        driven[0, eq.compiled.joints[drive].u] = 1.0
        scale = 1.0 / np.sqrt(np.diag(eq.mass_matrix(q)))  # velocities of equal energy
        allowed = null_space(np.vstack([closed, driven]) * scale)
        records = eq.compiled.flexible.values()
        assert allowed.shape[1] == sum(record.modal.n for record in records)
        left = allowed.T @ (scale * eq.residual(t, q, u, a, eq.z0))
        elastic = max(np.abs(scale[r.u] * (r.modal.K @ q[r.q])).max() for r in records)
        # Differences of order six, taken twice: (0.15)^6 / 140 and rounding, below 1e-6.
        assert np.abs(left).max() < 1e-6 * elastic
        # and it is not just small: without the deflection's own acceleration it is far off
        a[next(iter(records)).u] = 0.0
        wrong = allowed.T @ (scale * eq.residual(t, q, u, a, eq.z0))
        assert np.abs(wrong).max() > 1e-2 * elastic
