"""Base of bodies of finite elements, whose elastic coordinates are chosen by reduction.

Reductions are kept with the body: a compilation, its results and its recovery ask again and again
for the same point masses.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self, TypeVar, cast

import numpy as np

from supple.bodies.base.flexible import FlexibleBody, PointMasses, strain_damping, warn_of_split
from supple.fem.base.damping import Damping
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame, SegmentOptions
from supple.foundation.progress import told
from supple.foundation.validate import read_only, set_fields
from supple.reduction.eigen import dense
from supple.reduction.matching import ModePattern
from supple.reduction.mesh_flexibility import MeshFlexibility
from supple.reduction.modal import Attachment, ModalBody, Reduction, attached, reduce_mesh
from supple.reduction.problem import Problem
from supple.reduction.response import (
    StaticResponse,
    StressedLoads,
    residual_energy,
    static_response,
)
from supple.reduction.second_order.slaved import inertia_loads, load_forms, slaved_mesh
from supple.reduction.shape_sets import AttachmentModes
from supple.reduction.stiffening import SecondOrder, Stiffening, stiffening_choice

MODES = "'all', a number of modes, different mode numbers from 1, or shapes, e.g. CraigBampton(...)"
Masses = tuple[tuple[int, float], ...]
SEEN = 40  # places of a mesh, at most, at which deflections are compared
# Stiffening of a body in segments that has none: its default is another.
NONE = "none"

Kept = TypeVar("Kept")


class Reduced(Protocol):
    """A reduction of whatever kind."""

    @property
    def body(self) -> ModalBody:
        """Integrals and matrices for the engine, without slaved shapes."""


class ReducedBody(FlexibleBody):
    """A flexible body whose elastic coordinates are chosen by ``modes``, with stiffening.

    A kind of body gives ``_reduced``, ``_place``, ``_slave`` and ``_exact``, and sets
    ``_reductions={}``.
    """

    can_stiffen: ClassVar[bool] = True

    damping: Damping | None
    stiffening: Stiffening
    # of a beam or frame structure in segments, as a formulation chooses
    segment_options: SegmentOptions = SegmentOptions()

    def _kept(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """Call ``make`` once for a key, and keep the value with the body."""
        store: dict[Hashable, Kept] = self.__dict__["_reductions"]
        if key not in store:
            store[key] = make()
        return store[key]

    @abstractmethod
    def _reduced(self, point_masses: PointMasses) -> Reduced:
        """The reduction with these point masses, from the store if it was asked for before."""

    @abstractmethod
    def _place(self, place: float) -> float | int:
        """A place of point masses as it is compared with others."""

    @abstractmethod
    def _slave(self, reduced: Any, places: tuple[Any, ...]) -> tuple[ModalBody, Any]:
        """Body with slaved shapes for the places where something is attached, and these shapes."""

    @abstractmethod
    def _respond(self, reduced: Any, places: tuple[float, ...]) -> StaticResponse:
        """Deflections of the whole mesh under loads at places, beside those of the reduction."""

    @abstractmethod
    def _exact(self, reduced: Any, place: Any) -> Vector:
        """Forms (6, n, n) of displacement and rotation of second order at a place."""

    @property
    def stiffened(self) -> bool:
        """True if deflections change its stiffness."""
        return self.stiffening is not None and cast("Any", self.stiffening) != NONE

    @property
    def second_order(self) -> bool:
        """True if displacements of second order are asked for."""
        return isinstance(self.stiffening, SecondOrder)

    @property
    def second_order_twist(self) -> bool:
        """True if twist by moments of bending is among them."""
        return isinstance(self.stiffening, SecondOrder) and self.stiffening.twist

    def modal(self, point_masses: PointMasses = ()) -> ModalBody:
        """Body of elastic coordinates, with point masses ((place, mass kg), ...) on it.

        A mass of zero marks a place where something is attached: stiffening of second order and
        `AttachmentModes` depend on these. The result is kept: the same point masses give the same
        object.
        """
        with told(f"{label(self)}: its shapes and their integrals are computed"):
            self._reduced(point_masses)  # from here: a warning names the caller's line
            return self._slaved(point_masses)[0]

    def static_response(
        self, places: Sequence[float], point_masses: PointMasses = ()
    ) -> StaticResponse:
        """Deflections of its whole mesh under unit loads, for ``modal(point_masses)``; kept."""
        reduced, stations = self._reduced(point_masses), tuple(places)
        return self._kept(("response", reduced, stations), lambda: self._respond(reduced, stations))

    def mesh_flexibility(
        self, places: Sequence[float], point_masses: PointMasses = ()
    ) -> MeshFlexibility | None:
        """Compare its mesh with a finer one under the loads of ``static_response``; kept."""
        reduced = self._reduced(point_masses)
        store: dict[Hashable, MeshFlexibility | None] = self.__dict__["_reductions"]
        key = "finer", reduced, tuple(places)
        if key not in store:
            with told(f"{label(self)}: its mesh is compared with a finer one"):
                store[key] = self._compare(reduced, tuple(places))
        return store[key]

    def _compare(self, reduced: Any, places: tuple[float, ...]) -> MeshFlexibility | None:
        """Flexibility of its mesh and of a finer one; None where there is none."""
        return None

    def mode_pattern(self, point_masses: PointMasses = ()) -> ModePattern | None:
        """Modes of the body, for `matched`; None if its coordinates are others."""
        found = self._matrices(point_masses)
        if found is None or not found[0].body.n:
            return None
        reduction, shapes, _ = found
        return ModePattern(np.diag(reduction.body.K), shapes, bool(reduction.split))

    def matched(self, pattern: ModePattern, point_masses: PointMasses = ()) -> Self | None:
        """Return the body with its modes in the order of others, itself if they are.

        None if its modes span another space than those of the pattern.
        """
        found = self._matrices(point_masses)
        if found is None or not pattern.suits(found[1]):
            return self
        turn = pattern.turn(found[2], found[1])
        if turn is None:
            return None
        if np.array_equal(turn, np.eye(len(turn))):
            return self
        other = copy.copy(self)
        set_fields(other, _reductions={}, _own_pattern=pattern)
        return other

    @property
    def _pattern(self) -> ModePattern | None:
        """Modes that its own are matched with."""
        return self.__dict__.get("_own_pattern")

    @abstractmethod
    def _matrices(self, point_masses: PointMasses) -> tuple[Reduction, Vector, Any] | None:
        """Reduction, shapes (size, n) and mass matrix (size, size) of modes; None without any."""

    def _places(self, point_masses: PointMasses) -> tuple[Any, ...]:
        """Places where something is attached, each once."""
        return tuple(sorted({self._place(place) for place, _ in point_masses}))

    def _shaped(self, point_masses: PointMasses) -> tuple[Any, ...]:
        """Places for which it has shapes of its own."""
        return self._places(point_masses) if isinstance(self.modes, AttachmentModes) else ()

    def _slaved(self, point_masses: PointMasses) -> tuple[ModalBody, Any]:
        """Body with its slaved shapes; these are None without displacements of second order."""
        found = self._reduced(point_masses)
        store: dict[Hashable, tuple[ModalBody, Any]] = self.__dict__["_reductions"]
        given = "slaved", found, tuple(tuple(pair) for pair in point_masses)
        if given in store:
            return store[given]
        if not self.second_order or not found.body.n:
            store[given] = found.body, None
        else:
            places = self._places(point_masses)
            key = "slaved", found, places
            if key not in store:
                store[key] = self._slave(found, places)
            store[given] = store[key]
        return store[given]

    def shown(self, frame: Frame, point_masses: PointMasses = ()) -> Attachment:
        """Motion of a frame of second order, exact also where nothing is attached."""
        where, place = self.attachment(frame, point_masses), self._place(self.station(frame))
        known = any(self._place(x) == place for x, _ in point_masses)
        if where.Gamma is None or where.slaved is None or known:
            return where
        found = self._reduced(point_masses)
        forms = self._kept(("exact", found, place), lambda: read_only(self._exact(found, place)))
        moving = np.any(forms, axis=(1, 2))  # those of the six that move
        return replace(where, slaved=np.eye(6)[:, moving], Gamma=forms[moving])


@dataclass(frozen=True, eq=False)
class NodalReduction:
    """A reduction of a component whose places are numbered."""

    masses: Masses  # point masses ((number of a place, kg), ...)
    reduction: Reduction  # with a basis of the component's own coordinates
    basis: Vector  # (size, n), of the coordinates of the problem that was reduced

    @property
    def body(self) -> ModalBody:
        """Integrals and matrices for the engine, without slaved shapes."""
        return self.reduction.body


class NodalBody(ReducedBody):
    """A reduced body whose places are numbered: nodes and interfaces.

    A kind of body gives ``_problem``, ``_rows``, ``_point``, and ``_finished`` if more than the
    reduction of the problem is needed.
    """

    @abstractmethod
    def _problem(self, masses: Masses) -> Problem:
        """The problem that is reduced, with point masses."""

    @abstractmethod
    def _rows(self, place: int) -> Any:
        """Rows (6, size) of displacement and rotation at a place, of the problem's coordinates."""

    @abstractmethod
    def _point(self, place: int) -> Vector:
        """Position (3,) m of a place."""

    @property
    @abstractmethod
    def _nodes(self) -> int:
        """Number of nodes: the first places."""

    def _spread(self, places: Sequence[int], basis: Vector) -> Sequence[Vector]:
        """Geometric stiffness (6, n, n) by place that spreading loads over nodes adds.

        Nothing if loads act on coordinates of the problem, with the basis (size, n).
        """
        return ()

    def _finished(self, problem: Problem, found: Reduction) -> Reduction:
        """The reduction of the problem with whatever belongs to the body beside it."""
        return found

    def attachment(self, frame: Frame, point_masses: PointMasses = ()) -> Attachment:
        """Motion of a frame of this body with the coordinates of ``modal(point_masses)``."""
        place = int(self.station(frame))
        rows, moved = self._rows(place), self._reduced(point_masses).basis
        body, shapes = self._slaved(point_masses)
        slaved = np.zeros((6, 0)) if shapes is None else rows @ shapes
        return attached(self._point(place), frame.rotation, rows @ moved, body, slaved)

    def load_stiffness(
        self, places: Sequence[float], factors: Vector, point_masses: PointMasses = ()
    ) -> Vector:
        """Geometric stiffness (k, n, n) of the stress under k loads, by finite elements."""
        reduced = self._reduced(point_masses)
        problem, basis = self._problem(reduced.masses), reduced.basis
        if not hasattr(getattr(problem.mesh, "component", problem.mesh), "geometric_stiffness"):
            return super().load_stiffness(places, factors, point_masses)
        rows = [dense(self._rows(int(place))) for place in places]
        loads = np.hstack([inertia_loads(problem.mesh), *(r.T for r in rows)]) @ factors.T
        deflections = problem.static(loads)
        mesh: Any = problem.mesh
        found = np.array([basis.T @ (mesh.geometric_stiffness(w) @ basis) for w in deflections.T])
        for k, own in enumerate(self._spread([int(place) for place in places], basis)):
            found += np.einsum("kl,lab->kab", factors[:, 12 + 6 * k : 18 + 6 * k], own)
        return found

    def _place(self, place: float) -> int:
        return int(place)

    def _reduced(self, point_masses: PointMasses) -> NodalReduction:
        masses = tuple(sorted((int(place), float(m)) for place, m in point_masses if m != 0.0))
        places = self._shaped(point_masses)
        store: dict[Hashable, NodalReduction] = self.__dict__["_reductions"]
        if (masses, places) not in store:
            attached = tuple(dense(self._rows(place)) for place in places)
            problem = replace(self._problem(masses), attached=attached)
            given = self.modes, label(self), self.damping, self._pattern
            found = reduce_mesh(problem, *given)
            warn_of_split(self, found)
            whole = self._finished(problem, found)
            store[masses, places] = NodalReduction(masses, whole, found.basis)
        return store[masses, places]

    def _matrices(self, point_masses: PointMasses) -> tuple[Reduction, Vector, Any] | None:
        if self.modes == "all":
            return None
        found = self._reduced(point_masses)
        return found.reduction, found.basis, self._problem(found.masses).mesh.mass_matrix

    def _slave(self, reduced: NodalReduction, places: tuple[int, ...]) -> tuple[ModalBody, Vector]:
        rows = [dense(self._rows(place)) for place in places]
        spread = self._spread(places, reduced.basis)
        problem = self._problem(reduced.masses)
        return slaved_mesh(problem, reduced.body, reduced.basis, rows, spread)

    def _exact(self, reduced: NodalReduction, place: int) -> Vector:
        # its factors serve all places
        problem = self._kept(("problem", reduced), lambda: self._problem(reduced.masses))
        forms = load_forms(problem, reduced.basis, dense(self._rows(place)).T)[1]
        return -forms - sum(self._spread([place], reduced.basis), np.zeros(()))

    def stressed_energy(self, loads: StressedLoads, point_masses: PointMasses = ()) -> Vector:
        """Energy that its elastic coordinates leave out, where its stress changes its stiffness."""
        reduced = self._reduced(point_masses)
        attached = [self._rows(int(place)) for place in loads.places]
        return residual_energy(self._problem(reduced.masses), reduced.basis, attached, loads)

    def _respond(self, reduced: NodalReduction, places: tuple[float, ...]) -> StaticResponse:
        some = np.linspace(0, self._nodes - 1, min(self._nodes, SEEN)).astype(int)
        numbers = list(dict.fromkeys([*some.tolist(), *(int(place) for place in places)]))
        seen = [self._rows(k) for k in numbers]
        return static_response(
            self._problem(reduced.masses),
            reduced.basis,
            np.array([self._point(k) for k in numbers]),
            seen,
            np.stack([rows @ reduced.basis for rows in seen]),
            [numbers.index(int(place)) for place in places],
        )


def stiffening_of_segments(
    body: ReducedBody, usual: Mapping[str, Any], stiffening: Any, default: SecondOrder
) -> Stiffening:
    """Refuse what a body in segments cannot have; return the stiffening that its segments have.

    ``usual`` are the only values of some fields.
    """
    owner = label(body)
    for field, only in usual.items():
        value = getattr(body, field)
        if value != only:
            expected = f"{only!r} with parts, each of which is one element on its chord"
            raise ModelError(owner, field, value, expected)
    strain_damping(owner, body.damping, "with parts")
    word = stiffening_choice(owner, default if stiffening is None else stiffening)
    if word is not None and not isinstance(word, SecondOrder):
        raise ModelError(owner, "stiffening", stiffening, "'second_order' or 'none' with parts")
    return cast("Stiffening", NONE if word is None else word)
