"""How many elements are enough.

Frequencies of a cantilever strip, as Nada has it, by one to six elements over the exact ones.
"""

import numpy as np
from matplotlib.figure import Figure

import supple as sp

steel = sp.Material(E=2e11, G=8e10, density=7800)
elements, rows = [1, 2, 3, 4, 6], []
for n in elements:
    model = sp.Model(name="strip")
    section = sp.Rectangle(0.005, 0.02)
    strip = model.add(sp.Beam("strip", 1.0, section, steel, elements=n, modes="all"))
    model.add(sp.Fixed("clamp", model.ground.at(0), strip.at(0)))
    rows.append(sp.linearize(model, "initial").frequencies[0])
exact = 1.8751040687**2 * np.sqrt(steel.E * 0.005**2 / 12 / steel.density) / (2 * np.pi)
figure = Figure(figsize=(8.6, 3.6), layout="constrained")
axes = figure.subplots()
axes.loglog(elements, np.array(rows) / exact - 1, "o-")
axes.set(xlabel="elements", ylabel="error of the lowest frequency", title=f"exact: {exact:.6g} Hz")
axes.grid(alpha=0.4)
