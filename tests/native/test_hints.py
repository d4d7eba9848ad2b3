"""What models are known to need, against the kernels that their runs call."""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import supple as sp
from models.kind_models import BACKWARDS, KINDS, by_cells, meshing, standing
from models.kind_runs import INTEGRATORS, formulations, run
from supple.native import build, declare, features, library, systems
from supple.native.declare import Shared

END = 5e-4  # s: features are met in the first steps
PLAIN = "Revolute forwards"  # a model that needs no feature
COMMON = "forces_signals_fill"  # what many kinds of forces and constraints need

pytestmark = [
    pytest.mark.skipif(declare.PLAIN, reason="kernels run as Python"),
    pytest.mark.skipif(sys.platform != "linux", reason="the linker cannot put notes there"),
    pytest.mark.skipif(build.c_compiler() is None, reason="there is no C compiler"),
]


# Features whose kernels generalized-alpha alone calls: other methods compile nothing for them
OF_ALPHA = {"rates"}


class NotedCalls:
    """All kernels in a library, which notes a call of each that is shared.

    The linkers of GNU and LLVM put a function of another name in place of one that is called.
    """

    def __init__(self, folder: Path) -> None:
        every = declare.all_entries()
        self.names = [name for name, one in every.items() if isinstance(one, Shared)]
        cpu, compiler = build.processor(), build.c_compiler()
        source = folder / "notes.c"
        source.write_text(self._notes([every[name] for name in self.names]))
        wrapped = " ".join(f"-Wl,--wrap=supple_{name}" for name in self.names)
        made = folder / f"noted{systems.THIS.library}"
        objects = build.compile_objects(every.values(), cpu)
        build.link(objects, made, cpu, f"{compiler} {wrapped} {source}")
        self.entries: dict[str, Callable[..., Any]] = library._open(made, library._launcher_path())
        notes = ctypes.c_char * len(self.names)
        self._notes_at = notes.in_dll(ctypes.CDLL(str(made)), "supple_notes")

    @staticmethod
    def _notes(kernels: list[Any]) -> str:
        """Functions in C that note a call and pass it on."""
        rows = [f"#include <stdint.h>\nchar supple_notes[{len(kernels)}];\n"]
        for place, one in enumerate(kernels):
            assert isinstance(one, Shared)
            kinds = build.flat_arguments(one)
            given = ", ".join(f"{kind}a{k}" for k, kind in enumerate(kinds))
            passed = ", ".join(f"a{k}" for k in range(len(kinds)))
            rows.append(
                f"int32_t __real_{one.symbol}({given});\nint32_t __wrap_{one.symbol}({given})\n"
                f"{{\n    supple_notes[{place}] = 1;\n"
                f"    return __real_{one.symbol}({passed});\n}}\n"
            )
        return "".join(rows)

    def forget(self) -> None:
        """Begin anew."""
        ctypes.memset(self._notes_at, 0, len(self.names))

    @property
    def called(self) -> set[str]:
        """Names of the kernels that were called."""
        pairs = zip(self.names, self._notes_at.raw, strict=True)
        return {name for name, noted in pairs if noted}

    @property
    def features(self) -> set[str]:
        """Features of models that need them."""
        return {features.feature_of(name) for name in self.called} - {""}


class Hinted:
    """Runs of which the features that were hinted and the kernels that were called are known."""

    def __init__(self, noted: NotedCalls) -> None:
        self.noted = noted
        self.hints: set[str] = set()

    def begin(self) -> None:
        """Forget what was before."""
        self.hints.clear()
        self.noted.forget()


@pytest.fixture(scope="module")
def noted(tmp_path_factory) -> NotedCalls:
    return NotedCalls(tmp_path_factory.mktemp("noted"))


@pytest.fixture
def hinted(noted: NotedCalls, monkeypatch) -> Iterator[Hinted]:
    made = Hinted(noted)
    made.begin()
    for name, code in noted.entries.items():
        monkeypatch.setattr(declare.ENTRIES[name], "_ready", code)
    monkeypatch.setattr(library, "expect", made.hints.update)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        yield made


def chain(count: int) -> sp.Model:
    """Bodies in a row, each on the one before it."""
    model = sp.Model()
    place = model.ground.at(0, 0, 0)
    for k in range(count):
        body = sp.RigidBody(f"body {k}", mass=1.0, inertia=(0.1, 0.1, 0.1))
        model.add(body)
        model.add(sp.Revolute(f"joint {k}", place, body.at(0, 0, 0), axis="y", initial_rate=1.0))
        place = body.at(1, 0, 0)
    return model


def test_hints_are_what_runs_call(hinted: Hinted) -> None:
    """Nothing is forgotten, and nothing is compiled in vain."""
    met: set[str] = set()
    for kind, make in KINDS.items():
        hinted.begin()
        sp.simulate(make(), END, output=2)
        assert hinted.noted.features == hinted.hints - OF_ALPHA, kind
        met |= hinted.hints - OF_ALPHA
        if hinted.hints & OF_ALPHA:
            hinted.begin()
            sp.simulate(make(), END, output=2, integrator=sp.GeneralizedAlpha())
            assert hinted.noted.features >= OF_ALPHA
            met |= OF_ALPHA
    runs = ((by_cells, sp.DormandPrince()), (meshing, sp.Radau()), (standing, sp.Radau()))
    for make, integrator in runs:
        hinted.begin()
        sp.simulate(make(), END, integrator=integrator, output=2)
        assert hinted.noted.features == hinted.hints
        met |= hinted.hints
    assert met | {"sparse matrices", "elimination along the tree"} == set(features.FEATURES)


def test_hints_of_many_bodies(hinted: Hinted) -> None:
    sp.simulate(chain(20), END, output=2)
    assert hinted.noted.features == hinted.hints == {"elimination along the tree"}
    hinted.begin()
    sp.simulate(chain(20), END, output=2, formulation=sp.Absolute())
    assert hinted.noted.features == {"constraints", "sparse matrices"} <= hinted.hints


def test_events_are_hinted(hinted: Hinted) -> None:
    passed = sp.Event("passed", "joint 0", value=1e-3)
    assert sp.simulate(chain(1), 1e-2, events=[passed]).events
    assert hinted.noted.features == hinted.hints == {"events"}


def test_what_all_models_get_is_called_by_a_plain_one(hinted: Hinted) -> None:
    """A kernel of bodies or forces that it does not call needs a feature."""
    begins = ("bodies_", "forces_")
    every = {n for n in hinted.noted.names if n.startswith(begins) and not features.feature_of(n)}
    for name in ("Radau", "DormandPrince", "GeneralizedAlpha", "BDF"):
        run(KINDS[PLAIN](), INTEGRATORS[name], sp.JointCoordinates())
    assert every - hinted.noted.called == {COMMON}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_hints_of_every_method_and_formulation(hinted: Hinted, kind: str) -> None:
    for method in INTEGRATORS.values():
        model = KINDS[kind]()
        for formulation in formulations(model)[: 1 if kind.endswith(BACKWARDS) else 3]:
            hinted.begin()
            try:
                run(KINDS[kind](), method, formulation)
            except sp.ModelError:  # the method does not treat it
                continue
            assert hinted.noted.features <= hinted.hints, (method, formulation)
