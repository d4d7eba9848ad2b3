"""``supple export`` and ``supple plot``: files for other programs, and a picture, of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from supple.commands.answers import (
    PICTURES,
    asked_rightly,
    conclude_run,
    expect_apart,
    expect_folder,
    expect_place,
    refuse,
)
from supple.commands.sources import EITHER, Source, expect_file, matching, result_of

MOST_PANELS = 30


def export(
    source: Source,
    quantities: Annotated[
        list[str] | None,
        typer.Argument(help="Quantities (elbow.angle) or patterns ('*.angle') of a table."),
    ] = None,
    to: Annotated[
        Path, typer.Option(help="out.csv, out.parquet, out.nc, or a folder for VTK files.")
    ] = ...,  # type: ignore[assignment]
    every: Annotated[int, typer.Option(min=1, help="Write every n-th time to VTK files.")] = 1,
) -> None:
    """Write a result for other programs: a table, or a series of VTK files."""
    from supple.results.files.export import export as write
    from supple.results.files.export import refuse_export

    ending = "" if to.is_dir() else to.suffix.lower()
    with asked_rightly():
        refuse_export(to, ending, quantities or (), every)
    if ending:
        expect_place(to, (ending,))
    expect_apart(source, to=to)
    expect_file(source, EITHER)
    if not ending:
        expect_folder(to)
    result = result_of(source)
    names = matching(quantities, result.track().variables) if quantities else []
    written = write(result, to, names, every)
    typer.echo(f"{written}")
    conclude_run(result)


def plot(
    source: Source,
    quantities: Annotated[
        list[str] | None,
        typer.Argument(
            help="Objects (elbow), quantities (elbow.angle), patterns ('*.angle'), energy; none: "
            "joint coordinates and energy."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Picture: .png, .svg or .pdf; by default the name of the source, .png."),
    ] = None,
) -> None:
    """Draw quantities of a result over time."""
    picture = Path(f"{source.stem}.png") if out is None else out
    if out is not None:
        expect_place(out, PICTURES)
    expect_apart(source, out=picture)
    result = result_of(source)
    names = list(result.track().variables)
    objects = dict.fromkeys(name.rpartition(".")[0] for name in names)
    asked = matching(quantities or (), names, objects)
    if len(asked) > MOST_PANELS:
        refuse(f"{len(asked)} quantities are asked for, expected at most {MOST_PANELS} in a plot")
    result.plot(*asked, path=picture)
    typer.echo(f"{picture}")
    conclude_run(result)
