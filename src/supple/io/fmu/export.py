"""export_fmu: a model as an FMU with compiled kernels, its XML description, a page about it."""

from __future__ import annotations

import hashlib
import html
import io
import platform
import re
import sys
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack
from xml.etree import ElementTree as ET

from supple.analyses.base.arguments import expect, number
from supple.analyses.base.snapshot_result import InstantOutputs
from supple.analyses.run.options import MethodOptions, RunOptions, takes
from supple.analyses.run.simulate import prepare
from supple.analyses.run.stepper import Inputs, output_texts
from supple.foundation import validate
from supple.foundation.atomic_files import check_target, write_whole
from supple.foundation.errors import ModelError
from supple.foundation.input_files import path_of
from supple.integrators.methods.image import image
from supple.integrators.run.driver import Problem
from supple.io.fmu import ports
from supple.io.fmu.ports import Variable
from supple.model import Model
from supple.native import build, library
from supple.state import State

# Exponents of kg, m, s, rad
UNITS: dict[str, dict[str, int]] = {
    "s": {"s": 1},
    "m": {"m": 1},
    "rad": {"rad": 1},
    "m/s": {"m": 1, "s": -1},
    "rad/s": {"rad": 1, "s": -1},
    "1/s": {"s": -1},
    "m/s2": {"m": 1, "s": -2},
    "rad/s2": {"rad": 1, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N m": {"kg": 1, "m": 2, "s": -2},
}
OWNER = "export_fmu"
VERSIONS = ("2.0", "3.0")
KINDS = ("co-simulation", "model-exchange")
DATE = (1980, 1, 1, 0, 0, 0)  # of files in an archive: the same model gives the same bytes
SYSTEMS = {"linux": ("linux", ".so"), "darwin": ("darwin", ".dylib")}
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


@dataclass(frozen=True)
class Description:
    """Description of an FMU."""

    # name, identifier: of the model, as text and as a name in C
    name: str
    identifier: str
    token: str  # GUID or instantiation token
    kinds: tuple[str, ...]  # "co-simulation", "model-exchange"
    variables: Sequence[Variable]  # in the order of their value references
    # start, stop: s, of the default experiment
    start: float
    stop: float
    tolerance: float  # relative
    tool: str  # the program and its version

    def xml(self, version: str) -> bytes:
        """The file modelDescription.xml."""
        root = self._second() if version == "2.0" else self._third()
        ET.indent(root)
        text: bytes = ET.tostring(root, encoding="UTF-8", xml_declaration=True)
        return text + b"\n"

    def _of(self, causality: str) -> list[Variable]:
        return [v for v in self.variables if v.causality == causality]

    @property
    def _rates(self) -> list[Variable]:
        return [v for v in self.variables if v.of is not None]

    def _head(self, version: str, token: str) -> ET.Element:
        root = ET.Element("fmiModelDescription", fmiVersion=version, modelName=self.name)
        root.set(token, self.token)
        root.set("generationTool", self.tool)
        root.set("variableNamingConvention", "flat")
        return root

    def _around(self, root: ET.Element) -> None:
        """Units, categories of messages and the default experiment."""
        units = ET.SubElement(root, "UnitDefinitions")
        for unit in sorted({v.unit for v in self.variables} - {""}):
            base = {name: str(power) for name, power in UNITS[unit].items()}
            ET.SubElement(ET.SubElement(units, "Unit", name=unit), "BaseUnit", base)
        categories = ET.SubElement(root, "LogCategories")
        for name in ("logStatusWarning", "logStatusError"):
            ET.SubElement(categories, "Category", name=name)
        experiment = ET.SubElement(root, "DefaultExperiment", startTime=repr(self.start))
        experiment.set("stopTime", repr(self.stop))
        experiment.set("tolerance", repr(self.tolerance))

    def _second(self) -> ET.Element:
        root = self._head("2.0", "guid")
        root.set("numberOfEventIndicators", "0")
        both = {
            "modelIdentifier": self.identifier,
            "canNotUseMemoryManagementFunctions": "true",
            "canGetAndSetFMUstate": "true",
            "canSerializeFMUstate": "true",
        }
        self._interfaces(root, both, {"completedIntegratorStepNotNeeded": "true"})
        self._around(root)
        listed = ET.SubElement(root, "ModelVariables")
        for v in self.variables:
            kept = _attributes(v)
            of = None if v.of is None else str(v.of + 1)  # places count from one
            real = self._numbers(v) | ({} if of is None else {"derivative": of})
            ET.SubElement(ET.SubElement(listed, "ScalarVariable", kept), "Real", real)
        self._structure(root)
        return root

    def _interfaces(self, root: ET.Element, both: dict[str, str], exchange: dict[str, str]) -> None:
        """The kinds of the FMU, with what both can do and what one of them needs."""
        if "model-exchange" in self.kinds:
            ET.SubElement(root, "ModelExchange", both | exchange)
        if "co-simulation" in self.kinds:
            own = {"canHandleVariableCommunicationStepSize": "true"}
            ET.SubElement(root, "CoSimulation", both | own)

    def _structure(self, root: ET.Element) -> None:
        """Outputs, which follow states and not inputs; rates of states; what is computed first."""
        structure = ET.SubElement(root, "ModelStructure")
        states = " ".join(str(v.of + 1) for v in self._rates if v.of is not None)
        for tag, found in (("Outputs", self._of("output")), ("Derivatives", self._rates)):
            if found:
                group = ET.SubElement(structure, tag)
                for v in found:
                    known = {"dependencies": states} if tag == "Outputs" and self._rates else {}
                    ET.SubElement(group, "Unknown", known, index=str(v.reference + 1))
        first = self._of("output") + self._rates
        if first:
            group = ET.SubElement(structure, "InitialUnknowns")
            for v in first:
                ET.SubElement(group, "Unknown", index=str(v.reference + 1))

    def _third(self) -> ET.Element:
        root = self._head("3.0", "instantiationToken")
        both = {
            "modelIdentifier": self.identifier,
            "canGetAndSetFMUState": "true",
            "canSerializeFMUState": "true",
        }
        self._interfaces(root, both, {"needsCompletedIntegratorStep": "false"})
        self._around(root)
        listed = ET.SubElement(root, "ModelVariables")
        for v in self.variables:
            kept = _attributes(v)
            of = {} if v.of is None else {"derivative": str(v.of)}
            ET.SubElement(listed, "Float64", kept | self._numbers(v) | of)
        structure = ET.SubElement(root, "ModelStructure")
        states = " ".join(str(v.of) for v in self._rates)
        for v in self._of("output"):
            known = {"dependencies": states} if self._rates else {}
            ET.SubElement(structure, "Output", known, valueReference=str(v.reference))
        for v in self._rates:
            ET.SubElement(structure, "ContinuousStateDerivative", valueReference=str(v.reference))
        for v in self._of("output") + self._rates:
            ET.SubElement(structure, "InitialUnknown", valueReference=str(v.reference))
        return root

    @staticmethod
    def _numbers(v: Variable) -> dict[str, str]:
        found = {"unit": v.unit} if v.unit else {}
        if v.nominal != 1.0:
            found["nominal"] = repr(v.nominal)
        return found if v.start is None else found | {"start": repr(v.start)}

    def page(self) -> bytes:
        """The page documentation/index.html."""
        rows = [
            f"<tr><td>{html.escape(v.name)}</td><td>{v.causality}</td><td>{v.unit}</td></tr>"
            for v in self.variables
        ]
        text = (
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f"<title>{html.escape(self.name)}</title></head><body>",
            f"<h1>{html.escape(self.name)}</h1>",
            f"<p>A multibody model, exported by {self.tool} for {' and '.join(self.kinds)}. Inputs "
            "are constant over a step of co-simulation. States can be set before and in "
            "initialization; they are then moved onto the constraints.</p>",
            "<table><tr><th>Variable</th><th>Causality</th><th>Unit</th></tr>",
            *rows,
            "</table></body></html>",
        )
        return "\n".join(text).encode() + b"\n"


def _attributes(v: Variable) -> dict[str, str]:
    """Attributes of a variable in both versions."""
    found = {"name": v.name, "valueReference": str(v.reference), "causality": v.causality}
    found["variability"] = "continuous"
    if v.causality == "output" or v.of is not None:
        found["initial"] = "calculated"
    elif v.causality == "local":
        found["initial"] = "exact"
    return found


@takes(MethodOptions)
def export_fmu(
    model: Model,
    path: str | Path,
    inputs: Any = (),
    outputs: str | Sequence[str] | None = None,
    *,
    version: str = "2.0",
    kinds: str | Sequence[str] | None = None,
    t_end: float | None = None,
    **options: Unpack[MethodOptions],
) -> Path:
    """Write a model as an FMU, which other programs simulate without Python; returns its path.

    Parameters
    ----------
    path : file, "arm.fmu"
    inputs : joints, coordinates, frames, efforts, motors or drivers, or a list of these
        As for `Stepper`; in the FMU their names begin with ``input.``.
    outputs : texts, optional
        Coordinates of joints and their rates, "elbow.angle"; positions and velocities of points on
        bodies, "tip.position", three variables each. By default coordinates and rates of all
        joints.
    version : "2.0" or "3.0", of the Functional Mock-up Interface
    kinds : "co-simulation", "model-exchange" or both
        By default co-simulation, and model exchange if the model has no constraint rows.
    t_end : float, optional
        End of the default experiment, s, by default 10 s after the start; an FMU may go on then.
    start, formulation, integrator, tolerance : as for `simulate`
        Integrator and tolerance are those of co-simulation.
    """
    expect(OWNER, "model", model, Model, "a Model")
    if not isinstance(version, str) or version not in VERSIONS:
        raise ModelError(OWNER, "version", version, "'2.0' or '3.0'")
    place = _place(path)
    wanted = _kinds(kinds)
    given = RunOptions(t_end, **options, output=1, progress=False)
    integrator, begin = given.expect_method(OWNER), given.begin
    model.check()
    last = begin + 10.0 if t_end is None else number(OWNER, "t_end", t_end)
    if not last > begin:
        raise ModelError(OWNER, "t_end", t_end, f"a time after the start at {begin:g} s")
    added = Inputs(OWNER, model, inputs, begin)
    prepared = prepare(added.model)
    written, problem, _ = prepared.problem(replace(given, t_end=last))
    breaks = problem.equations.breakpoints()
    if breaks and max(breaks) >= last:  # all of them are known to the FMU
        longer = replace(given, t_end=max(breaks) + max(1.0, 1e-3 * max(breaks)))
        written, problem, _ = prepared.problem(longer)
    wanted = _possible(problem, wanted)
    c = problem.equations.compiled
    first = State(problem.t_start, problem.q, problem.u, problem.z, compiled=c)
    texts = output_texts(OWNER, written, outputs)
    seen = InstantOutputs(written, problem.equations, first, texts)
    names = ports.outputs_of(OWNER, written, seen)
    exchange = "model-exchange" in wanted
    variables = ports.variables_of(problem, written, added.held, names, exchange)
    content = image(problem, integrator, OWNER)
    about = Description(
        model.name,
        _identifier(model.name),
        "",
        wanted,
        variables,
        problem.t_start,
        last,
        problem.rtol,
        _tool(),
    )
    digest = hashlib.sha256(content + about.xml(version)).digest()
    about = replace(about, token=f"{{{uuid.UUID(bytes=digest[:16])}}}")
    sizes = ports.nominal_values(c, written)
    found = added.places(c), added.held, seen, variables, sizes, about.token
    files = {"model.image": content, "model.ports": ports.block(problem, *found)}
    return write_whole(place, _archive(about, version, files))


def _place(path: Any) -> Path:
    place = path_of(OWNER, "path", path)
    if place.suffix.lower() != ".fmu":
        raise ModelError(OWNER, "path", str(path), "the path of a file, e.g. 'arm.fmu'")
    check_target(place)
    return place


def _kinds(given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    expected = "'co-simulation', 'model-exchange', or both"
    listed = [given] if isinstance(given, str) else validate.listed(OWNER, "kinds", given, expected)
    if not listed or any(not isinstance(k, str) or k not in KINDS for k in listed):
        raise ModelError(OWNER, "kinds", given, expected)
    return tuple(kind for kind in KINDS if kind in listed)


def _possible(problem: Problem, wanted: tuple[str, ...] | None) -> tuple[str, ...]:
    """Kinds for this model; constraint rows rule out model exchange."""
    c = problem.equations.compiled
    why = ""
    if c.all_rows:
        why = f"its states satisfy the constraint {c.all_rows[0].name}, which other solvers ignore"
    elif problem.events:
        why = f"{problem.events[0].name}, where a run ends, is unknown to other solvers"
    if wanted is None:
        return KINDS[:1] if why else KINDS
    if why and "model-exchange" in wanted:
        raise ModelError(OWNER, "kinds", "model-exchange", f"'co-simulation' for this model: {why}")
    return wanted


def _identifier(name: str) -> str:
    """The name of a model as one in C."""
    found = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_") or "model"
    return found if found[0].isalpha() else f"model_{found}"


def _tool() -> str:
    import supple

    return f"Supple {supple.__version__}"


def _binary(about: Description, version: str) -> str:
    """Path of the library in the archive."""
    system, machine = SYSTEMS.get(sys.platform), MACHINES.get(platform.machine().lower())
    if system is None or machine is None:
        raise build.BuildError(f"there are no FMUs of {platform.system()} {platform.machine()}")
    folder = f"{machine}-{system[0]}"
    if version == "2.0" and machine == "x86_64":
        folder = f"{system[0]}64"
    return f"binaries/{folder}/{about.identifier}{system[1]}"


def _archive(about: Description, version: str, resources: Mapping[str, bytes]) -> bytes:
    """All files of an FMU as one."""
    files = {
        "modelDescription.xml": about.xml(version),
        _binary(about, version): library.for_c()[0].read_bytes(),
        **{f"resources/{name}": content for name, content in resources.items()},
        "documentation/index.html": about.page(),
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
            archive.writestr(entry, content)
    return made.getvalue()
