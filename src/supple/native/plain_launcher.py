"""Calls entries without the extension module: by ctypes, some microseconds slower for each call."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from supple.native.declare import ENTRIES, LETTERS, Shared

_TYPES = ctypes.c_int32, *[ctypes.c_void_p] * 4
HOLDING = ctypes.PYFUNCTYPE(*_TYPES)  # keeps Python's lock
RELEASING = ctypes.CFUNCTYPE(*_TYPES)  # other threads run Python meanwhile
LOOP = "ifvvvjffmn"  # arguments of step loops, see launcher.c
KINDS = {letter: kind for kind, letter in LETTERS.items()}


class _Row(ctypes.Structure):
    """A row of the table of entries, see supple.h."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kinds", ctypes.c_char_p),
        ("result", ctypes.c_int64),
        ("code", ctypes.c_void_p),
    )


def entries(address: int) -> dict[str, Callable[..., Any]]:
    """Callables by name, from the address of a library's table of entries."""
    found: dict[str, Callable[..., Any]] = {}
    while True:
        row = _Row.from_address(address)
        if row.name is None:
            return found
        name = row.name.decode()
        found[name] = _callable(name, row.kinds.decode(), chr(row.result), row.code)
        address += ctypes.sizeof(_Row)


def load_objects(objects: dict[str, Path]) -> dict[str, Callable[..., Any]]:
    """Callables of object files, linked in memory by LLVM."""
    import llvmlite.binding as llvm
    import numba  # noqa: F401  (its helpers are found by their names)

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    for path in objects.values():
        engine.add_object_file(llvm.ObjectFileRef.from_path(str(path)))
    engine.finalize_object()
    _engines.append(engine)  # owns the code
    found = {}
    for name, path in objects.items():
        if not isinstance(ENTRIES[name], Shared):
            kinds = "".join(LETTERS[k] for k in ENTRIES[name].signature)
            address = engine.get_function_address(f"supple_entry_{name}")
            found[name] = _callable(name, kinds, path.stem[-1], address)
    return found


_engines: list[Any] = []


def _callable(name: str, kinds: str, result: str, address: int) -> Callable[..., Any]:
    code = (RELEASING if kinds == LOOP else HOLDING)(address)

    def call(*given: Any) -> Any:
        if len(given) != len(kinds):
            raise TypeError(f"{name} takes {len(kinds)} arguments, not {len(given)}")
        words: list[int] = []
        for place, (letter, value) in enumerate(zip(kinds, given, strict=True)):
            if letter == "r":
                words.append(int(np.float64(value).view(np.int64)))
            elif letter == "n":
                words.append(int(value))
            else:
                _check(name, place, letter, value)
                words += [value.ctypes.data, *value.shape]
        packed = (ctypes.c_int64 * len(words))(*words)
        out, unused = ctypes.c_int64(0), ctypes.c_void_p()
        pointers = (unused, unused, packed, out)
        status = code(*(ctypes.addressof(p) for p in pointers))
        if status not in (0, -2):
            raise RuntimeError(f"{name} failed with code {status}")
        if result == "r":
            return float(np.int64(out.value).view(np.float64))
        return out.value if result == "n" else None

    return call


def _check(name: str, place: int, letter: str, value: Any) -> None:
    kind = KINDS[letter]
    fits = (
        isinstance(value, np.ndarray)
        and value.dtype == kind.number
        and value.ndim == kind.dims
        and value.flags.c_contiguous
        and value.flags.aligned
        and (kind.fixed or value.flags.writeable)
    )
    if not fits:
        word = "an" if kind.fixed else "a writable"
        raise TypeError(
            f"{name}: argument {place + 1} must be {word} array of {kind.number} in C order with "
            f"{kind.dims} dimension{'s'[: kind.dims > 1]}"
        )
