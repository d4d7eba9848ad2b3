"""Models of each kind of element and their runs."""

from __future__ import annotations

import warnings
from functools import cache

import supple as sp
from models.kind_models import (
    KINDS,
)

END = 4e-3  # s


STEP = 1e-4  # s, of methods with fixed steps


TOLERANCE = 1e-8  # of the others


INTEGRATORS = {
    "Radau": sp.Radau(),
    "DormandPrince": sp.DormandPrince(),
    "GeneralizedAlpha": sp.GeneralizedAlpha(step=STEP),
    "HHT": sp.HHT(step=STEP),
    "Newmark": sp.Newmark(step=STEP),
    "EnergyScheme": sp.EnergyScheme(step=STEP),
    "BDF": sp.BDF(),
    "Adams": sp.Adams(),
}


@cache
def model_of(kind: str) -> sp.Model:
    return KINDS[kind]()


def formulations(model: sp.Model) -> list[sp.Formulation]:
    """Joint coordinates, absolute ones, and a tree with the last body cut off its joint.

    The last two cross all joints of their loops from A to B.
    """
    *joints, last = model.joints
    body = model.joints[last]
    moving = {f.body.name for f in (body.A, body.B)} - {model.ground.name}
    held = {f.body.name for name in joints for f in model.joints[name].frames.values()}
    (free,) = moving - held
    return [sp.JointCoordinates(), sp.Absolute(), sp.Branch([*joints, f"free:{free}"])]


def run(
    model: sp.Model, integrator: sp.Integrator, formulation: sp.Formulation
) -> sp.results.Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        return sp.simulate(
            model,
            END,
            integrator=integrator,
            formulation=formulation,
            output=2,
            tolerance=TOLERANCE,
        )
