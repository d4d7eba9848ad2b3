"""One run of a sweep: a record of what it gave, or of why it failed; progress of many."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError, without_warnings
from supple.foundation.progress import duration
from supple.integrators.run.interruption import raised_at_once
from supple.results.result import Result
from supple.sweeps.designs import Row
from supple.sweeps.readings import Reading
from supple.sweeps.subjects import Subject

LONGEST_REASON = 500


@dataclass
class Way:
    """Progress of a sweep or a batch."""

    owner: str
    total: int
    before: int = 0
    ended: int = 0
    failed: int = 0
    began: float = 0.0

    def __post_init__(self) -> None:
        self.began = time.monotonic()

    def count(self, record: Record) -> None:
        """One more run has ended."""
        self.ended += 1
        self.failed += record.state == "failed"

    def text(self) -> str:
        """The line that tells it."""
        part = int(100 * self.ended / max(self.total, 1))
        parts = [f"{self.owner}: {self.ended} of {self.total} runs ({part}%)"]
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.before:
            parts.append(f"{self.before} known before")
        if self.ended:
            left = (time.monotonic() - self.began) * (self.total - self.ended) / self.ended
            parts.append(f"{duration(left)} to go")
        return ", ".join(parts)


@dataclass(frozen=True, eq=False)
class Record:
    """Record of a run.

    Attributes
    ----------
    state : "done" or "failed"
    reason : why it failed, in one sentence
    verdict : of the result
    seconds : of the clock
    outputs : numbers and histories by name; empty if it failed
    time : (nt,) output times in s of the histories, if there are any
    """

    state: Literal["done", "failed"]
    reason: str = ""
    verdict: str = ""
    seconds: float = 0.0
    outputs: dict[str, Any] = field(default_factory=dict)
    time: Array | None = None


def failed(reason: str, seconds: float = 0.0) -> Record:
    """The record of a run that failed."""
    text = " ".join(reason.split())
    text = text if len(text) <= LONGEST_REASON else f"{text[: LONGEST_REASON - 4]} ..."
    return Record("failed", text, seconds=seconds)


@dataclass(frozen=True)
class OneRun:
    """Makes runs of a subject; called in any process."""

    subject: Subject
    readings: tuple[Reading, ...]

    def __call__(self, parameters: Row) -> Record:
        """Make a run; whatever goes wrong is in its record."""
        with without_warnings():
            return self.recorded(parameters)

    def recorded(self, parameters: Row) -> Record:
        """Make a run where warnings are off already."""
        begin = time.perf_counter()
        try:
            with raised_at_once(), np.errstate(all="ignore"):
                found, verdict = self.subject.run(parameters)
                views: dict[str, Any] = {}
                outputs = {reading.name: reading.read(found, views) for reading in self.readings}
        except SuppleError as error:
            return failed(str(error), time.perf_counter() - begin)
        except Exception as error:  # of functions of the user, or a defect: never the others' end
            return failed(f"{type(error).__name__}: {error}", time.perf_counter() - begin)
        histories = any(reading.is_history for reading in self.readings)
        t = found.t if histories and isinstance(found, Result) else None
        return Record("done", "", verdict, time.perf_counter() - begin, outputs, t)
