"""Units that fit a field: read from the docstring of its class, or from the table here.

A docstring says ``length : m`` or ``kp : N m/rad``; where it says it in a sentence, the table has
the field. Where neither knows a unit, a file must give a plain number in SI units.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any

from supple.io.modelfiles.units import Unit, unit
from supple.io.modelfiles.words import Word

Units = tuple[str, ...]
_LENGTH, _ANGLE, _COORDINATE = ("m",), ("rad",), ("rad", "m")
_EFFORT, _FORCE, _TIME = ("N m", "N"), ("N",), ("s",)
_STIFFNESS, _DAMPING = ("N m/rad", "N/m"), ("N m s/rad", "N s/m")
_RATE = ("rad/s", "m/s")
# What a signal may be depends on where it is used.
_ANY = ("*",)

TABLE: dict[tuple[str, str], Units] = {
    ("Rectangle", "size_y"): _LENGTH,
    ("Rectangle", "size_z"): _LENGTH,
    ("Circle", "diameter"): _LENGTH,
    ("Tube", "diameter"): _LENGTH,
    ("Tube", "wall"): _LENGTH,
    ("Box", "size_y"): _LENGTH,
    ("Box", "size_z"): _LENGTH,
    ("Box", "wall"): _LENGTH,
    ("ISection", "size_y"): _LENGTH,
    ("ISection", "size_z"): _LENGTH,
    ("ISection", "web"): _LENGTH,
    ("ISection", "flange"): _LENGTH,
    ("PointMass", "mass"): ("kg",),
    ("Force", "force"): _FORCE,
    ("Force", "torque"): ("N m",),
    ("PointLoadPattern", "force"): _FORCE,
    ("PointLoadPattern", "torque"): ("N m",),
    ("SpringDamper", "stiffness"): ("N/m",),
    ("SpringDamper", "damping"): ("N s/m",),
    ("SpringDamper", "length"): _LENGTH,
    ("JointSpring", "stiffness"): _STIFFNESS,
    ("JointSpring", "damping"): _DAMPING,
    ("JointSpring", "rest"): _COORDINATE,
    ("JointSpring", "cubic"): ("N m/rad3", "N/m3"),
    ("CoordinateSpring", "stiffness"): _STIFFNESS,
    ("CoordinateSpring", "damping"): _DAMPING,
    ("JointEffort", "effort"): _EFFORT,
    ("JointStop", "lower"): _COORDINATE,
    ("JointStop", "upper"): _COORDINATE,
    ("PID", "kp"): _STIFFNESS,
    ("PID", "ki"): ("N m/(rad s)", "N/(m s)"),
    ("PID", "kd"): _DAMPING,
    ("PID", "target"): _COORDINATE,
    ("Motor", "damping"): _DAMPING,
    ("Motor", "gear_damping"): _DAMPING,
    ("Distance", "length"): _LENGTH,
    ("Driver", "motion"): _COORDINATE,
    ("FrameDriver", "angle"): _ANGLE,
    ("Gear", "offset"): _COORDINATE,
    ("Coupling", "value"): _COORDINATE,
    ("Event", "value"): (*_COORDINATE, *_RATE),
    ("Event", "at"): _TIME,
    ("Sine", "amplitude"): _ANY,
    ("Sine", "offset"): _ANY,
    ("Sine", "frequency"): ("Hz",),
    ("Sine", "phase"): _ANGLE,
    ("SmoothStep", "start"): _TIME,
    ("SmoothStep", "end"): _TIME,
    ("SmoothStep", "before"): _ANY,
    ("SmoothStep", "after"): _ANY,
    ("Constant", "value"): _ANY,
    ("Table", "times"): _TIME,
    ("Table", "values"): _ANY,
    ("Polynomial", "start"): _TIME,
    ("plate", "size_x"): _LENGTH,
    ("plate", "size_y"): _LENGTH,
    ("plate", "thickness"): _LENGTH,
    ("ShellMesh", "thickness"): _LENGTH,
    ("mesh_geometry", "element_size"): _LENGTH,
    ("simulate", "t_end"): _TIME,
    ("simulate", "output"): _TIME,
}
# Classes whose arguments of these names mean something else.
OWN = {"Event"}
# Arguments that all joints, bodies or methods have.
COMMON: dict[str, Units] = {
    "initial": _COORDINATE,
    "initial_rate": _RATE,
    "at": _LENGTH,
    "position": _LENGTH,
    "rotation": _ANGLE,
    "step": _TIME,
    "first_step": _TIME,
    "max_step": _TIME,
    "gravity": ("m/s2",),
}
_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.+)$", re.MULTILINE)


@cache
def units_of(word: Word, field: str) -> Units:
    """Units that fit a field, "*" for any; none if only plain numbers do."""
    known = TABLE.get((word.name, field)) or (() if word.name in OWN else COMMON.get(field))
    return known or _from_docstrings(word.make, field)


def _from_docstrings(make: Any, field: str) -> Units:
    for owner in getattr(make, "__mro__", (make,)):
        for names, text in _ENTRY.findall(inspect.cleandoc(owner.__doc__ or "")):
            if field in names.split(", "):
                without_shapes = re.sub(r"\((?:\w+, ?)*\w*\)", "", text)
                pieces = re.split(r",| and | or |;|[()]", without_shapes)
                found = (re.sub(r"^or | on .*$", "", p.strip()).strip() for p in pieces)
                return tuple(dict.fromkeys(p for p in found if p != "1" and unit(p) is not None))
    return ()


def fitting(given: Unit, expected: Units) -> bool:
    """Whether a unit is one of those expected."""
    known = [unit(name) for name in expected if name != "*"]
    return "*" in expected or any(u is not None and given.fits(u) for u in known)


def expected_units(units: Units) -> str:
    """What is expected, in words."""
    if not units:
        return "a plain number, because no unit is known for it"
    return f"a number in {' or '.join(units)}"
