"""Elements that lock, and one that does not.

Tip of a cantilever with F L^2 = E I by eight elements over nodal vectors, ever thinner: those of
the literature become too stiff, `element="collocated"` stays as it is.
"""

import warnings

import numpy as np
from matplotlib.figure import Figure

import supple as sp

warnings.simplefilter("ignore", sp.SuppleWarning)  # the monitor tells which of them lock
heights, E, exact = [3e-2, 1e-2, 3e-3, 1e-3], 2e11, (0.94357, 0.30172, 0.0)
steel = sp.Material(E=E, G=8e10, density=7800)
figure = Figure(figsize=(8.6, 3.6), layout="constrained")
axes = figure.subplots()
for element in ("elastic_line", "collocated"):
    errors = []
    for h in heights:
        model = sp.Model(name="strip")
        section = sp.Rectangle(h, h)
        strip = model.add(sp.ANCFBeam("strip", 1.0, section, steel, 8, element=element))
        model.add(sp.Fixed("clamp", model.ground.at(0), strip.at(0)))
        model.add(sp.Force("tip", strip.at(1.0), (0, E * h**4 / 12, 0)))
        errors.append(np.linalg.norm(sp.statics(model)["strip"].at(1.0).position[0] - exact))
    axes.loglog(heights, errors, "o-", label=element)
axes.set(xlabel="height over length", ylabel="error of the tip over length")
axes.grid(alpha=0.4)
axes.legend(frameon=False)
