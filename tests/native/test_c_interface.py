"""Models in C programs: a program makes the same steps as Python, and says what went wrong."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from models.c_models import NATIVE, CModel, code, controlled_arm, header_codes
from models.linkages import parallelogram
from models.rolling_bodies import bicycle
from models.touching_bodies import TOUCHING
from models.velocity_rows import train
from supple.core.run import step as st
from supple.integrators.methods import image as images
from supple.loops.assembly import compile_model
from supple.native import build, library

# Without a compiler there are no C programs: kernels are then loaded without a library.
pytestmark = pytest.mark.skipif(build.c_compiler() is None, reason="there is no C compiler")

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "c" / "simulate.c"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The example, compiled against the header with all warnings as errors."""
    compiler = build.c_compiler()
    assert compiler is not None
    folder = tmp_path_factory.mktemp("c")
    made, header = library.for_c()
    (folder / "libsupple.so").symlink_to(made)
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{header.parent}"]
    place = [f"-L{folder}", "-lsupple", f"-Wl,-rpath,{folder}", "-o", str(folder / "simulate")]
    subprocess.run([*compiler.split(), *flags, str(PROGRAM), *place], check=True)
    return folder / "simulate"


def simulated(program: Path, folder: Path, image: bytes, t_end: float, rows: int):
    """Rows of the program's output, its exit code and its words."""
    (folder / "model.image").write_bytes(image)
    command = [str(program), str(folder / "model.image"), repr(t_end), str(rows)]
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    table = np.array([[float(x) for x in line.split()] for line in done.stdout.splitlines()])
    return table, done.returncode, done.stderr


INTEGRATORS = [
    sp.Radau(),
    sp.DormandPrince(),
    sp.GeneralizedAlpha(step=2e-3),
]


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda i: type(i).__name__)
def test_one_call_makes_the_steps_of_python(program, tmp_path, integrator):
    model = controlled_arm()
    result = sp.simulate(model, 0.5, integrator=integrator, output=1)
    image = sp.prepare(model).image(0.5, integrator=integrator)
    table, code, _ = simulated(program, tmp_path, image, 0.5, 1)
    final = result.data.final
    assert code == 0 and table[-1, 0] == 0.5
    assert np.array_equal(table[-1, 1:], np.concatenate([final.q, final.u, final.z]))


@pytest.mark.parametrize(
    "integrator", [sp.Radau(), sp.DormandPrince()], ids=lambda i: type(i).__name__
)
def test_many_calls_stay_within_the_tolerance(program, tmp_path, integrator):
    """Calls end on, just before and just behind jumps: 0.3 s is also 0.1 s + 0.2 s."""
    model = controlled_arm()
    image = sp.prepare(model).image(0.5, integrator=integrator, tolerance=1e-9)
    table, code, _ = simulated(program, tmp_path, image, 0.5, 50)
    exact = sp.simulate(model, 0.5, output=50, tolerance="tight")
    assert code == 0 and np.allclose(table[:, 0], exact.t, rtol=0, atol=1e-15)
    n = exact.q.shape[1]
    assert np.abs(table[:, 1 : n + 1] - exact.q).max() < 1e-6


def test_many_calls_with_fixed_steps(program, tmp_path):
    """Equal steps are counted anew for every call; of order 2, whose error is some h^2 = 4e-6."""
    m = sp.Model(gravity=(0, 0, -9.81))
    link = m.add(sp.RigidBody("link", mass=2.0, com=(0.25, 0, 0), inertia=(0.01, 0.04, 0.04)))
    m.add(sp.Revolute("pin", m.ground.at(0), link.at(0), axis="y", initial=0.4))
    image = sp.prepare(m).image(0.5, integrator=sp.GeneralizedAlpha(step=2e-3))
    table, code, _ = simulated(program, tmp_path, image, 0.5, 25)
    exact = sp.simulate(m, 0.5, output=25, tolerance="tight")
    assert code == 0 and np.abs(table[:, 1] - exact["pin"].angle).max() < 1e-4


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda i: type(i).__name__)
def test_wheels_and_edges_in_c(program, tmp_path, integrator):
    """Rows that hold rates alone, and the shapes of what rolls."""
    for model in (bicycle(5.0, 0.2), train(3)):
        result = sp.simulate(model, 0.2, integrator=integrator, output=1)
        image = sp.prepare(model).image(0.2, integrator=integrator)
        table, code, _ = simulated(program, tmp_path, image, 0.2, 1)
        final = result.data.final
        assert code == 0
        assert np.array_equal(table[-1, 1:], np.concatenate([final.q, final.u]))


def test_energy_scheme_with_constraints(program, tmp_path):
    model, scheme = parallelogram(0.4), sp.EnergyScheme(step=1e-3)
    result = sp.simulate(model, 0.1, integrator=scheme, formulation=sp.Absolute(), output=1)
    image = sp.prepare(model).image(0.1, integrator=scheme, formulation=sp.Absolute())
    table, code, _ = simulated(program, tmp_path, image, 0.1, 1)
    assert code == 0
    assert np.array_equal(table[-1, 1:], np.concatenate([result.data.final.q, result.data.final.u]))


@pytest.fixture(scope="module")
def functions():
    """The library as a C program sees it."""
    lib = ctypes.CDLL(str(library.for_c()[0]))
    lib.supple_message.restype = ctypes.c_char_p
    return lib


@pytest.mark.parametrize("name", TOUCHING)
def test_contacts_make_the_steps_of_python(functions, name):
    """To the last bit, through more touches than a loop hands over at once."""
    model = TOUCHING[name]()
    integrator = sp.DormandPrince() if name == "marbles by cells" else sp.Radau()
    final = sp.simulate(model, 0.05, integrator=integrator, output=1).data.final
    in_c = CModel(functions, sp.prepare(model).image(0.05, integrator=integrator))
    assert in_c.code == 0 and in_c.call("step", 0.05) == 0
    for found, expected in zip(in_c.state()[1:], (final.q, final.u, final.z), strict=True):
        assert np.array_equal(found, expected)
    in_c.close()


def test_residual_and_accelerations(functions):
    """Both are those of Python, and a residual with the accelerations of a tree vanishes."""
    model = controlled_arm()
    in_c, c = CModel(functions, sp.prepare(model).image(0.5)), compile_model(model)
    equations = sp.JointCoordinates().equations(model)
    assert (in_c.nq, in_c.nu, in_c.nz) == (c.nq, c.nu, c.nz)
    rng = np.random.default_rng(3)
    for t in rng.uniform(0.0, 0.5, 5):
        q = c.q0 + 1e-2 * rng.normal(size=c.nq)
        u, z, a = rng.normal(size=c.nu), rng.normal(size=c.nz), np.ones(c.nu)
        assert in_c.call("accelerate", t, q, u, z, a) == 0
        assert np.array_equal(a, equations.accelerate(t, q, u, z))
        r = np.zeros(c.nu)
        assert in_c.call("residual", t, q, u, 0.5 * a, z, r) == 0
        assert np.array_equal(r, equations.residual(t, q, u, 0.5 * a, z))
        assert in_c.call("residual", t, q, u, a, z, r) == 0
        size = np.abs(equations.mass_matrix(q)) @ np.abs(a)
        assert np.all(np.abs(r) < 1e-10 * size.max())
    in_c.close()


def test_another_state_is_moved_onto_the_constraints(functions):
    """From a state of a run the same motion goes on; a rough one is made to close the loop."""
    model = parallelogram(0.4)
    exact = sp.simulate(model, 0.15, tolerance="tight", output=3)
    in_c = CModel(functions, sp.prepare(model).image(0.15, tolerance=1e-9))
    rough = exact.q[1] + 1e-4 * np.array([0.3, 0.2, 0.1] + [0.0] * (in_c.nq - 3))
    assert in_c.call("set_state", exact.t[1], rough, exact.u[1], np.zeros(0)) == 0
    t, q, u, _ = in_c.state()
    assert t == exact.t[1] and 1e-6 < np.abs(q - exact.q[1]).max() < 1e-3
    rows = sp.JointCoordinates().equations(model).constraints(t, q, u)
    assert np.abs(rows.violation).max() < 1e-10 and np.abs(rows.rate).max() < 1e-8
    assert in_c.call("set_state", exact.t[1], exact.q[1], exact.u[1], np.zeros(0)) == 0
    assert in_c.call("step", 0.15) == 0
    assert in_c.state()[1] == pytest.approx(exact.q[-1], abs=1e-6)
    assert in_c.call("set_state", 0.2, exact.q[1], exact.u[1], np.zeros(0)) == code("TOO_LATE")
    in_c.close()


def test_codes_have_sentences_and_are_those_of_the_loops(functions):
    codes = header_codes()
    sentences = {functions.supple_message(k).decode() for k in codes.values()}
    assert len(sentences) == len(codes) > 15
    assert functions.supple_message(99) == b"there is no such code"
    loops = [("LINE_END", st.EVENT), ("STEP_TOO_SMALL", st.TOO_SMALL)]
    loops += [(n, getattr(st, n)) for n in OUTCOMES]
    assert [codes[name] - 16 for name, _ in loops] == [outcome for _, outcome in loops]


OUTCOMES = ("NOT_CONVERGED", "LOCKED", "NOT_FINITE", "GROWN")


def test_header_is_that_of_the_program():
    text = (NATIVE / "model.h").read_text()
    struct = re.sub(r"/\*.*?\*/", "", re.search(r"struct header \{(.*?)\};", text, re.S)[1])
    names = re.findall(r"\w+", struct.replace("int64_t", ""))
    assert tuple(names) == (*images.HEADER, *images.ARRAYS)


def test_damaged_images_are_refused(functions):
    """Any cut, any other bit: a code, never a crash."""
    image = sp.prepare(parallelogram(0.4)).image(0.5)
    for cut in (0, 7, 60, 200, len(image) - 8, len(image) - 1):
        assert CModel(functions, image[:cut]).code == code("NO_IMAGE")
    for place in (0, 3, 25, 30, 33, 70, 200, len(image) // 2, len(image) - 1):
        other = image[:place] + bytes([image[place] ^ 4]) + image[place + 1 :]
        assert CModel(functions, other).code == code("NO_IMAGE"), place
    assert CModel(functions, image[:8] + b"x" * 16 + image[24:]).code == code("OTHER_SOURCES")


def test_what_goes_wrong_has_a_code(functions, program, tmp_path):
    in_c = CModel(functions, sp.prepare(parallelogram(0.4)).image(0.5))
    assert in_c.call("step", 0.1) == 0 and in_c.call("step", 0.1) == 0
    assert in_c.call("step", 0.05) == code("BACKWARDS")
    assert in_c.call("step", np.nan) == code("BACKWARDS")
    assert in_c.call("step", 0.6) == code("TOO_LATE")
    in_c.close()
    model = parallelogram(0.3, motion="0.3 + t")
    model.add(sp.Driver("second", "D", "0.3 + t + 0.5*t**2"))
    _, failed, words = simulated(program, tmp_path, sp.prepare(model).image(0.2), 0.2, 4)
    assert failed == 1 and "a constraint that followed from the others" in words
    few = sp.prepare(controlled_arm()).image(0.5, integrator=sp.Radau(max_steps=3))
    in_c = CModel(functions, few)
    assert in_c.call("step", 0.5) == code("TOO_MANY")
    in_c.close()
    flat = sp.prepare(parallelogram(0.5, motion="0.5 + 2*t")).image(2.0, tolerance=1e-8)
    _, failed, words = simulated(program, tmp_path, flat, 2.0, 1)
    assert failed == 1 and words.startswith("stopped at t = 1.3")  # a singular position


def test_what_needs_python_is_refused():
    model = controlled_arm()
    with pytest.raises(sp.ModelError, match="image: integrator is BDF"):
        sp.prepare(model).image(0.5, integrator=sp.BDF())
    model.add(sp.ForceFunction("own", model.bodies["first"].at(0.5), lambda t, s: (0, 0, 1)))
    with pytest.raises(sp.ModelError, match="'own' needs Python"):
        sp.prepare(model).image(0.5)
