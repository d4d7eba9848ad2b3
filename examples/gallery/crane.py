"""A jib crane.

A winch hoists a load on two falls of a `Rope` over pulleys, while the jib turns: the load swings
out of the plane of its pulleys.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "crane.yaml")
result = sp.simulate(model, 3.0)
figure = result.picture(2.0)
