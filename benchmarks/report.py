"""Run all studies one after the other and write what they found into docs/benchmarks.md.

Each study prints its tables as it does alone; nothing else should be running meanwhile.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
PICTURE = HERE.parent / "docs" / "images" / "benchmarks.png"
STUDIES = {
    "forward_dynamics": "Accelerations of chains, against Pinocchio",
    "chain_run": "A falling chain to equal error, against Exudyn",
    "closed_loops": "Closed loops and absolute coordinates, against Exudyn",
    "two_link": "A flexible arm to equal error, against Exudyn's reduced floating frame",
    "batch": "Thousands of variants of the flexible arm, against Exudyn",
    "stepping": "Stepping a six-axis arm from outside",
    "soft_pendulum": "A soft pendulum to equal error, against Exudyn's geometrically exact beam",
    "soft_cable": "A soft cable: steps, and equal error, against Exudyn's cable",
    "contact": "Bodies that touch to equal error, against Exudyn and MuJoCo",
    "rolling": "Wheels that roll to equal error, against Exudyn",
    "newton": "Newton's matrix of long chains",
    "large_tree": "Trees of thousands of bodies",
    "step_loop": "The step loop, against SciPy's Radau",
    "whole_call": "Whole calls of simulate",
    "adjoint": "Gradients along 100 parameters, in runs",
    "compile_time": "Waiting for the compiler",
}
PACKAGES = ("supple", "numpy", "scipy", "numba", "pin", "exudyn", "mujoco")
VERDICT = re.compile(r"\b(met|MISSED) \(")
BLUE, ORANGE, GREY = "#2f6fb0", "#d9822b", "#888888"


def run(name: str, folder: Path) -> tuple[str, bool]:
    """Run a study; what it printed, and whether it ended without a missed target."""
    env = {**os.environ, "SUPPLE_BENCH_OUT": str(folder), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, str(HERE / f"{name}.py")]
    print(f"\n== {STUDIES[name]}", flush=True)
    lines = []
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout or ():
            print(line, end="", flush=True)
            lines.append(line)
    return "".join(lines), child.returncode == 0


def machine() -> str:
    """Processor, cores, system and versions, one line each."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = re.findall(r"model name\s*: (.*)", info.read_text())
        model = names[0] if names else model
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            versions.append(f"no {package}")
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{model}, {os.cpu_count()} cores; {system}; {', '.join(versions)}."


def draw(found: dict[str, Any], path: Path) -> bool:
    """Ratios to other programs over links, and time per body; False without numbers."""
    from matplotlib.figure import Figure

    rows = found.get("forward_dynamics", [])
    rows = [r for r in rows if "links" in r]
    rigid = [r for r in rows if not r["flexible"]]
    if not rigid:
        return False
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    with_ratio = [r for r in rigid if "ratio" in r]
    if with_ratio:
        left.plot(
            [r["links"] for r in with_ratio], [r["ratio"] for r in with_ratio], "o-",
            color=BLUE, label="accelerations / Pinocchio",
        )  # fmt: skip
    for name, label, colour in (
        ("chain_run", "chain, joint coordinates / Exudyn", ORANGE),
        ("closed_loops", "chain, absolute coordinates / Exudyn", GREY),
    ):
        data = found.get(name, [])
        chains = data["chains"] if isinstance(data, dict) else data
        points = [(c["links"], best_ratio(c["runs"])) for c in chains]
        points = [(n, r) for n, r in points if r is not None]
        if points:
            left.plot(*zip(*points, strict=True), "s-", color=colour, label=label)
    left.axhline(1.0, color="#333333", lw=0.8)
    left.set(xscale="log", yscale="log", xlabel="links", ylabel="CPU time, Supple to the other")
    left.legend(frameon=False, fontsize=8)
    for flexible, colour in ((False, BLUE), (True, ORANGE)):
        some = [r for r in rows if r["flexible"] == flexible]
        if some:
            right.plot(
                [r["links"] for r in some],
                [r["microseconds"]["supple"] / r["links"] for r in some], "o-",
                color=colour, label="four modes a body" if flexible else "rigid bodies",
            )  # fmt: skip
    right.set(xscale="log", yscale="log", xlabel="links", ylabel="accelerations, us per body")
    right.legend(frameon=False, fontsize=8)
    for axes in (left, right):
        axes.grid(color="#dddddd", lw=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)
    return True


def best_ratio(runs: list[dict[str, Any]]) -> float | None:
    """CPU time of the solves, the best method of Supple to that of Exudyn."""
    best = {}
    for row in runs:
        if row.get("solve") is not None:
            best[row["program"]] = min(best.get(row["program"], float("inf")), row["solve"])
    return best["supple"] / best["exudyn"] if {"supple", "exudyn"} <= set(best) else None


def page(texts: dict[str, str], picture: bool) -> str:
    """The page in Markdown."""
    lines = [line.strip() for text in texts.values() for line in text.splitlines()]
    judged = [line for line in lines if VERDICT.search(line)]
    missed = [line for line in judged if "MISSED (" in line]
    out = [
        "# Benchmarks",
        "",
        "Written by `make bench`. What is measured, and how, is in `benchmarks/README.md`: CPU",
        "time, programs in turns within one process, each at its best. Only ratios within one",
        "run count.",
        "",
        machine(),
        "",
        f"{len(judged)} targets, {len(missed)} of them missed.",
        "",
    ]
    if picture:
        text = "CPU time to other programs over the number of links, and accelerations per body"
        out += [f"![{text}](images/{PICTURE.name})", ""]
    for name, text in texts.items():
        out += [f"## {STUDIES[name]}", "", "```text", text.strip("\n"), "```", ""]
    return "\n".join(out)


def main() -> int:
    """Run, write the page, and return 1 if a study missed a target."""
    wanted = sys.argv[1:] or list(STUDIES)
    texts, failed = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted:
            texts[name], good = run(name, Path(folder))
            failed += [] if good else [name]
        found = {p.stem: json.loads(p.read_text()) for p in Path(folder).glob("*.json")}
    if not sys.argv[1:]:
        PAGE.write_text(page(texts, draw(found, PICTURE)))
        print(f"\nwritten to {PAGE.relative_to(HERE.parent)}")
    if failed:
        print(f"targets missed in: {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
