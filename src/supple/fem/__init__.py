"""Finite elements: sections, materials and meshes, which give mass, stiffness and shapes."""

from __future__ import annotations

from supple.fem.beam import BeamMesh
from supple.fem.component import Component, MassProperties, mass_properties, rigid_modes
from supple.fem.line import BeamLine
from supple.fem.material import Material, Rayleigh
from supple.fem.sections import Box, Circle, CrossSection, Rectangle, Section, Tube

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
    "Tube",
    "mass_properties",
    "rigid_modes",
]
