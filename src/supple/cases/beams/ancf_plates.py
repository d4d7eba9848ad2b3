"""Plates of absolute nodal coordinates: exact plates, an elastica, an annulus, a pendulum.

``ancf-plate``: square plates of 6 x 6 and 12 x 12 elements, Poisson's ratio 0.3. Deflections
w D / (q a^4) in the middle under a uniform load, by the series of Navier (simple supports) and of
Taylor (clamped; S. P. Timoshenko and S. Woinowsky-Krieger, Theory of Plates and Shells, 1959);
frequencies omega a^2 sqrt(rho h / D) on simple supports, pi^2 (m^2 + n^2). The elements are of
second order: compared is what both meshes lead to, (4 w_12 - w_6) / 3, and the tolerance is a tenth
of their difference. And a cantilever strip under a force F across it, F L^2 / E I = 4, one of the
problems of K. Y. Sze, X. H. Liu and S. H. Lo, Popular benchmark problems for geometric nonlinear
analysis of shells, Finite Elements in Analysis and Design 40 (2004) 1551-1569, against the elastica
(their 3.286 and 6.698 of a length 10): its tolerance is again the second order of the element,
6.6e-4 lengths with 8 elements where F L^2 / E I = 1, times the load.

``ancf-annulus``: a slit annulus that is lifted at one side of its slit and clamped at the other,
from the same paper: 13.891 at the inner and 17.528 at the outer radius under 0.8 per length. It is
a plate over polar coordinates. With 2 x 12 elements the deflections err by 4.6 and 3.6 %; of 3 x 20
the tolerance is (2/3)^2 of that.

``ancf-plate-pendulum``: a soft square plate hung at a corner falls from the horizontal, twice: with
elements of plates and with those of shells, whose bending is computed otherwise. The reference is
the second. Between nodes that turn by f = 0.46 rad their normals are shorter by f^2 / 8 = 2.6 %,
which is 2.4e-3 m of a deflection of 0.09 m. Steps of 1 ms lose 1e-4 of the energy.
"""

from __future__ import annotations

from itertools import pairwise
from typing import cast

import numpy as np

from supple.bodies.nodal.ancf_plate import ANCFPlate
from supple.cases.case import Case, ModelCase, Quantity, at_times
from supple.fem.base.material import Material
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.forces import Force
from supple.foundation.arrays import Array, Indices
from supple.integrators.methods.alpha import GeneralizedAlpha
from supple.integrators.methods.base import Integrator
from supple.joints import Fixed, Spherical
from supple.model import Model
from supple.results.result import Result

THICKNESS = 0.001  # m, of plates with side 1 m
ALUMINIUM = Material(E=70e9, G=70e9 / 2.6, density=2700.0)
RIGIDITY = 70e9 * THICKNESS**3 / 12 / (1 - 0.3**2)  # N m
CELLS = (6, 12)
DEFLECTIONS = {"simple": 0.00406235, "clamped": 0.00126532}
FREQUENCIES = tuple(np.pi**2 * k for k in (2.0, 5.0, 5.0))
STRIP = 8  # elements
TIP = (0.67105876, 0.66996418)  # of the elastica, lengths
ANNULUS, ELEMENTS, STEPS = (13.891, 17.528), (3, 20), 8
OFF = (0.046, 0.036)  # with two thirds of the elements
RUBBER = Material(E=1e7, G=1e7 / 2.6, density=1000.0)
TIMES = (0.1, 0.2, 0.3)


def squares() -> Model:
    """Return square plates by their number of elements, and a clamped strip under a force."""
    m = Model(gravity=(0, 0, 0), name="plates")
    for n in CELLS:
        m.add(ANCFPlate(f"square {n}", (1.0, 1.0), THICKNESS, ALUMINIUM, (n, n)))
    material = Material(E=1.2e6, G=6e5, density=1.0)
    strip = m.add(ANCFPlate("strip", (10.0, 1.0), 0.1, material, (STRIP, 1)))
    for k, y in enumerate((0.0, 1.0)):
        m.add(Fixed(f"clamp {k}", m.ground.at(0, y), strip.at(0, y)))
        m.add(Force(f"force {k}", strip.at(10.0, y), (0, 0, 2.0)))
    return m


def inspect(model: Model) -> list[Quantity]:
    """Compare deflections, frequencies and the tip of the strip."""
    from supple.analyses.equilibrium.statics import statics

    found = []

    def add(name: str, values: list[float], exact: float) -> None:
        coarse, fine = values
        limit = (4.0 * fine - coarse) / 3.0
        found.append(Quantity(name, limit, exact, 0.1 * abs(fine - coarse)))

    bodies = [cast("ANCFPlate", model.bodies[f"square {n}"]) for n in CELLS]
    for support, exact in DEFLECTIONS.items():
        add(f"{support}, uniform load", [_centre(body, support) for body in bodies], exact)
    squares_ = [_frequencies(body) for body in bodies]
    for k, exact in enumerate(FREQUENCIES):
        add(f"simple, frequency {k + 1}", [float(s[k]) for s in squares_], exact)
    strip = model.copy()
    for n in CELLS:
        strip.remove(f"square {n}")
    tip = statics(strip)["strip"].at(10.0, 0.0).position[0] / 10.0
    tolerance = 4.0 * 6.6e-4 * (8.0 / STRIP) ** 2
    found.append(Quantity("strip, x of its tip", float(tip[0]), TIP[0], tolerance))
    found.append(Quantity("strip, z of its tip", float(tip[2]), TIP[1], tolerance))
    return found


def _free(body: ANCFPlate, support: str) -> Indices:
    """Coordinates of deflection and slopes that a support leaves."""
    n, m = body.elements
    places = np.arange(body.mesh.size).reshape(n + 1, m + 1, 3, 3)
    free = np.zeros(places.shape, dtype=bool)
    free[..., 2] = True
    free[[0, -1], :, 0, 2] = free[:, [0, -1], 0, 2] = False
    free[[0, -1], :, 2, 2] = free[:, [0, -1], 1, 2] = False
    if support == "clamped":
        free[[0, -1], :, 1, 2] = free[:, [0, -1], 2, 2] = False
    return np.asarray(places[free])


def _centre(body: ANCFPlate, support: str) -> float:
    """Deflection of the middle under a uniform load."""
    mesh, kept = body.mesh, _free(body, support)
    load = np.zeros(mesh.rest.shape)
    load[..., 2] = mesh.weight / (ALUMINIUM.density * THICKNESS)
    moved = np.zeros(mesh.size)
    moved[kept] = _solved(mesh, mesh.rest, kept, load.ravel())
    middle = body.node(body.at(0.5, 0.5))
    return float(moved.reshape(mesh.rest.shape)[middle, 0, 2] * RIGIDITY)


def _frequencies(body: ANCFPlate) -> Array:
    """Lowest frequencies on simple supports."""
    from scipy.sparse.linalg import eigsh

    mesh, kept = body.mesh, _free(body, "simple")
    K = mesh.tangents(mesh.rest)[0].tocsc()[kept][:, kept]
    M = mesh.mass_matrix.tocsc()[kept // 3][:, kept // 3]
    start = np.ones(len(kept))
    values = eigsh(K, len(FREQUENCIES), M, sigma=0.0, v0=start, return_eigenvectors=False)
    unit = ALUMINIUM.density * THICKNESS / RIGIDITY
    return np.sqrt(np.sort(values) * unit)


def _solved(mesh: ANCFMesh, e: Array, kept: Indices, load: Array) -> Array:
    """Displacements of some coordinates by a load on all of them."""
    from scipy.sparse.linalg import splu

    K = mesh.tangents(e)[0].tocsc()[kept][:, kept]
    return np.asarray(splu(K.tocsc()).solve(load[kept]))


def annulus() -> Model:
    """Return the annulus in its plane, from the side that is lifted to the one that is clamped."""
    m = Model(name="annulus")
    material = Material(E=21e6, G=10.5e6, density=1.0)

    def shape(r: float, angle: float) -> tuple[float, float, float]:
        return (6.0 + r) * np.cos(angle), (6.0 + r) * np.sin(angle), 0.0

    m.add(ANCFPlate("annulus", (4.0, 2.0 * np.pi), 0.03, material, ELEMENTS, shape))
    return m


def lifted(model: Model) -> list[Quantity]:
    """Lift one side of the slit in steps, and compare its ends."""
    body = cast("ANCFPlate", model.bodies["annulus"])
    mesh, places = body.mesh, body.coordinates
    held = np.zeros(mesh.rest.shape, dtype=bool)
    held[np.isclose(places[:, 1], 2.0 * np.pi)] = True
    kept = np.flatnonzero(~held.ravel())
    side, length = np.flatnonzero(places[:, 1] == 0.0), 4.0 / ELEMENTS[0]
    load = np.zeros(mesh.rest.shape)
    for a, b in pairwise(side):  # cubics along the side
        load[[a, b], 0, 2] += 0.4 * length
        load[[a, b], 1, 2] += np.array([1.0, -1.0]) * 0.8 * length**2 / 12.0
    e = mesh.rest.copy()
    for step in range(1, STEPS + 1):
        for _ in range(60):
            left = (step / STEPS * load - mesh.forces(e)).ravel()
            moved = _solved(mesh, e, kept, left)
            longest = float(np.abs(moved).max())
            e.ravel()[kept] += min(1.0, 1.0 / longest) * moved
            if longest < 1e-7:
                break
    names = ("inner radius", "outer radius")
    return [
        Quantity(f"{name}, deflection", float(e[node, 0, 2]), exact, off * (2.0 / 3.0) ** 2 * exact)
        for name, node, exact, off in zip(names, (side[0], side[-1]), ANNULUS, OFF, strict=True)
    ]


def pendulum() -> Model:
    """Return a soft plate that hangs at a corner, by both kinds of elements."""
    m = Model(gravity=(0, 0, -9.81), name="plate pendulum")
    for name, shape in (("plate", None), ("shell", lambda x, y: (x, y, 0.0))):
        body = m.add(ANCFPlate(name, (1.0, 1.0), 0.02, RUBBER, (2, 2), shape))
        m.add(Spherical(f"{name} corner", m.ground.at(0), body.at(0, 0)))
    return m


def _alpha() -> Integrator:
    """Steps over the waves in the plate, which no quantity shows."""
    return GeneralizedAlpha(step=1e-3)


def measure(result: Result) -> list[Quantity]:
    """Compare the free corners of both, and the energy with what it was."""
    one, two = (result[name].at(1.0, 1.0).position for name in ("plate", "shell"))
    found = [
        quantity
        for k, axis in enumerate("xyz")
        for quantity in at_times(f"corner {axis}", one[:, k], two[:, k], 2.4e-3, TIMES)
    ]
    error = float(np.abs(result.energy.error).max() / result.energy.reference)
    found.append(Quantity("energy error", error, 0.0, 2e-4))
    return found


CASES = (
    ModelCase(
        name="ancf-plate",
        title="plates of nodal coordinates: deflections, frequencies, an elastica",
        source="Navier, Taylor (Timoshenko and Woinowsky-Krieger 1959); Sze, Liu and Lo 2004",
        build=squares,
        inspect=inspect,
    ),
    ModelCase(
        name="ancf-annulus",
        title="a slit annulus is lifted at one side of its slit",
        source="Sze, Liu and Lo 2004",
        build=annulus,
        inspect=lifted,
        long=True,
    ),
    Case(
        name="ancf-plate-pendulum",
        title="a soft plate falls, hung at a corner: two kinds of elements",
        source="the same plate with normals as nodal vectors",
        times=TIMES,
        build=pendulum,
        measure=measure,
        integrator=_alpha,
    ),
)
