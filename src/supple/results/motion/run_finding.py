"""RunFinding: one thing that is to be said against a run, with its size."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RunFinding:
    """Something that a run cannot tell, or tells wrongly.

    Attributes
    ----------
    where : name of a joint, body or force; empty where it is the whole model
    what : "output", "growth", "creep" or "unstable"
    value, limit : what was found at most, and what is allowed, in units of ``what``
    time : s, from when on; None where a whole run is judged
    serious : whether the results cannot be used without a look at it
    sentence : all of it, and what to do
    """

    where: str
    what: str
    value: float
    limit: float
    time: float | None
    serious: bool
    sentence: str

    def __str__(self) -> str:
        return self.sentence
