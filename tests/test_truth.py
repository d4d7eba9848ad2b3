"""No wrong answer is vouched for, and no right one is doubted: the table of known answers."""

from __future__ import annotations

import pytest

from truth.table import RIGHT, TABLE, WRONG, judge

ENTRIES = [pytest.param(e, id=e.name, marks=[pytest.mark.slow] * e.slow) for e in TABLE.values()]


@pytest.mark.parametrize("entry", ENTRIES)
def test_verdict_is_true(entry):
    judged = judge(entry)
    if entry.right:
        assert judged.answer is not None, judged.told
        assert judged.answer.error < RIGHT
        assert judged.told == ()
    else:
        assert judged.answer is None or judged.answer.error > WRONG
        assert judged.told != ()
