"""Which strain and which springs hold a mode: parts of the potential energy that they store.

Each counts with its own stiffness: that of a body's deformation, or that of a spring along the
relative motion of its ends. What prestress, weight or rotation add belongs to none of them.
"""

from __future__ import annotations

import numpy as np

from supple.analyses.instant import velocities
from supple.analyses.mode import Mode
from supple.engine.compiled import Compiled
from supple.forces import Bushing, CartesianSpring, ForceElement, JointSpring, SpringDamper
from supple.poses import Array
from supple.results.result import Result

KINDS = ("bending", "torsion", "extension", "shear", "deformation")  # of strain, after a body
LEAST = 1e-6  # part of the energy that is named


def strain_kinds(compiled: Compiled) -> dict[str, dict[str, Array]]:
    """Stiffness matrices of the kinds of strain of each flexible body of the engine."""
    return {
        name: record.body.strain_kinds(record.point_masses)
        for name, record in compiled.flexible.items()
    }


def potential_shares(mode: Mode, kinds: dict[str, dict[str, Array]]) -> dict[str, float]:
    """Parts of the energy of strain and springs, the largest first: "blade bending", "coil".

    They add up to 1; nothing if no strain and no linear spring takes part.
    """
    found: dict[str, float] = {}
    c, model = mode.compiled, mode.model
    assert model is not None
    for record in c.flexible.values():
        own = mode.shape[record.u]
        whole = float(np.real(own.conj() @ record.modal.K @ own))
        left = whole
        for kind, K in kinds[record.name].items():
            energy = float(np.real(own.conj() @ K @ own))
            _add(found, f"{c.owners[record.name]} {kind}", energy)
            left -= energy
        if left > 1e-3 * whole:  # shear of thick beams, or a body that knows no kinds
            word = "deformation" if left == whole else "shear"
            _add(found, f"{c.owners[record.name]} {word}", left)
    parts = np.stack([mode.shape.real, mode.shape.imag])
    ends = Result(velocities(model, c, mode.q, parts))
    for name, force in model.forces.items():
        _add(found, name, _spring(mode, ends, force))
    total = sum(found.values())
    if total <= 0.0:
        return {}
    shares = {name: energy / total for name, energy in found.items() if energy > LEAST * total}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _add(found: dict[str, float], name: str, energy: float) -> None:
    found[name] = found.get(name, 0.0) + energy


def _spring(mode: Mode, ends: Result, force: ForceElement) -> float:
    """Twice the energy of a linear spring in a mode; zero for everything else.

    ``ends`` has the real and the imaginary part of the shape as velocities.
    """
    model = mode.model
    assert model is not None
    if isinstance(force, JointSpring):
        joint = model.joints.get(force.joint)
        index = 0 if joint is None else joint.coordinate_index(force.coordinate, force.name)
        place, ratio = mode.compiled.shaft(force.joint, index)[1:]
        return force.stiffness * float(abs(ratio * mode.shape[place]) ** 2)
    if not isinstance(force, (SpringDamper, CartesianSpring, Bushing)):
        return 0.0
    A, B = (ends.point(frame) for frame in (force.A, force.B))
    way = B.position[0] - A.position[0]
    move, turn = B.velocity - A.velocity, B.angular_velocity - A.angular_velocity
    if isinstance(force, SpringDamper):
        length = float(np.linalg.norm(way))
        along = move @ way / length if length > 0.0 else np.zeros(2)
        return force.stiffness * float(along @ along)
    if isinstance(force, CartesianSpring):
        return float(np.sum(force.stiffness * move**2))
    R = A.matrix[0]  # its axes turn with A
    both = np.hstack([(move - np.cross(A.angular_velocity, way)) @ R, turn @ R])
    K = force.stiffness if force.stiffness.ndim == 2 else np.diag(force.stiffness)
    return float(np.sum(both @ K * both))
