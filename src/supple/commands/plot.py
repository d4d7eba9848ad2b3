"""``supple plot``: histories of a result as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from supple.commands.answers import PICTURES, conclude_run, expect_apart, expect_place, refuse
from supple.commands.sources import matching, result_of

MOST_PANELS = 30


def plot(
    source: Annotated[Path, typer.Argument(help="A saved result, or a model file, which is run.")],
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
