"""The linear graph of a model.

Frames are nodes, components are edges; bold ones are the tree, after Richard.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "cart.yaml")
figure = model.graph().draw()
