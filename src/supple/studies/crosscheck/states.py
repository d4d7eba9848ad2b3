"""One state by two formulations: accelerations, loads and energies, equal to rounding.

No integrator takes part, so a term that one of them has wrong is seen at once, and where it is:
loads of force elements depend on the state alone, and the loads on a rigid body must balance its
inertia and weight, which are computed here once more from mass, place and motion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.analyses.base.snapshot_result import at_states
from supple.analyses.run.options import RunOptions
from supple.analyses.run.simulate import Prepared
from supple.engine.base.compiled import Compiled
from supple.engine.base.histories import RunHistory
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError, without_warnings
from supple.foundation.poses import cross
from supple.loops.assembly import redundant
from supple.model import Model
from supple.results.files.dataset import variables
from supple.results.result import Result

if TYPE_CHECKING:
    from supple.bodies.base.rigid import RigidBody


INSTANTS = 5  # of the reference's run
# Coordinates of a state that travels between formulations are as exact as this, in their units.
EXACT = 1e-12
SHIFT = 1e-7  # by which states are moved to see how much depends on them
ROUNDING = 1e-9  # of the largest quantity of the same kind
DRAWS = 2  # directions in which a state is moved
GRAVITY = 2  # rank of a balance, before which gravity is named if it explains all of them
# Angles may differ by turns and quaternions in sign; poses and velocities say the same.
LEFT_OUT = ("coordinate", "rotation", "shaft")
BALANCE, POWER, STRAIN = "balance", "power", "strain energy"
# They depend on deformations alone, which travel between formulations as they are.
ALONE = (POWER, STRAIN)
SMALL = 1e-6  # of what the whole motion has: less than rounding of that is none of them


@dataclass(frozen=True)
class StateFinding:
    """Difference between two formulations at the same state."""

    what: str  # in words, with the name of the object
    name: str  # the quantity, or the rigid body whose loads do not balance
    # difference, units: the largest
    difference: float
    units: str
    t: float  # time of the state, s
    rank: int  # 0 for what is nearest to the cause

    @property
    def sentence(self) -> str:
        """One line."""
        return (
            f"at the same state (t = {self.t:.4g} s) {self.what} differs by "
            f"{self.difference:.3g} {self.units}"
        )


@dataclass(frozen=True, eq=False)
class States:
    """States of a run in the coordinates of one formulation."""

    model: Model
    compiled: Compiled
    t: Array
    q: Array
    u: Array
    z: Array

    def result(self, seed: int | None = None) -> Result:
        """Result at these states; with a ``seed``, moved by a little in a random direction."""
        q, u = self.q, self.u
        if seed is not None:
            rng, c = np.random.default_rng(seed), self.compiled
            equations = Equations(c)
            shifts = SHIFT * rng.normal(size=(2, *u.shape))
            pairs = zip(q, shifts[0] * c.scale, strict=True)
            q = np.array([equations.retract(x, shift) for x, shift in pairs])
            u = u + shifts[1] * c.rate_scale
        return Result(at_states(self.model, self.compiled, self.t, q, u, self.z))


def instants(result: Result) -> list[int]:
    """Places of some output times, before joints lock or let go."""
    last = len(result.t)
    if result.changes:
        last = int(np.searchsorted(result.t, result.changes[0].t))
    return sorted({int(k) for k in np.linspace(0, last - 1, INSTANTS)}) if last else []


def states_of(prepared: Prepared, formulation: Formulation, run: Result) -> States:
    """States of a run in the coordinates of a formulation."""
    states = []
    for k in instants(run):
        state = run.state(k)
        run_options = RunOptions(state.t + 1.0, start=state, formulation=formulation, output=1)
        with without_warnings():
            model, problem, _ = prepared.problem(run_options)
        states.append((problem.t_start, problem.q, problem.u, problem.z))
    if not states:
        raise SuppleError("there is no state to compare at")
    t, q, u, z = (np.array(part) for part in zip(*states, strict=True))
    return States(model, problem.equations.compiled, t, q, u, z)


class StateTable:
    """All quantities at some states, and how far each is known."""

    def __init__(self, states: States, model: Model) -> None:
        self.result = states.result()
        self.values, self.units, self.kinds = _read(self.result, model)
        self.known = {name: np.zeros(len(states.t)) for name in self.values}
        for seed in range(DRAWS):
            moved = _read(states.result(seed), model)[0]
            for name, value in self.values.items():
                change = np.abs(moved[name] - value).max(axis=1)
                self.known[name] = np.maximum(self.known[name], change * (EXACT / SHIFT))


def different(
    reference: StateTable, other: StateTable, model: Model, span: float
) -> list[StateFinding]:
    """Differences between two formulations at the same states, nearest to the cause first.

    ``span`` is the length of the run, s: what could move nothing in that time is no difference.
    """
    sizes = _sizes(reference, model, span)
    findings = []
    for name, value in reference.values.items():
        if name not in other.values:
            findings.append(StateFinding(f"{name}, which is missing,", name, np.inf, "", 0.0, 0))
            continue
        apart = np.abs(other.values[name] - value).max(axis=1)
        allowed = reference.known[name] + other.known[name] + ROUNDING * sizes[name]
        beyond = ~(apart <= allowed)  # NaN never agrees
        if not beyond.any():
            continue
        k = int(np.argmax(np.where(beyond, np.nan_to_num(apart, nan=np.inf), -1.0)))
        what, rank = _words(name, reference)
        if reference.kinds[name] == BALANCE:
            off = [bool(np.abs(t.values[name][k]).max() > allowed[k]) for t in (reference, other)]
            if all(off):
                continue  # something acts on it that is not counted here
            what += " in the reference" if off[0] else " here"
        t = float(reference.result.t[k])
        units = reference.units[name]
        findings.append(StateFinding(what, name, float(apart[k]), units, t, rank))
    return _by_cause(findings, reference)


def _by_cause(findings: list[StateFinding], table: StateTable) -> list[StateFinding]:
    """Order, nearest to the cause first: gravity, if no rigid body is in balance."""
    off = sum(table.kinds[f.name] == BALANCE for f in findings if f.name in table.kinds)
    every = off == sum(kind == BALANCE for kind in table.kinds.values())

    def rank(f: StateFinding) -> float:
        return GRAVITY - 0.5 if every and f.name == "energy.gravity" else f.rank

    return sorted(findings, key=rank)


def _words(name: str, table: StateTable) -> tuple[str, int]:
    """A quantity in words, and how near it is to the cause of a difference."""
    owner, _, quantity = name.rpartition(".")
    kind, result = table.kinds[name], table.result
    if kind == BALANCE:
        return f"what the loads on body {owner!r} leave of its inertia and weight", 2
    if kind in ("position", "velocity"):
        return f"{quantity} of {owner!r}", 0
    if owner in result.forces:
        return f"{quantity} of the force element {owner!r}", 1
    if kind == POWER:
        return f"power of the damping of {owner.partition('.')[0]!r}", 1
    if name == "energy.gravity":
        return "the energy of gravity", GRAVITY + 1
    if kind == STRAIN:
        return f"the strain energy of {owner!r}", 1
    return (f"the {quantity} energy", 5) if owner == "energy" else (f"{quantity} of {owner!r}", 6)


def _read(result: Result, model: Model) -> tuple[dict[str, Array], dict[str, str], dict[str, str]]:
    """Values (n, components), units and kinds of all quantities at the states of a result."""
    values, units, kinds = {}, {}, {}
    # Of joints the smallest reactions are compared, which are the same in every formulation.
    shared = set(result.constraints) if redundant(result.data.compiled) else set()
    for name, v in variables(result).items():
        if v.role in LEFT_OUT or name in ("energy.error", "energy.total"):
            continue
        if v.role == "effort" and name.rpartition(".")[0] in shared:
            continue
        values[name] = np.asarray(v.values, dtype=float).reshape(len(result.t), -1)
        units[name] = v.units
        kinds[name] = STRAIN if name.endswith(".strain_energy") else v.role
    for name, power in _powers(result):
        values[f"{name}.power"], units[f"{name}.power"], kinds[f"{name}.power"] = power, "W", POWER
    for body, defect in _balances(result, model):
        name = f"{body}.{BALANCE}"
        values[name], units[name], kinds[name] = defect, "N m, N", BALANCE
    return values, units, kinds


def _powers(result: Result) -> Iterator[tuple[str, Array]]:
    """Power (n, 1) of each force element, and of the damping of each flexible body."""
    c, powers = result.data.compiled, cast("RunHistory", result.data.history).powers
    for name in dict.fromkeys(c.force_names):
        if name not in result.constraints:  # their power depends on accelerations
            yield name, powers[:, c.channels(name)].sum(axis=1)[:, None]


def _sizes(table: StateTable, model: Model, span: float) -> dict[str, float]:
    """The largest quantity of the same kind and units.

    Speeds are at least those that go the model's length in the time of the run, accelerations,
    loads and energies those that belong to such a motion.
    """
    largest: dict[tuple[str, str], float] = {}
    for name, value in table.values.items():
        kind = _kind(table, name)
        size = float(np.abs(value).max(initial=0.0)) if np.isfinite(value).all() else 0.0
        largest[kind] = max(size, largest.get(kind, 0.0))
    mass, length = table.result.centre_of_mass().mass, table.result.data.compiled.length
    gravity = float(np.linalg.norm(model.gravity))
    speed = max(largest.get(("velocity", "m/s"), 0.0), length / span)
    here = largest.get(("acceleration", "m/s2"), 0.0)
    acceleration = max(gravity, here, length / span**2)
    loads = (x for (_, units), x in largest.items() if units == "N m, N")
    load = max(mass * acceleration * max(1.0, length), *loads, 0.0)
    least = {
        "velocity": speed / min(1.0, length),
        "rate": speed / min(1.0, length),
        "acceleration": acceleration / min(1.0, length),
        "rate of rate": acceleration / min(1.0, length),
        "mass centre velocity": speed,
        "mass centre acceleration": acceleration,
        "elastic rate": speed,
        "elastic acceleration": acceleration,
        "momentum": mass * speed * max(1.0, length),
        "energy": mass * (gravity * length + speed**2),
        **dict.fromkeys(("load", "effort", BALANCE), load),
        POWER: SMALL * mass * acceleration * speed,
        STRAIN: SMALL * mass * (gravity * length + speed**2),
    }
    return {
        name: max(largest[_kind(table, name)], least.get(kind, 0.0))
        for name, kind in table.kinds.items()
    }


def _kind(table: StateTable, name: str) -> tuple[str, str]:
    """Quantities of the same kind and units are judged together, but for those in `ALONE`."""
    kind = table.kinds[name]
    return (name if kind in ALONE else kind), table.units[name]


def _balances(result: Result, model: Model) -> Iterator[tuple[str, Array]]:
    """Loads on rigid bodies less their inertia and weight, (n, 6) about their own origins.

    Bodies on which constraints act between frames are left out.
    """
    held = {f.body.name for c in model.constraints.values() for f in c.frames.values()}
    h, c = result.data.history, result.data.compiled
    for name, body in model.bodies.items():
        if body.discretisation != "rigid" or name in held or name not in c.body_names:
            continue
        rigid = cast("RigidBody", body)
        k = list(c.body_names).index(name)
        R, p, V, A = h.R[:, k], h.p[:, k], h.V[:, k], h.A[:, k]
        torque, force = np.zeros((2, len(result.t), 3))
        for point, wrench in _wrenches(result, name):
            force = force + wrench[:, 3:]
            torque = torque + wrench[:, :3] + cross(point - p, wrench[:, 3:])
        w, dw = V[:, :3], A[:, :3]
        own = np.einsum("tij,jk,tlk->til", R, rigid.inertia_com, R)
        spin = np.einsum("tij,tj->ti", own, w)
        torque = torque - np.einsum("tij,tj->ti", own, dw) - cross(w, spin)
        masses = [(rigid.mass, rigid.com)]
        masses += [
            (m.mass, m.frame.position)
            for m in model.point_masses.values()
            if m.frame.body.name == name
        ]
        for mass, place in masses:
            arm = R @ place
            a = A[:, 3:] + cross(dw, arm) + cross(w, cross(w, arm)) - model.gravity
            force = force - mass * a
            torque = torque - mass * cross(arm, a)
        yield name, np.hstack([torque, force])


def _wrenches(result: Result, body: str) -> Iterator[tuple[Array, Array]]:
    """Points (n, 3) and wrenches (n, 6) in the world of what acts on a rigid body."""
    for name, joint in result.joints.items():
        for frame, sign in ((joint.A, -1.0), (joint.B, 1.0)):
            if frame.body.name == body:
                yield result[joint.B].position, sign * result[name].wrench
    loads = result.data.loads
    for name, force in result.forces.items():
        frames = list(force.frames.values())
        if loads is not None and any(frame.body.name == body for frame in frames):
            wrenches = loads(name).wrenches
            for k, frame in enumerate(frames[: wrenches.shape[1]]):
                if frame.body.name == body:
                    yield result[frame].position, wrenches[:, k]
