"""Controllers: inputs and outputs, the linear law with states; continuous and sampled ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.core.forces.control import MOST
from supple.forces.base import ForceElement
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given, not_negative, positive, stored
from supple.foundation.frames import Body
from supple.foundation.validate import read_only, set_fields
from supple.joints import Joint
from supple.joints.interactions import Shaft, Target, check_joint_reference
from supple.signals import Signal, SignalLike, as_signal

TARGETS = "a joint, a motor or a name, or a list of these or of pairs (joint, coordinate)"
ELASTIC = "a list of pairs (flexible body, coordinate)"
SignalsLike = SignalLike | Sequence[SignalLike]
LAW = "a ControlLaw, or a function (t, e, state) -> efforts, next state"


def _is_empty(value: Any) -> bool:
    """True if it is a list, or lists in a list, without entries."""
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
    """True if it is one coordinate; lists of two names are two joints."""
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

    def _start(self, owner: str, law: Any) -> Vector:
        """State at the start, zero by default; of a law that is a function, of any size."""
        expected = "a row of finite numbers"
        start = validate.array(owner, "initial", self.initial, expected)
        if start.ndim != 1:
            raise ModelError(owner, "initial", self.initial, expected)
        if isinstance(law, ControlLaw) and start.size != law.states:
            if start.size:
                expected = f"{law.states} numbers, one for each state of the law"
                raise ModelError(owner, "initial", self.initial, expected)
            start = read_only(np.zeros(law.states))
        return start

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


def _texts(owner: str, field: str, value: Any) -> tuple[str, ...]:
    expected = "texts such as 'tip.position.z'"
    given = [value] if isinstance(value, str) else value
    return tuple(
        validate.text(owner, f"{field}[{i}]", text, expected)
        for i, text in enumerate(validate.listed(owner, field, given, expected))
    )


@declared
class SampledController(Controller):
    """A digital controller: it measures at intervals, and holds its efforts in between.

    At the instants ``offset + k period`` it reads m_1 ... m_n, their rates and sensors, rounds them
    (``measured_step``), subtracts the targets, and computes efforts by its law. These are cut by
    ``limit`` and rounded (``effort_step``); they act from ``delay`` later on, until the next ones
    do. Before the first ones nothing acts.

    Parameters
    ----------
    joints : joint, motor or name, or a list of these or of pairs (joint, coordinate)
        What the efforts act on, N m or N.
    law : ControlLaw or callable
        Discrete: efforts ``u = C z + D e`` and next states ``A z + B e``, or a function
        ``(t, e, state) -> u, next state`` with the time (s), errors e (p,) and state (n,).
    period : s
        Between two samples.
    measures : like ``joints``, optional
        Whose coordinates and rates are measured; by default those of ``joints``.
    target : signals
        Of the measured coordinates; that of a rate is its derivative. Zero by default.
    feedforward : signals
        Added to the efforts, at the instants of samples; zero by default.
    limit : N m or N
        Of efforts, plus and minus: one number, or one for each.
    offset : s
        Instant of the first sample, zero or later.
    delay : s
        From a sample to the change of the efforts; it may be longer than a period.
    effort_step : N m or N
        Of the converter of the efforts; 0 for none. One number, or one for each.
    measured_step : rad, m, rad/s or m/s
        Of the converter of what is measured: one number, or (p,).
    measured_limit : rad, m, rad/s or m/s
        Range of it, plus and minus.
    elastic : list of pairs (flexible body, coordinate)
        Elastic coordinates that are measured, behind those of ``measures``.
    sensors : texts
        Further quantities, such as "tip.position.z", behind all rates; they have no targets.
    initial : (n,)
        State at the start; zero by default.
    """

    joints: Given[Any, tuple[Target, ...]] = checked(acted_on)
    law: ControlLaw | Callable[[float, Vector, Vector], Any] = given()
    period: float = positive("s")
    measures: Given[Any, tuple[Target, ...]] = checked(targets_of, default=None)
    target: Given[SignalsLike, tuple[Signal, ...]] = given(default=())
    feedforward: Given[SignalsLike, tuple[Signal, ...]] = given(default=())
    limit: Given[ArrayLike, Vector] = given("N m or N", default=math.inf)
    offset: float = not_negative("s", default=0.0)
    delay: float = not_negative("s", default=0.0)
    effort_step: Given[ArrayLike, Vector] = given("N m or N", default=0.0)
    measured_step: Given[ArrayLike, Vector] = given("rad or m or rad/s or m/s", default=0.0)
    measured_limit: Given[ArrayLike, Vector] = given("rad or m or rad/s or m/s", default=math.inf)
    elastic: Given[Sequence[Any], tuple[Target, ...]] = checked(elastic_of, default=())
    sensors: Given[Sequence[str], tuple[str, ...]] = checked(_texts, default=())
    initial: Given[ArrayLike, Vector] = given("*", default=())

    def _check(self, owner: str) -> None:
        super()._check(owner)
        p, m = 2 * len(self.target) + len(self.sensors), len(self.joints)
        law: Any = self.law
        if isinstance(law, ControlLaw):
            self._expect(owner, law, p)
        elif not callable(law) or isinstance(law, type):
            raise ModelError(owner, "law", law, LAW)
        set_fields(
            self,
            effort_step=steps_of(owner, "effort_step", self.effort_step, m),
            measured_step=steps_of(owner, "measured_step", self.measured_step, p),
            measured_limit=limits_of(owner, "measured_limit", self.measured_limit, p),
            initial=self._start(owner, law),
        )

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """None: targets are read at samples only, which are found during a run."""
        return ()


@declared
class StateSpaceController(Controller):
    """A continuous linear controller: efforts ``C z + D e``, states ``z' = A z + B e``.

    The errors e are measured coordinates less their targets, then rates less those of the targets.

    Parameters
    ----------
    joints : joint, motor or name, or a list of these or of pairs (joint, coordinate)
        What the efforts act on, N m or N.
    law : ControlLaw
    measures : like ``joints``, optional
        Whose coordinates and rates are measured; by default those of ``joints``.
    target : signals
        Of the measured coordinates; that of a rate is its derivative. Zero by default.
    feedforward : signals
        Added to the efforts, N m or N; zero by default.
    limit : N m or N
        Of efforts, plus and minus: one number, or one for each.
    elastic : list of pairs (flexible body, coordinate)
        Elastic coordinates that are measured, behind those of ``measures``.
    initial : (n,)
        States at the start; zero by default.
    """

    joints: Given[Any, tuple[Target, ...]] = checked(acted_on)
    law: ControlLaw = given()
    measures: Given[Any, tuple[Target, ...]] = checked(targets_of, default=None)
    target: Given[SignalsLike, tuple[Signal, ...]] = given(default=())
    feedforward: Given[SignalsLike, tuple[Signal, ...]] = given(default=())
    limit: Given[ArrayLike, Vector] = given("N m or N", default=math.inf)
    elastic: Given[Sequence[Any], tuple[Target, ...]] = checked(elastic_of, default=())
    initial: Given[ArrayLike, Vector] = given("*", default=())

    def _check(self, owner: str) -> None:
        super()._check(owner)
        law = self.law
        if not isinstance(law, ControlLaw):
            raise ModelError(owner, "law", law, "a ControlLaw")
        self._expect(owner, law, 2 * len(self.target))
        if len(self.target) + len(self.joints) > MOST:
            expected = f"at most {MOST} measured coordinates and efforts together"
            raise ModelError(owner, "measures", len(self.target), expected)
        set_fields(self, initial=self._start(owner, law))

    @property
    def matrices(self) -> tuple[Vector, ...]:
        """Kq, Kv, C, Bq, Bv, A, back: gains of coordinates and of rates apart."""
        law, n = self.law, len(self.target)
        rates = slice(n, 2 * n)
        return (
            *(law.D[:, :n], law.D[:, rates], law.C),
            *(law.B[:, :n], law.B[:, rates], law.A, law.back),
        )


def state_feedback(
    name: str,
    joints: Any,
    gain: ArrayLike,
    measures: Any = None,
    target: SignalsLike = (),
    feedforward: SignalsLike = (),
    limit: ArrayLike = math.inf,
    elastic: Sequence[Any] = (),
    period: float | None = None,
) -> StateSpaceController | SampledController:
    """A controller with efforts ``feedforward - gain (x - target)``, continuous or sampled.

    Parameters
    ----------
    gain : (m, 2 n)
        Efforts, N m or N, per measured coordinate (rad or m), then per rate.
    period : s, optional
        Between samples; continuous without it.
    joints, measures, target, feedforward, limit, elastic : as for `StateSpaceController`
    """
    gains = validate.array(f"state_feedback {name!r}", "gain", gain, "a matrix of finite numbers")
    law = ControlLaw(-np.atleast_2d(gains))
    given: dict[str, Any] = {"measures": measures, "target": target, "feedforward": feedforward}
    given |= {"limit": limit, "elastic": elastic}
    if period is None:
        return StateSpaceController(name, joints, law, **given)
    return SampledController(name, joints, law, period, **given)
