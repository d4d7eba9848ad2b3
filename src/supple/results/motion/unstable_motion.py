"""Unstable equilibria that a run follows because nothing disturbs it.

An inverted pendulum that begins exactly upright stays there in exact arithmetic, and so does a
straight column beyond its buckling load. With rounded numbers they may leave in the end, by nothing
but rounding. Coordinates that stand still in the first half of a run are disturbed a little: where
that would have grown a hundredfold within the run, no real system follows it. Rounding of 1e-16
grows to 1e-7 in a third of the time in which it is seen, and to a hundred times in a tenth: so the
same is asked of smaller parts of the run, of coordinates that stand still in these.

Where nothing else moves, eigenvalues of the small motion tell. Where other coordinates move, these
change with time, and tell neither that a pendulum on a pivot that goes up and down leaves its rest
below, nor that a quick one keeps it upright: the run is made again with a disturbed start, if it
took less than 2 s.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.arrays import Array, Booleans
from supple.results.data.findings import RunFinding

if TYPE_CHECKING:
    from supple.results.result import Result

Growth = tuple[float, float, Array]

STILL = 1e-7  # of usual rates: slower coordinates stand still
PARTS = (1.0, 0.3, 0.1, 0.03, 0.01)  # of a run: it may leave by rounding behind them
GROWN = 100.0  # times that a disturbance grows in the run
LARGE = 3000.0  # times, up to which a disturbance grows as a small one
AGREE = 1.3  # times: rates and growth of a steady motion, by eigenvalues and by a run
QUICK = 2.0  # s of the processor, of runs that are made again
SHOWN = 0.3  # of the largest displacement of a disturbance: coordinates that are named


def unstable_findings(result: Result, again: bool = True) -> Iterator[RunFinding]:
    """A finding where coordinates that stand still would leave; ``again``: by a run, if needed."""
    probe, data = result.data.probe, result.data
    if probe is None or not result.success or not len(result.t):
        return
    c = data.compiled
    if data.changes:
        return
    known = np.zeros(c.nu, dtype=bool)
    for part in PARTS:
        span = part * (float(result.t[-1]) - probe.t_start)
        still = _still(result, 0.5 * span if part == 1.0 else span)
        if not np.any(still & ~known):
            continue
        known = still
        found = _growth(result, still, span, again)
        if found is not None and found[0] > np.log(GROWN):
            break
    else:
        return
    grown, rate, shape = found
    names = [c.dof_label(int(k)) for k in np.flatnonzero(shape > SHOWN)]
    where = names[0] if names else "the model"
    times = np.exp(min(grown, 200.0))
    until, window = "", "the run"
    if part < 1.0:
        until, window = f" for {span:.2g} s, and leaves it by rounding", "this time"
    yield RunFinding(
        where,
        "unstable",
        rate,
        float(np.log(GROWN) / span),
        float(result.t[0]),
        True,
        f"the run follows an unstable {'equilibrium' if np.all(still) else 'motion'}{until}: a "
        f"small disturbance of {where} grows tenfold in {np.log(10.0) / rate:.2g} s, {times:.0e} "
        f"times in {window}, and nothing disturbs it; begin a little beside it, or add a small "
        "load, to see where it goes",
    )


def _still(result: Result, span: float) -> Booleans:
    """Coordinates (nu,) that stand still in the first ``span`` (s) of a run."""
    probe = result.data.probe
    assert probe is not None
    early = result.t <= probe.t_start + span
    fastest = np.max(np.abs(result.u[early]), axis=0, initial=0.0)
    still: Booleans = np.maximum(fastest, np.abs(probe.u)) < STILL * result.data.compiled.rate_scale
    return still


def _growth(result: Result, still: Booleans, span: float, again: bool) -> Growth | None:
    """Growth of a disturbance of coordinates that stand ``still`` in the first ``span`` (s)."""
    data, probe, count = result.data, result.data.probe, result.statistics
    assert probe is not None
    early = np.flatnonzero(result.t <= probe.t_start + span * (1.0 + 1e-9))
    if len(early) < 2:
        return None
    found = probe.leaving(data.at(early).history, still)
    quick = float(count.get("cpu_seconds", 0.0)) < QUICK and not count.get("equal_steps")
    if not again or not quick or np.all(still):
        return found
    most = 4 * int(count.get("steps", 0)) + 1000
    made = probe.disturbed(probe.t_start + span, still, most)
    return found if made is None else _confirmed(found, _grown(*made, probe.t_start, span))


def _grown(t: Array, size: Array, shapes: Array, start: float, span: float) -> Growth:
    """Logarithm of the growth up to the end of the run, rate (1/s) and shape of a disturbance.

    Sizes (k,) at times t (k,) are those that it has grown by. At first it may grow because one
    coordinate passes it on to others that are quicker: what counts is the growth after a tenth of
    the time, if it is small still. Once it is not small any more, it has grown at least so far.
    """
    envelope = np.maximum.accumulate(size)
    top = float(min(envelope[-1], LARGE))
    settled = float(envelope[int(np.searchsorted(t, start + 0.1 * span))])
    late, early = (int(np.argmax(envelope >= x * top)) for x in (0.99, 0.03))
    shape = shapes[late] / max(float(shapes[late].max()), 1e-300)
    grown = float(np.log(envelope[-1] / settled))
    if settled < LARGE and grown < np.log(GROWN):
        return grown, 0.0, shape
    if envelope[-1] < LARGE:  # small to its end
        return grown, grown / (0.9 * span), shape
    if late > early + 2:
        rate = float(np.log(envelope[late] / envelope[early]) / (t[late] - t[early]))
    else:
        rate = float(np.log(envelope[late]) / (t[late] - start))
    return float(np.log(envelope[-1])), rate, shape


def _confirmed(eigen: Growth | None, seen: Growth) -> Growth:
    """Growth as it was seen in a run; by eigenvalues, which are exact, where these agree."""
    if eigen is None or not seen[0] > np.log(GROWN):
        return seen
    pairs = (eigen[0] / seen[0], eigen[1] / seen[1])
    return eigen if max(abs(np.log(x)) for x in pairs) < np.log(AGREE) else seen
