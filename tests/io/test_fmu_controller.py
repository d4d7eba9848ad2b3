"""FMUs as controllers: the motion is that under the same law; bad archives are refused."""

from __future__ import annotations

import io
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from supple.io.fmu import controller as fmu
from supple.native import build

pytestmark = pytest.mark.skipif(
    build.c_compiler() is None or sys.platform != "linux", reason="there is no C compiler"
)

# A digital PD controller with an integrator as its state, FMI 2.0: u = kp e + kd edot + ki sum e
CONTROLLER = """
#include <math.h>
#include <stdlib.h>
#include <string.h>
typedef void (*logger)(void *, const char *, int, const char *, const char *, ...);
typedef struct { logger tell; void *rest[4]; } callbacks;
typedef struct { double v[6], sum; logger tell; } it; /* e, edot, u, kp, kd, ki */
void *fmi2Instantiate(void *n, int k, const char *g, void *r, const callbacks *c, int v, int l)
{
    it *x = calloc(1, sizeof *x);
    x->tell = c->tell;
    if (strcmp(g, "{pd}")) return NULL;
    return x;
}
void fmi2FreeInstance(it *x) { free(x); }
int fmi2SetupExperiment(it *x, int a, double b, double c, int d, double e) { return 0; }
int fmi2EnterInitializationMode(it *x) { return 0; }
int fmi2ExitInitializationMode(it *x) { return 0; }
int fmi2Reset(it *x) { x->sum = 0; return 0; }
int fmi2GetReal(it *x, const unsigned *r, size_t n, double *v)
{
    for (size_t k = 0; k < n; k++) v[k] = x->v[r[k]];
    return 0;
}
int fmi2SetReal(it *x, const unsigned *r, size_t n, const double *v)
{
    for (size_t k = 0; k < n; k++) x->v[r[k]] = v[k];
    return 0;
}
int fmi2DoStep(it *x, double t, double h, int no)
{
    if (t > 0.95) {
        x->tell(NULL, "it", 3, "error", "its time is over");
        return 3;
    }
    x->sum += h * x->v[0];
    x->v[2] = x->v[3] * x->v[0] + x->v[4] * x->v[1] + x->v[5] * x->sum;
    if (x->v[0] > 50.0) x->v[2] = NAN;
    return 0;
}
"""
DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="pd" guid="{pd}">
<CoSimulation modelIdentifier="pd"/>
<ModelVariables>
%s
<ScalarVariable name="count" valueReference="9" causality="output"><Integer/></ScalarVariable>
</ModelVariables><ModelStructure/></fmiModelDescription>
"""
VARIABLES = {"e": "input", "edot": "input", "u": "output"} | dict.fromkeys(
    ("kp", "kd", "ki"), "parameter"
)
GAINS = {"kp": -30.0, "kd": -3.0, "ki": -20.0}
PERIOD = 0.01


def written(path: Path, files: dict[str, bytes], entry: zipfile.ZipInfo | None = None) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        if entry is not None:
            archive.writestr(entry, b"x")
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, bytes]:
    """Files of a controller that is compiled here."""
    folder = tmp_path_factory.mktemp("pd")
    (folder / "pd.c").write_text(CONTROLLER)
    made = folder / "pd.so"
    compiler = build.c_compiler().split()
    subprocess.run(
        [*compiler, "-shared", "-fPIC", "-w", str(folder / "pd.c"), "-o", str(made)], check=True
    )
    rows = [
        f'<ScalarVariable name="{name}" valueReference="{k}" causality="{causality}">'
        '<Real start="0"/></ScalarVariable>'
        for k, (name, causality) in enumerate(VARIABLES.items())
    ]
    text = DESCRIPTION % "\n".join(rows)
    binary = f"binaries/{fmu.folders()[-1]}/pd.so"
    return {"modelDescription.xml": text.encode(), binary: made.read_bytes()}


def pendulum() -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    link = m.add(sp.RigidBody("link", mass=2.0, com=(0.25, 0, 0), inertia=(0.001, 0.04, 0.04)))
    m.add(sp.Revolute("pin", m.ground.at(0), link.at(0), axis="y", initial=0.4))
    return m


def test_a_foreign_controller_is_the_same_law(files, tmp_path):
    """Under the FMU and under the law in Python a stepper makes the same steps, twice."""
    path = written(tmp_path / "pd.fmu", files)
    texts = ["pin.angle", "pin.angle_rate"]
    with sp.FMUController(path, ["e", "edot"], "u", PERIOD, start=GAINS) as law:
        assert repr(law).startswith("FMUController of pd.fmu: e, edot -> u")
        for _ in range(2):  # the second time begins anew
            here, there = (sp.Stepper(pendulum(), "pin", texts, dt=PERIOD) for _ in range(2))
            total = 0.0
            for _ in range(40):
                e, edot = there.values
                total += PERIOD * e
                here.step(inputs=law(here.time, here.values))
                there.step(inputs=[GAINS["kp"] * e + GAINS["kd"] * edot + GAINS["ki"] * total])
            assert np.allclose(here.values, there.values, rtol=1e-12, atol=1e-14)
            assert abs(here.values[0]) < 0.3  # it does something
        state = np.array([7.0])
        u, after = law(0.0, [1.0, 0.0], state)
        assert u == pytest.approx([GAINS["kp"] + PERIOD * GAINS["ki"]]) and after is state
    with pytest.raises(sp.SimulationError, match="it was closed"):
        law(0.0, [0.0, 0.0])


def test_it_is_a_law_of_sampled_controllers(files, tmp_path):
    """A run under the FMU is that under the same law in Python, again and again."""

    def same(t, e, z):
        z = z + PERIOD * e[0]
        return GAINS["kp"] * e[0] + GAINS["kd"] * e[1] + GAINS["ki"] * z, z

    path = written(tmp_path / "pd.fmu", files)
    with sp.FMUController(path, ["e", "edot"], "u", PERIOD, start=GAINS) as law:
        models = pendulum(), pendulum()
        models[0].add(sp.SampledController("pd", "pin", law, PERIOD, target="0.1*t"))
        models[1].add(sp.SampledController("pd", "pin", same, PERIOD, target="0.1*t", initial=[0]))
        exact = sp.simulate(models[1], 0.2, output=20)["pin"].angle
        for _ in range(2):
            found = sp.simulate(models[0], 0.2, output=20)["pin"].angle
            assert found == pytest.approx(exact, rel=1e-12)
        with pytest.raises(sp.SuppleError):
            sp.files.write_model(models[0], tmp_path / "model.yaml")  # never in a model file
        with pytest.raises(sp.ModelError, match="export_fmu: SampledController 'pd' computes"):
            sp.files.export_fmu(models[0], tmp_path / "other.fmu")


@pytest.mark.slow
def test_an_exported_model_drives_another(tmp_path):
    """A mass on a rail in an FMU of each version filters what it is given."""
    m = sp.Model(gravity=(0, 0, 0), name="filter")
    cart = m.add(sp.RigidBody("cart", mass=2.0, inertia=1.0))
    m.add(sp.Prismatic("rail", m.ground.at(0), cart.at(0), axis="x"))
    for version in ("2.0", "3.0"):
        path = sp.files.export_fmu(m, tmp_path / f"{version}.fmu", "rail", version=version)
        places = "input.rail.displacement", ["rail.displacement", "rail.displacement_rate"]
        with sp.FMUController(path, *places, 0.1, {"state.rail.displacement": 1.0}) as law:
            found = [law(0.1 * k, [6.0]) for k in range(5)]
        t = 0.1 * np.arange(1, 6)
        assert np.array(found) == pytest.approx(np.array([1.0 + 1.5 * t**2, 3.0 * t]).T, rel=1e-9)


def test_what_goes_wrong_is_a_sentence(files, tmp_path):
    path = written(tmp_path / "pd.fmu", files)
    given = {"path": path, "inputs": ["e", "edot"], "outputs": "u", "period": PERIOD}
    for change, words in (
        ({"inputs": ["err"]}, "inputs is 'err', expected a variable of pd.fmu, "),
        ({"inputs": ["e", "e"]}, "each of them once"),
        ({"inputs": ["u"]}, "an input, it is output"),
        ({"outputs": "count"}, "a real number, it is Integer"),
        ({"outputs": []}, "outputs is"),
        ({"period": 0.0}, "period is 0"),
        ({"start": {"kp": np.nan}}, "start['kp'] is nan"),
        ({"start": {"kq": 1.0}}, "start is 'kq'"),
        ({"path": tmp_path / "nothing.fmu"}, "nothing.fmu"),
    ):
        with pytest.raises(sp.SuppleError) as error:
            sp.FMUController(**(given | change))
        assert words in str(error.value)
    with sp.FMUController(**given) as law:
        with pytest.raises(sp.ModelError, match=r"y is .*expected 2 finite numbers"):
            law(0.0, [1.0])
        with pytest.raises(sp.ModelError, match="y is"):
            law(0.0, [1.0, np.nan])
        law(0.0, [1.0, 0.0])
        with pytest.raises(sp.SimulationError, match=r"it is asked at t = 0\.5 s, but its steps"):
            law(0.5, [1.0, 0.0])
        with pytest.raises(sp.SimulationError, match=r"outputs are .*nan.*expected finite"):
            law(PERIOD, [60.0, 0.0])
        law.reset()
        with pytest.raises(sp.SimulationError, match="step from t = 2 s failed: its time is over"):
            law(2.0, [1.0, 0.0])


def test_archives_that_are_not_as_they_should_be_are_refused(files, tmp_path):
    """Nothing is written outside, nothing is loaded, and the reason is said."""
    arguments = ["e", "edot"], "u", PERIOD
    text, (binary,) = files["modelDescription.xml"], [n for n in files if n.endswith(".so")]
    link = zipfile.ZipInfo("resources/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", text)
    cases = {
        "it has a file '../out'": (files, zipfile.ZipInfo("../out")),
        "it has a file '/out'": (files, zipfile.ZipInfo("/out")),
        "it has a file 'resources/link'": (files, link),
        "it has no modelDescription.xml": ({binary: files[binary]}, None),
        "description is damaged": (files | {"modelDescription.xml": text[:300]}, None),
        "without a DOCTYPE": (files | {"modelDescription.xml": b"<!DOCTYPE a []>" + text}, None),
        "its version of FMI is '1.0'": (
            files | {"modelDescription.xml": text.replace(b'Version="2.0"', b'Version="1.0"')},
            None,
        ),
        "it has no CoSimulation": (
            files | {"modelDescription.xml": text.replace(b"CoSimulation", b"ModelExchange")},
            None,
        ),
        "its list of variables is damaged": (
            files | {"modelDescription.xml": text.replace(b'Reference="0"', b'Reference="x"')},
            None,
        ),
        "it has no library for": ({"modelDescription.xml": text}, None),
        "its library cannot be loaded": (files | {binary: b"nothing"}, None),
        "cannot be instantiated": (
            files | {"modelDescription.xml": text.replace(b"{pd}", b"{dp}")},
            None,
        ),
    }
    for words, (content, entry) in cases.items():
        path = written(tmp_path / "bad.fmu", content, entry)
        with pytest.raises(sp.SuppleError) as error:
            sp.FMUController(path, *arguments)
        assert words in str(error.value), words
    for content in (b"no archive", whole.getvalue()[:60], whole.getvalue()[:-10]):
        (tmp_path / "bad.fmu").write_bytes(content)
        with pytest.raises(sp.SuppleError, match=r"bad\.fmu"):
            sp.FMUController(tmp_path / "bad.fmu", *arguments)
    assert [p.name for p in tmp_path.iterdir()] == ["bad.fmu"]


def test_large_archives_are_refused(files, tmp_path, monkeypatch):
    path = written(tmp_path / "pd.fmu", files)
    monkeypatch.setattr(fmu, "LARGEST", 1000)
    with pytest.raises(sp.FileError, match="too large"):
        sp.FMUController(path, ["e", "edot"], "u", PERIOD)
    monkeypatch.setattr(fmu, "MOST_FILES", 1)
    with pytest.raises(sp.FileError, match="it has 2 files"):
        sp.FMUController(path, ["e", "edot"], "u", PERIOD)
