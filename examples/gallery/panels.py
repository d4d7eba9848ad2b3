"""Solar panels unfold.

Two panels of shell triangles with shapes of Craig and Bampton, driven at their hinges, as
Richard's.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "panels.yaml")
result = sp.simulate(model, 2.0)
figure = result.picture(2.0, magnification=50.0)
