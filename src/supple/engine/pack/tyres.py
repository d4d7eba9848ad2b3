"""Tyres as records of integers and reals for the kernels."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.shapes.shape import TouchingCore
from supple.core.base import layout as at
from supple.core.contact import contact, cores, fields, record, surfaces, tyres
from supple.core.equations import history as kernel
from supple.engine.pack.contacts import COLUMNS, OWN, SURFACES
from supple.forces.tyre_laws import BrushTyre, LinearTyre, MagicFormula, TyreLaw
from supple.foundation.arrays import Array
from supple.results.data.run_data import ContactHistory, TyreHistory

if TYPE_CHECKING:
    from supple.engine.base.compiled import Compiled
    from supple.engine.pack.builder import Builder
    from supple.forces.tyres import Tyre

FADING = 1e-3  # s, least time in which forces along the road fade in the air
TOLD = (
    tyres.TOLD_HEADING, tyres.TOLD_V, tyres.TOLD_TRAVEL, tyres.TOLD_ROLLING, tyres.TOLD_CAMBER,
    tyres.TOLD_S, tyres.TOLD_F, tyres.TOLD_MOMENT, tyres.TOLD,
)  # fmt: skip


def pack(b: Builder, force: Tyre) -> None:
    """Add the records of a tyre: push with slip, and what slip takes."""
    (pair,) = force.pairs()
    surface, other = pair.surface, pair.other
    (node_a, a), (node_b, c) = (b.place(frame) for frame in pair.frames)
    road, ring, own = a.then(surface.pose), force.ring, tuple[float, ...]()
    wheel = c.then(ring.pose)
    sizes = [*surface.sizes, *[0.0] * surfaces.SIZES][: surfaces.SIZES]
    radii = [ring.small, ring.large]
    way = (0.5, 0.5 * ring.small)  # forces act half way between both surfaces
    if isinstance(other, TouchingCore):
        half = other.half
        own = (*half, 0.0, 0.5 * cores.FLAT * half[0], other.reach)
        radii = [other.radius, other.reach]
        way = (0.5, 0.5 * other.radius)
    data = [*road.R.ravel(), *road.p, *wheel.R.ravel(), *wheel.p, *sizes, *radii, *way]
    data += [*own, *[0.0] * (OWN - len(own))]
    code, reals = slip_numbers(force.law)
    magic = force.law.numbers(force.radius) if isinstance(force.law, MagicFormula) else ()
    data += [*magic, *[0.0] * (tyres.NUMBERS - len(magic))]
    stiffness, exponent, damping = force.normal_law()
    reals |= {contact.STIFFNESS: stiffness, contact.EXPONENT: exponent, contact.DAMPING: damping}
    reals |= {tyres.PUSH_DAMPING: force.damping, contact.ALLOWED: force.allowed_depth}
    ints: dict[int, Any] = {
        record.A: node_a,
        record.B: node_b,
        record.AT: b.add_numbers(data),
        record.PAIR: record.WITH_CORE if isinstance(other, TouchingCore) else record.WITH_RING,
        record.SURFACE: SURFACES[surface.kind],
        record.FRICTION: code,
        record.STATE: b.add_inner_states(3) + 2,
    }
    if surface.data is not None:
        ints[fields.FORM] = b.add_numbers(surface.data.numbers)
        ints[fields.COUNTS] = b.add_integers(surface.data.counts)
    b.add_element({at.KIND: record.TYRE, **ints}, reals, f"{force.name}.push")
    b.add_element({at.KIND: record.TYRE_SLIP, **ints}, reals, f"{force.name}.slip")
    b.wrenches += 1


def slip_numbers(law: TyreLaw) -> tuple[int, dict[int, Any]]:
    """Code and reals of a law of slip."""
    found: dict[int, Any]
    if isinstance(law, LinearTyre):
        found = {tyres.TRAIL: law.trail}
        code, mu, load = tyres.LINEAR, law.mu, law.load
    elif isinstance(law, MagicFormula):
        found = {tyres.TRAIL: 1.0}
        code, mu, load = tyres.MAGIC, 0.0, None
    else:
        assert isinstance(law, BrushTyre)
        found = {tyres.TRAIL: law.half_length}
        code, mu, load = tyres.BRUSH, law.mu, law.load
    found |= {
        tyres.SLIP: np.array([*law.slip_stiffness, law.turning * law.ways[0]]),
        tyres.HOLD: np.array([*law.carcass, law.turning]),
        tyres.MU: mu,
    }
    found |= {tyres.LOAD: load or 0.0, tyres.SETTLING: law.settling}
    return code, found | {tyres.FADE: 1.0 / max(law.settling, FADING)}


def tyre_history(
    c: Compiled, force: Tyre, q: Array, u: Array, z: Array
) -> tuple[ContactHistory, TyreHistory]:
    """Push and forces by slip of a tyre at the states of a run."""
    rows = [np.require(x, dtype=float, requirements=["C", "W"]) for x in (q, u, z)]
    out, told = np.zeros((len(q), contact.SHOWN)), np.zeros((len(q), tyres.TOLD))
    e = list(c.force_names).index(f"{force.name}.push")
    kernel.tyre_history(c.ints, c.reals, at.new_work(c.ints), *rows, e, out, told)
    x = out[:, None]
    shown = [x[..., a:b] if b - a > 1 else x[..., a] for a, b in itertools.pairwise(COLUMNS)]
    own = [told[:, a:b] if b - a > 1 else told[:, a] for a, b in itertools.pairwise(TOLD)]
    return ContactHistory(*shown), TyreHistory(*own)
