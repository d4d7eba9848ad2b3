"""A line that tells what is being done, for whoever waits longer than two seconds.

It is shown in a terminal or a notebook and removed at the end; elsewhere nothing is shown unless it
is asked for. A thread writes it, so that it also appears when a single call takes long.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TextIO

FIRST = 2.0  # s until the line appears
EVERY, EVERY_LINE = 0.5, 5.0  # s between lines, on the same line and below each other

Text = str | Callable[[], str]


class Line:
    """What is being done, told on a stream from some time on."""

    def __init__(self, stream: TextIO, in_place: bool) -> None:
        self.stream, self.in_place = stream, in_place
        self.texts: list[Text] = []
        self._shown = ""
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._tell, name="supple: progress", daemon=True)

    def begin(self) -> None:
        """Start to wait."""
        self._thread.start()

    def end(self) -> None:
        """Remove the line."""
        self._end.set()
        self._thread.join()
        self.clear()

    def clear(self) -> None:
        """Make place for other words; the line comes back."""
        with self._lock:
            if self.in_place and self._shown:
                self._write(f"\r{' ' * len(self._shown)}\r")
            self._shown = ""

    def _tell(self) -> None:
        wait = FIRST
        while not self._end.wait(wait):
            wait = EVERY if self.in_place else EVERY_LINE
            self.show(self._text())

    def _text(self) -> str:
        try:
            text = self.texts[-1]
            return text if isinstance(text, str) else text()
        except Exception:  # the run changes its numbers meanwhile: the next one will do
            return ""

    def show(self, text: str) -> None:
        """Write a text now; an empty one leaves the line as it is."""
        if not text:
            return
        text = f"supple: {text}"
        with self._lock:
            if self.in_place:
                text = text[: max(shutil.get_terminal_size().columns - 1, 20)]
                self._write(f"\r{text.ljust(len(self._shown))}")
            else:
                self._write(f"{text}\n")
            self._shown = text

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a stream that is closed
            self.stream.write(text)
            self.stream.flush()


_line: ContextVar[Line | None] = ContextVar("line", default=None)
_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextlib.contextmanager
def told(text: Text, show: bool | None = None) -> Iterator[None]:
    """While this context lasts, ``text`` (or what it returns) is what is being done.

    ``show`` True: tell it wherever the words go; False: be silent; None: only where somebody is
    likely to look, in a terminal or a notebook. Within another such context it replaces the text.
    """
    line = _line.get()
    if line is not None:
        line.texts.append(text)
        try:
            yield
        finally:
            line.texts.pop()
        return
    found = None if _silent.get() or show is False else _place(show)
    quiet = _silent.set(_silent.get() or show is False)
    if found is not None:
        line = Line(*found)
        line.texts.append(text)
        line.begin()
    token = _line.set(line)
    try:
        yield
    finally:
        _line.reset(token)
        _silent.reset(quiet)
        if line is not None:
            line.end()


def clear() -> None:
    """Remove the line, if there is one, before other words are written."""
    line = _line.get()
    if line is not None:
        line.clear()


def _place(show: bool | None) -> tuple[TextIO, bool] | None:
    """Stream, and whether one line can be written again and again; None if nobody looks."""
    if _in_notebook():
        return sys.stdout, True
    if sys.stderr is not None and sys.stderr.isatty():
        return sys.stderr, True
    return (sys.stderr, False) if show and sys.stderr is not None else None


def _in_notebook() -> bool:
    if "ipykernel" not in sys.modules:
        return False
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def duration(seconds: float) -> str:
    """A time to wait in words: "40 s", "12 min", "3 h", "5 days", "2e+03 years"."""
    for unit, size, most in (("s", 1.0, 100.0), ("min", 60.0, 6000.0), ("h", 3600.0, 2e5)):
        if seconds < most:
            return f"{max(seconds / size, 1.0):.0f} {unit}"
    days = seconds / 86400.0
    return f"{days:.0f} days" if days < 730.0 else f"{days / 365.0:.2g} years"
