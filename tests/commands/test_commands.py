"""Commands on models and results: what they answer, their exit codes, and files they write."""

from __future__ import annotations

import base64
import csv
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import supple as sp
from supple.analyses.linear.energy_shares import kinetic_by_body, kinetic_shares
from supple.cli import app
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations
from supple.results.files.dataset import write

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
ARM, FOUR_BAR = MODELS / "two_link_arm.yaml", MODELS / "four_bar.yaml"
ALUMINIUM = sp.Material(E=70e9, G=70e9 / 2.6, density=2700)


def run(*arguments: str | Path):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def answer(*arguments: str | Path, code: int = 0):
    done = run(*arguments, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def two_masses() -> sp.Model:
    """Wall, spring, mass, spring, mass; both springs and both masses are equal."""
    m = sp.Model(name="masses")
    a, b = (m.add(sp.RigidBody(name, mass=2.0)) for name in "ab")
    m.add(sp.Prismatic("one", m.ground.at(0), a.at(0), axis="x"))
    m.add(sp.Prismatic("two", a.at(0), b.at(0), axis="x"))
    for joint in ("one", "two"):
        m.add(sp.JointSpring(f"spring {joint}", joint, stiffness=8.0))
    return m


def pendulum(mass: float) -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    m.add(sp.RigidBody("fore", mass=mass, com=(0.3, 0, 0), inertia=0.01))
    m.add(sp.Revolute("elbow", m.ground.at(0), m["fore"].at(0), axis="y"))
    return m


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    """A result in a file."""
    path = tmp_path_factory.mktemp("results") / "arm.nc"
    return sp.simulate(pendulum(1.0), 0.2, output=20).save(path)


def test_graph(tmp_path):
    found = answer("graph", FOUR_BAR)
    assert found["chords"] == ["D"] and found["loops"] == [
        {"closed_by": "D", "joints": ["A", "B", "C"]}
    ]
    assert [(e["parent"], e["child"]) for e in found["tree"]] == [
        ("ground", "crank"), ("crank", "coupler"), ("coupler", "rocker"),
    ]  # fmt: skip
    done = run("graph", FOUR_BAR, "--out", tmp_path / "graph.svg")
    assert done.exit_code == 0 and "  loop       D, A, B, C" in done.stdout.splitlines()
    assert (tmp_path / "graph.svg").read_bytes().startswith(b"<?xml")


def test_modes_in_closed_form(tmp_path):
    """Two equal masses in a row: frequencies and shapes are those of the golden ratio."""
    sp.files.write_model(two_masses(), tmp_path / "masses.yaml")
    golden = (1.0 + 5.0**0.5) / 2.0
    slow, fast = answer("modes", tmp_path / "masses.yaml")["modes"]
    assert slow["frequency"] == pytest.approx(2.0 / golden / (2.0 * np.pi), rel=1e-12)
    assert fast["frequency"] == pytest.approx(2.0 * golden / (2.0 * np.pi), rel=1e-12)
    far = golden**2 / (1.0 + golden**2)  # share of the mass that moves golden times as far
    assert slow["kinetic_energy"] == pytest.approx({"b": far, "a": 1.0 - far}, rel=1e-12)
    assert fast["kinetic_energy"] == pytest.approx({"a": far, "b": 1.0 - far}, rel=1e-12)
    assert fast["moves"].startswith("Prismatic 'two'")  # golden + 1 against 1
    assert len(answer("modes", tmp_path / "masses.yaml", "--count", "1")["modes"]) == 1


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize("options", [{"modes": 3, "stiffening": "second_order"}, {"parts": 2}])
def test_kinetic_energy_of_bodies_is_that_of_the_model(options):
    m = sp.Model()
    beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.01), ALUMINIUM, **options))
    tip = m.add(sp.RigidBody("tip", 1.0, com=(0.1, 0.2, 0), inertia=(0.1, 0.2, 0.15)))
    m.add(sp.Revolute("pin", m.ground.at(0), beam.at(0), axis="y"))
    m.add(sp.Spherical("ball", beam.at(1.0), tip.at(0)))
    m.add(sp.PointMass("load", beam.at(0.5), 0.3))
    m.add(sp.Motor("motor", "pin", inertia=0.01, ratio=5))
    compiled = build(m)
    equations, random = Equations(compiled), np.random.default_rng(3)
    q, u = compiled.q0.copy(), random.normal(size=compiled.nu)
    for record in compiled.flexible.values():
        q[record.q] = 1e-3 * random.normal(size=record.q.stop - record.q.start)
    found = kinetic_by_body(equations, q, u)
    assert found["motor"] == pytest.approx(0.5 * 0.25 * u[compiled.joints["pin"].u][0] ** 2)
    assert sum(found.values()) == pytest.approx(equations.energies(0, q, u).kinetic, rel=1e-12)
    shares = kinetic_shares(sp.linearize(m, "initial").modes[-1])
    assert sum(shares.values()) == pytest.approx(1.0, rel=1e-12)


def test_plot(saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drawn = []
    keep = lambda self, *what, path: drawn.append((what, path))  # noqa: E731
    monkeypatch.setattr("supple.results.saved.SavedResult.plot", keep)
    assert run("plot", saved, "*.angl*e", "elbow", "elbow.angle").exit_code == 0
    expected = ("elbow.angle", "elbow.angle_rate", "elbow")
    assert drawn == [(expected, Path("arm.png"))]
    monkeypatch.undo()
    assert run("plot", saved, "energy", "--out", tmp_path / "energy.pdf").exit_code == 0
    assert (tmp_path / "energy.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_crosscheck(tmp_path):
    sp.files.write_model(two_masses(), tmp_path / "rest.yaml", t_end=0.1)
    still = answer("crosscheck", tmp_path / "rest.yaml", code=1)
    assert still["state"] == "undecided" and "nothing moves" in still["verdict"]
    moving = two_masses()
    moving.replace("one", initial_rate=1.0)
    sp.files.write_model(moving, tmp_path / "masses.yaml")
    picture, page = tmp_path / "check.svg", tmp_path / "check.html"
    given = ("crosscheck", tmp_path / "masses.yaml", "--until", "0.1")
    found = answer(*given, "--out", picture, "--html", page)
    assert found["passed"] and {"absolute", "branches A"} <= {r["name"] for r in found["rows"]}
    assert found["until"] is None  # nothing limits it
    assert picture.read_bytes().startswith(b"<?xml") and "absolute" in page.read_text()
    unsure = run(*given, "--accuracy", "1e-9", "--no-refine")
    assert unsure.exit_code == 1 and unsure.stdout.startswith("UNDECIDED: ")


def test_compare(saved, tmp_path):
    other = sp.simulate(pendulum(2.0), 0.1, output=10).save(tmp_path / "other.nc")
    found = answer("compare", saved, other, code=1)
    assert not found["passed"] and (found["from"], found["to"]) == (0.0, 0.1)
    rows = {row["name"]: row for row in found["quantities"]}
    a, b = (sp.files.load_result(path)["elbow.angle"] for path in (saved, other))
    difference = np.abs(a[:11] - b)
    row = rows["elbow.angle"]
    assert row["max"] == pytest.approx(difference.max(), rel=1e-12)
    span = max(np.ptp(a[:11]), np.ptp(b))
    assert row["relative"] == pytest.approx(difference.max() / span, rel=1e-12)
    assert row["at"] == pytest.approx(0.01 * np.argmax(difference))
    wide = str(1.01 * found["quantities"][0]["relative"])
    picture = tmp_path / "both.svg"
    only = answer("compare", saved, other, "elbow.*e", "--tolerance", wide, "--out", picture)
    assert {row["name"] for row in only["quantities"]} == {"elbow.angle", "elbow.angle_rate"}
    assert only["verdict"].endswith("from 0 to 0.1 s only")
    assert b"<!-- other.nc -->" in picture.read_bytes()


@pytest.mark.slow
def test_interpolation_is_no_difference(tmp_path):
    """A quick vibration on two coarse grids: differences between their times mean nothing."""
    m = two_masses()
    m.replace("one", initial=0.1)
    names = ["whole.nc", "coarse.nc"]
    for name, intervals in zip(names, (25, 24), strict=True):
        sp.simulate(m, 20.0, output=intervals).save(tmp_path / name)
    found = answer("compare", *(tmp_path / name for name in names), "two", code=1)
    assert found["state"] == "undecided" and not found["passed"]
    assert {row["judgement"] for row in found["quantities"]} <= {"undecided", "agrees"}
    assert "give both runs the same output times" in found["verdict"]


def test_a_failed_run_agrees_with_nothing(saved, tmp_path):
    broken = sp.files.load_result(saved)
    broken.dataset.attrs.update(success=0, message="stopped at t = 0.2 s")
    write(broken.dataset, tmp_path / "broken.nc")
    done = run("compare", saved, tmp_path / "broken.nc")
    assert done.exit_code == 1
    assert done.stdout.startswith("DIFFER: the second run failed: stopped at t = 0.2 s")
    assert done.stderr == "supple: warning: broken.nc: stopped at t = 0.2 s\n"


def test_csv(saved, tmp_path):
    done = run("export", saved, "elbow.angle", "elbow.reaction", "--to", tmp_path / "arm.csv")
    assert done.exit_code == 0 and done.stdout.strip().endswith("arm.csv")
    rows = list(csv.reader((tmp_path / "arm.csv").open()))
    parts = [f"{what}_{axis}" for what in ("torque", "force") for axis in "xyz"]
    units = ["N m"] * 3 + ["N"] * 3
    named = [f"elbow.reaction.{p} ({u})" for p, u in zip(parts, units, strict=True)]
    assert rows[0] == ["time (s)", "elbow.angle (rad)", *named]
    values, result = np.array(rows[1:], dtype=float), sp.files.load_result(saved)
    assert np.array_equal(values[:, 0], result.t)
    assert np.array_equal(values[:, 1], result["elbow.angle"])
    assert np.array_equal(values[:, 2:], result["elbow.reaction"])


def test_wrong_exports(saved, tmp_path):
    result = sp.files.load_result(saved)
    for path, names, every, sentence in (
        (tmp_path / "arm.xls", (), 1, "none of the endings .csv, .parquet or .nc"),
        (tmp_path / "folder", ("elbow.angle",), 1, "names are for tables, found 'elbow.angle'"),
        (tmp_path / "arm.csv", ("elbow.angel",), 1, "did you mean 'elbow.angle'?"),
        (tmp_path / "folder", (), 0, "every is 0, expected"),
        (tmp_path / "arm.csv", (), 2, "every is 2, expected 1 with a file"),
        (3, (), 1, "path is 3, expected the path of a file"),
    ):
        with pytest.raises(sp.SuppleError) as error:
            result.export(path, *names, every=every)
        assert sentence in str(error.value)
    assert not list(tmp_path.iterdir())


def test_parquet(saved, tmp_path, monkeypatch):
    path = tmp_path / "arm.parquet"
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pyarrow", None)
        done = run("export", saved, "--to", path)
        assert done.exit_code == 2 and "pip install 'supple[parquet]'" in done.stderr
    pq = pytest.importorskip("pyarrow.parquet")
    assert run("export", saved, "--to", path).exit_code == 0
    table, result = pq.read_table(path), sp.files.load_result(saved)
    assert table.schema.field("fore.position.x").metadata == {b"units": b"m"}
    x = table.column("fore.position.x").to_numpy()
    assert np.array_equal(x, result["fore.position"][:, 0])


def arrays(path: Path) -> dict[str, np.ndarray]:
    """Arrays of a VTK file by name, read by their definition; those of lines only."""
    kinds = {"Float64": "<f8", "Int64": "<i8", "UInt8": "u1"}
    found = {}
    for parent in ("PointData", "Points", "Lines"):
        for item in ElementTree.parse(path).getroot().iterfind(f".//{parent}/DataArray"):
            content = base64.b64decode(item.text)
            assert int.from_bytes(content[:8], "little") == len(content) - 8
            values = np.frombuffer(content[8:], kinds[item.get("type")])
            width = int(item.get("NumberOfComponents", 1))
            found[item.get("Name")] = values.reshape(-1, width) if width > 1 else values
    return found


@pytest.mark.slow
def test_vtk(tmp_path):
    """Nodes are where the result says, frames stand as bodies do, times are those of the run."""
    m = sp.Model(gravity=(0, 0, -9.81))
    solid = sp.fem.block((1.0, 0.1, 0.05), (3, 1, 1), "hex20", ALUMINIUM)
    foot = sp.fem.Interface("foot", (0, 0.05, 0.025), solid.groups["x_min"])
    slab = m.add(sp.MeshBody("slab", solid, interfaces=[foot], modes=2))
    blade = m.add(sp.Beam("blade", 1.0, sp.Rectangle(0.02, 0.002), ALUMINIUM, parts=2))
    hub = m.add(sp.RigidBody("hub", 1.0, inertia=0.1))
    m.add(sp.Revolute("a", m.ground.at(0), slab.at("foot"), axis="y"))
    m.add(sp.Revolute("b", m.ground.at(0, 1, 0), hub.at(0), axis="y", initial=0.3))
    m.add(sp.Fixed("c", hub.at(0.2), blade.at(0)))
    result = sp.simulate(m, 0.1, output=5)
    assert result.export(tmp_path / "vtk", every=2) == tmp_path / "vtk" / "run.pvd"
    index = ElementTree.parse(tmp_path / "vtk" / "run.pvd").getroot().findall(".//DataSet")
    assert [float(d.get("timestep")) for d in index[::3]] == [*result.t[[0, 2, 4, 5]]]
    assert [d.get("file") for d in index[-3:]] == ["frames_3.vtp", "beams_3.vtp", "meshes_3.vtu"]
    names = (tmp_path / "vtk" / "names.csv").read_text().split()
    assert names == ["body,name", "0,slab", "1,blade", "2,hub"]
    line = arrays(tmp_path / "vtk" / "beams_3.vtp")
    assert line["Points"][-1] == pytest.approx(result["blade"].at().position[-1], abs=1e-15)
    moved = result["blade"].matrix[-1] @ result["blade"].at().deflection[-1]
    assert np.linalg.norm(moved) > 1e-4
    assert line["displacement"][-1] == pytest.approx(moved, abs=1e-15)
    assert line["radius"] == pytest.approx(0.0055) and line["connectivity"][-1] == 8
    frames = arrays(tmp_path / "vtk" / "frames_3.vtp")
    row = list(frames["body"]).index(2)
    assert np.array_equal(frames["axis_x"][row], result["hub"].matrix[-1, :, 0])
    joint = frames["Points"][frames["connectivity"][-1]]
    assert joint == pytest.approx(result["hub"].at(0.2).position[-1], abs=1e-15)
    mesh = pytest.importorskip("meshlane").read(tmp_path / "vtk" / "meshes_3.vtu")
    assert mesh.cells[0].type == "hexahedron20" and len(mesh.cells[0].data) == 3
    far = int(np.argmax(solid.nodes[:, 0]))
    assert mesh.points[far] == pytest.approx(result["slab"].at(node=far).position[-1], abs=1e-15)
    again = sp.files.load_result(result.save(tmp_path / "run.nc"))  # without a model: frames only
    again.export(tmp_path / "frames")
    for missing in ("to_html", "to_gltf", "picture"):
        with pytest.raises(AttributeError, match=f"no '{missing}', for which a model is needed, e"):
            getattr(again, missing)
    kept = arrays(tmp_path / "frames" / "frames_5.vtp")
    assert kept["axis_x"][2] == pytest.approx(result["hub"].matrix[-1, :, 0], abs=1e-15)
    assert not list((tmp_path / "frames").glob("beams*"))


WRONG_CALLS = {
    "plot none.nc": "none.nc: there is no such file",
    "graph none.yaml": "none.yaml: there is no such file",
    "plot arm.nc elbow.angel": "no quantity 'elbow.angel', did you mean 'elbow.angle'?",
    "plot arm.nc x*": "the result has no quantity 'x*'",
    "plot notes.txt": "notes.txt: it is something else, expected a saved result",
    "plot empty.nc": "empty.nc: empty.nc is empty",
    "compare arm.nc no_result.nc": "no_result.nc: it cannot be read",
    "compare arm.nc arm.nc --tolerance -1": "--tolerance is -1.0",
    "crosscheck masses.yaml": "masses.yaml does not say how long a run is, expected --until",
    "crosscheck masses.yaml --until -1": "--until is -1.0, expected a time after the start",
    "crosscheck masses.yaml --until 1 --accuracy 2": "--accuracy is 2.0, expected a number between",
    "crosscheck arm.nc": "arm.nc: it is a result, which has no model",
    "compare arm.nc arm.nc elbov": "no quantity 'elbov', did you mean 'elbow'?",
    "graph arm.nc": "arm.nc: it is a result, which has no model",
    "modes arm.nc": "arm.nc: it is a result, which has no model",
    "export arm.nc --to arm.xls": "none of the endings .csv, .parquet or .nc",
    "export arm.nc --to none/arm.csv": "there is no folder 'none'",
    "export arm.nc elbow.angle --to folder": "names are for tables",
    "plot arm.nc --out arm.doc": "ends with .png, .svg or .pdf",
    "fmu masses.yaml --out arm.zip": "expected a name that ends with .fmu",
    "fmu masses.yaml --out arm.fmu --input knee": "inputs is 'knee', expected joints",
    "fmu masses.yaml --out arm.fmu --until 0": "--until is 0.0, expected a time after the start",
    "fmu arm.nc --out arm.fmu": "arm.nc: it is a result, which has no model",
    "run none.yaml": "none.yaml: there is no such file",
    "check none.yaml --json": "none.yaml: there is no such file",
}


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_wrong_calls_are_one_sentence(call, saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.nc").write_bytes(saved.read_bytes())
    (tmp_path / "notes.txt").write_text("milk, bread\n")
    (tmp_path / "no_result.nc").write_text("milk, bread\n")
    (tmp_path / "empty.nc").touch()
    sp.files.write_model(two_masses(), tmp_path / "masses.yaml")
    done = run(*call.split())
    assert done.exit_code == 2 and done.stdout == ""
    assert WRONG_CALLS[call] in done.stderr and len(done.stderr.splitlines()) == 1


def test_runs_as_json(tmp_path):
    text = ARM.read_text().replace("t_end: 3 s", "t_end: 0.1 s")
    (tmp_path / "arm.yaml").write_text(f"{text}outputs: {{save: arm.nc}}\n")
    found = answer("run", tmp_path / "arm.yaml")
    assert found["success"] and found["to"] == 0.1 and found["levels"]["energy"] == "trusted"
    assert [Path(path).name for path in found["written"]] == ["arm.nc"]
    (tmp_path / "arm.nc").unlink()
    assert run("plot", tmp_path / "arm.yaml", "--out", tmp_path / "arm.png").exit_code == 0
    assert not (tmp_path / "arm.nc").exists()  # other commands leave its outputs alone


BARS = """\
supple: 1
bodies:
  crank: {type: RigidBody, mass: 1, inertia: [0.01, 0.01, 0.01]}
  coupler: {type: RigidBody, mass: 1, inertia: [0.01, 0.01, 0.01]}
  rocker: {type: RigidBody, mass: 1, inertia: [0.01, 0.01, 0.01]}
joints:
  A: {type: Revolute, A: ground at 0, B: crank at 0, axis: y, initial: -90 deg}
  B: {type: Revolute, A: crank at 0.3, B: coupler at 0, axis: y, initial: 60 deg}
  C: {type: Revolute, A: coupler at LENGTH, B: rocker at 0.6, axis: y, initial: 60 deg}
  D: {type: Revolute, A: ground at 0.9, B: rocker at 0, axis: y}
"""
DRIVERS = """\
drivers:
  one: {type: Driver, joint: A, motion: "-pi/2 + 2*t**2"}
  two: {type: Driver, joint: D, motion: "0.2*t**2"}
"""
WRONG = {
    "over-constrained": (
        BARS.replace("LENGTH", "0.9") + '  E: {type: Revolute, A: "ground at 0.3, 0, 0.1", '
        "B: coupler at 0.3, axis: y}\n",
        "the loop of 'E', 'A', 'B' stays open by",
        "places of frames along it",
    ),
    "unreachable": (
        BARS.replace("LENGTH", "2.5"),
        "the loop of 'D', 'A', 'B', 'C' stays open by 0.7 m",
        "change lengths",
    ),
    "far away": (
        BARS.replace("LENGTH", "0.9").replace("ground at 0.9", "ground at 1e20"),
        "the loop of 'D', 'A', 'B', 'C' stays open by 1e+20 m",
        "change lengths",
    ),
    "contradictory": (
        BARS.replace("LENGTH", "0.9") + DRIVERS,
        "Driver 'one' and Driver 'two' cannot both be followed",
        "leave one of these drivers out",
    ),
    "massless": (
        "supple: 1\nbodies:\n  hub: {type: RigidBody, mass: 1}\njoints:\n"
        "  pin: {type: Revolute, A: ground at 0, B: hub at 0, axis: y}\n",
        "Revolute 'pin' (angle of body 'hub') moves no mass",
        "give the body an inertia",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_mechanisms(kind, tmp_path):
    """What is wrong is named by its joints or drivers, with what to do."""
    text, sentence, advice = WRONG[kind]
    (tmp_path / "wrong.yaml").write_text(text)
    found = answer("check", tmp_path / "wrong.yaml", code=1)
    first = found["findings"][0]
    assert not found["ok"] and first["severe"]
    assert sentence in first["text"] and advice in first["advice"]


def test_files_with_mistakes_as_json(tmp_path):
    (tmp_path / "arm.yaml").write_text("supple: 1\nbodies:\n  a: {type: RigidBody, mass: -1}\n")
    found = answer("check", tmp_path / "arm.yaml", code=1)["findings"][0]
    assert (found["file"], found["line"], found["key"]) == ("arm.yaml", 3, "bodies.a.mass")


def test_drivers_are_followed_to_the_end_of_the_run(tmp_path):
    """A motion that leaves the reach of the mechanism after more than a second."""
    text = BARS.replace("LENGTH", "0.6").replace("0.3, B: coupler", "0.6, B: coupler")
    text += 'drivers:\n  one: {type: Driver, joint: A, motion: "-0.5 - 0.3*t**2"}\n'
    (tmp_path / "arm.yaml").write_text(text)
    assert answer("check", tmp_path / "arm.yaml")["ok"]
    (tmp_path / "arm.yaml").write_text(f"{text}simulation: {{t_end: 4}}\n")
    found = answer("check", tmp_path / "arm.yaml", code=1)["findings"][0]
    assert "Driver 'one' cannot be followed at t = " in found["text"]


def test_files_to_be_written_are_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read is not overwritten, and outputs do not overwrite each other."""
    monkeypatch.chdir(tmp_path)
    for name in ("m.yaml", "m.html", "m.png", "m.csv"):
        Path(name).write_text("supple: 1\n")
    for call, told in (
        ("run m.yaml --html m.yaml", "cannot be written"),
        ("run m.yaml --checkpoint m.yaml", "--checkpoint is what is read"),
        ("run m.yaml --checkpoint c --output-to c", "--output-to is also --checkpoint"),
        ("run m.yaml --html nowhere/page.html", "there is no folder"),
        ("view m.html --html m.html", "--html is what is read"),
        ("view m.yaml m.html --html m.html", "--html is what is read"),
        ("view m.yaml --modes --model", "expected one of them"),
        ("view m.yaml m.yaml --modes", "there is a second file"),
        ("plot m.png", "--out is what is read"),
        ("graph m.png --out m.png", "--out is what is read"),
        ("export m.csv --to m.csv", "--to is what is read"),
    ):
        done = CliRunner().invoke(app, call.split())
        assert done.exit_code == 2 and told in done.output, (call, done.output)
    assert {p.read_text() for p in tmp_path.glob("m.*")} == {"supple: 1\n"}
