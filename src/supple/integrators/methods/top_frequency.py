"""Explicit methods and bodies without a frame, whose sections vibrate with megahertz."""

from __future__ import annotations

import math

import numpy as np

from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled
from supple.foundation.errors import ModelError
from supple.integrators.methods.base import Integrator

POWERS = 30  # products with the stiffness: the largest frequency to some per cent


def refuse_explicit(compiled: Compiled, integrator: Integrator) -> None:
    """Refuse an explicit method whose steps would have to resolve the vibrations of sections.

    A user who knows better says so by a ``max_step`` that does.
    """
    limit = integrator.stability_limit
    if not limit:
        return
    for record in compiled.gradient.values():
        top = top_frequency(record)
        if integrator.max_step * top > limit:
            name = type(integrator).__name__
            raise ModelError.plain(
                f"{name}: {record.label} vibrates with up to {top / (2.0 * math.pi):.3g} Hz, which "
                f"limits its steps to {limit / top:.2g} s, expected GeneralizedAlpha() or Radau(), "
                f"or {name}(max_step={limit / top:.1g})"
            )


def top_frequency(record: ANCFRecord) -> float:
    """The highest frequency of a gradient body at rest, rad/s, by powers of inverse(M) K."""
    from scipy.sparse.linalg import splu

    mesh = record.mesh
    K, _ = mesh.tangents(mesh.rest)
    solver = splu(mesh.mass_matrix)
    x = np.random.default_rng(0).normal(size=mesh.rest.size)
    value = 0.0
    for _ in range(POWERS):
        x /= np.linalg.norm(x)
        y = solver.solve((K @ x).reshape(-1, mesh.dimension)).ravel()
        value = float(x @ y) if value == 0.0 else float(np.linalg.norm(y))
        x = y
    return math.sqrt(max(value, 0.0))
