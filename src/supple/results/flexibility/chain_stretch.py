"""Stretch of flexible bodies in a row, or in a loop, between places that cannot come nearer.

As in `supple.results.flexibility.held_stretch`, with sets of reactions that balance each other over
several bodies: what all bodies without stiffening shorten by, in the flexibility of all of them.
The part is that of energies, b = sum q.K_0 q / sum q.K q. These sets are those of the model where
it is: as far as joints are deflected, tension straightens it, and makes it softer along itself by
about b of itself. So a = b/(1 - b) belongs to the model before its deflection, 0.52 told of 0.55
for a strip of two bodies between clamps that is bent by three thicknesses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.foundation.errors import ModelError
from supple.results.flexibility.truncation import DEPENDENT, Deflected, deflected, unit_reactions
from supple.results.views.body_loads import INERTIA

if TYPE_CHECKING:
    from supple.engine.base.compiled import Compiled
    from supple.results.data.run_data import HeldLoads
    from supple.results.result import Result

Array = NDArray[np.float64]

MOST = 0.9  # of b, beyond which a is not extrapolated
RIGID = 1e-11  # sets that stretch less than this part of the softest carry no tension


def chain_stretch(result: Result, at: int) -> float:
    """Part a of the bodies of a result at one output time; zero where none hold each other."""
    known: dict[int, float] = result.__dict__.setdefault("_chain_stretch", {})
    if at not in known:
        try:
            known[at] = _found(result, at)
        except ModelError:  # a body made of matrices only
            known[at] = 0.0
    return known[at]


def _found(result: Result, at: int) -> float:
    compiled, stress = result.data.compiled, result.data.self_stress
    records = {name: r for name, r in compiled.flexible.items() if r.modal.n}
    soft = [name for name, r in records.items() if not r.body.stiffened]
    if stress is None or len(records) < 2 or not soft:
        return 0.0
    which = np.array([at])
    bodies = deflected(result, records, which)
    held = stress(result.data.history.at(which))[0]
    if len(bodies) < len(records) or _unknown(held, compiled):
        return 0.0
    unit = {n: unit_reactions(b, held[n]) for n, b in bodies.items() if held.get(n)}
    if not unit or not next(iter(unit.values())).shape[1]:
        return 0.0
    forms = {n: _forms(bodies[n], u) for n, u in unit.items() if n in soft}
    q = {name: result.q[at, records[name].q] for name in records}
    works = (u.T @ bodies[n].response.work @ u for n, u in unit.items())
    shortened = sum(
        (0.5 * np.einsum("a,rab,b->r", q[n], K, q[n]) for n, K in forms.items()), np.zeros(1)
    )
    amounts = np.linalg.pinv(sum(works), rcond=RIGID, hermitian=True) @ shortened
    energy = sum(float(q[n] @ r.modal.K @ q[n]) for n, r in records.items())
    gained = sum(float(q[n] @ np.tensordot(amounts, K, 1) @ q[n]) for n, K in forms.items())
    part = float(np.clip(gained / energy, 0.0, MOST)) if energy > 0.0 else 0.0
    return part / (1.0 - part)


def _unknown(held: HeldLoads, compiled: Compiled) -> bool:
    """Whether reactions act on beams in parts, whose flexibility under them is not known here."""
    cut = [name for name, record in compiled.bodies.items() if record.body.divides]
    wrenches = [w for name in cut for _, w in held[name]]
    return any(np.abs(w).max(initial=0.0) > DEPENDENT for w in wrenches)


def _forms(body: Deflected, unit: Array) -> Array:
    """Geometric stiffness (s, n, n) of a body under sets of reactions (m, s)."""
    loads, record = body.loads, body.record
    factors = unit[: INERTIA + 6 * len(loads.places)].T
    return record.body.load_stiffness(loads.places, factors, record.point_masses)
