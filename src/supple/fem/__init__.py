"""Finite elements: sections, materials and meshes, which give mass, stiffness and shapes."""

from __future__ import annotations

from supple.fem.beam import BeamMesh
from supple.fem.component import Component, MassProperties, mass_properties, rigid_modes
from supple.fem.line import BeamLine
from supple.fem.material import Material, Rayleigh
from supple.fem.plates import plate
from supple.fem.sections import Box, Circle, CrossSection, Rectangle, Section, Tube
from supple.fem.shell import ShellMesh
from supple.fem.shell_points import ShellPoint, plane_von_mises

__all__ = [
    "BeamLine",
    "BeamMesh",
    "Box",
    "Circle",
    "Component",
    "CrossSection",
    "MassProperties",
    "Material",
    "Rayleigh",
    "Rectangle",
    "Section",
    "ShellMesh",
    "ShellPoint",
    "Tube",
    "mass_properties",
    "plane_von_mises",
    "plate",
    "rigid_modes",
]
