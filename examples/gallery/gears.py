"""Spur gears with backlash turn back and forth.

Twenty teeth drive thirty-five, by as many pairs of flanks as are in mesh: the torque of the motor
changes its sign, teeth leave one flank, cross the backlash and hit the other one.
"""

import matplotlib.pyplot as plt
import numpy as np

import supple as sp

model = sp.Model(gravity=(0, 0, 0), name="spur gears")
pinion = model.add(sp.RigidBody("pinion", 0.3, inertia=1e-4))
gear = model.add(sp.RigidBody("gear", 0.9, inertia=8e-4))
fast = sp.Revolute("fast", model.ground.at(0), pinion.at(0), axis="z", initial_rate=50.0)
slow = sp.Revolute(
    *("slow", model.ground.at(0.055, 0, 0), gear.at(0)), axis="z", initial_rate=-50.0 * 20 / 35
)
model.add(fast)
model.add(slow)
sizes = {"module": 2e-3, "width": 0.02, "thinning": 5e-5}
teeth = sp.InvoluteGear(pinion.at(0), teeth=20, **sizes)
other = sp.InvoluteGear(gear.at(0), teeth=35, phase=np.pi + np.pi / 35, **sizes)
law = sp.HuntCrossley(restitution=0.3, speed=0.01, stiffness=2.8e8, exponent=1)
model.add(sp.Contact("mesh", teeth, other, law))
model.add(sp.JointEffort("motor", "fast", sp.Sine(4.0, frequency=25.0, phase=np.pi / 2)))
model.add(sp.JointSpring("brake", "slow", damping=0.02))
result = sp.simulate(model, 0.08, output=1e-4)
mesh, radius = result["mesh"], 0.02
error = radius * (result["fast"].angle + result["slow"].angle * 35 / 20)
figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
above.plot(1e3 * result.t, 1e6 * error)
above.set_ylabel("transmission error (µm)")
below.plot(1e3 * result.t, mesh.normal_forces)
below.set_xlabel("time (ms)")
below.set_ylim(0, 200)  # hits behind the backlash are higher
below.set_ylabel("push of each pair of flanks (N)")
