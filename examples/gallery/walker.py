"""A rimless wheel walks down a slope.

Each spoke hits the ground, sticks, and carries the next stride: eight points that touch a plane.
What every hit takes the slope gives back, so the speed settles (McGeer, 1990).
"""

import numpy as np

import supple as sp

angle, spokes, length = np.radians(6.0), 8, 1.0
model = sp.Model(gravity=(9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)), name="rimless wheel")
half = np.pi / spokes
spoke = [
    sp.Cylinder(radius=0.015, length=2 * length, axis=(np.sin(turn), 0, np.cos(turn)))
    for turn in half * (2 * np.arange(spokes // 2) + 1)
]
hub = model.add(sp.RigidBody("hub", 10.0, inertia=0.5, shape=spoke))
upright = (np.pi / 2, 0, 0)
start = model.ground.at(0, 0, length * np.cos(half), rotation=upright)
rates = (1.4 * length * np.cos(half), 0, -1.4)
model.add(sp.Planar("plane", start, hub.at(0, rotation=upright), initial_rate=rates))
dead = sp.HuntCrossley(stiffness=1e6, restitution=0.01, speed=0.8, exponent=1)
floor = sp.Plane(model.ground.at(0))
for k in range(spokes):
    turn = (2 * k + 1) * half
    foot = sp.Point(hub.at(-length * np.sin(turn), 0, -length * np.cos(turn)))
    model.add(sp.Contact(f"foot{k}", foot, floor, dead, sp.Friction(0.9, damping=2.8e3)))
result = sp.simulate(model, 4.0, output=0.02)
figure = result.picture(1.0)
