"""Chains with couplings between their joints."""

from __future__ import annotations

import dataclasses

import numpy as np

import supple as sp
from supple.core.base import layout as at
from supple.core.equations import tree_border as border
from supple.core.equations import tree_parts as parts
from supple.engine.sparsity.plan import with_plan


class Tree:
    """Integers and buffers of one factor of a model."""

    def __init__(self, equations) -> None:
        c = equations.compiled
        asked = c.ints.copy()
        asked[at.H_ASKED] = at.TREE_WAY
        self.equations, self.ints = equations, with_plan(asked, c.reals)
        sizes = at.sizes(self.ints) | {"factors": 1}
        reals, integers = parts.PARTS_RECORD.lengths(sizes)
        self.run, self.count = np.zeros(reals), np.zeros(integers, np.int64)
        self.buffers = self.ints, c.reals, at.new_work(self.ints), self.run, self.count
        self.fields = parts.PARTS_RECORD.read(sizes, self.run, self.count)

    def solve(self, state, coefficients, b):
        """Solution for a real or complex right side, and the residual."""
        real = not np.iscomplexobj(b)
        y, c = (np.array([x.real, x.imag])[: 1 if real else 2] for x in (b, coefficients))
        r = np.zeros(self.equations.nu)
        assert border.newton_along_tree(*self.buffers, *state, r, c, y) == 1
        return (y[0] if real else y[0] + 1j * y[1]), r


def chain(count: int) -> sp.Model:
    """Links on joints of all kinds, the first one free, with a controller, springs and a beam."""
    model = sp.Model(gravity=(0, 0, -9.81))
    rate = (0.3, 0.1, -0.2, 0.1, 0.2, 0.3)
    base = model.add(sp.RigidBody("link0", 2.0, (0.1, 0, 0), (0.02, 0.03, 0.04)))
    model.add(sp.Free("base", model.ground.at(0), base.at(0), initial_rate=rate))
    last = base.at(0.3)
    for i in range(1, count):
        body = model.add(sp.RigidBody(f"link{i}", 1.0, (0.1, 0.02, 0), (0.01, 0.02, 0.02)))
        if i % 10 == 5:
            model.add(sp.Spherical(f"joint{i}", last, body.at(0), initial_rate=(1.0, 0.5, -0.5)))
        else:
            axis = ("y", "z", (1, 1, 0))[i % 3]
            model.add(sp.Revolute(f"joint{i}", last, body.at(0), axis, 0.2 * (-1) ** i))
            model.add(sp.JointSpring(f"spring{i}", f"joint{i}", 2.0, 0.01))
        last = body.at(0.2)
    section = sp.Section(1e-4, 1e-9, 1e-9, 2e-9)
    beam = sp.Beam("beam", 0.3, section, sp.Material(2e10, 8e9, 2000.0), 3, 4)
    model.add(dataclasses.replace(beam, stiffening=sp.reduction.SecondOrder()))
    model.add(sp.Revolute("hinge", last, model.bodies["beam"].at(0.0), "z"))
    model.add(sp.DistributedLoad("load", model.bodies["beam"].at(0.0), (0, 1.0, 0)))
    model.add(sp.PID("motor", "hinge", kp=2.0, ki=3.0, kd=0.1, target=0.3))
    model.add(sp.SpringDamper("line", model.ground.at(0, 0, 1), last, 3.0, 0.1))
    return model


def coupled_chain(count: int) -> sp.Model:
    """The chain with a stiff spring, a bushing and a gear between links that are far apart."""
    model = chain(count)
    far = [model.bodies[name].at(0.1) for name in ("link1", "link3", "link7")]
    model.add(sp.SpringDamper("cord", far[0], far[2], 200.0, 1.0, length=1.0))
    model.add(sp.Bushing("rubber", far[1], far[2], (20.0,) * 6, (0.1,) * 6))
    model.add(sp.CoordinateSpring("belt", "joint1", "joint6", 50.0, 0.1))
    return model
