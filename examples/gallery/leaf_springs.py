"""A stage on leaf springs.

`DeformationModes`, as SPACAR has them: leaf springs in parts that shorten as they bend.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(
    Path(__file__).resolve().parents[1] / "models" / "leaf_spring_stage.yaml"
)
result = sp.simulate(model, 0.03, formulation=sp.DeformationModes())
figure = result.picture(0.03)
