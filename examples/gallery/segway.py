"""A Segway turns round.

A person stands on two wheels that roll. A regulator, designed on its motion straight on, leans it
back and forth by torques on the wheels; their difference steers.
"""

import matplotlib.pyplot as plt
import numpy as np

import supple as sp

radius, half = 0.2, 0.25  # of the wheels, of the track, m


def rider(axes):
    """A person on two wheels that do not touch anything yet."""
    model = sp.Model(gravity=(0, 0, -9.81), name="Segway")
    body = model.add(sp.RigidBody("rider", 80.0, com=(0, 0, 0.8), inertia=(8.0, 8.0, 1.5)))
    model.add(sp.General("ride", model.ground.at(0, 0, radius), body.at(0), axes=axes))
    for side, name in ((1, "left"), (-1, "right")):
        wheel = model.add(sp.RigidBody(f"{name} wheel", 3.0, inertia=(0.04, 0.07, 0.04)))
        model.add(sp.Revolute(name, body.at(0, side * half), wheel.at(0), axis="y"))
    return model


straight = rider([("translate", "x"), ("rotate", "y")])
for name in ("left", "right"):
    terms = [("ride", 0, 1.0), ("ride", 1, -radius), (name, -radius)]
    straight.add(sp.Coupling(f"{name} rolls", terms))
pitch, angle, pitch_rate, rate = sp.lqr(straight, "left", Q=[300, 100, 10, 10], R=1e-2).K[0] / 2
axes = [("translate", axis) for axis in "xyz"] + [("rotate", axis) for axis in "zxy"]
model = rider(axes)
for name in ("left", "right"):
    edge = sp.Torus(model[f"{name} wheel"].at(0), radius=radius, section=0.0, axis="y")
    model.add(sp.Rolling(f"{name} rolls", sp.Plane(model.ground.at(0)), edge, friction=0.8))
both = np.array([pitch, angle / 2, angle / 2, pitch_rate, rate / 2, rate / 2])
turn = np.array([0, 5, -5, 0, 2, -2])  # on the difference of the wheels
gain = [both + turn, both - turn]
ahead = sp.SmoothStep(1.0, 15.0, after=10.0)  # m
around = sp.SmoothStep(4.0, 12.0, after=np.pi)  # rad, to the left
target = [0.0, (ahead - around * half) * (1 / radius), (ahead + around * half) * (1 / radius)]
measures = [("ride", "angle_6"), "left", "right"]
model.add(sp.state_feedback("balance", ["left", "right"], gain, measures, target))
result = sp.simulate(model, 18.0, output=0.02)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
x, y, _ = result["rider"].position.T
left.plot(x, y)
left.set(xlabel="x, m", ylabel="y, m", title="the way", aspect="equal")
right.plot(result.t, np.degrees(result["ride"].angle_6), label="lean, degrees")
right.plot(result.t, result["balance"].efforts, label=["left torque, N m", "right torque, N m"])
right.set(xlabel="time, s")
right.legend()
