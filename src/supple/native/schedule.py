"""Which entry is compiled next, and how long the rest will take."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable
from types import FunctionType

from supple.native.declare import Entry
from supple.native.fingerprint import reached

SECONDS = 2.2e-4  # of one processor for a byte of Python's code: a first guess
GUESS = 20000.0  # bytes that the first guess is worth against what was measured
SECOND_USE = 0.35  # of that where the kernel was compiled for another entry already
SURE = 0.9  # of the time an entry should take: so much of it may count as done before it is


def _bytes(functions: Iterable[FunctionType]) -> float:
    return float(sum(len(f.__code__.co_code) for f in functions))


class Schedule:
    """Hands out entries, long ones first, and to two workers such that have little in common.

    What an inner kernel costs is paid by the first entry that needs it, so that two workers that
    begin with entries made of the same kernels would both compile these.
    """

    def __init__(self, entries: Iterable[Entry], workers: int) -> None:
        self.workers = workers
        self.start = time.monotonic()
        self.waiting = list(entries)
        self.running: list[Entry] = []
        self.total = len(self.waiting)
        self._since: dict[Entry, float] = {}
        self._ready: set[FunctionType] = set()  # functions compiled for some entry
        self._work_done = 0.0
        self._lock = threading.Lock()

    @property
    def done(self) -> int:
        """Number of entries compiled."""
        return self.total - len(self.waiting) - len(self.running)

    def take(self) -> Entry | None:
        """The next entry for a worker, None when there is no more."""
        with self._lock:
            if not self.waiting:
                return None
            busy = {f for e in self.running for f in reached(e.function)} - self._ready

            def gain(entry: Entry) -> float:
                parts = reached(entry.function)
                return _bytes(parts) - 2.0 * _bytes(parts & busy)

            chosen = max(self.waiting, key=gain)
            self.waiting.remove(chosen)
            self.running.append(chosen)
            self._since[chosen] = time.monotonic()
            return chosen

    def finish(self, entry: Entry) -> None:
        """Note that an entry is compiled."""
        with self._lock:
            self.running.remove(entry)
            self._work_done += self._work([entry])
            self._ready |= reached(entry.function)

    def _work(self, entries: Iterable[Entry]) -> float:
        """Bytes to compile, those that are used again counted by their share."""
        ready, work = set(self._ready), 0.0
        for entry in entries:
            parts = reached(entry.function)
            work += _bytes(parts - ready) + SECOND_USE * _bytes(parts & ready)
            ready |= parts
        return work

    def seconds_left(self) -> float:
        """An estimate from what was done so far, in seconds of the clock.

        What is under way counts as done by the time it has taken, up to a share of what it should
        take. Where that is passed, the machine is slower than it seemed, for all that is left.
        """
        with self._lock:
            now = time.monotonic()
            work = {entry: self._work([entry]) for entry in self.running}
            spent = {entry: now - self._since[entry] for entry in self.running}
            seconds = (now - self.start) * self.workers - sum(spent.values()) + GUESS * SECONDS
            done = self._work_done + GUESS
            late = [e for e in self.running if spent[e] * done > SURE * work[e] * seconds]
            seconds += sum(spent[e] for e in late)
            done += SURE * sum(work[e] for e in late)
            pace = seconds / done
            rest = pace * self._work([*self.running, *self.waiting])
            rest -= sum(min(spent[e], SURE * pace * work[e]) for e in self.running)
            return max(rest / self.workers, 1.0)


class Progress:
    """A line on standard error: how many entries are compiled, and the time left."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last = -1e9
        self._shown = ""

    def show(self, schedule: Schedule) -> None:
        """Tell how far it is; on a terminal once a second, otherwise every few seconds."""
        now = time.monotonic()
        if now - self._last < (1.0 if self._terminal else 5.0):
            return
        self._last = now
        left = schedule.seconds_left()
        text = (
            f"supple: compiling kernels, once on this machine: {schedule.done} of "
            f"{schedule.total}, about {left:.0f} s left"
        )
        if self._terminal:
            text = f"\r{text}".ljust(len(self._shown))
        print(text, end="" if self._terminal else "\n", file=sys.stderr, flush=True)
        self._shown = text

    def end(self) -> None:
        """Leave the line."""
        if self._terminal and self._shown:
            print(f"\r{' ' * len(self._shown)}\r", end="", file=sys.stderr, flush=True)
