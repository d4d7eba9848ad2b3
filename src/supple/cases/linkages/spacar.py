"""Jonker's examples with beams cut into parts: the slider-crank's rod and the rotating shaft.

B. Jonker, A finite element dynamic analysis of spatial mechanisms with flexible links, 1989,
sections 5.1 and 5.2, in which rod and shaft are two beam elements. A part, one finite element in
the frame of its chord, has the bending deformations of his element as elastic coordinates; in
large rotations it measures angles where he measures projections, so that both differ by third
powers of the deformations.

Slider-crank: the mechanism of ``jonker.py``. The reference is his element over absolute nodes,
(2.4) and (4.18) as printed with the misprints corrected, by its own equations and integrator
(``tests/models/jonker_mechanisms.py``). Tolerance, in lengths of the rod: 1e-4 in the plane, 6e-4
in space, where the rod bends more.

Shaft: the same rod between bearings, turned at one end, with a Kelvin-Voigt modulus of 1.27e6 Pa s.
Internal damping makes it unstable beyond its critical speed. Growth rates of small motion are those
of a complex model of two elements, to 1e-8. Run-up: the shaft is bent and turns as a whole at
first. The whirl against the rotation dies out soon, the one with it until the speed, which grows
with 1 rad/s2, has passed the critical one. The reference is that of linear theory,

    v/v0 = (1 + W0/w0)/2 exp(c/(4 w0) ((W - w0)^2 - (W0 - w0)^2)),    c = 1.27e6/E w0^2

It leaves out the squares of c/w0 and of the acceleration over w0^2, together 1e-5, and the squares
of slopes, 1e-7 at the deflection that is taken here; tolerance 1e-4 of that deflection.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.cases.case import (
    Case,
    ModelCase,
    Quantity,
    at_times,
    energy_error,
    explicit,
    references,
)
from supple.cases.linkages import jonker
from supple.constraints import Driver, PointOnLine
from supple.fem.base.damping import KelvinVoigt
from supple.foundation.errors import SuppleWarning
from supple.joints import Revolute, Universal
from supple.model import Model
from supple.signals import Polynomial

if TYPE_CHECKING:
    from supple.analyses.linear.linear_model import LinearModel
    from supple.formulations.base import Formulation
    from supple.results.result import Result
    from supple.state import State

EVERY = jonker.EVERY
PLANE, SPACE = 1e-4, 6e-4  # in lengths of the rod
VISCOSITY = 1.27e6  # Pa s
RELATIVE = 1e-8  # of growth rates and of the limit
FIRST_SPEED, ACCELERATION = 820.0, 1.0  # rad/s, rad/s2 of the run-up
DEFLECTION = 1e-4  # of the shaft's length, at the start of the run-up
TIMES = tuple(float(t) for t in range(0, 31, 5))  # s


def bending() -> Formulation:
    """Return his choice of coordinates: elements that bend, and neither stretch nor twist."""
    from supple.formulations.deformation import DeformationModes

    return DeformationModes(elongation=False, twist=False)


def measure(name: str, bound: float) -> Any:
    """Return the comparison of a slider-crank with its reference."""

    def compare(result: Result) -> list[Quantity]:
        found: list[Quantity] = []
        reference = references("spacar")[name]
        values, times = jonker.deflection(result)[::EVERY], jonker.TIMES[::EVERY]
        # components, not signed lengths, which jump where one of them vanishes
        for k, axis in enumerate("xyz"):
            rows = [row[k] for row in reference["v"]]
            found += at_times(f"v{axis}", values[:, k], rows, bound, times)
        return [*found, energy_error(result, 1e-9)]

    return compare


def _slider_crank(count: int, space: bool, linear: bool) -> Case:
    name = "spacar-slider-crank" + "-spatial" * space + "-four" * (count == 4) + "-linear" * linear
    words = f"{'two' if count == 2 else 'four'} {'linear' if linear else 'nonlinear'} elements"
    return Case(
        name=name,
        title=f"slider-crank with a rod of {words}{', tilted crank' if space else ''}",
        source="Jonker 1989, section 5.1; his element over absolute nodes, Dormand-Prince 8",
        times=jonker.TIMES,
        build=partial(
            jonker.driven_slider_crank,
            jonker.TILT if space else 0.0,
            stiffening=None if linear else "second_order",
            parts=count,
        ),
        measure=measure(name, SPACE if space else PLANE),
        integrator=explicit,  # the vibration is not damped
        formulation=bending,
    )


def shaft(speed: float = 0.0, acceleration: float = 0.0, count: int = 2) -> Model:
    """Return the shaft in its bearings; its drive turns at ``speed`` (rad/s) and accelerates."""
    m = Model(gravity=(0, 0, 0), name="shaft")
    # The drive's motion is given: its inertia loads the driver and nothing else.
    drive = m.add(RigidBody("drive", 1.0, inertia=1e-3))
    start, end = jonker.add_elements(m, count, "second_order", KelvinVoigt(VISCOSITY))
    m.add(Revolute("spin", m.ground.at(0), drive.at(0), axis="x", initial_rate=speed))
    m.add(Universal("bearing", drive.at(0), start, axes=("y", "z")))
    m.add(PointOnLine("far bearing", m.ground.at(0), end, (1, 0, 0)))
    m.add(Driver("motor", "spin", motion=Polynomial((0.0, speed, 0.5 * acceleration))))
    return m


def growth(speed: float, count: int = 2) -> float:
    """Return the growth rate (1/s) of small motion at a constant speed (rad/s)."""
    return float(np.max(_small_motion(speed, count).eigenvalues.real))


def _small_motion(speed: float, count: int = 2) -> LinearModel:
    """Small motion about the straight shaft that turns at a constant speed (rad/s)."""
    from supple.analyses.linear.linearize import linearize

    with warnings.catch_warnings():
        # frequencies seen from turning axes are no measure of what the elements leave out
        warnings.simplefilter("ignore", SuppleWarning)
        return linearize(shaft(speed, count=count), "initial", formulation=bending())


def limit(count: int = 2) -> float:
    """Return the speed (rad/s) beyond which the straight shaft is unstable."""
    from scipy.optimize import brentq

    return float(brentq(partial(growth, count=count), 825.0, 835.0, xtol=1e-7))


def inspect(_: Model) -> list[Quantity]:
    """Compare growth rates and the limit with the reference."""
    reference = references("spacar")["spacar-shaft"]
    found = []
    for speed, rate in zip(reference["speed"], reference["growth"], strict=True):
        bound = RELATIVE * abs(rate)
        found.append(Quantity(f"growth rate at {speed:g} rad/s", growth(speed), rate, bound))
    for count, key in ((2, "limit_two"), (4, "limit_four")):
        value = reference[key]
        found.append(Quantity(f"limit, {count} parts", limit(count), value, RELATIVE * value))
    return found


def bent(model: Model) -> State:
    """Return the start of the run-up: the shaft bent in its first mode, turning as a whole."""
    from supple.loops.assembly import assemble

    linear = _small_motion(FIRST_SPEED)
    mode = max(linear.modes, key=lambda mode: mode.eigenvalue.real)
    middle = mode.at(model.bodies["rod"].at(jonker.ROD / 2)).translation.real
    size = DEFLECTION * jonker.ROD / float(np.linalg.norm(middle))
    start = assemble(bending().written(model))
    assert start.compiled is not None
    shapes = {name: size * mode.of(name) for name in start.compiled.flexible}
    return start.changed({name: shape.real for name, shape in shapes.items()})


def measure_run_up(result: Result) -> list[Quantity]:
    """Compare the deflection of the shaft's middle with that of linear theory."""
    middle = result["rod"].at(jonker.ROD / 2).position
    found = np.hypot(middle[:, 1], middle[:, 2]) / (DEFLECTION * jonker.ROD)
    expected = references("spacar")["spacar-shaft-run-up"]["ratio"]
    return at_times("deflection", found, expected, 1e-4, TIMES)


CASES = (
    *(
        _slider_crank(count, space, linear)
        for space in (False, True)
        for count in (2, 4)
        for linear in (False, True)
    ),
    ModelCase(
        name="spacar-shaft",
        title="a shaft with internal damping at six speeds",
        source="Jonker 1989, section 5.2; complex model of two elements",
        build=shaft,
        inspect=inspect,
    ),
    Case(
        name="spacar-shaft-run-up",
        title="the shaft passes through its critical speed",
        source="Jonker 1989, section 5.2; linear theory of internal damping",
        times=TIMES,
        build=partial(shaft, FIRST_SPEED, ACCELERATION),
        measure=measure_run_up,
        start=bent,
        formulation=bending,
        long=True,
    ),
)
