"""Arguments that runs and analyses share: where they start, when they end, what they show."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from supple.engine.base.compiled import Compiled
from supple.formulations.base import Formulation
from supple.formulations.trees import JointCoordinates
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.loops.assembly import transferred
from supple.results.result import Result
from supple.state import State, mismatch, same_parts

DEFAULT_OUTPUT = 500  # intervals
MOST_OUTPUT = 100_000_000  # intervals


def expect(owner: str, field: str, value: Any, kind: Any, expected: str) -> None:
    """Refuse an argument of another type."""
    if not isinstance(value, kind):
        raise ModelError(owner, field, value, expected)


def coordinates_of(owner: str, formulation: Any) -> Formulation:
    """Formulation of an analysis, joint coordinates by default; what is none is refused."""
    expect(owner, "formulation", formulation, Formulation | None, "a formulation, e.g. Absolute()")
    return JointCoordinates() if formulation is None else formulation


def starting_state(owner: str, start: State | Result | None, compiled: Compiled) -> State:
    """State of this model that a run starts from; None is its initial state at t = 0 s."""
    if start is None:
        return State(0.0, compiled.q0.copy(), compiled.u0.copy(), compiled.z0.copy())
    state = start.state() if isinstance(start, Result) else start
    if not isinstance(state, State):
        raise ModelError(owner, "start", start, "a State or a Result of this model")
    phase = None if state.compiled is None else state.compiled.phase
    if phase is not None and (phase.locked or phase.released) and compiled.whole is None:
        names = sorted({name for name, _ in phase.locked} | phase.released)
        found_here = f"a state in which {', '.join(map(repr, names))} locked or let go"
        raise ModelError(owner, "start", found_here, "a state of the model as it is written down")
    wrong = mismatch(state, compiled)
    if wrong and state.compiled is not None and same_parts(state.compiled, compiled):
        q, u = transferred(state.compiled, state.q, state.u, compiled)  # of another formulation
        state = dataclasses.replace(state, q=q, u=u, compiled=None)
    elif wrong:
        raise ModelError(owner, "start", wrong, "a State or a Result of this model")
    arrays = [np.array(x, dtype=float) for x in (state.q, state.u, state.z)]
    counts, expected = [len(x) for x in arrays], [compiled.nq, compiled.nu, compiled.nz]
    if counts != expected or not all(np.all(np.isfinite(x)) for x in arrays):
        sizes = "{} coordinates, {} velocities and {} controller states"
        raise ModelError(owner, "start", sizes.format(*counts), f"finite {sizes.format(*expected)}")
    return State(float(state.t), *arrays)


def number(owner: str, field: str, value: Any) -> float:
    """A finite time in s."""
    return validate.number(owner, field, value, "a finite number of seconds")


def output_times(owner: str, begin: float, end: float, output: Any) -> Array:
    """Output times (nt,), read-only: intervals (int), their length in s (float), or the times."""
    expected = "a number of intervals, an interval in s, or increasing times in the run"
    times: Array
    if output is None:
        output = DEFAULT_OUTPUT
    if isinstance(output, bool) or isinstance(output, str):
        raise ModelError(owner, "output", output, expected)
    if isinstance(output, (int, np.integer)):
        if not 1 <= output <= MOST_OUTPUT:
            raise ModelError(owner, "output", output, expected)
        times = np.arange(int(output) + 1.0)  # linspace, without its care for arrays
        times *= (end - begin) / int(output)
        times += begin
        times[-1] = end
    elif isinstance(output, float):
        if not 0.0 < output <= end - begin or (end - begin) / output > MOST_OUTPUT:
            raise ModelError(owner, "output", output, expected)
        count = math.floor((end - begin) / output * (1 + 1e-12))
        times = np.arange(count + 1.0)
        times *= output
        times += begin
        np.minimum(times, end, out=times)
    else:
        try:
            times = np.array(output, dtype=float)
        except (TypeError, ValueError):
            times = np.zeros((0, 0))
        if (
            times.ndim != 1
            or len(times) == 0
            or not np.all(np.isfinite(times))
            or np.any(np.diff(times) <= 0.0)
            or times[0] < begin
            or times[-1] > end
        ):
            raise ModelError(owner, "output", output, expected)
    times.flags.writeable = False
    return times
