"""Errors of load factors by the meshes of flexible bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.errors import ModelError

if TYPE_CHECKING:
    from supple.engine.base.compiled import Compiled
    from supple.foundation.poses import Array

INERTIA = 12  # unit loads of inertia and weight, before those of elastic coordinates


def mesh_stiffness(compiled: Compiled, shape: Array, energy: float) -> dict[str, float]:
    """Parts of the stiffness of a shape (nu,) that meshes have too much, by name of their bodies.

    Twice the energy of the shape is given. Loads in proportion to the shape and the mass bend a
    body about as the shape is; a finer mesh gives way more, or less, under the same.
    """
    found = {}
    for name, record in compiled.flexible.items():
        modal, q = record.modal, shape[record.u]
        own = float(q @ modal.K @ q)
        if not own > 0.0:
            continue
        try:
            flexible = record.body.mesh_flexibility((), record.point_masses)
        except (ModelError, np.linalg.LinAlgError):
            continue
        if flexible is not None:
            loads = np.zeros((1, INERTIA + modal.n))
            loads[0, INERTIA:] = q
            here, exact = flexible.works(loads)
            found[name] = own / energy * float(1.0 - here[0] / exact[0])
    return found
