"""Richard's deployment of two flexible panels.

M. Richard, Dynamics of flexible multibody systems by linear graph theory, 2012, section 5.2. Two
square steel panels hang on each other and on the ground by hinges; both hinges are driven, (71) and
(72), and stand still after 14 s. The paper prints neither gravity nor damping: there are none (its
weight would bend a panel by 0.88 m). The edges with hinges are rigid, as the paper says.

The panels lie along x with their hinges along y; panel 2 is folded onto the side of +z of panel 1.
Angles are counted about -y, so that an angle and the slope of a deflection along z add up.

The reference is an independent computation of bending alone, with the same triangles on the same
meshes (diagonals mirrored about the middle line), four modes of each panel that are symmetric about
it, or all lowest four; and with Craig and Bampton's shapes on a mesh twice as fine, which is
converged: four modes with a free tip are a poor basis for panel 1.

Tolerances: 1e-8 m on the same mesh with the same modes, ten times what two integrators differ by,
and 1e-9 of the frequencies, which have ten digits in both programs. Converged it is 1e-5 m, of
deflections up to 36 mm: its shapes are of bending only and not the same, and eight modes are off by
3e-6 m. Energy error over all steps: 1e-9 of the largest kinetic energy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.structure.mesh import MeshBody
from supple.cases.case import Case, Quantity, at_times, energy_error, explicit, extremes, references
from supple.constraints import Driver
from supple.fem.base.material import Material
from supple.fem.shells.shell import plate
from supple.fem.ties.interface import Interface
from supple.joints import Revolute
from supple.model import Model
from supple.reduction.shape_sets import CraigBampton

if TYPE_CHECKING:
    from supple.results.result import Result

SIDE, THICKNESS = 2.0, 0.003  # m
STEEL = Material(E=2.1e11, G=2.1e11 / 2.6, density=7800)
ANGLE = "pi/14*(min(t, 14) - 7/pi*sin(pi*min(t, 14)/7))"  # (72), from 0 to pi
TURN = 2.0 * np.pi
AXIS = (0.0, -1.0, 0.0)
TIMES = tuple(0.05 * k for k in range(401))  # s
EVERY = 40  # of the compared rows
SYMMETRIC = ([1, 3, 5, 6], [1, 3, 4, 6])  # mode numbers of both panels


def panel(name: str, cells: int, tip: bool, modes: Any) -> MeshBody:
    """A panel with its hinge edge as an interface, and its far edge where it carries another."""
    mesh = plate(
        SIDE,
        SIDE,
        cells,
        cells,
        thickness=THICKNESS,
        material=STEEL,
        pattern="mirror",
        rotary_inertia=False,
    )
    x, middle = mesh.nodes[:, 0], SIDE / 2
    edges = [Interface("root", (0.0, middle, 0.0), np.flatnonzero(x == 0.0))]
    if tip:
        edges.append(Interface("tip", (SIDE, middle, 0.0), np.flatnonzero(x == SIDE)))
    return MeshBody(name, mesh, edges, modes=modes)


def deployment(modes: tuple[Any, Any] = SYMMETRIC, cells: int = 4) -> Model:
    """Return both panels with their drives, folded and at rest."""
    m = Model(gravity=(0, 0, 0), name="two panels")
    first, second = modes
    one = m.add(panel("panel 1", cells, True, first))
    two = m.add(panel("panel 2", cells, False, second))
    hinge = m.add(Revolute("hinge 1", m.ground.at(0), one.at("root"), axis=AXIS))
    fold = m.add(Revolute("hinge 2", one.at("tip"), two.at("root"), axis=AXIS, initial=np.pi))
    m.add(Driver("drive 1", hinge, motion=f"0.5*({ANGLE})"))
    m.add(Driver("drive 2", fold, motion=f"pi - {ANGLE}"))
    return m


def full_modes() -> Model:
    """The lowest four modes of each panel; two of them are not moved by a symmetric motion."""
    return deployment((4, 4))


def converged() -> Model:
    """Shapes of Craig and Bampton on the finer mesh."""
    return deployment((CraigBampton(["root", "tip"], 12), CraigBampton(["root"], 12)), 8)


def measure(key: str) -> Callable[[Result], list[Quantity]]:
    """Function that compares deflections of both centres, and the modes that were used."""

    def compare(result: Result) -> list[Quantity]:
        reference = references("panels")[key]
        bound, times = reference["error"], TIMES[EVERY::EVERY]
        found: list[Quantity] = []
        for number in (1, 2):
            name = f"panel {number}"
            known = reference.get(f"frequencies_{number}", ())
            body: MeshBody = result.bodies[name]  # type: ignore[assignment]
            for k, w in enumerate(known):
                value = float(TURN * body.modal().frequencies[k])
                found.append(Quantity(f"frequency {k + 1} of {name}", value, w, 1e-9 * w))
            centre = result[name].at(SIDE / 2, SIDE / 2, 0.0).deflection[:, 2]
            rows = reference[f"centre_{number}"]
            found += at_times(f"centre of {name}", centre[EVERY::EVERY], rows, bound, times)
            known = reference[f"extremes_{number}"]
            found += extremes(f"of {name}", centre, known, bound, TIMES)
        if "tip_1" in reference:
            tip = result["panel 1"].at("tip").deflection[EVERY::EVERY, 2]
            found += at_times("tip of panel 1", tip, reference["tip_1"], bound, times)
        return [*found, energy_error(result, 1e-9)]

    return compare


SOURCE = "Richard 2012, section 5.2; independent computation of bending with the same triangles"
CASES = (
    Case(
        name="richard-panels",
        title="deployment of two panels of 32 triangles, four symmetric modes each",
        source=SOURCE,
        times=TIMES,
        build=deployment,
        measure=measure("symmetric"),
        integrator=explicit,  # the vibration is not damped
    ),
    Case(
        name="richard-panels-lowest",
        title="deployment of two panels of 32 triangles, the four lowest modes each",
        source=SOURCE,
        times=TIMES,
        build=full_modes,
        measure=measure("lowest"),
        integrator=explicit,
        long=True,  # it says little more than the other
    ),
    Case(
        name="richard-panels-converged",
        title="deployment of two panels of 128 triangles, modes of Craig and Bampton",
        source=SOURCE,
        times=TIMES,
        build=converged,
        measure=measure("converged"),
        long=True,
    ),
)
