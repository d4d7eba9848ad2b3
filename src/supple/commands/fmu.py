"""``supple fmu``: a model file as an FMU for other programs."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from supple.commands.answers import (
    expect_apart,
    expect_place,
    named_by_options,
    refuse,
)
from supple.commands.sources import model_file

SETTINGS = ("start", "formulation", "integrator", "tolerance")  # of the file, which are taken over


class Version(StrEnum):
    """Versions of the Functional Mock-up Interface."""

    SECOND = "2.0"
    THIRD = "3.0"


class Kind(StrEnum):
    """Kinds of FMUs."""

    STEPS = "co-simulation"
    STATES = "model-exchange"


def fmu(
    file: Annotated[Path, typer.Argument(help="A model file.")],
    out: Annotated[Path, typer.Option(help="The FMU, arm.fmu.")] = ...,  # type: ignore[assignment]
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", help="A joint, effort, motor or driver; once for each."),
    ] = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option("--output", help="A quantity (elbow.angle, tip.position); once for each."),
    ] = None,
    version: Annotated[Version, typer.Option(help="Of FMI.")] = Version.SECOND,
    kinds: Annotated[
        list[Kind] | None, typer.Option("--kind", help="By default all that are possible.")
    ] = None,
    until: Annotated[
        float | None, typer.Option(help="End of its default experiment, s; by default t_end.")
    ] = None,
) -> None:
    """Write a model as an FMU, which other programs simulate without Python."""
    from supple.foundation.errors import ModelError, SuppleWarning
    from supple.io.fmu.export import OWNER, export_fmu

    expect_place(out, (".fmu",))
    expect_apart(file, out=out)
    found = model_file(file)
    found.check()
    given: dict[str, Any] = getattr(found, "settings", {})  # a robot has none
    kept: dict[str, Any] = {name: given[name] for name in SETTINGS if name in given}
    end = given.get("t_end") if until is None else until
    if events := getattr(found, "events", ()):
        names = ", ".join(event.name for event in events)
        warnings.warn(f"{file.name}: an FMU has no events: {names}", SuppleWarning, stacklevel=1)
    kept |= {"t_end": end, "version": version.value}
    chosen = [kind.value for kind in kinds] if kinds else None
    try:
        with named_by_options({"t_end": end}, OWNER):
            ports = inputs or (), outputs or None
            written = export_fmu(found.model, out, *ports, kinds=chosen, **kept)
    except ModelError as error:
        if error.object != OWNER or error.field not in ("inputs", "outputs", "kinds"):
            raise
        refuse(str(error))
    typer.echo(f"{written}: {written.stat().st_size / 1e6:.1f} MB")
