"""Tables of rows -> flat buffers of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.core.base import layout as at
from supple.core.contact.contact import RUBBING
from supple.core.contact.record import CONTACT, STATE, TYRE, TYRE_SLIP
from supple.foundation.arrays import Array
from supple.foundation.poses import EYE, IDENTITY, Pose, skew

if TYPE_CHECKING:
    from supple.engine.pack.tables import Tables


# Values of a row by their column; several begin there
Columns = Mapping[int, Any]
# Places in a matrix (3, 3) of xx yy zz xy xz yz
_SIX = np.array([0, 4, 8, 1, 2, 5])
NO_SHIFT: Array = np.full((3, 3), -0.0)  # the number that changes no other one when it is added


class RigidInertia(NamedTuple):
    """A rigid body on a node: its pose there, mass (kg), centre of mass (3,), m.

    The moment of inertia about its origin is the sum of two matrices (3, 3), kg m2. Point masses
    (place (3,), kg) in its axes are added.
    """

    pose: Pose
    mass: float
    com: Array
    inertia: Array
    shift: Array
    points: Sequence[tuple[Array, float]] = ()


MASSLESS = RigidInertia(IDENTITY, 0.0, np.zeros(3), np.zeros((3, 3)), NO_SHIFT)


def row_of(width: int, columns: Columns) -> list[Any]:
    """A row with these values and zeros elsewhere."""
    row: list[Any] = [0] * width
    for start, value in columns.items():
        if isinstance(value, (int, float)):
            row[start] = value
            continue
        values = np.ravel(value).tolist()
        row[start : start + len(values)] = values
    if len(row) != width:
        raise ValueError(f"a row of {width} numbers has become one of {len(row)}")
    return row


def flat_buffers(b: Tables, gravity: Array) -> tuple[np.ndarray, Array]:
    """The integers without a plan, and the reals."""
    sizes = {
        "nodes": len(b.node_ints), "nq": b.nq, "nu": b.nu, "nz": b.nz + b.inner,
        "columns": len(b.columns),
        "elements": len(b.element_ints), "signals": len(b.signals), "data": len(b.data),
        "bodies": len(b.flex_ints), "attachments": len(b.attach_ints), "flex_data": b.flex_size,
        "flex_work": b.flex_work, "links": len(b.link_ints), "nr": len(b.rows), "plan": 0,
        "terms": len(b.terms), "membranes": len(b.membranes), "programs": len(b.programs),
        "strips": len(b.strips), "strip_rows": len(b.strip_rows), "plains": len(b.plain),
        "gradients": len(b.gradient_rows), "gradient_ints": len(b.gradient_ints),
        "listed": 0, "listed_rows": 0, "outer": b.nz, "inner": b.inner,
        "rates": 0,
    }  # fmt: skip
    head = [0] * at.HEADER
    for name, size in sizes.items():
        head[at.SIZES[name]] = size
    head[at.H_WRENCHES], head[at.H_SWITCHES] = b.wrenches, b.switches
    head[at.H_RATES] = sum(link[at.LINK_RATES].bit_count() for link in b.link_ints)
    rows = {
        "node": b.node_ints, "column": b.columns, "element": numbered(b), "signal": b.signals,
        "flex": b.flex_ints, "attach": b.attach_ints, "link": b.link_ints, "term": b.terms,
        "membrane": b.membranes, "strip": b.strips, "plain": b.plain, "gradient": b.gradient_rows,
    }  # fmt: skip
    integers: dict[str, list[int]] = {name: [*chain(*table)] for name, table in rows.items()}
    integers |= {"head": head, "program": b.programs, "strip_row": b.strip_rows, "plan": []}
    integers["gradient_int"] = b.gradient_ints
    integers |= {name: [] for name in at.LISTS}  # with the plan (engine/sparsity/plan.py)
    rotor = [0.0] * b.nu
    for velocity, inertia in b.rotors.items():
        rotor[velocity] = inertia
    numbers: dict[str, list[Any]] = {
        "gravity": [gravity], "length": [[b.length]], "rotor": [rotor], "unit": [b.scale],
        "body": [node_reals(b.node_poses, b.inertias).ravel()], "coef": b.element_reals,
        "factor": [b.factors], "data": [b.data], "flex_data": b.flex_data,
    }  # fmt: skip
    of_ints, of_reals = at.TREE_RECORD.parts
    ints = np.fromiter(chain(*[integers[name] for name in of_ints.fields]), dtype=np.int64)
    reals = np.concatenate([x for name in of_reals.fields for x in numbers[name] if len(x)])
    if (len(ints), len(reals)) != at.TREE_RECORD.lengths(sizes):
        raise ValueError(f"buffers of {len(ints)} and {len(reals)} numbers do not fit {sizes}")
    reals.flags.writeable = False
    return ints, reals


def numbered(b: Tables) -> list[list[int]]:
    """Integers of elements, whose inner states are behind all others."""
    rows = b.element_ints
    if not b.inner or not b.nz:
        return rows
    rows = [list(row) for row in rows]
    for row in rows:
        if row[at.KIND] in (CONTACT, RUBBING, TYRE, TYRE_SLIP) and row[STATE] >= 0:
            row[STATE] += b.nz
    return rows


def node_reals(node_poses: Sequence[Pose], bodies: Sequence[RigidInertia]) -> Array:
    """Reals of nodes (nodes, NODE_REALS): poses, and inertias about the nodes in their axes."""
    n = len(node_poses)
    turns, places = zip(*node_poses, strict=True)
    poses, masses, coms, inertias, shifts, points = zip(*bodies, strict=True)
    own_turns, own_places = zip(*poses, strict=True)
    matrices = np.concatenate([*own_turns, *inertias, *shifts, *turns])
    R, second, shift, turn = matrices.reshape(4, n, 3, 3)
    r, first, place = np.concatenate([*own_places, *coms, *places]).reshape(3, n, 3)
    mass = np.array(masses)[:, None]
    first *= mass
    second += shift
    for k, point in ((k, point) for k, some in enumerate(points) for point in some):
        x, m = point
        mass[k] += m
        first[k] += m * x
        second[k] -= m * skew(x) @ skew(x)
    # Second moments shift as in core/bodies/tree.py.
    c = (R @ first[:, :, None])[..., 0]
    mr, column = mass * r, r[:, :, None]
    across = 2 * r[:, None, :] @ c[:, :, None] + mr[:, None, :] @ column
    inertia = R @ second @ R.transpose(0, 2, 1) + across * EYE
    rc, rr = column * c[:, None, :], column * r[:, None, :]
    inertia -= rc + rc.transpose(0, 2, 1) + mass[:, :, None] * rr
    six = inertia.reshape(n, 9).take(_SIX, axis=1)
    return np.concatenate([turn.reshape(n, 9), place, mass, c + mr, six], axis=1)
