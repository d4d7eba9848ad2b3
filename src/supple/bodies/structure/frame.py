"""FrameStructure: a structure of beams in space as one flexible body, or in segments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.base.flexible import (
    CarryingPlace,
    PointMasses,
    beam_hint,
    beam_suspicion,
    damping_choice,
    given_point,
    instance,
    mode_choice,
    nearest_place,
    warn_unstretched,
)
from supple.bodies.base.reduced import (
    MODES,
    Masses,
    NodalBody,
    NodalReduction,
    stiffening_of_segments,
)
from supple.bodies.beam.drawing import frame_surface
from supple.fem.base.damping import Damping
from supple.fem.base.material import Material
from supple.fem.beams.frame import FrameMesh, check_structure
from supple.fem.beams.line import gauss
from supple.fem.beams.member import Member, Node
from supple.fem.beams.shear_law import compliance, with_shear
from supple.fem.drawn.surface import DrawnMesh, Surface, mean_radius
from supple.fem.recovery.section_points import SIDES, gauge_row, section_block, side_block
from supple.fem.recovery.stress_points import StressBlock
from supple.fem.sections.section_stress import outline
from supple.fem.sections.sections import CrossSection, Section
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, label, suggestion
from supple.foundation.frames import Frame, TouchingPlace, ViewName
from supple.foundation.validate import read_only, set_fields
from supple.reduction.membranes import frame_membranes, is_membrane
from supple.reduction.mesh_flexibility import MeshFlexibility, mesh_flexibility
from supple.reduction.modal import ModeChoice, Reduction
from supple.reduction.problem import Problem
from supple.reduction.second_order.slaved import inertia_loads
from supple.reduction.shape_sets import ShapeSet
from supple.reduction.stiffening import (
    SecondOrder,
    Stiffening,
    StiffeningName,
    stiffening_choice,
)

PARTS = 2  # of each element
POINTS = 2  # of Gauss in an element, for squares of moments that are linear
SEGMENTS = "a number of parts of every member, e.g. 4, or one number for each"
REST = 1.0 / 15.0  # error of cubic elements of half the length, in parts of what both differ by


def frame_flexibility(own: Problem, basis: Vector, places: Sequence[int]) -> MeshFlexibility:
    """A structure and a finer one under unit loads, those at numbered nodes included.

    ``basis`` (size, n) are its coordinates for each elastic one. Loads at nodes bend cubic elements
    as they should; inertia and weight along them do not.
    """
    mesh: FrameMesh = own.mesh
    members = tuple(replace(m, elements=PARTS * m.elements) for m in mesh.members)
    there = replace(own, mesh=replace(mesh, members=members))
    loads = []
    for problem, moved in ((own, basis), (there, _moved(mesh) @ basis)):
        unit = np.zeros((problem.size, 6 * len(places)))
        for k, place in enumerate(places):
            unit[6 * place : 6 * place + 6, 6 * k : 6 * k + 6] = np.eye(6)
        inertia = problem.mesh.mass_matrix @ moved
        loads.append(np.hstack([inertia_loads(problem.mesh), unit, inertia]))
    return mesh_flexibility(own, loads[0], there, loads[1], None, REST)


def _moved(mesh: FrameMesh) -> Any:
    """Coordinates (size there, size), sparse, of nodes on members as they move in the structure."""
    from scipy import sparse

    named = 6 * len(mesh.names)
    rows: list[Any] = [sparse.eye_array(named, mesh.size, format="csr")]
    for k, member in enumerate(mesh.members):
        stations = np.linspace(0.0, 1.0, PARTS * member.elements + 1)[1:-1]
        rows += [sparse.csr_array(mesh.motion(k, float(s))) for s in stations]
    return sparse.csr_array(sparse.vstack(rows))


def known_node(owner: str, field: str, node: Any, nodes: Mapping[Node, Vector]) -> Node:
    """A node by its name or number; refuse others."""
    if isinstance(node, (str, int, np.integer)) and not isinstance(node, bool) and node in nodes:
        return node if isinstance(node, str) else int(node)
    names = [str(n) for n in nodes]
    raise ModelError(owner, field, node, f"a node; {suggestion(node, names)}")


def node_places(owner: str, nodes: Any) -> dict[Node, Vector]:
    """Places of nodes by name, all of them different."""
    if isinstance(nodes, Mapping):
        named = dict(nodes)
    elif isinstance(nodes, (Sequence, np.ndarray)) and not isinstance(nodes, str):
        expected = "names with places, or a sequence of places"
        named = dict(enumerate(validate.listed(owner, "nodes", nodes, expected)))
    else:
        raise ModelError(owner, "nodes", nodes, "names with places, or a sequence of places")
    if len(named) < 2:
        raise ModelError(owner, "nodes", nodes, "at least two nodes")
    places: dict[Node, Vector] = {}
    for node, place in named.items():
        validate.written(owner, "name of a node", str(node))
        places[node] = validate.vector(owner, f"place of node {node!r}", place)
    points = np.array(list(places.values()))
    for k in range(len(points)):
        same = np.flatnonzero(np.all(points[:k] == points[k], axis=1))
        if len(same):
            names = list(places)
            expected = f"another place than that of node {names[int(same[0])]!r}"
            raise ModelError(owner, f"place of node {names[k]!r}", points[k], expected)
    return places


FRAME_REFERENCES = ("clamped", "mean_axis")


@dataclass(frozen=True, eq=False, init=False)
class FrameStructure(NodalBody):
    """A structure of beams that share nodes.

    Parameters
    ----------
    name : str
        Unique in its model.
    nodes : mapping from names to places (3,), or sequence of places (numbered from 0), m
    members : sequence of Member
    modes : "all", int, sequence of int, AttachmentModes, NormalModes, CraigBampton, ... or "auto"
        Elastic coordinates: all nodal displacements and rotations, the lowest modes, modes by
        number, or modes of chosen shapes. Point masses at nodes take part in them. "auto" leaves
        the choice to `supple.choose_modes`.
    reference : "clamped" or "mean_axis"
        The body's axes follow a node, or move so that the deformation has no momentum. Undeformed,
        they are those in which the nodes are given.
    clamp_node : name or number of a node
        The node of a clamped frame; the first by default.
    damping : Rayleigh, ModalDamping or KelvinVoigt, optional
    stiffening : "none", "axial", "von_karman", "second_order", Axial, VonKarman or SecondOrder
        What a deflection does to the stiffness; see these classes.
    parts : int or sequence of int, optional
        Cut every member into so many parts, or each into its number of them, for rotations of any
        size: each part is one element that deforms against its own chord. Parts have stiffening
        "second_order", unless it is "none"; ``elements`` of members are not used.
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Place and axes of its own frame in the world as the model is written; for `at_world`.
    """

    view: ClassVar[ViewName] = "members"

    nodes: Mapping[Node, Vector]
    members: tuple[Member, ...]
    modes: ModeChoice | ShapeSet
    reference: Literal["clamped", "mean_axis"]
    clamp_node: Node
    damping: Damping | None
    stiffening: Stiffening
    parts: int | tuple[int, ...] | None

    def __init__(
        self,
        name: str,
        nodes: Mapping[str, ArrayLike] | Mapping[Node, ArrayLike] | Sequence[ArrayLike],
        members: Sequence[Member],
        modes: int | Literal["all", "auto"] | Sequence[int] | ShapeSet = "all",
        reference: Literal["clamped", "mean_axis"] = "clamped",
        clamp_node: Node | None = None,
        damping: Damping | None = None,
        stiffening: StiffeningName | Stiffening = None,
        parts: int | Sequence[int] | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        set_fields(self, name=validate.name("FrameStructure", name))
        self._placed(position, rotation)
        owner = label(self)
        places = node_places(owner, nodes)
        if not isinstance(members, (list, tuple)) or not members:
            raise ModelError(owner, "members", members, "a sequence of Members")
        for member in members:
            instance(owner, "members", member, Member, "Members only")
            for node in (member.start, member.end):
                known_node(owner, "members", node, places)
        first = next(iter(places))
        set_fields(
            self,
            nodes=places,
            members=tuple(members),
            reference=validate.choice(owner, "reference", reference, FRAME_REFERENCES),
            clamp_node=first
            if clamp_node is None
            else known_node(owner, "clamp_node", clamp_node, places),
            damping=damping_choice(owner, damping),
            stiffening=stiffening_choice(owner, stiffening),
            parts=None,
            _reductions={},
        )
        mesh = self.mesh()
        check_structure(owner, mesh)
        set_fields(self, modes=mode_choice(owner, modes, mesh.size - 6, MODES))
        if parts is not None:
            self._give_parts(parts, stiffening)
        for number, member in enumerate(self.members):
            centre = member.section.at(0.0).shear_centre
            if any(centre) and self.stiffened:
                field = f"shear_centre of member {number}"
                raise ModelError(owner, field, centre, "(0, 0) with stiffening")
        if isinstance(self.modes, ShapeSet):  # what does not suit this structure is refused here
            self._reduced(())

    def _give_parts(self, parts: Any, stiffening: Any) -> None:
        """Check and keep the segments that are asked for, and their stiffening."""
        owner = label(self)
        numbers: int | tuple[int, ...]
        if isinstance(parts, (list, tuple, np.ndarray, range)):
            listed = validate.listed(owner, "parts", parts, SEGMENTS)
            numbers = tuple(validate.integer(owner, "parts", n, 1, SEGMENTS) for n in listed)
            if len(numbers) != len(self.members):
                expected = f"one number for each of {len(self.members)} members"
                raise ModelError(owner, "parts", parts, expected)
        else:
            numbers = validate.integer(owner, "parts", parts, 1, SEGMENTS)
        usual = {"modes": "all", "reference": "clamped"}
        word = stiffening_of_segments(self, usual, stiffening, SecondOrder())
        for number, member in enumerate(self.members):
            if not member.rotary_inertia:
                expected = "True with parts, each of which twists"
                raise ModelError(owner, f"rotary_inertia of member {number}", False, expected)
        set_fields(self, parts=numbers, stiffening=word)

    @property
    def divides(self) -> bool:
        """True if it is in segments: `supple.bodies.structure.segmented_frame`."""
        return self.parts is not None

    def _reduced(self, point_masses: PointMasses) -> NodalReduction:
        if self.parts is None:
            return super()._reduced(point_masses)
        numbers = self.parts
        count = numbers * len(self.members) if isinstance(numbers, int) else sum(numbers)
        expected = "None, a frame that is one body, for its elastic coordinates"
        raise ModelError(label(self), "parts", count, expected)

    @property
    def mass(self) -> float:
        """Mass of the members, kg, without point masses."""
        return float(self.mesh().material_points(np.zeros((self.mesh().size, 0)))[0].sum())

    @property
    def typical_length(self) -> float:
        """Diagonal of the box around all nodes, m."""
        return self.mesh().length

    @property
    def carries_own_frame(self) -> bool:
        """True if the body's own frame is fixed to its material at the origin."""
        return self.reference == "clamped" and not self.nodes[self.clamp_node].any()

    def mesh(self, point_masses: PointMasses = ()) -> FrameMesh:
        """The finite-element component, with point masses ((number of a node, mass kg), ...)."""
        masses = tuple((int(node), float(m)) for node, m in point_masses)
        return replace(self._mesh, point_masses=masses) if masses else self._mesh

    @cached_property
    def _mesh(self) -> FrameMesh:
        """The component without point masses."""
        return FrameMesh(tuple(self.nodes), np.array(list(self.nodes.values())), self.members)

    def at(
        self,
        x: Any = None,
        y: float = 0.0,
        z: float = 0.0,
        rotation: ArrayLike | None = None,
        node: Node | None = None,
    ) -> Frame:
        """Return the frame at a node: ``at("top")``, ``at(node=2)``, or by its place.

        ``rotation`` turns the frame's axes relative to the body's, as for a rigid body.
        """
        owner = label(self)
        if isinstance(x, str) and node is None:
            node = x
        if node is not None:
            known = known_node(owner, "node of at", node, self.nodes)
            return Frame(self, self.nodes[known], rotation)
        expected = "the name of a node, node=..., or the place of a node"
        point = given_point(owner, x, y, z, expected)
        return Frame(self, self.nodes[self.nearest_node(point)], rotation)

    def touching_line(self, points: int | None) -> tuple[TouchingPlace, ...]:
        """Its nodes, each with half the members that end there."""
        shares = dict.fromkeys(self.nodes, 0.0)
        for member in self.members:
            first, last = self._mesh.ends(member)
            for node in (member.start, member.end):
                shares[node] += 0.5 * float(np.linalg.norm(last - first))
        return tuple(TouchingPlace(self.nodes[n], s) for n, s in shares.items() if s > 0.0)

    def station(self, frame: Frame) -> float:
        """Return the number of the node of a frame; refuse a frame beside the nodes."""
        return float(list(self.nodes).index(self.nearest_node(frame.position)))

    def reduction(self, point_masses: PointMasses = ()) -> Reduction:
        """Reduction of the structure; printed, it shows frequencies before and after."""
        return self._reduced(point_masses).reduction

    def surface(self, point_masses: PointMasses = ()) -> Surface:
        """The sections of its members moved along their axes."""
        return frame_surface(self, point_masses)

    def rigid_fields(self) -> dict[str, Any]:
        """Fields of this body when it is rigid."""
        none = {"damping": None, "stiffening": None, "parts": None}
        return {"modes": 0, "reference": "clamped"} | none

    def usual_values(self, field: str) -> Sequence[Any]:
        """One to eight parts of each member."""
        return (1, 2, 4, 8) if field == "parts" else ()

    def strain_gauge(
        self,
        member: int,
        s: float,
        side: Literal["y", "-y", "z", "-z"] = "y",
        axial: bool = True,
        point_masses: PointMasses = (),
    ) -> Vector:
        """Row (n,) of the strain along a member at its surface: strain = row @ q.

        ``member`` counts from 0, ``s`` in 0..1 goes along its axis, ``side`` is a side of its
        section. Without ``axial`` it is the part of bending only.
        """
        owner = label(self)
        number, where = self.place_on("strain_gauge", member, s)
        validate.choice(owner, "side of strain_gauge", side, tuple(SIDES))
        mesh, reduced = self.mesh(), self._reduced(point_masses)
        strain = mesh.strain(number, where) @ reduced.basis
        section = self.members[number].section.at(where)
        return gauge_row(owner, "half_sizes of a member's section", section, side, strain, axial)

    def section_forces(self, member: int, s: float, point_masses: PointMasses = ()) -> Vector:
        """Rows (6, n) of N, Vy, Vz (N), T, My, Mz (N m) in a member: forces = rows @ q.

        ``member`` counts from 0, ``s`` in 0..1 goes along its axis. They are in the axes of the
        member and come from the strain of the shapes; see `supple.fem.beams.section_forces`.
        """
        from supple.fem.beams.section_forces import frame_section_forces

        number, where = self.place_on("section_forces", member, s)
        basis = self._reduced(point_masses).basis
        return read_only(frame_section_forces(self.mesh(), number, where) @ basis)

    def place_on(self, what: str, member: Any, s: Any) -> tuple[int, float]:
        """Number of a member and place in 0..1 along it, for a method called ``what``."""
        owner = label(self)
        number = validate.integer(owner, f"member of {what}", member, 0, "a member's number")
        if number >= len(self.members):
            expected = f"a number below {len(self.members)}, the number of members"
            raise ModelError(owner, f"member of {what}", member, expected)
        where = validate.number(owner, f"s of {what}", s, "a number from 0 to 1")
        if not 0.0 <= where <= 1.0:
            raise ModelError(owner, f"s of {what}", s, "a number from 0 to 1")
        return number, where

    def nearest(self, point: Vector) -> Vector:
        """Return the place (3,) m of the node that is nearest to a point."""
        places = np.array(list(self.nodes.values()))
        return read_only(places[nearest_place(places, point).number])

    def nearest_node(self, place: Vector) -> Node:
        """Name or number of the node at a place (3,) m; refuse other places."""
        names = list(self.nodes)
        k, away = nearest_place(np.array(list(self.nodes.values())), place)
        if away:
            expected = f"the place of a node, the nearest is {names[k]!r}"
            raise ModelError(label(self), "place of a frame", place, expected)
        return names[k]

    @property
    def materials(self) -> tuple[Material, ...]:
        """Materials of its members."""
        return tuple(member.material for member in self.members)

    def suspicion(self) -> str | None:
        """A material or sizes in other units than SI."""
        return beam_suspicion(self, self.materials, self.mass)

    def hint(self) -> str | None:
        """Moduli that no isotropic material has."""
        return beam_hint(self, self.materials)

    def moving_rows(self, point_masses: PointMasses = ()) -> tuple[Vector, Vector]:
        """Rows (p, 3, n) of displacements and rotations of all nodes, those in members too."""
        basis = self._reduced(point_masses).basis
        nodal = basis.reshape(-1, 6, basis.shape[1])
        return nodal[:, :3], nodal[:, 3:]

    def drawn(self, point_masses: PointMasses = ()) -> DrawnMesh:
        """Draw its members as lines between nodes."""
        pieces, radius = self._mesh.pieces, np.zeros(self._nodes)
        sections = (s for m in self.members for s in _sections(m))
        for piece, section in zip(pieces, sections, strict=True):
            drawn = mean_radius(section.half_sizes, section.area)
            radius[list(piece.nodes)] = np.maximum(radius[list(piece.nodes)], drawn)
        cells, rows = np.array([p.nodes for p in pieces]), self.moving_rows(point_masses)[0]
        return DrawnMesh(self._mesh.nodes, rows, cells, "line", radius)

    def stress_blocks(self, point_masses: PointMasses = ()) -> Iterator[StressBlock]:
        """Points on the surface of its members, at nodes and between them."""
        yield from frame_surfaces(self, point_masses)

    def strain_blocks(self, point_masses: PointMasses = ()) -> Iterator[StressBlock]:
        """Surface points for strain; midpoints of all sides if a section is given by numbers."""
        if not any(isinstance(m.section.at(0.0), Section) for m in self.members):
            yield from self.stress_blocks(point_masses)
            return
        yield from frame_sides(self, self._reduced(point_masses).basis)

    @property
    def shear_remedy(self) -> str:
        """Another theory of its members."""
        return f"{super().shear_remedy} in its members"

    def carrying_places(self, point_masses: PointMasses = ()) -> Iterator[CarryingPlace]:
        """Gauss points of the elements of its members."""
        yield from frame_places(self, point_masses)

    @property
    def sizes_known(self) -> bool:
        """True if the sizes of the sections of all members are known."""
        return all(m.section.at(0.0).half_sizes is not None for m in self.members)

    def _finished(self, problem: Problem, found: Reduction) -> Reduction:
        """The reduction with membranes, if they are asked for."""
        if not is_membrane(self.stiffening):
            return found
        found = found.with_membranes(frame_membranes(problem.mesh, found.basis, self.stiffening))
        warn_unstretched(self, self.stiffening, found.body)
        return found

    def _problem(self, masses: Masses) -> Problem:
        clamp = list(self.nodes).index(self.clamp_node)
        return Problem(
            self.mesh(masses),
            self.reference,
            clamp,
            True,
            lambda place: self._number("an interface", place),
            lambda place: self._rows(self._number("place of a load", place)),
        )

    def _compare(
        self, reduced: NodalReduction, places: tuple[float, ...]
    ) -> MeshFlexibility | None:
        own = self._problem(reduced.masses)
        return frame_flexibility(own, reduced.basis, [int(place) for place in places])

    def mesh_advice(self, stiff: bool) -> str:
        """Advice that improves its mesh, which is too stiff or too soft, for sentences."""
        del stiff
        return "use more elements in its members"

    def _number(self, field: str, place: Any) -> int:
        return list(self.nodes).index(known_node(label(self), field, place, self.nodes))

    def _rows(self, place: int) -> Vector:
        rows = np.zeros((6, self.mesh().size))
        rows[:, 6 * place : 6 * place + 6] = np.eye(6)
        return rows

    def _point(self, place: int) -> Vector:
        return np.asarray(self._mesh.nodes[place])

    @property
    def _nodes(self) -> int:
        return len(self._mesh.nodes)


def _sections(member: Member) -> list[CrossSection]:
    """The section in the middle of each element of a member."""
    middles = (np.arange(member.elements) + 0.5) / member.elements
    return [member.section.at(float(s)) for s in middles]


def frame_surfaces(frame: FrameStructure, point_masses: PointMasses) -> Iterator[StressBlock]:
    """Points on the surface of all members, at nodes and between them."""
    mesh = frame.mesh()
    for k, member in enumerate(frame.members):
        first, last = mesh.ends(member)
        axes = member.axes(last - first)
        for s in np.linspace(0.0, 1.0, 2 * member.elements + 1).tolist():
            section = member.section.at(s)
            forces = frame.section_forces(k, s, point_masses)
            places = first + s * (last - first) + outline(section) @ axes[:, 1:].T
            name = f"member {k}, s = {s:.6g}"
            yield section_block(places, section, member.material, forces, name)


def frame_sides(frame: FrameStructure, basis: Vector) -> Iterator[StressBlock]:
    """Middles of the sides of all sections, at nodes and between them."""
    mesh = frame.mesh()
    for k, member in enumerate(frame.members):
        first, last = mesh.ends(member)
        for s in np.linspace(0.0, 1.0, 2 * member.elements + 1).tolist():
            strain, section = mesh.strain(k, s) @ basis, member.section.at(s)
            place, name = first + s * (last - first), f"member {k}, s = {s:.6g}"
            yield side_block(place, section, member.material, strain, 0.0, name)


def frame_places(frame: FrameStructure, point_masses: PointMasses) -> Iterator[CarryingPlace]:
    """Gauss points of all elements."""
    mesh = frame.mesh()
    for k, member in enumerate(frame.members):
        first, last = mesh.ends(member)
        length = float(np.linalg.norm(last - first)) / member.elements
        section = with_shear(member.section, member.material.poisson)
        for element in range(member.elements):
            for xi, weight in gauss(POINTS):
                s = (element + xi) / member.elements
                soft = compliance(section.at(s), member.material, member.theory)
                rows = frame.section_forces(k, s, point_masses)
                yield CarryingPlace(rows, weight * length * soft)
