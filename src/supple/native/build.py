"""Machine code from kernels: object files by worker processes, then a shared library.

    python alone.py build [ENTRY ...] [--cpu CPU ...] [--features [FEATURE ...]] [--into FOLDER]

Object files are kept under the fingerprint of their entry, so that after an edit only what depends
on it is compiled again. A C compiler links them; without one they are loaded as they are
(``library.py``). Nothing here imports Numba: compilation happens in other processes.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import importlib.metadata
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from types import FunctionType

from supple.native import cache, declare, features, systems, trust
from supple.native.declare import LETTERS, Entry, Shared
from supple.native.fingerprint import fingerprint, of_module, reached

SECONDS = 2.0e-4  # of one processor for a byte of Python's code: a first guess
GUESS = 5000.0  # bytes that the first guess is worth against what was measured
SECOND_USE = 0.15  # of that where the kernel was compiled for another entry already
SURE = 0.9  # of the time an entry should take: so much of it may count as done before it is


def _bytes(functions: Iterable[FunctionType]) -> float:
    return float(sum(len(f.__code__.co_code) for f in functions))


class Schedule:
    """Hands out entries, long ones first, and to two workers such that have little in common.

    What an inner kernel costs is paid by the first entry that needs it, so that two workers that
    begin with entries made of the same kernels would both compile these.
    """

    def __init__(self, entries: Iterable[Entry], workers: int) -> None:
        self.workers = workers
        self.start = time.monotonic()
        self.waiting = list(entries)
        self.running: list[Entry] = []
        self._since: dict[Entry, float] = {}
        self._ready: set[FunctionType] = set()  # functions compiled for some entry
        self._work_done = 0.0
        self._whole = self._work(self.waiting)
        self._lock = threading.Lock()

    def take(self) -> Entry | None:
        """The next entry for a worker, None when there is no more."""
        with self._lock:
            if not self.waiting:
                return None
            busy = {f for e in self.running for f in reached(e.function)} - self._ready

            def gain(entry: Entry) -> float:
                parts = reached(entry.function)
                return _bytes(parts) - 2.0 * _bytes(parts & busy)

            chosen = max(self.waiting, key=gain)
            self.waiting.remove(chosen)
            self.running.append(chosen)
            self._since[chosen] = time.monotonic()
            return chosen

    def finish(self, entry: Entry) -> None:
        """Note that an entry is compiled."""
        with self._lock:
            self.running.remove(entry)
            self._work_done += self._work([entry])
            self._ready |= reached(entry.function)

    def _work(self, entries: Iterable[Entry]) -> float:
        """Bytes to compile, those that are used again counted by their share."""
        ready, work = set(self._ready), 0.0
        for entry in entries:
            parts = reached(entry.function)
            work += _bytes(parts - ready) + SECOND_USE * _bytes(parts & ready)
            ready |= parts
        return work

    def _pace(self) -> tuple[float, float]:
        """Seconds of one processor for a byte, and bytes that count as done.

        What is under way counts as done by the time it has taken, up to a share of what it should
        take. Where that is passed, the machine is slower than it seemed, for all that is left.
        """
        now = time.monotonic()
        work = {entry: self._work([entry]) for entry in self.running}
        spent = {entry: now - self._since[entry] for entry in self.running}
        seconds = (now - self.start) * self.workers - sum(spent.values()) + GUESS * SECONDS
        done = self._work_done + GUESS
        late = [e for e in self.running if spent[e] * done > SURE * work[e] * seconds]
        seconds += sum(spent[e] for e in late)
        done += SURE * sum(work[e] for e in late)
        pace = seconds / done
        under_way = sum(min(spent[e] / pace, SURE * work[e]) for e in self.running)
        return pace, self._work_done + under_way

    def share(self) -> float:
        """Part of the work that is done, between 0 and 1."""
        with self._lock:
            return self._pace()[1] / self._whole if self._whole > 0.0 else 1.0

    def seconds_left(self) -> float:
        """An estimate from what was done so far, in seconds of the clock."""
        with self._lock:
            pace, done = self._pace()
            return max(pace * (self._whole - done) / self.workers, 1.0)


class Progress:
    """A line on standard error: which part of the work is done, and the time left.

    What it tells goes one way: on a machine that turns out slower the time left stands still.
    """

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last = -1e9
        self._shown = ""
        self._share, self._left = 0.0, float("inf")

    def show(self, schedule: Schedule) -> None:
        """Tell how far it is; on a terminal once a second, otherwise every few seconds."""
        now = time.monotonic()
        if now - self._last < (1.0 if self._terminal else 5.0):
            return
        self._last = now
        self._share = max(self._share, schedule.share())
        self._left = min(self._left, schedule.seconds_left())
        text = (
            f"supple: compiling kernels, once on this machine: {100.0 * self._share:.0f} %, "
            f"about {self._left:.0f} s left"
        )
        if self._terminal:
            text = f"\r{text}".ljust(len(self._shown))
        print(text, end="" if self._terminal else "\n", file=sys.stderr, flush=True)
        self._shown = text

    def end(self) -> None:
        """Leave the line."""
        if self._terminal and self._shown:
            print(f"\r{' ' * len(self._shown)}\r", end="", file=sys.stderr, flush=True)

HERE = Path(__file__).parent
# What a library has beside kernels: their table, models for C programs, the functions of FMI
CODE = (
    *("kernels.c", "model.c", "model_steps.c", "ports.c"),
    *("fmi.c", "fmi_run.c", "fmi2.c", "fmi3.c"),
)
TOOLS = ("compiler.py", "declare.py", "held.py", "numba_private.py")


class BuildError(ImportError):
    """Kernels could not be compiled or linked."""


ASK = """
import sys
import llvmlite.binding as llvm

for name in ("initialize_native_target", "initialize_native_asmprinter"):
    getattr(llvm, name, int)()
machine = llvm.Target.from_default_triple().create_target_machine(cpu=sys.argv[1])
machine.emit_object(llvm.parse_assembly("define double @f(double %x) { ret double %x }"))
"""


def processor() -> str:
    """The best kind of processor to make code for that this machine can run."""
    kinds = systems.processors()
    if len(kinds) == 1:
        return known(kinds[0])
    _compiler_version()  # llvmlite comes with Numba: say so if they are missing
    import llvmlite.binding as llvm

    has = llvm.get_host_cpu_features()
    fits = all(has.get(k) for k in ("avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe"))
    return kinds[0] if fits else kinds[1]


@functools.cache
def known(cpu: str) -> str:
    """A kind of processor, which must be one that the compiler knows.

    It is asked in another process: of a name that it does not know it tells on stderr, and it may
    end a process that goes on with it.
    """
    if cpu not in (*systems.baselines(), "native", "generic"):
        _compiler_version()
        found = subprocess.run([sys.executable, "-c", ASK, cpu], capture_output=True, text=True)
        if found.returncode or "not a recognized processor" in found.stderr:
            kinds = ", ".join(systems.baselines())
            expected = f"{kinds}, native, or another name that LLVM knows for this machine"
            raise BuildError(f"the variable SUPPLE_CPU is {cpu!r}, expected {expected}")
    return cpu


def _compiler_version() -> str:
    """Versions of Numba and llvmlite, without importing them."""
    try:
        return " ".join(f"{n} {importlib.metadata.version(n)}" for n in ("numba", "llvmlite"))
    except importlib.metadata.PackageNotFoundError as error:
        raise BuildError(systems.why_no_kernels(str(error.name))) from None


@functools.cache
def _tools() -> str:
    """Hash of all that says how kernels are compiled."""
    return " ".join(of_module(HERE / name) for name in TOOLS)


def object_folder(cpu: str) -> Path:
    """Folder of the object files for a kind of processor."""
    plain = os.environ.get("SUPPLE_PLAIN_NUMBA", "0")
    digest = hashlib.sha256(f"{_compiler_version()} {plain} {cpu} {_tools()}".encode())
    return cache.folder_within(cache.folder() / f"objects-{digest.hexdigest()[:16]}")


def object_name(entry: Entry, gives: str) -> str:
    """File of an entry; ``gives`` is the kind of its result."""
    key = hashlib.sha256(f"{entry.interface} {fingerprint(entry.function)}".encode())
    return f"{entry.name}-{key.hexdigest()[:24]}-{gives}.o"


def find_object(entry: Entry, folder: Path) -> Path | None:
    """The object file of an entry, if it was made before."""
    for gives in ("-",) if isinstance(entry, Shared) else ("-", "n", "r"):
        path = folder / object_name(entry, gives)
        if path.exists() and trust.usable(path):
            cache.used(path)
            return path
    return None


def compile_objects(
    entries: Iterable[Entry],
    cpu: str,
    progress: Progress | None = None,
    workers: int = 0,
    having: Collection[str] | None = None,
    also: Sequence[str] = (),
) -> dict[str, Path]:
    """Object files of entries and of the shared kernels they call, by name.

    ``having``: only what models with these features need (``features.py``). ``also``: other kinds
    of processor for which the same is compiled and kept, which takes little more time.
    """
    from filelock import FileLock, Timeout

    folder, cpus = object_folder(cpu), [cpu, *also]
    wanted = features.needed(entries, having)

    def lacking() -> list[Entry]:
        folders = [object_folder(one) for one in cpus]
        return [e for e in wanted if any(find_object(e, f) is None for f in folders)]

    if lacking():
        lock = FileLock(folder / ".lock")
        try:
            lock.acquire(timeout=0.1)
        except Timeout:
            print("supple: waiting for another process that compiles kernels", file=sys.stderr)
            lock.acquire()
        try:
            _share_out(lacking(), cpus, progress or Progress(), workers)
        finally:
            lock.release()
        cache.prune()
    found = {e.name: find_object(e, folder) for e in wanted}
    return {name: path for name, path in found.items() if path is not None}


def _share_out(
    missing: Sequence[Entry], cpus: Sequence[str], progress: Progress, workers: int
) -> None:
    """Compile in child processes; each gets the next entry when it is done with one."""
    if not missing:
        return
    count = workers or int(os.environ.get("SUPPLE_WORKERS", os.cpu_count() or 1))
    schedule = Schedule(missing, min(count, len(missing)))
    command = [sys.executable, str(HERE / "alone.py"), "worker", *cpus]
    env = {**os.environ, cache.VARIABLE: str(cache.folder())}
    env["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    errors: list[str] = []

    def follow(process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        while not errors and (entry := schedule.take()) is not None:
            print(entry.name, file=process.stdin, flush=True)
            line = process.stdout.readline()
            answer = json.loads(line) if line else {"error": "the compiling process ended"}
            if "error" in answer:
                errors.append(f"kernel {entry.name} cannot be compiled: {answer['error']}")
            schedule.finish(entry)
            progress.show(schedule)
        with contextlib.suppress(OSError):  # it has ended
            print(file=process.stdin, flush=True)

    progress.show(schedule)
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        for _ in range(schedule.workers)
    ]
    threads = [threading.Thread(target=follow, args=(p,), daemon=True) for p in processes]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(1.0)
                progress.show(schedule)
    finally:  # also when interrupted: the end of its input ends a worker at once
        for process in processes:
            process.kill()
        for thread, process in zip(threads, processes, strict=True):
            if thread.is_alive():
                thread.join()  # the end of the worker's output ends it
            process.communicate()  # closes what is open
        progress.end()
    if errors:
        raise BuildError(errors[0])


def c_compiler() -> str | None:
    """The command that compiles and links C, if there is one; on Windows that of zig, too."""
    for name in (os.environ.get("CC", ""), *systems.THIS.compilers):
        if name and shutil.which(shlex.split(name)[0]):
            return name
    return shlex.join(systems.zig()) or None if systems.THIS is systems.WINDOWS else None


def _run_c(
    compiler: str,
    made: Path,
    sources: Sequence[Path],
    options: Sequence[str],
    system: systems.System = systems.THIS,
) -> None:
    """Compile and link into a shared library or extension module, whole or not at all."""
    first, last = system.options(made.name)
    with tempfile.TemporaryDirectory(dir=made.parent, prefix=".link-") as place:
        out = Path(place) / made.name
        command = [*shlex.split(compiler), "-O2", "-Wall", *first, *options]
        command += [*map(str, sources), "-o", str(out), *last]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildError(f"{made.name} cannot be linked: {done.stderr.strip()[-800:]}")
        out.chmod(out.stat().st_mode & ~0o022)
        os.replace(out, made)


def link(
    objects: dict[str, Path],
    made: Path,
    cpu: str,
    compiler: str,
    system: systems.System = systems.THIS,
) -> Path:
    """A shared library of entries with a table of them; its interface is ``supple.h``."""
    rows = []
    for name, path in sorted(objects.items()):
        entry = declare.ENTRIES[name]
        if not isinstance(entry, Shared):
            kinds = "".join(LETTERS[k] for k in entry.signature)
            rows.append(f"ENTRY({name}, \"{kinds}\", '{path.stem[-1]}')\n")
    level = cpu[-1] if cpu.startswith("x86-64-v") else "0"
    with tempfile.TemporaryDirectory(dir=made.parent, prefix=".table-") as place:
        (Path(place) / "entries.h").write_text("".join(rows))
        options = [f"-I{place}", f"-I{HERE}", f'-DSOURCES="{cache.sources()}"', f"-DLEVEL={level}"]
        (Path(place) / "stubs.c").write_text(_stubs(features.missing(objects)))
        sources = [*(HERE / name for name in CODE), Path(place) / "stubs.c", *objects.values()]
        _run_c(compiler, made, sources, options, system)
    return made


C_TYPES = {"float64": "double ", "int64": "int64_t ", "boolean": "uint8_t "}


def flat_arguments(one: Shared) -> list[str]:
    """Types in C of the arguments of a shared kernel, in Numba's convention.

    These are places of the result and of errors, then the address of a tuple, or owner, parent,
    count, size of a number, address, shape and strides of an array.
    """
    kinds = ["void *", "void *"]
    for kind in one.signature:
        if isinstance(kind, declare.TupleKind):
            kinds.append("const void *")
        elif kind.dims:
            kinds += ["void *", "void *", "int64_t ", "int64_t ", "void *"]
            kinds += ["int64_t "] * (2 * kind.dims)
        else:
            kinds.append(C_TYPES[kind.number])
    return kinds


def _stubs(missing: Iterable[Shared]) -> str:
    """C functions in place of kernels that a library lacks; when called, they ask for them.

    Where a kernel is not given, the stub gives zero, and who called the entry is told.
    """
    rows: list[str] = []
    for one in missing:
        kinds = flat_arguments(one)
        given = ", ".join(f"{kind}a{k}" for k, kind in enumerate(kinds))
        passed = ", ".join(f"a{k}" for k in range(len(kinds)))
        nothing = ""
        if isinstance(one.gives, declare.Kind):
            nothing = f"    *({C_TYPES[one.gives.number]}*)a0 = 0;\n"
        rows.append(
            f"int32_t {one.symbol}({given})\n{{\n    static int32_t (*code)({', '.join(kinds)});\n"
            f'    if (!code) code = supple_resolver("{one.name}");\n'
            f"    if (code) return code({passed});\n{nothing}    return 0;\n}}\n"
        )
    head = "#include <stdint.h>\nvoid *(*supple_resolver)(const char *);\n"
    return "".join([head, *rows]) if rows else ""


def build_launcher(folder: Path, compiler: str) -> Path:
    """The extension module that calls entries with NumPy arrays; one for all versions of Python."""
    source = HERE / "launcher.c"
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    made = folder / f"_launcher-{digest}{systems.THIS.extension}"
    if not made.exists() or not trust.usable(made):
        _run_c(compiler, made, [source], [f"-I{HERE}", f"-I{sysconfig.get_path('include')}"])
    return made


def main() -> None:
    """Compile entries (all if none is named) and link them; without a compiler, compile only."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--cpu", nargs="+", help="kinds of processor, best first")
    parser.add_argument("--features", nargs="*", help="of seldom kernels those of these only")
    parser.add_argument("--into", type=Path, help="folder for library and launcher of a wheel")
    o = parser.parse_args()
    known = declare.all_entries()
    for name in o.names:
        if name not in known:
            raise SystemExit(f"no entry is called {name}")
    chosen = [known[n] for n in o.names] or list(known.values())
    try:
        cpus = o.cpu or [processor()]
        compile_objects(chosen, cpus[0], having=o.features, also=cpus[1:])
        compiler = c_compiler()
        if o.into is not None:
            if compiler is None:
                raise BuildError("a wheel with kernels needs a C compiler")
            o.into.mkdir(parents=True, exist_ok=True)
            for cpu in cpus:
                objects = compile_objects(chosen, cpu, having=o.features)
                link(objects, o.into / systems.library_name(cpu), cpu, compiler)
            os.replace(build_launcher(o.into, compiler), o.into / systems.launcher_name())
    except BuildError as error:
        raise SystemExit(f"supple: {error}") from None
