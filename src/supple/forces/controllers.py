"""Base of controllers: inputs, outputs, and the linear law with states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.forces.base import ForceElement
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given, stored
from supple.foundation.frames import Body
from supple.foundation.validate import read_only, set_fields
from supple.joints import Joint
from supple.joints.interactions import Shaft, Target, check_joint_reference
from supple.signals import Signal, SignalLike, as_signal

TARGETS = "a joint, a motor or a name, or a list of these or of pairs (joint, coordinate)"
ELASTIC = "a list of pairs (flexible body, coordinate)"
SignalsLike = SignalLike | Sequence[SignalLike]


def _is_empty(value: Any) -> bool:
    """Whether it is a list, or lists in a list, without entries."""
    if isinstance(value, np.ndarray):
        return value.size == 0
    return isinstance(value, (list, tuple)) and all(_is_empty(x) for x in value)


def _matrix(owner: str, field: str, value: Any, shape: tuple[int, ...] | None = None) -> Vector:
    """A finite matrix, of a given shape if there is one."""
    size = "" if shape is None else f" of shape {shape}"
    expected = f"a matrix{size} of finite numbers"
    found = validate.array(owner, field, value, expected)
    if shape is not None and found.size == 0 and math.prod(shape) == 0:
        return read_only(np.zeros(shape))
    if found.ndim != 2 or not found.size or (shape is not None and found.shape != shape):
        raise ModelError(owner, field, value, expected)
    return found


@declared
class ControlLaw:
    """A linear control law with n states z, of p errors e and m efforts u.

    Continuous in a `StateSpaceController`: ``u = C z + D e``, ``z' = A z + B e``; discrete in a
    `SampledController`: the same with the next z instead of z'.

    Parameters
    ----------
    D : (m, p)
        Efforts per error, N m or N per rad, m, rad/s or m/s.
    A, B, C : (n, n), (n, p), (m, n), optional
        All three, or none for a law without states.
    back : (n, m), optional
        What the limits of the controller cut off the efforts (applied less wanted) is added to the
        rate of the states, or to the next states, by this factor: anti-windup.
    """

    D: Given[ArrayLike, Vector] = checked(_matrix)
    A: Given[ArrayLike | None, Vector] = given(default=None)
    B: Given[ArrayLike | None, Vector] = given(default=None)
    C: Given[ArrayLike | None, Vector] = given(default=None)
    back: Given[ArrayLike | None, Vector] = given(default=None)

    def _check(self, owner: str) -> None:
        # a law without states is written with matrices that have no entries
        every = {name: getattr(self, name) for name in ("A", "B", "C", "back")}
        given = {name: None if _is_empty(x) else x for name, x in every.items()}
        missing = [name for name in "ABC" if given[name] is None]
        if missing and len(missing) < 3:
            raise ModelError(owner, missing[0], None, "a matrix, as for the others of A, B and C")
        m, p = self.D.shape
        n = 0 if missing else _matrix(owner, "A", given["A"]).shape[0]
        shapes = {"A": (n, n), "B": (n, p), "C": (m, n), "back": (n, m)}
        fields = {
            f: read_only(np.zeros(shapes[f])) if x is None else _matrix(owner, f, x, shapes[f])
            for f, x in given.items()
        }
        set_fields(self, **fields)

    @property
    def states(self) -> int:
        """Number n of states."""
        return len(self.A)


def targets_of(owner: str, field: str, given: Any) -> tuple[Target, ...]:
    """Joints and motors by name, with the coordinate of each."""
    one = isinstance(given, (str, Joint, Shaft)) or _is_pair(given)
    found = []
    for i, entry in enumerate([given] if one else validate.listed(owner, field, given, TARGETS)):
        pair = isinstance(entry, (tuple, list)) and len(entry) == 2
        joint, coordinate = entry if pair else (entry, 0)
        where = f"{field}[{i}]"
        name = check_joint_reference(owner, where, joint, coordinate, shafts=True)
        if not isinstance(coordinate, (int, str)) or isinstance(coordinate, bool):
            raise ModelError(owner, where, coordinate, "a coordinate by its number or name")
        found.append((name, coordinate))
    return tuple(found)


def acted_on(owner: str, field: str, given: Any) -> tuple[Target, ...]:
    """Coordinates that a controller acts on, at least one and each once."""
    found = targets_of(owner, field, given)
    if not found:
        raise ModelError(owner, field, given, TARGETS)
    if len(set(found)) < len(found):
        raise ModelError(owner, field, given, "each coordinate once")
    return found


def _is_pair(entry: Any) -> bool:
    """Whether it is one coordinate; lists of two names are two joints."""
    if not isinstance(entry, (tuple, list)) or len(entry) != 2:
        return False
    return isinstance(entry[1], int) or (isinstance(entry, tuple) and isinstance(entry[1], str))


def elastic_of(owner: str, field: str, given: Any) -> tuple[Target, ...]:
    """Flexible bodies by name, with an elastic coordinate of each."""
    found = []
    for i, entry in enumerate(validate.listed(owner, field, given, ELASTIC)):
        pair = isinstance(entry, (tuple, list)) and len(entry) == 2
        body, coordinate = entry if pair else (None, None)
        name = body.name if isinstance(body, Body) else body
        number = isinstance(coordinate, int) and not isinstance(coordinate, bool)
        if not isinstance(name, str) or not (number or isinstance(coordinate, str)):
            raise ModelError(owner, f"{field}[{i}]", entry, "a pair (flexible body, coordinate)")
        assert isinstance(coordinate, (int, str))
        found.append((name, coordinate))
    return tuple(found)


@stored
class Controller(ForceElement):
    """Base of controllers on several coordinates: efforts by what is measured.

    Measured are coordinates and rates; less their targets they are the errors (p,): those of all
    coordinates first, then those of all rates.
    """

    joints: Given[Any, tuple[Target, ...]]
    measures: Given[Any, tuple[Target, ...]]
    elastic: Given[Sequence[Any], tuple[Target, ...]]
    target: Given[SignalsLike, tuple[Signal, ...]]
    feedforward: Given[SignalsLike, tuple[Signal, ...]]
    limit: Given[ArrayLike, Vector]
    initial: Given[ArrayLike, Vector]

    def _check(self, owner: str) -> None:
        acted = self.joints
        measures = cast("tuple[Target, ...] | None", self.measures)
        seen = acted if measures is None else measures
        set_fields(
            self,
            measures=seen,
            target=_signals(owner, "target", self.target, len(seen) + len(self.elastic)),
            feedforward=_signals(owner, "feedforward", self.feedforward, len(acted)),
            limit=limits_of(owner, "limit", self.limit, len(acted)),
        )

    def _expect(self, owner: str, law: ControlLaw, errors: int) -> None:
        """Refuse a law for other numbers of efforts and errors."""
        if law.D.shape != (len(self.joints), errors):
            expected = (
                f"a D of shape ({len(self.joints)}, {errors}): a row for each effort, a column for "
                "each measured coordinate and then for each rate"
            )
            raise ModelError(owner, "law", f"a ControlLaw with D of shape {law.D.shape}", expected)

    @property
    def targets(self) -> tuple[Target, ...]:
        """Coordinates that it acts on, and others that it measures."""
        return tuple(dict.fromkeys((*self.joints, *self.measures)))

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Targets and feedforward."""
        return (*self.target, *self.feedforward)


def _signals(owner: str, field: str, given: Any, n: int) -> tuple[Signal, ...]:
    """Signals, one for each of n; a single one is that of the only one, none are zeros."""
    expected = f"{n} numbers, expressions or signals"
    alone = isinstance(given, (str, Signal, float, int)) and not isinstance(given, bool)
    items = [given] if alone else validate.listed(owner, field, given, expected)
    if not items:
        items = [0.0] * n
    if len(items) != n:
        raise ModelError(owner, field, given, expected)
    return tuple(as_signal(x, owner, f"{field}[{i}]") for i, x in enumerate(items))


def limits_of(owner: str, field: str, given: Any, n: int) -> Vector:
    """Positive numbers, infinite for none, one for all or one for each of n."""
    expected = f"a positive number, or {n} of them"
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(owner, field, given, expected) from None
    fits = found.ndim == 0 or found.shape == (n,)
    if isinstance(given, (bool, str)) or not fits or not np.all(found > 0.0):
        raise ModelError(owner, field, given, expected)
    return read_only(np.broadcast_to(found, (n,)))


def steps_of(owner: str, field: str, given: Any, n: int) -> Vector:
    """Steps of a converter: zero for none, one for all or one for each of n."""
    expected = f"zero or a positive number, or {n} of them"
    found = validate.array(owner, field, given, expected)
    if not (found.ndim == 0 or found.shape == (n,)) or np.any(found < 0.0):
        raise ModelError(owner, field, given, expected)
    return read_only(np.broadcast_to(found, (n,)))
