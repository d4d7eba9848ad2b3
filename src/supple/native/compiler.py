"""Compilation of kernels into machine code, by Numba's public and extension interfaces only.

Imported where something is compiled: in the processes that ``build.py`` starts, and in tests. What
makes it faster by touching Numba's private parts is in ``numba_private.py`` and may be missing.

An entry becomes a function of the C language in an object file,

    int32 supple_entry_<name>(int64 *unused, void **unused, const int64 *words, int64 *result)

whose words are, for each argument, a number (its 64 bits), or the address and the sizes of an array
in C order; it returns zero. The two unused pointers are Numba's own convention for results and
errors. A shared kernel becomes ``supple_<name>``, called by entries in Numba's convention.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import gc
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic, typeof_impl

from supple.native import declare, fingerprint, held, numba_private
from supple.native.declare import FASTMATH, INNER, OUTER, Entry, Kernel, Kind, Shared, TupleKind
from supple.native.held import Held, array_at

# Kernels never allocate, so they need no reference counting: without it a step is five times
# faster. Nobody calls them as Python functions.
_OPTIONS: dict[str, Any] = {
    "fastmath": FASTMATH,
    "error_model": "numpy",
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


@functools.cache
def numba_type(kind: Kind | TupleKind) -> Any:
    """Numba's type of an argument."""
    if isinstance(kind, TupleKind):
        return Held(types.NamedTuple([numba_type(k) for k in kind.members], kind.made_by))
    number = getattr(types, kind.number)
    return types.Array(number, kind.dims, "C", readonly=kind.fixed) if kind.dims else number


@functools.cache
def inner(function: Callable[..., Any]) -> Any:
    """Numba's dispatcher of an inner kernel: compiled for each set of types, and kept on disk."""
    made = numba.njit(**_OPTIONS, **numba_private.IN_FORCE.options)(function)
    numba_private.keep_on_disk(made, function)
    return made


def of_kernel(kernel: Kernel) -> Any:
    """Numba's object for a kernel: a dispatcher, or an intrinsic."""
    if kernel.made is None:
        if kernel.shared is not None:
            kernel.made = call_by_address(kernel.shared)
        elif kernel.intrinsic:
            kernel.made = getattr(held, kernel.intrinsic)
        else:
            kernel.made = inner(kernel.function)
        if kernel.shared is not None or kernel.intrinsic:
            cpu_target.typing_context.refresh()  # an intrinsic is new to Numba
    return kernel.made


@typeof_impl.register(Kernel)
def _type_of_kernel(value: Kernel, purpose: Any) -> Any:
    return cpu_target.typing_context.resolve_value_type(of_kernel(value))


def result_type(shared: Shared) -> Any:
    """Numba's type of what a shared kernel is declared to return."""
    return types.none if shared.gives is None else numba_type(shared.gives)


def call_by_address(shared: Shared) -> Any:
    """The intrinsic that calls a shared kernel."""

    def call_inner(typing: Any, given: Any) -> Any:
        """With other types, as complex numbers in tests: like any inner kernel."""
        plain = types.Dispatcher(inner(_as_inner(shared.function)))
        chosen = typing.resolve_function_type(plain, given, {})

        def generate(context: Any, builder: Any, signature: Any, packed: Any) -> Any:
            values = cgutils.unpack_tuple(builder, packed[0])
            return context.get_function(plain, chosen)(builder, values)

        return chosen.return_type(types.StarArgTuple.from_types(given)), generate

    def call(typing: Any, *given: Any) -> Any:
        wanted = tuple(numba_type(k) for k in shared.signature)
        if len(given) != len(wanted) or not all(
            a == b or typing.can_convert(a, b) is not None
            for a, b in zip(given, wanted, strict=True)
        ):
            return call_inner(typing, given)
        result = result_type(shared)

        def generate(context: Any, builder: Any, signature: Any, packed: Any) -> Any:
            unpacked = cgutils.unpack_tuple(builder, packed[0])
            values = [
                context.cast(builder, value, a, b)
                for value, a, b in zip(unpacked, given, wanted, strict=True)
            ]
            kind = context.call_conv.get_function_type(result, wanted)
            function = cgutils.get_or_insert_function(builder.module, kind, shared.symbol)
            numba_private.mark_arguments(context.call_conv, function, wanted)
            return context.call_conv.call_function(builder, function, result, wanted, values)[1]

        return result(types.StarArgTuple.from_types(given)), generate

    return intrinsic(call)


@functools.cache
def _as_inner(function: Any) -> Callable[..., Any]:
    """A copy of the function of an entry or shared kernel under the name of an inner one."""
    copy: Callable[..., Any] = type(function)(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        function.__closure__,
    )
    copy.__module__ = function.__module__
    copy.__qualname__ = INNER + function.__qualname__.removeprefix(OUTER)
    return copy


def _adapter(entry: Entry) -> tuple[Callable[..., Any], list[Any]]:
    """The function that reads an entry's arguments from words; the list gets what it returns."""
    body = types.Dispatcher(inner(_as_inner(entry.function)))
    kinds = tuple(numba_type(k) for k in entry.signature)
    returned: list[Any] = []

    @intrinsic
    def call(typing: Any, words: Any, result: Any) -> Any:
        chosen = typing.resolve_function_type(body, kinds, {})
        returned.append(types.unliteral(chosen.return_type))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            values, place = [], 0

            def take() -> Any:
                nonlocal place
                place += 1
                return builder.load(builder.gep(arguments[0], [ir.IntType(64)(place - 1)]))

            for kind in kinds:
                if isinstance(kind, types.Array):
                    data = context.get_data_type(kind.dtype).as_pointer()
                    address = builder.inttoptr(take(), data)
                    extents = [take() for _ in range(kind.ndim)]
                    values.append(array_at(context, builder, kind, address, extents))
                elif kind == types.float64:
                    values.append(builder.bitcast(take(), ir.DoubleType()))
                else:
                    values.append(take())
            out = context.get_function(body, chosen)(builder, values)
            if returned[0] != types.none:
                if isinstance(out.type, ir.DoubleType):
                    out = builder.bitcast(out, ir.IntType(64))
                builder.store(out, arguments[1])
            return context.get_dummy_value()

        return types.void(words, result), generate

    def adapter(words: Any, result: Any) -> None:
        call(words, result)  # type: ignore[call-arg]

    adapter.__qualname__ = f"{OUTER}{entry.name}"
    return adapter, returned


_NOWHERE = ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value


@functools.cache
def _machine(cpu: str) -> Any:
    target = llvm.Target.from_triple(llvm.get_process_triple())
    features = ""
    if cpu == "native":
        cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default"
    )


def compile_object(entry: Entry, cpus: Sequence[str]) -> tuple[list[bytes], str]:
    """Object files of an entry or a shared kernel, and its result: 'r', 'n', or '-' for none.

    It is translated into LLVM's language once for all kinds of processor.
    """
    pointer = types.CPointer(types.int64)
    if isinstance(entry, Shared):
        function, symbol = entry.function, entry.symbol
        signature: Any = tuple(numba_type(k) for k in entry.signature)
    else:
        function, returned = _adapter(entry)
        symbol, signature = f"supple_entry_{entry.name}", (pointer, pointer)
    for other in fingerprint.calls(entry.function):  # any address: nothing is run here
        llvm.add_symbol(f"supple_{other}", _NOWHERE)
    collecting = gc.isenabled()
    gc.disable()  # the compiler keeps what it makes: looking for garbage is a quarter of the time
    try:
        made = numba.njit(**_OPTIONS, **numba_private.IN_FORCE.options)(function)
        made.compile(signature)
        codes = []
        for cpu, module in zip(cpus, numba_private.modules_of(made, signature, cpus), strict=True):
            _name_only(module, symbol)
            codes.append(_machine(cpu).emit_object(module))
    finally:
        if collecting:
            gc.enable()
    if isinstance(entry, Shared):
        found = made.overloads[signature].signature.return_type
        if found != result_type(entry):
            wanted = result_type(entry)
            raise TypeError(f"{entry.name} is declared to give {wanted}, and gives {found}")
        gives = "-"
    else:
        gives = {types.none: "-", types.float64: "r", types.int64: "n"}[returned[0]]
    return codes, gives


def _name_only(module: Any, symbol: str) -> None:
    """Give the compiled function its name for the linker, and hide everything else of a module."""
    outer = [
        f for f in module.functions if not f.is_declaration and f.linkage == llvm.Linkage.external
    ]
    if len(outer) != 1:
        raise RuntimeError(f"{symbol}: {len(outer)} functions that others could call")
    outer[0].name = symbol
    for function in module.functions:
        if not function.is_declaration and function.name != symbol:
            function.linkage = "internal"
    for value in module.global_variables:
        if not value.is_declaration:
            value.linkage = "internal"


def prepare(folder: Path | None, cpus: Sequence[str]) -> None:
    """Apply the changes to Numba, and leave them out if a small kernel then goes wrong."""
    if folder is not None:
        folder.mkdir(exist_ok=True)
    if not numba_private.apply(folder):
        return
    try:
        right = _trial(cpus) == 10.0
    except Exception:
        right = False
    if not right:
        numba_private.IN_FORCE.revert()
        print("supple: Numba is not one of those known; compiling takes longer", file=sys.stderr)


def _square(x: Any) -> Any:
    """Inner kernel of the trial."""
    return x * x


def _trial(cpus: Sequence[str]) -> float:
    """Compile and run 1 + 3 * 3 by an inner kernel, a view that is held, and an entry.

    Of several kinds of processor it is run by the last, the oldest.
    """
    Pair = collections.namedtuple("Pair", "data one")
    square, hold, block = declare.kernel(_square), declare.hold, declare.block

    @declare.kernel
    def read(pair: Any) -> Any:
        return square(pair.data[0])

    def trial(x: Any) -> Any:
        return 1.0 + read(hold(Pair(block(x, 0, 1), 1)))

    trial.__qualname__ = f"{OUTER}trial"
    codes, _ = compile_object(Entry(trial, (declare.VEC,)), cpus)
    machine = _machine.__wrapped__(cpus[-1])  # the engine owns and deletes it
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(codes[-1]))
    engine.finalize_object()
    number = ctypes.c_double(3.0)
    words = (ctypes.c_int64 * 2)(ctypes.addressof(number), 1)
    result, unused = ctypes.c_double(), ctypes.c_void_p()
    call = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 4)
    address = engine.get_function_address("supple_entry_trial")
    call(address)(
        ctypes.addressof(unused), ctypes.addressof(unused), ctypes.addressof(words),
        ctypes.addressof(result),
    )
    return result.value
