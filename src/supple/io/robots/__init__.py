"""Robot files: models of URDF and MJCF.

Both are read to one description of links, motions and loops, and built into a model; links may be
replaced by flexible ones. It imports `modelfiles` for units and words.
"""

from supple.io.robots.description import JointLimits
from supple.io.robots.robot_file import ENDINGS, RobotFile, read_mjcf, read_urdf

__all__ = ["ENDINGS", "JointLimits", "RobotFile", "read_mjcf", "read_urdf"]
