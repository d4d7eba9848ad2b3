"""What elastic coordinates leave out, part by part, and the shapes that leave out nothing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from models import mesh_bodies
from supple.analyses.reactions.reactions import SelfStress
from supple.engine.base.histories import RunHistory
from supple.results.flexibility.truncation import deflected, truncations, with_right_reactions
from supple.results.views.body_loads import INERTIA, body_loads

ALLOY = sp.Material(70e9, 26e9, 2700)
SECTION = sp.Rectangle(0.01, 0.02)
EI = 70e9 * 0.02 * 0.01**3 / 12
WEIGHT = 2700 * 2e-4 * 9.81
TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        yield


def held(left, right, rotation=None, gravity=(0, -9.81, 0), **options):
    """A beam between two places of the ground."""
    R = np.eye(3) if rotation is None else rotation
    m = sp.Model(gravity=tuple(R @ np.array(gravity)))
    given = {"elements": 8, "modes": 4} | options
    rod = m.add(sp.Beam("rod", 1.0, SECTION, ALLOY, **given))
    m.add(left("left", m.ground.at(0, 0, 0, R), rod.at(0)))
    m.add(right("right", m.ground.at(*R[:, 0], R), rod.at(1.0)))
    return m


def test_right_reactions_of_a_beam_that_cannot_bend():
    """Its four modes are locked; its whole mesh under the right reactions bends as it should."""
    for rotation in (None, TURN):
        s = sp.statics(held(sp.Fixed, sp.Fixed, rotation))
        bodies = deflected(s, s.data.compiled.flexible, np.arange(1))
        sets = s.data.self_stress(s.data.history)
        right = with_right_reactions(bodies, sets, s.data.compiled)["rod"]
        moved = np.einsum("pim,km->pi", right.response.moved, right.right)
        x = right.response.points[:, 0]
        exact = -WEIGHT * x**2 * (1.0 - x) ** 2 / 24 / EI
        assert moved[:, 1] == pytest.approx(exact, abs=1e-6 * np.abs(exact).max())
        assert np.abs(moved[:, [0, 2, 3]]).max() < 1e-9 * np.abs(exact).max()
        # moments w L^2 / 12 at both ends, forces w L / 2
        loads = right.right[0, INERTIA : INERTIA + 12].reshape(2, 6)
        assert loads[:, 1] == pytest.approx(WEIGHT / 2, rel=1e-6)
        assert loads[:, 5] == pytest.approx([WEIGHT / 12, -WEIGHT / 12], rel=1e-6)


def test_self_stress():
    """A force along the line, and what a joint with two axes lets through; none in a tree."""
    s = sp.statics(held(sp.Universal, sp.Spherical, TURN, gravity=(0, 0, 0)))
    (sets,) = SelfStress(s.data.model)(s.data.history)
    (first, near), (last, far) = sets["rod"]
    assert (first.position[0], last.position[0]) == (0.0, 1.0)
    assert near == pytest.approx(-far, abs=1e-12)  # about one point
    assert np.linalg.matrix_rank(near[3:], tol=1e-9) == near.shape[1] == 2
    pulled = near[3] / np.linalg.norm(near[3])
    assert near @ pulled == pytest.approx([0, 0, 0, np.linalg.norm(near[3]), 0, 0], abs=1e-9)
    tree = sp.statics(held(sp.Fixed, sp.Spherical, gravity=(0, 0, 0)))
    assert SelfStress(tree.data.model)(tree.data.history)[0]["rod"][0][1].shape[1] == 3


def test_self_stress_beside_a_body_that_flies():
    """A body on a free joint of its own changes nothing for the others."""
    found = []
    for flies in (False, True):
        m = sp.Model(gravity=(0, 0, 0))
        if flies:  # first, so that its coordinates are before the others
            stone = m.add(sp.RigidBody("stone", 1.0, inertia=0.1))
            m.add(sp.Free("flight", m.ground.at(0), stone.at(0), initial=(3, 2, 1)))
        rod = m.add(sp.Beam("rod", 1.0, SECTION, ALLOY, elements=8, modes=4))
        m.add(sp.Universal("left", m.ground.at(0), rod.at(0)))
        m.add(sp.Spherical("right", m.ground.at(1.0), rod.at(1.0)))
        run = sp.simulate(m, 1e-3, output=2)
        sets = SelfStress(m)(run.data.history)[-1]
        near = sets["rod"][0][1]
        found.append(near @ np.linalg.pinv(near))
    assert found[1] == pytest.approx(found[0], abs=1e-9)


def test_loads_of_constraints():
    """They balance the weight, and are those of joints in their place."""
    m = sp.Model(gravity=tuple(TURN @ [0, -9.81, 0]))
    rod = m.add(sp.Beam("rod", 1.0, SECTION, ALLOY, elements=8))
    m.add(sp.Revolute("pin", m.ground.at(0, 0, 0, TURN), rod.at(0)))
    m.add(sp.PointOnLine("end", m.ground.at(0, 0, 0, TURN), rod.at(1.0), axis="x"))
    m.add(sp.PointOnPlane("middle", m.ground.at(0, 0, 0, TURN), rod.at(0.5), normal="y"))
    s = sp.statics(m)
    loads = body_loads(s, s.data.compiled.flexible["rod"])
    forces = loads.factors[0, INERTIA:].reshape(-1, 6)[:, 1]
    # two spans: 3/16, 10/16 and 3/16 of the weight
    assert loads.places == (0.0, 0.5, 1.0)
    assert forces == pytest.approx(WEIGHT * np.array([3, 10, 3]) / 16, rel=1e-4)


def test_all_coordinates_leave_out_what_is_between_the_nodes():
    """A spread load bends an element between its nodes, with 1/n^4 of the whole energy.

    The fine mesh, of 16 elements, leaves out as much of its own.
    """
    for n in (2, 4):
        s = sp.statics(held(sp.Fixed, sp.Fixed, modes="all", elements=n))
        found = truncations(s)["rod"]
        exact = (n**-4 - 16.0**-4) / (1.0 - 16.0**-4)
        assert found.energy.largest == pytest.approx(exact, rel=1e-6)
        assert found.count == 6 * n


def bent(modes, reference="clamped", place=1.0, **options):
    m = sp.Model(gravity=(0, -9.81, 1.0))
    given = {"elements": 4, "modes": modes, "reference": reference} | options
    rod = m.add(sp.Beam("rod", 1.0, SECTION, ALLOY, **given))
    m.add(sp.Fixed("wall", m.ground.at(0), rod.at(0)))
    m.add(sp.Force("load", rod.at(place), force=(1.0, 0, 3.0), torque=(0.5, -0.2, 0.1)))
    return m


@pytest.mark.parametrize("reference", ["clamped", "chord", "mean_axis"])
@pytest.mark.parametrize("place", [1.0, 0.7])
def test_attachment_modes_are_exact_in_statics(reference, place):
    """As all coordinates are, in every frame, at a node or between two."""
    few = sp.statics(bent(sp.reduction.AttachmentModes(1), reference, place))
    whole = sp.statics(bent("all", reference, place))
    # six for each place but the one at the frame, six of accelerations, one mode; at most all
    assert 6 < few.data.compiled.nu < whole.data.compiled.nu
    for x in (0.25, 0.7, 1.0):
        a, b = (r["rod"].at(x).position[0] for r in (few, whole))
        assert a == pytest.approx(b, abs=1e-9)
    assert few.monitor.level == whole.monitor.level


@pytest.mark.slow
def test_attachment_modes_in_all_formulations():
    """The same motion, and the shapes are kept: what is looked at does not change them."""
    found = []
    for formulation in (sp.JointCoordinates(), sp.Absolute()):
        m = bent(
            sp.reduction.AttachmentModes(2), damping=sp.ModalDamping(0.1), stiffening="second_order"
        )
        r = sp.simulate(m, 0.05, formulation=formulation, output=10, tolerance="tight")
        assert r["rod"].at(0.3).deflection.shape == (11, 3)
        found.append(r["rod"].at(1.0).position)
        assert r.energy.verdict.startswith("trusted")
    assert found[0] == pytest.approx(found[1], abs=1e-7)
    ready = sp.prepare(m)
    again = ready.simulate(0.05, output=10, tolerance="tight")
    assert np.array_equal(again["rod"].at(1.0).position, found[0])
    assert again["rod"].at(0.0).section_forces().Mz.shape == (11,)


def test_attachment_modes_without_anything_attached():
    beam = sp.Beam("rod", 1.0, SECTION, ALLOY, modes=sp.reduction.AttachmentModes(2), elements=4)
    assert beam.modal().n == 2 + 6  # six rigid accelerations
    assert beam.modal([(1.0, 0.0)]).n > beam.modal().n
    with pytest.raises(sp.ModelError, match="n of its modes is 99, expected at most 24"):
        sp.Beam("rod", 1.0, SECTION, ALLOY, modes=sp.reduction.AttachmentModes(99), elements=4)
    with pytest.raises(sp.ModelError, match="AttachmentModes: n is -1, expected zero or"):
        sp.reduction.AttachmentModes(-1)


def test_attachment_modes_of_meshes():
    """A solid that hangs between two clamped faces, as Craig and Bampton's shapes have it."""
    mesh = mesh_bodies.bar(16)  # four elements would be far too stiff between clamps
    found = []
    for modes in (sp.reduction.AttachmentModes(0), sp.reduction.CraigBampton(["a", "b"], 20)):
        m = sp.Model(gravity=(0, 0, -9.81))
        body = m.add(mesh_bodies.body(mesh, modes))
        for name, x in (("a", 0.0), ("b", 1.0)):
            m.add(sp.Fixed(name, m.ground.at(x), body.at(name)))
        s = sp.statics(m)
        node = int(np.argmin(np.abs(mesh.nodes - [0.5, 0, 0]).sum(axis=1)))
        found.append(s["body"].at(node=node).deflection[0, 2])
        assert s.monitor.level == "valid"
    assert found[0] == pytest.approx(found[1], rel=2e-3)


def test_a_body_of_standard_data_is_not_judged(tmp_path):
    """Its mesh is not known: the share of its highest mode is looked at."""
    beam = sp.Beam("rod", 1.0, SECTION, ALLOY, elements=8, modes=[1, 3])
    path = tmp_path / "rod.sid"
    sp.files.write_sid(path, beam, [beam.at(0), beam.at(0.25), beam.at(1.0)])
    m = sp.Model()
    body = m.add(sp.SIDBody("rod", path))
    m.add(sp.Fixed("wall", m.ground.at(0), body.at("1")))
    m.add(sp.Force("push", body.at("2"), force=(0, 1.0, 0)))
    s = sp.statics(m)
    assert np.isnan(s.monitor["rod"].left_out)
    assert "its highest mode that moves carries" in s.monitor.findings[0].sentence
    assert np.all(np.isnan(sp.linearize(m).frequency_errors))


def test_states_that_diverged_have_no_reactions_of_their_own():
    """Rows of such states are no numbers: the monitor looks at what there is, and does not stop."""
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.01, 0.02), ALLOY, elements=2, modes=2))
    m.add(sp.Fixed("left", m.ground.at(0), rod.at(0)))
    m.add(sp.Fixed("right", m.ground.at(1.0), rod.at(1.0)))
    found = sp.statics(m)
    rows = SelfStress(m)(found.data.history)
    assert all(len(wrenches) for wrenches in rows[0].values())
    q = np.full_like(found.q, np.nan)
    lost = RunHistory(found.data.history.row_sets, found.t, q, found.u, found.z)
    assert SelfStress(m)(lost) == [{"rod": []}]


@pytest.mark.parametrize("elements", [1, 4, 16])
def test_what_elements_leave_out_of_a_notch(elements):
    """However fine they are: statics of the sections are exact in what they are compared with."""
    steel, load = sp.Material(E=2.1e11, G=0.8e11, density=7800.0), 1.0
    thick, thin = sp.Rectangle(0.04, 0.04), sp.Rectangle(0.004, 0.04)
    notch = sp.TaperedSection(thick, thin, thick)
    m = sp.Model()
    beam = m.add(sp.Beam("beam", 1.0, notch, steel, elements=elements))
    m.add(sp.Fixed("clamp", m.ground.at(0), beam.at(0)))
    m.add(sp.Force("tip", beam.at(1.0), (0, load, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        result = sp.statics(m)
    x, w = np.polynomial.legendre.leggauss(400)  # in each half
    rate = [sum(w * (1 - s) ** 2 / [steel.E * notch.at(a).I_z for a in s])
            for s in (0.25 + 0.25 * x, 0.75 + 0.25 * x)]  # fmt: skip
    exact = 0.25 * load * sum(rate)
    error = 1.0 - result["beam"].at(1.0).deflection[0, 1] / exact
    told = result.monitor
    assert told["beam"].left_out == pytest.approx(error, rel=0.1)
    assert (told.level == "valid") == (error < 0.02)
