"""Windows that fall over.

Four-bar windows in a row, by the method of Hilber, Hughes and Taylor (`HHT`) on constraints.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "windows.yaml")
result = sp.simulate(model, 0.5, integrator=sp.HHT())
figure = result.picture(0.45)
