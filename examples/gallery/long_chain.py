"""Forty links in order N.

A chain in three dimensions falls: accelerations by recursion, `OrderN`, whose cost grows with the
number of links.
"""

import supple as sp

model = sp.Model(gravity=(0, 0, -9.81), name="chain")
end = model.ground.at(0)
for k in range(40):
    link = model.add(sp.RigidBody(f"link{k}", 0.1, com=(0.025, 0, 0), inertia=(1e-6, 2e-5, 2e-5)))
    model.add(sp.Revolute(f"joint{k}", end, link.at(0), axis="yz"[k % 2], initial=0.05))
    end = link.at(0.05)
result = sp.simulate(model, 0.6, formulation=sp.OrderN(), integrator=sp.DormandPrince())
figure = result.picture(0.6)
