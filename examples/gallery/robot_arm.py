"""A load is let go.

A robot whose forearm bends puts a load down: a joint lets go at an event, and the arm rings.
"""

from pathlib import Path

import supple as sp

model = sp.files.ModelFile(Path(__file__).resolve().parents[1] / "models" / "robot_arm.yaml")
result = model.simulate()
figure = result.picture(0.9)
