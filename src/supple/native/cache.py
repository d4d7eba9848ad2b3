"""The folder in which machine code is kept between runs."""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from supple.native import trust

VARIABLE = "SUPPLE_CACHE_DIR"
KEEP_DAYS = 30.0  # what was not used for so long is removed


def wanted_folder() -> Path:
    """Folder of all compiled kernels; the environment variable SUPPLE_CACHE_DIR overrides it."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser().resolve()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home())
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base).resolve() / "supple"


@functools.cache
def folder() -> Path:
    """The folder, made if need be; one of this process, removed at its end, if it is unusable.

    It is for its user alone: machine code is loaded from it (``trust.py``).
    """
    chosen, why = wanted_folder(), ""
    try:
        _make(chosen)
        if not os.environ.get(VARIABLE) and trust.KNOWN and chosen.stat().st_uid == os.geteuid():
            chosen.chmod(0o700)  # of an earlier version
        tempfile.TemporaryFile(dir=chosen).close()
    except OSError as error:
        why = f"cannot be kept in {chosen} ({error.strerror})"
        what = f"{VARIABLE} names another folder"
    else:
        if doubt := trust.doubt(chosen):
            why = f"are not kept in {chosen}: {doubt}, who could put other code there"
            what = f"Take that right away (chmod go-w), or name another folder by {VARIABLE}"
    if why:
        print(
            f"supple: compiled kernels {why}; this run compiles them for itself. {what}.",
            file=sys.stderr,
        )
        chosen = Path(tempfile.mkdtemp(prefix="supple-"))
        atexit.register(shutil.rmtree, chosen, ignore_errors=True)
    return chosen


def _make(chosen: Path) -> None:
    """Make a folder and those above that are missing, for this user alone, whatever the umask."""
    if chosen.is_dir():
        return
    if not chosen.parent.exists():
        _make(chosen.parent)
    try:
        chosen.mkdir(mode=0o700)
    except FileExistsError:  # another process was faster, or it is no folder
        if not chosen.is_dir():
            raise


def folder_within(path: Path) -> Path:
    """A folder in that folder, made if need be; one that another user could write is removed."""
    if os.path.lexists(path) and (path.is_symlink() or trust.doubt(path)):
        trust.tell(f"{trust.doubt(path) or f'{path} is a link'}: it is removed, and made anew")
        aside = Path(tempfile.mkdtemp(dir=path.parent, prefix=".aside-"))
        path.rename(aside / path.name)
        shutil.rmtree(aside, ignore_errors=True)
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def write(path: Path, content: bytes) -> None:
    """Write a file as a whole: others see all of it or nothing."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@functools.cache
def sources() -> str:
    """Hash of all that machine code is made from: kernels, and how they are compiled."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    kernels = here.parent.glob("core/**/*.py")
    for path in sorted([*kernels, *here.glob("*.py"), *here.glob("*.[ch]")]):
        digest.update(path.relative_to(here.parent).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def used(path: Path) -> None:
    """Note that a file is in use: it is kept for another month."""
    try:
        if time.time() - path.stat().st_mtime > 86400.0:
            os.utime(path)
    except OSError:  # somebody else's, or removed just now
        pass


def prune() -> None:
    """Remove what was not used for a month, and what builds that were killed left behind."""
    now = time.time()
    for path in (Path(place, name) for place, _, names in os.walk(folder()) for name in names):
        try:
            days = KEEP_DAYS if path.name[0] != "." else 0.1
            if path.is_file() and now - path.stat().st_mtime > days * 86400.0:
                if path.name != ".lock":
                    path.unlink()
        except OSError:  # in use, or removed by another process
            continue
