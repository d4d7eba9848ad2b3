"""Views of force elements: ``result["motor"]``, energy and load over time.

Loads are evaluated when they are asked for, from the stored states. Arrays have time first; vectors
are in world axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array, Booleans
from supple.foundation.cached import cached_property
from supple.foundation.calls import Spoken
from supple.foundation.errors import ModelError, SuppleError
from supple.results.data.run_data import (
    ContactHistory,
    ElementHistory,
    RopeHistory,
    SampleRecord,
    SetHistory,
    TouchingPair,
    TouchRecord,
)
from supple.results.views.views import PointView

Source = Callable[[str], ElementHistory]


class ForceView(Spoken):
    """Energy through a force element since the start of the run, J, and its power, W.

    ``.work`` (nt,) done on the system, or ``.dissipated`` (nt,) for elements that only take.
    """

    def __init__(
        self, name: str, energy: Array, dissipates: bool, source: Source | None = None
    ) -> None:
        self.name = name
        self.dissipates = dissipates
        self._energy = energy
        self._source = source

    @property
    def work(self) -> Array:
        """(nt,) work done on the system, J."""
        if self.dissipates:
            raise AttributeError(f"'{self.name}' does no work of its own: see its .dissipated")
        return self._energy

    @property
    def dissipated(self) -> Array:
        """(nt,) energy taken from the system, J."""
        if not self.dissipates:
            raise AttributeError(f"'{self.name}' is not a damper: see its .work")
        return self._energy

    @cached_property
    def _load(self) -> ElementHistory:
        if self._source is None:
            raise SuppleError(f"the loads of '{self.name}' are not in this result")
        return self._source(self.name)

    @property
    def power(self) -> Array:
        """(nt,) rate of ``work``, or of ``dissipated``, W."""
        return self._load.power

    def __repr__(self) -> str:
        kind = "dissipated" if self.dissipates else "work"
        return f"<force '{self.name}': {kind}, power, {len(self._energy)} times>"


class JointForceView(ForceView):
    """An element on a joint coordinate: spring, motor, controller."""

    def __init__(
        self,
        name: str,
        energy: Array,
        dissipates: bool,
        source: Source | None,
        place: int,
        units: str,
        ratio: float = 1.0,
    ) -> None:
        super().__init__(name, energy, dissipates, source)
        self._place = place  # of its velocity in the state
        self._ratio = ratio  # of the motor's shaft it acts on
        self.units = units
        """of the effort: N m or N"""

    @property
    def effort(self) -> Array:
        """(nt,) effort of this element on its coordinate, positive in its sense; N m or N.

        For an element on a motor it is the effort on the shaft.
        """
        return self._load.efforts[:, self._place] / self._ratio


class EffortFunctionView(ForceView):
    """Efforts of a function or a spring on several joint coordinates or shafts."""

    def __init__(
        self,
        name: str,
        energy: Array,
        dissipates: bool,
        source: Source | None,
        shafts: list[tuple[int, int, float]],
        units: tuple[str, ...],
    ) -> None:
        super().__init__(name, energy, dissipates, source)
        self._shafts = shafts
        self.units = units
        """of each effort: N m or N"""

    @property
    def efforts(self) -> Array:
        """(nt, n) on each of its coordinates, N m or N."""
        return np.stack([self._load.efforts[:, u] / ratio for _, u, ratio in self._shafts], axis=1)

    @property
    def effort(self) -> Array:
        """(nt,) on its only coordinate."""
        if len(self._shafts) != 1:
            raise AttributeError(f"'{self.name}' acts on {len(self._shafts)} coordinates: .efforts")
        return self.efforts[:, 0]


class ControllerView(EffortFunctionView):
    """A continuous controller: efforts and states."""

    def __init__(self, *common: Any, states: Array, **more: Any) -> None:
        super().__init__(*common, **more)
        self.states = states
        """(nt, n) of its law"""


class SampledView(EffortFunctionView):
    """A sampled controller: efforts at output times, and all its samples."""

    def __init__(self, *common: Any, samples: SampleRecord | None, **more: Any) -> None:
        super().__init__(*common, **more)
        self._samples = samples

    @property
    def samples(self) -> SampleRecord:
        """Instants, what was measured and computed at them, and when it acts."""
        if self._samples is None:
            raise SuppleError(f"the samples of '{self.name}' are not in this result")
        return self._samples


class MotorView(ForceView):
    """A motor: its shaft, and what its gear does to the joint."""

    def __init__(
        self,
        name: str,
        energy: Array,
        dissipates: bool,
        source: Source | None,
        shaft: tuple[Array, ...],
        place: int,
        gear: str | None,
        drives: tuple[str, ...],
        inertia: Array,
        units: str,
    ) -> None:
        super().__init__(name, energy, dissipates, source)
        self._shaft, self._place, self._gear = shaft, place, gear
        self._drives, self._inertia = drives, inertia
        self.units = units
        """of the effort: N m or N"""

    @property
    def angle(self) -> Array:
        """(nt,) of the shaft, rad (m on a sliding coordinate)."""
        return self._shaft[0]

    @property
    def rate(self) -> Array:
        """(nt,) of the shaft, rad/s."""
        return self._shaft[1]

    @property
    def acceleration(self) -> Array:
        """(nt,) of the shaft, rad/s2."""
        return self._shaft[2]

    @property
    def effort(self) -> Array:
        """(nt,) through the gear on the joint coordinate: drives less rotor and losses."""
        assert self._source is not None
        if self._gear is not None:
            return self._source(self._gear).efforts[:, self._place]
        total = self._load.efforts[:, self._place] - self._inertia
        for name in self._drives:
            total = total + self._source(name).efforts[:, self._place]
        return total


class PointForceView(ForceView):
    """A force and a torque on a body at a frame."""

    @property
    def force(self) -> Array:
        """(nt, 3) N, world axes; of an element between two frames on its frame B."""
        return self._load.wrenches[:, -1, 3:]

    @property
    def torque(self) -> Array:
        """(nt, 3) at the frame's origin, N m, world axes; on frame B if there are two."""
        return self._load.wrenches[:, -1, :3]


class RopeView(ForceView):
    """A rope along n places: points, pulleys and drums."""

    @property
    def _rope(self) -> RopeHistory:
        found = self._load.rope
        assert found is not None
        return found

    @property
    def length(self) -> Array:
        """(nt,) along its path, m; of ropes on drums with what was wound off since the start."""
        return self._rope.length

    @property
    def length_rate(self) -> Array:
        """(nt,) m/s."""
        return self._rope.rate

    @cached_property
    def tension(self) -> Array:
        """(nt, n - 1) of the rope behind each place but the last, N."""
        found = self._rope.tension[:, :-1].copy()
        for k in range(1, found.shape[1]):
            passed = ~self._rope.touches[:, k]
            found[passed, k] = found[passed, k - 1]
        return found

    @property
    def angle(self) -> Array:
        """(nt, n) of contact at each place, rad; zero at points and where the rope passes by."""
        return self._rope.angle

    @property
    def slip(self) -> Array:
        """(nt, n) speed at which the rope slides over each place towards its last end, m/s."""
        return self._rope.slip

    @property
    def force(self) -> Array:
        """(nt, n, 3) on each place, N, world axes."""
        return self._rope.wrenches[:, :, 3:]

    @property
    def torque(self) -> Array:
        """(nt, n, 3) on each place at its centre, N m, world axes."""
        return self._rope.wrenches[:, :, :3]

    @property
    def spans(self) -> tuple[tuple[Array, Array], ...]:
        """Points where the rope leaves each place but the last and reaches the next, (nt, 3), m."""
        rope, n = self._rope, self._rope.tension.shape[1]
        found = []
        for k in range(n - 1):
            begin, end = rope.begin[:, k].copy(), rope.begin[:, k].copy()
            for i in range(len(begin)):
                after = [j for j in range(k + 1, n) if rope.touches[i, j]]
                if rope.touches[i, k]:
                    end[i] = rope.end[i, after[0]]
                else:  # nothing begins there
                    begin[i] = end[i] = rope.end[i, after[0]]
            found.append((begin, end))
        return tuple(found)


class ContactView(ForceView):
    """A contact at one or several points; forces are those on its body B, world axes."""

    def __init__(
        self,
        *common: Any,
        losses: Mapping[str, Array],
        touches: Sequence[TouchRecord] | None,
        turned: bool,
    ) -> None:
        super().__init__(*common)
        self._losses, self._touches, self._turned = losses, touches, turned

    @cached_property
    def _together(self) -> list[list[TouchRecord]]:
        """Touches of single points, those together that overlap in time."""
        groups: list[list[TouchRecord]] = []
        if self._touches is None:
            raise SuppleError(
                f"Contact '{self.name}': touches of two lines, and their impulses, are not "
                "followed, expected normal_force and gap, which are known at output times"
            )
        for one in self._touches:
            if groups and one.begin <= max(other.end for other in groups[-1]):
                groups[-1].append(one)
            else:
                groups.append([one])
        return groups

    @property
    def touches(self) -> Array:
        """(n, 2) where each touch of both bodies begins and ends, s.

        A touch that was there at the start of the run begins with it, one that lasts ends with it.
        Instants are those of the steps, whatever the output times.
        """
        times = [(group[0].begin, max(one.end for one in group)) for group in self._together]
        return np.array(times).reshape(-1, 2)

    @property
    def impulse(self) -> Array:
        """(n,) integral of the push over each touch, N s: the sum over all points."""
        return np.array([sum(one.push for one in group) for group in self._together])

    @property
    def friction_impulse(self) -> Array:
        """(n, 3) integral of the friction on B over each touch, N s, world axes."""
        sign = -1.0 if self._turned else 1.0
        totals = [np.sum([one.friction for one in group], axis=0) for group in self._together]
        return sign * np.array(totals).reshape(-1, 3)

    @property
    def approach(self) -> Array:
        """(n,) speed at which the surfaces approach where each touch begins, m/s."""
        return np.array([group[0].speed for group in self._together])

    @property
    def _contact(self) -> ContactHistory:
        found = self._load.contact
        assert found is not None
        return found

    @property
    def gaps(self) -> Array:
        """(nt, n) distance of the surfaces at each point, m; negative where they overlap."""
        return self._contact.gap

    @property
    def gap(self) -> Array:
        """(nt,) least distance of the surfaces, m; negative where they overlap."""
        least: Array = self._contact.gap.min(axis=1)
        return least

    @property
    def gap_rates(self) -> Array:
        """(nt, n) rate of the distance at each point, m/s; negative where they approach."""
        return self._contact.rate

    @property
    def depth(self) -> Array:
        """(nt,) largest overlap, m; zero where they do not touch."""
        return np.maximum(-self.gap, 0.0)

    @property
    def normal_forces(self) -> Array:
        """(nt, n) push at each point, N."""
        return self._contact.push

    @property
    def normal_force(self) -> Array:
        """(nt,) push, N: the sum over all points."""
        total: Array = self._contact.push.sum(axis=1)
        return total

    @property
    def friction_force(self) -> Array:
        """(nt, 3) of friction on B, N: the sum over all points."""
        total: Array = self._contact.friction.sum(axis=1)
        return total

    @property
    def force(self) -> Array:
        """(nt, 3) push and friction on B, N: the sum over all points."""
        total: Array = self.point_forces.sum(axis=1)
        return total

    @property
    def torque(self) -> Array:
        """(nt, 3) of resistance to rolling and spinning on B, N m."""
        total: Array = self._contact.torque.sum(axis=1)
        return total

    @property
    def point_forces(self) -> Array:
        """(nt, n, 3) push and friction on B at each point, N."""
        c = self._contact
        forces: Array = c.push[..., None] * c.normal + c.friction
        return forces

    @property
    def normals(self) -> Array:
        """(nt, n, 3) from A to B at each point."""
        return self._contact.normal

    @property
    def points(self) -> Array:
        """(nt, n, 3) points half way between both surfaces, m."""
        return self._contact.point

    @cached_property
    def point(self) -> Array:
        """(nt, 3) where the push acts, m: the mean of all points, weighted by push.

        Where nothing touches it is the point with the least distance.
        """
        c = self._contact
        nearest = c.gap.argmin(axis=1)
        weight = np.zeros_like(c.push)
        weight[np.arange(len(nearest)), nearest] = 1.0
        total = c.push.sum(axis=1, keepdims=True)
        weight = np.where(total > 0.0, c.push / np.where(total > 0.0, total, 1.0), weight)
        mean: Array = np.einsum("tn,tni->ti", weight, c.point)
        return mean

    @property
    def slips(self) -> Array:
        """(nt, n, 3) velocity of B relative to A along the surface at each point, m/s."""
        return self._contact.slip

    @property
    def slip(self) -> Array:
        """(nt,) largest speed of sliding, m/s; zero where they do not touch."""
        fastest: Array = np.linalg.norm(self._contact.slip, axis=2).max(axis=1)
        return fastest

    @property
    def touching(self) -> Booleans:
        """(nt,) True where they touch."""
        return self.gap < 0.0

    @property
    def energy(self) -> Array:
        """(nt,) stored in push and bristles, J."""
        total: Array = self._contact.stored.sum(axis=1)
        return total

    @property
    def lost_by_push(self) -> Array:
        """(nt,) energy that the push has taken since the start of the run, J."""
        return self._losses["push"]

    @property
    def lost_by_friction(self) -> Array:
        """(nt,) energy that friction has taken since the start of the run, J."""
        return self._losses["friction"]


class ContactsView(ForceView):
    """A set of shapes that touch each other."""

    def __init__(self, *args: Any, losses: Mapping[str, Array]) -> None:
        super().__init__(*args)
        self._losses = losses

    @property
    def _set(self) -> SetHistory:
        found = self._load.contacts
        assert found is not None
        return found

    @property
    def touching(self) -> np.ndarray:
        """(nt,) number of points at which shapes touch."""
        return self._set.touching.astype(int)

    @property
    def depth(self) -> Array:
        """(nt,) largest overlap of two shapes, m."""
        return self._set.depth

    @property
    def normal_force(self) -> Array:
        """(nt,) sum of all pushes, N."""
        return self._set.push

    @property
    def energy(self) -> Array:
        """(nt,) stored in all pushes and bristles, J."""
        return self._set.stored

    @property
    def lost_by_push(self) -> Array:
        """(nt,) energy that pushes have taken since the start of the run, J."""
        return self._losses["push"]

    @property
    def lost_by_friction(self) -> Array:
        """(nt,) energy that friction has taken since the start of the run, J."""
        return self._losses["friction"]

    def pairs(self, k: int = -1) -> list[TouchingPair]:
        """Pairs that touch at output time number ``k``; -1 is the last one.

        Each has the numbers of its ``shapes`` in the set, their ``bodies``, ``depth`` (m),
        ``point`` (3,) m, ``normal`` (3,) from the first to the second, ``normal_force`` (N) and
        ``friction_force`` (3,) on the second, world axes.
        """
        times = len(self._energy)
        number = validate.integer("pairs", "k", k, -times, f"a number from {-times} to {times - 1}")
        if number >= times:
            raise ModelError("pairs", "k", k, f"a number from {-times} to {times - 1}")
        return self._set.pairs(number % times)


class LineForceView(ForceView):
    """An element along the line from a point A to a point B: a spring, a damper, a cable."""

    def __init__(
        self,
        name: str,
        energy: Array,
        dissipates: bool,
        source: Source | None,
        ends: tuple[PointView, PointView],
    ) -> None:
        super().__init__(name, energy, dissipates, source)
        self._ends = ends

    @cached_property
    def _line(self) -> tuple[Array, Array]:
        a, b = self._ends
        span = b.position - a.position
        length = np.linalg.norm(span, axis=1)
        return length, span / np.where(length > 0.0, length, np.inf)[:, None]

    @property
    def length(self) -> Array:
        """(nt,) distance of its ends, m."""
        return self._line[0]

    @property
    def length_rate(self) -> Array:
        """(nt,) m/s, positive when the ends move apart."""
        a, b = self._ends
        rate: Array = np.einsum("ti,ti->t", self._line[1], b.velocity - a.velocity)
        return rate

    @property
    def force(self) -> Array:
        """(nt, 3) by the element on B, N, world axes; A gets the opposite."""
        return self._load.wrenches[:, 1, 3:]

    @property
    def tension(self) -> Array:
        """(nt,) N, positive when it pulls its ends together."""
        tension: Array = -np.einsum("ti,ti->t", self._line[1], self.force)
        return tension
