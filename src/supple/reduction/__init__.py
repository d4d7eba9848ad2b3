"""From a finite-element mesh, or from assumed shapes, to a body with few elastic coordinates."""

from __future__ import annotations

from supple.reduction.assumed.beam import AssumedBeam
from supple.reduction.assumed.functions import Polynomials, UserShapes
from supple.reduction.assumed.shapes import AssumedShapes, Functions, Sines
from supple.reduction.modal import Attachment, ModalBody, Reduction, reduce_mesh
from supple.reduction.modes import Modes, normal_modes, reference_basis
from supple.reduction.problem import Problem
from supple.reduction.shape_sets import (
    AttachmentModes,
    CraigBampton,
    NormalModes,
    PointLoad,
    ShapeSet,
    StaticShapes,
    WeightLoad,
)
from supple.reduction.stiffening import Axial, SecondOrder, VonKarman

__all__ = [
    "AssumedBeam",
    "AssumedShapes",
    "Attachment",
    "AttachmentModes",
    "Axial",
    "CraigBampton",
    "Functions",
    "ModalBody",
    "Modes",
    "NormalModes",
    "PointLoad",
    "Polynomials",
    "Problem",
    "Reduction",
    "SecondOrder",
    "ShapeSet",
    "Sines",
    "StaticShapes",
    "UserShapes",
    "VonKarman",
    "WeightLoad",
    "normal_modes",
    "reduce_mesh",
    "reference_basis",
]
