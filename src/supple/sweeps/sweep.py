"""sweep: many runs of a model, in other processes, kept as rows of one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect
from supple.analyses.run.options import MethodOptions, event_tuple, takes
from supple.events import Event
from supple.foundation import validate
from supple.foundation.errors import ModelError, SuppleError
from supple.foundation.input_files import path_of
from supple.foundation.progress import told
from supple.io.modelfiles.model_file import ModelFile
from supple.model import Model
from supple.sweeps.designs import OWNER, Row, rows
from supple.sweeps.identity import digest, key_of
from supple.sweeps.one_run import OneRun, Record, Way, failed
from supple.sweeps.readings import Outputs, Reading, readings
from supple.sweeps.store import Store
from supple.sweeps.study import Sweep
from supple.sweeps.subjects import TRIED, Subject, subject_of
from supple.sweeps.workers import answers, cluster_answers, count_of_processors

LOST = "lost"
MOST_WORKERS = 1000


@dataclass(frozen=True)
class _Look:
    """Asks a subject whether outputs are known."""

    subject: Subject
    readings: tuple[Reading, ...]

    def __call__(self, parameters: Row) -> SuppleError | bool:
        """Return the refusal of arguments or outputs, if any; else whether the run can begin."""
        try:
            return self.subject.tells(parameters, self.readings)
        except SuppleError as error:
            return error


def expect_apart(
    subject: Subject, plan: list[Row], readings: tuple[Reading, ...], limit: float | None
) -> None:
    """Refuse what ``subject.expect_outputs`` does, by a process of its own.

    One that takes longer than ``limit`` (s) or dies tells nothing: its run says why.
    """
    look, jobs = _Look(subject, readings), enumerate(plan[:TRIED])
    for _, found in answers(look, jobs, 1, limit, lambda *_: LOST):
        if isinstance(found, SuppleError):
            raise found
        if found:
            return


@takes(MethodOptions)
def sweep(
    model: Model | ModelFile | str | Path | Callable[..., Model],
    parameters: Mapping[str, Any],
    *,
    outputs: Outputs,
    t_end: float | None = None,
    design: str = "grid",
    runs: int | None = None,
    seed: int = 0,
    folder: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    times: int | float | ArrayLike | None = None,
    events: Event | Sequence[Event] = (),
    time_limit: float | None = None,
    retry: bool = False,
    progress: bool | None = None,
    **options: Unpack[MethodOptions],
) -> Sweep:
    """Run a model with many values of its parameters; return the table of all runs.

    Parameters
    ----------
    model : Model, ModelFile, path of one, or function
        A function is called with the parameters by name and returns a Model.
    parameters : mapping
        By name a list of values, or a distribution as a text: "uniform(low, high)",
        "loguniform(low, high)", "normal(mean, deviation)", "triangular(low, mode, high)"; also
        "linspace(low, high, count)" and "geomspace(...)". Names are paths to fields of the model
        ("link2.mass", "beam.material.E", "link2.com.0"), parameters of a model file, or arguments
        of the function. SI units.
    outputs : text, function, a list of these, or a mapping of names to these
        "elbow.angle @ max" is a number: max, min, abs max, range, start, end, mean, rms, time of
        max or time of min at the output times, of a vector those of its length; so is the value at
        an output time, "elbow.angle @ 0.35 s". Without @ the whole history is kept. A function of
        the result returns a number.
    t_end : float, optional
        End of the runs, s; a model file has its own. Without it nothing is simulated, and functions
        get the model.
    design : "grid", "list", "random", "latin", "sobol" or "saltelli"
        All combinations; the k-th values of all lists; independent random values; a Latin
        hypercube; a scrambled Sobol sequence; one for Sobol indices.
    runs : int, optional
        Number of points, of all designs but the first two; "saltelli" takes (parameters + 2) runs
        for each.
    seed : of random values
    folder : path, optional
        Where rows are kept as they finish. A sweep that was killed goes on there, and no run is
        made twice. In memory only without it.
    workers : int, optional
        Processes; by default one for each processor. With 1 the runs are made in this process.
    cluster : text, optional
        Address of a Dask scheduler that makes the runs instead: "tcp://host:8786". Its workers have
        Supple, and see the files of the model.
    times, events : output times and events, as for `simulate`
    time_limit : float, optional
        s of the clock after which a run is given up.
    retry : bool
        Whether runs that failed before are made again.
    progress : as for `simulate`
    options : start, formulation, integrator, tolerance of `simulate`

    A run that fails is a row with its reason and stops no other.
    """
    plan = rows(parameters, design, runs, seed)
    asked = readings(outputs)
    count = count_of_processors() if workers is None else workers
    validate.integer(OWNER, "workers", count, 1, "a positive integer")
    if count > MOST_WORKERS:
        raise ModelError(OWNER, "workers", count, f"at most {MOST_WORKERS}")
    limit = None if time_limit is None else validate.positive(OWNER, "time_limit", time_limit)
    if cluster is not None:
        validate.text(OWNER, "cluster", cluster, "an address, e.g. 'tcp://host:8786'")
        if limit is not None or workers is not None:
            raise ModelError(OWNER, "cluster", cluster, "none with workers or time_limit")
    validate.flag(OWNER, "retry", retry)
    expect(OWNER, "progress", progress, bool | None, "True, False or None")
    events = event_tuple(OWNER, events)
    subject = subject_of(model, {"t_end": t_end, "output": times, "events": events}, options)
    subject.expect(plan[0])
    if limit is not None or cluster is not None or min(count, len(plan)) > 1:
        expect_apart(subject, plan, asked, limit)
    else:
        subject.expect_outputs(plan, asked)
    place = None if folder is None else path_of(OWNER, "folder", folder)
    identity = digest(_version(), subject.identity(), asked)
    keys = [key_of(identity, row) for row in plan]
    store = Store(place, _columns(plan), {r.name: _kind(r) for r in asked})
    try:
        if retry:
            store.forget_failed()
        known = store.known(keys)
        missing = {key: row for key, row in zip(keys, plan, strict=True) if key not in known}
        way = Way(OWNER, len(missing), len(set(keys)) - len(missing))
        with told(way.text, progress):
            task = OneRun(subject, asked)
            made = (
                _made(task, missing, count, limit)
                if cluster is None
                else cluster_answers(task, missing.items(), cluster, failed)
            )
            for key, record in made:
                store.add(key, missing[key], record)
                known[key] = record
                way.count(record)
    finally:
        store.close()
    return Sweep(
        subject.name,
        design,
        seed,
        plan,
        [known[key] for key in keys],
        tuple(r.name for r in asked),
        tuple(r.name for r in asked if r.is_history),
        place,
        len(missing),
    )


def _made(
    task: OneRun, missing: Mapping[str, Row], count: int, limit: float | None
) -> Iterator[tuple[str, Record]]:
    """Records of runs as they end, by key."""
    if min(count, len(missing)) > 1 or (limit is not None and missing):
        yield from answers(task, missing.items(), count, limit, failed)
    else:
        yield from ((key, task(row)) for key, row in missing.items())


def _columns(plan: list[Row]) -> dict[str, str]:
    """Types of the parameters in the table."""
    return {
        name: "TEXT" if any(isinstance(row[name], str) for row in plan) else "REAL"
        for name in plan[0]
    }


def _kind(reading: Reading) -> str:
    return "BLOB" if reading.is_history else "REAL"


def _version() -> str:
    from supple import __version__

    return __version__
