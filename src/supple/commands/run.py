"""``supple run`` and ``resume``: model files are simulated."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supple.commands.answers import (
    PAGES,
    conclude_run,
    expect_apart,
    expect_place,
    named_by_options,
    print_json,
)
from supple.commands.sources import File, Json, Until, expect_file, model_file

if TYPE_CHECKING:
    from supple.results.result import Result


def run_as_json(result: Result, written: Iterable[Path]) -> bool:
    """Print how a run went; True if it reached its end."""
    print_json(
        {
            "model": result.model.name,
            "success": bool(result.success),
            "stopped_by_user": result.stopped,
            "message": result.message,
            "verdict": result.verdict,
            "levels": levels(result),
            "energy": result.energy.verdict,
            "momentum": result.momentum.verdict,
            "motion": result.motion.verdict,
            "validity": result.monitor.verdict,
            "from": result.t[0] if len(result.t) else None,
            "to": result.t[-1] if len(result.t) else None,
            "output_times": len(result.t),
            "statistics": result.statistics,
            "events": [{"name": event.name, "t": event.t} for event in result.events],
            "written": list(written),
        }
    )
    return bool(result.success)


def levels(result: Result) -> dict[str, str]:
    """Levels of energy, momentum, motion and validity; a run without an end has none."""
    if not result.success:
        ending = "stopped" if result.stopped else "failed"
        return dict.fromkeys(("energy", "momentum", "motion", "validity"), ending)
    return {
        "energy": result.energy.level,
        "momentum": result.momentum.level,
        "motion": result.motion.level,
        "validity": result.monitor.level,
    }


Page = Annotated[
    Path | None, typer.Option(help="Also write a page that plays the motion in a browser.")
]
Every = Annotated[float | None, typer.Option(help="Seconds of the clock between checkpoints.")]
Interval = Annotated[
    float | None, typer.Option(help="Seconds of simulated time between checkpoints.")
]


def run(
    file: File,
    until: Until = None,
    html: Page = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File from which 'supple resume' goes on.")
    ] = None,
    every: Every = None,
    interval: Interval = None,
    output_to: Annotated[
        Path | None, typer.Option(help="File for the states, which need not fit into memory then.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Simulate a model file and write its outputs."""
    expect_place(html, PAGES)
    expect_place(checkpoint)
    expect_place(output_to)
    expect_apart(file, html=html, checkpoint=checkpoint, output_to=output_to)
    found = model_file(file)
    for path in found.written:
        expect_apart(
            path, "an output of the file", html=html, checkpoint=checkpoint, output_to=output_to
        )
    options = {"checkpoint": checkpoint, "every": every, "interval": interval}
    given = _given(t_end=until, output_to=output_to, **options)
    with named_by_options(given):
        result = found.run(**given)
    _tell_run(result, found.written, html, checkpoint, as_json)


def resume(
    checkpoint: Annotated[Path, typer.Argument(help="A checkpoint of 'supple run'.")],
    file: Annotated[
        Path | None, typer.Option(help="The model file that was run, if it is elsewhere now.")
    ] = None,
    html: Page = None,
    every: Every = None,
    interval: Interval = None,
    as_json: Json = False,
) -> None:
    """Go on with a run from its last checkpoint and write the outputs of its model file."""
    from supple.io.modelfiles.archive import resumed
    from supple.io.modelfiles.model_file import ModelFile

    expect_file(checkpoint, "a checkpoint")
    expect_place(html, PAGES)
    expect_apart(checkpoint, html=html, file=file)
    source = None
    if file is not None:
        expect_file(file, "a model file")
        source = ModelFile(file)
    given = _given(every=every, interval=interval)
    with named_by_options(given, "resume"):
        result, doubts, found, missing = resumed(checkpoint, source=source, outputs=True, **given)
    for doubt in [*doubts, *([missing] if missing else [])]:
        typer.echo(f"supple: {doubt}", err=True)
    if found is not None:
        found.outputs.write(result)
    _tell_run(result, [] if found is None else found.written, html, checkpoint, as_json)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _tell_run(
    result: Result, outputs: list[Path], html: Path | None, checkpoint: Path | None, as_json: bool
) -> None:
    """Write the page, tell how the run went, and end the command accordingly."""
    written = [*outputs, *([] if html is None else [result.to_html(html)])]
    if as_json:
        run_as_json(result, written)
        return conclude_run(result)
    typer.echo(repr(result))
    for path in written:
        typer.echo(f"  written   {path}")
    if result.stopped and checkpoint is not None:
        typer.echo(f"  go on by  supple resume {checkpoint}")
    conclude_run(result)
