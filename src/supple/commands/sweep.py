"""``supple sweep``: many runs of a model file, as a study file says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supple.commands.answers import conclude, named_by_options, print_json
from supple.commands.sources import Json, expect_file

if TYPE_CHECKING:
    from supple.sweeps.study import Sweep


def sweep(
    file: Annotated[Path, typer.Argument(help="A study file.")],
    workers: Annotated[
        int | None, typer.Option(help="Processes; one for each processor without it.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Dask scheduler that makes the runs: tcp://host:8786.")
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Make runs that failed before again.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make the runs of a study file that are not in its table yet; draw its figures.

    Exit code 1 only if all runs have failed: one that fails is a row of the table.
    """
    from supple.sweeps.sweep import StudyFile

    expect_file(file, "a study file")
    study = StudyFile(file)
    options = {"workers": workers, "cluster": cluster}
    given = {name: value for name, value in options.items() if value is not None}
    with named_by_options(given, "sweep"):
        found = study.run(retry=retry, progress=False if as_json else None, **given)
    written = [study.folder, *study.figures]
    if as_json:
        print_json(as_mapping(found, written))
    else:
        typer.echo(repr(found))
        for table in _indices(found).values():
            typer.echo(repr(table))
        for path in written:
            typer.echo(f"  written   {path}")
    conclude(bool(found.done.any()))


def _indices(found: Sweep) -> dict[str, Any]:
    """Sobol indices of all numbers, where the design has them."""
    from supple.foundation.errors import SuppleError

    tables = {}
    if found.design == "saltelli":
        for name in found.outputs:
            if name not in found.histories:
                try:
                    tables[name] = found.indices(name)
                except SuppleError as error:
                    typer.echo(f"supple: {error}", err=True)
    return tables


def as_mapping(found: Sweep, written: list[Path]) -> dict[str, Any]:
    """The whole study, with a row for each run; histories are in the table only."""
    rows = [
        {
            "parameters": parameters,
            "state": record.state,
            "reason": record.reason,
            "verdict": record.verdict,
            "outputs": {n: v for n, v in record.outputs.items() if n not in found.histories},
        }
        for parameters, record in zip(found.parameters, found.records, strict=True)
    ]
    return {
        "name": found.name,
        "design": found.design,
        "seed": found.seed,
        "runs": len(found),
        "failed": len(found.failed),
        "not_trusted": len(found.doubtful),
        "made": found.made,
        "rows": rows,
        "indices": {
            name: {
                parameter: {"first": first, "total": total}
                for parameter, first, total in zip(t.parameters, t.first, t.total, strict=True)
            }
            for name, t in _indices(found).items()
        },
        "written": written,
    }
