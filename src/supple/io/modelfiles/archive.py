"""A model within another file, and runs that go on from one.

What is kept is the text of a model file with the events and settings of the run, and the components
that are written beside it. Items that no model file can say, as Python functions, are left out; the
model must then be given again.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from supple.analyses.base.arguments import expect
from supple.analyses.run.checkpointing import (
    kept_arguments,
    read_checkpoint,
    read_run,
    refuse_other,
)
from supple.analyses.run.options import RunOptions
from supple.analyses.run.outcome import Probe, result_of
from supple.analyses.run.simulate import prepare
from supple.foundation.errors import ModelError, warn_caller
from supple.foundation.input_files import contained, path_of
from supple.foundation.validate import number
from supple.integrators.run.checkpoints import Data, solution_of
from supple.integrators.run.driver import Progress
from supple.integrators.run.output_rows import parts_of
from supple.io.modelfiles.model_file import ModelFile
from supple.io.modelfiles.writer import ARCHIVED
from supple.model import Model
from supple.results.data.run_data import StartChange
from supple.results.files.state_file import EXPECTED, read_record, sound_states
from supple.results.result import Result


def _read(name: str, archive: Data) -> ModelFile:
    """The model file in an archive."""
    with tempfile.TemporaryDirectory() as folder:
        for file, content in archive["files"].items():
            if Path(file).name != file:
                raise ModelError.plain(f"{name}: it is damaged, expected names of files in it")
            (Path(folder) / file).write_bytes(content.tobytes())
        return ModelFile(Path(folder) / ARCHIVED)


def resume(
    path: str | Path,
    model: Model | None = None,
    *,
    every: float | None = None,
    interval: float | None = None,
    progress: bool | Progress | None = None,
) -> Result:
    """Go on with a run from its last checkpoint; return the result of the whole run.

    Parameters
    ----------
    path : str or path
        Of the checkpoint, which is kept up to date as before.
    model : Model, optional
        The model of the run, where it has Python functions, which no file can hold.
    every, interval : float, optional
        s of the clock, and of simulated time, between checkpoints, by default as before.
    progress : bool or callable, optional
        As for `simulate`.

    With a method whose steps are compiled, the result is that of a run that was never stopped, to
    the last bit. `BDF` and `Adams` begin anew at each checkpoint: there it is that of a run with
    checkpoints at the same simulated times (``interval``).
    """
    result, doubts, *_ = resumed(path, model, every, interval, progress)
    for doubt in doubts:
        warn_caller(doubt)
    return result


def resumed(
    path: str | Path,
    model: Model | None = None,
    every: float | None = None,
    interval: float | None = None,
    progress: Any = None,
    source: ModelFile | None = None,
    outputs: bool = False,
) -> tuple[Result, list[str], ModelFile | None, str]:
    """The result, what is to be doubted about it, and the model file that was run.

    That is ``source``, or the file where it was. It is None if it is not there, or has mistakes
    now; the last text says so. With ``outputs`` those that it cannot write are refused first.
    """
    target = path_of("resume", "path", path)
    expect("resume", "model", model, Model | None, "a Model")
    for name, value in (("every", every), ("interval", interval)):
        if value is not None and not number("resume", name, value) > 0.0:
            raise ModelError("resume", name, value, "a positive number of seconds")
    data = read_checkpoint(target)
    with contained(target.name, "a checkpoint"):
        source = _source(target, data) if source is None else source
        found, arguments, exact = _kept(target, data, model, source)
        keeping = arguments.keeping
        assert keeping is not None
        before = keeping.every, keeping.interval
        keeping = replace(
            keeping,
            checkpoint=target,
            every=before[0] if every is None else float(every),
            interval=before[1] if interval is None else float(interval),
            goes_on=data,
            exact=exact,
        )
    given = replace(arguments, keeping=keeping, progress=progress)
    prepared = prepare(found)
    if source is not None and outputs:
        source.expect_outputs(prepared, given)
    result, doubts = prepared.run(given)
    missing = ""
    if data["source"] is not None and source is None:
        missing = (
            f"{data['source']}: the model file cannot be read, its outputs are not written; "
            "`supple resume --file` says where it is"
        )
    return result, doubts, source, missing


def open_run(path: str | Path, model: Model | None = None) -> Result:
    """The result of a run whose states are in a file; they are read where they are looked at.

    ``model`` is the model of the run, where it has Python functions. ``result.between(0.0, 1.0)``
    is the result of a part of the run.
    """
    target = path_of("open_run", "path", path)
    expect("open_run", "model", model, Model | None, "a Model")
    t, content = read_record(target)
    data = read_run(target, content, EXPECTED)
    with contained(target.name, EXPECTED):
        found, given, exact = _kept(target, data, model, _source(target, data))
        written, problem, _ = prepare(found).problem(given)
        compiled = problem.equations.compiled
        refuse_other(data["compiled"], compiled, exact)
        rows = [t, *parts_of(compiled, sound_states(target, t))]
        solution = solution_of(data["solution"], compiled, rows)
        moved = tuple(StartChange(*row) for row in data["moved"])
        probe = Probe.of(written, problem, given.method)
        return result_of(written, compiled, solution, (), moved, probe=probe)


def _source(target: Path, data: Data) -> ModelFile | None:
    """The model file that was run, if it can be read."""
    try:
        return None if data["source"] is None else ModelFile(target.parent / data["source"])
    except ModelError:
        return None


def _kept(
    target: Path, data: Data, model: Model | None, source: ModelFile | None
) -> tuple[Model, RunOptions, bool]:
    """Model and arguments of a run that was kept, and whether the model came from outside."""
    archive = data["archive"]
    file = _read(target.name, archive)
    if model is None and archive["without"]:
        if source is None:
            raise ModelError.plain(
                f"{target.name}: its model is not in it ({archive['without']}), expected "
                "model=..., the model of the run"
            )
        model = source.model
    arguments = kept_arguments(data, target.parent, events=file.events, **file.settings)
    return file.model if model is None else model, arguments, model is not None
