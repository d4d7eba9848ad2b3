"""Python functions that compiled loops can call: C pointers, and what went wrong in them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from supple.core import callback as at
from supple.core.callback import CALLBACK
from supple.errors import label
from supple.forces import EffortFunction, ForceFunction, FrameState
from supple.poses import Array

SAME = 1e-12  # relative difference of numbers that are equal but for rounding


class _WrongResultError(Exception):
    """What a function returned cannot be used."""


class Callback:
    """One function of a model behind a C pointer ``void f(double *)``.

    Whatever the function does wrong becomes NaN in the loop, which then fails or takes a smaller
    step; the last trouble is kept for the message.
    """

    def __init__(self, owner: str, size: int, evaluate: Callable[[Array], None]) -> None:
        self.owner, self.size, self.evaluate = owner, size, evaluate
        self.stop: Callable[[], bool] | None = None  # whether the run is to stop
        self.forget()
        self._pointer = CALLBACK(self._call)  # must live as long as the address is used
        self.address = int(ctypes.cast(self._pointer, ctypes.c_void_p).value or 0)
        self._view = ctypes.c_double * size

    def forget(self) -> None:
        """Begin a run without the trouble of an earlier one."""
        self.trouble: str | None = None
        self.when = -np.inf  # time of the last trouble, s
        self.interrupt: BaseException | None = None
        self.verify = False  # call the function twice next time, and compare
        self.noise: str | None = None  # what that found

    def _call(self, pointer: Any) -> None:
        memory: Any = self._view.from_address(ctypes.addressof(pointer.contents))
        buffer = np.frombuffer(memory)
        if self.interrupt is not None or (self.stop is not None and self.stop()):
            buffer[1:] = np.nan
            return
        try:
            given = buffer.copy() if self.verify else None
            self.evaluate(buffer)
            if given is not None:
                self._compare(given, buffer)
        except _WrongResultError as error:
            self._note(buffer, str(error))
        except Exception as error:
            self._note(buffer, f"raised {type(error).__name__}: {error}")
        except BaseException as error:  # Ctrl-C: stop the loop, raise afterwards
            self.interrupt = error
            self._note(buffer, "was interrupted")

    def _compare(self, given: Array, found: Array) -> None:
        """Call the function again with the same arguments: a force law gives the same then."""
        self.verify = False
        again = given.copy()
        self.evaluate(again)
        k = int(np.argmax(np.abs(again - found)))
        if abs(again[k] - found[k]) > SAME * max(abs(again[k]), abs(found[k])):
            self.noise = (
                f"{self.owner}: its function is no function of its arguments: called twice with "
                f"the same ones at t = {given[0]:.6g} s, it returned {found[k]:.6g} and "
                f"{again[k]:.6g}; random numbers belong into a Table over time"
            )

    def _note(self, buffer: Array, what: str) -> None:
        self.when = float(buffer[0])
        self.trouble = f"{self.owner}: its function {what} at t = {self.when:.9g} s"
        buffer[1:] = np.nan

    @classmethod
    def of_frame(cls, force: ForceFunction) -> Callback:
        """The function of a ``ForceFunction``."""

        def evaluate(b: Array) -> None:
            place, velocity = b[at.PLACE : at.AXES], b[at.VELOCITY : at.SPIN]
            axes, spin = b[at.AXES : at.VELOCITY].reshape(3, 3), b[at.SPIN : at.FORCE]
            state = FrameState(place.copy(), axes.copy(), velocity.copy(), spin.copy())
            value = force.function(float(b[at.TIME]), state)
            both = value if isinstance(value, tuple) and len(value) == 2 else (value, np.zeros(3))
            for start, part in zip((at.FORCE, at.TORQUE), both, strict=True):
                b[start : start + 3] = _numbers(part, 3)

        return cls(label(force), at.FRAME_BUFFER, evaluate)

    @classmethod
    def of_joints(cls, force: EffortFunction) -> Callback:
        """The function of an ``EffortFunction``."""
        n = len(force.joints)

        def evaluate(b: Array) -> None:
            t, (q, u, efforts) = float(b[at.TIME]), b[at.X :].reshape(3, n)
            if force.single:
                value = force.function(t, float(q[0]), float(u[0]))
            else:
                value = force.function(t, q.copy(), u.copy())
            efforts[:] = _numbers(value, n)

        return cls(label(force), at.X + 3 * n, evaluate)


def _numbers(value: Any, n: int) -> Array:
    try:
        numbers = np.asarray(value, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        raise _WrongResultError(f"returned {value!r}, expected {n} number{'s'[: n > 1]}") from None
    if numbers.shape != (n,):
        raise _WrongResultError(f"returned {numbers.size} numbers, expected {n}")
    if not np.isfinite(numbers).all():
        raise _WrongResultError(f"returned {value!r}, expected finite numbers")
    return numbers
