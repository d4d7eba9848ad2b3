"""Threads: one lock for Python, step loops in parallel.

Everything but the loops is made by one thread at a time, in whole pieces: what they share, from
warnings to what a body keeps, never sees two of them. Loops are machine code on buffers of their
own run.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any

FIRST_BUDGET = 20  # steps of the first call of a loop, where nothing is known of its pace


class Ended(BaseException):
    """The run was given up because all of them are to end."""


class Turns:
    """Turns of threads to run Python; ``ended`` gives runs up where their loops pause."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.ended = False
        self.budget = FIRST_BUDGET  # steps of the first call of a loop

    @contextlib.contextmanager
    def mine(self) -> Iterator[None]:
        """Runs in this context give their turn to others while they make steps."""
        with self._lock:
            token = _turns.set(self)
            try:
                yield
            finally:
                _turns.reset(token)

    def called(self, loop: Callable[..., int], with_python: bool, *buffers: Any) -> int:
        """Make steps; others have their turn meanwhile, unless these steps need Python."""
        if with_python:
            outcome = loop(*buffers)
        else:
            self._lock.release()
            try:
                outcome = loop(*buffers)
            finally:
                self._lock.acquire()
        if self.ended:
            raise Ended
        return outcome

    def learn(self, steps: int, seconds: float, pause: float) -> None:
        """Let first calls of later runs take about ``pause`` s, if steps take as long as these.

        A loop that comes back early waits for the Python of the others.
        """
        if steps >= FIRST_BUDGET:
            self.budget = max(int(steps * pause / max(seconds, 1e-6)), FIRST_BUDGET)


_turns: ContextVar[Turns | None] = ContextVar("turns", default=None)


def in_turn(loop: Callable[..., int], with_python: bool) -> Callable[..., int]:
    """A loop as runs of the present context call it; some need Python in their steps."""
    turns = _turns.get()
    return loop if turns is None else partial(turns.called, loop, with_python)


def turns_of_batch() -> Turns | None:
    """The turns of the batch that the present run belongs to, if there is one."""
    return _turns.get()
