"""A parallel robot from an MJCF file.

A delta robot: three closed loops, named in the file.
"""

from pathlib import Path

import supple as sp

robot = sp.files.read_mjcf(Path(__file__).resolve().parents[1] / "robots" / "delta.xml")
result = sp.simulate(robot, 0.3)
figure = result.picture(0.2)
