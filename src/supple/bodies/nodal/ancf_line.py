"""Beams and cables without a frame of their own: places and gradients of nodes in the world.

`ANCFBeam` has sections that shear and twist, `Cable` a line that bends. Rotations and
deflections may be of any size; strains are small. What their elements are is data, see
`supple.fem.nodal.ancf_table`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.base.axis import STATION_TOLERANCE, AxisBody, equal_steps
from supple.bodies.base.centre_line import CentreLineChoice, Twist, first_angle
from supple.bodies.base.flexible import instance
from supple.bodies.nodal.ancf_body import (
    MATERIAL,
    MOST_ELEMENTS,
    ANCFBody,
    damping_times,
    given_axes,
)
from supple.bodies.nodal.ancf_drawing import drawn_line, line_surface, line_vectors
from supple.fem.base.damping import KelvinVoigt, Rayleigh
from supple.fem.base.material import Material
from supple.fem.beams.line import BeamLine, SectionLaw
from supple.fem.drawn.surface import DrawnMesh, Surface
from supple.fem.nodal.ancf_beam import BEAM_ELEMENTS, BeamElementKind, SectionAxes, beam_mesh
from supple.fem.nodal.ancf_cable import CABLE_ELEMENTS, CableElementKind, cable_mesh
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.sections.sections import CrossSection, Profile, TaperedSection
from supple.foundation import validate
from supple.foundation.arrays import Indices, Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Body, Frame, Line
from supple.foundation.poses import Pose
from supple.foundation.validate import read_only, set_fields

if TYPE_CHECKING:
    from scipy import sparse

SECTION = "a section, e.g. Circle(0.01)"
EQUAL = 1e-9  # second moments of a section that has no axes of its own


class ANCFLine(ANCFBody, AxisBody):
    """A body of elements one after the other along an axis; places that are used become nodes."""

    elements: int
    closed: ClassVar[bool] = False  # True if the last station is the node of the first
    _used: tuple[float, ...] = ()  # inner stations (m) that a model uses

    @property
    def divides(self) -> bool:
        """True: nodes depend on the places that a model uses."""
        return True

    def divided(self, frames: Iterable[Frame]) -> Body:
        """The body with nodes at the stations of some frames."""
        used = self.inner_stations(frames)
        if used == self._used:
            return self
        body: Body = replace(cast("Any", self))
        set_fields(body, _used=used)
        return body

    @property
    def stations(self) -> Vector:
        """Stations (nodes,) m of the nodes: equal steps, and the places that are used."""
        return self.stations_with(self.elements)

    def stations_with(self, elements: int) -> Vector:
        """Stations (nodes,) m with another number of elements."""
        inner = equal_steps((0.0, *self._used, self.length), self.length / elements)
        return read_only([0.0, *inner, self.length])

    @cached_property
    def mesh(self) -> ANCFMesh:
        """Elements, with nodal vectors (nodes, V, d) at rest on the axes of the body."""
        return self._made_mesh()

    @abstractmethod
    def _made_mesh(self) -> ANCFMesh: ...

    @property
    def line(self) -> Line:
        """Itself: loads can be spread along its axis."""
        return self

    def load_cells(self, order: int) -> tuple[Vector, int]:
        """Inner stations (m) where shapes have kinks, and Gauss points for a load between them."""
        return self.stations[1:-1], order

    def node(self, frame: Frame) -> int:
        """Number of the node at which a frame is; a place between nodes is refused."""
        x, stations = self.station(frame), self.stations
        node = int(np.argmin(np.abs(stations - x)))
        if abs(stations[node] - x) > STATION_TOLERANCE * self.length:
            expected = f"a node, e.g. {stations[node]:g}: a model puts nodes at its frames"
            raise ModelError(label(self), "place of a frame", x, expected)
        return node

    @property
    def along_line(self) -> bool:
        """They do."""
        return True

    @property
    def frame_axes(self) -> SectionAxes:
        """Axes that frames on it turn with: those of the tangent."""
        return "tangent"

    def surface(self, point_masses: Sequence[tuple[float, float]] = ()) -> Surface:
        """Surface of the body."""
        return line_surface(self)

    def drawn(self) -> tuple[DrawnMesh, sparse.csr_array]:
        """A line through its axis, and rows (p, n) of its points from nodal vectors."""
        return drawn_line(self)

    def shown_vectors(self, frame: Frame) -> tuple[Indices, Vector]:
        """Numbers (K,) of nodal vectors, and rows (n, K): r, r_x, of a beam r_y, r_z at a frame."""
        return line_vectors(self, self.station(frame))

    def node_pose(self, node: int) -> Pose:
        """Place and axes of a node at rest, on the axes of the body."""
        return self.rest_pose(np.array([self.stations[node], 0.0, 0.0]))

    @property
    def shown_places(self) -> tuple[tuple[float, ...], ...]:
        """Arguments of ``at`` for its nodes."""
        return tuple((float(x),) for x in self.stations)

    @property
    def telling_place(self) -> tuple[float]:
        """The end."""
        return (self.length,)

    def usual_values(self, field: str) -> tuple[int, ...]:
        """Four to thirty-two elements."""
        return (4, 8, 16, 32) if field == "elements" else ()

    def _give_matter(
        self, section: Any, material: Any, elements: Any, damping: Any
    ) -> tuple[float, float]:
        """Check and keep what it is made of; return the times (s) of E and G of its damping."""
        owner = label(self)
        kinds = (CrossSection, TaperedSection)
        count = f"an integer from 1 to {MOST_ELEMENTS}"
        set_fields(
            self,
            section=instance(owner, "section", section, kinds, SECTION),
            material=instance(owner, "material", material, Material, MATERIAL),
            elements=validate.integer(owner, "elements", elements, 1, count),
            damping=damping,
        )
        if self.elements > MOST_ELEMENTS:
            raise ModelError(owner, "elements", elements, count)
        times = damping_times(owner, damping, self.material)
        centre = self.section.at(0.0).shear_centre
        if any(centre):
            raise ModelError(owner, "shear_centre of its section", centre, "(0, 0)")
        return times


@dataclass(frozen=True, eq=False, init=False)
class ANCFBeam(ANCFLine):
    """A beam along +x from its origin whose nodes have a place and three gradients each.

    Parameters
    ----------
    name : str
        Unique in its model.
    length : m
        Positive; None with points of a centre line.
    section : Box, Rectangle, Circle, Tube, ISection, Section or TaperedSection
        With shear coefficients; for ``element="continuum"`` a Rectangle, Circle or Tube.
    material : Material
    elements : int
        Number of equal elements; places that a model uses become nodes too.
    element : "collocated", "elastic_line" or "continuum"
        The first does not lock in large deflections of slender beams; the others do and are those
        of the literature (docs/theory.md).
    axes : "section" or "tangent", optional
        What a frame on it turns with, so that a joint holds it and a torque turns it. Elements
        "collocated" and "elastic_line" bend where the tangent r_x of their axis turns. A
        "continuum" bends where its sections (r_y and r_z) turn, and so do its frames; with
        "tangent" they have the direction of r_x instead, as clamps of the literature hold it,
        though sections beside it then tilt, the more the shorter the elements are.
    damping : KelvinVoigt or Rayleigh(stiffness=...), optional
    roll : rad
        Turns the section about x.
    twist : rad, function of the station (m) or pairs (station, rad), optional
        Pre-twist: turns the sections about the axis, by a number evenly from end to end.
    centre_line : function of the arc length (m) or (k, 3) m, optional
        Points of the axis without load, or a curve through some. Stations are arc lengths.
    first_y : (3,)
        Direction y of the section at the origin on the axes of the centre line, made normal to it.
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Place and axes of its first section in the world as the model is written.

    It is meant for slender beams: except of ``element="continuum"``, deflections by shear forces
    are left out, as by Euler and Bernoulli.
    """

    length: float
    section: Profile
    material: Material
    elements: int
    element: BeamElementKind
    axes: SectionAxes | None
    damping: KelvinVoigt | Rayleigh | None
    roll: float
    twist: Twist
    centre_line: CentreLineChoice
    first_y: Vector

    def __init__(
        self,
        name: str,
        length: float | None,
        section: Profile,
        material: Material,
        elements: int = 8,
        element: BeamElementKind = "collocated",
        damping: KelvinVoigt | Rayleigh | None = None,
        roll: float = 0.0,
        twist: float | Callable[[float], float] | ArrayLike | None = None,
        centre_line: Callable[[float], ArrayLike] | ArrayLike | None = None,
        first_y: ArrayLike = (0.0, 1.0, 0.0),
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        axes: SectionAxes | None = None,
    ) -> None:
        set_fields(self, name=validate.name("ANCFBeam", name))
        self._placed(position, rotation)
        self._give_line(length, twist, centre_line, first_y)
        times = self._give_matter(section, material, elements, damping)
        owner = label(self)
        set_fields(
            self,
            element=validate.choice(owner, "element", element, BEAM_ELEMENTS),
            axes=given_axes(owner, element, axes),
            roll=validate.number(owner, "roll", roll),
            _times=times,
        )
        # What does not suit the element is refused here: one element is enough to know.
        made = self.element, self._beam_line, self.stations[:2], self._rest[:2], times, owner
        try:
            beam_mesh(*made)
        except OverflowError:
            raise ModelError(owner, "length", length, "one whose powers are numbers") from None

    @property
    def turns(self) -> bool:
        """True: nodes have the axes of the section."""
        return True

    @property
    def frame_axes(self) -> SectionAxes:
        """Axes that frames on it turn with: ``axes``, or else those by which its element bends."""
        return self.axes or ("section" if self.element == "continuum" else "tangent")

    def node_pose(self, node: int) -> Pose:
        """Place and axes of a node at rest: the principal axes of the section, turned by roll."""
        pose = super().node_pose(node)
        angle = self.roll + first_angle(self.twist)
        if angle == 0.0:
            return pose
        c, s = np.cos(angle), np.sin(angle)
        return Pose(pose.R @ [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]], pose.p)

    @property
    def _beam_line(self) -> BeamLine:
        return BeamLine(
            section=self.section, material=self.material, length=self.length, theory="timoshenko"
        )

    def line_law(self, s: float) -> SectionLaw:
        """Stiffness and mass of its section at a place in 0..1."""
        return self._beam_line.at(s)

    @property
    def _rest(self) -> Vector:
        """Nodal vectors (nodes, 4, 3) at rest."""
        poses = [self.node_pose(k) for k in range(len(self.stations))]
        return np.array([[pose.p, *pose.R.T] for pose in poses])

    def _made_mesh(self) -> ANCFMesh:
        times = self.__dict__["_times"]
        made = self.element, self._beam_line, self.stations, self._rest, times, label(self)
        return beam_mesh(*made, self.frame_axes)


@dataclass(frozen=True, eq=False, init=False)
class Cable(ANCFLine):
    """A cable along +x from its origin: a line that stretches and bends, and has no twist.

    Parameters
    ----------
    name : str
        Unique in its model.
    length : m
        Positive, without load.
    section : Box, Rectangle, Circle, Tube, ISection, Section or TaperedSection
        With equal second moments, as round ones have: nothing tells where y is.
    material : Material
        G is not used.
    elements : int
        Number of equal elements; places that a model uses become nodes too.
    element : "mean" or "two_points"
        The axial strain is a parabola with the mean of each element and the stretch of its ends,
        which converges best, or taken at two points.
    damping : KelvinVoigt or Rayleigh(stiffness=...), optional
        It acts on the axial strain, not on bending.
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Place of its origin and axes in the world as the model is written.

    It is straight without load. A frame on a cable in space has a place and no axes that turn with
    it: joints, forces and sensors that need axes want an `ANCFBeam`.
    """

    length: float
    section: Profile
    material: Material
    elements: int
    element: CableElementKind
    damping: KelvinVoigt | Rayleigh | None

    def __init__(
        self,
        name: str,
        length: float,
        section: Profile,
        material: Material,
        elements: int = 8,
        element: CableElementKind = "mean",
        damping: KelvinVoigt | Rayleigh | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        set_fields(self, name=validate.name("Cable", name))
        self._placed(position, rotation)
        owner = label(self)
        set_fields(self, length=validate.positive(owner, "length", length))
        time = self._give_matter(section, material, elements, damping)[0]
        set_fields(
            self,
            element=validate.choice(owner, "element", element, CABLE_ELEMENTS),
            _time=time,
        )
        for s in (0.0, 1.0):
            here = self.section.at(s)
            if abs(here.I_y - here.I_z) > EQUAL * here.I_z:
                expected = "one with equal I_y and I_z, because nothing tells where y is"
                raise ModelError(owner, "section", here, expected)

    @property
    def turns(self) -> bool:
        """False: nothing is across the line."""
        return False

    @property
    def has_sections(self) -> bool:
        """False: nothing tells where y is."""
        return False

    @property
    def _laid_vectors(self) -> Vector | None:
        """Nodal vectors (nodes, 2, 3) of what is closed, as it is laid."""
        return None

    def _made_mesh(self) -> ANCFMesh:
        line = BeamLine(section=self.section, material=self.material, length=self.length)
        time, laid = self.__dict__["_time"], self._laid_vectors
        return cable_mesh(self.element, line, self.stations, 3, time, laid)
