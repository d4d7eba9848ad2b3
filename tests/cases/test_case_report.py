"""The report about cases: what it shows is what was compared, and failures are seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from supple import cases
from supple.cases.report import Report, curves, grouped, run, share
from supple.cli import app


@pytest.mark.slow
def test_a_page_with_pictures(tmp_path: Path) -> None:
    names = ["huang-rigid", "richard-graph"]
    done = CliRunner().invoke(app, ["cases", "report", *names, "--out", str(tmp_path / "made")])
    assert done.exit_code == 0, done.output
    page = (tmp_path / "made" / "index.html").read_text(encoding="utf-8")
    assert all(f'<h2 id="{name}">{name}: passed</h2>' in page for name in names)
    assert cases.get("huang-rigid").source in page and "FAILED" not in page
    written = {p.name for p in (tmp_path / "made").glob("*.png")}
    assert {"huang-rigid-system.png", "huang-rigid-curves.png"} <= written
    assert all(f'src="{name}"' in page for name in written)


def test_curves_are_of_the_run_that_is_compared() -> None:
    """Further output changes no step: the numbers are those of the case by itself, to the bit."""
    case = cases.get("huang-rigid")
    result, found = run(case)
    assert result is not None and [q.value for q in found] == [q.value for q in case.run()]
    figure = curves(grouped(found), result)
    assert figure is not None and len(figure.axes) == 8
    for left in figure.axes[::2]:
        curve, reference = left.lines
        at = [list(result.t).index(t) for t in case.times]
        assert curve.get_ydata()[at] == pytest.approx(reference.get_ydata(), abs=1e-5)


def test_what_is_off_is_told(tmp_path: Path) -> None:
    """A wrong reference, a number that is none, and a case that compares nothing."""
    case = cases.get("huang-rigid")

    def wrong(result):
        first, second, *others = case.measure(result)
        return [replace(first, reference=2.0), replace(second, value=float("nan")), *others]

    report = Report(tmp_path)
    found = report.add(replace(case, measure=wrong))
    assert not report.passed and [share(q) > 1.0 for q in found[:3]] == [True, True, False]
    text = report.write().read_text(encoding="utf-8")
    assert text.count("FAILED") == 2 and "<td>nan</td>" in text
    empty = Report(tmp_path)
    empty.add(replace(case, measure=lambda result: []))
    assert not empty.passed
