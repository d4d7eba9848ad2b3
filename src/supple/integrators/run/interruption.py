"""Ctrl-C during a run: the first one asks it to stop, and keeps what there is; the second raises.

Python's own handler raises KeyboardInterrupt between any two operations, also half-way through a
change of the run's buffers. The handler here only notes the wish; the driver looks at it where the
loop pauses. It is in place while a run is made and its result computed, in the main thread, and
only where nobody else has set a handler.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from types import FrameType, TracebackType

try:  # of the public ones the conversion to enumerations takes longer than a hundred steps
    from _signal import getsignal as handler_of  # type: ignore[import-not-found]
    from _signal import signal as set_handler
except ImportError:
    from signal import getsignal as handler_of
    from signal import signal as set_handler

PATIENCE = 1.0  # s, for steps under way
_keeps: ContextVar[bool] = ContextVar("keeps", default=True)


class Interruption:
    """A context in which the first Ctrl-C sets ``requested`` instead of raising."""

    def __init__(self) -> None:
        self._requested, self._when = False, 0.0
        self._installed = False
        self._outer: Interruption | None = None  # of a run within whose force law this one is made

    def requested(self) -> bool:
        """True if the user has asked to stop."""
        return self._requested if self._outer is None else self._outer.requested()

    def overdue(self) -> bool:
        """True if that was so long ago that Python functions of the model are not waited for."""
        if self._outer is not None:
            return self._outer.overdue()
        return self._requested and time.monotonic() - self._when > PATIENCE

    def __enter__(self) -> Interruption:
        if not _keeps.get() or threading.current_thread() is not threading.main_thread():
            return self
        present = handler_of(signal.SIGINT)
        owner = getattr(present, "__self__", None)
        if isinstance(owner, Interruption):
            self._outer = owner
        elif present is signal.default_int_handler:
            with contextlib.suppress(ValueError):  # an interpreter that gets no signals
                set_handler(signal.SIGINT, self._note)
                self._installed = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._installed and handler_of(signal.SIGINT) == self._note:
            set_handler(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._requested:  # the handler goes first: nothing may be left behind
            set_handler(signal.SIGINT, signal.default_int_handler)
            signal.default_int_handler(number, frame)
        self._requested, self._when = True, time.monotonic()


@contextlib.contextmanager
def raised_at_once() -> Iterator[None]:
    """Runs in this context raise KeyboardInterrupt: their results are parts of something else."""
    token = _keeps.set(False)
    try:
        yield
    finally:
        _keeps.reset(token)
