"""States of a run in a file: written as the run goes on, read where they are looked at.

The file is HDF5. Its states are one contiguous block, which is mapped into memory: the loop writes
its rows right there, and what was written leaves the memory again. The room on the disk is reserved
before the run begins. A killed process loses no row; what else the result is made of is added at
the end.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.atomic_files import check_target
from supple.foundation.check_sums import sum_in_file, sum_of, sum_of_rows
from supple.foundation.errors import FileError, ModelError, warn_caller
from supple.foundation.input_files import contained, existing, path_of

FORMAT = "supple states 1"
EXPECTED = "a file that simulate(..., output_to=path) wrote"
PAGES = 2**24  # bytes that stay in memory before they are given back
SUMMED = 4096  # rows that are added to a check sum at once


class OutputFile:
    """A file that a run writes its states to.

    Parameters
    ----------
    path : of the file; one that is there is overwritten, unless a run goes on
    times : (nt,) output times, s
    name : what a checkpoint knows the file by
    goes_on : whether the file is there with the rows of a run that is to go on
    """

    def __init__(self, path: Path, times: Array, name: str, goes_on: bool) -> None:
        self.path, self.times, self.name, self.goes_on = path, times, name, goes_on
        self._map: mmap.mmap | None = None
        self._start = self._released = self._row = 0
        self._states: Array = np.zeros((0, 0))
        self._summed, self._sum = 0, 0  # rows, and their check sum

    def rows(self, width: int) -> Array:
        """The states (nt + 1, width) in the file; the last row is for where the run may stop."""
        shape = len(self.times) + 1, width
        if not self.goes_on:
            self._create(shape)
        with opened(self.path) as file:
            there = file["states"]
            if file.attrs.get("name") != self.name or there.shape != shape:
                raise self._another()
            start = there.id.get_offset()
        with self.path.open("r+b") as raw:
            self._map = mmap.mmap(raw.fileno(), 0)
        self._start = self._released = start
        self._row = 8 * width
        states: Array = np.frombuffer(self._map, float, shape[0] * width, start).reshape(shape)
        self._states = states
        self.forget(0)
        return states

    def forget(self, rows: int) -> None:
        """Rows from this one on will be written again."""
        if rows < max(self._summed, 1):
            self._summed, self._sum = 0, sum_of(self._states.shape[1])

    def sum(self, rows: int) -> int:
        """The check sum of the first rows, which are final."""
        self.forget(rows)
        for k in range(self._summed, rows, SUMMED):
            self._sum = sum_of_rows(self._states[k : min(k + SUMMED, rows)], self._sum)
        self._summed = rows
        return self._sum

    def _create(self, shape: tuple[int, int]) -> None:
        import h5py

        check_target(self.path)
        try:
            self.path.unlink(missing_ok=True)  # a result that reads the former file keeps it
            with h5py.File(self.path, "w", alignment_threshold=1, alignment_interval=8) as file:
                file.attrs["format"], file.attrs["name"] = FORMAT, self.name
                file.attrs["over"] = 0
                plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
                plan.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
                space = h5py.h5s.create_simple(shape)
                h5py.h5d.create(file.id, b"states", h5py.h5t.IEEE_F64LE, space, plan)
            with self.path.open("r+b") as raw:
                size = raw.seek(0, os.SEEK_END)
                if hasattr(os, "posix_fallocate"):  # a page without room would end the process
                    os.posix_fallocate(raw.fileno(), 0, size)
        except OSError as error:
            self.path.unlink(missing_ok=True)
            reason = error.strerror or "there is no room for its states"
            raise FileError(f"the file {str(self.path)!r} cannot be written: {reason}") from error

    def sync(self) -> None:
        """Let the rows reach the disk."""
        if self._map is not None:
            self._map.flush()

    def release(self, rows: int) -> None:
        """Give the memory of the first rows back, now and then."""
        end = self._start + rows * self._row
        end -= end % mmap.PAGESIZE
        begin = self._released - self._released % mmap.PAGESIZE
        if self._map is not None and end - begin > PAGES and hasattr(self._map, "madvise"):
            self._map.madvise(mmap.MADV_DONTNEED, begin, end - begin)
            self._released = end

    def close(self, t: Array, last: Array) -> Array:
        """Write the times that were reached, and the ``last`` row if there is one; the states."""
        self.sync()
        n = len(t)
        total = sum_of_rows(last, self.sum(n - len(last)))
        if not self._is_own():
            warn_caller(
                f"the file {str(self.path)!r} was overwritten by another run meanwhile: the states "
                "of this one are in memory only"
            )
            self._states[n - len(last) : n] = last
            return self._states[:n]
        with opened(self.path, "r+") as file:
            if len(last):
                file["states"][n - 1] = last[0]
            if "time" in file:
                del file["time"]
            file["time"] = t
            file.attrs["sums"] = [total, sum_of(np.asarray(t, dtype=float))]
        return states_of(self.path, n)

    def known(self) -> tuple[Array, Array]:
        """Times and states of a run that is over."""
        with opened(self.path) as file:
            if file.attrs.get("name") != self.name or "time" not in file:
                raise self._another()
            t = np.array(file["time"], dtype=float)
        return t, sound_states(self.path, t)

    def _another(self) -> ModelError:
        return ModelError.plain(
            f"{self.path.name}: it holds the states of another run, expected those that the "
            "checkpoint goes on from"
        )

    def _is_own(self) -> bool:
        """True if the file still belongs to this run."""
        if not self.path.is_file():
            return False
        with opened(self.path) as file:
            return bool(file.attrs.get("name") == self.name)

    def write_record(self, content: bytes, over: bool) -> None:
        """Add what else the result is made of, and whether the run is over or can go on."""
        if not self._is_own():
            return
        with opened(self.path, "r+") as file:
            file.attrs["over"] = int(over)
            if "record" in file:
                del file["record"]
            file["record"] = np.frombuffer(content, dtype=np.uint8)


@contextmanager
def opened(path: Path, mode: str = "r") -> Iterator[Any]:
    """The file, of which something wrong is said in a sentence."""
    import h5py

    source = existing(path_of("a file of states", "path", path), EXPECTED)
    with contained(source.name, EXPECTED), h5py.File(source, mode) as file:
        found = file.attrs.get("format")
        if found != FORMAT or "states" not in file:
            raise ModelError.plain(f"{source.name}: it holds something else, expected {EXPECTED}")
        yield file


def is_unfinished(path: Path, name: str) -> bool:
    """True if a file has the states of another run than that of this name, which is not over."""
    if not path.is_file():
        return False
    try:
        with opened(path) as file:
            return not (file.attrs.get("over", 0) or file.attrs.get("name") == name)
    except ModelError:  # it is something else
        return False


def states_of(path: Path, rows: int) -> Array:
    """The first states in a file, read where they are looked at."""
    with opened(path) as file:
        there = file["states"]
        start, shape, kind = there.id.get_offset(), there.shape, there.dtype
        sound = start is not None and len(shape) == 2 and kind == np.dtype("<f8")
    if not sound or rows > shape[0]:
        raise ModelError.plain(f"{path.name}: its states are damaged, expected {EXPECTED}")
    if shape[1] == 0 or rows == 0:
        return np.zeros((rows, shape[1]))
    return np.asarray(np.memmap(path, float, "r", start, (rows, shape[1])))


def sound_states(path: Path, t: Array) -> Array:
    """The states at the times of a run that is over; damaged ones are refused.

    All of them are read once for their check sum, a piece at a time.
    """
    states = states_of(path, len(t))
    with opened(path) as file:
        kept, start = file.attrs.get("sums"), file["states"].id.get_offset()
    width = states.shape[1]
    found, finite = sum_in_file(path, start, 8 * states.size, sum_of(width))
    if not finite:
        raise ModelError.plain(f"{path.name}: its states are not finite, expected {EXPECTED}")
    if kept is None:
        warn_caller(f"{path.name}: it has no check sum, whether it is damaged cannot be told")
    elif np.asarray(kept).tolist() != [found, sum_of(t)]:
        raise ModelError.plain(
            f"{path.name}: it is damaged, its states are not those of their check sum, "
            f"expected {EXPECTED}"
        )
    return states


def read_record(path: Path) -> tuple[Array, bytes]:
    """Output times (nt,) of a file, and what else the result is made of."""
    with opened(path) as file:
        if "record" not in file or "time" not in file:
            raise ModelError.plain(
                f"{path.name}: its run did not come to an end, expected one that did; "
                "`resume` goes on from a checkpoint"
            )
        return np.array(file["time"], dtype=float), file["record"][:].tobytes()
