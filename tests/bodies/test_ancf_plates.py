"""Thin plates and solids over nodal vectors: exact plates, elasticas, linear meshes, bodies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import splu

import supple as sp
from models.ancf_meshes import elastica, equilibrium, frequencies
from supple import ANCFPlate, ANCFSolid
from supple.fem.base.damping import KelvinVoigt, Rayleigh
from supple.fem.base.material import Material
from supple.fem.base.solid_kinds import rule, shapes
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.nodal.ancf_plate import plate_mesh
from supple.fem.nodal.ancf_solid import solid_mesh
from supple.fem.solids.geometry import slopes_in_space, strain_rows
from supple.fem.solids.matrices import assemble
from supple.fem.solids.solid import block
from supple.fem.ties.interface import Interface
from supple.foundation.errors import ModelError

STEEL = Material(E=2e11, G=2e11 / 2.6, density=7800)


def bent_plate(n: int, clamped: bool) -> float:
    """Deflection w B / (q a^4) in the middle of a square plate under a load q per area."""
    h = 1e-3
    mesh = plate_mesh((1.0, 1.0), (n, n), h, STEEL)
    K = mesh.tangents(mesh.rest)[0]
    places = np.arange(mesh.size).reshape(n + 1, n + 1, 3, 3)
    free = np.zeros(places.shape, dtype=bool)
    free[..., 2] = True  # w, w_x, w_y
    free[[0, -1], :, 0, 2] = free[:, [0, -1], 0, 2] = False
    free[[0, -1], :, 2, 2] = free[:, [0, -1], 1, 2] = False
    if clamped:
        free[[0, -1], :, 1, 2] = free[:, [0, -1], 2, 2] = False
    kept = places[free]
    load = np.zeros(places.shape)
    load[..., 2] = mesh.weight.reshape(n + 1, n + 1, 3) / (STEEL.density * h)
    moved = np.zeros(mesh.size)
    moved[kept] = np.linalg.solve(K.toarray()[np.ix_(kept, kept)], load.ravel()[kept])
    return moved[places[n // 2, n // 2, 0, 2]] * STEEL.E * h**3 / (12 * (1 - 0.3**2))


@pytest.mark.parametrize(("clamped", "exact"), [(False, 0.00406235), (True, 0.00126532)])
def test_square_plates(clamped, exact):
    """Navier's and Taylor's plates, with the second order of the element."""
    errors = [bent_plate(n, clamped) / exact - 1.0 for n in (4, 8)]
    assert abs(errors[1]) < 0.035
    assert 3.3 < errors[0] / errors[1] < 4.7


def strip(elements: int, h: float) -> ANCFMesh:
    """A strip with the bending stiffness 1 of its width 0.1, without lateral contraction."""
    material = Material(E=120 / h**3, G=60 / h**3, density=1.0)
    return plate_mesh((1.0, 0.1), (elements, 1), h, material)


def test_a_strip_bends_as_an_elastica():
    errors = []
    for elements in (8, 16):
        e = None
        for h in (1e-1, 1e-2):
            mesh = strip(elements, h)
            forces = np.zeros(mesh.rest.shape)
            forces[-2:, 0, 2] = 0.5
            e = equilibrium(mesh, lambda e, f=forces: (f, None), e, held=2)
        tip = e[-2:, 0].mean(axis=0)[[0, 2]]
        errors.append(np.linalg.norm(tip - elastica(1.0)))
    assert errors[0] < 2e-4
    assert errors[1] < errors[0] / 3.0


# ------------------------------------------------------------------------------- curved shells


def linear(plate: ANCFPlate, held: np.ndarray, load: np.ndarray) -> np.ndarray:
    """Displacements (nodes, V, 3) under a load with some components held."""
    mesh = plate.mesh
    kept = np.flatnonzero(~held.ravel())
    K = mesh.tangents(mesh.rest)[0].tocsc()[kept][:, kept]
    moved = np.zeros(mesh.size)
    moved[kept] = splu(K.tocsc()).solve(load.ravel()[kept])
    return moved.reshape(mesh.rest.shape)


def arc(elements: int, stretched: float) -> float:
    """Radial deflection of a quarter of a ring under a radial force, in parts of Castigliano's.

    Its coordinate is the angle, and not even that: steps of the angle grow along it.
    """
    R, h, width, P = 2.0, 0.01, 0.1, 1.0
    material = Material(E=1e9, G=5e8, density=1.0)

    def shape(x: float, y: float) -> tuple[float, float, float]:
        angle = 0.5 * np.pi * x * (1.0 + stretched * (1.0 - x))
        return R * np.cos(angle), y, R * np.sin(angle)

    ring = ANCFPlate("ring", (1.0, width), h, material, (elements, 1), shape)
    held = np.zeros(ring.mesh.rest.shape, dtype=bool)
    held[:2] = True
    load = np.zeros(held.shape)
    load[-2:, 0, 2] = 0.5 * P
    # the stretch of the axis, P R pi / 4 EA, is (h / R)^2 / 12 of that of bending
    moved = linear(ring, held, load)[-2:, 0, 2].mean()
    return moved / (np.pi * P * R**3 / (4.0 * material.E * width * h**3 / 12.0))


@pytest.mark.parametrize("stretched", [0.0, 0.3])
def test_a_quarter_of_a_ring(stretched):
    """Second order: normals between nodes that turn by f are shorter by f^2 / 8."""
    errors = [arc(n, stretched) - 1.0 for n in (4, 8)]
    longest = 0.5 * np.pi / 8 * (1.0 + stretched)
    assert abs(errors[1]) < 0.5 * longest**2
    assert abs(errors[1]) < abs(errors[0]) / 3.0


def test_the_roof_of_scordelis_and_lo():
    """A quarter: 0.3024 ft at the free edge by MacNeal and Harder, 0.3006 by finer meshes."""
    R, angle, n = 25.0, np.radians(40), 6
    material = Material(E=4.32e8, G=2.16e8, density=360.0)

    def shape(x: float, y: float) -> tuple[float, float, float]:
        return R * np.sin(x / R), y, R * np.cos(x / R)

    roof = ANCFPlate("roof", (R * angle, 25.0), 0.25, material, (n, n), shape)
    held = np.zeros((n + 1, n + 1, 4, 3), dtype=bool)
    held[:, -1, :2, ::2] = True  # a diaphragm
    held[0, :, [0, 2, 3], 0] = held[0, :, 1, 1:] = True  # the crown
    held[:, 0, [0, 1, 3], 1] = True  # the middle
    held[:, 0, 2, ::2] = True
    load = np.zeros(held.shape)
    load[..., 2] = -roof.mesh.weight.reshape(n + 1, n + 1, 4)
    moved = linear(roof, held, load).reshape(held.shape)
    assert -moved[n, 0, 0, 2] == pytest.approx(0.3015, rel=0.01)


def meshes() -> dict[str, ANCFMesh]:
    times = 1e-4, 1e-4
    found = {"plate": plate_mesh((1.0, 0.7), (2, 1), 0.02, STEEL, 1e-4)}
    for kind in ("tet4", "hex8", "tet10"):
        found[kind] = solid_mesh(block((1.0, 0.5, 0.4), (1, 1, 1), kind, STEEL), times)
    given = STEEL, (2, 1), lambda x, y: (x, y + 0.2 * x * x, 0.3 * x * y), Rayleigh(1e-4)
    found["shell"] = ANCFPlate("shell", (1.0, 0.7), 0.02, *given).mesh
    found["interface"] = held_block().mesh
    return found


def held_block(kind: str = "hex8") -> ANCFSolid:
    """A block with an interface at one end whose place is not its middle."""
    solid = block((1.0, 0.5, 0.4), (2, 1, 1), kind, STEEL)
    foot = Interface("foot", (-0.1, 0.0, 0.0), solid.group("x_min"))
    return ANCFSolid("held", solid, [foot], Rayleigh(1e-4))


@pytest.mark.parametrize("kind", ["plate", "tet4", "hex8", "tet10", "shell", "interface"])
def test_forces_and_tangents(kind):
    mesh = meshes()[kind]
    rng = np.random.default_rng(5)
    e = mesh.rest + 0.05 * rng.normal(size=mesh.rest.shape)
    v = rng.normal(size=e.shape)
    way = rng.normal(size=e.shape)
    forces = mesh.forces(e, v)
    scale = np.abs(forces).max()
    slope = mesh.energy(e + 1e-30j * way).imag / 1e-30
    assert slope == pytest.approx(np.sum(mesh.forces(e) * way), rel=1e-11)
    by_vectors, by_rates = mesh.tangents(e, v)
    column = mesh.forces(e + 1e-30j * way, v).imag.ravel() / 1e-30
    np.testing.assert_allclose(by_vectors @ way.ravel(), column, atol=1e-11 * np.abs(column).max())
    np.testing.assert_allclose(
        (mesh.forces(e, v + way) - forces).ravel(), by_rates @ way.ravel(), atol=1e-11 * scale
    )
    np.testing.assert_allclose(forces[mesh.places].sum(axis=0), 0.0, atol=1e-11 * scale)
    moments = np.einsum("nvx,nvy->xy", e, forces)
    np.testing.assert_allclose(moments, moments.T, atol=1e-11 * scale)
    assert np.abs(mesh.forces(mesh.rest)).max() < 1e-12 * scale
    values = frequencies(mesh)
    assert values[5] < 1e-7 * values[6]


def _stiffness_of_nodes(solid):
    """Stiffness by the strains of the shape functions alone."""
    at, weights = rule(False, 3)
    volumes, slopes = slopes_in_space(shapes(solid.kind, at)[1], solid.nodes[solid.cells])
    rows = strain_rows(slopes)
    blocks = np.einsum("eq,eqia,ij,eqjb->eab", weights * volumes, rows, solid.law, rows)
    places = (3 * solid.cells[:, :, None] + np.arange(3)).reshape(len(solid.cells), -1)
    return assemble(blocks, places, solid.size)


@pytest.mark.parametrize("kind", ["tet4", "tet10", "hex8", "hex20"])
def test_solids_are_the_linear_ones_in_small_motion(kind):
    solid = block((1.0, 0.5, 0.4), (2, 1, 1), kind, STEEL)
    mesh = solid_mesh(solid)
    K, M = mesh.tangents(mesh.rest)[0], mesh.mass_matrix
    linear = solid.stiffness_matrix
    if kind == "hex8":  # which has strains of its own; here nodes alone give the strain
        linear = _stiffness_of_nodes(solid)
    assert np.abs(K - linear).max() < 1e-13 * np.abs(K).max()
    assert np.abs(M - solid.mass_matrix[::3, ::3]).max() < 1e-13 * np.abs(M).max()
    assert len(mesh.tables) == (1 if kind.startswith("hex") else 6)


def test_a_stretched_bar_of_a_solid():
    """Saint-Venant and Kirchhoff, nu = 0: P = E (l^3 - l) / 2 in a uniform stretch l."""
    material = Material(E=1e6, G=5e5, density=1.0)
    mesh = solid_mesh(block((1.0, 1.0, 1.0), (1, 1, 1), "hex8", material))
    e = mesh.rest.copy()
    e[..., 0] *= 1.2
    held = mesh.forces(e)[:, 0]
    right = mesh.rest[:, 0, 0] == 1.0
    np.testing.assert_allclose(held[right].sum(axis=0), [1e6 * (1.2**3 - 1.2) / 2, 0, 0], atol=1e-6)


# -------------------------------------------------------------------------------------- bodies


def test_bodies_and_their_nodes():
    plate = ANCFPlate("p", (1.0, 0.5), 0.01, STEEL, elements=(4, 2), damping=KelvinVoigt(2e7))
    assert plate.mass == pytest.approx(7800 * 0.005)
    assert plate.node(plate.at(0.5, 0.25)) == 7
    assert plate.mesh.tables[0].damped
    np.testing.assert_allclose(plate.nearest(np.array([0.6, 0.2, 0.1])), [0.5, 0.25, 0.0])
    solid = ANCFSolid("s", block((1.0, 0.5, 0.4), (2, 1, 1), "hex8", STEEL), (), Rayleigh(1e-4))
    assert solid.mass == pytest.approx(7800 * 0.2)
    np.testing.assert_allclose(solid.node_pose(solid.node(solid.at(0.5, 0.5))).p, [0.5, 0.5, 0.0])
    table = solid.mesh.tables[0]
    np.testing.assert_allclose(table.viscosity, 1e-4 * table.elasticity)
    assert plate.turns
    assert not solid.turns


PLATE = {"name": "p", "size": (1.0, 0.5), "thickness": 0.01, "material": STEEL}
WRONG = {
    "size is (1, -1), expected 2 positive numbers": {"size": (1.0, -1.0)},
    "thickness is 0.0, expected a positive number": {"thickness": 0.0},
    "elements is (1, 2, 3), expected 2 positive integers": {"elements": (1, 2, 3)},
    "elements is (1000, 1000), expected 2 positive integers": {"elements": (1000, 1000)},
    "Poisson's ratio E / (2 G) - 1": {"material": Material(E=1e10, G=1e9, density=500)},
    "damping is Rayleigh": {"damping": Rayleigh(mass=1.0)},
    "shape is 3, expected a function of x and y that": {"shape": 3},
    "shape at x = 0, y = 0 is nan, expected a point (3,) m": {"shape": lambda x, y: np.nan},
    "shape is one without a normal at x = 0, y = 0": {"shape": lambda x, y: (x, x, x)},
}


@pytest.mark.parametrize("sentence", WRONG)
def test_sentences(sentence):
    with pytest.raises(ModelError) as found:
        ANCFPlate(**{**PLATE, **WRONG[sentence]})
    assert sentence in str(found.value)


def test_more_sentences():
    with pytest.raises(ModelError, match="expected that of a node; the nearest is"):
        ANCFPlate(**PLATE).at(0.1, 0.1)
    with pytest.raises(ModelError, match="component is 3, expected a SolidMesh"):
        ANCFSolid("s", 3)
    held = held_block()
    with pytest.raises(ModelError, match=r"expected at\('foot'\): node 0 moves with Interface"):
        held.node(held.at(node=0))
    with pytest.raises(ModelError, match="x of at is 'fot', expected an interface; did you mean"):
        held.at("fot")
    both = [*held.interfaces, Interface("other", (0, 0, 1), [0, 4, 5])]
    with pytest.raises(ModelError, match="node 0 is in Interface 'foot' and Interface 'other'"):
        ANCFSolid("s", held.component, both)
    mean = Interface("mean", (0, 0, 0), held.component.group("x_min"), kind="average")
    with pytest.raises(ModelError, match="kind of Interface 'mean' is 'average', expected"):
        ANCFSolid("s", held.component, [mean])
    with pytest.raises(ModelError, match="its 2 nodes with 3 coordinates are on one line"):
        ANCFSolid("s", held.component, [Interface("line", (0, 0, 0), [0, 1])])


@pytest.mark.slow
def test_a_plate_clamped_along_all_its_edges_with_hundreds_of_rows():
    """Its rigid stand-in, from which it starts, has no velocity at all, and 570 rows."""
    steel = sp.Material(E=2.1e11, G=2.1e11 / 2.6, density=7800)
    m = sp.Model()
    sheet = m.add(sp.ANCFPlate("sheet", (1.0, 1.0), 0.01, steel, elements=(24, 24)))
    x, y, _ = sheet.coordinates.T
    edge = (x == 0) | (x == 1) | (y == 0) | (y == 1)
    for k, (a, b, _) in enumerate(sheet.coordinates[edge]):
        m.add(sp.Fixed(f"edge {k}", m.ground.at(a, b), sheet.at(a, b)))
    m.add(sp.SurfaceLoad("load", sheet.at(0, 0), (0, 0, 100.0)))
    r = sp.statics(m)
    stiffness = 2.1e11 * 0.01**3 / 12 / (1 - 0.3**2)
    # Timoshenko and Woinowsky-Krieger, table 35: 0.00126; more digits by series
    exact = 0.00126532 * 100 / stiffness
    assert r["sheet"].at(0.5, 0.5).displacement[0, 2] == pytest.approx(exact, rel=5e-3)


def test_rows_on_a_model_without_velocities():
    """Many rows that hold what does not move anyway: none of them is needed."""
    from scipy.sparse import csr_array

    from supple.loops.ranks import smallest_value

    assert smallest_value(csr_array((570, 0)), 0) == 1.0
