"""Frequencies over time.

A chirp through the lowest frequencies of a cantilever: the spectrogram of its tip.
"""

import supple as sp

model = sp.Model(name="chirp")
steel = sp.Material(E=210e9, G=81e9, density=7850)
section, damping = sp.Rectangle(0.003, 0.03), sp.Rayleigh(stiffness=2e-5)
strip = model.add(sp.Beam("strip", 0.5, section, steel, modes=4, damping=damping))
model.add(sp.Fixed("clamp", model.ground.at(0), strip.at(0)))
model.add(sp.Force("shaker", strip.at(0.1), force=(0, "sin(2*pi*20*t**2)", 0)))
result = sp.simulate(model, 5.0, output=4000)
figure = result.spectrogram(result["strip"].at(0.5).deflection[:, 1]).plot(high=250.0)
