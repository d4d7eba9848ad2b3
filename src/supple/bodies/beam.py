"""Beam: a straight flexible body in a floating frame."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, sin
from types import NoneType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple import validate
from supple.errors import ModelError, SuppleWarning, label
from supple.fem.beam import BeamMesh
from supple.fem.line import THEORIES, Theory
from supple.fem.material import Material, Rayleigh
from supple.fem.sections import CrossSection
from supple.fem.tapered import Profile, TaperedSection
from supple.frames import Body, Frame
from supple.reduction.assumed import AssumedBeam
from supple.reduction.field import MeshField
from supple.reduction.modal import Attachment, ModalBody, ModeChoice, reduce_mesh
from supple.reduction.modes import REFERENCES, Reference, kept_coordinates
from supple.reduction.shapes import AssumedShapes
from supple.validate import Vector, read_only, set_fields

PointMasses = Sequence[tuple[float, float]]

# Rounding of a computed station, in lengths of the beam.
STATION_TOLERANCE = 1e-9
MODES = "'all', a number of modes, different mode numbers from 1, e.g. [1, 2, 9], or Sines(n)"
# Surfaces of a strain gauge: factors of the half sizes along y and z of the section.
SIDES = {"y": (1.0, 0.0), "-y": (-1.0, 0.0), "z": (0.0, 1.0), "-z": (0.0, -1.0)}


@dataclass(frozen=True, eq=False, init=False)
class Beam(Body):
    """A straight beam along +x from its origin, with its section in y, z.

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
    modes : "all", int, sequence of int or Sines
        Elastic coordinates: all nodal displacements and rotations, the lowest modes (0: rigid),
        modes by number from 1, or amplitudes of assumed shapes, which need ``reference="chord"``.
        Point masses on the beam take part in the modes.
    reference : "clamped", "chord" or "mean_axis"
        How the body's frame follows the deforming beam: fixed to a node; through both ends (u, v,
        w and twist at the origin and v, w at the other end are zero); or moving so that the
        deformation has no momentum.
    damping : Rayleigh, optional
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
    """

    length: float
    section: Profile
    material: Material
    elements: int
    modes: ModeChoice | AssumedShapes
    reference: Reference
    damping: Rayleigh | None
    rotary_inertia: bool
    torsion: Literal["saint_venant", "polar"]
    roll: float
    clamp_node: int
    theory: Theory

    def __init__(
        self,
        name: str,
        length: float,
        section: Profile,
        material: Material,
        elements: int = 4,
        modes: int | Literal["all"] | Sequence[int] | AssumedShapes = "all",
        reference: Reference = "clamped",
        damping: Rayleigh | None = None,
        rotary_inertia: bool = True,
        torsion: Literal["saint_venant", "polar"] = "saint_venant",
        roll: float = 0.0,
        clamp_node: int = 0,
        theory: Theory = "euler_bernoulli",
    ) -> None:
        set_fields(self, name=validate.name("Beam", name))
        owner = label(self)
        set_fields(
            self,
            length=validate.positive(owner, "length", length),
            section=_instance(
                owner, "section", section, (CrossSection, TaperedSection), "a section, e.g. Box(0.02, 0.02, 0.002)"
            ),
            material=_instance(
                owner, "material", material, Material, "a Material(E=..., G=..., density=...)"
            ),
            elements=validate.integer(owner, "elements", elements, 1, "a positive integer"),
            reference=validate.choice(owner, "reference", reference, REFERENCES),
            damping=_instance(
                owner, "damping", damping, (Rayleigh, NoneType), "Rayleigh(stiffness=...) or None"
            ),
            rotary_inertia=_instance(
                owner, "rotary_inertia", rotary_inertia, bool, "True or False"
            ),
            torsion=validate.choice(owner, "torsion", torsion, ("saint_venant", "polar")),
            roll=validate.number(owner, "roll", roll),
            theory=validate.choice(owner, "theory", theory, THEORIES),
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
        if isinstance(modes, AssumedShapes):
            modes.check(owner, self.reference, self.rotary_inertia)
            if self.theory != "euler_bernoulli":
                raise ModelError(owner, "theory", theory, f"'euler_bernoulli' with {modes!r}")
            set_fields(self, modes=modes, _reductions={})
            return
        kept = kept_coordinates(
            self.reference, self.elements + 1, self.clamp_node, self.rotary_inertia
        )
        set_fields(self, modes=_modes(owner, modes, len(kept)), _reductions={})

    @property
    def mass(self) -> float:
        """Mass of the beam itself, kg, without point masses on it."""
        return self.material.density * self.section.mean_area * self.length

    def at(
        self, x: float, y: float = 0.0, z: float = 0.0, rotation: ArrayLike | None = None
    ) -> Frame:
        """Return the frame at the station x (m, from 0 to the length) on the axis.

        ``rotation`` turns the frame's axes relative to the body's, as for a rigid body. ``y`` and
        ``z`` are zero: only the axis has places.
        """
        owner = label(self)
        for axis, value in (("y", y), ("z", z)):
            if validate.number(owner, f"{axis} of at(x)", value) != 0.0:
                raise ModelError(
                    owner, f"{axis} of at(x)", value, "0, because a station is on the axis"
                )
        return Frame(self, (self._station("x of at(x)", x), 0.0, 0.0), rotation)

    def station(self, frame: Frame) -> float:
        """Return the station (m) of a frame on this beam; refuse a frame beside the axis."""
        x, y, z = frame.position
        if y != 0.0 or z != 0.0:
            raise ModelError(
                label(self), "place of a frame", frame.position, "a point (x, 0, 0) of its axis"
            )
        return self._station("x of a frame", float(x))

    def modal(self, point_masses: PointMasses = ()) -> ModalBody:
        """Body of elastic coordinates, with point masses ((station m, mass kg), ...) on the axis.

        The result is kept: the same point masses give the same object.
        """
        return self._reduced(point_masses).body

    def attachment(self, frame: Frame, point_masses: PointMasses = ()) -> Attachment:
        """How a frame of this beam moves with the coordinates of ``modal(point_masses)``."""
        x = self.station(frame)
        field = self._reduced(point_masses)
        return Attachment(
            p0=read_only((x, 0.0, 0.0)),
            R0=frame.rotation,
            Phi=read_only(field.displacement(x)),
            Psi=read_only(field.rotation(x)),
        )

    def strain_gauge(
        self,
        x: float,
        side: Literal["y", "-y", "z", "-z"] = "y",
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
        toward = SIDES[validate.choice(owner, "side of strain_gauge", side, tuple(SIDES))]
        sizes = self.section.at(station / self.length).half_sizes
        if sizes is None:
            raise ModelError(
                owner, "half_sizes of its section", None, "2 positive numbers for a strain gauge"
            )
        strain = self._reduced(point_masses).strain(station)
        a, b = toward[0] * sizes[0], toward[1] * sizes[1]
        y = a * cos(self.roll) - b * sin(self.roll)
        z = a * sin(self.roll) + b * cos(self.roll)
        bending = -y * strain[1] - z * strain[2]
        return read_only(bending + strain[0] if axial else bending)

    def _station(self, field: str, x: Any) -> float:
        expected = f"a station from 0 to {self.length:g}"
        found = validate.number(label(self), field, x, expected)
        slack = STATION_TOLERANCE * self.length
        if not -slack <= found <= self.length + slack:
            raise ModelError(label(self), field, found, expected)
        return min(max(found, 0.0), self.length)

    def load_cells(self, order: int) -> tuple[Vector, int]:
        """Inner stations (m) where shapes have kinks, and Gauss points for a load between them.

        ``order`` points are meant for the cubics of an element.
        """
        if isinstance(self.modes, AssumedShapes):
            return np.zeros(0), self.modes.load_points(order)
        return np.linspace(0.0, self.length, self.elements + 1)[1:-1], order

    def _reduced(self, point_masses: PointMasses) -> MeshField | AssumedBeam:
        """Shapes and body with these point masses, from the cache if they were asked before."""
        owner, expected = label(self), "pairs (station, mass)"
        given = validate.array(owner, "point_masses", point_masses, expected)
        if given.size and (given.ndim != 2 or given.shape[1] != 2):
            raise ModelError(owner, "point_masses", point_masses, expected)
        masses = tuple(
            sorted(
                (self._station("x of a point mass", x), validate.positive(owner, "point mass", m))
                for x, m in given
            )
        )
        cache: dict[Any, MeshField | AssumedBeam] = self.__dict__["_reductions"]
        if masses not in cache:
            cache[masses] = self._reduce(masses)
        return cache[masses]

    def _reduce(self, masses: tuple[tuple[float, float], ...]) -> MeshField | AssumedBeam:
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
            return AssumedBeam(**options, shapes=self.modes, damping=self.damping)
        mesh = BeamMesh(**options, elements=self.elements)
        reduction = reduce_mesh(
            mesh,
            self.modes,
            self.reference,
            clamp_node=self.clamp_node,
            twist=self.rotary_inertia,  # a line mass gives twist no inertia
            damping=self.damping,
        )
        if reduction.split:
            shown = ", ".join(f"mode {k} without mode {twin}" for k, twin in reduction.split)
            warnings.warn(
                f"{label(self)}: modes keeps {shown} of the same frequency, "
                "expected both or neither",
                SuppleWarning,
                stacklevel=4,
            )
        return MeshField(mesh, reduction)


def _instance(
    owner: str, field: str, value: Any, kind: type | tuple[type, ...], expected: str
) -> Any:
    if not isinstance(value, kind):
        raise ModelError(owner, field, value, expected)
    return value


def _modes(owner: str, value: Any, available: int) -> ModeChoice:
    result: ModeChoice
    if isinstance(value, str) and value == "all":
        return "all"
    if isinstance(value, (list, tuple, range, np.ndarray)):
        try:
            numbers = sorted(validate.integer(owner, "modes", k, 1, MODES) for k in value)
        except ModelError:
            raise ModelError(owner, "modes", value, MODES) from None
        if not numbers or len(set(numbers)) < len(numbers):
            raise ModelError(owner, "modes", value, MODES)
        result, highest = tuple(numbers), numbers[-1]
    else:
        result = highest = validate.integer(owner, "modes", value, 0, MODES)
    if highest > available:
        raise ModelError(
            owner, "modes", value, f"no mode above {available}, the number of elastic coordinates"
        )
    return result
