"""Newton's matrix of generalized-alpha along the tree with a border, and a free joint that spins.

It is compared with the whole one: a wrong entry would only make Newton slower, which no result
shows.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import supple as sp
from models.coupled_chains import Tree, coupled_chain
from supple.core.alpha import newton as alpha_newton
from supple.core.alpha.stage import AT, MASS, RQ, RU, U_ROWS
from supple.core.base.layout import views
from supple.core.equations import tree_parts as parts


def test_turning_axes_of_free_joints():
    equations = sp.JointCoordinates().equations(coupled_chain(8))
    c, tree = equations.compiled, Tree(equations)
    rng = np.random.default_rng(1)
    q, u, a, z = c.q0, rng.normal(size=c.nu), rng.normal(size=c.nu), c.z0
    found = equations.tangents(0.0, q, u, a, z)
    rows = np.zeros((U_ROWS, c.nu))
    rows[AT] = a
    r = SimpleNamespace(u=u, qt=q, ut=u, zt=z, z=z, lam=np.zeros(0))
    tangent = np.zeros((3, c.nu, c.nu))
    tangent[RQ], tangent[RU], tangent[MASS] = found.Rq, found.Ru, found.M
    o = SimpleNamespace(u=rows, tangent=tangent, Gu=found.Gu, Gq=found.Gq)
    m, w = views(*tree.buffers[:3])
    alpha_newton.tangent_rows(m, w, r, o, False)
    p = parts.cut_parts(tree.ints, tree.run, 0, tree.count, 0, 1)[0]
    alpha_newton.differentiate_tree(m, w, r, o, p, 0.0)
    h, be, ge, te = 0.05, 0.3, 0.6, 0.5
    assert alpha_newton.factorize_tree(m, p, h, be, ge, te)
    N = np.block(
        [
            [found.M + h * ge * tangent[RU] + h * h * be * tangent[RQ], h * te * found.Rz],
            [-h * h * be * found.Gq - h * ge * found.Gu, np.eye(c.nz) - h * te * found.Gz],
        ]
    )
    b = rng.normal(size=c.nu + c.nz)
    y = b.copy()
    alpha_newton.solve_tree(m, p, y)
    assert np.abs(N @ y - b).max() <= 1e-13 * (np.abs(N) @ np.abs(y)).max()
