"""Data of a run: plain arrays in the order of the compiled model.

A history is an array over the output times, time first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array, Booleans, Indices
from supple.foundation.errors import ModelError
from supple.joints import Joint
from supple.results.data.audit import AuditRecord, MomentumRecord
from supple.state import State

if TYPE_CHECKING:
    from supple.analyses.run.outcome import Probe
    from supple.engine.base.compiled import Compiled
    from supple.forces.contacts import Contact
    from supple.foundation.frames import Frame
    from supple.model import Model
    from supple.results.views.views import JointLoad

Vectors = tuple[Array, Array]  # q, u

# Changes that are told_changes: radians, or lengths of the model, and these per second.
SEEN_CHANGE = 1e-6
MOST_CHANGES = 4  # changes in a sentence


@dataclass(frozen=True)
class StartChange:
    """A coordinate or rate of a joint that does not start as it was asked."""

    name: str  # "elbow.angle", "elbow.angle_rate"
    # asked, found: its value as written down, and on the constraints
    asked: float
    found: float
    unit: str  # "rad", "m", "1", or per second

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        found = 0.0 if abs(self.found) < 1e-9 * abs(self.asked) else self.found
        return f"{self.name} {self.asked:.6g} -> {found:.6g}{unit}"


def start_changes(
    joints: Mapping[str, Joint], compiled: Compiled, asked: Vectors, found: Vectors, all_of_it: bool
) -> tuple[StartChange, ...]:
    """Changes of joints from one state (q, u) to another, in the order of joints.

    Unless ``all_of_it`` was asked for, coordinates or rates that a joint leaves at their defaults
    are guesses.
    """
    changes: list[StartChange] = []
    for name, joint in joints.items():
        before, after = (compiled.to_user(name, *state) for state in (asked, found))
        given = all_of_it or not _default(joint), all_of_it or bool(np.any(joint.initial_rate))
        rates = joint.chart.velocities or joint.coordinate_names
        rate_units = [unit for motion in joint.motions for unit in motion.row.velocity_units]
        names = joint.coordinate_names, [f"{rate}_rate" for rate in rates]
        units = joint.units, [f"{unit}/s" for unit in rate_units]
        if joint.chart.quaternion and before[0][:4] @ after[0][:4] < 0.0:
            before[0][:4] *= -1.0  # the same rotation
        for k in range(2):
            if given[k]:
                rows = zip(names[k], before[k].tolist(), after[k].tolist(), units[k], strict=True)
                changes += [
                    StartChange(f"{name}.{what}", old, new, unit)
                    for what, old, new, unit in rows
                    if abs(new - old) > SEEN_CHANGE * (compiled.length if unit[0] == "m" else 1.0)
                ]
    return tuple(changes)


def told_changes(changes: tuple[StartChange, ...]) -> str:
    """The first of them in a line, and how many more."""
    more = f" (and {len(changes) - MOST_CHANGES} more)" if len(changes) > MOST_CHANGES else ""
    return f"moved onto the constraints: {', '.join(map(str, changes[:MOST_CHANGES]))}{more}"


def _default(joint: Joint) -> bool:
    """True if a joint begins where its frames coincide."""
    still = np.zeros(joint.nq)
    if joint.chart.quaternion:
        still[0] = 1.0
    return bool(np.array_equal(joint.initial, still))


# By body: frames, and wrenches (6, s) of s sets of reactions there
HeldLoads = dict[str, list[tuple["Frame", Array]]]


@dataclass(frozen=True)
class EventRecord:
    """An event that happened: its name and its time in s."""

    name: str
    t: float


@dataclass(frozen=True, eq=False)
class SampleRecord:
    """Measurements and efforts of a sampled controller during a run."""

    t: Array  # (ns,) instants of its samples, s
    measured: Array  # (ns, p) coordinates, rates and sensors as its converter gave them
    efforts: Array  # (ns, m) that it computed, as they act: N m or N
    states: Array  # (ns, n) of its law, at the samples
    acts: Array  # (ns,) instants from which the efforts act, s


@dataclass(frozen=True, eq=False)
class ChangeRecord:
    """A change of the model during a run: joints that locked, unlocked or let go."""

    t: float  # time, s
    events: tuple[str, ...]  # names of the events that caused it
    changes: tuple[str, ...]  # what happened, in words: "Lock('hinge')"
    # by locked joint, (n,) impulses along its coordinates, N m s or N s; of a spherical or free
    # joint [angular; linear] by A on B in the axes of B
    impulses: Mapping[str, Array]
    # by joint, (6,) impulses [angular; linear] that it passes on, by A on B at B's origin, world
    # axes, N m s and N s; those of locks and drivers are in them
    wrenches: Mapping[str, Array]
    lost: float  # kinetic energy lost in the impact, J
    # before, after: states just before and behind it
    before: State
    after: State

    def __repr__(self) -> str:
        return f"<{', '.join(self.changes)} at {self.t:.6g} s, {self.lost:.3g} J lost>"


@dataclass(frozen=True)
class History:
    """Histories of all bodies and joints, and of the energies; world axes."""

    a: Array  # (nt, nu) accelerations, engine order
    # R, p: (nt, nb, 3, 3), (nt, nb, 3) poses of the bodies, m
    R: Array
    p: Array
    # V, A: (nt, nb, 6) velocity and acceleration [angular; linear] of the body origins
    V: Array
    A: Array
    # wrench, reaction: (nt, nj, 6) [torque; force] by A on B at B, with and without actuators
    wrench: Array
    reaction: Array
    effort: Array  # (nt, nu) effort of joint forces on each velocity coordinate
    energy: Array  # (nt, 3) kinetic, gravity, elastic, J
    momentum: Array  # (nt, 6) [angular about the world origin; linear]
    strain: Array  # (nt,) strain energy of flexible bodies, J, a part of the elastic energy

    def at(self, which: Indices) -> History:
        """Histories at some of the output times."""
        return History(**{f.name: getattr(self, f.name)[which] for f in fields(History)})

    def holding(self, joint: str, axes: Array) -> Array:
        """Wrench (nt, 6) by A on B at B that holds a locked ball or free joint; zero of others.

        ``axes`` (nt, 3, 3) of its frame B. The torque that locks an axis is an effort.
        """
        del joint
        return np.zeros((len(axes), 6))


@dataclass(frozen=True, eq=False)
class RopeHistory:
    """Histories of a rope along n places of its path."""

    # length, rate: (nt,) m and m/s of the whole rope
    length: Array
    rate: Array
    # tension, span: (nt, n) N and m from each place on, zero where no span begins
    tension: Array
    span: Array
    # angle, slip: (nt, n) rad and m/s at each place
    angle: Array
    slip: Array
    # leaves, arrives: (nt, n) angles of contact where a span begins and where one ends, rad
    leaves: Array
    arrives: Array
    # begin, end: (nt, n, 3) points of contact where a span begins and where one ends, m, world axes
    begin: Array
    end: Array
    wrenches: Array  # (nt, n, 6) [torque; force] on each place, at its centre, world axes
    touches: Booleans  # (nt, n) whether the rope touches a place


def depth_of(contact: str) -> str:
    """Word among the statistics of a run for the largest overlap of a contact, m."""
    return f"depth of {contact}"


@dataclass(frozen=True)
class TouchRecord:
    """One touch of a point of a contact, from where its gap closes to where it opens."""

    element: str  # of the contact: its name, with the number of the point if it has several
    begin: float  # s
    end: float  # s; where the run ended if it still touches there
    push: float  # N s, integral of the push
    friction: tuple[float, float, float]  # N s, of friction on the body with the ball or ring
    depth: float  # m, the largest
    speed: float  # m/s, at which the surfaces approach where it begins
    idle: float  # s without push: where it has let go
    steps: float  # of the integrator
    taken: float  # J that friction with a state has taken from both bodies
    back: float  # J that its spring has given back to them

    @property
    def contact(self) -> str:
        """Name of the contact."""
        return re.sub(r"\[\d+\]$", "", self.element)


def jump_of(contact: str) -> str:
    """Word among the statistics of a run for the overlap where a step has met a contact."""
    return f"overlap where a step met {contact}"


def passages_of(contact: str) -> str:
    """Word among the statistics of a run for the steps that passed through a contact."""
    return f"passages through {contact}"


def share_of(contacts: str) -> str:
    """Word among the statistics of a run for the largest overlap of a set over what is allowed."""
    return f"depth of {contacts} over what is allowed"


@dataclass(frozen=True, eq=False)
class ContactHistory:
    """Histories of a contact at n points, world axes; forces act on its body B."""

    gap: Array  # (nt, n) m
    rate: Array  # (nt, n) of the gap, m/s
    normal: Array  # (nt, n, 3) from A to B
    point: Array  # (nt, n, 3) m
    push: Array  # (nt, n) N
    friction: Array  # (nt, n, 3) N
    torque: Array  # (nt, n, 3) of resistance to rolling and spinning, N m
    slip: Array  # (nt, n, 3) velocity of B relative to A along the tangent plane, m/s
    stored: Array  # (nt, n) J


@dataclass(frozen=True, eq=False)
class TyreHistory:
    """Histories of what is told of a tyre beside those of its contact; on the wheel."""

    heading: Array  # (nt, 3) world axes
    velocity: Array  # (nt, 2) of its material there along its heading and to the left, m/s
    travel: Array  # (nt,) speed of the wheel along its heading, m/s
    rolling: Array  # (nt,) of that what its turning makes, m/s
    camber: Array  # (nt,) sine
    deflection: Array  # (nt, 3) along its heading and to the left, m; about the normal, rad
    force: Array  # (nt, 2) along its heading and to the left, N
    moment: Array  # (nt,) about the normal, N m


@dataclass(frozen=True, eq=False)
class TouchingPair:
    """Two shapes of a set that touch at an instant."""

    shapes: tuple[int, int]  # their numbers in the set
    bodies: tuple[str, str]  # that carry them
    depth: float  # m
    normal: Array  # (3,) from the first to the second
    point: Array  # (3,) m
    normal_force: float  # N
    friction_force: Array  # (3,) on the second, N


@dataclass(frozen=True, eq=False)
class SetHistory:
    """Histories of a set of contacts."""

    touching: Array  # (nt,) number of points that touch
    depth: Array  # (nt,) largest, m
    push: Array  # (nt,) sum of all, N
    stored: Array  # (nt,) J
    pairs: Callable[[int], list[TouchingPair]]  # those that touch at an output time
    # contacts of their own
    each: Callable[[], list[tuple[Contact, ContactHistory]]]


@dataclass(frozen=True)
class ElementHistory:
    """Histories of one force element."""

    power: Array  # (nt,) W, work on the system or energy dissipated
    efforts: Array  # (nt, nu) on the velocities, engine order
    # (nt, nf, 6) [torque; force] on its frames, each at the frame's origin, world axes
    wrenches: Array
    rope: RopeHistory | None = None  # what is known of a rope beside this
    contact: ContactHistory | None = None  # and of a contact
    contacts: SetHistory | None = None  # and of a set of them
    tyre: TyreHistory | None = None  # and of a tyre beside its contact


@dataclass(frozen=True, eq=False)
class ConstraintHistory:
    """Histories of the rows of one constraint."""

    power: Array  # (nt,) W, of what moves the rows in time, on the system
    # (nt,) by part of the constraint: the effort on the row's quantity, positive where it would
    # make it larger, N or N m
    loads: Mapping[str, Array]
    rolling: RollingHistory | None = None  # what is known of bodies that roll, beside this


@dataclass(frozen=True, eq=False)
class RollingHistory:
    """Where bodies touch that roll on each other, as seen from the surface; world axes."""

    gap: Array  # (nt,) m
    normal: Array  # (nt, 3) from the surface to what rolls on it
    point: Array  # (nt, 3) m
    axes: Array  # (nt, 2, 3) of the tangent plane


class StressSource(Protocol):
    """Reactions of joints and constraints, found with all bodies moving freely."""

    def __call__(self, history: History) -> list[HeldLoads]:
        """For each state, sets in equilibrium by themselves if bodies were rigid."""

    def constraints(self, history: History) -> list[HeldLoads]:
        """For each state, what constraints exert, wrenches (6, 1)."""


class ReactionSource(Protocol):
    """Finds the smallest of reactions that are not unique."""

    def __call__(self, axes: Mapping[str, Array]) -> dict[str, JointLoad]:
        """Loads of joints, from the axes (nt, 3, 3) of their frames B."""

    def constraints(self, axes: Mapping[str, Array]) -> dict[str, dict[str, Array]]:
        """Loads (nt,) of constraints, by part, in the same way; empty where all are unique."""

    def of(self, history: Any) -> ReactionSource:
        """Source for other states."""


class LoadSource(Protocol):
    """Evaluates one force element by its name, or the rows of one constraint."""

    def __call__(self, name: str) -> ElementHistory:
        """Power, efforts and wrenches of a force element."""

    def constraint(self, name: str) -> ConstraintHistory:
        """Loads of the rows of a constraint."""

    def of(self, history: History) -> LoadSource:
        """Source for other states."""


@dataclass(frozen=True)
class RunData:
    """Everything that a simulation hands over to `Result`."""

    model: Model
    compiled: Compiled
    t: Array  # (nt,) output times, s
    # q, u, z: (nt, n) states in engine order
    q: Array
    u: Array
    z: Array
    # (nt, nforce) work done, or energy dissipated, by each force element since the start
    channels: Array
    history: History
    audit: AuditRecord
    momentum: tuple[MomentumRecord, ...]
    events: tuple[EventRecord, ...]
    success: bool
    message: str
    statistics: Mapping[str, int | float | str]
    final: State | None = None  # state where the run ended, on the output grid or not
    # evaluates one force element by its name; without it results have no loads of elements
    loads: LoadSource | None = None
    # from the axes (nt, 3, 3) of the joints' frames B to the loads of joints whose reactions are
    # not unique; None if all are
    reactions: ReactionSource | None = None
    # reactions in equilibrium by themselves if bodies were rigid; None without constraint rows
    self_stress: StressSource | None = None
    # of joints, what the constraints changed of the start that was asked for
    start_changes: tuple[StartChange, ...] = ()
    # of sampled controllers, by name
    samples: Mapping[str, SampleRecord] = field(default_factory=dict)
    changes: tuple[ChangeRecord, ...] = ()  # changes of the model at events
    touches: tuple[TouchRecord, ...] = ()  # of contacts
    # the compiled model from the start and from each change on; empty without changes
    phases: tuple[Compiled, ...] = ()
    # makes the run again where its verdict asks for that; None of what is no run
    probe: Probe | None = None

    @property
    def lost(self) -> Array | None:
        """Kinetic energy lost in impacts (nt,), J; None where nothing changes."""
        if not self.changes:
            return None
        lost = np.zeros(len(self.t))
        for change in self.changes:
            lost[self.t >= change.t] += change.lost
        return lost

    def compiled_at(self, t: float) -> Compiled:
        """The model in the phase of a time; at the instant of a change, behind it."""
        count = sum(change.t <= t for change in self.changes)
        return self.phases[count] if self.phases else self.compiled

    def without(self, name: str) -> Booleans:
        """True at output times (nt,) at which a joint has let go."""
        gone = [p.phase is not None and name in p.phase.released for p in self.phases]
        if not any(gone):
            return np.zeros(len(self.t), dtype=bool)
        times = [change.t for change in self.changes]
        return np.array(gone)[np.searchsorted(times, self.t, side="right")]

    def at(self, which: Indices) -> RunData:
        """The run at some of its output times; reactions are those of the rows in use."""
        history = self.history.at(which)
        return replace(
            self,
            t=self.t[which],
            q=self.q[which],
            u=self.u[which],
            z=self.z[which],
            channels=self.channels[which],
            history=history,
            loads=None if self.loads is None else self.loads.of(history),
            reactions=None,
        )

    def part(self, which: Indices) -> RunData:
        """The run at some of its output times, with its smallest reactions."""
        found = self.at(which)
        reactions = None if self.reactions is None else self.reactions.of(found.history)
        return replace(found, reactions=reactions)

    def between(self, begin: float | None, end: float | None, every: int) -> RunData:
        """The run at every so many of its output times from ``begin`` to ``end`` (s)."""
        first, last = (
            limit if value is None else validate.number("between", name, value)
            for name, value, limit in (("begin", begin, -np.inf), ("end", end, np.inf))
        )
        step = validate.integer("between", "every", every, 1, "a positive whole number")
        places = np.searchsorted(self.t, first), np.searchsorted(self.t, last, side="right")
        if places[0] >= places[1]:
            known = f"from {self.t[0]:g} to {self.t[-1]:g} s" if len(self.t) else "none"
            expected = f"an interval with output times, which are {known}"
            raise ModelError("between", "begin, end", (begin, end), expected)
        return self.part(np.arange(*places, step))
