"""Loads per area and pressure on plates and solids: weight, exact deflections, volumes."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple.engine.pack.builder import build
from supple.fem.base.solid_kinds import KINDS
from supple.formulations.equations import Equations

SHEET = sp.Material(E=7e10, G=3.5e10, density=2700.0)  # sections contract no width
RUBBER = sp.Material(E=5e6, G=2e6, density=1100.0)
H, LENGTH, WIDTH = 1e-3, 0.4, 0.1
QUADRATIC = [kind for kind in KINDS if kind not in ("tet4", "hex8")]
PULL = np.array([3.0, -2.0, 5.0])  # N/m2


def plate(elements=(3, 2), **options) -> sp.ANCFPlate:
    return sp.ANCFPlate("sheet", (LENGTH, WIDTH), H, SHEET, elements, **options)


def solid(kind: str, cells=(2, 1, 1)) -> sp.ANCFSolid:
    return sp.ANCFSolid("sheet", sp.fem.block((0.3, 0.2, 0.1), cells, kind, RUBBER))


def curved(x: float, y: float) -> tuple[float, float, float]:
    return x, y, 0.3 * x**2 - 0.2 * x * y


def efforts(
    body: sp.bodies.Body, load: sp.forces.ForceElement | None, gravity=(0, 0, 0), moved=None
):
    """Generalized forces (vectors, 3) at rest, or where a function moves the nodal vectors to."""
    model = free(body, gravity)
    if load is not None:
        model.add(load)
    eq = Equations(build(model))
    own, q, zero = eq.compiled.gradient["sheet"], eq.q0.copy(), np.zeros(eq.nu)
    if moved is not None:
        q[own.q] = moved(q[own.q].reshape(-1, 3)).ravel()
    found = -eq.residual(0.0, q, zero, zero)[own.u].reshape(-1, 3)
    return found, q[own.q].reshape(-1, 3)


def free(body: sp.bodies.Body, gravity=(0, 0, 0)) -> sp.Model:
    model = sp.Model(gravity=gravity)
    model.add(body)
    first = body.at(*body.coordinates[0])
    model.add(sp.Free("free", model.ground.at(*body.places[0]), first))
    return model


@pytest.mark.parametrize(
    "make", [plate, lambda: plate((2, 1), shape=curved), lambda: solid("hex8")]
)
def test_a_load_like_weight_is_weight(make) -> None:
    """On a plate of one thickness. On a solid its force and moment are those of its faces."""
    body = make()
    load = sp.SurfaceLoad("wind", body.at(*body.coordinates[0]), PULL)
    found, q = efforts(body, load)
    if isinstance(body, sp.ANCFPlate):
        wanted, _ = efforts(body, None, PULL / (SHEET.density * H))
        assert np.abs(found - wanted).max() < 1e-12 * np.abs(wanted).max()
        return
    area = 2 * (0.3 * 0.2 + 0.3 * 0.1 + 0.2 * 0.1)
    np.testing.assert_allclose(found.sum(axis=0), area * PULL, rtol=1e-12)
    middle = np.cross((0.15, 0.1, 0.05), area * PULL)
    np.testing.assert_allclose(np.cross(q, found).sum(axis=0), middle, rtol=1e-12)


@pytest.mark.parametrize(
    "kind", ["tet4", "hex8", *(pytest.param(k, marks=pytest.mark.slow) for k in QUADRATIC)]
)
def test_pressure_on_all_faces_of_a_solid_has_no_resultant(kind: str) -> None:
    """However it is deformed: the rule is exact. On one face it is pressure times area."""
    body = solid(kind)
    frame = body.at(*body.coordinates[0])
    rng = np.random.default_rng(1)

    def crumpled(e):
        return e + 0.01 * rng.normal(size=e.shape)

    found, q = efforts(body, sp.Pressure("p", frame, 1e3), moved=crumpled)
    rng = np.random.default_rng(1)
    elastic, _ = efforts(body, None, moved=crumpled)
    found = found - elastic
    size = np.abs(found).sum()
    assert np.abs(found.sum(axis=0)).max() < 1e-12 * size
    assert np.abs(np.cross(q, found).sum(axis=0)).max() < 1e-12 * size
    top = body.component.group("z_max")
    one, q = efforts(body, sp.Pressure("p", frame, 1e3, nodes=top))
    np.testing.assert_allclose(one.sum(axis=0), (0, 0, -1e3 * 0.3 * 0.2), atol=1e-10)
    moment = np.cross((0.15, 0.1, 0.1), (0, 0, -60.0))
    np.testing.assert_allclose(np.cross(q, one).sum(axis=0), moment, atol=1e-10)


def test_pressure_turns_with_its_surface_and_grows_with_it() -> None:
    """Turned by R and stretched by two, forces are R f times the square; a load is as it was."""
    body = plate((1, 1), shape=curved)
    turn, frame = _turn(), body.at(0, 0)

    def moved(e):
        return 2.0 * e @ turn.T

    both = []
    for load in (sp.Pressure("p", frame, 20.0), sp.SurfaceLoad("p", frame, PULL)):
        at_rest, there = efforts(body, load)[0], efforts(body, load, moved=moved)[0]
        bare = efforts(body, None, moved=moved)[0]
        both.append((at_rest, there - bare))
    (rest, now), (dead, still) = both
    np.testing.assert_allclose(now, 4.0 * rest @ turn.T, atol=1e-6 * np.abs(rest).max())
    np.testing.assert_allclose(still, dead, atol=1e-6 * np.abs(dead).max())


def _turn() -> np.ndarray:
    """A rotation about a skew axis."""
    c, s = np.cos(0.7), np.sin(0.7)
    about_z = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return about_z @ about_z[::-1, ::-1].T


@pytest.mark.parametrize("follows", [True, False])
def test_a_strip_bends_by_pressure_as_a_beam(follows: bool) -> None:
    """p L^4 / (8 D) at its end: cubics with consistent loads are exact at nodes of little bending.

    Large deflections would change it by parts of (w/L)^2, here 3e-10.
    """
    model = sp.Model()
    sheet = model.add(plate((2, 1)))
    for k, y in enumerate((0.0, WIDTH)):
        model.add(sp.Fixed(f"clamp {k}", model.ground.at(0, y), sheet.at(0, y)))
    rigidity, p = SHEET.E * H**3 / 12.0, 1e-2
    if follows:
        model.add(sp.Pressure("load", sheet.at(0, 0), p))
    else:
        model.add(sp.SurfaceLoad("load", sheet.at(0, 0), (0, 0, -p)))
    rest = sp.statics(model)
    wanted = -p * LENGTH**4 / (8.0 * rigidity)
    assert rest["sheet"].at(LENGTH, WIDTH).displacement[0, 2] == pytest.approx(wanted, rel=1e-5)
    held = sum(rest[f"clamp {k}"].force[0, 2] for k in range(2))
    assert held == pytest.approx(p * LENGTH * WIDTH, rel=1e-6)


@pytest.mark.slow
def test_a_clamped_square_bends_as_by_taylor() -> None:
    """0.00126532 p a^4 / D in the middle (Timoshenko and Woinowsky-Krieger), at order 2."""
    steel, found = sp.Material(E=2e11, G=2e11 / 2.6, density=7800), []
    p, rigidity = 1e-3, 2e11 * H**3 / 12 / (1 - 0.09)
    for n in (6, 12):
        model = sp.Model()
        sheet = model.add(sp.ANCFPlate("sheet", (1.0, 1.0), H, steel, (n, n)))
        places = sheet.coordinates
        edge = places[(np.abs(places[:, :2] - 0.5) == 0.5).any(axis=1)]
        for k, (x, y, _) in enumerate(edge):
            model.add(sp.Fixed(f"clamp {k}", model.ground.at(x, y), sheet.at(x, y)))
        model.add(sp.Pressure("load", sheet.at(0, 0), p))
        moved = sp.statics(model)["sheet"].at(0.5, 0.5).displacement[0, 2]
        found.append(-moved * rigidity / p)
    limit = (4.0 * found[1] - found[0]) / 3.0
    assert limit == pytest.approx(0.00126532, abs=0.1 * abs(found[1] - found[0]))


@pytest.mark.filterwarnings("ignore:ANCFSolid 'sheet'. its strain")
@pytest.mark.parametrize("kind", ["hex8", pytest.param("tet10", marks=pytest.mark.slow)])
def test_a_block_is_compressed_evenly(kind: str) -> None:
    """Pressure p on all faces: 3 K (l^2 - 1)/2 = -p l for the stretch l, exact at any size."""
    body = solid(kind)
    model = free(body)
    p, bulk = 4e5, RUBBER.E / (3.0 * (3.0 - RUBBER.E / RUBBER.G))
    for k, (x, y, z) in enumerate(body.coordinates):
        for axis, value in enumerate((x, y, z)):
            if value == 0.0:
                normal = np.eye(3)[axis]
                name = f"{'xyz'[axis]} {k}"
                model.add(sp.PointOnPlane(name, model.ground.at(0), body.at(x, y, z), normal))
    model.add(sp.Pressure("sea", body.at(0, 0, 0), p))
    rest = sp.statics(model)
    b = p / (1.5 * bulk)
    stretch = 0.5 * (-b + np.sqrt(b * b + 4.0))
    assert stretch < 0.99
    corner = rest["sheet"].at(0.3, 0.2, 0.1).position[0]
    np.testing.assert_allclose(corner, stretch * np.array([0.3, 0.2, 0.1]), rtol=1e-9)


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
def test_work_of_pressure_is_that_of_volume() -> None:
    """A free block in a sea whose pressure is suddenly there: -p times the change of volume."""
    body = solid("hex8", (1, 1, 1))
    model = free(body)
    model.add(sp.Pressure("sea", body.at(0, 0, 0), 1e4))
    result = sp.simulate(model, 0.01, tolerance=1e-7, output=6)
    assert result.energy.verdict.startswith("trusted")
    ends = result["sheet"].vectors[[0, -1]].reshape(2, -1, 3)
    volumes = [sum(_volume(face, e) for face in body.faces) for e in ends]
    assert volumes[0] == pytest.approx(0.3 * 0.2 * 0.1, rel=1e-12)
    work = result["sea"].work[-1]
    assert abs(work) > 1e-3
    assert work == pytest.approx(-1e4 * (volumes[1] - volumes[0]), rel=1e-5)


def _volume(face, e: np.ndarray) -> float:
    """The share of a face in the volume, by the theorem of Gauss."""
    place, a, b = face.shapes @ e[face.vectors]
    return float(face.weights @ np.einsum("pi,pi->p", place, np.cross(a, b)) / 3.0)


def test_bad_surface_loads() -> None:
    beam = sp.ANCFBeam("beam", 1.0, sp.Circle(0.1), SHEET)
    sheet = plate()
    for make in (sp.Pressure, sp.SurfaceLoad):
        given = 1.0 if make is sp.Pressure else (1.0, 0.0, 0.0)
        with pytest.raises(sp.ModelError, match=r"expected a frame on an ANCFPlate or ANCF"):
            make("p", beam.at(0), given)
        with pytest.raises(sp.ModelError, match=r"nodes is .*, expected all nodes of at least one"):
            make("p", sheet.at(0, 0), given, nodes=[0, 1, 2])
        with pytest.raises(sp.ModelError, match=r"nodes is .*, expected integers, the numbers of"):
            make("p", sheet.at(0, 0), given, nodes=[0.5])
