"""From a finite-element mesh to a body with few elastic coordinates."""

from __future__ import annotations

from supple.reduction.modal import Attachment, ModalBody, Reduction, reduce_mesh
from supple.reduction.modes import Modes, normal_modes, reference_basis

__all__ = [
    "Attachment",
    "ModalBody",
    "Modes",
    "Reduction",
    "normal_modes",
    "reduce_mesh",
    "reference_basis",
]
