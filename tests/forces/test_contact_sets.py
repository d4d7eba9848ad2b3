"""Sets of bodies that touch: against single contacts, momentum, energy, touches within steps."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest

import supple as sp
from models.kind_models import by_cells
from models.touching_bodies import marbles
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations

LAW = sp.HuntCrossley(stiffness=1e5, restitution=0.7, speed=1.0)
RUBS = sp.RoundedFriction(0.3, 0.5, transition=0.05, rolling=1e-3, spinning=2e-3)
EXPLICIT = sp.DormandPrince()


def cloud(
    n: int = 8,
    law: sp.forces.ContactLaw = LAW,
    friction: sp.forces.ContactFriction | None = RUBS,
    cells: bool | None = None,
    speed: float = 1.0,
    box: bool = True,
    single: bool = False,
    seed: int = 0,
) -> sp.Model:
    """Balls of several sizes that fly in a box; with ``single`` each pair is a Contact."""
    rng = np.random.default_rng(seed)
    m = sp.Model(gravity=(0, 0, -9.81) if box else (0, 0, 0))
    shapes: list[sp.Shape] = []
    if box:
        shapes.append(sp.Cuboid(m.ground.at(0), size=(0.3, 0.3, 0.3), inside=True))
    places: list[np.ndarray] = []
    while len(places) < n:
        p = rng.uniform(-0.1, 0.1, 3)
        if all(np.linalg.norm(p - x) > 0.062 for x in places):
            k = len(places)
            body = m.add(sp.RigidBody(f"ball{k}", 0.1 + 0.02 * k, inertia=4e-5 * (1 + k)))
            rate = (*rng.normal(size=3), *(speed * rng.normal(size=3)))
            m.add(sp.Free(f"air{k}", m.ground.at(*p), body.at(0), initial_rate=rate))
            shapes.append(sp.Sphere(body.at(0), radius=0.02 + 0.01 * rng.random()))
            places.append(p)
    if not single:
        m.add(sp.Contacts("pile", shapes, law, friction, cells=cells))
        return m
    for (i, a), (j, b) in itertools.combinations(enumerate(shapes), 2):
        m.add(sp.Contact(f"pair {i} {j}", a, b, law, friction))
    return m


def equations(model: sp.Model) -> Equations:
    """The equations of a model."""
    return Equations(build(model))


# ------------------------------------------------------------------------- against single contacts


@pytest.mark.parametrize("friction", [sp.Friction(0.4), RUBS], ids=["bristles", "rounded"])
def test_a_small_set_is_its_contacts(friction) -> None:
    """The elements are the same, so is every bit."""
    a, b = (sp.simulate(cloud(3, friction=friction, single=s), t_end=0.05) for s in (False, True))
    assert np.array_equal(a["ball1"].position, b["ball1"].position)
    assert a["pile"].touching.max() > 0
    lost = sum(f.lost_by_friction[-1] for f in map(b.__getitem__, b.forces))
    assert a["pile"].lost_by_friction[-1] == pytest.approx(lost, rel=1e-12)


def zoo(single: bool, law: sp.forces.ContactLaw, many: bool = True) -> sp.Model:
    """Balls that overlap with each other and with every kind of surface, at rest and moving."""
    rng = np.random.default_rng(3)
    m = sp.Model()
    carrier = m.add(sp.RigidBody("carrier", 2.0, inertia=(0.2, 0.3, 0.4)))
    m.add(sp.Free("ride", m.ground.at(0), carrier.at(0), initial_rate=rng.normal(size=6)))
    walls: list[sp.Shape] = [
        sp.Plane(m.ground.at(0, 0, -0.05), (0.1, 0.2, 1.0)),
        sp.Sphere(m.ground.at(0), radius=0.5, inside=True),
    ]
    moving: list[sp.Shape] = []
    if many:
        walls += [
            sp.Cuboid(m.ground.at(0.1, 0, 0), (0.1, 0.2, 0.3), rotation=(0.1, 0.2, 0.3)),
            sp.Cylinder(m.ground.at(0), radius=0.35, length=3.0, axis="x", inside=True),
            sp.Capsule(m.ground.at(-0.2, 0.1, 0), radius=0.05, length=0.3, axis="z"),
        ]
        moving = [
            sp.Cylinder(carrier.at(0.2, 0, 0), radius=0.1, length=0.2, axis="y"),
            sp.Torus(carrier.at(0), radius=0.2, section=0.03, axis="x"),
        ]
    balls: list[sp.Shape] = []
    for k in range(9):
        body = m.add(sp.RigidBody(f"ball{k}", 0.1 + 0.02 * k, inertia=1e-3 * (1 + k)))
        place, rate = rng.uniform(-0.2, 0.2, 3), rng.normal(size=6)
        m.add(sp.Free(f"air{k}", m.ground.at(*place), body.at(0), initial_rate=rate))
        frame = body.at(*rng.normal(scale=0.03, size=3))
        point = k == 8 and many
        balls.append(sp.Point(frame) if point else sp.Sphere(frame, radius=0.05 + 0.01 * k))
    friction = sp.RoundedFriction(0.4, 0.6, stribeck=0.5, transition=0.1, rolling=0.01)
    for name, flat in (("rests", walls), ("moves", moving)):
        if flat and not single:
            m.add(sp.Contacts(name, [*flat[:1], *balls, *flat[1:]], law, friction, cells=True))
        elif flat:
            for (i, a), (j, b) in itertools.combinations(enumerate([*flat, *balls]), 2):
                if j >= len(flat):
                    m.add(sp.Contact(f"{name} {i} {j}", a, b, law, friction))
    return m


@pytest.mark.parametrize(
    ("law", "many"),
    [
        (sp.HuntCrossley(stiffness=1e5, restitution=0.5, speed=1.0), True),
        (sp.HuntCrossley(stiffness=1e4, restitution=0.5, exponent=1.2), True),
        (sp.Hertz(restitution=0.5, E=1e7, nu=0.3), False),
    ],
    ids=["1.5", "1.2", "hertz"],
)
def test_forces_are_those_of_single_contacts(law, many: bool) -> None:
    """Some fifty pairs on all surfaces: accelerations and powers agree to rounding."""
    a, b = equations(zoo(False, law, many)), equations(zoo(True, law, many))
    found, expected = (e.accelerate(0.0, e.q0, e.u0) for e in (a, b))
    assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max()
    powers = [np.array(e.fields.power) for e in (a, b)]
    names = b.compiled.force_names
    for k, name in enumerate(a.compiled.force_names):
        group, kind = name.split(".")
        own = [n.startswith(group) and n.endswith(kind) for n in names]
        each = powers[1][own]
        assert np.count_nonzero(each) > 3
        assert powers[0][k] == pytest.approx(each.sum(), rel=1e-11)


def test_a_run_is_that_of_single_contacts() -> None:
    """Runs differ by their errors alone: at most some tolerances of velocity, grown by hits."""
    runs = [
        sp.simulate(cloud(5, single=s, cells=True), 0.15, integrator=EXPLICIT, tolerance=1e-9)
        for s in (False, True)
    ]
    off = [np.abs(runs[0][f"ball{k}"].position - runs[1][f"ball{k}"].position) for k in range(5)]
    assert runs[0]["pile"].touching.max() > 0
    assert np.max(off) < 1e-6  # a thousand tolerances; without friction of balls it is 1e-3


def test_cradle_in_a_set() -> None:
    """The numbers of the case contact-cradle, for linear springs and for Hertz's law."""
    known = {1.0: (-0.1302617, 0.1502296, 0.9800321), 1.5: (-0.0709524, 0.0764030, 0.9945493)}
    for exponent, after in known.items():
        m, balls = sp.Model(gravity=(0, 0, 0)), []
        for k in range(3):
            body = m.add(sp.RigidBody(f"ball{k}", 1.0, inertia=1e-3))
            place = m.ground.at(0.1 * k - (1e-3 if k == 0 else 0.0), 0, 0)
            m.add(sp.Prismatic(f"way{k}", place, body.at(0), "x", 0.0, 1.0 if k == 0 else 0.0))
            balls.append(sp.Sphere(body.at(0), radius=0.05))
        law = sp.HuntCrossley(stiffness=1e7, exponent=exponent)
        m.add(sp.Contacts("cradle", balls, law, cells=True))
        run = sp.simulate(m, 0.1, integrator=EXPLICIT, tolerance=1e-8)
        got = [run[f"ball{k}"].velocity[-1, 0] for k in range(3)]
        assert got == pytest.approx(after, abs=2e-6)
        assert run["cradle"].energy[-1] == 0.0


# -------------------------------------------------------------------------- what must stay constant


def test_momentum_and_energy_of_a_cloud() -> None:
    """Without walls both momenta stay, and what is lost is in the audit, to the tolerance."""
    m = cloud(12, box=False, cells=True, speed=2.0)
    for joint in list(m.joints.values()):  # towards the middle
        inwards = -20.0 * joint.A.position
        m.replace(joint.name, initial_rate=(*joint.initial_rate[:3], *inwards))
    run = sp.simulate(m, 0.1, integrator=EXPLICIT, tolerance=1e-8)
    momentum, angular = 0.0, 0.0
    for k in range(12):
        view, body = run[f"ball{k}"], m.bodies[f"ball{k}"]
        p = body.mass * view.velocity
        spin = body.inertia[0, 0] * view.angular_velocity
        momentum, angular = momentum + p, angular + np.cross(view.position, p) + spin
    assert run["pile"].touching.max() > 3
    lost = run["pile"].lost_by_push[-1] + run["pile"].lost_by_friction[-1]
    kinetic = run.energy.kinetic
    assert lost > 0.1 * kinetic[0]
    assert np.ptp(momentum, axis=0).max() < 1e-7
    assert np.ptp(angular, axis=0).max() < 1e-8
    whole = kinetic + run["pile"].energy + run["pile"].dissipated
    assert np.ptp(whole) < 1e-6 * kinetic[0]


def test_bits_do_not_depend_on_the_list() -> None:
    """The same forces from a new list, from one that was made elsewhere, and without any."""
    model = cloud(30, cells=True)
    used, rng = equations(model), np.random.default_rng(1)
    q, u = used.q0, used.u0
    for _ in range(20):
        near = used.retract(q, rng.normal(scale=2e-3, size=len(u)))
        new = equations(model)
        expected = new.accelerate(0.0, near, u)
        assert np.array_equal(used.accelerate(0.0, near, u), expected)
        q = used.retract(q, rng.normal(scale=4e-3, size=len(u)))
    every = used.retract(q, -1e-3 * np.ones(len(u)))
    elements = used.compiled.ints.copy()
    from supple.core.base import layout as at
    from supple.core.contact import sets

    at.integers(elements, "element")[0, sets.ROOM] = 3  # too little room: all pairs are looked at
    work = at.new_work(elements)
    from supple.core.equations import dynamics

    a = np.zeros(len(u))
    dynamics.accelerate(elements, used.compiled.reals, work, 0.0, every, u, used.z0, a)
    assert np.array_equal(a, equations(model).accelerate(0.0, every, u))
    assert np.abs(a).max() > 100.0


def test_snapshots_and_parts_of_runs_give_the_same_bits() -> None:
    """What a list remembers is no part of the state."""
    model = cloud(20, cells=True)
    stepper = sp.Stepper(model, dt=0.02, integrator=EXPLICIT)
    stepper.step()
    kept = stepper.snapshot()
    stepper.step()
    first = stepper.state.q.copy()
    for _ in range(5):
        stepper.step()
    stepper.restore(kept)
    stepper.step()
    assert np.array_equal(stepper.state.q, first)
    other = copy.copy(stepper)  # with lists of its own
    other.restore(kept)
    other.step()
    assert np.array_equal(other.state.q, first)


# ----------------------------------------------------------------------------- touches within steps


def shot(shape, v: tuple[float, float, float], ball=None, **how) -> sp.Model:
    """A small ball that flies towards x = 0, where ``shape(m)`` is."""
    m = sp.Model(gravity=(0, 0, 0))
    body = m.add(sp.RigidBody("ball", 1.0, inertia=0.4))
    m.add(sp.Free("air", m.ground.at(-1.5, 0, 0), body.at(0), initial_rate=(0, 0, 0, *v)))
    shapes = [ball(body) if ball else sp.Sphere(body.at(0), radius=1e-3), *shape(m)]
    law = sp.HuntCrossley(**{"stiffness": 1e9, "restitution": 0.9, "speed": 3.0, **how})
    m.add(sp.Contacts("all", shapes, law, cells=True))
    return m


WALLS = {
    "wall": lambda m: [sp.Cuboid(m.ground.at(0), (1e-4, 2.0, 2.0))],
    "disc": lambda m: [sp.Cylinder(m.ground.at(0), radius=1.0, length=1e-4, axis="x")],
    "small ball": lambda m: [sp.Sphere(m.ground.at(0), radius=1e-3)],
    "hollow": lambda m: [sp.Sphere(m.ground.at(-1.5, 0, 0), radius=1.5, inside=True)],
    "wire": lambda m: [sp.Torus(m.ground.at(0, 0.5, 0), radius=0.5, section=1e-4, axis="x")],
}


@pytest.mark.parametrize("name", WALLS)
def test_nothing_is_passed_through(name: str) -> None:
    """The speed after a hit is that of the law; without the search steps fly through."""
    run = sp.simulate(shot(WALLS[name], (3.0, 0, 0)), 1.0, integrator=EXPLICIT, tolerance=1e-8)
    assert run["ball"].velocity[-1, 0] == pytest.approx(-2.7, abs=1e-4)


def test_a_graze_is_not_missed() -> None:
    """Balls that overlap by a millionth of a radius, for 1 ms of a flight of 1 s."""
    m = shot(lambda m: [sp.Sphere(m.ground.at(0, 0.99 - 1e-6, 0), radius=0.989)], (3.0, 0, 0))
    run = sp.simulate(m, 1.0, integrator=EXPLICIT, tolerance=1e-6)
    assert 1e-7 < run.statistics["depth of all"] <= 1e-6 * (1.0 + 1e-6)
    assert run["ball"].velocity[-1, 1] < -1e-5  # without it 0


@pytest.mark.parametrize(
    "integrator",
    [
        sp.Radau(max_steps=2000),
        pytest.param(sp.GeneralizedAlpha(max_steps=9000), marks=pytest.mark.slow),
    ],
)
def test_balls_that_graze_within_rounding_stall_nothing(integrator) -> None:
    """Two pass each other at a gap of zero while others touch: it is rounding, and closes."""
    ran = sp.simulate(marbles(cells=False), 0.04, integrator=integrator)
    assert ran.success
    other = sp.simulate(marbles(cells=False), 0.04, integrator=EXPLICIT)
    for k in range(6):
        way = ran[f"marble {k}"].position[-1] - other[f"marble {k}"].position[-1]
        assert np.abs(way).max() < 1e-6  # of some 0.01 m, through ten touches


def test_balls_beside_the_centre_and_surfaces_that_turn() -> None:
    """A club that spins fast hits a small ball with its end; a blade that spins hits one, too."""
    for moves in ("ball", "blade"):
        m = sp.Model(gravity=(0, 0, 0))
        club = m.add(sp.RigidBody("club", 1.0, inertia=1.0))
        m.add(sp.Revolute("hinge", m.ground.at(0), club.at(0), "z", initial_rate=10.0))
        mark = m.add(sp.RigidBody("mark", 1e-3, inertia=1e-6))
        m.add(sp.Free("air", m.ground.at(0, 1.0, 0), mark.at(0)))
        target = sp.Sphere(mark.at(0), radius=0.01)
        one = sp.Sphere(club.at(1, 0, 0), radius=0.01)
        if moves == "blade":
            one = sp.Cuboid(club.at(0.5, 0, 0), (1.2, 1e-3, 0.1))
        law = sp.HuntCrossley(stiffness=1e6, restitution=1.0)
        m.add(sp.Contacts("hit", [one, target], law, cells=True))
        run = sp.simulate(m, 0.5, integrator=EXPLICIT, tolerance=1e-7)
        speed = np.linalg.norm(run["mark"].velocity[-1])
        assert speed == pytest.approx(20.0, rel=2e-2), moves  # twice that of the club, nearly


def test_formulations_agree() -> None:
    """In joint and in absolute coordinates, with constraints, a set found by cells is the same."""
    ends = []
    for formulation in (sp.JointCoordinates(), sp.Absolute()):
        run = sp.simulate(
            by_cells(), 0.2, integrator=EXPLICIT, formulation=formulation, tolerance=1e-9
        )
        assert run["pile"].touching.min() > 0 and run["pile"].lost_by_push[-1] > 0.01
        ends.append(np.r_[run["bob"].position[-1], run["bob"].velocity[-1]])
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


# ------------------------------------------------------------------------------------------ layout


def chain(n: int, **options) -> sp.Model:
    """Overlapping balls on bodies that joints join in a row, above a floor of the ground."""
    m = sp.Model()
    frame, shapes = m.ground.at(0, 0, 1.0), [sp.Plane(m.ground.at(0))]
    for k in range(n):
        body = m.add(sp.RigidBody(f"link{k}", 1.0, inertia=0.01))
        m.add(sp.Revolute(f"pin{k}", frame, body.at(0), "y"))
        shapes.append(sp.Sphere(body.at(0), radius=0.3))
        frame = body.at(0.4, 0, 0)
    m.add(sp.Contacts("links", shapes, LAW, **options))
    return m


@pytest.mark.parametrize("cells", [False, True])
def test_joined_bodies_do_not_touch(cells: bool) -> None:
    """Neighbours feel nothing, unless it is asked for; joints with the ground do not count."""
    for joined, count in ((True, 0), (False, 3)):
        view = sp.simulate(chain(4, except_joined=joined, cells=cells), 1e-4, integrator=EXPLICIT)[
            "links"
        ]
        assert view.touching[0] == count
        assert [pair.shapes for pair in view.pairs(0)] == [(1, 2), (2, 3), (3, 4)][:count]
    low = chain(2, cells=cells)
    low.replace("pin0", A=low.ground.at(0, 0, 0.2))
    view = sp.simulate(low, 1e-4, integrator=EXPLICIT)["links"]
    assert {pair.bodies for pair in view.pairs(0)} == {("ground", "link0"), ("ground", "link1")}


def test_large_sets_go_by_cells_of_themselves() -> None:
    """Above 300 pairs; shapes that are no balls stay contacts of their own."""
    m = cloud(30)
    box = m.add(sp.RigidBody("box", 1.0, inertia=0.1, shape=sp.Cuboid(size=(0.01, 0.02, 0.03))))
    m.add(sp.Free("drop", m.ground.at(0, 0, 0.5), box.at(0)))
    floor = sp.Plane(m.ground.at(0, 0, -0.15))
    pile = m.forces["pile"]
    m.remove("pile")
    m.add(sp.Contacts("pile", [floor, box, *pile.shapes[1:]], LAW, RUBS))
    names = build(m).force_names
    assert [name for name in names if name.endswith(".push")] == [
        *(f"pile[0,1][{k}].push" for k in range(8)),
        "pile.push",
    ]
    assert len(build(cloud(20)).force_names) == 2 * (190 + 6 * 20)  # the box has six walls


def test_what_is_shown_is_what_acts() -> None:
    """Both kinds of sets show the same pairs, and forces that accelerate the balls."""
    views, runs = [], []
    for cells in (False, True):
        run = sp.simulate(cloud(6, cells=cells), 0.1, integrator=EXPLICIT, tolerance=1e-9)
        runs.append(run)
        views.append(run["pile"])
    a, b = views
    assert np.array_equal(a.touching, b.touching)
    assert a.depth == pytest.approx(b.depth, abs=1e-7)
    assert a.energy == pytest.approx(b.energy, abs=1e-4)
    k = int(np.argmax(a.touching))
    for one, two in zip(a.pairs(k), b.pairs(k), strict=True):
        assert (one.shapes, one.bodies) == (two.shapes, two.bodies)
        for name in ("depth", "normal", "point"):
            assert getattr(one, name) == pytest.approx(getattr(two, name), abs=1e-5)
    forces = {f"ball{n}": np.zeros(3) for n in range(6)} | {"ground": np.zeros(3)}
    for pair in b.pairs(k):
        force = pair.normal_force * pair.normal + pair.friction_force
        forces[pair.bodies[0]] -= force
        forces[pair.bodies[1]] += force
    model = cloud(6)
    for n in range(6):
        mass = model.bodies[f"ball{n}"].mass
        acting = mass * (runs[1][f"ball{n}"].acceleration[k] + [0, 0, 9.81])
        assert forces[f"ball{n}"] == pytest.approx(acting, abs=1e-8 * max(1.0, b.normal_force[k]))
    total = sum(pair.normal_force for pair in b.pairs(k))
    assert b.normal_force[k] == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("cells", [False, True])
def test_a_depth_that_is_too_large_is_told(cells: bool) -> None:
    """Balls that overlap by more than 0.05 of their radius; harder ones that do not."""
    for stiffness, told in ((2e3, True), (1e7, False)):
        law = sp.HuntCrossley(stiffness=stiffness, restitution=0.7)
        run = sp.simulate(cloud(4, law, cells=cells), 0.05, integrator=EXPLICIT)
        assert run.statistics["depth of pile"] > 0.0
        found = [f for f in run.motion.findings if f.what == "depth"]
        assert bool(found) == told


def test_files_and_batches(tmp_path) -> None:
    """A model file has sets; runs of a batch are those of the model."""
    model = cloud(4, cells=True)
    sp.files.write_model(model, tmp_path / "cloud.yaml")
    other = sp.files.read_model(tmp_path / "cloud.yaml")
    a, b = (sp.simulate(m, 0.02, integrator=EXPLICIT) for m in (model, other))
    assert np.array_equal(a["ball0"].position, b["ball0"].position)


def test_checkpoints_give_the_same_bits(tmp_path) -> None:
    """A run that was killed and goes on is one that was not."""
    model, path = cloud(20, cells=True), tmp_path / "run.checkpoint"
    whole = sp.simulate(model, 0.04, integrator=EXPLICIT, output=5)

    def stop(t: float) -> None:
        if t > 0.015:
            raise RuntimeError("killed")

    how: dict = {"integrator": EXPLICIT, "output": 5, "interval": 0.01}
    with pytest.raises(RuntimeError, match="killed"):
        sp.simulate(model, 0.04, checkpoint=path, progress=stop, **how)
    parts = sp.resume(path)
    assert np.array_equal(whole.q, parts.q) and np.array_equal(whole.u, parts.u)


# --------------------------------------------------------------------------------------- sentences


def test_sentences() -> None:
    """What cannot be is refused where it is written, or where the model is compiled."""
    m = sp.Model()
    a, b = (m.add(sp.RigidBody(n, 1.0, inertia=0.1)) for n in "ab")
    m.add(sp.Free("air a", m.ground.at(0), a.at(0)))
    m.add(sp.Free("air b", m.ground.at(0), b.at(0)))
    ball, floor = sp.Sphere(a.at(0), radius=0.1), sp.Plane(m.ground.at(0))
    with pytest.raises(sp.ModelError, match=r"shapes is .*, expected two or more shapes"):
        sp.Contacts("set", [ball], LAW)
    with pytest.raises(sp.ModelError, match="expected two or more shapes"):
        sp.Contacts("set", ball, LAW)
    with pytest.raises(sp.ModelError, match=r"shapes\[1\] is .*, expected a shape with a frame"):
        sp.Contacts("set", [ball, sp.Sphere(radius=0.1)], LAW)
    with pytest.raises(sp.ModelError, match=r"friction is Friction of 4 balls .* RoundedFriction"):
        build(cloud(4, friction=sp.Friction(0.3), cells=True))
    hills = m.copy()
    field = sp.HeightField(m.ground.at(-1, -1), np.zeros((4, 4)), 1.0)
    hills.add(sp.Contacts("set", [ball, field], LAW, cells=True))
    with pytest.raises(sp.ModelError, match=r"shapes\[1\] is a HeightField, which balls .* cells"):
        build(hills)
    rings = [sp.Torus(x.at(0), radius=0.1) for x in (a, b)]
    for shapes in ([*rings, floor], [ball, *rings, floor]):
        copy = m.copy()
        copy.add(sp.Contacts("set", shapes, LAW))
        with pytest.raises(
            sp.ModelError, match=r"Contacts 'set': shapes\[\d\] and shapes\[\d\] .*Torus"
        ):
            build(copy)
    for run in (sp.simulate, lambda m, t: sp.simulate(m, t, integrator=sp.BDF())):
        with pytest.raises(sp.ModelError, match=r"found by cells, which .* expected DormandPrince"):
            run(cloud(4, cells=True), 0.01)
    for run in (sp.statics, sp.linearize):
        with pytest.raises(sp.ModelError, match=r"found by cells, which .* tangents"):
            run(cloud(4, cells=True))
