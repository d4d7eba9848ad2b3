"""PathFollower: moves a mechanism to given values of some of its coordinates.

A step predicts all coordinates to second order (Jonker1989 (3.21), (3.22)) and closes the loops
with the inputs held. A correction that is large for the step means that another branch of the
mechanism, a dead point or a limit of its reach is near; the step is then halved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.linear.independent import Coordinates, Motions
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.foundation.validate import array
from supple.loops.assembly import CLOSED, Assembler
from supple.state import State

OWNER = "transfer"
# A correction beyond this (rad, lengths), or beyond this part of the step, is not trusted to stay
# on the branch; a step below this part of the way is the end of it.
CORRECTION, SHARE, SHORTEST = 1e-3, 0.1, 1e-6


class PathFollower:
    """State of a mechanism: ``go`` to values of the path's inputs; all other inputs stay.

    ``steps`` counts positions, ``iterations`` steps of Newton's method that closed them.
    """

    order = 2  # of the prediction

    def __init__(
        self,
        equations: Equations,
        coordinates: Coordinates,
        start: State,
        path: Mapping[str, ArrayLike],
    ) -> None:
        self.equations, self.coordinates, self.state = equations, coordinates, start
        self.places, self.targets = self._read(path)
        motions = Motions.at(coordinates, start.t, start.q)
        if motions is None:
            raise ModelError(OWNER, "at", start, "a position that is not singular")
        motions.refuse_dependent(OWNER, self.places)
        self.chosen = motions.filled(self.places, coordinates.kinds)
        # parts of rotations are others from the other side of a joint: they are only kept near
        turned = (j for j in equations.compiled.joints.values() if j.reversed and not j.chart.axes)
        loose = {k for joint in turned for k in range(joint.u.start, joint.u.stop)}
        held = [k for k in self.chosen if k not in loose]
        self.assembler = Assembler(equations.compiled.complete, held)
        # coordinates that stay, but for rounding
        self.fixed = [k for k in self.chosen if coordinates.places[k] >= 0]
        self.kept = coordinates.values(start.q)[self.fixed]
        self.steps = 0

    @property
    def iterations(self) -> int:
        """Steps of Newton's method."""
        return self.assembler.iterations

    def _read(self, path: Mapping[str, ArrayLike]) -> tuple[list[int], Array]:
        """Places in u of the path's coordinates, and their values (k, places)."""
        expected = "values of inputs by name, as many for each"
        places: list[int] = []
        columns: list[Array] = []
        for name, values in path.items():
            if not isinstance(name, str):
                raise ModelError(OWNER, "path", name, "the name of a coordinate")
            place = self.coordinates.place(OWNER, "path", name)
            if self.coordinates.places[place] < 0:
                raise ModelError(OWNER, "path", name, "a coordinate about or along one axis")
            places.append(place)
            columns.append(np.atleast_1d(array(OWNER, f"path[{name!r}]", values, "finite numbers")))
        shapes = {column.shape for column in columns}
        if len(shapes) != 1 or columns[0].ndim != 1 or not len(columns[0]):
            raise ModelError(OWNER, "path", dict(path), expected)
        return places, np.array(columns).T

    def go(self, target: Array) -> State:
        """Move to values of the path's coordinates, in as many steps as it takes."""
        begin = self.coordinates.values(self.state.q)[self.places]
        done, part = 0.0, 1.0
        while done < 1.0:
            last = part >= 1.0 - done
            reached = 1.0 if last else done + part
            if self._step(begin + reached * (target - begin)):
                done, part = reached, 2.0 * part
                continue
            part = 0.5 * min(part, 1.0 - done)
            if part < SHORTEST:
                self._stuck(target)
        return self.state

    def _step(self, wanted: Array) -> bool:
        """Predict and close; whether the mechanism has followed."""
        eq, state, here = self.equations, self.state, self.coordinates
        motions = Motions.at(here, state.t, state.q)
        if motions is None or motions.margin(self.chosen) < CLOSED:
            return False
        change = np.zeros(len(self.chosen))
        change[: len(self.places)] = wanted - here.values(state.q)[self.places]
        u = motions.by(self.chosen) @ change
        a = np.zeros(len(u))
        if self.order > 1:
            a = motions.accelerations(self.chosen, u[None])[0]
        predicted = eq.ahead(state.q, u, a, 1.0)
        predicted[here.places[self.fixed]] = self.kept
        predicted[here.places[self.places]] = wanted
        q, gap = self.assembler.positions(state.t, predicted, search=False)
        if not np.max(np.abs(gap / self.assembler.sizes), initial=0.0) < CLOSED:
            return False
        scale = eq.compiled.scale
        off = np.abs(eq.increment(predicted, q) / scale).max()
        moved = np.abs(eq.increment(state.q, q) / scale).max()
        if off > max(CORRECTION, SHARE * moved):
            return False
        self.steps += 1
        self.state = State(state.t, q, np.zeros(len(u)), state.z, compiled=eq.compiled)
        return True

    def _stuck(self, target: Array) -> NoReturn:
        """Say how far the mechanism came, and which coordinates tell its motion there."""
        here, state, names = self.coordinates, self.state, self.coordinates.names
        values = here.values(state.q)[self.places]
        own = [names[k] for k in self.places]
        shown = ", ".join(f"{name!r} = {x:.6g}" for name, x in zip(own, values, strict=True))
        motions = Motions.at(here, state.t, state.q)
        better = [] if motions is None else motions.filled((), here.kinds[2:])
        others = [names[k] for k in better if names[k] not in own]
        hint = f", or a path of {', '.join(map(repr, others))}" if others else ""
        wanted = ", ".join(f"{x:.6g}" for x in target)
        raise ModelError.plain(
            f"transfer: the path to {wanted} ends near {shown}, where the mechanism cannot follow, "
            f"expected values that it can reach{hint}"
        )
