"""Shear of sections in the deflections of a beam whose theory leaves it out.

Under the loads of a run, in the mean over it. Of a beam that is one body its fine mesh is bent
twice, by the theory of Euler and Bernoulli and by that of Timoshenko: the work of the loads on the
difference is what shear would add, wherever loads and supports are. Of parts and frame structures
the same follows from the section forces that they carry, V^2/(k G A) against M^2/(E I) and
T^2/(G J).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from supple.foundation.errors import label, percent
from supple.results.data.findings import Finding

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.engine.base.body_records import FlexRecord
    from supple.results.flexibility.truncation import Deflected

Array = NDArray[np.float64]

LIMIT, SERIOUS = 0.02, 0.25  # of the deflections without shear
SMALL = 1e-5  # lengths of a body, below which a deflection is no serious matter

_places: WeakKeyDictionary[FlexibleBody, dict[Hashable, tuple[Array, Array]]] = WeakKeyDictionary()


def shear_of_loads(body: Deflected) -> float:
    """Fraction that shear would add to the deflections of a beam; 0 of other bodies."""
    loads = body.across(body.right)
    bent = body.mean(np.einsum("km,mn,kn->k", loads, body.response.work, loads))
    return body.mean(shear_energy(body, loads)) / bent if bent > 0.0 else 0.0


def shear_energy(body: Deflected, loads: Array) -> Array:
    """Twice the energy (k,) of shear under loads (k, m), J; 0 of bodies that are no beams."""
    record = body.record
    sheared = record.body.sheared_response(body.loads.places, record.point_masses)
    if sheared is None:
        return np.zeros(len(loads))
    added = sheared.work - body.response.work
    return np.asarray(np.maximum(np.einsum("km,mn,kn->k", loads, added, loads), 0.0))


def shear_of_places(bodies: Iterable[tuple[FlexRecord, Array]]) -> float:
    """Fraction that shear adds to deflections of frames or parts; coordinates (k, n) from rest."""
    energies = [carried_energies(record, q) for record, q in bodies]
    shear, rest = (float(sum(x.mean() for x in part)) for part in zip(*energies, strict=True))
    return shear / rest if rest > 0.0 else 0.0


def carried_energies(record: FlexRecord, q: Array) -> tuple[Array, Array]:
    """Twice the energy (k,) of shear that is left out, and of bending and twist, by places, J.

    ``q`` (k, n) may be complex: amplitudes.
    """
    rows, compliance = _kept_places(record)
    energy = np.square(np.abs(np.einsum("pin,kn->kpi", rows, q))) * compliance
    return energy[..., 1:3].sum(axis=(1, 2)), energy[..., 3:].sum(axis=(1, 2))


def _kept_places(record: FlexRecord) -> tuple[Array, Array]:
    """Rows (p, 6, n) and compliances (p, 6) of a body's places, kept as long as the body."""
    kept, key = _places.setdefault(record.body, {}), tuple(record.point_masses)
    if key not in kept:
        places = list(record.body.carrying_places(record.point_masses))
        rows = np.array([place.rows for place in places]).reshape(-1, 6, record.modal.n)
        kept[key] = rows, np.array([place.compliance for place in places]).reshape(-1, 6)
    return kept[key]


def of_shear(body: FlexibleBody, part: float, size: float) -> Iterator[Finding]:
    """A finding about a beam that is too short, or loaded too near to its supports.

    ``size`` is its largest deflection, in lengths of the body.
    """
    if part > LIMIT:
        sentence = (
            f"{label(body)}: shear of its sections, which is left out by "
            f"theory='euler_bernoulli', would add {percent(part)} to its deflections where "
            f"its loads act, expected at most {percent(LIMIT)}: {body.shear_remedy}"
        )
        serious = part > SERIOUS and size > SMALL
        yield Finding(body.name, "shear", part, LIMIT, None, serious, sentence)
