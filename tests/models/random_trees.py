"""Random trees and the condition of their equations."""

from __future__ import annotations

import numpy as np

import supple as sp
from supple.formulations.equations import Equations
from supple.graph.topology import Components

# Condition of the bordered mass matrix, in units of the model, above which rounding decides.
WORST = 1e9


def random_tree(model: sp.Model, rng: np.random.Generator) -> list[str]:
    """A random spanning tree of joints and free bodies."""
    edges = [(j.name, j.A.body.name, j.B.body.name) for j in model.joints.values()]
    edges += [(f"free:{body}", "ground", body) for body in model.bodies]
    parts = Components(["ground", *model.bodies])
    shuffled = [edges[k] for k in rng.permutation(len(edges))]
    return [name for name, a, b in shuffled if parts.join(a, b)]


def condition(eq: Equations, t: float = 0.0, q: np.ndarray | None = None) -> float:
    """Condition of [M G'; G 0], in units of increments, rows and the mean mass."""
    c = eq.compiled
    q = eq.q0 if q is None else q
    M = eq.mass_matrix(q) * np.outer(c.scale, c.scale)
    G = eq.constraints(t, q, eq.u0).G * c.scale
    if not len(M) and not len(G):
        return 1.0  # nothing moves
    G = G / np.maximum(np.linalg.norm(G, axis=1), 1e-300)[:, None]
    mean = np.mean(np.diag(M)) or 1.0
    zero = np.zeros((len(G), len(G)))
    return float(np.linalg.cond(np.block([[M / mean, G.T], [G, zero]])))
