"""Runs pass singular positions by one long step that has no stage close to them.

Where bars come into line, constraint rows come to depend on each other. Motion on a branch is
smooth through such a position. But multipliers grow with one over the distance to it, accelerations
that follow from the rows lose their digits, and Newton's method does not converge. So a run is led
to a place a little before the position and makes one step of Gauss' collocation method over it, as
far behind it as it was before. The number of stages is even and they lie symmetrically: none is
closer than a sixth of the way. How far before is a matter of the rows, not of the tolerance. The
difference to the method with fewer stages is the error; where it is too large one goes closer.

A mechanism that only comes close, by bars of lengths that do not quite fit, has no such branch:
there the polynomial of the step breaks constraints in the middle, and the run goes on by itself.

All stages of the step are moved onto the constraints, so that only motion that these allow is left
in them; the iteration for them is a plain one.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core.equations import dynamics
from supple.core.run import singular_step as kernels
from supple.core.run import step as st
from supple.engine.reading.rows import row_sizes, rows_at
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.loops.ranks import smallest_value
from supple.loops.singular import Smallest, Watch, about, can_be_singular, first_root, lowest

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun

REPEATS = 60  # of the iteration for the stages
SETTLED = 3e-9  # change in the last of them, part of the motion
STAGES, FEWER = 8, 6
PARTS = 4  # of a step, with output by polynomials of lower degree
# Parts of the regular smallest singular value: below the first one looks ahead, at the others one
# tries to step over, the next one if the one before did not succeed.
APPROACH = 0.4
LEVELS = (0.3, 0.16, 0.08, 0.04, 0.02, 0.01)
MOTION = (
    0.3  # rad or lengths of the model, between looks at regular rows; near others in proportion
)
LONG = 0.4  # the same: from which on a singular position may lie unseen between two looks
MOST = 1000  # steps between looks
BACKS = 6  # returns to an earlier state because of one position
CLOSED = 1e-10  # violation in the middle: lengths of the model, rad
OFF_CENTRE = 0.1  # of the step
SMOOTH = "more than one motion continues from it, and this run shows the smooth one"


class Leap(NamedTuple):
    """A step of collocation: polynomials of s from 0 to 1, stages + 1 coefficients each."""

    h: float
    x: Array  # (nu, stages + 1)
    u: Array
    z: Array
    w: Array
    change: float  # in the last iteration, part of the motion


@cache
def gauss(stages: int) -> tuple[Array, Array, Array]:
    """Nodes in [0, 1], Runge-Kutta matrix, and integrals by monomials (stages, stages + 1)."""
    c = 0.5 * (np.polynomial.legendre.leggauss(stages)[0] + 1.0)
    monomials = np.linalg.inv(np.vander(c, stages, increasing=True))  # (power, stage)
    powers = np.arange(1, stages + 1)
    integrals = np.zeros((stages, stages + 1))
    integrals[:, 1:] = (monomials / powers[:, None]).T
    matrix = (c[:, None] ** powers / powers) @ monomials
    return c, matrix, integrals


def collocate(
    equations: Equations, t: float, start: tuple[Array, Array, Array, Array], h: float, stages: int
) -> Leap | None:
    """The step from t to t + h of a state q, u, z, w; None if the iteration does not settle."""
    c, (q, u, z, w) = equations.compiled, start
    nodes, matrix, integrals = gauss(stages)
    n, model = stages, (c.ints, c.reals, equations.work)
    places, scratch, time, first = (
        np.zeros((n + 1, c.nq)),
        np.zeros(c.nu),
        t + h * nodes,
        np.array(q),
    )
    xdot, udot = np.tile(u, (n, 1)), np.zeros((n, c.nu))
    rates = xdot, udot, np.zeros((n, c.nz)), np.zeros((n, len(w)))
    size = max(float(np.max(np.abs(u) / c.scale, initial=0.0)), 1e-300)
    older = old = change = np.inf  # places and velocities are corrected in turn
    for k in range(REPEATS):
        x, v, y = h * matrix @ xdot, u + h * matrix @ udot, z + h * matrix @ rates[2]
        before = xdot.copy(), udot.copy()
        bad = kernels.passage_rates(*model, time, first, x, v, y, places, *rates, scratch)
        if bad != kernels.GOOD or not all(np.all(np.isfinite(r)) for r in rates):
            return None
        steps = np.maximum(np.abs(xdot - before[0]), h * np.abs(udot - before[1]))
        change = float(np.max(steps / c.scale, initial=0.0)) / size
        if change < 1e-15 or (k > 4 and change < SETTLED and change > 0.5 * older):
            break
        if k > 4 and change > max(2.0 * older, 1e-6):
            return None
        older, old = old, change
    if not change < SETTLED:
        return None
    x, v, y, work = (h * (r.T @ integrals) for r in rates)
    v[:, 0], y[:, 0], work[:, 0] = u, z, w
    return Leap(h, x, v, y, work, change)


def value(polynomials: Array, s: float) -> Array:
    """Values of polynomials (n, powers) at s."""
    values: Array = polynomials @ s ** np.arange(polynomials.shape[1])
    return values


def part(polynomials: Array, low: float, high: float) -> Array:
    """Polynomials (n, 8) of s from 0 to 1 that are those of the part from low to high.

    Of nine coefficients the last is left out with a multiple of Chebyshev's polynomial less one,
    which vanishes at both ends.
    """
    n = polynomials.shape[1]
    shift = np.zeros((n, n))
    line = np.polynomial.Polynomial((low, high - low))
    for k in range(n):
        shift[k, : k + 1] = (line**k).coef
    shifted = polynomials @ shift
    if n == st.DEGREE + 1:
        least = np.polynomial.Chebyshev.basis(st.DEGREE, domain=(0.0, 1.0))
        more = least.convert(kind=np.polynomial.Polynomial).coef
        more[0] -= 1.0
        shifted = (shifted - np.outer(shifted[:, -1] / more[-1], more))[:, :-1]
    out = np.zeros((len(polynomials), st.DEGREE))
    out[:, : shifted.shape[1]] = shifted
    return out


class Passage:
    """Looks for singular positions ahead of a run, and steps over them.

    ``until`` are steps to the next look; ``sentence`` tells of the first position that was passed.
    """

    def __init__(self, run: LoopRun) -> None:
        self.run = run
        self.sentence = ""
        self.base = run.stops  # without a stop of its own
        self.stop = np.inf
        self.next_look = -np.inf  # time of the next look on the way to that stop
        self.beaten = -np.inf  # time of a position that could not be stepped over
        self.checked = -np.inf  # up to here nothing lies between two looks
        self.level = 0
        self.backs = 0  # returns to an earlier state since the last position that was passed
        self.until, self.look = 1, 1
        self.each = 0.0  # motion in a step
        self.reference = 0.0
        self.root = np.inf  # s to the position ahead
        self.take_rows()

    def take_rows(self) -> None:
        """Go on with the rows that are now in use."""
        c = self.run.compiled
        self.possible = can_be_singular(c) and not self.run.options.passes
        self.reference = max(self.reference, c.regular_value)
        if self.possible:
            self.watch, self.equations = Watch(c), Equations(c)
            self.keep()

    def keep(self) -> None:
        """Remember the state, to come back to it."""
        run = self.run
        self.kept = [x.copy() for x in (run.run_buffer[: run.lasting], run.state, run.count)]
        self.kept_steps = run.steps_before
        self.until = self.look

    def _go_back(self) -> None:
        """Return to the state that was remembered."""
        run = self.run
        for x, kept in zip((run.run_buffer, run.state, run.count), self.kept, strict=True):
            x[: len(kept)] = kept
        run.steps_before = self.kept_steps
        run.forget_events(float(run.state[st.T]))
        run.begin_anew()
        self._set_stop(np.inf)

    # ------------------------------------------------------------------------------------------
    # Looking

    def after(self, outcome: int) -> int:
        """Look at the rows behind some steps, pass what lies ahead; the outcome to go on with."""
        run = self.run
        self._drop_stop()
        if not self.possible or outcome in (st.DONE, st.EVENT):
            return outcome
        failed = outcome != st.PAUSED
        t, q, u = float(run.state[st.T]), run.fields.q, run.fields.u
        waits = t < self.next_look or t <= self.kept[1][st.T]
        if waits and not failed:  # on the way to the stop before a position, or steps were refused
            self.until = 1
            return outcome
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(u))):
            return outcome
        table = self.watch.table(t, q)
        size = smallest_value(table, run.compiled.nr)
        self.reference = max(self.reference, size)
        moved = self._moved(table, t, q)
        unseen = self._unseen(t, q, u, moved)
        deep = size < 0.5 * LEVELS[-1] * self.reference
        if ((unseen is not None or deep or failed) and self.kept[1][st.T] < t) or failed:
            return self._approach_again(outcome, t, size, unseen)
        self._schedule(moved, size)
        if size < APPROACH * self.reference:
            return self._ahead(outcome, t, q, u, Smallest(table, run.compiled.nr))
        self.level = 0
        self.keep()
        return outcome

    def _schedule(self, moved: float, size: float) -> None:
        """Steps to the next look, by the motion since the last one."""
        far = MOTION * max(size / self.reference, APPROACH)
        each = max(moved / self.look, 1e-5 * far)
        wanted = far / each
        if each > 2.0 * self.each:  # steps grow: let each be twice the one before
            wanted = np.log2(1.0 + wanted)
        self.each = each
        self.look = int(np.clip(wanted, 1, min(4 * self.look, MOST)))

    def _moved(self, table: Array, t: float, q: Array) -> float:
        """Motion since the last look of what takes part in the rows, rad or lengths."""
        fields, (_, state, _) = self.run.fields, self.kept
        takes_part = np.max(np.abs(table), axis=0, initial=0.0) > 1e-12
        rate = np.max((np.abs(fields.u) / self.run.compiled.scale)[takes_part], initial=0.0)
        return float(rate * (t - state[st.T]))

    def _unseen(self, t: float, q: Array, u: Array, moved: float) -> float | None:
        """A time between the last look and now at which rows come close to depending, or None."""
        run = self.run
        start = max(float(self.kept[1][st.T]), self.checked)
        if moved < LONG or t <= start:
            return None
        e = self.equations
        before = st.RUN_RECORD.read(self.sizes, self.kept[0], self.kept[2])
        t0 = float(self.kept[1][st.T])
        h, d = t - t0, e.increment(before.q, q)
        if np.max(np.abs(d - 0.5 * h * (before.u + u)) / run.compiled.scale) > 1.0:
            return None  # whole turns of a ball: not to be interpolated
        count = int(min(np.ceil(moved / MOTION), 50))
        sizes = []
        times = np.arange(1, count) / count
        for s in times:
            x = s * s * (3 - 2 * s) * d + h * s * (1 - s) * ((1 - s) * before.u - s * u)
            sizes.append(self.watch.size(t0 + s * h, e.retract(before.q, x)))
        k = int(np.argmin(sizes)) if sizes else 0
        if not sizes or sizes[k] > 0.5 * APPROACH * self.reference:
            return None
        time = t0 + float(times[k]) * h
        return time if time > self.checked else None

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes of the run's buffers."""
        p = self.run.problem
        more = {"events": len(p.events), "screws": len(p.symmetries)}
        return self.run.compiled.sizes | more

    def _approach_again(self, outcome: int, t: float, size: float, unseen: float | None) -> int:
        """From the last look on, with a stop before the position that was met or passed."""
        start = float(self.kept[1][st.T])
        when = t if unseen is None else unseen
        failed = outcome != st.PAUSED
        near = unseen is not None or size < APPROACH * self.reference
        if not near or when <= self.beaten or start >= t or self.backs >= BACKS:
            self.checked, self.backs = max(self.checked, when), 0
            if failed:
                self.beaten = np.inf
            else:
                self.keep()
            return outcome
        self.backs += 1
        self._go_back()
        run, before = self.run, float(self.run.state[st.T])
        table = self.watch.table(before, run.fields.q)
        self.look = self.until = 1
        if smallest_value(table, run.compiled.nr) < APPROACH * self.reference:
            here = Smallest(table, run.compiled.nr)
            return self._ahead(int(st.PAUSED), before, run.fields.q, run.fields.u, here)
        self._set_stop(before + 0.7 * (when - before))
        return int(st.PAUSED)

    def _ahead(self, outcome: int, t: float, q: Array, u: Array, values: Smallest) -> int:
        """Find the next singular position by going straight on; stop before it, or step over it."""
        self.keep()
        self.look = self.until = 1
        root = self._root(t, q, u, values)
        if root is None or t + root <= self.beaten:
            return outcome
        size = values.size / self.reference
        while self.level < len(LEVELS):
            level = LEVELS[self.level]
            if size > 1.5 * level:
                way = root * (1.0 - level / size)
                self._set_stop(t + way)
                if self.stop < np.inf:
                    self.next_look = t + (0.5 * way if way > 0.2 * root else way)
                return outcome
            passed = self._step_over(t, q, u, root, values)
            if passed is not None:
                self.level = 0
                return passed
            root = self.root  # as the step knows it, which curves as the motion does
            self.level += 1
        self.beaten, self.level = t + 1.5 * root, 0
        return outcome

    def _root(self, t: float, q: Array, u: Array, values: Smallest) -> float | None:
        """Time until the smallest singular value vanishes, by going on with this acceleration."""
        e, run = self.equations, self.run
        try:
            a = e.accelerate(t, q, u, run.fields.z)
        except ModelError:  # nothing moves
            return None

        def at(ahead: float) -> float:
            d = ahead * (u + 0.5 * ahead * a)
            return values.signed(self.watch.table(t + ahead, e.retract(q, d)))

        rate = float(np.max(np.abs(u) / run.compiled.scale, initial=0.0))
        if not 0.0 < rate < np.inf:
            return None
        return first_root(at, values.size, 0.01 / rate, 1.0 / rate)

    # ------------------------------------------------------------------------------------------
    # Stops

    def _set_stop(self, time: float) -> None:
        """Let the run land on a time, unless a stop of the model comes first; infinity: none."""
        run = self.run
        self.stop, self.next_look = time, -np.inf
        n, k = len(self.base) // 2, int(run.count[st.STOP])
        ends, left = self.base[:n], self.base[n:]
        if time < np.inf:
            if not run.state[st.T] + 4.0 * run.state[st.H_MIN] < time < ends[k]:
                self.stop = np.inf
            else:
                ends, left = np.insert(ends, k, time), np.insert(left, k, time)
        run.stops = np.concatenate([ends, left])
        run.stops.flags.writeable = False
        if run.options.fixed_step:
            run.state[st.H] = 0.0  # equal steps are counted anew

    def _drop_stop(self) -> None:
        """Forget the own stop behind which the run is."""
        if self.run.state[st.T] >= self.stop:
            self.run.count[st.STOP] -= 1
            self._set_stop(np.inf)

    # ------------------------------------------------------------------------------------------
    # Stepping

    def _step_over(self, t: float, q: Array, u: Array, root: float, values: Smallest) -> int | None:
        """One step over the position ``root`` seconds ahead; None if that is not possible."""
        self._close(t, q, u)
        self.root = root
        for _ in range(3):
            h = 2.0 * root
            if not self._free_way(t, h):
                return None
            leap = self._leap(t, q, u, h, STAGES)
            if leap is None:
                return None

            def at(s: float, leap: Leap = leap) -> float:
                place = self.equations.retract(q, value(leap.x, s))
                return values.signed(self.watch.table(t + s * leap.h, place))

            centre = first_root(at, values.size, 0.4, 1.0)
            if centre is None:
                return None
            self.root = root = centre * h
            if abs(centre - 0.5) < OFF_CENTRE:
                break
        else:
            return None
        middle = self.equations.retract(q, value(leap.x, centre))
        if not self._closes(t + root, middle) or not self._accurate(t, q, u, leap):
            return None
        if not self.sentence and t + root < self.base[len(self.base) // 2 - 1]:
            self.sentence = self._told(t, q, leap, centre)
        return self._take(leap)

    def _told(self, t: float, q: Array, leap: Leap, centre: float) -> str:
        """One sentence about the position in the middle of a step."""

        def place(s: float) -> Array:
            return self.equations.retract(q, value(leap.x, s))

        def size(s: float) -> float:
            return self.watch.size(t + s * leap.h, place(s))

        s = lowest(size, centre - OFF_CENTRE, centre + OFF_CENTRE)
        when = t + s * leap.h
        where = about(self.run.compiled, self.watch.row(when, place(s)))
        return f"near t = {when:.4g} s the run passes {where}; {SMOOTH}"

    def _close(self, t: float, q: Array, u: Array) -> None:
        """Move the run's own state onto the constraints, which not every method does."""
        c = self.run.compiled
        scratch = np.zeros(c.nu), np.zeros(c.nq)
        work = self.equations.work
        dynamics.project(c.ints, c.reals, work, np.array([t]), q[None], u[None], *scratch)

    def _free_way(self, t: float, h: float) -> bool:
        """True if no kink of a signal is in the way; the end of the run is none."""
        n, k = len(self.base) // 2, int(self.run.count[st.STOP])
        if self.stop < np.inf:
            self._set_stop(np.inf)
        return t + h <= self.base[k] or k == n - 1

    def _leap(self, t: float, q: Array, u: Array, h: float, stages: int) -> Leap | None:
        f = self.run.fields
        return collocate(self.equations, t, (q, u, f.z, f.w), h, stages)

    def _closes(self, t: float, q: Array) -> bool:
        """True if the polynomial keeps all rows in the singular position: a branch goes through."""
        whole = self.run.compiled.complete
        gap = rows_at(whole, self.watch.work, t, q, np.zeros(whole.nu)).violation
        return bool(np.max(np.abs(gap) / row_sizes(whole), initial=0.0) < CLOSED)

    def _accurate(self, t: float, q: Array, u: Array, leap: Leap) -> bool:
        """True if the method with fewer stages agrees, within the tolerance."""
        other = self._leap(t, q, u, leap.h, FEWER)
        if other is None:
            return False
        c, p = self.run.compiled, self.run.problem
        noise = 10.0 * max(leap.change, other.change)  # rounding, where rows nearly depend
        places = np.abs(value(leap.x, 1.0) - value(other.x, 1.0)) / c.scale
        end = value(leap.u, 1.0)
        speed = float(np.max(np.abs(u) / c.scale, initial=0.0))
        weights = p.atol * c.rate_scale + p.rtol * np.abs(end) + noise * speed * c.scale
        rates = np.abs(end - value(other.u, 1.0)) / weights
        least = p.atol + p.rtol + noise * speed * leap.h
        return bool(np.max(places, initial=0.0) < least and np.max(rates, initial=0.0) < 1.0)

    def _take(self, leap: Leap) -> int:
        """Write the step's output, and go on behind it."""
        run, f, c = self.run, self.run.fields, self.run.compiled
        last = float(self.base[len(self.base) // 2 - 1])
        t = float(run.state[st.T])
        end = min(t + leap.h, last)
        model = c.ints, c.reals, self.equations.work
        buffers = run.run_buffer, run.state, run.count, run.problem.grid, run.out
        ends = np.linspace(0.0, (end - t) / leap.h, PARTS + 1)
        times = np.append(t + ends[:-1] * leap.h, end)
        outcome = st.PAUSED
        for k in range(PARTS):
            polynomials = (part(p, ends[k], ends[k + 1]) for p in leap[1:5])
            f.px[:], f.pu[:], f.pz[:], f.pw[:] = polynomials
            piece = float(times[k]), float(times[k + 1]), int(k == PARTS - 1)
            outcome = kernels.passage_output(*model, *buffers, *piece)
            if outcome == st.EVENT:
                break
        run.steps_before += 1
        if outcome == st.EVENT:
            return int(outcome)
        if end >= last:
            run.count[st.STOP] = len(self.base) // 2
            return int(st.DONE)
        if end >= self.base[int(run.count[st.STOP])]:
            run.count[st.STOP] += 1
        run.begin_anew()
        self.checked, self.backs = end, 0
        self.keep()
        return int(st.PAUSED)
