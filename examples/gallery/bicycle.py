"""A bicycle balances itself.

Rolling wheels without a rider's hands: between 4.3 and 6.0 m/s nothing grows. Left the growth of
small motion over the speed, right a push at 4.6 m/s. Data of Meijaard and others (2007).
"""

import matplotlib.pyplot as plt
import numpy as np

import supple as sp

parts = {  # mass, place (x, z), Ixx, Iyy, Izz, Ixz; z is down
    "rear wheel": (2.0, (0.0, -0.3), 0.0603, 0.12, 0.0603, 0.0),
    "frame": (85.0, (0.3, -0.9), 9.2, 11.0, 2.8, 2.4),
    "fork": (4.0, (0.9, -0.7), 0.05892, 0.06, 0.00708, -0.00756),
    "front wheel": (3.0, (1.02, -0.35), 0.1405, 0.28, 0.1405, 0.0),
}
axis = np.array([np.sin(np.pi / 10), 0.0, np.cos(np.pi / 10)])  # of the steering


def bicycle(speed, push=0.0):
    """The bicycle at a speed, pushed to lean by a rate."""
    model = sp.Model(gravity=(0, 0, 9.81), name="bicycle")
    for name, (mass, _, xx, yy, zz, xz) in parts.items():
        model.add(sp.RigidBody(name, mass, inertia=[[xx, 0, xz], [0, yy, 0], [xz, 0, zz]]))
    place = {name: np.array([x, 0, z]) for name, (_, (x, z), *_) in parts.items()}

    def both(one, other, where):  # frames at a place
        return (model[name].at(*(where - place[name])) for name in (one, other))

    start, rates = (1, 0, 0, 0, *place["frame"]), (push, 0, 0, speed, 0.9 * push, 0)
    frame = model["frame"].at(0)
    model.add(sp.Free("ride", model.ground.at(0), frame, initial=start, initial_rate=rates))
    head = np.array([1.1, 0, 0]) - 0.9 * axis
    model.add(sp.Revolute("steering", *both("frame", "fork", head), axis=axis))
    for wheel, carrier in (("rear wheel", "frame"), ("front wheel", "fork")):
        radius, ends = -place[wheel][2], both(carrier, wheel, place[wheel])
        spin = -speed / radius
        model.add(sp.Revolute(f"{wheel} axle", *ends, axis="y", initial_rate=spin))
        edge = sp.Torus(model[wheel].at(0), radius=radius, section=0.0, axis="y")
        model.add(sp.Rolling(f"{wheel} rolls", sp.Plane(model.ground.at(0), normal="-z"), edge))
    return model


figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
speeds = np.linspace(0.25, 8.0, 63)
values = []
for speed in speeds:
    linear = sp.linearize(bicycle(speed), "initial")
    values.append(np.sort_complex(linear.eigenvalues[linear.zeros :]))
values = np.array(values)
left.axvspan(4.292, 6.024, color="0.9")
left.plot(speeds, np.where(values.imag == 0.0, values.real, np.nan), "k.", markersize=3)
left.plot(speeds, np.where(values.imag > 0.0, values.real, np.nan), "C0.", markersize=3)
left.set(ylim=(-8, 8), xlabel="speed, m/s", ylabel="growth, 1/s", title="real parts")
result = sp.simulate(bicycle(4.6, push=0.5), 6.0, output=0.02)
lean = np.degrees(np.arcsin(result["frame"].matrix[:, 2, 1]))
right.plot(result.t, lean, label="lean")
right.plot(result.t, np.degrees(result["steering"].angle), label="steering angle")
right.set(xlabel="time, s", ylabel="degrees", title="a push at 4.6 m/s")
right.legend()
