"""Names that files cannot hold, names with dollar signs, files in other encodings, and the like."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple as sp

STEEL = sp.Material(2.1e11, 8.1e10, 7850.0)
BEAM = sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.01), STEEL, 2, 2)


def pendulum(joint: str = "pin", body: str = "rod", name: str = "model") -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81), name=name)
    rod = m.add(sp.RigidBody(body, 1.0, (0.5, 0, 0), 0.1))
    m.add(sp.Revolute(joint, m.ground.at(0), rod.at(0), axis="y", initial=0.3))
    return m


@pytest.mark.parametrize("sign", ["\0", "\n", "\t", "\x1b", "\x7f", "\ud800", "\u2028", "\uffff"])
def test_names_that_no_file_can_hold(sign: str) -> None:
    for make in (
        lambda name: sp.RigidBody(name, 1.0),
        lambda name: sp.Model(name=name),
        lambda name: sp.Event(name, at=1.0),
        lambda name: sp.fem.Interface(name, (0, 0, 0), [0]),
        lambda name: sp.Material(1e9, 1e9, 1e3, name=name),
        lambda name: sp.fem.block((1, 1, 1), (1, 1, 1), "hex8", STEEL, name=name),
        lambda name: sp.fem.MeshData(np.zeros((1, 3)), {}, {name: [0]}),
        lambda name: sp.FrameStructure("f", {name: (0, 0, 0), "b": (1, 0, 0)}, []),
        lambda name: sp.files.write_sid("x.sid", BEAM, {name: BEAM.at(0)}),
        lambda name: sp.sweep(pendulum(), {"rod.mass": [1.0]}, outputs={name: len}),
    ):
        with pytest.raises(sp.ModelError, match=f"control characters .U.{ord(sign):04X} at 1"):
            make(f"a{sign}b")


@pytest.mark.parametrize("name", ["Läufer", "ротор", "回転子", "a b", "$x$", "🙂"])
def test_names_of_any_language(name: str, tmp_path: Path) -> None:
    m = pendulum(body=name)
    sp.simulate(m, 0.01, output=3).save(tmp_path / "run.nc")
    assert f"{name}.position" in sp.files.load_result(tmp_path / "run.nc")
    assert name in sp.files.read_model(sp.files.write_model(m, tmp_path / "model.yaml")).bodies


def test_dollar_signs_are_drawn_as_they_are(tmp_path: Path) -> None:
    """Each would end in an error of Matplotlib's formulas, or vanish from the picture."""
    joint, body = "$\\frac{$", "$x^$"
    m = pendulum(joint, body, "$\\alpha$")
    result = sp.simulate(m, 0.2, output=64)
    figures = [
        result.plot(joint, path=tmp_path / "a.png"),
        result.plot(f"{joint}.angle", compare=result, path=tmp_path / "b.svg"),
        result.plot(body, path=tmp_path / "c.png"),
        result.spectrum(f"{joint}.angle").plot(tmp_path / "d.png"),
        result.spectrogram(f"{joint}.angle", 0.1).plot(tmp_path / "e.png"),
        result.picture(0.1),
        m.graph().draw(tmp_path / "f.png"),
        sp.compare(result, result).plot(path=tmp_path / "g.png"),
        sp.linearize(m, "initial").modes[0].plot(),
        sp.stability(m, f"{body}.mass", (1.0, 2.0)).plot(tmp_path / "h.png"),
    ]
    shown = {text.get_text() for f in figures for text in f.findobj(match=type(f.text(0, 0, "")))}
    assert any(joint in text for text in shown) and any(body in text for text in shown)
    for figure in figures:
        figure.canvas.draw()


def test_numbers_at_logarithmic_axes_stay_formulas() -> None:
    m = pendulum()
    figure = sp.compare(sp.simulate(m, 0.2), sp.simulate(m, 0.2, tolerance=1e-3)).plot()
    figure.canvas.draw()
    ticks = [t for ax in figure.axes for t in ax.yaxis.get_ticklabels() if "$" in t.get_text()]
    assert ticks and all(t.get_parse_math() for t in ticks)


def test_shaped_signals_of_many_frequencies() -> None:
    found = sp.shape_signal("t", np.linspace(1.0, 2.0, 8))
    assert len(found.delays) == 256
    assert abs(found.amplitudes.sum() - 1.0) < 1e-14
    # Impulses at the same instants are one: half periods of 1/2, 1/4 and 1/8 s.
    merged = sp.shape_signal("t", [1.0, 2.0, 4.0])
    np.testing.assert_allclose(merged.delays, np.arange(8) / 8.0)
    np.testing.assert_allclose(merged.amplitudes, np.full(8, 1.0 / 8.0))
    same = sp.shape_signal("t", [1.0, 1.0])
    np.testing.assert_allclose(same.delays, [0.0, 0.5, 1.0])
    np.testing.assert_allclose(same.amplitudes, [0.25, 0.5, 0.25])
    with pytest.raises(sp.ModelError, match="number of frequencies is 40, expected fewer"):
        sp.shape_signal("t", np.linspace(1.0, 9.0, 40))


def test_events_of_one_name() -> None:
    events = [sp.Event("e", "pin", terminal=False), sp.Event("e", "pin", value=0.1)]
    for call in (sp.simulate, sp.lyapunov, sp.crosscheck):
        with pytest.raises(sp.ModelError, match="name is 'e', expected a name that no other"):
            call(pendulum(), 0.1, events=events)


@pytest.mark.parametrize("make", [sp.Beam, sp.ANCFBeam])
def test_first_y_of_a_straight_beam(make) -> None:
    given = "b", 1.0, sp.Rectangle(0.02, 0.01), STEEL
    make(*given, first_y=(0, 2, 0))
    for direction in ("x", (1, 0, 0), "z", "-y"):
        with pytest.raises(sp.ModelError, match=r"first_y is .* expected"):
            make(*given, first_y=direction)
    more = {"parts": 2} if make is sp.Beam else {}
    with pytest.raises(sp.ModelError, match=r"first_y is .* across the line"):
        make(*given, first_y="x", twist=0.1, **more)


def test_pulleys_that_overlap() -> None:
    m = sp.Model(gravity=(0, 0, -9.81))
    load = m.add(sp.RigidBody("load", 1.0))

    def rope(x: float, y: float = 0.0, axis: str = "y") -> sp.Rope:
        first = sp.Pulley(m.ground.at(0, 0, 1), 0.2, "y")
        second = sp.Pulley(m.ground.at(x, y, 1), 0.1, axis)
        return sp.Rope("rope", [m.ground.at(-1), first, second, load.at(0)], 1e5, 3.0)

    for x, axis in ((0.0, "y"), (0.15, "y"), (0.29, "-y")):
        with pytest.raises(sp.ModelError, match=r"distance of path\[1\] and path\[2\].*overlap"):
            rope(x, axis=axis)
    rope(0.3)  # they touch
    rope(0.15, 0.02)  # side by side
    rope(0.15, axis="z")  # across each other


LATIN = "# Läufer\nname: Läufer\n".encode("latin-1")


@pytest.mark.parametrize(
    ("name", "content", "read"),
    [
        ("m.yaml", LATIN, sp.files.read_model),
        ("r.urdf", '<robot name="a">\n <link name="ä"/>\n</robot>'.encode("latin-1"),
         sp.files.read_urdf),
        ("r.xml", '<mujoco>\n <worldbody><body name="ä"/></worldbody></mujoco>'.encode("latin-1"),
         sp.files.read_mjcf),
    ],
)  # fmt: skip
def test_files_in_latin_1(name: str, content: bytes, read, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(sp.ModelError, match=r"byte 0xE4 in line [12] is not UTF-8"):
        read(path)


def test_xml_may_say_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><robot name="a"><link name="ä"/></robot>'
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(sp.ModelError) as error:  # a link without mass is another matter
        sp.files.read_urdf(path, base="free")
    assert "UTF-8" not in str(error.value)


def test_numbers_and_paths_beyond_everything(tmp_path: Path) -> None:
    """Integers of hundreds of digits, numbers below all others, paths that no system has."""
    for make in (
        lambda x: sp.RigidBody("b", x),
        lambda x: sp.PID("p", "j", kp=1.0, tracking=x),
        lambda x: sp.simulate(pendulum(), 0.1, tolerance=x),
        lambda x: sp.SampledController("s", "j", len, 0.1, limit=x),
        lambda x: sp.Rectangle(x, 0.1),
    ):
        for number in (10**400, -(10**400)):
            with pytest.raises(sp.ModelError, match="expected"):
                make(number)
    with pytest.raises(sp.ModelError, match=r"length is .* expected a positive number"):
        sp.ANCFBeam("b", 5e-324, sp.Rectangle(0.02, 0.01), STEEL)
    result = sp.simulate(pendulum(), 0.01, output=3)
    for path in (tmp_path / ("a" * 5000), "half of a sign \ud800"):
        for write in (
            result.save,
            result.to_html,
            lambda path: sp.files.write_model(pendulum(), path),
        ):
            with pytest.raises(sp.SuppleError, match="expected") as refused:
                write(path)
            assert len(str(refused.value)) < 700
    with pytest.raises(sp.ModelError, match="there is no file"):
        sp.fem.read_calculix("a" * 5000)
    with pytest.raises(sp.ModelError, match="weights of zero, or of 1e-100 at least"):
        sp.observer(pendulum(), "pin", "pin", process=1e-310)


def test_functions_of_users_that_fail() -> None:
    """The sentence names the argument; what the function raised is its cause."""
    given = "b", 1.0, sp.Rectangle(0.02, 0.01), STEEL

    def fails(*_: float) -> float:
        raise ZeroDivisionError("no number")

    for make in (
        lambda: sp.ANCFBeam(*given, twist=fails),
        lambda: sp.ANCFBeam(*given, centre_line=fails),
        lambda: sp.ANCFPlate("p", (1.0, 1.0), 0.01, STEEL, shape=fails),
    ):
        with pytest.raises(sp.ModelError, match="no number") as refused:
            make()
        assert isinstance(refused.value.__cause__, ZeroDivisionError)
