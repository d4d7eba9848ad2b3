"""A tippe top turns over.

Its ball slides on a floor until it spins on its stem: two spheres, a plane, rounded friction.
Sizes of Leine and Glocker (2003).
"""

import numpy as np

import supple as sp

ball, knob = 0.015, 0.005  # radii, m
below, above = 0.003, 0.016  # from the centre of mass up to the centres of both, m
tilt = (np.cos(0.05), 0, np.sin(0.05), 0)  # 0.1 rad, as a quaternion
model = sp.Model(gravity=(0, 0, -9.81), name="tippe top")
length = above + knob - below
shape = [
    sp.Cylinder(radius=ball, length=0.2 * ball, position=(0, 0, below)),
    sp.Cuboid(size=(knob, knob, length), position=(0, 0, below + 0.5 * length)),
]  # by which it is drawn
top = model.add(sp.RigidBody("top", 6e-3, inertia=(8e-7, 8e-7, 7e-7), shape=shape))
height = ball - below * np.cos(0.1)
start, spin = (*tilt, 0, 0, height), (0, 0, 180.0, 0, 0, 0)
model.add(sp.Free("air", model.ground.at(0), top.at(0), initial=start, initial_rate=spin))
law = sp.HuntCrossley(stiffness=1e6, restitution=0.3, speed=0.1)
friction = sp.RoundedFriction(0.3, transition=1e-2)
floor = sp.Plane(model.ground.at(0))
for name, place, radius in (("belly", below, ball), ("stem", above, knob)):
    sphere = sp.Sphere(top.at(0, 0, place), radius=radius)
    model.add(sp.Contact(name, sphere, floor, law, friction))
result = sp.simulate(model, 3.0, output=0.002)
figure = result.picture(2.5)
