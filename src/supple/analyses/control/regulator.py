"""lqr and observer: gains from the linear model of a mechanism, and controllers that have them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.linear.linear_model import LinearModel
from supple.analyses.linear.linearize import linearize
from supple.engine.pack.kinds import refuse_rates
from supple.forces import ControlLaw, JointEffort, Motor, SampledController, StateSpaceController
from supple.forces.controllers import SignalsLike
from supple.foundation import validate
from supple.foundation.arrays import Array, Complex
from supple.foundation.errors import ModelError
from supple.foundation.frames import System
from supple.joints.interactions import Target

if TYPE_CHECKING:
    from supple.analyses.linear.state_space import StateSpace
    from supple.model import Model

RANK = 1e-9  # part of the largest singular value below which a direction is not reached
LEAST = 1e-100  # of weights: inverses and squares of them are numbers, too
WEIGHTS = "a number, a row of numbers, a matrix, or a mapping of names to numbers"


@dataclass(frozen=True, eq=False)
class Plant:
    """Small motion x' = A x + B u of a model at rest, and what a controller measures of x."""

    space: StateSpace  # state space of all inputs and states
    joints: tuple[Target, ...]  # (m) coordinates and shafts that the inputs act on
    # measures, elastic: coordinates of joints and of flexible bodies, in the order of the states
    measures: tuple[Target, ...]
    elastic: tuple[Target, ...]
    rest: Array  # (n,) values of these coordinates in the equilibrium, rad or m
    # (2 n,) places of the states in the order in which a controller measures them
    order: np.ndarray
    linear: LinearModel  # the linear model

    @classmethod
    def of(cls, owner: str, model: Any, inputs: Any) -> Plant:
        """Of a model, about its equilibrium, or of a linear model."""
        if isinstance(model, System):
            linear = linearize(cast("Model", model))
        elif isinstance(model, LinearModel):
            linear = model
        else:
            raise ModelError(owner, "model", model, "a Model or what linearize returned")
        refuse_rates(linear.compiled, owner)
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
    c = linear.compiled
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
    c = linear.compiled
    ranges = [(r.q, r.u) for r in c.joints.values()] + [(r.q, r.u) for r in c.flexible.values()]
    for q, u in ranges:
        if u.start <= place < u.stop:
            return float(linear.state.q[q.start + place - u.start])
    motor = next(m for m in c.motors.values() if m.own and m.u == place)
    return float(linear.state.q[motor.q])


def weights(owner: str, field: str, weight: Any, names: tuple[str, ...]) -> Array:
    """A symmetric matrix (n, n) of weights without negative ones."""
    n = len(names)
    if isinstance(weight, dict):
        for name in weight:
            if name not in names:
                raise ModelError(owner, field, name, f"one of {', '.join(names)}")
        weight = [weight.get(name, 0.0) for name in names]
    matrix = validate.array(owner, field, weight, WEIGHTS)
    if matrix.ndim == 0:
        matrix = float(matrix) * np.eye(n)
    elif matrix.shape == (n,):
        matrix = np.diag(matrix)
    if np.any((np.abs(matrix) > 0.0) & (np.abs(matrix) < LEAST)):
        raise ModelError(owner, field, weight, f"weights of zero, or of {LEAST:g} at least")
    symmetric = matrix.shape == (n, n) and np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0)
    if not symmetric or np.min(np.linalg.eigvalsh(matrix), initial=0.0) < -1e-12 * np.max(
        np.abs(matrix), initial=0.0
    ):
        expected = f"weights of {n} quantities ({', '.join(names[:6])}), none of them negative"
        raise ModelError(owner, field, weight, expected)
    return np.array(matrix)


def positive_weights(owner: str, field: str, weight: Any, names: tuple[str, ...]) -> Array:
    """Weights, all of them positive."""
    matrix = weights(owner, field, weight, names)
    if np.linalg.matrix_rank(matrix) < len(names):
        raise ModelError(owner, field, weight, "positive weights")
    return matrix


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
    integral: Array = flow.T @ both[:n, n:]
    for _ in range(doublings):
        integral = integral + flow.T @ integral @ flow
        flow = flow @ flow
    return 0.5 * (integral + integral.T)


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
        solution = np.asarray(solve(*matrices, **more), dtype=float)
        good = bool(np.all(np.isfinite(solution)))
    except (np.linalg.LinAlgError, ValueError):
        good = False
    if not good:
        raise ModelError.plain(
            f"{owner}: its Riccati equation has no solution by these weights, expected ones whose "
            "sizes are not so far apart"
        )
    return solution


@dataclass(frozen=True, eq=False)
class Regulator:
    """A state feedback u = -K x that minimises a cost; what `lqr` returns.

    Attributes
    ----------
    K : (m, n) gains, efforts per state
    states, inputs : names; x are deviations from the equilibrium
    input_units : N m or N
    A, B : (n, n), (n, m) of x' = A x + B u, or of the next x if there is a period
    cost : (n, n) P of the least cost x^T P x from a state on
    period : s, None if it is continuous
    """

    K: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    input_units: tuple[str, ...]
    A: Array
    B: Array
    cost: Array
    period: float | None
    _plant: Plant

    @property
    def poles(self) -> Complex:
        """Eigenvalues (n,) of A - B K: 1/s, or factors per period; by ascending magnitude."""
        poles = np.linalg.eigvals(self.A - self.B @ self.K).astype(complex)
        return poles[np.argsort(np.abs(poles))]

    def controller(
        self,
        name: str,
        target: SignalsLike | None = None,
        feedforward: SignalsLike = (),
        limit: ArrayLike = math.inf,
        observer: Estimator | None = None,
        **more: Any,
    ) -> StateSpaceController | SampledController:
        """The controller as an element of the model: ``model.add(regulator.controller("servo"))``.

        Parameters
        ----------
        target : signals, optional
            Of measured coordinates; by default their values in the equilibrium.
        feedforward : signals
            Added to the efforts, N m or N.
        limit : N m or N
        observer : Estimator, optional
            What `observer` returned: the states are estimated from what that measures. By default
            all of them are measured.
        more : ``delay``, ``offset``, ``effort_step`` and so on, of a `SampledController`
        """
        plant = self._plant
        if not isinstance(observer, Estimator | None):
            raise ModelError("controller", "observer", observer, "what sp.observer returned")
        if observer is None:
            D = -self.K[:, plant.order]
            law, rest = ControlLaw(D), plant.rest
            seen: dict[str, Any] = {"measures": plant.measures, "elastic": plant.elastic}
        else:
            law, rest = observer.law(self), observer.rest
            seen = {"measures": observer.measures, "elastic": observer.elastic}
        fields: dict[str, Any] = {
            "target": [float(x) for x in rest] if target is None else target,
            "feedforward": feedforward,
            "limit": limit,
            **seen,
        }
        for field in more if self.period is None else ():
            if field != "initial":
                expected = "none of a continuous regulator: sp.lqr(..., period=...) makes another"
                raise ModelError("controller", field, more[field], expected)
        if self.period is None:
            return StateSpaceController(name, plant.joints, law, **fields, **more)
        return SampledController(name, plant.joints, law, self.period, **fields, **more)

    def __repr__(self) -> str:
        kind = "continuous" if self.period is None else f"sampled every {self.period:g} s"
        inputs = ", ".join(f"{n} ({u})" for n, u in zip(self.inputs, self.input_units, strict=True))
        lines = [f"Regulator of {len(self.states)} states, {kind}", f"  inputs  {inputs}"]
        lines += [f"  K       {row}" for row in np.array2string(self.K, precision=4).splitlines()]
        return "\n".join(lines)


def lqr(
    model: Model | LinearModel,
    inputs: Any,
    *,
    Q: Any = 1.0,
    R: Any = 1.0,
    outputs: Any = None,
    period: float | None = None,
) -> Regulator:
    """Linear-quadratic regulator of a mechanism: ``sp.lqr(model, "rail").controller("servo")``.

    It minimises the integral of ``x^T Q x + u^T R u`` over small motion about an equilibrium.

    Parameters
    ----------
    model : Model or LinearModel
        Linearized about its equilibrium, or as `linearize` did it. Closed loops and flexible bodies
        are in it by their independent coordinates.
    inputs : joints, coordinates or motors
        On which the controller acts, as for ``LinearModel.state_space``.
    Q : number, (n,), (n, n) or mapping of names
        Weights of the states: coordinates, then rates ("rail.displacement.rate").
    R : number, (m,), (m, m) or mapping of names
        Weights of the efforts, positive.
    outputs : as for ``LinearModel.state_space``, optional
        Then Q has the weights of these, not of the states.
    period : s, optional
        For a sampled controller: efforts are held over a period, and the cost is the same integral.
    """
    import scipy.linalg

    owner = "lqr"
    plant = Plant.of(owner, model, inputs)
    space = plant.space
    A, B = space.A, space.B
    if outputs is None:
        weight = weights(owner, "Q", Q, space.states)
    else:
        seen = plant.linear.state_space(inputs, outputs)
        weight = seen.C.T @ weights(owner, "Q", Q, seen.outputs) @ seen.C
    effort = positive_weights(owner, "R", R, space.inputs)
    left_out = unreached(A, B)
    if left_out is not None:
        expected = f"efforts that reach {plant.mode(*left_out)}, which does not decay by itself"
        raise ModelError(owner, "inputs", list(space.inputs), expected)
    left_out = unreached(A.T, weight)
    if left_out is not None:
        seen_mode = plant.mode(*left_out, left=False)
        expected = f"a weight that sees {seen_mode}, which does not decay by itself"
        raise ModelError(owner, "Q", Q, expected)
    if period is None:
        P = solved(owner, scipy.linalg.solve_continuous_are, A, B, weight, effort)
        K: Array = np.asarray(np.linalg.solve(effort, B.T @ P), dtype=float)
        return Regulator(K, space.states, space.inputs, space.input_units, A, B, P, None, plant)
    span = sampling_period(owner, A, period)
    n, m = B.shape
    Ad, Bd = held_over(A, B, span)
    both = np.zeros((n + m, n + m))
    both[:n, :n], both[:n, n:] = A, B
    cost = integrated(both, scipy.linalg.block_diag(weight, effort), span)
    Qd, Rd, S = cost[:n, :n], cost[n:, n:], cost[:n, n:]
    P = solved(owner, scipy.linalg.solve_discrete_are, Ad, Bd, Qd, Rd, s=S)
    K = np.asarray(np.linalg.solve(Rd + Bd.T @ P @ Bd, Bd.T @ P @ Ad + S.T), dtype=float)
    return Regulator(K, space.states, space.inputs, space.input_units, Ad, Bd, P, span, plant)


@dataclass(frozen=True, eq=False)
class Estimator:
    """An observer x^' = A x^ + B u + L (y - C x^) of the states; what `observer` returns.

    Attributes
    ----------
    L : (n, k) gains, states' rates (or next states) per measured error
    C : (k, n) measured coordinates by the states
    outputs, states : names
    covariance : (n, n) of the error of the estimate, for the given noise
    period : s, None if it is continuous
    measures, elastic : coordinates of joints and of flexible bodies that it measures
    rest : (k,) their values in the equilibrium
    """

    L: Array
    C: Array
    outputs: tuple[str, ...]
    states: tuple[str, ...]
    covariance: Array
    period: float | None
    measures: tuple[Any, ...]
    elastic: tuple[Any, ...]
    rest: Array
    A: Array
    B: Array

    @property
    def poles(self) -> Complex:
        """Eigenvalues (n,) of A - L C: 1/s, or factors per period; by ascending magnitude."""
        poles = np.linalg.eigvals(self.A - self.L @ self.C).astype(complex)
        return poles[np.argsort(np.abs(poles))]

    def law(self, regulator: Regulator) -> ControlLaw:
        """The law of a regulator whose states are estimated; its states are these estimates."""
        if not isinstance(regulator, Regulator):
            raise ModelError("Estimator.law", "regulator", regulator, "what lqr returned")
        if self.states != regulator.states or self.period != regulator.period:
            expected = "one of the same model and period as the regulator"
            raise ModelError("controller", "observer", self, expected)
        k, m = len(self.rest), len(regulator.inputs)
        nothing = np.zeros_like(self.L)
        return ControlLaw(
            np.zeros((m, 2 * k)),
            self.A - self.B @ regulator.K - self.L @ self.C,
            np.hstack([self.L, nothing]),
            -regulator.K,
            self.B,
        )

    def __repr__(self) -> str:
        kind = "continuous" if self.period is None else f"sampled every {self.period:g} s"
        return f"Estimator of {len(self.states)} states from {', '.join(self.outputs)}, {kind}"


def observer(
    model: Model | LinearModel,
    inputs: Any,
    outputs: Any,
    *,
    process: Any = 1.0,
    measurement: Any = 1e-6,
    period: float | None = None,
) -> Estimator:
    """Kalman filter that estimates the states of a mechanism from some of its coordinates.

    Parameters
    ----------
    model : Model or LinearModel
    inputs : joints, coordinates or motors
        On which the controller acts, in the order of its `lqr`.
    outputs : coordinates of joints and of flexible bodies
        What is measured: "hub.angle"; not their rates.
    process : number, (m,), (m, m) or mapping of names
        Intensity of white noise on the efforts, (N m)2 s or N2 s.
    measurement : number, (k,), (k, k) or mapping of names
        Of noise on what is measured: intensity, rad2 s or m2 s; with a period its variance at each
        sample, rad2 or m2.
    period : s, optional
        For a sampled controller; the estimate for a sample follows from the samples before it.
    """
    import scipy.linalg

    owner = "observer"
    plant = Plant.of(owner, model, inputs)
    space = plant.linear.state_space(inputs, outputs)
    C = space.C
    measures, elastic, rest = _sensed(owner, plant, space.outputs)
    noise = positive_weights(owner, "measurement", measurement, space.outputs)
    pushed = weights(owner, "process", process, space.inputs)
    A, B = space.A, space.B
    drive = B @ pushed @ B.T
    left_out = unreached(A.T, C.T)
    if left_out is not None:
        shown = plant.mode(*left_out, left=False)
        expected = f"coordinates that show {shown}, which does not decay by itself"
        raise ModelError(owner, "outputs", list(space.outputs), expected)
    left_out = unreached(A, drive)
    if left_out is not None:
        expected = f"noise that reaches {plant.mode(*left_out)}, which does not decay by itself"
        raise ModelError(owner, "process", process, expected)
    common = space.outputs, space.states
    if period is None:
        P = solved(owner, scipy.linalg.solve_continuous_are, A.T, C.T, drive, noise)
        L: Array = np.asarray(np.linalg.solve(noise, C @ P).T, dtype=float)
        return Estimator(L, C, *common, P, None, measures, elastic, rest, A, B)
    span = sampling_period(owner, A, period)
    Ad, Bd = held_over(A, B, span)
    spread = integrated(A.T, drive, span)
    P = solved(owner, scipy.linalg.solve_discrete_are, Ad.T, C.T, spread, noise)
    L = np.asarray(np.linalg.solve(C @ P @ C.T + noise, C @ P @ Ad.T).T, dtype=float)
    return Estimator(L, C, *common, P, span, measures, elastic, rest, Ad, Bd)


def _sensed(
    owner: str, plant: Plant, names: tuple[str, ...]
) -> tuple[tuple[Any, ...], tuple[Any, ...], Array]:
    """Measured coordinates of joints and of flexible bodies, and their values at rest."""
    c = plant.linear.compiled
    measures: list[Any] = []
    elastic: list[Any] = []
    rest: list[float] = []
    for name in names:
        item, _, coordinate = name.rpartition(".")
        joint, body = c.joints.get(item), c.flexible.get(item)
        if joint is not None and joint.chart.axes and not elastic:
            index = list(joint.coordinate_names).index(coordinate)
            measures.append((item, index))
            rest.append(float(plant.linear.state.q[c.coordinate(item, index)[0]]))
        elif body is not None:
            index = list(body.coordinate_names).index(coordinate)
            elastic.append((item, index))
            rest.append(float(plant.linear.state.q[body.q.start + index]))
        else:
            expected = "coordinates of joints, and behind them those of flexible bodies"
            raise ModelError(owner, "outputs", name, expected)
    return tuple(measures), tuple(elastic), np.array(rest)
