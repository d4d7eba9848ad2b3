"""`import supple` is quick and leaves the heavy libraries for their first use."""

from __future__ import annotations

import subprocess
import sys

# numba alone takes most of this; scipy or matplotlib on top would break it.
IMPORT_SECONDS = 0.9
HEAVY = (
    *("scipy", "xarray", "networkx", "pydantic", "typer", "rich", "matplotlib", "h5py"),
    "sksundae",
)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a fresh interpreter and return its finished process."""
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, timeout=120
    )


def import_seconds() -> float:
    """Time of `import supple` in a new interpreter, with all that it imports."""
    report = run("-X", "importtime", "-c", "import supple").stderr.splitlines()
    for line in reversed(report):
        _, cumulative, name = line.removeprefix("import time:").split("|")
        if name.strip() == "supple":
            return float(cumulative) * 1e-6
    raise AssertionError("the interpreter did not report the import of supple")


def test_import_is_quick() -> None:
    # The best of several: other work on the machine can only make a run slower.
    import_seconds()  # fills the bytecode and file caches
    best = min(import_seconds() for _ in range(5))
    assert best < IMPORT_SECONDS, f"import supple took {best:.2f} s"


def test_import_loads_no_heavy_library() -> None:
    script = f"import sys, supple; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    loaded = run("-c", script).stdout.split()
    assert loaded == [], f"import supple loads {', '.join(loaded)}"
