"""Derivative of residuals with respect to buffer entries that a parameter changes.

Frames and inertias of nodes, rotors, and elements on joint coordinates have slopes that need no
residuals of neighbours (``core/equations/model_slopes.py``): one sweep along the states serves all
parameters of nodes, and elements are looked at alone. All else is ``None``, and found by whole
residuals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import new_work
from supple.core.equations import model_slopes
from supple.core.equations import trajectory_tangents as along
from supple.core.forces import forces
from supple.core.forces.joint_forces import JOINT_SPRING
from supple.engine.base.compiled import Compiled
from supple.forces.kinds import ELEMENTS
from supple.foundation.arrays import Array
from supple.sensitivities.linear_steps import Steps

ROUGH = 0.02  # second difference, in parts of the first, from which on it is looked at again
ROUNDING = 1e-13  # of numbers of a model
FUNCTIONS = (forces.FRAME_FUNCTION, forces.JOINT_FUNCTION, forces.PAIR_FUNCTION)
IGNORED = ("length", "unit")  # no residual depends on these
ELEMENT_NUMBERS = ("coef", "data")


class Touched(NamedTuple):
    """Rates per unit of a parameter: of nodes (nodes, NODE_SLOPES) and of rotors (nu,).

    ``posed`` says whether frames of nodes move; ``elements`` are those whose numbers change from
    ``second`` to ``first``, which are ``apart``.
    """

    nodes: Array | None
    rotors: Array | None
    posed: bool
    elements: np.ndarray
    first: Array
    second: Array
    apart: float


class Places:
    """Where the fields of a model are in its reals."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        tree = at.read_model(compiled.ints, compiled.reals)
        self.node, self.kinds = tree.node, tree.element[:, at.KIND]
        self.names = list(at.TREE_RECORD.parts[1].fields)
        sizes = [np.size(getattr(tree, name)) for name in self.names]
        self.begins = np.cumsum([0, *sizes])
        couples = {ELEMENTS[int(kind)].couples for kind in self.kinds}
        self.free = (  # frames are on the path of the tree alone
            not len(tree.link)
            and not len(tree.gradient)
            and not couples & {"nodes", "path"}
            and not np.any(np.isin(self.kinds, FUNCTIONS))
        )

    def touched(
        self, item: str | None, first: Array, second: Array, apart: float
    ) -> Touched | None:
        """What differs between the reals of two neighbours; None if that asks for residuals.

        ``item`` is the only item of the model that differs, if that is known.
        """
        here = self.compiled.reals
        if not len(first) == len(second) == len(here):
            return None
        changed = np.flatnonzero((first != second) | (first != here))
        one, two, own = first[changed], second[changed], here[changed]
        rough = np.abs(one + two - 2.0 * own).max(initial=0.0)
        size = np.abs(one - two).max(initial=0.0)
        if rough > ROUGH * size + ROUNDING * np.abs(own).max(initial=0.0):
            return None
        groups = np.searchsorted(self.begins, changed, side="right") - 1
        fields = {self.names[k] for k in np.unique(groups)}
        if not fields <= {"rotor", "body", *IGNORED, *ELEMENT_NUMBERS}:
            return None
        elements = self._elements(item, changed, fields)
        rotors = nodes = None
        posed = False
        if "rotor" in fields:
            rotors = (self._field("rotor", first) - self._field("rotor", second)) / apart
        if "body" in fields:
            nodes, posed = self._nodes(first, second, apart)
        if elements is None or (posed and not self.free):
            return None
        return Touched(nodes, rotors, posed, elements, first, second, apart)

    def _field(self, name: str, reals: Array) -> Array:
        k = self.names.index(name)
        return reals[self.begins[k] : self.begins[k + 1]]

    def _elements(
        self, item: str | None, changed: np.ndarray, fields: set[str]
    ) -> np.ndarray | None:
        """Elements whose numbers change; None if others than those on joint coordinates do."""
        found = np.zeros(0, dtype=np.int64)
        if not fields & set(ELEMENT_NUMBERS):
            return found
        k = self.names.index("coef")
        rows = changed[(changed >= self.begins[k]) & (changed < self.begins[k + 1])]
        found = np.unique((rows - self.begins[k]) // at.ELEMENT_REALS)
        if "data" in fields:
            own = [] if item is None else self.compiled.channels(item)
            if not own or not set(found.tolist()) <= set(own):
                return None
            found = np.array(own, dtype=np.int64)
        return found if np.all(self.kinds[found] >= JOINT_SPRING) else None

    def _nodes(self, first: Array, second: Array, apart: float) -> tuple[Array, bool]:
        """Rates (nodes, NODE_SLOPES) of nodes, and whether frames move."""
        one, two, here = (
            self._field("body", x).reshape(-1, at.NODE_REALS)
            for x in (first, second, self.compiled.reals)
        )
        rate = (one - two) / apart
        out = np.zeros((len(rate), model_slopes.NODE_SLOPES))
        out[:, model_slopes.MASS :] = rate[:, at.BODY_M :]
        moving = np.flatnonzero(np.any(rate[:, : at.BODY_M] != 0.0, axis=1))
        for n in moving:
            spin = rate[n, :9].reshape(3, 3) @ here[n, :9].reshape(3, 3).T
            skew = spin - spin.T
            turn = 0.5 * np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
            out[n, :3] = turn
            out[n, 3:6] = rate[n, 9:12] - np.cross(turn, here[n, 9:12])
        return out, bool(len(moving))


class Weights(NamedTuple):
    """Weights (stages sums, nu), (stages sums, nz) of residuals and of controllers' rates.

    Those of one stage follow each other.
    """

    residuals: Array
    rates: Array
    sums: int

    @classmethod
    def of(cls, compiled: Compiled, w: Array) -> Weights:
        """Of weights (n, sums, 3 ne) of steps, with the signs of `parameter_terms`."""
        nu, nz, (n, sums) = compiled.nu, compiled.nz, w.shape[:2]
        rows = np.swapaxes(w.reshape(n, sums, 3, -1), 1, 2).reshape(3 * n * sums, -1)
        rates = np.ascontiguousarray(-rows[:, 2 * nu : 2 * nu + nz])
        return cls(np.ascontiguousarray(rows[:, nu : 2 * nu]), rates, sums)


def node_sums(compiled: Compiled, steps: Steps, weights: Weights, posed: bool) -> Array:
    """Slopes (sums, nodes, NODE_SLOPES) of weighted residuals along numbers of nodes."""
    s, small = steps.stages, steps.small
    sums, nodes, nu = weights.sums, int(compiled.ints[at.H_NODES]), compiled.nu
    out = np.zeros((sums * nodes, model_slopes.NODE_SLOPES))
    scratch = [np.zeros((nu, nu)) for _ in range(3)]
    given = compiled.ints, compiled.reals, new_work(compiled.ints), s.t, s.q, s.u, small.a, s.z
    along.node_slopes(*given, weights.residuals, int(posed), *scratch, out)
    return out.reshape(sums, nodes, -1)


def element_sums(
    compiled: Compiled, work: Array, steps: Steps, touched: Touched, weights: Weights
) -> Array | None:
    """Slopes (sums,) of weighted residuals and rates; None if a difference is not smooth."""
    s, out = steps.stages, np.zeros(weights.sums + 2)
    models = compiled.reals, touched.first, touched.second
    given = touched.elements, s.t, s.q, s.u, s.z, weights.residuals, weights.rates
    along.joint_slopes(compiled.ints, *models, work, *given, out)
    second, size = out[weights.sums :]
    return None if second > ROUGH * size else out[: weights.sums] / touched.apart


def along_nodes(found: Sequence[Touched], sums: Array) -> Array:
    """Slopes (sums, np) along parameters, of those of nodes (sums, nodes, NODE_SLOPES)."""
    rates = np.array([x.nodes if x.nodes is not None else np.zeros(sums.shape[1:]) for x in found])
    total: Array = sums.reshape(len(sums), -1) @ rates.reshape(len(found), -1).T
    return total
