"""Questions before a sweep, in another process: functions of users may take long or end it."""

from __future__ import annotations

from dataclasses import dataclass

from supple.foundation.errors import SuppleError
from supple.sweeps.designs import Row
from supple.sweeps.readings import Reading
from supple.sweeps.subjects import TRIED, Subject
from supple.sweeps.workers import answers

LOST = "lost"


@dataclass(frozen=True)
class _Look:
    """Asks a subject whether outputs are known."""

    subject: Subject
    readings: tuple[Reading, ...]

    def __call__(self, parameters: Row) -> SuppleError | bool:
        """Return the refusal of arguments or outputs, if any; else whether the run can begin."""
        try:
            return self.subject.tells(parameters, self.readings)
        except SuppleError as error:
            return error


def expect_apart(
    subject: Subject, plan: list[Row], readings: tuple[Reading, ...], limit: float | None
) -> None:
    """Refuse what ``subject.expect_outputs`` does, by a process of its own.

    One that takes longer than ``limit`` (s) or dies tells nothing: its run says why.
    """
    look, jobs = _Look(subject, readings), enumerate(plan[:TRIED])
    for _, found in answers(look, jobs, 1, limit, lambda *_: LOST):
        if isinstance(found, SuppleError):
            raise found
        if found:
            return
