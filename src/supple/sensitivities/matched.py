"""Neighbours whose modes are numbered, signed and turned as those of the model itself."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from supple.engine.base.body_records import FlexRecord
from supple.engine.base.compiled import Compiled
from supple.engine.pack.attached import attached_masses
from supple.foundation.errors import ModelError, SuppleWarning, label
from supple.foundation.frames import Body
from supple.model import Model
from supple.reduction.matching import ModePattern

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody


class Matching:
    """Matches modes of neighbours of a model; ``owner`` begins its messages."""

    def __init__(self, owner: str, compiled: Compiled) -> None:
        self.owner, self._records = owner, compiled.flexible
        self._patterns: dict[str, ModePattern | None] = {}

    def of(self, model: Model, name: str) -> Model:
        """The model beside the first one along a parameter, or a copy with matched modes."""
        found, bodies = [], model.bodies
        for record in self._records.values():
            body = cast("FlexibleBody", bodies.get(record.name))  # a part is not listed there
            if type(body) is not type(record.body):
                continue
            masses = attached_masses(model, body)
            if body is record.body and masses == record.point_masses:
                continue
            pattern = self._pattern(record)
            if pattern is None:
                continue
            with warnings.catch_warnings():  # the model itself has given them
                warnings.simplefilter("ignore", SuppleWarning)
                other = body.matched(pattern, masses)
            if other is None:
                raise self._cut(name, body)
            if other is not body:
                found.append(other)
        return _with_bodies(model, found) if found else model

    def _pattern(self, record: FlexRecord) -> ModePattern | None:
        if record.name not in self._patterns:
            self._patterns[record.name] = record.body.mode_pattern(record.point_masses)
        return self._patterns[record.name]

    def _cut(self, name: str, body: FlexibleBody) -> ModelError:
        """What is said where a mode that is kept and one that is left out change places."""
        expected = (
            f"one with which the model changes smoothly, but modes of {label(body)} that are kept "
            "change places with some that are left out: keep both or neither, or take a value "
            "beside it"
        )
        return ModelError(self.owner, "parameters", name, expected)


def _with_bodies(model: Model, bodies: Iterable[Body]) -> Model:
    """A copy with other objects for bodies of the same names, places and frames."""
    new = model.copy()
    for body in bodies:
        new._put(body)
    new._graph = model._graph
    return new
