"""Balls that have fallen into a box.

A hundred balls of several sizes fall in a plane and come to rest. Lines join those that touch, as
wide as they push: chains carry the weight to the floor.
"""

import matplotlib.pyplot as plt
import numpy as np

import supple as sp

count, width, layer = 100, 0.2, 9  # m, balls side by side
rng = np.random.default_rng(1)
radii = rng.uniform(0.006, 0.0105, count)
model = sp.Model(gravity=(0, 0, -9.81), name="falling balls")
ground = model.ground
shapes = [
    sp.Plane(ground.at(0)),
    sp.Plane(ground.at(-0.5 * width, 0, 0), "x"),
    sp.Plane(ground.at(0.5 * width, 0, 0), (-1, 0, 0)),
]
for k, radius in enumerate(radii):
    mass = 2500.0 * 4.0 / 3.0 * np.pi * radius**3
    inertia = 0.4 * mass * radius**2
    ball = model.add(
        sp.RigidBody(f"ball{k}", mass, inertia=inertia, shape=sp.Sphere(radius=radius))
    )
    x, z = 0.022 * (k % layer - 4) + rng.uniform(-4e-4, 4e-4), 0.012 + 0.022 * (k // layer)
    across = (np.pi / 2, 0, 0)  # the plane of x and z
    place = ground.at(x, 0, z, rotation=across)
    model.add(sp.Planar(f"fall{k}", place, ball.at(0, rotation=across)))
    shapes.append(sp.Sphere(ball.at(0), radius=radius))
law = sp.HuntCrossley(stiffness=2e5, restitution=0.3, speed=0.3)
model.add(sp.Contacts("heap", shapes, law, sp.RoundedFriction(0.5, transition=0.02)))
result = sp.simulate(model, 0.5, integrator=sp.DormandPrince(), tolerance=1e-5)
figure, axes = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
places = np.array([result[f"ball{k}"].position[-1] for k in range(count)])
for place, radius in zip(places, radii, strict=True):
    axes.add_patch(plt.Circle((place[0], place[2]), radius, color="0.85"))
for pair in result["heap"].pairs():
    ends = [places[k - 3] if k >= 3 else pair.point for k in pair.shapes]
    x, z = [end[0] for end in ends], [end[2] for end in ends]
    axes.plot(x, z, color="C3", linewidth=5.0 * pair.normal_force, solid_capstyle="round")
axes.plot([-0.1, -0.1, 0.1, 0.1], [0.18, 0.0, 0.0, 0.18], color="0.3", linewidth=1.5)
axes.set(xlabel="x, m", ylabel="z, m", aspect="equal")
