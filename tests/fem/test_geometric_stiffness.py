"""Geometric stiffness of shells and solids: energy, rigid rotations, spinning strips, messages."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csc_array
from scipy.sparse.linalg import eigsh

import supple as sp
from models.shell_meshes import ALUMINIUM, at, folded, irregular, isotropic, rigid, solve, where
from models.solid_meshes import CORK, KINDS, curved, shaken
from oracles.linear_stretch import linear_stretch
from supple.fem.shells import membrane
from supple.fem.shells.shell import ShellMesh, plate
from supple.fem.solids.matrices import stress_tensors
from supple.foundation.errors import ModelError

# Rounding of sums of some hundred terms.
ROUNDING = 1e-12
Array = np.ndarray


def some_state(mesh: ShellMesh | sp.fem.SolidMesh, size: float = 1e-3) -> Array:
    return size * np.random.default_rng(7).normal(size=mesh.size)


# ------------------------------------------------------------------------------------- solids


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_rotation_of_a_solid_turns_its_internal_forces(kind: str) -> None:
    """At every node, whatever the mesh and the stress: both matrices have the same points."""
    for mesh in (curved(kind), shaken(kind, (2, 2, 2))):
        state = some_state(mesh)
        K_G = mesh.geometric_stiffness(state)
        force = (mesh.stiffness_matrix @ state).reshape(-1, 3)
        motions = sp.fem.rigid_modes(mesh)
        scale = np.abs(force).max() * mesh.length
        assert np.abs(K_G @ motions[:, :3]).max() < ROUNDING * scale
        for k, axis in enumerate(np.eye(3)):
            found = (K_G @ motions[:, 3 + k]).reshape(-1, 3)
            assert np.abs(found - np.cross(axis, force)).max() < ROUNDING * scale


@pytest.mark.parametrize("kind", KINDS)
def test_a_solid_has_the_second_derivative_of_the_energy_of_greens_strain(kind: str) -> None:
    """The stress of the state on the quadratic part of Green's strain, element by element."""
    mesh = sp.fem.block((0.6, 0.4, 0.2), (2, 1, 1), kind, CORK)
    rng = np.random.default_rng(3)
    grad, more = rng.normal(size=(2, 3, 3))  # fields whose integrals are products with the volume
    state = 1e-3 * (mesh.nodes @ grad.T).ravel()
    u = (mesh.nodes @ more.T).ravel()
    strain = 1e-3 * 0.5 * (grad + grad.T)
    stress = 2.0 * CORK.G * strain  # Poisson's ratio is zero
    quadratic = 0.5 * more.T @ more
    found = 0.5 * u @ mesh.geometric_stiffness(state) @ u
    assert found == pytest.approx(0.6 * 0.4 * 0.2 * np.sum(stress * quadratic), rel=1e-12)


def test_stresses_become_tensors_in_the_order_of_their_names() -> None:
    tensor = stress_tensors(np.arange(1.0, 7.0))
    assert np.array_equal(tensor, [[1, 4, 5], [4, 2, 6], [5, 6, 3]])


# ------------------------------------------------------------------------------------- shells


def test_gradients_are_those_of_the_displacements() -> None:
    shape = folded().shape
    weights, step = np.array([0.2, 0.5, 0.3]), 1e-6
    exact = membrane.gradients(shape, weights)
    # moving by e1 or e2 changes the weights by their gradients
    for t in (0, 5):
        one = shape.subset([t])
        for direction in range(2):
            change = step * one.gradients[0, :, direction]
            ahead = membrane.displacements(one, weights + change)[0]
            behind = membrane.displacements(one, weights - change)[0]
            slope = (ahead - behind) / (2.0 * step)
            # differences of cubics: step^2 times third derivatives, and rounding over the step
            assert np.abs(slope - exact[t, :, direction]).max() < 1e-8


@pytest.mark.parametrize("make", [irregular, folded])
def test_a_rotation_of_a_shell_has_the_energy_of_its_quadratic_strain(
    make: Callable[[], ShellMesh],
) -> None:
    """A small rotation t strains by (|t|^2 1 - t t^T)/2, in every plane of the body."""
    mesh = make()
    state = some_state(mesh)
    K_G = mesh.geometric_stiffness(state)
    assert isinstance(K_G, csc_array) and abs(K_G - K_G.T).max() == 0.0
    motions = rigid(mesh.nodes)
    # the mean membrane force of a triangle is that of its centre
    n = mesh.stresses(state, "middle") * mesh.thicknesses[:, None] * mesh.shape.areas[:, None]
    axes = mesh.shape.axes[:, :2]
    tensor = np.einsum("t,ti,tj->ij", n[:, 0], axes[:, 0], axes[:, 0])
    tensor += np.einsum("t,ti,tj->ij", n[:, 1], axes[:, 1], axes[:, 1])
    cross = np.einsum("t,ti,tj->ij", n[:, 2], axes[:, 0], axes[:, 1])
    tensor += cross + cross.T
    exact = np.trace(tensor) * np.eye(3) - tensor
    found = motions.T @ (K_G @ motions)
    scale = np.abs(n).sum()
    assert np.abs(found[:3]).max() < ROUNDING * scale / mesh.shape.areas.min()
    assert np.abs(found[3:, 3:] - exact).max() < ROUNDING * scale


def test_a_rotation_in_the_plane_turns_the_forces_of_uniform_stress() -> None:
    """Node by node on an irregular mesh: no forces inside, turned tractions on the boundary."""
    mesh = irregular()
    state = linear_stretch(mesh.nodes, np.array([[1e-3, 2e-4], [3e-4, -5e-4]]))
    force = (mesh.stiffness_matrix @ state).reshape(-1, 6)[:, :3]
    found = (mesh.geometric_stiffness(state) @ rigid(mesh.nodes)[:, 5]).reshape(-1, 6)[:, :3]
    assert np.abs(found - np.cross([0, 0, 1], force)).max() < ROUNDING * np.abs(force).max()


def test_a_rotation_out_of_the_plane_does_the_work_of_turned_forces_on_smooth_fields() -> None:
    """With the square of the mesh size: the slopes are those of DKT, not of a deflection."""
    errors = []
    for n in (8, 16):
        mesh = irregular(n=n)
        x, y = mesh.nodes[:, 0], mesh.nodes[:, 1]
        state = linear_stretch(mesh.nodes, np.array([[1e-3, 2e-4], [3e-4, -5e-4]]))
        K_G = mesh.geometric_stiffness(state)
        smooth = np.zeros((len(x), 6))
        smooth[:, 2] = np.sin(x) * np.cos(2 * y)
        smooth[:, 3], smooth[:, 4] = -2 * np.sin(x) * np.sin(2 * y), -np.cos(x) * np.cos(2 * y)
        law = mesh.law * 0.01
        _, ny, nxy = law @ np.array([1e-3, -5e-4, 5e-4])
        # the rotation about x has the slope w,y = 1: n_xy int w,x + n_yy int w,y over 2 m x 1 m
        exact = nxy * np.sin(2.0) * np.sin(2.0) / 2.0
        exact += ny * (1.0 - np.cos(2.0)) * (np.cos(2.0) - 1.0)
        errors.append(abs(smooth.ravel() @ K_G @ rigid(mesh.nodes)[:, 3] / exact - 1.0))
    assert errors[1] < 2e-3 and errors[0] / errors[1] > 3.0


def southwell(slope: Callable[[Array], Array], softening: float) -> float:
    """Increase of the squared first frequency of a clamped beam by the squared speed."""
    kL = 1.8751040687119611
    s = (np.cosh(kL) + np.cos(kL)) / (np.sinh(kL) + np.sin(kL))
    x, weight = np.polynomial.legendre.leggauss(40)
    x, weight = 0.5 * (1.0 + x), 0.5 * weight
    w = np.cosh(kL * x) - np.cos(kL * x) - s * (np.sinh(kL * x) - np.sin(kL * x))
    dw = kL * (np.sinh(kL * x) + np.sin(kL * x) - s * (np.cosh(kL * x) - np.cos(kL * x)))
    return float(weight @ (slope(x) * dw**2) / (weight @ w**2)) - softening


@pytest.mark.parametrize(("direction", "expected"), [("flap", 1.193), ("lag", 0.193)])
def test_a_spinning_strip_stiffens_by_southwells_number(direction: str, expected: float) -> None:
    """w^2 = w0^2 + k Omega^2: tension (1 - x^2)/2 in rho A (Omega L)^2; lag loses Omega^2 itself.

    The slender strip of Euler and Bernoulli has k = 1.193 and 0.193 (R. V. Southwell, B. S. Gough,
    Aeronautical Research Committee R & M 766, 1921); at small speeds they are exact integrals.
    """
    k = southwell(lambda x: 0.5 * (1.0 - x**2), 0.0 if direction == "flap" else 1.0)
    assert k == pytest.approx(expected, abs=5e-4)  # printed with three digits
    mesh = plate(
        1.0, 0.02, 40, 2, thickness=0.002, material=isotropic(70e9, 0.0, 2700.0),
        pattern="alternate", rotary_inertia=False,
    )  # fmt: skip
    M, K = mesh.mass_matrix, mesh.stiffness_matrix
    clamped = at(where(mesh.nodes[:, 0] == 0.0), *range(6))
    radial = np.zeros((len(mesh.nodes), 6))
    radial[:, :2] = mesh.nodes[:, :2] - [0.0, 0.01]
    kinds = at(np.arange(len(mesh.nodes)), 2, 3, 4)
    free = np.setdiff1d(np.arange(mesh.size), clamped)
    free = np.setdiff1d(free, kinds) if direction == "lag" else np.intersect1d(free, kinds)
    K_G = mesh.geometric_stiffness(solve(mesh, M @ radial.ravel(), clamped))
    if direction == "lag":
        K_G = K_G - M  # in the plane the centrifugal force grows with the deflection
    K, M, K_G = (A[free][:, free].tocsc() for A in (K, M, K_G))
    base = eigsh(K, 1, M, sigma=0.0, return_eigenvectors=False)[0]
    speed = 0.05 * base  # squared, small: the next order is the square of 0.05 and small itself
    squares = [
        eigsh(K + f * speed * K_G, 1, M, sigma=0.0, return_eigenvectors=False)[0] for f in (1, -1)
    ]
    slope = (squares[0] - squares[1]) / (2.0 * speed)
    # width over length 1/50: shear and the clamped warping change modes by some (b / L)^2
    assert slope == pytest.approx(k, abs=2e-3)


def test_a_spinning_block_stiffens_by_southwells_number() -> None:
    mesh = sp.fem.block((1.0, 0.04, 0.02), (20, 1, 1), "hex20", CORK)
    M, K = mesh.mass_matrix, mesh.stiffness_matrix
    held = (3 * mesh.group("x_min")[:, None] + np.arange(3)).ravel()
    free = np.setdiff1d(np.arange(mesh.size), held)
    radial = mesh.nodes - [0.0, 0.02, 0.01]
    radial[:, 2] = 0.0
    k = {"flap": 2, "lag": 1}
    load, state = M @ radial.ravel(), np.zeros(mesh.size)
    state[free] = np.linalg.solve(K[free][:, free].toarray(), load[free])
    plane = np.tile([1.0, 1.0, 0.0], len(mesh.nodes))
    K_G = mesh.geometric_stiffness(state) - M * plane[:, None]
    k_, m_, g_ = (A[free][:, free].toarray() for A in (K, M, K_G))
    for name, axis in k.items():
        base, shapes = eigh(k_, m_, subset_by_index=(0, 1))
        mode = np.zeros((mesh.size, 2))
        mode[free] = shapes
        which = int(np.argmax([np.abs(mode[axis::3, i]).max() for i in range(2)]))
        found = shapes[:, which] @ g_ @ shapes[:, which]  # first order of an eigenvalue
        exact = southwell(lambda x: 0.5 * (1.0 - x**2), 0.0 if name == "flap" else 1.0)
        # sections turn with the mode: (h / L)^2 times numbers of the order of kL^2
        assert found == pytest.approx(exact, abs=5e-3), base


# ----------------------------------------------------------------------------------- messages


def test_messages() -> None:
    mesh = plate(1.0, 1.0, 1, 1, thickness=0.01, material=ALUMINIUM, name="lid")
    for bad, shown in ((np.zeros(3), "(0, 0, 0)"), (["a"] * 24, "")):
        with pytest.raises(
            ModelError, match=re.escape(f"ShellMesh 'lid': displacement is {shown}")
        ):
            mesh.geometric_stiffness(bad)
    block = sp.fem.block((1, 1, 1), (1, 1, 1), "hex8", CORK)
    sentence = "SolidMesh: displacement is (1, 2), expected 24 finite numbers, one for each nodal"
    with pytest.raises(ModelError, match=re.escape(sentence)):
        block.geometric_stiffness((1, 2))
