"""A section that changes along a beam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from supple.fem.sections.sections import CrossSection
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.validate import set_fields

PLACES = "ascending places from 0 to 1, one for each section"


@dataclass(frozen=True, eq=False, init=False)
class TaperedSection:
    """A section whose sizes change linearly between given ones.

    Parameters
    ----------
    sections : two or more sections of one kind
        At the beam's origin, at its end, and at stations between. Between two of them every size
        (of a `Section` every number) is linear along the beam: a height changes linearly, and the
        second moment with its cube.
    stations : numbers from 0 to 1, optional
        Places of the sections in lengths of the beam, equal steps by default.
    """

    sections: tuple[CrossSection, ...]
    stations: tuple[float, ...]

    def __init__(self, *sections: CrossSection, stations: Sequence[float] | None = None) -> None:
        owner, kinds = "TaperedSection", "two or more sections of one kind"
        if len(sections) < 2 or not all(isinstance(s, CrossSection) for s in sections):
            raise ModelError(owner, "sections", sections, kinds)
        if len({(type(s), getattr(s, "walls", None)) for s in sections}) > 1:
            raise ModelError(owner, "sections", sections, kinds)
        if len({s.shear_centre for s in sections}) > 1:
            centres = tuple(s.shear_centre for s in sections)
            raise ModelError(owner, "shear centres of its sections", centres, "the same for all")
        given = np.linspace(0.0, 1.0, len(sections)) if stations is None else stations
        places = validate.vector(owner, "stations", given, len(sections), PLACES)
        if places[0] != 0.0 or places[-1] != 1.0 or np.any(np.diff(places) <= 0.0):
            raise ModelError(owner, "stations", stations, PLACES)
        set_fields(self, sections=tuple(sections), stations=tuple(float(s) for s in places))

    def __replace__(self, **changes: Any) -> TaperedSection:
        """The section with other fields; sections are arguments of their own."""
        sections = changes.get("sections", self.sections)
        return TaperedSection(*sections, stations=changes.get("stations", self.stations))

    @property
    def kinks(self) -> tuple[float, ...]:
        """Inner places in 0..1 along the beam where the slopes of sizes change."""
        return self.stations[1:-1]

    @property
    def mean_area(self) -> float:
        """Mean of the area along the beam, m2: areas are at most quadratic between stations."""
        return sum(
            (b - a) * (self.at(a).area + 4.0 * self.at(0.5 * (a + b)).area + self.at(b).area) / 6.0
            for a, b in pairwise(self.stations)
        )

    def at(self, s: float) -> CrossSection:
        """The section at the place s in 0..1 along the beam."""
        validate.number("TaperedSection", "s", s, "a place from 0 to 1 along the beam")
        k = int(np.searchsorted(self.stations, s, side="right")) - 1
        k = min(max(k, 0), len(self.stations) - 2)
        a, b = self.stations[k], self.stations[k + 1]
        return self.sections[k].between(self.sections[k + 1], (s - a) / (b - a))


Profile = CrossSection | TaperedSection
