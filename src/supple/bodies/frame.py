"""FrameBody: a structure of beams in space as one flexible body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from supple import validate
from supple.bodies.flexible import (
    DAMPING,
    FlexibleBody,
    PointMasses,
    instance,
    mode_choice,
    nearest_place,
    warn_of_split,
    warn_unstretched,
)
from supple.errors import ModelError, label, suggestion
from supple.fem.damping import Damping
from supple.fem.frame import FrameMesh, check_structure
from supple.fem.member import Member, Node
from supple.frames import Frame
from supple.reduction.membranes import frame_membranes, is_membrane
from supple.reduction.modal import (
    Attachment,
    ModalBody,
    ModeChoice,
    Reduction,
    attached,
    reduce_mesh,
)
from supple.reduction.problem import Problem
from supple.reduction.shape_sets import ShapeSet
from supple.reduction.slaved import slaved_mesh
from supple.reduction.stiffening import (
    Stiffening,
    StiffeningName,
    stiffening_choice,
)
from supple.validate import Vector, read_only, set_fields

MODES = "'all', a number of modes, different mode numbers from 1, or shapes, e.g. CraigBampton(...)"
FRAME_REFERENCES = ("clamped", "mean_axis")


@dataclass(frozen=True, eq=False, init=False)
class FrameBody(FlexibleBody):
    """A structure of beams that share nodes.

    Parameters
    ----------
    name : str
        Unique in its model.
    nodes : mapping from names to places (3,), or sequence of places (numbered from 0), m
    members : sequence of Member
    modes : "all", int, sequence of int, NormalModes, CraigBampton or StaticShapes
        Elastic coordinates: all nodal displacements and rotations, the lowest modes, modes by
        number, or modes of chosen shapes. Point masses at nodes take part in them.
    reference : "clamped" or "mean_axis"
        The body's axes follow a node, or move so that the deformation has no momentum. Undeformed,
        they are those in which the nodes are given.
    clamp_node : name or number of a node
        The node of a clamped frame; the first by default.
    damping : Rayleigh, ModalDamping or KelvinVoigt, optional
    stiffening : "none", "axial", "von_karman", "second_order", Axial, VonKarman or SecondOrder
        What a deflection does to the stiffness; see these classes.
    """

    nodes: Mapping[Node, Vector]
    members: tuple[Member, ...]
    modes: ModeChoice | ShapeSet
    reference: Literal["clamped", "mean_axis"]
    clamp_node: Node
    damping: Damping | None
    stiffening: Stiffening

    def __init__(
        self,
        name: str,
        nodes: Mapping[str, ArrayLike] | Mapping[Node, ArrayLike] | Sequence[ArrayLike],
        members: Sequence[Member],
        modes: int | Literal["all"] | Sequence[int] | ShapeSet = "all",
        reference: Literal["clamped", "mean_axis"] = "clamped",
        clamp_node: Node | None = None,
        damping: Damping | None = None,
        stiffening: StiffeningName | Stiffening = None,
    ) -> None:
        set_fields(self, name=validate.name("FrameBody", name))
        owner = label(self)
        places = _places(owner, nodes)
        if not isinstance(members, (list, tuple)) or not members:
            raise ModelError(owner, "members", members, "a sequence of Members")
        for member in members:
            instance(owner, "members", member, Member, "Members only")
            for node in (member.start, member.end):
                _known(owner, "members", node, places)
        first = next(iter(places))
        set_fields(
            self,
            nodes=places,
            members=tuple(members),
            reference=validate.choice(owner, "reference", reference, FRAME_REFERENCES),
            clamp_node=first
            if clamp_node is None
            else _known(owner, "clamp_node", clamp_node, places),
            damping=instance(owner, "damping", damping, (*get_args(Damping), NoneType), DAMPING),
            stiffening=stiffening_choice(owner, stiffening),
            _reductions={},
        )
        for number, member in enumerate(self.members):
            centre = member.section.at(0.0).shear_centre
            if any(centre) and self.stiffening is not None:
                field = f"shear_centre of member {number}"
                raise ModelError(owner, field, centre, "(0, 0) with stiffening")
        mesh = self.mesh()
        check_structure(owner, mesh)
        set_fields(self, modes=mode_choice(owner, modes, mesh.size - 6, MODES))
        if isinstance(self.modes, ShapeSet):  # what does not suit this structure is refused here
            self._reduced(())

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
        """Whether the body's own frame is fixed to its material at the origin."""
        return self.reference == "clamped" and not self.nodes[self.clamp_node].any()

    def mesh(self, point_masses: PointMasses = ()) -> FrameMesh:
        """The finite-element component, with point masses ((number of a node, mass kg), ...)."""
        masses = tuple((int(node), float(m)) for node, m in point_masses)
        places = np.array(list(self.nodes.values()))
        return FrameMesh(tuple(self.nodes), places, self.members, masses)

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
            return Frame(self, self.nodes[_known(owner, "node of at", node, self.nodes)], rotation)
        expected = "the name of a node, node=..., or the place of a node"
        point = [
            validate.number(owner, f"{axis} of at", value, expected)
            for axis, value in zip("xyz", (x, y, z), strict=True)
        ]
        return Frame(self, self.nodes[self._nearest(np.array(point))], rotation)

    def station(self, frame: Frame) -> float:
        """Return the number of the node of a frame; refuse a frame beside the nodes."""
        return float(list(self.nodes).index(self._nearest(frame.position)))

    def modal(self, point_masses: PointMasses = ()) -> ModalBody:
        """Body of elastic coordinates, with point masses ((number of a node, mass kg), ...).

        A mass of zero marks a node where something is attached: stiffening of second order
        depends on these. The result is kept: the same point masses give the same object.
        """
        self._reduced(point_masses)  # from here: a warning names the caller's line
        return self._slaved(point_masses)[0]

    def attachment(self, frame: Frame, point_masses: PointMasses = ()) -> Attachment:
        """How a frame at a node moves with the coordinates of ``modal(point_masses)``."""
        node = int(self.station(frame))
        rows = slice(6 * node, 6 * node + 6)
        body, shapes = self._slaved(point_masses)
        moved = self._reduced(point_masses)[1].basis[rows]
        place = list(self.nodes.values())[node]
        return attached(place, frame.rotation, moved, body, shapes[rows])

    def reduction(self, point_masses: PointMasses = ()) -> Reduction:
        """How the structure was reduced; printed, it shows frequencies before and after."""
        return self._reduced(point_masses)[1]

    def rigid_fields(self) -> dict[str, Any]:
        """Fields of this body when it is rigid."""
        return {"modes": 0, "reference": "clamped", "damping": None, "stiffening": None}

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
        number, where = self._place_on("strain_gauge", member, s)
        validate.choice(owner, "side of strain_gauge", side, ("y", "-y", "z", "-z"))
        sizes = self.members[number].section.at(where).half_sizes
        if sizes is None:
            expected = "2 positive numbers for a strain gauge"
            raise ModelError(owner, "half_sizes of a member's section", None, expected)
        mesh, reduction = self._reduced(point_masses)
        e, about_z, about_y = (mesh.strain(number, where) @ reduction.basis)[:3]
        sign = -1.0 if side.startswith("-") else 1.0
        bending = -sign * (sizes[0] * about_z if side.endswith("y") else sizes[1] * about_y)
        return read_only(e + bending if axial else bending)

    def section_forces(self, member: int, s: float, point_masses: PointMasses = ()) -> Vector:
        """Rows (6, n) of N, Vy, Vz (N), T, My, Mz (N m) in a member: forces = rows @ q.

        ``member`` counts from 0, ``s`` in 0..1 goes along its axis. They are in the axes of the
        member and come from the strain of the shapes; see `supple.fem.section_forces`.
        """
        from supple.fem.section_forces import frame_section_forces

        number, where = self._place_on("section_forces", member, s)
        mesh, reduction = self._reduced(point_masses)
        return read_only(frame_section_forces(mesh, number, where) @ reduction.basis)

    def _place_on(self, what: str, member: Any, s: Any) -> tuple[int, float]:
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

    def _nearest(self, place: Vector) -> Node:
        names = list(self.nodes)
        k, away = nearest_place(np.array(list(self.nodes.values())), place)
        if away:
            expected = f"the place of a node, the nearest is {names[k]!r}"
            raise ModelError(label(self), "place of a frame", place, expected)
        return names[k]

    def _reduced(self, point_masses: PointMasses) -> tuple[FrameMesh, Reduction]:
        masses = tuple(sorted((float(node), float(m)) for node, m in point_masses if m != 0.0))
        cache: dict[Any, tuple[FrameMesh, Reduction]] = self.__dict__["_reductions"]
        if masses not in cache:
            mesh = self.mesh(masses)
            reduction = reduce_mesh(self._problem(mesh), self.modes, label(self), self.damping)
            warn_of_split(self, reduction, 5)
            if is_membrane(self.stiffening):
                membranes = frame_membranes(mesh, reduction.basis, self.stiffening)
                reduction = reduction.with_membranes(membranes)
                warn_unstretched(self, self.stiffening, reduction.body, 4)
            cache[masses] = mesh, reduction
        return cache[masses]

    def _slaved(self, point_masses: PointMasses) -> tuple[ModalBody, Vector]:
        """Body with its slaved shapes (size, r), none without displacements of second order."""
        mesh, reduction = self._reduced(point_masses)
        if not self.second_order or not reduction.body.n:
            return reduction.body, np.zeros((mesh.size, 0))
        places = tuple(sorted({int(node) for node, _ in point_masses}))
        key = "slaved", reduction, places
        cache: dict[Any, tuple[ModalBody, Vector]] = self.__dict__["_reductions"]
        if key not in cache:
            rows = [np.eye(mesh.size)[6 * node : 6 * node + 6] for node in places]
            problem = self._problem(mesh)
            cache[key] = slaved_mesh(problem, reduction.body, reduction.basis, rows)
        return cache[key]

    def _problem(self, mesh: FrameMesh) -> Problem:
        clamp = list(self.nodes).index(self.clamp_node)
        return Problem(mesh, self.reference, clamp, True, self._node, self._rows)

    def _node(self, place: Any) -> int:
        return list(self.nodes).index(_known(label(self), "an interface", place, self.nodes))

    def _rows(self, place: Any) -> Vector:
        node = list(self.nodes).index(_known(label(self), "place of a load", place, self.nodes))
        rows = np.zeros((6, self.mesh().size))
        rows[:, 6 * node : 6 * node + 6] = np.eye(6)
        return rows


def _known(owner: str, field: str, node: Any, nodes: Mapping[Node, Vector]) -> Node:
    if isinstance(node, (str, int, np.integer)) and not isinstance(node, bool) and node in nodes:
        return node if isinstance(node, str) else int(node)
    names = [str(n) for n in nodes]
    raise ModelError(owner, field, node, f"a node; {suggestion(node, names)}")


def _places(owner: str, nodes: Any) -> dict[Node, Vector]:
    if isinstance(nodes, Mapping):
        named = dict(nodes)
    elif isinstance(nodes, (Sequence, np.ndarray)) and not isinstance(nodes, str):
        named = dict(enumerate(nodes))
    else:
        raise ModelError(owner, "nodes", nodes, "names with places, or a sequence of places")
    if len(named) < 2:
        raise ModelError(owner, "nodes", nodes, "at least two nodes")
    places: dict[Node, Vector] = {}
    for node, place in named.items():
        places[node] = validate.vector(owner, f"place of node {node!r}", place)
    points = np.array(list(places.values()))
    for k in range(len(points)):
        same = np.flatnonzero(np.all(points[:k] == points[k], axis=1))
        if len(same):
            names = list(places)
            expected = f"another place than that of node {names[int(same[0])]!r}"
            raise ModelError(owner, f"place of node {names[k]!r}", points[k], expected)
    return places
