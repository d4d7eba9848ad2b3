"""Runs on a Dask cluster, whose workers have Supple and see the same files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from supple.foundation.errors import SimulationError, SuppleError

CONNECT = 10.0  # s to find the cluster
AHEAD = 4  # jobs that each thread of the cluster is given ahead
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


def answers(
    task: Callable[[Any], Any],
    jobs: Iterable[tuple[Job, Any]],
    address: str,
    lost: Callable[[str], Any],
) -> Iterator[tuple[Job, Any]]:
    """What a task gives for each of the jobs (name, argument), as they end.

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
