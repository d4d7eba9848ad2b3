"""FMUController: the law of a controller that another program wrote as an FMU."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect
from supple.foundation import validate
from supple.foundation.errors import ModelError, SimulationError, suggestion
from supple.foundation.input_files import path_of
from supple.io.fmu.component import Component
from supple.io.fmu.unpacking import Unpacked

OWNER = "FMUController"
NUMBERS = ("Real", "Float64")
SAME = 1e-9  # part of a period by which two instants may differ


class FMUController:
    """A controller from an FMU for co-simulation, 2.0 or 3.0.

    The FMU is machine code of whoever made it, and runs in this process with all its rights: load
    only what you trust.

    Parameters
    ----------
    path : file, "controller.fmu"
    inputs, outputs : names of variables of the FMU, real numbers
        What is measured goes in, in this order; what it answers comes out.
    period : s
        Length of its steps.
    start : mapping, optional
        Values of parameters and start values by name.

    ``controller(t, y)`` sets the inputs to y (n,), makes one step from t to t + period and returns
    the outputs (m,). With a third argument, the state of a law, it returns outputs and that state.
    A call at an earlier time begins anew there.
    """

    def __init__(
        self,
        path: str | Path,
        inputs: str | Sequence[str],
        outputs: str | Sequence[str],
        period: float,
        start: Mapping[str, float] | None = None,
    ) -> None:
        place = path_of(OWNER, "path", path)
        self.period = validate.positive(OWNER, "period", period)
        names = {"inputs": _texts("inputs", inputs), "outputs": _texts("outputs", outputs)}
        expect(OWNER, "start", start, Mapping | None, "a mapping of names to numbers")
        values = {
            validate.text(OWNER, "start", name, "names of variables"): validate.number(
                OWNER, f"start[{name!r}]", value, "a finite number"
            )
            for name, value in (start or {}).items()
        }
        self._files = Unpacked(place)
        try:
            for field, listed in (*names.items(), ("start", tuple(values))):
                for name in listed:
                    self._check(field, name)
            self.inputs, self.outputs = names["inputs"], names["outputs"]
            self._component: Component | None = Component(self._files, values)
        except BaseException:
            self._files.close()
            raise
        self._time = math.nan  # where the FMU is, s; not a number before it is initialized
        self._fresh = True

    def _check(self, field: str, name: str) -> None:
        """Refuse variables that are not there, or no single real number."""
        found = self._files.variables.get(name)
        if found is None:
            hint = suggestion(name, list(self._files.variables))
            raise ModelError(OWNER, field, name, f"a variable of {self._files.name}, {hint}")
        if found.kind not in NUMBERS or found.array:
            raise ModelError(OWNER, field, name, f"a real number, it is {found.kind}")
        if field == "inputs" and found.causality != "input":
            raise ModelError(OWNER, field, name, f"an input, it is {found.causality}")

    def __call__(self, t: float, y: ArrayLike, *state: Any) -> Any:
        """Outputs (m,) for inputs y (n,) at a time, s."""
        if self._component is None:
            raise SimulationError(f"{self._files.name}: it was closed")
        if len(state) > 1:
            raise ModelError(OWNER, "arguments", len(state) + 2, "t, y, and a state at most")
        now = validate.number(OWNER, "t", t, "a finite number")
        n = len(self.inputs)
        try:
            values = np.array(y, dtype=float).reshape(-1)
        except (TypeError, ValueError, OverflowError):
            values = np.full(1 + n, np.nan)
        if values.shape != (n,) or not np.all(np.isfinite(values)):
            raise ModelError(OWNER, "y", y, f"{n} finite numbers, one for each input")
        self._go_to(now)
        if n:
            self._component.set(self.inputs, values)
        self._component.step(self._time, self.period)
        self._time += self.period
        found = self._component.get(self.outputs)
        if not np.all(np.isfinite(found)):
            raise SimulationError(
                f"{self._files.name}: at t = {now:g} s its outputs are {found.tolist()}, "
                "expected finite numbers"
            )
        return (found, *state) if state else found

    def _go_to(self, t: float) -> None:
        """Begin, go on, or begin anew."""
        slack = SAME * self.period + 1e-12 * abs(t)
        if abs(t - self._time) <= slack:  # never true before the first call
            return
        if t > self._time:
            raise SimulationError(
                f"{self._files.name}: it is asked at t = {t:g} s, but its steps of "
                f"{self.period:g} s lead to {self._time:g} s"
            )
        self.reset()
        assert self._component is not None
        self._component.initialize(t)
        self._time, self._fresh = t, False

    def reset(self) -> None:
        """Forget what was; the next call begins anew."""
        if self._component is not None and not self._fresh:
            self._component.reset()
        self._time, self._fresh = math.nan, True

    def close(self) -> None:
        """Free the FMU and remove its files."""
        if self._component is not None:
            self._component.close()
            self._files.close()
        self._component = None

    def __enter__(self) -> FMUController:
        """Itself; it is closed at the end of the block."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        told = f"{', '.join(self.inputs)} -> {', '.join(self.outputs)}"
        return f"FMUController of {self._files.name}: {told}, every {self.period:g} s"


def _texts(field: str, given: Any) -> tuple[str, ...]:
    expected = "names of variables of the FMU"
    listed = [given] if isinstance(given, str) else validate.listed(OWNER, field, given, expected)
    found = tuple(validate.text(OWNER, field, text, expected) for text in listed)
    for text in found:
        if found.count(text) > 1:
            raise ModelError(OWNER, field, text, "each of them once")
    if field == "outputs" and not found:
        raise ModelError(OWNER, field, given, expected)
    return found
