"""Fair timing: programs take turns in one process, and only CPU time of this process counts.

Import this module before numpy: it keeps linear algebra libraries on one thread, and they read that
when they are loaded.
"""

from __future__ import annotations

import gc
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

for _name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")

LOW = 0.1  # quantile that stands for a program: an undisturbed block, not a single lucky one


def interleaved(
    calls: Mapping[str, Callable[[], object]], rounds: int = 60, block: float = 2e-3
) -> dict[str, float]:
    """CPU seconds of one call of each, measured in blocks of about ``block`` s that take turns.

    Each round runs one block of every call, in an order that is reversed from round to round: what
    slows the machine down for a while slows all of them down.
    """
    counts = {name: _calls_per_block(call, block) for name, call in calls.items()}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    order = list(calls)
    with _no_garbage_collection():
        for _ in range(rounds):
            for name in order:
                seconds[name].append(_run(calls[name], counts[name]) / counts[name])
            order.reverse()
    return {name: low_quantile(values) for name, values in seconds.items()}


def save(name: str, found: Any) -> None:
    """Keep what a study found in the folder where ``report.py`` collects it, if there is one."""
    if folder := os.environ.get("SUPPLE_BENCH_OUT"):
        (Path(folder) / f"{name}.json").write_text(json.dumps(found))


def memory() -> int:
    """Bytes of this process in memory; zero where that is not told."""
    place = Path("/proc/self/statm")
    return int(place.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if place.exists() else 0


def low_quantile(values: Sequence[float]) -> float:
    """The value below which a tenth of the values lie (the smallest of ten or fewer)."""
    return sorted(values)[int(LOW * (len(values) - 1))]


def _calls_per_block(call: Callable[[], object], block: float) -> int:
    """Number of calls that fill a block; also warms the caches up."""
    count = 1
    while (seconds := _run(call, count)) < 0.25 * block:
        count *= 4
    return max(1, round(count * block / seconds))


def _run(call: Callable[[], object], count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        call()
    return time.process_time() - start


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
