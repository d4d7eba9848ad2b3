"""Runs of model files as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from supple.commands.answers import print_json

if TYPE_CHECKING:
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
            "levels": levels(result),
            "energy": result.energy.verdict,
            "momentum": result.momentum.verdict,
            "motion": result.motion.verdict,
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


def levels(result: Result) -> dict[str, str]:
    """How good energy, momentum, motion and validity are; of a run without an end none is."""
    if not result.success:
        ending = "stopped" if result.stopped else "failed"
        return dict.fromkeys(("energy", "momentum", "motion", "validity"), ending)
    return {
        "energy": result.energy.level,
        "momentum": result.momentum.level,
        "motion": result.motion.level,
        "validity": result.monitor.level,
    }
