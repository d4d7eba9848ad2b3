"""One body of the model may be several bodies of the engine: results are those of the whole."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import supple as sp
from supple.engine.pack.builder import build
from supple.foundation import validate
from supple.foundation.frames import Body, Frame
from supple.foundation.validate import set_fields
from supple.results.views.body_views import PartsView, PlacesView

# Two builds of the same motion differ by rounding, which the run of 0.2 s does not amplify.
SAME = {"rtol": 1e-12, "atol": 1e-12}
CUT = 0.4
TURN = validate.rotation("", "", (0.3, -0.5, 0.2))
SHIFT = np.array([CUT, 0.02, -0.01])
NEAR = sp.RigidBody("near", mass=1.5, com=(0.2, 0.01, 0.0), inertia=(0.02, 0.03, 0.04))
FAR = sp.RigidBody("far", mass=0.8, com=(0.1, 0.02, -0.05), inertia=(0.005, 0.01, 0.012))
ALLOY = sp.Material(E=70e9, G=26e9, density=2700)


@dataclass(frozen=True, eq=False, init=False)
class Welded(Body):
    """Two rigid parts; the axes of the far one are turned and shifted against those of the body."""

    discretisation: ClassVar = "segments"
    view: ClassVar = "parts"

    def __init__(self, name: str) -> None:
        set_fields(self, name=name)
        near, far = (replace(part, name=f"{name}[{part.name}]") for part in (NEAR, FAR))
        set_fields(self, _parts=(near, far))

    @property
    def part_bodies(self):
        return self.__dict__["_parts"]

    @property
    def deforms(self):
        return False

    @property
    def typical_length(self):
        return whole(self.name).typical_length

    @property
    def welds(self):
        near, far = self.part_bodies
        turned = Frame(near, SHIFT, TURN)
        return ((Frame(far), turned),)  # the far one first: a weld has no direction

    def on_part(self, frame):
        near, far = self.part_bodies
        if frame.position[0] <= CUT:
            return Frame(near, frame.position, frame.rotation)
        return Frame(far, TURN.T @ (frame.position - SHIFT), TURN.T @ frame.rotation)

    @property
    def own_frame(self):
        return Frame(self.part_bodies[0])


class Adrift(Welded):
    """The same without a frame of reference."""

    view: ClassVar = "places"

    @property
    def own_frame(self):
        return None


def whole(name: str) -> sp.RigidBody:
    """The single rigid body that both parts are together."""
    far = SHIFT + TURN @ FAR.com
    mass = NEAR.mass + FAR.mass
    inertia = NEAR.inertia_origin + TURN @ FAR.inertia_com @ TURN.T
    inertia = inertia + FAR.mass * (far @ far * np.eye(3) - np.outer(far, far))
    com = (NEAR.mass * NEAR.com + FAR.mass * far) / mass
    return sp.RigidBody(name, mass, com, inertia, "origin")


def chain(make, closed=False) -> sp.Model:
    """Two links with joints, forces and point masses on both of their parts."""
    m = sp.Model(gravity=(0.3, -9.81, 1.0), name="chain")
    first, second = m.add(make("first")), m.add(make("second"))
    hinge = first.at(0.1, 0.02)
    m.add(sp.Revolute("root", m.ground.at(0), hinge, (0.2, 0.1, 1), initial_rate=2.0))
    # Both frames are on far parts: the near part of the second body hangs on its far one.
    place = second.at(0.7, 0.1, rotation=(0.1, 0.0, 0.4))
    m.add(sp.Universal("elbow", first.at(0.8, 0, 0.1), place, ("x", "y")))
    m.add(sp.PointMass("bob", second.at(0.9, -0.2), 0.4))
    m.add(sp.PointMass("knob", first.at(0.2, 0.1, 0.1), 0.3))
    m.add(sp.SpringDamper("spring", m.ground.at(0, 1), second.at(0.1), 30.0, 0.5, 0.4))
    m.add(sp.Force("wind", first.at(0.6, 0.1, rotation=(0.1, 0.2, 0.3)), (1, 2, 3), axes="body"))
    if closed:
        rod = m.add(sp.RigidBody("rod", 0.5, com=(0.2, 0, 0), inertia=0.02))
        m.add(sp.Spherical("foot", m.ground.at(0.4, 0.4, 0.3), rod.at(0)))
        m.add(sp.Distance("cable", rod.at(0.5), second.at(0.05, 0.1), 0.5))
    return m


def compare(found, expected):
    np.testing.assert_allclose(found.t, expected.t, **SAME)
    for joint in expected.joints:
        for what in ("coordinates", "rates", "accelerations", "reaction", "wrench", "effort"):
            a, b = (getattr(r[joint], what) for r in (found, expected))
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * (1 + abs(b).max()))
        np.testing.assert_allclose(found[joint].local.wrench, expected[joint].local.wrench,
                                   rtol=1e-12, atol=1e-10)  # fmt: skip
    for body in ("first", "second"):
        for place in ((0.0,), (0.3, 0.1, -0.2), (0.5,), (0.9, -0.1, 0.2)):
            a, b = (r[body].at(*place) for r in (found, expected))
            for what in ("position", "velocity", "angular_velocity"):
                np.testing.assert_allclose(getattr(a, what), getattr(b, what), **SAME)
            np.testing.assert_allclose(a.acceleration, b.acceleration, rtol=1e-12, atol=1e-10)
    for point in expected.point_masses:
        np.testing.assert_allclose(found[point].position, expected[point].position, **SAME)
    for kind in ("kinetic", "gravity", "elastic", "work", "dissipated"):
        a, b = (getattr(r.energy, kind) for r in (found, expected))
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(
        found.data.history.momentum, expected.data.history.momentum, rtol=1e-12, atol=1e-11
    )
    np.testing.assert_allclose(found["spring"].tension, expected["spring"].tension, **SAME)


@pytest.mark.parametrize("closed", [False, True], ids=["tree", "loop"])
@pytest.mark.parametrize("formulation", [sp.JointCoordinates(), sp.Absolute()], ids=repr)
@pytest.mark.parametrize("make", [Welded, Adrift])
def test_two_rigid_parts_are_one_rigid_body(make, formulation, closed):
    found, expected = (
        sp.simulate(chain(kind, closed), 0.2, output=8, formulation=formulation)
        for kind in (make, whole)
    )
    assert found.success
    compare(found, expected)


def test_a_free_body_keeps_its_momenta():
    """The audit watches all six: parts exchange momentum through their weld alone."""
    runs = []
    for make in (Welded, whole):
        m = sp.Model()
        body = m.add(make("first"))
        twist = (1.0, 2.0, -0.5, 0.3, 0.2, 0.1)
        m.add(sp.Free("root", m.ground.at(0), body.at(0.6, 0.1), initial_rate=twist))
        runs.append(sp.simulate(m, 0.5, output=5))
    found, expected = runs
    assert [r.name for r in found.momentum] == [r.name for r in expected.momentum]
    assert len(found.momentum) == 6
    assert found.momentum.level == "trusted"
    np.testing.assert_allclose(found["first"].position, expected["first"].position, **SAME)
    np.testing.assert_allclose(found["first"].rotation, expected["first"].rotation, **SAME)


def test_views_of_parts():
    result = sp.simulate(chain(Welded), 0.05, output=2)
    view = result["first"]
    assert isinstance(view, PartsView)
    assert [part.name for part in view.parts] == ["first[near]", "first[far]"]
    assert view.deforming == ()
    np.testing.assert_allclose(view.position, view.at(0.0).position, **SAME)
    assert view.at(0.5).name == "first@(0.5, 0, 0)"
    turned = view.local.at(0.3, 0.1).velocity  # the axes of the near part are those of the body
    np.testing.assert_allclose(
        turned, np.einsum("tij,ti->tj", view.matrix, view.at(0.3, 0.1).velocity), **SAME
    )
    np.testing.assert_allclose(view.local.at(0.9).velocity, view.at(0.9).local.velocity, **SAME)
    np.testing.assert_array_equal(view.local.matrix, view.matrix)
    assert "second.rotation" in result.track().variables
    np.testing.assert_array_equal(result.history("first.position"), view.position)
    again = pickle.loads(pickle.dumps(build(chain(Welded))))
    frame = again.bodies["first"].body.at(0.9)
    assert again.place(frame)[0] == again.own_frames["first[far]"][0]


def test_a_body_without_a_frame_of_reference_has_places_only():
    result = sp.simulate(chain(Adrift), 0.05, output=2)
    view = result["first"]
    assert isinstance(view, PlacesView)
    assert "first" not in result.data.compiled.own_frames
    assert repr(view) == "<PlacesView 'first', 2 parts>"
    assert [part.name for part in view.parts] == ["first[near]", "first[far]"]
    sentence = r"Adrift 'first' has no 'position', because it has no frame of reference, expected"
    with pytest.raises(AttributeError, match=sentence):
        _ = view.position
    variables = result.track().variables
    assert "first.position" not in variables
    assert "bob.position" in variables


@dataclass(frozen=True, eq=False, init=False)
class Halves(Body):
    """A beam as two beams of half the length, welded end to end."""

    discretisation: ClassVar = "segments"
    view: ClassVar = "parts"

    def __init__(self, name: str, **options) -> None:
        set_fields(self, name=name, _parts=tuple(half(f"{name}[{k}]", **options) for k in (0, 1)))

    @property
    def part_bodies(self):
        return self.__dict__["_parts"]

    @property
    def typical_length(self):
        return self.part_bodies[0].typical_length

    @property
    def welds(self):
        first, second = self.part_bodies
        return ((first.at(0.5), second.at(0.0)),)

    def on_part(self, frame):
        x = float(frame.position[0])
        return self.part_bodies[x > 0.5].at(x - 0.5 * (x > 0.5), rotation=frame.rotation)

    @property
    def own_frame(self):
        return self.part_bodies[0].at(0.0)


def half(name, **options):
    given = {"elements": 1, "reference": "chord", "damping": sp.Rayleigh(stiffness=1e-4)} | options
    return sp.Beam(name, 0.5, sp.Rectangle(0.01, 0.02), ALLOY, **given)


@pytest.mark.parametrize("options", [{"modes": 3}, {"stiffening": "second_order"}], ids=str)
def test_flexible_parts_are_bodies_welded_by_hand(options):
    """The same nodes in the same order: parts are what two bodies and a fixed joint are."""

    def loaded(m, start, at_end):
        m.add(sp.Revolute("hinge", m.ground.at(0), start, "z", initial_rate=1.0))
        m.add(sp.PointMass("tip", at_end, 0.05))
        m.add(sp.Force("push", at_end, (0, 3.0, 1.0)))
        return sp.simulate(m, 0.05, output=5)

    m = sp.Model(gravity=(0, -9.81, 0))
    beam = m.add(Halves("beam", **options))
    found = loaded(m, beam.at(0.0), beam.at(1.0))
    m = sp.Model(gravity=(0, -9.81, 0))
    one, two = (m.add(half(f"beam{k}", **options)) for k in (0, 1))
    m.add(sp.Fixed("weld", one.at(0.5), two.at(0.0)))
    expected = loaded(m, one.at(0.0), two.at(0.5))

    view = found["beam"]
    for part, other in zip(view.deforming, ("beam0", "beam1"), strict=True):
        np.testing.assert_allclose(part.coordinates, expected[other].coordinates, **SAME)
        np.testing.assert_allclose(part.von_mises(), expected[other].von_mises(), rtol=1e-9)
    for x, other in ((0.2, one.at(0.2)), (0.8, two.at(0.3)), (1.0, two.at(0.5))):
        np.testing.assert_allclose(view.at(x).position, expected[other].position, **SAME)
        np.testing.assert_allclose(view.at(x).rotation, expected[other].rotation, **SAME)
    np.testing.assert_allclose(found["hinge"].reaction, expected["hinge"].reaction, rtol=1e-9,
                               atol=1e-9)  # fmt: skip
    np.testing.assert_allclose(found.energy.strain, expected.energy.strain, **SAME)
    np.testing.assert_allclose(found["push"].force, expected["push"].force, **SAME)
    assert list(found.monitor.bodies) == ["beam[0]", "beam[1]"]
    assert found.monitor["beam[1]"].rotation == pytest.approx(expected.monitor["beam1"].rotation)
    assert "beam[1].strain_energy" in found.track().variables
    with pytest.raises(sp.SuppleError, match=r"Beam 'beam\[0\]': loads leave .* unbalanced"):
        view.parts[0].at(0.2).section_forces("balance")


def test_sentences():
    m = chain(Welded)
    m.add(sp.RigidBody("first[far]", 1.0))
    m.add(sp.Free("other", m.ground.at(0), m["first[far]"].at(0)))
    with pytest.raises(sp.ModelError, match=r"RigidBody 'first\[far\]': its name is that of a part "
                       "of Welded 'first', expected another"):  # fmt: skip
        build(m)

    class Loose(Welded):
        welds = ()

    sentence = r"Loose 'first': its welds \(0\) do not join its parts \(2\) to a tree, expected one"
    with pytest.raises(sp.ModelError, match=sentence):
        build(chain(Loose))

    class Twice(Welded):
        welds = property(lambda self: 2 * Welded.welds.fget(self))

    with pytest.raises(sp.ModelError, match=r"Twice 'first': its welds \(2\) do not join its"):
        build(chain(Twice))

    class Blob(Body):
        name = "first"

    m = sp.Model()
    m.add(sp.Revolute("root", m.ground.at(0), m.add(Blob()).at(0)))
    with pytest.raises(sp.ModelError, match="Blob 'first': the engine does not know what it is ma"):
        build(m)
    with pytest.raises(sp.ModelError, match="Welded 'first' consists of parts, expected bodies of"):
        sp.simulate(chain(Welded), 0.1, integrator=sp.EnergyScheme(step=0.01),
                    formulation=sp.Absolute())  # fmt: skip
    with pytest.raises(sp.ModelError, match="Welded 'first': the velocity transformation does not"):
        sp.velocity_transformation(chain(Welded))
    with pytest.raises(sp.ModelError, match="expected a station of a beam or cable, where"):
        sp.DistributedLoad("load", Halves("beam").at(0.2), (0, 1, 0))
