"""Energy kept to rounding.

Three bars on ball joints, thrown: `EnergyScheme` in absolute coordinates with fixed steps; the
error is that of rounding.
"""

import supple as sp

model = sp.Model(gravity=(0, 0, -9.81), name="three bars")
end = model.ground.at(0)
for k in range(3):
    bar = model.add(sp.RigidBody(f"bar{k}", 1.0, com=(0.25, 0, 0), inertia=(0.002, 0.02, 0.02)))
    model.add(sp.Spherical(f"ball{k}", end, bar.at(0), initial_rate=(0, 1.0, 2.0)))
    end = bar.at(0.5)
scheme = sp.EnergyScheme(step=2e-3)
result = sp.simulate(model, 2.0, formulation=sp.Absolute(), integrator=scheme)
figure = result.plot("energy")
