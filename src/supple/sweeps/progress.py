"""Progress of many runs: the line that tells it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from supple.foundation.progress import duration
from supple.sweeps.one_run import Record


@dataclass
class Way:
    """How far a sweep or a batch is."""

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
