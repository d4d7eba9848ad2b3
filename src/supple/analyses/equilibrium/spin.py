"""Spin: velocities of a model that turns as a whole, while nothing in it moves.

The rates of some joint coordinates are given. Joints to the ground follow as the constraints ask,
joints between bodies and elastic coordinates stand still. Velocities are constant then: those of
spherical and free joints are in the axes of their body, which turn along.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from supple.core.base import layout as at
from supple.forces import Motor
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, suggestion
from supple.joints import Joint
from supple.loops.assembly import row_sizes
from supple.model import Model

STILL = 1e-8  # of the given rate: what may be left between bodies that do not move
STEP = 1e-6  # rad or lengths, of differences of velocities
EXPECTED = "rates by joint, e.g. {'shaft': 12.0} or {('shaft', 'angle'): 12.0}, rad/s"


class Spin:
    """Given rates of a model, and the velocities that follow from them.

    Attributes
    ----------
    joints : their names
    places : places in u of the given rates
    rates : (n,) rad/s or m/s
    """

    def __init__(
        self, model: Model, equations: Equations, t: float, given: Any, owner: str = "statics"
    ) -> None:
        self.equations, self.compiled, self.t = equations, equations.compiled, t
        self.joints, self.places, self.rates = _given(owner, model, equations, given)
        c, ground = self.compiled, model.ground.name
        between = np.zeros(c.nu, dtype=bool)
        for name, record in c.joints.items():
            ends = {frame.body.name for frame in model.joints[name].frames.values()}
            between[record.u] = ground not in ends
        for body in c.deforming.values():
            between[body.u] = True
        between[self.places] = False
        self.between = np.flatnonzero(between)
        self.shafts = _shafts(model, equations)
        self.still = np.zeros(c.nu)

    @property
    def rows(self) -> Array:
        """Rows (n, nu) of the given rates, in units of increments."""
        rows: Array = np.eye(self.compiled.nu)[self.places]
        return rows

    def velocities(self, q: Array) -> Array:
        """Velocities (nu,) at a configuration."""
        c, unit = self.compiled, self.compiled.scale
        y0 = np.zeros(c.nu)
        y0[self.places] = self.rates / unit[self.places]
        G = self.equations.constraints(self.t, q, self.still).G / row_sizes(c)[:, None] * unit
        others = np.setdiff1d(np.arange(c.nu), self.places)
        G = G[np.any(G[:, others] != 0.0, axis=1)]  # a driver of a given rate stands still here
        A = np.vstack([self.rows, G, self.shafts * unit])
        b = np.concatenate([y0[self.places], np.zeros(len(A) - len(self.places))])
        _, values, right = np.linalg.svd(A)
        rank = int(np.sum(values > 1e-10 * values[0]))
        Z = right[rank:].T
        y: Array = np.linalg.lstsq(A, b, rcond=1e-10)[0]
        if Z.shape[1]:
            y = y + Z @ np.linalg.lstsq(Z[self.between], -y[self.between], rcond=1e-10)[0]
            # of what is left open, the slowest
            left = Z @ _null(Z[self.between])
            y = y - left @ np.linalg.lstsq(left, y, rcond=1e-10)[0]
        self.missed = A @ y - b
        return unit * y

    def slope(self, q: Array) -> Array:
        """Derivative (nu, nu) of the velocities along increments; zero without constraint rows."""
        c, out = self.compiled, np.zeros((self.compiled.nu, self.compiled.nu))
        if not c.nr:
            return out
        for k in range(c.nu):
            d = np.zeros(c.nu)
            d[k] = STEP * c.scale[k]
            ahead, back = (self.velocities(self.equations.retract(q, x)) for x in (d, -d))
            out[:, k] = (ahead - back) / (2.0 * d[k])
        return out

    def moves(self, q: Array) -> str:
        """Say what cannot stand still while the model turns; empty if everything can."""
        u = self.velocities(q)
        c = self.compiled
        fastest = float(np.max(np.abs(self.rates) / c.scale[self.places], initial=0.0))
        if np.max(np.abs(self.missed), initial=0.0) > STILL * fastest:
            return "the constraints do not allow these rates"
        inner = np.abs(u[self.between]) / c.scale[self.between]
        if len(inner) and np.max(inner) > STILL * fastest:
            k = int(self.between[int(np.argmax(inner))])
            return f"{c.dof_label(k)} does not stand still at these rates"
        return ""


def turned(equations: Equations, q: Array, d: Array) -> Array:
    """Configuration to which constant velocities d (nu,) lead from q in a unit of time.

    Those of free joints turn with their body, so its way is an arc.
    """
    d = d.copy()
    for node in at.integers(equations.compiled.ints, "node"):
        if node[at.MOTION] == at.FREE:
            k = int(node[at.U0])
            turn, way = d[k : k + 3], d[k + 3 : k + 6]
            angle = float(np.linalg.norm(turn))
            if angle > 0.0:
                axis = turn / angle
                across = np.cross(axis, way)
                along = axis * (axis @ way)
                part = math.sin(angle) / angle * (way - along)
                d[k + 3 : k + 6] = along + part + (1.0 - math.cos(angle)) / angle * across
    return equations.retract(q, d)


def _null(rows: Array) -> Array:
    """Orthonormal basis of the null space of rows, as columns."""
    _, values, right = np.linalg.svd(rows)
    rank = int(np.sum(values > 1e-10)) if len(values) else 0
    return np.asarray(right[rank:].T)


def check_spin(owner: str, given: Any) -> None:
    """Refuse what are no rates by joint."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError(owner, "spin", given, EXPECTED)


def _given(
    owner: str, model: Model, equations: Equations, given: Any
) -> tuple[tuple[str, ...], np.ndarray, Array]:
    """Joints whose rates are given, places in u of these, and the rates."""
    check_spin(owner, given)
    names: dict[str, None] = {}
    places, rates = [], []
    for key, value in given.items():
        item, coordinate = key if isinstance(key, tuple) and len(key) == 2 else (key, 0)
        name = item.name if isinstance(item, Joint) else item
        if not isinstance(name, str) or name not in model.joints:
            hint = suggestion(name, list(model.joints))
            raise ModelError(owner, "spin", key, f"the name of a joint, {hint}")
        index = model.joints[name].coordinate_index(coordinate, owner)
        try:
            rate = float(value)
        except (TypeError, ValueError):
            rate = float("nan")
        if not np.isfinite(rate):
            raise ModelError(owner, f"spin[{name!r}]", value, "a finite number")
        places.append(equations.compiled.coordinate(name, index)[1])
        rates.append(rate)
        names[name] = None
    return tuple(names), np.array(places, dtype=int), np.array(rates)


def _shafts(model: Model, equations: Equations) -> Array:
    """Rows (n, nu) by which shafts behind elastic gears turn with their joints."""
    c = equations.compiled
    rows = []
    for name, record in c.motors.items():
        if record.own:
            motor = model.forces[name]
            assert isinstance(motor, Motor)
            joint = model.joints[motor.joint]
            place = c.coordinate(joint.name, joint.coordinate_index(motor.coordinate, name))[1]
            row = np.zeros(c.nu)
            row[record.u], row[place] = 1.0, -motor.ratio
            rows.append(row)
    return np.array(rows).reshape(-1, c.nu)
