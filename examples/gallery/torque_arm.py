"""Which shapes a link may take.

Zhao's question: two slender links under given torques, by polynomials and by one sine each.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "torque_arm.yaml")
result = sp.simulate(model, 0.5, output=60)
for link in ("first", "second"):
    model.replace(link, modes=sp.reduction.SineShapes(1, planes=["y"]), reference="chord")
sines = sp.simulate(model, 0.5, output=60)
figure = result.plot("shoulder", "elbow", compare={"one sine": sines})
