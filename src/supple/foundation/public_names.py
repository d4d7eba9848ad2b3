"""Public names: each is listed once, in a stub file, and loaded when it is used first.

The stub ``supple/__init__.pyi`` says to type checkers and editors, and here at run time, from which
module ``supple.Beam`` is loaded; other stubs say it for ``supple.results``, ``supple.fem``,
``supple.reduction`` and ``supple.files``. So ``import supple`` loads next to nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from supple.foundation.calls import public

PACKAGE = "supple"
# Modules with a stub that lists their names.
LISTED = ("", "results", "fem", "reduction", "files")
# Base classes, and what functions of users are given; they are found in the module of their room.
IN_ROOMS = {
    "bodies": ("Body", "FlexibleBody"),
    "joints": ("Joint",),
    "constraints": ("Change", "Constraint"),
    "forces": ("ForceElement", "FrameState", "PairState"),
    "signals": ("Signal",),
}
_LINE = re.compile(r"^from (\S+) import (\w+) as \w+$", re.MULTILINE)


@cache
def listed(room: str) -> Mapping[str, str]:
    """Modules by the names that the stub of a room, or of the package (""), lists."""
    folder, stub = (PACKAGE, f"{room}.pyi") if room == "files" else (_module(room), "__init__.pyi")
    text = pkgutil.get_data(folder, stub)
    return {name: module for module, name in _LINE.findall((text or b"").decode())}


@cache
def paths() -> Mapping[str, str]:
    """Paths of public classes and functions for users, e.g. "results.Result", by their names."""
    found = {
        name: f"{room}.{name}".lstrip(".")
        for room in LISTED
        for name, module in listed(room).items()
        if module != PACKAGE
    }
    return found | {name: f"{room}.{name}" for room, names in IN_ROOMS.items() for name in names}


def value(name: str) -> Any:
    """The public class or function of a name, wherever users find it."""
    room, _, own = paths()[name].rpartition(".")
    return getattr(importlib.import_module(_module(room)), own)


def namespace(module: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a module whose stub lists its names."""
    room = module.partition(".")[2]
    names = listed(room)

    def load(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}{_near(name)}")
        source = importlib.import_module(names[name])
        if names[name] == PACKAGE:  # a module of the package
            found: Any = importlib.import_module(f"{PACKAGE}.{name}")
        else:
            found = public(getattr(source, name))
            _speak()
        setattr(sys.modules[module], name, found)
        return found

    def known() -> list[str]:
        return sorted({*vars(sys.modules[module]), *names})

    return sorted(names), load, known


def _near(name: str) -> str:
    """A hint at the public name that is meant, if one is like it."""
    import difflib

    like = [] if name.startswith("_") else difflib.get_close_matches(name, paths(), 1, 0.8)
    return f", did you mean {PACKAGE}.{paths()[like[0]]}" if like else ""


def _speak() -> None:
    """Let wrong calls of all public classes that are loaded by now end in a sentence."""
    for room in LISTED:
        for name, module in listed(room).items():
            found = vars(sys.modules[module]).get(name) if module in sys.modules else None
            if isinstance(found, type):
                public(found)


def _module(room: str) -> str:
    return f"{PACKAGE}.{room}".rstrip(".")
