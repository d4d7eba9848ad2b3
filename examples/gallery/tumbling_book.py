"""A book that flips.

A free body about its middle axis of inertia, `DormandPrince`: the rates show that it turns over
again and again.
"""

import supple as sp

model = sp.Model(name="book")
shape = sp.Cuboid(size=(0.24, 0.17, 0.03))
book = model.add(sp.RigidBody("book", 1.0, inertia=(2e-3, 5e-3, 6e-3), shape=shape))
model.add(sp.Free("free", model.ground.at(0), book.at(0), initial_rate=(1e-3, 8.0, 0, 0, 0, 0)))
result = sp.simulate(model, 12.0, integrator=sp.DormandPrince())
figure = result.plot("free.angular_velocity")
