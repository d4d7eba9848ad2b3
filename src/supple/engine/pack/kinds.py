"""Checks that kinds of motions, force elements, constraint rows and signals are known.

The builder shows each code that goes into its buffers here, so that kernels meet none without a
row in its table; integrators ask whether their kernels treat what a model has.
"""

from __future__ import annotations

import numpy as np

from supple.constraints.kinds import LINKS
from supple.core.base.opcodes import SIGNALS
from supple.core.contact.sets import CONTACT_SET
from supple.engine.base.compiled import Compiled, KindTable
from supple.forces.contact_sets import MANY
from supple.forces.kinds import ELEMENTS
from supple.foundation.errors import ModelError
from supple.joints.motions import ALL_METHODS, MOTIONS, Method

EXAMPLES: dict[Method, str] = {
    "one-step": "Radau()",
    "multistep": "BDF()",
    "energy": "EnergyScheme(step=...)",
}


def treated(table: KindTable, code: int) -> tuple[str, frozenset[Method]] | None:
    """Words for a code of the kernels, and the methods that treat it; None: no row."""
    if table == "motion":
        for kind in MOTIONS.values():
            if kind.code == code:
                return f"has a motion of the kind {kind.name!r}", kind.methods
    elif table == "element" and code in ELEMENTS:
        return f"is {ELEMENTS[code].words}", ELEMENTS[code].methods
    elif table == "link" and code in LINKS:
        return LINKS[code].words, LINKS[code].methods
    elif table == "driven link" and code in LINKS:
        return f"{LINKS[code].words} in time", LINKS[code].driven
    elif table == "signal" and code in SIGNALS:  # one kernel serves all methods
        return "has a signal", ALL_METHODS
    return None


def refuse_unknown(table: KindTable, code: int, owner: str) -> None:
    """Refuse what has a code without a row, or without branches in the kernels that all need."""
    row = treated(table, code)
    if row is None:
        expected = "one with a row in the tables of kinds"
        raise ModelError(owner, f"code of its {table}", code, expected)
    words, methods = row
    if "one-step" not in methods:
        raise ModelError.plain(
            f"{owner} {words}, which the engine does not treat, expected another kind"
        )


def refuse_untreated(compiled: Compiled, integrator: str, method: Method) -> None:
    """Refuse a model with something that the kernels of an integrator do not treat."""
    for (table, code), owner in compiled.kinds.items():
        row = treated(table, code)
        assert row is not None  # the builder has seen to it
        words, methods = row
        if method not in methods:
            others = " or ".join(EXAMPLES[m] for m in EXAMPLES if m in methods)
            expected = f"another integrator, e.g. {others}" if others else "a kind that is known"
            raise ModelError.plain(
                f"{integrator}: {owner} {words}, which it does not treat, expected {expected}"
            )


def refuse_rates(compiled: Compiled, owner: str) -> None:
    """Refuse rows that hold rates alone, which a study does not treat."""
    whole = compiled.complete
    if compiled.sizes["rates"]:
        name = whole.rows[int(np.argmax(whole.rate_rows))].label
        raise ModelError.plain(
            f"{owner}: {name} holds a velocity and no position, which {owner} does not treat, "
            "expected constraints of positions"
        )


def refuse_cells(compiled: Compiled, needs: str, other: str = "") -> None:
    """Refuse sets whose pairs are found by cells, which have no tangents."""
    found = compiled.kinds.get(("element", CONTACT_SET))
    if found is not None:
        raise ModelError.plain(
            f"{found}: its pairs are found by cells, which {needs} does not treat, expected "
            f"{other}at most {MANY} pairs of balls, or cells=False"
        )
