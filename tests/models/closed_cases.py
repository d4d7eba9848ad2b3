"""Cases with closed loops."""

from __future__ import annotations

from supple.cases import Case


def closed(case: Case) -> bool:
    """Whether a case's model has constraint rows."""
    model = case.build()
    return bool(model.graph().chords or model.constraints)
