"""Closed-loop cases: their reference against `loop_oracle`, their models against both."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import supple as sp
from flexible_oracle import POINTS, WEIGHTS, Cloud
from loop_oracle import Chord, deflection, four_bar, middle, slider_crank
from supple.cases import jonker, richard
from supple.cases.case import references
from supple.formulations.joint import Equations

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


# ------------------------------------------------------------------------------------ the reference


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("chord", [jonker_chord(0.6), *richard_chords()])
def test_derivatives_of_the_chords(chord: Callable[[float], Chord], part: int) -> None:
    t, h = 0.0123, 1e-5
    for order in (0, 1):
        found = sum(w * chord(t + k * h)[part][order] for k, w in zip(POINTS, WEIGHTS, strict=True))
        size = np.abs(chord(t)[1][order + 1]).max()
        np.testing.assert_allclose(found / h, chord(t)[part][order + 1], atol=1e-9 * size)


@pytest.mark.parametrize("name", TILTS)
def test_reference_of_the_slider_crank(name: str) -> None:
    rod = jonker.slider_crank().bodies["rod"]
    times = np.array(jonker.TIMES)
    y, _ = deflection(jonker_chord(TILTS[name]), jonker.ROD, frequencies(rod, 3), times)
    v = middle(y) / jonker.ROD
    reference = REFERENCES[name]
    # Ten times the error of the reference.
    for key, k in (("vxy", 1), ("vxz", 2)):
        signed = np.sign(v[:, k]) * np.hypot(v[:, 0], v[:, k])
        np.testing.assert_allclose(signed[::30], reference[key], rtol=0, atol=9e-9)
        extremes = signed.max(), signed.min()
        np.testing.assert_allclose(extremes, reference[f"max_min_{key}"], rtol=0, atol=9e-9)


def test_reference_of_the_four_bar() -> None:
    model, reference = richard.four_bar(), REFERENCES["richard-four-bar"]
    np.testing.assert_allclose(richard.start()[0], reference["angles"], rtol=1e-14)
    times = np.array(richard.TIMES)
    ends = zip(("coupler", "follower"), ("AB", "BC"), richard_chords(), strict=True)
    for k, (name, key, chord) in enumerate(ends):
        beam = model.bodies[name]
        w = frequencies(beam, 2)
        assert w[0] == pytest.approx(reference["frequencies"][k], rel=1e-14)
        y, _ = deflection(chord, beam.length, w, times)
        normal = np.array([np.cross([0, 0, 1], chord(t).d[0]) for t in times])
        v = np.sum(middle(y) * normal, axis=1)
        # The absolute error that the reference states; found 2e-15.
        np.testing.assert_allclose(v[::30], reference[f"mid_{key}"], rtol=0, atol=1e-6)
        extremes = v.max(), v.min()
        np.testing.assert_allclose(extremes, reference[f"max_min_{key}"], rtol=0, atol=1e-6)


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
    eq = Equations.of(tree) if hasattr(Equations, "of") else sp.JointCoordinates().equations(tree)
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


class Motion:
    """Coordinates of an open tree over time, made from what the oracle says about the rods."""

    def __init__(self, eq: Equations, rods: dict, place: Callable, middle_time: float) -> None:
        self.eq, self.h = eq, 2e-5
        grid = middle_time + self.h * np.arange(-6, 7)
        times = np.concatenate([[0.0], grid])
        shapes = {
            name: deflection(chord, length, w, times)[0][1:]
            for name, (chord, length, w) in rods.items()
        }
        rows = [place(t, {name: y[k] for name, y in shapes.items()}) for k, t in enumerate(grid)]
        self.t, self.q = middle_time, np.array(rows)

    def state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates, rates and accelerations: all coordinates are plain in these models."""
        rates = [WEIGHTS @ self.q[k + POINTS] / self.h for k in range(3, 10)]
        a = WEIGHTS @ np.array(rates)[3 + POINTS] / self.h
        return self.q[6], rates[3], a


def in_axes(R: np.ndarray, y: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """Elastic coordinates of world amplitudes y (n, 3) for a body with axes R."""
    local = y @ R
    return np.array([local[int(i) - 1, {"v": 1, "w": 2}[f]] for f, i in map(str.split, names)])


def residual_across(tree: sp.Model, eq: Equations, closing: sp.Joint, drive: str, state) -> float:
    """Largest residual along motions that loop and drive allow, relative to elastic forces."""
    q, u, a = state
    cloud = Cloud(tree, eq)
    (_, Ja), (_, Jb) = (cloud.frame_jacobian(q, frame) for frame in (closing.A, closing.B))
    rows = (Jb - Ja)[:, 3:].T
    if isinstance(closing, sp.General):
        rows = rows[:2]  # free along z
    driven = np.zeros((1, eq.nu))
    driven[0, eq.compiled.joints[drive].u] = 1.0
    allowed = null_space(np.vstack([rows, driven]))
    assert allowed.shape[1] == sum(r.modal.n for r in eq.compiled.flexible.values())
    r = eq.residual(0.0, q, u, a, eq.compiled.z0)
    elastic = [np.abs(f.modal.K @ q[f.q]).max() for f in eq.compiled.flexible.values()]
    return float(np.abs(allowed.T @ r).max() / max(elastic))
