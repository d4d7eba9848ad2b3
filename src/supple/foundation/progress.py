"""A line that tells what is being done, for whoever waits longer than two seconds.

It is shown in a terminal or a notebook and removed at the end; elsewhere nothing is shown unless it
is asked for. A thread writes it, so that it also appears when a single call takes long. One thread
serves all lines and ends when nothing has been done for a while: to start one for each run would
cost more than a short run itself.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import TextIO

EVERY, EVERY_LINE = 0.5, 5.0  # s between texts, on the same line and below each other
FIRST = 2.0 - EVERY  # s; the next text after that is the first one
BAR = 20  # characters of the bar in a notebook
IDLE = 20  # times without any line after which the thread ends

Text = str | Callable[[], str]


class Line:
    """Progress line: the present work, told on a stream from some time on."""

    def __init__(self, stream: TextIO, in_place: bool, text: Text) -> None:
        self.stream, self.in_place, self.texts = stream, in_place, [text]
        self._next = time.monotonic() + FIRST
        self._shown = ""
        self._ended = False
        self._lock = threading.Lock()

    def end(self) -> None:
        """Remove the line."""
        self.clear()
        self._ended = True

    def clear(self) -> None:
        """Make place for other words; the line comes back."""
        with self._lock:
            if self.in_place and self._shown:
                self._write(f"\r{' ' * len(self._shown)}\r")
            self._shown = ""

    def tell(self) -> None:
        """Write the present text if it is time to do so; an empty one leaves the line as it is."""
        now = time.monotonic()
        text = self._text() if now >= self._next else ""
        if not text:
            return
        self._next = now + (0.0 if self.in_place else EVERY_LINE)
        in_cell = self.in_place and not self.stream.isatty()
        text = f"supple: {bar(text) if in_cell else ''}{text}"
        with self._lock:
            if self._ended:
                return
            if self.in_place:
                text = text[: self._width()]
                self._write(f"\r{text.ljust(len(self._shown))}")
            else:
                self._write(f"{text}\n")
            self._shown = text

    def _text(self) -> str:
        try:
            text = self.texts[-1]
            return text if isinstance(text, str) else text()
        except Exception:  # the run changes its numbers meanwhile: the next one will do
            return ""

    def _width(self) -> int:
        """Characters that fit one line; a notebook has room for some more than it says."""
        return max(shutil.get_terminal_size().columns - 1, 20) if self.stream.isatty() else 160

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a stream that is closed
            self.stream.write(text)
            self.stream.flush()


class Teller:
    """The thread that writes lines, while there are any."""

    def __init__(self) -> None:
        self._lines: set[Line] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, line: Line) -> None:
        """Write a line from now on."""
        with self._lock:
            self._lines.add(line)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="supple", daemon=True)
                self._thread.start()

    def remove(self, line: Line) -> None:
        """Remove a line."""
        with self._lock:
            self._lines.discard(line)
        line.end()

    def _run(self) -> None:
        idle = 0
        while True:
            time.sleep(EVERY)
            with self._lock:
                lines = list(self._lines)
                idle = 0 if lines else idle + 1
                if idle > IDLE:
                    self._thread = None
                    return
            for line in lines:
                line.tell()


_teller = Teller()
_line: ContextVar[Line | None] = ContextVar("line", default=None)
_silent: ContextVar[bool] = ContextVar("silent", default=False)


class told:  # noqa: N801
    """While this context lasts, ``text`` (or what it returns) is what is being done.

    ``show`` True: tell it wherever the words go; False: be silent; None: only where somebody is
    likely to look, in a terminal or a notebook. Within another such context it replaces the text.
    """

    def __init__(self, text: Text, show: bool | None = None) -> None:
        self._text, self._show = text, show
        self._outer: Line | None = None
        self._own: Line | None = None

    def __enter__(self) -> None:
        self._outer = line = _line.get()
        if line is not None:
            line.texts.append(self._text)
            return
        silent = _silent.get() or self._show is False
        found = None if silent else _place(self._show)
        self._quiet = _silent.set(silent)
        if found is not None:
            self._own = Line(*found, self._text)
            _teller.add(self._own)
        self._token = _line.set(self._own)

    def __exit__(self, *error: object) -> None:
        if self._outer is not None:
            self._outer.texts.pop()
            return
        _line.reset(self._token)
        _silent.reset(self._quiet)
        if self._own is not None:
            _teller.remove(self._own)


def clear() -> None:
    """Remove the line, if there is one, before other words are written."""
    line = _line.get()
    if line is not None:
        line.clear()


def _place(show: bool | None) -> tuple[TextIO, bool] | None:
    """Stream, and whether one line can be written again and again; None if nobody looks."""
    if in_notebook():
        return sys.stdout, True
    if sys.stderr is not None and sys.stderr.isatty():
        return sys.stderr, True
    return (sys.stderr, False) if show and sys.stderr is not None else None


def in_notebook() -> bool:
    """True if cells of a notebook are run."""
    if "ipykernel" not in sys.modules:
        return False
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return any(kind.__name__ == "ZMQInteractiveShell" for kind in type(shell).__mro__)


def bar(text: str) -> str:
    """A bar for the part of the work that a text tells as "(43%)"; nothing without one."""
    found = re.search(r"\((\d+)%\)", text)
    if found is None:
        return ""
    done = min(int(found[1]), 100) * BAR // 100
    return "\u2588" * done + "\u2591" * (BAR - done) + " "


def duration(seconds: float) -> str:
    """A time to wait in words: "40 s", "12 min", "3 h", "5 days", "2e+03 years"."""
    for unit, size, most in (("s", 1.0, 100.0), ("min", 60.0, 6000.0), ("h", 3600.0, 2e5)):
        if seconds < most:
            return f"{max(seconds / size, 1.0):.0f} {unit}"
    days = seconds / 86400.0
    return f"{days:.0f} days" if days < 730.0 else f"{days / 365.0:.2g} years"
