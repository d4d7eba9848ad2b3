"""Random trees of rigid bodies and beams with random states: what property tests are tried on.

A `Recipe` is a list of joint kinds, which of the bodies are beams, a seed and some switches; it
prints as one line and makes the same model each time. Kinds and beams are drawn by hypothesis, so
that a failing tree shrinks to the few joints that matter; everything else comes from the seed.
Beams are soft: elastic forces, inertia and loads have about the same size.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from hypothesis import assume, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import supple
from supple.bodies.base.axis import AxisBody
from supple.forces import JointForce
from supple.formulations.equations import Equations
from supple.formulations.placement import Layout, place

Array = NDArray[np.float64]

KINDS = (
    "Fixed",
    "Revolute",
    "Prismatic",
    "Cylindrical",
    "Universal",
    "Spherical",
    "Planar",
    "Free",
    "General",
)
# Condition of the mass matrix, scaled to a unit diagonal, above which a state counts as locked;
# nodal coordinates of beams have a worse one by nature.
WORST_CONDITION = 1e4
WORST_ELASTIC_CONDITION = 1e6
REFERENCES = ("clamped", "chord", "mean_axis")
LARGEST_TURN = 0.3  # rad, elastic rotation of a section against the body's frame


def examples(count: int) -> settings:
    """Number of examples in the profile `full`; in others in proportion, at least three."""
    return settings(max_examples=max(count * settings.default.max_examples // 100, min(count, 3)))


class State(NamedTuple):
    """Time (s), engine coordinates, velocities and accelerations, controller states."""

    t: float
    q: Array
    u: Array
    a: Array
    z: Array


@dataclass(frozen=True)
class Recipe:
    """How to make a random tree.

    kinds : joint of each body, 2 to 12
    seed : of everything else
    forces : "none", "internal" (nothing reaches the ground), "frames" (all that act at frames) or
        "all"
    floating : the first joint becomes Free, and everything else hangs on that body
    gravity : random, else none
    can_lock : General may have three rotations, and translations on both sides of a rotation;
        beams may be lines without inertia about themselves; bushings may be of any matrix
    beams : which bodies are beams; empty if none is
    second_order : some beams have displacements of second order
    """

    kinds: tuple[str, ...]
    seed: int
    forces: str = "none"
    floating: bool = False
    gravity: bool = True
    can_lock: bool = True
    beams: tuple[bool, ...] = ()
    second_order: bool = True

    def model(self) -> supple.Model:
        """The model; its items were added in random order."""
        return _Maker(self).model()

    def state(
        self, equations: Equations, number: int = 0, turns: Sequence[float] | None = None
    ) -> State:
        """A random state away from gimbal lock; a recipe that has none is left out.

        The elastic rotation of a beam is 0, tiny, or anything up to LARGEST_TURN; `turns` gives
        the choice.
        """
        c = equations.compiled
        rng = np.random.default_rng([self.seed, 1, number])
        q, u = np.zeros(c.nq), np.zeros(c.nu)
        worst = WORST_ELASTIC_CONDITION if any(self.beams) else WORST_CONDITION
        beams = self.model().bodies if any(self.beams) else {}
        for _ in range(20):
            for name, record in c.joints.items():
                x, rate = random_coordinates(record, rng)
                q[record.q], u[record.u] = c.from_user(name, x, rate)
            for motor in c.motors.values():
                if motor.own:
                    q[motor.q], u[motor.u] = rng.normal(size=2)
            for name, body in c.flexible.items():
                choice = [0.0, 1e-6, *rng.uniform(0.0, LARGEST_TURN, 3), LARGEST_TURN]
                turn = rng.choice(choice if turns is None else turns)
                if not beams[name].rotary_inertia:  # a straight line has no inertia about itself
                    turn = max(turn, 0.1)
                q[body.q] = deformation(beams[name], body, rng, turn)
                u[body.u] = deformation(beams[name], body, rng, rng.uniform(0.5, 2.0))
            if condition(equations.mass_matrix(q)) < worst:
                a, z = rng.normal(size=c.nu), rng.normal(size=c.nz)
                return State(float(rng.uniform(0.0, 2.0)), q, u, a, z)
        assume(False)
        raise AssertionError("unreachable")


def recipes(
    forces: str = "none",
    floating: bool = False,
    gravity: bool = True,
    can_lock: bool = True,
    max_bodies: int = 12,
) -> st.SearchStrategy[Recipe]:
    """Recipes of trees that can move."""
    kinds = st.lists(st.sampled_from(KINDS), min_size=2, max_size=max_bodies)
    moving = kinds if floating else kinds.filter(lambda names: set(names) != {"Fixed"})
    return st.builds(
        Recipe,
        kinds=moving.map(tuple),
        seed=st.integers(0, 2**32 - 1),
        forces=st.just(forces),
        floating=st.just(floating),
        gravity=st.just(gravity),
        can_lock=st.just(can_lock),
    )


def flexible_recipes(max_bodies: int = 4, **options) -> st.SearchStrategy[Recipe]:
    """Recipes of trees with at least one beam; options as of `Recipe`."""
    bodies = st.lists(
        st.tuples(st.sampled_from(KINDS), st.booleans()), min_size=2, max_size=max_bodies
    ).filter(lambda pairs: any(beam for _, beam in pairs))
    return st.builds(
        lambda pairs, seed: Recipe(
            tuple(kind for kind, _ in pairs),
            seed,
            beams=tuple(beam for _, beam in pairs),
            **options,
        ),
        bodies,
        st.integers(0, 2**32 - 1),
    )


def largest_turn(beam: supple.Beam, record, q: Array) -> float:
    """Largest elastic rotation (rad) of the nodes of a beam, for elastic coordinates (..., n)."""
    turns = [
        q @ beam.attachment(beam.at(x), record.point_masses).Psi.T
        for x in np.linspace(0.0, beam.length, beam.elements + 1)
    ]
    return float(np.linalg.norm(turns, axis=-1).max())


def deformation(beam: supple.Beam, record, rng: np.random.Generator, turn: float) -> Array:
    """Elastic coordinates of about equal strain energy in all modes, with the largest rotation

    `turn` (rad), unless the displacements would exceed `turn` times the length.
    """
    modal = record.modal
    if not modal.n:
        return np.zeros(0)
    q = np.linalg.solve(np.linalg.cholesky(modal.K).T, rng.normal(size=modal.n))
    nodes = [beam.at(x) for x in np.linspace(0.0, beam.length, beam.elements + 1)]
    moves = [beam.attachment(frame, record.point_masses).Phi @ q for frame in nodes]
    # Displacements bound it too: the kept modes may hardly turn, or not at all.
    return q * turn / max(largest_turn(beam, record, q), np.abs(moves).max() / beam.length)


def condition(mass: Array) -> float:
    """Condition of a mass matrix after scaling its diagonal to one.

    It is infinite where a velocity has no inertia but rounding, as a straight line about itself.
    """
    if not np.all(np.diag(mass) > 1e-14 * np.diag(mass).max()):
        return float("inf")
    size = np.sqrt(np.diag(mass))
    values = np.linalg.eigvalsh(mass / np.outer(size, size))
    return float(values[-1] / values[0]) if values[0] > 0.0 else float("inf")


def random_coordinates(joint, rng: np.random.Generator, rate: float = 1.5) -> tuple[Array, Array]:
    """Coordinates and rates of a joint (or its record) as users write them."""
    parts = []
    for name in joint.coordinate_names:
        angle = name.startswith("angle")
        parts.append(rng.uniform(-np.pi, np.pi) if angle else rng.normal(scale=0.6))
    x = np.array(parts)
    nu = len(x)
    if joint.coordinate_names[:1] == ("qw",):
        x[:4] = rng.normal(size=4)
        x[:4] /= np.linalg.norm(x[:4])
        nu -= 1
    return x, rng.normal(scale=rate, size=nu)


class _Maker:
    """Builds all items of a recipe, then adds them in random order."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.rng = np.random.default_rng([recipe.seed, 0])
        down = self.rng.normal(scale=6.0, size=3) if recipe.gravity else np.zeros(3)
        self.result = supple.Model(gravity=down)
        self.bodies: list[supple.RigidBody | supple.Beam] = []
        self.joints: list[supple.joints.Joint] = []
        self.others: list = []

    def model(self) -> supple.Model:
        names = [f"body{i}" for i in range(len(self.recipe.kinds))]
        self.rng.shuffle(names)
        beams = self.recipe.beams or (False,) * len(names)
        for name, kind, beam in zip(names, self.recipe.kinds, beams, strict=True):
            self.add_body(name, kind, beam)
        if self.recipe.forces != "none":
            self.add_forces()
        items = [*self.bodies, *self.joints, *self.others]
        return add_in_order(self.result, [items[i] for i in self.rng.permutation(len(items))])

    def frame(self, body, at_nodes: bool = True) -> supple.Frame:
        rotation = self.rng.normal(size=3) if self.rng.random() < 0.7 else None
        if isinstance(body, supple.Beam):
            x = self.station(body) if at_nodes else self.rng.random() * body.length
            return body.at(x, rotation=rotation)
        return body.at(*self.rng.normal(scale=0.7, size=3), rotation=rotation)

    def station(self, beam: supple.Beam) -> float:
        """One of the ends, another node, or anywhere between them."""
        rng = self.rng
        nodes = np.linspace(0.0, beam.length, beam.elements + 1)
        return float(rng.choice([0.0, beam.length, rng.choice(nodes), *rng.random(2) * nodes[-1]]))

    def beam(self, name: str) -> supple.Beam:
        """A soft beam: bending of some Hz, and not much more along its axis."""
        rng = self.rng
        area, y, z, twist = rng.uniform(0.03, 0.06), *rng.uniform(0.06, 0.12, size=3)
        section = supple.Section(area, area * z**2, area * y**2, 2.0 * area * twist**2)
        stiffness = 10.0 ** rng.uniform(3.7, 4.7)
        material = supple.Material(stiffness, stiffness / 2.6, rng.uniform(15.0, 40.0))
        elements = int(rng.integers(1, 4))
        reference = str(rng.choice(REFERENCES))
        rotary = not (self.recipe.can_lock and rng.random() < 0.15)
        count = (6 if rotary else 5) * elements
        numbers = rng.permutation(np.arange(1, count + 1))[: rng.integers(1, 6)]
        choices = ["all", "all", int(rng.integers(2, 6)), count, numbers.tolist(), 0]
        damping = None
        if rng.random() < 0.5:
            damping = supple.Rayleigh(rng.uniform(1e-3, 1e-2), rng.uniform(0.0, 0.5))
        length = rng.uniform(0.6, 1.6)
        modes = choices[rng.choice(len(choices), p=[0.2, 0.2, 0.2, 0.15, 0.2, 0.05])]
        if reference == "chord":
            modes = self.sines(rotary) or modes
        return supple.Beam(
            name,
            length,
            section,
            material,
            elements,
            modes,
            reference,
            damping,
            rotary,
            str(rng.choice(["saint_venant", "polar"])),
            rng.uniform(-np.pi, np.pi) if rng.random() < 0.5 else 0.0,
            int(rng.integers(elements + 1)) if reference == "clamped" else 0,
            stiffening=self.stiffening(modes),
        )

    def stiffening(self, modes) -> supple.reduction.SecondOrder | None:
        """Displacements of second order for some beams, drawn by a generator of their own."""
        rng = np.random.default_rng([self.recipe.seed, 3, len(self.bodies)])
        if rng.random() < 0.75 or not self.recipe.second_order:
            return None
        return supple.reduction.SecondOrder(
            bool(rng.random() < 0.3 and not isinstance(modes, supple.reduction.SineShapes))
        )

    def sines(self, rotary: bool) -> supple.reduction.SineShapes | None:
        """Assumed shapes for some beams; a generator of their own leaves everything else as is."""
        rng = np.random.default_rng([self.recipe.seed, 2, len(self.bodies)])
        if rng.random() < 0.6:
            return None
        planes = (("y",), ("z",), ("y", "z"), ("y", "z"))[rng.integers(4)]
        axial, twist = rng.integers(3, size=2)
        return supple.reduction.SineShapes(
            rng.integers(1, 4), planes, axial, twist if rotary else 0
        )

    def rigid(self, name: str) -> supple.RigidBody:
        rng = self.rng
        a = rng.normal(scale=0.5, size=(3, 3)) + 0.3 * np.eye(3)
        inertia = np.trace(a @ a.T) * np.eye(3) - a @ a.T
        mass, com = rng.uniform(0.5, 2.0), rng.normal(scale=0.4, size=3)
        about = "com"
        if rng.random() < 0.5:
            about = "origin"
            inertia = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
        return supple.RigidBody(name, mass, com, inertia, about)

    def add_body(self, name: str, kind: str, beam: bool) -> None:
        rng, root = self.rng, not self.bodies
        body = self.beam(name) if beam else self.rigid(name)
        if rng.random() < 0.4:
            for k in range(rng.integers(1, 3)):
                point = supple.PointMass(f"{name}_p{k}", self.frame(body), rng.uniform(0.1, 1.0))
                self.others.append(point)
        places = list(self.bodies) if self.recipe.floating else [self.result.ground, *self.bodies]
        if root:
            parent = self.result.ground
            kind = "Free" if self.recipe.floating else kind
        else:
            parent = places[-1] if rng.random() < 0.5 else places[rng.integers(len(places))]
        ends = [self.frame(parent), self.frame(body)]
        if rng.random() < 0.5:
            ends.reverse()
        self.joints.append(self.joint(kind, f"joint{len(self.joints)}", *ends))
        self.bodies.append(body)

    def joint(self, kind: str, name: str, A: supple.Frame, B: supple.Frame) -> supple.joints.Joint:
        rng = self.rng
        options: dict = {}
        if kind in ("Revolute", "Prismatic", "Cylindrical"):
            words = ["x", "y", "z", "-x", "-y", "-z"]
            options["axis"] = rng.normal(size=3) if rng.random() < 0.5 else rng.choice(words)
        elif kind == "Universal":
            options["axes"] = (rng.normal(size=3), rng.normal(size=3))
        elif kind == "Planar":
            options["normal"] = rng.normal(size=3) if rng.random() < 0.5 else "xyz"[rng.integers(3)]
        elif kind == "General":
            turns = ["rotate"] * (3 if self.recipe.can_lock else 2)
            chosen = rng.permutation([*turns, *["translate"] * 3])[: rng.integers(1, 7)]
            if not self.recipe.can_lock:
                chosen = sorted(chosen, reverse=True)  # a turn could align two translations
            options["axes"] = [(str(word), rng.normal(size=3)) for word in chosen]
        joint = getattr(supple, kind)(name, A, B, **options)
        x, rate = random_coordinates(joint, rng, rate=0.7)
        return dataclasses.replace(joint, initial=x, initial_rate=rate)

    def signal(self, size: float = 2.0):
        rng = self.rng
        x = rng.normal(scale=size, size=4)
        kind = rng.integers(7)
        if kind == 0:
            return x[0]
        if kind == 1:
            return supple.Sine(x[0], rng.uniform(0.2, 2.0), phase=x[1], offset=x[2])
        if kind == 6:
            wave = supple.Expression(f"{x[0]:.4f}*sin(2*t)**3 + sqrt(1 + t**2)*cos(t) + {x[1]:.4f}")
            return wave if rng.random() < 0.5 else x[2] * wave + supple.Sine(x[3], 0.7) * wave
        if kind == 2:
            return supple.SmoothStep(0.3, rng.uniform(0.6, 2.0), x[0], x[1])
        if kind == 3:
            return supple.Polynomial(x[:3], start=0.5)
        interpolation = "cubic" if kind == 4 else "linear"
        return supple.Table(np.cumsum(rng.uniform(0.2, 0.6, size=4)), x, interpolation)

    def add_forces(self) -> None:
        """One or two of every kind that the tree has a place for."""
        rng, everything = self.rng, self.recipe.forces == "all"
        scalars = [
            (joint, k) for joint in self.joints if joint.nq == joint.nu for k in range(joint.nu)
        ]
        makers: list[Callable[[str], supple.forces.ForceElement]] = [self.spring_between]
        if self.recipe.forces == "frames":
            scalars, everything = [], True
        makers += [self.bushing_between]
        if everything:
            makers += [self.spring_to_ground, self.force("world"), self.force("body")]
            makers += [self.bushing_to_ground]
            if any(isinstance(body, supple.Beam) for body in self.bodies):
                makers += [self.load]
        if scalars:
            kinds = ("spring", "effort", "pid", "friction", "stop")
            makers += [self.on_joint(scalars, kind) for kind in kinds]
            self.others.append(self.motor("motor", scalars, rng.random() < 0.5))
            scalars = [*scalars, (self.others[-1], 0)]
            makers += [self.on_joint(scalars[-1:], str(rng.choice(kinds)))]
        for i, make in enumerate(makers):
            for k in range(rng.integers(1, 3)):
                self.others.append(make(f"force{i}{k}"))
        self.add_laws(scalars)

    def add_laws(self, scalars: list) -> None:
        """Springs with laws, with matrices, along axes and between coordinates.

        A generator of their own leaves everything else as is.
        """
        self.rng = rng = np.random.default_rng([self.recipe.seed, 3])
        ends = [self.bodies[k] for k in rng.permutation(len(self.bodies))[:2]]
        frames = [self.frame(body, at_nodes=False) for body in ends]
        made = self.spring("law1", frames)
        self.others.append(dataclasses.replace(made, **self.laws()))
        K, C = rng.normal(size=(2, 6, 6))
        load = rng.normal(size=6)
        frames = [self.frame(body) for body in ends]
        K, C = K @ K.T, 0.3 * C @ C.T
        if not self.recipe.can_lock:  # a run may pass half a turn, where torques jump
            K[3:], K[:, 3:], C[3:], C[:, 3:], load[3:] = 0.0, 0.0, 0.0, 0.0, 0.0
        self.others.append(supple.Bushing("full", *frames, K, C, load))
        if self.recipe.forces != "internal":  # turning the world would turn its axes
            k, c, *rest = rng.uniform(0.2, 1.0, size=5)
            last = ends[-1] if rng.random() < 0.5 else self.result.ground
            frames = [self.frame(ends[0]), self.frame(last)] if last is not ends[0] else frames
            self.others.append(supple.CartesianSpring("axes", *frames, 9.0 * k, c, rest))
        if scalars:
            (joint, k), (other, j) = (scalars[i] for i in rng.integers(len(scalars), size=2))
            self.others.append(supple.JointSpring("law2", joint, coordinate=k, **self.laws()))
            if (joint, k) != (other, j):
                x = rng.uniform(0.2, 1.0, size=4) * (10.0, 1.0, 2.0, 0.5)
                self.others.append(
                    supple.CoordinateSpring("couple", (joint.name, k), (other.name, j), *x)
                )

    def laws(self) -> dict:
        """A spring's and a damper's law, of a few N.

        Kinks are far away, so that differences in time meet none; dampers only take.
        """
        rng = self.rng
        places = np.array([-80.0, -40.0, 40.0, 80.0]) + rng.normal(size=4)
        pairs = np.column_stack([places, places * rng.uniform(1.0, 4.0, size=4)])
        springs = (pairs, supple.TableLaw(pairs, "cubic", "hold"), "2*x + 0.5*x**3/(1 + x**2)")
        dampers = (
            [(-60.0, -90.0), (60.0, 90.0), (90.0, 200.0)],
            supple.TableLaw([(-60, -90), (-30, -20), (30, 20), (60, 90)], "cubic"),
            "(0.3 + 0.2*sin(x))*v + 0.1*v**3",
        )
        return {
            "spring": springs[rng.integers(len(springs))],
            "damper": dampers[rng.integers(len(dampers))],
        }

    def bushing(self, name: str, ends: Sequence[supple.Frame]) -> supple.Bushing:
        rng = self.rng
        A, B = ends if rng.random() < 0.5 else ends[::-1]
        return supple.Bushing(name, A, B, *rng.uniform(0.0, 5.0, size=(2, 6)))

    def bushing_between(self, name: str) -> supple.Bushing:
        pair = [self.bodies[k] for k in self.rng.permutation(len(self.bodies))[:2]]
        return self.bushing(name, [self.frame(body) for body in pair])

    def bushing_to_ground(self, name: str) -> supple.Bushing:
        body = self.bodies[self.rng.integers(len(self.bodies))]
        return self.bushing(name, [self.frame(body), self.frame(self.result.ground)])

    def load(self, name: str) -> supple.DistributedLoad:
        rng = self.rng
        beam = rng.choice([body for body in self.bodies if isinstance(body, supple.Beam)])
        ends = np.sort(rng.uniform(0.0, beam.length, size=2)) if rng.random() < 0.7 else (0.0, None)
        turn = rng.normal(size=3) if rng.random() < 0.7 else None
        parts = [self.signal() for _ in range(3)]
        axes = str(rng.choice(["world", "body", "section"]))
        start = beam.at(ends[0], rotation=turn)
        return supple.DistributedLoad(name, start, parts, ends[1], rng.normal(size=2), axes)

    def motor(self, name: str, scalars: list, elastic: bool) -> supple.Motor:
        rng = self.rng
        joint, k = scalars[rng.integers(len(scalars))]
        x = rng.uniform(0.2, 1.0, size=4)
        gear = {"stiffness": 20.0 * x[2], "gear_damping": x[3]} if elastic else {}
        ratio = float(rng.choice([-3.0, 0.5, 1.0, 4.0]))
        return supple.Motor(name, joint, x[0], ratio, x[1], coordinate=k, **gear)

    def spring(self, name: str, ends: Sequence[supple.Frame]) -> supple.SpringDamper:
        A, B = ends if self.rng.random() < 0.5 else ends[::-1]
        stiffness, damping, length = self.rng.uniform(0.2, 1.0, size=3) * (20.0, 2.0, 1.0)
        return supple.SpringDamper(
            name, A, B, stiffness, damping, length if self.rng.random() < 0.7 else 0.0
        )

    def spring_between(self, name: str) -> supple.SpringDamper:
        # Not at nodes: joints are there, and their two sides have no distance.
        pair = [self.bodies[k] for k in self.rng.permutation(len(self.bodies))[:2]]
        return self.spring(name, [self.frame(body, at_nodes=False) for body in pair])

    def spring_to_ground(self, name: str) -> supple.SpringDamper:
        body = self.bodies[self.rng.integers(len(self.bodies))]
        return self.spring(name, [self.frame(body), self.frame(self.result.ground)])

    def force(self, axes: str) -> Callable[[str], supple.Force]:
        def make(name: str) -> supple.Force:
            frame = self.frame(self.bodies[self.rng.integers(len(self.bodies))])
            parts = [self.signal() if self.rng.random() < 0.8 else 0.0 for _ in range(6)]
            return supple.Force(name, frame, parts[:3], parts[3:], axes)

        return make

    def on_joint(self, scalars: list, kind: str) -> Callable[[str], supple.forces.ForceElement]:
        def make(name: str) -> supple.forces.ForceElement:
            rng = self.rng
            joint, k = scalars[rng.integers(len(scalars))]
            named = isinstance(joint, supple.joints.Joint) and rng.random() < 0.5
            place = joint.coordinate_names[k] if named else k
            x = rng.uniform(0.2, 1.0, size=3)
            if kind == "spring":
                cubic = float(rng.choice([0.0, 3.0]))
                return supple.JointSpring(name, joint, *(x * (10, 1, 1)), place, cubic)
            if kind == "friction":
                more = {"static": 2.0 * x[0], "transition": 0.5, "stribeck": 1.0 + x[2]}
                return supple.JointFriction(name, joint, x[0], x[1], coordinate=place, **more)
            if kind == "stop":
                more = {
                    "stiffness": 10.0 * x[0],
                    "damping": x[1],
                    "exponent": 1.0 + rng.integers(2),
                }
                sides = {"lower": -0.3, "upper": 0.2} if rng.random() < 0.7 else {"upper": -0.5}
                return supple.JointStop(name, joint, coordinate=place, **sides, **more)
            if kind == "effort":
                return supple.JointEffort(name, joint.name, self.signal(), coordinate=place)
            gains = x * (10.0, 3.0, 1.0)
            limit = float(rng.choice([np.inf, 1.0]))
            return supple.PID(name, joint, *gains, self.signal(0.5), place, limit)

        return make


def add_in_order(model: supple.Model, items: Sequence) -> supple.Model:
    """Add items in the given order, each as soon as everything it refers to is there."""
    waiting = list(items)
    while waiting:
        item = next(item for item in waiting if _ready(model, item))
        model.add(item)
        waiting.remove(item)
    return model


def _ready(model: supple.Model, item) -> bool:
    if isinstance(item, (JointForce, supple.CoordinateSpring)):
        return all(name in model for name, _ in item.targets)
    frames = {} if isinstance(item, supple.bodies.Body) else item.frames
    return all(frame.body.name in model for frame in frames.values())


def rebuilt(
    model: supple.Model,
    *,
    rename: Callable[[str], str] = str,
    rng: np.random.Generator | None = None,
    turn: Array | None = None,
    shift: Array | None = None,
    t: float = 0.0,
    change: Callable[[supple.bodies.Body], supple.bodies.Body] = lambda body: body,
) -> supple.Model:
    """The same system written down differently.

    `rename` changes all names, `rng` the order of adding. `turn` and `shift` move everything in the
    world: places on the ground, gravity and the forces in world axes, which are kept at their
    values at time `t`. `change` puts another body in the place of each.
    """
    R = np.eye(3) if turn is None else turn
    d = np.zeros(3) if shift is None else shift
    new = supple.Model(gravity=R @ model.gravity)
    bodies = {n: dataclasses.replace(change(model[n]), name=rename(n)) for n in model.bodies}

    def moved(frame: supple.Frame) -> supple.Frame:
        if frame.body.name == "ground":
            return supple.Frame(new.ground, d + R @ frame.position, R @ frame.rotation)
        return supple.Frame(bodies[frame.body.name], frame.position, frame.rotation)

    items = list(bodies.values())
    for item in (model[name] for name in model):
        if isinstance(item, supple.bodies.Body):
            continue
        if isinstance(item, supple.DistributedLoad):
            if not isinstance(bodies[item.frame.body.name], AxisBody):
                continue  # `change` has made its beam rigid
        changes: dict = {field: moved(frame) for field, frame in item.frames.items()}
        if isinstance(item, JointForce):
            changes["joint"] = rename(item.joint)
        if isinstance(item, supple.CoordinateSpring):
            ends = zip(("first", "second"), item.targets, strict=True)
            changes |= {field: (rename(joint), place) for field, (joint, place) in ends}
        if isinstance(item, supple.CartesianSpring):
            changes["rest"] = R @ item.rest  # it is as stiff in all directions
        loads = (supple.Force, supple.DistributedLoad)
        if isinstance(item, loads) and item.axes == "world" and turn is not None:
            changes["force"] = R @ [s(t) for s in item.force]
            if isinstance(item, supple.Force):
                changes["torque"] = R @ [s(t) for s in item.torque]
        items.append(dataclasses.replace(item, name=rename(item.name), **changes))
    if rng is not None:
        items = [items[i] for i in rng.permutation(len(items))]
    return add_in_order(new, items)


def written_in_world(model: supple.Model) -> supple.Model:
    """The same system by places in the world, in the position in which all coordinates are zero.

    Bodies have a position and a rotation there, joints a place and axes, other frames are found by
    their place. Coordinates with components in A's or B's axes are in other axes then.
    """
    layout = Layout.of(model)
    zero = {name: _zero(joint) for name, joint in model.joints.items()}
    poses = place(model, layout, zero).poses
    new = supple.Model(gravity=model.gravity)
    bodies: dict[str, supple.bodies.Body] = {"ground": new.ground}
    for name, body in model.bodies.items():
        R, p = poses[name]
        bodies[name] = new.add(dataclasses.replace(body, position=p, rotation=R))

    def there(frame: supple.Frame) -> supple.Frame:
        R, p = poses[frame.body.name]
        point, axes = p + R @ frame.position, R @ frame.rotation
        return bodies[frame.body.name].at_world(*point, rotation=axes)

    for joint in model.joints.values():
        R, p = poses[joint.A.body.name]
        ends = bodies[joint.A.body.name], bodies[joint.B.body.name]
        R, p = R @ joint.A.rotation, p + R @ joint.A.position
        new.add(_at_world(joint, ends, p, R))
    for item in (model[name] for name in model):
        if not isinstance(item, (supple.bodies.Body, supple.joints.Joint)):
            frames = {field: there(frame) for field, frame in item.frames.items()}
            new.add(dataclasses.replace(item, **frames))
    return new


def _zero(joint: supple.joints.Joint) -> Array:
    x = np.zeros(joint.nq)
    x[:1] = joint.nq != joint.nu
    return x


def _at_world(joint: supple.joints.Joint, ends, p: Array, R: Array) -> supple.joints.Joint:
    """A joint at the place p, with the axes R of A in the world."""
    x, rate = joint.initial.copy(), joint.initial_rate.copy()
    options: dict = {}
    if isinstance(joint, (supple.Revolute, supple.Prismatic, supple.Cylindrical)):
        options["axis"] = R @ joint.axis
    elif isinstance(joint, supple.Universal):
        options["axes"] = [R @ axis for axis in joint.axes]
    elif isinstance(joint, supple.General):
        options["axes"] = [(kind, R @ axis) for kind, axis in joint.axes]
    elif isinstance(joint, supple.Planar):
        options["normal"] = R @ joint.normal
        own = np.array([m.axis for m in joint.motions[:2]])
        other = supple.Planar("_", *ends, **options, at=p).motions[:2]
        turn = np.array([m.axis for m in other]) @ R @ own.T
        x[:2], rate[:2] = turn @ x[:2], turn @ rate[:2]
    elif joint.nq != joint.nu:
        x[1:4] = R @ x[1:4]
        x[4:] = R @ x[4:] if joint.nq == 7 else x[4:]
        rate = np.concatenate([R @ part for part in np.split(rate, joint.nu // 3)])
    return type(joint)(joint.name, *ends, **options, initial=x, initial_rate=rate, at=p)


def rotation(rng: np.random.Generator) -> Array:
    """A random rotation matrix."""
    return Rotation.random(random_state=rng).as_matrix()


def with_control(model: supple.Model) -> supple.Model:
    """The model with a controller of its first and last scalar coordinates, with two states."""
    scalars = [(name, k) for name, j in model.joints.items() if j.nq == j.nu for k in range(j.nu)]
    if not scalars:
        return model
    ends = list(dict.fromkeys((scalars[0], scalars[-1])))
    n, rng = len(ends), np.random.default_rng(len(scalars))
    shapes = {"D": (n, 2 * n), "A": (2, 2), "B": (2, 2 * n), "C": (n, 2)}
    law = {name: 0.3 * rng.normal(size=shape) for name, shape in shapes.items()}
    model.add(supple.StateSpaceController("linear control", ends, supple.ControlLaw(**law)))
    return model
