"""Constraint rows that a run had in use, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array


@dataclass(frozen=True)
class RowSets:
    """The compiled model with each set of constraint rows, from the time on at which it was taken.

    Attributes
    ----------
    begins : times (s), increasing
    models : the model with the rows in use from each of these times on
    """

    begins: tuple[float, ...]
    models: tuple[Compiled, ...]

    @classmethod
    def of(cls, compiled: Compiled, begin: float = -np.inf) -> RowSets:
        """One set of rows all the time."""
        return cls((begin,), (compiled,))

    def then(self, t: float, compiled: Compiled) -> RowSets:
        """These sets, and another one from the time t on."""
        return RowSets((*self.begins, t), (*self.models, compiled))

    @property
    def first(self) -> Compiled:
        """The model as the run began."""
        return self.models[0]

    def parts(self, t: Array) -> Iterator[tuple[Compiled, np.ndarray | slice]]:
        """Each model in use at some of the times t (nt,), and the places of these times."""
        if len(self.models) == 1:
            yield self.models[0], slice(None)
            return
        which = np.maximum(np.searchsorted(self.begins, t, side="right") - 1, 0)
        for k, model in enumerate(self.models):
            places = np.flatnonzero(which == k)
            if len(places):
                yield model, places
