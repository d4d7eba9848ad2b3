"""The files that ``supple new`` writes: a small model with comments, or one of the examples."""

from __future__ import annotations

import re
from pathlib import Path

# In a wheel the examples are beside this file, in a clone where its readers look for them.
FOLDERS = (
    Path(__file__).parent / "examples",
    Path(__file__).parents[4] / "examples" / "models",
)
_INCLUDED = re.compile(r"\bfile: *([\w/]+\.yaml)")
STARTER = """\
# A model file of Supple. Check it with `supple check FILE`, run it with `supple run FILE`.
supple: 1                        # version of the format
name: pendulum
gravity: [0, 0, -9.81]           # m/s2; numbers are in SI units and radians

parameters:                      # numbers, with units if you like, and expressions
  L: 500 mm
  half: L/2

materials:
  steel: {E: 210 GPa, G: 81 GPa, density: 7850 kg/m3}

bodies:                          # a body has a name, a type and the arguments of that class
  rod:
    type: RigidBody
    mass: 1.2
    com: [half, 0, 0]
    inertia: [0, 1.2*L**2/12, 1.2*L**2/12]
  blade:
    type: Beam
    length: L
    section: {type: Rectangle, size_y: 20 mm, size_z: 3 mm}
    material: steel              # by its name
    modes: {type: AttachmentModes, n: 2}
    damping: {type: Rayleigh, stiffness: 2e-4 s}

joints:                          # places on bodies: "rod at L", or [rod, L, 0, 0] in brackets
  pin: {type: Revolute, A: ground at 0, B: rod at 0, axis: y, initial: 30 deg}
  weld: {type: Fixed, A: rod at L, B: blade at 0}

forces:
  friction: {type: JointSpring, joint: pin, damping: 0.05 N m s/rad}
  push: {type: Force, frame: blade at L, force: [0, 0, "0.5*step(t - 0.2)"]}

events:
  bottom: {of: pin, value: 90 deg, terminal: false}

simulation:                      # the arguments of simulate
  t_end: 2 s
  tolerance: default

# outputs:                       # files beside this one
#   save: pendulum.nc
#   plots: {pendulum.png: [pin, energy]}
"""


def examples() -> dict[str, Path]:
    """The example files by name."""
    folder = next((f for f in FOLDERS if f.is_dir()), FOLDERS[0])
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def title(path: Path) -> str:
    """Subject of an example: its first line."""
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def with_parts(path: Path) -> dict[str, bytes]:
    """The text of an example, under the name "", and those of the files that it includes."""
    text = path.read_text(encoding="utf-8")
    parts = {name: (path.parent / name).read_bytes() for name in _INCLUDED.findall(text)}
    return {"": text.encode(), **parts}
