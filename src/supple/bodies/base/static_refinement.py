"""A body whose statics are exact for loads where something is attached: what others compare with.

Static shapes for all that is attached, on a mesh of so many elements that loads between nodes do
not matter: few shapes of a fine mesh.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from supple.bodies.base.refinement import finer_mesh, has_modes, mesh_size, number_of_modes
from supple.reduction.assumed.shapes import AssumedShapes
from supple.reduction.shape_sets import AttachmentModes

FEWEST = 16  # elements of a beam, as for its static deflections in `supple.bodies.beam.recovery`
MODES = 6  # beside static shapes, at least: they carry tension and rotation


def leaves_shapes_out(body: Any) -> bool:
    """True if the body has fewer elastic coordinates than its mesh: any ``modes`` but "all"."""
    return getattr(body, "modes", "all") != "all"


def exact_statics(body: Any) -> dict[str, Any]:
    """Fields of a body with few modes or elements whose statics are exact; none of others."""
    modes = getattr(body, "modes", None)
    if modes is None or getattr(body, "parts", None) is not None:
        return {}
    if isinstance(modes, int) and modes == 0:
        return {}  # rigid, as it is meant
    assumed = isinstance(modes, AssumedShapes)
    if not assumed and (not has_modes(body) or (isinstance(modes, str) and modes == "auto")):
        return {}
    found: dict[str, Any] = {"damping": None}
    count = number_of_modes(modes) if not isinstance(modes, (str, AssumedShapes)) else 0
    if hasattr(body, "members"):
        found["members"] = [replace(m, elements=2 * m.elements) for m in body.members]
    elif isinstance(getattr(body, "elements", None), int):
        factor = max(2, -(-FEWEST // body.elements))
        found |= {"elements": FEWEST} if assumed else finer_mesh(body, factor)
    elif isinstance(modes, str):
        return {}  # all coordinates of a mesh that is given
    size = mesh_size(body)
    found["modes"] = AttachmentModes(min(max(count, MODES), size - 1) if size else MODES)
    return found
