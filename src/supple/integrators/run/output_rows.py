"""Rows of output of a run, in memory or in a file.

A loop writes rows as it passes their times, interpolated between steps; they are moved onto the
constraints afterwards. In memory that is done once at the end. Rows in a file are moved wherever
the loop pauses, so that they are final when a checkpoint refers to them, and leave the memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.core.base import layout
from supple.core.equations import dynamics
from supple.core.run import step as st
from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun, Problem

BLOCK = 4096  # rows of a file that are moved at once


class Rows:
    """The rows of one run: ``out`` (nt, q u z and work channels) as the loop writes them."""

    def __init__(self, run: LoopRun, width: int) -> None:
        self.run = run
        self.file = run.problem.output_file
        n = len(run.problem.grid)
        self.out = np.zeros((n, width)) if self.file is None else self.file.rows(width)[:n]
        self.settled = 0  # rows of a file that are final

    def unsettle(self) -> None:
        """The run went back to an earlier state: later rows will be written again."""
        self.settled = min(self.settled, int(self.run.count[st.GRID]))
        if self.file is not None:
            self.file.forget(self.settled)

    def settle(self) -> None:
        """Make rows of a file final that were written since the last time."""
        if self.file is None:
            return
        c, end = self.run.compiled, int(self.run.count[st.GRID])
        for k in range(self.settled, end, BLOCK):
            block = slice(k, min(k + BLOCK, end))
            parts = [x.copy() for x in parts_of(c, self.out[block])[:2]]
            self._project(self.run.problem.grid[block], *parts)
            self.out[block, : c.nq], self.out[block, c.nq : c.nq + c.nu] = parts
        self.settled = max(self.settled, end)
        self.file.release(self.settled)

    def finish(self, stopped: bool) -> tuple[Array, tuple[Array, Array, Array, Array]]:
        """Times and q, u, z, work; with a last row where the run ``stopped`` before its end."""
        run, c, grid = self.run, self.run.compiled, self.run.problem.grid
        n = int(run.count[st.GRID])
        t, now, r = grid[:n], float(run.state[st.T]), run.fields
        more, last = False, np.zeros((0, self.out.shape[1]))
        if stopped and (n == 0 or t[-1] < now):
            last = np.concatenate([r.q, r.u, r.z, r.w])[None]
            more = bool(np.all(np.isfinite(last)))
        if more:
            t = np.append(t, now)
        if self.file is None:
            rows = np.vstack([self.out[:n], last]) if more else self.out[:n]
            q, u, z, work = (x.copy() for x in parts_of(c, rows))
            self._project(t, q, u)
            return t, (q, u, z, work)
        self.settle()
        if more:
            q, u, z, work = (x.copy() for x in parts_of(c, last))
            self._project(t[n:], q, u)
            last = np.hstack([q, u, z, work])
        rows = self.file.close(t, last if more else last[:0])
        return t, parts_of(c, rows)

    def _project(self, t: Array, q: Array, u: Array) -> None:
        """Move output onto the constraints, but for what the method keeps."""
        keeps = self.run.options.keeps
        for c, mine in self.run.row_sets.parts(t):
            if c.nr and len(t):
                which = np.arange(len(t))[mine]
                if keeps is not None:
                    which = which[~keeps(c, t[which], q[which], u[which])]
                times, places, rates = t[which], q[which], u[which]
                scratch = np.zeros(c.nu), np.zeros(c.nq)
                work = layout.new_work(c.ints)
                dynamics.project(c.ints, c.reals, work, times, places, rates, *scratch)
                q[which], u[which] = places, rates


def rows_of(problem: Problem) -> list[Array]:
    """Times, q, u, z and work of a run that is over, in its file."""
    assert problem.output_file is not None
    t, rows = problem.output_file.known()
    return [t, *parts_of(problem.equations.compiled, rows)]


def parts_of(c: Compiled, rows: Array) -> tuple[Array, Array, Array, Array]:
    """q, u, z and work of rows, views."""
    i, j, k = c.nq, c.nq + c.nu, c.nq + c.nu + c.nz
    return rows[:, :i], rows[:, i:j], rows[:, j:k], rows[:, k:]
