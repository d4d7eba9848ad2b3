"""Fingerprint of a kernel: a hash of its own code and of everything it refers to.

Numba's cache notices a changed file, but not a changed callee in another file. A hash of all kernel
sources would, and compile everything again after every edit. This one follows the names that a
kernel uses: other kernels with all that they use, constants, tables, named tuples. A shared kernel
is called by its address, so of it only the interface counts. Comments, docstrings and line numbers
do not.
"""

from __future__ import annotations

import ast
import builtins
import dis
import hashlib
import sys
import types
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple.native import declare

PACKAGE = "supple."


@dataclass(frozen=True)
class Found:
    """Fingerprint of a function, and the kernels that it calls."""

    digest: str = ""
    calls: frozenset[str] = frozenset()  # shared kernels
    reached: frozenset[types.FunctionType] = frozenset()  # kernels compiled with it, and itself


def fingerprint(function: Any) -> str:
    """Hash of a function's code and all it refers to."""
    return _look(function).digest


def calls(function: Any) -> frozenset[str]:
    """Names of the shared kernels that it calls by address, itself or through inner kernels."""
    return _look(function).calls


def reached(function: Any) -> frozenset[types.FunctionType]:
    """The function and all inner kernels that are compiled with it."""
    return _look(function).reached


def places(function: Any) -> str:
    """Hash of the modules of all kernels that a function calls, through shared ones as well.

    What Numba keeps of a compiled kernel names those that it calls by their modules.
    """
    shared = with_shared(declare.ENTRIES[name] for name in calls(function))
    functions = (function, *(one.function for one in shared))
    modules = {(f.__module__, f.__name__) for one in functions for f in reached(one)}
    return hashlib.sha256(repr(sorted(modules)).encode()).hexdigest()[:16]


def with_shared(entries: Iterable[declare.Entry]) -> list[declare.Entry]:
    """Entries, and the shared kernels that they call, directly or not."""
    every = list(dict.fromkeys(entries))
    for one in every:  # the list grows
        called = (declare.ENTRIES[name] for name in sorted(calls(one.function)))
        every.extend(other for other in called if other not in every)
    return every


def of_module(path: Path) -> str:
    """Hash of what a module does: of its code without comments and docstrings."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                del node.body[0]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def tuples() -> str:
    """Hash of the named tuples of all kernels: their names, and their fields in order.

    An inner kernel is compiled for the types of its arguments, and knows the fields of a tuple by
    their places; the kernel's own fingerprint does not tell of them.
    """
    found = {
        (value.__module__, value.__qualname__, *value._fields)
        for name, module in sys.modules.items()
        if name.startswith(f"{PACKAGE}core.")
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")
    }
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()[:16]


_known: dict[types.FunctionType, Found] = {}


def _look(function: Any) -> Found:
    if function not in _known:
        _known[function] = Found()  # of a kernel that calls itself
        look = _Look()
        look.function(function)
        digest = look.digest.hexdigest()[:24]
        _known[function] = Found(digest, frozenset(look.calls), frozenset(look.reached))
    return _known[function]


def _paths(code: types.CodeType) -> set[tuple[str, ...]]:
    """Global names that code reads, each with the attributes that follow it."""
    found, path = set(), []
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_GLOBAL":
            path = [step.argval]
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and path:
            path.append(step.argval)
        elif step.opname != "EXTENDED_ARG":
            path = []
        if path:
            found.discard(tuple(path[:-1]))
            found.add(tuple(path))
    return found


class _Look:
    """Feeds a hash with what is found."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.calls: set[str] = set()
        self.reached: set[types.FunctionType] = set()

    def add(self, *parts: Any) -> None:
        """Feed the hash."""
        self.digest.update(repr(parts).encode() + b"\n")

    def function(self, function: types.FunctionType) -> None:
        """A function with its code, closure and defaults."""
        self.reached.add(function)
        self.code(function.__code__, function.__globals__, function.__doc__)
        cells = function.__closure__ or ()
        for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
            self.add("cell", name)
            self.value(cell.cell_contents)
        for value in function.__defaults__ or ():
            self.value(value)

    def code(self, code: types.CodeType, names: dict[str, Any], doc: str | None = None) -> None:
        """Code and the globals it reads."""
        self.add(
            code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_argcount,
            code.co_exceptiontable,
        )
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self.code(constant, names)
            elif constant != doc:
                self.add(type(constant).__name__, constant)
        for path in sorted(_paths(code)):
            value: Any = names
            for step in path:
                if isinstance(value, dict):
                    value = value.get(step, builtins)
                elif isinstance(value, types.ModuleType) and value is not builtins:
                    value = getattr(value, step)
            if value is not builtins:
                self.add(*path)
                self.value(value)

    def value(self, value: Any) -> None:
        """One thing that is referred to."""
        if isinstance(value, declare.Kernel):
            self.kernel(value)
        elif isinstance(value, types.ModuleType) and not value.__name__.startswith(PACKAGE):
            self.add(value.__name__)
        elif isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
            self.add(type(value).__name__, value)
        elif isinstance(value, np.ndarray):
            self.add(value.dtype.str, value.shape, value.tobytes())
        elif isinstance(value, (tuple, list)):
            self.add(type(value).__name__, len(value))
            for member in value:
                self.value(member)
        elif isinstance(value, type):
            self.add(value.__qualname__, getattr(value, "_fields", None))
        elif isinstance(value, (declare.Kind, declare.TupleKind)):
            self.add(value.described())
        elif isinstance(value, np.ufunc | types.BuiltinFunctionType):
            self.add(value.__name__)
        elif isinstance(value, types.FunctionType) and not value.__module__.startswith(PACKAGE):
            self.add(value.__module__, value.__qualname__)  # NumPy's, as Numba knows it
        elif isinstance(value, types.FunctionType):
            self.add(fingerprint(value))
        else:
            raise TypeError(f"a kernel refers to {value!r}, whose changes would not be noticed")

    def kernel(self, kernel: declare.Kernel) -> None:
        """A kernel that is called: by address, or compiled with the caller."""
        if kernel.shared is not None:
            self.calls.add(kernel.shared.name)
            self.add("shared", kernel.shared.interface)
        elif kernel.intrinsic:
            self.add("intrinsic", kernel.intrinsic)
        else:
            known = _look(kernel.function)
            self.add("kernel", known.digest)
            self.calls |= known.calls
            self.reached |= known.reached
