"""``supple cases``: list problems from the literature, run them, write a report about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supple.commands.answers import conclude, print_json
from supple.commands.sources import Json
from supple.foundation.errors import SuppleError

if TYPE_CHECKING:
    from supple.cases import Case, Quantity


def list_cases(
    as_json: Json = False,
) -> None:
    """List all cases: name, title and source."""
    from supple import cases

    if as_json:
        told = [{"name": c.name, "title": c.title, "source": c.source} for c in cases.all()]
        return print_json(told)
    width = max(map(len, cases.names()))
    for case in cases.all():
        typer.echo(f"{case.name:<{width}}  {case.title}\n{'':<{width}}  {case.source}")


def run_cases(
    names: Annotated[
        list[str] | None, typer.Argument(help="Cases to run; none or 'all': every case.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run cases and compare them with their references; exit code 0 only if all of it holds."""
    report = []
    for case in _chosen(names or ["all"]):
        found = case.run()
        report.append(_entry(case, found))
        if not as_json:
            _tell(case, found)
    if as_json:
        print_json(report)
    if not all(entry["passed"] for entry in report):
        raise typer.Exit(1)


def report_cases(
    names: Annotated[
        list[str] | None, typer.Argument(help="Cases to run; none or 'all': every case.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the page and its pictures.")] = Path(
        "report"
    ),
) -> None:
    """Run cases and write a page: each with its source, pictures, curves, references and errors.

    The exit code is 0 only if all of it holds.
    """
    from supple.cases.report import Report

    report = Report(out)
    for case in _chosen(names or ["all"]):
        _tell(case, report.add(case))
        page = report.write()  # after each, so that little is lost if a long one is stopped
    typer.echo(f"{page}: open it in a browser, it needs no network")
    conclude(report.passed)


def _chosen(names: list[str]) -> list[Case]:
    from supple import cases

    if "all" in names:
        return list(cases.all())
    try:
        return [cases.get(name) for name in dict.fromkeys(names)]
    except SuppleError as error:
        typer.echo(f"supple: {error}", err=True)
        raise typer.Exit(2) from None


def _entry(case: Case, found: list[Quantity]) -> dict[str, Any]:
    return {
        "case": case.name,
        "source": case.source,
        "passed": _all_hold(found),
        "quantities": [
            {
                "name": q.name,
                "value": q.value,
                "reference": q.reference,
                "tolerance": q.tolerance,
                "passed": q.passed,
            }
            for q in found
        ],
    }


def _all_hold(found: list[Quantity]) -> bool:
    return bool(found) and all(q.passed for q in found)


def _tell(case: Case, found: list[Quantity]) -> None:
    """Print one line for the case and one for each quantity that is off."""
    wrong = [q for q in found if not q.passed]
    state = f"FAILED, {len(wrong)} of {len(found)} off" if wrong or not found else "passed"
    typer.echo(f"{case.name}: {state}, {len(found)} quantities")
    if found and not wrong:
        near = max((q for q in found if q.tolerance > 0.0), key=_share, default=None)
        if near is None:
            typer.echo("  all exact")
        else:
            shown = f"{_share(near):.1e} of {near.tolerance:.0e}"
            typer.echo(f"  nearest to its tolerance: {near.name}, {shown}")
    for q in wrong:
        typer.echo(
            f"  {q.name}: {q.value:.12g}, reference {q.reference:.12g}, off by {q.error:.1e}, "
            f"tolerance {q.tolerance:.0e}"
        )


def _share(quantity: Quantity) -> float:
    return quantity.error / quantity.tolerance
