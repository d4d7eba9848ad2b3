"""export_fmu: a model as an FMU, with the compiled kernels and without Python."""

from __future__ import annotations

import hashlib
import io
import platform
import re
import sys
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from supple.analyses.base.arguments import expect, number
from supple.analyses.base.snapshot_result import InstantOutputs
from supple.analyses.run.held_inputs import Inputs
from supple.analyses.run.options import MethodOptions, RunOptions, takes
from supple.analyses.run.simulate import prepare
from supple.analyses.run.stepper import output_texts
from supple.foundation import validate
from supple.foundation.atomic_files import check_target, write_whole
from supple.foundation.errors import ModelError
from supple.foundation.input_files import path_of
from supple.integrators.methods.image import image
from supple.integrators.run.driver import Problem
from supple.io.fmu import ports
from supple.io.fmu.description import Description
from supple.model import Model
from supple.native import build, library
from supple.state import State

OWNER = "export_fmu"
VERSIONS = ("2.0", "3.0")
KINDS = ("co-simulation", "model-exchange")
DATE = (1980, 1, 1, 0, 0, 0)  # of files in an archive: the same model gives the same bytes
SYSTEMS = {"linux": ("linux", ".so"), "darwin": ("darwin", ".dylib")}
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


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
    """Where the library is in the archive."""
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
