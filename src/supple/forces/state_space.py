"""StateSpaceController: a continuous linear controller with states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.core.forces.control import MOST
from supple.forces.controllers import (
    ControlLaw,
    Controller,
    SignalsLike,
    acted_on,
    elastic_of,
    targets_of,
)
from supple.forces.sampled import SampledController
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given
from supple.foundation.validate import set_fields
from supple.joints.interactions import Target
from supple.signals import Signal


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
        found = validate.array(owner, "initial", self.initial, "a row of finite numbers")
        if found.size == 0:
            found = validate.read_only(np.zeros(law.states))
        if found.shape != (law.states,):
            expected = f"{law.states} numbers, one for each state of the law"
            raise ModelError(owner, "initial", self.initial, expected)
        set_fields(self, initial=found)

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
