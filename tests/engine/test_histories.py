"""Histories of bodies from stored states."""

from __future__ import annotations

import supple as sp


def test_a_model_without_frames_has_histories_of_no_frames() -> None:
    """A plate over nodal vectors has no frame of its own: arrays are empty, and known."""
    m = sp.Model()
    plate = m.add(sp.ANCFPlate("plate", (1.0, 0.5), 0.01, sp.Material(2e9, 8e8, 1000.0)))
    m.add(sp.Free("free", m.ground.at(0), plate.at(0, 0, 0)))
    history = sp.simulate(m, 1e-3, output=3).data.history
    shapes = [x.shape[1:] for x in (history.R, history.p, history.V, history.A)]
    assert shapes == [(0, 3, 3), (0, 3), (0, 6), (0, 6)]
