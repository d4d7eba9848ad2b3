"""Finite elements: sections, materials and meshes, which give mass, stiffness and shapes."""

from __future__ import annotations

from supple.fem.beam import BeamMesh
from supple.fem.component import Component, MassProperties, mass_properties, rigid_modes
from supple.fem.damping import Damping, KelvinVoigt, ModalDamping, Rayleigh
from supple.fem.element import BeamElement
from supple.fem.frame import FrameMesh
from supple.fem.line import BeamLine
from supple.fem.material import Material
from supple.fem.member import Member
from supple.fem.plates import plate
from supple.fem.sections import Box, Circle, CrossSection, ISection, Rectangle, Section, Tube
from supple.fem.shell import ShellMesh
from supple.fem.shell_points import ShellPoint, plane_von_mises
from supple.fem.tapered import TaperedSection

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
