"""A Campbell diagram.

Two discs on a flexible shaft: frequencies over the speed, with what one and two times a turn
excites.
"""

import numpy as np

import supple as sp

model = sp.Model(name="rotor")
steel = sp.Material(E=210e9, G=81e9, density=7850)
round20 = sp.Circle(0.02)
shaft = model.add(sp.Beam("shaft", 0.8, round20, steel, elements=8, modes=6, reference="chord"))
model.add(sp.Revolute("turn", model.ground.at(0), shaft.at(0), axis="x"))
model.add(sp.PointMass("disc 1", shaft.at(0.3), 3.0))
model.add(sp.PointMass("disc 2", shaft.at(0.6), 2.0))
model.add(sp.Driver("motor", "turn", 0.0))
found = sp.stability(model, "turn", np.linspace(0.0, 300.0, 16))
figure = found.plot_campbell([1, 2], high=120.0)
