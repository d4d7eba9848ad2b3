"""`import supple` is quick and leaves the heavy libraries for their first use."""

from __future__ import annotations

import subprocess
import sys

# Supple's own modules take some 2.5 times as long as NumPy's; SciPy or Matplotlib would add over
# 3 times that, NetworkX 1.7.
MOST = 4.0
HEAVY = (
    *("scipy", "xarray", "networkx", "pydantic", "typer", "rich", "matplotlib", "h5py"),
    "sksundae",
)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a fresh interpreter and return its finished process."""
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, timeout=120
    )


def import_seconds() -> tuple[float, float]:
    """Processor time of `import numpy`, and of `import supple` after it, in a new interpreter."""
    script = (
        "from time import process_time as now; a = now(); import numpy; b = now(); import supple\n"
        "print(b - a, now() - b)"
    )
    first, second = run("-c", script).stdout.split()
    return float(first), float(second)


def test_import_is_quick() -> None:
    """In units of NumPy's import, whatever the processor and what else it does."""
    import_seconds()  # fills the bytecode and file caches
    # The best of several: other work on the machine can only make a run slower.
    numpy, own = (min(times) for times in zip(*(import_seconds() for _ in range(3)), strict=True))
    assert own < MOST * numpy, f"import supple took {own:.2f} s, import numpy {numpy:.2f} s"


def test_import_loads_no_heavy_library() -> None:
    script = f"import sys, supple; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    loaded = run("-c", script).stdout.split()
    assert loaded == [], f"import supple loads {', '.join(loaded)}"


def test_a_run_of_a_tree_loads_no_heavy_library() -> None:
    script = f"""
import sys, supple as sp
m = sp.Model()
link = m.add(sp.RigidBody("link", 1.0, (0.1, 0, 0), (1, 1, 1)))
m.add(sp.Revolute("pin", m.ground.at(0), link.at(0), "y", 0.3))
assert sp.simulate(m, 0.1).energy.level == "trusted"
print(*[m for m in {HEAVY!r} if m in sys.modules])"""
    loaded = run("-c", script).stdout.split()
    assert loaded == [], f"a run of a pendulum loads {', '.join(loaded)}"
