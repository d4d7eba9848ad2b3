"""Errors of frequencies of a linear model by the meshes of flexible bodies.

In a mode inertia and joints load a body as at any instant; a finer mesh would give way more, or
less, under the same loads. That flexibility changes the square of the frequency as what modes leave
out does (`supple.analyses.frequencies.frequency_errors`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.errors import label, percent
from supple.results.checks.reduced_bodies import MISSED, mesh_works
from supple.results.data.findings import Finding, Monitor

if TYPE_CHECKING:
    from supple.analyses.frequencies.frequency_errors import FrequencyErrors
    from supple.analyses.modes.linear_model import LinearModel
    from supple.foundation.poses import Array
    from supple.results.flexibility.truncation import Deflected

SERIOUS = 0.1  # part of a frequency
MOST = 0.99  # part of the work in a mode that a mesh may have too much


def mesh_parts(bodies: Mapping[str, Deflected], kinetic: Array) -> dict[str, Array]:
    """Parts (k,) of each frequency by which the mesh of each body makes it too high.

    Twice the kinetic energy of modes is given; negative parts are those of meshes too soft.
    """
    found = {}
    for name, body in bodies.items():
        known = mesh_works(body)
        if known is not None:
            more = (known[1] - known[0]).reshape(-1, 2).sum(axis=1)
            found[name] = 1.0 - 1.0 / np.sqrt(1.0 + np.maximum(more / kinetic, -MOST))
    return found


def with_mesh_frequencies(monitor: Monitor, linear: LinearModel, found: FrequencyErrors) -> Monitor:
    """Monitor with added findings about errors by meshes in the frequencies that are judged.

    One up to the lowest elastic one is a "frequency", others are "frequencies".
    """
    compiled, bodies = linear.state.compiled, dict(monitor.bodies)
    assert compiled is not None
    for name, parts in found.by_mesh.items():
        judged = parts[: found.judged]
        wrong = np.flatnonzero(np.abs(judged) > MISSED)
        if not len(wrong):
            continue
        k = int(wrong[0])
        part, body = float(judged[k]), compiled.flexible[name].body
        high, excess = "high" if part > 0.0 else "low", abs(part / (1.0 - part))
        word, serious = ("frequency" if found.lowest(k) else "frequencies"), excess > SERIOUS
        sentence = (
            f"{label(body)}: by its mesh the frequency {linear.frequencies[k]:.4g} Hz is about "
            f"{percent(excess)} too {high}, expected at most {percent(MISSED)}, whatever "
            f"modes it has: {body.mesh_advice(part > 0.0)}"
        )
        told = Finding(name, word, excess, MISSED, None, serious and found.lowest(k), sentence)
        bodies[name] = replace(bodies[name], findings=(*bodies[name].findings, told))
    return Monitor(bodies)
