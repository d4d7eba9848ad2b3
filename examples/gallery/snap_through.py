"""A truss snaps through.

Von Mises' truss under a growing load: the path of equilibria through two limit points, broken
where it is not stable.
"""

import numpy as np

import supple as sp

model = sp.Model(name="truss")
node = model.add(sp.RigidBody("node", 1.0, inertia=(1.0, 1.0, 1.0)))
model.add(sp.Prismatic("fall", model.ground.at(0), node.at(0), axis="y", initial=0.2))
for name, x in (("left", -1.0), ("right", 1.0)):
    spring = sp.SpringDamper(name, model.ground.at(x), node.at(0), 100.0, length=np.hypot(1.0, 0.2))
    model.add(spring)
model.add(sp.Force("push", node.at(0), force=(0, -1.0, 0)))
figure = sp.statics(model, follow="push").plot("fall.displacement")
