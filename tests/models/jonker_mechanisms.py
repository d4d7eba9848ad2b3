"""Jonker's examples over absolute nodes: the slider-crank and the rotating shaft.

B. Jonker, A finite element dynamic analysis of spatial mechanisms with flexible links, 1989,
sections 5.1 and 5.2, with the element of ``jonker_oracle.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracles.jonker_oracle import FORMS, Array, Chain, Element


@dataclass(frozen=True)
class Rod:
    """Jonker's steel rod, 0.3 m long and 6 mm thick: what an element of an n-th of it is."""

    length: float = 0.3
    diameter: float = 0.006
    density: float = 7870.0
    E: float = 200e9

    @property
    def area(self) -> float:
        """m2."""
        return np.pi * self.diameter**2 / 4

    @property
    def mass(self) -> float:
        """kg."""
        return self.density * self.area * self.length

    def elements(self, n: int, nonlinear: bool, inertia: str, triad: Array) -> list[Element]:
        """The rod as n equal elements."""
        EI = self.E * np.pi * self.diameter**4 / 64
        stiffness = (self.E * self.area, EI, EI, EI)
        one = (self.length / n, self.density * self.area, stiffness, nonlinear, triad, inertia)
        return [Element(*one) for _ in range(n)]


ROD = Rod()


class SliderCrank(Chain):
    """Section 5.1: the crank's end A moves on a circle, B slides along x with half the rod's mass.

    The crank's axis is z turned by ``tilt`` (rad) about y. A universal joint at A keeps the rod's y
    axis there at right angles to the crank's axis.
    """

    crank, speed = 0.15, 150.0

    def __init__(self, n: int, tilt: float, nonlinear: bool, inertia: str = "full") -> None:
        self.tilt = tilt
        a, _, _ = self.crank_pin(0.0)
        b = a[0] + np.sqrt(ROD.length**2 - a[1] ** 2 - a[2] ** 2)
        along = (np.array([b, 0, 0]) - a) / ROD.length
        # the rod starts in the plane xz
        triad = np.array([along, [0, 1, 0], np.cross(along, [0, 1, 0])]).T
        super().__init__(ROD.elements(n, nonlinear, inertia, triad))
        self.extra[3 * n : 3 * n + 3] = 0.5 * ROD.mass
        self.y0 = np.zeros(self.size)
        for k in range(n + 1):
            self.y0[self.place(k)] = a + along * ROD.length * k / n
            self.y0[self.parameters(k)][0] = 1.0

    @property
    def axis(self) -> Array:
        """The crank's axis (3,)."""
        return np.array([np.sin(self.tilt), 0.0, np.cos(self.tilt)])

    def crank_pin(self, t: float) -> tuple[Array, Array, Array]:
        """Place, velocity and acceleration (3,) of A."""
        phi, w = self.speed * t, self.speed
        c, s = np.cos(phi), np.sin(phi)
        x = self.crank * np.array([np.cos(self.tilt), 0.0, -np.sin(self.tilt)])
        y = self.crank * np.array([0.0, 1.0, 0.0])
        return c * x + s * y, w * (c * y - s * x), -w * w * (c * x + s * y)

    def rows(self, t: float, y: Array, v: Array) -> tuple[Array, Array, Array]:
        """A is on its circle, B on its line, the rod does not spin."""
        n, own = self.n, self.parameters(0)
        a, _, push = self.crank_pin(t)
        form = np.einsum("i,ijab,j->ab", self.axis, FORMS, self.elements[0].triad[:, 1])
        G = np.zeros((6, self.size))
        G[:3, :3] = np.eye(3)
        G[3, 3 * n + 1] = G[4, 3 * n + 2] = 1.0
        G[5, own] = 2.0 * form @ y[own]
        g = np.array([*(y[:3] - a), *y[3 * n + 1 : 3 * n + 3], y[own] @ form @ y[own]])
        return g, G, np.array([*-push, 0.0, 0.0, 2.0 * v[own] @ form @ v[own]])

    def row_rates(self, t: float, y: Array) -> Array:
        """Only A moves by itself."""
        return np.concatenate([-self.crank_pin(t)[1], np.zeros(3)])

    def start(self) -> tuple[Array, Array]:
        """Crank angle zero, the rod straight and moving as a rigid one."""
        _, va, _ = self.crank_pin(0.0)
        v = np.zeros(self.size)
        # A moves along y and B stands: the rod turns about an axis through B
        along = self.y0[self.place(self.n)] - self.y0[:3]
        across = np.cross(along, -va) / ROD.length**2  # angular velocity but for the spin
        axis, y_axis = self.axis, self.elements[0].triad[:, 1]
        unit = along / ROD.length
        # (w x y_axis) . axis = 0 keeps the universal joint
        spin = -np.cross(across, y_axis) @ axis / (np.cross(unit, y_axis) @ axis)
        w = across + spin * unit
        for k in range(self.n + 1):
            v[self.place(k)] = va * (1.0 - k / self.n)
            v[self.parameters(k)] = 0.5 * np.array([0.0, *w])  # lam = (1, 0, 0, 0)
        return self.closed(0.0, self.y0, v)

    def vectors(self, y: Array) -> Array:
        """Deflections (nt, 3) of the middle from the line AB, world axes, in rod lengths."""
        n = self.n
        a, b, p = y[:, :3], y[:, 3 * n : 3 * n + 3], y[:, 3 * (n // 2) : 3 * (n // 2) + 3]
        along = (b - a) / np.linalg.norm(b - a, axis=1)[:, None]
        v = p - a
        return (v - np.sum(v * along, axis=1)[:, None] * along) / ROD.length

    def deflections(self, y: Array) -> Array:
        """The same as signed lengths vxy, vxz (nt, 2) of projections on the planes xy and xz."""
        v = self.vectors(y)
        sign = np.where(np.abs(v) > 1e-9, np.sign(v), 0.0)
        return np.stack([sign[:, k] * np.hypot(v[:, 0], v[:, k]) for k in (1, 2)], axis=1)


class Shaft(Chain):
    """Section 5.2: the rod between two bearings, turned at its first end, with internal damping.

    The bending deformations of all elements are independent coordinates. ``speed`` is constant.
    """

    def __init__(self, n: int, speed: float, nonlinear: bool = True, inertia: str = "full") -> None:
        super().__init__(ROD.elements(n, nonlinear, inertia, np.eye(3)), damping=1.27e6 / ROD.E)
        self.speed = speed
        self.y0 = np.zeros(self.size)
        for k in range(n + 1):
            self.y0[3 * k] = ROD.length * k / n
            self.y0[self.parameters(k)][0] = 1.0

    def rows(self, t: float, y: Array, v: Array) -> tuple[Array, Array, Array]:
        """Bearings, and z of the first node at right angles to a y axis that turns about x."""
        n, own, w = self.n, self.parameters(0), self.speed
        c, s = np.cos(w * t), np.sin(w * t)
        turned, rate = np.array([0.0, c, s]), w * np.array([0.0, -s, c])
        form, slope, push = (
            np.einsum("i,iab->ab", x, FORMS[:, 2]) for x in (turned, rate, -w * w * turned)
        )
        G = np.zeros((6, self.size))
        G[:3, :3] = np.eye(3)
        G[3, 3 * n + 1] = G[4, 3 * n + 2] = 1.0
        lam, dlam = y[own], v[own]
        G[5, own] = 2.0 * form @ lam
        g = np.array([*y[:3], *y[3 * n + 1 : 3 * n + 3], lam @ form @ lam])
        last = 2.0 * dlam @ form @ dlam + 4.0 * lam @ slope @ dlam + lam @ push @ lam
        return g, G, np.array([0.0] * 5 + [last])

    def row_rates(self, t: float, y: Array) -> Array:
        """The axis turns."""
        w, own = self.speed, self.parameters(0)
        rate = w * np.array([0.0, -np.sin(w * t), np.cos(w * t)])
        form = np.einsum("i,iab->ab", rate, FORMS[:, 2])
        return np.array([0.0] * 5 + [float(y[own] @ form @ y[own])])

    def bending(self, y: Array, v: Array) -> tuple[Array, Array, Array]:
        """Bending deformations (4 n,), their Jacobian, and second rates at zero accelerations."""
        e, De, e2 = [], [], []
        for k, d in enumerate(self.shapes(y, v)):
            full = np.zeros((4, self.size))
            full[:, self.places(k)] = d.De[2:]
            e.append(d.e[2:])
            De.append(full)
            e2.append(d.e2[2:])
        return np.concatenate(e), np.vstack(De), np.concatenate(e2)

    def state(self, e: Array, de: Array) -> tuple[Array, Array]:
        """Coordinates and velocities at t = 0 of given deformations (4 n,) and their rates."""
        y, still = self.y0, np.zeros(self.size)
        for _ in range(30):
            g, G, _ = self._all_rows(0.0, y, still, self.shapes(y, still))
            x, De, _ = self.bending(y, still)
            step = np.linalg.solve(np.vstack([G, De]), -np.concatenate([g, x - e]))
            y = y + step
            if np.abs(step).max() < 1e-15:
                break
        _, G, _ = self._all_rows(0.0, y, still, self.shapes(y, still))
        _, De, _ = self.bending(y, still)
        moving = np.zeros(len(G))
        moving[:6] = -self.row_rates(0.0, y)
        return y, np.linalg.solve(np.vstack([G, De]), np.concatenate([moving, de]))

    def slope(self, x: Array) -> Array:
        """Rate of (deformations, their rates) (8 n,): the shaft seen from turning axes."""
        e, de = np.split(x, 2)
        y, v = self.state(e, de)
        _, De, e2 = self.bending(y, v)
        return np.concatenate([de, De @ self.accelerations(0.0, y, v) + e2])

    def eigenvalues(self, step: float = 2e-5) -> NDArray[np.complex128]:
        """Eigenvalues (8 n,) of small motion about the straight shaft, 1/s.

        By central differences, whose error in step^2 is extrapolated away.
        """
        size = 8 * self.n
        unit = np.repeat([1.0, 800.0], size // 2)

        def matrix(h: float) -> Array:
            moves = h * ROD.length * np.diag(unit)
            columns = [(self.slope(x) - self.slope(-x)) / (2.0 * x.max()) for x in moves]
            return np.array(columns).T

        found = (4.0 * matrix(step) - matrix(2.0 * step)) / 3.0
        return np.linalg.eigvals(found)
