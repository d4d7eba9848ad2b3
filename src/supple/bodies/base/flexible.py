"""Base of flexible bodies: elastic coordinates in a floating frame."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from types import NoneType
from typing import Any, ClassVar, NamedTuple, Self, cast, get_args

import numpy as np

from supple.fem.base.component import Component
from supple.fem.base.damping import Damping, KelvinVoigt, Rayleigh
from supple.fem.base.material import Material
from supple.fem.beams.beam import BeamMesh
from supple.fem.drawn.surface import DrawnMesh
from supple.fem.recovery.stress_points import StressBlock, mesh_blocks
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label, warn_caller
from supple.foundation.frames import Body, Discretisation, Frame, ViewName
from supple.foundation.units import HEAVIEST, LONGEST, material_sentence
from supple.reduction.matching import ModePattern
from supple.reduction.membranes import feels_loads
from supple.reduction.mesh_flexibility import MeshFlexibility
from supple.reduction.modal import Attachment, ModalBody, ModeChoice, Reduction
from supple.reduction.response import StaticResponse, StressedLoads
from supple.reduction.shape_sets import AttachmentModes, ShapeSet
from supple.reduction.stiffening import Axial, Stiffening

PointMasses = Sequence[tuple[float, float]]
# Rounding of a computed place, in lengths of the body.
PLACE_TOLERANCE = 1e-9
ISOTROPIC = 3.0  # E / G at Poisson's ratio 1/2
DAMPING = "Rayleigh(stiffness=...), ModalDamping(ratio), KelvinVoigt(E) or None"


class CarryingPlace(NamedTuple):
    """Rows (6, n) of N, Vy, Vz, T, My, Mz at a place of a beam, and their compliances (6,) there.

    Compliances have the length around the place as a factor; those of shear forces are what the
    theory of the beam leaves out.
    """

    rows: Vector
    compliance: Vector


class FlexibleBody(Body):
    """A body whose deformation is described by elastic coordinates in its own moving frame.

    The engine reads ``modal`` and ``attachment`` only: it does not know where the shapes came
    from. A place on the body is a number that ``station`` finds for a frame, a station along a
    beam or the number of a node; point masses are pairs (place, mass), with a mass of zero where
    only something is attached (`supple.engine.pack.attachments`).

    Recovery and the monitor ask for rows of the elastic coordinates: ``moving_rows``,
    ``stress_blocks``, ``strain_blocks``. What is not known of a body is said by ``ModelError``.
    """

    discretisation: ClassVar[Discretisation] = "floating_frame"
    view: ClassVar[ViewName] = "nodes"
    is_segment: ClassVar[bool] = False  # True for a segment of a beam
    can_stiffen: ClassVar[bool] = False  # True if it has a field ``stiffening``
    many_elements: ClassVar[bool] = False  # rounding of its modes is that of a large mesh

    modes: Any

    @property
    @abstractmethod
    def typical_length(self) -> float:
        """A typical length of the body, m."""

    @abstractmethod
    def station(self, frame: Frame) -> float:
        """The place of a frame on this body; refuse a frame that is beside its places."""

    @abstractmethod
    def modal(self, point_masses: PointMasses = ()) -> ModalBody:
        """Body of elastic coordinates, with point masses ((place, mass kg), ...) on it."""

    @abstractmethod
    def attachment(self, frame: Frame, point_masses: PointMasses = ()) -> Attachment:
        """Motion of a frame of this body with the coordinates of ``modal(point_masses)``."""

    def mode_pattern(self, point_masses: PointMasses = ()) -> ModePattern | None:
        """Modes of the body, for `matched`; None if its coordinates are others."""
        return None

    def matched(self, pattern: ModePattern, point_masses: PointMasses = ()) -> Self | None:
        """Return the body with its modes in the order of others, itself if they are.

        None if its modes span another space than those of the pattern.
        """
        return self

    def shown(self, frame: Frame, point_masses: PointMasses = ()) -> Attachment:
        """Motion of a frame in results: as `attachment`, and right where nothing is attached."""
        return self.attachment(frame, point_masses)

    @property
    @abstractmethod
    def carries_own_frame(self) -> bool:
        """True if the body's own frame is fixed to its material at the origin."""

    @property
    def stiffened(self) -> bool:
        """True if deflections change its stiffness."""
        return False

    @property
    def second_order(self) -> bool:
        """True if displacements of second order are asked for."""
        return False

    @property
    def second_order_twist(self) -> bool:
        """True if twist by moments of bending is among them, as buckling to the side needs."""
        return False

    @property
    def uses_places(self) -> bool:
        """True if its coordinates depend on where something is attached."""
        return self.second_order or isinstance(self.modes, AttachmentModes)

    @property
    def axis(self) -> Vector | None:
        """Direction (3,) of a straight axis in body axes; None if it has none."""
        return None

    @property
    def materials(self) -> tuple[Material, ...]:
        """The materials that it is known to consist of."""
        return ()

    @property
    def refinement(self) -> str:
        """Advice that gives it more elastic coordinates, for sentences."""
        return "more elements" if self.modes == "all" else "more modes"

    @abstractmethod
    def moving_rows(self, point_masses: PointMasses = ()) -> tuple[Vector, Vector]:
        """Rows (p, 3, n) of displacements and (r, 3, n) of rotations, all over the body.

        They belong to the coordinates of ``modal(point_masses)``; see `rows_at`.
        """

    def load_stiffness(
        self, places: Sequence[float], factors: Vector, point_masses: PointMasses = ()
    ) -> Vector:
        """Geometric stiffness (k, n, n) of the stress under k loads, for ``modal(point_masses)``.

        ``factors`` (k, 12 + 6 places) belong to the body forces rho e_d and rho x_i e_d, and to a
        force and a torque along each axis at each place. Loads balance each other.
        """
        raise ModelError(label(self), "stress", None, "a body made of a beam or a mesh")

    def static_response(
        self, places: Sequence[float], point_masses: PointMasses = ()
    ) -> StaticResponse:
        """Deflections of its whole mesh under unit loads, for ``modal(point_masses)``."""
        raise ModelError(label(self), "deflection", None, "a body made of a beam or a mesh")

    def stressed_energy(self, loads: StressedLoads, point_masses: PointMasses = ()) -> Vector:
        """Twice the energy (k,) that ``modal(point_masses)`` leaves out under loads with stress, J.

        Raises LinAlgError if the stress makes its mesh unstable.
        """
        raise ModelError(label(self), "stress", None, "a body made of a beam or a mesh")

    def sheared_response(
        self, places: Sequence[float], point_masses: PointMasses = ()
    ) -> StaticResponse | None:
        """Static response with shear; None if it has shear already, or is no straight beam."""
        return None

    @property
    def shear_remedy(self) -> str:
        """Advice for a body where shear of its sections matters, for sentences."""
        return "use theory='timoshenko'"

    def carrying_places(self, point_masses: PointMasses = ()) -> Iterator[CarryingPlace]:
        """Places of a structure of beams, whose compliances add up to its own; none of others."""
        yield from ()

    def mesh_flexibility(
        self, places: Sequence[float], point_masses: PointMasses = ()
    ) -> MeshFlexibility | None:
        """Compare its mesh with a finer one under unit loads; None if not known."""
        return None

    def mesh_advice(self, stiff: bool) -> str:
        """Advice that improves its mesh, which is too stiff or too soft, for sentences."""
        del stiff
        return "use more elements"

    def responding_mesh(self, point_masses: PointMasses = ()) -> BeamMesh | None:
        """The mesh of ``static_response`` of a straight beam; None of other bodies."""
        return None

    def component_shapes(self, point_masses: PointMasses = ()) -> tuple[Component, Vector]:
        """Finite-element component, and coordinates (size, n) of it for each of ``modal``."""
        raise ModelError(label(self), "component", None, "a body made of a finite-element mesh")

    def shear_energies(self, q: Vector, point_masses: PointMasses = ()) -> Vector | None:
        """Energies (k,) of shear that its theory leaves out, J, at coordinates (k, n).

        None of bodies that have shear, or that do not know.
        """
        return None

    def stretch_energies(
        self, q: Vector, point_masses: PointMasses = ()
    ) -> tuple[float, float] | None:
        """Energy (J) of the stretch of second order at q (n,), and what it cannot relieve of it.

        None of bodies that are no shells, or that do not know.
        """
        return None

    def drawn(self, point_masses: PointMasses = ()) -> DrawnMesh | None:
        """Mesh for pictures; None if it has none. Beams are drawn by their stations."""
        return None

    def strain_kinds(self, point_masses: PointMasses = ()) -> dict[str, Vector]:
        """Stiffness matrices (n, n) of its kinds of strain, by a word; none if it does not know."""
        return {}

    def stress_blocks(self, point_masses: PointMasses = ()) -> Iterator[StressBlock]:
        """Points at which its stress is evaluated.

        Of beams they are on the surface, at nodes and between them; of shells in the centres of
        their triangles, at the top and the bottom; of solids at their nodes.
        """
        yield from mesh_blocks(*self.component_shapes(point_masses))

    def strain_blocks(self, point_masses: PointMasses = ()) -> Iterator[StressBlock]:
        """Points at which its strain is evaluated: none where it is not known."""
        yield from self.stress_blocks(point_masses)

    @property
    def sizes_known(self) -> bool:
        """True if the place of its surface is known; strains there are estimates otherwise."""
        return True


def beam_suspicion(body: Body, materials: Iterable[Material], mass: float) -> str | None:
    """Sentence about materials and sizes of a body made of beams that look wrong, or None."""
    for material in materials:
        sentence = material_sentence(material.E, material.G, material.density)
        if sentence is not None:
            return f"{label(body)}: of its material, {sentence}"
    if mass > HEAVIEST or body.typical_length > LONGEST:
        return (
            f"{label(body)}: it is {body.typical_length:.3g} m long with {mass:.3g} kg, expected "
            f"less than {LONGEST:g} m and {HEAVIEST:g} kg in SI units: lengths in mm?"
        )
    return None


def beam_hint(body: Body, materials: Iterable[Material]) -> str | None:
    """Moduli of a body made of beams that no isotropic material has; None if one may."""
    for material in materials:
        if material.E > ISOTROPIC * material.G:
            return (
                f"{label(body)}: E is {material.E / material.G:.3g} times G, which is right for "
                "wood and fibres; of an isotropic material it is 2 to 3 times G"
            )
    return None


def bends(body: Any) -> bool:
    """True if the body has elastic coordinates; one with ``modes=0`` has none."""
    modes = getattr(body, "modes", None)
    return bool(body.deforms) and not (isinstance(modes, int) and modes == 0)


def takes_damping(body: Any) -> bool:
    """True if the body has a field for damping."""
    return hasattr(body, "damping")


def damping_of(body: Any) -> Damping | None:
    """The damping of a body; None without any, or where a file has it."""
    found: Damping | None = getattr(body, "damping", None)
    return found


def rows_at(
    body: FlexibleBody, frames: Iterable[Frame], point_masses: PointMasses
) -> tuple[Vector, Vector]:
    """Rows (p, 3, n) of displacement and of rotation of some frames of a body."""
    places = [body.attachment(frame, point_masses) for frame in frames]
    return np.stack([p.Phi for p in places]), np.stack([p.Psi for p in places])


def mode_choice(owner: str, value: Any, available: int, expected: str) -> ModeChoice | ShapeSet:
    """Return "all", "auto", a number of modes, mode numbers or a set of shapes."""
    result: ModeChoice
    if isinstance(value, ShapeSet):
        return value
    if isinstance(value, str) and value in ("all", "auto"):
        return cast("ModeChoice", value)
    if isinstance(value, (list, tuple, range, np.ndarray)):
        try:
            entries = validate.listed(owner, "modes", value, expected)
            numbers = sorted(validate.integer(owner, "modes", k, 1, expected) for k in entries)
        except ModelError:
            raise ModelError(owner, "modes", value, expected) from None
        if not numbers or len(set(numbers)) < len(numbers):
            raise ModelError(owner, "modes", value, expected)
        result, highest = tuple(numbers), numbers[-1]
    else:
        result = highest = validate.integer(owner, "modes", value, 0, expected)
    if highest > available:
        raise ModelError(
            owner, "modes", value, f"no mode above {available}, the number of elastic coordinates"
        )
    return result


def instance(
    owner: str, field: str, value: Any, kind: type | tuple[type, ...], expected: str
) -> Any:
    """Return the value if it is of a kind."""
    if not isinstance(value, kind):
        raise ModelError(owner, field, value, expected)
    return value


def damping_choice(owner: str, value: Any) -> Damping | None:
    """Return the damping of a body, or None."""
    kinds = (*get_args(Damping), NoneType)
    return cast("Damping | None", instance(owner, "damping", value, kinds, DAMPING))


def strain_damping(owner: str, damping: Damping | None, where: str) -> None:
    """Refuse damping that is not proportional to rates of strain."""
    if damping is None or isinstance(damping, KelvinVoigt):
        return
    if not isinstance(damping, Rayleigh) or damping.mass != 0.0:
        expected = f"KelvinVoigt(E) or Rayleigh(stiffness=...) {where}"
        raise ModelError(owner, "damping", damping, expected)


def given_point(owner: str, x: Any, y: Any, z: Any, expected: str) -> Vector:
    """Return the point (3,) m that ``at(x, y, z)`` was asked for."""
    named = zip("xyz", (x, y, z), strict=True)
    return np.array([validate.number(owner, f"{a} of at", v, expected) for a, v in named])


class NearestPlace(NamedTuple):
    """Number of the nearest of several points, and whether it is away from what was asked."""

    number: int
    away: bool


def nearest_place(points: Vector, place: Vector) -> NearestPlace:
    """The first of the points (k, 3) that are nearest to a place (3,), m."""
    distance = np.linalg.norm(points - place, axis=1)
    size = max(np.abs(points).max(), np.ptp(points, axis=0).max())
    # Points that are at one place up to rounding are equally near: the first of them counts.
    number = int(np.argmax(distance <= distance.min() + PLACE_TOLERANCE * size))
    return NearestPlace(number, bool(distance[number] > PLACE_TOLERANCE * size))


def warn_of_split(body: FlexibleBody, reduction: Reduction) -> None:
    """Warn if one mode of a pair with the same frequency was left out."""
    if reduction.split:
        shown = ", ".join(f"mode {k} without mode {twin}" for k, twin in reduction.split)
        warn_caller(
            f"{label(body)}: modes keeps {shown} of the same frequency, expected both or neither"
        )


def warn_unstretched(body: FlexibleBody, stiffening: Stiffening, modal: ModalBody) -> None:
    """Warn if no elastic coordinate stretches the axis, which membranes are about."""
    if modal.membranes is None or feels_loads(modal):
        return
    what = "does nothing" if stiffening == Axial() else "holds both ends of the axis"
    warn_caller(
        f"{label(body)}: stiffening is {stiffening!r}, which {what} with these modes, "
        "expected modes that stretch the axis among them"
    )
