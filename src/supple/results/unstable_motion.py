"""Unstable equilibria that a run follows because nothing disturbs it.

An inverted pendulum that begins exactly upright stays there in exact arithmetic, and so does a
straight column beyond its buckling load. With rounded numbers they may leave in the end, by nothing
but rounding. Coordinates that stand still in the first half of a run are disturbed a little: where
that would have grown a hundredfold within the run, no real system follows it.
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
    if probe is None or not result.success or not len(result.t):
        return
    c = data.compiled
    early = result.t <= probe.t_start + 0.5 * (float(result.t[-1]) - probe.t_start)
    fastest = np.max(np.abs(result.u[early]), axis=0, initial=0.0)
    fastest = np.maximum(fastest, np.abs(probe.u))
    still = fastest < STILL * c.rate_scale
    if not np.any(still) or data.changes:
        return
    found = probe.leaving(data.history, still)
    span = float(result.t[-1]) - probe.t_start
    if found is None or not found[0] > np.log(GROWN):
        return
    grown, rate, shape = found
    names = [c.dof_label(int(k)) for k in np.flatnonzero(shape > SHOWN)]
    where = names[0] if names else "the model"
    times = np.exp(min(grown, 200.0))
    yield RunFinding(
        where,
        "unstable",
        rate,
        float(np.log(GROWN) / span),
        float(result.t[0]),
        True,
        f"the run follows an unstable {'equilibrium' if np.all(still) else 'motion'}: a small "
        f"disturbance of {where} grows tenfold in {np.log(10.0) / rate:.2g} s, {times:.0e} times "
        "in the run, and nothing disturbs it; begin a little beside it, or add a small load, to "
        "see where it goes",
    )
