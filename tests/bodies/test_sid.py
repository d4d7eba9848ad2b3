"""Standard input data: what is written means what it says, and is the same body when it is read."""

from __future__ import annotations

import dataclasses
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple as sp
from supple.fem.beams.beam import BeamMesh
from supple.formulations.equations import Equations
from supple.foundation.errors import ModelError, SuppleWarning
from supple.loops.assembly import compile_model
from supple.reduction.modal import ModalBody
from supple.reduction.sid import (
    SecondDisplacements,
    StandardData,
    of_gyroscopic,
    read_sid_file,
    write_sid_file,
)

Array = np.ndarray
STEEL = sp.Material(E=2.1e11, G=0.8e11, density=7850)
INTEGRALS = ("mass", "s0", "S1", "E0", "D0", "D1", "M", "K", "C")


def beam(**options: Any) -> sp.Beam:
    given = {"elements": 3, "modes": 5, "roll": 0.3, "damping": sp.Rayleigh(stiffness=1e-4)}
    section = sp.Rectangle(0.02, 0.01)
    return sp.Beam("link", 0.8, section, STEEL, **{**given, **options})


def frames(body: Any) -> dict[str, sp.Frame]:
    turned = body.at(0.8, rotation=(0.1, -0.2, 0.3))
    return {"root": body.at(0.0), "middle": body.at(0.31), "tip": turned}


def written(path: Path, body: sp.Beam) -> StandardData:
    sp.files.write_sid(path, body, frames(body))
    return read_sid_file(path)


def same(found: ModalBody, exact: ModalBody, tolerance: float) -> None:
    for key in INTEGRALS:
        a, b = np.asarray(getattr(found, key)), np.asarray(getattr(exact, key))
        assert a.shape == b.shape
        assert np.abs(a - b).max(initial=0.0) <= tolerance * np.abs(b).max(initial=0.0), key


VARIANTS: list[dict[str, Any]] = [
    {"reference": "clamped"},
    {"reference": "chord", "modes": "all"},
    {"reference": "mean_axis"},
    {"reference": "clamped", "modes": 0},
    {"reference": "chord", "modes": sp.reduction.SineShapes(2), "roll": 0.0, "damping": None},
]


@pytest.mark.parametrize("options", VARIANTS)
def test_a_body_is_the_same_when_it_is_read(options: dict[str, Any], tmp_path: Path) -> None:
    body = beam(**options)
    found = written(tmp_path / "link.sid", body)
    # sums and differences of a few numbers of the same size
    same(found.body, body.modal(), 1e-14)
    assert found.second is None
    assert found.body.coordinate_names == body.modal().coordinate_names
    assert found.body.coordinate_units == body.modal().coordinate_units
    for name, frame in frames(body).items():
        exact, where = body.attachment(frame), found.frames[name]
        for key in ("p0", "Phi", "Psi"):
            assert np.array_equal(getattr(where, key), getattr(exact, key))
        assert np.abs(where.R0 - exact.R0).max() < 1e-15


def test_a_frame_structure_is_the_same_when_it_is_read(tmp_path: Path) -> None:
    section = sp.Tube(0.04, 0.003)
    members = [sp.Member("a", "b", section, STEEL, 2), sp.Member("b", "c", section, STEEL, 2)]
    places = {"a": (0, 0, 0), "b": (0.5, 0, 0), "c": (0.5, 0.4, 0.1)}
    body = sp.FrameStructure("corner", places, members, modes=4, reference="mean_axis")
    sp.files.write_sid(tmp_path / "a.sid", body, {name: body.at(name) for name in places})
    read = sp.SIDBody("corner", tmp_path / "a.sid")
    # what vanishes with a mean axis is rounding of sums here
    for key in INTEGRALS:
        scale = np.abs(getattr(body.modal(), key)).max()
        assert (
            np.abs(getattr(read.modal(), key) - getattr(body.modal(), key)).max() <= 1e-14 * scale
        )
    assert np.array_equal(read.at("c").position, places["c"])


def test_data_mean_what_they_are_called(tmp_path: Path) -> None:
    """Each matrix times rates and angular velocity against forces on a cloud of mass points."""
    body = beam(reference="chord")
    found = sp.files.write_sid(tmp_path / "link.sid", body, [body.at(0.8)])
    assert found is None
    read = entries(tmp_path / "link.sid")
    mesh = BeamMesh(
        section=body.section, material=STEEL, length=0.8, elements=3, roll=0.3, theory=body.theory,
        torsion=body.torsion, rotary_inertia=True, point_masses=(),
    )  # fmt: skip
    mass, place, shape = mesh.material_points(body.reduction().basis)
    rng, n = np.random.default_rng(4), 5
    q, u, a = 1e-3 * rng.normal(size=(3, n))
    w, alpha = rng.normal(size=(2, 3))
    S = np.einsum("kja,a->kj", shape, u)
    products = np.array([w[0] ** 2, w[1] ** 2, w[2] ** 2, w[0] * w[1], w[1] * w[2], w[0] * w[2]])

    def at(name: str) -> Array:
        """The matrix at the deformation q; entries are m0(i, j) and m1(i, b, j)."""
        m0, m1 = read[name]
        return m0 + np.einsum("ijb,b->ij", m1, q)

    def work(acceleration: Array) -> Array:
        return np.einsum("k,kja,kj->a", mass, shape, acceleration)

    c = place + np.einsum("kja,a->kj", shape, q)
    pairs = [
        (at("Oe") @ products, work(np.cross(w, np.cross(w, c)))),
        (at("Cr") @ alpha, work(np.cross(alpha, c))),
        (at("Ct") @ alpha, work(np.broadcast_to(alpha, c.shape))),
        (np.einsum("akb,k,b->a", at("Ge").reshape(n, 3, n), w, u), work(2.0 * np.cross(w, S))),
        (
            np.einsum("ika,k,a->i", at("Gr").reshape(3, 3, n), w, u),
            mass @ np.cross(c, 2.0 * np.cross(w, S)),
        ),
        (at("mdCM")[:, 0], mass @ c),
        (at("Me") @ a, work(np.einsum("kja,a->kj", shape, a))),
    ]
    for data, cloud in pairs:
        assert data == pytest.approx(cloud, rel=1e-11, abs=1e-13 * np.abs(cloud).max())
    # J is of first order: its error is the inertia of the displacements alone
    J = at("J")[:, 0]
    full = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(mass, c, strict=True))
    moved = sum(
        m * (d @ d * np.eye(3) - np.outer(d, d)) for m, d in zip(mass, c - place, strict=True)
    )
    six = (full - moved)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    assert pytest.approx(six, rel=1e-11, abs=1e-14 * np.abs(full).max()) == J


def entries(path: Path) -> dict[str, tuple[Array, Array]]:
    """All matrices of a file outside of its nodes, read line by line and without the reader."""
    found: dict[str, tuple[Array, Array]] = {}
    text = path.read_text().split("end frame")[1]
    for name, body in re.findall(r"^(\w+)\n(.*?)^end \1$", text, re.MULTILINE | re.DOTALL):
        size = {k: int(v) for k, v in re.findall(r"(nrow|ncol|nq)\s+= (\d+)", body)}
        m0, m1 = np.zeros((size["nrow"], size["ncol"])), np.zeros((size["nrow"], size["ncol"], 5))
        for order, places, value in re.findall(r"m([01])\(([^)]*)\)\s+= (\S+)", body):
            place = [int(k) - 1 for k in places.split(",")]
            if order == "0":
                m0[tuple(place)] = float(value.replace("D", "E"))
            else:
                m1[place[0], place[2], place[1]] = float(value.replace("D", "E"))
        found[name] = m0, m1
    return found


def test_columns_are_counted_as_fembs_does() -> None:
    """A mode of a spatial body, by FEMBS: its Gr gives the other two in their order.

    Numbers of the first mode in examples/sid/five_node_model.sid_fem of PyMbs (github.com/sevoigt).
    """
    Gr = [
        [-2.75516466472e-01, -2.12835032523e00, 1.43874258187e00],
        [3.39244459772e-01, 9.09886852202e00, -2.38975310437e01],
        [4.34476628889e01, -1.48661762805e00, -8.06112514016e-01],
    ]
    J = [-2.75516466472e-01, 9.09886852202e00, -8.06112514016e-01]
    J += [-8.94552932730e-01, 2.24432027354e01, -1.26920743359e01]
    Oe = [1.37758233236e-01, -4.54943426101e00, 4.03056257008e-01]
    Oe += [8.94552932730e-01, 1.26920743359e01, -2.24432027354e01]
    D = of_gyroscopic(np.array(Gr), 1)
    E = D + D.transpose(1, 0, 2)
    inertia = (np.trace(E) * np.eye(3)[:, :, None] - E)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2], 0]
    assert inertia == pytest.approx(J, rel=1e-9)  # twelve digits, differences of them
    from supple.reduction.sid import moment_rows

    assert moment_rows(D)[1][0] == pytest.approx(Oe, rel=1e-9)


# ---------------------------------------------------------------------------------- in a model


def arm(link: Any, tip: sp.Frame, middle: sp.Frame, root: sp.Frame) -> sp.Model:
    model = sp.Model(gravity=(0.3, -9.81, 0.5), name="arm")
    model.add(link)
    hand = model.add(sp.RigidBody("hand", 0.4, com=(0.05, 0.0, 0.02), inertia=(1e-4, 2e-4, 2e-4)))
    model.add(sp.Universal("shoulder", model.ground.at(0), root, axes=("y", "z")))
    model.add(sp.Spherical("wrist", tip, hand.at(0)))
    model.add(sp.Force("push", middle, force=(1.0, 2.0, -3.0), torque=(0.1, 0.2, 0.3)))
    model.add(sp.SpringDamper("spring", model.ground.at(0.5, 0.5), tip, stiffness=50, length=0.3))
    return model


def both(path: Path, **options: Any) -> tuple[sp.Model, sp.Model]:
    body = beam(**options)
    sp.files.write_sid(path, body, frames(body))
    read = sp.SIDBody("link", path)
    given = frames(body)
    first = arm(body, given["tip"], given["middle"], given["root"])
    return first, arm(read, read.at("tip"), read.at("middle"), read.at(0.0))


@pytest.mark.parametrize("reference", ["clamped", "chord", "mean_axis"])
def test_a_body_that_is_read_has_the_same_equations(reference: str, tmp_path: Path) -> None:
    one, two = (Equations(compile_model(m)) for m in both(tmp_path / "a.sid", reference=reference))
    rng = np.random.default_rng(11)
    d, u = rng.normal(size=(2, one.nu))
    elastic = one.compiled.flexible["link"].u
    d[elastic] *= 1e-3
    u[elastic] *= 0.1
    q, p = one.retract(one.q0, d), two.retract(two.q0, d)
    a, b = one.accelerate(0.0, q, u), two.accelerate(0.0, p, u)
    # rounding of the integrals, times the condition of the mass matrix of stiff coordinates
    assert np.abs(a - b).max() < 1e-11 * np.abs(a).max()
    assert one.mass_matrix(q) == pytest.approx(two.mass_matrix(p), rel=1e-12, abs=1e-14)
    assert one.energies(0.0, q, u).kinetic == pytest.approx(two.energies(0.0, p, u).kinetic)
    assert one.momentum(q, u) == pytest.approx(two.momentum(p, u), rel=1e-12)


def test_a_body_that_is_read_moves_the_same(tmp_path: Path) -> None:
    results = [
        sp.simulate(model, 0.05, tolerance=1e-8)
        for model in both(tmp_path / "a.sid", reference="chord", modes=3)
    ]
    one, two = results
    assert one.success and two.success
    for key in ("wrist", "shoulder"):
        a, b = (np.asarray(r[key].coordinates) for r in results)
        assert (
            np.abs(a - b).max() < 1e-7
        )  # ten times the tolerance: the same steps but for rounding
    assert np.abs(one["link"].coordinates - two["link"].coordinates).max() < 1e-9
    tips = [r["link"].at("tip" if i else 0.8).position for i, r in enumerate(results)]
    assert np.abs(tips[0] - tips[1]).max() < 1e-9


def test_some_coordinates_and_point_masses(tmp_path: Path) -> None:
    body = beam(reference="clamped", modes="all", damping=None)
    sp.files.write_sid(tmp_path / "a.sid", body, frames(body))
    read = sp.SIDBody("link", tmp_path / "a.sid")
    node = read.station(read.at("middle"))
    same(read.modal(((node, 0.7),)), body.modal(((0.31, 0.7),)), 1e-13)
    few = sp.SIDBody("link", tmp_path / "a.sid", modes=[2, 5])
    whole = body.modal()
    assert few.modal().n == 2 and few.modal().coordinate_names == (
        whole.coordinate_names[1], whole.coordinate_names[4],
    )  # fmt: skip
    assert few.modal().D1 == pytest.approx(whole.D1[:, :, [1, 4]][:, :, :, [1, 4]], rel=1e-12)
    where = few.attachment(few.at("tip"))
    assert np.array_equal(where.Phi, body.attachment(body.at(0.8)).Phi[:, [1, 4]])
    assert sp.SIDBody("link", tmp_path / "a.sid", modes=0).modal().n == 0
    assert read.carries_own_frame and read.mass == body.mass
    assert read.typical_length == pytest.approx(0.8) and read.nodes == ("root", "middle", "tip")
    chord = beam(reference="chord", modes=2)
    sp.files.write_sid(tmp_path / "c.sid", chord, [chord.at(0.0), chord.at(0.8)])
    assert not sp.SIDBody("link", tmp_path / "c.sid").carries_own_frame


# ----------------------------------------------------------------------------- files of others


def edited(path: Path, *changes: tuple[str, str]) -> Path:
    text = path.read_text()
    for old, new in changes:
        assert re.search(old, text, re.MULTILINE | re.DOTALL), old
        text = re.sub(old, new, text, flags=re.MULTILINE | re.DOTALL)
    other = path.with_name("other.sid")
    other.write_text(text)
    return other


NO_GR1 = (r"(^Gr\n  order\s+= )1(.*?)^  m1.*?^end Gr$", r"\g<1>0\2end Gr")


def test_files_with_gr_of_order_0_and_other_habits_are_read(tmp_path: Path) -> None:
    body = beam()
    sp.files.write_sid(tmp_path / "a.sid", body, frames(body))
    half = (r"(^Me\n.*?)^end Me$", r"\1end Me")
    path = edited(
        tmp_path / "a.sid",
        NO_GR1,
        half,
        (r"^  ielastq \(\s+1\) = .*?$", "  ielastq (   1) = Eigen Mode  7 :  49.6 Hz"),
        (r"^part$", "  some words\n\n part   "),
        (r"^new modal$", "   new modal     = panel"),
        (r"^(AP\n  order\s+= )1(.*?structure\s+= )3\n.*?^end AP$", r"\g<1>0\g<2>4\nend AP"),
        (r"^ksigma\n.*?^end ksigma\n", ""),
    )
    # only one half of a symmetric matrix, without its zeros
    lines = path.read_text().splitlines()
    start, stop = lines.index("Ke"), lines.index("end Ke")
    pattern = re.compile(r"m0\(\s*(\d+),\s*(\d+)\)")
    upper = [
        k for k in range(start, stop)
        if (m := pattern.search(lines[k])) and int(m[1]) < int(m[2])
    ]  # fmt: skip
    path.write_text("\n".join(line for k, line in enumerate(lines) if k not in upper))
    found = read_sid_file(path)
    same(found.body, body.modal(), 1e-13)
    assert found.body.coordinate_names[0] == "mode_1" and found.body.coordinate_units[0] == "1"
    assert np.array_equal(found.frames["tip"].R0, np.eye(3))  # structure 4


def stiffened(body: sp.Beam) -> StandardData:
    """Any displacements of second order: symmetric in their two coordinates."""
    rng, n = np.random.default_rng(2), body.modal().n
    T, G, F, R = (rng.normal(size=(*shape, n, n)) for shape in ((3,), (3, 3), (3,), (3,)))
    T, G, F, R = (x + x.swapaxes(-1, -2) for x in (T, G, F, R))
    nodes = {name: body.attachment(frame) for name, frame in frames(body).items()}
    return StandardData(body.modal(), nodes, SecondDisplacements(T, G, {"tip": (F, R)}))


def test_geometric_stiffening_is_written_and_told_from_inertia(tmp_path: Path) -> None:
    data = stiffened(beam())
    path = tmp_path / "a.sid"
    write_sid_file(path, data)
    found = read_sid_file(path)
    same(found.body, data.body, 1e-13)
    assert found.second is not None and data.second is not None
    assert found.second.T == pytest.approx(data.second.T, rel=1e-14)
    assert found.second.G == pytest.approx(data.second.G, abs=1e-13)
    for a, b in zip(found.second.nodes["tip"], data.second.nodes["tip"], strict=True):
        assert np.array_equal(a, b)
    sentence = "SIDBody 'link': the geometric stiffening of 'a.sid' is not used, expected data of"
    with pytest.warns(SuppleWarning, match=re.escape(sentence)):
        sp.SIDBody("link", path)
    with pytest.raises(
        ModelError, match=r"Oe holds more than inertia, .* expected m1 in Gr to tell"
    ):
        read_sid_file(edited(path, NO_GR1))


def test_second_order_of_a_beam_is_written(tmp_path: Path) -> None:
    """Ct of first order is minus the geometric stiffness of a unit acceleration along the beam."""
    body = dataclasses.replace(beam(), stiffening="second_order")
    path = tmp_path / "a.sid"
    sp.files.write_sid(path, body, frames(body))
    found = read_sid_file(path)
    assert found.second is not None
    nodes, weights = np.polynomial.legendre.leggauss(60)
    line, L = body.mass / body.length, body.length
    exact = np.zeros((body.modal().n,) * 2)
    for x, weight in zip(0.5 * L * (nodes + 1.0), 0.5 * L * weights, strict=True):
        turn = body.attachment(body.at(float(x))).Psi
        exact -= weight * line * (L - x) * (turn[1:].T @ turn[1:])
    assert found.second.T[0] == pytest.approx(exact, abs=2e-3 * np.abs(exact).max())
    tip = found.second.nodes["tip"][0][0]
    assert tip == pytest.approx(tip.T) and np.linalg.eigvalsh(tip)[-1] < 1e-9 * np.abs(tip).max()


def test_stiffening_by_shapes_that_follow_is_their_second_derivative() -> None:
    """Shapes of a cloud of mass points with quadratic amplitudes, by differences."""
    rng, n, r = np.random.default_rng(8), 3, 2
    mass, place, shape = rng.random(20), rng.normal(size=(20, 3)), rng.normal(size=(20, 3, r))
    Gamma = rng.normal(size=(r, n, n))
    Gamma = Gamma + Gamma.transpose(0, 2, 1)
    S1 = np.einsum("k,kjr->jr", mass, shape)
    D0 = np.einsum("k,ki,kjr->ijr", mass, place, shape)
    node = {"tip": (shape[0], shape[1])}
    found = SecondDisplacements.of_shapes(Gamma, S1, D0, node)

    def field(q: Array) -> Array:
        return shape @ (0.5 * np.einsum("rab,a,b->r", Gamma, q, q))

    a, b = np.eye(n)[0], np.eye(n)[2]
    second = field(a + b) - field(a) - field(b)  # of quadratic functions, exact
    assert found.T[:, 0, 2] == pytest.approx(mass @ second, rel=1e-12)
    exact = np.einsum("k,ki,kj->ij", mass, place, second)
    assert found.G[:, :, 0, 2] == pytest.approx(exact, rel=1e-12)
    assert found.nodes["tip"][0][:, 0, 2] == pytest.approx(second[0], rel=1e-12)
    assert found.nodes["tip"][1][:, 0, 2] == pytest.approx(second[1], rel=1e-12)


def test_stiffening_of_a_beam_is_not_written_in_silence(tmp_path: Path) -> None:
    body = beam(stiffening="axial")
    sentence = "write_sid: stiffening of Beam 'link' is not written, expected None"
    with pytest.warns(SuppleWarning, match=re.escape(sentence)):
        sp.files.write_sid(tmp_path / "a.sid", body, [body.at(0.8)])


def test_data_that_contradict_each_other_are_named(tmp_path: Path) -> None:
    body = beam(reference="mean_axis")
    sp.files.write_sid(tmp_path / "a.sid", body, frames(body))
    path = edited(tmp_path / "a.sid", (r"(^Oe\n.*?m0\(\s*1,\s*\d\)\s+= ).*?$", r"\g<1>1.0D+00"))
    with pytest.warns(
        SuppleWarning, match=r"^SID file 'other.sid': m0 of Oe differs from J and Cr"
    ):
        read_sid_file(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_sid_file(tmp_path / "a.sid")


# ----------------------------------------------------------------------------------- messages


def test_messages_of_files(tmp_path: Path) -> None:
    body = beam(modes=2)
    path = tmp_path / "a.sid"
    sp.files.write_sid(path, body, frames(body))
    # an entry that is there whatever the rounding: zeros are not written
    swapped = (r"(^mdCM\n.*?)m1\(\s*2,\s*2,\s*1\)", r"\1m1( 2, 1, 2)")
    cases: list[tuple[tuple[str, str], str]] = [
        ((r"^part$", "parts"), "SID file 'other.sid': it ends too early, expected a block 'part'"),
        (
            (r"^end part$", ""),
            "SID file 'other.sid': it ends too early, expected the end of 'part'",
        ),
        ((r"^end Ke$", "end Kq"), "is 'end Kq', expected 'end Ke'"),
        ((r"^new modal$(.*)^end modal$", r"new rigid\1end rigid"), "there is no block 'modal'"),
        ((r"^refmod$(.*)^end refmod$", r"ref\1end ref"), "there is no block 'refmod' in 'modal'"),
        ((r"^Oe$(.*)^end Oe$", r"Oq\1end Oq"), "there is no block 'Oe' in 'modal', expected one"),
        ((r"nelastq\s+= 2", "nelastq = two"), "nelastq of refmod is 'two', expected a number of"),
        ((r"mass\s+= \S+", "mass = -1.0"), "mass of refmod is -1.0, expected a positive number"),
        ((r"mass\s+= \S+", "mass = heavy"), "mass of refmod is 'heavy', expected a finite number"),
        ((r"(^Ke\n  order\s+= )0", r"\g<1>2"), "order of Ke is 2, expected 0 or 1"),
        ((r"(^Ke\n.*?nrow\s+= )2", r"\g<1>3"), "nrow, ncol of Ke is (3, 2), expected 2, 2"),
        ((r"(^Ke\n.*?structure\s+= )\d", r"\g<1>7"), "structure of Ke is 7, expected an integer"),
        ((r"(^Ke\n  order\s+= )0", r"\g<1>none"), "order of Ke is 'none', expected an integer"),
        ((r"(^Cr\n.*?nq\s+= )2", r"\g<1>9"), "nq of Cr is '9', expected 2, the number of elastic"),
        (swapped, "an entry of mdCM is (2, 1, 2), expected m1(row, coordinate, column) within"),
        ((r"(^Ke\n.*?)m0\(\s*1,\s*1\)", r"\1m0( 1, 9)"), "of Ke is (1, 9), expected m0(row, col"),
        ((r"m0\(\s*1,\s*1\)", "m0( 1, 1, 1)"), "is 'm0( 1, 1, 1)', expected m0(i, j) or m1(i, b"),
        ((r"(^Ke\n.*?m0\(\s*1,\s*1\)\s+= )\S+", r"\g<1>-1.0D+00"), "the lowest eigenvalue of Ke"),
        ((r"(^Me\n.*?m0\(\s*1,\s*1\)\s+= )\S+", r"\g<1>-1.0D+00"), "a positive definite matrix"),
        ((r"^new node\s+= tip$", "new node = root"), "a node of frame is 'root', expected nodes"),
        ((r"^new node.*^end node$\n", ""), "there is no node in 'frame', expected at least one"),
        (
            (r"(^AP\n.*?m0\(\s*1,\s*1\)\s+= )\S+", r"\g<1>3.0D+00"),
            "node root: m0 of AP is ((3, 0, 0)",
        ),
        (
            (r"(^ksigma\n.*?structure\s+= )0", r"\g<1>3\n  m0( 1, 1) = 5.0"),
            "ksigma is (5, 0), expected zeros: no stress at rest",
        ),
    ]
    for change, sentence in cases:
        with pytest.raises(ModelError, match=re.escape(sentence)):
            read_sid_file(edited(path, change))
    with pytest.raises(ModelError, match=r"SID file '.*none.sid': there is no such file, exp"):
        sp.SIDBody("link", tmp_path / "none.sid")


def test_messages_of_bodies(tmp_path: Path) -> None:
    body = beam(modes=2)
    path = tmp_path / "a.sid"
    sp.files.write_sid(path, body, frames(body))
    read = sp.SIDBody("link", path)
    ground = sp.Model(gravity=(0, 0, 0)).ground
    cases: list[tuple[Any, str]] = [
        (lambda: sp.SIDBody("link", 3), "SIDBody 'link': file is 3, expected the path of a file"),
        (lambda: sp.SIDBody("link", path, modes=3), "modes is 3, expected no mode above 2"),
        (
            lambda: sp.SIDBody("link", path, modes=sp.reduction.NormalModes(2)),
            "expected 'all', a number of coordinates, or different numbers of coordinates from 1",
        ),
        (lambda: read.at("tips"), "SIDBody 'link': node of at is 'tips', expected a node; did you"),
        (lambda: read.at(node=9), "node of at is 9, expected a node; known: 'root', 'middle', 'ti"),
        (lambda: read.at(0.5), "expected the place of a node, the nearest is 'middle'"),
        (lambda: read.at(), "x of at is None, expected the name of a node, node=..., or the place"),
        (
            lambda: sp.files.write_sid(path, ground, {}),
            "write_sid: body is Ground 'ground', expected a flexible body, e.g. a Beam",
        ),
        (
            lambda: sp.files.write_sid(path, body, {}),
            "write_sid: frames is {}, expected at least one",
        ),
        (
            lambda: sp.files.write_sid(path, body, {"a=b": body.at(0)}),
            "expected a text without '='",
        ),
        (
            lambda: sp.files.write_sid(path, body, [ground.at(0)]),
            "write_sid: frame 1 is Frame 'ground@(0, 0, 0)', expected a frame on Beam 'link'",
        ),
    ]
    for make, sentence in cases:
        with pytest.raises(ModelError, match=re.escape(sentence)):
            make()
    data = read.data
    moved = dataclasses.replace(data.frames["tip"], p0=data.frames["root"].p0)
    write_sid_file(path, dataclasses.replace(data, frames={**data.frames, "tip": moved}))
    sentence = "place of node 'tip' is (0, 0, 0), expected another place than that of node 'root'"
    with pytest.raises(ModelError, match=re.escape(sentence)):
        sp.SIDBody("link", path)
