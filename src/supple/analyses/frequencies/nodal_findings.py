"""Findings about frequencies that elements over nodal vectors get wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from supple.bodies.nodal.ancf_nodes import ANCFNodes
from supple.foundation.errors import label, percent
from supple.results.data.findings import Finding, Monitor

if TYPE_CHECKING:
    from supple.analyses.frequencies.frequency_errors import FrequencyErrors
    from supple.analyses.modes.linear_model import LinearModel
    from supple.foundation.frames import Body

LIMIT, SERIOUS = 0.02, 0.1  # parts of a frequency


def with_nodal_frequencies(
    monitor: Monitor, linear: LinearModel, found: FrequencyErrors
) -> Monitor:
    """Monitor with a finding about the first frequency that elements get wrong, of those judged.

    One up to the lowest elastic one is a "frequency", others are "frequencies".
    """
    compiled, bodies, nodal = linear.state.compiled, dict(monitor.bodies), found.nodal
    if nodal is None:
        return monitor
    assert compiled is not None
    judged = nodal.parts[: found.judged]
    excess = judged / (1.0 - judged)
    wrong = np.flatnonzero(np.abs(excess) > LIMIT)
    if not len(wrong):
        return monitor
    k = int(wrong[0])
    name, size = nodal.worst[k], abs(float(excess[k]))
    body, lowest = compiled.gradient[name].body, found.lowest(k)
    lasts = abs(nodal.lasting[k]) > 0.5 * abs(judged[k])
    sentence = (
        f"{label(body)}: with its elements the frequency {linear.frequencies[k]:.4g} Hz is about "
        f"{percent(size)} too {'high' if judged[k] > 0.0 else 'low'}, expected at most "
        f"{percent(LIMIT)}: {_advice(body, bool(lasts))}"
    )
    word = "frequency" if lowest else "frequencies"
    told = Finding(name, word, size, LIMIT, None, lowest and size > SERIOUS, sentence)
    bodies[name] = replace(bodies[name], findings=(*bodies[name].findings, told))
    return Monitor(bodies)


def _advice(body: Body, lasts: bool) -> str:
    """Advice that makes the error smaller."""
    if lasts:
        return "use element='collocated', since sections of a continuum cannot contract"
    return body.refinement if isinstance(body, ANCFNodes) else "use more elements"
