"""A compiled model as tables of the energy scheme, or a sentence why it cannot be one.

Of bodies without a frame the place of a node is a vector, so that points on nodes have quadratic
forms. The axes of a node are made of two gradients g1 and g2 by Gram and Schmidt: e1 is along g1,
and e3 across both. They are r_x and r_y, or r_y and r_z where frames turn with sections that shear.
A joint that holds e1 or e3 has the forms a . g with vectors a of the other body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from supple.constraints.kinds import LINKS
from supple.core.base import layout as at
from supple.core.energy import forms
from supple.core.energy import state as own
from supple.core.energy.vectors import SPAN_RECORD
from supple.core.forces import constraint_rows as links
from supple.core.forces import forces, joint_forces
from supple.core.forces import point_spring as line
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled
from supple.forces.kinds import ELEMENTS
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, label
from supple.foundation.poses import IDENTITY, Pose
from supple.integrators.energy.rows import (
    ALIKE,
    Axis,
    Coordinate,
    Pair,
    Row,
    UnfitError,
    across,
    joint_coordinates,
    joint_rows,
    place_rows,
)
from supple.joints.motions import motion_of

ARM = 1e-12  # of the model's length: a point at a node
OWNER, METHOD = "EnergyScheme", "energy"
MOTIONS_TREATED = (at.FIXED, at.REVOLUTE, at.PRISMATIC, at.BALL, at.FREE)
ON_COORDINATE = (
    joint_forces.JOINT_SPRING,
    joint_forces.JOINT_EFFORT,
    joint_forces.JOINT_FRICTION,
)
NO_ARM = (0.0, 0.0, 0.0)
# Least moment of inertia, of the largest, with which the rotation of a body may jump.
SLENDER = 1e-9
EXACT = (
    "forces whose work over a step is known exactly: gravity, Force, SpringDamper, JointSpring, "
    "JointEffort and JointFriction"
)
QUADRATIC = (
    "joints and constraints that are quadratic in places and rotations, whose forces do exactly "
    "no work over a step"
)


@dataclass
class Vectors:
    """Nodal vectors of all bodies without a frame, one body after the other.

    ``firsts`` has the number of each body's first vector, ``mass`` (n, n) and ``weight`` (n,) kg
    include point masses, ``units`` (n,) are 1 m for places in lengths of the model and 1 for
    gradients, ``span`` is the scratch of an element.
    """

    rows: list[list[int]] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    mass: Array = field(default_factory=lambda: np.zeros((0, 0)))
    weight: Array = field(default_factory=lambda: np.zeros(0))
    units: list[float] = field(default_factory=list)
    span: int = 0
    total: float = 0.0

    @property
    def count(self) -> int:
        """Number of vectors."""
        return len(self.rows)


def vectors_of(compiled: Compiled) -> Vectors:
    """Tables of all nodal vectors of a model; point masses are added by `attach`."""
    out = Vectors()
    records = list(compiled.gradient.values())
    for record in records:
        out.firsts.append(out.count)
        mesh = record.mesh
        for k in range(mesh.size // 3):
            out.rows.append([record.q.start + 3 * k, record.u.start + 3 * k, -1])
            out.units.append(compiled.length if mesh.places.flat[k] else 1.0)
        for table in mesh.tables:
            sizes = {"K": table.vectors, "R": table.most_rows, "N": table.most_strains}
            out.span = max(out.span, SPAN_RECORD.lengths(sizes)[0])
        out.total += mesh.mass
    out.mass, out.weight = np.zeros((out.count, out.count)), np.zeros(out.count)
    for first, record in zip(out.firsts, records, strict=True):
        own = slice(first, first + record.mesh.size // 3)
        out.mass[own, own] = record.mesh.mass_matrix.toarray()
        out.weight[own] = record.mesh.weight.ravel()
    return out


def attach(out: Vectors, compiled: Compiled, node: int, row: np.ndarray, inertia: Array) -> int:
    """The vector of an engine's node, whose integers and reals are given, with its point mass."""
    records = list(compiled.gradient.values())
    q = int(row[at.Q0])
    body = next(k for k, r in enumerate(records) if r.q.start <= q < r.q.stop)
    number: int = out.firsts[body] + (q - records[body].q.start) // 3
    if turns(compiled, row):
        if np.abs(inertia[at.BODY_C : at.BODY_J]).max() > ARM * compiled.length * compiled.mass:
            raise UnfitError(f"a point mass beside its axis on {owner_at(compiled, row).label}")
        out.rows[number][2] = node
    out.mass[number, number] += inertia[at.BODY_M]
    out.weight[number] += inertia[at.BODY_M]
    out.total += float(inertia[at.BODY_M])
    return number


def turns(compiled: Compiled, row: np.ndarray) -> bool:
    """True if an engine's node with these integers has axes."""
    record = owner_at(compiled, row)
    return record.mesh.turns((int(row[at.Q0]) - record.q.start) // (3 * record.mesh.node_vectors))


def owner_at(compiled: Compiled, row: np.ndarray) -> ANCFRecord:
    """The gradient body of an engine's node with these integers."""
    q = int(row[at.Q0])
    return next(r for r in compiled.gradient.values() if r.q.start <= q < r.q.stop)


def section_rows(pair: Pair, axes: Sequence[Axis], first: int) -> list[Row]:
    """Rows of a joint whose body B is the place of a node with axes; its gradients follow it.

    ``first`` is the place of g1 behind it. Raises `UnfitError` if they are no quadratic forms.
    """
    turns = [n for kind, n, _, _ in axes if kind == "rotate"]
    rows = place_rows(pair, axes, sides={"A"})
    x, y, z = pair.turn  # axes of the section on those of A
    if not turns:
        held = (y, first), (z, first), (z, first + 1)
        return [*rows, *(_product(pair, a, k) for a, k in held)]
    if len(turns) == 1 and _along(turns[0], x):
        return [*rows, *(_product(pair, a, first) for a in across(turns[0]))]
    if len(turns) == 1 and _along(turns[0], z):
        return [*rows, *(_product(pair, turns[0], k) for k in (first, first + 1))]
    about = "x or z" if first == 1 else "y or x"
    raise UnfitError(f"rotations on a section that are not one about its {about} axis")


def turned_round(pair: Pair, axes: Sequence[Axis]) -> tuple[Pair, list[Axis]]:
    """The joint from B to A, for its rows."""
    other = Pair(pair.bodies[::-1], pair.arms[::-1], pair.turn.T, pair.length)
    return other, [(kind, pair.turn @ n, q, u) for kind, n, q, u in reversed(axes)]


def _along(a: Array, b: Array) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) < ALIKE


def _product(pair: Pair, a: Array, gradient: int) -> Row:
    """The product of a vector of A with a gradient of the node whose place is B."""
    A, B = pair.bodies
    still = np.zeros(3)
    other = Pair((A, B + gradient), (still, still), pair.turn, pair.length)
    return other.form(forms.VECTOR, a, None)


@dataclass
class Tables:
    """Tables for ``core/energy/state.py``; the first ``rows`` forms are constraint rows."""

    bodies: list[Row] = field(default_factory=list)
    forms: list[Row] = field(default_factory=list)
    rows: int = 0
    rank: int = 0
    coordinates: list[Coordinate] = field(default_factory=list)
    balls: list[Row] = field(default_factory=list)
    elements: list[Row] = field(default_factory=list)
    vectors: Vectors = field(default_factory=Vectors)
    length: float = 1.0

    def own_size(self, decay: float, nu: int) -> tuple[int, int]:
        """Lengths of the scheme's own reals and integers, for nu velocities."""
        reals, integers = own.OWN_RECORD.lengths(self._sizes(decay, nu))
        return reals, integers

    def parameters(self, decay: float, step: float, nu: int) -> tuple[Array, np.ndarray]:
        """All tables, at the beginning of the loop's own reals and integers."""
        sizes = self._sizes(decay, nu)
        lengths = self.own_size(decay, nu)
        reals, integers = np.zeros(lengths[0]), np.zeros(lengths[1], dtype=np.int64)
        o = own.OWN_RECORD.read(sizes, reals, integers)
        for name, place in own.OWN_RECORD.head.items():
            o.ints[place] = sizes[name]
        masses = [body.reals[own.B_MASS] for body in self.bodies]
        mass = (sum(masses) + self.vectors.total) / (len(masses) + len(self.vectors.firsts))
        o.unit[:] = [
            *([self.length] * 3 + [1.0] * 3) * len(masses),
            *np.repeat(self.vectors.units, 3).tolist(),
        ]
        o.mass[:], o.weight[:] = self.vectors.mass, self.vectors.weight
        if self.vectors.rows:
            o.vector_ints[:] = self.vectors.rows
        o.scalar[[own.DECAY, own.STEP, own.MASS]] = decay, step, mass
        for table, ints, numbers in (
            (self.bodies, o.body_ints, o.body),
            (self.forms, o.form_ints, o.form),
            (self.balls, o.ball_ints, o.ball),
            (self.elements, o.element, o.arm),
        ):
            for k, row in enumerate(table):
                ints[k], numbers[k] = row
        for k, coordinate in enumerate(self.coordinates):
            o.coordinate[k] = coordinate
        places = own.OWN_RECORD.places(sizes)
        return reals[: places["turn"][0]], integers[: places["sel"][0]]

    def _sizes(self, decay: float, nu: int) -> dict[str, int]:
        return {
            "bodies": len(self.bodies),
            "forms": len(self.forms),
            "rows": self.rows,
            "rank": self.rank,
            "coordinates": len(self.coordinates),
            "balls": len(self.balls),
            "elements": len(self.elements),
            "jump": int(decay > 0.0),
            "vectors": self.vectors.count,
            "span": self.vectors.span,
            "nu": nu,
        }


def tables(compiled: Compiled, monotone: bool = False) -> Tables:
    """Tables of a model in absolute coordinates; ``monotone``: friction must grow with the rate."""
    return _Maker(compiled, monotone).out


def _refused(who: str, what: str, expected: str) -> ModelError:
    return ModelError.plain(f"{OWNER}: {who} {what}, expected {expected}")


class _Maker:
    def __init__(self, compiled: Compiled, monotone: bool) -> None:
        self.c, self.all, self.monotone = compiled, compiled.complete, monotone
        self.out = Tables()
        c = compiled
        model = at.read_model(self.all.ints, c.reals)
        self.node, self.element, self.link = model.node, model.element, model.link
        self.body, self.coef, self.data = model.body, model.coef, model.data
        self.number = {0: 0}  # of a body by its node; the ground is 0
        self.com = [np.zeros(3)]
        self.sections: dict[int, ANCFRecord] = {}  # bodies by their vectors that have axes
        self.out.length = c.length
        self._bodies()
        self._vectors()
        pieces: list[tuple[Pair, list[Axis]]] = []
        for link in self.link:
            self._link(link, pieces)
        self.out.rows = len(self.out.forms)
        self.out.rank = 6 * len(self.out.bodies) + 3 * self.out.vectors.count - (c.nu - c.nr)
        for pair, axes in pieces:
            coordinates, used = joint_coordinates(pair, axes, len(self.out.forms))
            self.out.coordinates += coordinates
            self.out.forms += used
        for k, element in enumerate(self.element):
            self._element(k, element)

    def _bodies(self) -> None:
        c = self.c
        if c.flexible:
            first = c.bodies[c.owners[next(iter(c.flexible))]].body
            expected = (
                "rigid bodies, whose motion over a step is a turn and a displacement, or bodies "
                "with nodal vectors: formulation=ANCF(absolute=True) writes beams so"
            )
            raise _refused(label(first), "is flexible", expected)
        if c.motors:
            motor = next(iter(c.motors.values()))
            raise ModelError.plain(
                f"{OWNER}: {motor.label} has a rotor of its own, expected {EXACT}"
            )
        for record in c.bodies.values():
            if len(record.parts) > 1:
                raise _refused(label(record.body), "consists of parts", "bodies of one part")
            if record.name in c.gradient:
                continue
            number, _ = c.own_frames[record.name]
            node = self.node[number]
            if node[at.MOTION] != at.FREE or node[at.PARENT] != 0:
                expected = "formulation=Absolute(), in which every body moves freely"
                raise _refused(f"body {record.name!r}", "moves by joint coordinates", expected)
            x = self.body[number]
            mass, first = x[at.BODY_M], x[at.BODY_C : at.BODY_J]
            com = first / mass
            six = x[at.BODY_J :]
            inertia = np.array(
                [[six[0], six[3], six[4]], [six[3], six[1], six[5]], [six[4], six[5], six[2]]]
            )
            inertia -= mass * (com @ com * np.eye(3) - np.outer(com, com))
            self.number[number] = len(self.com)
            self.com.append(com)
            moments = np.linalg.eigvalsh(inertia)
            integers = (node[at.Q0], node[at.U0], int(moments[0] > SLENDER * moments[2]))
            reals = (mass, *com, *inertia.ravel(), *x[: at.BODY_M])
            self.out.bodies.append(Row(integers, reals))

    def _pose(self, place: int) -> Pose:
        x = self.data[place : place + at.POSE]
        return Pose(x[: at.POSE_P].reshape(3, 3), x[at.POSE_P :])

    def _vectors(self) -> None:
        """Nodal vectors, numbered behind the bodies, and the nodes on them."""
        self.out.vectors = vectors_of(self.c)
        self.com += [np.zeros(3)] * self.out.vectors.count
        for k, node in enumerate(self.node):
            if node[at.MOTION] != at.GRADIENT_EDGE:
                continue
            try:
                vector = attach(self.out.vectors, self.c, k, node, self.body[k])
            except UnfitError as problem:
                raise ModelError.plain(f"{OWNER}: found {problem}, expected {QUADRATIC}") from None
            self.number[k] = 1 + len(self.out.bodies) + vector
            if turns(self.c, node):
                self.sections[self.number[k]] = owner_at(self.c, node)

    def _arm(self, owner: str, end: int, point: Array) -> Array:
        """Arm of a point in the axes of a body; on a section there must be none."""
        arm: Array = point - self.com[end]
        if end in self.sections and np.abs(arm).max() > ARM * self.c.length:
            what = f"is at a point beside the axis of {self.sections[end].label}"
            raise _refused(owner, what, "points on the axis, whose places are nodal vectors")
        return arm

    def _pair(self, owner: str, a: int, b: int, at_a: Array, at_b: Array, turn: Array) -> Pair:
        ends = self.number[a], self.number[b]
        arms = self._arm(owner, ends[0], at_a), self._arm(owner, ends[1], at_b)
        return Pair(ends, arms, turn, self.c.length)

    def _link(self, link: np.ndarray, pieces: list[tuple[Pair, list[Axis]]]) -> None:
        """Rows of a joint or constraint; its coordinates are left for later in ``pieces``."""
        columns = at.LINK_KIND, at.LINK_A, at.LINK_B, at.LINK_AT
        kind, a, b, place = (int(link[k]) for k in columns)
        used = [int(row) for row in link[at.LINK_ROW :] if row >= 0]
        owner = self.all.rows[used[0]].label
        row, driven = LINKS[kind], int(link[at.LINK_SIGNAL]) >= 0
        if METHOD not in (row.driven if driven else row.methods):
            words = LINKS[links.LINEAR].words if driven else row.words
            raise _refused(owner, words, QUADRATIC)
        if kind == links.DISTANCE:
            x = self.data[place:]
            points = x[links.POINT_A : links.POINT_B], x[links.POINT_B : links.LENGTH]
            pair = self._pair(owner, a, b, *points, np.eye(3))
            self.out.forms.append(pair.apart(float(x[links.LENGTH])))
            return
        if kind != links.JOIN:
            raise _refused(owner, row.words, QUADRATIC)
        chain = []
        while a not in self.number:
            chain.append(a)
            a = int(self.node[a, at.PARENT])
        first, second = self._pose(place + links.POSE_A), self._pose(place + links.POSE_B)
        if not chain:  # a point on a line or a plane
            turn = second.R @ first.R.T
            pair = self._pair(owner, a, b, first.p, second.p, turn)
            if pair.bodies[0] in self.sections:
                what = f"is along axes of {self.sections[pair.bodies[0]].label}"
                raise _refused(owner, what, QUADRATIC)
            for i in range(3):
                if link[at.LINK_ROW + i] >= 0:
                    self.out.forms.append(pair.along(first.R[:, i], False))
            return
        if not any(joint.node == chain[0] for joint in self.c.joints.values()):
            slides = any(self.node[n, at.MOTION] == at.LINE_EDGE for n in chain)
            what = "slides along a line" if slides else "drives a frame"
            raise _refused(owner, what, QUADRATIC)
        pose, axes = IDENTITY, []
        for n in reversed(chain):
            x = self.body[n]
            pose = pose.then(Pose(x[: at.BODY_P].reshape(3, 3), x[at.BODY_P : at.BODY_M]))
            motion, q, u = (int(self.node[n, k]) for k in (at.MOTION, at.Q0, at.U0))
            known = motion_of(motion)
            if METHOD not in known.methods or motion not in MOTIONS_TREATED:
                raise _refused(owner, f"has a motion of the kind {known.name!r}", QUADRATIC)
            if motion in (at.BALL, at.FREE):
                self._ball(owner, motion, (q, u), (a, b), pose, second)
                return
            if motion != at.FIXED:
                axes.append((known.name, pose.R[:, 2].copy(), q, u))
        pose = pose.then(first)
        pair = self._pair(owner, a, b, pose.p, second.p, second.R @ pose.R.T)
        try:
            self.out.forms += self._rows(pair, axes)
        except UnfitError as problem:
            raise ModelError.plain(
                f"{OWNER}: {owner} has {problem}, expected {QUADRATIC}"
            ) from None
        pieces.append((pair, axes))

    def _rows(self, pair: Pair, axes: list[Axis]) -> list[Row]:
        on_a, on_b = (end in self.sections for end in pair.bodies)
        if on_a and on_b:
            raise UnfitError("sections of bodies without a frame on both sides")
        if on_a:
            pair, axes = turned_round(pair, axes)
        if on_a or on_b:
            return section_rows(pair, axes, self.sections[pair.bodies[1]].mesh.axes_from)
        return joint_rows(pair, axes)

    def _ball(
        self,
        owner: str,
        motion: int,
        place: tuple[int, int],
        ends: tuple[int, int],
        first: Pose,
        second: Pose,
    ) -> None:
        pair = self._pair(owner, *ends, first.p, second.p, np.eye(3))
        if motion == at.BALL:
            self.out.forms += pair.together()
        frames = (*first.R.ravel(), *pair.arms[0], *second.R.ravel(), *pair.arms[1])
        self.out.balls.append(Row((*place, int(motion == at.FREE), *pair.bodies), frames))

    def _rises(self, x: Array) -> bool:
        """True if friction must not be larger at rest, and is: ``x`` are its reals."""
        return bool(self.monotone and x[joint_forces.STATIC] > x[joint_forces.COULOMB])

    def _element(self, k: int, element: np.ndarray) -> None:
        kind, out, name = int(element[at.KIND]), self.out, self.c.force_names[k]
        row = ELEMENTS[kind]
        if METHOD not in row.methods:
            raise _refused(repr(name), f"is {row.words}", EXACT)
        x = self.coef[k]
        if kind == forces.FORCE:
            body = self.number[int(element[forces.NODE])]
            turning = element[forces.FOLLOWS] == 1 or (element[forces.SIGNALS + 3 :][:3] >= 0).any()
            if body in self.sections and turning:
                what = f"turns with {self.sections[body].label} or has a torque"
                expected = "a force along the axes of the world without a torque"
                raise _refused(repr(name), what, expected)
            arm = self._arm(repr(name), body, x[at.POSE_P : at.POSE])
            out.elements.append(Row((k, body), tuple(arm)))
            return
        if kind in (forces.GRADIENT, forces.VECTOR_LOAD):
            first = out.vectors.firsts[int(element[forces.BODY])]
            out.elements.append(Row((k, len(out.bodies) + first), NO_ARM))
            return
        if kind == forces.SPRING_DAMPER:
            a, b = int(element[line.A]), int(element[line.B])
            points = x[line.POINT_A : line.POINT_B], x[line.POINT_B : line.STIFFNESS]
            pair = self._pair(repr(name), a, b, *points, np.eye(3))
            out.elements.append(Row((k, len(out.coordinates)), NO_ARM))
            out.coordinates.append((own.LENGTH, -1, -1, len(out.forms), 0))
            out.forms.append(pair.apart(0.0))
            return
        if kind == joint_forces.JOINT_FRICTION and self._rises(x):
            expected = "decay 0, or friction that grows with the rate so that energy never does"
            raise _refused(repr(name), "has more static than sliding friction", expected)
        if kind not in ON_COORDINATE:
            raise _refused(repr(name), f"is {row.words}", EXACT)
        q = int(element[joint_forces.Q])
        target = next(i for i, c in enumerate(out.coordinates) if c[own.C_Q] == q)
        ends = out.forms[out.coordinates[target][own.C_FORM]].integers[1:]
        on = next((self.sections[end].label for end in ends if end in self.sections), "")
        if on:
            raise _refused(repr(name), f"acts along a coordinate on {on}", EXACT)
        out.elements.append(Row((k, target), NO_ARM))
