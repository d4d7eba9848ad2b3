"""Jonker's spatial beam element as printed, over absolute nodes: a reference for beams of parts.

B. Jonker, A finite element dynamic analysis of spatial mechanisms with flexible links, 1989. A node
has a place x and Euler parameters lam (2.2); an element k between the nodes p and q measures the
deformations (2.4), has the stiffness (2.6), and its axis is the field (4.18). Nothing here is of
Supple: no moving frame, no finite rotation against a chord, no elastic coordinate.

Misprints that are corrected: (2.6) has blocks [4 -2; -2 4] S; (4.15) is
8 diag(L'^T) J diag(L) lam'; (A1e) and (A2b) lack the row -beta_y.

All quantities of an element are polynomials of its 14 coordinates (xp, xq, lam p, lam q), except
the length in (2.4a), so first and second derivatives are written out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]

# Integrals of products of the shapes 1 - s, s, s^3 - 2 s^2 + s, s^2 - s^3 of (4.17) and (4.18)
_SHAPES = [np.polynomial.Polynomial(c) for c in ((1, -1), (0, 1), (0, 1, -2, 1), (0, 0, 1, -1))]
SHAPES = np.array([[(a * b).integ()(1.0) for b in _SHAPES] for a in _SHAPES])
# Columns of R (2.2) are quadratic forms of lam: R_ij = lam . FORMS[i, j] lam
FORMS = np.zeros((3, 3, 4, 4))
for _i in range(3):
    _j, _k = (_i + 1) % 3, (_i + 2) % 3
    FORMS[_i, _i] = np.diag([1.0 if m in (0, _i + 1) else -1.0 for m in range(4)])
    for _a, _b, _s in ((_j, _i, 1.0), (_k, _i, -1.0)):
        FORMS[_a, _b, _i + 1, _a + 1] += 1.0
        FORMS[_a, _b, _a + 1, _i + 1] += 1.0
        _third = 3 - _a - _b
        FORMS[_a, _b, 0, _third + 1] += _s
        FORMS[_a, _b, _third + 1, 0] += _s
# the last two coordinates, by place in (xp, xq, lam p, lam q)
XP, XQ, LP, LQ = slice(0, 3), slice(3, 6), slice(6, 10), slice(10, 14)


def rotation(lam: Array) -> Array:
    """R (3, 3) of Euler parameters (4,)."""
    return np.einsum("a,ijab,b->ij", lam, FORMS, lam)


def euler_parameters(R: Array) -> Array:
    """Euler parameters (4,) of a rotation matrix by less than half a turn."""
    w = 0.5 * np.sqrt(1.0 + np.trace(R))
    return np.array(
        [w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))]
    )


@dataclass(frozen=True)
class Deformed:
    """Deformations of an element and their derivatives.

    Attributes
    ----------
    e : (6,) elongation, twist, four bendings (2.4), m
    De : (6, 14) their derivatives
    e2 : (6,) their second derivatives along the velocity
    axes, Daxes, axes2 : z and y of p, z and y of q: (4, 3), (4, 3, 14), (4, 3)
    """

    e: Array
    De: Array
    e2: Array
    axes: Array
    Daxes: Array
    axes2: Array


@dataclass(frozen=True)
class Element:
    """A beam element of length l0 (m) and mass per length m (kg/m).

    stiffness : E A, torsion stiffness, E I_y, E I_z
    nonlinear : with the quadratic term of (2.4a)
    triad : (3, 3) its axes in the world where all lam are (1, 0, 0, 0); the matrix C^k
    inertia : "full", everything that follows from (4.18); "first", (4.28); "none", (4.29), without
        terms linear in the deformations; "lumped", (4.14)
    """

    l0: float
    m: float
    stiffness: tuple[float, float, float, float]
    nonlinear: bool = True
    triad: Array = field(default_factory=lambda: np.eye(3))
    inertia: str = "full"

    @cached_property
    def S(self) -> Array:
        """Stiffness (6, 6) of (2.6)."""
        EA, St, EIy, EIz = self.stiffness
        S = np.diag([EA / self.l0, St / self.l0**3, 0, 0, 0, 0])
        for k, EI in ((2, EIy), (4, EIz)):
            S[k : k + 2, k : k + 2] = np.array([[4.0, -2.0], [-2.0, 4.0]]) * EI / self.l0**3
        return S

    @cached_property
    def forms(self) -> Array:
        """Quadratic forms of the axes n_x, n_y, n_z (3, 3, 4, 4)."""
        return np.einsum("ijab,jk->kiab", FORMS, self.triad)

    def deformed(self, y: Array, v: Array) -> Deformed:
        """Deformations at coordinates y (14,) with velocities v (14,)."""
        columns = self.forms
        axes, Daxes, axes2, rates = np.zeros((4, 3)), np.zeros((4, 3, 14)), np.zeros((4, 3)), []
        for k, (own, axis) in enumerate(((LP, 2), (LP, 1), (LQ, 2), (LQ, 1))):
            form = columns[axis]
            axes[k] = form @ y[own] @ y[own]
            Daxes[k][:, own] = 2.0 * form @ y[own]
            axes2[k] = 2.0 * form @ v[own] @ v[own]
            rates.append(Daxes[k] @ v)
        zp, yp, zq, yq = axes
        l, dl = y[XQ] - y[XP], v[XQ] - v[XP]
        Dl = np.zeros((3, 14))
        Dl[:, XP], Dl[:, XQ] = -np.eye(3), np.eye(3)
        e, De, e2 = np.zeros(6), np.zeros((6, 14)), np.zeros(6)
        # (2.4c) to (2.4f): -(zp, l), (zq, l), (yp, l), -(yq, l)
        for row, k, sign in ((2, 0, -1.0), (3, 2, 1.0), (4, 1, 1.0), (5, 3, -1.0)):
            e[row] = sign * axes[k] @ l
            De[row] = sign * (l @ Daxes[k] + axes[k] @ Dl)
            e2[row] = sign * (axes2[k] @ l + 2.0 * rates[k] @ dl)
        # (2.4b)
        h = 0.5 * self.l0
        e[1] = h * (zp @ yq - yp @ zq)
        De[1] = h * (yq @ Daxes[0] + zp @ Daxes[3] - zq @ Daxes[1] - yp @ Daxes[2])
        e2[1] = h * (
            axes2[0] @ yq + zp @ axes2[3] + 2.0 * rates[0] @ rates[3]
            - axes2[1] @ zq - yp @ axes2[2] - 2.0 * rates[1] @ rates[2]
        )  # fmt: skip
        # (2.4a)
        length = float(np.linalg.norm(l))
        e[0] = length - self.l0
        De[0] = l @ Dl / length
        e2[0] = (dl @ dl - (l @ dl) ** 2 / length**2) / length
        if self.nonlinear:
            Q = np.zeros((6, 6))
            Q[2:4, 2:4] = Q[4:, 4:] = np.array([[2.0, 0.5], [0.5, 2.0]]) / (30.0 * self.l0)
            de = De @ v
            e[0] += e @ Q @ e
            De[0] += 2.0 * e @ Q @ De
            e2[0] += 2.0 * (e @ Q @ e2 + de @ Q @ de)
        return Deformed(e, De, e2, axes, Daxes, axes2)

    def inertia_forces(self, y: Array, v: Array, d: Deformed) -> tuple[Array, Array]:
        """Mass matrix (14, 14) and inertia forces (14,) at zero accelerations of y."""
        if self.inertia == "lumped":
            return self._lumped(y, v)
        # the field is c0 (1 - s) + c1 s + c2 alpha + c3 beta with
        # c2 = e3 zp - e5 yp, c3 = e4 zq - e6 yq: P are the parts of x' and e', L those of lam'
        P, L, p2, l2 = (
            np.zeros((4, 3, 14)),
            np.zeros((4, 3, 14)),
            np.zeros((4, 3)),
            np.zeros((4, 3)),
        )
        P[0][:, XP] = P[1][:, XQ] = np.eye(3)
        for c, terms in ((2, ((2, 0, 1.0), (4, 1, -1.0))), (3, ((3, 2, 1.0), (5, 3, -1.0)))):
            for row, k, sign in terms:
                P[c] += sign * np.outer(d.axes[k], d.De[row])
                L[c] += sign * d.e[row] * d.Daxes[k]
                p2[c] += sign * d.e2[row] * d.axes[k]
                l2[c] += sign * (2.0 * (d.De[row] @ v) * (d.Daxes[k] @ v) + d.e[row] * d.axes2[k])
        size = self.m * self.l0

        def product(A: Array, B: Array) -> Array:
            return size * np.einsum("kl,kia,lib->ab", SHAPES, A, B)

        def force(A: Array, b: Array) -> Array:
            return size * np.einsum("kl,kia,li->a", SHAPES, A, b)

        if self.inertia == "none":  # (4.29)
            return product(P, P), force(P, p2)
        if self.inertia == "first":  # (4.28)
            mixed = product(P, L)
            return product(P, P) + mixed + mixed.T, force(P, p2 + l2) + force(L, p2)
        return product(P + L, P + L), force(P + L, p2 + l2)

    def _lumped(self, y: Array, v: Array) -> tuple[Array, Array]:
        """(4.14), (4.15): at each node half the mass and the inertia of half the element there."""
        M, f = np.zeros((14, 14)), np.zeros(14)
        half = 0.5 * self.m * self.l0
        J = self.triad @ np.diag([0.0, 1.0, 1.0]) @ self.triad.T * half * (0.5 * self.l0) ** 2 / 3.0
        for x, own in ((XP, LP), (XQ, LQ)):
            M[x, x] = half * np.eye(3)
            bar, rate = bar_matrix(y[own]), bar_matrix(v[own])
            M[own, own] = 4.0 * bar.T @ J @ bar
            f[own] = 8.0 * rate.T @ J @ bar @ v[own]
        return M, f


def bar_matrix(lam: Array) -> Array:
    """(4.12): angular velocity in the axes of the body is 2 bar_matrix(lam) lam'."""
    a, b, c, d = lam
    return np.array([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]])


class Chain(ABC):
    """Elements end to end between n + 1 nodes, with constraints, by their multipliers.

    Coordinates are places (n + 1, 3), then Euler parameters (n + 1, 4). Elongation and twist of all
    elements are suppressed. Derived classes add rows: ``rows(t, y, v)`` returns violations, their
    Jacobian and what their second rates are at zero accelerations.
    """

    def __init__(self, elements: list[Element], damping: float = 0.0) -> None:
        self.elements, self.damping = elements, damping
        self.n = len(elements)
        self.size = 7 * (self.n + 1)
        self.extra = np.zeros(self.size)  # point masses

    def places(self, k: int) -> np.ndarray:
        """Where the coordinates of element k are."""
        lam = 3 * (self.n + 1)
        return np.r_[3 * k : 3 * k + 6, lam + 4 * k : lam + 4 * k + 8]

    def place(self, k: int) -> slice:
        """Coordinates of the place of node k."""
        return slice(3 * k, 3 * k + 3)

    def parameters(self, k: int) -> slice:
        """Euler parameters of node k."""
        first = 3 * (self.n + 1) + 4 * k
        return slice(first, first + 4)

    @abstractmethod
    def rows(self, t: float, y: Array, v: Array) -> tuple[Array, Array, Array]:
        """Violations (m,), Jacobian (m, size) and second rates at zero accelerations (m,)."""

    def _all_rows(self, t: float, y: Array, v: Array, shapes: list[Deformed]):
        g, G, g2 = ([np.asarray(x)] for x in self.rows(t, y, v))
        for k, d in enumerate(shapes):
            full = np.zeros((2, self.size))
            full[:, self.places(k)] = d.De[:2]
            g.append(d.e[:2])
            G.append(full)
            g2.append(d.e2[:2])
        for k in range(self.n + 1):  # (2.7)
            own = self.parameters(k)
            row = np.zeros((1, self.size))
            row[0, own] = 2.0 * y[own]
            g.append(np.array([y[own] @ y[own] - 1.0]))
            G.append(row)
            g2.append(np.array([2.0 * v[own] @ v[own]]))
        return np.concatenate(g), np.vstack(G), np.concatenate(g2)

    def shapes(self, y: Array, v: Array) -> list[Deformed]:
        """Deformations of all elements."""
        return [
            e.deformed(y[p], v[p])
            for e, p in ((e, self.places(k)) for k, e in enumerate(self.elements))
        ]

    def accelerations(self, t: float, y: Array, v: Array) -> Array:
        """Accelerations (size,)."""
        shapes = self.shapes(y, v)
        M, f = np.diag(self.extra), np.zeros(self.size)
        for k, (element, d) in enumerate(zip(self.elements, shapes, strict=True)):
            p = self.places(k)
            mass, force = element.inertia_forces(y[p], v[p], d)
            M[np.ix_(p, p)] += mass
            bend = d.e[2:] + self.damping * (d.De[2:] @ v[p])
            f[p] += force + d.De[2:].T @ element.S[2:, 2:] @ bend
        _, G, g2 = self._all_rows(t, y, v, shapes)
        # rows in units of the mass matrix
        unit = float(np.mean(np.diag(M)))
        m = len(G)
        K = np.block([[M / unit, G.T], [G, np.zeros((m, m))]])
        return np.linalg.solve(K, np.concatenate([-f / unit, -g2]))[: self.size]

    def closed(self, t: float, y: Array, v: Array) -> tuple[Array, Array]:
        """The nearest state on the constraints."""
        for _ in range(20):
            g, G, _ = self._all_rows(t, y, 0.0 * y, self.shapes(y, 0.0 * y))
            step = np.linalg.lstsq(G, -g, rcond=1e-12)[0]
            y = y + step
            if np.abs(g).max() < 1e-14:
                break
        _, G, _ = self._all_rows(t, y, 0.0 * y, self.shapes(y, 0.0 * y))
        rate = self.row_rates(t, y)
        full = np.zeros(len(G))
        full[: len(rate)] = rate
        return y, v + np.linalg.lstsq(G, -(G @ v + full), rcond=1e-12)[0]

    @abstractmethod
    def row_rates(self, t: float, y: Array) -> Array:
        """Rates of ``rows`` in time alone (m,)."""

    def run(
        self, y: Array, v: Array, times: Array, rtol: float = 1e-9, every: int = 1
    ) -> tuple[Array, Array]:
        """Histories (nt, size) of coordinates and velocities by Dormand-Prince of order 8.

        At every so many times the state is moved back onto the constraints, but for rounding.
        """
        out = [np.concatenate([y, v])]

        def slope(t: float, s: Array) -> Array:
            try:
                push = self.accelerations(t, *np.split(s, 2))
            except np.linalg.LinAlgError:  # a trial step that is far too long is made shorter
                push = np.full(self.size, np.nan)
            return np.concatenate([s[self.size :], push])

        speed = max(1.0, float(np.abs(v).max()))
        atol = rtol * np.repeat([1e-3, 1e-3 * speed], self.size)
        for k in range(0, len(times) - 1, every):
            part = times[k : k + every + 1]
            start = np.concatenate(self.closed(part[0], *np.split(out[-1], 2)))
            ends = part[0], part[-1]
            found = solve_ivp(slope, ends, start, "DOP853", part[1:], rtol=rtol, atol=atol)
            out.extend(found.y.T)
        states = np.array(out)
        return states[:, : self.size], states[:, self.size :]

    def energy(self, y: Array, v: Array) -> float:
        """Kinetic and strain energy, J, with the mass matrix in use."""
        total = 0.5 * v @ (self.extra * v)
        for k, (element, d) in enumerate(zip(self.elements, self.shapes(y, v), strict=True)):
            p = self.places(k)
            mass, _ = element.inertia_forces(y[p], v[p], d)
            total += 0.5 * v[p] @ mass @ v[p] + 0.5 * d.e[2:] @ element.S[2:, 2:] @ d.e[2:]
        return float(total)
