"""Matrices of which only the entries of the plan are stored: their size, and what is in them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import supple as sp
from models.random_loops import flexible_loop
from supple.analyses.equilibrium import sparse_balance
from supple.core.alpha import stage as alpha_stage
from supple.core.base import layout as at
from supple.core.dop853 import dop853
from supple.core.equations import dynamics, kkt
from supple.core.linalg import multifrontal as blocks
from supple.core.radau import buffers as radau_views
from supple.core.run import step as st
from supple.engine.base.compiled import Compiled
from supple.engine.pack.builder import build
from supple.engine.sparsity import block_order, block_plan
from supple.formulations.equations import Equations
from supple.integrators.methods import sundials
from supple.integrators.run.newton_places import alpha_sizes, radau_sizes
from supple.loops import assembly, ranks
from supple.loops.assembly import compile_model

RUBBER = sp.Material(E=1e6, G=4e5, density=1000.0)


def cable(elements: int) -> sp.Model:
    model = sp.Model(gravity=(0, 0, -9.81))
    rope = model.add(sp.Cable("rope", 0.03 * elements, sp.Circle(0.02), RUBBER, elements))
    model.add(sp.Spherical("end", model.ground.at(0), rope.at(0)))
    return model


def arch(links: int) -> sp.Model:
    """Links in a half circle, held by revolutes at both ends: in a plane, three rows too many."""
    model, turn = sp.Model(gravity=(0, -9.81, 0)), np.pi / links
    before = model.ground.at(0)
    for k in range(links):
        link = model.add(sp.RigidBody(f"link{k}", 1.0, (0.5, 0, 0), (0.01, 0.1, 0.1)))
        angle = turn if k else 0.5 * (turn - np.pi)
        model.add(sp.Revolute(f"joint{k}", before, link.at(0), "z", angle))
        before = link.at(1.0)
    end = np.exp(1j * (0.5 * (turn - np.pi) + turn * np.arange(links))).sum()
    model.add(sp.Revolute("end", model.ground.at(end.real, end.imag), before, "z"))
    return model


def compiled(make, count: int) -> Compiled:
    model = make(count)
    return build(model, tree=sp.Absolute().tree(model) if make is arch else None)


def fields(c: Compiled) -> dict[str, int]:
    """Numbers of all fields of a model, its workspace, and the buffers of runs."""
    sizes = c.sizes | {"events": 0, "screws": 0, "parted": 0}
    records = {
        "model": (at.TREE_RECORD, sizes),
        "work": (at.WORK_RECORD, sizes),
        "run": (st.RUN_RECORD, sizes),
        "alpha": (alpha_stage.OWN_RECORD, alpha_sizes(c)),
        "radau": (radau_views.OWN_RECORD, radau_sizes(c)),
        "dop853": (dop853.OWN_RECORD, sizes),
    }
    return {
        f"{name}.{field}": int(np.prod(shape))
        for name, (record, own) in records.items()
        for field, (_, shape) in record.places(own).items()
    }


@pytest.mark.parametrize(("make", "count"), [(cable, 256), (arch, 64)], ids=["cable", "arch"])
def test_no_buffer_grows_faster_than_the_model(make, count):
    """Twice as many parts need twice the room; between stored rows some numbers are left."""
    few, many = (fields(compiled(make, n)) for n in (count, 2 * count))
    assert few["work.mass"] > 0
    for field, size in few.items():
        assert many[field] <= 2.5 * size + 1000, field


def test_numbers_of_a_cable_element():
    """What a run by generalized-alpha needs for one element of a long cable.

    A node has 6 velocities and is coupled with two others: 108 entries in each of four matrices
    (tangents, and mass for accelerations), 108 in the factors of Newton's matrix and in those for
    accelerations, 57 in the Cholesky factor and 36 in the rows solved with it; there are 70 vectors
    over velocities and 80 integers of the plan. Rows lie over each other with few gaps.
    """
    few, many = (fields(compiled(cable, n)) for n in (128, 256))
    own = {k: (many[k] - few[k]) / 128 for k in few if not k.startswith(("radau", "dop853"))}
    assert own["alpha.tangent"] <= 3 * 1.1 * 108
    assert own["alpha.factors"] == 108
    assert own["model.plan"] <= 80
    assert sum(own.values()) <= 4 * 1.1 * 108 + 2 * 108 + 57 + 36 + 6 * 70 + 80


@pytest.mark.parametrize("make", [cable, arch])
def test_stored_matrices_are_those_of_a_whole_model(make, monkeypatch):
    """Mass matrix, constraint rows and accelerations; entries of different rows never meet."""
    found = []
    for work in (0.0, np.inf):
        monkeypatch.setattr(block_plan, "WORTH", work)
        c = compiled(make, 12)
        assert c.ints[at.H_PLANNED] == (work == 0.0)
        eq, rng = Equations(c), np.random.default_rng(1)
        q = eq.retract(c.q0, 0.1 * rng.normal(size=c.nu) * c.scale)
        rows = eq.constraints(0.0, q, rng.normal(size=c.nu))
        found.append((eq.mass_matrix(q), rows.G, rows.H, rows.sparse.toarray()))
        if work == 0.0:
            for pattern in (c.row_pattern, c.mass_pattern):
                assert len(np.unique(pattern.places)) == len(pattern.places)
    for few, whole in zip(*found, strict=True):
        np.testing.assert_array_equal(few, whole)


def hung(count: int) -> sp.Model:
    """A beam and a rigid body that hang on nodes of a gradient beam and of a plate."""
    model, section = sp.Model(gravity=(0, 0, -9.81)), sp.Rectangle(0.02, 0.01)
    long = model.add(sp.ANCFBeam("long", 0.2 * count, section, RUBBER, count))
    plate = model.add(sp.ANCFPlate("plate", (1.0, 0.5), 0.01, RUBBER, (3, 2), position=(0, 1, 0)))
    model.add(sp.Spherical("pin", model.ground.at(0), long.at(0.0)))
    model.add(sp.Spherical("corner", model.ground.at(0, 1, 0), plate.at(0.0, 0.0)))
    for name, frame in (("low", long.at(0.4)), ("side", plate.at(1.0, 0.25))):
        arm = model.add(sp.Beam(f"{name} arm", 0.5, section, RUBBER, 2, 6))
        bob = model.add(sp.RigidBody(f"{name} bob", 0.1, (0.1, 0, 0), (0.001, 0.001, 0.001)))
        model.add(sp.Fixed(f"{name} weld", frame, arm.at(0.0)))
        model.add(sp.Revolute(f"{name} hinge", arm.at(0.5), bob.at(0), "y"))
    return model


@pytest.mark.parametrize("make", [cable, arch, hung])
def test_numbers_between_stored_entries_do_not_matter(make, monkeypatch):
    """They may be those of other rows: here they are none, and whatever reads one shows it."""
    monkeypatch.setattr(block_plan, "WORTH", 0.0)
    model = make(6)
    eq = Equations(compile_model(model, tree=sp.Absolute().tree(model) if make is arch else None))
    c, a = eq.compiled, eq.accelerate(0.0, eq.q0, eq.u0)
    assert eq.fields.factors[0] == kkt.BLOCKS
    for field, pattern in ((eq.fields.mass, c.mass_pattern), (eq.fields.rows, c.row_pattern)):
        numbers = field.reshape(-1)
        between = np.ones(numbers.size, dtype=bool)
        between[pattern.places] = False
        numbers[between] = np.nan
    np.testing.assert_array_equal(eq.accelerate(0.0, eq.q0, eq.u0), a)


def test_many_rows_are_judged_as_few_are(monkeypatch):
    """Rank, and independent rows, of a plane loop by sparse matrices and by whole ones."""
    c = compiled(arch, 12)
    few = ranks.analyse(c, c.q0)
    monkeypatch.setattr(ranks, "MANY", 1)
    many = ranks.analyse(c, c.q0)
    assert many.freedom == few.freedom == 10
    assert len(many.kept) == c.nr - 3
    assert few.smallest[0] == pytest.approx(many.smallest[0], rel=0.05)
    table = ranks.scaled_table(c, at.new_work(c.ints), 0.0, c.q0)[list(many.kept)].toarray()
    assert np.linalg.svd(table, compute_uv=False)[-1] > 0.1 * few.smallest[0]


def test_accelerations_by_fronts_that_are_singular(monkeypatch):
    """Rows are eliminated with a body which they do not act on: right accelerations, or none."""
    model, found = arch(8), []
    placed = block_plan.placed

    def misplaced(order, links, free, rigid):
        places = placed(order, links, free, rigid)
        places[links.index((0, 1))] = order[0]
        return places

    monkeypatch.setattr(block_order, "FRONT", -1000)  # no fronts are made one
    monkeypatch.setattr(block_plan, "WORTH", 0.0)
    for place in (placed, misplaced):
        monkeypatch.setattr(block_plan, "placed", place)
        c = compile_model(model, tree=sp.Absolute().tree(model))
        ints, work, a = c.ints.copy(), at.new_work(c.ints), np.zeros(c.nu)
        at.integers(ints, "plan")[at.PLAN_USABLE] = 0
        state = c.q0.copy(), c.u0.copy(), c.z0.copy()
        bad = dynamics.accelerate(ints, c.reals, work, 0.0, *state, a)
        fields = at.read_work(ints, work)
        assert fields.factors[0] == 4.0  # fronts, core/equations/kkt.py
        assert (fields.numbers[0, blocks.C_REPLACED] > 0) == (place is misplaced)
        assert bad == -1 or place is misplaced
        if bad == -1:
            found.append(a / c.scale)
    np.testing.assert_allclose(found[-1], found[0], rtol=0, atol=1e-9 * np.abs(found[0]).max())


@pytest.mark.parametrize("number", range(4))
def test_the_rank_of_many_rows_is_that_of_whole_matrices(number, monkeypatch):
    """Random loops: as many rows are kept as the rank of all, and these are independent."""
    c = compile_model(flexible_loop(number).model()).complete
    few = ranks.analyse(c, c.q0)
    monkeypatch.setattr(ranks, "MANY", 0)
    many = ranks.analyse(c, c.q0)
    table = ranks.scaled_table(c, at.new_work(c.ints), 0.0, c.q0).toarray()
    assert many.freedom == few.freedom
    assert np.linalg.matrix_rank(table, 1e-9) == len(many.kept)
    assert np.linalg.matrix_rank(table[list(many.kept)], 1e-9) == len(many.kept)


def test_values_of_long_chains_are_no_dependent_rows():
    """Small singular values that have neighbours are those of a long chain, not of its rank."""
    apart, chain = np.array([1e-14, 1e-13, 2e-7, 1e-2]), np.array([1e-14, 2e-7, 5e-7, 9e-7, 1.4e-6])
    assert ranks._vanishing(apart, 1e-6) == 3
    assert ranks._vanishing(chain, 1e-6) == 1


def test_many_rows_are_assembled_on_their_own_tree(monkeypatch):
    """A chain that nearly closes: bodies end where the assembly in joint coordinates puts them."""
    model, ends = arch(12), []
    model.replace("joint5", initial=model.joints["joint5"].initial + 1e-4)
    for many in (10**9, 1):
        monkeypatch.setattr(assembly, "MANY", many)
        c = compile_model(model, tree=sp.Absolute().tree(model))
        ends.append(c.q0[[k for k in range(c.nq) if k % 7 > 3]])
        assert np.abs(Equations(c).constraints(0.0, c.q0, c.u0).violation).max() < 1e-11
    # both are the nearest ones, to the square of the gap, about 12 links away from the joint
    np.testing.assert_allclose(ends[1], ends[0], atol=12 * 1e-4)


@pytest.mark.slow
def test_many_closed_links_are_a_model_like_any_other():
    """2000 links, closed, in absolute coordinates: energy is kept, and there is no whole matrix."""
    tracemalloc.start(1)
    result = sp.simulate(arch(2000), 0.1, formulation=sp.Absolute(), output=4)
    room = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.success and result.energy.level == "trusted"
    assert room < 0.4e9  # bytes; a matrix of 14 001 velocities alone has 1.6e9


@pytest.mark.parametrize("make", [arch, cable])
def test_equilibria_by_sparse_matrices_are_those_by_whole_ones(make, monkeypatch):
    """Configuration, multipliers by their reactions, and the lowest stiffnesses."""
    monkeypatch.setattr(block_plan, "WORTH", 0.0)
    found = []
    for fewest in (0, 10**9):
        monkeypatch.setattr(sparse_balance, "FEWEST", fewest)
        form = sp.Absolute() if make is arch else None
        found.append(sp.statics(make(6), formulation=form))
    sparse, whole = found
    assert [r.statistics["newton"] for r in found] == ["sparse", "dense"]
    assert sparse.success and whole.success
    np.testing.assert_allclose(sparse.state().q, whole.state().q, atol=1e-8)
    name = "joint0" if make is arch else "end"
    np.testing.assert_allclose(sparse[name].force, whole[name].force, rtol=1e-6, atol=1e-6)


def test_bdf_refuses_matrices_that_no_memory_holds(monkeypatch):
    """Before anything of that size is made."""
    monkeypatch.setattr(sundials, "MOST_BYTES", 1e3)
    with pytest.raises(sp.SimulationError, match=r"BDF: its whole matrices of \d+ unknowns take"):
        sp.simulate(arch(6), 0.1, integrator=sp.BDF(), output=2)
    monkeypatch.setattr(sundials, "MOST_BYTES", 1e9)
    assert sp.simulate(arch(6), 0.01, integrator=sp.BDF(), output=2).success
