"""Finite elements: sections, materials and meshes, which give mass, stiffness and shapes."""

from __future__ import annotations

from supple.fem.base.component import Component, MassProperties, mass_properties, rigid_modes
from supple.fem.base.damping import Damping, KelvinVoigt, ModalDamping, Rayleigh
from supple.fem.base.material import Material
from supple.fem.beams.beam import BeamMesh
from supple.fem.beams.element import BeamElement
from supple.fem.beams.frame import FrameMesh
from supple.fem.beams.line import BeamLine
from supple.fem.beams.member import Member
from supple.fem.sections.sections import (
    Box,
    Circle,
    CrossSection,
    ISection,
    Rectangle,
    Section,
    Tube,
)
from supple.fem.sections.tapered import TaperedSection
from supple.fem.shells.plates import plate
from supple.fem.shells.points import ShellPoint, plane_von_mises
from supple.fem.shells.shell import ShellMesh

__all__ = [
    "BeamElement",
    "BeamLine",
    "BeamMesh",
    "Box",
    "Circle",
    "Component",
    "CrossSection",
    "Damping",
    "FrameMesh",
    "ISection",
    "KelvinVoigt",
    "MassProperties",
    "Material",
    "Member",
    "ModalDamping",
    "Rayleigh",
    "Rectangle",
    "Section",
    "ShellMesh",
    "ShellPoint",
    "TaperedSection",
    "Tube",
    "mass_properties",
    "plane_von_mises",
    "plate",
    "rigid_modes",
]
