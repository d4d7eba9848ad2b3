"""Wheels with compiled kernels.

`pip wheel .` and `pip install .` compile the kernels where there is a C compiler. The wheel then
serves every Python from 3.11 on (limited API) and needs no Numba. Without a C compiler, for
editable installs, or with SUPPLE_BUILD_KERNELS=0, the package is plain Python and depends on
Numba, which compiles the kernels on first use.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Processors that a wheel is made for, by machine
BASELINE = {"x86_64": "x86-64-v3", "aarch64": "generic", "arm64": "apple-m1"}


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the kernels and puts them into the wheel."""

    PLUGIN_NAME = "custom"

    def _wanted(self) -> bool:
        """Whether kernels can and shall be compiled."""
        compiler = shutil.which(os.environ.get("CC", "cc").split()[0])
        asked = os.environ.get("SUPPLE_BUILD_KERNELS", "1") != "0"
        return asked and compiler is not None and platform.machine().lower() in BASELINE

    def dependencies(self) -> list[str]:
        """What the build needs."""
        return list(self.config["compiler"]) if self._wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, link, and say what kind of wheel it is; examples of model files go with it."""
        if version != "editable":
            examples = str(Path(self.root) / "examples" / "models")
            build_data["force_include"][examples] = "supple/io/modelfiles/examples"
        if version == "editable" or not self._wanted():
            build_data["dependencies"].extend(self.config["compiler"])
            return
        root = Path(self.root)
        package, made = root / "src" / "supple" / "native", root / "build" / "kernels"
        cpu = BASELINE[platform.machine().lower()]
        self.app.display_info(f"compiling kernels for {cpu}, about a minute")
        subprocess.run(
            [sys.executable, str(package / "alone.py"), "build", "--cpu", cpu, "--into", str(made)],
            check=True,
            env={**os.environ, "SUPPLE_CACHE_DIR": str(root / "build" / "kernel-cache")},
        )
        build_data["pure_python"] = False
        platform_tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp311-abi3-{platform_tag}"
        for name in ("libsupple.so", "_launcher.abi3.so"):
            build_data["force_include"][str(made / name)] = f"supple/native/{name}"
