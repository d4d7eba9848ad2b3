"""lqr and observer: gains from the linear model of a mechanism, and controllers that have them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.control.design import (
    Plant,
    held_over,
    integrated,
    positive_weights,
    sampling_period,
    solved,
    unreached,
    weights,
)
from supple.analyses.modes.linear_model import LinearModel
from supple.forces import ControlLaw, SampledController, StateSpaceController
from supple.forces.controllers import SignalsLike
from supple.foundation.arrays import Array, Complex
from supple.foundation.errors import ModelError
from supple.model import Model


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
        found = np.linalg.eigvals(self.A - self.B @ self.K).astype(complex)
        return found[np.argsort(np.abs(found))]

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
        given: dict[str, Any] = {
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
            return StateSpaceController(name, plant.joints, law, **given, **more)
        return SampledController(name, plant.joints, law, self.period, **given, **more)

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
    found = unreached(A, B)
    if found is not None:
        expected = f"efforts that reach {plant.mode(*found)}, which does not decay by itself"
        raise ModelError(owner, "inputs", list(space.inputs), expected)
    found = unreached(A.T, weight)
    if found is not None:
        seen_mode = plant.mode(*found, left=False)
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
        found = np.linalg.eigvals(self.A - self.L @ self.C).astype(complex)
        return found[np.argsort(np.abs(found))]

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
    found = unreached(A.T, C.T)
    if found is not None:
        shown = plant.mode(*found, left=False)
        expected = f"coordinates that show {shown}, which does not decay by itself"
        raise ModelError(owner, "outputs", list(space.outputs), expected)
    found = unreached(A, drive)
    if found is not None:
        expected = f"noise that reaches {plant.mode(*found)}, which does not decay by itself"
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
    c = plant.linear.state.compiled
    assert c is not None
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
