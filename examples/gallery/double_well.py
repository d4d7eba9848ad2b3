"""A body in a double well.

Duffing's oscillator by `Adams` of SUNDIALS: pushed to and fro, the body changes wells.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "double_well.yaml")
result = sp.simulate(model, 60.0, integrator=sp.Adams(), output=1500)
figure = result.plot("rail.displacement", "rail.displacement_rate")
