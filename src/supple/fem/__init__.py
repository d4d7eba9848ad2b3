"""Finite elements: sections, materials and meshes, which give mass, stiffness and shapes."""

from __future__ import annotations

from supple.fem.beam import BeamMesh
from supple.fem.damping import Damping, KelvinVoigt, ModalDamping, Rayleigh
from supple.fem.element import BeamElement
from supple.fem.frame import FrameMesh
from supple.fem.line import BeamLine
from supple.fem.material import Material
from supple.fem.member import Member
from supple.fem.sections import Box, Circle, CrossSection, ISection, Rectangle, Section, Tube
from supple.fem.tapered import TaperedSection

__all__ = [
    "BeamElement",
    "BeamLine",
    "BeamMesh",
    "Box",
    "Circle",
    "CrossSection",
    "Damping",
    "FrameMesh",
    "ISection",
    "KelvinVoigt",
    "Material",
    "Member",
    "ModalDamping",
    "Rayleigh",
    "Rectangle",
    "Section",
    "TaperedSection",
    "Tube",
]
