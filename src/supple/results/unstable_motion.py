"""Unstable equilibria that a run follows because nothing disturbs it.

An inverted pendulum that begins exactly upright stays there in exact arithmetic, and so does a
straight column beyond its buckling load. Coordinates that stand still during a run are disturbed a
little: where that would have grown a hundredfold within the run, no real system follows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.results.run_finding import RunFinding

if TYPE_CHECKING:
    from supple.results.result import Result

Array = NDArray[np.float64]

STILL = 1e-7  # of usual rates: slower coordinates stand still
GROWN = 100.0  # times that a disturbance grows in the run
SHOWN = 0.3  # of the largest displacement of a disturbance: coordinates that are named


def unstable_findings(result: Result) -> Iterator[RunFinding]:
    """A finding where coordinates that stand still would leave."""
    probe, data = result.data.probe, result.data
    if probe is None or not result.success or len(result.t) < 2:
        return
    c = data.compiled
    fastest = np.max(np.abs(result.u), axis=0, initial=0.0) / c.rate_scale
    still = fastest < STILL
    if not np.any(still) or data.changes:
        return
    found = probe.leaving(data.history, still)
    span = float(result.t[-1] - result.t[0])
    if found is None or not found[0] * span > np.log(GROWN):
        return
    rate, shape = found
    names = [c.dof_label(int(k)) for k in np.flatnonzero(shape > SHOWN)]
    where = names[0] if names else "the model"
    with np.errstate(over="ignore"):
        grown = min(float(np.exp(rate * span)), 1e99)
    yield RunFinding(
        where,
        "unstable",
        rate,
        float(np.log(GROWN) / span),
        float(result.t[0]),
        True,
        f"the run follows an unstable {'equilibrium' if np.all(still) else 'motion'}: a "
        f"disturbance of {where} grows tenfold in {np.log(10.0) / rate:.2g} s, {grown:.0e} times "
        "in the run, and nothing disturbs it; begin a little beside it, or add a small load, to see "
        "where it goes",
    )
