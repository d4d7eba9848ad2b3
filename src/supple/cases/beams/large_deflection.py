"""Beams that bend far: exact solutions of the elastica, of guides, strips and arches.

``elastica``: a cantilever under a force F across it, F L^2 / E I = 10. The exact tip of a line that
keeps its length follows from elliptic integrals: with the angle a of the tip, p^2 = (1 + sin a)/2
and sin f = 1/(p sqrt 2),

    k = sqrt(10) = K(p) - F(f, p)    x/L = sqrt(2 sin a)/k    y/L = 1 - 2 (E(p) - E(f, p))/k

The strip is a thousandth of its length thick; it stretches by less than 1e-6. ``roll-up``: a moment
2 pi E I / L bends it into a full circle. Tolerances are those of the element, of fourth order:
3e-6 lengths with 16 parts, 2.1e-4 with 8 in the circle; steps of Newton's method from the straight
strip without load steps are counted.

``leaf-spring-guide``: a stage on two parallel leaf springs, held at a stroke d of up to 20
thicknesses t. Its stiffness along the leaves is 2 E A / L / (1 + 12/700 (d/t)^2) (S. Awtar, A. H.
Slocum, E. Sevincer, J. Mech. Des. 129 (2007) 625), which leaves out squares of the slope, 1 %.
Tolerance 1.5 % with eight parts a leaf.

``lateral-buckling``: a narrow cantilever under a force at its tip twists aside at
4.0126 sqrt(E I G J)/L^2 (Prandtl 1899, Michell 1899). Tolerance 0.5 %, with eight parts.

``shallow-arch``: an arch of the shape and under the load of a sine, rise 4 radii of gyration r,
snaps through at 2 pi^4 E I r / L^4 (e + 2 ((e^2 - 1)/3)^1.5), e = 2 (S. P. Timoshenko, J. Appl.
Mech. 2 (1935) 17). A polygon of six beams. Tolerance 0.5 %.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.bodies.beam.beam import Beam
from supple.cases.case import ModelCase, Quantity
from supple.constraints import FrameDriver
from supple.fem.base.material import Material
from supple.fem.sections.sections import Rectangle
from supple.forces import DistributedLoad, Force
from supple.foundation.errors import SuppleWarning
from supple.joints import Fixed, Revolute
from supple.model import Model
from supple.reduction.stiffening import SecondOrder

STEEL = Material(E=200e9, G=80e9, density=7800)
STRIP = Rectangle(1e-3, 1e-3)
TIP = (0.4450044022462487, 0.8106090248802966)  # of the elastica, lengths
LEAF, LENGTH, APART = Rectangle(0.5e-3, 0.02), 0.1, 2.0  # m
STROKES = (0.0, 5.0, 10.0, 20.0)  # thicknesses
NARROW = Rectangle(0.002, 0.05)
ARCH = 0.01  # m, thickness of the arch
STEPS = 6  # of Newton's method, for the elastica


def strip(parts: int, force: float = 0.0, moment: float = 0.0) -> Model:
    """Return a clamped strip of 1 m along x; loads at its tip in units of E I."""
    m = Model(name="strip")
    rod = m.add(Beam("strip", 1.0, STRIP, STEEL, parts=parts))
    bending = STEEL.E * STRIP.I_z
    m.add(Fixed("clamp", m.ground.at(0), rod.at(0)))
    m.add(Force("tip", rod.at(1.0), (0, bending * force, 0), torque=(0, 0, bending * moment)))
    return m


def elastica() -> Model:
    """Return the strip of 16 parts under the force."""
    return strip(16, force=10.0)


def circle() -> Model:
    """Return the strip of 8 parts under the moment of a full circle."""
    return strip(8, moment=2.0 * np.pi)


def inspect_elastica(model: Model, bound: float = 3e-6) -> list[Quantity]:
    """Compare the tip, and count the steps."""
    from supple.analyses.equilibrium.statics import statics

    rest = statics(model)
    tip = rest["strip"].at(1.0).position[0]
    found = [Quantity(f"tip {a}", float(tip[k]), TIP[k], bound) for k, a in enumerate("xy")]
    return [*found, Quantity("steps", rest.iterations, 0.0, STEPS)]


def inspect_circle(model: Model) -> list[Quantity]:
    """Compare the gap and the diameter of the circle with those of one round, count the steps."""
    from supple.analyses.equilibrium.statics import statics

    rest = statics(model)
    half, tip = (rest["strip"].at(x).position[0] for x in (0.5, 1.0))
    return [
        Quantity("gap", float(np.linalg.norm(tip)), 0.0, 2.1e-4),
        Quantity("diameter", float(np.linalg.norm(half)), 1.0 / np.pi, 2.1e-4),
        Quantity("steps", rest.iterations, 0.0, 2.0),
    ]


def guide(parts: int = 8, stiffening: Any = "second_order") -> Model:
    """Return a stage on two leaf springs along x that a driver holds at a place along y."""
    m = Model(name="leaf-spring guide")
    stage = m.add(RigidBody("stage", 1.0, inertia=(1.0, 1.0, 1.0)))
    for name, y in (("left", -APART / 2.0), ("right", APART / 2.0)):
        leaf = m.add(Beam(name, LENGTH, LEAF, STEEL, parts=parts, stiffening=stiffening))
        m.add(Fixed(f"{name} foot", m.ground.at(0, y), leaf.at(0)))
        m.add(Fixed(f"{name} end", leaf.at(LENGTH), stage.at(0, y)))
    m.add(FrameDriver("stroke", m.ground.at(0), stage.at(0), y=0.0))
    return m


def inspect_guide(model: Model, bound: float = 0.015) -> list[Quantity]:
    """Compare the stiffness along the leaves over the stroke with the published law."""
    from supple.analyses.stability.stiffness import stiffness

    t = LEAF.size_y
    strokes = np.array(STROKES)
    found = stiffness(
        model, model.bodies["stage"].at(0), ["x"], over="stroke.y", values=strokes * t
    )
    straight = 2.0 * STEEL.E * LEAF.area / LENGTH
    law = straight / (1.0 + 12.0 / 700.0 * strokes**2)
    return [
        Quantity(f"support stiffness at {d:g} t", float(k), float(exact), bound * float(exact))
        for d, k, exact in zip(STROKES, found.along("x"), law, strict=True)
    ]


def narrow_strip(parts: int = 8) -> Model:
    """Return a narrow cantilever of 1 m along x, higher along z, under a unit force at its tip."""
    m = Model(name="narrow strip")
    rod = m.add(Beam("strip", 1.0, NARROW, STEEL, parts=parts, stiffening=SecondOrder(twist=True)))
    m.add(Fixed("root", m.ground.at(0), rod.at(0)))
    m.add(Force("tip", rod.at(1.0), (0, 0, -1.0)))
    return m


def inspect_strip(model: Model) -> list[Quantity]:
    """Compare the load under which the strip twists aside."""
    from supple.analyses.stability.buckling import buckling

    exact = 4.0126 * float(np.sqrt(STEEL.E * NARROW.I_z * STEEL.G * NARROW.J))
    with warnings.catch_warnings():  # it bends a little before
        warnings.simplefilter("ignore", SuppleWarning)
        found = buckling(model)
    return [Quantity("load", float(found.factors[0]), exact, 0.005 * exact)]


def arch(parts: int = 6) -> Model:
    """Return the arch under a unit load, 2 pi^4 E I r / L^4 along its middle.

    A polygon: vertices and loads so that its first harmonics are those of the arch.
    """
    radius = ARCH / np.sqrt(12.0)
    smooth = ((np.pi / (2 * parts)) / np.sin(np.pi / (2 * parts))) ** 2
    x = np.linspace(0.0, 1.0, parts + 1)
    sine = smooth * np.sin(np.pi * x)
    y = 4.0 * radius * sine
    angles, lengths = np.arctan2(np.diff(y), np.diff(x)), np.hypot(np.diff(x), np.diff(y))
    load = 2.0 * np.pi**4 * STEEL.E * ARCH**4 / 12.0 * radius
    m = Model(name="arch")
    before: Any = None
    for i, (angle, length) in enumerate(zip(angles, lengths, strict=True)):
        section = Rectangle(ARCH, ARCH)
        part = m.add(Beam(f"part{i}", float(length), section, STEEL, parts=1))
        if before is None:
            m.add(Revolute("left", m.ground.at(0), part.at(0), initial=angle))
        else:
            turn = (0, 0, angle - angles[i - 1])
            m.add(Fixed(f"weld{i}", before.at(lengths[i - 1], rotation=turn), part.at(0)))
        given = {"force": (0, -load, 0), "profile": sine[i : i + 2]}
        m.add(DistributedLoad(f"load{i}", part.at(0), **given))
        before = part
    m.add(Revolute("right", m.ground.at(1.0), before.at(lengths[-1]), initial=angles[-1]))
    return m


def inspect_arch(model: Model) -> list[Quantity]:
    """Compare the load at which the arch snaps through."""
    from supple.analyses.equilibrium.statics import statics

    with warnings.catch_warnings():  # the last load is beyond the limit point
        warnings.simplefilter("ignore", SuppleWarning)
        path = statics(model, steps=[4.5])
    critical = float("nan") if path.critical is None else path.critical
    return [Quantity("load", critical, 2.0 + 2.0, 0.005 * 4.0)]


def _case(name: str, title: str, source: str, build: Any, inspect: Any) -> ModelCase:
    return ModelCase(name=name, title=title, source=source, build=build, inspect=inspect)


CASES = (
    _case(
        "elastica", "a cantilever bent by ten times E I / L^2, 16 parts",
        "elliptic integrals", elastica, inspect_elastica,
    ),
    _case(
        "roll-up", "a strip bent into a full circle, 8 parts",
        "geometry of the circle", circle, inspect_circle,
    ),
    _case(
        "leaf-spring-guide", "support stiffness of a stage on leaf springs over its stroke",
        "Awtar, Slocum and Sevincer 2007, closed form", guide, inspect_guide,
    ),
    _case(
        "lateral-buckling", "a narrow cantilever twists aside",
        "Prandtl 1899, Michell 1899, closed form", narrow_strip, inspect_strip,
    ),
    _case(
        "shallow-arch", "a shallow arch snaps through",
        "Timoshenko 1935, closed form", arch, inspect_arch,
    ),
)  # fmt: skip
