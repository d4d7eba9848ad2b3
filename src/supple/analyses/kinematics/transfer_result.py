"""Transfer, TransferPath: geometric transfer functions at a position and along a path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SuppleError, suggestion
from supple.foundation.frames import Frame
from supple.state import State

OWNER = "Transfer"


@dataclass(frozen=True)
class Transfer:
    """How places and coordinates of a mechanism follow its inputs, about one position.

    Attributes
    ----------
    state : the position
    inputs : (n) names of the independent coordinates, "crank.angle"
    outputs : (m) names: coordinates, and of a frame "rod@(0.3, 0, 0).x", ".rotation_x" and so on
    input_values : (n,) the inputs here; m, rad or units of elastic coordinates
    values : (m,) the outputs here: coordinates, places in the world (m); rotations count from here
    first : (m, n) first derivatives of the outputs along the inputs
    second : (m, n, n) second derivatives, symmetric
    margin : between 0 and 1, how far the inputs are from a position where they do not tell all
        motion

    Rotations of frames are rotation vectors from the orientation here, in world axes: their first
    derivatives give angular velocities, their second ones angular accelerations. Of ball and free
    joints inputs and outputs are rotations and displacements from here, in the axes of B.
    """

    state: State
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_values: Array
    values: Array
    first: Array
    second: Array
    margin: float

    def of(self, output: str | Frame) -> Transfer:
        """The same for one output, or for all outputs of a joint, body or frame."""
        name = output.name if isinstance(output, Frame) else output
        own = [k for k, x in enumerate(self.outputs) if x == name or x.startswith(f"{name}.")]
        if not own:
            heads = dict.fromkeys((*self.outputs, *(x.rpartition(".")[0] for x in self.outputs)))
            raise SuppleError(f"Transfer: no output {name!r}, {suggestion(name, list(heads))}")
        return replace(
            self,
            outputs=tuple(self.outputs[k] for k in own),
            values=self.values[own],
            first=self.first[own],
            second=self.second[own],
        )

    def velocities(self, rates: ArrayLike | Mapping[str, float]) -> Array:
        """Rates (m,) of the outputs at rates of the inputs (n,), or by name, others zero."""
        found: Array = self.first @ self._of_inputs("rates", rates)
        return found

    def accelerations(
        self,
        rates: ArrayLike | Mapping[str, float],
        accelerations: ArrayLike | Mapping[str, float] = 0.0,
    ) -> Array:
        """Second rates (m,) of the outputs at rates and second rates of the inputs."""
        w = self._of_inputs("rates", rates)
        push = self._of_inputs("accelerations", accelerations)
        found: Array = self.second @ w @ w + self.first @ push
        return found

    def predicted(self, changes: ArrayLike | Mapping[str, float]) -> Array:
        """Outputs (m,) to second order when the inputs change by ``changes``."""
        x = self._of_inputs("changes", changes)
        found: Array = self.values + self.first @ x + 0.5 * (self.second @ x @ x)
        return found

    def _of_inputs(self, field: str, given: ArrayLike | Mapping[str, float]) -> Array:
        """Numbers (n,) of the inputs, from an array, one number for all, or by name."""
        if isinstance(given, Mapping):
            unknown = [name for name in given if name not in self.inputs]
            if unknown:
                hint = suggestion(unknown[0], list(self.inputs))
                raise ModelError(OWNER, field, unknown[0], f"the name of an input, {hint}")
            given = [given.get(name, 0.0) for name in self.inputs]
        try:
            numbers = np.broadcast_to(np.asarray(given, dtype=float), (len(self.inputs),))
        except (TypeError, ValueError):
            numbers = np.full(1, np.nan)
        if not np.all(np.isfinite(numbers)):
            count = len(self.inputs)
            raise ModelError(OWNER, field, given, f"{count} finite numbers, one for each input")
        return numbers

    def __repr__(self) -> str:
        inputs = ", ".join(self.inputs)
        return f"<Transfer of {len(self.outputs)} outputs by {inputs}>"


@dataclass(frozen=True)
class TransferPath:
    """Transfer functions along a path; indexing and iteration give those of one position.

    Attributes
    ----------
    points : (k) the positions with their functions
    steps : positions that were closed on the way, with those between the points
    iterations : of Newton's method that closed them
    """

    points: tuple[Transfer, ...]
    steps: int = 0
    iterations: int = 0

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, k: int) -> Transfer:
        return self.points[k]

    def __iter__(self) -> Iterator[Transfer]:
        return iter(self.points)

    @property
    def inputs(self) -> tuple[tuple[str, ...], ...]:
        """Names of the inputs at each position; they change where others tell motion better."""
        return tuple(point.inputs for point in self.points)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs, the same everywhere."""
        return self.points[0].outputs

    @cached_property
    def input_values(self) -> Array:
        """Inputs (k, n)."""
        return np.array([point.input_values for point in self.points])

    @cached_property
    def values(self) -> Array:
        """Outputs (k, m)."""
        return np.array([point.values for point in self.points])

    @cached_property
    def first(self) -> Array:
        """First derivatives (k, m, n)."""
        return np.array([point.first for point in self.points])

    @cached_property
    def second(self) -> Array:
        """Second derivatives (k, m, n, n)."""
        return np.array([point.second for point in self.points])

    def of(self, output: str | Frame) -> TransferPath:
        """The same for one output, or for all outputs of a joint, body or frame."""
        return replace(self, points=tuple(point.of(output) for point in self.points))

    def __repr__(self) -> str:
        return f"<TransferPath of {len(self.outputs)} outputs at {len(self)} positions>"
