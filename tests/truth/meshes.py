"""Bodies of shells and solids."""

from __future__ import annotations

from typing import Any

import numpy as np

import supple as sp
from supple import fem
from truth.bodies import CLAMPED, STEEL
from truth.table import Answer, right, wrong

PLAIN = sp.Material(E=70e9, G=35e9, density=2700)  # nu = 0


def bar(kind: str, divisions: tuple[int, int, int], modes: Any = None, **fields: Any) -> sp.Model:
    """A solid of 1 m with a square section of 20 mm, clamped at one end, 1 N at the other."""
    mesh = sp.fem.block((1.0, 0.02, 0.02), divisions, kind, fields.pop("material", PLAIN))
    ends = [
        sp.fem.Interface("root", (0, 0.01, 0.01), mesh.group("x_min")),
        sp.fem.Interface("tip", (1, 0.01, 0.01), mesh.group("x_max")),
    ]
    m = sp.Model()
    chosen = sp.reduction.CraigBampton(["root", "tip"], 4) if modes is None else modes
    body = m.add(sp.MeshBody("rod", mesh, ends, modes=chosen, clamp="root", **fields))
    m.add(sp.Fixed("wall", m.ground.at(0, 0.01, 0.01), body.at("root")))
    m.add(sp.Force("load", body.at("tip"), (0, 1.0, 0)))
    return m


def end(result: Any) -> float:
    """Deflection of the tip, m."""
    return float(result["rod"].at("tip").deflection[-1][1])


EI = 70e9 * 0.02**4 / 12
TIP = 1 / (3 * EI)


@right()
def bar_of_quadratic_hexahedra() -> Answer:
    r = sp.statics(bar("hex20", (10, 1, 1)))
    return Answer(end(r), TIP, r)


@right()
def bar_of_hexahedra_in_one_layer() -> Answer:
    r = sp.statics(bar("hex8", (20, 1, 1)))
    return Answer(end(r), TIP, r)


@wrong()
def bar_of_linear_tetrahedra() -> Answer:
    r = sp.statics(bar("tet4", (40, 2, 2)))
    return Answer(end(r), TIP, r)


@right(slow=True)
def bar_of_quadratic_tetrahedra() -> Answer:
    r = sp.statics(bar("tet10", (20, 1, 1)))
    return Answer(end(r), TIP, r)


@wrong()
def frequency_of_linear_tetrahedra() -> Answer:
    found = sp.linearize(bar("tet4", (40, 2, 2)))
    return Answer(float(found.frequencies[0]), _first(), found)


@right()
def frequency_of_quadratic_hexahedra() -> Answer:
    found = sp.linearize(bar("hex20", (10, 1, 1)))
    return Answer(float(found.frequencies[0]), _first(), found)


def _first() -> float:
    return float(CLAMPED[0] * np.sqrt(EI / (2700 * 4e-4)) / (2 * np.pi))


@wrong()
def bar_by_modes_of_the_free_end() -> Answer:
    # Held at both ends by modes that know of one
    m = bar("hex20", (10, 1, 1), modes=3)
    m.add(sp.Fixed("other wall", m.ground.at(1, 0.01, 0.01), m["rod"].at("tip")))
    m.add(sp.Force("push", m["rod"].at(0.5, 0.0, 0.0), (0, 0, 100.0)))
    r = sp.statics(m)
    return Answer(float(r["rod"].at(0.5, 0.0, 0.0).deflection[0][2]), 100 / (192 * EI), r)


@wrong()
def bar_of_one_quadratic_element() -> Answer:
    # One element over the length: curvature is constant in it
    r = sp.statics(bar("hex20", (1, 1, 1)))
    return Answer(end(r), TIP, r)


@wrong(slow=True)
def rubber_of_linear_elements() -> Answer:
    rubber = sp.Material(E=1e7, G=1e7 / (2 * 1.4999), density=1000)
    r = sp.statics(bar("tet4", (20, 2, 2), material=rubber))
    return Answer(end(r), 1 / (3 * 1e7 * 0.02**4 / 12), r)


def board(divisions: tuple[int, int], modes: Any = None, load: float = 1.0) -> sp.Model:
    """A board of 1 m by 0.2 m by 4 mm, clamped at one end."""
    mesh = fem.plate(1.0, 0.2, *divisions, thickness=0.004, material=PLAIN)
    x = mesh.nodes[:, 0]
    ends = [
        sp.fem.Interface("root", (0, 0.1, 0), np.flatnonzero(x == 0.0)),
        sp.fem.Interface("tip", (1, 0.1, 0), np.flatnonzero(x == 1.0)),
    ]
    m = sp.Model()
    chosen = sp.reduction.CraigBampton(["root", "tip"], 4) if modes is None else modes
    body = m.add(sp.MeshBody("rod", mesh, ends, modes=chosen))
    m.add(sp.Fixed("wall", m.ground.at(0, 0.1, 0), body.at("root")))
    m.add(sp.Force("load", body.at("tip"), (0, 0, load)))
    return m


BOARD = 1 / (3 * 70e9 * 0.2 * 0.004**3 / 12)


@right()
def board_of_shells() -> Answer:
    r = sp.statics(board((12, 4)))
    return Answer(float(r["rod"].at("tip").deflection[0][2]), BOARD, r)


@wrong()
def board_bent_too_far() -> Answer:
    r = sp.statics(board((12, 4), load=60.0))
    # F L^2/EI = 0.80: 0.2495 by the elastica (elliptic integrals), linear 0.2679
    return Answer(float(r["rod"].at("tip").deflection[0][2]), 0.24931, r)


@right(slow=True)
def square_plate_of_many_triangles() -> Answer:
    return _square(24)


def _square(n: int) -> Answer:
    mesh = fem.plate(1.0, 1.0, n, n, thickness=0.01, material=STEEL, pattern="alternate")
    x, y, _ = mesh.nodes.T
    edge = np.flatnonzero((x == 0) | (x == 1) | (y == 0) | (y == 1))
    middle = int(np.flatnonzero((x == 0.5) & (y == 0.5))[0])
    frame = sp.fem.Interface("edge", (0, 0, 0), edge)
    m = sp.Model()
    body = m.add(
        sp.MeshBody("rod", mesh, [frame], modes=sp.reduction.AttachmentModes(2), clamp="edge")
    )
    m.add(sp.Fixed("wall", m.ground.at(0), body.at("edge")))
    m.add(sp.Force("load", body.at(node=middle), (0, 0, 100.0)))
    r = sp.statics(m)
    D = STEEL.E * 1e-6 / 12 / (1 - 0.3**2)
    w = float(r["rod"].at(node=middle).deflection[0][2])
    # Timoshenko and Woinowsky-Krieger, table 37: 0.0056; digits of Taylor and Govindjee 2004
    return Answer(w, 0.00561202 * 100 / D, r)


@wrong()
def mesh_that_buckles_unseen() -> Answer:
    m = board((12, 4))
    m.replace("load", force=(-2 * np.pi**2 / 4 * 70e9 * 0.2 * 0.004**3 / 12, 0, 1e-3))
    r = sp.statics(m)
    return Answer(2.0, 1.0, r)  # it carries one half of this force


def thick(length: float) -> Answer:
    """A cantilever of shell elements, 0.1 m wide and thick, under a force at its end."""
    mesh = fem.plate(length, 0.1, 12, 4, thickness=0.1, material=PLAIN)
    x = mesh.nodes[:, 0]
    ends = [
        sp.fem.Interface("root", (0, 0.05, 0), np.flatnonzero(x == 0.0)),
        sp.fem.Interface("tip", (length, 0.05, 0), np.flatnonzero(x == x.max())),
    ]
    m = sp.Model()
    body = m.add(
        sp.MeshBody("rod", mesh, ends, modes=sp.reduction.CraigBampton(["root", "tip"], 2))
    )
    m.add(sp.Fixed("wall", m.ground.at(0, 0.05, 0), body.at("root")))
    m.add(sp.Force("load", body.at("tip"), (0, 0, 100.0)))
    r = sp.statics(m)
    soft = length**3 / (3 * PLAIN.E * 0.1**4 / 12) + length / (5 / 6 * PLAIN.G * 0.01)
    return Answer(float(r["rod"].at("tip").deflection[0][2]), 100 * soft, r)


@wrong()
def thick_shell() -> Answer:
    return thick(0.3)


@right()
def shell_of_moderate_thickness() -> Answer:
    return thick(2.0)
