"""Two rigid links.

A tree in joint coordinates, `Radau`: a load at the tip, springs in the joints, the energy audit
below.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "two_link_arm.yaml")
result = sp.simulate(model, 3.0)
figure = result.plot("energy")
