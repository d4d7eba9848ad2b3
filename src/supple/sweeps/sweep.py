"""sweep: many runs of a model, in other processes, kept as rows of one table.

`batch` makes them side by side and keeps no table; `StudyFile` is a sweep of a model file,
written in YAML.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from numpy.typing import ArrayLike

from supple import __version__
from supple.analyses.base.arguments import expect
from supple.analyses.run.options import MethodOptions, event_tuple, takes
from supple.events import Event
from supple.foundation import validate
from supple.foundation.atomic_files import check_picture, make_folder
from supple.foundation.errors import ModelError, SuppleError, without_warnings
from supple.foundation.input_files import existing, inside, path_of, read_text
from supple.foundation.progress import told
from supple.integrators.run.thread_lock import Ended, Turns
from supple.io.modelfiles import tree
from supple.io.modelfiles.model_file import ModelFile
from supple.io.modelfiles.parts import VERSION
from supple.io.modelfiles.problems import NotedError, Problems, unknown_key
from supple.io.modelfiles.scope import Scope
from supple.io.modelfiles.tree import Node
from supple.model import Model
from supple.sweeps.designs import OWNER, Row, rows
from supple.sweeps.identity import digest, key_of
from supple.sweeps.readings import Outputs, Reading, readings
from supple.sweeps.store import Store
from supple.sweeps.study import Sweep
from supple.sweeps.subjects import (
    TRIED,
    OfFile,
    OfFunction,
    OneRun,
    Record,
    Subject,
    Way,
    failed,
    subject_of,
)
from supple.sweeps.workers import FORKED, answers, cluster_answers, count_of_processors

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
    for _, told_answer in answers(look, jobs, 1, limit, lambda *_: LOST):
        if isinstance(told_answer, SuppleError):
            raise told_answer
        if told_answer:
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
    count = _count(OWNER, "workers", workers)
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
    identity = digest(__version__, subject.identity(), asked)
    keys = [key_of(identity, row) for row in plan]
    store = Store(place, plan, asked)
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
    records = [known[key] for key in keys]
    return Sweep(subject.name, design, seed, plan, records, asked, place, len(missing))


def _count(owner: str, field: str, asked: int | None) -> int:
    """Number of processes or threads; by default one for each processor."""
    count = count_of_processors() if asked is None else asked
    validate.integer(owner, field, count, 1, "a positive integer")
    if count > MOST_WORKERS:
        raise ModelError(owner, field, count, f"at most {MOST_WORKERS}")
    return count


def _made(
    task: OneRun, missing: Mapping[str, Row], count: int, limit: float | None
) -> Iterator[tuple[str, Record]]:
    """Records of runs as they end, by key."""
    if min(count, len(missing)) > 1 or (limit is not None and missing):
        yield from answers(task, missing.items(), count, limit, failed)
    else:
        yield from ((key, task(row)) for key, row in missing.items())


BATCH = "batch"

PAUSE = 0.1  # s after which Ctrl-C is looked for


@takes(MethodOptions)
def batch(
    model: Model | ModelFile | str | Path | Callable[..., Model],
    parameters: Mapping[str, Any],
    t_end: float | None = None,
    *,
    outputs: Outputs,
    design: str = "list",
    runs: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    workers: int | None = None,
    times: int | float | ArrayLike | None = None,
    events: Event | Sequence[Event] = (),
    monitor: bool = True,
    progress: bool | None = None,
    **options: Unpack[MethodOptions],
) -> Sweep:
    """Run many variants of a model in threads or processes; return the table of all runs.

    The numbers are those of single runs by `simulate`, bit by bit. Only what is asked for is kept
    of a run, so that memory does not grow with their number. `sweep` makes tables that survive a
    kill.

    Parameters
    ----------
    model : Model, ModelFile, path of one, or function
        As for `sweep`, also the next two.
    parameters : mapping
        By name an array of values, one for each run, or whatever ``design`` takes.
    outputs : text, function, a list of these, or a mapping of names to these
        "elbow.angle @ end" and the like are numbers; without @ the history is kept.
    t_end : float, optional
        End of the runs, s; a model file has its own.
    design : "list", "grid", "random", "latin", "sobol" or "saltelli"
        By default the k-th run has the k-th values of all arrays; see `sweep`.
    runs, seed : of the other designs
    threads : int, optional
        Runs at the same time in threads of this process. Only steps are made at the same time:
        two threads are nearly twice as fast as one if a run takes 0.1 s or more, but 1.2 to 1.6
        times if it takes some ms. With 1 the runs are made one after the other.
    workers : int, optional
        Processes that make the runs; two are nearly twice as fast as one also for short runs. By
        default, on Linux, one for each processor. Elsewhere, and if the model or an output is a
        function, which may change something in this process, as many threads are the default.
    times, events : output times and events, as for `simulate`
        Few output times make short runs quicker.
    monitor : bool
        Whether the validity of flexible bodies is part of the verdicts. It can take as long as a
        short run; without it the verdicts say that nobody looked.
    progress : as for `simulate`
    options : start, formulation, integrator, tolerance of `simulate`

    A run that fails is a row with its reason and stops no other.
    """
    if workers is not None and threads is not None:
        raise ModelError(BATCH, "workers", workers, "none with threads")
    count = _count(BATCH, *(("threads", threads) if workers is None else ("workers", workers)))
    validate.flag(BATCH, "monitor", monitor)
    expect(BATCH, "progress", progress, bool | None, "True, False or None")
    events = event_tuple(BATCH, events)
    settings = {"t_end": t_end, "output": times, "events": events}
    plan = rows(parameters, design, runs, seed, BATCH)
    asked = readings(outputs, BATCH)
    subject = subject_of(model, settings, options, monitor, BATCH)
    if t_end is None and not isinstance(subject, OfFile):
        raise ModelError(BATCH, "t_end", t_end, "the end of the runs in s")
    subject.expect(plan[0])
    subject.expect_outputs(plan, asked)
    way = Way(BATCH, len(plan))
    apart = workers is not None or (threads is None and _forks(subject, asked))
    with told(way.text, progress), without_warnings():
        make = _in_processes if apart and count > 1 else _in_threads
        records = make(OneRun(subject, asked), plan, min(count, len(plan)), way.count)
    return Sweep(subject.name, design, seed, plan, records, asked, None, len(plan))


def _forks(subject: Subject, asked: tuple[Reading, ...]) -> bool:
    """True if runs can as well be made in processes: nothing but their records leaves them."""
    called = isinstance(subject, OfFunction) or any(r.function is not None for r in asked)
    return FORKED and not called and not multiprocessing.current_process().daemon


MOST_AT_ONCE, PARTS = 8, 16  # runs that a process gets at once, and least number of such parts
BRIEF = 1e-4  # part of a run that loads what whole ones need


@dataclass(frozen=True)
class _Several:
    """Makes several runs, so that short ones do not wait for messages between processes."""

    task: OneRun

    def __call__(self, plan: list[Row]) -> list[Record]:
        return [self.task(row) for row in plan]


def _in_processes(
    task: OneRun, plan: list[Row], count: int, ended: Callable[[Record], None]
) -> list[Record]:
    """The records of all runs, in the order of the plan; a process that dies costs one run."""
    if FORKED:
        _load(task.subject, plan[0])
    records: dict[int, Record] = {}
    size = min(max(len(plan) // (PARTS * count), 1), MOST_AT_ONCE)
    parts = [(first, plan[first : first + size]) for first in range(0, len(plan), size)]
    for first, found in answers(_Several(task), parts, count, None, lambda *_: []):
        for place, record in enumerate(found, first):
            records[place] = record
            ended(record)
    lost = [(place, row) for place, row in enumerate(plan) if place not in records]
    for place, record in answers(task, lost, count, None, failed):
        records[place] = record
        ended(record)
    return [records[place] for place in range(len(plan))]


def _load(subject: Subject, parameters: Row) -> None:
    """Make the beginning of a run here: what it loads and keeps is then there in all processes."""
    t_end = subject.given.get("t_end")
    if isinstance(t_end, float | int):
        given = {**subject.given, "t_end": BRIEF * t_end, "output": 1, "events": ()}
        OneRun(replace(subject, given=given), ()).recorded(parameters)


def _in_threads(
    task: OneRun, plan: list[Row], count: int, ended: Callable[[Record], None]
) -> list[Record]:
    """The records of all runs, in the order of the plan."""
    records: dict[int, Record] = {}
    waiting = iter(enumerate(plan))

    def work() -> None:
        for place, row in waiting:
            records[place] = task.recorded(row)
            ended(records[place])

    if count == 1:
        work()
    else:
        _side_by_side(work, count)
    return [records[place] for place in range(len(plan))]


def _side_by_side(work: Callable[[], None], count: int) -> None:
    """Do the same work in several threads, which take turns."""
    turns = Turns()
    troubles: list[BaseException] = []

    def serve() -> None:
        try:
            with turns.mine():
                if not turns.ended:
                    work()
        except Ended:
            pass
        except BaseException as trouble:  # sys.exit in a function of the user, for example
            troubles.append(trouble)
            turns.ended = True

    threads = [threading.Thread(target=serve, name=f"supple {k}") for k in range(count)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(PAUSE)
    finally:  # Ctrl-C: they end where their loops pause
        turns.ended = True
        for thread in threads:
            if thread.ident is not None:
                thread.join()
    if troubles:
        raise troubles[0]


EXPECTED = "a study file"
REQUIRED = ("supple", "model", "parameters", "outputs")
NUMBERS = ("runs", "seed", "t_end", "time_limit")
KEYS = (*REQUIRED, "description", "design", *NUMBERS, "folder", "figures")
FIGURES = ("effects", "scatter", "bands")


class StudyFile:
    """A study file that has been read.

    Parameters
    ----------
    path : str or path
        Of the file. The model file, and what is written, are in its folder.

    Attributes
    ----------
    model : path of the model file
    folder : path of the folder of the table; by default the file's name with "-runs"
    asked : arguments of `sweep`
    figures : kind and output of each picture by its path

    Raises ``ModelFileError`` with all problems of the file.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = existing(path_of("StudyFile", "path", path), EXPECTED)
        self.problems = Problems()
        self.scope = Scope(self.problems, self.path.parent)
        self.model, self.folder = self.path, self.path.with_name(f"{self.path.stem}-runs")
        self.asked: dict[str, Any] = {}
        self.figures: dict[Path, tuple[str, str]] = {}
        try:
            self._read(tree.parse(read_text(self.path, EXPECTED), self.path.name, self.problems))
        except NotedError:
            pass
        self.problems.raise_if_any()

    def _read(self, top: Node) -> None:
        if not top.is_mapping:
            raise self.scope.unexpected(top, f"keys: {', '.join(KEYS)}")
        for key, child in top.value.items():
            if key not in KEYS:
                self.problems.note(top.keys[key], child.key, unknown_key(key, KEYS))
        for key in REQUIRED:
            if key not in top.value:
                self.scope.wrong(top, f"no {key} found, expected it")
        if "supple" in top.value and (
            top["supple"].value != VERSION or top["supple"].value is True
        ):
            self.scope.unexpected(top["supple"], f"{VERSION}, the version of the format")
        for key, child in top.value.items():
            if key in KEYS:
                try:
                    self._key(key, child)
                except NotedError:
                    continue

    def _key(self, key: str, node: Node) -> None:
        if key in ("model", "folder"):
            setattr(self, key, self._path(node, node.value))
        elif key in NUMBERS:
            if not isinstance(node.value, (int, float)) or isinstance(node.value, bool):
                raise self.scope.unexpected(node, "a number")
            self.asked[key] = node.value
        elif key == "design":
            if not isinstance(node.value, str):
                raise self.scope.unexpected(node, "a design, e.g. latin")
            self.asked[key] = node.value
        elif key == "parameters":
            if not node.is_mapping:
                raise self.scope.unexpected(node, "names with values, e.g. {L: [1.0, 1.2]}")
            self.asked[key] = plain(node)
        elif key == "outputs":
            if not isinstance(node.value, (str, tuple, dict)):
                raise self.scope.unexpected(node, "texts, e.g. [pin.angle @ max]")
            self.asked[key] = plain(node)
        elif key == "figures":
            self._figures(node)

    def _figures(self, node: Node) -> None:
        if not node.is_mapping:
            expected = "pictures with what they show, e.g. {pin.png: [effects, pin.angle @ max]}"
            raise self.scope.unexpected(node, expected)
        for name, child in node.value.items():
            what = plain(child)
            if not isinstance(what, list) or len(what) != 2 or what[0] not in FIGURES:
                self.scope.unexpected(child, f"one of {', '.join(FIGURES)} and an output")
                continue
            path = self._path(child, name)
            try:
                check_picture(path)
            except SuppleError as error:
                self.scope.wrong(child, str(error))
            self.figures[path] = (what[0], " ".join(str(what[1]).split()))

    def _path(self, node: Node, text: Any) -> Path:
        folder = self.path.parent
        good = isinstance(text, str) and text.strip() and "\0" not in text
        if not good or Path(text).is_absolute() or not inside(folder / text, folder):
            raise self.scope.unexpected(node, "a path that does not leave the folder of the file")
        return folder / str(text)

    def run(self, **changes: Any) -> Sweep:
        """Make the sweep and draw its figures; ``changes`` are further arguments of `sweep`."""
        settings: dict[str, Any] = {**self.asked, "folder": self.folder, **changes}
        self._expect_figures(settings["outputs"])
        table = sweep(self.model, settings.pop("parameters"), **settings)
        for path, (kind, output) in self.figures.items():
            make_folder(path.parent)
            getattr(table, f"plot_{kind}")(output, path)
        return table

    def _expect_figures(self, outputs: Any) -> None:
        """Refuse figures of outputs that the study does not have, before any run."""
        kinds = {reading.name: reading.is_history for reading in readings(outputs)}
        for kind, output in self.figures.values():
            if kinds.get(output) is not (kind == "bands"):
                which = "histories" if kind == "bands" else "numbers"
                known = [name for name, history in kinds.items() if history is (kind == "bands")]
                raise ModelError.plain(
                    f"{self.path.name}: the figure {kind} is of {output!r}, expected one of the "
                    f"outputs that are {which} ({', '.join(known) or 'there are none'})"
                )


def plain(node: Node) -> Any:
    """The value of a node in plain Python."""
    if isinstance(node.value, Mapping):
        return {key: plain(child) for key, child in node.value.items()}
    if isinstance(node.value, tuple):
        return [plain(child) for child in node.value]
    return node.value
