"""The surface of a plate, shell or solid as a shape that touches others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.shapes.lines import place_balls
from supple.bodies.shapes.shape import Shape, TouchingBall
from supple.foundation import validate
from supple.foundation.arrays import Indices
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import Given, checked, declared, not_negative
from supple.foundation.frames import Body, Frame, TouchingPlace

WITH_FACES = "an ANCFPlate, ANCFSolid or MeshBody with elements, or a frame on one"
NODES = "integers, the numbers of nodes"


def _with_faces(owner: str, field: str, value: Any) -> Frame:
    """A frame on a body with faces; of a body itself the first node of these."""
    body = value.body if isinstance(value, Frame) else value
    if not isinstance(body, Body) or not body.touching_area(None):
        raise ModelError(owner, field, value, WITH_FACES)
    return value if isinstance(value, Frame) else Frame(body, body.touching_area(None)[0].place)


def _nodes(owner: str, field: str, value: Any) -> Indices | None:
    if value is None:
        return None
    given = validate.array(owner, field, value, NODES)
    if given.ndim != 1 or np.any(given != np.floor(given)) or np.any(given < 0):
        raise ModelError(owner, field, value, NODES)
    numbers = given.astype(np.intp)
    numbers.flags.writeable = False
    return numbers


@declared
class Surface(Shape):
    """The faces of a flexible body, with a thickness around them: it touches by balls at nodes.

    Stiffnesses of laws of contact are per area: the push of each ball is that of the law times the
    area (m2) it stands for, its share of the faces around it. Faces are the elements of a plate or
    shell, and the outer faces of a solid.

    Parameters
    ----------
    frame : ANCFPlate, ANCFSolid or MeshBody, or a frame on one
    nodes : (k,) integers, optional
        Faces whose nodes are all among these touch; all faces by default.
    radius : m
        Of the balls: half the thickness of a plate or shell, zero for a solid.
    """

    frame: Given[Frame | Body, Frame] = checked(_with_faces)
    nodes: Given[ArrayLike | None, Indices | None] = checked(_nodes, default=None)
    radius: float = not_negative("m", default=0.0)

    def _check(self, owner: str) -> None:
        if not self._places:
            expected = f"all nodes of at least one face of {label(self.frame.body)}"
            raise ModelError(owner, "nodes", self.nodes, expected)

    @property
    def _places(self) -> tuple[TouchingPlace, ...]:
        assert self.frame is not None
        return self.frame.body.touching_area(self.nodes)

    @cached_property
    def touching_balls(self) -> tuple[TouchingBall, ...]:
        """Balls at nodes; their weights are areas, m2."""
        assert self.frame is not None
        return place_balls(self.frame.body, self._places, self.radius)

    @property
    def ball_distance(self) -> float:
        """Diagonal of a square of the largest area that a ball stands for, m."""
        return math.sqrt(2.0 * max(place.share for place in self._places))

    @property
    def is_balls(self) -> bool:
        """True."""
        return True

    @property
    def uses_axes(self) -> bool:
        """False: its balls are at the nodes."""
        return False

    @property
    def allowed_depth(self) -> float | None:
        """0.1 of the thickness; None of a solid."""
        return 0.2 * self.radius if self.radius > 0.0 else None
