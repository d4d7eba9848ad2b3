"""A four-bar linkage, bodies in absolute coordinates.

Every body moves freely and constraints hold the linkage together: `Absolute`, the index 2
equations by `Radau`.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "four_bar.yaml")
result = sp.simulate(model, 2.0, formulation=sp.Absolute())
figure = result.picture(0.4)
