"""The spectrum of a strain gauge.

A beam on a hinge is released and rings while it swings, as on Huang's rig; lines of the strain at
its root.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "strain_rig.yaml")
result = sp.simulate(model, 1.0, output=2000)
beam = next(name for name, body in model.bodies.items() if isinstance(body, sp.Beam))
strain = result[beam].at(0.0).strain("y")
figure = result.spectrum(strain).plot(high=200.0)
