"""A robot from a URDF file.

A quadruped on a floating base falls, its legs loose.
"""

from pathlib import Path

import supple as sp

file = Path(__file__).resolve().parents[1] / "robots" / "quadruped.urdf"
robot = sp.files.read_urdf(file, base="floating", position=(0, 0, 0.5))
result = sp.simulate(robot, 0.2)
figure = result.picture(0.1)
