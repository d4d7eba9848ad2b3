"""How Numba is made to compile kernels: types, cache, and what is left out. Imported when something is compiled."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding
import numba
from numba import types
from numba.core import caching, cgutils, codegen, targetconfig
from numba.core.registry import cpu_target
from numba.core.types import functions
from numba.extending import intrinsic, typeof_impl

from supple.native import declare as jit
from supple.native import held
from supple.native.declare import _ENTRY, _INNER, FASTMATH, Kernel, Kind, TupleKind, cache_root
from supple.native.fingerprint import fingerprint
from supple.native.held import Held


@functools.cache
def numba_type(kind: Kind | TupleKind) -> Any:
    """Numba's type of an argument."""
    if isinstance(kind, TupleKind):
        return Held(types.NamedTuple([numba_type(k) for k in kind.members], kind.made_by))
    number = getattr(types, kind.number)
    return types.Array(number, kind.dims, "C", readonly=kind.fixed) if kind.dims else number


@typeof_impl.register(Kernel)
def _type_of_kernel(value: Kernel, purpose: Any) -> Any:
    real, context = value.real, cpu_target.typing_context
    if value in jit.INTRINSICS:
        context.refresh()  # it may be new to Numba
    return context.resolve_value_type(real)


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _pick_folder() -> Path:
    digest = hashlib.sha256(f"numba {numba.__version__} llvmlite {llvmlite.__version__}".encode())
    for part in ("compiler.py", "held.py"):
        digest.update((Path(__file__).parent / part).read_bytes())
    folder = cache_root() / f"kernels-{digest.hexdigest()[:16]}"
    if not _usable(folder):  # a folder of this process: what others put there must not be loaded
        folder = Path(tempfile.mkdtemp(prefix="supple-kernels-"))
    return folder


CACHE_FOLDER = _pick_folder()


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Puts every kernel into a file that carries a hash of all it is made of: versions live side by side."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._fingerprint = fingerprint(py_func)

    def get_cache_path(self) -> str:
        return str(CACHE_FOLDER)

    def get_source_stamp(self) -> str:
        return self._fingerprint

    def get_disambiguator(self) -> str:
        return self._fingerprint

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _CacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_Locator]  # noqa: RUF012  (numba's own attribute)


class _KernelCache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is not None:  # in use: not to be removed by ``prune``
            for path in (self._cache_file._index_path, self._cache_file._data_path(self._cache_file._data_name(1))):
                with contextlib.suppress(OSError):
                    os.utime(path)
        return found


# Kernels never allocate, so they need no reference counting: without it a step is five times faster.
_OPTIONS: dict[str, Any] = {"fastmath": FASTMATH, "error_model": "numpy", "_nrt": False}


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


def _resolve_once() -> None:
    """Operators on plain numbers and arrays are looked up once, not at each use; a quarter of the time in Python.

    Numba tries every implementation of ``*`` for every product, and compares all compiler flags in each attempt.
    What it finds depends on function, types and flags only, which are the key.
    """
    config, function = targetconfig.TargetConfig, functions.BaseFunction
    equal, resolve = config.__eq__, function.get_call_type
    plain = (types.Number, types.Boolean, types.Array, types.BaseTuple, types.SliceType, types.RangeType, types.NoneType)
    known: dict[Any, Any] = {}

    def same(self: Any, other: Any) -> Any:
        if self is other or (type(self) is type(other) and self._values == other._values):
            return True
        return equal(self, other)

    def resolve_once(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(isinstance(types.unliteral(a), plain) for a in args):
            return resolve(self, context, args, kws)
        key = self, context, tuple(args), targetconfig.ConfigStack.top_or_none()
        if key not in known:
            known[key] = resolve(self, context, args, kws)
        return known[key]

    config.__eq__, config.__hash__ = same, lambda self: hash(type(self))
    function.get_call_type = resolve_once


_resolve_once()


def dispatcher(function: Callable[..., Any], **options: Any) -> Any:
    """Numba's object for a function, with our options and cache; nothing is compiled yet."""
    made = numba.njit(**_OPTIONS, **options)(function)
    made._cache = _KernelCache(function)
    return made


def compile_for(entry: jit.Entry) -> None:
    """Compile an entry for its one signature, or load it from the cache; then refuse others."""
    collecting = gc.isenabled()
    gc.disable()  # the compiler keeps what it makes; looking for garbage costs a quarter of the time
    try:
        entry.dispatcher.compile(tuple(numba_type(k) for k in entry.signature))
    finally:
        if collecting:
            gc.enable()
    entry.dispatcher.disable_compile()


def compile_alone(entry: jit.Entry) -> None:
    """Compile into the cache, without the shared kernels that it calls: it cannot be called here."""
    nowhere = ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value  # any address will do
    for shared in entry.needed():
        llvmlite.binding.add_symbol(shared.symbol, nowhere)
    compile_for(entry)
    if isinstance(entry, jit.Shared):
        _check_result(entry)


def _check_result(shared: jit.Shared) -> Any:
    (made,) = shared.dispatcher.overloads.values()
    if made.signature.return_type != result_type(shared):
        raise numba.TypingError(f"{shared.name} gives {made.signature.return_type}, not {result_type(shared)}")
    return made


def result_type(shared: jit.Shared) -> Any:
    """Numba's type of what a shared kernel is declared to return."""
    return types.none if shared.gives is None else numba_type(shared.gives)


def publish(shared: jit.Shared) -> None:
    """Tell the linker where a shared kernel is."""
    made = _check_result(shared)
    address = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    llvmlite.binding.add_symbol(shared.symbol, address)


def call_by_address(shared: jit.Shared) -> Any:
    """The intrinsic that calls a shared kernel."""

    def call_plain(typing: Any, given: Any) -> Any:
        """With other numbers, as tests with complex ones have: like any inner kernel."""
        plain = types.Dispatcher(shared.plain)
        chosen = typing.resolve_function_type(plain, given, {})

        def generate(context: Any, builder: Any, signature: Any, packed: Any) -> Any:
            return context.get_function(plain, chosen)(builder, cgutils.unpack_tuple(builder, packed[0]))

        return chosen.return_type(types.StarArgTuple.from_types(given)), generate

    def call(typing: Any, *given: Any) -> Any:
        wanted = tuple(numba_type(k) for k in shared.signature)
        if len(given) != len(wanted) or not all(
            a == b or typing.can_convert(a, b) is not None for a, b in zip(given, wanted, strict=True)
        ):
            return call_plain(typing, given)
        result = result_type(shared)

        def generate(context: Any, builder: Any, signature: Any, packed: Any) -> Any:
            values = [
                context.cast(builder, value, a, b)
                for value, a, b in zip(
                    cgutils.unpack_tuple(builder, packed[0]), given, wanted, strict=True
                )
            ]
            kind = context.call_conv.get_function_type(result, wanted)
            function = cgutils.get_or_insert_function(builder.module, kind, shared.symbol)
            if not any("noalias" in a.attributes for a in function.args):
                held._mark_arguments(context.call_conv, function, wanted)
            return context.call_conv.call_function(builder, function, result, wanted, values)[1]

        return result(types.StarArgTuple.from_types(given)), generate

    return intrinsic(call)


def prune(keep_days: float = 30.0) -> None:
    """Remove what was not used for a month, of this and other versions of Numba."""
    limit = time.time() - keep_days * 86400.0
    for folder in CACHE_FOLDER.parent.glob("kernels-*"):
        if not re.fullmatch(r"kernels-[0-9a-f]{16}", folder.name):
            continue
        try:
            for item in (*folder.glob("*.nbi"), *folder.glob("*.nbc")):
                if item.stat().st_mtime < limit:
                    item.unlink()
            if folder != CACHE_FOLDER:
                folder.rmdir()
        except OSError:  # in use, or with something of somebody else in it
            continue
