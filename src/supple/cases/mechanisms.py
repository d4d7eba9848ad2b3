"""The mechanisms in one list: with closed loops in ``LOOPS``, without in ``TREES``.

They are not in `supple.cases.all` as long as models with closed loops cannot be simulated; the name
of this file in ``_FILES`` of ``supple/cases/__init__.py`` lists them.
"""

from __future__ import annotations

from supple.cases import andrews, bennett, bricard, four_bar, governor, n_four_bar

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
