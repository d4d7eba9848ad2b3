"""Limp cables that hang with a free end, and moments of tensioned beams at clamps."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import jn_zeros

import supple as sp
from truth.bodies import STEEL
from truth.nodal import straight
from truth.table import Answer, right, wrong

SIZE = 2e-3
EI = STEEL.E * SIZE**4 / 12


@right()
def limp_cable_of_the_usual_elements() -> Answer:
    return straight(0.01, elements=16)


@right()
def limp_cable_of_one_element() -> Answer:
    return straight(1e-6, elements=1)


def chain(mode: int, elements: int) -> Answer:
    """A frequency (Hz) of a limp cable of 10 m that hangs on a pin."""
    m = sp.Model(gravity=(9.81, 0, 0))
    section = sp.Section(1e-4, 1e-16, 1e-16, 2e-16)
    heavy = sp.Material(E=1e10, G=5e9, density=8000.0)
    cable = m.add(sp.Cable("rod", 10.0, section, heavy, elements=elements))
    m.add(sp.Spherical("pin", m.ground.at(0), cable.at(0)))
    state = sp.statics(m)
    linear = sp.linearize(m, state)
    exact = jn_zeros(0, mode)[-1] / 2 * np.sqrt(9.81 / 10.0) / (2 * np.pi)
    return Answer(float(np.sort(linear.frequencies)[2 * mode - 1]), exact, [state, linear])


@right()
def chain_of_one_element() -> Answer:
    return chain(1, 1)


@right()
def third_mode_of_a_chain() -> Answer:
    return chain(3, 16)


def clamped(layers: float, slope: float = 0.01, **fields: Any) -> sp.Model:
    """A clamped beam of 1 m under a tension that makes it so many layers sqrt(EI/T) long."""
    m = sp.Model()
    rod = m.add(sp.ANCFBeam("rod", 1.0, sp.Rectangle(SIZE, SIZE), STEEL, **fields))
    m.add(sp.Fixed("clamp", m.ground.at(0), rod.at(0)))
    m.add(sp.Force("pull", rod.at(1.0), (EI * layers**2, slope * EI * layers**2, 0)))
    return m


def moment(layers: float, elements: int) -> Answer:
    """The moment at the clamp: T theta sqrt(EI/T) tanh(L/sqrt(EI/T))."""
    r = sp.statics(clamped(layers, elements=elements))
    found = float(r["rod"].at(0).section_forces().Mz[0])
    return Answer(found, 0.01 * EI * layers * np.tanh(layers), r)


@wrong()
def clamp_of_a_tensioned_beam() -> Answer:
    return moment(20.0, 4)


@wrong()
def clamp_of_a_tensioned_beam_of_one_element() -> Answer:
    return moment(5.0, 1)


@right()
def clamp_of_a_tensioned_beam_of_short_elements() -> Answer:
    return moment(20.0, 16)


@right()
def tip_of_a_beam_with_a_clamp_that_does_not_matter() -> Answer:
    # a rod that is pulled nearly straight: its strain is that of the tension
    r = sp.statics(clamped(20.0, slope=1e-5, elements=4))
    return Answer(float(r["rod"].at(0.5).axial_strain[0]), 400 * EI / (STEEL.E * SIZE**2), r)
