"""Machine code of all entries for a wheel: object files for a kind of processor, to be linked with ``launcher.c``.

    python -m supple.native.objects FOLDER [--cpu x86-64-v3] [entry ...]

Used when the package is built (``hatch_build.py``), never by those who run it. Each entry becomes a function

    int32 supple_entry_<name>(const int64 *words, int64 *result)

whose words are, for each argument, a number (its 64 bits), or an address and the sizes of an array in C order. It
returns zero, or a code if something went wrong inside. Shared kernels are called by name, and found by the linker.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def _prepare(cpu: str, features: str) -> None:
    """Numba reads for which processor it compiles when it is imported."""
    assert "numba" not in sys.modules
    os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = cpu, features
    os.environ["SUPPLE_PREBUILT"] = "0"


class Ahead:
    """Takes the modules of entries from Numba, after they are optimized, and makes object files of them."""

    def __init__(self, cpu: str, features: str) -> None:
        import llvmlite.binding as ll
        from numba.core import caching, codegen
        from numba.core import cpu as cpu_context

        from supple.native import compiler  # noqa: F401  (the compiler's own changes come first)
        from supple.native import declare as jit

        codegen.initialize_llvm()
        self.objects: dict[str, bytes] = {}
        self.jit = jit
        target = ll.Target.from_triple(ll.get_process_triple())
        self.machine = target.create_target_machine(
            cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default"
        )
        library = codegen.CPUCodeLibrary
        finish = library._finalize_final_module

        def emit(module: Any, name: str) -> None:
            entry = jit.ENTRIES[name]
            keep = f"supple_entry_{name}"
            if isinstance(entry, jit.Shared):
                keep = entry.symbol
                self._find(module, name).name = keep
            for function in module.functions:
                if not function.is_declaration and function.name != keep:
                    function.linkage = "internal"
                elif function.name == keep or function.name.startswith("supple_"):
                    function.visibility = "hidden"
            for value in module.global_variables:
                if not value.is_declaration:
                    value.linkage = "internal"
            self.objects[name] = self.machine.emit_object(module)

        def finish_entries(it: Any) -> None:
            if it.name.startswith(jit._ENTRY):
                it._finalize_dynamic_globals()
                it._finalized = True
                emit(it._final_module, it.name.rsplit(".", 1)[-1])
            else:
                finish(it)

        library._finalize_final_module = finish_entries
        cpu_context.CPUContext.create_cfunc_wrapper = self._adapt
        self._null = caching.NullCache

    def _find(self, module: Any, name: str) -> Any:
        """The function of a shared kernel: the only one of this module that is not a copy of an inner kernel."""
        from llvmlite.binding import Linkage

        (found,) = (f for f in module.functions if not f.is_declaration and f.linkage == Linkage.external)
        return found

    def _adapt(self, context: Any, library: Any, fndesc: Any, env: Any, call_helper: Any) -> None:
        pass

    def compile(self, name: str) -> tuple[bytes, str, str]:
        """Object code, kinds of the arguments and of the result (see ``launcher.c``)."""
        from supple.native import compiler

        entry = self.jit.ENTRIES[name]
        entry.options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": isinstance(entry, self.jit.Shared)}
        entry.dispatcher._cache = self._null()
        compiler.compile_for(entry)
        (made,) = entry.dispatcher.overloads.values()
        if isinstance(entry, self.jit.Shared):
            compiler._check_result(entry)
            return self.objects[name], "", ""
        return self.objects[name], "".join(_letter(k) for k in entry.signature), _result(made.signature.return_type)


def _letter(kind: Any) -> str:
    from supple.native import declare as jit

    letters = {jit.INTS: "i", jit.IVEC: "j", jit.REALS: "f", jit.VEC: "v", jit.MAT: "m", jit.REAL: "r", jit.INT: "n"}
    return letters[kind]


def _result(kind: Any) -> str:
    from numba import types

    return {types.none: "-", types.float64: "r", types.int64: "n"}[types.unliteral(kind)]


def _adapter(context: Any, library: Any, fndesc: Any, env: Any, call_helper: Any) -> None:
    """Write the function that reads arguments from words; takes the place of Numba's wrapper for C callers."""
    from llvmlite import ir
    from numba import types
    from numba.np import arrayobj

    if not fndesc.qualname.startswith("supple.core.entry."):
        return  # parts of Numba's own: nobody calls them from C
    word, code = ir.IntType(64), ir.IntType(32)
    module = context.create_module("adapter")
    native = ir.Function(
        module, context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes), fndesc.llvm_func_name
    )
    name = "supple_entry_" + fndesc.qualname.rsplit(".", 1)[-1]
    function = ir.Function(module, ir.FunctionType(code, [word.as_pointer(), word.as_pointer()]), name)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    words, result = function.args
    place = 0

    def take() -> Any:
        nonlocal place
        value = builder.load(builder.gep(words, [word(place)]))
        place += 1
        return value

    values = []
    for kind in fndesc.argtypes:
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder)
            data = builder.inttoptr(take(), array.data.type)
            shape = [take() for _ in range(kind.ndim)]
            strides, size = [], word(8)
            for extent in reversed(shape):
                strides.insert(0, size)
                size = builder.mul(size, extent)
            arrayobj.populate_array(array, data=data, shape=shape, strides=strides, itemsize=word(8), meminfo=None)
            values.append(array._getvalue())
        elif kind == types.float64:
            values.append(builder.bitcast(take(), ir.DoubleType()))
        else:
            values.append(take())
    status, out = context.call_conv.call_function(builder, native, fndesc.restype, fndesc.argtypes, values)
    if fndesc.restype != types.none:
        if isinstance(out.type, ir.DoubleType):
            out = builder.bitcast(out, word)
        builder.store(out, result)
    builder.ret(status.code)
    library.add_ir_module(module)


Ahead._adapt = staticmethod(_adapter)  # type: ignore[method-assign, assignment]


# Longest first; what they have in common is compiled once, by the first
_LONG = ("tangent_at", "radau_run", "residual_at", "energy_run", "alpha_run", "dop853_run", "factorize", "history")


def _work(folder: Path, cpu: str, features: str) -> None:
    """Compile the entries whose names come line by line, and answer when each is done."""
    from supple.native import declare as jit

    ahead = Ahead(cpu, features)
    for line in sys.stdin:
        name, start = line.strip(), time.process_time()
        code, kinds, result = ahead.compile(name)
        (folder / f"{name}.o").write_bytes(code)
        row = {"name": name, "kinds": kinds, "result": result, "sources": jit.SOURCES_HASH,
               "bytes": len(code), "seconds": round(time.process_time() - start, 1)}
        print(json.dumps(row), flush=True)


def _share_out(names: Sequence[str], folder: Path, cpu: str, features: str, workers: int) -> list[dict[str, Any]]:
    """Compile in several processes; each takes the next name when it is done with one."""
    waiting = [n for n in _LONG if n in names] + [n for n in names if n not in _LONG]
    waiting.reverse()
    rows: list[dict[str, Any]] = []
    root = str(Path(__file__).parents[1])
    start = (
        "import sys, types; p = types.ModuleType('supple'); p.__path__ = [sys.argv.pop(1)]; "
        "sys.modules['supple'] = p; from supple.native import objects; objects.main()"
    )

    def follow() -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", start, root, str(folder), "--cpu", cpu, "--features", features, "--listen"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        assert process.stdin is not None and process.stdout is not None
        while True:
            try:
                name = waiting.pop()
            except IndexError:
                break
            print(name, file=process.stdin, flush=True)
            line = process.stdout.readline()
            if not line:
                break
            rows.append(json.loads(line))
            print("{name:20s} {bytes:9d} bytes {seconds:7.1f} s".format(**rows[-1]), flush=True)
        process.stdin.close()
        process.wait()

    threads = [threading.Thread(target=follow) for _ in range(max(1, workers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    missing = set(names) - {r["name"] for r in rows}
    if missing:
        raise SystemExit(f"not compiled: {sorted(missing)}")
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Compile the named entries (all if none is named) into object files and a list of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--cpu", default="x86-64-v3")
    parser.add_argument("--features", default="")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--listen", action="store_true", help=argparse.SUPPRESS)
    o = parser.parse_args(arguments)
    _prepare(o.cpu, o.features)
    from supple.native import declare as jit

    jit._announced = True
    names = o.names or list(jit.all_entries())
    o.folder.mkdir(parents=True, exist_ok=True)
    if o.listen:
        _work(o.folder, o.cpu, o.features)
        return
    rows = _share_out(names, o.folder, o.cpu, o.features, o.workers)
    rows.sort(key=lambda r: str(r["name"]))
    (o.folder / "entries.json").write_text(json.dumps({"sources": jit.SOURCES_HASH, "cpu": o.cpu, "entries": rows}))


if __name__ == "__main__":
    main()
