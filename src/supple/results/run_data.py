"""Data of a run: plain arrays in the order of the compiled model.

A history is an array over the output times, time first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from supple.results.audit import AuditRecord, MomentumRecord
from supple.state import State

if TYPE_CHECKING:
    from supple.engine.builder import Compiled
    from supple.frames import Frame
    from supple.model import Model
    from supple.results.views import JointLoad

Array = NDArray[np.float64]
Indices = NDArray[np.int_]
# By body: frames, and wrenches (6, s) of s sets of reactions there
HeldLoads = dict[str, list[tuple["Frame", Array]]]


@dataclass(frozen=True)
class EventRecord:
    """An event that happened: its name and its time in s."""

    name: str
    t: float


@dataclass(frozen=True)
class History:
    """Histories of all bodies and joints, and of the energies; world axes.

    Attributes
    ----------
    a : (nt, nu) accelerations, engine order
    R, p : (nt, nb, 3, 3), (nt, nb, 3) poses of the bodies, m
    V, A : (nt, nb, 6) velocity and acceleration [angular; linear] of the body origins
    wrench, reaction : (nt, nj, 6) [torque; force] by A on B at B, with and without actuators
    effort : (nt, nu) effort of joint forces on each velocity coordinate
    energy : (nt, 3) kinetic, gravity, elastic, J
    momentum : (nt, 6) [angular about the world origin; linear]
    strain : (nt,) strain energy of flexible bodies, J, a part of the elastic energy
    """

    a: Array
    R: Array
    p: Array
    V: Array
    A: Array
    wrench: Array
    reaction: Array
    effort: Array
    energy: Array
    momentum: Array
    strain: Array

    def at(self, which: Indices) -> History:
        """The same at some of the output times."""
        return History(**{f.name: getattr(self, f.name)[which] for f in fields(History)})


@dataclass(frozen=True)
class ElementHistory:
    """Histories of one force element.

    Attributes
    ----------
    power : (nt,) W, work on the system or energy dissipated
    efforts : (nt, nu) on the velocities, engine order
    wrenches : (nt, nf, 6) [torque; force] on its frames, each at the frame's origin, world axes
    """

    power: Array
    efforts: Array
    wrenches: Array


@dataclass(frozen=True)
class ConstraintHistory:
    """Histories of the rows of one constraint.

    Attributes
    ----------
    power : (nt,) W, of what moves the rows in time, on the system
    loads : (nt,) by part of the constraint: the effort on the row's quantity, positive where it
        would make it larger, N or N m
    """

    power: Array
    loads: Mapping[str, Array]


class StressSource(Protocol):
    """Reactions of joints and constraints, found with all bodies moving freely."""

    def __call__(self, history: History) -> list[HeldLoads]:
        """For each state, sets in equilibrium by themselves if bodies were rigid."""

    def constraints(self, history: History) -> list[HeldLoads]:
        """For each state, what constraints exert, wrenches (6, 1)."""


class LoadSource(Protocol):
    """Evaluates one force element by its name, or the rows of one constraint."""

    def __call__(self, name: str) -> ElementHistory:
        """Power, efforts and wrenches of a force element."""

    def constraint(self, name: str) -> ConstraintHistory:
        """Loads of the rows of a constraint."""

    def of(self, history: History) -> LoadSource:
        """The same for other states."""


@dataclass(frozen=True)
class RunData:
    """Everything that a simulation hands over to `Result`.

    Attributes
    ----------
    t : (nt,) output times, s
    q, u, z : (nt, n) states in engine order
    channels : (nt, nforce) work done, or energy dissipated, by each force element since the start
    final : state where the run ended, on the output grid or not
    loads : evaluates one force element by its name; without it results have no loads of elements
    reactions : from the axes (nt, 3, 3) of the joints' frames B to the loads of joints whose
        reactions are not unique; None if all are
    self_stress : reactions in equilibrium by themselves if bodies were rigid; None without
        constraint rows
    """

    model: Model
    compiled: Compiled
    t: Array
    q: Array
    u: Array
    z: Array
    channels: Array
    history: History
    audit: AuditRecord
    momentum: tuple[MomentumRecord, ...]
    events: tuple[EventRecord, ...]
    success: bool
    message: str
    statistics: Mapping[str, int | float]
    final: State | None = None
    loads: LoadSource | None = None
    reactions: Callable[[Mapping[str, Array]], dict[str, JointLoad]] | None = None
    self_stress: StressSource | None = None

    def at(self, which: Indices) -> RunData:
        """The same run at some of its output times; reactions are those of the rows in use."""
        history = self.history.at(which)
        return replace(
            self,
            t=self.t[which],
            q=self.q[which],
            u=self.u[which],
            z=self.z[which],
            channels=self.channels[which],
            history=history,
            loads=None if self.loads is None else self.loads.of(history),
            reactions=None,
        )
