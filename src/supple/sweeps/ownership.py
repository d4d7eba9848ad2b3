"""One process at a time works in the folder of a sweep; others wait, and find its rows there.

The lock is SQLite's, on a file of its own: the system ends it with the process, however that ends.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from supple.foundation.errors import FileError, warn_caller

FILE = "owner.sqlite"
PAUSE = 0.1  # s between looks at whether the folder is free


class Ownership:
    """Of a folder, from its making until `end`."""

    def __init__(self, folder: Path) -> None:
        path, said = folder / FILE, False
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
                time.sleep(PAUSE)
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
