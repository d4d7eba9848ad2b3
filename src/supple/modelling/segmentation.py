"""Segment ends at every place that the model uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from supple.forces import DistributedLoad
from supple.foundation.frames import Body, Frame


def discretised_bodies(bodies: Mapping[str, Body], items: Iterable[Any]) -> Mapping[str, Body]:
    """Bodies by name as the engine computes with them.

    Those that are divided have ends of segments, or nodes, at all places that items use.
    """
    used: dict[str, list[Frame]] = {name: [] for name, body in bodies.items() if body.divides}
    if not used:
        return bodies
    from supple.bodies.discretisation import divided

    for item in items:
        for frame in used_frames(item):
            if frame.body.name in used:
                used[frame.body.name].append(frame)
    return {n: divided(body, used[n]) if n in used else body for n, body in bodies.items()}


def used_frames(item: Any) -> tuple[Frame, ...]:
    """Places that an item of a model uses of bodies, the end of a distributed load included."""
    frames = () if isinstance(item, Body) else tuple(item.frames.values())
    if isinstance(item, DistributedLoad):
        frames += (Frame(item.frame.body, (item.end, 0.0, 0.0)),)
    return frames
