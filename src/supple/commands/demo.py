"""The demonstration: Huang's arm with a flexible link falls for 5 s."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import supple as sp
from supple.integrators.run.interruption import raised_at_once

if TYPE_CHECKING:
    from supple.results.result import Result

SHOWN = ("shoulder", "elbow", "link2@1.02.deflection", "energy")
NOTE = (
    "link1's inertia breaks the triangle inequality: the thesis lumps the inertia of the joint "
    "into Iyy"
)


def arm() -> sp.Model:
    """Return the two-link arm of Huang's chapter 3; its beam has five elements and four modes."""
    m = sp.Model(gravity=(0, -9.81, 0), name="two-link arm, second link flexible")
    link1 = m.add(
        sp.RigidBody(
            "link1",
            mass=2.067,
            com=(0, 0, -0.1155),
            inertia=(0.04022, 0.08884, 3.752e-4),
            inertia_about="origin",
            shape=sp.Cylinder(diameter=0.03, length=0.231, axis="z", position=(0, 0, -0.1155)),
        )
    )
    link2 = m.add(
        sp.Beam(
            "link2",
            length=1.02,
            section=sp.Box(0.0127, 0.0127, wall=0.0016),
            material=sp.Material(E=69e9, G=26e9, density=2770),
            elements=5,
            modes=4,
            damping=sp.Rayleigh(stiffness=3e-4),
            stiffening="second_order",
        )
    )
    m.add(sp.Revolute("shoulder", m.ground.at(0, 0, 0), link1.at(0, 0, 0), axis="y", initial=1.5))
    m.add(sp.Revolute("elbow", link1.at(0, 0, -0.231), link2.at(0.0), axis="z", initial=-1.0))
    m.add(sp.PointMass("tip", link2.at(1.02), mass=0.5))
    return m


def run() -> Result:
    """Simulate it; `NOTE` tells what the warning about link1 would."""
    with warnings.catch_warnings(), raised_at_once():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        return sp.simulate(arm(), t_end=5.0)


def draw(result: Result, path: Path) -> None:
    """Draw angles, the deflection of the tip and the energies into a file."""
    result.plot(*SHOWN, path=path)
