"""A rope of rubber falls.

A `Cable` of 12 elements, let go from the horizontal with a weight at its end: places and slopes of
its nodes in the world, no frame of reference.
"""

import warnings

import numpy as np
from matplotlib.figure import Figure

import supple as sp

warnings.simplefilter("ignore", sp.SuppleWarning)  # it stretches by more than 1 %
rubber = sp.Material(E=1e7, G=4e6, density=1000)
model = sp.Model(gravity=(0, -9.81, 0), name="rope")
rope = model.add(sp.Cable("rope", 2.0, sp.Circle(0.02), rubber, elements=12))
model.add(sp.Spherical("hinge", model.ground.at(0), rope.at(0)))
model.add(sp.PointMass("weight", rope.at(2.0), 0.1))
steps = sp.GeneralizedAlpha(step=2e-4)
result = sp.simulate(model, 0.7, integrator=steps, output=np.linspace(0, 0.7, 8))
places = np.array([result["rope"].at(x).position for x in np.linspace(0, 2, 41)])
figure = Figure(figsize=(8.6, 5.2), layout="constrained")
axes = figure.subplots()
for k, t in enumerate(result.t):
    axes.plot(*places[:, k, :2].T, label=f"{t:.1f} s")
axes.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
axes.legend(frameon=False)
