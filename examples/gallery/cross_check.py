"""One arm by seven ways.

A cross-check: formulations and integrators against the reference, and as broken lines their errors.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "four_bar.yaml")
check = sp.crosscheck(model, 1.0)
figure, result = check.plot(), check.reference
