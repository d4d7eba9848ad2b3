"""Unstable equilibria that a run follows because nothing disturbs it.

An inverted pendulum that begins exactly upright stays there in exact arithmetic, and so does a
straight column beyond its buckling load. With rounded numbers they may leave in the end, by nothing
but rounding. Coordinates that stand still in the first half of a run are disturbed a little: where
that would have grown a hundredfold within the run, no real system follows it.

Where nothing else moves, eigenvalues of the small motion tell. Where other coordinates move, these
change with time, and tell neither that a pendulum on a pivot that goes up and down leaves its rest
below, nor that a quick one keeps it upright: the run is made again with a disturbed start, if it
took less than 2 s.
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
Growth = tuple[float, float, Array]

STILL = 1e-7  # of usual rates: slower coordinates stand still
GROWN = 100.0  # times that a disturbance grows in the run
LINEAR = 30.0  # times, up to which a disturbance grows as a small one
AGREE = 1.3  # times: rates of a steady motion, by eigenvalues and by a run
QUICK = 2.0  # s of the processor, of runs that are made again
SHOWN = 0.3  # of the largest displacement of a disturbance: coordinates that are named


def unstable_findings(result: Result, again: bool = True) -> Iterator[RunFinding]:
    """A finding where coordinates that stand still would leave; ``again``: by a run, if needed."""
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
    span = float(result.t[-1]) - probe.t_start
    found = probe.leaving(data.history, still)
    quick = float(result.statistics.get("cpu_seconds", 0.0)) < QUICK
    if again and quick and not np.all(still) and not result.statistics.get("equal_steps"):
        most = 4 * int(result.statistics.get("steps", 0)) + 1000
        made = probe.disturbed(float(result.t[-1]), still, most)
        found = found if made is None else _confirmed(found, _grown(*made, probe.t_start, span))
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


def _grown(t: Array, size: Array, shape: Array, start: float, span: float) -> Growth:
    """Logarithm of the growth up to the end of the run, rate (1/s) and shape of a disturbance.

    Sizes (k,) at times t (k,) are those that it has grown by; once it is not small any more, growth
    is taken to go on with the same rate.
    """
    envelope = np.maximum.accumulate(size)
    if not envelope[-1] > GROWN:
        return float(np.log(max(envelope[-1], 1e-300))), 0.0, shape
    early, late = (int(np.argmax(envelope > x)) for x in (1.5, LINEAR))
    if late > early + 2:
        rate = float(np.log(envelope[late] / envelope[early]) / (t[late] - t[early]))
    else:
        rate = float(np.log(envelope[late]) / (t[late] - start))
    return max(rate * span, float(np.log(envelope[-1]))), rate, shape


def _confirmed(eigen: Growth | None, seen: Growth) -> Growth:
    """Growth as it was seen in a run; by eigenvalues, which are exact, where these agree."""
    if eigen is None or not seen[0] > np.log(GROWN):
        return seen
    return eigen if abs(np.log(eigen[1] / seen[1])) < np.log(AGREE) else seen
