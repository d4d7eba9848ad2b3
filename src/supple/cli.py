"""The command ``supple``: model files, demo, cases, warmup and library.

Everything heavy is imported inside the commands, so that ``supple --help`` answers at once.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from supple.commands.answers import (
    PAGES,
    conclude,
    conclude_run,
    expect_apart,
    expect_place,
    warned_plainly,
)
from supple.commands.cases import list_cases, report_cases, run_cases
from supple.commands.compare import compare
from supple.commands.export import export
from supple.commands.graph import graph
from supple.commands.modes import modes
from supple.commands.plot import plot
from supple.commands.reports import check_as_json, run_as_json
from supple.commands.sources import expect_file, model_file
from supple.errors import ModelError, SuppleError, suggestion

if TYPE_CHECKING:
    from supple.results.result import Result


class Sentences(TyperGroup):
    """Commands whose own errors are one sentence on standard error instead of a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an error of Supple or of its compilation ends it with exit code 1.

        Ctrl-C ends it with 130, as it ends other programs.
        """
        try:
            with warned_plainly():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("supple: stopped by the user", err=True)
            raise typer.Exit(130) from None
        except (SuppleError, ImportError) as error:
            from supple.native.build import BuildError

            if not isinstance(error, SuppleError | BuildError):
                raise
            typer.echo(f"supple: {error}", err=True)
            raise typer.Exit(1) from None


app = typer.Typer(
    cls=Sentences,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Dynamics of systems of rigid and flexible bodies.",
)
cases_app = typer.Typer(no_args_is_help=True, help="Problems from the literature.")
app.add_typer(cases_app, name="cases")


def _version(wanted: bool) -> None:
    if wanted:
        import supple

        typer.echo(f"supple {supple.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Dynamics of systems of rigid and flexible bodies."""


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for picture and animation.")] = Path("."),
) -> None:
    """Simulate an arm with a flexible link; write a plot (demo.png) and a page (demo.html)."""
    from supple import demo as example

    result = example.run()
    typer.echo(repr(result))
    typer.echo(f"  note      {example.NOTE}")
    out.mkdir(parents=True, exist_ok=True)
    picture = out / "demo.png"
    example.draw(result, picture)
    typer.echo(f"  picture   {picture}")
    animation = result.to_html(out / "demo.html", *example.SHOWN)
    typer.echo(f"  animation {animation}: open it in a browser, it needs no network")
    if not result.success:
        raise typer.Exit(1)


@app.command("new")
def new_file(
    file: Annotated[Path, typer.Argument(help="The file to write, e.g. arm.yaml.")],
    source: Annotated[
        str,
        typer.Option(
            "--from", help="An example (see `supple examples`), or a robot: URDF or MJCF file."
        ),
    ] = "",
    floating: Annotated[
        bool, typer.Option("--floating", help="The root of a URDF moves freely.")
    ] = False,
) -> None:
    """Write a model file to begin with: a small one with comments, an example, or a robot."""
    from supple.modelfiles import starter
    from supple.modelfiles.writer import write_model
    from supple.robots import ENDINGS, RobotFile
    from supple.writing import write_whole

    files = {"": starter.STARTER.encode()}
    robot = Path(source).suffix.lower() in ENDINGS
    if source and not robot:
        known = starter.examples()
        if source not in known:
            near = suggestion(source, list(known))
            raise ModelError("new", "--from", source, f"an example or a robot file ({near})")
        files = starter.with_parts(known[source])
    paths = {file if name == "" else file.parent / name: text for name, text in files.items()}
    for path in paths:
        if path.exists():
            typer.echo(f"supple: {path} is there already, expected a new file", err=True)
            raise typer.Exit(1)
    if robot:
        model = RobotFile(source, base="floating" if floating else "fixed").model
        typer.echo(f"{write_model(model, file, t_end=1.0)}")
        return
    for path, text in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        typer.echo(f"{write_whole(path, text)}")


@app.command("examples")
def list_examples() -> None:
    """List the example files that `supple new --from` writes."""
    from supple.modelfiles.starter import examples, title

    found = examples()
    width = max(map(len, found), default=0)
    for name, path in found.items():
        typer.echo(f"{name:<{width}}  {title(path)}")


@app.command("check")
def check_file(
    file: Annotated[Path, typer.Argument(help="A model file, or a robot: URDF or MJCF file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Read a model file, tell all that is wrong with it, and examine the model."""
    expect_file(file, "a model file")
    if as_json:
        return conclude(check_as_json(file))
    found = model_file(file)
    found.check()
    diagnosis = found.doctor()
    typer.echo(str(diagnosis))
    if not diagnosis.ok:
        raise typer.Exit(1)


Until = Annotated[
    float | None, typer.Option(help="End of the run in s, in place of the file's t_end.")
]
Every = Annotated[float | None, typer.Option(help="Seconds of the clock between checkpoints.")]
Interval = Annotated[
    float | None, typer.Option(help="Seconds of simulated time between checkpoints.")
]


@app.command("run")
def run_file(
    file: Annotated[Path, typer.Argument(help="A model file, or a robot: URDF or MJCF file.")],
    until: Until = None,
    html: Annotated[
        Path | None, typer.Option(help="Also write a page that plays the motion in a browser.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File from which 'supple resume' goes on.")
    ] = None,
    every: Every = None,
    interval: Interval = None,
    output_to: Annotated[
        Path | None, typer.Option(help="File for the states, which need not fit into memory then.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Simulate a model file and write its outputs."""
    if html is not None:
        expect_place(html, PAGES)
    expect_apart(file, html=html, checkpoint=checkpoint, output_to=output_to)
    found = model_file(file)
    options = {"checkpoint": checkpoint, "every": every, "interval": interval}
    given: dict[str, Any] = {"t_end": until, "output_to": output_to, **options}
    result = found.run(**{key: value for key, value in given.items() if value is not None})
    written = [*found.written, *([] if html is None else [result.to_html(html)])]
    if as_json:
        run_as_json(result, written)
        return conclude_run(result)
    _tell_run(result, written, checkpoint)


@app.command("resume")
def resume_run(
    checkpoint: Annotated[Path, typer.Argument(help="A checkpoint of 'supple run'.")],
    every: Every = None,
    interval: Interval = None,
) -> None:
    """Go on with a run from its last checkpoint and write the outputs of its model file."""
    from supple.modelfiles.archive import resumed

    expect_file(checkpoint, "a checkpoint")
    result, doubts, found, missing = resumed(checkpoint, every=every, interval=interval)
    for doubt in [*doubts, *([missing] if missing else [])]:
        typer.echo(f"supple: {doubt}", err=True)
    if found is not None:
        found.outputs.write(result)
    _tell_run(result, [] if found is None else found.written, checkpoint)


def _tell_run(result: Result, written: list[Path], checkpoint: Path | None) -> None:
    typer.echo(repr(result))
    for path in written:
        typer.echo(f"  written   {path}")
    if result.stopped and checkpoint is not None:
        typer.echo(f"  go on by  supple resume {checkpoint}")
    conclude_run(result)


@app.command("view")
def view_file(
    file: Annotated[Path, typer.Argument(help="A model file, or a robot: URDF or MJCF file.")],
    until: Until = None,
    html: Annotated[
        Path | None, typer.Option(help="The page to write; by default beside the model file.")
    ] = None,
) -> None:
    """Write a page that plays the motion of a model file in a browser, and nothing else."""
    page = file.with_suffix(".html") if html is None else html
    expect_place(page, PAGES)
    expect_apart(file, html=page)
    result = model_file(file).simulate(**({} if until is None else {"t_end": until}))
    result.to_html(page)
    typer.echo(f"{result.verdict}\n{page}: open it in a browser, it needs no network")
    conclude_run(result)


@app.command("schema")
def show_schema() -> None:
    """Print the JSON Schema of model files, with which editors complete and check them."""
    from supple.modelfiles.schema import schema

    typer.echo(json.dumps(schema(), indent=1))


app.command("graph")(graph)
app.command("modes")(modes)
app.command("plot")(plot)
app.command("compare")(compare)
app.command("export")(export)


cases_app.command("list")(list_cases)
cases_app.command("run")(run_cases)
cases_app.command("report")(report_cases)


@app.command()
def warmup() -> None:
    """Compile all kernels into the cache, so that the first run starts at once."""
    from supple.native import library

    start = time.perf_counter()
    library.warm_up()
    typer.echo(f"kernels ready after {time.perf_counter() - start:.1f} s")


@app.command("library")
def write_library(
    out: Annotated[Path, typer.Option(help="Folder for the two files.")] = Path("."),
) -> None:
    """Write the kernels as a library for C programs: libsupple.so and supple.h."""
    from supple.native import library
    from supple.writing import write_whole

    out.mkdir(parents=True, exist_ok=True)
    made, header = library.for_c()
    for source, name in ((made, "libsupple.so"), (header, header.name)):
        typer.echo(f"{write_whole(out / name, source.read_bytes())}")
