"""Views of constraints and drivers: ``result["motor"]``, the loads that keep them.

Evaluated when they are asked for, from the stored states. Arrays have time first.
"""

from __future__ import annotations

import numpy as np

from supple.constraints import Constraint
from supple.constraints.kinds import constraint_kind
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.calls import Spoken
from supple.foundation.errors import SuppleError, label, suggestion
from supple.results.data.run_data import ConstraintHistory, LoadSource


class ConstraintView(Spoken):
    """Loads of a constraint or a driver.

    A load is positive where it would make the constrained quantity larger: a coordinate, a sum of
    coordinates, a distance, a place of B along an axis of A.
    """

    def __init__(
        self, item: Constraint, parts: tuple[str, ...], work: Array, source: LoadSource | None
    ) -> None:
        self.name = item.name
        self.work = work
        """(nt,) work of what moves it, on the system, since the start of the run, J"""
        self._item = item
        self._parts = parts
        self._source = source

    @cached_property
    def _load(self) -> ConstraintHistory:
        if self._source is None:
            raise SuppleError(f"the loads of '{self.name}' are not in this result")
        return self._source.constraint(self.name)

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of its parts, for ``load``: e.g. ("x", "angle") of a frame driver."""
        return tuple(_short(part, self.name) for part in self._parts)

    def load(self, part: str) -> Array:
        """(nt,) load of one part, N or N m."""
        found = {_short(p, self.name): values for p, values in self._load.loads.items()}
        if part in found:
            return found[part]
        if part in self.parts:
            raise SuppleError(
                f"{label(self._item)}: its {part} follows from other constraints, "
                "so its load is not determined"
            )
        raise SuppleError(
            f"{label(self._item)} has no part {part!r}, {suggestion(part, list(self.parts))}"
        )

    @property
    def effort(self) -> Array:
        """(nt,) load of its only part: N m or N on a driver's coordinate, N along a distance.

        Of a sum of coordinates each one gets its coefficient times this effort.
        """
        if len(self._parts) != 1:
            raise AttributeError(f"'{self.name}' has {len(self._parts)} parts: see its .load(part)")
        return self.load(self.parts[0])

    @property
    def tension(self) -> Array:
        """(nt,) N, positive where a distance constraint pulls its ends together."""
        if constraint_kind(self._item).load != "tension":
            raise AttributeError(f"'{self.name}' is no distance: see its .effort")
        return -self.effort

    @property
    def power(self) -> Array:
        """(nt,) W, rate of ``work``."""
        return self._load.power

    def __repr__(self) -> str:
        return f"<constraint '{self.name}': {', '.join(self.parts)}; {len(self.work)} times>"


class SlidingView(ConstraintView):
    """A point that slides along a line."""

    def __init__(
        self,
        item: Constraint,
        parts: tuple[str, ...],
        work: Array,
        source: LoadSource | None,
        coordinates: tuple[Array, Array],
        axes: Array | None,
    ) -> None:
        super().__init__(item, parts, work, source)
        q, u = coordinates
        self.displacement, self.rate = q[:, 0], u[:, 0]
        """(nt,) m: its station on the line, as long as that is at rest; (nt,) m/s its rate"""
        self._spin, self._axes = q[:, 1:], axes

    @property
    def spins(self) -> bool:
        """True if B follows the tangent and turns freely about it."""
        return bool(self._spin.shape[1])

    @property
    def angle(self) -> Array:
        """(nt,) rad, of B about the tangent, of a joint that follows this."""
        if not self.spins:
            raise AttributeError(f"'{self.name}' has no angle: it does not follow the tangent")
        return self._spin[:, 0]

    @property
    def force(self) -> Array:
        """(nt, 3) by the line on B, N, world axes; without friction it is across the line."""
        return self._in_world(self.parts[:3])

    @property
    def torque(self) -> Array:
        """(nt, 3) by the line on B about the point, N m, world axes; zero if B turns freely."""
        return self._in_world(self.parts[3:]) if len(self.parts) > 3 else 0.0 * self.force

    def _in_world(self, parts: tuple[str, ...]) -> Array:
        values = np.stack([self.load(part) for part in parts], axis=1)
        return values if self._axes is None else np.einsum("tij,tj->ti", self._axes, values)


def _short(part: str, name: str) -> str:
    """The part without the name of its owner: "x" of "shaker.x"; a coordinate's is "effort"."""
    return "effort" if part == name else part.removeprefix(f"{name}.")
