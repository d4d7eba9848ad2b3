"""Recompiles one changed item; all other buffers are shared.

Buffers are those that `build` makes of the whole model, to the bit. What an item changes is found
in one of three ways. A force element that acts in the same places is packed again, alone, into
tables that end where its rows begin: if its integers are the same, its reals take the place of the
old ones. Of a rigid body, or a point mass on one, the row of its node is made again; of a joint the
initial values. Whatever else changes is found by a walk through bodies and joints, where forces
depend on neither, or through the whole model; the plan is that of the first model if all other
integers are.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.bodies.base.rigid import PointMass, RigidBody
from supple.core.base import layout as at
from supple.engine.base.compiled import BodyRecord, Compiled, frame_key
from supple.engine.pack.buffers import NO_SHIFT, flat_buffers, node_reals
from supple.engine.pack.builder import Builder, build, with_records
from supple.engine.pack.nodal_bodies import frameless
from supple.engine.sparsity.solver_choice import WAYS
from supple.forces import ForceElement, Motor
from supple.foundation.arrays import Array
from supple.foundation.errors import label
from supple.joints import Joint

if TYPE_CHECKING:
    from supple.model import Model

INERTIA = {"mass", "com", "inertia"}
START = {"initial", "initial_rate"}
# Tables that grow with force elements, and those whose growth ends the sharing
GROWING = (
    "element_ints", "element_reals", "force_names", "dissipates", "signals", "data", "programs",
    "terms", "factors", "z0", "energy_creating",
)  # fmt: skip
INTEGERS = (
    "element_ints", "force_names", "dissipates", "signals", "programs", "terms", "energy_creating",
)  # fmt: skip
FIXED = (
    "node_ints", "columns", "flex_ints", "attach_ints", "membranes", "strips", "plain", "rows",
    "gradient_rows", "gradient_ints", "link_ints", "flex_data", "callbacks", "sampled", "places",
    "rotors", "q0",
)  # fmt: skip
# What a walk through bodies and joints must find again, and what it finds anew
TREE = (
    "node_ints", "columns", "flex_ints", "attach_ints", "membranes", "strips", "strip_rows",
    "plain", "flex_size", "flex_work", "rotors", "rows", "link_ints", "nq", "nu",
)  # fmt: skip
RECORDS = ("bodies", "own_frames", "joints", "extra", "flexible", "gradient", "motors", "places")
STATE = ("q0", "u0", "scale", "rate_scale")
COUNTS = ("nz", "inner", "wrenches", "switches")
NAMES = tuple(field.name for field in fields(Compiled))


class _Mark(NamedTuple):
    """Lengths of the tables that grow, of the others, and counts."""

    growing: tuple[int, ...]
    fixed: tuple[int, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, b: Builder) -> _Mark:
        growing, fixed = (
            tuple(len(getattr(b, name)) for name in names) for names in (GROWING, FIXED)
        )
        return cls(growing, fixed, tuple(getattr(b, name) for name in COUNTS))


class _Marked(Builder):
    """A builder that notes where the rows of each force element begin and end."""

    def __init__(self, *given: Any) -> None:
        self.marks: dict[str, tuple[_Mark, _Mark]] = {}
        super().__init__(*given)

    def add_force(self, force: ForceElement) -> None:
        begin = _Mark.of(self)
        super().add_force(force)
        self.marks[force.name] = begin, _Mark.of(self)


class _Tree(Builder):
    """A builder of bodies and joints alone."""

    def add_force(self, force: ForceElement) -> None:
        """Leave out what a force element is."""


class Beside:
    """Makes what `build` makes of a model in which one item has been replaced.

    Parameters
    ----------
    compiled : what `build` has made of the model, with default settings
    """

    def __init__(self, model: Model, compiled: Compiled) -> None:
        self.model, self.compiled = model, compiled
        self.shares = not frameless(model)
        if not self.shares:
            return
        self.divided = any(body.divides for body in model.bodies.values())
        self._tables = b = _Marked(model, compiled.graph, ())
        self._integers = self._bare(b)[0]
        self._rotors = _rotors(compiled.ints, compiled.reals)
        tree = at.read_model(compiled.ints, compiled.reals)
        begin = compiled.reals.__array_interface__["data"][0]
        self._begins = {
            name: (getattr(tree, name).__array_interface__["data"][0] - begin) // 8
            for name in at.TREE_RECORD.parts[1].fields
        }
        timed = (*model.forces.values(), *model.constraints.values())
        self._signals = {item.name: tuple((label(item), s) for s in item.signals) for item in timed}
        self._breaks = {item.name: item.breakpoints for item in timed}
        acting = [frame for force in model.forces.values() for frame in force.frames.values()]
        self._apart = not (acting or model.constraints or compiled.graph.chords or self.divided)
        self._lengths = {name: body.typical_length for name, body in model.bodies.items()}

    def of(self, model: Model, old: Any, new: Any) -> Compiled:
        """Change to a copy of the model in which ``new`` is in the place of ``old``."""
        changed = self.alone(old, new)
        if changed is None and self.shares:
            changed = self._tree(model) if self._apart else None
            changed = self._whole(model) if changed is None else changed
        return build(model) if changed is None else changed

    def alone(self, old: Any, new: Any) -> Compiled | None:
        """Change from both items alone; None if what changes is not known without the model."""
        if not self.shares or self.divided:
            return None
        if isinstance(new, ForceElement):
            return None if isinstance(new, Motor) else self._force(old, new)
        if type(new) is RigidBody:
            return self._body(old, new)
        if isinstance(new, PointMass):
            return self._point_mass(old, new)
        return self._start(old, new) if isinstance(new, Joint) else None

    def _whole(self, model: Model) -> Compiled:
        """By a walk through the model; the plan is that of the first one, if it is the same."""
        graph = model.spanning_tree()
        b = Builder(model, graph, ())
        ints, reals = self._bare(b)
        same = np.array_equal(ints, self._integers)
        if not same or not np.array_equal(_rotors(self.compiled.ints, reals), self._rotors):
            return build(model)
        return with_records(b, graph, self.compiled.ints, reals)

    def _tree(self, model: Model) -> Compiled | None:
        """By a walk through bodies and joints: no force acts at a frame, and nothing is closed."""
        first, graph = self._tables, model.spanning_tree()
        b = _Tree(model, graph, ())
        same = all(getattr(b, name) == getattr(first, name) for name in TREE)
        begin = len(first.element_ints) - len(b.element_ints)  # damping and stiffening of bodies
        same &= b.element_ints == first.element_ints[begin:]
        same &= b.element_reals == first.element_reals[begin:]
        if graph != self.compiled.graph or not same or b.data or b.programs:
            return None
        c = self.compiled
        reals = c.reals.copy()
        self._write(reals, "length", 0, [b.length])
        self._write(reals, "unit", 0, b.scale)
        numbers = [node_reals(b.node_poses, b.inertias).ravel()]
        for field, arrays in (("body", numbers), ("flex_data", b.flex_data)):
            begin = self._begins[field]
            if arrays:
                flat = np.concatenate(arrays)
                reals[begin : begin + len(flat)] = flat
        reals.flags.writeable = False
        records = {name: getattr(b, name) for name in RECORDS}
        state = {name: np.array(getattr(b, name), dtype=float) for name in STATE}
        return _other(c, reals=reals, length=b.length, **records, **state)

    def _bare(self, b: Builder) -> tuple[np.ndarray, Array]:
        ints, reals = flat_buffers(b, b.model.gravity)
        ints[at.H_ASKED] = WAYS[None]
        return ints, reals

    def _force(self, old: ForceElement, new: ForceElement) -> Compiled | None:
        """Change of a force element that acts in the same places."""
        b, name = self._tables, new.name
        begin, end = b.marks[name]
        if begin.fixed != end.fixed or not _same_places(old, new):
            return None
        again = copy.copy(b)
        for table, length in zip(GROWING, begin.growing, strict=True):
            setattr(again, table, getattr(b, table)[:length])
        for count, number in zip(COUNTS, begin.counts, strict=True):
            setattr(again, count, number)
        again.kinds, again.marks = dict(b.kinds), {}
        Builder.add_force(again, new)
        if _Mark.of(again)[::2] != end[::2] or len(again.kinds) != len(b.kinds):
            return None
        places = dict(zip(GROWING, zip(begin.growing, end.growing, strict=True), strict=True))
        for table in INTEGERS:
            first, last = places[table]
            if getattr(again, table)[first:] != getattr(b, table)[first:last]:
                return None
        c = self.compiled
        reals = c.reals.copy()
        first, last = places["element_reals"]
        width = at.ELEMENT_REALS
        rows = [x for row in again.element_reals[first:] for x in row]
        self._write(reals, "coef", first * width, rows)
        self._write(reals, "factor", places["factors"][0], again.factors[places["factors"][0] :])
        self._write(reals, "data", places["data"][0], again.data[places["data"][0] :])
        reals.flags.writeable = False
        z0 = c.z0
        if places["z0"][0] < places["z0"][1]:
            z0 = c.z0.copy()
            z0[slice(*places["z0"])] = again.z0[places["z0"][0] :]
        signals, times = c.signals, c.breakpoints
        if new.signals:
            own = {**self._signals, name: tuple((label(new), s) for s in new.signals)}
            signals = tuple(s for some in own.values() for s in some)
        if new.breakpoints != self._breaks[name]:
            breaks = {**self._breaks, name: new.breakpoints}.values()
            times = tuple(sorted({t for some in breaks for t in some}))
        return _other(c, reals=reals, z0=z0, signals=signals, breakpoints=times)

    def _write(self, reals: Array, field: str, first: int, numbers: Iterable[float]) -> None:
        begin, numbers = self._begins[field] + first, list(numbers)
        reals[begin : begin + len(numbers)] = numbers

    def _body(self, old: RigidBody, new: RigidBody) -> Compiled | None:
        """Change of a rigid body's inertia; None if the length of the model changes with it."""
        c, name = self.compiled, new.name
        lengths = dict(self._lengths) | {name: new.typical_length}
        longest = max(self._lengths.values()), max(lengths.values())
        if longest[0] != longest[1] and max(longest) >= c.length:
            return None
        if not _differ(old, new) <= INERTIA or c.bodies[name].body is not old:
            return None
        shift = new.parallel_axes if new.inertia_about == "com" else NO_SHIFT
        inertia = {"mass": new.mass, "com": new.com, "inertia": new.inertia, "shift": shift}
        reals = self._inertia(name, **inertia)
        record = BodyRecord(new, new.part_bodies)
        return None if reals is None else _other(c, reals=reals, bodies={**c.bodies, name: record})

    def _point_mass(self, old: PointMass, new: PointMass) -> Compiled | None:
        """Change of a point mass on a rigid body."""
        name = new.frame.body.name
        if old.frame.body.name != name or type(self.model.bodies.get(name)) is not RigidBody:
            return None
        every = [new if p is old else p for p in self.model.point_masses.values()]
        points = [(p.frame.position, p.mass) for p in every if p.frame.body.name == name]
        reals = self._inertia(name, points=points)
        return None if reals is None else _other(self.compiled, reals=reals)

    def _inertia(self, name: str, **changes: Any) -> Array | None:
        """Reals with another inertia of a rigid body; None if it is none that can be exchanged."""
        b = self._tables
        node = b.own_frames[name][0]
        if b.node_ints[node][at.HEAVY] != at.RIGID or changes.get("mass") == 0.0:
            return None
        row = node_reals([b.node_poses[node]], [b.inertias[node]._replace(**changes)])
        reals = self.compiled.reals.copy()
        self._write(reals, "body", node * at.NODE_REALS, row[0].tolist())
        reals.flags.writeable = False
        return reals

    def _start(self, old: Joint, new: Joint) -> Compiled | None:
        """Change of a joint's initial values."""
        c = self.compiled
        own = any(motor.own for motor in c.motors.values())
        if own or self.model.constraints or not _differ(old, new) <= START:
            return None
        record, q0, u0 = c.joints[new.name], c.q0.copy(), c.u0.copy()
        q0[record.q], u0[record.u] = record.from_user(new.initial, new.initial_rate)
        return _other(c, q0=q0, u0=u0)


def _other(compiled: Compiled, **changes: Any) -> Compiled:
    """A compiled model with other values of some fields; what was found of it is not taken over."""
    other = object.__new__(Compiled)
    other.__dict__.update({name: getattr(compiled, name) for name in NAMES} | changes)
    return other


def _rotors(ints: np.ndarray, reals: Array) -> np.ndarray:
    """Mask of the velocities (nu,) that turn rotors: the only reals that a plan depends on."""
    turning: np.ndarray = at.TREE_RECORD.view("rotor", at.sizes(ints), reals) > 0.0
    return turning


def _differ(old: Any, new: Any) -> set[str]:
    """Names of the fields in which two items differ."""
    if type(old) is not type(new):
        return {"type"}
    differing = set()
    for field in fields(new):
        a, b = getattr(old, field.name), getattr(new, field.name)
        same = np.array_equal(a, b) if isinstance(b, np.ndarray) else a is b
        if not same and not (isinstance(a, (str, int, float)) and type(a) is type(b) and a == b):
            same = hasattr(a, "body") and hasattr(b, "body") and frame_key(a) == frame_key(b)
            if not same:
                differing.add(field.name)
    return differing


def _same_places(old: ForceElement, new: ForceElement) -> bool:
    """True if two force elements act at the same frames and on the same coordinates."""
    frames = [
        [frame_key(frame) for frame in (*item.frames.values(), *item.inner_frames)]
        for item in (old, new)
    ]
    return frames[0] == frames[1] and tuple(old.targets) == tuple(new.targets)
