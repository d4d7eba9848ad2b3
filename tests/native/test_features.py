"""Kernels that only some models need: chosen by features, or added when they are called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from models.kind_models import KINDS
from supple.engine.pack.builder import build as compiled_of
from supple.engine.pack.features import ELEMENTS, MOTIONS, WAYS
from supple.engine.pack.features import features as features_of
from supple.native import build, declare, features

DEMO = ("radau_run", "history", "motion_history", "accelerate")
# A process whose library lacks all that its models are not known to need
BEGIN = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import supple as sp
from models.kind_models import KINDS
from supple.native import build, library

def shown(model, end=2e-3):
    data = sp.simulate(model, end, output=3).data
    numbers = " ".join(float(x).hex() for x in (*data.q[-1], *data.u[-1]))
    sys.stderr.write(numbers + "\\n")  # at once: several threads do so
"""
LACKING = """
import atexit, os
from supple.native import cache

name, own = library._library_name, f"kernels-of-{os.getpid()}-"
library._library_name = lambda *given: name(*given).replace("kernels-", own)
library._kept = lambda wanted: {}
library._is_there = lambda entries, cpu: False
atexit.register(lambda: [path.unlink() for path in cache.folder().glob(f"{own}*")])
"""
UNKNOWN = "library.expect = lambda having: None\n"


def run(code: str) -> list[str]:
    """Lines of the standard error of a fresh process."""
    tests = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BEGIN + code, tests],
        env={**os.environ, "SUPPLE_PREBUILT": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def test_every_feature_has_kernels_and_every_name_of_the_engine_is_one():
    names = list(declare.all_entries())
    for feature, begins in features.FEATURES.items():
        for begin in begins:
            assert any(name.startswith(begin) for name in names), (feature, begin)
    known = {*ELEMENTS.values(), *MOTIONS.values(), *WAYS.values()}
    known |= {"constraints", "kinks", "events", "joint forces", "elastic bodies", "sparse matrices"}
    known |= {"contacts with data", "gears", "solids in contact", "inner states", "rates"}
    assert known == set(features.FEATURES)


def test_a_model_without_ropes_needs_no_kernel_of_ropes():
    entries = declare.all_entries()
    demo = [entries[name] for name in DEMO]
    without, having = features.needed(demo, set()), features.needed(demo, {"ropes"})
    assert not [e for e in without if e.name.startswith("forces_rope_")]
    assert [e for e in having if e.name.startswith("forces_rope_")]
    every = features.needed(demo)
    assert {*without} < {*having} < {*every}
    assert features.missing([e.name for e in without])  # called by stubs
    assert not features.missing([e.name for e in every])


def test_models_name_their_features():
    assert features_of(compiled_of(KINDS["Rope"]())) >= {"ropes"}
    assert features_of(compiled_of(KINDS["Bushing"]())) == {"bushings"}
    ground, plane = (compiled_of(KINDS[f"Contact{x}"]()) for x in (" on heights", ""))
    assert features_of(ground) - features_of(plane) == {"contacts with data"}


def test_the_demonstration_asks_for_no_further_kernel():
    lines = run(
        LACKING
        + "from supple.commands import demo\nshown(demo.arm(), 0.1)\n"
        + "assert not library._resolved\n"
    )
    assert len(lines) == 1  # the numbers


def test_a_kernel_that_is_missing_is_named_or_added_when_it_is_called():
    """Asked for once where it cannot be added; where it can, all is as with it, to the last bit."""
    code = 'shown(KINDS["Rope"]())\n'
    refused = """
made, asked = library._address, []
def refuse(name):
    if name.startswith("forces_rope_"):
        asked.append(name)
        raise build.BuildError(f"kernel {name} of ropes is missing: no compiler")
    return made(name)
library._address = refuse
try:
    sp.simulate(KINDS["Rope"](), 2e-3)
except ImportError as error:
    print(error, file=sys.stderr)
assert not library._failures
asked.clear()
for _ in range(3):  # of one call: there is no second attempt
    assert library._resolve(b"forces_rope_rope_apply") == 0
assert len(asked) == 1
library._failures.clear()
library._address = made
"""
    told = run(LACKING + UNKNOWN + refused + code)
    (named,) = [line for line in told if "no compiler" in line]
    assert named.startswith("kernel forces_rope_rope_")
    assert "supple: kernels of ropes are needed and compiled now" in told[told.index(named) :]
    assert told[-1] == run(code)[-1]


@pytest.mark.slow
def test_threads_that_need_the_same_kernel_wait_for_it():
    code = """
import threading
threads = [threading.Thread(target=shown, args=(KINDS["Rope"](),)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
    told = run(LACKING + UNKNOWN + code)
    numbers = [line for line in told if line.startswith(("0x", "-0x"))]
    assert len(numbers) == 2 and numbers[0] == numbers[1]
    assert sum("kernels of ropes" in line for line in told) == 1


@pytest.mark.slow
def test_features_of_a_model_name_what_its_run_calls():
    told = run(LACKING + 'shown(KINDS["Rope"]())\nassert not library._resolved\n')
    assert len(told) == 1


def test_without_a_compiler_a_missing_kernel_is_named(monkeypatch, tmp_path):
    from supple.native import cache, library

    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(build, "c_compiler", lambda: None)
    monkeypatch.setattr(library, "_resolved", {})
    monkeypatch.setattr(library, "_failures", {})
    assert library._resolve(b"forces_rope_rope_apply") == 0
    watched = library._watched(lambda: 1)
    sentence = "kernel forces_rope_rope_apply of ropes is missing, and without a C compiler"
    with pytest.raises(build.BuildError, match=sentence):
        watched()
    assert watched() == 1


def test_an_interruption_is_raised_when_the_entry_comes_back(monkeypatch):
    from supple.native import library

    def interrupted(name: str) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(library, "_address", interrupted)
    monkeypatch.setattr(library, "_failures", {})
    assert library._resolve(b"forces_rope_rope_apply") == 0
    with pytest.raises(KeyboardInterrupt):
        library._watched(lambda: 1)()
