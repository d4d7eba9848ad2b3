"""A blade that stands straight again.

A long blade is brought to speed: it lags behind until centrifugal force stiffens it
(`stiffening`).
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "spin_up.yaml")
result = sp.simulate(model, 20.0)
figure = result.plot("hub", "blade@8.deflection")
