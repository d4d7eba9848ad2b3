"""Error bars and chosen modes where the truth is known; `error_bar_study` prints the tables."""

from __future__ import annotations

import pytest

import supple as sp
from oracles.error_bar_study import STUDIES, Row, choices

COVERED, SHARP = 0.95, 0.8  # parts of the numbers
FEWEST = 20


@pytest.mark.slow
def test_bars_contain_the_truth():
    """In 95 % of the numbers, and 80 % of the bars are at most ten times the true error."""
    rows: list[Row] = [row for study in STUDIES.values() for row in study()]
    print(*rows, sep="\n")
    known = [row for row in rows if row.known]
    assert min(len(rows), len(known)) >= FEWEST
    assert sum(row.covered for row in rows) >= COVERED * len(rows)
    assert sum(row.effectivity <= 10.0 for row in known) >= SHARP * len(known)


@pytest.mark.slow
def test_chosen_modes_meet_their_tolerances():
    """On twenty random bodies; their errors are estimated within 0.5 to 10 times the true ones."""
    found = list(choices())
    print(*found, sep="\n")
    assert len(found) == FEWEST
    for choice in found:
        assert choice.met and 0.5 <= choice.effectivity <= 10.0, str(choice)


@pytest.mark.slow
@pytest.mark.parametrize("parts", [2, 4])
def test_bars_of_thick_parts_follow_the_order_that_is_observed(parts):
    """Products of bending with stretch and shear leave an error that falls with the square."""

    def thick(parts):
        m = sp.Model()
        section = sp.Section(1.0, 0.01, 0.01, 0.01, shear=(1.0, 1.0), half_sizes=(0.1, 0.1))
        stiff = sp.Material(E=100.0, G=40.0, density=1.0)  # E I = 1, radius of gyration 0.1
        damping = sp.Rayleigh(stiffness=0.3)
        rod = sp.Beam("rod", 1.0, section, stiff, parts=parts, theory="timoshenko", damping=damping)
        m.add(rod)
        m.add(sp.Fixed("clamp", m.ground.at(0), rod.at(0)))
        m.add(sp.Force("load", rod.at(1.0), (0, 2.0, 0)))
        return m

    output = "rod.at(1.0).position.y @ end"
    found = sp.certify(thick(parts), 15.0, output, contributions=["integration", "mesh"])
    true = sp.statics(thick(64))["rod"].at(1.0).position[0, 1]
    assert abs(found.value - true) < found.bar < 3 * abs(found.value - true)
