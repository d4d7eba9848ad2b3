"""A cloud of mass points with bodies without a frame and beams in parts in it.

Where a material point of a gradient body is, follows from the definition of its field: a cubic of
places and slopes, and, of beams, gradients across it that are linear between nodes. Its elastic
and viscous forces are slopes of energies that are written here from the definition of the strains,
by complex steps. Frames on it are where Gram and Schmidt put them. Everything else is that of
`flexible_oracle`; joints that close loops and constraints are functions of poses, whose derivatives
are differences.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import supple
from oracles.flexible_oracle import (
    LONG_STEP,
    STEP,
    WEIGHTS,
    Array,
    Cloud,
    Poses,
    _then,
    field_of,
    joint_pose,
    rigid_points,
)
from supple.formulations.equations import Equations
from supple.graph.topology import FREE

TINY = 1e-40
RULES = {n: np.polynomial.legendre.leggauss(n) for n in (1, 2, 3, 4, 5)}


def rule(n: int) -> list[tuple[float, float]]:
    """Places and weights on 0..1."""
    x, w = RULES[n]
    return list(zip(0.5 * (1.0 + x), 0.5 * w, strict=True))


def cubic(s: float, h: float) -> Array:
    """Values, slopes and second slopes (3, 4) at s in 0..1 for r0, r0', r1, r1' of a cubic."""
    powers = [np.array([1, s, s**2, s**3]), np.array([0, 1, 2 * s, 3 * s**2]), [0, 0, 2, 6 * s]]
    to_powers = np.array(
        [[1, 0, 0, 0], [0, h, 0, 0], [-3, -2 * h, 3, -h], [2, h, -2, h]], dtype=float
    )
    return np.array([p @ to_powers / h**k for k, p in enumerate(np.array(powers, dtype=float))])


class Vectors:
    """Field and energies of a gradient line over its nodal vectors."""

    def __init__(self, body: Any, record: Any, masses: list[tuple[float, float]]) -> None:
        self.body, self.record = body, record
        self.rest = np.array(record.mesh.rest)  # (nodes, V, 3)
        self.x = np.array(body.stations)
        self.steps = np.diff(self.x)
        self.beam = isinstance(body, supple.ANCFBeam)
        # a continuum turns with its sections r_y, r_z, the others with the tangent r_x
        self.sections = self.beam and body.element == "continuum" and body.axes != "tangent"
        self.at_rest = [self.strains(k, self.rest)[0] for k in range(len(self.steps))]
        self.points = self._mass_points(masses)

    def row(self, x: float, y: float = 0.0, z: float = 0.0) -> Array:
        """Row (nodes, V) of the material point (x, y, z)."""
        k = min(int(np.searchsorted(self.x[1:], x - 1e-12)), len(self.steps) - 1)
        s = (x - self.x[k]) / self.steps[k]
        row = np.zeros(self.rest.shape[:2])
        row[k : k + 2, :2] = cubic(s, self.steps[k])[0].reshape(2, 2)
        if self.beam:
            row[k : k + 2, 2:] = np.outer([1 - s, s], [y, z])
        return row

    def section(self, x: float, vectors: Array) -> Array:
        """Axes (3, 3) of the section at x where the nodal vectors (nodes, V, 3) are given."""
        step = 0.02 * self.steps.min()  # exact for cubics
        ends = [np.einsum("nv,nvx->x", self.row(x + d), vectors) for d in (-step, step)]
        more = [np.einsum("nv,nvx->x", self.row(x + 2 * d), vectors) for d in (-step, step)]
        along = (8.0 * (ends[1] - ends[0]) - (more[1] - more[0])) / (12.0 * step)
        points = self.row(x, 1.0), self.row(x, 0.0, 1.0)
        y, z = (np.einsum("nv,nvx->x", row - self.row(x), vectors) for row in points)
        return turned(np.array([[y, z] if self.sections else [along, y]]))[0]

    def _mass_points(self, masses: list[tuple[float, float]]) -> list[tuple[float, Array]]:
        section, found = self.body.section, []
        corners = [(0.0, 0.0)]
        if self.beam:
            y, z = (np.sqrt(2.0 * i / section.area) for i in (section.I_z, section.I_y))
            corners = [(y, 0.0), (-y, 0.0), (0.0, z), (0.0, -z)]
        for x, h in zip(self.x, self.steps, strict=False):
            for s, w in rule(4):
                mass = self.body.material.density * section.area * w * h / len(corners)
                found += [(mass, self.row(x + s * h, *c)) for c in corners]
        return found + [(mass, self.row(x)) for x, mass in masses]

    def pose(self, frame: supple.Frame, e: Array) -> Poses:
        """World poses of a frame on the axis at nodal vectors (k, nodes, V, 3)."""
        node = int(np.argmin(np.abs(self.x - frame.position[0])))
        place = np.einsum("nv,knvi->ki", self.row(frame.position[0]), e)
        own = self.body.rest_pose(frame.position).R @ frame.rotation
        if not self.beam:
            return np.tile(self.record.start @ own, (len(e), 1, 1)), place
        two = slice(2, 4) if self.sections else slice(1, 3)
        return turned(e[:, node, two]) @ turned(self.rest[node, two][None])[0].T @ own, place

    def strains(self, k: int, e: Array) -> tuple[Array, Array, Array]:
        """Strains (n,) of element k, and matrices (n, n) of stiffness and of viscosity."""
        own = e[k : k + 2].reshape(-1, 3)
        found = (self._beam if self.beam else self._cable)(own, self.steps[k], k)
        eps, D, V = ([x[i] for x in found] for i in range(3))
        n = sum(map(len, eps))
        both = np.zeros((2, n, n))
        i = 0
        for part, d, v in zip(eps, D, V, strict=True):
            here = slice(i, i + len(part))
            both[0, here, here], both[1, here, here] = d, v
            i += len(part)
        return np.concatenate(eps), *both

    def _viscous(self, E: float, G: float) -> tuple[float, float]:
        damping = self.body.damping
        if damping is None:
            return 0.0, 0.0
        if isinstance(damping, supple.Rayleigh):
            return damping.stiffness * E, damping.stiffness * G
        return damping.E, damping.G

    def _cable(self, e: Array, h: float, k: int) -> list[tuple]:
        b = self.body
        E, A, inertia = b.material.E, b.section.area, b.section.I_z
        viscous = self._viscous(E, b.material.G)[0]
        found = []
        for s, w in rule(4):  # bending: r_xx itself, whose rate costs nothing
            bent = cubic(s, h)[2] @ e
            found.append((bent, w * h * E * inertia * np.eye(3), np.zeros((3, 3))))

        def strain(s: float) -> Any:
            slope, bent = cubic(s, h)[1:] @ e
            return 0.5 * (slope @ slope - 1.0) - inertia / A * (bent @ bent)

        mean, linear, curved = self._parabola(e, h, k)
        if b.element == "mean":
            mean -= inertia / A * sum(w * (bent @ bent) for bent, w in _bent(e, h))
            points = [(s, w, mean + linear * (2 * s - 1) + curved * _second(s)) for s, w in rule(5)]
        else:
            points = [(s, w, _beside_mean(e, h) * _second(s)) for s, w in rule(5)]
            points += [(s, w, strain(s)) for s, w in rule(2)]
        for _, w, one in points:
            both = w * h * A * np.eye(1)
            found.append((np.array([one]), E * both, viscous * both))
        return found

    def _parabola(self, e: Array, h: float, k: int) -> tuple[Any, Any, Any]:
        """Factors of Legendre's polynomials in the axial strain of an element (4, 3).

        Slopes at the ends of the line are longer by a product of the parts of the slope, and a
        short rest of the line adds the square of one of them to the length of an element.
        """
        third = e[1] + e[3] - 2.0 * (e[2] - e[0]) / h  # twice b
        half = 0.5 * (e[3] - e[1])
        mean = sum(w * _stretch(s, e, h) for s, w in rule(5))
        steps, count = self.steps, len(self.steps)
        short = 0.5 * (1.0 - 1e-9) * steps[k]  # half of it, but for rounding, is not short
        if any(0.0 < sum(rest) < short for rest in (steps[:k], steps[k + 1 :])):
            mean += third @ third / 20.0
        part = 0.6 * (half @ third) / (2.0 if count == 1 else 1.0)
        first = _stretch(0.0, e, h) + (part if k == 0 else 0.0)
        last = _stretch(1.0, e, h) - (part if k == count - 1 else 0.0)
        return mean, 0.5 * (last - first), 0.5 * (first + last) - mean

    def _beam(self, e: Array, h: float, k: int) -> list[tuple]:
        b, section = self.body, self.body.section
        E, G = b.material.E, b.material.G
        A, viscous = section.area, self._viscous(E, G)
        axis, across = e[[0, 1, 4, 5]], e[[2, 3, 6, 7]].reshape(2, 2, 3)
        kappa = section.shear_coefficients(E / (2 * G) - 1)
        flex = E * np.array([section.I_z, section.I_y])  # of deflections along y, and along z

        def vectors(s: float, y: float = 0.0, z: float = 0.0) -> tuple:
            _, slope, bent = cubic(s, h) @ axis
            side = (1 - s) * across[0] + s * across[1]
            grown = (across[1] - across[0]) / h
            return slope + y * grown[0] + z * grown[1], *side, bent, *grown

        def green(x: Any, y: Any, z: Any) -> Array:
            return np.array([0.5 * (x @ x), 0.5 * (y @ y), 0.5 * (z @ z), x @ y, x @ z, y @ z])

        def bending(s: float) -> Array:
            _, y, z, bent, y_x, z_x = vectors(s)
            return np.array([0.5 * (z @ y_x - y @ z_x), z @ bent, -(y @ bent)])

        def law(E: float, G: float) -> Array:
            lame = G * (E - 2 * G) / (3 * G - E) if G else 0.0
            D = np.diag([2 * G] * 3 + [G] * 3)
            D[:3, :3] += lame
            return D

        found = []
        solid = b.element == "continuum"
        twist = section.I_y + section.I_z if solid else section.J
        for y, z in across:  # sections do not shear in their plane
            D = 0.5 * 100.0 * twist / h * np.eye(1)
            found.append((np.array([y @ z]), G * D, viscous[1] * D))
        if solid:
            rest = self.rest[k : k + 2].reshape(-1, 3)
            rest_axis, rest_across = rest[[0, 1, 4, 5]], rest[[2, 3, 6, 7]].reshape(2, 2, 3)
            for s, w in rule(5):
                for p, wp in rule(3):
                    for r, wr in rule(3):
                        y, z = (p - 0.5) * section.size_y, (r - 0.5) * section.size_z
                        now = np.array(vectors(s, y, z)[:3])
                        grown = (rest_across[1] - rest_across[0]) / h
                        side = (1 - s) * rest_across[0] + s * rest_across[1]
                        first = cubic(s, h)[1] @ rest_axis + y * grown[0] + z * grown[1]
                        J = np.array([first, *side]).T
                        F = now.T @ np.linalg.inv(J)
                        volume = w * wp * wr * h * A * np.linalg.det(J)
                        found.append((green(*F.T), volume * law(E, G), volume * law(*viscous)))
            return found
        if b.element == "elastic_line":
            for s, w in rule(5):
                eps = np.concatenate([green(*vectors(s)[:3]), bending(s)])
                both = []
                for e_, g_ in ((E, G), viscous):
                    D = np.zeros((9, 9))
                    D[:6, :6] = A * law(e_, g_)
                    D[3, 3], D[4, 4] = kappa[0] * g_ * A, kappa[1] * g_ * A
                    D[6:, 6:] = np.diag([g_ * section.J, *(e_ / E * flex[::-1])])
                    both.append(w * h * D)
                found.append((eps, *both))
            return found
        ve, vg = viscous[0] / E, viscous[1] / G

        def add(eps: Any, stiff: Any, viscosity: Any, weight: float) -> None:
            D = weight * h * np.diag(stiff)
            found.append((np.array(eps), D, D * np.diag(viscosity)))

        mean, linear, curved = self._parabola(axis, h, k)
        for s, w in rule(5):
            add([mean + linear * (2 * s - 1) + curved * _second(s)], [E * A], [ve], w)
        for s in (0.0, 1.0):
            stiff = [E * A, E * A, *(np.array(kappa) * G * A), G * A]
            add(green(*vectors(s)[:3])[1:], stiff, [ve, ve, vg, vg, vg], 0.5)
        for s, w in rule(3):
            add(bending(s), [G * section.J, *flex[::-1]], [vg, ve, ve], w)
        return found

    def energy(self, e: Array) -> float:
        """Strain energy (J) at nodal vectors (nodes, V, 3)."""
        total = 0.0
        for k, rest in enumerate(self.at_rest):
            eps, D, _ = self.strains(k, e)
            total += 0.5 * (eps - rest) @ D @ (eps - rest)
        return float(total)

    def forces(self, e: Array, rates: Array) -> tuple[Array, float]:
        """Forces (nodes, V, 3) that resist deformation and its rate, and the power lost (W)."""
        total, lost = np.zeros(e.shape), 0.0
        for k, rest in enumerate(self.at_rest):
            own = slice(k, k + 2)
            size = e[own].size
            slopes = []
            for i in range(size):
                moved = e[own].astype(complex).ravel()
                moved[i] += 1j * TINY
                other = e.astype(complex)
                other[own] = moved.reshape(e[own].shape)
                slopes.append(self.strains(k, other)[0].imag / TINY)
            eps, D, V = self.strains(k, e)
            B = np.array(slopes).T
            rate = B @ rates[own].ravel()
            total[own] += (B.T @ (D @ (eps - rest) + V @ rate)).reshape(e[own].shape)
            lost += rate @ V @ rate
        return total, float(lost)


def _second(s: float) -> float:
    """Legendre's polynomial of degree 2 on 0..1."""
    return 0.5 * (3.0 * (2.0 * s - 1.0) ** 2 - 1.0)


def _stretch(s: float, e: Array, h: float) -> Any:
    """Green's strain of a cubic at a place in 0..1."""
    slope = cubic(s, h)[1] @ e
    return 0.5 * (slope @ slope - 1.0)


def _bent(e: Array, h: float) -> list[tuple[Any, float]]:
    """Second derivatives of a cubic at points in 0..1, and weights."""
    return [(cubic(s, h)[2] @ e, w) for s, w in rule(5)]


def _beside_mean(e: Array, h: float) -> Any:
    """Mean of the stretches of both ends of a cubic beside its own."""
    own = sum(w * _stretch(s, e, h) for s, w in rule(5))
    return 0.5 * (_stretch(0.0, e, h) + _stretch(1.0, e, h)) - own


def turned(gradients: Array) -> Array:
    """Axes (k, 3, 3) of gradients r_x, r_y (k, 2, 3) by Gram and Schmidt."""
    x = gradients[:, 0] / np.linalg.norm(gradients[:, 0], axis=1)[:, None]
    y = gradients[:, 1] - np.sum(gradients[:, 1] * x, axis=1)[:, None] * x
    y /= np.linalg.norm(y, axis=1)[:, None]
    return np.stack([x, y, np.cross(x, y)], axis=2)


class MixedCloud(Cloud):
    """The mass points of a model with any bodies of a line."""

    def __init__(self, model: supple.Model, eq: Equations) -> None:
        self.model, self.eq = model, eq
        c = eq.compiled
        self.fields = {n: field_of(r.body, r.point_masses) for n, r in c.flexible.items()}
        hung: dict[str, list[supple.PointMass]] = {name: [] for name in model.bodies}
        for point in model.point_masses.values():
            hung[point.frame.body.name].append(point)
        self.vectors, self.points = {}, {}
        for name, body in model.bodies.items():
            masses = [(p.frame.position[0], p.mass) for p in hung[name]]
            if name in c.gradient:
                self.vectors[name] = Vectors(body, c.gradient[name], masses)
                continue
            for part in c.bodies[name].parts:
                if part.name in self.fields:
                    self.points[part.name] = self.fields[part.name].mass_points()
                else:
                    own = [(p.mass, p.frame.position, np.zeros((3, 0))) for p in hung[name]]
                    self.points[part.name] = rigid_points(body) + own
        masses = [m for points in self.points.values() for m, *_ in points]
        masses += [m for v in self.vectors.values() for m, _ in v.points]
        self.mass = np.array(masses)
        ends = np.cumsum([0, *(len(points) for points in self.points.values())])
        self.slices = {n: slice(a, b) for n, a, b in zip(self.points, ends, ends[1:], strict=False)}

    def nodal(self, name: str, q: Array) -> Array:
        """Nodal vectors (k, nodes, V, 3) at states (k, nq)."""
        record = self.eq.compiled.gradient[name]
        return q[:, record.q].reshape(len(q), *record.mesh.rest.shape)

    def bodies(self, q: Array) -> dict[str, Poses]:
        """World poses of all bodies of the engine that have a frame, at states (k, nq)."""
        still = np.tile(np.eye(3), (len(q), 1, 1)), np.zeros((len(q), 3))
        found, c = {"ground": still}, self.eq.compiled
        for edge in c.graph.tree:
            if edge.joint.startswith(FREE):
                assert edge.child in self.vectors
                continue
            joint, record = self.model.joints[edge.joint], c.joints[edge.joint]
            R, p = joint_pose(joint, record.to_user(q, np.zeros((len(q), self.eq.nu)))[0])
            inner, outer = joint.A, joint.B
            if edge.reversed:
                inner, outer = outer, inner
                R = np.swapaxes(R, 1, 2)
                p = -np.einsum("kij,kj->ki", R, p)
            self._hang(found, c.on_part(outer), _then(self._place(found, inner, q), (R, p)), q)
        return found

    def _hang(self, found: dict[str, Poses], frame: supple.Frame, pose: Poses, q: Array) -> None:
        """Put a part where one of its frames is, and all parts that are welded to it."""
        R_own, p_own = self.local(frame, q)
        R = pose[0] @ np.swapaxes(R_own, 1, 2)
        name = frame.body.name
        found[name] = R, pose[1] - np.einsum("kij,kj->ki", R, p_own)
        owner = self.eq.compiled.owners[name]
        for pair in self.eq.compiled.bodies[owner].body.welds:
            for one, two in (pair, pair[::-1]):
                if one.body.name == name and two.body.name not in found:
                    self._hang(found, two, _then(found[name], self.local(one, q)), q)

    def _place(self, found: dict[str, Poses], frame: supple.Frame, q: Array) -> Poses:
        name = frame.body.name
        if name in self.vectors:
            return self.vectors[name].pose(frame, self.nodal(name, q))
        part = self.eq.compiled.on_part(frame)
        return _then(found[part.body.name], self.local(part, q))

    def places(self, q: Array) -> Array:
        """World places (k, points, 3) of the mass points at states (k, nq)."""
        rows = [super().places(q)] if self.points else []
        for name, field in self.vectors.items():
            shape = np.array([row for _, row in field.points])
            rows.append(np.einsum("pnv,knvi->kpi", shape, self.nodal(name, q)))
        return np.concatenate(rows, axis=1)

    def energies(self, q: Array, u: Array) -> tuple[float, float, float]:
        """Kinetic energy, that of gravity, and strain energy (J)."""
        kinetic, gravity, strain = super().energies(q, u)
        nodal = {name: self.nodal(name, q[None])[0] for name in self.vectors}
        return kinetic, gravity, strain + sum(v.energy(nodal[n]) for n, v in self.vectors.items())

    def residual(self, t: float, q: Array, u: Array, a: Array) -> Array:
        """M a + h - applied forces (nu,), with forces that act at frames."""
        r = super().residual(t, q, u, a)
        for name, field in self.vectors.items():
            record = self.eq.compiled.gradient[name]
            e, v = self.nodal(name, q[None])[0], u[record.u].reshape(record.mesh.rest.shape)
            r[record.u] += field.forces(e, v)[0].ravel()
        return r

    def loads(self, force: Any, t: float, q: Array, u: Array) -> list:
        """Torques and forces at frames (world axes); loads along axes are not at frames."""
        spread = isinstance(force, supple.DistributedLoad)
        if not spread or force.frame.body.name not in self.vectors:
            return super().loads(force, t, q, u)
        return []

    def spread(self, t: float, q: Array) -> Array:
        """Generalized forces (nu,) of loads along gradient bodies, by many points.

        Those that turn with sections are sums over three points in each element by definition.
        """
        total = np.zeros(self.eq.nu)
        for force in self.model.forces.values():
            if not isinstance(force, supple.DistributedLoad):
                continue
            name = force.frame.body.name
            if name not in self.vectors:
                continue
            field, record = self.vectors[name], self.eq.compiled.gradient[name]
            start, end = force.frame.position[0], force.end
            cells = [start, *field.x[(field.x > start) & (field.x < end)], end]
            density, own = np.array([x(t) for x in force.force]), np.zeros(record.mesh.rest.shape)
            turns = force.axes == "section"
            now, rest = self.nodal(name, q[None])[0], record.mesh.rest
            for a, b in pairwise(cells):
                for s, w in rule(3 if turns else 5):
                    x = a + s * (b - a)
                    profile = np.interp((x - start) / (end - start), [0, 1], force.profile)
                    pull = density
                    if turns:
                        pose = record.body.rest_pose(np.array([x, 0.0, 0.0])).R
                        e, e0 = (field.section(x, vectors) for vectors in (now, rest))
                        pull = e @ e0.T @ pose @ force.frame.rotation @ density
                    own += w * (b - a) * profile * field.row(x)[:, :, None] * pull
            total[record.u] += own.ravel()
        return total

    # ------------------------------------------------------------------------ constraints

    def violation(self, q: Array) -> Array:
        """What constraints (k, n) leave open at states (k, nq): poses, distances, sums."""
        c, still = self.eq.compiled, np.zeros((len(q), self.eq.nu))
        rows = []
        for name in c.graph.chords:
            joint = self.model.joints[name]
            (Ra, pa), (Rb, pb) = self.frames(q, [joint.A, joint.B])
            R, p = joint_pose(joint, c.joints[name].to_user(q, still)[0])
            turn = np.swapaxes(Ra, 1, 2)
            apart = np.einsum("kij,kj->ki", turn, pb - pa) - p
            rows += [apart, Rotation.from_matrix(turn @ Rb @ np.swapaxes(R, 1, 2)).as_rotvec()]
        for item in self.model.constraints.values():
            if isinstance(item, supple.Coupling):
                total = np.zeros(len(q))
                for joint, k, factor in item.terms:
                    total += factor * c.joints[joint].to_user(q, still)[0][:, k]
                rows.append((total - item.value(0.3))[:, None])
                continue
            (Ra, pa), (_, pb) = self.frames(q, [item.A, item.B])
            d = np.einsum("kji,kj->ki", Ra, pb - pa)
            if isinstance(item, supple.Distance):
                rows.append((np.linalg.norm(d, axis=1) - item.length(0.3))[:, None])
            elif isinstance(item, supple.PointOnPlane):
                rows.append((d @ item.normal)[:, None])
            else:
                rows.append(d - np.outer(d @ item.axis, item.axis))
        return np.concatenate(rows, axis=1)

    def rows(self, q: Array) -> Array:
        """Derivatives (n, nu) of the violation along unit velocities."""
        x = self.violation(self.around(q))
        return np.einsum("s,ksn->nk", WEIGHTS / STEP, x.reshape(self.eq.nu, 6, -1))

    def row_rates(self, q: Array, u: Array) -> Array:
        """Second derivatives (n,) of the violation along a velocity."""
        x = self.violation(self.double_path(q, u)).reshape(6, 6, -1)
        w = WEIGHTS / LONG_STEP
        return np.einsum("s,t,stn->n", w, w, x)
