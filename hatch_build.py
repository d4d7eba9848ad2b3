"""Wheels with compiled kernels.

`pip wheel .` and `pip install .` compile the kernels where there is a C compiler. The wheel then
serves every Python from 3.11 on (limited API) and needs no Numba. It has a library for each kind of
processor that is told apart when it is loaded. Without a C compiler, for editable installs, or with
SUPPLE_BUILD_KERNELS=0, the package is plain Python and depends on Numba, which compiles the kernels
on first use.

A wheel for package indexes must run on other machines than the one that made it. With SUPPLE_GLIBC,
a version of the C library of Linux such as 2.17, it is linked by zig for that version, and its name
tells so (`make wheel`).
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MACHINES = ("x86_64", "amd64", "aarch64", "arm64")  # that wheels are made for


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the kernels and puts them into the wheel."""

    PLUGIN_NAME = "custom"

    def _systems(self) -> Any:
        """The file of the package that tells systems apart, without the package."""
        name = "supple_native_systems"
        place = Path(self.root) / "src" / "supple" / "native" / "systems.py"
        spec = importlib.util.spec_from_file_location(name, place)
        assert spec is not None and spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def _glibc(self) -> str:
        """The oldest C library to link for, on Linux; empty for that of this machine."""
        return os.environ.get("SUPPLE_GLIBC", "") if sys.platform == "linux" else ""

    def _needs_zig(self) -> bool:
        """Whether zig links: for an old C library, and where compilers are seldom installed."""
        return bool(self._glibc()) or (sys.platform == "win32" and "CC" not in os.environ)

    def _wanted(self) -> bool:
        """Whether kernels can and shall be compiled."""
        compiler = shutil.which(shlex.split(os.environ.get("CC") or "cc")[0])
        asked = os.environ.get("SUPPLE_BUILD_KERNELS", "1") != "0"
        known = platform.machine().lower() in MACHINES
        return asked and known and (compiler is not None or self._needs_zig())

    def dependencies(self) -> list[str]:
        """What the build needs."""
        if not self._wanted():
            return []
        return [*self.config["compiler"], *(self.config["linker"] if self._needs_zig() else ())]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, link, and say what kind of wheel it is; examples of model files go with it."""
        if version != "editable":
            examples = str(Path(self.root) / "examples" / "models")
            build_data["force_include"][examples] = "supple/io/modelfiles/examples"
        if version == "editable" or not self._wanted():
            build_data["dependencies"].extend(self.config["compiler"])
            return
        systems = self._systems()
        kinds, made = systems.baselines(), Path(self.root) / "build" / "kernels"
        self.app.display_info(f"compiling kernels for {' and '.join(kinds)}, some minutes")
        self._compile(systems, kinds, made)
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{systems.platform_tag(self._glibc())}"
        for name in (systems.launcher_name(), *map(systems.library_name, kinds)):
            build_data["force_include"][str(made / name)] = f"supple/native/{name}"

    def _compile(self, systems: Any, kinds: Sequence[str], made: Path) -> None:
        """Put a library for each kind of processor, and the launcher, into a folder."""
        root = Path(self.root)
        env = {**os.environ, "SUPPLE_CACHE_DIR": str(root / "build" / "kernel-cache")}
        env.setdefault("MACOSX_DEPLOYMENT_TARGET", systems.MACOS)
        if self._glibc():
            target = f"{platform.machine().lower()}-linux-gnu.{self._glibc()}"
            env["CC"] = shlex.join([*systems.zig(), "-target", target])
        alone = root / "src" / "supple" / "native" / "alone.py"
        command = [sys.executable, str(alone), "build", "--cpu", *kinds, "--into", str(made)]
        subprocess.run(command, check=True, env=env)
