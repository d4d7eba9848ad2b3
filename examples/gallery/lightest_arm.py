"""The lightest arm under a limit of stress.

Height and width of a steel arm that swings a load of 2 kg: as little mass as the stress of the
swing allows, 120 MPa. The figure shows the search.
"""

import matplotlib.pyplot as plt

import supple as sp


def arm(height, width):
    """Return an arm that is driven through 0.8 rad in half a second."""
    m = sp.Model(gravity=(0, 0, -9.81))
    steel = sp.Material(E=210e9, G=80e9, density=7850.0)
    damping = sp.Rayleigh(stiffness=1e-4)
    section = sp.Rectangle(width, height)
    flexible = {"elements": 4, "modes": 4, "damping": damping, "stiffening": "second_order"}
    beam = m.add(sp.Beam("arm", 1.0, section, steel, **flexible))
    m.add(sp.PointMass("load", beam.at(1.0), 2.0))
    m.add(sp.Revolute("hub", m.ground.at(0), beam.at(0), "y"))
    m.add(sp.Driver("drive", "hub", "-0.4*(1 - cos(pi*t/0.5))"))
    return m


best = sp.optimize(
    arm,
    {"height": (0.025, 0.004, 0.04), "width": (0.015, 0.006, 0.04)},
    minimize=lambda result: 7850.0 * result.model["arm"].section.area * 1.0,
    limits={"stress, MPa": (None, 120.0)},
    functions={"stress, MPa": lambda result: 1e-6 * result["arm"].largest_stress().value},
    t_end=0.5,
    times=500,
    tolerance="default",
)
result = sp.simulate(best.model, 0.5)
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
axes.plot(best.history, "o-")
axes.set(xlabel="run", ylabel="mass of the arm, kg")
size = 1e3 * best.values["height"], 1e3 * best.values["width"]
axes.set_title(f"{best.objective:.3f} kg, {size[0]:.1f} mm high, {size[1]:.1f} mm wide")
