"""Finding or making the machine code of entries.

1. The library that came with the package (a wheel), if it was made from these very sources.
2. A library in the cache folder, made on this machine from the same sources.
3. What is missing there is compiled now (``build.py``): in other processes, with a line that tells
   how long it takes, and kept.

All need a launcher that hands NumPy arrays to compiled code. It is an extension module; where it
cannot be built for lack of a C compiler or of Python's headers, or not be loaded for lack of the
global lock, ``plain_launcher.py`` does the same by ctypes, some microseconds slower for each call.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import threading
from collections.abc import Callable, Iterable
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from typing import Any

from supple.native import cache, declare, systems, trust
from supple.native.declare import Entry, Shared

Table = dict[str, Callable[..., Any]]

_LOCK = threading.RLock()
_tables: dict[Path, Table] = {}  # of the libraries that were opened


def load(entries: Iterable[Entry]) -> None:
    """Make entries callable, all of them together: what has to be compiled is, side by side."""
    with _LOCK:
        wanted = {e.name: e for e in entries if not e.loaded and not isinstance(e, Shared)}
        for find in (_packaged, _kept, _made):
            if not wanted:
                return
            for name, code in find(list(wanted.values())).items():
                if name in wanted:
                    wanted.pop(name).use(code)
        if wanted:
            raise ImportError(f"no machine code for {', '.join(wanted)}")


def warm_up() -> None:
    """Make all entries callable: compile what is not there yet."""
    load(declare.all_entries().values())


def for_c() -> tuple[Path, Path]:
    """The library of all entries, linked if need be, and its C header."""
    from supple.native import build

    packaged = _packaged_library()
    if packaged is not None:
        path = packaged[0]
    else:
        cpu, compiler = build.processor(), build.c_compiler()
        if compiler is None:
            raise build.BuildError("a library for C programs needs a C compiler")
        path = cache.folder() / _library_name(cpu)
        if not path.exists() or not trust.usable(path):
            build.link(
                build.compile_objects(declare.all_entries().values(), cpu), path, cpu, compiler
            )
    return path, Path(__file__).with_name("supple.h")


def _packaged(wanted: list[Entry]) -> Table:
    """Entries of the library in the package."""
    found = _packaged_library()
    return {} if found is None else found[1]


def _packaged_library() -> tuple[Path, Table] | None:
    """The library in the package and its entries: of several the best that runs here."""
    if os.environ.get("SUPPLE_PREBUILT", "1") == "0":
        return None
    launcher = Path(__file__).with_name(systems.launcher_name())
    for cpu in systems.processors():
        path = launcher.with_name(systems.library_name(cpu))
        if not path.exists() or not launcher.exists():
            continue
        for file in (path, launcher):
            if why := trust.doubt_beside(file, Path(__file__)):
                trust.tell(f"{why}: it is not loaded; kernels are compiled instead")
                return None
        table = _open(path, launcher if systems.takes_launcher() else None)
        if table:
            return path, table
    return None


def _kept(wanted: list[Entry]) -> Table:
    """Entries of libraries that were linked before: of all entries, or of these."""
    found: Table = {}
    for cpu in systems.processors():
        for name in (_library_name(cpu), _library_name(cpu, wanted)):
            path = cache.folder() / name
            if not found and path.exists() and trust.usable(path):
                cache.used(path)
                found = _open(path, _launcher_path())
    return found


def _made(wanted: list[Entry]) -> Table:
    """Compile, and link if that is possible."""
    from supple.native import build

    cpu = build.processor()
    every = declare.all_entries().values()
    objects = build.compile_objects(wanted, cpu)
    folder = build.object_folder(cpu)
    names = [e for e in every if build.find_object(e, folder) is not None]
    whole = len(names) == len(every)
    if whole:  # then one library serves all runs
        objects = build.compile_objects(every, cpu)
    compiler = build.c_compiler()
    if compiler is None:
        from supple.native import plain_launcher

        return plain_launcher.load_objects(objects)
    path = cache.folder() / _library_name(cpu, None if whole else wanted)
    return _open(build.link(objects, path, cpu, compiler), _launcher_path())


def _library_name(cpu: str, entries: Iterable[Entry] | None = None) -> str:
    """File of all entries, or of some."""
    name = f"kernels-{cache.sources()}-{cpu}"
    if entries is None:
        return f"{name}{systems.THIS.library}"
    some = hashlib.sha256(" ".join(sorted(e.name for e in entries)).encode()).hexdigest()[:12]
    return f"{name}-{some}{systems.THIS.library}"


def _launcher_path() -> Path | None:
    """The launcher in the cache folder, built if need be; None where it cannot be."""
    from supple.native import build

    compiler = build.c_compiler() if systems.takes_launcher() else None
    try:
        return build.build_launcher(cache.folder(), compiler) if compiler else None
    except build.BuildError:  # Python's headers are not installed
        return None


def _open(path: Path, launcher: Path | None) -> Table:
    """Entries of a library, none if it was made from other sources or for another processor."""
    if path not in _tables:
        library = ctypes.CDLL(str(path))
        made_from = (ctypes.c_char * 17).in_dll(library, "supple_sources").value.decode()
        if made_from != cache.sources() or not library.supple_runs_here():
            return {}
        address = ctypes.addressof(ctypes.c_char.in_dll(library, "supple_entries"))
        if launcher is None:
            from supple.native import plain_launcher

            _tables[path] = plain_launcher.entries(address)
        else:
            _tables[path] = _launcher(launcher).entries(address)
    return _tables[path]


def _launcher(path: Path) -> Any:
    name = "supple.native._launcher"
    loader = ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
