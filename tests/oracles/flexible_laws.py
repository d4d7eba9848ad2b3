"""Tangents of trees with flexible bodies beside complex steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import supple
from models.random_models import (
    Recipe,
    State,
)
from oracles.residual_laws import close, equations
from supple.formulations.equations import Equations

Array = NDArray[np.float64]


def made(recipe: Recipe, **options) -> tuple[supple.Model, Equations, State]:
    model = recipe.model()
    eq = equations(model)
    return model, eq, recipe.state(eq, **options)


def sizes(eq: Equations, q: Array) -> Array:
    """Velocities (nu,) that carry unit energy: they make all rows and columns comparable."""
    return 1.0 / np.sqrt(np.diag(eq.mass_matrix(q)))


def check_tangents(columns, recipe):
    """Absolutely, and with rows and columns scaled to unit energy: stiff entries hide the rest."""
    _, eq, s = made(recipe)
    r, Rq, Ru, M, Rz, Gq, Gu, Gz = eq.tangents(s.t, s.q, s.u, s.a, s.z)
    scale = np.outer(sizes(eq, s.q), sizes(eq, s.q))
    for found, argument in ((Rq, "d"), (Ru, "u"), (M, "a")):
        wanted = columns(eq, s, argument)[0]
        close(found, wanted)
        close(found * scale, wanted * scale)
    close(M * scale, eq.mass_matrix(s.q) * scale, 1e-12)
    close(Rz, columns(eq, s, "z")[0], 1e-12)
    close(Gq, columns(eq, s, "d")[1], 1e-12, 1.0)
    close(Gu, columns(eq, s, "u")[1], 1e-12)
    close(Gz, columns(eq, s, "z")[1], 1e-12)
    close(r, eq.residual(s.t, s.q, s.u, s.a, s.z), 1e-11)
