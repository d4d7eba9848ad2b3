"""Follower: the motion of a mechanism without freedom, and the work of its forces.

A step predicts coordinates from velocities and accelerations and corrects them by Newton's method
on the rows. A correction that is large for the step means that another branch of the mechanism, a
dead point or a limit of its reach is near; the step is then halved. Work is the integral of the
powers by Gauss's rule with five points on pieces in which nothing moves far.
"""

from __future__ import annotations

import numpy as np

from supple.core.base.layout import read_work
from supple.core.equations import dynamics
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.loops.assembly import CLOSED, row_sizes

FAR = 0.3  # rad, or lengths of the model: the longest piece
# A correction beyond this, or beyond this part of the step, is not trusted to stay on the branch.
CORRECTION, SHARE = 1e-3, 0.1
SHORTEST = 1e-7  # of the piece: below this the mechanism is stuck
NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)


class StuckError(Exception):
    """The mechanism cannot go on; says when, and what does not close."""


class Follower:
    """State of a mechanism whose rows leave no freedom: ``go`` to later times.

    Attributes
    ----------
    t : s
    q, u, a : (nq,), (nu,), (nu,) coordinates, velocities, accelerations
    work : (nforce,) work of each force element since the start, J
    """

    def __init__(self, equations: Equations, t: float) -> None:
        c = equations.compiled
        self.equations, self.compiled = equations, c
        self.unit = _coordinate_units(equations)
        self.z = c.z0
        self.work = np.zeros(len(c.force_names))
        self.steps = self.evaluations = 0
        self.t, self.q, self.u, self.a = t, c.q0.copy(), c.u0.copy(), np.zeros(c.nu)
        solved = self._solve(t, self.q, self.u)
        if isinstance(solved, str):
            raise StuckError(f"t = {t:.6g} s: {solved}")
        self.q, self.u, self.a = solved

    def go(self, end: float) -> None:
        """Move to the time ``end`` (s), landing on break points of signals."""
        stops = [t for t in self.compiled.breakpoints if self.t < t < end]
        for stop in (*stops, end):
            while self.t < stop:
                self._piece(min(stop, self.t + self._reach()), stop)

    def _reach(self) -> float:
        """Time (s) in which no coordinate moves farther than ``FAR``."""
        speed = float(np.max(np.abs(self.u) / self.compiled.scale, initial=0.0))
        push = float(np.max(np.abs(self.a) / self.compiled.scale, initial=0.0))
        slow = FAR / speed if speed > 0.0 else np.inf
        return min(slow, np.sqrt(FAR / push) if push > 0.0 else np.inf)

    def _piece(self, end: float, stop: float) -> None:
        """One piece of the motion with the work done on it."""
        begin, h = self.t, end - self.t
        if stop - end < 1e-6 * h:
            end, h = stop, stop - begin
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            self._advance(begin + 0.5 * h * (1.0 + node), h)
            self.work += 0.5 * h * weight * self.powers()
        self._advance(end, h)

    def powers(self) -> Array:
        """Powers (nforce,) of the force elements and drivers, W."""
        self._accelerate(self.t, self.q, self.u)
        return np.array(read_work(self.compiled.ints, self.equations.work).power)

    def _advance(self, end: float, piece: float) -> None:
        h = end - self.t
        while self.t < end:
            h = min(h, end - self.t)
            t = end if h >= end - self.t else self.t + h
            problem = self._try(t)
            if not problem:
                h *= 2.0
                continue
            h *= 0.5
            if h < SHORTEST * piece:
                raise StuckError(f"t = {self.t:.6g} s: {problem}")

    def _try(self, t: float) -> str:
        """Step to the time t; what is wrong with the step, or nothing."""
        h = t - self.t
        predicted = self.equations.ahead(self.q, self.u, self.a, h)
        solved = self._solve(t, predicted.copy(), self.u + h * self.a)
        if isinstance(solved, str):
            return solved
        q, u, a = solved
        moved = float(np.max(np.abs(q - self.q) / self.unit, initial=0.0))
        off = float(np.max(np.abs(q - predicted) / self.unit, initial=0.0))
        if off > max(CORRECTION, SHARE * moved):
            return self._unreached(t, predicted)
        self.t, self.q, self.u, self.a = t, q, u, a
        self.steps += 1
        return ""

    def _solve(self, t: float, q: Array, u: Array) -> tuple[Array, Array, Array] | str:
        """State at t near q, u; or what does not close."""
        c = self.compiled
        guess = q.copy()
        scratch = np.zeros(c.nu), np.zeros(c.nq)
        buffers = c.ints, c.reals, self.equations.work, np.array([t])
        left = dynamics.project(*buffers, q[None], u[None], *scratch)
        if not (np.isfinite(left) and np.all(np.isfinite(q)) and np.all(np.isfinite(u))):
            return self._unreached(t, guess)
        if left > CLOSED * max(1.0, c.length):  # once more with fresh factors
            left = dynamics.project(*buffers, q[None], u[None], *scratch)
            if not left <= CLOSED * max(1.0, c.length):
                return self._unreached(t, q if np.all(np.isfinite(q)) else guess)
        try:
            return q, u, self._accelerate(t, q, u)
        except ModelError as error:
            return str(error)

    def _accelerate(self, t: float, q: Array, u: Array) -> Array:
        self.evaluations += 1
        return self.equations.accelerate(t, q, u, self.z)

    def _unreached(self, t: float, q: Array) -> str:
        """One sentence about the row that is farthest from closing at t."""
        c = self.compiled
        gap = self.equations.constraints(t, q, np.zeros(c.nu)).violation
        row = c.rows[int(np.argmax(np.abs(gap) / row_sizes(c)))]
        return (
            f"the position is out of reach or singular, {row.name} does not close, "
            "expected drivers that the mechanism can follow"
        )


def _coordinate_units(equations: Equations) -> Array:
    """Unit of each coordinate (nq,): 1 for angles and quaternions, else the model's length."""
    c = equations.compiled
    unit = np.ones(c.nq)
    for record in (*c.joints.values(), *c.extra.values()):
        if record.chart.quaternion:
            unit[record.q.start + 4 : record.q.stop] = c.length
        else:
            unit[record.q] = c.scale[record.u]
    return unit
