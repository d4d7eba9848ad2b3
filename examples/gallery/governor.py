"""A flyball governor.

Stiff spring-dampers in a tree, by `GeneralizedAlpha` of order 2 with numerical damping.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "governor.yaml")
result = sp.simulate(model, 2.0, integrator=sp.GeneralizedAlpha(rho=0.9))
figure = result.picture(1.0)
