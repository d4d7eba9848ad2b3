"""Newton's matrix of the generalized-alpha method against differences of its equations.

A wrong entry would only make Newton slower, which no result shows.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import supple as sp
from supple.core.alpha import alpha
from supple.core.alpha import newton as alpha_newton
from supple.core.alpha import stage as alpha_stage
from supple.core.alpha.stage import AT, GAP, LAM, RATE, E, F, G, P
from supple.core.equations import dynamics
from supple.core.forces import constraint_rows as links


def spinning_loop() -> sp.Model:
    """Two bodies on ball joints and a rod of constant length between them; a motor has a state."""
    model = sp.Model(gravity=(0, -9.81, 0))
    link1 = model.add(sp.RigidBody("link1", 2.0, (0.25, 0, 0), (0.02, 0.04, 0.05)))
    link2 = model.add(sp.RigidBody("link2", 1.0, (0.2, 0.1, 0), (0.01, 0.014, 0.02)))
    model.add(
        sp.Spherical("ball", model.ground.at(0), link1.at(0), (0.3, 0.2, 0.1), (2.0, 1.0, -3.0))
    )
    model.add(sp.Revolute("elbow", link1.at(0.5), link2.at(0), (1, 0.3, 2), -1.0, 2.5))
    model.add(sp.Distance("rod", model.ground.at(0.8, 0, 0.1), link2.at(0.4), 0.5))
    model.add(sp.PID("motor", "elbow", kp=200, ki=50, kd=20))
    return model


class Spy:
    """Takes Newton's matrix of the loop, and compares it with differences."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.found: list[float] = []
        lu, rows, factorize = (
            alpha_newton.linalg.lu,
            alpha_newton.tangent_rows,
            alpha_newton.factorize,
        )

        def see_lu(N, pivots):
            self.N = N.copy()
            return lu(N, pivots)

        def see_rows(m, w, r, o, both):
            rows(m, w, r, o, both)
            self.w = w

        def see_factorize(m, r, o, parts, n, h, be, ge, te):
            good = factorize(m, r, o, parts, n, h, be, ge, te)
            self.compare(m, r, o, n, h, be, ge, te)
            return good

        monkeypatch.setattr(alpha_newton.linalg, "lu", see_lu)
        monkeypatch.setattr(alpha_newton, "tangent_rows", see_rows)
        monkeypatch.setattr(alpha_newton, "factorize", see_factorize)

    def equations(self, m, r, o, n, h, be, ge, te, d: np.ndarray) -> np.ndarray:
        """The equations of the step's end at the unknowns moved by d, as Newton scales them."""
        nu, nz, nr, w = len(r.u), len(r.z), len(r.lam), self.w
        kept = [x.copy() for x in (o.u[E], o.u[P], o.z[G])]
        p, v = h * h * be, h * ge
        dE, part = d[:nu].copy(), np.zeros(nu)
        alpha_newton.along(m, d, o.rows[0], p, nu + nz, part)
        for x, y in ((o.u[E], dE), (o.u[P], part)):
            alpha_stage.turn(m, o.u[alpha_stage.XI], 1.0, y)
            x += y
        o.z[G] += d[nu : nu + nz]
        alpha_stage.end_state(m, r, o, h, be, ge, te)
        w.lam[:] = o.row[LAM] + d[nu + nz : nu + nz + nr]
        residual = np.zeros(nu)
        dynamics.evaluate(m, w, 0.0, r.qt, r.ut, o.u[AT], r.zt, residual)
        links.violations(m, w, o.row[GAP])
        links.rates(m, w, 0.0, r.ut, o.row[RATE])
        y = np.zeros(n)
        y[:nu], y[nu : nu + nz] = residual, o.z[G] - w.zdot
        alpha_newton.sides(y, o.row[GAP], o.row[RATE], p, v, nu + nz)
        y[nu + nz :] *= -1.0
        for x, old in zip((o.u[E], o.u[P], o.z[G]), kept, strict=True):
            x[:] = old
        return y

    def compare(self, m, r, o, n, h, be, ge, te) -> None:
        nu, nz, nr = len(r.u), len(r.z), len(r.lam)
        N, step = self.N.copy(), 1e-3 / h
        arguments = m, r, o, n, h, be, ge, te
        D = np.zeros((n, n))
        for k in range(n):
            d = np.zeros(n)
            d[k] = step if k < nu or k >= nu + nz + nr else 1e-3
            D[:, k] = self.equations(*arguments, d) - self.equations(*arguments, -d)
            D[:, k] /= 2.0 * d[k]
        self.equations(*arguments, np.zeros(n))  # as it was
        w = self.w
        dynamics.evaluate(m, w, 0.0, r.qt, r.ut, o.u[AT], r.zt, o.u[F])
        cut = np.cumsum([0, nu, nz, nr, nr])
        blocks = [slice(a, b) for a, b in pairwise(cut) if b <= n]
        rows, M = o.rows[0], o.tangent[2]
        for i, a in enumerate(blocks):
            for j, b in enumerate(blocks):
                limit = np.zeros((a.stop - a.start, b.stop - b.start))  # the block without a step
                if (i, j) == (0, 0):
                    limit = M
                elif (i, j) == (1, 1):
                    limit = np.eye(nz)
                elif (i, j) == (0, 2):
                    limit = rows.T
                elif i >= 2 and j == 0:
                    limit = rows
                elif (i, j) == (3, 3):
                    limit = (rows * m.unit**2) @ rows.T
                size = np.abs(N[a, b] - limit).max(initial=0.0)
                if size <= 1e-12 * np.abs(limit).max(initial=0.0):  # it has no other part
                    size = 100.0 * h * np.abs(limit).max()
                gap = np.abs(N[a, b] - D[a, b]).max(initial=0.0)
                self.found.append(gap / max(size, 1e-9 * np.abs(N).max()))


@pytest.mark.parametrize("held", ["ggl", "index3"])
@pytest.mark.parametrize("formulation", [sp.JointCoordinates(), sp.Absolute()])
def test_entries_are_derivatives(monkeypatch, formulation, held) -> None:
    """What each block has of the step, to the bending of charts: h times 5 rad/s."""
    spy = Spy(monkeypatch)
    monkeypatch.setattr(alpha, "SLOW", -1.0)  # a new tangent in every step
    integrator = sp.GeneralizedAlpha(step=1e-3, rho=0.5, constraints=held)
    result = sp.simulate(
        spinning_loop(), 3e-3, formulation=formulation, integrator=integrator, output=1
    )
    assert result.success and result.statistics["steps"] == 3
    assert len(spy.found) == 3 * 16 if held == "ggl" else 16 + 2 * 9
    assert max(spy.found) < 0.05, spy.found
