"""Modes of a plate.

A plate of shell triangles, held at one edge: its lowest modes.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "plate.yaml")
figure = sp.linearize(model).plot_modes(6)
