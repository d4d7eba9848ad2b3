"""Robot files: models of URDF and MJCF."""

from supple.io.robots.description import JointLimits
from supple.io.robots.robot_file import ENDINGS, RobotFile, read_mjcf, read_urdf

__all__ = ["ENDINGS", "JointLimits", "RobotFile", "read_mjcf", "read_urdf"]
