"""Flexible bodies held in every way: what is called valid is right, what is right is valid.

A table of models with known answers. Whatever the elastic coordinates: an answer that is wrong by
more than 5 % is not called valid, one that is right within 0.5 % is called nothing else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

import supple as sp
from models import mesh_bodies

ALLOY = sp.Material(70e9, 26e9, 2700)
SECTION = sp.Rectangle(0.01, 0.02)
EI = 70e9 * 0.02 * 0.01**3 / 12  # softer direction, y
EA = 70e9 * 2e-4
GJ = 26e9 * SECTION.J
LINE = 2700 * 2e-4  # kg/m
WEIGHT = LINE * 9.81
WRONG, RIGHT = 0.05, 0.005
DOWN = (0.0, -9.81, 0.0)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        yield


def beam(modes, name="rod", **options):
    return sp.Beam(name, **({"length": 1.0, "section": SECTION, "material": ALLOY, "elements": 8}
                            | {"modes": modes} | options))  # fmt: skip


def sliding(m: sp.Model, place: float = 1.0, name: str = "end") -> sp.RigidBody:
    """A small body that slides along x: the far end of a beam does not hold it along its axis."""
    end = m.add(sp.RigidBody(name, 0.01, inertia=1e-6))
    m.add(sp.Prismatic(f"slide of {name}", m.ground.at(place), end.at(0), axis="x"))
    return end


def between(left, right, gravity=DOWN, force=None, torque=None, backwards=False):
    """A beam held at both ends by two kinds of joints, perhaps loaded in its middle."""

    def build(modes, **options):
        m = sp.Model(gravity=gravity)
        rod = m.add(beam(modes, **options))
        end = sliding(m)
        frames = [(m.ground.at(0), rod.at(0)), (rod.at(1.0), end.at(0))]
        for name, kind, pair in zip("lr", (left, right), frames, strict=True):
            m.add(kind(name, *(pair[::-1] if backwards else pair)))
        if force is not None or torque is not None:
            m.add(
                sp.Force("load", rod.at(0.5), force=force or (0, 0, 0), torque=torque or (0, 0, 0))
            )
        return m

    return build


def middle(s: sp.results.StaticResult) -> float:
    return float(s["rod"].at(0.5).position[0, 1])


def cantilever(place=1.0, **load):
    def build(modes, **options):
        m = sp.Model()
        rod = m.add(beam(modes, **options))
        m.add(sp.Fixed("wall", m.ground.at(0), rod.at(0)))
        m.add(sp.Force("load", rod.at(place), **load))
        return m

    return build


def three_pins(modes, **options):
    """Two equal spans, each bent as a beam with one clamped end."""
    m = sp.Model(gravity=DOWN)
    rod = m.add(beam(modes, **options))
    m.add(sp.Revolute("left", m.ground.at(0), rod.at(0)))
    for place, name in ((0.5, "middle"), (1.0, "right")):
        m.add(sp.Revolute(f"{name} pin", rod.at(place), sliding(m, place, name).at(0)))
    return m


def on_lines(modes, **options):
    """The same by constraints in place of joints."""
    m = sp.Model(gravity=DOWN)
    rod = m.add(beam(modes, **options))
    m.add(sp.Revolute("left", m.ground.at(0), rod.at(0)))
    m.add(sp.PointOnLine("right", m.ground.at(0), rod.at(1.0), axis="x"))
    m.add(sp.PointOnPlane("middle", m.ground.at(0), rod.at(0.5), normal="y"))
    return m


def welded(modes, parts=4, **options):
    """A cantilever of several beams."""
    m = sp.Model()
    last, size = None, 1.0 / parts
    for k in range(parts):
        part = m.add(beam(modes, f"part{k}", length=size, **({"elements": 2} | options)))
        inner = m.ground.at(0) if last is None else last.at(size)
        m.add(sp.Fixed(f"weld{k}", inner, part.at(0)))
        last = part
    m.add(sp.Force("load", last.at(size), force=(0, 1.0, 0)))
    return m


class Row(NamedTuple):
    """A model by its elastic coordinates, one number of its equilibrium, and what that is."""

    build: Callable[..., sp.Model]
    read: Callable[[sp.results.StaticResult], float]
    exact: float
    choices: tuple = (2, 4, 8, "all", sp.reduction.AttachmentModes(1))
    options: tuple = ({},)


def place(x: float, axis: int = 1, part: str = "rod") -> Callable[[sp.results.StaticResult], float]:
    """Where a station of a beam along x is."""
    still = (float(part[4:]) * 0.25 if part != "rod" else 0.0) + x if axis == 0 else 0.0
    return lambda s: float(s[part].at(x).position[0, axis]) - still


def turn(x: float, axis: int) -> Callable[[sp.results.StaticResult], float]:
    """How far a station of a beam is turned, a small angle."""
    i, j = ((2, 1), (0, 2), (1, 0))[axis]
    return lambda s: float(s["rod"].at(x).matrix[0, i, j])


FRAMES = ({}, {"reference": "chord"}, {"reference": "mean_axis"})
CHORD = ({"reference": "chord"},)
PIN, CLAMP, NONE = sp.Revolute, sp.Fixed, (0.0, 0.0, 0.0)
MORE = (2, 4, 8, "all", sp.reduction.AttachmentModes(2))
TABLE = {
    "pins, weight": Row(between(PIN, PIN), place(0.5), -5 * WEIGHT / 384 / EI, options=FRAMES),
    "pins, force": Row(between(PIN, PIN, NONE, (0, 1.0, 0)), place(0.5), 1 / 48 / EI),
    "clamps, weight": Row(between(CLAMP, CLAMP), place(0.5), -WEIGHT / 384 / EI, options=FRAMES),
    "clamps, backwards": Row(between(CLAMP, CLAMP, backwards=True), place(0.5), -WEIGHT / 384 / EI),
    "clamps, force": Row(between(CLAMP, CLAMP, NONE, (0, 1.0, 0)), place(0.5), 1 / 192 / EI),
    "clamp and pin": Row(between(CLAMP, PIN), place(0.5), -WEIGHT / 192 / EI),
    "pin and clamp": Row(between(PIN, CLAMP), place(0.5), -WEIGHT / 192 / EI),
    "torsion": Row(
        between(CLAMP, CLAMP, NONE, None, (1.0, 0, 0)),
        turn(0.5, 0),
        0.25 / GJ,
        (4, 16, 30, "all", sp.reduction.AttachmentModes(2)),
    ),
    "three pins": Row(three_pins, place(0.25), -WEIGHT / 192 / 16 / EI, MORE),
    "constraints": Row(on_lines, place(0.25), -WEIGHT / 192 / 16 / EI, MORE),
    "tip force": Row(cantilever(force=(0, 1.0, 0)), place(1.0), 1 / 3 / EI, options=FRAMES),
    "force near the root": Row(
        cantilever(0.25, force=(0, 1.0, 0)),
        place(0.25),
        0.25**3 / 3 / EI,
        (1, [1, 3], 4, 8, 20, "all", sp.reduction.AttachmentModes(1)),
    ),
    "tip torque": Row(cantilever(torque=(0, 0, 1.0)), turn(1.0, 2), 1 / EI),
    "pulled": Row(cantilever(force=(1e3, 0, 0)), place(1.0, 0), 1e3 / EA, (2, 4, "all")),
    "welded beams": Row(
        welded,
        place(0.25, part="part3"),
        1 / 3 / EI,
        (
            2,
            4,
            6,
            "all",
            sp.reduction.AttachmentModes(1),
            sp.reduction.CraigBampton([0.0, 0.25], 0),
        ),
    ),
    "sines between pins": Row(
        between(PIN, PIN),
        place(0.5),
        -5 * WEIGHT / 384 / EI,
        (sp.reduction.SineShapes(1, planes="y"), sp.reduction.SineShapes(3, planes="y")),
        CHORD,
    ),
    "sines between clamps": Row(
        between(CLAMP, CLAMP),
        place(0.5),
        -WEIGHT / 384 / EI,
        (sp.reduction.SineShapes(2, planes="y"), sp.reduction.SineShapes(5, planes="y")),
        CHORD,
    ),
    "few elements": Row(
        between(CLAMP, CLAMP),
        place(0.5),
        -WEIGHT / 384 / EI,
        ("all",),
        ({"elements": 1}, {"elements": 2}, {"elements": 4}),
    ),
    "one element": Row(
        cantilever(force=(0, 1.0, 0)), place(1.0), 1 / 3 / EI, ("all", 1), ({"elements": 1},)
    ),
}


def allowed(error: float, given: str) -> bool:
    """Whether a level may be given to an answer with this relative error."""
    return given == "valid" if error < RIGHT else error <= WRONG or given != "valid"


def deflections(s: sp.results.StaticResult) -> np.ndarray:
    """How far many stations (n, 3) of the beams, one behind the other along x, are moved."""
    beams = [b for b in s.bodies.values() if isinstance(b, sp.Beam)]
    found, start = [], 0.0
    for b in beams:
        for x in np.linspace(0.0, b.length, 9):
            found.append(s[b.name].at(x).position[0] - [start + x, 0.0, 0.0])
        start += b.length
    return np.array(found)


@pytest.mark.parametrize("name", TABLE)
def test_verdicts_of_equilibria(name):
    """One number that is known, and deflections all over the beam against the mesh that has it.

    Between nodes of 8 elements a spread load bends by 1/8^4 more than they do between clamps.
    """
    row = TABLE[name]
    whole = sp.statics(row.build("all"))
    assert row.read(whole) == pytest.approx(row.exact, rel=1e-4)
    known = deflections(whole)
    size = np.abs(known).max()
    for options in row.options:
        for modes in row.choices:
            s = sp.statics(row.build(modes, **options))
            error = abs(row.read(s) / row.exact - 1.0)
            if size > 1e-9:  # twist moves no station
                error = max(error, np.abs(deflections(s) - known).max() / size)
            assert allowed(error, s.monitor.level), (modes, options, error, s.monitor.verdict)


def test_the_table_has_right_and_wrong_answers():
    """It would be easy to call all of them doubtful, or to look at right ones only."""
    for name, right, wrong in (
        ("pins, weight", 8, 2),
        ("clamps, weight", sp.reduction.CraigBampton([0.0, 1.0], 4), 8),
        ("tip force", 4, None),
        ("welded beams", sp.reduction.AttachmentModes(0), 6),
    ):
        row = TABLE[name]
        for modes in (right, wrong):
            if modes is not None:
                s = sp.statics(row.build(modes))
                error = abs(row.read(s) / row.exact - 1.0)
                assert error < RIGHT if modes is right else error > WRONG
                assert (s.monitor.level == "valid") == (modes is right)


def test_what_is_said():
    s = sp.statics(TABLE["pins, weight"].build(2))
    finding = s.monitor.findings[0]
    assert finding.what == "modes" and finding.serious and finding.time == 0.0
    assert finding.sentence == (
        "Beam 'rod': with its 2 modes it is 119 % too stiff for its loads at 'l' and 'r', "
        "expected at most 2 % of deflections left out, from t = 0 s on: use "
        "modes=AttachmentModes(2), which adds static shapes for what is attached"
    )
    locked = sp.statics(TABLE["clamps, weight"].build(4)).monitor.findings[0].sentence
    assert "with its 4 modes it cannot deform under its loads at 'l' and 'r'" in locked
    pulled = sp.statics(TABLE["pulled"].build(4)).monitor.findings[0]
    assert "leaves out what it stretches along its axis" in pulled.sentence and not pulled.serious
    coarse = sp.statics(TABLE["few elements"].build("all", elements=2)).monitor.findings[0]
    assert "12 nodal coordinates" in coarse.sentence and coarse.sentence.endswith("more elements")


def tee(modes):
    """A frame in the plane: two members along x, one along z, each clamped at its outer end."""
    nodes = {"a": (0, 0, 0), "b": (0.5, 0, 0), "c": (1.0, 0, 0), "d": (0.5, 0, 0.5)}
    pairs = (("a", "b"), ("b", "c"), ("b", "d"))
    members = [sp.Member(*pair, sp.Circle(0.01), ALLOY, elements=4) for pair in pairs]
    m = sp.Model()
    frame = m.add(sp.FrameStructure("rod", nodes, members, modes=modes))
    for node in "acd":
        m.add(sp.Fixed(f"hold {node}", m.ground.at(*nodes[node]), frame.at(node)))
    m.add(sp.Force("load", frame.at("b"), force=(0, 1.0, 0)))
    return m


def test_a_frame_on_three_clamps():
    exact = sp.statics(tee("all"))["rod"].at("b").position[0, 1]
    clamped = sp.reduction.CraigBampton(["a", "c", "d"], 4)
    for modes in (2, 12, 30, "all", sp.reduction.AttachmentModes(2), clamped):
        s = sp.statics(tee(modes))
        error = abs(s["rod"].at("b").position[0, 1] / exact - 1.0)
        assert allowed(error, s.monitor.level), (modes, error, s.monitor.verdict)
    assert sp.statics(tee(sp.reduction.AttachmentModes(2))).monitor.level == "valid"


def bar(modes):
    """A solid that is clamped at both ends."""
    m = sp.Model(gravity=DOWN)
    mesh = mesh_bodies.bar(16)  # eight elements are 2 % too stiff
    body = m.add(sp.MeshBody("rod", mesh, mesh_bodies.edges(mesh), modes=modes))
    for name, x in (("a", 0.0), ("b", 1.0)):
        m.add(sp.Fixed(name, m.ground.at(x), body.at(name)))
    return m


def test_a_solid_between_clamps():
    """Against the same mesh with both faces held, by its matrices alone."""
    from scipy.sparse.linalg import spsolve

    mesh = mesh_bodies.bar(16)
    x = mesh.nodes[:, 0]
    node = int(np.argmin(np.linalg.norm(mesh.nodes - [0.5, -0.025, -0.02], axis=1)))
    free = np.flatnonzero(np.repeat((x > 1e-9) & (x < 1.0 - 1e-9), 3))
    load = mesh.mass_matrix @ np.tile(DOWN, len(x))
    moved = np.zeros(mesh.size)
    moved[free] = spsolve(mesh.stiffness_matrix.tocsr()[free][:, free].tocsc(), load[free])
    for modes in (2, 6, sp.reduction.AttachmentModes(2), sp.reduction.CraigBampton(["a", "b"], 6)):
        s = sp.statics(bar(modes))
        error = abs(s["rod"].at(node=node).deflection[0, 1] / moved[3 * node + 1] - 1.0)
        assert (error < RIGHT) == (not isinstance(modes, int))
        assert allowed(error, s.monitor.level), (modes, error, s.monitor.verdict)


FREE = (2, 4, 8, "all", sp.reduction.AttachmentModes(0))
FREQUENCIES = {
    "pins": (between(PIN, PIN, NONE), np.pi, FREE, {}),
    "clamps": (between(CLAMP, CLAMP, NONE), 4.730040745, FREE, {}),
    "clamp and pin": (between(CLAMP, PIN, NONE), 3.926602312, FREE, {}),
    "clamps of the chord": (between(CLAMP, CLAMP, NONE), 4.730040745, FREE, CHORD[0]),
    "few elements": (between(PIN, PIN, NONE), np.pi, ("all",), {"elements": 1}),
    "two elements": (between(PIN, PIN, NONE), np.pi, ("all",), {"elements": 2}),
}


@pytest.mark.parametrize("name", FREQUENCIES)
def test_verdicts_of_frequencies(name):
    """The lowest one against Euler's; what is said to be too much is what is too much."""
    build, root, choices, options = FREQUENCIES[name]
    exact = root**2 / (2.0 * np.pi) * np.sqrt(EI / LINE)
    for modes in choices:
        linear = sp.linearize(build(modes, **options))
        if not len(linear.frequencies):  # locked
            assert linear.monitor.level == "not valid"
            assert "leave its" in linear.monitor.verdict and "no motion" in linear.monitor.verdict
            continue
        error = linear.frequencies[0] / exact - 1.0
        # of the lowest frequency: higher ones, "frequencies", may be wrong beside it
        lowest = [f for f in linear.monitor.findings if f.what != "frequencies"]
        level = linear.monitor.level if lowest else "valid"
        assert allowed(abs(error), level), (modes, error, linear.monitor.verdict)
        # of first order: one step of inverse iteration from the mode that was found; shear, which
        # Euler leaves out, is 16 E/(4 k G) (h/l)^2 = 1.3e-3 of the flexibility between clamps
        part = error / (1.0 + error)
        assert linear.frequency_errors[0] == pytest.approx(part, rel=0.5, abs=3e-4 + 0.5 * 1.3e-3)
        assert len(linear.frequency_errors) == len(linear.frequencies)


@pytest.mark.parametrize(
    ("name", "options", "wrong"),
    [
        ("clamped", {"elements": 1}, 2),
        ("clamped", {"elements": 2}, None),
        ("clamped", {"elements": 8, "modes": 4}, None),
        ("hinged", {"elements": 8, "modes": 2}, 1),
        ("hinged", {"elements": 8, "modes": sp.reduction.AttachmentModes(2)}, None),
        ("free", {"elements": 8, "modes": 4}, 2),
        ("free", {"elements": 8, "modes": sp.reduction.AttachmentModes(6)}, None),
    ],
)
def test_the_three_lowest_elastic_frequencies_are_judged(name, options, wrong):
    """The first that is wrong is told, with its error; each has it beside it where it is shown."""

    def model(**given):
        m = sp.Model()
        rod = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.01, 0.02), ALLOY, **given))
        joint = {"clamped": sp.Fixed, "hinged": sp.Revolute, "free": sp.Free}[name]
        m.add(joint("root", m.ground.at(0), rod.at(0)))
        return m

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        linear, right = sp.linearize(model(**options)), sp.linearize(model(elements=12))
    findings = [f for f in linear.monitor.findings if f.what in ("frequency", "frequencies")]
    assert [f.what for f in findings] == ([] if wrong is None else ["frequencies"])
    assert (linear.monitor.level == "valid") == (wrong is None)
    if wrong is None:
        assert linear.frequencies[:3] == pytest.approx(right.frequencies[:3], rel=0.02)
        return
    bending = right.frequencies[wrong]  # the same shape: planes of bending alternate
    error = linear.frequencies[wrong] / bending - 1.0
    assert findings[0].value == pytest.approx(error, rel=0.2)
    mode = f"Mode {linear.frequencies[wrong]:.6g} Hz"
    (line,) = (x for x in repr(linear).splitlines() if mode in x)
    assert line.endswith(f", about {100 * findings[0].value:.2g} % too high")


def test_wrong_frequencies_warn():
    with pytest.warns(sp.SuppleWarning, match=r"frequency 34\.\d+ Hz is about 4\d % too high"):
        linear = sp.linearize(between(PIN, PIN, NONE)(2))
    assert [f.what for f in linear.monitor.findings] == ["frequency"]
    rigid = sp.Model()
    body = rigid.add(sp.RigidBody("body", 1.0, inertia=1.0))
    rigid.add(sp.Revolute("pin", rigid.ground.at(0), body.at(0)))
    rigid.add(sp.JointSpring("spring", "pin", stiffness=1.0))
    assert sp.linearize(rigid).frequency_errors.tolist() == [0.0]


def test_verdicts_of_runs():
    """A beam between clamps that its weight bends; it comes to rest."""
    exact = -WEIGHT / 384 / EI
    for modes in (8, sp.reduction.AttachmentModes(2)):
        m = between(CLAMP, CLAMP)(modes, damping=sp.ModalDamping(0.5))
        r = sp.simulate(m, 0.1, output=50)
        error = abs(r["rod"].at(0.5).position[-1, 1] / exact - 1.0)
        assert allowed(error, r.monitor.level), (modes, error, r.monitor.verdict)
        assert (error < RIGHT) == (modes != 8)


def coupler(modes) -> sp.Model:
    """A four-bar that a crank drives, its coupler between two revolutes."""
    m = sp.Model(name="four-bar")
    crank = m.add(sp.RigidBody("crank", 0.5, com=(0.05, 0, 0), inertia=1e-3))
    damping = sp.ModalDamping(0.2)
    link = m.add(
        beam(modes, "link", length=0.3, section=sp.Rectangle(0.006, 0.02), damping=damping)
    )
    rocker = m.add(sp.RigidBody("rocker", 0.6, com=(0.125, 0, 0), inertia=3e-3))
    m.add(sp.Revolute("A", m.ground.at(0), crank.at(0), initial=0.5))
    m.add(sp.Revolute("B", crank.at(0.1), link.at(0), initial=0.24))
    m.add(sp.Revolute("D", m.ground.at(0.3), rocker.at(0), initial=1.53))
    m.add(sp.Revolute("C", link.at(0.3), rocker.at(0.25)))
    m.add(sp.Driver("motor", "A", motion="0.5+20*(t - 0.1*(1-exp(-t/0.1)))"))
    return m


def test_a_coupler_with_modes_of_a_cantilever():
    """How far its middle leaves the line through its pins; out of the plane it is held twice."""
    found = []
    for modes in (sp.reduction.AttachmentModes(4), 2, 8):
        r = sp.simulate(coupler(modes), 0.2, output=100)
        a, b, c = (r["link"].at(x).position for x in (0.0, 0.15, 0.3))
        normal = np.cross([0, 0, 1.0], (c - a) / np.linalg.norm(c - a, axis=1)[:, None])
        found.append((np.einsum("ti,ti->t", b - a, normal), r.monitor))
    right, monitor = found[0]
    assert not [f for f in monitor.findings if f.what == "modes"]
    for sag, monitor in found[1:]:
        error = np.abs(sag - right).max() / np.abs(right).max()
        told = [f for f in monitor.findings if f.what == "modes"]
        assert told if error > WRONG else error > RIGHT or not told


def test_sums_over_welded_beams():
    """Each of four beams is a little too stiff, the chain by as much: the tip shows it."""
    row = TABLE["welded beams"]
    s = sp.statics(row.build(6))
    parts = [b.left_out for b in s.monitor.bodies.values()]
    assert max(parts) > 0.05 and parts[-1] < 0.02  # the last carries the force alone
    with pytest.warns(sp.SuppleWarning, match="too stiff"):
        sp.statics(row.build(2))
