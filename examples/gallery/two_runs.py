"""Two runs and their difference.

The same arm at two tolerances: histories above, what they differ by below.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "two_link_arm.yaml")
result, tight = (sp.simulate(model, 2.0, tolerance=x) for x in ("loose", "tight"))
names = [f"{joint}.angle" for joint in model.joints]
figure = sp.compare(result, tight).plot_runs(*names, labels=("loose", "tight"))
