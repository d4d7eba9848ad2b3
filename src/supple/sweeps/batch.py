"""batch: thousands of runs of one model in one process, side by side in threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect
from supple.analyses.run.options import MethodOptions, event_tuple, takes
from supple.events import Event
from supple.foundation import validate
from supple.foundation.errors import ModelError, without_warnings
from supple.foundation.progress import told
from supple.integrators.run.thread_lock import Ended, Turns
from supple.io.modelfiles.model_file import ModelFile
from supple.model import Model
from supple.sweeps.designs import Row, rows
from supple.sweeps.one_run import OneRun, Record, Way
from supple.sweeps.readings import Outputs, readings
from supple.sweeps.study import Sweep
from supple.sweeps.subjects import OfFile, subject_of
from supple.sweeps.workers import count_of_processors

OWNER = "batch"
MOST_THREADS = 1000
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
    times: int | float | ArrayLike | None = None,
    events: Event | Sequence[Event] = (),
    monitor: bool = True,
    progress: bool | None = None,
    **options: Unpack[MethodOptions],
) -> Sweep:
    """Run many variants of a model in this process; return the table of all runs.

    The numbers are those of single runs by `simulate`, bit by bit. Only what is asked for is kept
    of a run, so that memory does not grow with their number. For long runs, tables that survive a
    kill, and force laws in Python, `sweep` with its processes is the better choice.

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
        Runs at the same time; by default one for each processor.
    times, events : output times and events, as for `simulate`
        Few output times make short runs quicker.
    monitor : bool
        Whether the validity of flexible bodies is part of the verdicts. It can take as long as a
        short run; without it the verdicts say that nobody looked.
    progress : as for `simulate`
    options : start, formulation, integrator, tolerance of `simulate`

    A run that fails is a row with its reason and stops no other.
    """
    count = count_of_processors() if threads is None else threads
    validate.integer(OWNER, "threads", count, 1, "a positive integer")
    if count > MOST_THREADS:
        raise ModelError(OWNER, "threads", count, f"at most {MOST_THREADS}")
    validate.flag(OWNER, "monitor", monitor)
    expect(OWNER, "progress", progress, bool | None, "True, False or None")
    events = event_tuple(OWNER, events)
    given = {"t_end": t_end, "output": times, "events": events}
    plan = rows(parameters, design, runs, seed, OWNER)
    asked = readings(outputs, OWNER)
    subject = subject_of(model, given, options, monitor, OWNER)
    if t_end is None and not isinstance(subject, OfFile):
        raise ModelError(OWNER, "t_end", t_end, "the end of the runs in s")
    subject.expect(plan[0])
    subject.expect_outputs(plan, asked)
    way = Way(OWNER, len(plan))
    with told(way.text, progress), without_warnings():
        records = _made(OneRun(subject, asked), plan, min(count, len(plan)), way.count)
    names = tuple(r.name for r in asked)
    histories = tuple(r.name for r in asked if r.is_history)
    return Sweep(subject.name, design, seed, plan, records, names, histories, None, len(plan))


def _made(
    task: OneRun, plan: list[Row], count: int, ended: Callable[[Record], None]
) -> list[Record]:
    """The records of all runs, in the order of the plan."""
    found: dict[int, Record] = {}
    waiting = iter(enumerate(plan))

    def work() -> None:
        for place, row in waiting:
            found[place] = task.recorded(row)
            ended(found[place])

    if count == 1:
        work()
    else:
        _side_by_side(work, count)
    return [found[place] for place in range(len(plan))]


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
