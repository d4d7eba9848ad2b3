"""Why the steps of a run are short, and what would help."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core.run import step as st
from supple.formulations.equations import Equations
from supple.foundation.errors import SuppleError
from supple.integrators.run.outcomes import noise, singular_fronts, worst_coordinate

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun

MOST_VELOCITIES = 250  # of a model whose eigenvalues are found in passing
FOLLOWED = 0.02, 20.0  # step times fastest frequency where vibration is followed step by step
OFTEN = 0.25  # part of the steps that is repeated
MANY_PERIODS = 1e5  # of a vibration, in the rest of a run
INSTANTS = 64  # at which signals are looked at


class Counts(NamedTuple):
    """Time reached, and steps accepted, rejected, and repeated for want of convergence."""

    t: float
    steps: int
    rejected: int
    failures: int

    @classmethod
    def of(cls, run: LoopRun) -> Counts:
        """The counts of a run as it is now."""
        c = run.count
        rejected, failures = int(c[st.REJECTED]), int(c[st.NEWTON_FAILURES])
        return cls(float(run.state[st.T]), run.steps, rejected, failures)


class Fastest(NamedTuple):
    """The fastest of the small motions about a state: eigenvalue (1/s), and coordinate."""

    eigenvalue: complex
    coordinate: str


def cause(run: LoopRun, before: Counts, now: Counts) -> str:
    """What kept steps short between two counts, and what would help; one part of a sentence."""
    if found := noise(run):
        return found
    steps = max(now.steps - before.steps, 1)
    h = (now.t - before.t) / steps
    if run.options.fixed_step:
        return "its steps are fixed: a longer step, or a method that chooses its steps"
    if h > 0.9 * run.options.max_step:
        return f"steps are not longer than max_step, {run.options.max_step:g} s: allow longer ones"
    fastest = fastest_motion(run)
    limit = run.options.stability_limit
    if limit and fastest and h * abs(fastest.eigenvalue) > limit:
        rate = abs(fastest.eigenvalue)
        return (
            f"the model is stiff: {fastest.coordinate} can move with a rate of {rate:.2g} 1/s, and "
            f"stability holds an explicit method to steps of some {h:.1g} s, however slow the "
            "motion is; use Radau()"
        )
    if limit and fastest is None:
        return "the model may be stiff, and an explicit method must follow that: try Radau()"
    if fast := fast_signal(run, before.t, now.t, h):
        return fast
    failed, rejected = now.failures - before.failures, now.rejected - before.rejected
    if failed > OFTEN * steps:
        return (
            f"{failed / (steps + failed):.0%} of the steps are repeated because their iteration "
            f"does not converge, the last one for {worst_coordinate(run)}: look for a jump, a very "
            f"large force or hardly any inertia there{singular_fronts(run)}"
        )
    if rejected > OFTEN * steps:
        return (
            f"{rejected / (steps + rejected):.0%} of the steps are repeated because their error is "
            f"too large, the last one for {worst_coordinate(run)}: look for something that is not "
            "smooth there, or try tolerance='loose'"
        )
    if fastest and FOLLOWED[0] < h * abs(fastest.eigenvalue.imag) < FOLLOWED[1]:
        frequency = abs(fastest.eigenvalue.imag) / (2.0 * math.pi)
        periods = frequency * (run.goal - now.t)
        far = f", {periods:.1g} periods to the end of the run" if periods > MANY_PERIODS else ""
        less = "a shorter run, or, " if far else ""
        return (
            f"{fastest.coordinate} can vibrate with {frequency:.3g} Hz and is followed step by "
            f"step{far}: {less}if that is not the motion to be seen, more damping, fewer modes, or "
            "GeneralizedAlpha(rho=0.8), which damps it"
        )
    return "nothing special: the motion needs these steps; try tolerance='loose' or a shorter run"


def fast_signal(run: LoopRun, begin: float, end: float, h: float) -> str | None:
    """A signal that varies as fast as steps of h s follow each other, or faster; or None.

    Between two times its slopes are compared with its range: of a sine that is pi times its
    frequency.
    """
    t = begin + (end - begin) * np.random.default_rng(0).random(INSTANTS)
    for owner, signal in run.compiled.signals:
        values, slopes, _ = signal.derivatives(t)
        size = float(np.ptp(values))
        if not size > 1e-9 * np.abs(values).max(initial=0.0):
            continue
        frequency = float(np.abs(slopes).max()) / size / math.pi
        if 2.0 * math.pi * frequency * h > FOLLOWED[0]:
            return (
                f"a signal of {owner} varies with some {frequency:.1g} Hz, and steps of {h:.1g} s "
                "follow it: if its mean does what you want, take that, or a lower frequency, or a "
                "shorter run"
            )
    return None


def fastest_motion(run: LoopRun) -> Fastest | None:
    """The largest eigenvalue of the linearized equations at the present state, if it is found."""
    c, r = run.compiled, run.fields
    if not 0 < c.nu <= MOST_VELOCITIES:
        return None
    equations, t = Equations(c), float(run.state[st.T])
    try:
        with np.errstate(all="ignore"):
            a = equations.accelerate(t, r.q, r.u, r.z)
            lam = equations.multipliers()
            free = np.diag(c.scale)  # columns: motions that the constraints allow
            if c.nr:
                G = equations.constraints(t, r.q, r.u).G @ free
                _, sizes, rows = np.linalg.svd(G)
                rank = int((sizes > 1e-9 * sizes[0]).sum())
                free = free @ rows[rank:].T
            found = equations.tangents(t, r.q, r.u, a, r.z, lam)
            M, C, K = (free.T @ X @ free for X in (found.M, found.Ru, found.Rq))
            n, nz = M.shape[0], c.nz
            A = np.zeros((2 * n + nz, 2 * n + nz))
            A[:n, n : 2 * n] = np.eye(n)
            right = np.hstack([K, C, free.T @ found.Rz])
            A[n : 2 * n] = -np.linalg.solve(M, right)
            A[2 * n :] = np.hstack([found.Gq @ free, found.Gu @ free, found.Gz])
            values, vectors = np.linalg.eig(A)
    except (np.linalg.LinAlgError, SuppleError, ValueError):
        return None
    if not len(values):
        return None
    k = int(np.argmax(np.abs(values)))
    moved = np.abs(free @ vectors[:n, k]) / c.scale
    if not moved.any():  # a controller on its own
        return None
    return Fastest(complex(values[k]), c.dof_label(int(np.argmax(moved))))
