"""Beams whose slopes stretch their axis."""

from __future__ import annotations

import supple as sp

LAWS = [
    sp.reduction.Axial(),
    sp.reduction.Axial(quadratic=True),
    sp.reduction.VonKarman("pointwise"),
    sp.reduction.VonKarman(),
]


SOFT = sp.Material(E=2e6, G=0.8e6, density=900.0)


STRIP = sp.Rectangle(0.03, 0.05)


def beam(name: str = "beam", **fields) -> sp.Beam:
    given = {"section": STRIP, "material": SOFT, "length": 1.3} | fields
    return sp.Beam(name, **given)
