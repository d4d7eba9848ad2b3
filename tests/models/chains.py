"""Chains with closed loops."""

from __future__ import annotations

import supple as sp


def chain(links: int) -> sp.Model:
    """Links in a row, axes in turn along y and z."""
    model = sp.Model(gravity=(0, -3, -9.81))
    end = model.ground.at(0)
    for i in range(links):
        body = model.add(sp.RigidBody(f"link{i}", 1.0, (0.25, 0, 0), (4e-4, 0.02, 0.02)))
        model.add(sp.Revolute(f"joint{i}", end, body.at(0), axis="yz"[i % 2]))
        end = body.at(0.5)
    return model
