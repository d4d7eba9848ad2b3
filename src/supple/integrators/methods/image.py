"""A run at its start as one block of bytes, for the C functions of ``native/supple.h``.

An image holds the model's buffers and the loop's, as they are in memory: it belongs to the version
of Supple that wrote it, and to its library.
"""

from __future__ import annotations

import sys
import zlib

import numpy as np

from supple.core.base import layout
from supple.core.images import image as checks
from supple.core.run import step as st
from supple.engine.reading.rows import row_sizes
from supple.foundation.errors import ModelError
from supple.integrators.methods.base import Integrator
from supple.integrators.run.driver import LoopRun, Problem
from supple.loops.singular import LEFT_OUT
from supple.native import cache

MAGIC = b"SUPPLE1\0"
LOOP_NAME = 32  # letters
# Numbers of the header in the order of ``struct header`` in model.h; the last are lengths of arrays
HEADER = checks.NAMES
ARRAYS = ("ints", "all_ints", "reals", "run", "state", "count", "stops", "row_sizes", "limits")


def image(problem: Problem, integrator: Integrator, owner: str = "image") -> bytes:
    """The image of a run; events are left out, functions in Python are refused."""
    if integrator.python_loop:
        expected = "one whose steps are compiled, e.g. Radau()"
        raise ModelError(owner, "integrator", integrator, expected)
    for callback in problem.equations.compiled.callbacks:
        what = f"{callback.owner} needs {callback.needs}"
        raise ModelError.plain(f"{owner}: {what}, which a C program has not")
    for name in problem.equations.compiled.sampled:
        what = f"SampledController '{name}' computes its efforts in Python"
        raise ModelError.plain(f"{owner}: {what}, which a C program has not")
    run = integrator.begin(problem)
    run.change_rows()
    arrays = _arrays(run)
    numbers = _numbers(run) | {name: len(array) for name, array in arrays.items()}
    words = np.array([numbers[name] for name in (*HEADER, *ARRAYS)], dtype=np.int64)
    content = b"".join(
        (
            integrator.kernel.name.encode().ljust(LOOP_NAME, b"\0"),
            words.tobytes(),
            *(arrays[name].tobytes() for name in ARRAYS),
        )
    )
    sources = cache.sources().encode()
    return MAGIC + sources + zlib.crc32(content).to_bytes(8, sys.byteorder) + content


def _arrays(run: LoopRun) -> dict[str, np.ndarray]:
    c = run.compiled
    whole = c.complete
    left_out = whole is not c
    return {
        "ints": c.ints,
        "all_ints": whole.ints if left_out else np.zeros(0, dtype=np.int64),
        "reals": c.reals,
        "run": run.run_buffer,
        "state": run.state,
        "count": run.count,
        "stops": run.stops,
        "row_sizes": row_sizes(whole) if left_out else np.zeros(0),
        "limits": np.array([LEFT_OUT, run.apart]),
    }


def _numbers(run: LoopRun) -> dict[str, int]:
    c = run.compiled
    sizes = layout.sizes(c.ints) | {
        "events": len(run.problem.events),
        "screws": len(run.problem.symmetries),
    }
    places = st.RUN_RECORD.places(sizes)
    whole = c.complete
    return {
        "nodes": sizes["nodes"],
        "nq": c.nq,
        "nu": c.nu,
        "nz": c.nz,
        "nr": c.nr,
        "all_nr": whole.nr if whole is not c else 0,
        "at_q": places["q"][0],
        "at_u": places["u"][0],
        "at_z": places["z"][0],
        "at_zdot": layout.WORK_RECORD.places(layout.sizes(c.ints))["zdot"][0],
        **checks.PLACES,
        "max_steps": run.options.max_steps,
        "fixed_step": int(run.options.fixed_step),
        "work": len(layout.new_work(c.ints)),
        "all_work": len(layout.new_work(whole.ints)),
    }
