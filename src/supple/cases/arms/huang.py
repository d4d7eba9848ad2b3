"""Huang's two-link arms, all bodies rigid.

X. Huang, Dynamics of Deformable Multibody Systems, thesis, University of British Columbia, 1998:
the arm of chapter 3 with its beam taken as rigid, and the two-link arm of table 5.1 with parallel
and with crossed axes. All inertias of the tables are about the *origin* of their body.

The reference (``huang.json``) is no figure of the thesis but an independent Lagrangian of material
points, differentiated automatically and integrated by a Runge-Kutta method of order 8 at two step
sizes; these differ by less than 1e-12 rad. A second Lagrangian in the tests agrees with it.

Tolerances: angles 1e-6 rad; rates 1e-6 of the largest listed rate; energies 1e-6 of the range of
the kinetic energy, for which the largest listed value stands (the arms start from rest, so this
is never more than the range); energy error over all steps 1e-9 of it; momentum 1e-9 kg m2/s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np

from supple.bodies.base.rigid import PointMass, RigidBody
from supple.cases.case import Case, Quantity, at_times, references
from supple.joints import Revolute
from supple.model import Model

if TYPE_CHECKING:
    from supple.results.result import Result

G = 9.81  # m/s2
TIMES = (0.5, 1.0, 2.0, 3.0, 5.0)  # s

# The beam of chapter 3
LENGTH = 1.02  # m
DENSITY = 2770.0  # kg/m3
AREA = 7.104e-5  # m2
SECOND_MOMENT = 1.4891168e-9  # m4, the same in both planes
TIP_MASS = 0.5  # kg


def rigid_beam(name: str) -> RigidBody:
    """Return the beam of chapter 3, rigid: a line mass with the rotary inertia of its section.

    Axis x from 0 to L, mass m = rho A L, centre of mass at L/2. Each slice dx has the moments
    rho I dx about y and z and, the section being symmetric, rho (I + I) dx about x. About the
    centre of mass that makes

        Jx = 2 rho I L,    Jy = Jz = m L2 / 12 + rho I L.
    """
    mass = DENSITY * AREA * LENGTH
    section = DENSITY * SECOND_MOMENT * LENGTH
    across = mass * LENGTH**2 / 12.0 + section
    return RigidBody(name, mass, com=(LENGTH / 2, 0, 0), inertia=(2.0 * section, across, across))


def two_link_arm() -> Model:
    """Return the arm of chapter 3, rigid: a turning column and a beam with a tip mass.

    World Y is up. The shoulder turns about Y, the elbow about z of link 1; the beam hangs at an
    elbow angle of -pi/2. Nothing acts about Y: the angular momentum about Y stays zero.

    The inertia of link 1 breaks the triangle inequality: inertia of the joint is lumped
    into Iyy, the only one of its moments that matters here. ``Model.check`` warns about it.
    """
    m = Model(gravity=(0, -G, 0), name="two-link arm")
    link1 = m.add(column("link1", com=-0.1155))
    link2 = m.add(rigid_beam("link2"))
    m.add(PointMass("tip", link2.at(LENGTH), TIP_MASS))
    m.add(Revolute("shoulder", m.ground.at(0), link1.at(0), axis="y", initial=1.5))
    m.add(Revolute("elbow", link1.at(0, 0, -0.231), link2.at(0), axis="z", initial=-1.0))
    return m


def column(name: str, com: float, about: Literal["com", "origin"] = "origin") -> RigidBody:
    """Return the turning column of chapter 3, its centre of mass at z = ``com`` (m)."""
    inertia = (0.04022, 0.08884, 3.752e-4)
    return RigidBody(name, 2.067, com=(0, 0, com), inertia=inertia, inertia_about=about)


def table_5_1_arm(second_axis: str) -> Model:
    """Return the arm of table 5.1: two links along x, the first axis z, gravity along +X."""
    m = Model(gravity=(G, 0, 0), name=f"two-link arm, axes z and {second_axis}")
    link1 = m.add(
        RigidBody("link1", 1.76, (0.1, 0, 0), (3.92e-4, 0.0236, 0.0236), inertia_about="origin")
    )
    link2 = m.add(
        RigidBody("link2", 0.49, (0.1, 0, 0), (2.45e-5, 0.0065, 0.0065), inertia_about="origin")
    )
    m.add(PointMass("tip", link2.at(0.2), 0.5))
    m.add(Revolute("shoulder", m.ground.at(0), link1.at(0), axis="z", initial=1.5))
    m.add(Revolute("elbow", link1.at(0.2), link2.at(0), axis=second_axis, initial=-1.0))
    return m


def _measure(name: str, conserved_about: int | None = None) -> Callable[[Result], list[Quantity]]:
    """Return the comparison; ``conserved_about`` is the world axis of a cyclic angle."""

    def measure(result: Result) -> list[Quantity]:
        reference = {key: np.array(rows) for key, rows in references("huang")[name].items()}
        energy, rate = 1e-6 * reference["kinetic"].max(), 1e-6 * np.abs(reference["rates"]).max()
        compared: list[Quantity] = []
        for k, joint in enumerate(("shoulder", "elbow")):
            view, angles, rates = result[joint], reference["angles"][:, k], reference["rates"][:, k]
            compared += at_times(f"{joint}.angle", view.angle, angles, 1e-6, TIMES)
            compared += at_times(f"{joint}.angle_rate", view.angle_rate, rates, rate, TIMES)
        for kind in ("kinetic", "gravity"):
            values = getattr(result.energy, kind)
            compared += at_times(f"energy.{kind}", values, reference[kind], energy, TIMES)
        drift = result.energy.record.max_error
        compared.append(Quantity("energy.error", drift, 0.0, 1e-3 * energy))
        if conserved_about is not None:
            compared.append(conserved_momentum(result, conserved_about))
        return compared

    return measure


def conserved_momentum(result: Result, axis: int) -> Quantity:
    """Compare the angular momentum about a world axis with zero: at steps and outputs."""
    if len(result.momentum) != 1:  # the audit must find this symmetry, and no other
        return Quantity(f"momentum about {'xyz'[axis]}", np.nan, 0.0, 1e-9)
    at_outputs = float(np.abs(result.data.history.momentum[:, axis]).max())
    value = max(result.momentum.max_error, at_outputs)
    return Quantity(f"momentum about {'xyz'[axis]}", value, 0.0, 1e-9)


def _source(part: str) -> str:
    return f"Huang 1998, {part}; independent Lagrangian, Runge-Kutta of order 8"


CASES = (
    Case(
        name="huang-rigid",
        title="two-link arm with a tip mass, beam rigid, falling from rest",
        source=_source("table 3.1 with the beam rigid"),
        times=TIMES,
        build=two_link_arm,
        measure=_measure("huang-rigid", conserved_about=1),
    ),
    Case(
        name="huang-two-rigid-zz",
        title="double pendulum, parallel axes",
        source=_source("table 5.1"),
        times=TIMES,
        build=lambda: table_5_1_arm("z"),
        measure=_measure("huang-two-rigid-zz"),
    ),
    Case(
        name="huang-two-rigid-zy",
        title="double pendulum, crossed axes",
        source=_source("table 5.1"),
        times=TIMES,
        build=lambda: table_5_1_arm("y"),
        measure=_measure("huang-two-rigid-zy"),
    ),
)
