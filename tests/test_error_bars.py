"""Error bars and chosen modes where the truth is known; `error_bar_study` prints the tables."""

from __future__ import annotations

import pytest

from error_bar_study import STUDIES, Row, choices

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
