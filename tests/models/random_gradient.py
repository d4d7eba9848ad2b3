"""Random trees and loops of rigid bodies, beams, beams in parts and bodies without a frame.

Beams of the random models are exchanged for gradient beams of every element and for cables before
anything is attached to them, so that joints, forces, masses and closings are drawn as ever. What a
cable cannot have (axes) is exchanged for its neighbour that it can.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import supple
from models.random_loops import closing
from models.random_models import KINDS, Recipe, State, _Maker, random_coordinates, rotation
from supple.bodies.nodal.ancf_line import ANCFLine
from supple.engine.pack.builder import build
from supple.engine.pack.nodal_bodies import rigid_motions
from supple.formulations.equations import Equations

BODIES = ("rigid", "beam", "parts", "cable", "collocated", "elastic_line", "continuum")
CLOSINGS = (*KINDS, "Distance", "PointOnLine", "PointOnPlane", "Coupling")
FAR = 0.15  # changes of gradients, and of places in lengths


@dataclass(frozen=True)
class MixedRecipe:
    """A tree of bodies of given kinds, and what closes its loops; it prints as one line."""

    tree: Recipe
    bodies: tuple[str, ...]
    closings: tuple[str, ...] = ()

    def model(self) -> supple.Model:
        """The model; its closings fit the start."""
        maker = _MixedMaker(self.tree, self.bodies)
        m = maker.model()
        compiled = build(m)
        poses = {"ground": (np.eye(3), np.zeros(3))}
        motions = rigid_motions(compiled if compiled.stiff is None else compiled.stiff)
        poses |= {name: (R, p) for name, (R, p, _) in motions.items()}
        maker.rng = rng = np.random.default_rng([self.tree.seed, 7])
        for k, kind in enumerate(self.closings):
            item = closing(maker, m, poses, kind, f"closing{k}", rng)
            if item is not None:
                m.add(item)
        return m

    def state(self, eq: Equations, far: float = FAR) -> State:
        """A random state, off the constraints: every body is somewhere, and deformed."""
        c, rng = eq.compiled, np.random.default_rng([self.tree.seed, 1])
        q, u = c.q0.copy(), rng.normal(size=c.nu)
        for name, record in c.joints.items():
            q[record.q], u[record.u] = c.from_user(name, *random_coordinates(record, rng))
        for body in c.flexible.values():
            size = 0.1 / max(np.sqrt(np.diag(body.modal.K).max(initial=1.0)), 1.0)
            q[body.q] = size * rng.normal(size=body.modal.n)
            u[body.u] *= 10.0 * size
        for body in c.gradient.values():
            shape = body.mesh.rest + far * rng.normal(size=body.mesh.rest.shape)
            shape = shape @ rotation(rng).T
            shape[:, 0] += rng.normal(size=3)
            q[body.q] = shape.ravel()
        return State(0.3, q, u, rng.normal(size=c.nu), rng.normal(size=c.nz))


def mixed(
    number: int, forces: str = "frames", loops: bool = True, floating: bool = False
) -> MixedRecipe:
    """The model of this number: one body without a frame at least, and one that has a frame."""
    rng = np.random.default_rng([number, 23])
    count = int(rng.integers(2, 5))
    bodies = [str(kind) for kind in rng.choice(BODIES, count)]
    bodies[rng.integers(count)] = str(rng.choice(BODIES[3:]))
    if floating:  # what hangs on nothing has a frame
        bodies[0] = "rigid"
        bodies[-1] = str(rng.choice(BODIES[3:]))
    kinds = tuple(str(kind) for kind in rng.choice(KINDS, count))
    closings = tuple(str(kind) for kind in rng.choice(CLOSINGS, int(rng.integers(1, 3))))
    seed = int(rng.integers(2**32))
    switches = {"gravity": not floating, "can_lock": False, "beams": (True,) * count}
    tree = Recipe(kinds, seed, forces, floating, **switches)
    return MixedRecipe(tree, tuple(bodies), closings if loops else ())


class _MixedMaker(_Maker):
    """A maker whose bodies are of given kinds."""

    def __init__(self, recipe: Recipe, kinds: Sequence[str]) -> None:
        super().__init__(recipe)
        self.kinds = kinds

    def beam(self, name: str):
        kind, rng = self.kinds[len(self.bodies)], self.rng
        if kind == "rigid":
            return self.rigid(name)
        made = super().beam(name)
        if kind == "beam":
            return made
        if kind == "parts":
            law = str(rng.choice(["second_order", "none"]))
            damping = supple.Rayleigh(stiffness=0.01) if rng.random() < 0.5 else None
            more = {"parts": int(rng.integers(1, 3)), "stiffening": law, "damping": damping}
            return supple.Beam(name, made.length, made.section, made.material, **more)
        a, b = rng.uniform(0.15, 0.3, size=2)
        section = supple.Circle(a) if kind == "cable" else supple.Rectangle(a, b)
        damping = supple.KelvinVoigt(*(made.material.E * rng.uniform(1e-3, 1e-2, size=2)))
        if kind in ("elastic_line", "continuum") or rng.random() < 0.4:  # solids need E < 3 G
            damping = supple.Rayleigh(stiffness=float(rng.uniform(1e-3, 1e-2)))
        common = (name, made.length, section, made.material, int(rng.integers(1, 4)))
        if kind == "cable":
            element = str(rng.choice(["mean", "two_points"]))
            return supple.Cable(*common, element=element, damping=damping)
        curve = float(rng.uniform(0.3, 0.8)) if rng.random() < 0.5 else 0.0
        line, length = None, made.length
        if curve:

            def line(s: float) -> tuple[float, float, float]:
                return np.sin(curve * s) / curve, 0.0, (1.0 - np.cos(curve * s)) / curve

        axes = "tangent" if kind == "continuum" and rng.random() < 0.3 else None
        return supple.ANCFBeam(
            name, length, *common[2:], element=kind, damping=damping, axes=axes,
            roll=float(rng.normal()), twist=0.4 if curve else None, centre_line=line,
        )  # fmt: skip

    def frame(self, body, at_nodes: bool = True) -> supple.Frame:
        if isinstance(body, ANCFLine):
            # Few places: elements as short as two that are near each other would be stiff.
            turn = self.rng.normal(size=3) if self.rng.random() < 0.7 else None
            x = self.rng.integers(4) / 3 if at_nodes else self.rng.integers(1, 4) / 3 - 1 / 6
            return body.at(x * body.length, rotation=turn)
        return super().frame(body, at_nodes)

    def joint(self, kind: str, name: str, A: supple.Frame, B: supple.Frame) -> supple.joints.Joint:
        if any(isinstance(f.body, supple.Cable) for f in (A, B)):
            kind = "Free" if kind == "Free" else "Spherical"
        return super().joint(kind, name, A, B)

    def load(self, name: str) -> supple.DistributedLoad:
        lines = [b for b in self.bodies if isinstance(b, (supple.Beam, ANCFLine))]
        beam, rng = lines[self.rng.integers(len(lines))], self.rng
        ends = (beam.length / 6, beam.length * 5 / 6) if rng.random() < 0.7 else (0.0, None)
        parts, profile = [self.signal() for _ in range(3)], rng.normal(size=2)
        if isinstance(beam, supple.ANCFBeam) and profile[0] > 0.0:  # half of them
            start = beam.at(ends[0], rotation=(0.2, -0.3, 0.5))
            return supple.DistributedLoad(name, start, parts, ends[1], profile, axes="section")
        return supple.DistributedLoad(name, beam.at(ends[0]), parts, ends[1], profile)

    def bushing(self, name: str, ends: Sequence[supple.Frame]):
        if any(isinstance(f.body, supple.Cable) for f in ends):
            return self.spring(name, ends)
        return super().bushing(name, ends)

    def force(self, axes: str):
        make = super().force(axes)

        def made(name: str) -> supple.Force:
            f = make(name)
            if isinstance(f.frame.body, supple.Cable):
                return supple.Force(name, f.frame, f.force)
            return f

        return made

    def add_laws(self, scalars: list) -> None:
        """A spring with a law and one along axes, none of which needs axes of a cable."""
        self.rng = rng = np.random.default_rng([self.recipe.seed, 3])
        ends = [self.bodies[k] for k in rng.permutation(len(self.bodies))[:2]]
        frames = [self.frame(body, at_nodes=False) for body in ends]
        made = self.spring("law1", frames)
        self.others.append(dataclasses.replace(made, **self.laws()))
        if self.recipe.forces != "internal":
            k, c, *rest = rng.uniform(0.2, 1.0, size=5)
            A, B = self.frame(self.result.ground), self.frame(ends[0])
            self.others.append(supple.CartesianSpring("axes", A, B, 9.0 * k, c, rest))
