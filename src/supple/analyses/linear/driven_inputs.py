"""Drivers as inputs of a linear model: what their motion does to the others.

A driven motion s changes the rows to G x = e s. With x = N y + S s, where G S = e, and
v = N w + P y + S s' + Q s, where G Q = -H S, both without the independent coordinates, the
equations of ``linearize`` get further terms:

    M y'' + C y' + K y + F z = -Ms s'' - Cs s' - Ks s        z' = Y y + V y' + Z z + Yd s + Vd s'

The acceleration s'' is the input, s and s' are states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.analyses.equilibrium.spin import turned
from supple.analyses.linear.reduced_motion import followed, following
from supple.constraints.drivers import Driver
from supple.formulations.equations import Equations
from supple.foundation.errors import ModelError
from supple.foundation.poses import Array

if TYPE_CHECKING:
    from supple.analyses.modes.linear_model import LinearModel

TURN = 0.7  # rad after which a model that turns is looked at again
ALONG = 1e-9  # part of what follows that rounding may change


@dataclass(frozen=True)
class Driven:
    """Terms of k driven motions.

    Attributes
    ----------
    names : (k) of the drivers
    S : (nu, k) motion of all velocity coordinates with each of them
    M, C, K : (n, k) forces of s'', s' and s
    Y, V : (nz, k) rates of controller states by s and s'
    """

    names: tuple[str, ...]
    S: Array
    M: Array
    C: Array
    K: Array
    Y: Array
    V: Array


def driven_inputs(owner: str, linear: LinearModel, names: Sequence[str]) -> Driven:
    """Terms of the motions of some drivers about the state of a linear model."""
    state, model, N = linear.state, linear.model, linear.N
    assert state.compiled is not None and model is not None
    c, (t, q, u, z) = state.compiled, (state.t, state.q, state.u, state.z)
    equations = Equations(c)
    a = equations.accelerate(t, q, u, z, linear.effort)
    lam = equations.multipliers()
    rows = equations.constraints(t, q, u, a)
    tangents = equations.tangents(t, q, u, a, z, lam)
    e = np.zeros((c.nr, len(names)))
    for k, name in enumerate(names):
        driver = model.drivers[name]
        own = [r for r, row in enumerate(c.rows) if row.owner == name]
        if not isinstance(driver, Driver) or len(own) != 1:
            expected = "a Driver of a joint coordinate that no other constraint holds"
            raise ModelError(owner, "inputs", name, expected)
        joint = model.joints[driver.joint]
        index = joint.coordinate_index(driver.coordinate, owner)
        e[own[0], k] = rows.G[own[0], c.coordinate(driver.joint, index)[1]]
    chosen = list(linear.places)
    S = following(c, rows.G, e, chosen)
    Q = following(c, rows.G, -rows.H @ S, chosen)
    fastest = float(np.max(np.abs(u) / c.scale, initial=0.0))
    if len(names) and fastest > 0.0:
        later = turned(equations, q, TURN / fastest * u)
        G = equations.constraints(t, later, u).G
        change = np.abs(following(c, G, e, chosen) - S) / c.scale[:, None]
        change = np.hstack([change, np.abs(followed(equations, t, later, u, chosen).N - N)])
        if np.max(change) > ALONG * max(np.max(np.abs(S)), np.max(np.abs(N), initial=0.0)):
            expected = "a driver about rest, or of what does not turn against other parts"
            raise ModelError(owner, "inputs", names[0], expected)
    turn = (equations.drift(u) @ S)[chosen]  # y' = w - L[chosen] (N y + S s)
    still = Q + N @ turn
    return Driven(
        names=tuple(names),
        S=S,
        M=N.T @ tangents.M @ S,
        C=N.T @ (tangents.M @ Q + tangents.Ru @ S) + linear.M @ turn,
        K=N.T @ (tangents.Ru @ still + tangents.Rq @ S),
        Y=tangents.Gq @ S + tangents.Gu @ still,
        V=tangents.Gu @ S,
    )
