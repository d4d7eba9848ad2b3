"""Differences of whole runs along parameters."""

from __future__ import annotations

import numpy as np

import supple as sp
from supple.sweeps.readings import readings
from supple.sweeps.subjects import subject_of

# Differences of order 4 over 1e-3 of a parameter err by 1e-12 of a fifth derivative, and by the
# tolerance of the runs, 1e-12, divided by 1e-3.
REACHED = 1e-6


def differences(model, values, name, outputs, t_end, **given) -> np.ndarray:
    """Derivatives of outputs along a parameter, of order 4 in its displacement."""
    events = given.pop("events", ())
    events = (events,) if isinstance(events, sp.Event) else events
    settings = {"t_end": t_end, "output": given.pop("times", None), "events": events}
    subject = subject_of(model, settings, {**given, "tolerance": 1e-12})
    step, found = 1e-3 * (abs(values[name]) or 1.0), []
    for by in (step, 2.0 * step):
        ends = []
        for sign in (1.0, -1.0):
            result, _ = subject.run({**values, name: values[name] + sign * by})
            ends.append(np.array([reading.read(result) for reading in readings(outputs)]))
        found.append((ends[0] - ends[1]) / (2.0 * by))
    return (4.0 * found[0] - found[1]) / 3.0
