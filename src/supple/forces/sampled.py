"""SampledController: a digital controller with sampling, delay, quantisation and hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.forces.controllers import (
    ControlLaw,
    Controller,
    SignalsLike,
    acted_on,
    elastic_of,
    limits_of,
    steps_of,
    targets_of,
)
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given, not_negative, positive
from supple.foundation.validate import set_fields
from supple.joints.interactions import Target
from supple.signals import Signal

LAW = "a ControlLaw, or a function (t, e, state) -> efforts, next state"


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
            initial=self._start(owner, law, self.initial),
        )

    def _start(self, owner: str, law: Any, initial: Any) -> Vector:
        expected = "a row of finite numbers"
        found = validate.array(owner, "initial", initial, expected)
        if found.ndim != 1:
            raise ModelError(owner, "initial", initial, expected)
        if isinstance(law, ControlLaw) and found.size != law.states:
            if found.size:
                expected = f"{law.states} numbers, one for each state of the law"
                raise ModelError(owner, "initial", initial, expected)
            found = validate.read_only(np.zeros(law.states))
        return found

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """None: targets are read at samples only, which are found during a run."""
        return ()
