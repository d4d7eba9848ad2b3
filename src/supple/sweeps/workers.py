"""Workers: processes that make runs, each its own, so that one that dies costs one run.

They are forked on Linux, where functions of a script or a notebook can then be used as they are.
Elsewhere each is a new interpreter, which imports the script: there functions must be at the top
level of a module, and the script must have its ``if __name__ == "__main__":``.

Workers of a Dask cluster have Supple and see the same files.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from supple.foundation.errors import SimulationError, SuppleError

CONNECT = 10.0  # s to find the cluster
AHEAD = 4  # jobs that each thread of the cluster is given ahead
FORKED = sys.platform == "linux"
START = "fork" if FORKED else "spawn"
PAUSE = 1.0  # s after which a worker looks whether its parent is still there
LONGEST_WAIT = 3600.0  # s; then it is looked again
READY = "ready"
# s; a worker of shorter jobs has the next one before it ends one, so that it never waits
QUICK = 0.2
Job = TypeVar("Job")


def library() -> Any:
    """The module distributed, or one sentence on how to install it."""
    try:
        import distributed
    except ImportError as reason:
        raise SuppleError(
            f"a cluster needs the package distributed ({reason}), install it with: "
            "pip install 'supple[cluster]'"
        ) from reason
    return distributed


def cluster_answers(
    task: Callable[[Any], Any],
    jobs: Iterable[tuple[Job, Any]],
    address: str,
    lost: Callable[[str], Any],
) -> Iterator[tuple[Job, Any]]:
    """Answers of a task to each of the jobs (name, argument), as they end.

    Parameters
    ----------
    address : of the scheduler, "tcp://host:8786"
    lost : makes the answer of a job whose worker died, from a reason
    """
    dask = library()
    try:
        client = dask.Client(address, timeout=CONNECT, set_as_default=False)
    except Exception as reason:
        text = " ".join(str(reason).split()) or type(reason).__name__
        raise SimulationError(
            f"sweep: there is no cluster at {address!r} ({text}), expected the address of a Dask "
            "scheduler, e.g. 'tcp://host:8786'"
        ) from reason
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise SimulationError(
                f"sweep: the cluster at {address!r} has no workers, expected at least one"
            )
        waiting, names = iter(jobs), dict[str, Any]()
        shared = client.scatter(task, broadcast=True, hash=False)

        def given(count: int) -> list[Any]:
            """Futures of the next jobs."""
            futures = []
            for name, argument in islice(waiting, count):
                futures.append(client.submit(call, shared, argument, pure=False))
                names[futures[-1].key] = name
            return futures

        running = dask.as_completed(given(AHEAD * threads), loop=client.loop)
        for future in running:
            name = names.pop(future.key)
            if future.status == "finished":
                yield name, future.result()
            else:
                why = future.exception() if future.status == "error" else future.status
                yield name, lost(f"the cluster gave it up ({why})")
            for more in given(1):
                running.add(more)


def call(task: Callable[[Any], Any], argument: Any) -> Any:
    """Make a job in a worker of the cluster."""
    return task(argument)


def count_of_processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def answers(
    task: Callable[[Any], Any],
    jobs: Iterable[tuple[Job, Any]],
    count: int,
    limit: float | None,
    lost: Callable[[str, float], Any],
) -> Iterator[tuple[Job, Any]]:
    """Answers of a task to each of the jobs (name, argument), as they end.

    Parameters
    ----------
    count : workers
    limit : s for a job, after which its worker is ended; None for none
    lost : makes the answer of a job that has none, from a reason and its seconds
    """
    waiting = deque(jobs)
    workers: list[_Worker] = []
    try:
        while waiting or any(worker.busy for worker in workers):
            while len(workers) < min(count, len(waiting) + sum(w.busy for w in workers)):
                workers.append(_Worker(task))
            for worker in sorted(workers, key=lambda w: len(w.jobs)):
                if worker.ready and waiting and worker.has_room:
                    worker.give(waiting.popleft())
            for worker in _heard(workers, limit):
                answer = worker.answer(limit, lost)
                if worker.ended:  # what it had not begun
                    waiting.extendleft(reversed(worker.jobs))
                if answer is not None:
                    yield answer
            workers = [worker for worker in workers if not worker.ended]
    finally:
        for worker in workers:  # all at once: each takes some ms to give its memory back
            if not worker.ended:
                worker.process.terminate()
        for worker in workers:
            worker.end()


def _heard(workers: list[_Worker], limit: float | None) -> list[_Worker]:
    """Workers that have something to say, or whose time is up."""
    now = time.monotonic()
    left = None
    if limit is not None:
        left = min((w.since + limit - now for w in workers if w.busy), default=None)
        left = None if left is None else min(max(left, 0.0), LONGEST_WAIT)
    said = wait([worker.connection for worker in workers], left)
    late = time.monotonic() - (limit or 0.0)
    return [
        worker
        for worker in workers
        if worker.connection in said or (limit is not None and worker.busy and worker.since <= late)
    ]


class _Worker:
    """A process that makes one job after the other."""

    def __init__(self, task: Callable[[Any], Any]) -> None:
        context: Any = multiprocessing.get_context(START)
        self.connection, there = context.Pipe()
        self.process = context.Process(target=serve, args=(there, task), daemon=True)
        self.ready = self.ended = False
        self.since = 0.0
        self.quick = False  # whether its last job was short
        self.jobs: deque[tuple[Any, Any]] = deque()  # the one under way, and one ahead
        try:
            self.process.start()
        except (AttributeError, TypeError, ValueError, OSError) as reason:
            raise SimulationError(_not_started(reason)) from reason
        except Exception as reason:
            if "pickle" not in type(reason).__name__.lower():
                raise
            raise SimulationError(_not_started(reason)) from reason
        there.close()

    @property
    def busy(self) -> bool:
        """True if it has a job."""
        return bool(self.jobs)

    @property
    def has_room(self) -> bool:
        """True if it should get a job: while it makes short ones, also the next one ahead."""
        return not self.jobs or (self.quick and len(self.jobs) == 1)

    def give(self, job: tuple[Any, Any]) -> None:
        """Begin a job, or let it wait for the one before."""
        if not self.jobs:
            self.since = time.monotonic()
        self.jobs.append(job)
        try:
            self.connection.send(job[1])
        except OSError:  # it has ended: told when it is heard
            pass

    def answer(self, limit: float | None, lost: Callable[[str, float], Any]) -> Any:
        """A job and its answer; None if there is no job."""
        seconds = time.monotonic() - self.since
        if limit is not None and self.busy and not self.connection.poll():
            self.end()
            late = f"it took longer than the limit of {limit:g} s"
            return self.jobs.popleft()[0], lost(late, seconds)
        try:
            said = self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            why = _ending(self.process.exitcode)
            self.end()
            if self.busy:
                return self.jobs.popleft()[0], lost(f"its process ended {why}", seconds)
            if self.ready:
                return None
            raise SimulationError(
                f"sweep: a process that should make runs ended {why} before it began, expected a "
                'script with if __name__ == "__main__": around its calls, or workers=1'
            ) from None
        if not self.ready:
            self.ready = True
            return None
        self.since, self.quick = time.monotonic(), seconds < QUICK
        return self.jobs.popleft()[0], said

    def end(self) -> None:
        """End the process, unless that is done."""
        if self.ended:
            return
        self.ended = True
        self.connection.close()
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(5.0)
            if self.process.is_alive():
                self.process.kill()
                self.process.join()
        self.process.close()


def _not_started(reason: BaseException) -> str:
    text = " ".join(str(reason).split())
    return (
        f"sweep: a process that makes runs cannot be started ({text}), expected functions at the "
        "top level of a module, or workers=1"
    )


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"by the signal {signal.Signals(-code).name}"
        except ValueError:
            return f"by the signal {-code}"
    return f"with exit code {code}"


def serve(connection: Connection, task: Callable[[Any], Any]) -> None:
    """Make jobs until there are no more, or nobody is left to ask for them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = os.getppid()
    try:
        connection.send(READY)
        while True:
            while not connection.poll(PAUSE):
                if os.getppid() != parent:
                    return
            connection.send(task(connection.recv()))
    except (EOFError, OSError):
        return
