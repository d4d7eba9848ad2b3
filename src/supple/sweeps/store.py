"""The table of a sweep: one row for each run, written when it ends.

The table is SQLite's, in one file: the standard library has it, a kill at any instant leaves all
finished rows whole, and other programs can query it while the sweep goes on. With pyarrow the same
rows also go to a Parquet dataset, a folder of parts, as they finish. Each row has a check sum: one
that is damaged is made again.

One process at a time works in the folder of a sweep; others wait, and find its rows there. Its lock
is SQLite's, on a file of its own: the system ends it with the process, however that ends.
"""

from __future__ import annotations

import io
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from supple.foundation.atomic_files import make_folder, write_whole
from supple.foundation.check_sums import sum_of
from supple.foundation.errors import FileError, ModelError, warn_caller
from supple.sweeps.designs import OWNER, Row
from supple.sweeps.readings import Reading
from supple.sweeps.subjects import Record

OWNER_FILE = "owner.sqlite"
OWNER_PAUSE = 0.1  # s between looks at whether the folder is free
FILE, PARTS = "runs.sqlite", "runs.parquet"
OWN = ("key", "state", "reason", "verdict", "seconds", "time")
OWN_TYPES = ("TEXT PRIMARY KEY", "TEXT", "TEXT", "TEXT", "REAL", "BLOB")
SUM = "check_sum"  # the last own column: tables of earlier versions have none
WORDS = {"REAL": "numbers", "TEXT": "texts", "BLOB": "histories", "INTEGER": "integers"}
PART_ROWS, PART_SECONDS = 1000, 60.0  # a part of the Parquet dataset is written after these
ASKED = 500  # keys in one question


class Ownership:
    """Of a folder, from its making until `end`."""

    def __init__(self, folder: Path) -> None:
        path, said = folder / OWNER_FILE, False
        try:
            self._connection = sqlite3.connect(
                path, timeout=0.0, isolation_level=None, check_same_thread=False
            )
            while not self._taken():
                if not said:
                    said = True
                    warn_caller(
                        f"sweep: another process works in the folder {str(folder)!r}, this one "
                        "waits until that has ended"
                    )
                time.sleep(OWNER_PAUSE)
        except sqlite3.Error as error:
            raise FileError(f"the file {str(path)!r} cannot be used: {error}") from error

    def _taken(self) -> bool:
        """Lock the folder; True if that succeeds, False if another process owns it."""
        try:
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            return False
        return True

    def end(self) -> None:
        """Let others work there."""
        self._connection.close()


class Store:
    """Rows of runs by key; in memory without a folder. Columns are parameters and outputs."""

    def __init__(self, folder: Path | None, plan: Sequence[Row], asked: Sequence[Reading]) -> None:
        parameters = {
            name: "TEXT" if any(isinstance(row[name], str) for row in plan) else "REAL"
            for name in plan[0]
        }
        outputs = {reading.name: "BLOB" if reading.is_history else "REAL" for reading in asked}
        self.folder = None if folder is None else make_folder(folder)
        self.parameters, self.outputs = tuple(parameters), tuple(outputs)
        refuse_alike((*OWN, SUM, *parameters, *outputs))
        self.connection: Any = None
        self._ownership = None if self.folder is None else Ownership(self.folder)
        try:
            self._open(parameters | outputs)
        except BaseException:
            self._release()
            raise

    def _open(self, columns: Mapping[str, str]) -> None:
        """Open or make the table, with columns of some types."""
        with self._named():
            where = ":memory:" if self.folder is None else str(self.folder / FILE)
            self.connection = sqlite3.connect(where, timeout=60.0)
            # Readers then never make the sweep wait; what is committed survives a kill.
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = NORMAL")
            own = ", ".join(f"{n} {kind}" for n, kind in zip(OWN, OWN_TYPES, strict=True))
            self.connection.execute(f"CREATE TABLE IF NOT EXISTS runs ({own})")
            added = self._add_columns({SUM: "INTEGER", **columns})
        self._parts = _Parts(self) if self.folder is not None else None
        if self._parts is not None and (added or not self._parts.fit()):
            self._parts.begin_anew()

    def _release(self) -> None:
        """Close the table, and let others work in the folder."""
        if self.connection is not None:
            self.connection.close()
        if self._ownership is not None:
            self._ownership.end()

    def columns(self) -> dict[str, str]:
        """All columns with their types; a table may have those of several sweeps."""
        rows = self.connection.execute("PRAGMA table_info(runs)")
        return {name: kind for _, name, kind, *_ in rows}

    def _add_columns(self, asked: Mapping[str, str]) -> bool:
        """Add columns that are not there; whether there were any."""
        present = {name.lower(): (name, kind) for name, kind in self.columns().items()}
        added = False
        for name, kind in asked.items():
            there = present.get(name.lower())
            if there is None:
                self.connection.execute(f"ALTER TABLE runs ADD COLUMN {_quoted(name)} {kind}")
                added = True
            elif there != (name, kind):
                raise ModelError.plain(
                    f"sweep: the table has a column {there[0]!r} of {WORDS[there[1]]}, expected "
                    f"{WORDS[kind]} as {name!r}: choose another name or folder"
                )
        self.connection.commit()
        return added

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors of the table meanwhile name its file."""
        try:
            yield
        except sqlite3.Error as error:
            raise FileError(f"{self._where()} of the sweep cannot be used: {error}") from error

    def forget_failed(self) -> None:
        """Remove rows of runs that failed, so that they are made again."""
        with self._named():
            gone = self.connection.execute("DELETE FROM runs WHERE state = 'failed'").rowcount
            self.connection.commit()
        if gone and self._parts is not None:
            self._parts.begin_anew()

    def _forget(self, keys: Sequence[str]) -> None:
        """Remove damaged rows, so that they are made again."""
        self.connection.executemany("DELETE FROM runs WHERE key = ?", [(key,) for key in keys])
        self.connection.commit()
        if self._parts is not None:
            self._parts.begin_anew()
        warn_caller(
            f"sweep: {len(keys)} rows of {self._where()} are damaged, they are not those of their "
            "check sums; their runs are made again"
        )

    def add(self, key: str, parameters: Row, record: Record) -> None:
        """Write a row; it is there when this returns."""
        outputs = [record.outputs.get(name) for name in self.outputs]
        cells = [
            *(key, record.state, record.reason, record.verdict, record.seconds),
            _blob(record.time),
            *(parameters.get(name) for name in self.parameters),
            *(_blob(value) if isinstance(value, np.ndarray) else value for value in outputs),
        ]
        cells.append(_sum(cells))
        names = ", ".join(map(_quoted, (*OWN, *self.parameters, *self.outputs, SUM)))
        marks = ", ".join("?" * len(cells))
        with self._named():
            self.connection.execute(
                f"INSERT OR REPLACE INTO runs ({names}) VALUES ({marks})", cells
            )
            self.connection.commit()
        if self._parts is not None:
            self._parts.write_if_due()

    def known(self, keys: Sequence[str]) -> dict[str, Record]:
        """Records of those runs that are in the table."""
        names = ", ".join(map(_quoted, (*OWN, *self.parameters, *self.outputs, SUM)))
        records: dict[str, Record] = {}
        damaged: list[str] = []
        without = 0
        with self._named():
            for k in range(0, len(keys), ASKED):
                some = list(keys[k : k + ASKED])
                marks = ", ".join("?" * len(some))
                asked = f"SELECT {names} FROM runs WHERE key IN ({marks})"
                for *row, total in self.connection.execute(asked, some):
                    key, state, reason, verdict, seconds, t, *cells = row
                    without += total is None
                    if total is not None and total != _sum(row):
                        damaged.append(key)
                        continue
                    cells = cells[len(self.parameters) :]
                    pairs = zip(self.outputs, map(_unpacked, cells), strict=True)
                    outputs = {name: cell for name, cell in pairs if cell is not None}
                    records[key] = Record(state, reason, verdict, seconds, outputs, _unpacked(t))
            if damaged:
                self._forget(damaged)
        if without:
            warn_caller(
                f"sweep: {without} rows of {self._where()} have no check sums, as those of earlier "
                "versions: whether they are damaged cannot be told"
            )
        return records

    def _where(self) -> str:
        return "the table" if self.folder is None else f"the file {str(self.folder / FILE)!r}"

    def rows_after(self, number: int) -> list[tuple[Any, ...]]:
        """Rows in the order of writing, each with its number first."""
        names = ", ".join(map(_quoted, self.columns()))
        with self._named():
            asked = f"SELECT rowid, {names} FROM runs WHERE rowid > ? ORDER BY rowid"
            return list(self.connection.execute(asked, (number,)))

    def count_until(self, number: int) -> int:
        """Number of rows up to that of a number."""
        with self._named():
            asked = self.connection.execute("SELECT count(*) FROM runs WHERE rowid <= ?", (number,))
            return int(asked.fetchone()[0])

    def close(self) -> None:
        """Write what is left."""
        try:
            if self._parts is not None:
                self._parts.write()
        finally:
            self._release()


class _Parts:
    """Rows as a Parquet dataset; each part is named by its last row."""

    def __init__(self, store: Store) -> None:
        assert store.folder is not None
        self.store, self.folder = store, store.folder / PARTS
        self.due = time.monotonic() + PART_SECONDS
        self.waiting = 0
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            self.library: tuple[Any, Any] | None = None
        else:
            self.library = pa, pq

    def fit(self) -> bool:
        """True if the parts have as many rows as the table up to their last, or there are none."""
        there = self._there()
        if self.library is None or not there:
            return True
        pq = self.library[1]
        try:
            count = sum(pq.read_metadata(part).num_rows for part in there)
        except (OSError, ValueError):  # damaged: they are written again
            return False
        return bool(count == self.store.count_until(self._last(there)))

    def _last(self, there: list[Path]) -> int:
        """Number of the last row in the parts."""
        return int(there[-1].stem.partition("-")[2]) if there else 0

    def begin_anew(self) -> None:
        """Remove all parts, because their columns or rows are no longer those of the table."""
        for part in self._there():
            part.unlink(missing_ok=True)

    def _there(self) -> list[Path]:
        return sorted(self.folder.glob("part-*.parquet"))

    def write_if_due(self) -> None:
        """Write a part after many rows, or after some time."""
        self.waiting += 1
        if self.waiting >= PART_ROWS or time.monotonic() > self.due:
            self.write()

    def write(self) -> None:
        """Write the rows that no part has."""
        self.waiting, self.due = 0, time.monotonic() + PART_SECONDS
        if self.library is None:
            return
        there = self._there()
        rows = self.store.rows_after(self._last(there))
        if not rows:
            return
        pa, pq = self.library
        numbers, (_, *columns) = pa.float64(), zip(*rows, strict=True)
        fields, arrays = [], []
        for (name, declared), cells in zip(self.store.columns().items(), columns, strict=True):
            if declared == "BLOB":
                kind, values = pa.list_(numbers), [_unpacked(cell) for cell in cells]
            elif declared in ("REAL", "INTEGER"):
                kind, values = numbers if declared == "REAL" else pa.int64(), list(cells)
            else:
                kind, values = pa.string(), list(cells)
            fields.append(pa.field(name, kind))
            arrays.append(pa.array(values, kind))
        buffer = io.BytesIO()
        table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
        pq.write_table(table, buffer, write_page_checksum=True)
        write_whole(
            make_folder(self.folder) / f"part-{rows[-1][0]:012d}.parquet", buffer.getbuffer()
        )


def refuse_alike(names: Sequence[str]) -> None:
    """Refuse columns that SQLite, which ignores the case of letters, takes for one."""
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            expected = f"another name than that of the column {seen[name.lower()]!r}"
            raise ModelError(OWNER, "name of a parameter or output", name, expected)
        seen[name.lower()] = name


def _sum(cells: Sequence[Any]) -> int:
    """The check sum of a row as SQLite gives it back: numbers of its columns are floats."""
    return sum_of([float(c) if isinstance(c, (bool, int, np.generic)) else c for c in cells])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _blob(values: Any) -> bytes | None:
    return None if values is None else np.asarray(values, "<f8").tobytes()


def _unpacked(cell: Any) -> Any:
    return np.frombuffer(cell, "<f8").astype(float) if isinstance(cell, bytes) else cell
