"""Bodies with displacements of second order."""

from __future__ import annotations

import numpy as np

import supple as sp
from supple.formulations.trees import JointCoordinates

SOFT = sp.Material(E=1e7, G=4e6, density=1e3)


PLATE = sp.Rectangle(0.02, 0.01)


TAPER = sp.TaperedSection(sp.Rectangle(0.03, 0.02), sp.Rectangle(0.01, 0.015))


PLACES = ((1.0, 0.0), (0.37, 0.3))


def beam(**options) -> sp.Beam:
    given = {"elements": 6, "modes": 6, "stiffening": "second_order"} | options
    return sp.Beam("beam", 1.0, given.pop("section", PLATE), SOFT, **given)


BEAMS = {
    "clamped": beam(),
    "clamped inside": beam(clamp_node=2),
    "chord, all": beam(reference="chord", modes="all"),
    "mean axis": beam(reference="mean_axis", modes=8),
    "tapered": beam(section=TAPER, modes=7),
    "shear": beam(theory="timoshenko", roll=0.4),
    "sines": beam(reference="chord", modes=sp.reduction.SineShapes(3)),
    "fixed interfaces": beam(modes=sp.reduction.CraigBampton([1.0], 4)),
    "twist": beam(stiffening=sp.reduction.SecondOrder(twist=True)),
}


def tangents(model: sp.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    eq = JointCoordinates().equations(model)
    _, Rq, Ru, M, *_ = eq.tangents(0.0, eq.q0, eq.u0, np.zeros(eq.nu), np.zeros(eq.nz))
    return Rq, Ru, M


def deflected(model: sp.Model, name: str) -> sp.State:
    """The initial state with a deflection of some hundredths of the length in all modes."""
    eq = JointCoordinates().equations(model)
    record = eq.compiled.flexible[name]
    q = np.array(eq.q0)
    rng = np.random.default_rng(4)
    size = np.sqrt(np.diag(record.modal.K))
    q[record.q] = 0.02 * rng.normal(size=record.modal.n) * size[0] / size
    return sp.State(0.0, q, np.array(eq.u0), np.zeros(eq.nz))


def l_frame() -> sp.FrameStructure:
    nodes = {"a": (0, 0, 0), "b": (0.6, 0, 0), "c": (0.6, 0.4, 0.1)}
    members = [sp.Member("a", "b", PLATE, SOFT, 2), sp.Member("b", "c", PLATE, SOFT, 2)]
    return sp.FrameStructure("beam", nodes, members, modes=6, stiffening="second_order")
