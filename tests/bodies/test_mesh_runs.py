"""Models with mesh bodies: against beams, momentum and energy, joints on any side, loops."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple as sp
from models.mesh_bodies import (
    ALUMINIUM,
    PLAIN,
    SOFT,
    B,
    H,
    L,
    bar,
    body,
    matrices,
    strip,
    swinging,
    thrown,
)

DATA = Path(__file__).parents[1] / "data"
BOTH = ["a", "b"]


def history(model: sp.Model, until: float, tip: Any = "b", **options: Any) -> Any:
    """Motion of the tip of the flexible body, 41 times."""
    options = {"tolerance": 1e-9, "output": np.linspace(0.0, until, 41), **options}
    result = sp.simulate(model, until, **options)
    assert result.success and result.energy.level == "trusted"
    return result["body"].at(tip)


# ----------------------------------------------------------------------------- against a beam


def test_a_strip_swings_like_a_beam() -> None:
    """Released level; the difference of the tip falls with the size of the triangles."""
    beam = sp.Beam("body", L, sp.Rectangle(B, H), PLAIN, elements=12, modes=[1, 2])
    known = history(swinging(beam, 0.0), 0.3, tip=L)
    bend = np.abs(known.deflection[:, 2]).max()
    errors = []
    for k in (1, 2, 4):
        found = history(swinging(body(strip(5 * k, across=k), [1, 2]), "a"), 0.3)
        errors.append(np.abs(found.position - known.position).max())
    assert bend > 1e-3 and errors[2] < 1e-3 * bend
    assert errors[1] < errors[0] / 3 and errors[2] < errors[1] / 3


def test_a_bar_swings_like_a_beam_with_shear() -> None:
    section = sp.Rectangle(0.05, 0.04)
    beam = sp.Beam("body", L, section, PLAIN, elements=12, modes=1, theory="timoshenko")
    known = history(swinging(beam, 0.0), 0.05, tip=L)
    bend = np.abs(known.deflection[:, 2]).max()
    errors = []
    for n in (3, 6, 12):
        found = history(swinging(body(bar(n), 1), "a"), 0.05)
        errors.append(np.abs(found.position - known.position).max())
    assert errors[1] < errors[0] / 3 and errors[2] < errors[1] / 3 and errors[2] < 0.01 * bend


def test_a_point_mass_swings_at_an_interface_or_a_node() -> None:
    """Against a beam with the same mass at its tip; a mass takes part in the modes."""
    beam = sp.Beam("body", L, sp.Rectangle(B, H), PLAIN, elements=8, modes=2)
    m = swinging(beam, 0.0)
    m.add(sp.PointMass("payload", m.bodies["body"].at(L), 1.5))
    known = history(m, 0.2, tip=L)
    for place in ("b", None):
        m = swinging(body(strip(10), 2), "a")
        link = m.bodies["body"]
        frame = link.at(place) if place else link.at(L, 0, 0)
        m.add(sp.PointMass("payload", frame, 1.5))
        found = history(m, 0.2)
        assert np.abs(found.position - known.position).max() < 2e-5
    assert m.bodies["body"].modal(((link.station(frame), 1.5),)).mass == pytest.approx(2.7 + 1.5)


# --------------------------------------------------------------------------------- conservation


@pytest.mark.parametrize(
    ("mesh", "kind"),
    [(strip(3, SOFT), "rigid"), (strip(3, SOFT), "average"), (bar(1, material=SOFT), "rigid"),
     (matrices(bar(1, material=SOFT)), "average"), (matrices(strip(3, SOFT)), "rigid")],
    ids=["shell", "shell-average", "solid", "matrices-average", "matrices-rotations"],
)  # fmt: skip
def test_a_thrown_body_keeps_energy_and_momentum(mesh: Any, kind: str) -> None:
    """All of it by the audit, and by hand from material points at the start and the end."""
    link = body(mesh, sp.reduction.CraigBampton(BOTH, 2), kind)
    m = thrown(link, "a")
    result = sp.simulate(m, 0.03, tolerance="tight", output=np.linspace(0, 0.03, 5))
    assert result.energy.level == result.momentum.level == "trusted"
    view = result["body"]
    assert np.abs(view.at("b").deflection).max() > 1e-4
    modal = link.modal()
    basis = np.eye(modal.n)
    mass, place, shape = link.tied.material_points(link._reduced(()).basis @ basis)
    sums = []
    for k in (0, -1):
        R, q, u = view.matrix[k], view.coordinates[k], view.rates[k]
        x = view.position[k] + (place + shape @ q) @ R.T
        arm = (place + shape @ q) @ R.T
        v = view.velocity[k] + np.cross(view.angular_velocity[k], arm) + (shape @ u) @ R.T
        sums.append(np.concatenate([mass @ v, mass @ np.cross(x, v)]))
        kinetic = 0.5 * mass @ np.sum(v * v, axis=1)
        sums[-1] = np.append(sums[-1], kinetic + 0.5 * q @ modal.K @ q)
    np.testing.assert_allclose(sums[1], sums[0], rtol=1e-8, atol=1e-8 * np.abs(sums[0]).max())


@pytest.mark.parametrize("mesh", [strip(3, SOFT), bar(1, material=SOFT)], ids=["shell", "solid"])
def test_frames_and_sides_describe_one_motion(mesh: Any) -> None:
    """Hung by either interface, clamped at either, or with the mean axis: all coordinates kept."""
    shapes = sp.reduction.CraigBampton(BOTH, 0)
    tips = []
    for options in ({}, {"clamp": "b"}, {"reference": "mean_axis"}):
        link = body(mesh, shapes, **options)
        tips.append(history(swinging(link, "a", initial_rate=0.3), 0.05))
    # from the far end: the same pendulum, turned by half a turn about z
    other = swinging(body(mesh, shapes), "b", initial_rate=-0.3)
    found = history(other, 0.05, tip="a").position * [-1, -1, 1]
    # Frames differ by what is quadratic in the deflection.
    small = np.abs(tips[0].deflection).max()
    differences = [
        np.abs(p - tips[0].position).max() for p in (tips[1].position, tips[2].position, found)
    ]
    assert 0.0 < max(differences) < 10.0 * small**2 / L


# ---------------------------------------------------------------------------- choices of shapes


def test_craig_bampton_between_two_hubs_needs_few_modes() -> None:
    """A strip between two hubs: 2 modes with fixed ends against many of a clamped strip."""

    def hubs(modes: Any) -> Any:
        m = sp.Model(gravity=(0, 0, -9.81))
        first = m.add(sp.RigidBody("first", 3.0, inertia=0.02))
        panel = m.add(body(strip(4, SOFT), modes))
        last = m.add(sp.RigidBody("last", 2.0, com=(0.05, 0.02, 0), inertia=0.01))
        m.add(sp.Revolute("pin", m.ground.at(0), first.at(-0.1), axis="y"))
        m.add(sp.Fixed("left", first.at(0.1), panel.at("a")))
        m.add(sp.Fixed("right", panel.at("b"), last.at(0)))
        return history(m, 0.1, tolerance="default")

    exact = hubs(30)
    bend = np.abs(exact.deflection).max()
    near, poor = hubs(sp.reduction.CraigBampton(BOTH, 2)), hubs(8)
    errors = [np.abs(h.deflection - exact.deflection).max() / bend for h in (near, poor)]
    assert errors[0] < 2e-3 and errors[0] < 0.2 * errors[1]


def test_static_shapes_answer_their_load_in_a_run() -> None:
    shapes = sp.reduction.StaticShapes(
        [sp.reduction.PointLoadPattern("b", (0, 0, 1)), sp.reduction.WeightPattern("z")]
    )
    m = sp.Model(gravity=(0, 0, -9.81))
    link = m.add(body(strip(6), shapes))
    m.add(sp.Fixed("clamp", m.ground.at(0), link.at("a")))
    m.add(sp.Force("push", link.at("b"), force=(0, 0, -30.0)))
    tip = sp.statics(m)["body"].at("b").deflection[-1]
    EI = PLAIN.E * B * H**3 / 12
    weight = 9.81 * 2700 * B * H
    exact = -30.0 * L**3 / (3 * EI) - weight * L**4 / (8 * EI)
    assert tip[2] == pytest.approx(exact, rel=2e-3)


# ----------------------------------------------------------------------------------- imports


def test_an_import_runs_like_the_mesh(tmp_path: Path) -> None:
    mesh = bar(1, material=SOFT)
    sp.fem.save_component(tmp_path / "bar.npz", mesh)
    own, other = (
        history(thrown(body(c, sp.reduction.CraigBampton(BOTH, 2)), "a"), 0.02)
        for c in (mesh, sp.fem.load_component(tmp_path / "bar.npz"))
    )
    assert np.abs(own.position - other.position).max() < 1e-9
    assert np.abs(own.deflection - other.deflection).max() < 1e-7 * np.abs(own.deflection).max()


def test_a_file_of_calculix_runs() -> None:
    component = sp.fem.read_calculix(DATA / "hexahedra")
    foot = sp.fem.Interface("foot", (0, 0.5, 0.5), component.group("FOOT"))
    m = sp.Model(gravity=(0, 0, -9.81))
    block = m.add(sp.MeshBody("block", component, [foot], modes=3, damping=sp.ModalDamping(0.05)))
    m.add(sp.Spherical("ball", m.ground.at(0), block.at("foot"), initial_rate=(1, 2, 3)))
    result = sp.simulate(m, 0.2, integrator=sp.Radau())
    assert result.energy.level == "trusted"
    assert result["block"].dissipated[-1] > 0.0


# -------------------------------------------------------------------------------------- loops


def four_bar() -> sp.Model:
    """A crank, a flexible coupler of triangles and a rocker, about y."""
    m = sp.Model(gravity=(0, 0, -9.81), name="four-bar")
    crank = m.add(sp.RigidBody("crank", 0.5, com=(0.15, 0, 0), inertia=(1e-3, 4e-3, 4e-3)))
    coupler = m.add(body(strip(4, SOFT, across=1), sp.reduction.CraigBampton(BOTH, 0)))
    rocker = m.add(sp.RigidBody("rocker", 0.8, com=(0.4, 0, 0), inertia=(1e-3, 0.04, 0.04)))
    ground, arm = 1.1, 0.8
    # crank upright at the start; z is up and angles are about -y
    top = 0.3j
    reach = abs(ground - top)
    corner = math.acos((L**2 + reach**2 - arm**2) / (2 * L * reach))
    along = np.angle(ground - top) + corner
    pin = top + L * np.exp(1j * along)
    rock = float(np.angle(pin - ground))
    axis = (0, -1, 0)
    m.add(sp.Revolute("drive", m.ground.at(0), crank.at(0), axis, initial=math.pi / 2))
    m.add(sp.Revolute("knee", crank.at(0.3), coupler.at("a"), axis, initial=along - math.pi / 2))
    m.add(sp.Revolute("bearing", m.ground.at(ground), rocker.at(0), axis, initial=rock))
    m.add(sp.Spherical("pin", coupler.at("b"), rocker.at(arm)))
    m.add(sp.JointEffort("motor", "drive", effort=2.0))
    return m


def test_a_loop_in_two_formulations() -> None:
    """The audit of both, and the same motion."""
    tips = [
        history(four_bar(), 0.05, formulation=f) for f in (sp.JointCoordinates(), sp.Absolute())
    ]
    assert np.abs(tips[0].deflection).max() > 1e-5
    assert np.abs(tips[0].position - tips[1].position).max() < 1e-7
    assert np.abs(tips[0].deflection - tips[1].deflection).max() < 1e-7


# ------------------------------------------------------------------------------ results and cases


def test_results_of_a_mesh_body(tmp_path: Path) -> None:
    m = swinging(body(strip(4), 2, damping=sp.ModalDamping(0.02)), "a")
    result = sp.simulate(m, 0.1)
    view = result["body"]
    tip = view.at("b")
    np.testing.assert_allclose(view.at(L, 0, 0).position, tip.position)
    np.testing.assert_allclose(result[m.bodies["body"].at("b")].position, tip.position)
    corner = int(np.argmax(m.bodies["body"].component.nodes @ [1, 1, 0]))
    moved = view.at(node=corner)
    arm = np.einsum("tij,j->ti", tip.matrix, [0, B / 2, 0])
    np.testing.assert_allclose(moved.position, tip.position + arm, atol=1e-6)
    # velocities against differences, of the deformed body
    dt = result.t[1] - result.t[0]
    rates = np.gradient(tip.position, dt, axis=0)[2:-2]
    assert np.abs(rates - tip.velocity[2:-2]).max() < 1e-3 * np.abs(tip.velocity).max()
    assert view.coordinate_names == ("mode_1", "mode_2")
    result.save(tmp_path / "run.nc")
    again = sp.files.load_result(tmp_path / "run.nc")
    np.testing.assert_array_equal(again["body.mode_2"], view.coordinates[:, 1])


def test_the_velocity_transformation_knows_mesh_bodies() -> None:
    m = swinging(body(strip(4), 2), "b", initial_rate=0.5)
    B = sp.velocity_transformation(m)
    assert B.columns["body"].stop - B.columns["body"].start == 2


@pytest.mark.parametrize("name", ["richard-panels-lowest", "richard-panels-converged"])
def test_panels_for_a_while(name: str) -> None:
    found = sp.cases.get(name).run(until=2.0)
    assert len(found) >= 3 and [q for q in found if not q.passed] == []


def test_plates() -> None:
    found = sp.cases.get("dkt-plates").run()
    assert len(found) == 43 and [q for q in found if not q.passed] == []


# ----------------------------------------------------------------------------------------- size


@pytest.mark.slow
@pytest.mark.parametrize(
    "modes", [20, sp.reduction.CraigBampton(BOTH, 14)], ids=["normal", "craig-bampton"]
)
def test_fifty_thousand_coordinates(modes: Any) -> None:
    """A cube with two rigid faces of 833 nodes: a minute of the processor and 4 GB."""
    import resource
    import time

    start = time.process_time()
    mesh = sp.fem.block((L, L, L), (16, 16, 16), "hex20", ALUMINIUM, origin=(0, -L / 2, -L / 2))
    assert mesh.size > 50_000
    link = body(mesh, modes)
    seconds = time.process_time() - start
    assert link.modal().n == 20 and len(link.interfaces[0].nodes) == 833
    assert seconds < 60.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4e6  # kB
