"""A strip becomes a ring.

A moment at its tip bends a strip of steel into a full circle: `statics` of a beam in parts, in
load steps.
"""

import numpy as np

import supple as sp

model = sp.Model(name="ring")
steel = sp.Material(E=200e9, G=77e9, density=7800)
strip = model.add(sp.Beam("strip", 0.5, sp.Rectangle(1e-3, 0.02), steel, parts=16))
model.add(sp.Fixed("clamp", model.ground.at(0), strip.at(0)))
stiffness = steel.E * 0.02 * 1e-3**3 / 12
model.add(sp.Force("moment", strip.at(0.5), torque=(0, 0, 2 * np.pi * stiffness / 0.5)))
path = sp.statics(model, steps=4)
figure = path.end.picture()
