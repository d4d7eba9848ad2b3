"""Jonker's slider-crank with a flexible rod, planar and spatial.

B. Jonker, A finite element dynamic analysis of spatial mechanisms with flexible links, 1989,
section 5.1. A rigid crank OA turns at 150 rad/s; a round rod AB of steel hangs on it by a universal
joint; a slider on the x axis, of half the rod's mass, is joined to the rod by a ball joint. The
crank's axis is z, or z turned by 45 degrees about y. No gravity, no damping, no extension or twist
of the rod and no foreshortening. The mass of the rod is on its axis.

At the start (the figure is lost) the crank angle is zero: A is along +x, or below it, and B is at
the +x end of its way. The rod is straight and its deformation at rest; rates are those of the
mechanism with a rigid rod, where A moves along y and B stands.

The reference is an independent Lagrangian with three sines in each plane in the frame of the chord.
A third computation without moving frames agrees with it to 4e-11 of the rod's length.

A rod that keeps its length when it bends (`-second-order`) shortens: a beam between two pins is
stiffened by the force that accelerates the slider. Its reference is the Lagrangian with the
shortening of second order; two programs agree to 5e-6 of the rod's length, the tolerance is 1e-5.

Tolerance: 1e-6 of the largest listed deflection, not below ten times the error of the reference.
Energy error over all steps: 1e-9 of the largest kinetic energy.
"""

from __future__ import annotations

from collections.abc import Callable
from math import asin, cos, pi, radians, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.bodies.beam.beam import Beam
from supple.cases.case import Case, Quantity, at_times, energy_error, explicit, extremes, references
from supple.constraints import Driver
from supple.fem.base.material import Material
from supple.fem.sections.sections import Circle
from supple.foundation.frames import Frame
from supple.joints import Prismatic, Revolute, Spherical, Universal
from supple.model import Model
from supple.reduction.assumed.shapes import SineShapes
from supple.signals import Polynomial

if TYPE_CHECKING:
    from supple.results.result import Result

CRANK, ROD = 0.15, 0.3  # m
SPEED = 150.0  # rad/s
SECTION = Circle(0.006)
STEEL = Material(E=200e9, G=77e9, density=7870)  # G is not used: the rod does not twist
TILT = pi / 4  # rad, of the crank's axis in the spatial case
DEGREES = range(721)  # two revolutions
TIMES = tuple(radians(k) / SPEED for k in DEGREES)  # s
EVERY = 30  # degrees, of the compared rows
ROUNDING = 1e-9  # in lengths of the rod: the error of the reference, below which nothing has a sign


def add_rod(
    m: Model, modes: SineShapes | None = None, stiffening: Any = None
) -> tuple[Frame, Frame]:
    """Add the rod as one body; return the frames of its ends."""
    rod = m.add(
        Beam(
            "rod",
            ROD,
            SECTION,
            STEEL,
            modes=modes or SineShapes(3),
            reference="chord",
            rotary_inertia=False,
            stiffening=stiffening,
        )
    )
    return rod.at(0), rod.at(ROD)


def add_elements(
    m: Model, count: int, stiffening: Any = None, damping: Any = None
) -> tuple[Frame, Frame]:
    """Add the rod with as many elements as it has parts in `DeformationModes`; return its ends."""
    options = {"rotary_inertia": False, "stiffening": stiffening, "damping": damping}
    rod = m.add(Beam("rod", ROD, SECTION, STEEL, elements=count, **options))
    return rod.at(0), rod.at(ROD)


def slider_crank(tilt: float = 0.0, rod: Callable[[Model], tuple[Frame, Frame]] = add_rod) -> Model:
    """Return the slider-crank, not driven yet; its axis is turned by ``tilt`` (rad) about y.

    ``rod`` adds the rod and returns the frames of its ends. The loop is closed by the ball joint
    between rod and slider: three constraints, all independent.
    """
    m = Model(gravity=(0, 0, 0), name="slider-crank")
    # The crank's motion is given: its inertia loads the drive and nothing else.
    thin = 0.1 * CRANK**2 / 12
    crank = m.add(RigidBody("crank", 0.1, com=(CRANK / 2, 0, 0), inertia=(1e-6, thin, thin)))
    start, end = rod(m)
    mass = STEEL.density * SECTION.area * ROD
    slider = m.add(RigidBody("slider", 0.5 * mass, inertia=(1e-5, 1e-5, 1e-5)))

    rise = asin(CRANK * sin(tilt) / ROD)  # of the rod from A to B, out of the xy plane
    # The rod's frame begins along the crank's x axis, which points down by the tilt.
    bend = -(tilt + rise)
    turning = -SPEED * CRANK / (ROD * cos(bend))  # of the rod about the crank's axis, rad/s
    m.add(
        Revolute("bearing", m.ground.at(0, rotation=(0, tilt, 0)), crank.at(0), initial_rate=SPEED)
    )
    m.add(
        Universal(
            "pin A",
            crank.at(CRANK),
            start,
            axes=("z", "y"),
            initial=(0.0, bend),
            initial_rate=(turning - SPEED, 0.0),
        )
    )
    place = CRANK * cos(tilt) + ROD * cos(rise)
    m.add(Prismatic("guide", m.ground.at(0), slider.at(0), axis="x", initial=place))
    m.add(
        Spherical(
            "pin B",
            slider.at(0),
            end,
            initial=(0.0, -rise, 0.0),
            initial_rate=(-turning * sin(bend), 0.0, turning * cos(bend)),
        )
    )
    return m


def driven_slider_crank(
    tilt: float = 0.0,
    modes: SineShapes | None = None,
    stiffening: Any = None,
    parts: int = 0,
) -> Model:
    """Return the slider-crank with its crank at constant speed; its rod whole, or to be cut."""
    if parts:
        m = slider_crank(tilt, lambda m: add_elements(m, parts, stiffening))
    else:
        m = slider_crank(tilt, lambda m: add_rod(m, modes, stiffening))
    m.add(Driver("drive", m.joints["bearing"], motion=Polynomial((0.0, SPEED))))
    return m


def deflection(result: Result) -> Any:
    """Deflection (nt, 3) of the middle from the line AB, world axes, in lengths of the rod."""
    start, middle, end = (result["rod"].at(x).position for x in (0.0, ROD / 2, ROD))
    along = (end - start) / np.linalg.norm(end - start, axis=1)[:, None]
    v = middle - start
    return (v - np.sum(v * along, axis=1)[:, None] * along) / ROD


def deflections(result: Result) -> dict[str, Any]:
    """Signed deflections (nt,) of the middle from the line AB, in lengths of the rod.

    They are the lengths of its projections on the planes xy and xz, with the sign of y or z; zero
    where y or z is, as in the planar case, but for rounding.
    """
    v = deflection(result)
    sign = np.where(np.abs(v) > ROUNDING, np.sign(v), 0.0)
    return {
        f"vx{axis}": sign[:, k] * np.hypot(v[:, 0], v[:, k]) for axis, k in (("y", 1), ("z", 2))
    }


def measure(name: str) -> Any:
    """Return the comparison with the reference of a case."""

    def compare(result: Result) -> list[Quantity]:
        second = name.endswith("second-order")
        reference = references("jonker_second_order" if second else "loops")[name]
        found: list[Quantity] = []
        for key, values in deflections(result).items():
            rows = reference[key]
            bound = 1e-5
            if not second:
                bound = max(1e-6 * float(np.abs(rows).max()), 10.0 * reference["error_estimate"])
            found += at_times(key, values[::EVERY], rows, bound, TIMES[::EVERY])
            found += extremes(key, values, reference[f"max_min_{key}"], bound, TIMES)
        return [*found, energy_error(result, 1e-9)]

    return compare


def _case(name: str, title: str, tilt: float, stiffening: Any = None) -> Case:
    return Case(
        name=name,
        title=title,
        source="Jonker 1989, section 5.1; independent Lagrangian, Dormand-Prince of order 5",
        times=TIMES,
        build=lambda: driven_slider_crank(tilt, stiffening=stiffening),
        measure=measure(name),
        integrator=explicit,  # the vibration is not damped
    )


CASES = (
    _case("jonker-slider-crank", "slider-crank with a flexible rod, three sines", 0.0),
    _case(
        "jonker-slider-crank-spatial",
        "slider-crank with a flexible rod and a tilted crank, three sines",
        TILT,
    ),
    _case(
        "jonker-slider-crank-second-order",
        "slider-crank with a flexible rod that keeps its length",
        0.0,
        "second_order",
    ),
    _case(
        "jonker-slider-crank-spatial-second-order",
        "slider-crank with a flexible rod that keeps its length, tilted crank",
        TILT,
        "second_order",
    ),
)
