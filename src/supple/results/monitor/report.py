"""What the validity monitor found as a text, and as a table for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.foundation.reports import Report

if TYPE_CHECKING:
    from supple.results.monitor.monitor import BodyMonitor, Monitor

HEADER = ("body", "rotation", "strain", "deflection", "left out", "spin/lowest", "buckling")
WIDTHS = (12, 10, 9, 11, 9, 12, 9)
GRADES = {"valid": "good", "doubtful": "doubtful", "not valid": "bad"}


def _row(b: BodyMonitor) -> tuple[str, ...]:
    ratio = b.spin / b.lowest_frequency if b.lowest_frequency > 0.0 else 0.0
    numbers = f"{b.rotation:.3g}", f"{b.strain:.2g}", f"{b.deflection:.3g}"
    return (b.name, *numbers, f"{b.left_out:.2g}", f"{ratio:.3g}", f"{b.buckling:.2g}")


def monitor_text(monitor: Monitor) -> str:
    """The verdict, a line for each body, and all findings."""
    lines = []
    for row in (HEADER, *map(_row, monitor.bodies.values())):
        cells = zip(row[1:], WIDTHS[1:], strict=True)
        lines.append(" ".join([f"{row[0]:<12}", *(f"{cell:>{width}}" for cell, width in cells)]))
    return "\n".join([monitor.verdict, *lines, *(f"- {f}" for f in monitor.findings)])


def monitor_table(monitor: Monitor) -> str:
    """The same for notebooks."""
    bodies = [_row(b) for b in monitor.bodies.values()]
    found = Report(monitor.verdict, bodies, GRADES[monitor.level], HEADER if bodies else ()).html()
    if not monitor.findings:
        return found
    return found + Report("findings", [(str(f),) for f in monitor.findings]).html()
