"""Loads on surfaces of plates and solids without a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.forces.base import FrameForce, SignalTriple, three_signals
from supple.foundation import validate
from supple.foundation.arrays import Indices
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import Given, checked, declared, stored
from supple.foundation.frames import Frame, expect_body_frame
from supple.signals import Signal, SignalLike, to_signal

if TYPE_CHECKING:
    from supple.fem.nodal.ancf_faces import Face


def _nodes(owner: str, field: str, value: Any) -> Indices:
    expected = "integers, the numbers of nodes"
    given = validate.array(owner, field, value, expected)
    if given.ndim != 1 or np.any(given != np.floor(given)) or np.any(given < 0):
        raise ModelError(owner, field, value, expected)
    numbers = given.astype(np.intp)
    numbers.flags.writeable = False
    return numbers


@stored
class _OnSurface(FrameForce):
    """Base of loads on the faces of a body that are made of some nodes."""

    expected_without_axes = ""  # it acts on faces
    nodes: Given[ArrayLike | None, Indices | None]

    def _check(self, owner: str) -> None:
        body = self.frame.body
        if not body.faces:
            expected = f"a frame on an ANCFPlate or ANCFSolid, not on {label(body)}"
            raise ModelError(owner, "frame", self.frame, expected)
        if not self.faces:
            expected = f"all nodes of at least one face of {label(body)}"
            raise ModelError(owner, "nodes", self.nodes, expected)

    @property
    def faces(self) -> tuple[Face, ...]:
        """The loaded faces of the body."""
        faces: tuple[Face, ...] = self.frame.body.faces
        if self.nodes is None:
            return faces
        chosen = set(self.nodes.tolist())
        return tuple(face for face in faces if face.nodes <= chosen)


@declared
class SurfaceLoad(_OnSurface):
    """A force per area on an `ANCFPlate` or `ANCFSolid`, fixed in the world.

    Parameters
    ----------
    name : str
        Unique in its model.
    frame : Frame
        Any frame on the body, e.g. ``sheet.at(0, 0)``.
    force : (3,) N/m2
        Numbers, expressions or signals, along the axes of the world; per area without load.
    nodes : (k,) integers, optional
        Faces whose nodes are all among these are loaded; all faces by default. Of a plate they are
        its elements, of a solid its outer faces.
    """

    frame: Frame = checked(expect_body_frame)
    force: Given[Sequence[SignalLike], SignalTriple] = checked(three_signals, "N/m2")
    nodes: Given[ArrayLike | None, Indices | None] = checked(_nodes, default=None)

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Components of the force per area."""
        return self.force


@declared
class Pressure(_OnSurface):
    """A pressure on an `ANCFPlate` or `ANCFSolid`; it follows the surface as that moves.

    Parameters
    ----------
    name : str
        Unique in its model.
    frame : Frame
        Any frame on the body, e.g. ``sheet.at(0, 0)``.
    pressure : Pa
        A number, expression or signal. Positive, it pushes a solid inwards, and a plate against its
        normal, as on its top. It is per area as that is now.
    nodes : (k,) integers, optional
        Faces whose nodes are all among these are loaded; all faces by default. Of a plate they are
        its elements, of a solid its outer faces.
    """

    frame: Frame = checked(expect_body_frame)
    pressure: Given[SignalLike, Signal] = checked(to_signal, "Pa")
    nodes: Given[ArrayLike | None, Indices | None] = checked(_nodes, default=None)

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The pressure."""
        return (self.pressure,)
