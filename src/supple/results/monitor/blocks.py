"""The validity monitor of a run with very many output times: block after block.

What a body leaves out is compared with its largest deflection, here with that of the block: a run
that is valid in all its blocks is valid as a whole.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.results.data.findings import BodyMonitor, Finding, Monitor
from supple.results.monitor.monitor import monitor

if TYPE_CHECKING:
    from supple.results.result import Result

LONG, BLOCK = 100_000, 10_000  # output times: from which on there are blocks, and in each of them


def monitor_in_blocks(result: Result) -> Monitor:
    """Look at all flexible bodies of a result, the largest of all blocks and their findings."""
    if not result.data.compiled.deforming:
        return Monitor({})
    found: dict[str, BodyMonitor] = {}
    for k in range(0, len(result.t), BLOCK):
        which = np.arange(k, min(k + BLOCK, len(result.t)))
        data = result.data.part(which)
        if which[-1] < len(result.t) - 1:  # where a failed run ended belongs to the last block
            data = replace(data, final=None)
        where = f" (output from {data.t[0]:.4g} to {data.t[-1]:.4g} s)"
        for name, body in monitor(type(result)(data)).bodies.items():
            told = [replace(f, sentence=f.sentence + where) for f in body.findings]
            body = replace(body, findings=tuple(told))
            found[name] = _worse(found[name], body) if name in found else body
    return Monitor(found)


def _worse(a: BodyMonitor, b: BodyMonitor) -> BodyMonitor:
    """The largest values of both, and of each kind of finding the one that is further beyond."""
    values: dict[str, Any] = {
        f.name: float(np.fmax(getattr(a, f.name), getattr(b, f.name)))
        for f in fields(BodyMonitor)
        if f.name not in ("name", "findings")
    }
    worst: dict[str, Finding] = {f.what: f for f in a.findings}
    for f in b.findings:
        if f.what not in worst or f.value / f.limit > worst[f.what].value / worst[f.what].limit:
            worst[f.what] = f
    return replace(a, **values, findings=tuple(worst.values()))
