"""Surfaces of contact, kernels as plain Python: distances and derivatives of distances."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from supple.bodies.shapes.shape import Shape, TouchingSurface
from supple.core.contact import fields, surfaces
from supple.engine.pack.contacts import SURFACES

STEP = 1e-40
Found = tuple[complex, np.ndarray, np.ndarray]


class Model:
    """What the kernel of surfaces with data reads of a model."""

    def __init__(self, surface: TouchingSurface) -> None:
        assert surface.data is not None
        self.element = np.zeros((1, 13), dtype=int)
        self.data, self.program = surface.data.numbers, np.array(surface.data.counts)


def measured(shape: Shape, place, radius: float = 0.0) -> Found:
    """Distance, n and H of a place in the axes of a surface."""
    surface = shape.touching_surface
    assert surface is not None
    kind, place = SURFACES[surface.kind], np.asarray(place)
    if surface.data is None:
        (d, *rest), _ = surfaces.distance(kind, (*surface.sizes, 0.0, 0.0), tuple(place))
        numbers = np.array([d, *rest])
    else:
        out = np.zeros(18, dtype=complex)
        out[:3] = place
        fields.measure(Model(surface), 0, kind, radius, out)
        numbers = out[3:13]
    xx, yy, zz, xy, xz, yz = numbers[4:10]
    return numbers[0], numbers[1:4], np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def check_derivatives(shape: Shape, place, radius: float = 0.0) -> None:
    """n is the gradient, of length one, and H its derivative."""
    _, n, H = (np.real(x) for x in measured(shape, place, radius))
    assert n @ n == pytest.approx(1.0, abs=1e-13)
    for k in range(3):
        moved = np.array(place, dtype=complex)
        moved[k] += 1j * STEP
        d, turned, _ = measured(shape, moved, radius)
        assert d.imag / STEP == pytest.approx(n[k], abs=1e-11)
        np.testing.assert_allclose(turned.imag / STEP, H[k], atol=1e-9 * (1.0 + np.abs(H).max()))


# ------------------------------------------------------------------------------------------- cones


def profile(cone: sp.Cone, n: int = 4001) -> np.ndarray:
    """Points (radius, height) of the side, the tip and the base."""
    s = cone.radius / math.hypot(cone.radius, cone.length)
    top, begin = cone.length - cone.tip / s, math.asin(s)
    angle = np.linspace(begin, 0.5 * math.pi, n)
    tip = np.stack([cone.tip * np.cos(angle), top + cone.tip * np.sin(angle)], axis=1)
    t = np.linspace(0.0, 1.0, n)[:, None]
    rim = np.array([cone.radius, 0.0])
    return np.concatenate([rim + t * (tip[0] - rim), tip, t * rim])


@pytest.mark.parametrize("tip", [0.0, 0.06])
def test_cone(tip: float) -> None:
    """Outside and inside, at all parts; a grid of places that is on no border of parts."""
    cone = sp.Cone(radius=0.3, length=0.5, tip=tip)
    line, parts = profile(cone), set()
    for r in np.linspace(0.013, 0.62, 9):
        for z in np.linspace(-0.217, 0.81, 11):
            place = (r * math.cos(1.0), r * math.sin(1.0), z)
            d, _, _ = measured(cone, place)
            far = np.hypot(line[:, 0] - r, line[:, 1] - z).min()
            assert abs(abs(d) - far) < 1e-5, (r, z)
            slope = 0.3 - r * 1.0 - 0.3 * z / 0.5
            if tip == 0.0:
                assert (d < 0.0) == (z > 0.0 and slope > 0.0)
            check_derivatives(cone, place)
            (_, part) = surfaces.distance(surfaces.CONE, (0.3, 0.5, tip, 0.0), place)
            parts.add(part)
    assert parts == {0, 1, 2, 3}


# -------------------------------------------------------------------------------------------- cams


def wavy(n: int) -> np.ndarray:
    angle = 2.0 * np.pi * np.arange(n) / n
    return 0.1 + 0.02 * np.cos(angle) + 0.004 * np.cos(3.0 * angle)


def test_a_round_cam_is_a_cylinder() -> None:
    """Not exactly: splines through 64 points of a circle are 1e-9 off it."""
    cam = sp.Cam(radii=np.full(64, 0.1), width=0.04)
    round_ = sp.Cylinder(radius=0.1, length=0.04)
    for place in ((0.13, 0.02, 0.005), (0.05, 0.01, 0.03), (0.1, 0.09, -0.05), (-0.08, 0.03, 0.0)):
        for one, other in zip(measured(cam, place), measured(round_, place), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-3 * np.abs(other).max() + 1e-6)
    assert abs(measured(cam, (0.13, 0.02, 0.005))[0] - (math.hypot(0.13, 0.02) - 0.1)) < 3e-8


def test_cam() -> None:
    """Distances of many points of its curve; splines of the fourth order; every part."""
    angle = np.linspace(0.0, 2.0 * np.pi, 400_001)
    radius = 0.1 + 0.02 * np.cos(angle) + 0.004 * np.cos(3.0 * angle)
    line = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    rng, errors = np.random.default_rng(4), []
    places = [0.14 * np.array([math.cos(a), math.sin(a)]) for a in rng.uniform(0, 7, 6)]
    for n in (32, 64):
        cam = sp.Cam(radii=wavy(n), width=0.04)
        far = [np.linalg.norm(line - p, axis=1).min() for p in places]
        found = [measured(cam, (*p, 0.003))[0].real for p in places]
        errors.append(np.abs(np.array(found) - far).max())
    assert errors[1] < errors[0] / 8.0 and errors[1] < 1e-6
    cam = sp.Cam(
        points=(
            wavy(64)[:, None] * line[:: 400_000 // 64][:64] / radius[:: 400_000 // 64][:64, None]
        )[::-1],
        width=0.04,
    )
    for place in ((0.13, 0.05, 0.01), (0.08, -0.02, 0.03), (0.1, 0.09, -0.05), (0.05, 0.01, 0.001)):
        check_derivatives(cam, place)
    assert cam.hollow is None
    deep = sp.Cam(radii=0.1 + 0.02 * np.cos(6.0 * np.pi * np.arange(192) / 192), width=0.04)
    r, dr, ddr = (
        0.1 + 0.02 * np.cos(3 * angle),
        -0.06 * np.sin(3 * angle),
        -0.18 * np.cos(3 * angle),
    )
    least = ((r**2 + 2.0 * dr**2 - r * ddr) / (r**2 + dr**2) ** 1.5).min()
    assert deep.hollow == pytest.approx(-1.0 / least, rel=1e-2)


# ----------------------------------------------------------------------------------------- grounds


def test_an_inclined_plane_and_a_bowl_of_heights() -> None:
    """Cubic polynomials are exact: a plane has its distances, a paraboloid those of Newton."""
    x = np.arange(9)[:, None] * 0.25
    y = np.arange(8)[None] * 0.3
    plane = sp.HeightField(heights=0.2 + 0.3 * x - 0.1 * y, spacing=(0.25, 0.3))
    n = np.array([-0.3, 0.1, 1.0]) / math.sqrt(1.1)
    for place in ((0.7, 1.1, 0.5), (1.3, 0.4, 0.1)):
        d, normal, H = measured(plane, place, 0.3)
        assert d.real == pytest.approx(
            (place[2] - 0.2 - 0.3 * place[0] + 0.1 * place[1]) * n[2], abs=1e-12
        )
        np.testing.assert_allclose(normal, n, atol=1e-12)
        np.testing.assert_allclose(H, 0.0, atol=1e-10)
    bowl = sp.HeightField(heights=0.2 * ((x - 1.0) ** 2 + (y - 1.0) ** 2), spacing=(0.25, 0.3))
    r = np.linspace(-1.0, 1.0, 200_001)
    for place in ((1.2, 1.1, 0.3), (0.6, 0.9, -0.1)):
        d, _, _ = measured(bowl, place, 0.3)
        rho = math.hypot(place[0] - 1.0, place[1] - 1.0)
        far = np.hypot(r - rho, 0.2 * r**2 - place[2]).min()
        assert abs(d.real) == pytest.approx(far, abs=1e-9)
        check_derivatives(bowl, place, 0.3)
    assert bowl.hollow == pytest.approx(1.0 / 0.4, rel=0.03)


def test_far_from_a_ground_distances_are_bounds() -> None:
    """Never more than the true distance, and never touching where it does not."""
    x, y = np.arange(12)[:, None] * 0.5, np.arange(12)[None] * 0.5
    ground = sp.HeightField(heights=0.2 * np.sin(2.0 * x) * np.cos(y), spacing=0.5)
    rng = np.random.default_rng(1)
    for place in rng.uniform((1.0, 1.0, 0.3), (4.0, 4.0, 5.0), (60, 3)):
        near, far = measured(ground, place, 10.0)[0].real, measured(ground, place, 0.0)[0].real
        assert 0.0 < far <= near + 1e-12


# ------------------------------------------------------------------------------------------ meshes


def stl(path: Path, surface) -> Path:
    """A file with the triangles of a surface."""
    rows = ["solid s"]
    for a, b, c in surface.points[surface.triangles]:
        rows += ["facet normal 0 0 0", "outer loop"]
        rows += [f"vertex {x:.9g} {y:.9g} {z:.9g}" for x, y, z in (a, b, c)]
        rows += ["endloop", "endfacet"]
    path.write_text("\n".join([*rows, "endsolid s"]))
    return path


def test_a_mesh_of_a_box(tmp_path: Path) -> None:
    """Over its faces distances are exact; near its edges within the error that is told."""
    size = np.array((1.0, 0.6, 0.4))
    box = sp.Cuboid(size=size)
    mesh = sp.MeshShape(stl(tmp_path / "box.stl", box.surface()), cells=40)
    step = mesh._grid.step
    assert mesh.grid_error < 0.5 * step
    rng = np.random.default_rng(2)
    for place in rng.uniform(-0.8, 0.8, (40, 3)):
        exact, found = measured(box, place)[0], measured(mesh, place, 2.0)[0].real
        if exact > 0.01:
            assert found == pytest.approx(exact, abs=mesh.grid_error + 1e-6)
            assert 0.0 < measured(mesh, place)[0].real <= found + 1e-9, "a bound"
    for place in ((0.1, 0.05, 0.23), (-0.2, 0.33, 0.02)):
        d, n, _ = (np.real(x) for x in measured(mesh, place, 0.1))
        assert d == pytest.approx(0.03, abs=1e-4)
        assert np.abs(n).max() == pytest.approx(1.0, abs=1e-5)
        check_derivatives(mesh, place, 0.1)


def test_a_mesh_that_is_open_is_refused(tmp_path: Path) -> None:
    drawn = sp.Cuboid(size=(1, 1, 1)).surface()
    path = stl(tmp_path / "open.stl", type(drawn)(drawn.points, drawn.triangles[:-1]))
    mesh = sp.MeshShape(path, frame=sp.Model().ground.at(0))
    with pytest.raises(sp.ModelError, match=r"open.stl: 3 edges do not join two triangles"):
        mesh.touching_surface  # noqa: B018
