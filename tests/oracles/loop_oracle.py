"""Deflection of slender rods whose ends are moved: closed loops with linear deformation, no frames.

A rod on two pins bends in sines about the chord between its ends. If its length along the chord is
constant (no extension, no foreshortening) and the crank is driven, the chord moves as that of the
rigid mechanism, whatever the deflection. A point at x of the chord is then at

    r = A(t) + x d(t) + sum_i sin(i pi x / L) y_i(t),        d . y_i = 0

with the end A, the unit vector d along the chord, and amplitudes y_i (3,) in world axes. The
principle of d'Alembert for variations of y_i across d, and the second derivative of the condition,
give with the frequencies w_i of the rod on pins

    y_i'' = -w_i^2 y_i - (1 - d d^T) 2/L int sin(i pi x / L) (A'' + x d'') dx
            - d (2 d' . y_i' + d'' . y_i)

There is no moving frame in it, so no gyroscopic term can be forgotten, and nothing of Supple.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]


class Chord(NamedTuple):
    """End A (3,) and direction d (3,) of a rod, each with its first and second time derivative."""

    A: tuple[Array, Array, Array]
    d: tuple[Array, Array, Array]


def deflection(
    chord: Callable[[float], Chord], length: float, frequencies: Array, times: Array
) -> tuple[Array, Array]:
    """Amplitudes and their rates (times, n, 3) of a rod that is straight and at ease at first.

    ``frequencies`` (n,) rad/s belong to the sines; ``times`` (s) begin at zero.
    """
    n = len(frequencies)
    i = np.arange(1, n + 1)
    # 2/L times the integrals of sin(i pi x/L) and of x sin(i pi x/L)
    plain = 2.0 * (1.0 - (-1.0) ** i) / (i * np.pi)
    linear = 2.0 * length * (-1.0) ** (i + 1) / (i * np.pi)

    def rates(t: float, state: Array) -> Array:
        y, dy = state.reshape(2, n, 3)
        (_, _, A2), (d, d1, d2) = chord(t)
        push = frequencies[:, None] ** 2 * y + np.outer(plain, A2) + np.outer(linear, d2)
        across = push - np.outer(push @ d, d)
        along = np.outer(2.0 * dy @ d1 + y @ d2, d)
        return np.concatenate([dy.ravel(), (-across - along).ravel()])

    found = solve_ivp(
        rates, (0.0, times[-1]), np.zeros(6 * n), "DOP853", times, rtol=1e-9, atol=1e-12
    )
    y, dy = found.y.T.reshape(len(times), 2, n, 3).transpose(1, 0, 2, 3)
    return y, dy


def middle(y: Array) -> Array:
    """Deflection (times, 3) at the middle of the rod."""
    return np.einsum("i,tic->tc", np.sin(np.arange(1, y.shape[1] + 1) * np.pi / 2), y)


def slider_crank(crank: float, rod: float, speed: float, tilt: float) -> Callable[[float], Chord]:
    """Rod from the crank pin A to a slider on the x axis; the crank begins at angle zero.

    ``tilt`` (rad) turns the crank's axis, z, about y.
    """
    e1, e2 = np.array([np.cos(tilt), 0.0, -np.sin(tilt)]), np.array([0.0, 1.0, 0.0])

    def chord(t: float) -> Chord:
        c, s = crank * np.cos(speed * t), crank * np.sin(speed * t)
        A, A1 = c * e1 + s * e2, speed * (c * e2 - s * e1)
        A2 = -(speed**2) * A
        # The slider is at x = A_x + p with p^2 = rod^2 - A_y^2 - A_z^2.
        a, a1, a2 = A[1:], A1[1:], A2[1:]
        p = np.sqrt(rod**2 - a @ a)
        p1 = -(a @ a1) / p
        p2 = -(a1 @ a1 + a @ a2 + p1**2) / p
        d, d1, d2 = (np.array([x, *(-y)]) / rod for x, y in ((p, a), (p1, a1), (p2, a2)))
        return Chord((A, A1, A2), (d, d1, d2))

    return chord


def four_bar(
    ground: float, crank: float, coupler: float, follower: float, speed: float
) -> tuple[Callable[[float], Chord], Callable[[float], Chord]]:
    """Coupler from A to B and follower from C = (ground, 0) to B, with B above the ground line."""

    def angles(t: float) -> tuple[float, Array, Array, Array]:
        """Crank angle, then angles of coupler and follower with their two derivatives."""
        f = speed * t
        to_c = ground - crank * np.exp(1j * f)
        distance, toward = abs(to_c), np.angle(to_c)
        cosine = (distance**2 + coupler**2 - follower**2) / (2 * distance * coupler)
        th3 = toward + np.arccos(cosine)
        th4 = np.angle(crank * np.exp(1j * f) + coupler * np.exp(1j * th3) - ground)
        # crank e^if + coupler e^i th3 = ground + follower e^i th4, differentiated twice
        arms = np.array([coupler * np.exp(1j * th3), -follower * np.exp(1j * th4)])
        matrix = np.array([arms.real, arms.imag])
        pin = crank * np.exp(1j * f)
        w = np.linalg.solve(matrix, -speed * np.array([pin.real, pin.imag]))
        # divided by i: arms . w' = -speed' pin - i (arms . w^2 + speed^2 pin)
        rest = -1j * (arms @ w**2 + speed**2 * pin)
        alpha = np.linalg.solve(matrix, [rest.real, rest.imag])
        return f, np.array([th3, th4]), w, alpha

    def direction(th: float, w: float, alpha: float) -> tuple[Array, Array, Array]:
        d, n = np.array([np.cos(th), np.sin(th), 0.0]), np.array([-np.sin(th), np.cos(th), 0.0])
        return d, w * n, alpha * n - w**2 * d

    def first(t: float) -> Chord:
        f, th, w, alpha = angles(t)
        A, A1, A2 = (crank * x for x in direction(f, speed, 0.0))
        return Chord((A, A1, A2), direction(th[0], w[0], alpha[0]))

    def second(t: float) -> Chord:
        _, th, w, alpha = angles(t)
        still = np.zeros(3)
        return Chord((np.array([ground, 0, 0]), still, still), direction(th[1], w[1], alpha[1]))

    return first, second
