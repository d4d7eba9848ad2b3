"""A literature case: a model, reference numbers and how close a run must come."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.foundation.errors import SuppleError, SuppleWarning
from supple.foundation.reports import Report
from supple.integrators.run.interruption import raised_at_once

if TYPE_CHECKING:
    from supple.formulations.base import Formulation
    from supple.integrators.methods.base import Integrator
    from supple.model import Model
    from supple.results.result import Result
    from supple.state import State


@dataclass(frozen=True)
class Quantity:
    """A computed number next to its reference; ``tolerance`` is absolute, in the same unit.

    ``time`` (s) is when it can be known in a run; None if it holds for a run of any length.
    """

    name: str
    value: float
    reference: float
    tolerance: float
    time: float | None = None

    @property
    def error(self) -> float:
        """Distance from the reference."""
        return abs(self.value - self.reference)

    @property
    def passed(self) -> bool:
        """True when the value is within the tolerance (NaN never is)."""
        return bool(self.error <= self.tolerance)


MOST_ROWS = 40  # of a table in a notebook


class Quantities(list[Quantity]):
    """Compared quantities of a case; a table in notebooks."""

    def _repr_html_(self) -> str:
        """A row for each quantity, those that are off first."""
        off = sum(not q.passed for q in self)
        rows = []
        for q in sorted(self, key=lambda q: q.passed)[:MOST_ROWS]:
            numbers = [f"{x:.10g}" for x in (q.value, q.reference)]
            numbers += [f"{x:.1e}" for x in (q.error, q.tolerance)]
            rows.append(("" if q.passed else "OFF", q.name, *numbers))
        header = ("", "quantity", "value", "reference", "error", "tolerance")
        title = f"{len(self)} quantities, {off} of them off"
        return Report(title, rows, "bad" if off or not self else "good", header).html()


@dataclass(frozen=True)
class Case:
    """A problem with a known answer."""

    name: str  # short name, e.g. "huang-rigid"
    title: str  # what it is, one line
    source: str  # where the problem comes from and how the reference was computed
    # output times, s; the last one ends the run; empty if the case has none (`ModelCase`)
    times: tuple[float, ...]
    build: Callable[[], Model]  # makes the model
    # compares a result at these times with the reference
    measure: Callable[[Result], list[Quantity]]
    # makes the method that suits the case; the default of `supple.simulate` if None
    integrator: Callable[[], Integrator] | None = None
    long: bool = False  # True if a run takes more than some ten seconds
    # makes the state in which a run begins; that of the model's joints if None
    start: Callable[[Model], State] | None = None
    # makes the choice of coordinates; joint coordinates if None
    formulation: Callable[[], Formulation] | None = None
    # of a run; a looser one where a motion has more kinks than others have steps
    tolerance: str | float = "tight"

    def simulate(
        self, *, tolerance: str | float | None = None, until: float | None = None, **options: Any
    ) -> Result:
        """Run the model; ``options`` go to `supple.simulate`, the tolerance is that of the case.

        With ``until`` (s) the run ends at the last of the case's times that is not later.
        """
        import numpy as np

        from supple.analyses.run.simulate import simulate

        times = np.array([t for t in self.times if until is None or t <= until])
        if not len(times):
            raise SuppleError(
                f"case {self.name!r}: until is {until!r}, expected at least its first time, "
                f"{self.times[0]:g} s"
            )
        options.setdefault("output", times)
        if self.integrator is not None and options.get("integrator") is None:
            options["integrator"] = self.integrator()
        if self.formulation is not None and options.get("formulation") is None:
            options["formulation"] = self.formulation()
        with warnings.catch_warnings():
            # What is unusual in published data is told by the case, not at every run.
            warnings.simplefilter("ignore", SuppleWarning)
            model = self.build()
            if self.start is not None:
                options.setdefault("start", self.start(model))
            chosen = self.tolerance if tolerance is None else tolerance
            return simulate(model, float(times[-1]), tolerance=chosen, **options)

    def run(self, *, until: float | None = None, **options: Any) -> Quantities:
        """Run the model and compare what is known by then; see `simulate` for the options."""
        with raised_at_once():
            found = self.measure(self.simulate(until=until, **options))
        return Quantities(q for q in found if until is None or q.time is None or q.time <= until)

    def _repr_html_(self) -> str:
        """Title, source and length of the run, for notebooks."""
        run = f"0 to {self.times[-1]:g} s" if self.times else "the model itself is compared"
        return Report(f"{self.name}: {self.title}", [("source", self.source), ("run", run)]).html()


@dataclass(frozen=True, kw_only=True)
class ModelCase(Case):
    """A case about the model itself: nothing is run, so there are no times and no result.

    ``inspect`` compares the model with the reference, in the place of ``measure``.
    """

    inspect: Callable[[Model], list[Quantity]]
    times: tuple[float, ...] = ()
    measure: Callable[[Result], list[Quantity]] = lambda result: []

    def simulate(
        self, *, tolerance: str | float | None = None, until: float | None = None, **options: Any
    ) -> Result:
        """Refuse: there is no motion to compare."""
        raise SuppleError(
            f"case {self.name!r} compares the model itself and has no motion, expected run()"
        )

    def run(self, *, until: float | None = None, **options: Any) -> Quantities:
        """Compare the model; options of a run change nothing."""
        return Quantities(self.inspect(self.build()))


def explicit() -> Integrator:
    """The method for undamped vibration, which must be followed, and for motion that is smooth."""
    from supple.integrators.methods.explicit import DormandPrince

    return DormandPrince()


def at_times(
    name: str, values: Any, reference: Any, tolerance: float, times: Sequence[float]
) -> list[Quantity]:
    """Compare a history (nt,) at given times; values after the end of a run count as failed."""
    known = [float(v) for v in values]
    known += [float("nan")] * (len(times) - len(known))
    return [
        Quantity(f"{name} at {t:g} s", v, float(r), tolerance, t)
        for t, v, r in zip(times, known, reference, strict=True)
    ]


def extremes(
    name: str, values: Any, reference: Sequence[float], tolerance: float, times: Sequence[float]
) -> list[Quantity]:
    """Compare the largest and smallest value (nt,) of a run; NaN if it ended before ``times``."""
    complete = len(values) == len(times)
    ends = (values.max(), values.min()) if complete else (float("nan"), float("nan"))
    return [
        Quantity(f"{word} {name}", float(value), expected, tolerance, times[-1])
        for word, value, expected in zip(("largest", "smallest"), ends, reference, strict=True)
    ]


def energy_error(result: Result, share: float, of: str = "kinetic_max") -> Quantity:
    """Compare the energy error over all steps with zero, within a share of the largest energy."""
    record = result.energy.record
    return Quantity("energy.error", record.max_error, 0.0, share * getattr(record, of))


@cache
def references(file: str) -> dict[str, Any]:
    """Return the reference numbers of the cases in a JSON file of this folder."""
    text = (Path(__file__).parent / f"{file}.json").read_text(encoding="utf-8")
    cases: dict[str, Any] = json.loads(text)["cases"]
    return cases
