"""``supple view``: a model file in a browser: its motion, its modes, or the model alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supple.commands.answers import (
    PAGES,
    conclude_run,
    expect_apart,
    expect_place,
    named_by_options,
    refuse,
)
from supple.commands.modes import About, linear_about
from supple.commands.sources import File, Until, model_file

if TYPE_CHECKING:
    from supple.results.result import Result


def view(
    file: File,
    other: Annotated[
        Path | None, typer.Argument(help="Another one, shown as a ghost or side by side.")
    ] = None,
    modes: Annotated[bool, typer.Option("--modes", help="Its modes about equilibrium.")] = False,
    still: Annotated[bool, typer.Option("--model", help="The model alone, without a run.")] = False,
    count: Annotated[int, typer.Option(min=1, help="How many modes, the lowest first.")] = 10,
    at: Annotated[
        About, typer.Option(help="Modes about the equilibrium at t = 0, or the initial state.")
    ] = About.EQUILIBRIUM,
    until: Until = None,
    html: Annotated[
        Path | None, typer.Option(help="Write the page to this file, and open nothing.")
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether a browser is opened.")
    ] = True,
) -> None:
    """Show a model file in a browser until Ctrl-C: its motion, its modes, or the model alone."""
    if html is not None:
        expect_place(html, PAGES)
        for path in (file, other):
            if path is not None:
                expect_apart(path, html=html)
    if modes and still:
        refuse("view: there are --modes and --model, expected one of them")
    if (modes or still) and (other is not None or until is not None):
        more = "a second file" if other is not None else "--until"
        refuse(f"view: there is {more}, expected neither --modes nor --model with it")
    if modes:
        return _show(linear_about(file, at), html, browser, count=count)
    if still:
        found = model_file(file)
        found.check()
        return _show(found.model, html, browser)
    runs = [_run(path, until) for path in (file, other) if path is not None]
    for run in runs:
        typer.echo(run.verdict)
    _show(runs[0], html, browser, other=runs[1] if len(runs) > 1 else None)
    for run in runs:
        conclude_run(run)


def _run(path: Path, until: float | None) -> Result:
    found, given = model_file(path), {} if until is None else {"t_end": until}
    with named_by_options(given):
        return found.simulate(**given)


def _show(item: Any, html: Path | None, browser: bool, **options: Any) -> None:
    """Write the page of a result, a model or modes, or show it."""
    if html is None:
        item.view(browser=browser, **options)
    else:
        typer.echo(f"{item.to_html(html, **options)}: open it in a browser, it needs no network")
