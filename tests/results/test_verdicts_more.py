"""Answers that are wrong by stretch, loads, warping, yield, few modes or few outputs are told.

Each wrong answer is compared with another theory or a closed form, and what is told with the error;
beside it stands a right one, about which nothing is told.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from supple import fem

ALLOY = sp.Material(E=70e9, G=35e9, density=2700)
STEEL = sp.Material(E=2.1e11, G=2.1e11 / 2.6, density=7800, yield_stress=235e6)
THIN = sp.Rectangle(2e-3, 0.02)  # 2 mm along y
EI = ALLOY.E * 0.02 * 2e-3**3 / 12
FACTOR = 1.5  # between what is told and what is wrong


def told(call):
    """What a call returns, and the sentences of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    return found, [str(w.message) for w in caught if issubclass(w.category, sp.SuppleWarning)]


def finding(result, what):
    """The one finding of a kind, or None."""
    found = [f for f in result.monitor.findings if f.what == what]
    assert len(found) <= 1
    return found[0] if found else None


def near(value, exact):
    return exact / FACTOR < value < exact * FACTOR


# --- stretch between supports ---


def held_beam(deflection, **fields):
    """A strip of 1 m that is clamped at both ends, with a force for a linear deflection (m)."""
    m = sp.Model()
    rod = m.add(sp.Beam("rod", 1.0, THIN, ALLOY, **fields))
    m.add(sp.Fixed("left", m.ground.at(0), rod.at(0)))
    m.add(sp.Fixed("right", m.ground.at(1), rod.at(1.0)))
    m.add(sp.Force("load", rod.at(0.5), (0, 192 * EI * deflection, 0)))
    return m


def held_frame(deflection):
    m = sp.Model()
    places = {"left": (0, 0, 0), "middle": (0.5, 0, 0), "right": (1, 0, 0)}
    pairs = (("left", "middle"), ("middle", "right"))
    members = [sp.Member(*pair, THIN, ALLOY, elements=4) for pair in pairs]
    rod = m.add(sp.FrameStructure("rod", places, members))
    m.add(sp.Fixed("left", m.ground.at(0), rod.at("left")))
    m.add(sp.Fixed("right", m.ground.at(1), rod.at("right")))
    m.add(sp.Force("load", rod.at("middle"), (0, 192 * EI * deflection, 0)))
    return m


def held_board(deflection, modes):
    """The strip as shells, with an interface at its middle; it bends along z."""
    mesh = fem.plate(1.0, 0.02, 20, 1, thickness=2e-3, material=ALLOY)
    x = mesh.nodes[:, 0]
    places = (("left", 0.0), ("right", 1.0), ("middle", 0.5))
    faces = [sp.fem.Interface(n, (at, 0.01, 0), np.flatnonzero(x == at)) for n, at in places]
    m = sp.Model()
    rod = m.add(sp.MeshBody("rod", mesh, faces, modes=modes))
    m.add(sp.Fixed("left", m.ground.at(0, 0.01), rod.at("left")))
    m.add(sp.Fixed("right", m.ground.at(1, 0.01), rod.at("right")))
    m.add(sp.Force("load", rod.at("middle"), (0, 0, 192 * EI * deflection)))
    return m


def true_deflection(deflection):
    """The middle of the strip in sixteen parts, which may turn and stretch as they will."""
    return float(sp.statics(held_beam(deflection, parts=16))["rod"].at(0.5).position[0, 1])


KINDS = {
    "beam": lambda w: held_beam(w, elements=8),
    "frame": held_frame,
    "board": lambda w: held_board(w, sp.reduction.CraigBampton(["left", "right", "middle"], 2)),
    "board without modes that stretch": lambda w: held_board(w, sp.reduction.AttachmentModes(2)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("deflection", [1.5e-3, 6e-3])
def test_a_body_between_two_clamps_stretches_as_it_bends(kind, deflection):
    result, sentences = told(lambda: sp.statics(KINDS[kind](deflection)))
    true = 1.0 - true_deflection(deflection) / deflection
    assert true > 0.05
    assert near(finding(result, "stretch").value, true)
    assert bool(sentences) == (true > 0.25)


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_deflection_between_two_clamps_is_not_told(kind):
    result, sentences = told(lambda: sp.statics(KINDS[kind](1e-4)))
    assert true_deflection(1e-4) == pytest.approx(1e-4, rel=3e-3)
    assert result.monitor.level == "valid" and not sentences


def test_stretch_is_told_over_a_run_and_seen_by_second_order():
    m = held_beam(0.0, elements=8, damping=sp.Rayleigh(stiffness=1e-2))
    m.replace("load", force=(0, sp.SmoothStep(0, 0.2, after=192 * EI * 6e-3), 0))
    run, _ = told(lambda: sp.simulate(m, 0.4))
    assert finding(run, "stretch").serious
    stiff = sp.statics(held_beam(6e-3, elements=8, stiffening="second_order"))
    assert stiff.monitor.level == "valid"
    assert stiff["rod"].at(0.5).position[0, 1] == pytest.approx(true_deflection(6e-3), rel=1e-3)


def test_a_beam_on_a_hinge_and_a_slider_does_not_stretch():
    m = sp.Model()
    rod = m.add(sp.Beam("rod", 1.0, THIN, ALLOY, elements=8))
    end = m.add(sp.RigidBody("end", 1e-3, inertia=1e-6))
    m.add(sp.Revolute("left", m.ground.at(0), rod.at(0)))
    m.add(sp.Prismatic("slide", m.ground.at(1), end.at(0), axis="x"))
    m.add(sp.Revolute("right", rod.at(1.0), end.at(0)))
    m.add(sp.Force("load", rod.at(0.5), (0, 48 * EI * 6e-3, 0)))
    assert sp.statics(m).monitor.level == "valid"


def row(deflection, **fields):
    """The strip between two clamps as two beams that are welded at the middle."""
    m = sp.Model()
    left, right = (m.add(sp.Beam(n, 0.5, THIN, ALLOY, **fields)) for n in ("left", "right"))
    m.add(sp.Fixed("wall", m.ground.at(0), left.at(0)))
    m.add(sp.Fixed("weld", left.at(0.5), right.at(0)))
    m.add(sp.Fixed("other wall", m.ground.at(1), right.at(0.5)))
    m.add(sp.Force("load", right.at(0), (0, 192 * EI * deflection, 0)))
    return m


@pytest.mark.parametrize("deflection", [1e-3, 2e-3, 6e-3])
def test_two_bodies_in_a_row_between_clamps_stretch_as_they_bend(deflection):
    result, _ = told(lambda: sp.statics(row(deflection)))
    true = 1.0 - true_deflection(deflection) / deflection
    found = [f for f in result.monitor.findings if f.what == "stretch"]
    assert len(found) == 2 and all(near(f.value, true) for f in found)


def test_two_bodies_in_a_row_that_hardly_bend_or_have_stiffening_are_not_told():
    for m in (row(1e-4), row(6e-3, stiffening="second_order")):
        assert sp.statics(m).monitor.level == "valid"


def test_beams_of_a_portal_do_not_stretch():
    """Its columns give way: no tension holds the bar between them."""
    m = sp.Model()
    turned = {"left": (0, 0, np.pi / 2), "bar": (0, 0, 0), "right": (0, 0, -np.pi / 2)}
    beams = {n: m.add(sp.Beam(n, 1.0, sp.Rectangle(0.01, 0.02), ALLOY)) for n in turned}
    up, down = (m.ground.at(x, 0, 0, rotation=turned["left"]) for x in (0, 1))
    m.add(sp.Fixed("foot", up, beams["left"].at(0)))
    corner = beams["left"].at(1.0, rotation=(0, 0, -np.pi / 2))
    m.add(sp.Fixed("corner", corner, beams["bar"].at(0)))
    other = beams["bar"].at(1.0, rotation=(0, 0, -np.pi / 2))
    m.add(sp.Fixed("other corner", other, beams["right"].at(0)))
    m.add(sp.Fixed("other foot", down, beams["right"].at(1.0, rotation=(0, 0, np.pi))))
    m.add(sp.Force("load", beams["bar"].at(0.5), (0, -20.0, 0)))
    assert [f.what for f in sp.statics(m).monitor.findings if f.what == "stretch"] == []


def clamped_plate(deflection, n, **fields):
    """A square plate of 1 m by 2 mm in a rigid frame, with a force for a linear deflection (m)."""
    mesh = fem.plate(1.0, 1.0, n, n, thickness=2e-3, material=STEEL)
    x, y = mesh.nodes[:, :2].T
    edge = np.flatnonzero((x == 0) | (x == 1) | (y == 0) | (y == 1))
    m = sp.Model()
    faces = [sp.fem.Interface("edge", (0, 0, 0), edge)]
    sheet = m.add(
        sp.MeshBody("sheet", mesh, faces, modes=sp.reduction.AttachmentModes(4), **fields)
    )
    m.add(sp.Fixed("frame", m.ground.at(0), sheet.at("edge")))
    m.add(sp.Force("load", sheet.at(0.5, 0.5, 0), (0, 0, plate_force(deflection))))
    return m


def plate_force(deflection):
    """By Timoshenko and Woinowsky-Krieger, w = 0.0056 F a^2/D."""
    return deflection * STEEL.E * 2e-3**3 / 12 / (1 - 0.3**2) / 0.00561


def true_plate(deflection):
    """The same plate by nodal vectors, whose strains are of any order."""
    m = sp.Model()
    sheet = m.add(sp.ANCFPlate("sheet", (1.0, 1.0), 2e-3, STEEL, elements=(10, 10)))
    x, y, _ = sheet.coordinates.T
    edge = (x == 0) | (x == 1) | (y == 0) | (y == 1)
    for k, (a, b, _) in enumerate(sheet.coordinates[edge]):
        m.add(sp.Fixed(f"edge {k}", m.ground.at(a, b), sheet.at(a, b)))
    m.add(sp.Force("load", sheet.at(0.5, 0.5), (0, 0, plate_force(deflection))))
    result, _ = told(lambda: sp.statics(m))
    return float(result["sheet"].at(0.5, 0.5).displacement[0, 2])


@pytest.mark.parametrize("fields", [{}, {"stiffening": "second_order"}])
def test_a_clamped_plate_stretches_as_it_bends(fields):
    result, sentences = told(lambda: sp.statics(clamped_plate(4e-3, 10, **fields)))
    found = finding(result, "stretch")
    assert found.serious and any("ANCFPlate" in s for s in sentences)
    assert near(found.value, 1.0 - true_plate(4e-3) / 4e-3)


def test_a_plate_that_hardly_bends_and_a_board_that_can_be_developed_are_not_told():
    assert finding(sp.statics(clamped_plate(1e-4, 10)), "stretch") is None
    mesh = fem.plate(1.0, 0.2, 12, 4, thickness=2e-3, material=STEEL)
    m = sp.Model()
    root = np.flatnonzero(mesh.nodes[:, 0] == 0.0)
    faces = [sp.fem.Interface("root", (0, 0.1, 0), root)]
    board = m.add(sp.MeshBody("board", mesh, faces, modes=sp.reduction.AttachmentModes(4)))
    m.add(sp.Fixed("wall", m.ground.at(0, 0.1), board.at("root")))
    m.add(sp.Force("load", board.at(1.0, 0.1, 0), (0, 0, 6.0)))  # 30 thicknesses
    assert finding(sp.statics(m), "stretch") is None


# --- stiffness of a frame under loads ---


def pulled(part, **fields):
    """A cantilever under a part of its Euler load, pulled where positive."""
    m = sp.Model()
    rod = m.add(sp.Beam("rod", 1.0, THIN, ALLOY, elements=8, **fields))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    m.add(sp.Force("load", rod.at(1.0), (part * np.pi**2 / 4 * EI, 0, 0)))
    return m


def true_stiffness(part):
    """Of the end of a beam column across its axis, N/m."""
    p = part * np.pi**2 / 4 * EI
    k = np.sqrt(abs(p) / EI)
    return p / (1 - np.tanh(k) / k) if p > 0 else -p / (np.tan(k) / k - 1)


@pytest.mark.parametrize("part", [5.0, -0.6])
def test_stiffness_tells_what_tension_and_pressure_change(part):
    m = pulled(part)
    found, sentences = told(lambda: sp.stiffness(m, m["rod"].at(1.0), ["y"]))
    off = abs(float(found.along("y")[0]) / true_stiffness(part) - 1.0)
    assert off > 0.5 and any("second_order" in s for s in sentences)
    assert found.positions[0].monitor.findings[-1].value == pytest.approx(off, rel=0.01)


@pytest.mark.parametrize("part", [5.0, -0.6])
def test_stiffness_of_second_order_is_right_and_not_told(part):
    m = pulled(part, stiffening="second_order")
    found, sentences = told(lambda: sp.stiffness(m, m["rod"].at(1.0), ["y"]))
    assert float(found.along("y")[0]) == pytest.approx(true_stiffness(part), rel=1e-3)
    assert not sentences


def test_tension_does_not_change_the_stiffness_along_it():
    m = pulled(5.0)
    found, sentences = told(lambda: sp.stiffness(m, m["rod"].at(1.0), ["x"]))
    assert float(found.along("x")[0]) == pytest.approx(ALLOY.E * 4e-5, rel=1e-6)
    assert not sentences


# --- error bars of short contacts ---


def ball(stiffness):
    m = sp.Model(gravity=(0, 0, -9.81))
    body = m.add(sp.RigidBody("ball", 1.0, inertia=1e-2))
    m.add(sp.Prismatic("fall", m.ground.at(0), body.at(0), axis="z", initial=1.0))
    m.add(sp.JointStop("floor", "fall", lower=0.0, stiffness=stiffness))
    return m


def test_a_certificate_sees_a_contact_that_is_shorter_than_its_outputs():
    k = 1e8  # the ball touches for 0.3 ms, outputs are every 3 ms
    found = sp.certify(ball(k), 0.6, "floor.effort @ max", intervals=200)
    exact = 9.81 + np.sqrt(9.81**2 + 2 * k * 9.81)
    assert found.level == "certified"
    assert abs(found.value - exact) < found.bar < 0.01 * exact


def test_a_certificate_sees_a_pulse_that_is_shorter_than_its_outputs():
    m = sp.Model()
    body = m.add(sp.RigidBody("block", 2.0, inertia=1.0))
    m.add(sp.Prismatic("slide", m.ground.at(0), body.at(0), axis="x"))
    pulse = sp.Table([0, 0.50001, 0.50006, 0.50011, 1.0], [0, 0, 2e4, 0, 0])
    m.add(sp.JointEffort("pulse", "slide", effort=pulse))
    found = sp.certify(m, 1.0, "block.acceleration.x @ max", intervals=50)
    assert abs(found.value - 1e4) < max(found.bar, 1e-6 * 1e4)


# --- critical speeds between few speeds ---


def gyro(speeds):
    """A disc on a joint with two springs: its backward whirl is critical at sqrt(k/(A + C))."""
    m = sp.Model()
    axle = m.add(sp.RigidBody("axle", 1e-3, inertia=1e-6))
    disc = m.add(sp.RigidBody("disc", 5.0, inertia=(0.02, 0.02, 0.04)))
    axes = [("rotate", "x"), ("rotate", "y")]
    m.add(sp.General("bend", m.ground.at(0), axle.at(0), axes=axes))
    for k in (0, 1):
        m.add(sp.JointSpring(f"spring {k}", "bend", 200.0, coordinate=k))
    m.add(sp.Revolute("turn", axle.at(0), disc.at(0), axis="z"))
    m.add(sp.Driver("motor", "turn", 0.0))
    found = sp.campbell(m, "turn", speeds)
    spots, sentences = told(found.critical_speeds)
    return float(next(iter(spots.values()))[0]), sentences


@pytest.mark.parametrize("count", [2, 3, 5])
def test_critical_speeds_between_speeds_that_are_far_from_each_other_are_told(count):
    found, sentences = gyro(np.linspace(0, 400, count))
    assert abs(found / np.sqrt(200 / 0.060002) - 1.0) > 0.05
    assert len(sentences) == 1 and "give more speeds" in sentences[0]


def test_critical_speeds_between_close_speeds_are_not_told():
    found, sentences = gyro(np.linspace(0, 100, 21))
    assert found == pytest.approx(np.sqrt(200 / 0.060002), rel=5e-3) and not sentences


# --- open sections that cannot warp, in frame structures ---


def twisted_frame(section, **fields):
    m = sp.Model()
    member = sp.Member("foot", "top", section, STEEL, elements=4)
    rod = m.add(sp.FrameStructure("rod", {"foot": (0, 0, 0), "top": (1, 0, 0)}, [member], **fields))
    m.add(sp.Fixed("weld", m.ground.at(0), rod.at("foot")))
    m.add(sp.Force("load", rod.at("top"), torque=(100.0, 0, 0)))
    return sp.statics(m)


@pytest.mark.parametrize("fields", [{}, {"parts": 4}])
def test_members_of_open_sections_that_are_clamped_twist_too_much(fields):
    section = sp.ISection(0.2, 0.2, 0.009, 0.015)
    result, _ = told(lambda: twisted_frame(section, **fields))
    flange = section.flange * section.size_z**3 / 12
    warping = flange * (section.size_y - section.flange) ** 2 / 2
    k = np.sqrt(STEEL.G * section.J / (STEEL.E * warping))
    excess = 1.0 / (1.0 - np.tanh(k) / k) - 1.0  # Vlasov
    assert finding(result, "warping").value == pytest.approx(excess, rel=0.02)


@pytest.mark.parametrize(
    "section", [sp.Tube(0.1, 0.005), sp.ISection(0.2, 0.2, 0.009, 0.015, warping="free")]
)
def test_members_that_warp_freely_or_hardly_are_not_told(section):
    assert finding(twisted_frame(section), "warping") is None


# --- columns that yield before they buckle ---


def column(kind, length, **fields):
    m = sp.Model()
    rod = m.add(kind("rod", length, sp.Tube(0.1, 0.005), STEEL, **fields))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    m.add(sp.Force("load", rod.at(length), (-1e5, 0, 0)))
    return m


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (sp.Beam, {"elements": 8, "stiffening": "second_order"}),
        (sp.Beam, {"parts": 8}),
        (sp.ANCFBeam, {}),
    ],
)
def test_a_column_that_yields_before_it_buckles_is_told(kind, fields):
    found, sentences = told(lambda: sp.buckling(column(kind, 1.0, **fields)))
    yields = 235e6 * sp.Tube(0.1, 0.005).area / 1e5
    assert found.strained["rod"] == pytest.approx(found.factors[0] / yields, rel=0.01)
    assert any("yields" in s for s in sentences)


def test_a_slender_column_is_not_told_to_yield():
    m = column(sp.Beam, 5.0, elements=8, stiffening="second_order")
    m.add(sp.Force("side", m["rod"].at(5.0), (0, 100.0, 0)))  # does not grow
    found, sentences = told(lambda: sp.buckling(m, follow="load"))
    euler = np.pi**2 / 4 * STEEL.E * sp.Tube(0.1, 0.005).I_z / 25
    assert found.factors[0] == pytest.approx(euler / 1e5, rel=1e-3)
    assert found.strained == {} and not sentences


# --- stress by few modes ---


def heavy(**fields):
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.01, 0.02), ALLOY, **fields))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    return sp.statics(m)


def test_stress_by_few_modes_is_compared_with_the_balance_of_loads():
    result = heavy(elements=16, modes=2)
    assert result.monitor.level == "valid"  # its deflection is right
    exact = 2700 * 2e-4 * 9.81 / 2 * 0.005 / (0.02 * 0.01**3 / 12)
    found, sentences = told(lambda: result["rod"].largest_stress().value)
    assert abs(found / exact - 1.0) > 0.1
    assert len(sentences) == 1 and "11 % too small" in sentences[0]
    assert told(result["rod"].von_mises)[1] == sentences
    right, sentences = told(lambda: heavy(elements=16)["rod"].largest_stress().value)
    assert right == pytest.approx(exact, rel=5e-3) and not sentences
