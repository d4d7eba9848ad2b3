"""Files that are missing, cut off, damaged or something else: each is one sentence."""

from __future__ import annotations

import errno
import os
import re
import struct
import sys
import types
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.io import mmwrite

import supple as sp
from models.output4_files import write_binary
from supple.fem.files.nastran import read_output4
from supple.io.fmu import controller as fmu
from supple.sweeps.sweep import StudyFile

DATA = Path(__file__).parents[1] / "data"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MODELS, ROBOTS = EXAMPLES / "models", EXAMPLES / "robots"
STEEL = sp.Material(2.1e11, 8e10, 7850.0)
CUBE = sp.fem.block((1.0, 1.0, 1.0), (1, 1, 1), "hex8", STEEL)
JOB = {e: DATA / f"hexahedra.{e}" for e in ("dof", "sti", "mas", "inp")}


class Reader(NamedTuple):
    """A call of a file, and how to write a good one."""

    name: str
    call: Callable[[Path], object]
    write: Callable[[Path], object]


def copied(source: Path) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(source.read_bytes())


def part_of_job(ending: str) -> Reader:
    """One file of a job of CalculiX is damaged, the others are good."""

    def call(path: Path) -> object:
        for e, source in JOB.items():
            target = path.with_name(f"job.{e}")
            if e == ending:
                if target.exists() and not target.is_dir():
                    target.unlink()
                if path.is_dir():
                    target.mkdir(exist_ok=True)
                elif path.exists():
                    target.write_bytes(path.read_bytes())
            else:
                target.write_bytes(source.read_bytes())
        return sp.fem.read_calculix(path.with_name("job"))

    return Reader(f"x.{ending}", call, copied(JOB[ending]))


def market(path: Path) -> object:
    good = path.with_name("good.mtx")
    mmwrite(good, CUBE.mass_matrix)
    return sp.fem.read_matrix_market(path, good, CUBE.nodes)


def abaqus(path: Path) -> object:
    good = path.with_name("good.mtx")
    write_numbers(good, CUBE.mass_matrix)
    model = path.with_name("good.inp")
    model.write_text("*NODE\n" + "".join(f"{k + 1},{x},{y},{z}\n" for k, (x, y, z) in NODES))
    return sp.fem.read_abaqus(path, good, model)


NODES = list(enumerate(CUBE.nodes.tolist()))


def write_numbers(path: Path, matrix) -> None:
    found = matrix.tocoo()
    rows = zip(found.row, found.col, found.data, strict=True)
    path.write_text("".join(f"{i + 1} {j + 1} {v:.15e}\n" for i, j, v in rows))


def mesh_file(path: Path) -> None:
    meshlane = pytest.importorskip("meshlane", reason="meshlane is not installed")
    meshlane.Mesh(CUBE.nodes, [("hexahedron", CUBE.cells)]).write(
        path, "gmsh" if path.suffix == ".msh" else None
    )


def result_file(path: Path) -> None:
    m = sp.Model(gravity=(0, 0, -9.81))
    link = m.add(sp.RigidBody("link", 1.0, (0.5, 0, 0), 0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), link.at(0), axis="y"))
    sp.simulate(m, 0.01, output=3).save(path)


def kept_run(how: str) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        m = sp.Model(gravity=(0, 0, -9.81))
        link = m.add(sp.RigidBody("link", 1.0, (0.5, 0, 0), 0.1))
        m.add(sp.Revolute("pin", m.ground.at(0), link.at(0), axis="y"))
        sp.simulate(m, 0.01, output=3, **{how: path})

    return write


def sid_file(path: Path) -> None:
    rod = sp.Beam("rod", 1.0, sp.Tube(0.04, 0.002), STEEL, elements=2, modes=2)
    sp.files.write_sid(path, rod, [rod.at(0.0), rod.at(1.0)])


def stl_file(path: Path) -> None:
    corners = "".join(f"vertex {x} {y} 0\n" for x, y in ((0, 0), (1, 0), (0, 1)))
    facet = f"facet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\n"
    path.write_text(f"solid a\n{facet}endsolid a\n")


def nastran(path: Path) -> object:
    if path.suffix == ".bdf":
        return sp.fem.read_nastran(path, DATA / "beam_dense.op4")
    return sp.fem.read_nastran(DATA / "beam.bdf", path)


def model_file(path: Path) -> object:
    """A model file may have several problems; each of them is a sentence."""
    try:
        if path.suffix in (".urdf", ".xml"):
            return sp.files.RobotFile(path)
        return StudyFile(path) if "study" in path.name else sp.files.read_model(path)
    except sp.files.ModelFileError as error:
        sentences = [sp.ModelError.plain(str(problem)) for problem in error.problems]
        for sentence in sentences:
            assert "\n" not in str(sentence) and len(str(sentence)) < 600
        raise sentences[0] from error


def fmu_file(path: Path) -> None:
    """An archive like an FMU; its library is never loaded."""
    text = (
        '<fmiModelDescription fmiVersion="2.0" modelName="x" guid="{x}">\n'
        '<CoSimulation modelIdentifier="x"/>\n<ModelVariables><ScalarVariable name="u" '
        'valueReference="0" causality="input"><Real start="0"/></ScalarVariable></ModelVariables>\n'
        "</fmiModelDescription>\n"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", text)
        for folder in fmu.folders():
            archive.writestr(f"binaries/{folder}/x{fmu.ENDING}", b"no machine code" * 20)


STUDY = """\
supple: 1
model: arm.yaml
design: latin
runs: 20
parameters: {L: "uniform(0.9, 1.1)", pin.initial: [0.1, 0.2, 0.3]}
figures: {effects.png: [effects, pin.angle @ max]}
outputs: [pin.angle @ max]
"""
BINARY = read_output4(DATA / "beam_dense.op4")
READERS = [
    *(part_of_job(ending) for ending in JOB),
    Reader("x.mtx", market, lambda path: mmwrite(path, CUBE.stiffness_matrix)),
    Reader("x_STIF1.mtx", abaqus, lambda path: write_numbers(path, CUBE.stiffness_matrix)),
    Reader("x.bdf", nastran, copied(DATA / "beam.bdf")),
    Reader("x.op4", nastran, copied(DATA / "beam_dense.op4")),
    Reader("y.op4", nastran, copied(DATA / "beam_sparse.op4")),
    Reader("z.op4", nastran, lambda path: write_binary(path, BINARY, "sparse")),
    Reader("x.npz", sp.fem.load_component, lambda path: sp.fem.save_component(path, CUBE)),
    Reader("x.msh", sp.fem.read_mesh, mesh_file),
    Reader("x.vtk", sp.fem.read_mesh, mesh_file),
    Reader("x.stl", sp.MeshShape, stl_file),
    Reader("x.sid", lambda path: sp.SIDBody("rod", path), sid_file),
    Reader("x.nc", sp.files.load_result, result_file),
    Reader("x.checkpoint", sp.resume, kept_run("checkpoint")),
    Reader("x.h5", sp.files.open_run, kept_run("output_to")),
    Reader("x.yaml", model_file, copied(MODELS / "flexible_arm.yaml")),
    Reader("x_study.yaml", model_file, lambda path: path.write_text(STUDY)),
    Reader("x.urdf", model_file, copied(ROBOTS / "gripper.urdf")),
    Reader("x.fmu", lambda path: fmu.Unpacked(path), fmu_file),
    Reader("x.xml", model_file, copied(ROBOTS / "delta.xml")),
]  # fmt: skip


def one_sentence(error: BaseException, must_name: str = "") -> None:
    text = str(error)
    assert isinstance(error, sp.SuppleError), repr(error)
    assert "\n" not in text and len(text) < 600
    assert ", expected " in text or "did you mean" in text, text
    assert must_name in text, text


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Reader], Path]:
    """A good file of each kind, written once."""
    folder = tmp_path_factory.mktemp("good")

    def make(reader: Reader) -> Path:
        path = folder / reader.name
        if not path.exists():
            reader.write(path)
        return path

    return make


def kinds(reader: Reader) -> str:
    return reader.name


@pytest.mark.parametrize("reader", READERS, ids=kinds)
def test_a_good_file_is_read(reader: Reader, good, tmp_path: Path) -> None:
    path = tmp_path / reader.name
    path.write_bytes(good(reader).read_bytes())
    assert reader.call(path) is not None


@pytest.mark.parametrize("reader", READERS, ids=kinds)
@pytest.mark.parametrize("what", ["missing", "folder", "empty", "binary", "text", "utf-16"])
def test_another_thing(what: str, reader: Reader, good, tmp_path: Path) -> None:
    if reader.write is mesh_file:
        pytest.importorskip("meshlane", reason="meshlane is not installed")
    path = tmp_path / reader.name
    if what == "folder":
        path.mkdir()
    elif what == "empty":
        path.write_bytes(b"")
    elif what == "binary":
        path.write_bytes(np.random.default_rng(1).bytes(3000))
    elif what == "text":
        path.write_text("Dear Sir or Madam,\n\nthis is not what you want.\n" * 20, "latin-1")
    elif what == "utf-16":
        path.write_text("tous les caractères\n" * 20, encoding="utf-16")
    with pytest.raises(sp.SuppleError) as caught:
        reader.call(path)
    one_sentence(caught.value, "x" if not reader.name.startswith("x.") else "")


@pytest.mark.parametrize("reader", READERS, ids=kinds)
def test_cut_off_anywhere(reader: Reader, good, tmp_path: Path) -> None:
    """Whatever is left is read, or refused in one sentence; the half of a file is refused."""
    content = good(reader).read_bytes()
    path = tmp_path / reader.name
    refused = 0
    places = np.linspace(1, len(content) - 1, 25).astype(int)
    for end in places:
        path.write_bytes(content[:end])
        try:
            reader.call(path)
        except Exception as error:
            one_sentence(error)
            refused += 1
    # A text without the line end, or with fewer digits at its end, still is one.
    assert refused >= 0.4 * len(places)


@pytest.mark.parametrize("reader", READERS, ids=kinds)
def test_damaged_anywhere(reader: Reader, good, tmp_path: Path) -> None:
    """Some bytes are others: it may be seen or not, but nothing else than a sentence comes out."""
    content = np.frombuffer(good(reader).read_bytes(), np.uint8)
    rng = np.random.default_rng(7)
    path = tmp_path / reader.name
    for _ in range(25):
        changed = content.copy()
        # Twenty damaged bytes in a row, in what comes first as often as in the rest.
        start = rng.integers(0, rng.choice([200, len(changed)]))
        changed[start : start + 20] = rng.integers(32, 127, len(changed[start : start + 20]))
        path.write_bytes(changed.tobytes())
        try:
            reader.call(path)
        except Exception as error:
            one_sentence(error)


HUGE = 10**13


def huge_npz(path: Path) -> Path:
    """An array whose header declares 80 terabytes."""
    sp.fem.save_component(path, CUBE)
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({HUGE},), }}"
    head = head.ljust(118 - 10 - 1) + "\n"
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + b"\0" * 16
    with zipfile.ZipFile(path) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    parts["mass_matrix/data.npy"] = array
    with zipfile.ZipFile(path, "w") as target:
        for name, content in parts.items():
            target.writestr(name, content)
    return path


def huge_netcdf(path: Path) -> Path:
    import h5netcdf

    result_file(path)
    with h5netcdf.File(path, "a") as file:
        file.dimensions["many"] = HUGE
        file.create_variable("much", ("many",), "f8", chunks=(1000,))
    return path


def edited(path: Path, write: Callable[[Path], object], old: str, new: str) -> Path:
    write(path)
    text = re.sub(old, new, path.read_text(), count=1)
    assert text != path.read_text()
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("make", "call"),
    [
        (lambda f: edited(f / "x.mtx", lambda p: mmwrite(p, CUBE.stiffness_matrix),
                          r"\n24 24 ", f"\n{HUGE} {HUGE} "), market),
        (lambda f: edited(f / "x.mtx", lambda p: mmwrite(p, CUBE.stiffness_matrix),
                          r"\n24 24 \d+", f"\n24 24 {HUGE}"), market),
        (lambda f: edited(f / "x.op4", copied(DATA / "beam_dense.op4"), "      24      24",
                          "9999999999999999"), nastran),
        (lambda f: edited(f / "x.sid", sid_file, r"nelastq +=.*", f"nelastq = {HUGE}"),
         lambda p: sp.SIDBody("rod", p)),
        (lambda f: edited(f / "x.inp", copied(JOB["inp"]), r"\*NSET.*\n",
                          f"*NSET, NSET=ALL, GENERATE\n1, {HUGE}, 1\n*NSET, NSET=B\n"),
         part_of_job("inp").call),
        (lambda f: edited(f / "x.inp", copied(JOB["inp"]), r"\*NODE",
                          "*INCLUDE, INPUT=job.inp\n*NODE"),
         part_of_job("inp").call),
        (lambda f: edited(f / "x.dof", copied(JOB["dof"]), r"\d+\.1", f"{HUGE}.1"),
         part_of_job("dof").call),
        (lambda f: edited(f / "x.sti", copied(JOB["sti"]), r"\d+ ", f"{HUGE} "),
         part_of_job("sti").call),
        (lambda f: huge_npz(f / "x.npz"), sp.fem.load_component),
        (lambda f: huge_netcdf(f / "x.nc"), sp.files.load_result),
    ],
)  # fmt: skip
def test_huge_counts_are_refused(make, call, tmp_path: Path) -> None:
    with pytest.raises(sp.SuppleError) as caught:
        call(make(tmp_path))
    one_sentence(caught.value)


def test_huge_count_of_a_mesh_file(tmp_path: Path) -> None:
    for count, where in ((HUGE, "\\$Nodes\n"), (HUGE, "\\$Elements\n")):
        path = tmp_path / "x.msh"
        meshlane = pytest.importorskip("meshlane", reason="meshlane is not installed")
        cube = meshlane.Mesh(CUBE.nodes, [("hexahedron", CUBE.cells)])
        cube.write(path, file_format="gmsh22", binary=False)
        text = re.sub(
            where + r"\d+", lambda m, c=count: m[0].split("\n")[0] + f"\n{c}", path.read_text()
        )
        path.write_text(text)
        with pytest.raises(sp.SuppleError) as caught:
            sp.fem.read_mesh(path)
        one_sentence(caught.value, "x.msh")


def test_readers_that_end_the_program_are_contained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A library may print and call sys.exit: neither reaches the user."""

    def read(path: Path, known: str) -> None:
        print("to stdout")
        print("to stderr", file=sys.stderr)
        sys.exit(3)

    monkeypatch.setitem(sys.modules, "meshlane", types.SimpleNamespace(read=read))
    (tmp_path / "x.msh").write_text("$MeshFormat")
    with pytest.raises(sp.ModelError) as caught:
        sp.fem.read_mesh(tmp_path / "x.msh")
    assert str(caught.value) == (
        "x.msh: it cannot be read (its reader gave up), expected a mesh of a format that meshlane "
        "knows by its ending"
    )
    assert capsys.readouterr() == ("", "")


def test_objects_of_a_file_are_never_made(tmp_path: Path) -> None:
    """A pickle in an NPZ file would run code; it is refused and nothing has run."""

    class Bad:
        def __reduce__(self) -> tuple:
            return os.mkdir, (str(tmp_path / "made"),)

    sp.fem.save_component(tmp_path / "x.npz", CUBE)
    with np.load(tmp_path / "x.npz") as file:
        parts = {name: file[name] for name in file.files}
    np.savez(tmp_path / "x.npz", **{**parts, "nodes": np.array([Bad()], dtype=object)})
    with pytest.raises(sp.ModelError) as caught:
        sp.fem.load_component(tmp_path / "x.npz")
    one_sentence(caught.value, "x.npz: it cannot be read")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "name", ["x.geo", "x.GEO", "x.py", "x.pro", "x.opt", "x.pos", "x", "x.stl"]
)
def test_scripts_are_not_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """gmsh takes whatever it does not know for a script, and a script can call the shell."""
    opened: list[str] = []
    refuse = types.SimpleNamespace(isInitialized=lambda: opened.append("touched"))
    monkeypatch.setitem(sys.modules, "gmsh", refuse)
    (tmp_path / name).write_text(f'SystemCall "touch {tmp_path}/made";')
    with pytest.raises(sp.ModelError) as caught:
        sp.fem.mesh_geometry(tmp_path / name, 0.1)
    one_sentence(caught.value, f"{name}: gmsh would run the commands of a")
    assert str(caught.value).endswith("or allow_scripts=True for a file that you trust")
    assert not opened


def test_what_gmsh_is_asked_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shapes are imported as such; only an allowed script is opened, and gmsh is always left."""
    calls: list[str] = []

    def note(name: str) -> Callable[..., object]:
        def call(*given: object, **options: object) -> object:
            calls.append(name if name != "importShapes" else f"{name} {options['format']}")
            if name == "synchronize":
                raise RuntimeError("stop here")
            return None

        return call

    names = types.SimpleNamespace
    gmsh = names(
        isInitialized=lambda: False,
        initialize=note("initialize"),
        finalize=note("finalize"),
        open=note("open"),
        option=names(setNumber=note("option"), setString=note("option")),
        model=names(
            occ=names(importShapes=note("importShapes"), synchronize=note("synchronize")),
            mesh=names(generate=note("synchronize")),
        ),
    )
    monkeypatch.setitem(sys.modules, "gmsh", gmsh)
    for name, allowed, way in (
        ("x.STP", False, "importShapes step"),
        ("x.Iges", False, "importShapes iges"),
        ("x.brep", True, "importShapes brep"),
        ("x.geo", True, "open"),
    ):
        calls.clear()
        (tmp_path / name).write_text("something")
        with pytest.raises(
            sp.ModelError, match=r"it cannot be read \(stop here\), expected a geom"
        ):
            sp.fem.mesh_geometry(tmp_path / name, 0.1, allow_scripts=allowed)
        assert way in calls and calls[-1] == "finalize"
        assert ("open" in calls) == (way == "open")


def test_geometry_that_is_cut_off(tmp_path: Path) -> None:
    pytest.importorskip("gmsh", reason="gmsh is not installed, or its system libraries")
    content = (DATA / "plate.step").read_bytes()
    # Options beside the geometry would be run by gmsh.open.
    (tmp_path / "x.step.opt").write_text(f'SystemCall "touch {tmp_path}/made";')
    for end in (20, len(content) // 3, len(content) // 2):
        (tmp_path / "x.step").write_bytes(content[:end])
        with pytest.raises(sp.SuppleError) as caught:
            sp.fem.mesh_geometry(tmp_path / "x.step", 0.01).solid(STEEL)
        one_sentence(caught.value, "x")
    (tmp_path / "x.step").write_bytes(content)
    assert len(sp.fem.mesh_geometry(tmp_path / "x.step", 0.02).nodes) > 0
    assert not (tmp_path / "made").exists()


def test_a_full_disk_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full while a result is written over another: the other one is still there."""
    path = tmp_path / "x.nc"
    result_file(path)
    before = path.read_bytes()

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(sp.FileError) as caught:
        result_file(path)
    assert "x.nc' cannot be written: No space left on device" in str(caught.value)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["x.nc"]


@pytest.mark.parametrize(
    "write",
    [
        lambda path: sp.fem.save_component(path, CUBE),
        sid_file,
        result_file,
    ],
)
def test_paths_that_cannot_be_written(write, tmp_path: Path) -> None:
    for path in (tmp_path / "none" / "x.out", tmp_path):
        with pytest.raises(sp.FileError) as caught:
            write(path)
        assert "cannot be written: " in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(sp.ModelError) as caught:
        write(None)
    assert str(caught.value) == "a file to be written: path is None, expected the path of a file"
