"""Files that users bring or name: what is wrong with one is said in a sentence."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from supple.foundation.errors import ModelError, SuppleError, describe

# How a text that is not UTF-8 may begin, and what it then is.
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


# The folder that files must be in while a model file is read; None without one.
_FOLDER: ContextVar[Path | None] = ContextVar("folder", default=None)


# Files that were read, while somebody asks for them.
_READ: ContextVar[list[Path] | None] = ContextVar("read", default=None)


@contextlib.contextmanager
def recorded() -> Iterator[list[Path]]:
    """The list gets the path of every file that is read meanwhile."""
    found: list[Path] = []
    token = _READ.set(found)
    try:
        yield found
    finally:
        _READ.reset(token)


@contextlib.contextmanager
def confined(folder: Path) -> Iterator[None]:
    """Files outside of a folder are refused meanwhile, links that lead out of it too."""
    token = _FOLDER.set(folder.resolve())
    try:
        yield
    finally:
        _FOLDER.reset(token)


def inside(path: Path, folder: Path) -> bool:
    """True if a path, with all links followed, is in a folder."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links in a circle
        return False


def path_of(owner: str, field: str, path: Any) -> Path:
    """Return a path; whatever is no text or path is refused."""
    expected = "the path of a file"
    if not isinstance(path, (str, os.PathLike)):
        raise ModelError(owner, field, path, expected)
    text = os.fspath(path)
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise ModelError(owner, field, path, expected)
    try:
        os.fsencode(text)
    except UnicodeEncodeError:  # half of a character
        raise ModelError(owner, field, path, expected) from None
    return Path(text)


def existing(path: Path, expected: str, owner: str = "") -> Path:
    """Return the path of a file that is there and has something in it.

    ``expected`` says what the file should be, ``owner`` who asks for it, by default the file.
    """
    name = owner or path.name or "a file to be read"
    folder = _FOLDER.get()
    if folder is not None and not inside(path, folder):
        raise ModelError.plain(
            f"{name}: {str(path)!r} is outside of the model's folder, expected {expected} in it"
        )
    try:
        if path.is_dir():
            raise ModelError.plain(f"{name}: {str(path)!r} is a folder, expected {expected}")
        if not path.is_file():
            raise ModelError.plain(f"{name}: there is no such file, expected {expected}")
        if path.stat().st_size == 0:
            raise ModelError.plain(f"{name}: {path.name} is empty, expected {expected}")
        with path.open("rb"):
            pass
    except OSError as reason:
        raise ModelError.plain(
            f"{name}: {path.name} cannot be read ({_why(reason)}), expected {expected}"
        ) from reason
    read = _READ.get()
    if read is not None:
        read.append(path)
    return path


def read_text(
    path: Path, expected: str, owner: str = "", binary: str = "text", replaced: bool = False
) -> str:
    """Text of a file.

    ``binary`` says what is expected instead of a binary file. What is not UTF-8 is refused, or is
    ``replaced`` by question marks: decks of other programs have such comments.
    """
    content = existing(path, expected, owner).read_bytes()
    for mark, encoding in MARKS.items():
        if content.startswith(mark):
            return content.decode(encoding, errors="replace")
    if b"\0" in content:
        name = f"{owner}: {path.name}" if owner else f"{path.name}: it"
        raise ModelError.plain(f"{name} is a binary file, expected {binary}")
    wrong = None if replaced else not_unicode(content)
    if wrong is not None:
        name = f"{owner}: {path.name}" if owner else path.name
        raise ModelError.plain(f"{name}: {wrong}, expected a file in UTF-8")
    return content.decode("utf-8", errors="replace")


def not_unicode(content: bytes) -> str | None:
    """Place at which a text is not UTF-8, for a sentence; None if all of it is."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        return f"the byte 0x{byte:02X} in line {line} is not UTF-8 ({chr(byte)!r} in Latin-1)"
    return None


@contextlib.contextmanager
def contained(name: str, expected: str) -> Iterator[None]:
    """Turn whatever a library does with a broken file into a sentence.

    Its output goes nowhere, and it cannot end the program.
    """
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    except SuppleError:
        raise
    except (Exception, SystemExit) as reason:
        raise ModelError.plain(
            f"{name}: it cannot be read ({_why(reason)}), expected {expected}"
        ) from reason


def _why(reason: BaseException) -> str:
    """One line that tells why something failed."""
    if isinstance(reason, SystemExit):
        return "its reader gave up"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    if isinstance(reason, MemoryError):
        return "it declares more than there is memory for"
    if isinstance(reason, KeyError):
        return f"there is no {reason.args[0]!r}" if reason.args else "something is missing"
    text = " ".join(str(reason).split()).rstrip(".")
    return describe(_Words(text)) if text else type(reason).__name__


class _Words:
    """A text that is shown as it is, and cut if it is long."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text
