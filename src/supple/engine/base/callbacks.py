"""Functions that compiled loops can call: C pointers to Python and to machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from supple.core.forces import callback as at
from supple.core.forces.callback import CALLBACK
from supple.forces import (
    EffortFunction,
    ForceFunction,
    FrameState,
    PairFunction,
    PairState,
)
from supple.forces.functions import is_native, native_address
from supple.foundation.arrays import Array
from supple.foundation.errors import label

# Where kernels put place, axes, velocity and angular velocity among the inputs
_PARTS = [k - at.PLACE for k in (at.PLACE, at.AXES, at.VELOCITY, at.SPIN, at.FORCE)]
Evaluate = Callable[[float, Array, Array], None]  # of time, inputs and outputs
SAME = 1e-12  # relative difference of numbers that are equal but for rounding


class _WrongResultError(Exception):
    """A function returned something that cannot be used."""


class Callback:
    """One function of a model behind a C pointer.

    Its signature is ``int f(double t, const double *in, double *out)``. Kernels keep outputs behind
    the inputs. Whatever a Python function does wrong becomes NaN in the loop, which then fails or
    takes a smaller step; the last trouble is kept for the message.
    """

    needs = "Python"

    def __init__(
        self,
        owner: str,
        inputs: int,
        outputs: int,
        evaluate: Evaluate,
    ) -> None:
        self.owner, self.inputs, self.evaluate = owner, inputs, evaluate
        self.stop: Callable[[], bool] | None = None  # whether the run is to stop
        self.forget()
        self._pointer = CALLBACK(self._call)  # must live as long as the address is used
        self.address = int(ctypes.cast(self._pointer, ctypes.c_void_p).value or 0)
        self._view = ctypes.c_double * (inputs + outputs)

    def forget(self) -> None:
        """Begin a run without the trouble of an earlier one."""
        self.trouble: str | None = None
        self.when = -np.inf  # time of the last trouble, s
        self.interrupt: BaseException | None = None
        self.verify = False  # call the function twice next time, and compare
        self.noise: str | None = None  # what that found

    def _call(self, t: float, inputs: Any, outputs: Any) -> int:
        if self.interrupt is not None or (self.stop is not None and self.stop()):
            return 1
        memory: Any = self._view.from_address(ctypes.addressof(inputs.contents))
        buffer = np.frombuffer(memory)
        given, found = buffer[: self.inputs], buffer[self.inputs :]
        try:
            self.evaluate(t, given, found)
            if self.verify:
                self._compare(t, given, found)
        except _WrongResultError as error:
            return self._note(t, str(error))
        except Exception as error:
            return self._note(t, f"raised {type(error).__name__}: {error}")
        except BaseException as error:  # Ctrl-C: stop the loop, raise afterwards
            self.interrupt = error
            return self._note(t, "was interrupted")
        return 0

    def _compare(self, t: float, inputs: Array, outputs: Array) -> None:
        """Call the function again with the same arguments: a force law gives the same then."""
        self.verify = False
        again = outputs.copy()
        self.evaluate(t, inputs, again)
        k = int(np.argmax(np.abs(again - outputs)))
        if abs(again[k] - outputs[k]) > SAME * max(abs(again[k]), abs(outputs[k])):
            self.noise = (
                f"{self.owner}: its function is no function of its arguments: called twice with "
                f"the same ones at t = {t:.6g} s, it returned {outputs[k]:.6g} and "
                f"{again[k]:.6g}; random numbers belong into a Table over time"
            )

    def _note(self, t: float, what: str) -> int:
        self.when = t
        self.trouble = f"{self.owner}: its function {what} at t = {t:.9g} s"
        return 1

    @classmethod
    def of_frame(cls, force: ForceFunction | PairFunction, turns: bool = True) -> Callback:
        """The function of a ``ForceFunction`` or ``PairFunction``.

        ``turns`` says whether the place that it acts on has axes. Where it has none, a torque is
        refused when it comes; functions in machine code are called from Python there.
        """
        evaluate = _by_address if is_native(force.function) else _by_state
        call = evaluate(force)
        if evaluate is _by_address and turns:
            return MachineCode(label(force), native_address(force.function))

        def without_torque(t: float, inputs: Array, out: Array) -> None:
            call(t, inputs, out)
            if np.any(out[3:]):
                expected = "expected none at a place without axes that turn, as on a Cable"
                raise _WrongResultError(f"returned the torque {out[3:].tolist()} N m, {expected}")

        return cls(label(force), _PARTS[-1], 6, call if turns else without_torque)

    @classmethod
    def of_joints(cls, force: EffortFunction) -> Callback:
        """The function of an ``EffortFunction``."""
        if is_native(force.function):
            return MachineCode(label(force), native_address(force.function))
        n = len(force.joints)

        def evaluate(t: float, inputs: Array, out: Array) -> None:
            if force.single:
                value = force.function(t, float(inputs[0]), float(inputs[1]))
            else:
                x = inputs.copy()
                value = force.function(t, x[:n], x[n:])
            out[:] = _numbers(value, n)

        return cls(label(force), 2 * n, n, evaluate)


def _by_state(force: ForceFunction | PairFunction) -> Evaluate:
    """Calls of a Python function with the state of a frame."""
    function: Callable[[float, Any], Any] = force.function
    make = PairState if isinstance(force, PairFunction) else FrameState
    first, second, third, fourth, end = _PARTS

    def evaluate(t: float, inputs: Array, out: Array) -> None:
        x = inputs.copy()
        place, axes = x[first:second], x[second:third].reshape(3, 3)
        value = function(t, make(place, axes, x[third:fourth], x[fourth:end]))
        both = value if isinstance(value, tuple) and len(value) == 2 else (value, np.zeros(3))
        out[:3], out[3:] = _numbers(both[0], 3), _numbers(both[1], 3)

    return evaluate


def _by_address(force: ForceFunction | PairFunction) -> Evaluate:
    """Calls of a C function."""
    function = CALLBACK(native_address(force.function))

    def evaluate(t: float, inputs: Array, out: Array) -> None:
        x, y = inputs.copy(), np.zeros(6)
        pointers = [a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in (x, y)]
        if (code := function(t, *pointers)) != 0:
            raise _WrongResultError(f"returned {code}, expected 0 for success")
        out[:] = y

    return evaluate


class MachineCode(Callback):
    """A function that is a C function already; the element keeps it alive."""

    needs = "a function of this process"

    def __init__(self, owner: str, address: int) -> None:
        self.owner, self.address = owner, address
        self.forget()

    def __reduce__(self) -> Any:
        """An address means nothing in another process."""
        raise TypeError(f"{self.owner} needs {self.needs} and cannot be sent to another")


def _numbers(value: Any, n: int) -> Array:
    try:
        numbers = np.asarray(value, dtype=float).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        raise _WrongResultError(f"returned {value!r}, expected {n} number{'s'[: n > 1]}") from None
    if numbers.shape != (n,):
        raise _WrongResultError(f"returned {numbers.size} numbers, expected {n}")
    if not np.isfinite(numbers).all():
        raise _WrongResultError(f"returned {value!r}, expected finite numbers")
    return numbers
