"""MeshBody: any finite-element component as a flexible body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.base.flexible import (
    PointMasses,
    damping_choice,
    given_point,
    mode_choice,
    nearest_place,
)
from supple.bodies.base.reduced import MODES, Masses, NodalBody, NodalReduction
from supple.bodies.structure.finer_mesh import FinerMesh, interface_advice, recovered, recovers
from supple.bodies.structure.mesh_checks import (
    checked_component,
    checked_damping,
    checked_interfaces,
    refuse_held,
    warn_of_units,
)
from supple.fem.base.component import Component
from supple.fem.base.damping import Damping
from supple.fem.base.material import Material
from supple.fem.checks.component import ComponentReport, check_component, mesh_advice
from supple.fem.drawn.boundary import component_surface, face_triangles
from supple.fem.drawn.surface import DrawnMesh, Surface
from supple.fem.recovery.stress_points import mesh_rotations
from supple.fem.shells.shell import ShellMesh
from supple.fem.shells.stress import quadratic_stretch
from supple.fem.ties.interface import Interface
from supple.fem.ties.tied import TiedComponent, tied_component
from supple.foundation import validate
from supple.foundation.arrays import Indices, Vector
from supple.foundation.errors import ModelError, label, suggestion
from supple.foundation.frames import Frame, TouchingPlace
from supple.foundation.validate import read_only, set_fields
from supple.reduction.eigen import DENSE, dense
from supple.reduction.mesh_flexibility import MeshFlexibility
from supple.reduction.modal import ModeChoice, Reduction, hertz
from supple.reduction.problem import Problem
from supple.reduction.shape_sets import CraigBampton, ShapeSet
from supple.reduction.stiffening import SecondOrder
from supple.reduction.tied_problem import TiedProblem

PLACE = "the name of an interface or the number of a node"


@dataclass(frozen=True, eq=False, init=False)
class MeshBody(NodalBody):
    """A body of finite elements: a shell, a solid, or matrices of another program.

    Parameters
    ----------
    name : str
        Unique in its model.
    component : ShellMesh, SolidMesh or ImportedComponent
        Free in space, in SI units. Undeformed, the body's axes are those of its nodes.
    interfaces : sequence of Interface
        Frames that stand for many nodes, where joints and forces act. A rigid one makes its nodes
        one rigid piece; an averaging one follows them and stiffens nothing.
    modes : int, sequence of int, AttachmentModes, CraigBampton, StaticShapes, ..., "all" or "auto"
        Elastic coordinates: the lowest modes (0: rigid), modes by number, modes of chosen shapes,
        or all displacements of a small mesh. Interfaces and nodes are named in them as in ``at``.
        "auto" leaves the choice to `supple.choose_modes`.
    reference : "clamped" or "mean_axis"
        The body's axes follow an interface or a node, or move so that the deformation has no
        momentum.
    clamp : name of an interface, or number of a node that has rotations
        What a clamped frame follows; the first interface by default.
    damping : Rayleigh, ModalDamping or KelvinVoigt, optional
    stiffening : "none", "second_order" or SecondOrder
        What a deflection does to the stiffness; matrices of another program know nothing of it.
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Place and axes of its own frame in the world as the model is written; for `at_world`.

    A node of a solid has no rotation of its own; a frame there turns as the nodes of the elements
    around it do, in the mean, and its torques act on them.
    """

    many_elements: ClassVar[bool] = True

    component: Component
    interfaces: tuple[Interface, ...]
    modes: ModeChoice | ShapeSet
    reference: Literal["clamped", "mean_axis"]
    clamp: str | int | None
    damping: Damping | None
    stiffening: SecondOrder | None

    def __init__(
        self,
        name: str,
        component: Component,
        interfaces: Sequence[Interface] = (),
        *,
        modes: int | Literal["all", "auto"] | Sequence[int] | ShapeSet,
        reference: Literal["clamped", "mean_axis"] = "clamped",
        clamp: str | int | None = None,
        damping: Damping | None = None,
        stiffening: Literal["none", "second_order"] | SecondOrder | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        set_fields(self, name=validate.name("MeshBody", name))
        self._placed(position, rotation)
        owner = label(self)
        set_fields(
            self,
            component=checked_component(owner, component),
            interfaces=checked_interfaces(owner, interfaces, component),
            reference=validate.choice(owner, "reference", reference, ("clamped", "mean_axis")),
            damping=damping_choice(owner, damping),
            stiffening=_second_order(owner, stiffening, component),
            _reductions={},
        )
        checked_damping(owner, component, damping)
        refuse_held(owner, component)
        set_fields(self, clamp=self._clamp(clamp))
        tied = tied_component(component, self.interfaces, self._framed(modes))
        choice = mode_choice(owner, modes, tied.size - 6, MODES)
        if choice == "all" and tied.size > DENSE:
            expected = f"a number of modes or shapes, because {tied.size} coordinates are too many"
            raise ModelError(owner, "modes", "all", expected)
        set_fields(self, modes=choice, _tied=tied)
        if choice != "auto":
            # Whatever does not suit this component is refused here, not in the first run.
            body = self.modal()
            warn_of_units(owner, component, self.mass, body.frequencies)

    @property
    def mass(self) -> float:
        """Mass of the component, kg, without point masses."""
        along: Vector = self.tied.rigid[:, 0]
        return float(along @ (self.tied.own_mass @ along))

    @property
    def typical_length(self) -> float:
        """Diagonal of the box around all nodes, m."""
        return self.component.length

    @property
    def carries_own_frame(self) -> bool:
        """True if the body's own frame is fixed to its material at the origin."""
        if self.reference != "clamped":
            return False
        return not self.tied.point(self._number("clamp", self.clamp)).any()

    def at(
        self,
        x: Any = None,
        y: float = 0.0,
        z: float = 0.0,
        rotation: ArrayLike | None = None,
        node: int | None = None,
    ) -> Frame:
        """Return the frame at an interface or node: ``at("tip")``, ``at(node=17)``, or by place.

        Nodes are counted from 0. ``rotation`` turns the frame's axes relative to the body's, as for
        a rigid body. Where an interface and a node are at one place, it is the interface.
        """
        owner = label(self)
        if isinstance(x, str) and node is None:
            return Frame(self, self.tied.point(self._number("x of at", x)), rotation)
        if node is not None:
            place = self._number("node of at", node)
            point = self.tied.point(place)
            first = self._nearest(point)
            if first not in (place, self.tied.holder(place)):
                taken = label(self.interfaces[first - len(self.component.nodes)])
                expected = f"a node at another place than that of {taken}"
                raise ModelError(owner, "node of at", node, expected)
            return Frame(self, point, rotation)
        expected = "the name of an interface, node=..., or the place of a node or interface"
        point = given_point(owner, x, y, z, expected)
        return Frame(self, self.tied.point(self._nearest(point)), rotation)

    def station(self, frame: Frame) -> float:
        """Return the place of a frame: a node's number, or those of all nodes and an interface's.

        A frame beside all places is refused.
        """
        return float(self._nearest(frame.position))

    def shapes(self, point_masses: PointMasses = ()) -> Vector:
        """Coordinates (component.size, n) of the component for each of ``modal(point_masses)``."""
        return self._reduced(point_masses).reduction.basis

    def reduction(self, point_masses: PointMasses = ()) -> Reduction:
        """Reduction of the component; printed, it shows frequencies before and after.

        Its ``basis`` is that of the component's own coordinates. Frequencies of the whole component
        are found here, which may take as long as the reduction itself.
        """
        reduced = self._reduced(point_masses)
        found, masses = reduced.reduction, reduced.masses
        if np.any(np.isnan(found.full_frequencies)):
            problem, n = self._problem(masses), found.body.n
            whole = self._kept(
                ("whole", masses), lambda: read_only(hertz(problem.normal_modes(n)[0]))
            )
            found = replace(found, full_frequencies=whole)
        return found

    def check(self) -> ComponentReport:
        """Examine the component: mass, rigid motions, free frequencies, defects, units."""
        return check_component(self.component)

    def rigid_fields(self) -> dict[str, Any]:
        """Fields of this body when it is rigid."""
        return {"modes": 0, "damping": None, "stiffening": None}

    @property
    def materials(self) -> tuple[Material, ...]:
        """Material of its component; imported matrices have none."""
        found: Material | None = getattr(self.component, "material", None)
        return () if found is None else (found,)

    def moving_rows(self, point_masses: PointMasses = ()) -> tuple[Vector, Vector]:
        """Rows (p, 3, n) of displacements of all nodes, (r, 3, n) of rotations where there are."""
        component, basis = self.component_shapes(point_masses)
        nodal = basis.reshape(-1, component.node_size, basis.shape[1])
        return nodal[:, :3], mesh_rotations(component, basis)

    def component_shapes(self, point_masses: PointMasses = ()) -> tuple[Component, Vector]:
        """Return its component, and coordinates (component.size, n) of it for each of ``modal``."""
        # Not `reduction`, which may also look for the frequencies of the whole mesh.
        return self.component, self.shapes(point_masses)

    def shear_energies(self, q: Vector, point_masses: PointMasses = ()) -> Vector | None:
        """Of thin shells (k,), J; None of others."""
        component, shapes = self.component_shapes(point_masses)
        measure = getattr(component, "shear_energies", None)
        return None if measure is None else np.asarray(measure(q @ shapes.T))

    def stretch_energies(
        self, q: Vector, point_masses: PointMasses = ()
    ) -> tuple[float, float] | None:
        """Of thin shells, J; None of others."""
        if not isinstance(self.component, ShellMesh):
            return None
        problem = self._problem(self._reduced(point_masses).masses)
        energy, forces = quadratic_stretch(self.component, self.shapes(point_masses) @ q)
        loads = problem.mesh.T.T @ forces
        return energy, energy - 0.5 * float(loads @ problem.static(loads[:, None])[:, 0])

    def touching_area(self, nodes: Indices | None) -> tuple[TouchingPlace, ...]:
        """Nodes of its faces, each with a third of the triangles around it."""
        points = np.asarray(self.component.nodes)
        faces = face_triangles(self.component)
        if nodes is not None:
            faces = faces[np.isin(faces, nodes).all(axis=1)]
        a, b, c = (points[faces[:, k]] for k in range(3))
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6.0
        shares = np.bincount(faces.ravel(), np.repeat(areas, 3), len(points))
        return tuple(
            TouchingPlace(read_only(points[k]), float(shares[k])) for k in np.flatnonzero(shares)
        )

    def surface(self, point_masses: PointMasses = ()) -> Surface:
        """The middle surface of a shell, the outer faces of a solid, or nodes alone."""
        component, basis = self.component_shapes(point_masses)
        modal, shapes = self._slaved(point_masses)
        follow = np.zeros((len(basis), 0)) if shapes is None else self.tied.T @ shapes
        found = component_surface(component, basis, np.asarray(follow))
        return found if modal.slaves is None else replace(found, Gamma=modal.slaves.Gamma)

    def drawn(self, point_masses: PointMasses = ()) -> DrawnMesh:
        """Return its mesh for pictures; of an imported component the nodes alone."""
        part: Any = self.component
        if hasattr(part, "triangles"):
            cells, kind = part.triangles, "triangle"
        elif hasattr(part, "cells"):
            cells, kind = part.cells, part.kind
        else:
            cells, kind = np.arange(len(part.nodes))[:, None], "vertex"
        return DrawnMesh(part.nodes, self.moving_rows(point_masses)[0], cells, kind, np.zeros(0))

    def _compare(
        self, reduced: NodalReduction, places: tuple[float, ...]
    ) -> MeshFlexibility | None:
        own, at = self._problem(reduced.masses), [int(place) for place in places]
        if recovers(self.component):
            rows = [dense(self._rows(place)) for place in at]
            return recovered(own, self.component, reduced.basis, rows)
        made = self._kept("finer", lambda: FinerMesh.of(self.tied, self._framed(self.modes)))
        return None if made is None else made.flexibility(own, reduced.masses, reduced.basis, at)

    def mesh_advice(self, stiff: bool) -> str:
        """Advice that improves its mesh, which is too stiff or too soft, for sentences."""
        if isinstance(self.clamp, int):
            return (
                "hold it by an interface, because at a single node it gives way the more the finer "
                "its mesh is"
            )
        advice = interface_advice(self.component, self.interfaces, stiff)
        return mesh_advice(self.component) if advice is None else advice

    def _finished(self, problem: Problem, found: Reduction) -> Reduction:
        return replace(found, basis=read_only(self.tied.T @ found.basis))

    def _rows(self, place: int) -> Any:
        return self.tied.rows(place)

    def _spread(self, places: Sequence[int], basis: Vector) -> Sequence[Vector]:
        return [self.tied.spread_stiffness(place, basis) for place in places]

    def _point(self, place: int) -> Vector:
        return self.tied.point(place)

    @property
    def _nodes(self) -> int:
        return len(self.component.nodes)

    def _problem(self, masses: Masses) -> TiedProblem:
        mesh = self.tied.with_masses(masses)
        clamp = -1 if self.clamp is None else self._number("clamp", self.clamp)
        return TiedProblem(
            mesh,
            self.reference,
            clamp,
            True,
            lambda place: self._number("an interface", place),
            lambda place: mesh.rows(self._number("place of a load", place)),
            owner=label(self),
        )

    @property
    def tied(self) -> TiedComponent:
        """The component with its interfaces as coordinates."""
        found: TiedComponent = self.__dict__["_tied"]
        return found

    def _clamp(self, given: Any) -> str | int | None:
        """The place that a clamped frame follows; refuse one that leaves the body free to turn."""
        owner, size = label(self), self.component.node_size
        if given is None:
            given = self.interfaces[0].name if self.interfaces else 0 if size == 6 else None
            if given is None and self.reference == "mean_axis":
                return None
        elif self._number("clamp", given) >= len(self.component.nodes):
            return str(given)
        alone = given is None or not any(
            i.kind == "rigid" and given in i.nodes for i in self.interfaces
        )
        if size == 3 and not isinstance(given, str) and alone:
            expected = "an interface, because a node without rotations leaves the body free to turn"
            raise ModelError(owner, "clamp", given, expected)
        return given if isinstance(given, str) else int(given)

    def _framed(self, modes: Any) -> set[str]:
        """Names of the interfaces whose frames are held: by the clamp, or by Craig and Bampton."""
        named = set(modes.interfaces) if isinstance(modes, CraigBampton) else set()
        return {i.name for i in self.interfaces if i.name in named or i.name == self.clamp}

    def _number(self, field: str, given: Any) -> int:
        """Number of the place that a user calls by a name or number."""
        owner, nodes = label(self), len(self.component.nodes)
        names = [i.name for i in self.interfaces]
        if isinstance(given, str):
            if given in names:
                return nodes + names.index(given)
            raise ModelError(owner, field, given, f"an interface; {suggestion(given, names)}")
        number = validate.integer(owner, field, given, 0, PLACE)
        if number >= nodes:
            raise ModelError(owner, field, given, f"a node from 0 to {nodes - 1}")
        return number

    def nearest(self, point: Vector) -> Vector:
        """Return the place (3,) m of the interface or node that is nearest to a point."""
        places = np.array([*(i.place for i in self.interfaces), *self.component.nodes])
        return read_only(places[nearest_place(places, point).number])

    def _nearest(self, point: Vector) -> int:
        """Place at a point, an interface before a node; refuse a point beside all of them."""
        nodes = len(self.component.nodes)
        frames = np.array([i.place for i in self.interfaces]).reshape(-1, 3)
        found = nearest_place(np.vstack([frames, self.component.nodes]), point)
        if found.away:
            k = found.number - len(frames)
            near = f"node {k}" if k >= 0 else label(self.interfaces[found.number])
            expected = f"the place of a node or an interface, the nearest is {near}"
            raise ModelError(label(self), "place of a frame", point, expected)
        k = found.number
        return nodes + k if k < len(frames) else k - len(frames)


def _second_order(owner: str, value: Any, component: Component) -> SecondOrder | None:
    """Return the stiffening of a mesh, of which only one is known."""
    if value is None or (isinstance(value, str) and value == "none"):
        return None
    named = isinstance(value, str) and value == "second_order"
    if not named and not isinstance(value, SecondOrder):
        raise ModelError(owner, "stiffening", value, "'none', 'second_order' or SecondOrder()")
    if not hasattr(component, "geometric_stiffness"):
        expected = f"'none' with {type(component).__name__}, which has no elements"
        raise ModelError(owner, "stiffening", value, expected)
    return value if isinstance(value, SecondOrder) else SecondOrder()
