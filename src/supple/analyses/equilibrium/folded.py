"""Folded elements: equilibria of nodal vectors that no cable and no beam has."""

from __future__ import annotations

import numpy as np

from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array
from supple.results.flexibility.line_bending import line_turns

# rad from one end of an element to the other. A line with a kink at a node turns by half of it, so
# by less than pi/2, on either side; what turns farther than this lies back on itself.
FOLDED = 0.75 * np.pi


def folded(compiled: Compiled, q: Array) -> str:
    """Say which cable or beam has an element that is folded; empty if none has."""
    for record in compiled.gradient.values():
        if not record.body.along_line:
            continue
        mesh = record.mesh
        turns = line_turns(q[record.q].reshape(1, *mesh.rest.shape), mesh.axes_from)[0]
        rest = line_turns(mesh.rest[None], mesh.axes_from)[0]
        k = int(np.argmax(turns))
        if turns[k] > FOLDED and rest[k] < 0.5 * FOLDED:
            return (
                f"{record.label}: its element {k} is folded, it turns by {turns[k]:.3g} rad from "
                "one end to the other, expected a start that is nearer to the equilibrium, loads "
                "that grow in steps, or more elements"
            )
    return ""
