"""Beams of open sections whose ends cannot warp: how much less they would twist.

A beam here twists after Saint-Venant, with sections that are free to warp. An end that is welded to
something stiff does not warp. By Vlasov's theory a beam with one such end twists under a torque at
the other by

    T L/GJ (1 - tanh(k L)/(k L)),   k^2 = G J/(E I_w)

and with two of them as if it were half as long. The difference is told where twist holds a part of
the strain energy of a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.foundation.errors import ModelError, label
from supple.results.checks.frame_warping import of_members
from supple.results.data.findings import Finding
from supple.results.flexibility.geometric_stiffness import sampled
from supple.results.views.body_loads import at_times

if TYPE_CHECKING:
    from supple.results.result import Result

TIMES = 6  # that are looked at
STATIONS = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the length
TWISTED = 0.05  # part of the strain energy from which twist matters
EXCESS, SERIOUS = 0.05, 0.5  # how much more a beam may twist than it would


def of_warping(result: Result, body: Any) -> Iterator[Finding]:
    """A finding if a beam twists too much because its clamped ends cannot warp."""
    if body.view in ("members", "cut_members"):
        yield from of_members(result, body)
        return
    if not body.is_beam or not _warping(body.section) > 0.0:
        return
    section, material = body.section, body.material
    ends = clamped_ends(result, body)
    if not ends:
        return
    middle = section.at(0.5)
    k = np.sqrt(material.G * middle.J / (material.E * _warping(section)))
    x = float(k * body.length / ends)
    excess = x / (x - np.tanh(x)) - 1.0
    if excess < EXCESS or not twist_share(result, body) > TWISTED:
        return
    less = 1.0 - 1.0 / (1.0 + excess)
    where = "its end is" if ends == 1 else "its ends are"
    least = "" if ends == 1 else "at least "  # loads between clamped ends hinder it further
    yield Finding(
        body.name,
        "warping",
        excess,
        EXCESS,
        None,
        excess > SERIOUS,
        f"{label(body)}: its sections are free to warp, but {where} clamped: it would twist "
        f"{least}{100 * less:.2g} % less if that keeps the end from warping; use a Section with "
        "the torsion constant that you need, or ISection(..., warping='free') if the ends do warp",
    )


def _warping(section: Any) -> float:
    return float(section.at(0.5).warping_constant)


def clamped_ends(result: Result, body: Any) -> int:
    """How many ends (0 to 2) of a beam joints without any freedom hold."""
    found = set()
    for joint in result.joints.values():
        for frame in (joint.A, joint.B):
            if frame.body.name == body.name and not joint.motions:
                station = float(frame.position[0]) / body.length
                found |= {end for end in (0, 1) if abs(station - end) < 1e-6}
    return len(found)


def twist_share(result: Result, body: Any) -> float:
    """Largest part of the strain energy of a beam that twist holds, at some times of a run."""
    good = np.flatnonzero(np.all(np.isfinite(result.q), axis=1))
    if not len(good):
        return 0.0
    view = cast("Any", at_times(result, good[sampled(result.q[good], TIMES)]))[body.name]
    energies = np.zeros((2, len(view.at(0.0).position)))
    E, G = body.material.E, body.material.G
    for s in STATIONS:
        section = body.section.at(s)
        try:
            forces = view.at(s * body.length).section_forces()
        except ModelError:
            return 0.0
        energies[0] += forces.T**2 / (G * section.J)
        energies[1] += forces.N**2 / (E * section.area)
        energies[1] += forces.My**2 / (E * section.I_y) + forces.Mz**2 / (E * section.I_z)
    largest = energies.sum(axis=0).max(initial=0.0)
    return float(energies[0].max() / largest) if largest > 0.0 else 0.0
