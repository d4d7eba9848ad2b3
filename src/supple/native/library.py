"""Finding or making the machine code of entries.

1. The library that came with the package (a wheel), if it was made from these very sources.
2. A library in the cache folder, made on this machine from the same sources.
3. What is missing there is compiled now (``build.py``): in other processes, with a line that tells
   how long it takes, and kept. Of kernels that only some models need (``features.py``) these are
   those of models met so far (``expect``). Whatever else is called is compiled then, within the
   call: a stub asks ``_resolve`` for its address. Where that fails, the call ends with the reason.

All need a launcher that hands NumPy arrays to compiled code. It is an extension module; where it
cannot be built for lack of a C compiler or of Python's headers, or not be loaded for lack of the
global lock, ``plain_launcher.py`` does the same by ctypes, some microseconds slower for each call.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Iterable
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from typing import Any

from supple.native import cache, declare, features, systems, trust
from supple.native.declare import Entry, Shared

Table = dict[str, Callable[..., Any]]

_LOCK = threading.RLock()
_tables: dict[Path, Table] = {}  # of the libraries that were opened
_expected: set[str] = set()  # features of models met so far
_loaded: dict[str, Entry] = {}  # entries that were asked for
_resolved: dict[str, ctypes.CDLL] = {}  # libraries of kernels that were met in a call, by kernel
_failures: dict[int, BaseException] = {}  # why a kernel is missing, by the thread that called


def expect(having: Iterable[str]) -> None:
    """Compile kernels for models with these features with the entries loaded from now on."""
    _expected.update(having)


def _resolve(name: bytes) -> int:
    """Address of a kernel that a library lacks; 0 if there is none, with the reason kept.

    A call that has failed is not asked to compile once more: stubs ask again and again.
    """
    if threading.get_ident() in _failures:
        return 0
    try:
        with _LOCK:
            return _address(name.decode())
    except BaseException as error:  # it cannot go through compiled code
        _failures[threading.get_ident()] = error
        return 0


_resolver = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(_resolve)


def _address(name: str) -> int:
    """Address of a kernel, compiled with all others of its feature that loaded entries may call."""
    from supple.native import build

    if name not in _resolved:
        feature = features.feature_of(name)
        every = features.needed(_loaded.values())
        group = [e for e in every if features.feature_of(e.name) == feature]
        cpu, compiler = build.processor(), build.c_compiler()
        path = cache.folder() / _library_name(cpu, group)
        if not path.exists() or not trust.usable(path):
            why = f"kernel {name} of {feature} is missing"
            if compiler is None:
                raise build.BuildError(f"{why}, and without a C compiler it cannot be added")
            print(f"supple: kernels of {feature} are needed and compiled now", file=sys.stderr)
            try:
                build.link(build.compile_objects(group, cpu, having={feature}), path, cpu, compiler)
            except build.BuildError as error:
                raise build.BuildError(f"{why}: {error}") from error
        library = ctypes.CDLL(str(path))
        _tell_resolver(library)
        _resolved.update((one.name, library) for one in group)
        _expected.add(feature)
    code = getattr(_resolved[name], f"supple_{name}")
    return ctypes.cast(code, ctypes.c_void_p).value or 0


def _tell_resolver(library: ctypes.CDLL) -> bool:
    """Let the stubs of a library find ``_resolve``; False if it has none."""
    try:
        place = ctypes.c_void_p.in_dll(library, "supple_resolver")
    except ValueError:
        return False
    place.value = ctypes.cast(_resolver, ctypes.c_void_p).value
    return True


def _watched(code: Callable[..., Any]) -> Callable[..., Any]:
    """An entry of a library that lacks kernels: it raises why one of them could not be added."""

    def call(*given: Any) -> Any:
        try:
            return code(*given)
        finally:
            if _failures and (error := _failures.pop(threading.get_ident(), None)) is not None:
                raise error

    return call


def load(entries: Iterable[Entry]) -> None:
    """Make entries callable, all of them together: what has to be compiled is, side by side."""
    with _LOCK:
        wanted = {e.name: e for e in entries if not e.loaded and not isinstance(e, Shared)}
        _loaded.update(wanted)
        for find in (_packaged, _kept, _made):
            if not wanted:
                return
            for name, code in find(list(wanted.values())).items():
                if name in wanted:
                    wanted.pop(name).use(code)
        if wanted:
            raise ImportError(f"no machine code for {', '.join(wanted)}")


def warm_up() -> None:
    """Make all entries callable, for all models: compile what is not there yet."""
    expect(features.FEATURES)
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
        for name in (_library_name(cpu), _library_name(cpu, wanted, _expected)):
            path = cache.folder() / name
            if not found and path.exists() and trust.usable(path):
                cache.used(path)
                found = _open(path, _launcher_path())
    return found


def _made(wanted: list[Entry]) -> Table:
    """Compile, and link if that is possible."""
    from supple.native import build

    cpu, compiler = build.processor(), build.c_compiler()
    every = declare.all_entries().values()
    stubs = compiler is not None and systems.THIS is not systems.WINDOWS
    objects = build.compile_objects(wanted, cpu, having=_expected if stubs else None)
    whole = _is_there(every, cpu)
    if whole:  # then one library serves all runs
        objects = build.compile_objects(every, cpu)
    if compiler is None:
        from supple.native import plain_launcher

        return plain_launcher.load_objects(objects)
    path = cache.folder() / _library_name(cpu, None if whole else wanted, _expected)
    return _open(build.link(objects, path, cpu, compiler), _launcher_path())


def _is_there(entries: Iterable[Entry], cpu: str) -> bool:
    """True if all of these were compiled before."""
    from supple.native import build

    folder = build.object_folder(cpu)
    return all(build.find_object(e, folder) is not None for e in entries)


def _library_name(
    cpu: str, entries: Iterable[Entry] | None = None, having: Iterable[str] = ()
) -> str:
    """File of all entries, or of some, for models with some features."""
    name = f"kernels-{cache.sources()}-{cpu}"
    if entries is None:
        return f"{name}{systems.THIS.library}"
    names = [*sorted(e.name for e in entries), *sorted(having)]
    some = hashlib.sha256(" ".join(names).encode()).hexdigest()[:12]
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
        lacking = _tell_resolver(library)
        made_from = (ctypes.c_char * 17).in_dll(library, "supple_sources").value.decode()
        if made_from != cache.sources() or not library.supple_runs_here():
            return {}
        address = ctypes.addressof(ctypes.c_char.in_dll(library, "supple_entries"))
        if launcher is None:
            from supple.native import plain_launcher

            table = plain_launcher.entries(address)
        else:
            table = _launcher(launcher).entries(address)
        _tables[path] = {n: _watched(c) for n, c in table.items()} if lacking else table
    return _tables[path]


def _launcher(path: Path) -> Any:
    name = "supple.native._launcher"
    loader = ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
