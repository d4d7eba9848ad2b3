"""A woodpecker pecks its way down.

Its sleeve has play on the pole: it jams by friction, comes loose as the bird swings back, and falls
until it jams again, seven times in a second. Sizes of Glocker (1995).
"""

import matplotlib.pyplot as plt
import numpy as np

import supple as sp

pole, bore, half = 2.5e-3, 3.1e-3, 5.8e-3  # radii of pole and sleeve, half its length, m
pivot, reach = 0.010, 0.015  # from the sleeve's middle to the spring, from there to the bird, m
beak = (-0.0201, 0, 0.020)
model = sp.Model(gravity=(0, 0, -9.81), name="woodpecker")
sleeve = model.add(sp.RigidBody("sleeve", 3e-4, inertia=5e-9))
bird = model.add(sp.RigidBody("bird", 4.5e-3, inertia=7e-7))
upright = (np.pi / 2, 0, 0)  # the plane of motion: x, and y up
ends = model.ground.at(0, rotation=upright), sleeve.at(0, rotation=upright)
start = {"initial": (0, 0, -0.1036), "initial_rate": (0, -0.3411, 0)}
model.add(sp.Planar("play", *ends, **start))
swing = {"axis": "-y", "initial": -0.1752, "initial_rate": -7.4583}
model.add(sp.Revolute("hinge", sleeve.at(pivot), bird.at(-reach), **swing))
model.add(sp.JointSpring("spring", "hinge", stiffness=0.0056))
dead = sp.HuntCrossley(stiffness=1e5, restitution=0.01, speed=0.1, exponent=1)
knock = sp.HuntCrossley(stiffness=1e5, restitution=0.5, speed=0.25, exponent=1)
for side in (-1, 1):
    wall = sp.Plane(model.ground.at(side * pole), normal=(side, 0, 0))
    for end in (-1, 1):
        corner = sp.Point(sleeve.at(side * bore, 0, end * half))
        model.add(sp.Contact(f"corner {side} {end}", wall, corner, dead, sp.Friction(0.3)))
model.add(sp.Contact("beak", wall, sp.Point(bird.at(*beak)), knock, sp.Friction(0.3)))
result = sp.simulate(model, 0.7, output=0.001)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.plot(result.t, 1e3 * result["sleeve"].position[:, 2])
left.set(xlabel="time, s", ylabel="height of the sleeve, mm")
angle = result["play"].angle
right.plot(result.t, angle + result["hinge"].angle, label="bird")
right.plot(result.t, angle, label="sleeve")
for k, time in enumerate(result["beak"].touches[:, 0]):
    right.axvline(time, color="0.7", lw=0.8, zorder=0, label="the beak hits" if k == 0 else None)
right.set(xlabel="time, s", ylabel="angle to the pole, rad")
right.legend(loc="lower right")
