"""Machine code of kernels for other systems, made and linked on this one.

    python tests/native/cross_targets.py FOLDER [ENTRY ...]

Numba compiles each entry once; LLVM writes its object file for every target, and zig (the package
``ziglang``) links it with the C sources and headers of that system into a library and a launcher,
which are left in a folder for each target. An unresolved symbol is an error of the linker. What is
linked is not run: that the objects fit, and that nothing is missing, is all that this shows.

Vectors have the width of the processor for which Numba optimized them, so such a library is right,
and slower than one that is made where it runs.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supple.native import build, declare, systems
from supple.native.fingerprint import with_shared
from supple.native.systems import System


@dataclass(frozen=True)
class Target:
    """A system and a processor that code is made for."""

    triple: str  # LLVM's name, as Numba would have it there
    linked_for: str  # zig's name
    cpu: str
    system: System


TARGETS = {
    "x86_64-linux": Target(
        "x86_64-unknown-linux-gnu", f"x86_64-linux-gnu.{systems.GLIBC}", "x86-64-v2", systems.LINUX
    ),
    "aarch64-linux": Target(
        "aarch64-unknown-linux-gnu", f"aarch64-linux-gnu.{systems.GLIBC}", "generic", systems.LINUX
    ),
    "aarch64-macos": Target(
        f"arm64-apple-macosx{systems.MACOS}.0",
        f"aarch64-macos.{systems.MACOS}",
        "apple-m1",
        systems.DARWIN,
    ),
    "x86_64-windows": Target(
        "x86_64-pc-windows-msvc", "x86_64-windows-gnu", "x86-64-v2", systems.WINDOWS
    ),
}

# Python's headers ask this file for sizes, which on Windows are others than here.
WINDOWS_CONFIG = """
#define MS_WINDOWS 1
#define MS_WIN32 1
#define MS_WIN64 1
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_WCHAR_T 2
#define ALIGNOF_MAX_ALIGN_T 16
#define HAVE_DECLSPEC_DLL 1
#define Py_ENABLE_SHARED 1
"""


class Emitter:
    """Stands for LLVM's machine of this processor: writes the object file for every target."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = ""  # of the entry that is compiled

    def emit_object(self, module: Any) -> bytes:
        """Object files in the folders of the targets; nothing for this machine."""
        import llvmlite.binding as llvm

        text = re.sub(r' ?"(target-cpu|target-features|tune-cpu)"="[^"]*"', "", str(module))
        for place, target in TARGETS.items():
            made_for = llvm.Target.from_triple(target.triple)
            machine = made_for.create_target_machine(
                cpu=target.cpu, opt=3, reloc="pic", codemodel="default"
            )
            other = re.sub(r'target triple = "[^"]*"', f'target triple = "{target.triple}"', text)
            layout = f'target datalayout = "{machine.target_data}"'
            other = re.sub(r'target datalayout = "[^"]*"', layout, other)
            code = machine.emit_object(llvm.parse_assembly(other))
            (self.folder / place / f"{self.name}.o").write_bytes(code)
        return b""


def emit(names: list[str], folder: Path) -> dict[str, str]:
    """Object files of entries, and of shared kernels that they call; kinds of results by name."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    from supple.native import compiler

    known = declare.all_entries()
    for place in TARGETS:
        (folder / place).mkdir(parents=True, exist_ok=True)
    emitter = Emitter(folder)
    compiler.prepare(folder / "inner", ["x86-64-v2"])
    compiler._machine = lambda cpu: emitter
    gives = {}
    for entry in with_shared([known[n] for n in names] or list(known.values())):
        emitter.name = entry.name
        gives[entry.name] = compiler.compile_object(entry, ["x86-64-v2"])[1]
    return gives


def link(place: str, gives: dict[str, str], folder: Path) -> dict[str, int | str]:
    """Library and launcher of a target: the sizes of their files, or what the linker said."""
    target, here = TARGETS[place], folder / place
    objects = {}
    for name, result in gives.items():
        objects[name] = here / f"{name}-{result}.o"  # the linker's table reads the result there
        (here / f"{name}.o").replace(objects[name])
    zig = [sys.executable, "-m", "ziglang"]
    compiler = shlex.join([*zig, "cc", "-target", target.linked_for])
    library = here / systems.library_name(target.cpu, target.system)
    launcher = here / systems.launcher_name(target.system)
    headers = Path(sysconfig.get_path("include"))
    options = [f"-I{build.HERE}"]
    if target.system is systems.WINDOWS:
        headers = shutil.copytree(headers, here / "headers", dirs_exist_ok=True)
        (headers / "pyconfig.h").write_text(WINDOWS_CONFIG)
        import_library(here, zig)
        options.append(f"-L{here}")
    options.append(f"-I{headers}")
    answers: dict[str, int | str] = {}
    for made in (library, launcher):
        try:
            if made is library:
                build.link(objects, made, target.cpu, compiler, target.system)
            else:
                source = build.HERE / "launcher.c"
                build._run_c(compiler, made, [source], options, target.system)
            answers[made.name] = made.stat().st_size
        except build.BuildError as error:
            answers[made.name] = str(error)
    return answers


def import_library(here: Path, zig: list[str]) -> None:
    """The file python3.lib that Python for Windows brings: here of the limited API as abi3info
    lists it, the package that abi3audit asks.
    """
    from abi3info import DATAS, FUNCTIONS

    rows = [f"  {f.symbol.name}" for f in FUNCTIONS.values()]
    rows += [f"  {d.symbol.name} DATA" for d in DATAS.values()]
    (here / "python3.def").write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *rows, ""]))
    made = ["-d", str(here / "python3.def"), "-l", str(here / "libpython3.a")]
    subprocess.run([*zig, "dlltool", "-m", "i386:x86-64", *made], check=True)


def main() -> None:
    """Make, link, and print a line of JSON for each target."""
    folder, names = Path(sys.argv[1]).resolve(), sys.argv[2:]
    os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = "x86-64-v2", ""
    start = time.process_time()
    gives = emit(names, folder)
    print(f"{len(gives)} kernels in {time.process_time() - start:.0f} s", file=sys.stderr)
    for place in TARGETS:
        print(json.dumps({"target": place, **link(place, gives, folder)}), flush=True)


if __name__ == "__main__":
    main()
