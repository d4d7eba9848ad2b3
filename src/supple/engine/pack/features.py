"""Features of a compiled model, by which seldom kernels are chosen before a run.

A hint only: what is missing here is compiled when a run meets it (``native/library.py``).
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import integers
from supple.core.contact.record import PAIR, SURFACE, WITH_CAM, WITH_CORE, WITH_TEETH
from supple.core.contact.surfaces import CAM
from supple.core.forces import forces as codes
from supple.engine.base.compiled import Compiled

ELEMENTS = {
    codes.FORCE: "forces in frames",
    codes.SPRING_DAMPER: "springs between points",
    codes.LINE_LAW: "springs between points",
    codes.BUSHING: "bushings",
    codes.CONTACT: "contacts",
    codes.RUBBING: "contacts",
    codes.TYRE: "tyres",
    codes.TYRE_SLIP: "tyres",
    codes.LINE_CONTACT: "lines that touch",
    codes.LINE_RUBBING: "lines that touch",
    codes.SHAPES: "rolling",
    codes.CONTACT_SET: "sets of bodies",
    codes.SET_RUBBING: "sets of bodies",
    codes.LOAD: "loads along beams",
    codes.FRAME_FUNCTION: "functions",
    codes.JOINT_FUNCTION: "functions",
    codes.PAIR_FUNCTION: "functions",
    codes.CARTESIAN: "springs along axes",
    codes.GRADIENT: "nodal vectors",
    codes.ROPE: "ropes",
    codes.SECTION_LOAD: "loads on sections",
    codes.LINEAR_CONTROL: "linear controllers",
}
MOTIONS = {
    at.ELASTIC_OUT: "elastic edges",
    at.ELASTIC_IN: "elastic edges",
    at.GRADIENT_EDGE: "nodal vectors",
    at.LINE_EDGE: "points on nodal vectors",
    at.POINT_EDGE: "points in elements",
}
WAYS = {at.TREE_WAY: "elimination along the tree"}


def features(compiled: Compiled) -> set[str]:
    """Features of a model, as ``native/features.py`` names them."""
    found = {WAYS.get(int(compiled.ints[at.H_WAY]), "")}
    for table, code in compiled.kinds:
        if table == "element":
            found.add(ELEMENTS.get(code, "joint forces" if code >= codes.JOINT_SPRING else ""))
        elif table == "motion":
            found.add(MOTIONS.get(code, ""))
        elif table in ("link", "driven link"):
            found.add("constraints")
    for code in (codes.CONTACT, codes.TYRE, codes.SHAPES):
        if ("element", code) in compiled.kinds:
            found |= {"contacts"} | _of_contacts(compiled, code)
    if compiled.flexible:
        found.add("elastic bodies")
    if compiled.ints[at.H_INNER] > 0:
        found.add("inner states")
    if compiled.ints[at.H_SWITCHES] > 0:
        found.add("kinks")
    if compiled.ints[at.H_BLOCK] > 0:
        found.add("elimination along the tree")
    if compiled.ints[at.H_RATES] > 0:
        found.add("rates")
    if compiled.ints[at.H_PLANNED] > 0:
        found.add("sparse matrices")
    if "points on nodal vectors" in found:
        found.add("events")  # where a point slides off
    return found - {""}


def _of_contacts(compiled: Compiled, code: int) -> set[str]:
    """Features of surfaces and pairs of contacts."""
    elements = integers(compiled.ints, "element")
    rows = elements[elements[:, at.KIND] == code]
    found, pairs = set[str](), set(rows[:, PAIR].tolist())
    if (rows[:, SURFACE] >= CAM).any():
        found.add("contacts with data")
    if WITH_TEETH in pairs:
        found.add("gears")
    if pairs & {WITH_CORE, WITH_CAM}:
        found.add("solids in contact")
    return found
