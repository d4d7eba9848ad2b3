"""A body of a model is a description; what the engine computes with is made from it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import supple as sp
from supple.bodies.beam.segmented import SegmentedBeam
from supple.bodies.discretisation import divided, in_nodal_vectors, in_segments
from supple.bodies.structure.segmented_frame import SegmentedFrame
from supple.foundation.errors import label
from supple.foundation.frames import SegmentOptions

SOFT = sp.Material(E=1e9, G=4e8, density=1000)
FLAT = sp.Rectangle(0.02, 0.01)


def held(**fields) -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    beam = m.add(sp.Beam("beam", 1.0, FLAT, SOFT, **({"parts": 2} | fields)))
    m.add(sp.Fixed("wall", m.ground.at(0), beam.at(0)))
    m.add(sp.PointMass("mass", beam.at(0.3), 0.1))
    return m


def test_a_beam_stays_what_was_written():
    m = held()
    made = m.bodies["beam"]
    assert type(m["beam"]) is sp.Beam and isinstance(made, SegmentedBeam)
    assert made.description is m["beam"]
    assert (m["beam"].part_bodies, m["beam"].welds) == ((m["beam"],), ())
    assert label(made) == label(m["beam"]) == "Beam 'beam'"
    assert (made.length, made.parts, made.materials) == (1.0, 2, (SOFT,))
    assert made.at(0.4).body is m["beam"]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        made.nothing  # noqa: B018


def test_it_is_made_once_for_the_same_places():
    m = held()
    made = m.bodies["beam"]
    m.add(sp.Force("push", m["beam"].at(1.0), (0, 0, 1)))  # an end: no other segments
    assert m.bodies["beam"] is made and m.copy().bodies["beam"] is made
    m.add(sp.Force("pull", m["beam"].at(0.6), (0, 0, 1)))
    assert m.bodies["beam"].used == (0.3, 0.6)
    one, two = made.part_bodies[0], m.bodies["beam"].part_bodies[0]
    assert one.modal() is two.modal()  # equal segments share their shapes
    again = pickle.loads(pickle.dumps(made))
    assert again.part_stations.tolist() == made.part_stations.tolist()


def test_a_frame_structure_in_segments():
    nodes, members = {"a": (0, 0, 0), "b": (1, 0, 0)}, [sp.Member("a", "b", FLAT, SOFT)]
    frame = sp.FrameStructure("frame", nodes, members, parts=3)
    made = divided(frame)
    assert isinstance(made, SegmentedFrame) and divided(frame) is made
    assert (label(made), made.nodes, frame.divides) == (label(frame), frame.nodes, True)
    assert len(made.member_beams[0].part_bodies) == 3


def test_options_of_segments_belong_to_the_description_in_its_place():
    beam = sp.Beam("beam", 1.0, FLAT, SOFT, elements=3)
    cut = in_segments(beam, SegmentOptions(mass="lumped", refinement=2))
    assert beam.parts is None and cut.parts == 6
    assert [part.mass_choice for part in divided(cut).part_bodies] == ["lumped"] * 6
    assert in_nodal_vectors(beam, 5).elements == 5
    rigid = sp.RigidBody("link", 1.0)
    assert in_segments(rigid, SegmentOptions()) is in_nodal_vectors(rigid, 5) is rigid


def test_frames_of_the_description_are_inputs_and_outputs_where_it_is_divided():
    m = held()
    m.gravity = (0, 0, 0)
    tip = m["beam"].at(1.0), "z"
    space = sp.linearize(m).state_space(tip, tip)
    A, B, C = (np.asarray(getattr(space, name)) for name in "ABC")
    compliance = -C @ np.linalg.solve(A, B)
    np.testing.assert_allclose(compliance, [[1.0 / (3.0 * SOFT.E * FLAT.I_y)]], rtol=1e-9)
