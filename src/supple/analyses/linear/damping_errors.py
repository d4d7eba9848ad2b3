"""Damping that modes of a model get, beside what was asked of the modes of its bodies alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from supple.analyses.modes.linear_model import LinearModel
from supple.results.checks.reduced_bodies import asked_damping, damping_ratio
from supple.results.data.findings import Finding, Monitor

MODES = 12  # lowest modes that are looked at
OWN = 0.9  # part of the potential energy of a mode that is strain of the body


def damping_errors(linear: LinearModel) -> Iterator[Finding]:
    """Findings about the first mode of each body whose ratio is off by more than a fifth.

    About states at rest: a rotation changes frequencies, and with them the ratios.
    """
    c = linear.state.compiled
    assert c is not None
    if np.any(linear.state.u != 0.0):
        return
    records = [r for r in c.flexible.values() if r.modal.n and asked_damping(r.body) is not None]
    modes = [m for m in linear.modes if m.eigenvalue.imag > 0.0][:MODES] if records else []
    for record in records:
        damping, own = asked_damping(record.body), record.modal
        assert damping is not None
        for mode in modes:
            y, moved = mode.shape[list(linear.places)], mode.shape[record.u]
            twice = abs(mode.eigenvalue) ** 2 * float(np.real(y.conj() @ linear.M @ y))
            if float(np.real(moved.conj() @ own.K @ moved)) < OWN * twice:
                continue
            lost = float(np.real(moved.conj() @ own.C @ moved))
            asked = damping.asked(own.M, own.K, moved)
            ratio = lost * abs(mode.eigenvalue) / (2.0 * twice)
            found = damping_ratio(record.body, mode.frequency, asked, ratio).finding(record.name)
            if found is not None:
                yield found
                break


def with_damping(monitor: Monitor, linear: LinearModel) -> Monitor:
    """Monitor with added findings about damping."""
    return monitor.adding(f for f in damping_errors(linear) if f.body in monitor.bodies)
