"""Output times within short contacts and pulses, which equal intervals may pass over.

A stop that is touched for less than an interval of output exerts nothing at any output time. The
instants at which stops begin and end to touch are found by events of a run of their own; signals
know where they are not smooth. Between two such instants that are close the output is denser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from supple.events import Event
from supple.forces import JointStop
from supple.foundation.errors import SuppleError
from supple.model import Model
from supple.results.result import Result

Array = NDArray[np.float64]

PARTS = 32  # of a short contact or pulse
FEW = 16.0  # intervals of output: instants that are closer are looked at
MOST = 500  # pairs of instants; of more the first ones

Scout = Callable[[Sequence[Event]], Result]


def short_times(model: Model, begin: float, end: float, interval: float, scout: Scout) -> Array:
    """Times (k,) between instants at which forces are not smooth and that are close.

    ``scout`` makes a run of the model with further events.
    """
    instants = [t for item in (*model.forces.values(), *model.constraints.values())
                for t in item.breakpoints]  # fmt: skip
    touches = tuple(_touches(model))
    if touches:
        names = {event.name for event in touches}
        try:
            instants += [found.t for found in scout(touches).events if found.name in names]
        except SuppleError:  # the run itself tells why
            pass
    return _between([t for t in instants if begin <= t <= end], interval)


def _between(instants: Iterable[float], interval: float) -> Array:
    close = [(a, b) for a, b in pairwise(sorted(set(instants))) if b - a < FEW * interval]
    found = [np.linspace(a, b, PARTS + 1) for a, b in close[:MOST]]
    return np.concatenate(found) if found else np.zeros(0)


def _touches(model: Model) -> Iterator[Event]:
    """Events at which stops of joints begin and end to touch."""
    for stop in model.forces.values():
        if not isinstance(stop, JointStop) or stop.joint not in model.joints:
            continue
        for side, limit in (("lower", stop.lower), ("upper", stop.upper)):
            if np.isfinite(limit):
                yield Event(
                    f"{stop.name} touches {side}",
                    stop.joint,
                    coordinate=stop.coordinate,
                    value=limit,
                    terminal=False,
                )
