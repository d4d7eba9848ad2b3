"""Findings about contacts: overlaps, points too far apart, friction that creeps, rough grids."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.bodies.shapes.gears import InvoluteGear
from supple.bodies.shapes.height_field import HeightField
from supple.bodies.shapes.lines import Line
from supple.bodies.shapes.mesh import MeshShape
from supple.forces import Contact, Contacts, HuntCrossley, RoundedFriction, Tyre
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import label
from supple.results.data.findings import RunFinding
from supple.results.data.run_data import depth_of, jump_of, passages_of, share_of
from supple.results.motion.impact_findings import impact_findings, rolling_findings
from supple.results.motion.line_findings import line_findings
from supple.results.motion.tyre_findings import tyre_findings

if TYPE_CHECKING:
    from supple.results.result import Result

SERIOUS = 5.0  # times the allowed depth: a quarter of a radius, half of a thickness
RESERVE = 1.2  # of the stiffness that is advised
# Where the least radius of surfaces is among their sizes; None of edges
ROUND: dict[str, int | None] = {"ball": 0, "bar": 0, "cylinder": 0, "ring": 1, "box": None}
STICKS = 2.0  # transitions, below which friction is held to stick: the law has 0.89 of its force
LOST = 10.0  # times the kinetic energy, that friction takes from what creeps and does not coast
ROUGH = 0.5  # of the allowed depth of a mesh: 0.05 of its least size
TILTED, ASKEW = 0.02, 0.1  # rad between axes of gears: squares of 4e-4 and 1 %
LOOKS = 50  # output times at which pairs found by cells are looked at
FAR, WIDE = 0.01, 0.1  # lengths of the model: a way that is told, and a serious one


def contact_findings(result: Result) -> Iterator[RunFinding]:
    """Contacts that overlap too far, creep, miss what they touch, or hit unlike their laws."""
    for force in result.forces.values():
        if isinstance(force, Contact | Contacts | Tyre):
            yield from _missed(result, force)
        if isinstance(force, Tyre):
            yield from tyre_findings(result, force)
        if isinstance(force, Contact):
            yield from _depth(result, force)
            yield from _hollow(result, force)
            yield from _border(result, force)
            yield from _grid(force)
            yield from _spacing(result, force)
            yield from _between(result, force)
            yield from rolling_findings(result, force)
            yield from impact_findings(result, force)
            yield from line_findings(result, force)
            if isinstance(force.A, InvoluteGear) and isinstance(force.B, InvoluteGear):
                yield from _tilt(result, force, force.A, force.B)
        elif isinstance(force, Contacts):
            yield from _depth_of_set(result, force)
        else:
            continue
        friction = force.friction
        if isinstance(friction, RoundedFriction) and len(result.t) > 2:
            looks: Iterable[Slips]
            if isinstance(force, Contact):
                view = result[force.name]
                looks = [(np.arange(len(result.t)), view.slips, view.normal_forces)]
            else:
                looks = _slips_of_set(result, force, friction)
            yield from _creep(result, force, friction.transition, looks)


def _depth(result: Result, force: Contact) -> Iterator[RunFinding]:
    """The law holds for overlaps that are small beside the bodies; the largest of all steps counts.

    A hit of the same energy is as deep as k^(-1/(m + 1)) in the stiffness k, a load as k^(-1/m).
    """
    allowed = force.allowed_depth
    depth = float(result.statistics.get(depth_of(force.name), 0.0))
    if allowed is None or not depth > allowed:
        return
    stiffness, exponent = force.push()
    needed = RESERVE * stiffness * (depth / allowed) ** (exponent + 1.0)
    yield RunFinding(
        force.name,
        "depth",
        depth,
        allowed,
        None,
        depth > SERIOUS * allowed,
        f"{label(force)}: bodies overlap by {depth:.2g} m, expected at most {allowed:.2g} m, "
        "0.05 of a radius, 0.1 of a thickness, or the radii of both edges of boxes, for which laws "
        f"of contact hold: use a stiffness of {needed:.1e}",
    )


def _missed(result: Result, force: Contact | Contacts | Tyre) -> Iterator[RunFinding]:
    """The search for touches excludes both; this is seen at accepted steps, without it."""
    through = float(result.statistics.get(passages_of(force.name), 0.0))
    jump = float(result.statistics.get(jump_of(force.name), 0.0))
    advice = "use Radau() or a smaller max_step, and report it"
    if through > 0.0:
        yield RunFinding(
            force.name,
            "passed through",
            through,
            0.0,
            None,
            True,
            f"{label(force)}: bodies passed through each other in {through:.0f} steps without a "
            f"touch: {advice}",
        )
    if jump > 0.0:
        yield RunFinding(
            force.name,
            "passed through",
            jump,
            0.0,
            None,
            True,
            f"{label(force)}: a step that began before a touch ended with an overlap of "
            f"{jump:.2g} m, for which its law does not hold: {advice}",
        )


def _hollow(result: Result, force: Contact) -> Iterator[RunFinding]:
    """A ball that is larger than a hollow touches both of its sides, one of which is seen."""
    sizes = force.hollow
    if sizes is None or not float(result.statistics.get(depth_of(force.name), 0.0)) > 0.0:
        return
    radius, least = sizes
    yield RunFinding(
        force.name,
        "hollow",
        radius,
        least,
        None,
        False,
        f"{label(force)}: a ball with the radius {radius:.3g} m rolls on a surface with hollows "
        f"of {least:.3g} m, where it touches two places and one is seen, expected a smaller ball "
        "or wider hollows",
    )


def _border(result: Result, force: Contact) -> Iterator[RunFinding]:
    """Where a contact is outside of the grid of a ground, at output times."""
    for field in (force.A, force.B):
        if not isinstance(field, HeightField) or field.frame is None:
            continue
        view, place = result[force.name], result.point(field.frame)
        way = view.points - place.position[:, None]
        local = np.einsum("tji,tnj->tni", place.matrix, way) - field.position
        xy = (local @ field.rotation)[..., :2]
        most = field.spacing * (np.array(field.heights.shape) - 1)
        out = np.maximum(np.maximum(-xy, xy - most).max(axis=2), 0.0) * (view.gaps < 0.0)
        if not out.max(initial=0.0) > 0.0:
            continue
        k = int(np.argmax(out.max(axis=1) > 0.0))
        yield RunFinding(
            force.name,
            "border",
            float(out.max()),
            0.0,
            float(result.t[k]),
            True,
            f"{label(force)} is up to {out.max():.2g} m outside of the grid of its HeightField "
            f"from t = {result.t[k]:.3g} s on, expected bodies to stay on it: give more heights",
        )


def _grid(force: Contact) -> Iterator[RunFinding]:
    """The surface of a grid is that of the mesh, but for its error."""
    for shape in (force.A, force.B):
        if not isinstance(shape, MeshShape) or not shape.grid_error > shape.allowed_depth * ROUGH:
            continue
        error, allowed = shape.grid_error, shape.allowed_depth * ROUGH
        yield RunFinding(
            force.name,
            "grid",
            error,
            allowed,
            None,
            error > SERIOUS * allowed,
            f"{label(force)}: the surface that is touched is up to {error:.2g} m off the mesh, "
            f"expected at most {allowed:.2g} m, 0.05 of its least size: edges are rounded by the "
            f"grid; give more cells than {shape.cells}",
        )


def _spacing(result: Result, force: Contact) -> Iterator[RunFinding]:
    """Balls L apart see nothing of L^2/(8 R) of a round body, R with their own radius.

    It is told where that body came so near, and more than the depth that laws hold for.
    """
    pairs = force.pairs()
    if not pairs:  # two lines, which have balls between their points
        return
    surface = pairs[0].surface
    shape, other = (force.A, force.B) if pairs[0].swapped else (force.B, force.A)
    spacing = shape.ball_distance
    if spacing is None or surface.inside or surface.kind not in ROUND:
        return
    place = ROUND[surface.kind]
    known = [s.allowed_depth for s in (shape, other) if s.allowed_depth is not None]
    own = max(ball.radius for ball in shape.touching_balls)
    radius = own + (0.0 if place is None else surface.sizes[place])
    if not known or radius == 0.0:
        return
    limit = min(known)
    hidden = spacing**2 / (8.0 * radius)
    if not hidden > limit or not float(result[force.name].gap.min()) < hidden:
        return
    near, count = math.sqrt(8.0 * radius * limit), len(shape.touching_balls)
    advice = f"have nodes at most {near:.2g} m apart"
    if isinstance(shape, Line):
        advice = f"use points={math.ceil(spacing * (count - 1) / near) + 1}"
    yield RunFinding(
        force.name,
        "points",
        hidden,
        limit,
        None,
        hidden > SERIOUS * limit,
        f"{label(force)}: points {spacing:.2g} m apart see nothing of {hidden:.2g} m of a "
        f"body with a radius of {radius - own:.2g} m, expected at most {limit:.2g} m, 0.05 of a "
        f"radius or 0.1 of a thickness: {advice}",
    )


def _between(result: Result, force: Contact) -> Iterator[RunFinding]:
    """A solid touches grounds and meshes by balls or discs, between which peaks may enter it.

    It is told where a knot or a corner is deeper in the solid than any of its balls in the ground.
    """
    for ground, solid in ((force.A, force.B), (force.B, force.A)):
        core = solid.touching_core
        if core is None or not isinstance(ground, HeightField | MeshShape):
            continue
        assert ground.frame is not None and solid.frame is not None
        points = ground.surface().points
        below, above = result.point(ground.frame), result.point(solid.frame)
        deepest, when = 0.0, 0.0
        for k in np.unique(np.linspace(0, len(result.t) - 1, LOOKS).astype(int)).tolist():
            place = below.position[k] + points @ np.asarray(below.matrix[k]).T
            local = (place - above.position[k]) @ np.asarray(above.matrix[k])
            depth = float(core.depths((local - core.pose.p) @ core.pose.R).max(initial=0.0))
            if depth > deepest:
                deepest, when = depth, float(result.t[k])
        known = [s.allowed_depth for s in (ground, solid) if s.allowed_depth is not None]
        seen = float(result.statistics.get(depth_of(force.name), 0.0))
        limit = seen + min(known, default=0.0)
        if deepest > limit:
            yield RunFinding(
                force.name,
                "between",
                deepest,
                limit,
                when,
                True,
                f"{label(force)}: a peak of the {type(ground).__name__} is {deepest:.2g} m within "
                f"the {type(solid).__name__} at t = {when:.3g} s, between the balls or discs by "
                f"which that touches, expected at most {limit:.2g} m: take several smaller shapes "
                "in place of it",
            )


def _depth_of_set(result: Result, force: Contacts) -> Iterator[RunFinding]:
    """The same for a set: the largest overlap of a pair over what its own bodies allow counts."""
    over = float(result.statistics.get(share_of(force.name), 0.0))
    if not over > 1.0:
        return
    depth, exponent = float(result.statistics[depth_of(force.name)]), 1.5
    if isinstance(force.law, HuntCrossley):
        exponent = force.law.exponent
    yield RunFinding(
        force.name,
        "depth",
        over,
        1.0,
        None,
        over > SERIOUS,
        f"{label(force)}: bodies overlap by up to {depth:.2g} m, two of them by {over:.2g} times "
        "what is expected at most, 0.05 of a radius or 0.1 of a thickness, for which laws of "
        f"contact hold: use a stiffness {RESERVE * over ** (exponent + 1.0):.2g} times as large",
    )


def _tilt(
    result: Result, force: Contact, first: InvoluteGear, second: InvoluteGear
) -> Iterator[RunFinding]:
    """Gears are plane: what their axes tilt by enters with its square, which is neglected."""
    here, there = (np.asarray(result[frame].matrix) for frame in force.frames.values())
    sine = np.linalg.norm(np.cross(here @ first.axis, there @ second.axis), axis=1)
    tilt = float(np.arcsin(np.minimum(np.nanmax(sine, initial=0.0), 1.0)))
    if not tilt > TILTED:
        return
    yield RunFinding(
        force.name,
        "tilt",
        tilt,
        TILTED,
        None,
        tilt > ASKEW,
        f"{label(force)}: axes of its gears are {tilt:.2g} rad apart, expected parallel ones, "
        f"within {TILTED} rad: their teeth are those of spur gears",
    )


Slips = tuple[Indices, Array, Array]  # numbers of output times; slip (nk, n, 3) and push (nk, n)


def _creep(
    result: Result, force: Contact | Contacts, transition: float, looks: Iterable[Slips]
) -> Iterator[RunFinding]:
    """Way made at a steady speed below twice the transition, while friction takes all energy."""
    size, farthest = result.data.compiled.length, 0.0
    for ks, slips, pushes in looks:
        t, kinetic = result.t[ks], result.energy.kinetic[ks]
        taken = np.diff(result[force.name].lost_by_friction[ks])
        for v, push in zip(np.moveaxis(slips, 1, 0), pushes.T, strict=True):
            slow = (np.linalg.norm(v, axis=1) < STICKS * transition) & (push > 0.0)
            both = slow[1:] & slow[:-1]
            lost = float(np.sum(taken[both]))
            if not both.any() or lost < LOST * float(kinetic[1:][both].max()):
                continue  # it coasts
            steps = np.where(both, np.diff(t), 0.0)
            moved = np.cumsum(0.5 * (v[1:] + v[:-1]) * steps[:, None], axis=0)
            ways = np.concatenate([np.zeros((1, 3)), moved])
            way = float(np.linalg.norm(np.ptp(ways, axis=0)))
            if way > max(FAR * size, farthest):
                farthest, begin, time = way, float(t[int(np.argmax(both))]), float(steps.sum())
    if farthest > 0.0:
        advice = "Friction, which sticks"
        if isinstance(force, Contacts):
            advice = f"a smaller one, or with cells=False {advice}"
        yield RunFinding(
            force.name,
            "creep",
            farthest / size,
            FAR,
            begin,
            farthest > WIDE * size,
            f"{label(force)} slides by {farthest:.2g} m in {time:.3g} s from t = {begin:.3g} s on, "
            f"where dry friction sticks: below its transition of {transition:.2g} m/s a rounded "
            f"law creeps; use {advice}",
        )


def _slips_of_set(result: Result, force: Contacts, friction: RoundedFriction) -> Iterator[Slips]:
    """Of contacts of their own, and of pairs found by cells at some of the output times."""
    view, every = result[force.name], np.arange(len(result.t))
    history = view._set
    own = history.each()
    for _, one in own:
        yield every, one.slip, one.push
    ks = np.unique(np.linspace(0, len(every) - 1, min(len(every), LOOKS)).astype(int))
    single = {contact.name for contact, _ in own}
    names: dict[tuple[int, int], int] = {}
    found = list[tuple[int, int, Array, float]]()
    mu = cast(Any, friction.mu)[0] * friction.static_ratio
    for i, k in enumerate(ks.tolist()):
        for pair in history.pairs(k):
            if f"{force.name}[{pair.shapes[0]},{pair.shapes[1]}]" not in single:
                # |t| = mu N v/sqrt(v^2 + v0^2)
                part = pair.friction_force / (mu * pair.normal_force or math.inf)
                rest = math.sqrt(max(1.0 - float(part @ part), 1e-6))
                place = names.setdefault(pair.shapes, len(names))
                found.append((i, place, -friction.transition / rest * part, pair.normal_force))
    slips, pushes = np.zeros((len(ks), len(names), 3)), np.zeros((len(ks), len(names)))
    for i, place, slip, push in found:
        slips[i, place], pushes[i, place] = slip, push
    yield ks, slips, pushes
