"""Steps of the recipes of CONTRIBUTING.md that no other test would miss.

A new class is public, exported by its room and named in the documentation; random models draw it.
A force element keeps the balance of energy, and its tangent is that of its force. A section has the
numbers of its outline. A word of the monitor is explained.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache, partial
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial import ConvexHull

import supple as sp
from models import random_models
from models.kind_models import BODY_MODELS, CONSTRAINT_MODELS, FORCE_MODELS, JOINTS
from models.kind_runs import model_of
from models.valid_calls import CALLS
from supple.analyses.linear.energy_shares import STORED
from supple.analyses.linear.mode import Mode
from supple.constraints import Constraint
from supple.core.base import layout as at
from supple.core.forces import forces as codes
from supple.engine.pack.builder import build
from supple.engine.sparsity.structure import Structure
from supple.fem.sections.outlines import AROUND, Outline, section_outline
from supple.fem.sections.section_stress import outline, outline_rows, torsion_stress
from supple.fem.sections.sections import CrossSection
from supple.forces import ForceElement, JointForce
from supple.forces.base import PairForce
from supple.forces.kinds import ELEMENTS, FORCES
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.foundation import public_names
from supple.foundation.frames import Body
from supple.integrators.methods.base import Integrator
from supple.joints import Joint
from supple.loops.assembly import assembled
from supple.reduction.assumed.shapes import AssumedShapes
from supple.reduction.shape_sets import ShapeSet
from supple.results.data.findings import Finding
from supple.signals import Signal

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(sp.__file__).parent
BASES = (Body, Joint, ForceElement, Constraint, Signal, CrossSection, Integrator, Formulation,
         ShapeSet, AssumedShapes)  # fmt: skip
# Classes that the package makes for itself: parts of bodies, rigid bodies in their place, sums of
# signals, motions of an inverse analysis, formulations with whole matrices.
INNER = {
    "BeamSegment", "SegmentedBeam", "SegmentedFrame", "NodePart", "StiffBody", "Combination",
    "Recorded", "WholeMatrices",
}  # fmt: skip
NOT_WRITTEN = {"Ground", "ShapedSignal"}  # users get them and never write their names


# ------------------------------------------------------------------------------- names and pages


@cache
def classes(base: type) -> frozenset[type]:
    """Classes of the package derived from a base, without those that are bases themselves."""
    for module in pkgutil.walk_packages(sp.__path__, "supple."):
        if module.name not in ("supple.__main__", "supple.gym"):  # it needs another package
            importlib.import_module(module.name)
    found = {cls for cls in _derived(base) if cls.__module__.partition(".")[0] == "supple"}
    leaves = {cls for cls in found if not found & set(cls.__subclasses__())}
    return frozenset(c for c in leaves if c.__name__[0] != "_" and c.__name__ not in INNER)


def _derived(base: type) -> Iterator[type]:
    for cls in base.__subclasses__():
        yield cls
        yield from _derived(cls)


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.__name__)
def test_every_class_is_public(base: type) -> None:
    """A line in ``__init__.pyi`` (of shapes in that of ``reduction``) has its name."""
    assert {cls.__name__ for cls in classes(base)} <= set(public_names.paths())


@pytest.mark.parametrize("base", [Joint, ForceElement, Constraint, Signal])
def test_rooms_export_their_classes(base: type) -> None:
    room = importlib.import_module(".".join(base.__module__.split(".")[:2]))
    assert not [cls.__name__ for cls in classes(base) if cls.__name__ not in room.__all__]


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.__name__)
def test_pages_tell_of_every_class(base: type) -> None:
    pages = (ROOT / "docs" / "how-to").glob("*.md")
    words = set(re.findall(r"\w+", " ".join(p.read_text(encoding="utf-8") for p in pages)))
    assert {cls.__name__ for cls in classes(base)} - words <= NOT_WRITTEN


@pytest.mark.parametrize("page", ["docs/how-to/joints.md", "docs/notation.md"])
def test_tables_of_joints_have_their_coordinates(page: str) -> None:
    rows = re.findall(r"^\| `(\w+)[^|]*\|([^|]*)\|", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    told = dict(rows)
    for name in JOINTS:
        names = getattr(sp, name).coordinate_names
        if isinstance(names, tuple) and name not in ("Spherical", "Free"):  # a quaternion
            assert re.findall(r"`(\w+)`", told[name]) == list(names), name
        assert name in told


def test_names_in_recipes_exist() -> None:
    """Classes, functions, tables and fields in monospace are words of the sources or the tests."""
    folders = (ROOT / name for name in ("src", "tests", "website"))
    texts = (p.read_text(encoding="utf-8") for folder in folders for p in folder.rglob("*.py*")
             if p.suffix in (".py", ".pyi"))  # fmt: skip
    words = set(re.findall(r"\w+", " ".join(texts)))
    _, _, recipes = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("\n## Recipes\n")
    named = set(re.findall(r"`([A-Za-z_]\w+)`", recipes))
    assert len(named) > 200
    assert named <= words


def test_random_models_draw_every_joint() -> None:
    assert set(random_models.KINDS) == set(JOINTS)


# --------------------------------------------------------------------------------- force elements


@cache
def equations(kind: str) -> Equations:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        return Equations(assembled(build(model_of(kind))))


def force_of(kind: str) -> tuple[sp.Model, ForceElement]:
    """A model of a kind of force element, and that element."""
    model, (cls, _) = model_of(kind), FORCE_MODELS[kind]
    (force,) = (force for force in model.forces.values() if type(force) is cls)
    return model, force


def states(kind: str) -> Iterator[tuple[Equations, np.ndarray, np.ndarray, np.ndarray]]:
    """Coordinates, velocities and controller states: at the start, and a little beside it.

    Beside it bodies without a frame would leave their joints, whose forces would do work.
    """
    e = equations(kind)
    yield e, e.q0, e.u0, e.z0
    if not e.compiled.nr:
        yield e, e.retract(e.q0, np.full(e.nu, 0.01)), e.u0 - 0.1, e.z0 + 0.1


@pytest.mark.parametrize("kind", [*FORCE_MODELS, *BODY_MODELS, *CONSTRAINT_MODELS])
def test_power_is_the_change_of_energy(kind: str) -> None:
    """Along the motion, as the row says: power is work on the system, or energy lost.

    The change is a difference of fourth order, whose error is far below 1e-6 of the largest part.
    """
    for e, q, u, z in states(kind):
        a, power = e.accelerate(0.0, q, u, z), e.power(0.0, q, u, z)
        zdot = e.fields.zdot.copy()

        def energies(s: float, e=e, q=q, u=u, z=z, a=a, zdot=zdot) -> np.ndarray:
            return np.array(e.energies(s, e.ahead(q, u, a, s), u + s * a, z + s * zdot))

        rates = _slope(energies, 2e-6)
        expected = np.where(e.compiled.force_dissipates, -power, power).sum()
        size = max(np.abs(rates).max(), np.abs(power).max(initial=1.0))
        assert rates.sum() == pytest.approx(expected, abs=1e-6 * size)


def _slope(function: Callable[[float], np.ndarray], h: float) -> np.ndarray:
    near, far = ((function(s) - function(-s)) / (2.0 * s) for s in (h, 2.0 * h))
    return (4.0 * near - far) / 3.0


@pytest.mark.parametrize("kind", [*FORCE_MODELS, *BODY_MODELS, *CONSTRAINT_MODELS])
def test_tangents_are_those_of_the_residual(kind: str) -> None:
    """Differences of fourth order leave rounding: 1e-16 over a step of 1e-5, and some digits."""
    for e, q, u, z in states(kind):
        a = e.accelerate(0.0, q, u, z)
        lam = e.multipliers()
        exact = e.tangents(0.0, q, u, a, z, lam)

        def moved(s: float, d: np.ndarray, e=e, q=q, u=u, z=z, a=a, lam=lam) -> np.ndarray:
            return e.residual(0.0, e.retract(q, s * d), u, a, z, lam)

        def faster(s: float, d: np.ndarray, e=e, q=q, u=u, z=z, a=a, lam=lam) -> np.ndarray:
            return e.residual(0.0, q, u + s * d, a, z, lam)

        for found, function in ((exact.Rq, moved), (exact.Ru, faster)):
            differences = [_slope(partial(function, d=d), 2e-5) for d in np.eye(e.nu)]
            size = max(np.abs(found).max(), 1.0)
            assert_allclose(found, np.transpose(differences), atol=1e-6 * size, rtol=0)


def test_rows_say_what_stores_energy() -> None:
    stores = dict.fromkeys(FORCES, False)
    for kind, (cls, _) in FORCE_MODELS.items():
        if not equations(kind).compiled.deforming:  # bodies store energy themselves
            energies = (e.energies(0.0, q, u, z).elastic for e, q, u, z in states(kind))
            stores[cls] |= any(energy != 0.0 for energy in energies)
    assert stores == {cls: bool(row.stores) for cls, row in FORCES.items()}


@pytest.mark.parametrize("kind", FORCE_MODELS)
def test_energy_of_a_spring_in_a_mode_is_that_of_the_engine(kind: str) -> None:
    """Of springs along coordinates: their second derivative; others stretch by turning, too."""
    model, force = force_of(kind)
    row = FORCES[type(force)]
    if row.stores not in ("coordinate", "coupling", "gear"):
        return
    for e, q, _, z in states(kind):
        d = np.linspace(1.0, 2.0, e.nu)
        twice = STORED[row.stores](Mode(1j, d + 0j, e.compiled, q, model), None, force)

        def elastic(s: float, e=e, q=q, d=d, z=z) -> float:
            return e.energies(0.0, e.retract(q, s * d), 0.0 * d, z).elastic

        h = 1e-4
        found = (elastic(h) - 2.0 * elastic(0.0) + elastic(-h)) / h**2
        assert twice == pytest.approx(found, rel=1e-4, abs=1e-5)


# Fields that a run reads in Python, not the kernels.
IN_PYTHON = {(sp.SampledController, name) for name in ("period", "offset", "delay")}


@pytest.mark.parametrize("cls", FORCES, ids=lambda cls: cls.__name__)
def test_every_number_of_a_force_reaches_the_kernels(cls: type) -> None:
    """Changed a little in one of its models, it changes the buffers."""
    tried: set[str] = set()
    seen = {name for made, name in IN_PYTHON if made is cls}
    for kind in (kind for kind, (made, _) in FORCE_MODELS.items() if made is cls):
        model, force = force_of(kind)
        numbers = {f.name: getattr(force, f.name) for f in fields(force)}
        for name, value in numbers.items():
            if not isinstance(value, float) or not np.isfinite(value):
                continue
            other = model.copy()
            try:
                other.replace(force.name, **{name: 0.9 * value + 0.01})
            except sp.ModelError:  # it does not fit the other numbers
                continue
            tried.add(name)
            if not np.array_equal(build(other).reals, equations(kind).compiled.reals):
                seen.add(name)
    assert tried <= seen


@pytest.mark.parametrize("kind", FORCE_MODELS)
def test_rows_say_what_a_force_couples(kind: str) -> None:
    """Velocities of two parts of the model that a tangent couples are in a group of elements."""
    model, force = force_of(kind)
    if isinstance(force, PairForce) and force.A.body.name == model.ground.name:
        model = model.copy()
        model.replace(force.name, A=model["link"].at(0.1, 0.1))  # between two that move
    for formulation in (sp.JointCoordinates(), sp.Absolute()):
        e = Equations(build(model, tree=formulation.tree(model)))
        found = Structure(e.compiled.ints, at.read_model(e.compiled.ints, e.compiled.reals))
        groups = [set(found.parts[group].tolist()) for group in found.groups()]
        tangents = e.tangents(0.0, e.q0, e.u0, np.zeros(e.nu), e.z0)
        for matrix in (tangents.Rq, tangents.Ru):
            coupled = np.abs(matrix) > 1e-9 * np.abs(matrix).max()
            for pair in {frozenset(found.parts[k].tolist()) for k in np.argwhere(coupled)}:
                assert len(pair) == 1 or any(pair <= group for group in groups)


def test_rows_say_whose_laws_have_branches() -> None:
    """As the kernel does that tells the branch of an element."""
    kernel = getattr(codes.branch_of, "function", codes.branch_of)
    kinked = {getattr(codes, n) for n in re.findall(r"== ([A-Z_]+)", inspect.getsource(kernel))}
    assert kinked <= set(ELEMENTS)
    never = FORCES[sp.Force].switches
    for cls, row in FORCES.items():
        assert bool(kinked & set(row.laws)) == (row.switches is not never), cls


def test_views_of_forces_show_what_acts() -> None:
    for cls, row in FORCES.items():
        assert row.at_frames == (
            row.view in ("point", "line", "rope", "contact", "contacts", "tyre")
        ), cls
        assert not issubclass(cls, JointForce) or row.view in ("coordinate", "motor"), cls


# --------------------------------------------------------------------------------------- sections


def _sections() -> list[CrossSection]:
    """One of each class whose sizes are known."""
    found = [CALLS[cls.__name__] for cls in classes(CrossSection) if cls is not sp.Section]
    return [call.what(**call.given) for call in found]


def _integrals(drawn: Outline) -> np.ndarray:
    """Area and integrals of z^2 and y^2 over the triangles of an outline."""
    corners = drawn.points[np.array(drawn.cap)]
    (ay, az), (by, bz) = (np.moveaxis(corners[:, k] - corners[:, 0], -1, 0) for k in (1, 2))
    area = 0.5 * (ay * bz - az * by)
    middles = 0.5 * (corners + np.roll(corners, 1, axis=1))  # exact for squares
    y2, z2 = np.moveaxis((middles**2).mean(axis=1), -1, 0)
    return np.array([area.sum(), area @ z2, area @ y2])


def test_sections_have_the_numbers_of_their_outlines() -> None:
    """Circles are drawn with corners: by (2 pi/n)^2/6 their area is less, and moments twice."""
    drawn = (2.0 * np.pi / AROUND) ** 2 / 3.0
    for section in _sections():
        shape = section_outline(section)
        numbers = np.array([section.area, section.I_y, section.I_z])
        assert_allclose(_integrals(shape), numbers, rtol=1.1 * drawn, err_msg=repr(section))
        assert section.half_sizes is not None
        assert_allclose(np.abs(shape.points).max(axis=0), section.half_sizes, rtol=1.1 * drawn)
        inner = section.I_y * section.I_z / (section.I_y + section.I_z)
        assert 0.0 < section.J <= 4.0 * inner * (1.0 + 1e-9)  # of an ellipse: none has more
        assert all(0.0 < k <= 1.0 for k in section.shear_coefficients(0.3))


def test_stresses_are_known_on_the_surface_of_sections() -> None:
    """Points are on the outline, and those of the largest bending stress are among them."""
    for section in _sections():
        points, rows = outline(section), outline_rows(section)
        assert_allclose(np.abs(points).max(axis=0), section.half_sizes, err_msg=repr(section))
        assert_allclose(rows[:, 0, 4], points[:, 1] / section.I_y)
        assert np.all(
            np.linalg.norm(rows[:, 1:, 3], axis=1) * section.J <= 4.0 * max(points.max(0))
        )


def test_points_beyond_the_surface_are_refused() -> None:
    """Corners of the convex hull of a section, a little further out; triangles are inside."""
    for section in _sections():
        points, drawn = outline(section), section_outline(section)
        hull = points[ConvexHull(points).vertices]
        for y, z in drawn.points[np.array(drawn.cap)].mean(axis=1):
            torsion_stress(section, y, z)
        for y, z in 1.001 * hull:
            with pytest.raises(sp.ModelError, match="expected a point of the section"):
                torsion_stress(section, y, z)


# -------------------------------------------------------------------------------------- the monitor


def test_words_of_checks_are_explained() -> None:
    """`Finding` lists them, and each check is asked for by a monitor or by a linear model."""
    texts = {p: p.read_text(encoding="utf-8") for p in SOURCES.rglob("*.py")}
    everything = "\n".join(texts.values())
    words = set(re.findall(r'\bCheck\(\s*[\w.]+,\s*"([^"]+)"', everything))
    assert len(words) > 10
    assert words <= set(re.findall(r'"([^"]+)"', str(Finding.__doc__)))
    maker = re.compile(r"^def (\w+)\([^)]*\) -> (?:Check|Iterator\[Check\]):", re.MULTILINE)
    made = [maker.findall(texts[p]) for p in (SOURCES / "results" / "checks").glob("[!_]*.py")]
    assert all(made)
    called = Counter(re.findall(r"\b(\w+)\(", everything))
    assert [name for name in chain(*made) if called[name] < 2] == []
