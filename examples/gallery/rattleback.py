"""A rattleback turns back.

A stone rolls on the outside of a torus, 2 m and 45 mm curved; its inertia is turned against these.
Spun one way it begins to rattle and turns back, spun the other way it spins on.
"""

import matplotlib.pyplot as plt
import numpy as np

import supple as sp

long, short, height = 2.0, 0.045, 0.01  # radii of the bottom, centre of mass over it, m
inertia = [[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]]  # of Kane and Levinson (1982)


def stone(spin):
    """The stone, spun and tapped a little."""
    model = sp.Model(gravity=(0, 0, -9.81), name="rattleback")
    body = model.add(sp.RigidBody("stone", 1.0, inertia=inertia))
    rates = (0.1, 0, spin, 0, 0, 0)
    start = model.ground.at(0, 0, height)
    model.add(sp.Free("table", start, body.at(0), initial_rate=rates))
    centre = body.at(0, 0, long - height)
    bottom = sp.Torus(centre, radius=long - short, section=short, axis="y")
    model.add(sp.Rolling("rolls", sp.Plane(model.ground.at(0)), bottom))
    return model


figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for spin, colour in ((5.0, "C1"), (-5.0, "C0")):
    result = sp.simulate(stone(spin), 10.0, output=0.01)
    body = result["stone"]
    left.plot(result.t, body.angular_velocity[:, 2], colour, label=f"from {spin:+.0f} rad/s")
    right.plot(result.t, np.degrees(np.arcsin(-body.matrix[:, 2, 0])), colour, lw=0.7)
left.set(xlabel="time, s", ylabel="spin about the vertical, rad/s")
left.legend()
right.set(xlabel="time, s", ylabel="pitch of the long side, degrees")
