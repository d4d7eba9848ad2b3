"""A torque that stops a flexible arm without vibration.

Eight values of a motor's torque turn a slender arm with a load by 0.7 rad in a second, and leave
nothing of its bending; the sum of their squares is as small as can be. Beside it the torque of a
rigid arm, two equal blocks.
"""

import matplotlib.pyplot as plt
import numpy as np

import supple as sp

STOP = 1.0  # s
TIMES = np.linspace(0.0, STOP, 10)
NAMES = [f"torque{k}" for k in range(1, 9)]


def arm(**torque):
    """Return an arm whose motor has these torques, N m."""
    m = sp.Model(gravity=(0, 0, 0))
    aluminium = sp.Material(E=70e9, G=27e9, density=2700.0)
    beam = m.add(sp.Beam("arm", 1.0, sp.Rectangle(0.02, 0.004), aluminium, elements=4, modes=2))
    m.add(sp.PointMass("load", beam.at(1.0), 0.1))
    m.add(sp.Revolute("hub", m.ground.at(0), beam.at(0), "y"))
    values = [0.0, *(torque[name] for name in NAMES), 0.0]
    m.add(sp.JointEffort("motor", "hub", sp.Table(TIMES, values)))
    return m


blocks = {name: 0.383 if k < 4 else -0.383 for k, name in enumerate(NAMES)}
still = {
    "rate": lambda r: float(r["hub"].rates[-1, 0]),
    "bending": lambda r: 10.0 * float(r["arm"].coordinates[-1, 0]),
    "its rate": lambda r: float(r["arm"].rates[-1, 0]),
}
best = sp.optimize(
    arm,
    {name: (start, -2.0, 2.0) for name, start in blocks.items()},
    minimize=lambda r: sum(x * x for x in r.model["motor"].effort.values),
    limits={"hub.angle @ end": (0.7, 0.7), **dict.fromkeys(still, (0.0, 0.0))},
    functions=still,
    t_end=STOP,
    times=20,
    tolerance="default",
)
figure, (above, below) = plt.subplots(2, 1, figsize=(7, 4.4), layout="constrained", sharex=True)
for label, values in (("rigid arm's torque", blocks), ("found", best.values)):
    run = sp.simulate(arm(**values), 2.0 * STOP)
    above.plot(TIMES, [0.0, *values.values(), 0.0], label=label)
    below.plot(run.t, 1e3 * run["arm"].at(1.0).deflection[:, 2], label=label)
result = run
above.set(ylabel="torque, N m")
below.set(xlabel="t, s", ylabel="deflection of the tip, mm")
above.legend()
