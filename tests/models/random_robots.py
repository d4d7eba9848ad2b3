"""Random robot files: trees of links with everything that the readers know."""

from __future__ import annotations

import numpy as np


def numbers(values: object) -> str:
    return " ".join(f"{x:.17g}" for x in np.ravel(values))


class RandomRobots:
    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def vector(self, size: int = 3, most: float = 1.0) -> str:
        return numbers(self.random.uniform(-most, most, size))

    def axis(self) -> str:
        v = self.random.normal(size=3)
        return numbers(v / np.linalg.norm(v))

    def moments(self) -> np.ndarray:
        """Principal moments of some mass points."""
        x = self.random.uniform(0.05, 0.2, 3) ** 2
        return np.array([x[1] + x[2], x[0] + x[2], x[0] + x[1]])

    # URDF

    def urdf(self, links: int) -> str:
        """A tree; some links have no mass and are fixed to others, or between two joints."""
        r, lines = self.random, ['<robot name="random">', '<link name="l0"/>']
        carries = {0: "free"}  # links without mass that nothing moves may carry anything
        for k in range(1, links):
            parent = int(r.choice(list(carries)))
            kind = str(r.choice(["revolute", "continuous", "prismatic", "fixed"]))
            if carries[parent] == "once":  # between two joints: the axes meet
                kind, origin = "revolute", ""
                del carries[parent]
            else:
                origin = f'<origin xyz="{self.vector()}" rpy="{self.vector(3, 3.0)}"/>'
            massless = r.random() < 0.25 and k < links - 1
            if massless and kind != "fixed":
                carries[k] = "once"
            elif not massless or parent in carries:
                carries[k] = "free"
            inertial = "" if massless else self.inertial()
            axis = f'<axis xyz="{self.axis()}"/>' if kind != "fixed" else ""
            limit = '<limit lower="-3" upper="3" effort="1" velocity="1"/>'
            lines.append(f'<link name="l{k}">{inertial}</link>')
            lines.append(
                f'<joint name="j{k}" type="{kind}"><parent link="l{parent}"/><child link="l{k}"/>'
                f"{origin}{axis}{limit}</joint>"
            )
        for k, use in list(carries.items()):  # what is left without mass gets some
            if use == "once":
                lines += [f'<link name="m{k}">{self.inertial()}</link>']
                lines += [
                    f'<joint name="f{k}" type="fixed"><parent link="l{k}"/><child link="m{k}"/>'
                    f'<origin xyz="{self.vector()}"/></joint>'
                ]
        return "\n".join([*lines, "</robot>"])

    def inertial(self) -> str:
        I = np.diag(self.moments())
        xx, yy, zz = np.diag(I)
        return (
            f'<inertial><origin xyz="{self.vector()}" rpy="{self.vector(3, 3.0)}"/>'
            f'<mass value="{self.random.uniform(0.5, 3):.17g}"/><inertia ixx="{xx:.17g}" '
            f'iyy="{yy:.17g}" izz="{zz:.17g}" ixy="0.001" ixz="-0.002" iyz="0.0015"/></inertial>'
        )

    # MJCF

    def orientation(self) -> str:
        kind = self.random.integers(6)
        if kind == 0:
            return ""
        return (
            f'quat="{self.vector(4)}"',
            f'axisangle="{self.vector(3)} {self.random.uniform(-170, 170):.17g}"',
            f'xyaxes="{self.vector(6)}"',
            f'zaxis="{self.vector(3)}"',
            f'euler="{self.vector(3, 170.0)}"',
        )[kind - 1]

    def geom(self) -> str:
        r, kind = self.random, str(self.random.choice(["sphere", "capsule", "ellipsoid", "box"]))
        kind = "cylinder" if r.random() < 0.2 else kind
        size = numbers(r.uniform(0.03, 0.2, 3))
        weight = r.choice(
            ["", f'mass="{r.uniform(0.5, 2):.17g}"', 'density="500"', 'class="light"']
        )
        if kind in ("capsule", "cylinder", "box", "ellipsoid") and r.random() < 0.4:
            return f'<geom type="{kind}" size="{size}" fromto="{self.vector(6, 0.4)}" {weight}/>'
        place = f'pos="{self.vector(3, 0.3)}" {self.orientation()}'
        return f'<geom type="{kind}" size="{size}" {place} {weight}/>'

    def mjcf(self, bodies: int) -> str:
        """A tree of bodies with up to three joints each, by classes, shapes and inertias."""
        r, count = self.random, 0

        def body(depth: int) -> str:
            nonlocal count
            count += 1
            name, inner = f"b{count}", []
            number = int(r.integers(0, 4)) if depth > 1 else 1
            point = self.vector(3, 0.3)
            if number == 1 and r.random() < 0.3:
                inner.append(f'<joint name="{name}_j" type="ball" pos="{point}" class="loose"/>')
            else:
                for k in range(number):
                    kind = "hinge" if r.random() < 0.7 else "slide"
                    ref = 0.0 if kind == "slide" and number > 1 else r.uniform(-1, 1)
                    extra = f'ref="{ref:.17g}" springref="{r.uniform(-9, 9):.17g}"'
                    inner.append(
                        f'<joint name="{name}_j{k}" type="{kind}" pos="{point}" {extra} '
                        f'axis="{self.axis()}" class="{r.choice(["main", "stiff"])}"/>'
                    )
            if r.random() < 0.3:
                full = np.array([*self.moments(), 0.001, -0.002, 0.0015])
                choice = f'fullinertia="{numbers(full)}"'
                if r.random() < 0.5:
                    choice = f'diaginertia="{numbers(self.moments())}" {self.orientation()}'
                inner.append(f'<inertial pos="{self.vector()}" mass="1.3" {choice}/>')
            inner += [self.geom() for _ in range(int(r.integers(1, 4)))]
            if r.random() < 0.3:
                inner.append(
                    f'<frame pos="{self.vector()}" {self.orientation()}>{self.geom()}</frame>'
                )
            while count < bodies and depth < 5 and r.random() < 0.7:
                inner.append(body(depth + 1))
            child = r.choice(["", 'childclass="stiff"'])
            place = f'pos="{self.vector()}" {self.orientation()}'
            return f'<body name="{name}" {child} {place}>{"".join(inner)}</body>'

        inside = []
        while count < bodies:
            inside.append(body(1))
        sequence = "".join(r.choice(list("xyzXYZ"), 3))
        settings = r.choice(
            ["", 'balanceinertia="true"', 'settotalmass="7"', 'boundinertia="0.02"']
        )
        return (
            f'<mujoco><compiler eulerseq="{sequence}" {settings}/><option gravity="1 2 -9"/>'
            '<default><joint damping="0.1"/><geom density="800"/><default class="light">'
            '<geom density="100"/></default><default class="loose"><joint damping="0"/></default>'
            '<default class="stiff"><joint stiffness="3" '
            'armature="0.05"/></default></default>'
            f"<worldbody>{''.join(inside)}</worldbody></mujoco>"
        )
