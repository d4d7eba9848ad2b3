"""Files of models, runs, results, robots and FMUs."""

from supple.bodies.structure.sid import write_sid as write_sid
from supple.io.fmu.export import export_fmu as export_fmu
from supple.io.modelfiles.archive import open_run as open_run
from supple.io.modelfiles.model_file import ModelFile as ModelFile
from supple.io.modelfiles.model_file import read_model as read_model
from supple.io.modelfiles.problems import ModelFileError as ModelFileError
from supple.io.modelfiles.writer import write_model as write_model
from supple.io.robots.robot_file import RobotFile as RobotFile
from supple.io.robots.robot_file import read_mjcf as read_mjcf
from supple.io.robots.robot_file import read_urdf as read_urdf
from supple.results.saved import load_result as load_result
