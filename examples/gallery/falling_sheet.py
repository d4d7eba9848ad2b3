"""A sheet of rubber falls.

A plate of absolute nodal coordinates hangs at one corner and falls from the horizontal: what it
looks like after a third of a second.
"""

import supple as sp

model = sp.Model(gravity=(0, 0, -9.81), name="sheet")
rubber = sp.Material(E=1e7, G=1e7 / 2.6, density=1000)
sheet = model.add(sp.ANCFPlate("sheet", (1.0, 1.0), 0.02, rubber, elements=(3, 3)))
model.add(sp.Spherical("corner", model.ground.at(0), sheet.at(0, 0)))
result = sp.simulate(model, 0.35, tolerance="loose", output=50)
figure = result.picture()
