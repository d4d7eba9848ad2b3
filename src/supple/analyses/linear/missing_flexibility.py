"""Errors of a stiffness at a frame by few modes of flexible bodies.

A monitor looks at the loads that act. Where the question is what a load would do, it is asked of
another model: each flexible body with static shapes for everything that is attached, a load at
the frame among it, on a finer mesh (`supple.bodies.base.refinement`), in the same
equilibrium.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.bodies.base.refinement import exact_statics, leaves_shapes_out
from supple.engine.pack.builder import Compiled
from supple.forces import Force
from supple.foundation.arrays import Array
from supple.foundation.errors import percent
from supple.foundation.frames import Body, Frame
from supple.model import Model
from supple.results.checks.reduced_bodies import NAMED, RIGID
from supple.results.data.findings import Finding, Monitor

LIMIT, SERIOUS = 0.02, 0.1  # part of the flexibility, as of frequencies
LOAD = "load that is asked for"
NONE = 1e-9  # of the largest compliance: rounding


def finer_model(model: Model, at: Frame | None = None) -> tuple[Model, tuple[Body, ...]]:
    """A copy with exact statics, and the bodies of the model of which it has others.

    For loads at a frame, and where something acts.
    """
    finer, refined = model.copy(), []
    for name, body in model.bodies.items():
        fields = exact_statics(body)
        if fields:
            finer.replace(name, **fields)
            refined.append(body)
    if refined and at is not None:
        name = LOAD
        while name in finer:
            name += "'"
        finer.add(Force(name, Frame(finer.bodies[at.body.name], at.position, at.rotation)))
    return finer, tuple(refined)


def carried(source: Compiled, q: Array, target: Compiled) -> Array:
    """Coordinates of another compilation: the same of joints, of bodies where they are the same."""
    found = target.q0.copy()
    for group in ("joints", "extra", "motors", "flexible", "gradient"):
        theirs = getattr(source, group)
        for name, record in getattr(target, group).items():
            if name not in theirs or not getattr(record, "own", True):
                continue
            other = theirs[name]
            if group in ("flexible", "gradient"):
                if record.coordinate_names != other.coordinate_names:
                    continue
            found[record.q] = q[other.q]
    return found


def with_flexibility(
    monitor: Monitor, bodies: Sequence[Body], directions: Sequence[str], given: Array, right: Array
) -> Monitor:
    """A monitor with a finding, if compliances (n,) along directions are too small.

    ``bodies`` are those that were refined for the right ones.
    """
    size = float(np.abs(right).max(initial=0.0))
    missing = np.where(right > NONE * size, 1.0 - given / np.maximum(right, 1e-300), 0.0)
    k = int(np.argmax(missing))
    part, names = float(missing[k]), [body.name for body in bodies if body.name in monitor.bodies]
    if not part > LIMIT or not names:
        return monitor
    some = [f"'{name}'" for name in names[:NAMED]] + ["others"] * (len(names) > NAMED)
    listed = f"{', '.join(some[:-1])} and {some[-1]}" if len(some) > 1 else some[0]
    how = "cannot deform" if part >= RIGID else f"is {percent(part / (1.0 - part))} too stiff"
    advice = "use more elements"
    if any(leaves_shapes_out(body) for body in bodies):
        advice = (
            "use modes='all', or modes=AttachmentModes(n) with a Force at the frame, whose "
            "components may be zero"
        )
    sentence = (
        f"flexible {'bodies' if len(some) > 1 else 'body'} {listed}: with the present modes and "
        f"elements the model {how} for a load along {directions[k]!r}, expected at most "
        f"{percent(LIMIT)}: {advice}"
    )
    finding = Finding(names[0], "flexibility", part, LIMIT, None, part > SERIOUS, sentence)
    return monitor.adding([finding])
