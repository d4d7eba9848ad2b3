"""Resolution of a tolerance that rounding leaves where coordinates are large."""

from __future__ import annotations

import math

import numpy as np

from supple.core.run.weights import ROUNDING
from supple.engine.base.compiled import Compiled
from supple.foundation.poses import Array
from supple.integrators.run.driver import Problem
from supple.integrators.run.place_vectors import place_vectors


def coordinate_sizes(c: Compiled, q: Array) -> Array:
    """Sizes (nu,) of the coordinates behind the velocities; zero for quaternions."""
    sizes = np.zeros(c.nu)
    for record in (*c.joints.values(), *c.extra.values()):
        if record.chart.quaternion:
            place = np.abs(q[record.q.start + 4 : record.q.stop])
            sizes[record.u.start + 3 : record.u.stop] = place.sum()
        else:
            sizes[record.u] = np.abs(q[record.q])
    return sizes


def beyond_rounding(problem: Problem, q: Array) -> str | None:
    """A sentence if the tolerance asks more of the start than its rounding allows, or None.

    ``q`` (nt, nq) are the places of the run: where a body goes far, the tolerance follows its way.
    """
    c = problem.equations.compiled
    if c.nu == 0:
        return None
    start, smallest = problem.q, (problem.rtol + problem.atol) * c.smallest_scale
    if 3.0 * ROUNDING * math.sqrt(start.dot(start)) <= smallest:  # no sum of three places is larger
        return None
    way = coordinate_sizes(c, np.max(np.abs(q - start), axis=0, initial=0.0))
    way[place_vectors(c) < 0] = 0.0
    asked = np.maximum((problem.rtol + problem.atol) * c.scale, problem.atol * way)
    sizes = coordinate_sizes(c, problem.q)
    possible = ROUNDING * sizes
    worst = int(np.argmax(possible / asked))
    if possible[worst] <= asked[worst]:
        return None
    label = c.dof_label(worst)
    unit = "m" if "displacement" in label or "along" in label else "rad"
    return (
        f"simulate: tolerance asks for {asked[worst]:.2g} {unit} in {label}, which starts at "
        f"{sizes[worst]:.3g} {unit}, where rounding allows {possible[worst]:.2g} {unit}: a "
        f"tolerance of {possible[worst] / c.scale[worst]:.1g} is kept instead; nearer to zero more "
        "is possible"
    )
