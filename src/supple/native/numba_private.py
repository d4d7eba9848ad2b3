"""Changes of Numba's private parts: faster compilation, and nothing else.

Each of them is made on its own: inner kernels get no machine code (``once``), operators are looked
up once (``lookup``), declarations are loaded when there are new ones (``declarations``), variables
are looked for where they are (``variables``), LLVM is told that views are only read (``marks``),
needless passes are left out (``passes``), inner kernels are kept on disk (``disk``). A change whose
names are missing in this version of Numba is left out; if a small kernel then does not compile to
the right number, all of them are (``checked``). Numba works as it was written then: about twice as
slow, with results that differ by rounding at most. SUPPLE_PLAIN_NUMBA=1 asks for that.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import base, caching, callconv, codegen, compiler, config, imputils, targetconfig
from numba.core import ir as numba_ir
from numba.core.types import functions
from numba.core.typing import templates

from supple.native.declare import INNER, OUTER
from supple.native.fingerprint import fingerprint, places
from supple.native.held import Held

_MISSING = (AttributeError, TypeError)


class Changes:
    """Replaced attributes of Numba's classes, and what they were."""

    def __init__(self) -> None:
        self.names: list[str] = []  # changes in force
        self.folder: Path | None = None  # of inner kernels on disk
        self.options: dict[str, Any] = {}  # of Numba's decorator
        self._before: list[tuple[Any, str, Any]] = []

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Replace an attribute."""
        self._before.append((owner, name, owner.__dict__.get(name)))
        setattr(owner, name, value)

    def apply(self, folder: Path | None) -> None:
        """Make all changes that this version of Numba allows."""
        if os.environ.get("SUPPLE_PLAIN_NUMBA", "0") not in ("", "0"):
            return
        for change in (once, lookup, declarations, literals, variables, marks, passes):
            known = len(self._before)
            try:
                change(self)
            except _MISSING:
                self.revert(known)
            else:
                self.names.append(change.__name__)
        if folder is not None:
            self.names.append("disk")
            self.folder = folder

    def revert(self, known: int = 0) -> None:
        """Undo the changes made after the first ``known`` ones."""
        while len(self._before) > known:
            owner, name, value = self._before.pop()
            if value is None:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
        if known == 0:
            self.names, self.folder, self.options = [], None, {}


IN_FORCE = Changes()


def once(changes: Changes) -> None:
    """Inner kernels are linked into entries, which are optimized as a whole: once is enough.

    Numba would optimize every kernel with all it calls, again in each caller, and twice: first
    cheaply, to find reference counts that can go, of which kernels have none; and make machine code
    of each that nobody runs. That is half of the compilation time. Entries are optimized when they
    are asked for (``modules_of``), for one kind of processor after the other; their machine code is
    made by ``compiler.py``. Only libraries with our own prefixes are touched.
    """
    library = codegen.CPUCodeLibrary
    optimize, finish, serialize = (
        library._optimize_final_module,
        library._finalize_final_module,
        library.serialize_using_object_code,
    )
    set_environment = codegen.JITCPUCodegen.set_env

    def optimize_others(self: Any) -> None:
        if not self.name.startswith((INNER, OUTER)):
            optimize(self)

    def finish_others(self: Any) -> None:
        if self.name.startswith((INNER, OUTER)):
            self._finalize_dynamic_globals()
            self._finalized = True
        else:
            finish(self)

    def serialize_others(self: Any) -> Any:
        inner = self.name.startswith(INNER)
        return self.serialize_using_bitcode() if inner else serialize(self)

    def set_known_environment(self: Any, name: str, environment: Any) -> None:
        if self._engine.is_symbol_defined(name):  # not of a kernel without machine code
            set_environment(self, name, environment)

    def optimize_defined(self: Any, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:  # Numba makes a set of passes for these, too
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    changes.replace(library, "_optimize_functions", optimize_defined)
    changes.replace(library, "_optimize_final_module", optimize_others)
    changes.replace(library, "_finalize_final_module", finish_others)
    changes.replace(library, "serialize_using_object_code", serialize_others)
    changes.replace(codegen.JITCPUCodegen, "set_env", set_known_environment)


def lookup(changes: Changes) -> None:
    """Operators on plain numbers and arrays are looked up once, not at each use.

    Numba tries every implementation of ``*`` for every product, and compares all compiler flags in
    each attempt, a quarter of the time in Python. What it finds depends on function, types and
    flags only, which are the key.
    """
    config, function = targetconfig.TargetConfig, functions.BaseFunction
    equal, resolve = config.__eq__, function.get_call_type
    plain = (
        types.Number, types.Boolean, types.Array, types.BaseTuple, types.SliceType,
        types.RangeType, types.NoneType,
    )
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

    changes.replace(config, "__eq__", same)
    changes.replace(config, "__hash__", lambda self: hash(type(self)))
    changes.replace(function, "get_call_type", resolve_once)


def declarations(changes: Changes) -> None:
    """Declarations of Numba are loaded again when there are new ones, not for each call."""
    context, every = base.BaseContext, (imputils.builtin_registry, templates.builtin_registry)
    refresh = context.refresh
    known: dict[Any, Any] = {}

    def refresh_new(self: Any) -> None:
        count = [len(v) for one in every for v in vars(one).values()]
        if known.get(self) != count:
            refresh(self)
            known[self] = count

    changes.replace(context, "refresh", refresh_new)


def literals(changes: Changes) -> None:
    """A number that stands in a call is a number like others: the callee is not compiled for it."""
    dispatcher = functions.Dispatcher
    resolve = dispatcher.get_call_type

    def resolve_plain(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if self.dispatcher.py_func.__qualname__.startswith(INNER):
            args = [types.unliteral(a) for a in args]
        return resolve(self, context, args, kws)

    changes.replace(dispatcher, "get_call_type", resolve_plain)


def variables(changes: Changes) -> None:
    """Variables of a statement are not looked for in names, numbers and lines of source.

    Numba asks for them some ten times for each function.
    """
    find = numba_ir.Inst._rec_list_vars
    variable = numba_ir.Var
    empty = {numba_ir.Loc, str, int, float, bool, type(None), FunctionType, BuiltinFunctionType}

    def found(self: Any, value: Any) -> list[Any]:
        kind = type(value)
        if kind is variable:
            return [value]
        if kind in empty:
            return []
        every: list[Any] = []
        if kind is not dict and kind is not tuple and kind is not list:
            every.extend(find(self, value))
            return every
        for part in value.values() if kind is dict else value:
            kind = type(part)
            if kind is variable:
                every.append(part)
            elif kind not in empty:
                every.extend(found(self, part))
        return every

    changes.replace(numba_ir.Inst, "_rec_list_vars", found)


def marks(changes: Changes) -> None:
    """LLVM is told that views are only read, through one address that nobody keeps."""
    convention = callconv.CPUCallConv
    decorate = convention.decorate_function

    def decorate_held(self: Any, fn: Any, args: Any, kinds: Any, noalias: bool = False) -> None:
        decorate(self, fn, args, kinds, noalias)
        _mark(self, fn, kinds)

    changes.replace(convention, "decorate_function", decorate_held)


# Passes for closures, context managers, inlined overloads and array expressions
LEFT_OUT = {
    "with_lifting", "inline_closure_likes", "inline_inlinables", "inline_overloads",
    "nopython_rewrites",
}


def passes(changes: Changes) -> None:
    """Passes that kernels have no use for are left out."""
    define = compiler.DefaultPassBuilder.define_nopython_pipeline

    class Pipeline(compiler.CompilerBase):
        def define_pipelines(self) -> list[Any]:
            made = define(self.state)
            made.passes = [p for p in made.passes if p[0].name() not in LEFT_OUT]
            made._finalized = False
            made.finalize()
            return [made]

    changes.options = {"pipeline_class": Pipeline}


def mark_arguments(convention: Any, function: Any, kinds: Any) -> None:
    """Mark the arguments of a function that is declared to be called by its address."""
    marked = any("noalias" in a.attributes for a in function.args)
    if "marks" in IN_FORCE.names and not marked:
        _mark(convention, function, kinds)


def _mark(convention: Any, function: Any, kinds: Any) -> None:
    if not any(isinstance(k, Held) for k in kinds):
        return
    flat = list(convention.get_arguments(function))
    known = ir.values.ArgumentAttributes._known
    captures = "captures(none)" if "captures(none)" in known else "nocapture"
    for kind, model in zip(kinds, convention._get_arg_packer(kinds)._dm_args, strict=True):
        count = _leaves(model.get_argument_type())
        if isinstance(kind, Held):
            for attribute in ("noalias", "readonly", "nonnull", captures):
                set.add(flat[0].attributes, attribute)  # llvmlite does not know all of them
            flat[0].attributes.dereferenceable = 8 * _words(flat[0].type.pointee)
        del flat[:count]


def _leaves(kind: Any) -> int:
    """Number of LLVM's arguments for one of Numba's."""
    return sum(map(_leaves, kind)) if isinstance(kind, tuple) else 1


def _words(kind: Any) -> int:
    """All members are of eight bytes."""
    if isinstance(kind, ir.LiteralStructType):
        return sum(map(_words, kind.elements))
    return kind.count * _words(kind.element) if isinstance(kind, ir.ArrayType) else 1


class _Locator(caching._CacheLocator):
    """Files that carry a hash of all that a kernel is made of: versions live side by side."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._fingerprint = f"{fingerprint(py_func)}-{places(py_func)}"

    def get_cache_path(self) -> str:
        return str(IN_FORCE.folder)

    def get_source_stamp(self) -> str:
        return self._fingerprint

    def get_disambiguator(self) -> str:
        return self._fingerprint

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _CacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012  (numba's own attribute)


class _KernelCache(caching.FunctionCache):
    _impl_class = _CacheImpl


def keep_on_disk(dispatcher: Any, function: Callable[..., Any]) -> None:
    """Let a dispatcher look for compiled inner kernels on disk, and keep them there."""
    if IN_FORCE.folder is not None:
        dispatcher._cache = _KernelCache(function)


def modules_of(dispatcher: Any, signature: Any, cpus: Sequence[str]) -> Iterator[Any]:
    """LLVM's modules of a compiled function, optimized for each kind of processor.

    Until it is optimized as a whole a function is the same for all of them. Without the changes it
    is optimized for that of Numba alone, and what others lack is replaced in their machine code.
    """
    if "once" not in IN_FORCE.names:
        for _ in cpus:
            yield llvm.parse_assembly(dispatcher.inspect_llvm(signature))
        return
    library = dispatcher.overloads[signature].library
    context, own = library._codegen, library._codegen._tm
    machines = [_machine(context, cpu) for cpu in cpus]
    # LLVM chooses otherwise in a copy of a module. So that code does not depend on what else is
    # made, that of Numba's processor always comes from the module, that of others from a copy.
    whole = library._final_module
    modules = [whole if machine is own else whole.clone() for machine in machines]
    for machine, module in zip(machines, modules, strict=True):
        context._tm = machine
        try:
            passes, builder = context._module_pass_manager()
            passes.run(module, builder)
        finally:
            context._tm = own
        module.verify()
        yield module


@functools.cache
def _machine(made_by: Any, cpu: str) -> Any:
    """LLVM's description of a kind of processor, with all else as Numba has it."""
    chosen: Any = config  # its names are made when it is imported
    if cpu in ("native", chosen.CPU_NAME):
        return made_by._tm
    options = {"opt": chosen.OPT}
    made_by._customize_tm_options(options)
    options |= {"cpu": cpu, "features": ""}
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(**options)


@functools.cache
def apply(folder: Path | None) -> str:
    """Make the changes, in this process, once; returns the names of those in force."""
    IN_FORCE.apply(folder)
    return " ".join(IN_FORCE.names)
