"""Huang's two-link arms, all bodies rigid.

X. Huang, Dynamics of Deformable Multibody Systems, thesis, University of British Columbia, 1998:
the arm of chapter 3 with its beam taken as rigid, and the two-link arm of table 5.1 with parallel
and with crossed axes. All inertias of the tables are about the *origin* of their body.

The reference is no figure of the thesis but an independent Lagrangian of material points,
differentiated automatically and integrated by a Runge-Kutta method of order 8 at two step sizes;
these differ by less than 1e-12 rad. A second Lagrangian in the tests agrees with it.

Tolerances: angles 1e-6 rad; rates 1e-6 of the largest listed rate; energies 1e-6 of the range of
the kinetic energy, for which the largest listed value stands (the arms start from rest, so this
is never more than the range); energy error over all steps 1e-9 of it; momentum 1e-9 kg m2/s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.bodies.base.rigid import PointMass, RigidBody
from supple.cases.case import Case, Quantity, at_times
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
    link1 = m.add(
        RigidBody(
            "link1",
            mass=2.067,
            com=(0, 0, -0.1155),
            inertia=(0.04022, 0.08884, 3.752e-4),
            inertia_about="origin",
        )
    )
    link2 = m.add(rigid_beam("link2"))
    m.add(PointMass("tip", link2.at(LENGTH), TIP_MASS))
    m.add(Revolute("shoulder", m.ground.at(0), link1.at(0), axis="y", initial=1.5))
    m.add(Revolute("elbow", link1.at(0, 0, -0.231), link2.at(0), axis="z", initial=-1.0))
    return m


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


@dataclass(frozen=True)
class Reference:
    """Values at `TIMES`: angles (rad) and rates (rad/s) of shoulder and elbow, energies (J)."""

    angles: tuple[tuple[float, float], ...]
    rates: tuple[tuple[float, float], ...]
    kinetic: tuple[float, ...]
    gravity: tuple[float, ...]  # zero at the world origin


RIGID = Reference(
    angles=(
        (0.9655210223620744, -1.6494946214203536),
        (0.6124526597244176, -2.1246723240363576),
        (1.4709170087974524, -1.067102177000729),
        (0.6771514907880837, -1.9927395364550866),
        (0.8655827814806614, -1.74641954791916),
    ),
    rates=(
        (-2.2451816676319742, -2.06791747184511),
        (0.1862686061317854, 0.4480947272050318),
        (-0.41394580009003373, -0.8809054897773514),
        (0.736122279617626, 1.284351044784122),
        (1.876614661347806, 1.9435007547655816),
    ),
    kinetic=(
        0.9337387500510901,
        0.054193118704291096,
        0.20625792943526636,
        0.425460526909053,
        0.8599267176923255,
    ),
    gravity=(
        -5.988711016161375,
        -5.109165384814576,
        -5.261230195545551,
        -5.480432793019338,
        -5.914898983802608,
    ),
)

PARALLEL = Reference(
    angles=(
        (-0.5483606594720326, -1.6354224603505183),
        (-0.21145518422200787, 1.6832567013827604),
        (-0.01267011651613795, -1.5856024587116617),
        (-1.0342393643244645, -0.3989303328623661),
        (-0.02349534247893841, 1.916833296690061),
    ),
    rates=(
        (-2.670740950950002, -3.805192429251252),
        (3.3959708975280782, 8.77640841546885),
        (6.899553413711828, -0.15656334382094592),
        (-5.206783854232344, 12.77848912280061),
        (-6.723874318153224, -0.761262422457486),
    ),
    kinetic=(
        0.7477874001116329,
        2.189399274697914,
        2.086204605047697,
        0.5337369247521935,
        1.6623193740800861,
    ),
    gravity=(
        -2.2900716036878754,
        -3.731683478274154,
        -3.6284888086239357,
        -2.076021128328429,
        -3.2046035776563206,
    ),
)

CROSSED = Reference(
    angles=(
        (-1.2398711848122257, 0.2907933009180916),
        (0.784361372415576, 1.023538596713131),
        (-0.19089153102627848, 0.9212599370404515),
        (-1.110184759104709, 2.115704548342774),
        (-1.0815364851495703, -15.10957263079036),
    ),
    rates=(
        (-3.3678241490136056, -6.2134038780388),
        (6.609855643242608, 6.756018170310449),
        (7.347095721611841, -9.572650515410233),
        (7.014101716255117, -0.7945807650033357),
        (6.846736121386761, 2.6060764404187697),
    ),
    kinetic=(
        1.33169995128956,
        2.8199984333674912,
        4.154896767497256,
        0.9786604411347646,
        0.8413146112573395,
    ),
    gravity=(
        -1.6470955217166325,
        -3.135394003794566,
        -4.470292337924329,
        -1.2940560115618376,
        -1.1567101816844094,
    ),
)


def _measure(
    reference: Reference, conserved_about: int | None = None
) -> Callable[[Result], list[Quantity]]:
    """Return the comparison; ``conserved_about`` is the world axis of a cyclic angle."""

    def measure(result: Result) -> list[Quantity]:
        energy = 1e-6 * max(reference.kinetic)
        rate = 1e-6 * float(np.abs(reference.rates).max())
        found: list[Quantity] = []
        for k, joint in enumerate(("shoulder", "elbow")):
            view = result[joint]
            angles, rates = np.array(reference.angles)[:, k], np.array(reference.rates)[:, k]
            found += at_times(f"{joint}.angle", view.angle, angles, 1e-6, TIMES)
            found += at_times(f"{joint}.angle_rate", view.angle_rate, rates, rate, TIMES)
        kinetic, gravity = np.array(reference.kinetic), np.array(reference.gravity)
        found += at_times("energy.kinetic", result.energy.kinetic, kinetic, energy, TIMES)
        found += at_times("energy.gravity", result.energy.gravity, gravity, energy, TIMES)
        drift = result.energy.record.max_error
        found.append(Quantity("energy.error", drift, 0.0, 1e-3 * energy))
        if conserved_about is not None:
            found.append(conserved_momentum(result, conserved_about))
        return found

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
        measure=_measure(RIGID, conserved_about=1),
    ),
    Case(
        name="huang-two-rigid-zz",
        title="double pendulum, parallel axes",
        source=_source("table 5.1"),
        times=TIMES,
        build=lambda: table_5_1_arm("z"),
        measure=_measure(PARALLEL),
    ),
    Case(
        name="huang-two-rigid-zy",
        title="double pendulum, crossed axes",
        source=_source("table 5.1"),
        times=TIMES,
        build=lambda: table_5_1_arm("y"),
        measure=_measure(CROSSED),
    ),
)
