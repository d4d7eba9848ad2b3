"""A column buckles.

Load factors of a pressed column of four beams, against Euler's, and the first shape.
"""

import supple as sp

model = sp.Model(name="column")
steel = sp.Material(E=200e9, G=80e9, density=7800)
section, end = sp.Rectangle(0.01, 0.02), model.ground.at(0)
for k in range(4):
    part = model.add(sp.Beam(f"part{k}", 0.25, section, steel, 1, stiffening="second_order"))
    model.add(sp.Fixed(f"weld{k}", end, part.at(0)))
    end = part.at(0.25)
model.add(sp.Force("press", end, force=(-1.0, 0, 0)))
found = sp.buckling(model, count=2)
figure = found.modes[0].plot()
