"""Wheels with compiled kernels: `SUPPLE_BUILD_KERNELS=1 pip wheel . --no-deps`.

Without that variable, and for editable installs, the wheel is plain Python and kernels are
compiled by Numba on first use. Needs a C compiler. The result serves every Python from 3.11 on
(limited API), and needs no Numba at run time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Numba of the build, not of those who install the wheel: pinned, as ahead.py reaches into it
COMPILER = ["numba==0.68.*", "numpy>=2.0"]

# supple/__init__.py imports libraries that are not needed here: kernels are imported without it
START = (
    "import sys, types; p = types.ModuleType('supple'); p.__path__ = [sys.argv.pop(1)]; "
    "sys.modules['supple'] = p; from supple.native import objects; objects.main()"
)

# Processors that the code is made for, by machine
BASELINE = {"x86_64": "x86-64-v3", "amd64": "x86-64-v3", "arm64": "apple-m1", "aarch64": "generic"}


def wanted() -> bool:
    """Whether kernels are to be compiled."""
    return os.environ.get("SUPPLE_BUILD_KERNELS", "0") != "0"


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the kernels and puts them into the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs."""
        return COMPILER if wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, link, and say what kind of wheel it is."""
        if not wanted() or version == "editable":
            return
        root = Path(self.root)
        package, objects = root / "src" / "supple", root / "build" / "kernels"
        machine = sysconfig.get_platform().rsplit("-", 1)[-1].lower()
        if machine not in BASELINE:
            raise RuntimeError(f"no baseline processor known for {machine}")
        self.app.display_info(f"compiling kernels for {BASELINE[machine]}")
        env = dict(os.environ, SUPPLE_CACHE_DIR=str(root / "build" / "kernel-parts"))
        command = [sys.executable, "-c", START, str(package), str(objects)]
        options = ["--cpu", BASELINE[machine], "--workers", str(os.cpu_count() or 1)]
        subprocess.run([*command, *options], check=True, env=env)
        name = "_kernels.pyd" if sys.platform == "win32" else "_kernels.abi3.so"
        made = root / "build" / name
        link(package / "core" / "launcher.c", objects, made)
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp311-abi3-{platform}"
        build_data["force_include"][str(made)] = f"supple/core/{made.name}"


def link(launcher: Path, objects: Path, made: Path) -> None:
    """Compile the launcher and link it with the entries' object files."""
    rows = json.loads((objects / "entries.json").read_text())
    (objects / "entries.h").write_text(
        "".join(
            f"ENTRY({r['name']}, \"{r['kinds']}\", '{r['result']}')\n"
            for r in rows["entries"] if r["kinds"]
        )
    )
    files = [str(objects / f"{r['name']}.o") for r in rows["entries"]]
    options = ["-shared", "-s", "-Wl,--gc-sections"]
    if sys.platform == "darwin":
        options = ["-bundle", "-undefined", "dynamic_lookup"]
    subprocess.run(
        [os.environ.get("CC", "cc"), "-O2", "-Wall", "-fPIC", "-fvisibility=hidden", *options,
         f"-I{sysconfig.get_path('include')}", f"-I{objects}", f'-DSOURCES="{rows["sources"]}"',
         str(launcher), *files, "-o", str(made), "-lm"],
        check=True,
    )
