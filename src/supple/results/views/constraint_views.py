"""Views of constraints and drivers: ``result["motor"]``, the loads that keep them.

Evaluated when they are asked for, from the stored states. Arrays have time first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from supple.constraints import Constraint, Rolling
from supple.constraints.kinds import constraint_kind
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.calls import Spoken
from supple.foundation.errors import SuppleError, label, suggestion
from supple.results.data.run_data import ConstraintHistory, LoadSource, RollingHistory


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


class RollingView(ConstraintView):
    """Two bodies that roll on each other; vectors are in world axes.

    Where the equations of motion leave forces open, they are the smallest ones.
    """

    _item: Rolling

    def __init__(
        self,
        item: Constraint,
        parts: tuple[str, ...],
        work: Array,
        source: LoadSource | None,
        smallest: Callable[[], Mapping[str, Array]] = dict,
    ) -> None:
        super().__init__(item, parts, work, source)
        self._smallest = smallest

    @cached_property
    def _loads(self) -> dict[str, Array]:
        """By part, the smallest loads that are possible."""
        found = {_short(p, self.name): values for p, values in self._load.loads.items()}
        for part, values in self._smallest().items():
            own = found.get(_short(part, self.name), values)
            found[_short(part, self.name)] = np.where(np.isnan(values), own, values)
        return found

    @property
    def complete(self) -> bool:
        """True if all its forces are there."""
        return set(self.parts) <= set(self._loads)

    def _part(self, part: str) -> Array:
        return self._loads[part] if part in self._loads else self.load(part)

    @cached_property
    def _place(self) -> RollingHistory:
        found = self._load.rolling
        assert found is not None
        return found

    @property
    def _sign(self) -> float:
        """-1 where the surface is B's."""
        return -1.0 if self._item.pair.swapped else 1.0

    @property
    def gap(self) -> Array:
        """(nt,) m, between both shapes: zero, but for the error of the run."""
        return self._place.gap

    @property
    def point(self) -> Array:
        """(nt, 3) m, where they touch."""
        return self._place.point

    @property
    def normal(self) -> Array:
        """(nt, 3) unit vector from A to B."""
        return self._sign * self._place.normal

    @property
    def normal_force(self) -> Array:
        """(nt,) N, positive where they push each other apart; below zero they would part."""
        return self._part("gap")

    @property
    def friction_force(self) -> Array:
        """(nt, 3) N on B, along the tangent plane: what keeps it from slipping."""
        parts = np.stack([self._part("slip along x"), self._part("slip along y")], axis=1)
        force: Array = np.einsum("tk,tki->ti", parts, self._place.axes)
        return self._sign * force

    @property
    def force(self) -> Array:
        """(nt, 3) N on B at the point, friction and normal force together."""
        return self.friction_force + self.normal_force[:, None] * self.normal

    @property
    def needed_friction(self) -> Array:
        """(nt,) least coefficient of friction for which it does not slip; infinite if it parts."""
        along, push = np.linalg.norm(self.friction_force, axis=1), self.normal_force
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(push > 0.0, along / push, np.inf)


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
