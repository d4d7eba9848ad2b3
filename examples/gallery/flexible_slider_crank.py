"""A rod that bends.

Jonker's slider-crank: the rod swings at its own frequency while the crank turns at a given speed.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(
    Path(__file__).resolve().parents[1] / "models" / "flexible_slider_crank.yaml"
)
result = sp.simulate(model, 0.05)
figure = result.picture(0.02, magnification=10.0)
