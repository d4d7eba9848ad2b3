"""A motor with an elastic gear.

A controller that knows its limit turns an arm through a gear; stiff, by `BDF` of SUNDIALS.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "motor.yaml")
result = sp.simulate(model, 2.0, integrator=sp.BDF())
figure = result.plot("hinge", "motor", "control")
