"""Energy, forces and tangents of elements over nodal vectors, in plain NumPy.

All functions take a table and the nodal vectors e (n, K, d) of n elements of that kind in d
dimensions, and work on all of them at once. With the stresses ``sigma = D eps + D' eps_rate``

    g_a = sum_i sigma_i d eps_i / d r_a          f_k = sum_a S_ak g_a + sum_l C_kl e_l
    H_ab = sum_i sigma_i d2 eps_i / d r_a d r_b + (d eps / d r_a)^T D (d eps / d r_b)
    K_kl = sum_ab S_ak H_ab S_bl + C_kl

With viscosity H has in addition ``(d eps / d r_a)^T D' (d eps_rate / d r_b)``; the tangent by rates
is that of D' alone. Vectors may be complex: derivatives by a complex step are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from supple.fem.nodal.ancf_table import ElementTable
from supple.foundation.arrays import Numbers


def strains(table: ElementTable, e: Numbers) -> Numbers:
    """Strains (n, N) of all points."""
    found = [_strains(_bilinear(point, _vectors(point, e)), point) for point in _points(table)]
    return np.concatenate([np.zeros((len(e), 0)), *found], axis=1)


def strain_slopes(table: ElementTable, e: Numbers) -> Numbers:
    """Derivatives (n, N, K, d) of the strains by the nodal vectors."""
    found = [
        np.einsum("niad,ak->nikd", _slopes(point, _vectors(point, e)), point.S)
        for point in _points(table)
    ]
    return np.concatenate([np.zeros((len(e), 0, *e.shape[1:])), *found], axis=1)


def energy(table: ElementTable, e: Numbers) -> Numbers:
    """Strain energy (n,), J."""
    total: Numbers = 0.5 * np.einsum("nkd,kl,nld->n", e, table.stiffness, e)
    for point in _points(table):
        eps = _strains(_bilinear(point, _vectors(point, e)), point)
        total = total + 0.5 * np.einsum("ni,ij,nj->n", eps, point.D, eps)
    return total


def forces(table: ElementTable, e: Numbers, rates: Numbers | None = None) -> Numbers:
    """Forces (n, K, d) that hold the elements; ``rates`` (n, K, d) of vectors for viscosity."""
    total: Numbers = np.einsum("kl,nld->nkd", table.stiffness, e)
    for point in _points(table):
        r = _vectors(point, e)
        slopes = _slopes(point, r)
        stress = _strains(_bilinear(point, r), point) @ point.D
        if rates is not None and table.damped:
            stress = stress + np.einsum("niad,nad->ni", slopes, _vectors(point, rates)) @ point.V
        total = total + np.einsum("ni,niad,ak->nkd", stress, slopes, point.S, optimize=True)
    return total


def tangents(
    table: ElementTable, e: Numbers, rates: Numbers | None = None
) -> tuple[Numbers, Numbers]:
    """Derivatives (n, K, d, K, d) of the forces by the vectors and by their rates."""
    d = e.shape[2]
    eye = np.eye(d)
    first = np.einsum("kl,xy->kxly", table.stiffness, eye)
    by_vectors = np.repeat(first[None], len(e), axis=0).astype(np.result_type(e, float))
    by_rates = np.zeros_like(by_vectors)
    for point in _points(table):
        r = _vectors(point, e)
        slopes = _slopes(point, r)
        stress = _strains(_bilinear(point, r), point) @ point.D
        nodal = np.einsum("niad,ak->nikd", slopes, point.S)
        by_vectors += np.einsum("nikx,ij,njly->nkxly", nodal, point.D, nodal, optimize=True)
        if table.damped:
            by_rates += np.einsum("nikx,ij,njly->nkxly", nodal, point.V, nodal, optimize=True)
            if rates is not None:
                v = _vectors(point, rates)
                stress = stress + np.einsum("niad,nad->ni", slopes, v) @ point.V
                turned = np.einsum("niad,ak->nikd", _slopes(point, v), point.S)
                by_vectors += np.einsum(
                    "nikx,ij,njly->nkxly", nodal, point.V, turned, optimize=True
                )
        curved = np.einsum("ni,iab,ak,bl->nkl", stress, point.Q, point.S, point.S, optimize=True)
        by_vectors += np.einsum("nkl,xy->nkxly", curved, eye)
    return by_vectors, by_rates


def square_stiffness(table: ElementTable, step: Numbers) -> Numbers:
    """Geometric stiffness (n, K, K) of the strains that a step (n, K, d) adds by its square.

    It is the same for each component of the vectors.
    """
    forms, D = _forms(table)
    strain = 0.5 * np.einsum("ikl,nkd,nld->ni", forms, step, step, optimize=True)
    total: Numbers = np.einsum("ni,ikl->nkl", strain @ D, forms)
    return total


@lru_cache(maxsize=64)
def _forms(table: ElementTable) -> tuple[Numbers, Numbers]:
    """Second derivatives (N, K, K) of all strains by the nodal vectors, and D (N, N) of them."""
    K, D, first = table.vectors, np.zeros((len(table.rest), len(table.rest))), 0
    forms = [np.zeros((0, K, K))]
    for point in _points(table):
        forms.append(np.einsum("iab,ak,bl->ikl", point.Q, point.S, point.S, optimize=True))
        own = slice(first, first + len(point.rest))
        D[own, own], first = point.D, own.stop
    return np.concatenate(forms), D


class _Point:
    """One point of a table: S (a, K), Q (i, a, b) second derivatives of its strains, D, V, rest."""

    def __init__(self, table: ElementTable, number: int) -> None:
        row, rows, term, terms, strain, size, entry = table.points[number].tolist()
        self.S = table.rows[row : row + rows]
        self.Q = np.zeros((size, rows, rows))
        here = slice(term, term + terms)
        for (i, a, b), c in zip(table.terms[here].tolist(), table.factors[here], strict=True):
            self.Q[i, a, b] += c
            self.Q[i, b, a] += c
        block = slice(entry, entry + size * size)
        self.D = table.elasticity[block].reshape(size, size)
        self.V = table.viscosity[block].reshape(size, size)
        self.rest = table.rest[strain : strain + size]


def _points(table: ElementTable) -> Iterator[_Point]:
    return (_Point(table, p) for p in range(len(table.points)))


def _vectors(point: _Point, e: Numbers) -> Numbers:
    """Vectors r_a (n, a, d)."""
    found: Numbers = point.S @ e
    return found


def _slopes(point: _Point, r: Numbers) -> Numbers:
    """Derivatives (n, i, a, d) of the strains by the vectors r_a."""
    found: Numbers = np.einsum("iab,nbd->niad", point.Q, r)
    return found


def _bilinear(point: _Point, r: Numbers) -> Numbers:
    found: Numbers = 0.5 * np.einsum("iab,nad,nbd->ni", point.Q, r, r, optimize=True)
    return found


def _strains(values: Numbers, point: _Point) -> Numbers:
    found: Numbers = values - point.rest
    return found
