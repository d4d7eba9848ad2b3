"""A skate does not slide down.

On a slope it spins on the middle of its edge. It goes down and up and on beside the slope, on a
cycloid, never lower than `g sin(slope)/(2 spin^2)`. The lines are the edge, ten times a second.
"""

import matplotlib.pyplot as plt
import numpy as np

import supple as sp

slope, spin = np.radians(10.0), 2.0
down = 9.81 * np.sin(slope)
model = sp.Model(gravity=(down, 0, -9.81 * np.cos(slope)), name="skate")
body = model.add(sp.RigidBody("skate", 1.0, inertia=0.01))
model.add(sp.Planar("ice", model.ground.at(0), body.at(0), initial_rate=(0, 0, spin)))
model.add(sp.Blade("edge", model.ground.at(0), body.at(0), axis="y"))
result = sp.simulate(model, 4 * np.pi / spin, output=0.01)
x, y, _ = result["skate"].position.T
edge = 0.08 * result["skate"].matrix[:, :2, 0]

ends = np.array([-1, 1])
figure, axes = plt.subplots(figsize=(9, 2.6), layout="constrained")
for k in range(0, len(x), 10):
    axes.plot(y[k] + edge[k, 1] * ends, x[k] + edge[k, 0] * ends, "0.6", lw=1)
axes.plot(y, x)
axes.axhline(down / (2 * spin**2), color="k", lw=0.8, ls="--")
axes.set(aspect="equal", xlabel="across the slope, m", ylabel="down the slope, m")
axes.invert_yaxis()
