"""Geometric stiffening by membranes: the strain of a bent axis, its forces, its energy.

Definitions are compared with integrals along the axis, forces with derivatives of energies. What
runs and statics do is in test_membrane_runs.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

import supple as sp
from models.membrane_beams import LAWS, SOFT, STRIP, beam
from models.random_models import examples, flexible_recipes
from oracles.residual_laws import close, equations
from supple.formulations.equations import Equations

Array = NDArray[np.float64]

WEDGE = sp.TaperedSection(sp.Rectangle(0.02, 0.05), sp.Rectangle(0.03, 0.04))
BEAMS = {
    "clamped": {"elements": 2},
    "rolled, mean axis": {"elements": 2, "roll": 0.4, "reference": "mean_axis"},
    "with shear": {"elements": 2, "theory": "timoshenko", "section": sp.Rectangle(0.2, 0.3)},
    "wedge": {"elements": 1, "section": WEDGE},
    "modes": {"elements": 3, "modes": 12, "reference": "chord"},
    "sines": {"modes": sp.reduction.SineShapes(2, axial=2, twist=1), "reference": "chord"},
    "polynomials": {"modes": sp.reduction.PolynomialShapes(2, axial=1)},
}




def bent(body: sp.Beam, seed: int = 0, slope: float = 0.2) -> Array:
    """Random elastic coordinates of about equal energy whose largest rotation is `slope`."""
    modal = body.modal()
    rng = np.random.default_rng(seed)
    q = np.linalg.solve(np.linalg.cholesky(modal.K).T, rng.normal(size=modal.n))
    x = np.linspace(0.0, body.length, 21)
    turns = [body.attachment(body.at(s)).Psi @ q for s in x]
    return q * slope / np.abs(turns).max()


# ------------------------------------------------------------------------------------ definitions


def axis_strains(body: sp.Beam, q: Array, points: int) -> tuple[Array, Array, Array, Array]:
    """Weights E A dx, u', half the square of the slopes, and the element of points on the axis.

    The derivatives are differences of the displacements, whose error is the cube of the step.
    """
    cells = body.elements if not hasattr(body.modes, "fields") else 1
    places, weights = np.polynomial.legendre.leggauss(points)
    step, rows = 1e-4 * body.length, []
    for cell in range(cells):
        for place, weight in zip(places, weights, strict=True):
            s = (cell + 0.5 + 0.5 * place) / cells
            x = [s * body.length + k * step for k in (-2, -1, 1, 2)]
            moved = [body.attachment(body.at(y)).Phi @ q for y in x]
            u, v, w = (moved[0] - moved[3] + 8.0 * (moved[2] - moved[1])) / (12.0 * step)
            stiffness = SOFT.E * body.section.at(s).area if hasattr(body.section, "at") else 0.0
            dx = 0.5 * weight * body.length / cells
            rows.append((stiffness * dx, u, 0.5 * (v * v + w * w), cell))
    return tuple(np.array(column) for column in zip(*rows, strict=True))  # type: ignore[return-value]


@pytest.mark.parametrize("law", LAWS[1:], ids=str)
@pytest.mark.parametrize("fields", BEAMS.values(), ids=BEAMS.keys())
def test_energy_is_the_integral_along_the_axis(fields, law):
    """Gauss points of more than the necessary order; differences of fourth order err by 1e-12."""
    body = beam(stiffening=law, **fields)
    q = bent(body)
    points = {"SineShapes": 20, "PolynomialShapes": 6}.get(type(body.modes).__name__, 9)
    k, linear, quadratic, cell = axis_strains(body, q, points)
    if law == sp.reduction.VonKarman():
        total = np.bincount(cell, k)
        linear, quadratic = (np.bincount(cell, k * x) / total for x in (linear, quadratic))
        k = total
    parts = 0.5 * k * quadratic**2
    if isinstance(law, sp.reduction.VonKarman):
        parts = parts + k * linear * quadratic
    found = body.modal().membranes.energy(q)
    assert found == pytest.approx(parts.sum(), rel=1e-8, abs=1e-8 * np.abs(parts).sum())


def test_a_bent_axis_holds_its_length():
    """A displacement that shortens as it must has a small strain where elements are small.

    v = a sin(pi s) with u' = -v'^2/2: at the nodes exactly, so that the average strain is that of
    the shapes between them, of the order of (1/elements)^2 or less.
    """
    energies = []
    for elements in (4, 8):
        body = beam(elements=elements, stiffening="von_karman")
        q = np.zeros(body.modal().n)
        for name, k in zip(body.modal().coordinate_names, range(len(q)), strict=True):
            kind, node = name.split("_")
            s = int(node) / elements
            a, wave = 0.1, np.pi / body.length
            if kind == "v":  # clamped at s = 0
                q[k] = a * (1.0 - np.cos(np.pi * s))
            elif kind == "tz":
                q[k] = a * wave * np.sin(np.pi * s)
            elif kind == "u":
                q[k] = (
                    -0.25 * (a * wave) ** 2 * body.length * (s - np.sin(2 * np.pi * s) / 2 / np.pi)
                )
        modal = body.modal()
        stretch = modal.membranes
        e = stretch.axial @ q + 0.5 * np.sum((stretch.slopes @ q) ** 2, axis=1)
        energies.append(0.5 * stretch.stiffness @ e**2)
        alone = 0.5 * stretch.stiffness @ (stretch.axial @ q) ** 2
        assert energies[-1] < 1e-4 * alone
    assert energies[0] > 100.0 * energies[1]


@pytest.mark.parametrize("law", LAWS[1::2], ids=str)
@pytest.mark.parametrize("section", [STRIP, WEDGE], ids=["strip", "wedge"])
def test_a_frame_of_one_member_is_a_beam(law, section):
    """Also one that lies askew in the axes of its body: energies of the same deformation agree."""
    straight = beam(elements=2, section=section, stiffening=law)
    along = np.array([2.0, -1.0, 2.0]) / 3.0
    y = np.cross([0.0, 0.0, 1.0], along)
    axes = np.stack([along, y / np.linalg.norm(y), np.cross(along, y / np.linalg.norm(y))], axis=1)
    for turn in (np.eye(3), axes):
        member = sp.Member("a", "b", section, SOFT, elements=2, y=turn[:, 1])
        places = {"a": (0, 0, 0), "b": 1.3 * turn[:, 0]}
        frame = sp.FrameStructure("frame", places, [member], stiffening=law)
        q = bent(straight)
        nodal = (q.reshape(2, 2, 3) @ turn.T)[::-1].ravel()  # the named node comes first
        there, here = frame.modal().membranes, straight.modal().membranes
        assert there.energy(nodal) == pytest.approx(here.energy(q), rel=1e-12)
        assert 0.5 * nodal @ frame.modal().K @ nodal == pytest.approx(
            0.5 * q @ straight.modal().K @ q, rel=1e-12
        )


# ------------------------------------------------------------------------------- forces, tangents


def force(membranes, q: Array) -> Array:
    """Generalized force (n,) that membranes add to K q, from their definition."""
    linear = membranes.axial @ q
    h = np.einsum("mpa,mpb,b->ma", membranes.slopes, membranes.slopes, q)
    if membranes.law == "axial":
        return np.asarray((membranes.stiffness * linear) @ h)
    half = 0.5 * np.sum((membranes.slopes @ q) ** 2, axis=-1)
    bending = np.asarray((membranes.stiffness * (linear + half)) @ h)
    if membranes.law == "axial_quadratic":
        return bending
    return bending + (membranes.stiffness * half) @ membranes.axial


def stiffened(recipe) -> tuple[sp.Model, Equations, sp.Model]:
    """A random tree with stiffening of all its beams, and without."""
    plain, model = recipe.model(), recipe.model()
    names = [b.name for b in plain.bodies.values() if isinstance(b, sp.Beam)]
    for k, name in enumerate(names):
        model.replace(name, stiffening=LAWS[(recipe.seed + k) % len(LAWS)])
    return model, equations(model), plain


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@examples(15)
@given(flexible_recipes(max_bodies=3, second_order=False))
def test_forces_of_random_trees(recipe):
    """The residual changes by the membranes' forces only; they have an energy, or a power."""
    _, eq, plain = stiffened(recipe)
    without = equations(plain)
    s = recipe.state(without)
    added = eq.residual(s.t, s.q, s.u, s.a, s.z) - without.residual(s.t, s.q, s.u, s.a, s.z)
    expected, energy, power = np.zeros(eq.nu), 0.0, 0.0
    for record in eq.compiled.flexible.values():
        found = record.modal.membranes
        if found is None:
            continue
        q, u = s.q[record.q], s.u[record.u]
        expected[record.u] = force(found, q)
        energy += float(found.energy(q))
        potential = np.array([found.energy(q + 1e-30j * e).imag / 1e-30 for e in np.eye(len(q))])
        power -= float((expected[record.u] - potential) @ u)
        if found.law == "von_karman":
            close(potential, expected[record.u], 1e-12)
    scale = np.abs(without.residual(s.t, s.q, s.u, s.a, s.z)).max() + np.abs(expected).max()
    close(added, expected, 1e-12, scale)
    both = (e.history(np.array([s.t]), s.q[None], s.u[None], s.z[None])[1] for e in (eq, without))
    now, before = both
    close(now.strain[0] - before.strain[0], energy, 1e-12, before.strain[0] + abs(energy))
    close(now.energy[0, 2] - before.energy[0, 2], energy, 1e-12, now.energy[0, 2] + abs(energy))
    close(now.energy[0, 0], before.energy[0, 0], 1e-14)
    channels = [k for k, n in enumerate(eq.compiled.force_names) if n.endswith(".stiffening")]
    found_power = eq.power(s.t, s.q, s.u, s.z)[channels].sum()
    close(found_power, power, 1e-9, np.abs(expected) @ np.abs(s.u) + 1e-12)


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@examples(15)
@given(flexible_recipes(max_bodies=3, second_order=False))
def test_tangents_of_random_trees(recipe):
    """What membranes add is the derivative of their force, by complex steps of its definition."""
    _, eq, plain = stiffened(recipe)
    without = equations(plain)
    s = recipe.state(without)
    now, before = (e.tangent(s.t, s.q, s.u, s.a, s.z) for e in (eq, without))
    expected = np.zeros((eq.nu, eq.nu))
    for record in eq.compiled.flexible.values():
        found = record.modal.membranes
        if found is not None:
            steps = [force(found, s.q[record.q] + 1e-30j * e) for e in np.eye(record.modal.n)]
            expected[record.u, record.u] = np.array(steps).imag.T / 1e-30
    close(now[0] - before[0], expected, 1e-12, np.abs(before[0]).max())
    assert np.array_equal(now[1], before[1]) and np.array_equal(now[2], before[2])
