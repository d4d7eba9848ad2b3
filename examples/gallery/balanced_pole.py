"""A pole is balanced.

A cart with a pole is stepped from outside at 50 Hz. A controller, designed with the linear model,
sees places and rates and holds its force over each step. At two seconds somebody pushes.
"""

import numpy as np
from matplotlib.figure import Figure
from scipy.linalg import solve_discrete_are
from scipy.signal import cont2discrete

import supple as sp

DT = 0.02  # s
OUTPUTS = ["rail.displacement", "hinge.angle", "rail.displacement_rate", "hinge.angle_rate"]

model = sp.Model(gravity=(0, 0, -9.81), name="cart and pole")
cart = model.add(sp.RigidBody("cart", mass=1.0, inertia=0.01))
pole = model.add(sp.RigidBody("pole", mass=0.2, com=(0, 0, 0.5), inertia=0.02))
model.add(sp.Prismatic("rail", model.ground.at(0), cart.at(0), axis="x"))
model.add(sp.Revolute("hinge", cart.at(0), pole.at(0), axis="y"))

linear = sp.linearize(model, at="initial").state_space("rail", ["rail", "hinge"])
A, B, *_ = cont2discrete((linear.A, linear.B, np.eye(4), np.zeros((4, 1))), DT)
P = solve_discrete_are(A, B, np.diag([10.0, 10.0, 1.0, 1.0]), np.eye(1))
gain = np.linalg.solve(np.eye(1) + B.T @ P @ B, B.T @ P @ A)

stepper = sp.Stepper(model, ["rail", (pole.at(0, 0, 1.0), "x")], OUTPUTS, dt=DT)
stepper.reset(stepper.state.changed({"hinge": 0.3}))
rows = []
for k in range(300):
    force = -float((gain @ stepper.values)[0])
    push = 4.0 if 100 <= k < 105 else 0.0
    rows.append((stepper.time, *stepper.values[:2], force))
    stepper.step(inputs=[force, push])
t, place, angle, force = np.transpose(rows)

figure = Figure(figsize=(8, 4), layout="constrained")
top, bottom = figure.subplots(2, 1, sharex=True)
top.plot(t, angle, color="#2f6fb0", label="angle of the pole, rad")
top.plot(t, place, color="#d9822b", label="place of the cart, m")
bottom.step(t, force, where="post", color="#555555", label="force on the cart, N")
for axes in (top, bottom):
    axes.legend(frameon=False)
    axes.grid(color="#dddddd", lw=0.6)
    axes.spines[["top", "right"]].set_visible(False)
bottom.set_xlabel("time, s")
