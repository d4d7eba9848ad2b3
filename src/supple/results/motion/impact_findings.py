"""Findings about contacts that touch: hits, let-go, friction that gives back, rolling."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.shapes.gears import InvoluteGear
from supple.forces import Contact, Friction
from supple.foundation.arrays import Booleans
from supple.foundation.errors import label

if TYPE_CHECKING:
    from supple.results.data.run_data import TouchRecord
    from supple.results.result import Result

from supple.results.data.findings import RunFinding

FASTER = 2.0  # times the speed of the law, or one over it, of a hit whose restitution is another
OTHER = 0.05  # difference of both restitutions
COUNTS = 0.01  # part of the largest kinetic energy that must be meant
RADIUS = 2e-3  # part of a radius by which what rolls has a smaller one
RESERVE = 1.2  # of the stiffness that is advised
GIVEN_BACK = 0.1  # of the energy that friction takes
LET_GO, LONG = 0.5, 0.01  # parts of the time of touching, and of the run, without push


def restitution_at(restitution: float, ratio: float, damping: float) -> float:
    """Restitution of a law at ``ratio`` times its speed; ``damping`` is that times its speed.

    The solution of (1 + z)/(1 - e z) = exp(z (1 + e)) with z = ratio damping.
    """
    z = ratio * damping
    if z == 0.0:
        return restitution
    low, high = 0.0, min(1.0, 1.0 / z)
    for _ in range(60):
        e = 0.5 * (low + high)
        rest = 1.0 - e * z
        if rest > 0.0 and math.log1p(z) - math.log(rest) < z * (1.0 + e):
            low = e
        else:
            high = e
    return 0.5 * (low + high)


def impact_findings(result: Result, force: Contact) -> Iterator[RunFinding]:
    """Hits far from the speed of the law, surfaces that let go, friction that gives back."""
    touches = [one for one in result.data.touches if one.contact == force.name]
    if touches and len(result.t) > 1:
        kinetic = float(result.data.audit.kinetic_max)
        yield from _restitution(result, force, touches, kinetic)
        yield from _let_go(result, force, touches)
        if isinstance(force.friction, Friction):
            yield from _gives_back(result, force, touches, kinetic)


def _hits(result: Result, touches: list[TouchRecord]) -> list[TouchRecord]:
    """Touches that begin and end within the run."""
    begin, end = float(result.t[0]), float(result.t[-1])
    return [one for one in touches if one.begin > begin and one.end < end]


def _restitution(
    result: Result, force: Contact, touches: list[TouchRecord], kinetic: float
) -> Iterator[RunFinding]:
    """The fastest hit decides: slower ones of what comes to rest lose less, as real ones do."""
    law, hits = force.law, _hits(result, touches)
    if not hits or law.restitution == 1.0:
        return
    fastest = max(hits, key=lambda one: one.speed)
    ratio = fastest.speed / law.speed
    e = restitution_at(law.restitution, ratio, law.damping * law.speed)
    # a hit of the energy E = impulse speed/(2 (1 + e)) loses the part 1 - e^2 of it
    hit = sum(one.push * one.speed for one in hits) / (2.0 * (1.0 + e))
    energy = abs(law.restitution**2 - e**2) * hit
    far = ratio > FASTER or ratio < 1.0 / FASTER
    if not far or abs(e - law.restitution) <= OTHER or not energy > COUNTS * kinetic:
        return
    yield RunFinding(
        force.name,
        "restitution",
        ratio,
        FASTER if ratio > 1.0 else 1.0 / FASTER,
        fastest.begin,
        False,
        f"{label(force)}: bodies hit with {fastest.speed:.3g} m/s, where the law has a restitution "
        f"of {e:.2f}; {law.restitution:.2f} holds at its speed of {law.speed:.3g} m/s: use "
        f"speed={fastest.speed:.3g}, unless that trend is meant",
    )


def _let_go(result: Result, force: Contact, touches: list[TouchRecord]) -> Iterator[RunFinding]:
    idle, total = sum(one.idle for one in touches), sum(one.end - one.begin for one in touches)
    length = float(result.t[-1] - result.t[0])
    if not (idle > LET_GO * total and idle > LONG * length):
        return
    yield RunFinding(
        force.name,
        "let go",
        idle / total,
        LET_GO,
        touches[0].begin,
        False,
        f"{label(force)}: bodies overlap without a push for {idle:.2g} s, as they are pulled apart "
        "faster than the damping of the law lets their surfaces spring back: use a higher "
        "restitution or speed",
    )


def _gives_back(
    result: Result, force: Contact, touches: list[TouchRecord], kinetic: float
) -> Iterator[RunFinding]:
    """Dry friction takes energy only; what a spring with little damping gives back turns bodies.

    With the damping that is advised a body vibrates on that spring with half of critical damping,
    and a ball, whose surface is moved by 2/7 of its mass, with 0.94 of it.
    """
    hits = _hits(result, touches)
    taken, back = sum(one.taken for one in hits), sum(one.back for one in hits)
    if not (back > GIVEN_BACK * taken and back > COUNTS * kinetic):
        return
    bodies = result.data.model.bodies
    found = force.bristle(bodies)
    assert found is not None
    advised = math.sqrt(found[0] * force.lighter_mass(bodies))
    yield RunFinding(
        force.name,
        "gives back",
        back / taken,
        GIVEN_BACK,
        hits[0].begin,
        False,
        f"{label(force)}: in hits the spring of its friction gives back {back:.2g} J of "
        f"{taken:.2g} J, expected at most {GIVEN_BACK:g} of it, as dry friction gives back "
        f"nothing: use Friction with damping={advised:.2g}",
    )


def rolling_findings(result: Result, force: Contact) -> Iterator[RunFinding]:
    """What is pressed in by p rolls as if smaller in radius by p/2; gears keep their ratio."""
    if force.friction is None or len(result.t) < 3 or isinstance(force.A, InvoluteGear):
        return
    for shape in (force.A, force.B):
        radius = getattr(shape, "radius", None)
        if radius is None or getattr(shape, "inside", False):
            continue
        radius += getattr(shape, "section", 0.0)
        view = result[force.name]
        held = view.touching
        if np.mean(held) < LET_GO:
            return
        rolled = _rolled(result, force, view, held)
        off = 0.5 * float(np.mean(view.depth[held])) / radius
        if rolled < 1.0 or off <= RADIUS:
            continue
        stiffness, exponent = force.push()
        needed = RESERVE * stiffness * (off / RADIUS) ** exponent
        yield RunFinding(
            force.name,
            "rolling",
            off,
            RADIUS,
            None,
            False,
            f"{label(force)}: what rolls is pressed in, so that its radius is {off:.2g} of it "
            f"smaller, expected at most {RADIUS:g}: use a stiffness of {needed:.1e}",
        )
        return


def _rolled(result: Result, force: Contact, view: Any, held: Booleans) -> float:
    """Largest angle by which one body rolls on the other while they touch, rad."""
    spins = []
    for frame in force.frames.values():
        if frame.body.name == "ground":
            spins.append(np.zeros((len(result.t), 3)))
            continue
        found = getattr(result[frame.body.name], "angular_velocity", None)
        if found is None:
            return 0.0
        spins.append(found)
    w, n = spins[1] - spins[0], view.normals.mean(axis=1)
    w = w - np.sum(w * n, axis=1, keepdims=True) * n
    steps = np.diff(result.t)[:, None] * (held[1:] & held[:-1])[:, None]
    turned = np.cumsum(0.5 * (w[1:] + w[:-1]) * steps, axis=0)
    return float(np.linalg.norm(turned, axis=1).max(initial=0.0))
