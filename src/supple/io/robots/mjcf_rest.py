"""Other MJCF sections: gravity is read, the rest is ignored or refused."""

from __future__ import annotations

import numpy as np

from supple.foundation.errors import suggestion
from supple.io.modelfiles.problems import NotedError
from supple.io.robots.attributes import Attributes
from supple.io.robots.description import Description
from supple.io.robots.mjcf_defaults import MAIN, Defaults
from supple.io.robots.xml_tree import Element

# Read elsewhere, or of no matter to the motion.
KNOWN = (
    "compiler", "option", "default", "worldbody", "equality", "contact", "tendon", "actuator",
    "size", "visual", "statistic", "asset", "custom", "keyframe", "sensor",
)  # fmt: skip
PASSIVE = (
    "stiffness", "damping", "frictionloss", "range", "armature", "springlength", "actuatorfrcrange",
)  # fmt: skip


def look_at_rest(root: Element, defaults: Defaults, read: Attributes, found: Description) -> None:
    """Gravity, and sentences about what a model does not have."""
    for element in root.children:
        if element.tag not in KNOWN:
            near = suggestion(element.tag, list(KNOWN))
            read.wrong(element, f"it is not supported, expected another element ({near})")
        try:
            if element.tag == "option":
                _option(element, read, found)
            elif element.tag == "tendon":
                _tendons(element, defaults, read)
        except NotedError:
            pass
    for tag, what in (("actuator", "actuators"), ("contact", "pairs in contact")):
        inner = [c for e in root.all(tag) for c in e.children if c.tag != "exclude"]
        if inner:
            line = inner[0].place.line
            found.left_out.append(f"{len(inner)} {what} from line {line} on are left out")


def _option(element: Element, read: Attributes, found: Description) -> None:
    if "gravity" in element.attributes:
        found.gravity = read.vector(element, "gravity")
    for name in ("density", "viscosity"):
        if read.number(element, name, 0.0) != 0.0:
            raise read.wrong(element, f"a {name} of the air found, expected none")
    for flag in element.all("flag"):
        if read.choice(flag, "gravity", ("enable", "disable"), "enable") == "disable":
            found.gravity = np.zeros(3)


def _tendons(element: Element, defaults: Defaults, read: Attributes) -> None:
    """Refuse tendons that pull by themselves; others only serve actuators and sensors."""
    for tendon in element.children:
        of_class = defaults.classes[defaults.known(tendon, "class", MAIN)].get("tendon", {})
        given = {**of_class, **tendon.attributes}
        present = [name for name in PASSIVE if given.get(name, "0").strip() not in ("", "0")]
        if present:
            read.wrong(tendon, f"a tendon with {present[0]} found, expected none")
