"""Newton's steps with friction that has states, against the whole systems of equations.

A wrong entry would only make Newton slower, which no result shows.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import supple as sp
from models.touching_chains import state_of, touching_chain
from supple.core.alpha import newton as alpha_newton
from supple.core.alpha import stage as alpha_stage
from supple.core.base import layout as at
from supple.core.equations import dynamics, tree_parts
from supple.core.radau import buffers as rb
from supple.core.radau import newton
from supple.core.radau.stages import AI
from supple.engine.sparsity import block_plan
from supple.formulations.equations import Equations
from supple.integrators.run.newton_places import radau_sizes

WAYS = ["joint", "driven", "rows", "blocks", "tree"]


def equations_of(monkeypatch: pytest.MonkeyPatch, way: str) -> Equations:
    """Equations whose Newton's matrix is eliminated in a given way."""
    monkeypatch.setattr(block_plan, "WORTH", 0.0 if way == "blocks" else np.inf)
    monkeypatch.setattr(block_plan, "SMALLEST", 1)
    linear = {"joint": "dense", "driven": None, "tree": "tree"}
    made = sp.JointCoordinates(linear[way]) if way in linear else sp.Absolute()
    eq = made.equations(touching_chain(3, driven=way == "driven"))
    assert bool(eq.compiled.ints[at.H_PLANNED]) == (way == "blocks")
    assert bool(eq.compiled.ints[at.H_BLOCK]) == (way == "tree")
    return eq


def radau_step(eq: Equations, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Changes of stages by one update, and by the whole system: places, velocities, states."""
    rng, c = np.random.default_rng(1), eq.compiled
    nu, nz, nr = c.nu, c.nz, c.nr
    m, w = at.views(c.ints, c.reals, at.new_work(c.ints))
    reals, integers = rb.OWN_RECORD.lengths(radau_sizes(c))
    o, _, _ = rb.own_views(m, np.zeros(reals), 0, np.zeros(integers, np.int64), 0)
    sizes = c.sizes | {"factors": rb.FACTORS}
    reals, integers = tree_parts.PARTS_RECORD.lengths(sizes)
    p = tree_parts.PARTS_RECORD.read(sizes, np.zeros(reals), np.zeros(integers, np.int64))
    rb.fill_units(m, o)
    q, u, z = state_of(eq, 2)
    scratch = {k: np.zeros(nu) for k in ("xt", "ut")} | {"qt": np.zeros(c.nq)}
    r = SimpleNamespace(q=q, u=u, z=z, a=rng.normal(size=nu), lam=rng.normal(size=nr), **scratch)
    assert newton.middle_tangent(m, w, r, o, p, 0.0, h)
    assert newton.factorize(m, r, o, p, h)
    o.u[rb.WX : rb.WU + 1], o.z[rb.WZ] = 1.0, 1.0
    for rows, size in (
        (o.u[rb.F1 :], 1e-3),
        (o.u[rb.F2 :], 1.0),
        (o.z[rb.F3 :], 1e-3),
        (o.c[rb.F4 :], 1e-5),
        (o.c[rb.F5 :], 1e-3),
    ):
        rows[:3] = size * rng.normal(size=rows[:3].shape)
    free, kept = o.free[: o.f.shape[1]], o.kept[: o.d.shape[1]]
    kept = kept if nr else np.zeros(0, int)
    found = eq.tangents(0.5 * h, r.qt.copy(), r.ut.copy(), r.a, z, r.lam)
    rows = eq.constraints(0.5 * h, r.qt, r.ut)
    G, H = rows.G[np.ix_(kept, free)], rows.H[np.ix_(kept, free)]
    own = np.ix_(free, free)
    near, far = np.eye(3), AI / h
    B, nk = c.scale[free, None] ** 2 * G.T, len(kept)
    n = len(free)

    def none(*shape: int) -> np.ndarray:
        return np.zeros((3 * shape[0], 3 * shape[1]))

    kron = np.kron
    whole = np.block(
        [
            [kron(far, np.eye(n)), -np.eye(3 * n), none(n, nz), none(n, nk), -kron(near, B)],
            [
                kron(near, found.Rq[own]),
                kron(far, found.M[own]) + kron(near, found.Ru[own]),
                kron(near, found.Rz[free]),
                kron(near, G.T),
                none(n, nk),
            ],
            [
                -kron(near, found.Gq[:, free]),
                -kron(near, found.Gu[:, free]),
                kron(far, np.eye(nz)) - kron(near, found.Gz),
                none(nz, nk),
                none(nz, nk),
            ],
            [kron(near, G), none(nk, n), none(nk, nz), none(nk, nk), none(nk, nk)],
            [kron(near, H), kron(near, G), none(nk, nz), none(nk, nk), none(nk, nk)],
        ]
    )  # fmt: skip
    sides = [o.u[rb.F1 : rb.F1 + 3, free], o.u[rb.F2 : rb.F2 + 3, free], o.z[rb.F3 : rb.F3 + 3]]
    sides += [o.c[rb.F4 : rb.F4 + 3, kept], o.c[rb.F5 : rb.F5 + 3, kept]]
    x = np.linalg.solve(whole, -np.concatenate([np.ravel(s) for s in sides]))
    expected = x[: 3 * (2 * n + nz)]
    newton.newton_update(m, r, o, p, h)
    made = o.u[rb.X : rb.X + 3, free], o.u[rb.U : rb.U + 3, free], o.z[rb.Z : rb.Z + 3]
    return np.concatenate([np.ravel(x) for x in made]), expected


@pytest.mark.parametrize("way", WAYS)
def test_a_step_of_radau_is_that_of_the_whole_system(monkeypatch, way, h=1e-3):
    eq = equations_of(monkeypatch, way)
    nu, nz = eq.nu, eq.nz
    found, expected = radau_step(eq, h)
    n = (len(found) // 3 - nz) // 2
    for begin, end in ((0, 3 * n), (3 * n, 6 * n), (6 * n, 6 * n + 3 * nz)):
        size = np.abs(expected[begin:end]).max()
        assert np.abs(found[begin:end] - expected[begin:end]).max() < 1e-9 * size
    assert n == nu - (way == "driven")


class SeenError(Exception):
    """Newton's first update was watched."""


@pytest.mark.parametrize("way", ["joint", "rows"])
def test_a_step_of_the_generalized_alpha_method_leaves_squares(monkeypatch, way):
    """An update with a fresh matrix leaves the square of the correction."""
    made, left = equations_of(monkeypatch, way).compiled, []
    update = alpha_newton.newton_update

    def watched(m, w, r, o, parts, n, t, h, be, ge, te):
        for _ in range(2):
            alpha_stage.end_state(m, r, o, h, be, ge, te)
            dynamics.residual_at(m, w, t, r.qt, r.ut, o.u[alpha_stage.AT], r.zt, o.u[alpha_stage.F])
            rates = w.zdot - o.z[alpha_stage.G]
            left.append(max(np.abs(o.u[alpha_stage.F]).max(), 1e3 * np.abs(rates).max()))
            if len(left) == 2:
                raise SeenError
            update(m, w, r, o, parts, n, t, h, be, ge, te)

    monkeypatch.setattr(alpha_newton, "newton_update", watched)
    formulation = sp.Absolute() if made.nr else sp.JointCoordinates("dense")
    method = sp.GeneralizedAlpha(first_step=1e-5, max_step=1e-5)
    with pytest.raises(SeenError):
        sp.simulate(touching_chain(3), 2e-5, integrator=method, formulation=formulation)
    assert left[1] < 1e-4 * left[0]
