"""How a run ended, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.core import step as st
from supple.formulations.equations import Equations
from supple.loops.singular import failed_near

if TYPE_CHECKING:
    from supple.integrators.driver import LoopRun

INTERRUPTED = -1  # by the user; the outcomes of the loops are in ``core/step.py``


def message(run: LoopRun, outcome: int) -> str:
    """When and why a run ended, where to look, and what would help."""
    s, c, t = run.state, run.compiled, float(run.state[st.T])
    if outcome == st.DONE:
        return f"reached t = {t:g} s"
    if outcome == st.EVENT:
        name = run.problem.events[int(run.count[st.TERMINAL])].name
        return f"event '{name}' at t = {t:.9g} s"
    if outcome == INTERRUPTED:
        return f"stopped by the user at t = {t:.9g} s"
    where = f"stopped at t = {t:.9g} s: "
    if trouble := c.trouble(t):
        return where + trouble
    if singular := failed_near(c, t, run.fields.q):
        return where + singular
    worst = worst_coordinate(run)
    if outcome == st.LOCKED:
        return where + Equations(c).locked(int(run.count[st.BAD_DOF]))
    if outcome == st.NOT_FINITE:
        return where + f"the acceleration of {worst} is not finite"
    if outcome == st.GROWN:
        return where + (
            f"{worst} has grown so far that rounding exceeds the tolerance; "
            "an unstable controller or spring does that"
        )
    if outcome == st.TOO_SMALL:
        return where + f"the step fell below {s[st.H_MIN]:.1e} s; the largest error was in {worst}"
    if outcome == st.NOT_CONVERGED:
        return where + (
            f"the iteration for a step of {max(s[st.H], s[st.H_MIN]):.3g} s does not converge; "
            f"the largest change was in {worst}; a smaller fixed step may help"
        )
    return where + f"{run.options.max_steps} steps were not enough (max_steps)"


def worst_coordinate(run: LoopRun) -> str:
    """The coordinate or constraint row that was to blame last."""
    c, bad = run.compiled, int(run.count[st.BAD_DOF])
    if bad < c.nu:
        return c.dof_label(bad)
    return c.rows[bad - c.nu].name if c.nr else "the model"  # behind the velocities are the rows
