"""How kernels are declared, found and warmed up.

Three decorators:

- ``kernel``: an inner function, compiled when a caller is.
- ``entry(*kinds)``: a function called from Python. It has exactly one signature, is compiled on its
  first use (never at import) and then refuses any other signature: a wrong array type raises at once
  instead of silently compiling for half a minute.
- ``shared(*kinds)``: an inner function with one signature. Plain kernels become a part of every entry that calls
  them, and are optimized there again; a shared one is compiled once and called by its address.

A wheel brings all entries as machine code (``supple.native._kernels``, made by ``ahead.py``). It is used as long as
the kernel sources are those it was made from and the processor can run it. Otherwise Numba compiles
(``compiler.py``), and is not even imported before that.

What is compiled is kept on disk under a hash of the kernel and of everything it refers to (``fingerprint.py``): after an
edit only what depends on it is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

FASTMATH = {"contract", "reassoc", "arcp", "nsz"}  # not nnan/ninf: failures are found by isfinite

DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")  # kernels are plain Python


@dataclass(frozen=True)
class Kind:
    """What an argument of an entry is: a number, or an array with that many dimensions in C order."""

    number: str  # "float64" or "int64"
    dims: int = 0
    fixed: bool = False  # read-only arrays are accepted too

    def described(self) -> str:
        """Its parts in a word."""
        return f"{self.number}{self.dims}{'fixed' if self.fixed else ''}"


@dataclass(frozen=True)
class TupleKind:
    """A named tuple of arguments."""

    members: tuple[Kind, ...]
    made_by: Any

    def described(self) -> str:
        """Its name and fields, the same in every process."""
        fields = ", ".join(f"{n} {k.described()}" for n, k in zip(self.made_by._fields, self.members, strict=True))
        return f"{self.made_by.__name__}({fields})"


# Arguments of entry kernels. Model buffers are read-only, everything else is writable.
INTS = Kind("int64", 1, fixed=True)
REALS = Kind("float64", 1, fixed=True)
VEC = Kind("float64", 1)
MAT = Kind("float64", 2)
IVEC = Kind("int64", 1)
REAL = Kind("float64")
INT = Kind("int64")
TRUTH = Kind("boolean")


def _sources_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


SOURCES_HASH = _sources_hash()


def cache_root() -> Path:
    """Folder that holds the kernel caches; the environment variable SUPPLE_CACHE_DIR overrides it."""
    chosen = os.environ.get("SUPPLE_CACHE_DIR")
    if chosen:
        return Path(chosen).resolve()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home())
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "supple"



def prebuilt(name: str) -> Callable[..., Any] | None:
    """The entry as it was compiled when the package was built, if that can be used here."""
    global _table
    if _table is None:
        _table = {}
        if not DISABLED and os.environ.get("SUPPLE_PREBUILT", "1") != "0":
            try:
                from supple.native import _kernels
            except ImportError:  # a source tree, or another platform
                pass
            else:
                if _kernels.SOURCES == SOURCES_HASH and _kernels.runs_here():
                    _table = _kernels.entries()
    return _table.get(name)


_table: dict[str, Callable[..., Any]] | None = None


def _compiler() -> Any:
    """The module that needs Numba."""
    try:
        from supple.native import compiler
    except ModuleNotFoundError as error:
        raise ImportError(
            f"supple has no compiled kernels for this platform, and cannot compile them without {error.name}: "
            "pip install numba"
        ) from error
    return compiler


_INNER, _ENTRY = "supple.core.inner.", "supple.core.entry."


def _rename(function: Callable[..., Any], prefix: str) -> None:
    """Numba names its libraries by the qualified names of functions."""
    function.__qualname__ = f"{prefix}{function.__module__.rsplit('.', 1)[-1]}.{function.__name__}"


class Kernel:
    """An inner kernel. Numba is told what it is by ``real``, which is made when a caller is compiled."""

    def __init__(
        self, make: Callable[[], Any], function: Callable[..., Any], shared: Shared | None = None
    ) -> None:
        self._make, self.function, self.shared = make, function, shared
        self._real: Any = None
        self.__doc__ = function.__doc__

    @property
    def py_func(self) -> Callable[..., Any]:
        """The function as it is written, by the name that Numba has for it."""
        return self.function

    @property
    def real(self) -> Any:
        """Numba's object."""
        if self._real is None:
            self._real = self._make()
        return self._real


def kernel(function: Callable[..., Any]) -> Any:
    """Compile an inner kernel when its first caller is compiled; it cannot be called from Python.

    Nor from a plain ``numba.njit`` function that keeps arrays it returns: they are borrowed, not counted.

    The wrappers for Python and C callers are left out: for arguments that are tuples of arrays they
    cost more compilation than the kernel itself.
    """
    if DISABLED:
        return function
    _rename(function, _INNER)

    def make() -> Any:
        return _compiler().dispatcher(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)

    return Kernel(make, function)


def generated(make: Callable[[], Any], shared: Shared | None = None) -> Any:
    """An inner kernel that is written in LLVM's language: ``make`` returns Numba's intrinsic."""
    INTRINSICS.append(Kernel(make, make, shared))
    return INTRINSICS[-1]


def _hold() -> Any:
    from supple.native import held

    return held.hold


def _cut() -> Any:
    from supple.native import held

    return held.block


def _cut_plainly(buffer: Any, start: int, *shape: int) -> Any:
    """View of a flat buffer with that shape."""
    size = 1
    for extent in shape:
        size *= int(extent)
    if start + size > len(buffer):
        raise IndexError(f"{size} numbers from {start} of a buffer of {len(buffer)}")
    return buffer[start : start + size].reshape(shape)


INTRINSICS: list[Kernel] = []  # Numba must know them before it compiles a caller


hold = (lambda views: views) if DISABLED else generated(_hold)
block = _cut_plainly if DISABLED else generated(_cut)

_LOCK = threading.RLock()


class Entry:
    """A kernel with one signature, compiled on first use. ``ready()`` gives the callable itself."""

    options: ClassVar[dict[str, Any]] = {"no_cfunc_wrapper": True}

    def __init__(
        self,
        function: Callable[..., Any],
        signature: Sequence[Any],
        gives: Kind | None = None,
    ) -> None:
        self.name = function.__name__
        self.signature = tuple(signature)
        self.function = function
        self.gives = gives
        self._dispatcher: Any = None
        self._ready: Callable[..., Any] | None = None

    def needed(self) -> Sequence[Shared]:
        """What it calls by address."""
        from supple.native import fingerprint

        return [SHARED[n] for n in sorted(fingerprint.calls(self.function))]

    @property
    def dispatcher(self) -> Any:
        """Numba's object."""
        if self._dispatcher is None:
            self._dispatcher = _compiler().dispatcher(self.function, **self.options)
        return self._dispatcher

    @property
    def cached(self) -> bool:
        """True when the compiled kernel is on disk or in memory."""
        if self._ready is not None or DISABLED or prebuilt(self.name) is not None:
            return True
        return os.path.exists(self.dispatcher._cache._cache_file._index_path)

    def ready(self) -> Callable[..., Any]:
        """Compile (or load) if needed and return the plain callable for hot paths."""
        if self._ready is None:
            self._ready = self.function if DISABLED else prebuilt(self.name)
        if self._ready is None:
            with _LOCK:
                for other in self.needed():
                    other.ready()
                if self._ready is None:
                    if not self.cached:
                        _announce()
                    self._compile()
                    self._ready = self.dispatcher
        return self._ready

    def _compile(self) -> None:
        _compiler().compile_for(self)

    def __call__(self, *args: Any) -> Any:
        """Call the compiled kernel."""
        return self.ready()(*args)


class Shared(Entry):
    """A kernel that others call by its address.

    The address is made known to the linker under a name of our own before anything that needs it is loaded:
    a kernel makes those ready that it calls.
    """

    options: ClassVar[dict[str, Any]] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    @property
    def symbol(self) -> str:
        """Name for the linker."""
        return f"supple_{self.name}"

    @property
    def interface(self) -> str:
        """What its callers are compiled for."""
        takes = ", ".join(k.described() for k in self.signature)
        return f"{self.name}({takes}) {'' if self.gives is None else self.gives.described()}"

    def _compile(self) -> None:
        super()._compile()
        _compiler().publish(self)

    @property
    def plain(self) -> Any:
        """The same as an inner kernel, for arguments of other types."""
        if self._plain is None:
            f = self.function
            copy = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
            copy.__module__ = f.__module__
            _rename(copy, _INNER)
            self._plain = _compiler().dispatcher(copy, **self.options)
        return self._plain

    _plain: Any = None

    def inside(self) -> Any:
        """The function for kernels."""
        if DISABLED:
            return self.function

        def make() -> Any:
            return _compiler().call_by_address(self)

        return generated(make, self)


ENTRIES: dict[str, Entry] = {}
SHARED: dict[str, Shared] = {}


def entry(*signature: Any) -> Callable[[Callable[..., Any]], Entry]:
    """Declare an entry kernel with its one signature."""

    def declare(function: Callable[..., Any]) -> Entry:
        _rename(function, _ENTRY)
        made = Entry(function, signature)
        ENTRIES[made.name] = made
        return made

    return declare


def shared(
    *signature: Any, gives: Kind | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel that is compiled once for all callers.

    ``gives`` is what it returns (None: nothing): callers are compiled without looking into it.
    """

    def declare(function: Callable[..., Any]) -> Any:
        _rename(function, _ENTRY)
        made = Shared(function, signature, gives)
        ENTRIES[made.name] = made
        SHARED[made.name] = made
        return made.inside()

    return declare


def tuple_type(
    kind: Any,
    ints: Mapping[str, int] = {},
    constants: Mapping[str, int] = {},
    reals: Mapping[str, int] = {},
    counts: Mapping[str, int] = {},
    numbers: Sequence[str] = (),
) -> TupleKind:
    """Kind of a named tuple of arrays, given by their dimensions: read-only integers and constants, and others."""
    found = dict.fromkeys(numbers, REAL)
    for fields, number, fixed in (
        (ints, INT, True), (constants, REAL, True), (reals, REAL, False), (counts, INT, False)
    ):
        found.update({k: Kind(number.number, n, fixed) for k, n in fields.items()})
    return TupleKind(tuple(found[k] for k in kind._fields), kind)


def all_entries() -> dict[str, Entry]:
    """Every entry kernel by name (importing the modules that declare them)."""
    from supple.core import alpha, dop853, dynamics, energy_step, history, multistep, radau  # noqa: F401

    return ENTRIES


_announced = False


def _announce() -> None:
    """Say once why the first call takes long."""
    global _announced
    if not _announced:
        _announced = True
        print(
            "supple: compiling kernels, once on this machine (about a minute; "
            "`supple warmup` does it ahead)",
            file=sys.stderr,
            flush=True,
        )


def prepare(*needed: Entry) -> None:
    """Make kernels ready; several that are not on disk yet are compiled side by side."""
    missing = [e.name for e in needed if not e.cached]
    if len(missing) > 1:
        _announce()
        warmup(names=missing)
    for e in needed:
        e.ready()


# The longest to compile begin; the first two have little in common, so that two processes do not do the same
_FIRST = ("radau_run", "residual_at", "energy_run", "tangent_at", "alpha_run", "dop853_run", "factorize", "history")


def warmup(
    report: Callable[[str, float], None] | None = None,
    names: Sequence[str] | None = None,
    workers: int | None = None,
) -> float:
    """Compile kernels into the disk cache, in as many processes as there are processors.

    Numba compiles under one lock, so threads do not help. ``report(name, fraction)`` is called after
    each kernel. Returns the seconds taken.
    """
    global _announced
    start = time.perf_counter()
    entries = all_entries()
    _announced = True
    wanted = list(names or entries)
    for name in wanted:  # the list grows: what is called by address is needed too
        wanted.extend(e.name for e in entries[name].needed() if e.name not in wanted)
    todo = [n for n in dict.fromkeys((*_FIRST, *wanted)) if n in wanted and not entries[n].cached]
    if not todo:
        return time.perf_counter() - start
    workers = min(workers or int(os.environ.get("SUPPLE_WORKERS", os.cpu_count() or 1)), len(todo))
    if workers > 1 and sys.executable and not getattr(sys, "frozen", False):
        _share_out(todo, workers, report)
    for name in todo:
        if not entries[name].cached:
            entries[name].ready()
    if report is not None:
        report("done", 1.0)
    _compiler().prune()
    return time.perf_counter() - start


def compile_as_told() -> None:
    """Compile entries whose names come line by line, without those that they call, and answer each with its name."""
    entries = all_entries()
    for line in sys.stdin:
        _compiler().compile_alone(entries[line.strip()])
        print(line.strip(), flush=True)


def _share_out(
    names: Sequence[str], workers: int, report: Callable[[str, float], None] | None
) -> None:
    """Compile in child processes; each gets the next name when it is done with one."""
    waiting, done = list(reversed(names)), []
    code = "from supple.native import declare; declare.compile_as_told()"
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))

    def follow() -> None:
        with subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            while waiting:
                try:
                    name = waiting.pop()
                except IndexError:  # another thread took the last one
                    break
                print(name, file=process.stdin, flush=True)
                if process.stdout.readline().strip() != name:  # it failed: left to the calling process
                    break
                done.append(name)
                if report is not None:
                    report(name, len(done) / (len(names) + 1))
            process.stdin.close()

    threads = [threading.Thread(target=follow, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
