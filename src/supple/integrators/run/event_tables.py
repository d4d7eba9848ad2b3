"""Events as numbers for the step loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.run import step as st
from supple.engine.base.compiled import Compiled
from supple.events import Event
from supple.foundation.errors import ModelError, label
from supple.foundation.poses import Array
from supple.integrators.run.line_ends import LineEnd

# What a letter before the axis asks of a frame
FRAME_EVENTS = {"": st.ON_PLACE, "v": st.ON_VELOCITY, "w": st.ON_SPIN}


def event_tables(c: Compiled, events: Sequence[Event]) -> tuple[np.ndarray, Array]:
    """Integers and reals of events, a row for each, as ``core/run/events.py`` reads them."""
    ints = np.zeros((len(events), st.EVENT_INTS), dtype=np.int64)
    reals = np.zeros((len(events), st.EVENT_REALS))
    for row, x, event in zip(ints, reals, events, strict=True):
        x[st.EVENT_VALUE] = event.value
        row[st.EVENT_TERMINAL], row[st.EVENT_DIRECTION] = event.stops, event.direction
        what = [st.EVENT_KIND, st.EVENT_INDEX]
        if isinstance(event, LineEnd):
            q, u = event.place(c)
            row[what], row[st.EVENT_AXIS] = (st.ON_COORDINATE, q), u
        elif event.joint is not None:
            record = c.joints[event.joint]
            k = event.coordinate
            k = record.coordinate_names.index(k) if isinstance(k, str) else int(k)
            q, u = c.coordinate(event.joint, k)
            of_q = event.quantity == "coordinate"
            row[what] = (st.ON_COORDINATE, q) if of_q else (st.ON_RATE, u)
            row[st.EVENT_AXIS] = u
        else:
            frame = event.frames["of"]
            node, pose = c.place(frame)
            kind = FRAME_EVENTS[event.quantity[:-1]]
            vectors = c.gradient.get(frame.body.name)
            if kind == st.ON_SPIN and vectors is not None and not vectors.turns(frame):
                expected = f"a place or velocity, because nothing turns with {vectors.label}"
                raise ModelError(label(event), "quantity", event.quantity, expected)
            row[what], row[st.EVENT_AXIS] = (kind, node), "xyz".index(event.quantity[-1])
            x[st.EVENT_PLACE :] = pose.p
    return ints, reals
