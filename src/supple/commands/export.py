"""``supple export``: a result as CSV, as Parquet, or as VTK files for ParaView."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from supple.commands.answers import conclude, expect_place, refuse
from supple.commands.sources import matching, result_of

TABLES = (".csv", ".parquet")


def export(
    source: Annotated[Path, typer.Argument(help="A saved result, or a model file, which is run.")],
    quantities: Annotated[
        list[str] | None,
        typer.Argument(help="Quantities (elbow.angle) or patterns ('*.angle') of a table."),
    ] = None,
    to: Annotated[
        Path, typer.Option(help="out.csv, out.parquet, or a folder for VTK files.")
    ] = ...,  # type: ignore[assignment]
    every: Annotated[int, typer.Option(min=1, help="Write every n-th time to VTK files.")] = 1,
) -> None:
    """Write a result for other programs: a table, or a series of VTK files."""
    ending = to.suffix.lower()
    table = bool(ending) and not to.is_dir()
    if table:
        expect_place(to, TABLES)
        if every != 1:
            refuse(f"--every is {every}, expected 1 with a table: it has one row for each time")
        if ending == ".parquet":
            from supple.results.tables import parquet_library

            parquet_library()  # before a run is made for it
    elif quantities:
        refuse(f"quantities are for tables, found {', '.join(quantities)} with a folder")
    result = result_of(source)
    if table:
        from supple.results.tables import write_csv, write_parquet

        data = result.track()
        names = matching(quantities or (), data.variables)
        written = (write_csv if ending == ".csv" else write_parquet)(data, to, names)
    else:
        from supple.results.vtk_series import write_series

        written = write_series(result, to, every)
    typer.echo(f"{written}")
    conclude(result.success)
