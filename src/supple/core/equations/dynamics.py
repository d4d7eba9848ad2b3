"""Equations of motion of a tree: residual, accelerations, mass matrix, and the entries of the kernels for them.

The residual is R(t, q, u, a, z) = M(q) a + h(q, u) - applied forces. Its tangents are in ``tangents``, energies and
momenta in ``energies``.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, TREE_WORDS, WORK, WORK_WORDS, tree_at, work_at
from supple.core.bodies import tree
from supple.core.equations import articulated_body as articulated
from supple.core.equations import kkt, tangents
from supple.core.forces import constraint_rows as links
from supple.core.forces import forces
from supple.core.linalg import dense as linalg
from supple.core.linalg.multifrontal import by_blocks
from supple.native.declare import (
    INT,
    INTS,
    MAT,
    REAL,
    REALS,
    VEC,
    entry,
    hold,
    kernel,
    reserve,
    shared,
)


@kernel
def evaluate(m, w, t, q, u, a, z, r):
    """Residual r (nu) with kinematics, wrenches, efforts and powers left in the workspace.

    Constraint rows push with the multipliers w.lam.
    """
    tree.poses(m, w, q)
    tree.motion(m, w, u, a)
    tree.inertias(m, w, q, u, a)
    forces.apply(m, w, t, q, u, z)
    forces.turn_rotors(m, w, a)
    if m.link.shape[0] > 0:
        links.refresh(m, w, t, q)
        links.apply(m, w)
    tree.gather(m, w, r)


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC, VEC)
def residual_at(m, w, t, q, u, a, z, r):
    """``evaluate``, shared by entries and loops."""
    evaluate(m, w, t, q, u, a, z, r)


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC, VEC, MAT, MAT, MAT, MAT, MAT, MAT, MAT)
def tangent_at(m, w, t, q, u, a, z, r, Rq, Ru, M, Rz, Gq, Gu, Gz):
    """``tangents.differentiate``, shared by entries and loops."""
    tangents.differentiate(m, w, t, q, u, a, z, r, Rq, Ru, M, Rz, Gq, Gu, Gz)


@shared(TREE, WORK, REAL, VEC, VEC, VEC, gives=INT)
def solve_motion(m, w, t, u, z, f):
    """Generalized forces f (nu) become accelerations, w.lam the multipliers; needs ``evaluate`` at a = 0, lam = 0.

    Returns -1, or the velocity whose pivot fails, or nu plus a constraint row that depends on others.
    """
    if w.lam.shape[0] == 0 and m.head[at.H_WAY] == at.TREE_WAY:
        return articulated.solve(m, w, f, articulated.NO_WRENCHES)
    if w.lam.shape[0] == 0 and not by_blocks(m):
        tree.composite(m, w, w.mass[0])
        bad = linalg.cholesky(w.mass[0], w.lower)
        if bad < 0:
            linalg.cholesky_solve(w.lower, f)
        else:
            w.failed[0] = w.mass[0, bad, bad]
        return bad
    for k in range(f.shape[0]):
        w.force[k] = 0.0
    links.accelerations(m, w, t, w.force, w.lam)
    for i in range(w.lam.shape[0]):
        w.lam[i] = -w.lam[i]
    links.jacobian(m, w, w.rows, m.line_of)
    bad = kkt.factorize(m, w)
    if bad < 0:
        bad = kkt.solve(m, w, f, w.lam)
    if bad < 0:
        forces.drive(m, w, t)
    elif bad < f.shape[0]:
        w.failed[0] = w.mass[0, m.row_of[bad], bad]
    return bad


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC, gives=INT)
def forward(m, w, t, q, u, z, a):
    """Accelerations a (nu) and multipliers w.lam; returns -1 or what fails, see ``solve_motion``."""
    for k in range(a.shape[0]):
        a[k] = 0.0
    return forward_with(m, w, t, q, u, z, a)


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC, gives=INT)
def forward_with(m, w, t, q, u, z, a):
    """``forward`` with further generalized forces, which a (nu) holds on entry."""
    h, n = w.force, a.shape[0]
    for k in range(n):
        h[k] = 0.0
    for i in range(w.lam.shape[0]):
        w.lam[i] = 0.0
    if m.head[at.H_WAY] == at.TREE_WAY and w.lam.shape[0] == 0:
        exert(m, w, t, q, u, h, z)
        if m.link.shape[0] > 0:
            links.refresh(m, w, t, q)
        return articulated.accelerate(m, w, a)
    residual_at(m, w, t, q, u, h, z, h)  # gather writes r[k] after the last use of a[k]
    for k in range(n):
        a[k] -= h[k]
    return solve_motion(m, w, t, u, z, a)


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC)
def exert(m, w, t, q, u, a, z):
    """Kinematics, inertias, and what force elements do: efforts, wrenches, powers and controllers' rates."""
    tree.poses(m, w, q)
    tree.motion(m, w, u, a)
    tree.inertias(m, w, q, u, a)
    forces.apply(m, w, t, q, u, z)


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC)
def powers_at(m, w, t, q, u, a, z):
    """``exert`` for the kinematics, powers and controllers' rates alone: forces that do no work may be left out."""
    w.quiet[0] = 1.0
    exert(m, w, t, q, u, a, z)
    w.quiet[0] = 0.0


@shared(TREE, WORK, REAL, VEC, VEC, VEC, VEC, gives=REAL)
def satisfy(m, w, t, q, u, d, place):
    """Move q and u onto the constraints; see ``kkt.positions``. Returns the violation that is left."""
    left = kkt.positions(m, w, t, q, u, d, place)
    if math.isfinite(left):
        kkt.velocities(m, w, t, u, d)
    return left


@entry(INTS, REALS, VEC, REAL, VEC, VEC, VEC, VEC, VEC)
def residual(ints, reals, work, t, q, u, a, z, r):
    """r (nu) = M a + h - applied forces."""
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    residual_at(m, w, t, q, u, a, z, r)


@entry(INTS, REALS, VEC, REAL, VEC, VEC, VEC, VEC)
def accelerate(ints, reals, work, t, q, u, z, a):
    """Forward dynamics: a holds extra generalized forces on entry and accelerations on return.

    Returns -1, or the velocity whose pivot fails (no inertia, or a joint that locks), or nu plus a dependent row.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    return forward_with(m, w, t, q, u, z, a)


@entry(INTS, REALS, VEC, VEC, MAT)
def mass_matrix(ints, reals, work, q, M):
    """M (nu, nu), whole or as the model stores it."""
    whole, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    m = hold(at.placed_as(whole, M))
    h = w.force
    for k in range(h.shape[0]):
        h[k] = 0.0
    tree.poses(m, w, q)
    tree.motion(m, w, h, h)
    tree.inertias(m, w, q, h, h)
    tree.composite(m, w, at.as_stored(M)[0])


@entry(INTS, REALS, VEC, REAL, VEC, VEC, VEC, VEC, VEC, MAT, MAT, MAT, MAT, MAT, MAT, MAT)
def tangent(ints, reals, work, t, q, u, a, z, r, Rq, Ru, M, Rz, Gq, Gu, Gz):
    """Residual and tangents; see ``tangents.differentiate``. Rq, Ru and M are whole, or as the model stores them."""
    whole, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    m = hold(at.placed_as(whole, M))
    q1, u1, a1 = at.as_stored(Rq)[0], at.as_stored(Ru)[0], at.as_stored(M)[0]
    tangent_at(m, w, t, q, u, a, z, r, q1, u1, a1, Rz, Gq, Gu, Gz)


@entry(INTS, REALS, VEC, REAL, VEC, VEC, VEC, VEC, VEC, VEC, MAT, MAT)
def constrain(ints, reals, work, t, q, u, a, g, gu, ga, G, H):
    """Constraint rows at a state: violations g, their rates gu and second derivatives ga (rows), Jacobian G (rows, nu)

    and the derivative H (rows, nu) of the rates along q, both whole, or as the model stores them.
    """
    whole, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    m = hold(at.placed_as(whole, G))
    tree.poses(m, w, q)
    tree.motion(m, w, u, a)
    tangents.columns(m, w, u, a)
    links.refresh(m, w, t, q)
    links.violations(m, w, g)
    links.rates(m, w, t, u, gu)
    links.accelerations(m, w, t, a, ga)
    links.jacobian(m, w, at.as_stored(G)[0], m.line_of)
    links.rate_tangent(m, w, at.as_stored(H)[0], m.line_of)


@entry(INTS, REALS, VEC, REALS, MAT, MAT, VEC, VEC)
def project(ints, reals, work, time, q, u, d, place):
    """Move the rows of q (nt, nq) and u (nt, nu) onto the constraints; d (nu), place (nq) are scratch.

    Output is interpolated between steps. Returns the largest violation that is left (rad, or m), infinity if rows
    depend on each other somewhere; the state there stays as it is.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    worst = 0.0
    for i in range(time.shape[0]):
        left = satisfy(m, w, time[i], q[i], u[i], d, place)
        worst = left if not left <= worst else worst
    return worst
