"""Whirl: how places move about the axis of a steady rotation, as seen from the world.

In a mode a place moves by the real part of d exp(s t), s = i w. Where the model turns by the angle
p = W t, d changes with it: not at all for a place on bearings, with exp(i p) for one on a shaft.
Across the axis, with unit vectors e1, e2, the motion of a place is

    z = (e1 + i e2).x = 1/2 sum over k of  a_k exp(i (w + k W) t) + conj(b_k) exp(-i (w + k W) t)

where a_k, b_k are the harmonics over p of (e1 + i e2).d and (e1 - i e2).d. So the frequency in the
world is |w + k W| for the k that has most of the motion; a_k goes round with the rotation if
w + k W is positive, b_k against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from supple.analyses.base.snapshot_result import velocities
from supple.analyses.equilibrium.spin import turned
from supple.analyses.linear.reduced_motion import followed
from supple.analyses.modes.linear_model import LinearModel
from supple.analyses.modes.mode import Mode
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.frames import Frame
from supple.joints import Joint
from supple.model import Model
from supple.results.result import Result

ANGLES = 8  # positions of a turn: harmonics up to three
STILL = 1e-3  # of a rotation times the length of the model: places that tilt or twist only
PURE = 0.9  # part of the motion in one harmonic from which on it has one frequency in the world


class Whirl(NamedTuple):
    """Motion of a mode as seen from the world.

    Attributes
    ----------
    frequency : Hz in the world; NaN if the motion has several, as that of one blade across the axis
    direction : from -1 (circles against the rotation) over 0 (straight, or along the axis) to 1
        (circles with the rotation)
    along : part of the motion along the axis, 0 to 1

    Motion is that of places on the bodies; where bodies only tilt or twist, their rotation.
    """

    frequency: float
    direction: float
    along: float


def rotation(linear: LinearModel, joint: Joint) -> Array:
    """Angular velocity (3,) of a joint in the state of a linear model, world axes, rad/s."""
    assert linear.model is not None and linear.state.compiled is not None
    c, state = linear.state.compiled, linear.state
    result = Result(velocities(linear.model, c, state.q, state.u[None]))
    ground = linear.model.ground.name
    A, B = (
        np.zeros(3) if f.body.name == ground else result.point(f).angular_velocity[0]
        for f in (joint.frames["A"], joint.frames["B"])
    )
    return np.asarray(B - A)


def whirls(linear: LinearModel, modes: Sequence[Mode], axis: Array, rate: float) -> list[Whirl]:
    """Whirl of modes of one linear model that turns with a rate (rad/s) about an axis (3,)."""
    c, model, state = linear.state.compiled, linear.model, linear.state
    assert c is not None and model is not None
    if not modes:
        return []
    equations = Equations(c)
    angles = 2.0 * np.pi * np.arange(ANGLES) / ANGLES if rate != 0.0 else np.zeros(1)
    q = [turned(equations, state.q, p / rate * state.u) if p else state.q for p in angles]
    own = list(linear.places)
    y = np.concatenate([[mode.shape[own].real, mode.shape[own].imag] for mode in modes])
    # the shape of all velocities may change while the model turns, that of independent ones not
    u = [y @ followed(equations, state.t, one, state.u, own).N.T for one in q]
    result = Result(velocities(model, c, np.repeat(q, len(y), axis=0), np.concatenate(u)))
    points = [result.point(frame) for frame in _places(model)]
    shape = (len(points), len(angles), len(modes), 2, 3)
    moves, turns = (
        np.array(rows).reshape(shape)
        for rows in ([x.velocity for x in points], [x.angular_velocity for x in points])
    )
    found = []
    for k, mode in enumerate(modes):
        move, turn = (x[:, :, k, 0] + 1j * x[:, :, k, 1] for x in (moves, turns))
        still = np.abs(move).max(initial=0.0) < STILL * c.length * np.abs(turn).max(initial=0.0)
        found.append(_whirl(turn if still else move, mode, axis, rate))
    return found


def _whirl(d: np.ndarray, mode: Mode, axis: Array, rate: float) -> Whirl:
    """Of displacements (places, angles, 3)."""
    e1 = np.linalg.svd(axis[None])[2][1]
    e2 = np.cross(axis, e1)
    count = d.shape[1]
    k = np.round(np.fft.fftfreq(count) * count)
    a, b, c = (
        (np.abs(np.fft.fft(x, axis=1) / count) ** 2).sum(axis=0)
        for x in (d @ (e1 + 1j * e2), d @ (e1 - 1j * e2), d @ axis)
    )
    power = 0.5 * (a + b) + c
    whole = float(power.sum())
    if whole <= 0.0:
        return Whirl(np.nan, 0.0, 0.0)
    seen = mode.eigenvalue.imag + k * rate  # rad/s in the world
    top = int(np.argmax(power))
    pure = power[top] > PURE * whole
    direction = float(np.sum(np.sign(seen) * (a - b))) / (2.0 * whole) * np.sign(rate)
    frequency = abs(float(seen[top])) / (2.0 * np.pi) if pure else np.nan
    return Whirl(frequency, direction if pure else 0.0, float(c.sum()) / whole)


def _places(model: Model) -> list[Frame]:
    """Places all over the bodies; of a body that knows none, those that the model uses."""
    found: list[Frame] = []
    used = [frame for joint in model.joints.values() for frame in joint.frames.values()]
    used += [frame for force in model.forces.values() for frame in force.frames.values()]
    for body in model.bodies.values():
        spread = body.spread_places
        found += [body.at(*place) for place in spread] or [f for f in used if f.body is body]
    return found
