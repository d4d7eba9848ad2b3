"""From a result to a scene: all bodies, then signs in proportion to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import SuppleError
from supple.visualization.scene import Scene, body_things, bounds
from supple.visualization.symbols import Signs, world

if TYPE_CHECKING:
    from supple.results.result import Result

MOST_FRAMES = 300
MOST_REACTIONS = 60  # joints whose forces are drawn
# Sizes of signs, in sizes of the scene, and at most in those of bodies, so as not to hide them.
UNIT, UNIT_OF_BODY = 0.0095, 0.08


def chosen_times(t: Array, frames: int) -> Indices:
    """Numbers of at most ``frames`` of the output times, evenly over the run."""
    most = validate.integer("pictures", "frames", frames, 2, "a number of pictures, 2 or more")
    if len(t) <= most:
        return np.arange(len(t))
    wanted = np.linspace(t[0], t[-1], most)
    after = np.clip(np.searchsorted(t, wanted), 1, len(t) - 1)
    nearer = np.where(wanted - t[after - 1] < t[after] - wanted, after - 1, after)
    return np.unique(nearer)


def draw(result: Result, frames: int = MOST_FRAMES, reactions: bool = False) -> Scene:
    """The scene of a result at some of its output times.

    With ``reactions`` it has the forces of joints, if these are not too many.
    """
    if not len(result.t):
        raise SuppleError("pictures: the result has no output times, expected at least one")
    which = chosen_times(result.t, frames)
    some = result if len(which) == len(result.t) else type(result)(result.data.at(which))
    bodies = body_things(some)
    low, high = bounds(bodies, len(some.t))
    # where joints, springs and the like are
    items: list[Any] = [*some.joints.values(), *some.forces.values(), *some.constraints.values()]
    for frame in (f for item in items for f in item.frames.values()):
        place = some[frame].position
        low = np.minimum(low, np.nanmin(place, axis=0))
        high = np.maximum(high, np.nanmax(place, axis=0))
    reach = float(np.linalg.norm(high - low)) or 1.0
    sizes = [float(np.ptp(one.points, axis=0).max()) for one in bodies if len(one.points) > 1]
    unit = min(UNIT * reach, UNIT_OF_BODY * float(np.median(sizes)) if sizes else np.inf)
    gravity = np.asarray(result.model.gravity, dtype=float)
    size = float(np.linalg.norm(gravity))
    up = -gravity / size if size else np.array([0.0, 0.0, 1.0])
    signs = Signs(some, unit, reach)
    found = list(bodies)
    history, names = some.data.history, list(some.data.compiled.body_names)
    for one in bodies:
        body = some.bodies[one.name]
        surface = body.surface() if one.opacity < 1.0 else None
        if surface is not None and surface.hub is not None:
            k = names.index(one.name)
            pose = history.R[:, k], history.p[:, k]
            found += signs.bars(one.name, surface.hub, one.colour, pose)
    found += signs.all()
    if reactions and len(some.joints) <= MOST_REACTIONS:
        # those of the whole result, which are found once
        found += signs.joint_forces({name: result[name].force[which] for name in some.joints})
    side = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    side = side / np.linalg.norm(side)
    aside = 0.5 * np.abs(side) @ (high - low) + 0.12 * reach
    corner = 0.5 * (low + high) + aside * side + 0.5 * np.abs(up) @ (high - low) * up
    found += world(len(some.t), unit, reach, gravity, corner)
    return Scene(result.model.name, np.asarray(some.t), found, up, low, high)
