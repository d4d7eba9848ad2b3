"""A slider-crank by a tree of your choice.

`Branch` names the joints of the tree; the others close the loop. The force that turns the crank
is a reaction of its driver.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "slider_crank.yaml")
tree = [name for name in model.joints if name != list(model.joints)[-1]]
result = sp.simulate(model, 1.0, formulation=sp.Branch(tree))
figure = result.picture(0.3)
