"""Newton's matrix by blocks against whole matrices: every entry, and solutions of systems.

A wrong or missing entry would only make Newton slower, which no result shows.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import supple as sp
from supple.core.base import layout as at
from supple.core.linalg import multifrontal
from supple.core.linalg import multifrontal as blocks
from supple.core.radau import blocks as radau_blocks
from supple.core.radau.buffers import E1, F4, MASS, P1, RQ, Y1
from supple.core.radau.stages import TI
from supple.engine.sparsity import block_plan
from supple.formulations.equations import Equations

BUSHING = -1
JOINTS = (sp.Revolute, sp.Spherical, sp.Universal)


def model_of(places: np.ndarray, ties: list[tuple[int, int, int]]) -> sp.Model:
    """Bodies at some places, tied to each other (-1: the ground) half-way by joints or bushings."""
    model = sp.Model(gravity=(0, 0, -9.81))
    bodies = [
        model.add(sp.RigidBody(f"body{i}", 1.0, (0.1, 0.05, 0), (0.02, 0.03, 0.04), position=p))
        for i, p in enumerate(places)
    ]
    held = {b for _, b, kind in ties if kind != BUSHING}
    for i, body in enumerate(bodies):
        if i not in held:
            model.add(sp.Free(f"free{i}", model.ground, body, at=places[i]))
    for k, (a, b, kind) in enumerate(ties):
        ends = [model.ground if i < 0 else bodies[i] for i in (a, b)]
        here = places[b] if a < 0 else 0.5 * (places[a] + places[b])
        if kind == BUSHING:
            frames = [end.at_world(*here) for end in ends]
            model.add(sp.Bushing(f"tie{k}", *frames, stiffness=30.0, damping=2.0))
        else:
            model.add(JOINTS[kind](f"tie{k}", *ends, at=here))
    return model


def tree(seed: int) -> sp.Model:
    """Bodies on random earlier ones or on the ground, some by bushings; a controller."""
    rng = np.random.default_rng(seed)
    ties = [(int(rng.integers(-1, i)) if i else -1, i, int(rng.integers(-1, 3))) for i in range(6)]
    model = model_of(rng.normal(size=(6, 3)), [(-1, 0, 0), *ties[1:], (0, 5, BUSHING)])
    model.add(sp.PID("controller", "tie0", kp=3.0, ki=20.0, kd=0.3))
    return model


def net(rows: int, columns: int, kind: int) -> sp.Model:
    """Bodies on a grid, each tied to its neighbours, the first one to the ground."""
    rng = np.random.default_rng(0)
    places = np.array([(i, j, 0.3 * rng.normal()) for i in range(rows) for j in range(columns)])
    number = np.arange(rows * columns).reshape(rows, columns)
    pairs = [*zip(number[:-1].flat, number[1:].flat, strict=True)]
    pairs += [*zip(number[:, :-1].flat, number[:, 1:].flat, strict=True)]
    return model_of(places, [(-1, 0, 1), *((int(a), int(b), kind) for a, b in pairs)])


def closed() -> sp.Model:
    """A chain that is held at both ends, and a body that hangs on it."""
    ties = [(-1, 0, 0), (0, 1, 1), (1, 2, 1), (2, 3, 2), (-1, 3, 1), (0, 4, 1)]
    return model_of(np.random.default_rng(0).normal(size=(5, 3)), ties)


def edged() -> sp.Model:
    """A chain whose bodies do not slip along an axis: rows that hold rates alone beside others."""
    model = net(4, 1, 1)
    for k, axis in enumerate("xyz"):
        model.add(sp.Blade(f"edge{k}", model.ground.at(0), model[f"body{k + 1}"].at(0.1), axis))
    model.add(sp.Blade("between", model["body0"].at(0), model["body3"].at(0.1), "y"))
    return model


MODELS = {
    "edges": edged,
    "chain": lambda: net(5, 1, 0),
    "closed": closed,
    "tree": lambda: tree(1),
    "other tree": lambda: tree(4),
    "net of balls": lambda: net(3, 2, 1),
    "net of bushings": lambda: net(4, 3, BUSHING),
}


def system(eq: Equations, parts: int, seed: int = 0) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Newton's matrix (n, n), complex of two parts, and what ``block_factors`` needs for it."""
    c, rng = eq.compiled, np.random.default_rng(seed)
    nz, nr = c.nz, c.nr
    rate, lam = rng.normal(size=(2, c.nu)), rng.normal(size=nr)
    tangents = eq.tangents(0.0, eq.q0, rate[0], rate[1], eq.z0, lam)
    G = eq.constraints(0.0, eq.q0, eq.u0).G.copy()
    H = (G != 0.0) * rng.normal(size=G.shape)
    numbers = rng.uniform(0.5, 1.5, size=(parts, blocks.COEFFICIENTS))
    numbers[:, blocks.C_PUSH], numbers[:, blocks.C_OWN] = 1.0, 0.0
    numbers[:, blocks.C_REPLACED] = 0.0
    M, Ru, Rq, Rz, Gq, Gu, Gz = (getattr(tangents, n) for n in "M Ru Rq Rz Gq Gu Gz".split())
    B = at.read_model(c.ints, c.reals).unit[:, None] ** 2 * G.T
    whole = 0.0
    for k, unit in zip(numbers, (1.0, 1.0j), strict=False):
        m, u, q, one, g, h, _, rz, gq, gu, z, gz, _, _, alone, bent = k
        A, none = m * M + u * Ru, np.zeros((nr, nr))
        held = np.where(c.rate_rows[:, None], alone * G + bent * H, one * G)
        between = np.where(c.rate_rows[:, None], -g * G @ B, 0.0)
        whole = whole + unit * np.block(
            [
                [A + q * Rq, rz * Rz, one * G.T, -A @ B],
                [gq * Gq + gu * Gu, z * np.eye(nz) + gz * Gz, np.zeros((nz, nr)), -gu * Gu @ B],
                [held, np.zeros((nr, nz)), none, between],
                [g * G + h * H, np.zeros((nr, nz)), none, -g * G @ B],
            ]
        )
    # of rows that hold rates alone there is no mu
    gone = c.nu + nz + nr + np.flatnonzero(c.rate_rows)
    whole[gone], whole[:, gone], whole[gone, gone] = 0.0, 0.0, 1.0
    return np.asarray(whole), (np.stack([M, Rq, Ru]), G, H, Rz, Gq, Gu, Gz, numbers)


@pytest.mark.parametrize("parts", [1, 2], ids=["real", "complex"])
@pytest.mark.parametrize("name", MODELS)
def test_solutions(monkeypatch, name, parts):
    """No pivot block is singular, and what is left of the equations is rounding.

    Growth of entries, by at most some hundred, is all that exchanging rows within blocks costs.
    """
    monkeypatch.setattr(block_plan, "WORTH", 0.0)
    monkeypatch.setattr(block_plan, "SMALLEST", 1)
    eq = sp.Absolute().equations(MODELS[name]())
    c = eq.compiled
    whole, data = system(eq, parts)
    n = len(whole)
    stack, length = blocks.lengths(c.ints)
    factors, pivots = np.zeros((parts, length)), np.zeros(n, dtype=np.int64)
    m = at.placed_as(at.read_model(c.ints, c.reals), data[1])  # matrices are whole here
    assert blocks.block_factors(m, *data, np.zeros((parts, stack)), factors, pivots) == -1
    assert not np.any(data[-1][:, blocks.C_REPLACED])
    side = np.random.default_rng(1).normal(size=(parts, n))
    found = side.copy()
    last = n - c.nr + np.flatnonzero(c.rate_rows)
    found[:, last] = found[:, last - c.nr]  # lam and mu have one place
    multifrontal.block_solve(m, factors, pivots, found, np.zeros((2 * parts, n)))
    assert np.array_equal(found[:, last], found[:, last - c.nr])
    found[:, last] = side[:, last] = 0.0
    x, y = (v[0] + (1j * v[1] if parts == 2 else 0.0) for v in (found, side))
    size = np.linalg.norm(whole) * np.linalg.norm(x) + np.linalg.norm(y)
    assert np.linalg.norm(whole @ x - y) < 1e-13 * size


def test_held_rows(monkeypatch):
    """Radau's Rq + G^T W G and f2 + G^T W f4 have the same W, but none of drivers.

    A run hardly shows it: multipliers take up what is wrong, and that goes with f4.
    """
    monkeypatch.setattr(block_plan, "WORTH", 0.0)
    monkeypatch.setattr(block_plan, "SMALLEST", 1)
    model, h, rng = closed(), 0.1, np.random.default_rng(2)
    name = next(j.name for j in model.joints.values() if isinstance(j, sp.Revolute))
    model.add(sp.Driver("drive", name, sp.Polynomial((0.0, 1.0))))
    eq = sp.Absolute().equations(model)
    c, (_, data) = eq.compiled, system(eq, 1)
    tangent, G = data[:2]
    m = at.placed_as(at.read_model(c.ints, c.reals), G)
    o = SimpleNamespace(tangent=tangent.copy(), G=G, held=np.zeros(1))
    o.coefficients, o.c = np.zeros((3, blocks.COEFFICIENTS)), rng.normal(size=(9, c.nr))
    o.y = np.zeros((7, c.nu + c.nz + 2 * c.nr))
    radau_blocks.weigh_rows(m, eq.fields, o, h)
    radau_blocks.held_sides(m, o, h)
    assert np.array_equal(o.tangent, tangent) and not o.y.any()  # no pivot was replaced
    o.coefficients[E1, blocks.C_REPLACED] = 1.0
    radau_blocks.weigh_rows(m, eq.fields, o, h)
    W = o.y[P1, : c.nr].copy()
    driven = ["drive" in row.name for row in c.rows]
    assert sum(driven) == 1 and np.array_equal(W == 0.0, driven)
    close = {"rtol": 1e-12, "atol": 1e-12 * W.max()}
    np.testing.assert_allclose(o.tangent[RQ] - tangent[RQ], G.T * W @ G, **close)
    assert np.array_equal(o.tangent[MASS], tangent[MASS])
    radau_blocks.held_sides(m, o, h)
    stages = TI @ o.c[F4 : F4 + 3] * np.array([[1.0], [1.0], [-1.0]])
    np.testing.assert_allclose(o.y[Y1 : Y1 + 3, : c.nu], -(h**2) * stages * W @ G, **close)
