"""Compiled and assembled model in one choice of coordinates, shared by its runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from supple.analyses.run.change_checks import NO_CHANGES, Changing
from supple.engine.base.compiled import Compiled, FrameKey, frame_key
from supple.engine.reading.symmetry import Symmetry, symmetries
from supple.forces import ForceElement, Motor
from supple.formulations.base import Formulation
from supple.foundation.frames import Frame
from supple.loops.singular import refuse_singular
from supple.model import Model
from supple.results.data.start_changes import StartChange, start_changes
from supple.state import State


@dataclass(frozen=True)
class Choice:
    """Coordinates, watched frames on flexible bodies, which get nodes of their own, and changes."""

    formulation: Formulation
    frames: tuple[Frame, ...] = field(compare=False)
    keys: tuple[FrameKey, ...]
    changing: Changing = NO_CHANGES


@dataclass(frozen=True)
class Ready:
    """A compiled model on its constraints, as it was written down, and the momenta it keeps."""

    model: Model
    compiled: Compiled
    written: Compiled

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Momenta that stay constant."""
        return symmetries(self.model, self.compiled)

    @cached_property
    def start(self) -> State:
        """The default start, which must not be a singular position."""
        c = self.compiled
        refuse_singular(c, 0.0, c.q0)
        return State(0.0, c.q0, c.u0, c.z0)

    @cached_property
    def changes(self) -> tuple[StartChange, ...]:
        """What constraints changed of the default start."""
        a, b = self.written, self.compiled
        if not b.all_rows:
            return ()
        return start_changes(self.model.joints, b, (a.q0, a.u0), (b.q0, b.u0), False)


def same_places(old: Any, new: Any) -> bool:
    """Whether an item is a force that acts in the same places, and carries no inertia."""
    if not isinstance(old, ForceElement) or isinstance(old, Motor):
        return False
    frames = [[frame_key(frame) for frame in item.frames.values()] for item in (old, new)]
    return frames[0] == frames[1] and tuple(old.targets) == tuple(new.targets)
