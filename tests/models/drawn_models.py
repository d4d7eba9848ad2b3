"""Models to draw, and what pages hold of them."""

from __future__ import annotations

import base64
import gzip
import json
import re
import warnings

import numpy as np

import supple as sp
from supple.visualization.scene import Scene, Thing

SOFT = sp.Material(E=2e9, G=0.8e9, density=1200)


def simulated(model: sp.Model, t_end: float, start: sp.State | None = None) -> sp.results.Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of strange inertias and large deformations
        return sp.simulate(model, t_end, start=start, tolerance=1e-3, output=4)


def things(scene: Scene, name: str) -> list[Thing]:
    return [one for one in scene.things if one.name == name]


def centres(one: Thing) -> np.ndarray:
    """Vertices on the axis of a swept beam, from its first to its last station."""
    return np.append(one.lines[:, 0], one.lines[-1, 1])


def everything() -> sp.Model:
    """A model with one of each kind of sign."""
    m = sp.Model(gravity=(0, 0, -9.81), name="all <b> & <!-- kinds")
    beam = m.add(sp.Beam("arm <script>", 1.0, sp.Tube(0.04, 0.002), SOFT, modes=2))
    form = sp.Cuboid(size=(0.4, 0.2, 0.1))
    slab = m.add(sp.RigidBody("slab", 1.0, (0.2, 0, 0), 0.01, shape=form))
    bob = m.add(sp.RigidBody("bob", 0.2, inertia=1e-3))
    m.add(sp.Universal("gimbal", m.ground.at(0), beam.at(0)))
    m.add(sp.Cylindrical("slide", beam.at(1.0), slab.at(0), axis="x"))
    m.add(sp.Spherical("ball", slab.at(0.4), bob.at(0, 0, 0.1)))
    m.add(sp.PointMass("weight", beam.at(0.5), 0.1))
    m.add(sp.SpringDamper("spring", m.ground.at(0, 0, 1), beam.at(1.0), 10.0, 0.1, length=1.0))
    m.add(sp.Bushing("bush", m.ground.at(1, 0, 0), beam.at(1.0), stiffness=1.0))
    m.add(sp.Force("push", slab.at(0), (0, 0, "sin(t)"), torque=(0, 0.1, 0)))
    m.add(sp.DistributedLoad("wind", beam.at(0.2), (0, 1, 0), profile=(0, 1)))
    m.add(sp.JointSpring("torsion", "gimbal", stiffness=1.0, coordinate="angle_1"))
    m.add(sp.Rope("rope", [m.ground.at(0, 2), sp.Pulley(slab.at(0), 0.1), bob.at(0)], 1.0, 1.0))
    m.add(sp.PointOnPlane("floor", m.ground.at(0), bob.at(0), "y"))
    return m


def page_of(text: str) -> tuple[dict, bytes]:
    scene = re.search(r'id="scene">(.*?)</script>', text, re.DOTALL)[1]
    numbers = re.search(r'id="numbers">(.*?)</script>', text, re.DOTALL)[1]
    return json.loads(scene), gzip.decompress(base64.b64decode(numbers))
