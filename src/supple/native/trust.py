"""Trust in machine code: files and folders that another user could write are refused.

A library that is loaded can do whatever its user can. So its file, the folder that it is in and the
folders above must belong to this user or to root, and nobody else may write them; a folder above
may be writable for all if, as in ``/tmp``, only owners can remove or rename what is theirs (the
sticky bit). The group may write where it is the user's own, which no one else is in. Other users
and groups are trusted if the environment variable SUPPLE_TRUST names them.

Windows has lists of permissions instead, which are not looked at: folders there are the user's own
(``%LOCALAPPDATA%``), and others cannot write them unless the user allowed it.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

VARIABLE = "SUPPLE_TRUST"
KNOWN = os.name == "posix"  # whether files have owners and modes
_told: set[str] = set()


def doubt(path: Path) -> str:
    """Reason why another user could have written a file, or into a folder; empty if none could.

    The folders above are looked at, too.
    """
    if not KNOWN:
        return ""
    real = path.resolve()
    places = (_look(place, above=place != real) for place in (real, *real.parents))
    return next((why for why in places if why), "")


def doubt_of_file(path: Path) -> str:
    """Reason to doubt a plain file in a folder that is beyond doubt; empty if there is none."""
    if not KNOWN:
        return ""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return f"{path} is no plain file"
    return _look(path, above=False)


def doubt_beside(path: Path, source: Path) -> str:
    """Reason to doubt a library in a package, which may be as open as the package's own source.

    Who can write the source can run code in any case.
    """
    if not KNOWN:
        return ""
    own = os.lstat(source)
    return _look(path, above=False, owners=(own.st_uid,), open_to=stat.S_IMODE(own.st_mode))


def usable(path: Path) -> bool:
    """True if a kept file can be loaded; if it cannot, that is told once."""
    why = doubt_of_file(path)
    if why:
        tell(f"{why}: it is not loaded, but made anew")
    return not why


def tell(sentence: str) -> None:
    """A line on standard error, once."""
    if sentence not in _told:
        _told.add(sentence)
        print(f"supple: {sentence}", file=sys.stderr)


def _look(path: Path, above: bool, owners: Iterable[int] = (), open_to: int = 0) -> str:
    """Reason to doubt one file or folder; ``above`` are folders in which there is another one."""
    found = os.lstat(path)
    known = {0, os.geteuid(), *owners}
    if found.st_uid not in known and not _is_trusted(found.st_uid, _name(found.st_uid)):
        return f"{path} belongs to {_user(found.st_uid)}"
    mode = stat.S_IMODE(found.st_mode) & ~open_to
    if above and mode & stat.S_ISVTX:
        return ""
    if mode & stat.S_IWOTH:
        return f"{path} can be written by all users"
    if mode & stat.S_IWGRP and found.st_gid != 0 and not _is_private(found.st_gid):
        name = _group(found.st_gid)
        if not _is_trusted(found.st_gid, name):
            return f"{path} can be written by the group {name or found.st_gid}"
    return ""


def _user(number: int) -> str:
    name = _name(number)
    return f"the user '{name}'" if name else f"the user {number}"


def _name(number: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return ""


def _group(number: int) -> str:
    import grp

    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return ""


def _is_private(number: int) -> bool:
    """True if a group is this user's own: of the same name, with nobody else in it."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def _is_trusted(number: int, name: str) -> bool:
    """True if SUPPLE_TRUST names a user or a group."""
    names = {given.strip() for given in os.environ.get(VARIABLE, "").split(",")} - {""}
    return not names.isdisjoint({str(number), name})
