"""A literature case: a model, reference numbers and how close a run must come."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleWarning

if TYPE_CHECKING:
    from supple.integrators.base import Integrator
    from supple.model import Model
    from supple.result import Result


@dataclass(frozen=True)
class Quantity:
    """A computed number next to its reference; ``tolerance`` is absolute, in the same unit."""

    name: str
    value: float
    reference: float
    tolerance: float

    @property
    def error(self) -> float:
        """Distance from the reference."""
        return abs(self.value - self.reference)

    @property
    def passed(self) -> bool:
        """True when the value is within the tolerance (NaN never is)."""
        return self.error <= self.tolerance


@dataclass(frozen=True)
class Case:
    """A problem with a known answer.

    Attributes
    ----------
    name : short name, e.g. "huang-rigid"
    title : what it is, one line
    source : where the problem comes from and how the reference was computed
    times : output times, s; the last one ends the run
    build : makes the model
    measure : compares a result at these times with the reference
    integrator : makes the method that suits the case; the default of `supple.simulate` if None
    long : True if a run takes more than some ten seconds
    """

    name: str
    title: str
    source: str
    times: tuple[float, ...]
    build: Callable[[], Model]
    measure: Callable[[Result], list[Quantity]]
    integrator: Callable[[], Integrator] | None = None
    long: bool = False

    def simulate(self, *, tolerance: str | float = "tight", **options: Any) -> Result:
        """Run the model; ``options`` go to `supple.simulate`."""
        import numpy as np

        from supple.simulation import simulate

        options.setdefault("output", np.array(self.times))
        if self.integrator is not None and options.get("integrator") is None:
            options["integrator"] = self.integrator()
        with warnings.catch_warnings():
            # What is unusual in published data is told by the case, not at every run.
            warnings.simplefilter("ignore", SuppleWarning)
            return simulate(self.build(), self.times[-1], tolerance=tolerance, **options)

    def run(self, **options: Any) -> list[Quantity]:
        """Run the model and compare; see `simulate` for the options."""
        return self.measure(self.simulate(**options))
