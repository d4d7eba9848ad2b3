"""The command ``supple``: model files, demo, cases, warmup and library.

Everything heavy is imported inside the commands, so that ``supple --help`` answers at once.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from supple.commands.answers import expect_folder, refuse, warned_plainly
from supple.commands.cases import list_cases, report_cases, run_cases
from supple.commands.certify import certify
from supple.commands.check import check
from supple.commands.compare import compare
from supple.commands.crosscheck import crosscheck
from supple.commands.export import export, plot
from supple.commands.fmu import fmu
from supple.commands.graph import graph
from supple.commands.modes import modes
from supple.commands.run import resume, run
from supple.commands.sweep import sweep
from supple.commands.view import view
from supple.foundation import startup_interrupt
from supple.foundation.errors import ModelError, SuppleError, suggestion


class Sentences(TyperGroup):
    """Commands whose own errors are one sentence on standard error instead of a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an error of Supple or of its compilation ends it with exit code 1.

        Ctrl-C ends it with 130, as it ends other programs.
        """
        try:
            startup_interrupt.leave()
            with warned_plainly():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            startup_interrupt.listen()
            startup_interrupt.forget()
            typer.echo(startup_interrupt.SENTENCE, err=True)
            raise typer.Exit(startup_interrupt.STOPPED) from None
        except (SuppleError, ImportError) as error:
            from supple.native.build import BuildError

            if not isinstance(error, SuppleError | BuildError):
                raise
            typer.echo(f"supple: {error}", err=True)
            raise typer.Exit(1) from None
        finally:
            startup_interrupt.listen()


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
    from supple.commands import demo as example

    expect_folder(out)
    result = example.run()
    typer.echo(repr(result))
    typer.echo(f"  note      {example.NOTE}")
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
    from supple.foundation.atomic_files import write_whole
    from supple.io.modelfiles import starter
    from supple.io.modelfiles.writer import write_model
    from supple.io.robots import ENDINGS
    from supple.io.robots.robot_file import RobotFile

    files = {"": starter.STARTER.encode()}
    robot = Path(source).suffix.lower() in ENDINGS
    if floating and not robot:
        refuse("--floating is for a robot, expected --from with a URDF file")
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
        expect_folder(path.parent)
        typer.echo(f"{write_whole(path, text)}")


@app.command("examples")
def list_examples() -> None:
    """List the example files that `supple new --from` writes."""
    from supple.io.modelfiles.starter import examples, title

    found = examples()
    width = max(map(len, found), default=0)
    for name, path in found.items():
        typer.echo(f"{name:<{width}}  {title(path)}")


@app.command("schema")
def show_schema() -> None:
    """Print the JSON Schema of model files, with which editors complete and check them."""
    from supple.io.modelfiles.schema import schema

    typer.echo(json.dumps(schema(), indent=1))


app.command("check")(check)
app.command("run")(run)
app.command("resume")(resume)
app.command("sweep")(sweep)
app.command("certify")(certify)
app.command("view")(view)
app.command("graph")(graph)
app.command("modes")(modes)
app.command("plot")(plot)
app.command("compare")(compare)
app.command("crosscheck")(crosscheck)
app.command("export")(export)
app.command("fmu")(fmu)


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
    from supple.foundation.atomic_files import write_whole
    from supple.native import library, systems

    expect_folder(out)
    made, header = library.for_c()
    for source, name in ((made, f"libsupple{systems.THIS.library}"), (header, header.name)):
        typer.echo(f"{write_whole(out / name, source.read_bytes())}")
