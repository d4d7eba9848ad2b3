"""Richard's example of a linear graph: a body on two springs and a dashpot.

M. J. Richard, Simulation of Flexible Multibody Systems Using Linear Graph Theory (2012), figure 1
with equations (1), (2) and (4). Node 1 is the centre of mass, nodes 2 and 3 are points of the body,
nodes 4 and 5 are points whose place is given from the ground, which is node 6. Edge 1 is the body,
2 and 3 are its arms, 4 and 5 the given places, 6 and 7 springs and 8 the dashpot.

Matrix (2) is printed with four unit columns, but has five branches: one column of the unit matrix
was lost. It is complete here; then it is orthogonal to the circuits (4), as (3) demands.

The matrices are topology: the coordinates, the mass and the stiffness in the model are of no
influence. All entries are integers and must be met exactly.
"""

from __future__ import annotations

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.cases.case import ModelCase, Quantity
from supple.forces import SpringDamper
from supple.model import Model

INCIDENCE = (  # Richard2012 (1), nodes 1 to 6
    (1, -1, -1, 0, 0, 0, 0, 0),
    (0, 1, 0, 0, 0, 0, 1, 0),
    (0, 0, 1, 0, 0, 1, 0, 1),
    (0, 0, 0, 1, 0, -1, 0, 0),
    (0, 0, 0, 0, 1, 0, -1, -1),
    (-1, 0, 0, -1, -1, 0, 0, 0),
)
CUTSET = (  # Richard2012 (2), branches 1 to 5
    (1, 0, 0, 0, 0, 1, 1, 1),
    (0, 1, 0, 0, 0, 0, 1, 0),
    (0, 0, 1, 0, 0, 1, 0, 1),
    (0, 0, 0, 1, 0, -1, 0, 0),
    (0, 0, 0, 0, 1, 0, -1, -1),
)
CIRCUIT = (  # Richard2012 (4), chords 6 to 8
    (-1, 0, -1, 1, 0, 1, 0, 0),
    (-1, -1, 0, 0, 1, 0, 1, 0),
    (-1, 0, -1, 0, 1, 0, 0, 1),
)


def suspended_body() -> Model:
    """Return the body with its springs; it has no joint, so it is looked at and not run."""
    m = Model(name="Richard's figure 1")
    body = m.add(RigidBody("body", mass=1.0, inertia=0.1))
    node2, node3 = body.at(-0.5), body.at(0.5)
    node4, node5 = m.ground.at(-1.0, 1.0), m.ground.at(1.0, 1.0)
    m.add(SpringDamper("e6", node4, node3, stiffness=100.0))
    m.add(SpringDamper("e7", node5, node2, stiffness=100.0))
    m.add(SpringDamper("e8", node5, node3, damping=10.0))
    return m


def compare_matrices(model: Model) -> list[Quantity]:
    """Compare every entry of the three matrices, and their products."""
    g = model.graph()
    found = []
    for name, values, listed in (
        ("incidence", g.incidence, INCIDENCE),
        ("cutset", g.cutset, CUTSET),
        ("circuit", g.circuit, CIRCUIT),
    ):
        reference = np.array(listed)
        same = values.shape == reference.shape
        for place, entry in np.ndenumerate(reference):
            value = float(values[place]) if same else float("nan")
            row, column = (k + 1 for k in place)
            found.append(Quantity(f"{name}, row {row}, column {column}", value, float(entry), 0.0))
    for name, matrix in (("incidence", g.incidence), ("cutset", g.cutset)):
        largest = float(np.abs(matrix @ g.circuit.T).max(initial=0))
        found.append(Quantity(f"largest entry of {name} times circuits", largest, 0.0, 0.0))
    return found


CASES = (
    ModelCase(
        name="richard-graph",
        title="linear graph of a body on two springs and a dashpot: matrices, entry by entry",
        source="Richard 2012, figure 1, equations (1), (2) with its lost column, (4)",
        build=suspended_body,
        inspect=compare_matrices,
    ),
)
