"""End of a run, in one sentence."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from supple.core.run import step as st
from supple.engine.reading.loads import failed_law
from supple.formulations.equations import Equations
from supple.foundation.errors import SuppleError
from supple.integrators.run.line_ends import LineEnd
from supple.integrators.run.place_vectors import place_vectors
from supple.loops.singular import failed_near, heads_for

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun

# The outcomes of the loops are in ``core/run/step.py``.
# By the user; because a body deforms without bound, a sampled controller fails, or too many steps
# would be needed
INTERRUPTED, UNBOUNDED, UNSAMPLED, ENDLESS = -1, -2, -3, -4
MANY = 0.1  # replaced pivots for a factorization
LEAST = 1000  # steps from which their number says something about the model


def message(run: LoopRun, outcome: int) -> str:
    """When and why a run ended, where to look, and what would help."""
    s, c, t = run.state, run.compiled, float(run.state[st.T])
    if outcome == st.DONE:
        return f"reached t = {t:g} s"
    if outcome == st.EVENT:
        event = run.problem.events[int(run.count[st.TERMINAL])]
        if isinstance(event, LineEnd):
            return f"stopped at t = {t:.9g} s: {event.sentence}"
        return f"event '{event.name}' at t = {t:.9g} s"
    if outcome == INTERRUPTED:
        return f"stopped by the user at t = {t:.9g} s"
    where = f"stopped at t = {t:.9g} s: "
    if outcome == UNBOUNDED and run.growth is not None:
        return where + run.growth.sentence
    if outcome == UNSAMPLED:
        return where + run.unsampled
    if trouble := c.trouble(t) or not_finite(run) or noise(run):
        return where + trouble
    if singular := failed_near(c, t, run.fields.q):
        return where + singular
    stuck = outcome in (st.TOO_SMALL, st.NOT_CONVERGED, ENDLESS)
    if stuck and (singular := heads_for(c, t, run.fields.q, run.fields.u)):
        return where + singular
    if outcome == ENDLESS:
        return where + run.pace.endless
    worst = worst_coordinate(run)
    if outcome == st.LOCKED:
        return where + Equations(c).locked(int(run.count[st.BAD_DOF]))
    if outcome == st.NOT_FINITE and not diverged(run):
        return where + f"the acceleration of {worst} is not finite"
    if outcome == st.GROWN:
        return where + f"{worst} {grown_by(run)}"
    if outcome == st.TOO_SMALL:
        small = f"the step fell below {s[st.H_MIN]:.1e} s; the largest error was in {worst}"
        return where + small + singular_fronts(run)
    if outcome in (st.NOT_CONVERGED, st.NOT_FINITE):
        return where + (
            f"the iteration for a step of {max(s[st.H], s[st.H_MIN]):.3g} s does not converge; "
            f"the largest change was in {worst}; a smaller fixed step may help"
            f"{singular_fronts(run)}"
        )
    enough = f"{run.options.max_steps} steps were not enough (max_steps)"
    return where + (f"{enough}; {run.pace.summary()}" if run.steps >= LEAST else enough)


def grown_by(run: LoopRun) -> str:
    """How a coordinate has left all bounds, and what does that; the end of a sentence."""
    c, r, k = run.compiled, run.fields, int(run.count[st.BAD_DOF])
    way, rate, faster = float(r.xt[k]), float(r.u[k]), float(r.a[k])
    unit = "m" if place_vectors(c)[k] >= 0 else "rad"
    found = (
        f"has grown so far that rounding, {1.1e-16 * abs(way):.0e} {unit}, leaves nothing of its "
        f"motion: it has moved by {abs(way):.3g} {unit}"
    )
    # in exponential growth way, rate and acceleration are in proportion
    if way * rate > 0.0 and 0.8 < way * faster / rate**2 < 1.25:
        return (
            f"{found} and grows tenfold every {math.log(10.0) * way / rate:.3g} s: an unstable "
            "controller or spring does that"
        )
    return (
        f"{found}, at {rate:.3g} {unit}/s and {faster:.3g} {unit}/s2: look for what drives it, or "
        "end the run earlier"
    )


def lost_pivots(statistics: Mapping[str, int | float | str]) -> bool:
    """Whether many pivots of Newton's matrices by blocks were rounding: some front is singular."""
    found, made = (float(statistics.get(x, 0)) for x in ("replaced_pivots", "factorizations"))
    return found > 0.0 and found >= MANY * made


def singular_fronts(run: LoopRun) -> str:
    """What would help where Newton's matrices by blocks lost pivots, as the end of a sentence."""
    made = {"factorizations": int(run.count[st.FACTORIZATIONS])}
    if not lost_pivots(made | run.options.statistics(run.own)):
        return ""
    return (
        "; Newton's matrices are solved by blocks, whose pivots were rounding, as of bodies "
        "without inertia: give them some, or try formulation=JointCoordinates(linear='dense')"
    )


def diverged(run: LoopRun) -> bool:
    """Whether numbers are finite where an equal step begins, so that its iteration lost them."""
    if not run.options.fixed_step:
        return False
    t, r = float(run.state[st.T]), run.fields
    with np.errstate(all="ignore"):
        try:
            a = Equations(run.compiled).accelerate(t, r.q, r.u, r.z)
        except SuppleError:
            return False
    return bool(np.isfinite(a).all())


def not_finite(run: LoopRun) -> str | None:
    """What a law is not finite for, at the last state or right behind it, or None."""
    c, t, r = run.compiled, float(run.state[st.T]), run.fields
    ahead = 1e-9 * (1.0 + abs(t))
    moved = Equations(c).retract(r.q, ahead * r.u)
    twice = [np.array([x, x]) for x in (r.u, r.z)]
    return failed_law(c, np.array([t, t + ahead]), np.array([r.q, moved]), *twice)


def noise(run: LoopRun) -> str | None:
    """A Python function of the model that gives different forces for the same arguments, or None.

    All functions are called at the present state; what was found before counts, too.
    """
    c, r = run.compiled, run.fields
    if not c.callbacks:
        return None
    for callback in c.callbacks:
        callback.verify = True
    with contextlib.suppress(SuppleError):
        Equations(c).accelerate(float(run.state[st.T]), r.q, r.u, r.z)
    return next((callback.noise for callback in c.callbacks if callback.noise), None)


def worst_coordinate(run: LoopRun) -> str:
    """The coordinate or constraint row that was to blame last."""
    c, bad = run.compiled, int(run.count[st.BAD_DOF])
    if bad < c.nu:
        return c.dof_label(bad)
    return c.rows[bad - c.nu].name if c.nr else "the model"  # behind the velocities are the rows
