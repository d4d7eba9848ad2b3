"""Histories of flexible bodies: the motion of their frame, their deformation, and any station.

What deforms is given in body axes: elastic displacement ``deflection`` and rotation vector
``rotation``. Motion is given in world axes, as for rigid bodies.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self, cast

import numpy as np

from supple.fem.recovery.point_history import ShellPointHistory, SolidPointHistory, point_history
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.errors import SuppleError, label, percent, warn_caller
from supple.foundation.poses import cross
from supple.results.views.section_balance import BeamLoads, section_balance, section_loads
from supple.results.views.section_views import Method, SectionForces, SectionView
from supple.results.views.stress import LargestStress, StressEnvelope, StressHistory
from supple.results.views.views import BodyView, Later, PointView, frame_motion, into

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody, PointMasses
    from supple.bodies.beam.beam import Beam
    from supple.bodies.structure.frame import FrameStructure
    from supple.bodies.structure.mesh import MeshBody
    from supple.foundation.frames import Body, Frame
    from supple.reduction.membranes import Membranes
    from supple.results.result import Result

Side = Literal["y", "-y", "z", "-z"]
TERMS = 9  # of the series: the next one is below rounding for s < 0.25
LIMIT = 0.05  # part of the stress by which both may differ


@dataclass(frozen=True, eq=False)
class Deformation:
    """Elastic coordinates of one body over time, and what they mean."""

    body: FlexibleBody  # as it was simulated
    point_masses: PointMasses  # ((place, mass kg), ...) on it
    # names, units: n texts
    names: tuple[str, ...]
    units: tuple[str, ...]
    # q, u: (nt, n) coordinates and rates
    q: Array
    u: Array
    later: Callable[[], Array]  # finds their accelerations
    stiffness: Array  # (n, n)
    membranes: Membranes | None  # what slopes add to the energy of the stiffness, if anything
    dissipated: Array  # (nt,) energy taken by the body's damping since the start, J
    t: Array  # (nt,) s
    modal_mass: float  # kg, with point masses
    loads: Callable[[], BeamLoads] | None = None  # finds all loads on a beam
    rest: Array | None = None  # (n,) coordinates without strain; None if these are zero

    @cached_property
    def a(self) -> Array:
        """(nt, n) accelerations of the coordinates."""
        return self.later()

    @property
    def strained(self) -> Array:
        """(nt, n) coordinates less those without strain."""
        return self.q if self.rest is None else self.q - self.rest

    @classmethod
    def of(cls, result: Result, body: FlexibleBody) -> Deformation:
        """The deformation of a flexible body of the engine."""
        compiled = result.data.compiled
        record, channel = compiled.flexible[body.name], f"{body.name}.damping"
        damped = channel in compiled.force_names
        return cls(
            body=body,
            point_masses=record.point_masses,
            names=record.modal.coordinate_names,
            units=record.modal.coordinate_units,
            q=result.q[:, record.q],
            u=result.u[:, record.u],
            later=lambda: result.a[:, record.u],
            stiffness=record.modal.K,
            membranes=record.modal.membranes,
            dissipated=result[channel].dissipated if damped else np.zeros(len(result.t)),
            t=result.t,
            modal_mass=record.modal.mass,
            loads=partial(result.beam_loads, body),
            rest=record.modal.rest,
        )

    def expect_elastic(self, what: str) -> None:
        """Refuse a question about the strain of a body that has no elastic coordinates here."""
        if not self.names:
            beam = " or section_forces('balance')" if self.body.view == "stations" else ""
            raise SuppleError(
                f"{label(self.body)}: it is rigid in this result and its {what} is not known, "
                f"expected a run with elastic coordinates{beam}"
            )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the result that accelerations and loads come from."""
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return state | {"a": self.a, "later": None, "loads": None}


class PlaceView(PointView):
    """Motion and deformation of a place on a flexible body: ``result["tower"].at("top")``.

    ``position``, ``velocity``, ``acceleration``, ``angular_velocity`` and ``angular_acceleration``
    are those of the deformed body, of second order where that is asked for. Inertia and loads see
    less of it where nothing is attached: ``carried`` is the place as they do.
    """

    def __init__(
        self,
        name: str,
        place: Frame,
        deformation: Deformation,
        frame: BodyView,
        carried: bool = False,
    ) -> None:
        d = deformation
        find = d.body.attachment if carried else d.body.shown
        where = find(place, d.point_masses)
        moved, rates = where.moving(d.q, d.u)
        deflection = moved[:, :3]
        # world components, or those of the body if the frame's view is local
        own, w = frame._own, frame.angular_velocity
        arm, rate = _out_of(own, where.p0 + deflection), _out_of(own, rates[:, :3])
        turn = Turn(moved[:, 3:], rates[:, 3:])
        spin = _out_of(own, turn.spin)

        def linear() -> Array:
            turning = cross(frame.angular_acceleration, arm) + cross(w, cross(w, arm) + 2.0 * rate)
            return frame.acceleration + turning + _out_of(own, where.change(d.q, d.u, d.a)[:, :3])

        def angular() -> Array:
            change = _out_of(own, turn.change(where.change(d.q, d.u, d.a)[:, 3:]))
            return frame.angular_acceleration + cross(w, spin) + change

        place_now, velocity = frame.position + arm, frame.velocity + cross(w, arm) + rate
        super().__init__(name, own, place_now, velocity, linear, w + spin, angular)
        self.deflection = deflection
        """(nt, 3) elastic displacement in body axes, m"""
        self.rotation = turn.theta
        """(nt, 3) elastic rotation vector in body axes, rad"""
        self._turn, self._deformation, self._frame, self._place = turn, d, frame, place
        self._carried = carried

    @property
    def matrix(self) -> Array:
        """(nt, 3, 3) attitude of the deformed section: its axes, or a frame's, in the world."""
        return self._turned_axes(self._frame.matrix @ self._turn.matrix)

    @property
    def local(self) -> Self:
        """The view with components along the axes of the body."""
        d, frame = self._deformation, self._frame.local
        view = type(self)(self.name, self._place, d, frame, self._carried)
        view._axes = self._axes
        return view


class StationView(SectionView, PlaceView):
    """Motion, deformation and section of a station of a beam: ``result["link2"].at(1.02)``.

    The view of the beam, ``_frame``, knows strain and section forces of its discretisation.
    """

    _frame: BeamView

    @property
    def x(self) -> float:
        """Station on the axis, m from the origin."""
        return float(self._place.position[0])

    def strain(self, side: Side = "y", axial: bool = True) -> Array:
        """(nt,) strain along x at the middle of a side of the section, as a gauge measures it.

        It is positive in tension. Without ``axial`` it is the part of bending only, as a pair of
        gauges on opposite sides measures it.
        """
        return self._frame.strain_at(self.x, side, axial)

    def section_forces(self, method: Method = "shapes") -> SectionForces:
        """Force N, Vy, Vz and moment T, My, Mz in the section over time, in its axes.

        "shapes": from the strain of the elastic coordinates, which converges slowly with modes.
        "balance": loads beyond the section less the inertia there, far more accurate with few
        modes; it includes what the beam's damping carries, and needs all loads to be known.
        """
        owner = label(self._frame._deformation.body)
        validate.choice(owner, "method", method, ("shapes", "balance"))
        return self._frame.section_forces_at(self.x, method)


class FlexibleView(BodyView):
    """Motion of a flexible body's frame, its elastic coordinates, and its places by ``at(...)``."""

    def __init__(self, deformation: Deformation, R: Array, p: Array, V: Array, A: Later) -> None:
        super().__init__(deformation.body.name, R, p, V, A)
        self._deformation = deformation
        self.coordinates = deformation.q
        """(nt, n) elastic coordinates, in the order of ``coordinate_names``"""
        self.rates = deformation.u
        """(nt, n) their rates"""
        self.coordinate_names = deformation.names
        """``mode_1`` ..., or by node ``u_1, v_1, w_1, tx_1, ty_1, tz_1`` ..."""
        self.coordinate_units = deformation.units
        self.dissipated = deformation.dissipated
        """(nt,) energy taken by the body's own damping since the start, J"""

    @property
    def accelerations(self) -> Array:
        """(nt, n) second derivatives of the elastic coordinates."""
        return self._deformation.a

    @classmethod
    def of(cls, result: Result, body: Body) -> Self:
        """The view of a flexible body of the engine."""
        deformation = Deformation.of(result, cast("FlexibleBody", body))
        return cls(deformation, *frame_motion(result, body.name))

    @property
    def deforming(self) -> tuple[FlexibleView, ...]:
        """Itself."""
        return (self,)

    def attitude(self, frame: Frame) -> Array:
        """(nt, 3, 3) rotation matrices from the axes of a frame, deformed, to the world."""
        turned: Array = self.at(*frame.position).matrix @ frame.rotation
        return turned

    @property
    def strain_energy(self) -> Array:
        """(nt,) J."""
        q, K = self._deformation.strained, self._deformation.stiffness
        energy: Array = 0.5 * np.einsum("ti,ij,tj->t", q, K, q)
        membranes = self._deformation.membranes
        return energy if membranes is None else energy + membranes.energy(q)

    @property
    def local(self) -> Self:
        """The view with vectors along the axes of the body; the attitude is unchanged."""
        view = self._with_motion(*self._local_motion())
        view._own = np.broadcast_to(np.eye(3), self._own.shape)
        return view

    def _with_motion(self, R: Array, p: Array, V: Array, A: Later) -> Self:
        """The body with other components of its frame's motion."""
        return type(self)(self._deformation, R, p, V, A)

    @cached_property
    def stress_history(self) -> StressHistory:
        """Equivalent stress of the points of the body over time; see ``stress.py``."""
        d = self._deformation
        d.expect_elastic("stress")
        return StressHistory(d.t, d.strained, partial(d.body.stress_blocks, d.point_masses))

    def von_mises(self) -> Array:
        """(nt,) largest equivalent stress of the body at each time, Pa."""
        return self.stress_history.envelope.over_time

    def largest_stress(self) -> LargestStress:
        """The largest equivalent stress over the run: value, time, place."""
        return self.stress_history.largest

    def stress_envelope(self) -> StressEnvelope:
        """The largest equivalent stress of each point of the body over the run."""
        return self.stress_history.envelope

    def point(self, *place: Any, **where: Any) -> ShellPointHistory | SolidPointHistory:
        """Strain and stress of a material point of a body made of shells or solids over time.

        ``point((x, y, z))`` or ``point(node=3)``; of shells also ``point(triangle=7)``.
        """
        d = self._deformation
        component, basis = d.body.component_shapes(d.point_masses)
        return point_history(component, basis, d.q, *place, **where)

    @property
    def far_end(self) -> PlaceView | None:
        """The far end of a body that has one: a beam."""
        return None

    def at(self, x: Any = None, y: float = 0.0, z: float = 0.0) -> PlaceView:
        """Motion and deformation of a place, as the body's own ``at`` takes it."""
        place = self._deformation.body.at(x, y, z)
        return PlaceView(place.name, place, self._deformation, self)


class BeamView(FlexibleView):
    """Motion of a beam's frame, its elastic coordinates, and its stations by ``at(x)``."""

    @property
    def length(self) -> float:
        """Length of the beam, m: its last station."""
        return self._deformation.body.typical_length

    @property
    def far_end(self) -> StationView:
        """The last station."""
        return self.at()

    def at(self, x: float | None = None, y: float = 0.0, z: float = 0.0) -> StationView:
        """Motion and deformation of the station x, m from 0 to the length; y and z are zero.

        Without x it is the far end.
        """
        place = self._deformation.body.at(self.length if x is None else x, y, z)
        name = f"{self.name}@{float(place.position[0]):g}"
        return StationView(name, place, self._deformation, self)

    def strain_at(self, x: float, side: Side, axial: bool) -> Array:
        """(nt,) strain along x at the middle of a side of the section at a station (m)."""
        d = self._deformation
        d.expect_elastic("strain")
        row = cast("Beam", d.body).strain_gauge(x, side, axial, d.point_masses)
        return np.asarray(d.strained @ row)

    def section_forces_at(self, x: float, method: Method) -> SectionForces:
        """Section forces at a station (m), by the strain of its shapes or by balance."""
        d = self._deformation
        beam = cast("Beam", d.body)
        if method == "balance":
            values = section_balance([self], (0, x), section_loads(self).complete, beam)
        else:
            d.expect_elastic("stress by shapes")
            values = d.strained @ beam.section_forces(x, d.point_masses).T
        return SectionForces(values, beam.section.at(x / beam.length), method)

    def largest_stress(self) -> LargestStress:
        """The largest equivalent stress; warns where the balance of loads has another one."""
        return warn_of_shapes(self, super().largest_stress())

    def von_mises(self) -> Array:
        """(nt,) largest equivalent stress of the body at each time, Pa; warns alike."""
        warn_of_shapes(self, super().largest_stress())
        return super().von_mises()

    def carried(self, x: float) -> StationView:
        """The station x as inertia and loads see it, with the shapes of the body's places only."""
        place = self._deformation.body.at(x)
        return StationView(f"{self.name}@{x:g}", place, self._deformation, self, True)


class NodalView(FlexibleView):
    """Motion of a body whose places are nodes and interfaces, and its elastic coordinates."""

    def at(
        self, x: Any = None, y: float = 0.0, z: float = 0.0, node: str | int | None = None
    ) -> PlaceView:
        """Motion and deformation of a place by name, as ``node=...``, or by its coordinates (m)."""
        body = cast("FrameStructure | MeshBody", self._deformation.body)
        place = body.at(x, y, z, node=cast("Any", node))
        return PlaceView(place.name, place, self._deformation, self)


class FrameStructureView(NodalView):
    """Motion of a frame structure, its elastic coordinates, its nodes by ``at(name)``."""

    def strain(self, member: int, s: float, side: Side = "y", axial: bool = True) -> Array:
        """(nt,) strain along a member at the middle of a side of its section, as a gauge measures.

        ``member`` counts from 0, ``s`` in 0..1 goes along its axis. It is positive in tension.
        """
        d = self._deformation
        d.expect_elastic("strain")
        row = cast("FrameStructure", d.body).strain_gauge(member, s, side, axial, d.point_masses)
        strain: Array = d.strained @ row
        return strain

    def section_forces(self, member: int, s: float) -> SectionForces:
        """Force and moment in a member at the place s in 0..1 over time, in its axes.

        They come from the strain of the elastic coordinates.
        """
        d = self._deformation
        d.expect_elastic("stress")
        body = cast("FrameStructure", d.body)
        rows = body.section_forces(member, s, d.point_masses)
        return SectionForces(d.q @ rows.T, body.members[member].section.at(s), "shapes")

    def stress(self, member: int, s: float, y: float, z: float) -> Array:
        """(nt, 3) stresses s_xx, s_xy, s_xz at the point (y, z) of a member's section, Pa."""
        return self.section_forces(member, s).stress(y, z)


def _out_of(R: Array, x: Array) -> Array:
    """World components of the vectors x (nt, 3) along the axes whose columns are R (nt, 3, 3)."""
    return into(np.swapaxes(R, 1, 2), x)


def warn_of_shapes(view: BeamView, found: LargestStress) -> LargestStress:
    """Return a stress, and warn if the balance of loads has another largest one at its time.

    It is looked at where the largest stress is, and at both ends.
    """
    k = int(np.argmin(np.abs(view._deformation.t - found.time)))
    balanced = 0.0
    for x in sorted({0.0, float(found.place[0]), view.length}):
        try:
            values = view.at(x).section_forces("balance").von_mises()
        except SuppleError:  # a load that is not known, or a section without sizes
            return found
        balanced = max(balanced, float(values[k]))
    if not np.isfinite(balanced) or abs(balanced - found.value) <= LIMIT * balanced:
        return found
    much = "large" if found.value > balanced else "small"
    warn_caller(
        f"Beam {view.name!r}: its largest stress {found.value:.4g} Pa by its shapes is "
        f"{percent(abs(found.value / balanced - 1.0))} too {much} beside {balanced:.4g} Pa by the "
        "balance of its loads: use more modes or elements, or section_forces('balance')"
    )
    return found


class Turn:
    """Rotations by vectors theta (nt, 3) that change with rates (nt, 3), as matrices and spin.

    With s = theta^2 the matrix is 1 + c theta~ + a theta~^2, and the spin, in the axes before the
    rotation, is theta' + a theta x theta' + b theta x (theta x theta'). Near s = 0 the functions
    c, a, b are summed as series, where quotients would cancel.
    """

    def __init__(self, theta: Array, rate: Array) -> None:
        self.theta, self.rate = theta, rate
        s = np.einsum("ti,ti->t", theta, theta)
        self._s = s
        f = np.sqrt(s)
        c = np.sinc(f / np.pi)
        a = 0.5 * np.sinc(f / (2.0 * np.pi)) ** 2  # (1 - cos f) / f^2 without cancellation
        small = s < 0.25
        far = np.where(small, 1.0, s)
        b = np.where(small, _series(s, 3), (1.0 - c) / far)
        self._c, self._a, self._b = (x[:, None] for x in (c, a, b))

    @cached_property
    def _slopes(self) -> tuple[Array, Array]:
        """Derivatives of a and b with respect to s, (nt, 1)."""
        s, c, a, b = self._s, self._c[:, 0], self._a[:, 0], self._b[:, 0]
        small = s < 0.25
        far = np.where(small, 1.0, s)
        da = np.where(small, _series_slope(s, 2), (c - 2.0 * a) / (2.0 * far))
        db = np.where(small, _series_slope(s, 3), (a - 3.0 * b) / (2.0 * far))
        return da[:, None], db[:, None]

    @property
    def matrix(self) -> Array:
        """(nt, 3, 3) exp(~theta)."""
        x, y, z = self.theta.T
        o = np.zeros_like(x)
        skew = np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3, 3)
        matrix: Array = np.eye(3) + self._c[..., None] * skew + self._a[..., None] * (skew @ skew)
        return matrix

    @property
    def spin(self) -> Array:
        """(nt, 3) angular velocity in the axes before the rotation: exp' exp^T = ~spin."""
        return self._operate(self.rate)

    def change(self, acceleration: Array) -> Array:
        """(nt, 3) time derivative of the spin when theta'' is the given acceleration (nt, 3)."""
        theta, rate = self.theta, self.rate
        once = cross(theta, rate)
        twice = cross(theta, once)
        ds = 2.0 * np.einsum("ti,ti->t", theta, rate)[:, None]
        da, db = self._slopes
        moved: Array = da * ds * once + db * ds * twice
        return moved + self._b * cross(rate, once) + self._operate(acceleration)

    def _operate(self, x: Array) -> Array:
        once = cross(self.theta, x)
        turned: Array = x + self._a * once + self._b * cross(self.theta, once)
        return turned


def _series(s: Array, first: int) -> Array:
    """Sum of (-s)^k / (2 k + first)!."""
    return _polynomial(-s, [1.0 / math.factorial(2 * k + first) for k in range(TERMS)])


def _series_slope(s: Array, first: int) -> Array:
    """Derivative of `_series` with respect to s."""
    return _polynomial(-s, [-k / math.factorial(2 * k + first) for k in range(1, TERMS)])


def _polynomial(x: Array, factors: list[float]) -> Array:
    """Sum of factors[k] x^k."""
    found = np.full_like(x, factors[-1])
    for factor in factors[-2::-1]:
        found *= x
        found += factor
    return found
