"""Interface frames: a place with axes that stands for many nodes.

A rigid interface holds its nodes together; the frame's six motions are theirs (Nastran's RBE2). An
averaging interface follows its nodes and stiffens nothing: its motion is the weighted mean of
theirs, and its loads are spread over them (RBE3).
"""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from supple.fem.base.component import Component, rigid_motion
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import Given, checked, choice, declared, given, named, vector
from supple.foundation.validate import set_fields

# Nodes are on one line if their motion determines a rotation worse than this, relative.
DETERMINED = 1e-8


def _each_once(owner: str, field: str, value: Any) -> Indices:
    numbers = np.atleast_1d(validate.whole_numbers(owner, field, value, "node numbers"))
    if numbers.ndim != 1 or not numbers.size:
        raise ModelError(owner, field, value, "node numbers")
    unique, counts = np.unique(numbers, return_counts=True)
    if counts.max() > 1:
        twice = int(unique[counts > 1][0])
        raise ModelError.plain(f"{owner}: {field} has {twice} twice, expected each node once")
    numbers = numbers.astype(np.intp)
    numbers.setflags(write=False)
    return numbers


@declared
class Interface:
    """A frame that is tied to nodes of a component; its axes are those of the component.

    Parameters
    ----------
    name : str
    place : (3,) m
        Origin of the frame, anywhere.
    nodes : integers
        At least three that are not on one line; one is enough if nodes have rotations.
    kind : "rigid" or "average"
    weights : positive numbers, one for each node, optional
        Of the mean, for example the areas around the nodes; equal by default.

    The six coordinates of the frame are u, v, w, tx, ty, tz: displacement of the place, rotation.
    """

    name: str = named()
    place: Given[ArrayLike, Array] = vector("m")
    nodes: Given[ArrayLike, Indices] = checked(_each_once)
    kind: Literal["rigid", "average"] = choice(default="rigid")
    weights: Given[ArrayLike | None, Array] = given(default=None)

    def _check(self, owner: str) -> None:
        count, weights = len(self.nodes), cast("ArrayLike | None", self.weights)
        expected = f"{count} positive numbers"
        chosen = np.ones(count) if weights is None else weights
        values = validate.vector(owner, "weights", chosen, count, expected)
        if values.min() <= 0.0:
            raise ModelError(owner, "weights", weights, expected)
        set_fields(self, weights=values)

    def coordinates(self, component: Component) -> Indices:
        """Coordinates (k * node_size,) of the nodes, in the order of ``nodes``."""
        if self.nodes.min() < 0 or self.nodes.max() >= len(component.nodes):
            wrong = self.nodes[(self.nodes < 0) | (self.nodes >= len(component.nodes))]
            expected = f"numbers from 0 to {len(component.nodes) - 1}"
            raise ModelError(label(self), "nodes", int(wrong[0]), expected)
        size = component.node_size
        return (size * self.nodes[:, None] + np.arange(size)).ravel()

    def spreading(self, component: Component) -> Array:
        """Motion (k * node_size, 6) of the nodes when they move rigidly with the frame."""
        self.coordinates(component)
        return rigid_motion(component.nodes[self.nodes], component.node_size, self.place)

    def averaging(self, component: Component) -> sparse.csr_array:
        """Rows (6, size) of the frame's mean motion, the least squares of the nodes' motions.

        A rigid motion of the nodes is reproduced. The transpose takes a force and a torque on the
        frame to statically equivalent forces on the nodes.
        """
        self.refuse_line(component)
        rigid, weight = self.spreading(component), self._coordinate_weights(component)
        normal = rigid.T @ (weight[:, None] * rigid)
        rows = np.linalg.solve(normal, rigid.T * weight)
        columns = self.coordinates(component)
        row, column = np.indices(rows.shape)
        found = sparse.csr_array(
            (rows.ravel(), (row.ravel(), columns[column.ravel()])), (6, component.size)
        )
        found.eliminate_zeros()
        return found

    def _coordinate_weights(self, component: Component) -> Array:
        """Weights (k * node_size,) of the nodes' coordinates.

        Rotations of nodes are used only where translations cannot tell how the frame turns.
        """
        size = component.node_size
        weights = np.zeros((len(self.nodes), size))
        weights[:, :3] = self.weights[:, None]
        if size == 6 and not self._determined(component, weights.ravel()):
            away = component.nodes[self.nodes] - component.nodes[self.nodes].mean(axis=0)
            reach = np.sqrt(np.mean(np.sum(away**2, axis=1))) or component.length
            weights[:, 3:] = self.weights[:, None] * reach**2
        return weights.ravel()

    def refuse_line(self, component: Component) -> None:
        """Refuse nodes that leave a rotation of the frame open."""
        weights = np.ones((len(self.nodes), component.node_size))
        if not self._determined(component, weights.ravel()):
            raise ModelError.plain(
                f"{label(self)}: its {len(self.nodes)} nodes with 3 coordinates are on one line, "
                "expected at least 3 nodes that are not"
            )

    def _determined(self, component: Component, weights: Array) -> bool:
        """True if these coordinates, weighted, determine all six motions of the frame."""
        centre = component.nodes[self.nodes].mean(axis=0)
        motion = rigid_motion(component.nodes[self.nodes], component.node_size, centre)
        motion[:, 3:] /= component.length
        values = np.linalg.svd(np.sqrt(weights)[:, None] * motion, compute_uv=False)
        return len(values) == 6 and bool(values[-1] > DETERMINED * values[0])
