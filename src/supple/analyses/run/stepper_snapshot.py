"""Snapshot: a stepper at some time, which it or a copy of it can go back to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from supple.analyses.run.prepared import Start
from supple.foundation.poses import Array
from supple.integrators.run.driver import Problem
from supple.integrators.run.snapshot import Data

if TYPE_CHECKING:
    from supple.analyses.run.stepper import Stepper


class Begun(NamedTuple):
    """Where a stepper was begun: a word that tells starts apart, and the start."""

    key: str
    start: Start


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A stepper at some time; ``stepper.restore`` puts it, or a copy of it, there to the last bit.

    It can be pickled.

    Attributes
    ----------
    time : s
    """

    time: float
    _data: Data
    _held: Array
    _motion: Array
    _size: float
    _begun: Begun
    _identity: str
    _problem: Problem | None
    _stepper: Stepper | None

    def __deepcopy__(self, memo: Any) -> Snapshot:
        """The snapshot itself, which nothing changes."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the problem, which a copy of the stepper has, or makes from its start."""
        kept = self.time, self._data, self._held, self._motion, self._size
        return Snapshot, (*kept, self._begun, self._identity, None, None)
