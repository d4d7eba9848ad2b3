"""Differences of operating systems: names of files of machine code, linker options, processors.

The build hook reads this file alone, before anything is installed: it imports nothing but the
standard library.
"""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

GLIBC = "2.17"  # oldest C library of Linux that portable wheels run with: manylinux2014
NUMBA_WITHOUT_LOCK = (3, 14)  # the first free-threaded Python that Numba has a version for
MACOS = "11.0"  # oldest macOS that wheels run with: the first with processors of Apple


@dataclass(frozen=True)
class System:
    """An operating system: suffixes of files, and options with which a C compiler links them."""

    name: str  # as in targets of compilers: "linux", "macos" or "windows"
    library: str  # suffix of a shared library
    extension: str  # suffix of an extension module that serves every version of Python
    library_options: tuple[str, ...]  # with which a library is linked
    extension_options: tuple[str, ...]  # with which an extension module is linked
    common_options: tuple[str, ...]  # of both
    compilers: tuple[str, ...]  # commands that take these options

    def options(self, name: str) -> tuple[list[str], list[str]]:
        """Options before and behind the sources of a file; the launcher is an extension module."""
        is_launcher = name.startswith("_launcher")
        kind = self.extension_options if is_launcher else self.library_options
        last = {"windows": ["-lpython3"] if is_launcher else []}.get(self.name, ["-lm"])
        return [*self.common_options, *kind], last


LINUX = System(
    "linux",
    library=".so",
    extension=".abi3.so",
    library_options=("-shared",),
    extension_options=("-shared",),
    common_options=("-fPIC", "-s", "-Wl,--gc-sections", "-Wl,-Bsymbolic"),
    compilers=("cc", "gcc", "clang"),
)
DARWIN = System(
    "macos",
    library=".dylib",
    extension=".abi3.so",
    library_options=("-dynamiclib", "-Wl,-install_name,@rpath/libsupple.dylib"),
    extension_options=("-dynamiclib", "-undefined", "dynamic_lookup"),
    common_options=("-fPIC", "-Wl,-dead_strip"),
    compilers=("cc", "clang"),
)
# Compilers that take these options are those of MinGW, and zig, which the package index has. Python
# for Windows brings python3.lib, by which an extension module finds the limited API.
LIBS = (f"-L{Path(sys.base_prefix) / 'libs'}",) if sys.platform == "win32" else ()
WINDOWS = System(
    "windows",
    library=".dll",
    extension=".pyd",
    library_options=("-shared",),
    extension_options=("-shared", *LIBS),
    common_options=("-s",),
    compilers=("gcc",),
)
SYSTEMS = {"linux": LINUX, "darwin": DARWIN, "win32": WINDOWS}
THIS = SYSTEMS.get(sys.platform, LINUX)

X86 = ("x86-64-v3", "x86-64-v2")
BASELINES = {"x86_64": X86, "amd64": X86}


def processors() -> tuple[str, ...]:
    """Kinds of processor to make code for, best first; the variable SUPPLE_CPU names another one.

    Code for a named kind gives the same digits on every machine that can run it, and is as fast as
    code for exactly this one ("native").
    """
    chosen = os.environ.get("SUPPLE_CPU")
    return (chosen,) if chosen else baselines()


def baselines() -> tuple[str, ...]:
    """Kinds of processor that wheels for machines like this one are made for, best first."""
    machine = platform.machine().lower()
    if THIS is DARWIN and machine == "arm64":
        return ("apple-m1",)
    return BASELINES.get(machine, ("generic",))


def library_name(cpu: str, system: System = THIS) -> str:
    """File of a package with all entries, for a kind of processor."""
    return f"libsupple-{cpu}{system.library}"


def launcher_name(system: System = THIS) -> str:
    """File of a package with the extension module that calls entries."""
    return f"_launcher{system.extension}"


def free_threaded() -> bool:
    """True if this Python was built without the global lock."""
    return "free-threading" in sys.version


def takes_launcher() -> bool:
    """True if this Python loads extension modules that serve every version of it (abi3).

    Those without the global lock have other objects and would crash.
    """
    return sys.implementation.name == "cpython" and not free_threaded()


def why_no_kernels(missing: str) -> str:
    """The sentence for a machine without compiled kernels and without what would compile them."""
    if free_threaded() and sys.version_info < NUMBA_WITHOUT_LOCK:
        mine, first = (".".join(map(str, v[:2])) for v in (sys.version_info, NUMBA_WITHOUT_LOCK))
        return (
            f"there are no compiled kernels of supple for the free-threaded Python {mine}, and "
            f"Numba, which would compile them, has no version for it: use the usual Python {mine}, "
            f"or the free-threaded {first} with pip install numba"
        )
    return (
        "there are no compiled kernels of supple for this platform, and without "
        f"{missing} none can be compiled: pip install numba"
    )


def zig() -> list[str]:
    """The command of zig's C compiler if its package ``ziglang`` is installed, or nothing."""
    import importlib.util

    found = importlib.util.find_spec("ziglang") is not None
    return [sys.executable, "-m", "ziglang", "cc"] if found else []


def platform_tag(glibc: str = "") -> str:
    """The platform in a wheel's name; ``glibc`` is the oldest C library it was linked for."""
    import sysconfig

    machine = platform.machine().lower()
    if THIS is DARWIN:  # that of the library, not of a Python for several machines
        oldest = os.environ.get("MACOSX_DEPLOYMENT_TARGET", MACOS)
        return f"macosx_{oldest.replace('.', '_')}_{machine}"
    if THIS is LINUX and glibc:
        return f"manylinux_{glibc.replace('.', '_')}_{machine}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
