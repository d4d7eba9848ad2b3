"""Views of bodies over nodal vectors, which have no frame: motion of places, strain and stress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.calls import Spoken
from supple.foundation.errors import SuppleError, label
from supple.foundation.frames import Frame
from supple.results.views.ancf_sections import (
    LineLoad,
    line_loads,
    section_forces,
    tangent_axes,
)
from supple.results.views.section_views import SectionForces, SectionView
from supple.results.views.stress import LargestStress, StressEnvelope
from supple.results.views.views import Later, PointView, into

if TYPE_CHECKING:
    from scipy import sparse

    from supple.bodies.nodal.ancf_body import ANCFBody
    from supple.bodies.nodal.ancf_line import ANCFLine
    from supple.bodies.nodal.ancf_nodes import ANCFNodes
    from supple.engine.base.body_records import ANCFRecord
    from supple.fem.drawn.surface import DrawnMesh
    from supple.fem.nodal.ancf_strain import StrainField
    from supple.foundation.frames import Body
    from supple.results.result import Result

# A vector (nt, 3) or a matrix (nt, 3, 3) with its first derivatives by time
Moving = Sequence[Array]
AT_ONCE = 4_000_000  # numbers that are in memory at once


class VectorPointView(PointView):
    """Motion of a place on a gradient body, which turns with it where it has axes."""

    _slope: Array  # r_x (nt, 3), of places that have it
    _whole: ANCFView
    _station: Frame
    _section_axes: Array  # of the place (nt, 3, 3)
    _rest: Array  # place (3,) m of the body at rest, from its first node
    _start: Array  # place (3,) m in the world at the start, undeformed
    _world: Array  # place (nt, 3) m

    @property
    def local(self) -> Self:
        """The view with components along the axes of the place."""
        turned = super().local
        view = type(self).__new__(type(self))
        view.__dict__.update(self.__dict__ | turned.__dict__)
        return view

    @property
    def displacement(self) -> Array:
        """(nt, 3) m from where it would be at the start without load, in world axes."""
        return self._world - self._start

    @cached_property
    def deflection(self) -> Array:
        """(nt, 3) m, from where it would be if all moved with the section or node at the origin.

        It is in the axes of that. A cable or a node of a solid has none.
        """
        whole = self._whole
        if not whole.turns:
            raise SuppleError(
                f"{whole.label}: it has no axes at its origin in which it could deflect, expected "
                "the position or displacement of a place"
            )
        origin = whole.origin
        turned = into(origin.matrix, self._world - origin.position)
        moved: Array = turned - self._rest @ self._whole.first_axes
        return moved

    def __getstate__(self) -> dict[str, Any]:
        """Pickle with what is found when it is read, not with the result that it comes from."""
        found = {"deflection": self.deflection} if self._whole.turns else {}
        return super().__getstate__() | found


class ANCFPointView(SectionView, VectorPointView):
    """Motion, strain and section of a station of a beam or cable over nodal vectors."""

    @property
    def axial_strain(self) -> Array:
        """(nt,) strain of the axis there: (|r_x|^2 - 1) / 2."""
        return _stretch(self._slope)

    def section_forces(self) -> SectionForces:
        """Force N, Vy, Vz and moment T, My, Mz in the section over time, in its axes.

        From the balance of its element: forces of strain, inertia, weight and loads along it. They
        are exact at nodes, and of order 2 in the length of elements between them. A cable has no
        axes across it: y and z are those of the start, turned with the tangent by the smallest
        rotation.
        """
        return self._whole.section_forces_at(self._station, self._section_axes)


class ANCFView(Spoken):
    """A gradient body: motion of its places by ``at(...)``, its nodal vectors and its strain.

    Attributes
    ----------
    name : of the body
    vectors, vector_rates : (nt, nodes, V, 3) nodal vectors, the place (m) first, and their rates,
        world axes
    dissipated : (nt,) J, since the start
    """

    _point: type[VectorPointView] = ANCFPointView

    def __init__(
        self,
        record: ANCFRecord,
        q: Array,
        u: Array,
        a: Later,
        lost: Array,
        gravity: Array,
        loads: Callable[[], tuple[LineLoad, ...]],
        times: Array,
    ) -> None:
        shape = (len(q), *record.mesh.rest.shape)
        self.name, self.dissipated = record.name, lost
        self.vectors, self.vector_rates = q.reshape(shape), u.reshape(shape)
        self._record, self._accelerations, self._turned = record, a, False
        self._gravity, self._loads, self._times = gravity, loads, times

    @classmethod
    def of(cls, result: Result, body: Body) -> Self:
        """The view of a body of the model."""
        record = result.data.compiled.gradient[body.name]
        lost = result[f"{body.name}.damping"].dissipated
        q, u = result.q[:, record.q], result.u[:, record.u]
        a, loads = (lambda: result.a[:, record.u]), partial(line_loads, result, record)
        return cls(record, q, u, a, lost, result.data.compiled.gravity, loads, result.t)

    @property
    def label(self) -> str:
        """Kind and name of the body, for messages."""
        return self._record.label

    @property
    def turns(self) -> bool:
        """True if its sections or nodes have axes."""
        return cast("ANCFBody", self._record.body).turns

    @property
    def first_axes(self) -> Array:
        """(3, 3) axes of frames at its first node, at rest, on those of the body."""
        body = self._record.body
        return body.rest_pose(body.nearest(self._record.mesh.rest[0, 0])).R

    @property
    def deforming(self) -> tuple[Any, ...]:
        """Parts with elastic coordinates in a frame: none."""
        return ()

    @property
    def nodes(self) -> Array:
        """(nt, nodes, 3) places of its nodes, m."""
        found: Array = self.vectors[:, :, 0]
        return found

    @cached_property
    def vector_accelerations(self) -> Array:
        """(nt, nodes, V, 3) second derivatives of the nodal vectors."""
        return self._accelerations().reshape(self.vectors.shape)

    @cached_property
    def line_loads(self) -> tuple[LineLoad, ...]:
        """Loads along it, with their densities over time."""
        return self._loads()

    @cached_property
    def strain_energy(self) -> Array:
        """(nt,) J."""
        mesh = self._record.mesh
        return np.array([float(mesh.energy(e)) for e in self.vectors])

    @cached_property
    def axial_strain(self) -> Array:
        """(nt, nodes) strain of the axis at the nodes, (|r_x|^2 - 1) / 2."""
        return _stretch(self.vectors[:, :, 1])

    @property
    def local(self) -> Self:
        """The view with the motion of each place along the axes of its section."""
        view = type(self).__new__(type(self))
        view.__dict__.update(self.__dict__)
        view._turned = True
        return view

    @property
    def origin(self) -> VectorPointView:
        """Motion of its first node."""
        frame = Frame(self._record.body, self._record.body.nearest(self._record.mesh.rest[0, 0]))
        return self.at(*frame.position.tolist())

    @property
    def far_end(self) -> VectorPointView | None:
        """Motion of the place that tells most, the end of a beam; None if there is none."""
        place = self._record.body.telling_place
        return None if place is None else self.at(*place)

    def at(self, *place: Any, **where: Any) -> VectorPointView:
        """Motion of a place, as the body's own ``at`` takes it: a station (m) of a beam."""
        record, body = self._record, cast("ANCFBody", self._record.body)
        frame = body.at(*place, **where)
        numbers, rows = body.shown_vectors(frame)
        rest = body.rest_pose(frame.position)
        resting = rows @ record.mesh.rest.reshape(-1, 3)[numbers]
        turns, first = len(rows) > 2, record.mesh.axes_from
        own = _axes([[v] for v in resting[first : first + 2]], first)[0] if turns else np.eye(3)
        turn, arm = own.T @ rest.R, own.T @ (rest.p - resting[0])

        def moving(order: int) -> tuple[Moving, Moving]:
            """Place and axes with derivatives up to an order."""
            place, *shown = (
                self._shown(numbers, row, order) for row in (rows[0], *rows[first : first + 2])
            )
            axes = _axes(shown, first) if turns else self._still(order)
            return [r + R @ arm for r, R in zip(place, axes, strict=True)], axes

        moved, axes = moving(1)
        view = self._point(
            frame.name,
            axes[0] @ turn,
            moved[0],
            moved[1],
            lambda: moving(2)[0][2],
            _spin(axes[0], axes[1]),
            lambda: _spin(axes[0], moving(2)[1][2]),
        )
        if len(rows) > 1:
            view._slope = self._shown(numbers, rows[1], 0)[0]
        view.__dict__.update(
            _whole=self,
            _start=self.placed(rest.p),
            _station=frame,
            _section_axes=axes[0],
            _rest=rest.p - record.mesh.rest[0, 0],
            _world=moved[0],
        )
        return view.local if self._turned else view

    def drawn(self) -> tuple[DrawnMesh, sparse.csr_array]:
        """Mesh for pictures, and rows (p, n) of its points from nodal vectors."""
        return cast("ANCFBody", self._record.body).drawn()

    def placed(self, points: Array) -> Array:
        """Points (p, 3) m of the body at rest in the world, where it is at the start."""
        found: Array = self._record.origin + points @ self._record.start.T
        return found

    def section_forces_at(self, frame: Frame, axes: Array) -> SectionForces:
        """Section forces at a place, whose section has axes (nt, 3, 3) if it has any."""
        line, nt = cast("ANCFLine", self._record.body), len(self.vectors)
        every = self.vectors, self.vector_rates, self.vector_accelerations
        motion = [x.reshape(nt, -1, 3) for x in every]
        if not self.turns:
            numbers, rows = line.shown_vectors(frame)
            axes = tangent_axes(self._record.start, self._shown(numbers, rows[1], 0)[0])
        return section_forces(
            line, line.station(frame), motion, self._gravity, self.line_loads, axes
        )

    def von_mises(self) -> Array:
        """Refuse: use ``.at(...).von_mises()``."""
        raise self._only_at_places()

    def largest_stress(self) -> LargestStress:
        """Refuse: use ``.at(...).von_mises()``."""
        raise self._only_at_places()

    def _only_at_places(self) -> SuppleError:
        return SuppleError(
            f"{self.label}: its stress is known at places, expected .at(...).von_mises()"
        )

    def attitude(self, frame: Frame) -> Array:
        """(nt, 3, 3) rotation matrices from the axes of a frame of the body to the world."""
        turned: Array = self.at(*frame.position.tolist()).matrix @ frame.rotation
        return turned

    def _shown(self, numbers: np.ndarray, row: Array, order: int) -> Moving:
        """A vector of an element over time, with derivatives up to an order."""
        every = [self.vectors, self.vector_rates]
        if order > 1:
            every.append(self.vector_accelerations)
        nt = len(self.vectors)
        parts = [x.reshape(nt, -1, 3)[:, numbers] for x in every[: order + 1]]
        return [np.einsum("k,tkx->tx", row, x) for x in parts]

    def _still(self, order: int) -> Moving:
        """Axes of a body whose sections have none: as they are at the start."""
        nt = len(self.vectors)
        start = np.broadcast_to(self._record.start, (nt, 3, 3))
        return [start, *[np.zeros((nt, 3, 3))] * order]

    def __getattr__(self, name: str) -> Any:
        record = self.__dict__.get("_record")
        if record is None or name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(
            f"{label(record.body)} has no {name!r}, because it has no frame of reference, expected "
            "that of one of its places, .at(...)"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle with accelerations, not with the result that they come from."""
        found: dict[str, Any] = {"vector_accelerations": self.vector_accelerations}
        try:
            found |= {"line_loads": self.line_loads, "_loads": None}
        except SuppleError as problem:  # loads are not in every result
            found |= {"_loads": partial(_refuse, str(problem))}
        found |= {"_accelerations": None}
        return self.__dict__ | found

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.name}', {self.vectors.shape[1]} nodes>"


class FieldPointView(VectorPointView):
    """Motion of a node of a plate or solid, its strain and its stress.

    Strains and stresses are means of the elements around the node, along axes that turn with the
    material: of a plate those of the node, of a solid those of the body at rest. Stresses are
    forces per area at rest, so that with small strains they are those of the deformed body.
    """

    def strain(self, surface: str | None = None) -> Array:
        """(nt, 3) e_xx, e_yy, 2 e_xy of a plate on its "top", "middle" or "bottom".

        Of a solid (nt, 6) e_xx, e_yy, e_zz, 2 e_xy, 2 e_xz, 2 e_yz.
        """
        rows = self._field.sides[self._side(surface)]
        found: Array = self._strain @ rows.T
        return found

    def stress(self, surface: str | None = None) -> Array:
        """(nt, 3) or (nt, 6) stresses in the order of the strains, Pa."""
        return self._field.stress(self._strain, self._side(surface))

    def von_mises(self, surface: str | None = None) -> Array:
        """(nt,) equivalent stress, Pa."""
        return self._field.von_mises(self.stress(surface))

    def membrane_force(self) -> Array:
        """(nt, 3) n_xx, n_yy, n_xy of a plate: integrals of stress over the thickness, N/m."""
        return self._resultants[:, :3]

    def moment(self) -> Array:
        """(nt, 3) m_xx, m_yy, m_xy of a plate: integrals of height times stress, N m/m."""
        return self._resultants[:, 3:]

    def section_forces(self) -> Array:
        """A plate or solid has no sections."""
        raise SuppleError(
            f"{self._whole.label}: it has no sections, expected strain(), stress() or von_mises()"
        )

    @property
    def _field(self) -> StrainField:
        return cast("FieldView", self._whole).field

    @cached_property
    def _strain(self) -> Array:
        """(nt, 6) strains of the node."""
        view = cast("FieldView", self._whole)
        return view.strain_at(self._station.position)

    @property
    def _resultants(self) -> Array:
        if len(self._field.sides) < 2:
            raise SuppleError(f"{self._whole.label}: it has no thickness, expected stress()")
        found: Array = self._strain @ self._field.law
        return found

    def _side(self, surface: str | None) -> str:
        sides = tuple(self._field.sides)
        if surface is None:
            return sides[0]
        expected = sides if len(sides) > 1 else ()
        if not expected:
            raise SuppleError(
                f"{self._whole.label}: surface is {surface!r}, expected none: a solid has no top"
            )
        chosen: str = validate.choice(self._whole.label, "surface", surface, expected)
        return chosen

    def __getstate__(self) -> dict[str, Any]:
        """Pickle with the strain of the node."""
        return super().__getstate__() | {"_strain": self._strain}


class FieldView(ANCFView):
    """A plate or solid without a frame: motion of its nodes, its strain and its stress.

    Attributes are those of `ANCFView`.
    """

    _point = FieldPointView

    @property
    def field(self) -> StrainField:
        """Strains from nodal vectors."""
        return self._body.field

    @property
    def nodes(self) -> Array:
        """(nt, nodes, 3) places of its nodes, m."""
        nt = len(self.vectors)
        return self.field.places(self.vectors.reshape(nt, -1, 3))

    def von_mises(self) -> Array:
        """(nt,) largest equivalent stress of all nodes at each time, Pa."""
        return self.stress_envelope().over_time

    def largest_stress(self) -> LargestStress:
        """The largest equivalent stress over the run: value, time, place."""
        found = self.stress_envelope()
        k = int(np.argmax(found.largest))
        x, y, z = (float(c) for c in found.places[k])
        return LargestStress(
            float(found.largest[k]), float(found.times[k]), (x, y, z), found.names[k]
        )

    def stress_envelope(self) -> StressEnvelope:
        """The largest equivalent stress of each node over the run; of a plate on either side."""
        return self._envelope

    def strain_at(self, place: Array) -> Array:
        """(nt, 6) strains of the node at a place (3,) of ``at``."""
        number = self._body.number(place)
        return np.concatenate([strain[:, number] for _, strain in self._strains()])

    @cached_property
    def _envelope(self) -> StressEnvelope:
        field, t = self.field, self._times
        largest, when, over = np.full(field.count, -1.0), np.zeros(field.count), []
        for start, strain in self._strains():
            values = field.largest_von_mises(strain)
            first = np.argmax(values, axis=0)
            peak = values.max(axis=0)
            when = np.where(peak > largest, t[start + first], when)
            largest = np.maximum(largest, peak)
            over.append(values.max(axis=1))
        names = tuple(f"node {k}" for k in range(field.count))
        return StressEnvelope(largest, when, self._body.places, np.concatenate(over), names)

    def _strains(self) -> Iterator[tuple[int, Array]]:
        """First time and strains (times, nodes, 6), some times at once."""
        e = self.vectors.reshape(len(self.vectors), -1, 3)
        step = max(1, AT_ONCE // (6 * self.field.cells.size))
        for start in range(0, len(e), step):
            yield start, self.field.at_nodes(e[start : start + step])

    @property
    def _body(self) -> ANCFNodes:
        return cast("ANCFNodes", self._record.body)


def _refuse(sentence: str) -> tuple[LineLoad, ...]:
    raise SuppleError(sentence)


def _stretch(slope: Array) -> Array:
    strain: Array = 0.5 * ((slope**2).sum(axis=-1) - 1.0)
    return strain


def _unit(x: Moving) -> Moving:
    """A vector (nt, 3) divided by its length, with as many derivatives as are given."""
    x = [np.asarray(part) for part in x]
    n = np.linalg.norm(x[0], axis=-1, keepdims=True)
    found = [x[0] / n]
    if len(x) > 1:
        first = _dot(found[0], x[1])
        found.append((x[1] - first * found[0]) / n)
    if len(x) > 2:
        second = _dot(found[1], x[1]) + _dot(found[0], x[2])
        found.append((x[2] - second * found[0] - 2.0 * first * found[1]) / n)
    return found


def _axes(gradients: Sequence[Moving], which: int) -> Moving:
    """Axes (nt, 3, 3) that Gram and Schmidt make of two gradients, with derivatives.

    The gradients are r_x and r_y if ``which`` is 1, and r_y and r_z if it is 2.
    """
    first, given = _unit(gradients[0]), [np.asarray(part) for part in gradients[1]]
    along = _product(_dot, given, first)
    second = _unit([g - p for g, p in zip(given, _product(np.multiply, along, first), strict=True)])
    third = _product(np.cross, first, second)
    found = zip(first, second, third, strict=True)
    return [np.roll(np.stack(e, axis=-1), which - 1, axis=-1) for e in found]


def _product(by: Any, x: Moving, y: Moving) -> list[Array]:
    """A product of two moving vectors with its derivatives, two at most."""
    found = [by(x[0], y[0])]
    if len(x) > 1:
        found.append(by(x[1], y[0]) + by(x[0], y[1]))
    if len(x) > 2:
        found.append(by(x[2], y[0]) + 2.0 * by(x[1], y[1]) + by(x[0], y[2]))
    return found


def _dot(x: Array, y: Array) -> Array:
    product: Array = (x * y).sum(axis=-1, keepdims=True)
    return product


def _spin(R: Array, rate: Array) -> Array:
    """Angular velocity (nt, 3) of axes R (nt, 3, 3) with a rate; of second ones acceleration."""
    spin: Array = 0.5 * np.cross(R, rate, axis=1).sum(axis=2)
    return spin
