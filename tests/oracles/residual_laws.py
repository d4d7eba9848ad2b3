"""Laws that residuals of any tree obey, and differences along its motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import supple
from models.random_models import (
    State,
    with_control,
)
from oracles.flexible_oracle import spring_law
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates

Array = NDArray[np.float64]


STEP = 5e-4  # s; where truncation, STEP^6/140 of the seventh derivative, meets rounding


POINTS = np.array([-3, -2, -1, 1, 2, 3])


WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60.0


def equations(model: supple.Model) -> Equations:
    return JointCoordinates().equations(model)


def close(found, expected, tolerance: float = 1e-9, scale: float = 0.0) -> None:
    """Compare arrays relative to the largest entry of either, or to `scale` if that is larger."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    size = max(np.abs(found).max(initial=0.0), np.abs(expected).max(initial=0.0), scale)
    assert np.abs(found - expected).max(initial=0.0) <= tolerance * size


def derivative(values: Array, step: float = STEP) -> Array:
    """Derivative at 0 of values (6, ...) at step * POINTS."""
    return np.tensordot(WEIGHTS, values, axes=1) / step


def along(eq: Equations, s: State, a: Array, step: float = STEP):
    """History at step * POINTS of a path through the state with velocity u and acceleration a."""
    q = np.array([eq.retract(s.q, k * step * s.u) for k in POINTS])
    u = np.array([s.u + k * step * a for k in POINTS])
    return eq.history(np.full(6, s.t), q, u, np.tile(s.z, (6, 1)))[1]


def controllers(model: supple.Model) -> list[str]:
    """Names of the PIDs in the order of their states z."""
    return [name for name, f in model.forces.items() if isinstance(f, supple.PID)]


def check_tangents(columns, recipe):
    """Tangents of the residual and of controllers' rates."""
    eq = equations(with_control(recipe.model()))
    s = recipe.state(eq)
    r, Rq, Ru, M, Rz, Gq, Gu, Gz = eq.tangents(s.t, s.q, s.u, s.a, s.z)
    along_q, zdot_q = columns(eq, s, "d")
    along_u, zdot_u = columns(eq, s, "u")
    along_a, _ = columns(eq, s, "a")
    along_z, zdot_z = columns(eq, s, "z")
    close(Rq, along_q)
    close(Ru, along_u)
    close(M, along_a, 1e-12)
    close(M, eq.mass_matrix(s.q), 1e-12)
    close(Rz, along_z, 1e-12)
    close(Gq, zdot_q, 1e-12, 1.0)
    close(Gu, zdot_u, 1e-12)
    close(Gz, zdot_z, 1e-12)
    close(r, eq.residual(s.t, s.q, s.u, s.a, s.z), 1e-11)


class Place(NamedTuple):
    """A joint coordinate or a shaft: place in u, gear ratio, value and rate for an element."""

    u: int
    ratio: float
    x: float
    rate: float


def joint_place(model: supple.Model, eq: Equations, s: State, name: str, coordinate) -> Place:
    c = eq.compiled
    if name in model.joints:
        k = model.joints[name].coordinate_index(coordinate, name)
        x, rate = c.to_user(name, s.q, s.u)
        return Place(c.coordinate(name, k)[1], 1.0, x[k], rate[k])
    motor = c.motors[name]
    return Place(motor.u, motor.ratio, motor.ratio * s.q[motor.q], motor.ratio * s.u[motor.u])


def joint_law(model: supple.Model, eq: Equations, s: State, f) -> tuple[int, float, float, float]:
    """Place in u, gear ratio, effort and controller rate of an element on a joint coordinate."""
    u, ratio, x, v = joint_place(model, eq, s, f.joint, f.coordinate)
    if isinstance(f, supple.JointSpring):
        d = x - f.rest
        return u, ratio, -spring_law(f, d, v) - f.cubic * d**3, 0.0
    if isinstance(f, supple.JointEffort):
        return u, ratio, f.effort(s.t), 0.0
    if isinstance(f, supple.JointFriction):
        level = f.coulomb + (f.static - f.coulomb) * np.exp(-((v / f.stribeck) ** 2))
        return u, ratio, -level * np.tanh(v / f.transition) - f.viscous * v, 0.0
    if isinstance(f, supple.JointStop):
        above, below = max(x - f.upper, 0.0), max(f.lower - x, 0.0)
        push = f.stiffness * above**f.exponent * max(1.0 + f.damping * v, 0.0)
        push -= f.stiffness * below**f.exponent * max(1.0 - f.damping * v, 0.0)
        return u, ratio, -push, 0.0
    error, integral = f.target(s.t) - x, s.z[controllers(model).index(f.name)]
    wanted = f.kp * error + f.kd * (_slope(f.target, s.t) - v) + f.ki * integral
    given = float(np.clip(wanted, -f.limit, f.limit))
    # with the default tracking time kp/ki the integral moves by the missing effort over kp
    return u, ratio, given, error + (given - wanted) / f.kp


def coupling_law(model: supple.Model, eq: Equations, s: State, f) -> list[tuple[int, float]]:
    """Places in u and efforts of a spring between two coordinates."""
    first, second = (joint_place(model, eq, s, *target) for target in f.targets)
    pull = f.stiffness * (first.x - f.ratio * second.x - f.rest)
    pull += f.damping * (first.rate - f.ratio * second.rate)
    return [(first.u, -first.ratio * pull), (second.u, second.ratio * f.ratio * pull)]


def _slope(signal: supple.signals.Signal, t: float) -> float:
    h = 1e-6
    return (signal(t + h) - signal(t - h)) / (2.0 * h)
