"""Finite elements: sections, materials and meshes, which give mass, stiffness and shapes."""

from __future__ import annotations

from supple.fem.beam import BeamMesh
from supple.fem.element import BeamElement
from supple.fem.line import BeamLine
from supple.fem.material import Material, Rayleigh
from supple.fem.sections import Box, Circle, CrossSection, ISection, Rectangle, Section, Tube
from supple.fem.tapered import TaperedSection

__all__ = [
    "BeamElement",
    "BeamLine",
    "BeamMesh",
    "Box",
    "Circle",
    "CrossSection",
    "ISection",
    "Material",
    "Rayleigh",
    "Rectangle",
    "Section",
    "TaperedSection",
    "Tube",
]
