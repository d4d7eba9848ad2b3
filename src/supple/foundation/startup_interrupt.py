"""Ctrl-C while the command ``supple`` is loaded or ends: the usual sentence instead of a traceback.

The libraries take a few tenths of a second to load, in which nothing is lost. Programs that use
Supple keep Python's way.
"""

from __future__ import annotations

import os
import signal
import sys

# Nothing else is imported: it would take time in which Ctrl-C is not heard.

SENTENCE = "supple: stopped by the user"
STOPPED = 130  # exit code, as of other programs
NAMES = ("supple", "supple-script")  # without their endings


def is_command() -> bool:
    """True if the process is the command, by its script or as ``python -m supple``."""
    if sys.argv[:1] == ["-m"]:  # a package is imported before its name is there
        asked = sys.orig_argv
        return "-m" in asked and asked[asked.index("-m") + 1 :][:1] == ["supple"]
    return bool(sys.argv) and os.path.splitext(os.path.basename(sys.argv[0]))[0] in NAMES


def listen() -> None:
    """End the command at once at Ctrl-C from now on, if it is the command and Python would ask."""
    if is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        try:
            signal.signal(signal.SIGINT, _end)
        except ValueError:  # in another thread, which gets no signals
            pass


def leave() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def forget() -> None:
    """Let the exit code count after a KeyboardInterrupt that was caught.

    Python notes one that passes through text under ``exec``, as dataclasses are made of, and would
    end itself by the signal; the next text without one clears the note.
    """
    exec("")


def _end(*_: object) -> None:
    os.write(2, f"{SENTENCE}\n".encode())
    os._exit(STOPPED)
