"""Loads on surfaces of plates and solids without a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.forces.base import ForceElement, SignalTriple, three_signals
from supple.foundation import validate
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame, expect_body_frame
from supple.foundation.validate import set_fields
from supple.signals import Signal, SignalLike, as_signal

if TYPE_CHECKING:
    from supple.fem.nodal.ancf_faces import Face

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False, init=False)
class _OnSurface(ForceElement):
    """Base of loads on the faces of a body that are made of some nodes."""

    frame: Frame
    nodes: Indices | None

    def _on(self, name: str, frame: Frame, nodes: ArrayLike | None) -> str:
        """Store name, body and nodes, and return how sentences call it."""
        owner = self._named(name)
        frame = expect_body_frame(owner, "frame", frame)
        if not frame.body.faces:
            expected = f"a frame on an ANCFPlate or ANCFSolid, not on {label(frame.body)}"
            raise ModelError(owner, "frame", frame, expected)
        set_fields(self, frame=frame, nodes=_numbers(owner, nodes))
        if not self.faces:
            expected = f"all nodes of at least one face of {label(frame.body)}"
            raise ModelError(owner, "nodes", nodes, expected)
        return owner

    @property
    def frames(self) -> dict[str, Frame]:
        """The frame that says which body it is."""
        return {"frame": self.frame}

    def needs_axes(self, field: str) -> str:
        """Nothing: it acts on faces."""
        del field
        return ""

    @property
    def faces(self) -> tuple[Face, ...]:
        """The loaded faces of the body."""
        faces: tuple[Face, ...] = self.frame.body.faces
        if self.nodes is None:
            return faces
        chosen = set(self.nodes.tolist())
        return tuple(face for face in faces if face.nodes <= chosen)


@dataclass(frozen=True, eq=False, init=False)
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

    force: SignalTriple

    def __init__(
        self,
        name: str,
        frame: Frame,
        force: Sequence[SignalLike],
        nodes: ArrayLike | None = None,
    ) -> None:
        owner = self._on(name, frame, nodes)
        set_fields(self, force=three_signals(owner, "force", force))

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Components of the force per area."""
        return self.force


@dataclass(frozen=True, eq=False, init=False)
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

    pressure: Signal

    def __init__(
        self,
        name: str,
        frame: Frame,
        pressure: SignalLike,
        nodes: ArrayLike | None = None,
    ) -> None:
        owner = self._on(name, frame, nodes)
        set_fields(self, pressure=as_signal(pressure, owner, "pressure"))

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The pressure."""
        return (self.pressure,)


def _numbers(owner: str, nodes: Any) -> Indices | None:
    """Numbers of nodes, checked."""
    if nodes is None:
        return None
    expected = "integers, the numbers of nodes"
    given = validate.array(owner, "nodes", nodes, expected)
    if given.ndim != 1 or np.any(given != np.floor(given)) or np.any(given < 0):
        raise ModelError(owner, "nodes", nodes, expected)
    found = given.astype(np.intp)
    found.flags.writeable = False
    return found
