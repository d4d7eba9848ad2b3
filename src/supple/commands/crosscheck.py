"""``supple crosscheck``: one model by every formulation and two integrators."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from supple.commands.answers import (
    PAGES,
    PICTURES,
    conclude,
    expect_apart,
    expect_place,
    named_by_options,
    print_json,
    refuse,
)
from supple.commands.sources import File, Json, model_file

# Settings of a model file that a cross-check takes over; its own output times are others.
TAKEN = ("t_end", "start", "formulation", "integrator", "tolerance")


def crosscheck(
    file: File,
    until: Annotated[
        float | None, typer.Option(help="End of the runs in s, in place of the file's t_end.")
    ] = None,
    accuracy: Annotated[
        float, typer.Option(help="Part of its range to which each quantity must be known.")
    ] = 0.01,
    refine: Annotated[
        bool, typer.Option(help="Also run beams with elements of other kinds, refined.")
    ] = True,
    out: Annotated[
        Path | None, typer.Option(help="Picture of the differences: .png, .svg, .pdf.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Page with the table and the picture.")] = None,
    as_json: Json = False,
) -> None:
    """Run a model by every formulation and two integrators; exit code 0 only if all agree."""
    from supple.foundation.atomic_files import write_whole
    from supple.io.modelfiles.model_file import ModelFile
    from supple.studies.crosscheck.crosscheck import OWNER
    from supple.studies.crosscheck.crosscheck import crosscheck as study

    if not (math.isfinite(accuracy) and 0.0 < accuracy < 1.0):
        refuse(f"--accuracy is {accuracy}, expected a number between 0 and 1")
    expect_place(out, PICTURES)
    expect_place(html, PAGES)
    expect_apart(file, out=out, html=html)
    found = model_file(file)
    written = found.settings if isinstance(found, ModelFile) else {}
    settings: dict[str, Any] = {n: v for n, v in written.items() if n in TAKEN}
    settings["events"] = found.events if isinstance(found, ModelFile) else ()
    if until is not None:
        settings["t_end"] = until
    if "t_end" not in settings:
        refuse(f"{file.name} does not say how long a run is, expected --until")
    found.check()
    given = {} if until is None else {"t_end": until}
    with named_by_options(given, OWNER), named_by_options(given):
        check = study(found.model, accuracy=accuracy, refine=refine, **settings)
    answer = {"file": file, **check.answer()}
    if out is not None:
        check.plot(out)
        answer["picture"] = out
    if html is not None:
        page = f'<!doctype html><meta charset="utf-8">{check._repr_html_()}\n'
        answer["page"] = write_whole(html, page.encode("utf-8"))
    if as_json:
        print_json(answer)
    else:
        typer.echo(repr(check))
        for path in (out, html):
            if path is not None:
                typer.echo(f"  written    {path}")
    conclude(check.ok)
