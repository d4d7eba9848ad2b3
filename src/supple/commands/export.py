"""``supple export``: a result as NetCDF, CSV or Parquet, or as VTK files for ParaView."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from supple.commands.answers import (
    asked_rightly,
    conclude_run,
    expect_apart,
    expect_folder,
    expect_place,
)
from supple.commands.sources import EITHER, expect_file, matching, result_of


def export(
    source: Annotated[Path, typer.Argument(help="A saved result, or a model file, which is run.")],
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
