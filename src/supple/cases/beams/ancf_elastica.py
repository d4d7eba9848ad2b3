"""Beams and cables over nodal vectors that bend far: which of them lock, and how exact they are.

A cantilever of length L under a force F across it, F L^2 / E I = 1; the exact tip of a line that
keeps its length follows from elliptic integrals (`supple.cases.beams.large_deflection`). Sections
are squares of side H. 16 elements ``collocated`` are within 2e-4 L at H/L = 1e-2, 1e-3 and 1e-4.
Those of Nada et al. 2010 lock: at H/L = 1e-3 their tip errs by 0.05 L. How much is compared with a
program of its own, which holds all twelve coordinates of the first node, as it is done here: 1e-6 L
is what rounding leaves of it. (A clamp holds place and axes alone; its tip errs by 0.046 L.)

A cable, F L^2 / E I = 10, 16 elements, with place and direction of its first node held: 1e-5 L. The
error is of fourth order, 1.3e-4, 3.0e-6 and 0.6e-6 L with 8, 16 and 32 elements; the stretch, which
the exact line does not have, is 0.6e-6 L of it. Were the length of the first slope held, too, it
would be 1.9e-4 L: it must be free at the ends of a line (``fem/nodal/stretch.py``), and nothing in
a model holds it. A joint cannot clamp a cable, which has no sections. So
another one of length 2 L lies on two supports that slide, and is bent by a force 2 F in its middle:
each half is the cantilever, and only the direction of its first slope is held, not its length: the
errors are the same.

``ancf-roll-up``: a moment 2 pi E I / L bends a beam of 32 elements into a circle. The search begins
at the exact one. With 24 elements the ends stay 0.0250 L apart, and the diameter is too short by
0.00832 L; with 48 these are 0.00709 and 0.00238 L. The order is 2, but for 1e-3 L that the
thickness leaves: 1.8 at least is asked for.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.bodies.nodal.ancf_line import ANCFBeam, Cable
from supple.cases.beams.large_deflection import TIP
from supple.cases.case import ModelCase, Quantity
from supple.constraints import PointOnLine, PointOnPlane
from supple.fem.base.material import Material
from supple.fem.sections.sections import Rectangle
from supple.forces import Force
from supple.foundation.errors import SuppleWarning
from supple.joints import Fixed, Free
from supple.model import Model

if TYPE_CHECKING:
    from supple.analyses.equilibrium.static_result import StaticResult
    from supple.bodies.nodal.ancf_line import ANCFLine
    from supple.foundation.arrays import Array

E = 200e9  # Pa
ELEMENTS = 16
ITERATIONS, CONVERGED, TURN = 60, 1e-9, 0.3  # of Newton: m or 1 at the end, and most of a step
GENTLE = (0.9435668518, 0.3017207715)  # tip of the elastica at F L^2 / E I = 1, lengths
# Distances from it of elements that lock, H/L = 1e-3, all coordinates of the first node held.
LOCKED = {"elastic_line": 0.0512090554, "continuum": 0.0484805733}


def strip(
    element: Any = "collocated",
    ratio: float = 1e-2,
    elements: int = ELEMENTS,
    force: float = 1.0,
    moment: float = 0.0,
) -> Model:
    """Return a clamped beam of 1 m along x; loads at its tip in units of E I."""
    poisson = 0.0 if element == "continuum" else 0.3
    material = Material(E=E, G=E / (2.0 * (1.0 + poisson)), density=7800)
    m = Model(name="strip")
    rod = m.add(
        ANCFBeam("strip", 1.0, Rectangle(ratio, ratio), material, elements, element=element)
    )
    bending = E * ratio**4 / 12.0
    m.add(Fixed("clamp", m.ground.at(0), rod.at(0)))
    m.add(Force("tip", rod.at(1.0), (0, bending * force, 0), torque=(0, 0, bending * moment)))
    return m


def supported_cable(ratio: float = 1e-3, force: float = 10.0, elements: int = ELEMENTS) -> Model:
    """Return a cable of 2 m on two supports along x, bent by twice the force in its middle."""
    material = Material(E=E, G=E / 2.6, density=7800)
    m = Model(name="supported cable")
    rope = m.add(Cable("strip", 2.0, Rectangle(ratio, ratio), material, 2 * elements))
    m.add(Free("free", m.ground.at(0), rope.at(0)))
    m.add(PointOnLine("left", m.ground.at(0), rope.at(0), (1, 0, 0)))
    m.add(PointOnLine("right", m.ground.at(0), rope.at(2.0), (1, 0, 0)))
    m.add(PointOnPlane("middle", m.ground.at(1.0), rope.at(1.0), (1, 0, 0)))
    m.add(Force("push", rope.at(1.0), (0, -2.0 * force * E * ratio**4 / 12.0, 0)))
    return m


def bent(model: Model, vectors: Array | None = None) -> StaticResult:
    """Return the equilibrium, searched from given nodal vectors or from the straight line."""
    from supple.analyses.equilibrium.statics import statics
    from supple.loops.assembly import assemble

    start = None
    if vectors is not None:
        start = assemble(model).changed(coordinates={"strip": np.asarray(vectors).ravel()})
    with warnings.catch_warnings():  # the cable's elements turn by more than 0.1 rad
        warnings.simplefilter("ignore", SuppleWarning)
        return statics(model, start=start)


def held(body: ANCFLine, force: float, steps: int = 1) -> Array:
    """Place (3,) m of the end of a body under a force (N) along y there; its first node is held.

    Of a cable the place and the direction: the length of its first slope, along x, is free.
    """
    from scipy.sparse.linalg import splu

    mesh = body.mesh
    e, load = mesh.rest.copy(), np.zeros(mesh.rest.shape)
    load[-1, 0, 1] = force
    kept = np.ones(mesh.rest.shape, dtype=bool)
    kept[0] = False
    kept[0, 1, 0] = isinstance(body, Cable)
    free = np.flatnonzero(kept)
    for step in range(1, steps + 1):
        longest, iterations = 1.0, 0
        while longest > CONVERGED and iterations < ITERATIONS:
            left = (step / steps * load - mesh.forces(e)).ravel()[free]
            moved = splu(mesh.tangents(e)[0].tocsc()[free][:, free].tocsc()).solve(left)
            longest, iterations = float(np.abs(moved).max()), iterations + 1
            e.ravel()[free] += min(1.0, TURN / longest) * moved
        if longest > CONVERGED:
            return np.full(3, np.nan)
    place: Array = e[-1, 0]
    return place


def circle(elements: int) -> Array:
    """Nodal vectors (nodes, 4, 3) of a beam of length 1 that is bent into a circle."""
    angles = np.linspace(0.0, 2.0 * np.pi, elements + 1)
    c, s, o = np.cos(angles), np.sin(angles), np.zeros(elements + 1)
    places = np.stack([s, 1.0 - c, o], axis=1) / (2.0 * np.pi)
    axes = np.array([[c, s, o], [-s, c, o], [o, o, o + 1.0]]).transpose(2, 0, 1)
    return np.concatenate([places[:, None], axes], axis=1)


def arc(elements: int, angle: float = 2.0) -> Array:
    """Nodal vectors (nodes, 2, 3) of the cable on an arc of a circle through its supports."""
    turned = angle * np.linspace(-0.5, 0.5, elements + 1)
    c, s, o = np.cos(turned), np.sin(turned), np.zeros(elements + 1)
    radius = 2.0 / angle
    places = np.stack([1.0 + radius * s, radius * (c[0] - c), o], axis=1)
    return np.stack([places, np.stack([c, s, o], axis=1)], axis=1)


def inspect(model: Model) -> list[Quantity]:
    """Compare tips with the exact ones, of ever thinner beams."""
    found, vectors = [], None
    for ratio in (1e-2, 1e-3, 1e-4):
        rest = bent(model if ratio == 1e-2 else strip(ratio=ratio), vectors)
        vectors, tip = rest["strip"].vectors[0], rest["strip"].at(1.0).position[0]
        gap = np.hypot(*(tip[:2] - GENTLE)) if rest.success else np.nan
        found.append(Quantity(f"tip, collocated, H/L = {ratio:g}", float(gap), 0.0, 2e-4))
    bending = E * 1e-3**4 / 12.0
    for element, known in LOCKED.items():
        tip = held(cast("ANCFBeam", strip(element, 1e-3).bodies["strip"]), bending)
        words = f"tip, {element}, which locks, H/L = 0.001"
        found.append(Quantity(words, float(np.hypot(*(tip[:2] - GENTLE))), known, 1e-6))
    material = Material(E=E, G=E / 2.6, density=7800)
    tip = held(Cable("strip", 1.0, Rectangle(1e-3, 1e-3), material, ELEMENTS), 10.0 * bending, 10)
    for k, axis in enumerate("xy"):
        words = f"tip {axis}, cable, first node held, F L^2 / E I = 10"
        found.append(Quantity(words, float(tip[k]), TIP[k], 1e-5))
    rope = bent(supported_cable(), arc(2 * ELEMENTS))["strip"]
    half = rope.at(2.0).position[0] - rope.at(1.0).position[0]
    for k, axis in enumerate("xy"):
        words = f"tip {axis}, cable on supports, F L^2 / E I = 10"
        found.append(Quantity(words, float(half[k]), TIP[k], 1e-5))
    return found


def ring() -> Model:
    """Return the beam of 32 elements under the moment of a full circle."""
    return strip(elements=32, force=0.0, moment=2.0 * np.pi)


def inspect_ring(model: Model) -> list[Quantity]:
    """Compare the ends and the diameter of the circle."""
    found, rest = [], bent(model, circle(32))
    ends = [rest["strip"].at(x).position[0] for x in (0.5, 1.0)]
    rows = ("diameter", 1.0 / np.pi, 0.00832), ("gap", 0.0, 0.0250)
    for (word, exact, coarse), place in zip(rows, ends, strict=True):
        size = float(np.linalg.norm(place)) if rest.success else np.nan
        tolerance = coarse * (24.0 / 32.0) ** 1.8
        found.append(Quantity(f"{word} of the circle", size, exact, tolerance))
    return found


CASES = (
    ModelCase(
        name="ancf-elastica",
        title="beams and cables over nodal vectors that bend far, and elements that lock",
        source="elliptic integrals; independent elements for locking",
        build=strip,
        inspect=inspect,
    ),
    ModelCase(
        name="ancf-roll-up",
        title="a beam over nodal vectors is bent into a full circle",
        source="geometry of the circle",
        build=ring,
        inspect=inspect_ring,
        long=True,
    ),
)
