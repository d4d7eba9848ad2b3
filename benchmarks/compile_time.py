"""Waiting times of a user: cold compilation of all kernels, a warm demo, the import.

Wall clock, in fresh processes and a temporary kernel cache; the machine should do nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import timing  # noqa: F401  (one thread for libraries, here and in the child processes)

COMPILE = "from supple.native import library; library.warm_up()"
DEMO = "from supple.cli import app; app()"
IMPORT = "import supple"


def child(code: str, *arguments: str, cache: str) -> tuple[float, float]:
    """Wall and CPU seconds of a Python process that runs ``code``, its children included."""
    env = dict(os.environ, SUPPLE_CACHE_DIR=cache)
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=env, capture_output=True, text=True
    )
    wall, after = time.perf_counter() - start, os.times()
    if done.returncode != 0:
        raise SystemExit(f"{code!r} failed:\n{done.stdout}{done.stderr}")
    cpu = after.children_user + after.children_system
    return wall, cpu - before.children_user - before.children_system


def best(repeats: int, code: str, *arguments: str, cache: str) -> tuple[float, float]:
    """The shortest of several runs, after one that warms the disk up."""
    child(code, *arguments, cache=cache)
    return min(child(code, *arguments, cache=cache) for _ in range(repeats))


def measure(repeats: int) -> list[dict[str, Any]]:
    """Wall and CPU seconds of the three, with targets for the wall clock."""
    with tempfile.TemporaryDirectory(prefix="supple-bench-") as folder:
        cache = os.path.join(folder, "cache")
        found = [
            ("cold compilation", 75.0, child(COMPILE, cache=cache)),
            ("warm supple demo", 3.0, best(repeats, DEMO, "demo", "--out", folder, cache=cache)),
            ("import supple", 0.9, best(repeats, IMPORT, cache=cache)),
        ]
    return [
        {"what": what, "wall": wall, "cpu": cpu, "target": target, "met": wall <= target}
        for what, target, (wall, cpu) in found
    ]


def main() -> int:
    """Measure, print, and return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, help="runs of the demo and the import")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--no-fail", action="store_true", help="exit code 0 in any case")
    options = parser.parse_args()
    rows = measure(options.repeats)
    if options.json:
        print(json.dumps({"compile_time": rows}, indent=1))
    else:
        print(f"{'':18}{'wall s':>9}{'CPU s':>9}")
        for row in rows:
            verdict = f"{'met' if row['met'] else 'MISSED'} (at most {row['target']:g} s)"
            print(f"{row['what']:18}{row['wall']:9.2f}{row['cpu']:9.2f}   {verdict}")
    return 1 if not all(row["met"] for row in rows) and not options.no_fail else 0


if __name__ == "__main__":
    sys.exit(main())
