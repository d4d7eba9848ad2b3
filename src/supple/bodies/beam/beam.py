"""Beam: a slender flexible body in a floating frame, or in segments that have one each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.base.axis import STATION_TOLERANCE, AxisBody, given_parts
from supple.bodies.base.centre_line import CentreLineChoice, Twist
from supple.bodies.base.flexible import (
    CarryingPlace,
    PointMasses,
    damping_choice,
    instance,
    mode_choice,
    rows_at,
    warn_of_split,
    warn_unstretched,
)
from supple.bodies.base.reduced import ReducedBody, stiffening_of_segments
from supple.bodies.beam import recovery
from supple.bodies.beam.drawing import beam_surface
from supple.bodies.beam.second_order import BeamSlaves, beam_slaves, exact_forms
from supple.fem.base.damping import Damping
from supple.fem.base.material import Material
from supple.fem.beams.beam import BeamMesh
from supple.fem.beams.line import THEORIES, Theory
from supple.fem.beams.section_forces import beam_section_forces
from supple.fem.beams.shear_law import with_shear
from supple.fem.drawn.surface import Surface
from supple.fem.recovery.section_points import SIDES, gauge_row
from supple.fem.recovery.stress_points import StressBlock
from supple.fem.sections.sections import CrossSection, Profile, TaperedSection
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame, Line, ViewName
from supple.foundation.validate import read_only, set_fields
from supple.reduction.assumed.beam import AssumedBeam, assumed_section_forces
from supple.reduction.assumed.shapes import AssumedShapes, SineShapes
from supple.reduction.field import MeshField
from supple.reduction.membranes import beam_membranes, is_membrane
from supple.reduction.modal import (
    Attachment,
    ModalBody,
    ModeChoice,
    Reduction,
    attached,
    reduce_mesh,
)
from supple.reduction.modes import REFERENCES, Reference, kept_coordinates
from supple.reduction.problem import Problem
from supple.reduction.response import StaticResponse, StressedLoads
from supple.reduction.shape_sets import ShapeSet
from supple.reduction.stiffening import (
    SecondOrder,
    Stiffening,
    StiffeningName,
    stiffening_choice,
)

MODES = (
    "'all', a number of modes, different mode numbers from 1, e.g. [1, 2, 9], "
    "or shapes, e.g. SineShapes(n)"
)
MOST_MODES = 6  # of the usual study of convergence
ASSUMED_CELLS = 20  # between stations of a beam without inner nodes, as with assumed shapes


@dataclass(frozen=True, eq=False, init=False)
class Beam(AxisBody, ReducedBody):
    """A beam along +x from its origin, with its section in y, z; in parts it may be curved.

    Parameters
    ----------
    name : str
        Unique in its model.
    length : m
        Positive.
    section : Box, Rectangle, Circle, Tube, ISection, Section or TaperedSection
    material : Material
    elements : int
        Number of equal finite elements; assumed shapes have none.
    modes : "all", int, sequence of int, AttachmentModes, NormalModes, SineShapes, ... or "auto"
        Elastic coordinates: all nodal displacements and rotations, the lowest modes (0: rigid),
        modes by number from 1, modes of chosen shapes, or amplitudes of assumed shapes
        (`SineShapes`, `PolynomialShapes`, `UserShapes`), which need the reference that they were
        made for. Point masses on the beam take part in the modes. "auto": chosen by
        `supple.choose_modes`.
    reference : "clamped", "chord" or "mean_axis"
        How the body's frame follows the deforming beam: fixed to a node; through both ends (u, v,
        w and twist at the origin and v, w at the other end are zero); or moving so that the
        deformation has no momentum.
    damping : Rayleigh, ModalDamping or KelvinVoigt, optional
    rotary_inertia : bool
        Off: the mass is on the axis. Twist has no inertia then and is left out.
    torsion : "saint_venant" or "polar"
        Torsion constant of the section, or its polar moment I_y + I_z.
    roll : rad
        Turns the section about x.
    clamp_node : int
        The node of a clamped frame, from 0 at the origin to ``elements`` at the other end.
    theory : "euler_bernoulli" or "timoshenko"
        Sections stay normal to the axis, or shear against it; short beams and high modes need the
        second. Assumed shapes have no shear.
    stiffening : "none", "axial", "von_karman", "second_order", Axial, VonKarman or SecondOrder
        What a deflection does to the stiffness; see these classes.
    parts : int or sequence of m, optional
        Cut into so many parts, or at these stations, for rotations of any size: each part is one
        element that deforms against its own chord. Stations that the model uses become ends of
        parts too. Parts have stiffening "second_order", those of curved and twisted beams
        SecondOrder(twist=True), unless it is "none" or another one of them; ``elements`` is not
        used, and the beam's own frame is its section at the origin.
    twist : rad, function of the station (m) or pairs (station, rad), optional; with parts
        Pre-twist: turns the sections about the axis, by a number evenly from end to end.
    centre_line : function of the arc length (m) or (k, 3) m, optional; with parts
        Points of the axis without load, or a curve through some (``length`` may then be None).
        Stations are arc lengths. Sections turn with the tangent and not about it.
    first_y : (3,)
        Direction y of the section at the origin on the axes of the centre line, made normal to it.
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Place and axes of its own frame in the world as the model is written; for `at_world`.
    """

    view: ClassVar[ViewName] = "stations"

    length: float
    section: Profile
    material: Material
    elements: int
    modes: ModeChoice | ShapeSet | AssumedShapes
    reference: Reference
    damping: Damping | None
    rotary_inertia: bool
    torsion: Literal["saint_venant", "polar"]
    roll: float
    clamp_node: int
    theory: Theory
    stiffening: Stiffening
    parts: int | tuple[float, ...] | None
    twist: Twist
    centre_line: CentreLineChoice
    first_y: Vector

    def __init__(
        self,
        name: str,
        length: float | None,
        section: Profile,
        material: Material,
        elements: int = 4,
        modes: int | Literal["all", "auto"] | Sequence[int] | ShapeSet | AssumedShapes = "all",
        reference: Reference = "clamped",
        damping: Damping | None = None,
        rotary_inertia: bool = True,
        torsion: Literal["saint_venant", "polar"] = "saint_venant",
        roll: float = 0.0,
        clamp_node: int = 0,
        theory: Theory = "euler_bernoulli",
        stiffening: StiffeningName | Stiffening = None,
        parts: int | Sequence[float] | None = None,
        twist: float | Callable[[float], float] | ArrayLike | None = None,
        centre_line: Callable[[float], ArrayLike] | ArrayLike | None = None,
        first_y: ArrayLike = (0.0, 1.0, 0.0),
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        set_fields(self, name=validate.name("Beam", name))
        self._placed(position, rotation)
        owner = label(self)
        for field, value in (("twist", twist), ("centre_line", centre_line)):
            if parts is None and value is not None:
                raise ModelError(owner, field, value, "None without parts=, e.g. parts=8")
        self._give_line(length, twist, centre_line, first_y)
        set_fields(
            self,
            section=instance(
                owner,
                "section",
                section,
                (CrossSection, TaperedSection),
                "a section, e.g. Box(0.02, 0.02, 0.002)",
            ),
            material=instance(
                owner, "material", material, Material, "a Material(E=..., G=..., density=...)"
            ),
            elements=validate.element_count(owner, elements),
            reference=validate.choice(owner, "reference", reference, REFERENCES),
            damping=damping_choice(owner, damping),
            rotary_inertia=instance(owner, "rotary_inertia", rotary_inertia, bool, "True or False"),
            torsion=validate.choice(owner, "torsion", torsion, ("saint_venant", "polar")),
            roll=validate.number(owner, "roll", roll),
            theory=validate.choice(owner, "theory", theory, THEORIES),
            stiffening=stiffening_choice(owner, stiffening),
            parts=None,
        )
        if self.theory == "timoshenko":
            for s in (0.0, 1.0):  # a section without shear coefficients is refused here
                self.section.at(s).shear_coefficients(self.material.poisson)
        last = f"a node from 0 to {self.elements}"
        set_fields(self, clamp_node=validate.integer(owner, "clamp_node", clamp_node, 0, last))
        if self.clamp_node > self.elements:
            raise ModelError(owner, "clamp_node", self.clamp_node, last)
        if self.clamp_node and self.reference != "clamped":
            raise ModelError(
                owner, "clamp_node", self.clamp_node, f"0 with reference {self.reference!r}"
            )
        centre = self.section.at(0.0).shear_centre
        if any(centre) and (self.stiffening is not None or isinstance(modes, AssumedShapes)):
            what = "assumed shapes" if isinstance(modes, AssumedShapes) else "stiffening"
            raise ModelError(owner, "shear_centre of its section", centre, f"(0, 0) with {what}")
        if isinstance(modes, AssumedShapes):
            if parts is not None:
                raise ModelError(owner, "parts", parts, f"None with {modes!r}, which is not cut")
            modes.check(owner, self.reference, self.rotary_inertia)
            if self.theory != "euler_bernoulli":
                raise ModelError(owner, "theory", theory, f"'euler_bernoulli' with {modes!r}")
            if isinstance(self.stiffening, SecondOrder) and self.stiffening.twist:
                expected = f"SecondOrder() with {modes!r}, which has no elements"
                raise ModelError(owner, "stiffening", stiffening, expected)
            set_fields(self, modes=modes, _reductions={})
            return
        kept = kept_coordinates(
            self.reference, self.elements + 1, self.clamp_node, self.rotary_inertia
        )
        choice = mode_choice(owner, modes, len(kept), MODES)
        set_fields(self, modes=choice, _reductions={})
        if parts is not None:
            self._give_parts(parts, stiffening)
        elif isinstance(choice, ShapeSet):  # what does not suit this beam is refused here
            self._reduced(())

    def _give_parts(self, parts: Any, stiffening: Any) -> None:
        """Check and keep the segments that are asked for, and their stiffening."""
        owner = label(self)
        chosen = given_parts(owner, parts, self.length)
        usual = {"modes": "all", "reference": "clamped", "clamp_node": 0}
        default = SecondOrder(twist=self.curved)
        word = stiffening_of_segments(self, usual, stiffening, default)
        set_fields(self, parts=chosen, stiffening=word)
        if self.curved and not self.rotary_inertia:
            expected = "True with twist or a centre line: without it sections cannot turn"
            raise ModelError(owner, "rotary_inertia", False, expected)
        centre = self.section.at(0.0).shear_centre
        if self.curved and any(centre):
            expected = "(0, 0) with twist or a centre line"
            raise ModelError(owner, "shear_centre of its section", centre, expected)

    @property
    def divides(self) -> bool:
        """True if it is in segments: `supple.bodies.beam.segmented`."""
        return self.parts is not None

    def attachment(self, frame: Frame, point_masses: PointMasses = ()) -> Attachment:
        """Motion of a frame of this beam with the coordinates of ``modal(point_masses)``."""
        x = self.station(frame)
        field = self._reduced(point_masses)
        moved = field.motions([x])[0]
        body = self._slaved(point_masses)[0]
        slaved = self.slaved_rows(x, point_masses)
        return attached((x, 0.0, 0.0), frame.rotation, moved, body, slaved)

    def reduction(self, point_masses: PointMasses = ()) -> Reduction:
        """Reduction of the mesh; printed, it shows frequencies before and after."""
        found = self._reduced(point_masses)
        if isinstance(found, AssumedBeam):
            raise ModelError(label(self), "modes", self.modes, "shapes of a mesh, not assumed ones")
        return found.reduction

    @property
    def line(self) -> Line:
        """Itself: loads can be spread along its axis."""
        return self

    @property
    def axis(self) -> Vector:
        """Direction (3,) of the axis: x."""
        return np.array([1.0, 0.0, 0.0])

    @property
    def carries_own_frame(self) -> bool:
        """True if the body's own frame is fixed to its material at the origin."""
        clamped = self.reference == "clamped" and self.clamp_node == 0
        return clamped or self.parts is not None

    def surface(self, point_masses: PointMasses = ()) -> Surface:
        """Surface of its section moved along its axis."""
        return beam_surface(self, point_masses)

    def rigid_fields(self) -> dict[str, Any]:
        """Fields of this beam when it is rigid."""
        if self.curved:
            expected = "a RigidBody in its place, where beams are taken as rigid"
            raise ModelError.plain(f"{label(self)}: it is curved or twisted, expected {expected}")
        return {
            "modes": 0,
            "reference": "clamped",
            "clamp_node": 0,
            "damping": None,
            "stiffening": None,
            "parts": None,
        }

    def usual_values(self, field: str) -> Sequence[Any]:
        """One to six modes or sines; one to eight elements."""
        if field == "modes" and isinstance(self.modes, SineShapes):
            return [replace(self.modes, n=k) for k in range(1, MOST_MODES + 1)]
        return {
            "modes": range(1, MOST_MODES + 1),
            "elements": (1, 2, 4, 8),
            "parts": (2, 4, 8, 16),
        }.get(field, ())

    @property
    def telling_place(self) -> tuple[float]:
        """The end, or the middle where the frame of a chord goes through the end."""
        return (self.length / 2 if self.reference == "chord" else self.length,)

    def load_cells(self, order: int) -> tuple[Vector, int]:
        """Inner stations (m) where shapes have kinks, and Gauss points for a load between them.

        ``order`` points are meant for the cubics of an element.
        """
        if isinstance(self.modes, AssumedShapes):
            return np.zeros(0), self.modes.load_points(order)
        return np.linspace(0.0, self.length, self.elements + 1)[1:-1], order

    def _reduced(self, point_masses: PointMasses) -> MeshField | AssumedBeam:
        """Shapes and body with these point masses, from the cache if they were asked before."""
        cache: dict[Any, MeshField | AssumedBeam] = self.__dict__["_reductions"]
        try:
            return cache[point_masses]  # as they are listed there
        except (KeyError, TypeError):
            pass
        if self.parts is not None:
            count = self.parts if isinstance(self.parts, int) else len(self.parts) + 1
            expected = "None, a beam that is one body, for its elastic coordinates"
            raise ModelError(label(self), "parts", count, expected)
        owner, expected = label(self), "pairs (station, mass)"
        given = validate.array(owner, "point_masses", point_masses, expected)
        if given.size and (given.ndim != 2 or given.shape[1] != 2):
            raise ModelError(owner, "point_masses", point_masses, expected)
        masses = tuple(
            sorted(
                (self._station("x of a point mass", x), validate.positive(owner, "point mass", m))
                for x, m in given
                if m != 0.0
            )
        )
        places = self._shaped(point_masses)
        key = (masses, places) if places else masses
        if key not in cache:
            cache[key] = self._reduce(masses, places)
        if isinstance(point_masses, tuple):  # which the engine asks for, places without mass too
            cache[point_masses] = cache[key]
        return cache[key]

    def _matrices(self, point_masses: PointMasses) -> tuple[Reduction, Vector, Any] | None:
        if self.modes == "all":
            return None
        found = self._reduced(point_masses)
        if isinstance(found, AssumedBeam):
            return None
        return found.reduction, found.reduction.basis, cast("BeamMesh", found.mesh).mass_matrix

    def _field(self, reduced: Any) -> tuple[float | None, Problem | None]:
        """Station (m) where the axis is held, and the problem of its mesh if twist is asked for."""
        held, problem = None, None
        if self.reference != "mean_axis":
            held = self.length * self.clamp_node / self.elements
        if isinstance(reduced, MeshField) and cast("SecondOrder", self.stiffening).twist:
            problem = self._problem(cast("BeamMesh", reduced.mesh))
        return held, problem

    def _slave(self, reduced: Any, places: tuple[float, ...]) -> tuple[ModalBody, BeamSlaves]:
        found = beam_slaves(reduced, places, *self._field(reduced))
        return found.body(reduced), found

    def _exact(self, reduced: Any, place: float) -> Vector:
        return exact_forms(reduced, place, *self._field(reduced))

    @property
    def _mesh_type(self) -> type[BeamMesh]:
        return BeamMesh

    def _problem(self, mesh: BeamMesh, places: Sequence[float] = ()) -> Problem:
        """A mesh in the frame of the beam, to be reduced; something is attached at places (m)."""
        attached = tuple(mesh.motion(x) for x in places)
        frame = self.reference, self.clamp_node, self.rotary_inertia  # without it twist has no mass
        return Problem(mesh, *frame, self._node, mesh.motion, attached)

    def _finished(
        self, reduction: Reduction, line: dict[str, Any], places: Sequence[float]
    ) -> Reduction:
        """The reduction of its mesh along a line (fields of `BeamLine`), with all that it needs."""
        return reduction

    def _reduce(
        self, masses: tuple[tuple[float, float], ...], places: tuple[float, ...]
    ) -> MeshField | AssumedBeam:
        options: dict[str, Any] = {
            "section": self.section,
            "material": self.material,
            "length": self.length,
            "theory": self.theory,
            "torsion": self.torsion,
            "rotary_inertia": self.rotary_inertia,
            "roll": self.roll,
            "point_masses": masses,
        }
        if isinstance(self.modes, AssumedShapes):
            assumed = AssumedBeam(
                **options, shapes=self.modes, damping=self.damping, stiffening=self.stiffening
            )
            warn_unstretched(self, self.stiffening, assumed.body)
            return assumed
        mesh = self._mesh_type(**options, elements=self.elements)
        problem = self._problem(mesh, places)
        given = self.modes, label(self), self.damping, self._pattern
        reduction = reduce_mesh(problem, *given)
        warn_of_split(self, reduction)
        reduction = self._finished(reduction, options, places)
        if is_membrane(self.stiffening):
            membranes = beam_membranes(mesh, reduction.basis, self.stiffening)
            reduction = reduction.with_membranes(membranes)
            warn_unstretched(self, self.stiffening, reduction.body)
        return MeshField(mesh, reduction)

    def _place(self, place: float) -> float:
        return self._station("x of a point mass", place)

    def _node(self, x: Any) -> int:
        """Number of the node at a station."""
        station = self._station("an interface", x)
        node = round(station / self.length * self.elements)
        nearest = self.length * node / self.elements
        if abs(nearest - station) > STATION_TOLERANCE * self.length:
            raise ModelError(
                label(self), "an interface", x, f"a node, e.g. {nearest:g}, or other elements"
            )
        return node

    def _respond(
        self,
        reduced: MeshField | AssumedBeam,
        places: tuple[float, ...],
        fine: BeamMesh | None = None,
    ) -> StaticResponse:
        problem = self._problem(recovery.mesh_of(reduced, self.elements))
        return recovery.beam_response(reduced, problem, fine or self._fine(reduced), places)

    def stressed_energy(self, loads: StressedLoads, point_masses: PointMasses = ()) -> Vector:
        """Energy that its elastic coordinates leave out, where its stress changes its stiffness."""
        reduced = self._reduced(point_masses)
        problem = self._problem(recovery.mesh_of(reduced, self.elements))
        how = self.is_segment, not self.second_order_twist
        return recovery.stressed_energy(reduced, problem, self._fine(reduced), loads, *how)

    def sheared_response(
        self, places: Sequence[float], point_masses: PointMasses = ()
    ) -> StaticResponse | None:
        """The response with shear of sections, which Euler and Bernoulli leave out; kept."""
        if self.theory == "timoshenko":
            return None
        reduced = self._reduced(point_masses)

        def make() -> StaticResponse:
            section = with_shear(self.section, self.material.poisson)
            fine = replace(self._fine(reduced), section=section, theory="timoshenko")
            return self._respond(reduced, tuple(places), fine)

        return self._kept(("sheared", reduced, tuple(places)), make)

    def responding_mesh(self, point_masses: PointMasses = ()) -> BeamMesh:
        """The mesh of ``static_response``, whose first points are its nodes; kept."""
        return self._fine(self._reduced(point_masses))

    def _fine(self, reduced: MeshField | AssumedBeam) -> BeamMesh:
        mesh = partial(recovery.mesh_of, reduced, self.elements)
        return self._kept(("responding", reduced), lambda: recovery.fine_mesh(mesh()))

    @property
    def shear_remedy(self) -> str:
        """Another theory, which assumed shapes do not have."""
        remedy = super().shear_remedy
        assumed = isinstance(self.modes, AssumedShapes)
        return f"{remedy} and modes of a mesh, e.g. AttachmentModes(n)" if assumed else remedy

    def load_stiffness(
        self, places: Sequence[float], factors: Vector, point_masses: PointMasses = ()
    ) -> Vector:
        """Geometric stiffness (k, n, n) of the normal force under k loads."""
        return recovery.load_stiffness(self, places, factors, point_masses)

    def slaved_rows(self, x: float, point_masses: PointMasses = ()) -> Vector:
        """Rows (6, r) of displacement and rotation by slaved shapes at a station."""
        body, slaves = self._slaved(point_masses)
        return np.zeros((6, 0)) if body.slaves is None else cast("BeamSlaves", slaves).rows(x)

    def tilting_fields(self, point_masses: PointMasses = ()) -> Vector:
        """Matrices (k, 3, 3) that move places in sections, by the last k of all slaved shapes."""
        body, slaves = self._slaved(point_masses)
        none = np.zeros((0, 3, 3))
        return none if body.slaves is None else cast("BeamSlaves", slaves).tilt.fields

    @property
    def mass_choice(self) -> str:
        """Place of its mass, see `SegmentOptions`."""
        return "consistent"

    @property
    def sizes_known(self) -> bool:
        """True if the sizes of its sections are known."""
        return self.section.at(0.0).half_sizes is not None

    @property
    def spread_places(self) -> tuple[tuple[float, ...], ...]:
        """Eight stations up to the end."""
        return tuple((self.length * k / 8.0,) for k in range(1, 9))

    @property
    def watched_stations(self) -> Vector:
        """Stations (k,) where its deformation is evaluated, m: nodes and between them."""
        inner = self.is_segment or len(self.load_cells(1)[0])
        return np.linspace(0.0, self.length, (2 * self.elements if inner else ASSUMED_CELLS) + 1)

    def moving_rows(self, point_masses: PointMasses = ()) -> tuple[Vector, Vector]:
        """Rows (p, 3, n) of displacement and of rotation of its sections; kept."""

        def make() -> tuple[Vector, Vector]:
            moved, turned = rows_at(self, map(self.at, self.watched_stations), point_masses)
            return read_only(moved), read_only(turned)

        return self._kept(("moving", self._reduced(point_masses)), make)

    def strain_rows(self, x: float, point_masses: PointMasses = ()) -> tuple[Vector, float]:
        """Rows (3, n) of u' and both curvatures, and the roll of the section against their axes."""
        return self._reduced(point_masses).strain(x), self.roll

    def strain_gauge(
        self,
        x: float,
        side: recovery.Side = "y",
        axial: bool = True,
        point_masses: PointMasses = (),
    ) -> Vector:
        """Row (n,) of the strain along x at the surface: strain = row @ q.

        ``side`` is a side of the section, which ``roll`` turns. The strain is u' - y v'' - z w''
        at the middle of that side; without ``axial`` the part of bending only, as a pair of
        gauges on opposite sides measures it.
        """
        owner = label(self)
        station = self._station("x of strain_gauge", x)
        validate.choice(owner, "side of strain_gauge", side, tuple(SIDES))
        section = self.section.at(station / self.length)
        strain, roll = self.strain_rows(station, point_masses)
        return gauge_row(owner, "half_sizes of its section", section, side, strain, axial, roll)

    def section_forces(self, x: float, point_masses: PointMasses = ()) -> Vector:
        """Rows (6, n) of N, Vy, Vz (N), T, My, Mz (N m) at a station: forces = rows @ q.

        They are in the axes of the section, which ``roll`` turns, and come from the strain of the
        shapes; see `supple.fem.beams.section_forces`.
        """
        station = self._station("x of section_forces", x)
        field = self._reduced(point_masses)
        if isinstance(field, AssumedBeam):
            return assumed_section_forces(field, station)
        mesh = cast("BeamMesh", field.mesh)
        return read_only(beam_section_forces(mesh, station) @ field.reduction.basis)

    def stress_blocks(self, point_masses: PointMasses = ()) -> Iterator[StressBlock]:
        """Points on its surface, at its nodes and between them."""
        return recovery.stress_blocks(self, point_masses)

    def strain_blocks(self, point_masses: PointMasses = ()) -> Iterator[StressBlock]:
        """Surface points for strain; midpoints of the sides if its section is given by numbers."""
        return recovery.strain_blocks(self, point_masses)

    def strain_kinds(self, point_masses: PointMasses = ()) -> dict[str, Vector]:
        """Bending, torsion and extension: integrals of the squares of section forces."""
        return recovery.strain_kinds(self, point_masses)

    def carrying_places(self, point_masses: PointMasses = ()) -> Iterator[CarryingPlace]:
        """Gauss points between its nodes."""
        return recovery.carrying_places(self, point_masses)

    def mass_points(
        self, beyond: float, with_end: bool, point_masses: PointMasses = ()
    ) -> Iterator[recovery.MassPoint]:
        """Mass beyond a station (m); a point mass at that very station counts ``with_end``."""
        return recovery.mass_points(self, beyond, with_end, point_masses)
