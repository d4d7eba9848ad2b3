"""How kernels are compiled, cached and warmed up.

Three decorators:

- ``kernel``: an inner function, compiled when a caller is.
- ``entry(*types)``: a function called from Python. It has exactly one signature, is compiled on its
  first use (never at import) and then refuses any other signature: a wrong array type raises at once
  instead of silently compiling for half a minute.
- ``shared(*types)``: an inner function with one signature. Plain kernels become a part of every entry that calls
  them, and are optimized there again; a shared one is compiled once and called by its address.

Numba's disk cache notices a changed file but not a changed callee in another file. The cache folder
therefore carries a hash of *all* kernel sources: editing any of them moves every kernel to a new folder.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import llvmlite.binding
import numba
from numba import types
from numba.core import caching, cgutils, codegen
from numba.extending import intrinsic

FASTMATH = {"contract", "reassoc", "arcp", "nsz"}  # not nnan/ninf: failures are found by isfinite

# Argument types of entry kernels. Model buffers are read-only, everything else is writable.
INTS = types.Array(types.int64, 1, "C", readonly=True)
REALS = types.Array(types.float64, 1, "C", readonly=True)
VEC = types.Array(types.float64, 1, "C")
MAT = types.Array(types.float64, 2, "C")
IVEC = types.Array(types.int64, 1, "C")
REAL = types.float64
INT = types.int64


def _sources_hash() -> str:
    digest = hashlib.sha256(f"numba {numba.__version__}".encode())
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


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _pick_folder() -> Path:
    folder = cache_root() / f"kernels-{SOURCES_HASH}"
    if not _usable(folder):  # a folder of this process: what others put there must not be loaded
        folder = Path(tempfile.mkdtemp(prefix="supple-kernels-"))
    return folder


CACHE_FOLDER = _pick_folder()


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Puts every kernel into the folder that carries the hash of all kernel sources."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._line = py_func.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(CACHE_FOLDER)

    def get_source_stamp(self) -> str:
        return SOURCES_HASH

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _CacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_Locator]  # noqa: RUF012  (numba's own attribute)


class _KernelCache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _CacheImpl


# Kernels never allocate, so they need no reference counting: without it a step is five times faster.
_OPTIONS: dict[str, Any] = {"fastmath": FASTMATH, "error_model": "numpy", "_nrt": False}


_INNER, _ENTRY = "supple.core.inner.", "supple.core.entry."


def _leave_code_to_entries() -> None:
    """Inner kernels are linked into entries, which are optimized and translated as a whole: once is enough.

    Numba would optimize every kernel with all it calls, and again in each caller, and twice: first cheaply, to
    find reference counts that can go, of which kernels have none; and make machine code of each that nobody
    runs. That is half of the compilation time. Only libraries with our own prefixes are touched.
    """
    library = codegen.CPUCodeLibrary
    optimize, finish, serialize = (
        library._optimize_final_module, library._finalize_final_module, library.serialize_using_object_code
    )
    set_environment = codegen.JITCPUCodegen.set_env

    def optimize_entries(self: Any) -> None:
        if self.name.startswith(_ENTRY):
            passes, builder = self._codegen._module_pass_manager()
            passes.run(self._final_module, builder)
        elif not self.name.startswith(_INNER):
            optimize(self)

    def finish_entries(self: Any) -> None:
        if self.name.startswith(_INNER):
            self._finalize_dynamic_globals()
            self._finalized = True
        else:
            finish(self)

    def serialize_entries(self: Any) -> Any:
        return self.serialize_using_bitcode() if self.name.startswith(_INNER) else serialize(self)

    def set_known_environment(self: Any, name: str, environment: Any) -> None:
        if self._engine.is_symbol_defined(name):  # not of a kernel without machine code
            set_environment(self, name, environment)

    library._optimize_final_module = optimize_entries
    library._finalize_final_module = finish_entries
    library.serialize_using_object_code = serialize_entries
    codegen.JITCPUCodegen.set_env = set_known_environment


_leave_code_to_entries()


def _rename(function: Callable[..., Any], prefix: str) -> None:
    """Numba names its libraries by the qualified names of functions."""
    function.__qualname__ = f"{prefix}{function.__module__.rsplit('.', 1)[-1]}.{function.__name__}"


def kernel(function: Callable[..., Any]) -> Any:
    """Compile an inner kernel when its first caller is compiled; it cannot be called from Python.

    Nor from a plain ``numba.njit`` function that keeps arrays it returns: they are borrowed, not counted.

    The wrappers for Python and C callers are left out: for arguments that are tuples of arrays they
    cost more compilation than the kernel itself.
    """
    _rename(function, _INNER)
    return _compile_later(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compile_later(function: Callable[..., Any], **options: Any) -> Any:
    dispatcher = numba.njit(**_OPTIONS, **options)(function)
    if hasattr(dispatcher, "py_func"):  # false under NUMBA_DISABLE_JIT=1
        dispatcher._cache = _KernelCache(function)
    return dispatcher


_LOCK = threading.RLock()


class Entry:
    """A kernel with one signature, compiled on first use. ``ready()`` gives the callable itself."""

    options: ClassVar[dict[str, Any]] = {"no_cfunc_wrapper": True}

    def __init__(
        self, function: Callable[..., Any], signature: Sequence[Any], calls: Sequence[str] | None
    ) -> None:
        self.name = function.__name__
        self.signature = tuple(signature)
        self.function = function
        self._dispatcher = _compile_later(function, **self.options)
        self._ready: Callable[..., Any] | None = None
        self._calls = calls

    def _needed(self) -> Sequence[Shared]:
        """What it may call by address."""
        return [SHARED[n] for n in (SHARED if self._calls is None else self._calls)]

    @property
    def cached(self) -> bool:
        """True when the compiled kernel is on disk or in memory."""
        if self._ready is not None or not hasattr(self._dispatcher, "py_func"):
            return True
        return os.path.exists(self._dispatcher._cache._cache_file._index_path)

    def ready(self) -> Callable[..., Any]:
        """Compile (or load) if needed and return the plain callable for hot paths."""
        if self._ready is None:
            with _LOCK:
                for other in self._needed():
                    other.ready()
                if self._ready is None:
                    if hasattr(self._dispatcher, "py_func"):
                        if not self.cached:
                            _announce()
                        self._compile()
                    self._ready = self._dispatcher
        return self._ready

    def _compile(self) -> None:
        collecting = gc.isenabled()
        gc.disable()  # the compiler keeps what it makes; looking for garbage costs a quarter of the time
        try:
            self._dispatcher.compile(self.signature)
        finally:
            if collecting:
                gc.enable()
        self._dispatcher.disable_compile()

    def __call__(self, *args: Any) -> Any:
        """Call the compiled kernel."""
        return self.ready()(*args)


class Shared(Entry):
    """A kernel that others call by its address, as ``inside``.

    The address is made known to the linker under a name of our own before anything that needs it is loaded:
    a kernel makes those ready that it calls.
    """

    options: ClassVar[dict[str, Any]] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    @property
    def symbol(self) -> str:
        """Name for the linker."""
        return f"supple_{SOURCES_HASH}_{self.name}"

    def _compile(self) -> None:
        super()._compile()
        (made,) = self._dispatcher.overloads.values()
        address = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
        llvmlite.binding.add_symbol(self.symbol, address)

    def inside(self) -> Any:
        """The function for kernels."""
        if not hasattr(self._dispatcher, "py_func"):
            return self.function

        def call(typing: Any, *given: Any) -> Any:
            wanted = self.signature
            if len(given) != len(wanted) or not all(
                a == b or typing.can_convert(a, b) is not None for a, b in zip(given, wanted, strict=True)
            ):
                raise numba.TypingError(f"{self.name} takes {wanted}, not {given}")
            self.ready()
            (made,) = self._dispatcher.overloads.values()
            result = made.signature.return_type

            def generate(context: Any, builder: Any, signature: Any, packed: Any) -> Any:
                values = [
                    context.cast(builder, value, a, b)
                    for value, a, b in zip(
                        cgutils.unpack_tuple(builder, packed[0]), given, wanted, strict=True
                    )
                ]
                kind = context.call_conv.get_function_type(result, wanted)
                function = cgutils.get_or_insert_function(builder.module, kind, self.symbol)
                return context.call_conv.call_function(builder, function, result, wanted, values)[1]

            return result(types.StarArgTuple.from_types(given)), generate

        return intrinsic(call)


ENTRIES: dict[str, Entry] = {}
SHARED: dict[str, Shared] = {}


def entry(
    *signature: Any, calls: Sequence[str] | None = None
) -> Callable[[Callable[..., Any]], Entry]:
    """Declare an entry kernel with its one signature; ``calls`` names the shared ones it calls (None: any)."""

    def declare(function: Callable[..., Any]) -> Entry:
        _rename(function, _ENTRY)
        made = Entry(function, signature, calls)
        ENTRIES[made.name] = made
        return made

    return declare


def shared(*signature: Any, calls: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel that is compiled once for all callers; ``calls`` names the shared ones it calls."""

    def declare(function: Callable[..., Any]) -> Any:
        _rename(function, _ENTRY)
        made = Shared(function, signature, calls)
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
) -> Any:
    """Type of a named tuple of arrays, given by their dimensions: read-only integers and constants, and others."""
    found = dict.fromkeys(numbers, REAL)
    for fields, number, fixed in (
        (ints, INT, True), (constants, REAL, True), (reals, REAL, False), (counts, INT, False)
    ):
        found.update({k: types.Array(number, n, "C", readonly=fixed) for k, n in fields.items()})
    return types.NamedTuple([found[k] for k in kind._fields], kind)


def all_entries() -> dict[str, Entry]:
    """Every entry kernel by name (importing the modules that declare them)."""
    from supple.core import alpha, dop853, dynamics, energy_step, history, multistep, radau  # noqa: F401

    return ENTRIES


def compile_entries(names: Sequence[str]) -> None:
    """Compile the named entry kernels in this process, announcing each on standard output."""
    global _announced
    _announced = True
    entries = all_entries()
    for name in names:
        entries[name].ready()
        print(name, flush=True)


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


# What two processes compile side by side: first shared kernels, then entries. What is named in neither list of
# a pair goes to the second process.
_SIDES = (("tangent_at",), ("radau_run", "history", "dop853_run"))


def warmup(
    report: Callable[[str, float], None] | None = None, names: Sequence[str] | None = None
) -> float:
    """Compile kernels into the disk cache, two processes side by side.

    Numba compiles under one lock, so threads do not help. ``report(name, fraction)`` is called after
    each kernel. Returns the seconds taken.
    """
    global _announced
    start = time.perf_counter()
    entries = all_entries()
    _announced = True
    todo = [n for n in (names or entries) if not entries[n].cached]
    if any(n not in SHARED for n in todo):  # entries need all shared ones
        todo = list(dict.fromkeys([*(n for n in SHARED if not entries[n].cached), *todo]))
    can_split = bool(sys.executable) and not getattr(sys, "frozen", False)
    if can_split and (os.cpu_count() or 1) > 1:
        done: list[str] = []
        for first, shares in zip(_SIDES, (True, False), strict=True):
            now = [n for n in todo if (n in SHARED) == shares]
            _compile_aside(
                [[n for n in first if n in now], [n for n in now if n not in first]],
                done, len(todo), report,
            )
    for name in todo:
        if not entries[name].cached:
            entries[name].ready()
    if report is not None:
        report("done", 1.0)
    _prune()
    return time.perf_counter() - start


def _compile_aside(
    sides: Sequence[Sequence[str]],
    done: list[str],
    total: int,
    report: Callable[[str, float], None] | None,
) -> None:
    """Compile two lists of kernels in two processes, unless one of them is empty: that is left to this process."""
    if not all(sides):
        return
    code = "import sys; from supple.core import jit; jit.compile_entries(sys.argv[1:])"
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, *side], stdout=subprocess.PIPE, text=True, env=env
        )
        for side in sides
    ]
    _follow(running, done, total, report)


def _follow(
    running: Sequence[subprocess.Popen[str]],
    done: list[str],
    total: int,
    report: Callable[[str, float], None] | None,
) -> None:
    """Report the kernels that child processes announce, as they come."""

    def listen(process: subprocess.Popen[str]) -> None:
        for line in process.stdout or ():
            done.append(line.strip())
            if report is not None:
                report(done[-1], len(done) / (total + 1))

    listeners = [threading.Thread(target=listen, args=(p,), daemon=True) for p in running]
    for listener in listeners:
        listener.start()
    for listener, process in zip(listeners, running, strict=True):
        listener.join()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _prune(keep_days: float = 30.0) -> None:
    """Remove caches of other source versions that were not touched for a month."""
    limit = time.time() - keep_days * 86400.0
    for folder in CACHE_FOLDER.parent.glob("kernels-*"):
        if not re.fullmatch(r"kernels-[0-9a-f]{16}", folder.name) or folder == CACHE_FOLDER:
            continue
        try:
            if folder.stat().st_mtime < limit:
                for item in (*folder.glob("*.nbi"), *folder.glob("*.nbc")):
                    item.unlink()
                folder.rmdir()
        except OSError:  # in use, or with something of somebody else in it
            continue
