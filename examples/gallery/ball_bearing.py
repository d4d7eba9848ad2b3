"""A ball bearing under load.

Eight balls roll between a shaft and a ring: cylinders touched from outside and from within. The
push on each ball as it passes through the loaded half.
"""

import matplotlib.pyplot as plt
import numpy as np

import supple as sp

balls, size, inner, outer, speed = 8, 0.01, 0.02, 0.03001, 50.0  # m, rad/s
model = sp.Model(gravity=(0, 0, 0), name="ball bearing")
drawn = sp.Cylinder(radius=inner, length=0.01)
shaft = model.add(sp.RigidBody("shaft", 0.2, inertia=5e-5, shape=drawn))
model.add(sp.Planar("bearing", model.ground.at(0), shaft.at(0), initial_rate=(0, 0, speed)))
model.add(sp.Force("load", shaft.at(0), force=(0, -100.0, 0)))
race = sp.Cylinder(shaft.at(0), radius=inner, length=0.05)
ring = sp.Cylinder(model.ground.at(0), radius=outer, length=0.05, inside=True)
law = sp.HuntCrossley(stiffness=1e9, restitution=0.5, speed=0.01)
friction = sp.RoundedFriction(0.1)
middle, orbit = 0.5 * (inner + outer), speed * inner / (inner + outer)  # of balls that roll
for k in range(balls):
    ball = model.add(sp.RigidBody(f"ball{k}", 4e-3, inertia=4e-8, shape=sp.Sphere(diameter=size)))
    x, y = middle * np.cos(2 * np.pi * k / balls), middle * np.sin(2 * np.pi * k / balls)
    rolls = (-orbit * y, orbit * x, -orbit * middle / (0.5 * size))
    model.add(sp.Planar(f"way{k}", model.ground.at(x, y, 0), ball.at(0), initial_rate=rolls))
    touching = sp.Sphere(ball.at(0), diameter=size)
    model.add(sp.Contact(f"inside{k}", touching, race, law, friction))
    model.add(sp.Contact(f"outside{k}", touching, ring, law, friction))
result = sp.simulate(model, 0.3, output=2000)
figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
settled = result.t > 2e-3
for k in range(balls):
    axes.plot(result.t[settled], result[f"inside{k}"].normal_force[settled], linewidth=0.8)
axes.set(xlabel="time, s", ylabel="push on each ball, N")
