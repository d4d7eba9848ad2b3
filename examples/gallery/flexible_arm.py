"""A flexible arm comes to rest.

A beam by a few modes on a hub under control: the deflection of its tip while the hub turns by 60
degrees.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "flexible_arm.yaml")
result = sp.simulate(model, 2.0)
beam = next(name for name, body in model.bodies.items() if isinstance(body, sp.Beam))
tip = f"{beam}@{model[beam].length:g}.deflection"
figure = result.plot(next(iter(model.joints)), tip)
