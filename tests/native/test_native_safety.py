"""Machine code that meets what others wrote: crafted images, ports, states of FMUs, arguments.

They end in a code or a sentence. Quick tests try a few images; ``make test-native`` tries
thousands, with the address and undefined-behaviour sanitizers.
"""

from __future__ import annotations

import ctypes
import dataclasses
import os
import re
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from models.c_models import CModel, code, controlled_arm
from models.fmi_calls import Fmu
from models.image_parts import fault_of, parts_of
from models.kind_models import KINDS
from models.linkages import parallelogram
from models.touching_bodies import TOUCHING
from supple.core.base import layout as at
from supple.core.contact import contact, fields, pairs, sets, surfaces
from supple.core.forces import callback, forces
from supple.core.images import image as checks
from supple.core.images import rules as check_rules
from supple.forces.kinds import ELEMENTS
from supple.integrators.methods import image as images
from supple.native import build, declare, library

pytestmark = pytest.mark.skipif(build.c_compiler() is None, reason="there is no C compiler")

SOURCES = Path(__file__).parents[1] / "native"
NATIVE = Path(library.__file__).parent
SANITIZE = ["-g", "-fsanitize=address,undefined", "-fno-omit-frame-pointer"]
IMAGES, RUNS, CALLS = 5000, 300, 5000  # of make test-native


def compiled(folder: Path, name: str, place: Path, flags: list[str]) -> Path:
    """A program of tests/native against a library of kernels."""
    compiler = build.c_compiler()
    assert compiler is not None
    made = folder / name
    command = [*compiler.split(), "-O1", "-Wall", "-Wextra", "-Werror", *flags, f"-I{NATIVE}"]
    links = [str(SOURCES / f"{name}.c"), f"-L{place}", "-lsupple", f"-Wl,-rpath,{place}", "-lm"]
    subprocess.run([*command, *links, "-o", str(made)], check=True)
    return made


def run(command: list[object], **variables: str) -> str:
    """Output of a program, which must not fail."""
    env = {**os.environ, "ASAN_OPTIONS": "exitcode=99", **variables}
    env["UBSAN_OPTIONS"] = "halt_on_error=1,exitcode=99,print_stacktrace=1"
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=env)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    """A folder with the library as users have it."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "libsupple.so").symlink_to(library.for_c()[0])
    return folder


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory) -> Path:
    """A folder with the library whose C code is watched by sanitizers."""
    folder, compiler = tmp_path_factory.mktemp("sanitized"), build.c_compiler()
    assert compiler is not None
    (folder / "trial.c").write_text("int main(void) { return 0; }\n")
    trial = [*compiler.split(), *SANITIZE, str(folder / "trial.c"), "-o", str(folder / "trial")]
    if subprocess.run(trial, capture_output=True).returncode:
        pytest.skip(f"{compiler} has no sanitizers: install libasan and libubsan")
    cpu = build.processor()
    objects = build.compile_objects(declare.all_entries().values(), cpu)
    build.link(objects, folder / "libsupple.so", cpu, " ".join([compiler, *SANITIZE]))
    return folder


def hung_cable() -> sp.Model:
    """Nodal vectors, and a rope-like chain of unknowns that is eliminated by fronts."""
    m = sp.Model(gravity=(0, 0, -9.81))
    cable = m.add(sp.Cable("cable", 1.0, sp.Circle(0.01), sp.Material(1e8, 4e7, 1e3), elements=4))
    m.add(sp.Spherical("hook", m.ground.at(0), cable.at(0)))
    return m


QUICK = {
    "arm": lambda: sp.prepare(controlled_arm()).image(0.5),
    "loop": lambda: sp.prepare(parallelogram(0.4)).image(0.5, formulation=sp.Absolute()),
    "marbles": lambda: sp.prepare(TOUCHING["marbles by cells"]()).image(
        0.05, integrator=sp.DormandPrince()
    ),
    "cable": lambda: sp.prepare(hung_cable()).image(0.5, integrator=sp.GeneralizedAlpha(step=2e-3)),
}


@pytest.mark.parametrize("name", QUICK)
def test_crafted_images_end_in_a_code(plain, tmp_path, name):
    """Words changed, check sums right: refused, or run within its memory."""
    (tmp_path / "model.image").write_bytes(QUICK[name]())
    program = compiled(tmp_path, "fuzz_image", plain, [])
    said = run([program, tmp_path / "model.image", 60, 1])
    codes = dict(re.findall(r"(\d+):(\d+)", said))
    assert "crashes 0 hangs 0" in said
    assert int(codes["12"]) > 5 and int(codes["13"]) > 5 and int(codes["0"]) > 5  # all three happen


def integrators_of(model: sp.Model):
    """Images of a model by all loops that take it."""
    for integrator, more in (
        (sp.Radau(), {}), (sp.DormandPrince(), {}), (sp.GeneralizedAlpha(step=1e-3), {}),
        (sp.EnergyScheme(step=1e-3), {"formulation": sp.Absolute()}),
        (sp.EnergyScheme(step=1e-3, decay=0.5), {"formulation": sp.Absolute()}),
    ):  # fmt: skip
        try:
            yield sp.prepare(model).image(0.2, integrator=integrator, **more)
        except sp.ModelError:
            continue


def test_images_of_all_kinds_are_sound():
    """Nothing that Supple writes is refused, of whatever kind of body, joint or force."""
    refused = {}
    for name, make in KINDS.items():
        model = make()
        try:
            image = sp.prepare(model).image(0.2)
        except sp.ModelError:  # functions in Python
            continue
        if fault := fault_of(*parts_of(image)):
            refused[name] = fault
    assert not refused


@pytest.mark.slow
def test_images_by_all_loops_are_sound():
    refused = {}
    for name, make in (KINDS | TOUCHING).items():
        for image in integrators_of(make()):
            if fault := fault_of(*parts_of(image)):
                refused[name] = fault
    assert not refused


FIELDS = {
    name: getattr(check_rules, name.upper())
    for name in ("node", "column", "flex", "attach", "signal", "term", "link")
}


def controlled_loop() -> sp.Model:
    """Something of each field."""
    m = controlled_arm()
    third = m.add(sp.RigidBody("third", mass=1.0, inertia=1.0))
    m.add(sp.Revolute("wrist", m["second"].at(0.5), third.at(0), axis="y"))
    m.add(sp.Coupling("belt", [("wrist", 1.0), ("elbow", -2.0)], 0.4))
    return m


@pytest.mark.parametrize("field", FIELDS)
def test_every_rule_is_looked_at(field):
    """A number beyond what it points into is found, in each column that a rule names."""
    header, arrays, loop = parts_of(sp.prepare(controlled_loop()).image(0.2))
    assert fault_of(header, arrays, loop) == checks.FINE
    sizes = at.sizes(arrays["ints"])
    for column, least, size, room in FIELDS[field].tolist():
        beyond = int(arrays["ints"][size]) - room + 1 if size >= 0 else room + 1
        for value in (least - 1, beyond, 2**62):
            other = {**arrays, "ints": arrays["ints"].copy()}
            at.TREE_RECORD.view(field, sizes, other["ints"])[-1, column] = value
            fault = fault_of(header, other, loop)
            assert fault not in (checks.FINE, checks.NUMBERS), (column, value)


def test_a_function_at_an_address_is_refused():
    """An element whose integer is the address of code would let an image call anything."""
    header, arrays, loop = parts_of(sp.prepare(controlled_arm()).image(0.2))
    element = at.integers(arrays["ints"], "element")
    element[-1, at.KIND], element[-1, callback.ADDRESS] = forces.FRAME_FUNCTION, 0x1000
    assert fault_of(header, arrays, loop) == checks.FORCES


def functions() -> ctypes.CDLL:
    """The library as C programs see it."""
    return ctypes.CDLL(str(library.for_c()[0]))


def test_every_kind_of_element_has_rules():
    functions_in_python = {forces.FRAME_FUNCTION, forces.JOINT_FUNCTION, forces.PAIR_FUNCTION}
    known = set(check_rules.ELEMENT[:, 0].tolist())
    assert known == set(ELEMENTS) - functions_in_python


def touching_image(name: str):
    """Parts of the image of a model of contacts, which are sound."""
    integrator = sp.DormandPrince() if name == "marbles by cells" else sp.Radau()
    parts = parts_of(sp.prepare(TOUCHING[name]()).image(0.1, integrator=integrator))
    assert fault_of(*parts) == checks.FINE
    return parts


def changed(parts, field: str, place: tuple[int, ...], value: int) -> int:
    """The fault of an image with another integer in a field of its model."""
    header, arrays, loop = parts
    other = {**arrays, "ints": arrays["ints"].copy()}
    sizes = at.sizes(arrays["ints"])
    at.TREE_RECORD.view(field, sizes, other["ints"])[place] = value
    return fault_of(header, other, loop)


@pytest.mark.parametrize(
    "name",
    ["ball", "ring", "ball on heights", "gears", "marbles by cells", "wheel", "wheel on heights"],
)
def test_every_integer_of_a_contact_is_looked_at(name):
    """Beyond what it points into it is found, in each column of the elements of a contact."""
    parts = touching_image(name)
    elements, sizes = at.integers(parts[1]["ints"], "element"), at.sizes(parts[1]["ints"])
    for e, el in enumerate(elements):
        rules = check_rules.ELEMENT[check_rules.ELEMENT[:, 0] == el[at.KIND]]
        used = np.flatnonzero(el[1 : at.LINES]) + 1
        pointers = set(rules[:, 1].tolist()) | {fields.FORM, fields.COUNTS}
        assert set(used.tolist()) <= pointers
        for _, column, least, size, room in rules.tolist():
            beyond = int(parts[1]["ints"][size]) - room + 1 if size >= 0 else room + 1
            for value in (least - 1, beyond, 2**62):
                assert changed(parts, "element", (e, column), value) == checks.FORCES, column
        if (
            el[at.KIND] in (pairs.CONTACT, contact.RUBBING, pairs.TYRE, pairs.TYRE_SLIP)
            and el[pairs.SURFACE] >= surfaces.CAM
        ):
            for column, size in ((fields.FORM, "data"), (fields.COUNTS, "programs")):
                for value in (-1, int(sizes[size]), 2**62):
                    assert changed(parts, "element", (e, column), value) == checks.FORCES
            for k in range(2):
                for value in (-1, 1, 2**20, 2**62):
                    place = (int(el[fields.COUNTS]) + k,)
                    assert changed(parts, "program", place, value) == checks.FORCES


def test_every_list_of_a_set_is_looked_at():
    """Nodes and kinds of balls and surfaces, lengths of lists, and scratch that others write."""
    parts = touching_image("marbles by cells")
    ints, sizes = parts[1]["ints"], at.sizes(parts[1]["ints"])
    push = at.integers(ints, "element")[-2]
    balls = [sets.BALL_INTS * k for k in range(push[sets.COUNT])]
    walls = [sets.WALL_INTS * k for k in range(push[sets.WALLS])]
    lists = [(push[sets.BALLS] + k, sizes["nodes"]) for k in balls]
    lists += [(push[sets.SURFACES] + k, sizes["nodes"]) for k in walls]
    lists += [(push[sets.SURFACES] + k + sets.KIND, surfaces.CAM) for k in walls]
    lists += [(push[sets.SURFACES] + k + sets.HOLLOW, 2) for k in walls]
    for place, end in lists:
        for value in (-1, int(end), 2**62):
            assert changed(parts, "program", (place,), value) == checks.FORCES
    for column in range(sets.BALLS, sets.ROOM + 1):  # as those of its friction behind it
        for more in (-1, 1):
            fault = changed(parts, "element", (-2, column), push[column] + more)
            assert fault == checks.FORCES, column
    assert changed(parts, "element", (-1, at.KIND), forces.BODY_DAMPING) == checks.FORCES


def test_scratch_of_a_set_is_its_own():
    """Lists of pairs hold numbers of balls, which no other element may write over."""
    model = TOUCHING["marbles by cells"]()
    again = dataclasses.replace(model["heap"], name="again")
    model.add(again)
    parts = parts_of(sp.prepare(model).image(0.1, integrator=sp.DormandPrince()))
    element = at.integers(parts[1]["ints"], "element")
    assert fault_of(*parts) == checks.FINE
    element[2:, sets.SCRATCH] = element[0, sets.SCRATCH] + 7
    assert fault_of(*parts) == checks.FORCES


def resealed(image: bytes, place: int, word: int) -> bytes:
    """An image with another word, and the right check sum."""
    content = bytearray(image)
    content[place : place + 8] = int(word).to_bytes(8, sys.byteorder, signed=True)
    content[24:32] = zlib.crc32(content[32:]).to_bytes(8, sys.byteorder)
    return bytes(content)


def test_codes_of_crafted_images():
    lib = functions()
    image = sp.prepare(controlled_arm()).image(0.5)
    names = [*images.HEADER, *images.ARRAYS]
    for name in ("nu", "at_time", "work", "ints", "count"):
        for value in (-1, 2**40, 2**62):
            crafted = resealed(image, 64 + 8 * names.index(name), value)
            assert CModel(lib, crafted).code == code("BAD_SIZES"), (name, value)
    first = 64 + 8 * len(names)
    node = first + 8 * (at.HEADER + at.NODE_INTS)  # the first behind the ground
    assert CModel(lib, resealed(image, node + 8 * at.PARENT, 1)).code == code("BAD_INDEX")
    header, arrays, _ = parts_of(image)
    words = sum(len(arrays[n]) for n in images.ARRAYS[: images.ARRAYS.index("state")])
    tolerance = first + 8 * (words + int(header[names.index("at_rtol")]))
    infinite = int(np.array([np.inf]).view(np.int64)[0])
    assert CModel(lib, resealed(image, tolerance, infinite)).code == code("BAD_NUMBER")


@pytest.mark.slow
def test_thousands_of_crafted_images(sanitized, tmp_path):
    """All kinds of models by all loops, with sanitizers."""
    program = compiled(tmp_path, "fuzz_image", sanitized, SANITIZE)
    made = [image for make in (KINDS | TOUCHING).values() for image in integrators_of(make())]
    made += [make() for make in QUICK.values()]
    for k, image in enumerate(made):
        (tmp_path / "model.image").write_bytes(image)
        count = -(-IMAGES // len(made))
        assert "crashes 0 hangs 0" in run([program, tmp_path / "model.image", count, k])


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_calls_of_an_fmu_in_any_order(sanitized, tmp_path, version):
    ports = {"inputs": ["push"], "outputs": ["elbow.angle"], "version": version}
    path = sp.files.export_fmu(controlled_arm(), tmp_path / "arm.fmu", **ports, t_end=1.0)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "fmu")
    description = (tmp_path / "fmu" / "modelDescription.xml").read_text()
    token = re.search(r'(?:guid|instantiationToken)="([^"]*)"', description)[1]
    program = compiled(tmp_path, "fuzz_fmi", sanitized, SANITIZE)
    (tmp_path / "scratch").mkdir()
    said = run([program, tmp_path / "fmu" / "resources", token, RUNS, 60, 1, tmp_path / "scratch"])
    assert f"good {RUNS} crashes 0 hangs 0" in said


@pytest.mark.slow
def test_the_launcher_with_any_arguments(sanitized, tmp_path):
    compiler = build.c_compiler()
    assert compiler is not None
    watched = " ".join([compiler, *SANITIZE])
    launcher = build.build_launcher(tmp_path, watched)
    stubs = tmp_path / "stubs.so"
    build._run_c(watched, stubs, [SOURCES / "stub_entries.c"], [f"-I{NATIVE}"])
    asked = [[*compiler.split(), f"-print-file-name=lib{name}.so"] for name in ("asan", "ubsan")]
    found = [subprocess.run(c, capture_output=True, text=True).stdout.strip() for c in asked]
    command = [sys.executable, SOURCES / "call_stubs.py", launcher, stubs, CALLS]
    said = run(command, LD_PRELOAD=" ".join(found), ASAN_OPTIONS="exitcode=99,detect_leaks=0")
    done, refused = (int(n) for n in re.findall(r"\d+", said))
    assert done > 1000 and refused > 1000


def hopeless(kind: str) -> sp.Model:
    """A pendulum with a force or a stop that is far too fast for it."""
    m = sp.Model(gravity=(0, 0, -9.81))
    body = m.add(sp.RigidBody("bob", mass=1.0, com=(0.2, 0, 0), inertia=0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), body.at(0), axis="y", initial=0.1))
    if kind == "sine":
        m.add(sp.JointEffort("hum", "pin", sp.Sine(1.0, 1e9)))
    else:
        m.add(sp.JointStop("wall", "pin", -0.2, 0.2, stiffness=1e15, damping=0.0))
    return m


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sine", "stop"])
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_hopeless_step_of_an_fmu_ends(tmp_path, kind, version):
    """Within 20 s, by a sentence; the FMU is where it was."""
    path = tmp_path / "a.fmu"
    sp.files.export_fmu(hopeless(kind), path, (), "pin.angle", t_end=10.0, version=version)
    fmu = Fmu(path, tmp_path / "a")
    with fmu.made() as it:
        assert it.initialize() == 0
        start = time.monotonic()
        assert it.step(0.0, 1.0) == 2  # discarded
        assert time.monotonic() - start < 20.0
        assert "max_steps" in fmu.said[-1] and "far too high" in fmu.said[-1]
        assert "where it was before" in fmu.said[-1]
        assert it.step(0.0, 1e-9) == 0


def test_steps_bound_a_call():
    image = sp.prepare(hopeless("sine")).image(1.0, integrator=sp.Radau(max_steps=5000))
    model = CModel(functions(), image)
    assert model.call("step", 1.0) == code("TOO_MANY")
    model.close()


@pytest.mark.slow
def test_patience_bounds_a_call():
    """A call that would last is given up after two looks at its pace, and can go on from there."""
    many = sp.Radau(max_steps=10**12)
    lib, image = functions(), sp.prepare(hopeless("sine")).image(1.0, integrator=many)
    model, start = CModel(lib, image), time.monotonic()
    lib.supple_patience(model.handle, ctypes.c_double(60.0))
    assert model.call("step", 1.0) == code("TOO_SLOW")
    assert time.monotonic() - start < 20.0
    reached = model.state()[0]
    assert 0.0 < reached < 1e-2  # the last state is kept, and a shorter way is gone
    assert model.call("step", reached + 1e-8) == 0
    model.close()
