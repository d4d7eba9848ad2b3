"""Random models with closed loops, constraints and drivers: random trees with more joints added.

Each closing is made to fit: its frame B is put where A and random coordinates of the joint say, at
the initial state of the tree. So the model starts assembled, except for velocities.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import supple
from models.random_models import KINDS, Recipe, _Maker, flexible_recipes, recipes
from supple.bodies.base.axis import AxisBody
from supple.formulations.equations import Equations
from supple.loops.assembly import compile_model

Array = NDArray[np.float64]

OTHERS = ("Distance", "PointOnLine", "PointOnPlane", "Coupling", "Driver", "FrameDriver")
RATES = ("Blade", "SpeedDriver", "RateCoupling")  # of velocities alone


@dataclass(frozen=True)
class LoopRecipe:
    """A random tree and what closes its loops.

    closings : kinds of joints and constraints that are added
    """

    tree: Recipe
    closings: tuple[str, ...]

    def model(self) -> supple.Model:
        """The model, which can be assembled."""
        m = self.tree.model()
        rng = np.random.default_rng([self.tree.seed, 7])
        eq = Equations(compile_model(m))
        _, states = eq.body_states(0.0, eq.q0, eq.u0)
        poses = {"ground": (np.eye(3), np.zeros(3))}
        for k, name in enumerate(eq.compiled.body_names):
            poses[name] = states.R[0, k], states.p[0, k]
        maker = _Maker(self.tree)
        maker.rng = rng
        for k, kind in enumerate(self.closings):
            item = closing(maker, m, poses, kind, f"closing{k}", rng)
            if item is not None:
                m.add(item)
        return m


def loop_recipes(
    max_closings: int = 2,
    flexible: bool = False,
    joints_only: bool = False,
    rates: tuple[str, ...] = (),
    **options,
) -> st.SearchStrategy[LoopRecipe]:
    """Random looped models; with ``rates`` one of these constraints at least."""
    trees = flexible_recipes(**options) if flexible else recipes(**options)
    kinds = st.sampled_from(KINDS if joints_only else KINDS + OTHERS)
    if rates:
        some = st.lists(st.sampled_from(rates), min_size=1, max_size=2)
        others = st.lists(kinds, max_size=max_closings)
        return st.builds(lambda tree, a, b: LoopRecipe(tree, (*b, *a)), trees, some, others)
    closings = st.lists(kinds, min_size=1, max_size=max_closings).map(tuple)
    return st.builds(LoopRecipe, trees, closings)


def flexible_loop(number: int, forces: str = "all", max_bodies: int = 4) -> LoopRecipe:
    """The looped model of this number, with one beam at least: for tests that count models."""
    rng = np.random.default_rng([number, 11])
    bodies = int(rng.integers(2, max_bodies + 1))
    kinds = tuple(str(kind) for kind in rng.choice(KINDS, bodies))
    beams = rng.random(bodies) < 0.5
    beams[rng.integers(bodies)] = True
    closings = tuple(str(kind) for kind in rng.choice(KINDS + OTHERS, int(rng.integers(1, 3))))
    seed = int(rng.integers(2**32))
    tree = Recipe(kinds, seed, forces=forces, beams=tuple(bool(beam) for beam in beams))
    return LoopRecipe(tree, closings)


def closing(maker: _Maker, m: supple.Model, poses: dict, kind: str, name: str, rng):
    """A joint or constraint that fits the poses of the bodies."""
    if kind in ("Coupling", "Driver", "SpeedDriver", "RateCoupling"):
        return on_coordinates(m, kind, name, rng)
    bodies = [m.ground, *(m[name] for name in m.bodies)]
    rigid = [b for b in bodies if not isinstance(b, AxisBody)]
    second = rigid[rng.integers(len(rigid))]
    others = [b for b in bodies if b.name != second.name]
    first = others[rng.integers(len(others))]
    A = maker.frame(first)
    R, p = poses[first.name]
    rest = first.rest_pose(A.position)
    axes, place = R @ rest.R @ A.rotation, p + R @ rest.p
    if isinstance(first, supple.Cable) and kind.startswith("PointOn"):  # which need axes of A
        kind = "Distance"
    RB, pB = poses[second.name]

    def fitted(turn: Array, shift: Array) -> supple.Frame:
        """Frame on the second body at a pose relative to A."""
        return supple.Frame(second, RB.T @ (place + axes @ shift - pB), RB.T @ axes @ turn)

    random_turn = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
    if kind == "Distance":
        shift = rng.normal(size=3) + 0.2
        return supple.Distance(name, A, fitted(random_turn, shift), np.linalg.norm(shift))
    if kind == "Blade":
        axis, shift = rng.normal(size=3), rng.normal(size=3)
        return supple.Blade(name, A, fitted(random_turn, shift), axis)
    if kind == "PointOnLine":
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        return supple.PointOnLine(name, A, fitted(random_turn, axis * rng.normal()), axis)
    if kind == "PointOnPlane":
        axis, shift = rng.normal(size=3), rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        shift -= axis * (axis @ shift)
        return supple.PointOnPlane(name, A, fitted(random_turn, shift), axis)
    if kind == "FrameDriver":
        shift, rate = rng.normal(size=3), rng.normal(size=3)
        moves = [supple.Polynomial((s, v, 0.3)) for s, v in zip(shift, rate, strict=True)]
        moves[rng.integers(3)] = None
        return supple.FrameDriver(name, A, fitted(random_turn, shift), *moves)
    joint = maker.joint(kind, name, A, supple.Frame(second, np.zeros(3), np.eye(3)))
    turn, shift = joint_pose(joint, joint.initial)
    return dataclasses.replace(joint, B=fitted(turn, shift))


def on_coordinates(m: supple.Model, kind: str, name: str, rng):
    """A coupling or driver of scalar joint coordinates; None if there are too few."""
    places = [
        (j.name, k)
        for j in m.joints.values()
        if j.nq == j.nu and not any(j.name in t for c in m.constraints.values() for t in c.targets)
        for k in range(j.nu)
    ]
    count = 1 if kind in ("Driver", "SpeedDriver") else 2
    if len(places) < count:
        return None
    chosen = [places[i] for i in rng.permutation(len(places))[:count]]
    values = [m.joints[j].initial[k] for j, k in chosen]
    if kind == "Driver":
        (joint, k), rate = chosen[0], rng.normal()
        return supple.Driver(name, joint, supple.Polynomial((values[0], rate, 0.4)), k)
    if kind == "SpeedDriver":
        (joint, k), rate = chosen[0], rng.normal()
        return supple.SpeedDriver(name, joint, supple.Polynomial((rate, 0.4)), k)
    factors = rng.uniform(0.5, 2.0, size=2)
    terms = [(j, k, f) for (j, k), f in zip(chosen, factors, strict=True)]
    if kind == "RateCoupling":
        return supple.RateCoupling(name, terms, float(rng.normal()))
    return supple.Coupling(name, terms, float(factors @ values))


def joint_pose(joint: supple.joints.Joint, x: Array) -> tuple[Array, Array]:
    """Rotation and place of B in A at the joint's coordinates x, from its motions."""
    R, p, i = np.eye(3), np.zeros(3), 0
    for motion in joint.motions:
        own = x[i : i + motion.nq]
        i += motion.nq
        if motion.kind == "translate":
            p = p + R @ motion.axis * own[0]
        elif motion.kind == "rotate":
            R = R @ Rotation.from_rotvec(motion.axis * own[0]).as_matrix()
        else:
            turn = Rotation.from_quat(own[[1, 2, 3, 0]]).as_matrix()
            if motion.kind == "free":
                p = p + R @ own[4:]
            R = R @ turn
    return R, p
