"""Bodies as a model uses them: what is cut into parts gets ends of parts where it is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from supple.forces import DistributedLoad
from supple.frames import Body, Frame


def written_bodies(bodies: Mapping[str, Body], items: Iterable[Any]) -> Mapping[str, Body]:
    """The bodies by name; those that are cut have ends of parts at all places that items use."""
    cut = {name: body for name, body in bodies.items() if body.divides}
    if not cut:
        return bodies
    used: dict[str, list[Frame]] = {name: [] for name in cut}
    for item in items:
        for frame in () if isinstance(item, Body) else item.frames.values():
            if frame.body.name in used:
                used[frame.body.name].append(frame)
        if isinstance(item, DistributedLoad) and item.frame.body.name in used:
            name = item.frame.body.name
            used[name].append(Frame(item.frame.body, (item.end, 0.0, 0.0)))
    return {n: cut[n].divided(used[n]) if n in cut else body for n, body in bodies.items()}
