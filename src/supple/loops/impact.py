"""Impact: velocities that jump because constraint rows come into use.

    M (u+ - u-) = G^T p,    G u+ + g_t = 0

with all rows that hold from now on, old and new: a plastic impact. The impulses p do the work
p . G (u+ + u-)/2. Of rows that stand still it is the energy lost, of rows that a signal moves it is
work of the driver.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core.base.layout import new_work
from supple.core.equations import dynamics
from supple.engine.base.compiled import Compiled
from supple.engine.reading.rows import moving, row_sizes, rows_at
from supple.foundation.arrays import Array

# Rates of rows that are left, in units of the largest rates before: more is a contradiction.
FOLLOWED = 1e-8


@dataclass(frozen=True)
class Impact:
    """Velocities behind a change of rows, and its impulses.

    Attributes
    ----------
    u : (nu,) velocities behind it
    impulses : (nr,) of the rows in use, positive where they make the row's quantity larger
    lost : kinetic energy lost, J
    work : by channel, work of drivers during the impact, J
    contradiction : label of a row that cannot be followed; empty if all can
    """

    u: Array
    impulses: Array
    lost: float
    work: dict[str, float]
    contradiction: str


def impact(compiled: Compiled, t: float, q: Array, u: Array) -> Impact:
    """Velocities (nu,) behind an instant from which the rows in use of ``compiled`` hold."""
    work = new_work(compiled.ints)
    M = np.zeros((compiled.nu, compiled.nu))
    dynamics.mass_matrix(compiled.ints, compiled.reals, work, np.ascontiguousarray(q), M)
    rows = rows_at(compiled, work, t, q, u)
    du, impulses = _jump(compiled, M, rows.G, rows.rate)
    after = u + du
    # once more, against rounding: what is left of the rates is a right side of the same equations
    left = rows_at(compiled, work, t, q, after)
    more, further = _jump(compiled, M, rows.G, left.rate)
    after, impulses = after + more, impulses + further
    mean = 0.5 * (rows.G @ u + rows.G @ after)
    shares = impulses * mean
    moves = moving(compiled)
    given: dict[str, float] = {}
    for k in np.flatnonzero(moves):
        row = compiled.rows[k]
        name = row.part if row.part in compiled.force_names else row.owner
        given[name] = given.get(name, 0.0) + float(shares[k])
    lost = -float(np.sum(shares[~moves]))
    return Impact(after, impulses, lost, given, _contradiction(compiled, t, q, u, after))


def _jump(compiled: Compiled, M: Array, G: Array, rate: Array) -> tuple[Array, Array]:
    """Velocities du and impulses p with M du = G^T p, G du = -rate, in units of energy."""
    n, nr = len(M), len(G)
    own = np.sqrt(np.diag(M))
    unit = np.where(own > 0.0, 1.0 / np.where(own > 0.0, own, 1.0), compiled.scale)
    rows = G * unit
    size = np.linalg.norm(rows, axis=1)
    size = np.where(size > 0.0, size, 1.0)
    whole = np.zeros((n + nr, n + nr))
    whole[:n, :n] = M * np.outer(unit, unit)
    whole[:n, n:] = -(rows / size[:, None]).T
    whole[n:, :n] = rows / size[:, None]
    right = np.concatenate([np.zeros(n), -rate / size])
    try:
        found = np.linalg.solve(whole, right)
        exact = np.abs(whole @ found - right).max(initial=0.0)
        if not exact <= 1e-9 * (1.0 + np.abs(found).max(initial=0.0)):
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:  # massless coordinates that nothing holds
        found = np.linalg.lstsq(whole, right, rcond=1e-13)[0]
    return unit * found[:n], found[n:] / size


def _contradiction(compiled: Compiled, t: float, q: Array, before: Array, after: Array) -> str:
    """Label of the row of all, also of those left out, that does not hold behind the impact."""
    whole = compiled.complete
    work, sizes = new_work(whole.ints), row_sizes(whole)
    rate = np.abs(rows_at(whole, work, t, q, after).rate) / sizes
    if not len(rate):
        return ""
    speed = max(float(np.max(np.abs(x) / compiled.scale, initial=0.0)) for x in (before, after))
    reach = np.abs(rows_at(whole, work, t, q, before).rate) / sizes
    bound = FOLLOWED * max(speed, float(np.max(reach)), 1e-12)
    worst = int(np.argmax(np.where(np.isfinite(rate), rate, np.inf)))
    return "" if rate[worst] <= bound else whole.rows[worst].name
