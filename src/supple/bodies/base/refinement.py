"""Finer descriptions of a body, by which errors are estimated: modes, mesh, larger deflections.

A description is a mapping of fields for ``Model.replace``; an empty one means that there is nothing
to refine: a rigid body has no modes, and nodal coordinates of a mesh are all there are. What cannot
be refined although it may be wrong is said by ``ModelError``.

Statics of a body are exact for loads where something is attached with static shapes for all that is
attached, on a mesh of so many elements that loads between nodes do not matter: few shapes of a fine
mesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Body
from supple.reduction.assumed.shapes import AssumedShapes
from supple.reduction.shape_sets import AttachmentModes, CraigBampton, NormalModes, ShapeSet

FEWEST = 16  # elements of a beam, as for its static deflections in `supple.bodies.beam.recovery`
MODES = 6  # beside static shapes, at least: they carry tension and rotation
WHOLE = 60  # elastic coordinates of a mesh that are used all of them rather than more modes
PARTS = 8  # of beams that are cut to be compared, at least
MORE = 4  # modes that are added at least, of a beam those of both planes, twist and stretch


def mesh_size(body: Any) -> int:
    """Elastic coordinates of the whole mesh of a body; 0 if it has no mesh."""
    if isinstance(getattr(body, "modes", None), AssumedShapes):
        return 0
    if hasattr(body, "tied"):
        return int(body.tied.size) - 6
    if hasattr(body, "members"):
        return int(body.mesh().size) - 6
    return 6 * int(body.elements) if hasattr(body, "elements") else 0


def more_modes(body: Any, factor: int) -> dict[str, Any]:
    """Fields with so many times the modes and static shapes, or all coordinates of the mesh."""
    modes = getattr(body, "modes", "all")
    if getattr(body, "parts", None) is not None or not _few(modes):
        return {}
    if hasattr(body, "file"):
        raise ModelError(label(body), "modes", modes, "a body with a mesh, to have more of them")
    if isinstance(modes, AssumedShapes):
        return {"modes": _more_functions(body, modes, factor)}
    size, n = mesh_size(body), factor * number_of_modes(modes) + MORE * (factor - 1)
    if size <= WHOLE or n + MORE >= size:
        return {"modes": "all"}
    if isinstance(modes, CraigBampton):
        return {"modes": replace(modes, n=n)}
    return {"modes": AttachmentModes(n)}


def number_of_modes(modes: Any) -> int:
    """Number of modes of a choice; static shapes count as modes."""
    if isinstance(modes, tuple):
        return int(max(modes))
    if isinstance(modes, (AttachmentModes, CraigBampton, NormalModes)):
        return modes.n
    if isinstance(modes, ShapeSet):
        return len(getattr(modes, "loads", ()))
    return int(modes)


def finer_mesh(body: Any, factor: int) -> dict[str, Any]:
    """Fields with so many times the elements, or parts."""
    parts = getattr(body, "parts", None)
    if isinstance(parts, int):
        return {"parts": factor * parts}
    if parts is not None and hasattr(body, "members"):
        return {"parts": [factor * k for k in parts]}
    if parts is not None:
        return {"parts": _between(body, parts, factor)}
    modes = getattr(body, "modes", "all")
    if isinstance(modes, AssumedShapes) or (modes == 0 and isinstance(modes, int)):
        return {}
    if hasattr(body, "members"):
        members = [replace(member, elements=factor * member.elements) for member in body.members]
        return {"members": members}
    elements = getattr(body, "elements", None)
    if isinstance(elements, int):
        clamped = getattr(body, "clamp_node", 0)
        return {"elements": factor * elements} | (
            {"clamp_node": factor * clamped} if clamped else {}
        )
    if isinstance(elements, tuple):
        return {"elements": tuple(factor * k for k in elements)}
    if body.deforms:
        raise ModelError(label(body), "mesh", "a mesh that is given", "one made of elements")
    return {}


def beyond_linear(body: Any) -> dict[str, Any] | None:
    """Fields of a body for larger deflections: none if it has them, None if there is no way."""
    if getattr(body, "parts", None) is not None or not hasattr(body, "modes"):
        return {}  # parts, and bodies without a frame, whose meshes are refined
    if not body.can_stiffen:
        return None
    if not body.stiffened:
        return {"stiffening": "second_order"}
    if hasattr(body, "parts") and body.carries_own_frame and body.second_order:
        count = max(PARTS, 2 * getattr(body, "elements", 0))
        return {"parts": count, "modes": "all"}
    return None


def with_shear(body: Any) -> dict[str, Any]:
    """Fields of a beam, or of a frame structure, whose sections shear; none if they do already."""
    modes = getattr(body, "modes", None)
    if isinstance(modes, AssumedShapes) or (modes == 0 and isinstance(modes, int)):
        return {}  # which have no shear
    if hasattr(body, "members"):
        members = [
            replace(m, theory="timoshenko") if _bends(m) and _shears(m) else m for m in body.members
        ]
        changed = any(a is not b for a, b in zip(members, body.members, strict=True))
        return {"members": members} if changed else {}
    return {"theory": "timoshenko"} if _bends(body) and _shears(body) else {}


def leaves_modes_open(body: Any) -> bool:
    """True if its modes are to be chosen."""
    modes = getattr(body, "modes", None)
    return isinstance(modes, str) and modes == "auto"


def has_modes(body: Any) -> bool:
    """True if a body has a mesh of which modes are made."""
    whole = getattr(body, "parts", None) is None and hasattr(body, "modes")
    return whole and body.can_stiffen and mesh_size(body) > 0


def _few(modes: Any) -> bool:
    """True if there may be more modes: neither all, nor those of a rigid body."""
    return modes > 0 if isinstance(modes, int) else not isinstance(modes, str)


def _bends(beam: Any) -> bool:
    """True if sections stay normal to the axis, as in the theory of Euler and Bernoulli."""
    return getattr(beam, "theory", None) == "euler_bernoulli"


def _shears(beam: Any) -> bool:
    """True if the shear coefficients of its sections are known."""
    try:
        for s in (0.0, 1.0):
            beam.section.at(s).shear_coefficients(beam.material.poisson)
    except ModelError:
        return False
    return True


def _more_functions(body: Body, shapes: Any, factor: int) -> Any:
    """More assumed shapes of the same kind; fields without functions stay without."""
    if not hasattr(shapes, "n"):
        raise ModelError(
            label(body), "modes", shapes, "SineShapes or PolynomialShapes, to have more of them"
        )
    counts = {name: factor * getattr(shapes, name) for name in ("n", "axial", "twist")}
    return replace(shapes, **counts)


def _between(body: Any, stations: Sequence[float], factor: int) -> list[float]:
    """Stations (m) with others between them, of a beam that is cut at given ones."""
    ends = np.array([0.0, *stations, body.length])
    steps = np.arange(factor) / factor
    found: list[float] = (ends[:-1, None] + np.diff(ends)[:, None] * steps).ravel().tolist()
    return found[1:]


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
