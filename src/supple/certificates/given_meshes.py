"""Errors by meshes that are given, which no setting refines: what their monitor knows of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.base.refinement import finer_mesh
from supple.foundation.errors import ModelError, percent

if TYPE_CHECKING:
    from supple.certificates.contributions import Question
    from supple.certificates.runs import Made

SAFETY = 2.0  # of the estimate of a mesh's error, which is within a factor of 1.5 where it is large


def mesh_errors(bodies: Mapping[str, Any], made: Made) -> dict[str, float]:
    """Parts of their deflections that the meshes of bodies get wrong, where these are given."""
    found = {}
    seen = {} if made.result is None else made.result.monitor.bodies
    for name, body in bodies.items():
        part = abs(seen[name].mesh_error) if name in seen else np.nan
        if np.isfinite(part) and part < 1.0 and _given(body):
            found[name] = float(part)
    return found


def _given(body: Any) -> bool:
    try:
        finer_mesh(body, 2)
    except ModelError:
        return True
    return False


def by_given_meshes(question: Question) -> tuple[float, str]:
    """Error of an output by meshes that are given, and why; zero and nothing without any.

    It is the part that a mesh gets wrong, of what deformation does to the output at most.
    """
    e = question.evidence
    if not e.given_meshes:
        return 0.0, ""
    base, rigid = question.of(e.base), question.of(e.rigid_meshes)
    n = min(len(base.y), len(rigid.y))
    change = float(np.abs(base.y[:n] - rigid.y[:n]).max(initial=0.0))
    change = max(change, abs(question.value(e.base) - question.value(e.rigid_meshes)))
    worst = max(e.given_meshes, key=lambda name: e.given_meshes[name])
    part = e.given_meshes[worst]
    error = SAFETY * part / (1.0 - part) * change
    return error, f"{percent(part)} of what the deformation of {worst!r} does is wrong by its mesh"
