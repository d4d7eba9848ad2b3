"""A linkage that should not move.

Bennett's four skew hinges: counting says that it is rigid, the doctor finds the redundant rows,
and it goes round.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "bennett.yaml")
result = sp.simulate(model, 1.0)
figure = result.picture(0.5)
