"""No wrong answer is vouched for, and no right one is doubted: the table of known answers."""

from __future__ import annotations

import pytest

from truth import beams, frequencies, limp, meshes, nodal, runs, studies
from truth.table import RIGHT, TABLE, WRONG, judge

SUBJECTS = (beams, frequencies, limp, meshes, nodal, runs, studies)  # each lists its models
ENTRIES = [pytest.param(e, id=e.name, marks=[pytest.mark.slow] * e.slow) for e in TABLE.values()]


@pytest.mark.parametrize("entry", ENTRIES)
def test_verdict_is_true(entry):
    judged = judge(entry)
    if entry.right:
        assert judged.answer is not None, judged.told
        assert judged.answer.error < RIGHT
        assert judged.told == ()
    else:
        assert judged.answer is None or not judged.answer.error < WRONG
        assert judged.told != ()


def test_the_table_is_large():
    right = sum(entry.right for entry in TABLE.values())
    assert right >= 40 and len(TABLE) - right >= 60
