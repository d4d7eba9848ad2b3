"""The mechanisms in one list: with closed loops in ``LOOPS``, without in ``TREES``."""

from __future__ import annotations

from supple.cases.linkages import andrews, bennett, bricard, four_bar, governor, n_four_bar

LOOPS = (
    *four_bar.CASES,
    *andrews.CASES,
    *bricard.CASES,
    *bennett.CASES,
    *governor.CASES,
    *n_four_bar.CASES,
)

TREES = governor.TREES
CASES = (*TREES, *LOOPS)
