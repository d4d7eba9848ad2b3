"""SampledController: a digital controller with sampling, delay, quantisation and hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.forces.controllers import (
    ControlLaw,
    Controller,
    SignalsLike,
    limits_of,
    steps_of,
)
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.validate import Vector, set_fields

LAW = "a ControlLaw, or a function (t, e, state) -> efforts, next state"


@dataclass(frozen=True, eq=False, init=False)
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

    law: ControlLaw | Callable[[float, Vector, Vector], Any]
    period: float
    offset: float
    delay: float
    effort_step: Vector
    measured_step: Vector
    measured_limit: Vector
    sensors: tuple[str, ...]

    def __init__(
        self,
        name: str,
        joints: Any,
        law: ControlLaw | Callable[[float, Vector, Vector], Any],
        period: float,
        measures: Any = None,
        target: SignalsLike = (),
        feedforward: SignalsLike = (),
        limit: ArrayLike = math.inf,
        offset: float = 0.0,
        delay: float = 0.0,
        effort_step: ArrayLike = 0.0,
        measured_step: ArrayLike = 0.0,
        measured_limit: ArrayLike = math.inf,
        elastic: Sequence[Any] = (),
        sensors: Sequence[str] = (),
        initial: ArrayLike = (),
    ) -> None:
        owner = self._connect(name, joints, measures, elastic, target, feedforward, limit)
        expected = "texts such as 'tip.position.z'"
        given = [sensors] if isinstance(sensors, str) else sensors
        texts = tuple(
            validate.text(owner, f"sensors[{i}]", text, expected)
            for i, text in enumerate(validate.listed(owner, "sensors", given, expected))
        )
        p, m = 2 * len(self.target) + len(texts), len(self.joints)
        if isinstance(law, ControlLaw):
            self._expect(owner, law, p)
        elif not callable(law) or isinstance(law, type):
            raise ModelError(owner, "law", law, LAW)
        set_fields(
            self,
            law=law,
            period=validate.positive(owner, "period", period),
            offset=validate.not_negative(owner, "offset", offset),
            delay=validate.not_negative(owner, "delay", delay),
            effort_step=steps_of(owner, "effort_step", effort_step, m),
            measured_step=steps_of(owner, "measured_step", measured_step, p),
            measured_limit=limits_of(owner, "measured_limit", measured_limit, p),
            sensors=texts,
            initial=self._start(owner, law, initial),
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
