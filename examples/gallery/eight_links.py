"""Eight links come to their target.

Huang's manipulator with two flexible links: his PD controllers (dashed) sag under the weight and
stay 2 degrees and 23 mm off. A regulator of all states, sampled 200 times a second, with the
efforts that hold the weight there, ends on the target.
"""

import numpy as np
from matplotlib.figure import Figure

import supple as sp
from supple.cases.arms.huang_eight_link import TARGETS, manipulator

END = 4.0  # s
old = manipulator()
axes = [(f"joint{k}", i, x) for k, target in TARGETS.items() for i, x in enumerate(target)]
motors = [name for name in old.forces if name.startswith("motor")]

arm = manipulator()  # motors only
for name in [name for name in arm.forces if name.startswith("control")]:
    arm.remove(name)

posed = arm.copy()  # where it is to come to: what holds it there?
for k, target in TARGETS.items():
    posed.replace(f"joint{k}", initial=target if len(target) > 1 else target[0])
held = posed.copy()
for joint, i, x in axes:
    held.add(sp.Driver(f"{joint}_{i}", joint, x, coordinate=i))
rest = sp.statics(held)
weight = [float(rest[f"{joint}_{i}"].effort[0]) for joint, i, _ in axes]
for motor, effort in zip(motors, weight, strict=True):
    posed.add(sp.JointEffort(f"weight of {motor}", motor, effort))

linear = sp.linearize(posed, rest.state())
joints = [name for name in linear.names if name.startswith("joint")]
regulator = sp.lqr(linear, motors, outputs=joints, Q=2000.0, R=0.05, period=0.005)
servo = regulator.controller("servo", feedforward=weight)
start = {name: arm.joints[name].initial for name in arm.joints}
paths = [
    sp.SmoothStep(0.0, 2.0, before=float(start[joint][i]), after=float(goal(0.0)))
    for (joint, i), goal in zip(servo.measures, servo.target, strict=False)
]
arm.add(regulator.controller("servo", [*paths, *servo.target[len(paths) :]], weight))

before, result = sp.simulate(old, END), sp.simulate(arm, END)
figure = Figure(figsize=(8, 4), layout="constrained")
for plot, (joint, unit, x) in zip(
    figure.subplots(1, 2), [("joint2", "rad", 0.6), ("joint3", "m", -0.02)], strict=True
):
    plot.axhline(x, color="#999999", lw=1)
    for run, style in ((before, "--"), (result, "-")):
        plot.plot(run.t, run[joint].coordinates[:, 0], style, color="#2f6fb0")
    plot.set(xlabel="time, s", ylabel=f"{joint}, {unit}")
    plot.spines[["top", "right"]].set_visible(False)
missed = np.array([[run[j].coordinates[-1, i] - x for j, i, x in axes] for run in (before, result)])
