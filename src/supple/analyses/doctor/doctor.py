"""The doctor examines a model before it is run: freedom, loops, redundancy, start, drivers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.analyses.doctor.diagnosis import Change, Diagnosis, Finding, Loop
from supple.analyses.reactions.reactions import Reactions
from supple.core.equations import dynamics
from supple.engine.base.compiled import Compiled, RowSets
from supple.engine.base.histories import RunHistory
from supple.engine.pack.builder import build
from supple.engine.pack.contact_sets import set_history
from supple.engine.pack.contacts import contact_history
from supple.engine.reading.rows import moving, rows_at, scaled_rows
from supple.forces import Contact, Contacts
from supple.forces.base import ForceElement
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SuppleError, label
from supple.loops.assembly import contradiction, open_loop, refuse_rate, unfollowed
from supple.loops.closing import LARGE, Assembler
from supple.loops.ranks import analyse, scaled_table, weakest_row
from supple.loops.singular import about
from supple.modelling.plausibility import suspicions
from supple.results.checks.reduced_bodies import asked_damping
from supple.results.motion.contact_findings import SERIOUS
from supple.state import State

if TYPE_CHECKING:
    from supple.model import Model

# Changes of coordinates and rates below this are rounding, in their own units.
SHOWN = 1e-9
# A motion is without mass if its share of the mean mass is below this: the square root of rounding
# would be too strict for light hands on heavy arms.
MASSLESS = 1e-12
MOST_NAMES = 6  # that advice lists
AGAINST = "leave one of these drivers out, or let their motions fit each other"
OPEN = (
    "change lengths or places of frames along it, or the initial coordinates of its joints; "
    "assemble(model, fixed=...) holds some of them"
)
INSTANTS = 20  # at which drivers are followed


def diagnose(model: Model, until: float = 1.0) -> Diagnosis:
    """Examine a model; drivers are followed until the time ``until`` (s). Raises nothing."""
    fields: dict[str, Any] = {
        "model": model.name,
        "bodies": tuple(model.bodies),
        "joints": tuple(model.joints),
    }
    findings: list[Finding] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.check()
        findings += [Finding(strange.sentence, "", False) for strange in suspicions(model)]
        _Examination(model, fields, findings, until)
    except SuppleError as error:
        findings.append(Finding(str(error), "", True))
    except Exception as error:  # a report is worth more than a traceback
        text = f"the examination stopped: {type(error).__name__}: {error}"
        findings.append(Finding(text, "", True))
    findings.sort(key=lambda finding: not finding.severe)
    return Diagnosis(**fields, findings=tuple(findings))


class _Examination:
    """One check after another, as long as the results of the earlier ones allow it."""

    def __init__(
        self, model: Model, found: dict[str, Any], findings: list[Finding], until: float
    ) -> None:
        self.model, self.found, self.findings = model, found, findings
        self.compiled = c = build(model)
        found["loops"] = tuple(Loop(name, joints) for name, joints in c.loop_joints.items())
        found["velocities"], found["rows"] = c.nu, c.nr
        self.move = Assembler(c)
        q, gap = self.move.positions(0.0, c.q0)
        if sentence := open_loop(c, gap):
            found["gaps"] = (sentence,)
            against = contradiction(c, gap)
            advice = AGAINST if against else OPEN
            self.note(f"{against}{sentence}", advice, severe=True)
            return
        self.ranks = analyse(c, q)
        found["freedom"] = self.ranks.freedom
        found["place_freedom"] = self.ranks.place_freedom
        self.freedom()
        self.redundancy(q)
        self.position(q)
        u = self.velocities(q)
        self.changes(q, u)
        self.mass(q)
        self.drivers(q, until)
        self.overlaps(q, u)
        self.damping(q)

    def damping(self, q: Array) -> None:
        """Note modes of the model whose damping is not that asked of the own modes of bodies."""
        from supple.analyses.linear.linearize import damping_errors, linear_model

        asked = any(asked_damping(r.body) for r in self.compiled.flexible.values())
        if not asked or not self.ranks.freedom or any(f.severe for f in self.findings):
            return
        c = self.compiled
        state = State(0.0, q, np.zeros(c.nu), c.z0)
        for error in damping_errors(linear_model(Equations(c), state, self.model)):
            self.note(error.sentence)

    def overlaps(self, q: Array, u: Array) -> None:
        """Note bodies that overlap at the start by more than their laws of contact hold for."""
        for force in self.model.forces.values():
            for contact, depth, pair in overlaps(self.compiled, force, q, u):
                allowed = contact.allowed_depth
                if allowed is not None and depth > allowed:
                    self.note(
                        f"{label(force)}: {pair} overlap by {depth:.2g} m at the start, expected "
                        f"at most {allowed:.2g} m",
                        "move one of them, or look whether these shapes are meant",
                        severe=depth > SERIOUS * allowed,
                    )

    def note(self, text: str, advice: str = "", severe: bool = False) -> None:
        self.findings.append(Finding(text, advice, severe))

    def freedom(self) -> None:
        """Note a model that is a structure: no degree of freedom and no driver."""
        if self.ranks.freedom == 0 and not np.any(moving(self.compiled)):
            text = "nothing can move: the constraints leave no degree of freedom"
            advice = "a run shows a structure at rest and its reactions; if it should move, remove"
            self.note(text, f"{advice} {self._closing()} or replace it by one with more freedom")

    def _closing(self) -> str:
        """The joints and constraints of closed loops, one of which could be left out."""
        loops = self.found["loops"]
        names = list(dict.fromkeys(n for x in loops for n in (x.closed_by, *x.joints)))
        if not names:
            return "a constraint"
        more = ", ..." if len(names) > MOST_NAMES else ""
        return f"one of {', '.join(names[:MOST_NAMES])}{more}"

    def redundancy(self, q: Array) -> None:
        """Redundant rows, and joints whose reactions are not unique because of them."""
        c, kept = self.compiled, self.ranks.kept
        left_out = set(range(c.nr)).difference(kept)
        out = [c.rows[k] for k in sorted(left_out)]
        self.found["redundant"] = tuple(row.name for row in out)
        if not out:
            return
        shared = shared_joints(self.model, c.with_rows(kept), q)
        self.found["shared"] = shared
        whose = ", ".join(dict.fromkeys(row.label for row in out))
        text = f"{len(out)} constraint rows of {whose} follow from others and are left out"
        advice = (
            f"joints with more freedom, e.g. Spherical or Cylindrical, in the place of "
            f"{self._closing()} make reactions unique"
        )
        self.note(text, advice if shared else "")
        moves = moving(c)
        for k, row in enumerate(c.rows):
            if k in left_out and moves[k]:
                text = f"{row.label} moves something that other constraints already determine"
                self.note(text, "leave it out, or give back a freedom to the mechanism")

    def position(self, q: Array) -> None:
        """Note a start in a singular position, or a mechanism that is locked."""
        c, ranks = self.compiled, self.ranks
        if ranks.singular and ranks.kept:
            table = scaled_table(c, self.move.work, 0.0, q)
            weakest = ranks.kept[weakest_row(table[list(ranks.kept)])]
            text = f"the start is {about(c, c.rows[weakest])} there"
            self.found["singular"] = text
            self.note(text, "start a little away from it", severe=True)
        elif ranks.stuck and ranks.freedom > 0:
            text = (
                f"{ranks.freedom} degrees of freedom were counted, but no motion was found: the "
                "mechanism is locked, in a singular position"
            )
            self.found["singular"] = text
            self.note(text, "start elsewhere, or remove a constraint", severe=True)

    def velocities(self, q: Array) -> Array:
        """Initial rates on the constraints."""
        c = self.compiled
        u = self.move.velocities(0.0, q, c.u0)
        rate = rows_at(c, self.move.work, 0.0, q, u).rate
        try:
            if not self.found.get("singular"):
                refuse_rate(c, rate, float(np.max(np.abs(u), initial=1.0)))
        except ModelError as error:
            self.found["drivers"] = (*self.found.get("drivers", ()), str(error))
            self.note(str(error), "let its motion begin at rest, e.g. with a SmoothStep", True)
        return u

    def changes(self, q: Array, u: Array) -> None:
        """Keep coordinates and rates that assembly has changed."""
        c = self.compiled
        moved, rates = [], []
        for name, record in c.joints.items():
            joint = self.model.joints[name]
            now = record.to_user(q, u)
            units = joint.units
            if np.max(np.abs(now[0] - joint.initial), initial=0.0) > SHOWN:
                entries = zip(joint.coordinate_names, joint.initial, now[0], units, strict=True)
                moved += [Change(name, n, float(a), float(b), x) for n, a, b, x in entries]
            if np.max(np.abs(now[1] - joint.initial_rate), initial=0.0) > SHOWN:
                names = joint.coordinate_names if joint.nq == joint.nu else "xyzxyz"[: joint.nu]
                per = [f"{x}/s" for x in units] if joint.nq == joint.nu else ["rad/s", "m/s"]
                for k, n in enumerate(names):
                    unit = per[k] if joint.nq == joint.nu else per[k // 3]
                    a, b = float(joint.initial_rate[k]), float(now[1][k])
                    rates.append(Change(name, n, a, b, unit))
        self.found["moved"] = tuple(x for x in moved if abs(x.after - x.before) > SHOWN)
        self.found["rates"] = tuple(x for x in rates if abs(x.after - x.before) > SHOWN)
        if moved:
            worst = max(self.found["moved"], key=lambda x: abs(x.after - x.before))
            advice = "write these coordinates down, or hold some by assemble(model, fixed=...)"
            self.note(f"the start does not close; assembly moves it, most of all {worst}", advice)
        if rates and not moved:
            self.note("initial rates do not fit the constraints; assembly changes them", "")

    def mass(self, q: Array) -> None:
        """Motions that the constraints leave and that move no mass."""
        c, kept = self.compiled, list(self.ranks.kept)
        if not kept and c.nu > LARGE:  # the recursion names the first of them
            work, none = self.move.work, np.zeros(c.nu)
            state = 0.0, np.ascontiguousarray(q), none, c.z0, np.zeros(c.nu)
            dof = dynamics.accelerate(c.ints, c.reals, work, *state)
            if dof >= 0:
                self._without_mass(c.dof_label(int(dof)))
            return
        M = self.move.mass(q, soft=0.0)
        N = np.eye(c.nu)
        if kept:
            G = scaled_rows(c, rows_at(c, self.move.work, 0.0, q, np.zeros(c.nu)).G)[kept]
            N = np.linalg.svd(G)[2][len(kept) :].T
        if not N.size:
            return
        N = c.scale[:, None] * N
        values, vectors = np.linalg.eigh(N.T @ M @ N)
        for k in np.flatnonzero(values < MASSLESS * max(float(values.max()), 1e-300)):
            dof = int(np.argmax(np.abs(N @ vectors[:, k]) / c.scale))
            self._without_mass(c.dof_label(dof))

    def _without_mass(self, name: str) -> None:
        self.found["massless"] = (*self.found.get("massless", ()), name)
        self.note(f"{name} moves no mass", "give the body an inertia, or remove it", True)

    def drivers(self, q: Array, until: float) -> None:
        """Note drivers that cannot be followed until the time ``until`` (s)."""
        c = self.compiled
        if not np.any(moving(c)) or self.found.get("drivers") or self.found.get("singular"):
            return
        for constraint in self.model.constraints.values():
            try:
                constraint.check_run(0.0, until)
            except ModelError as error:
                self.found["drivers"] = (str(error),)
                self.note(str(error), "a run may end before that", True)
                return
        for t in np.linspace(0.0, until, INSTANTS + 1)[1:]:
            q, gap = self.move.positions(t, q, search=False)
            if sentence := open_loop(c, gap):
                owners = [r.label for r, m in zip(c.rows, moving(c), strict=True) if m]
                left = list(unfollowed(c, gap) or dict.fromkeys(owners))
                text = f"{', '.join(left)} cannot be followed at t = {t:.3g} s: {sentence}"
                self.found["drivers"] = (text,)
                reach = "keep the motion within what the mechanism can reach"
                self.note(text, f"{reach}, or {AGAINST}" if len(left) > 1 else reach, True)
                return


def overlaps(
    c: Compiled, force: ForceElement, q: Array, u: Array
) -> Iterator[tuple[Contact, float, str]]:
    """Contacts of a force that touch, how deep they overlap (m), and words for both bodies."""
    state = q[None], u[None], c.z0[None]
    if isinstance(force, Contact):
        yield force, -float(contact_history(c, force, *state).gap.min()), "its bodies"
    elif isinstance(force, Contacts):
        for pair in set_history(c, force, *state).pairs(0):
            first, second = pair.shapes
            yield force.contact(*pair.shapes), pair.depth, f"shapes[{first}] and shapes[{second}]"


def shared_joints(model: Model, compiled: Compiled, q: Array) -> tuple[str, ...]:
    """Joints whose reactions are not unique at the closed position q (nq,)."""
    c = compiled
    state = np.zeros(1), q[None], np.zeros((1, c.nu)), c.z0[None]
    # loads do not matter, and a singular position has none
    history = RunHistory(RowSets.of(c), *state).without_loads()
    axes = {name: np.eye(3)[None] for name in c.joints}
    loads = Reactions(model, history)(axes)
    return tuple(name for name in model.joints if name in loads and not np.all(loads[name].unique))
