"""Runs and checks of model files as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.commands.answers import print_json

if TYPE_CHECKING:
    from supple.errors import SuppleError
    from supple.results.result import Result


def run_as_json(result: Result, written: Iterable[Path]) -> bool:
    """Print how a run went; True if it reached its end."""
    print_json(
        {
            "model": result.model.name,
            "success": bool(result.success),
            "stopped_by_user": result.stopped,
            "message": result.message,
            "verdict": result.verdict,
            "levels": {
                "energy": result.energy.level,
                "momentum": result.momentum.level,
                "validity": result.monitor.level,
            },
            "energy": result.energy.verdict,
            "momentum": result.momentum.verdict,
            "validity": result.monitor.verdict,
            "from": result.t[0] if len(result.t) else None,
            "to": result.t[-1] if len(result.t) else None,
            "output_times": len(result.t),
            "statistics": result.statistics,
            "events": [{"name": event.name, "t": event.t} for event in result.events],
            "written": list(written),
        }
    )
    return bool(result.success)


def check_as_json(path: Path) -> bool:
    """Examine a model file and print what was found; True if the model is ready to run."""
    from supple.commands.sources import model_file
    from supple.errors import SuppleError

    try:
        found = model_file(path)
        found.check()
    except SuppleError as error:
        print_json({"ok": False, "model": None, "findings": _told(error)})
        return False
    diagnosis = found.doctor()
    told = asdict(diagnosis)
    findings = [
        {"severe": f.severe, "text": f.text, "advice": f.advice} for f in diagnosis.findings
    ]
    print_json({"ok": diagnosis.ok, **told, "findings": findings})
    return diagnosis.ok


def _told(error: SuppleError) -> list[dict[str, Any]]:
    """What is wrong with a file, each with its place if there is one."""
    from supple.modelfiles import ModelFileError

    if not isinstance(error, ModelFileError):
        return [{"severe": True, "text": str(error), "advice": ""}]
    return [
        {
            "severe": True,
            "text": problem.sentence,
            "advice": "",
            "file": problem.place.file,
            "line": problem.place.line,
            "key": problem.key,
        }
        for problem in error.problems
    ]
