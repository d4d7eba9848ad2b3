"""The linear model that controllers are designed on: states, efforts, what is measured of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.analyses.linear.linearize import linearize
from supple.analyses.modes.linear_model import LinearModel
from supple.forces import JointEffort, Motor
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.joints.interactions import Target
from supple.model import Model

if TYPE_CHECKING:
    from supple.analyses.linear.state_space import StateSpace

RANK = 1e-9  # part of the largest singular value below which a direction is not reached
LEAST = 1e-100  # of weights: inverses and squares of them are numbers, too
WEIGHTS = "a number, a row of numbers, a matrix, or a mapping of names to numbers"


@dataclass(frozen=True, eq=False)
class Plant:
    """Small motion x' = A x + B u of a model at rest, and what a controller measures of x.

    Attributes
    ----------
    space : state space of all inputs and states
    joints : (m) coordinates and shafts that the inputs act on
    measures, elastic : coordinates of joints and of flexible bodies, in the order of the states
    rest : (n,) values of these coordinates in the equilibrium, rad or m
    order : (2 n,) places of the states in the order in which a controller measures them
    linear : the linear model
    """

    space: StateSpace
    joints: tuple[Target, ...]
    measures: tuple[Target, ...]
    elastic: tuple[Target, ...]
    rest: Array
    order: np.ndarray
    linear: LinearModel

    @classmethod
    def of(cls, owner: str, model: Any, inputs: Any) -> Plant:
        """Of a model, about its equilibrium, or of a linear model."""
        if isinstance(model, Model):
            linear = linearize(model)
        elif isinstance(model, LinearModel) and model.model is not None:
            linear = model
        else:
            raise ModelError(owner, "model", model, "a Model or what linearize returned")
        if len(linear.Z):
            expected = "a model without integrals or other states of controllers"
            raise ModelError(owner, "model", f"one with {len(linear.Z)} of them", expected)
        if np.any(linear.state.u != 0.0) or linear.unsteady > 1e-6:
            raise ModelError(owner, "model", "one that moves", "a model linearized at rest")
        space = linear.state_space(inputs)
        joints = tuple(_target(owner, linear, name) for name in space.inputs)
        places = [_measured(owner, linear, k) for k in linear.places]
        of_joints = [k for k, (_, flexible) in enumerate(places) if not flexible]
        of_bodies = [k for k, (_, flexible) in enumerate(places) if flexible]
        order = np.array([*of_joints, *of_bodies], dtype=int)
        return cls(
            space,
            joints,
            tuple(places[k][0] for k in of_joints),
            tuple(places[k][0] for k in of_bodies),
            np.array([_value(linear, linear.places[k]) for k in order]),
            np.concatenate([order, len(places) + order]),
            linear,
        )

    def mode(self, eigenvalue: complex, vector: Array, left: bool = True) -> str:
        """A mode in words: its eigenvalue and the coordinate that takes most part in it.

        ``vector`` (2 n,) are parts of the states in it, or by ``left`` factors of the states.
        """
        n = len(self.linear.unit)
        parts = np.abs(vector.reshape(2, n)) * self.linear.unit ** (1 if left else -1)
        k = int(np.argmax(np.max(parts / np.max(parts, axis=1, initial=1e-300)[:, None], axis=0)))
        return f"the mode {_complex(eigenvalue)} 1/s of {self.space.states[k]}"


def _complex(x: complex) -> str:
    x = complex(x.real + 0.0, x.imag)
    return f"{x.real:.4g}" if abs(x.imag) < 1e-12 else f"{x.real:.4g} +- {abs(x.imag):.4g}i"


def _target(owner: str, linear: LinearModel, name: str) -> Target:
    """The coordinate or shaft that an input acts on."""
    model = linear.model
    assert model is not None
    force = model.forces.get(name)
    if isinstance(force, Motor):
        return name, 0
    if isinstance(force, JointEffort):
        return force.joint, force.coordinate
    joint, _, coordinate = name.rpartition(".")
    if joint not in model.joints:
        expected = "joints, coordinates or motors, on which controllers act"
        raise ModelError(owner, "inputs", name, expected)
    return joint, coordinate


def _measured(owner: str, linear: LinearModel, place: int) -> tuple[Target, bool]:
    """The coordinate behind a velocity, and whether it is one of a flexible body."""
    c = linear.state.compiled
    assert c is not None
    for name, record in c.joints.items():
        if record.u.start <= place < record.u.stop:
            if not record.chart.axes:
                expected = "a joint with angles or displacements, not a spherical or free one"
                raise ModelError(owner, "model", record.label, expected)
            count, k = record.u.stop - record.u.start, place - record.u.start
            return (name, count - 1 - k if record.reversed else k), False
    for name, motor in c.motors.items():
        if motor.own and motor.u == place:
            return (name, 0), False
    for name, body in c.flexible.items():
        if body.u.start <= place < body.u.stop:
            return (name, place - body.u.start), True
    raise ModelError(owner, "model", c.dof_label(place), "a coordinate that can be measured")


def _value(linear: LinearModel, place: int) -> float:
    """Coordinate in the equilibrium, rad or m."""
    c = linear.state.compiled
    assert c is not None
    ranges = [(r.q, r.u) for r in c.joints.values()] + [(r.q, r.u) for r in c.flexible.values()]
    for q, u in ranges:
        if u.start <= place < u.stop:
            return float(linear.state.q[q.start + place - u.start])
    motor = next(m for m in c.motors.values() if m.own and m.u == place)
    return float(linear.state.q[motor.q])


def weights(owner: str, field: str, given: Any, names: tuple[str, ...]) -> Array:
    """A symmetric matrix (n, n) of weights without negative ones."""
    n = len(names)
    if isinstance(given, dict):
        for name in given:
            if name not in names:
                raise ModelError(owner, field, name, f"one of {', '.join(names)}")
        given = [given.get(name, 0.0) for name in names]
    found = validate.array(owner, field, given, WEIGHTS)
    if found.ndim == 0:
        found = float(found) * np.eye(n)
    elif found.shape == (n,):
        found = np.diag(found)
    if np.any((np.abs(found) > 0.0) & (np.abs(found) < LEAST)):
        raise ModelError(owner, field, given, f"weights of zero, or of {LEAST:g} at least")
    symmetric = found.shape == (n, n) and np.allclose(found, found.T, rtol=1e-9, atol=0.0)
    if not symmetric or np.min(np.linalg.eigvalsh(found), initial=0.0) < -1e-12 * np.max(
        np.abs(found), initial=0.0
    ):
        expected = f"weights of {n} quantities ({', '.join(names[:6])}), none of them negative"
        raise ModelError(owner, field, given, expected)
    return np.array(found)


def positive_weights(owner: str, field: str, given: Any, names: tuple[str, ...]) -> Array:
    """The same, all of them positive."""
    found = weights(owner, field, given, names)
    if np.linalg.matrix_rank(found) < len(names):
        raise ModelError(owner, field, given, "positive weights")
    return found


def unreached(A: Array, B: Array, kept: float = 0.0) -> tuple[complex, Array] | None:
    """An eigenvalue of A that does not decay and that B does not reach, with a left null vector.

    By the test of Popov, Belevitch and Hautus, in balanced units.
    """
    values = np.linalg.eigvals(A)
    size = max(float(np.max(np.abs(values), initial=0.0)), 1e-300)
    push = float(np.linalg.norm(B, 2)) if B.size else 0.0
    for value in values:
        if value.real < kept - RANK * size:
            continue
        matrix = np.hstack([value * np.eye(len(A)) - A, B * (size / push if push else 1.0)])
        left, sizes, _ = np.linalg.svd(matrix)
        if sizes[-1] <= RANK * size:
            known = abs(value) > RANK * size
            return complex(value) if known else 0j, np.asarray(left[:, -1])
    return None


def held_over(A: Array, B: Array, period: float) -> tuple[Array, Array]:
    """Discrete matrices of x' = A x + B u with u constant over each period."""
    import scipy.linalg

    n, m = B.shape
    whole = np.zeros((n + m, n + m))
    whole[:n, :n], whole[:n, n:] = A, B
    flow = scipy.linalg.expm(whole * period)
    return flow[:n, :n], flow[:n, n:]


def integrated(A: Array, weight: Array, period: float) -> Array:
    """Integral over a period of exp(A^T s) weight exp(A s) ds.

    By one exponential for a short span (Van Loan), which is doubled: so fast motion that decays
    does not overflow.
    """
    import scipy.linalg

    n = len(A)
    doublings = max(0, math.ceil(math.log2(max(float(np.linalg.norm(A, 1)) * period, 1.0))))
    span = period / 2.0**doublings
    whole = np.zeros((2 * n, 2 * n))
    whole[:n, :n], whole[:n, n:], whole[n:, n:] = -A.T, weight, A
    both = scipy.linalg.expm(whole * span)
    flow: Array = both[n:, n:]
    found: Array = flow.T @ both[:n, n:]
    for _ in range(doublings):
        found = found + flow.T @ found @ flow
        flow = flow @ flow
    return 0.5 * (found + found.T)


def sampling_period(owner: str, A: Array, period: Any) -> float:
    """A period over which no free motion of x' = A x grows beyond all numbers."""
    span = validate.positive(owner, "period", period)
    values = np.linalg.eigvals(A)
    growth, fastest = (float(np.max(x, initial=0.0)) for x in (values.real, np.abs(values)))
    if span * growth > 100.0 or span * fastest > 1e12:
        expected = "a time in s within which the model stays near its equilibrium"
        raise ModelError(owner, "period", period, expected)
    return span


def solved(owner: str, solve: Callable[..., Any], *matrices: Array, **more: Array) -> Array:
    """The solution of a Riccati equation, or a sentence if there is none by these numbers."""
    try:
        found = np.asarray(solve(*matrices, **more), dtype=float)
        good = bool(np.all(np.isfinite(found)))
    except (np.linalg.LinAlgError, ValueError):
        good = False
    if not good:
        raise ModelError.plain(
            f"{owner}: its Riccati equation has no solution by these weights, expected ones whose "
            "sizes are not so far apart"
        )
    return found
