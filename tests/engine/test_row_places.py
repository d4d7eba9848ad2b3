"""Places of rows that are stored together: no number twice, each group where it fits first."""

from __future__ import annotations

import numpy as np
import pytest

from supple.engine.sparsity import plan


@pytest.mark.parametrize("tries", [0, 2])
def test_rows_lie_where_they_fit_first(monkeypatch, tries) -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        begin, groups = 0, []
        for _ in range(30):
            begin += int(rng.integers(0, 7))
            columns = np.unique(begin + rng.integers(0, 40, size=int(rng.integers(1, 9))))
            groups.append((columns, int(rng.integers(1, 7))))
        found = []
        for most in (tries, 10**9):  # all places at once, and one by one
            monkeypatch.setattr(plan, "TRIES", most)
            rows = plan._Rows()
            found.append(([rows.put(*group) for group in groups], rows.length))
        assert found[0] == found[1]
        numbers = [
            place + column
            for (columns, _), places in zip(groups, found[0][0], strict=True)
            for place in places
            for column in columns.tolist()
        ]
        assert len(set(numbers)) == len(numbers)
        assert min(numbers) >= 0 and max(numbers) < found[0][1]
