"""Andrews' squeezer.

Seven bodies, three loops, 0.03 s: the usual test of integrators for constrained systems, here by
`DormandPrince`.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "squeezer.yaml")
result = sp.simulate(model, 0.03, integrator=sp.DormandPrince(), output=300)
figure = result.plot(*list(model.joints)[:2], "energy")
