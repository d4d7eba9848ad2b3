"""The verdict of a run that derivatives, an optimum or a fit stand on."""

from __future__ import annotations

from supple.foundation.errors import warn_caller
from supple.results.result import Result
from supple.results.summary import grade

WORST = ("good", "doubtful", "bad")


class OnRun:
    """Something found from a run, ``result``: it is as good as that run at most."""

    result: Result

    @property
    def verdict(self) -> str:
        """The verdict of the run, one line."""
        return self.result.verdict

    @property
    def trusted(self) -> bool:
        """True if nothing is to be said against the run: its numbers, its motion, its model."""
        return grade(self.result) == WORST[0]


def worse(first: str, second: str) -> str:
    """The worse of two grades."""
    return max(first, second, key=WORST.index)


def tell_doubts(owner: str, found: OnRun, serious: bool = False) -> None:
    """Warn of a run that is not trusted; with ``serious`` only of one that cannot be used."""
    if grade(found.result) in (WORST[2:] if serious else WORST[1:]):
        warn_caller(f"{owner}: the run is {found.verdict}")
