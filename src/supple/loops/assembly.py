"""Assembly: from a compiled model to one that starts on its constraints, with independent rows.

Positions and velocities are moved onto the constraints as little as possible
(``loops/closing.py``). Rows that depend on others (a planar loop of spatial revolutes has three)
are redundant and left out (``loops/ranks.py``): they hold as long as the others do, everywhere.

A joint has an initial coordinate for that, a sliding joint none: bodies say how they are turned.
Assembly would move them a little, too, as its coordinates without mass resist their first guess.

Slack lines, cables and gradient beams that are longer than the distance of what holds them, cannot
start straight. To move their ends together, as little mass as possible, would fold the elements
there; so a line starts on a curve of its own length between the places that are held:

    x = int cos(phi) ds        y = int sin(phi) ds        phi = A f(s)

in the plane of gravity, or across where its section is softest. Between two hinges f is linear, a
circular arc; where a section is clamped or the line goes on behind a support, f is a sine that
vanishes at both ends. A is found from the distance. Nothing is stretched; sections turn with the
tangent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.core.base.layout import new_work
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import SLIDER, SPIN, Compiled, JointRecord, RowRecord, RowSets
from supple.engine.base.histories import RunHistory
from supple.engine.pack.builder import build
from supple.engine.pack.nodal_bodies import rigid_motions
from supple.engine.reading.rows import Rows, moving, row_sizes, rows_at, scaled_rows
from supple.engine.sparsity.solver_choice import Linear
from supple.foundation.arrays import Array, Booleans
from supple.foundation.errors import ModelError, suggestion
from supple.foundation.frames import Frame, System
from supple.foundation.poses import matrix_quaternion
from supple.graph.topology import FREE
from supple.graph.tree_choice import Tree
from supple.joints import Joint
from supple.loops.closing import CLOSED, Assembler
from supple.loops.ranks import DEPENDENT, MANY, analyse, regular_value
from supple.state import State

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFLine
    from supple.model import Model

__all__ = [
    "CLOSED",
    "Assembler",
    "Rows",
    "assemble",
    "assembled",
    "compile_model",
    "contradiction",
    "on_constraints",
    "on_other",
    "on_tree",
    "open_loop",
    "redundant",
    "refuse_gap",
    "refuse_rate",
    "row_sizes",
    "rows_at",
    "scaled_rows",
    "transferred",
    "unfollowed",
]
STEPS = 3  # one is exact if nothing but the spin is off
STRAIGHT = 1e-6  # part of its length by which a line without load may be shorter than straight
PIECES = 64  # of a span at least, each with the points of Gauss below
GAUSS = np.polynomial.legendre.leggauss(4)
LARGEST = 4.0  # rad, A of a line whose ends meet: pi between hinges, less between clamps
TRIES = 80


def spun(compiled: Compiled, q: Array) -> Array:
    """Coordinates with the spin of sliding joints turned to where their bodies are."""
    records = [
        record
        for name, record in compiled.extra.items()
        if name.endswith((SLIDER, SPIN)) and record.coordinate_names[-1] == "angle"
    ]
    if not records:
        return q
    out, u = np.array(q, dtype=float), np.zeros(compiled.nu)
    work = new_work(compiled.ints)
    for _ in range(STEPS):
        rows = rows_at(compiled, work, 0.0, out, u)
        for record in records:
            own = [
                k
                for k, row in enumerate(compiled.rows)
                if row.label == record.label and row.part.startswith("rotation")
            ]
            slope = rows.G[own, record.u.stop - 1]
            size = float(slope @ slope)
            if size > 0.0:
                out[record.q.stop - 1] -= float(slope @ rows.violation[own]) / size
    return out


def compile_model(
    model: Model,
    frames: Iterable[Frame] = (),
    tree: Tree | None = None,
    frozen: float | None = None,
    linear: Linear | None = None,
) -> Compiled:
    """Check a model, compile it on a spanning tree and assemble it.

    ``frames`` on flexible bodies that are watched, but not used by the model itself, get nodes too.
    ``tree`` names the joints of a spanning tree and the bodies, as ``free:<body>``, that hang on
    free joints of their own; by default the tree with the fewest velocities is taken. Where there
    are constraints, the initial state is moved onto them, as little as possible, and rows that
    follow from others are left out. ``frozen`` is a time (s) at which all signals stand still,
    ``linear`` the way of accelerations, by default the one of least work.
    """
    model.check()
    frames = tuple(frames)
    compiled = build(model, frames, frozen=frozen, linear=linear)
    if tree is not None:
        other = build(model, frames, tree, frozen, linear=linear)
        return on_other(compiled, other, lambda: assembled(compiled) if compiled.nr else compiled)
    return assembled(compiled) if compiled.nr else compiled


def on_other(compiled: Compiled, other: Compiled, first: Callable[[], Compiled]) -> Compiled:
    """``other``, both as written down, assembled; ``first`` gives ``compiled`` assembled."""
    straight = _straight(compiled, other) if compiled.nr and other.nr > MANY else None
    return on_tree(first(), other) if straight is None else straight


def _straight(compiled: Compiled, other: Compiled) -> Compiled | None:
    """A model of many rows assembled on its own tree, where its matrices have few entries.

    Mass measures motions in all coordinates alike, so its bodies move as they would on the first
    tree. None where that does not close the mechanism, and if bodies are placed as rigid ones.
    """
    if other.stiff is not None:
        return None
    q, u = transferred(compiled, compiled.q0, compiled.u0, other)
    try:
        return assembled(replace(other, q0=q, u0=u))
    except ModelError:
        return None


def on_tree(compiled: Compiled, other: Compiled) -> Compiled:
    """An assembled model on another spanning tree; ``other`` is compiled there as written down."""
    q, u = transferred(compiled, compiled.q0, compiled.u0, other)
    other = replace(other, q0=q, u0=u)
    if not other.nr:
        return other
    if compiled.all_ints is not None:  # rows follow from others: find out which
        return assembled(other)
    # Joints of the first tree determine the bodies that hang on them, so their rows are independent
    # of each other and of all others, wherever the mechanism is.
    still = np.zeros(compiled.nu)
    places = tuple(transferred(compiled, x, still, other)[0] for x in compiled.regular_positions)
    value = regular_value(other, places) if compiled.nr else 0.0
    return replace(other, regular_value=value, regular_positions=places)


def assembled(
    compiled: Compiled, fixed: Sequence[int] = (), held: str = "", state: State | None = None
) -> Compiled:
    """The model with its initial state on the constraints and its dependent rows left out.

    ``fixed`` are places in u that keep their coordinates and rates, ``held`` their names. Another
    ``state`` than the one at t = 0 s takes its place.
    """
    start = started(compiled, fixed) if state is None else state
    move = Assembler(compiled, fixed)
    q, gap = move.positions(start.t, start.q)
    refuse_gap(compiled, gap, held)
    ranks = analyse(compiled, q, start.t)
    u = move.velocities(start.t, q, start.u)
    rate = rows_at(compiled, move.work, start.t, q, u).rate
    if not ranks.singular:  # there velocities mean nothing; a run that starts there is refused
        refuse_rate(compiled, rate, float(np.max(np.abs(u), initial=1.0)), held)
    kept = compiled.with_rows(ranks.kept)
    value, places = ranks.regular_value, ranks.places[1:]
    return replace(kept, q0=q, u0=u, regular_value=value, regular_positions=places)


def started(compiled: Compiled, fixed: Sequence[int] = ()) -> State:
    """The initial state as the model was written down, to be moved onto its constraints.

    Gradient bodies are where they would be as rigid ones on the constraints, if they can be: then
    nothing deforms; else lines that are too long for it are curved. ``fixed``
    places in u are kept.
    """
    q, u = compiled.q0, compiled.u0
    if compiled.stiff is not None and compiled.stiff.nr and not fixed:
        try:
            stiff = assembled(compiled.stiff)
            q, u = transferred(stiff, stiff.q0, stiff.u0, compiled)
        except ModelError:
            q, u = transferred(compiled.stiff, compiled.stiff.q0, compiled.stiff.u0, compiled)
            q = slackened(compiled, 0.0, q)
    return State(0.0, spun(compiled, q), u, compiled.z0)


def assemble(model: Model, fixed: Any = ()) -> State:
    """Assemble a model from its initial coordinates and return the state that was found.

    Parameters
    ----------
    fixed : sequence
        Joints, by name, or pairs (joint, coordinate) that keep their initial coordinates and rates.
        All others move as little as possible, measured by the mass that they move.

    The state has ``coordinates(name)`` and ``rates(name)``, and a run may start from it:
    ``simulate(model, 2.0, start=assemble(model, fixed=["crank"]))``.
    """
    if not isinstance(model, System):
        raise ModelError("assemble", "model", model, "a Model")
    model.check()
    compiled = build(model)
    places, names = _held(model, compiled, fixed)
    if compiled.nr:
        compiled = assembled(compiled, places, ", ".join(names))
    c = compiled
    return State(0.0, c.q0.copy(), c.u0.copy(), c.z0.copy(), compiled=compiled)


def _held(model: Model, compiled: Compiled, fixed: Any) -> tuple[list[int], list[str]]:
    """Places in u, and names, of joints and coordinates that stay."""
    expected = "names of joints or pairs (joint, coordinate)"
    if isinstance(fixed, (str, Joint)):
        fixed = (fixed,)
    if not isinstance(fixed, (tuple, list)):
        raise ModelError("assemble", "fixed", fixed, expected)
    places: list[int] = []
    names: list[str] = []
    for i, item in enumerate(fixed):
        pair = isinstance(item, (tuple, list))
        if pair and len(item) != 2:
            expected = "a joint or a pair (joint, coordinate)"
            raise ModelError("assemble", f"fixed[{i}]", item, expected)
        joint = item[0] if pair else item
        name = joint.name if isinstance(joint, Joint) else joint
        if not isinstance(name, str) or name not in model.joints:
            hint = suggestion(name, list(model.joints))
            raise ModelError("assemble", f"fixed[{i}]", name, f"the name of a joint, {hint}")
        names.append(repr(name))
        record = compiled.joints[name]
        if pair:
            index = model.joints[name].coordinate_index(item[1], "assemble")
            places.append(compiled.coordinate(name, index)[1])
        else:
            places.extend(range(record.u.start, record.u.stop))
    return places, names


def refuse_gap(compiled: Compiled, gap: Array, held: str = "") -> None:
    """Raise if a mechanism cannot be closed; the sentence names the loop that is farthest open."""
    sentence = open_loop(compiled, gap)
    if sentence:
        raise ModelError.plain(
            f"{contradiction(compiled, gap)}{sentence}{_while(held)}, expected dimensions and "
            "initial coordinates with which the mechanism can be assembled"
        )


def unfollowed(compiled: Compiled, residual: Array) -> tuple[str, ...]:
    """Labels of the drivers that a least-squares solution leaves residuals (nr,) in.

    A residual is across all motions: drivers that others can follow have none.
    """
    relative = np.abs(residual) / row_sizes(compiled)
    seen = moving(compiled) & (relative > 1e-3 * float(np.max(relative, initial=0.0)))
    labels = (compiled.rows[k].label for k in np.flatnonzero(seen))
    return tuple(dict.fromkeys(labels))


def contradiction(compiled: Compiled, residual: Array) -> str:
    """The beginning of a sentence about drivers that contradict each other; else empty."""
    names = unfollowed(compiled, residual)
    if len(names) < 2:
        return ""
    both = "both" if len(names) == 2 else "all"
    return f"{' and '.join(names)} cannot {both} be followed: "


def _while(held: str) -> str:
    return f" while {held} {'are' if ',' in held else 'is'} held" if held else ""


def open_loop(compiled: Compiled, gap: Array) -> str:
    """Say which loop the violations (nr,) leave open, and how far; empty if they are rounding."""
    relative = np.abs(gap) / row_sizes(compiled)
    if not len(gap) or np.max(relative) < CLOSED:
        return ""
    k = int(np.argmax(np.where(np.isfinite(relative), relative, np.inf)))
    row = compiled.rows[k]
    if row.unit == "1":
        part = f": its {row.part}" if row.part != row.owner else ""
        return f"{row.label}{part} stays {abs(gap[k]):.3g} away from what it must be"
    own = [(r.unit, g) for r, g in zip(compiled.rows, gap, strict=True) if r.owner == row.owner]
    sizes = {x: float(np.linalg.norm([g for u, g in own if u == x])) for x in ("m", "rad")}
    units = {"m": compiled.length, "rad": 1.0}
    seen = 1e-3 * max(sizes[unit] / units[unit] for unit in units)  # the rest is what is left of it
    shown = [f"{s:.3g} {unit}" for unit, s in sizes.items() if not s / units[unit] < seen]
    loop = row.owner, *compiled.loop_joints.get(row.owner, ())
    joints = ", ".join(repr(name) for name in loop)
    return f"{row.label}: the loop of {joints} stays open by {' and '.join(shown)}"


def refuse_rate(compiled: Compiled, rate: Array, size: float, held: str = "") -> None:
    """Raise if drivers ask for velocities that the other constraints do not allow."""
    relative = np.abs(rate) / row_sizes(compiled)
    # a row that follows from others to DEPENDENT has their rate no more exactly than that
    if len(rate) and not np.max(relative) < DEPENDENT * size:
        k = int(np.argmax(np.where(np.isfinite(relative), relative, np.inf)))
        row = compiled.rows[k]
        unit = "1/s" if row.unit == "1" else f"{row.unit}/s"
        raise ModelError.plain(
            f"{contradiction(compiled, rate)}{row.label}: its {row.part} moves with "
            f"{rate[k]:.3g} {unit} at the start whatever the velocities are{_while(held)}, "
            "expected drivers that the constraints can follow"
        )


def redundant(compiled: Compiled) -> tuple[RowRecord, ...]:
    """Rows of a model that were left out because they follow from others."""
    return tuple(compiled.all_rows[k] for k in np.flatnonzero(compiled.left_out))


def transferred(source: Compiled, q: Array, u: Array, target: Compiled) -> tuple[Array, Array]:
    """The state of one compilation of a model as coordinates of another one."""
    out_q, out_u = target.q0.copy(), target.u0.copy()
    for name, record in target.joints.items():
        out_q[record.q], out_u[record.u] = record.from_user(*source.joints[name].to_user(q, u))
    for name, flexible in target.flexible.items():
        own = source.flexible[name]
        out_q[flexible.q], out_u[flexible.u] = q[own.q], u[own.u]
    for name, vectors in target.gradient.items():
        if name in source.gradient:
            mine = source.gradient[name]
            out_q[vectors.q], out_u[vectors.u] = q[mine.q], u[mine.u]
        else:
            motion = rigid_motions(source, q, u)[name]
            out_q[vectors.q], out_u[vectors.u] = vectors.moved(*motion)
    for name, motor in target.motors.items():
        if motor.own:
            out_q[motor.q], out_u[motor.u] = q[source.motors[name].q], u[source.motors[name].u]
    for name, driver in target.extra.items():
        if name in source.extra and not _of_body(driver):
            own_driver = source.extra[name]
            out_q[driver.q], out_u[driver.u] = q[own_driver.q], u[own_driver.u]
    free = [record for record in target.extra.values() if _of_body(record)]
    if free:
        rows = (np.array([0.0]), q[None], u[None], source.z0[None])
        history = RunHistory(RowSets.of(source), *rows)
        for record in free:
            k = source.body_names.index(record.child)
            R, p, V = history.R[0, k], history.p[0, k], history.V[0, k]
            out_q[record.q] = [*matrix_quaternion(R), *p]
            out_u[record.u] = [*(R.T @ V[:3]), *(R.T @ V[3:])]
    return out_q, out_u


def _of_body(record: JointRecord) -> bool:
    """True if coordinates that belong to no joint are those of a free body, not of a driver."""
    return record.name.startswith(FREE) and "." not in record.name  # drivers have parts "name.kind"


def on_constraints(compiled: Compiled, state: State) -> State:
    """A state moved onto the constraints at its time, as little as possible."""
    if not compiled.nr:
        return state
    move = Assembler(compiled.complete)  # the rows in use may be a poor choice here
    q, gap = move.positions(state.t, state.q)
    refuse_gap(move.compiled, gap)
    return replace(state, q=q, u=move.velocities(state.t, q, state.u))


def slackened(compiled: Compiled, t: float, q: Array) -> Array:
    """The configuration q of undeformed bodies, with lines that are too long for it curved."""
    lines = [record for record in compiled.gradient.values() if record.body.along_line]
    if not lines:
        return q
    G = abs(rows_at(compiled, new_work(compiled.ints), t, q, np.zeros(compiled.nu)).sparse)
    touched = _columns(G)
    of_lines = np.zeros(compiled.nu, dtype=bool)
    places = np.zeros(compiled.nu, dtype=bool)
    for record in lines:
        of_lines[record.u] = True
        places[record.u] = np.repeat(record.mesh.places.ravel(), 3)
    # a row without other coordinates than those of lines holds a section, others let it turn
    alone = np.asarray(G[:, np.flatnonzero(~of_lines)].sum(axis=1)).ravel() == 0.0
    clamped = _columns(G[np.flatnonzero(alone)]) & ~places
    for loose in (places, clamped | places):
        move = Assembler(compiled, np.flatnonzero(of_lines & ~(touched & loose)).tolist())
        closed, gap = move.positions(t, q, search=False)
        if np.max(np.abs(gap) / move.sizes, initial=0.0) <= CLOSED:
            break
    else:
        return q
    holds = (touched & places) | clamped
    out, found = closed.copy(), False
    for record in lines:
        shape = record.mesh.rest.shape
        held = np.asarray(holds[record.u].reshape(shape).any(axis=2), dtype=bool)
        old, ends = q[record.q].reshape(shape), closed[record.q].reshape(shape)
        curved = _curved(record, held, old, ends, compiled.gravity)
        if curved is not None:
            out[record.q], found = curved.ravel(), True
    return out if found else q


def _columns(G: Any) -> Booleans:
    """Columns of some rows, all of them positive, that have entries."""
    return np.asarray(np.asarray(G.sum(axis=0)).ravel() > 0.0)


def _curved(
    record: ANCFRecord, held: Booleans, old: Array, ends: Array, gravity: Array
) -> Array | None:
    """Nodal vectors (nodes, V, 3) of a line between its held nodes; None if it is not slack.

    ``held`` (nodes, V) vectors are where they are in ``ends``; ``old`` are those of the body before
    it deforms.
    """
    body = cast("ANCFLine", record.body)
    s, rest = np.asarray(body.stations), record.mesh.rest
    places: list[int] = np.flatnonzero(held[:, 0]).tolist()
    spans = list(pairwise(places))
    lengths = [s[b] - s[a] for a, b in spans]
    whole = np.linalg.norm(rest[places[-1], 0] - rest[places[0], 0]) if spans else 0.0
    if not spans or whole < (1.0 - STRAIGHT) * sum(lengths):
        return None
    chords = [ends[b, 0] - ends[a, 0] for a, b in spans]
    section = body.section.at(0.0)
    radius = min(section.I_y, section.I_z) / section.area
    slack = [
        np.linalg.norm(d) < (1.0 - STRAIGHT - 4.0 * np.pi**2 * radius / n**2) * n
        for d, n in zip(chords, lengths, strict=True)
    ]  # a column that is less compressed than Euler's load does stays straight
    if not any(slack):
        return None
    new = old.copy()
    for k, (a, b) in enumerate(spans):
        clamped = len(spans) > 1 or bool(np.any(held[[a, b], 1:]))
        axes = _axes(chords[k], old[a, 1], old[a, 2:], (section.I_y, section.I_z), gravity)
        straight = _turn(old[a, 1] / np.linalg.norm(old[a, 1]), axes[0])
        x = (s[a : b + 1] - s[a]) / lengths[k]
        part = min(float(np.linalg.norm(chords[k])) / lengths[k], 1.0)
        phi, along = curve(x, part if slack[k] else 1.0, clamped)
        stretch = 1.0 if slack[k] else float(np.linalg.norm(chords[k])) / lengths[k]
        new[a : b + 1, 0] = ends[a, 0] + stretch * lengths[k] * along @ axes[:2]
        turned = np.array([_about(axes[2], angle) @ straight for angle in phi])
        new[a : b + 1, 1:] = np.einsum("nij,nvj->nvi", turned, old[a : b + 1, 1:])
        tails = [(slice(0, a), a, 0)] if k == 0 else []
        tails += [(slice(b + 1, None), b, -1)] if b == places[-1] else []
        for tail, node, side in tails:  # what is free follows as it is
            new[tail, 1:] = old[tail, 1:] @ turned[side].T
            new[tail, 0] = ends[node, 0] + (old[tail, 0] - old[node, 0]) @ turned[side].T
    new[held] = ends[held]
    return new


def curve(x: Array, part: float, clamped: bool) -> tuple[Array, Array]:
    """Angles (n,) rad and places (n, 2) of a curve of length 1 whose ends are ``part`` apart.

    Parameters
    ----------
    x : (n,) arc lengths from 0 to 1
    part : distance of the ends, which are on the first axis
    clamped : whether the angle is zero at the ends
    """
    pieces = np.repeat(np.diff(x), count := -(-PIECES // (len(x) - 1))) / count
    first = np.concatenate([[0.0], np.cumsum(pieces)[:-1]])
    points = (first[:, None] + 0.5 * pieces[:, None] * (1.0 + GAUSS[0])).ravel()
    weights = (0.5 * pieces[:, None] * GAUSS[1]).ravel()

    def shape(s: Array) -> Array:
        return np.asarray(np.sin(2.0 * np.pi * s) if clamped else 1.0 - 2.0 * s)

    def apart(A: float) -> float:
        return float(weights @ np.cos(A * shape(points))) - part

    A, steps = 0.0, np.linspace(0.0, LARGEST, TRIES)[1:]
    if part < 1.0:
        last = next((k for k, a in enumerate(steps) if apart(a) <= 0.0), len(steps) - 1)
        A = _zero(apart, steps[last - 1] if last else 0.0, steps[last])
    angle = A * shape(points)
    parts = weights[:, None] * np.array([np.cos(angle), np.sin(angle)]).T
    own = parts.reshape(len(x) - 1, -1, 2).sum(axis=1)
    return A * shape(x), np.concatenate([np.zeros((1, 2)), np.cumsum(own, axis=0)])


def _zero(f: Callable[[float], float], low: float, high: float) -> float:
    """Zero of a function that changes its sign between two values."""
    positive = f(low) > 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (f(middle) > 0.0) == positive else (low, middle)
    return 0.5 * (low + high)


def _axes(
    chord: Array, tangent: Array, others: Array, moments: tuple[float, float], gravity: Array
) -> Array:
    """Axes (3, 3) of a curve: along its chord, where it sags, and across."""
    x, size = chord, float(np.linalg.norm(tangent))
    if np.linalg.norm(x) < 1e-6 * size:  # its ends meet
        x = np.cross(np.cross(gravity, tangent), gravity) if np.any(gravity) else tangent
        x = x if np.linalg.norm(x) > 1e-9 * size * float(gravity @ gravity) else tangent
    x = x / np.linalg.norm(x)
    soft = others[0 if moments[1] <= moments[0] else 1] if len(others) else np.eye(3)[1]
    for y in (gravity, soft, *np.eye(3)):
        across = y - (y @ x) * x
        if np.linalg.norm(across) > 1e-3 * np.linalg.norm(y):
            break
    y = across / np.linalg.norm(across)
    return np.array([x, y, np.cross(x, y)])


def _about(axis: Array, angle: float) -> Array:
    """Rotation (3, 3) about an axis of length 1."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Array = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return turned


def _turn(a: Array, b: Array) -> Array:
    """The smallest rotation (3, 3) from one direction to another."""
    axis = np.cross(a, b)
    size = float(np.linalg.norm(axis))
    if size < 1e-12:
        axis = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    return _about(axis / np.linalg.norm(axis), float(np.arctan2(size, a @ b)))
