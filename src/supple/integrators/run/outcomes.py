"""End of a run: the sentence about it, its record of energies, and deformation that ends it.

Shapes of a flexible body are linear in its coordinates; results are off by 1 % where it turns by
0.15 rad (``results/monitor/monitor.py``). Where a part of it has turned by a whole turn, or moved
by ten lengths of the body, they have no meaning whatever the loads are. A body that loses its
stiffness, by spin or pressure without stiffening, goes there exponentially, in ever shorter steps.

It is looked for after a fixed number of attempted steps, so that a run ends at the same time on
every machine.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core.run import step as st
from supple.engine.base.compiled import Compiled
from supple.engine.reading.loads import failed_law
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError, label
from supple.integrators.run.line_ends import LineEnd
from supple.integrators.run.place_vectors import place_vectors
from supple.loops.singular import failed_near, heads_for
from supple.results.data.audit import AuditRecord, EnergyAudit
from supple.results.flexibility.deformation import kept_rows

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun

ROTATION = 2.0 * math.pi  # rad
DEFLECTION = 10.0  # lengths of the body
LOOK = 128  # attempted steps between looks
# The outcomes of the loops are in ``core/run/step.py``.
# By the user; because a body deforms without bound, a sampled controller fails, or too many steps
# would be needed
INTERRUPTED, UNBOUNDED, UNSAMPLED, ENDLESS = -1, -2, -3, -4
MANY = 0.1  # replaced pivots for a factorization
LEAST = 1000  # steps from which their number says something about the model


class _Body(NamedTuple):
    """Rows (p, 3, n) of displacement and rotation, and bounds (n,) of both for each coordinate."""

    name: str
    q: slice
    length: float
    rows: tuple[Array, Array]
    bounds: tuple[Array, Array]


class Growth:
    """Looks at the flexible bodies of a model now and then."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.until = LOOK
        self.sentence = ""
        self._bodies: list[_Body] | None = None

    def is_unbounded(self, attempts: int, q: Array) -> bool:
        """True if a look was due after so many more steps and found a body beyond all bounds."""
        self.until -= attempts
        if self.until > 0:
            return False
        self.until = LOOK
        if self._bodies is None:
            self._bodies = [*_bodies(self.compiled)]
        return any(self._beyond(body, q[body.q]) for body in self._bodies)

    def _beyond(self, body: _Body, q: Array) -> bool:
        limits = DEFLECTION * body.length, ROTATION
        for k, (rows, bound, limit) in enumerate(zip(body.rows, body.bounds, limits, strict=True)):
            if not len(rows) or float(bound @ np.abs(q)) <= limit:
                continue
            largest = float(np.sqrt(((rows @ q) ** 2).sum(axis=1).max()))
            if largest <= limit:
                continue
            motion = f"moved by {largest / body.length:.3g} of its lengths"
            if k == 1:
                motion = f"turned by {largest:.3g} rad"
            self.sentence = (
                f"{body.name} deforms without bound, a part of it has {motion}, and linear shapes "
                "mean nothing there; without stiffening a spin beyond its lowest frequency or a "
                "pressure beyond its buckling load does that, or loads that are far too large: "
                "see result.monitor"
            )
            return True
        return False


def _bodies(compiled: Compiled) -> list[_Body]:
    bodies = []
    for record in compiled.flexible.values():
        if record.modal.n:
            rows = kept_rows(record.body, record.point_masses)
            bounds = tuple(np.sqrt((r**2).sum(axis=1)).max(axis=0, initial=0.0) for r in rows)
            name, length = label(record.body), float(record.body.typical_length)
            bodies.append(_Body(name, record.q, length, rows, (bounds[0], bounds[1])))
    return bodies


def audit_record(state: Array) -> AuditRecord:
    """Extremes of energies over the steps so far, from the real state of a loop."""
    s = state.tolist()
    return AuditRecord(
        max_error=s[st.E_ERROR] if s[st.E_MAX] >= 0.0 else np.nan,
        max_elastic=s[st.E_ELASTIC],
        kinetic_min=s[st.K_MIN],
        kinetic_max=s[st.K_MAX],
        max_energy=max(s[st.E_MAX], 0.0),
        initial_energy=s[st.E_START],
        exchanged=s[st.OTHER_MAX] - s[st.OTHER_MIN],
        max_strain=s[st.E_STRAIN],
    )


def energy_ratio(state: Array, weight: float) -> float:
    """Largest energy error so far, as the verdict will compare it; NaN while it is not known.

    ``weight`` (J) is the weight of the model times its length.
    """
    none = np.zeros(0)
    record = audit_record(state)
    return EnergyAudit(np.zeros((0, 3)), none, none, record, weight=weight).ratio


def message(run: LoopRun, outcome: int) -> str:
    """Sentence on when and why a run ended, where to look, and what would help."""
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
    """End of a sentence about a coordinate that has left all bounds, and about the cause."""
    c, r, k = run.compiled, run.fields, int(run.count[st.BAD_DOF])
    way, rate, faster = float(r.xt[k]), float(r.u[k]), float(r.a[k])
    unit = "m" if place_vectors(c)[k] >= 0 else "rad"
    growth = (
        f"has grown so far that rounding, {1.1e-16 * abs(way):.0e} {unit}, leaves nothing of its "
        f"motion: it has moved by {abs(way):.3g} {unit}"
    )
    # in exponential growth way, rate and acceleration are in proportion
    if way * rate > 0.0 and 0.8 < way * faster / rate**2 < 1.25:
        return (
            f"{growth} and grows tenfold every {math.log(10.0) * way / rate:.3g} s: an unstable "
            "controller or spring does that"
        )
    return (
        f"{growth}, at {rate:.3g} {unit}/s and {faster:.3g} {unit}/s2: look for what drives it, or "
        "end the run earlier"
    )


def lost_pivots(statistics: Mapping[str, int | float | str]) -> bool:
    """True if many pivots of Newton's matrices by blocks were rounding: some front is singular."""
    replaced, made = (float(statistics.get(x, 0)) for x in ("replaced_pivots", "factorizations"))
    return replaced > 0.0 and replaced >= MANY * made


def singular_fronts(run: LoopRun) -> str:
    """End of a sentence: a remedy where Newton's matrices by blocks lost pivots."""
    made = {"factorizations": int(run.count[st.FACTORIZATIONS])}
    if not lost_pivots(made | run.options.statistics(run.own)):
        return ""
    return (
        "; Newton's matrices are solved by blocks, whose pivots were rounding, as of bodies "
        "without inertia: give them some, or try formulation=JointCoordinates(linear='dense')"
    )


def diverged(run: LoopRun) -> bool:
    """True if numbers are finite where an equal step begins, so that its iteration lost them."""
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
    """Sentence about a law that is not finite at the last state or right behind it, or None."""
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
