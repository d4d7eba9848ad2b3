"""Nobody outside ``bodies/`` looks at the class of a body: bodies answer questions."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from supple import bodies
from supple.bodies.base.flexible import FlexibleBody
from supple.bodies.base.reduced import NodalBody, ReducedBody
from supple.bodies.structure.mesh import MeshBody
from supple.foundation.frames import Body, Frame

SOURCES = Path(sp.__file__).parent
# The ground is in every model and cannot be replaced: `Model` may ask for it.
KINDS = {kind.__name__ for kind in vars(bodies).values()
         if isinstance(kind, type) and issubclass(kind, Body)} - {"Body", "Ground"}  # fmt: skip
KINDS |= {kind.__name__ for kind in (MeshBody, NodalBody, ReducedBody)}
BODIES = {"body", "beam", "part", "frame.body", "record.body", "d.body", "deformation.body"}
BODIES |= {f"self.{name}" for name in ("body", "beam", "_body")}


def ladders(text: str) -> list[tuple[int, str]]:
    """Lines where the class or the attributes of a body are asked for."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("isinstance", "issubclass"):
                names = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
                names |= {n.attr for n in ast.walk(node.args[1]) if isinstance(n, ast.Attribute)}
                asked = bool(names & KINDS)
            else:
                asked = node.func.id in ("hasattr", "getattr") and bool(
                    {ast.unparse(node.args[0])} & BODIES
                )
            if asked:
                found.append((node.lineno, ast.unparse(node)))
    return found


def test_no_ladders_outside_the_bodies():
    found = [
        f"{path.relative_to(SOURCES)}:{line}: {text}"
        for path in sorted(SOURCES.rglob("*.py"))
        if "bodies" not in path.relative_to(SOURCES).parts
        for line, text in ladders(path.read_text())
    ]
    assert not found, "\n".join(found)


def test_ladders_are_found():
    assert {"Beam", "FrameStructure", "MeshBody", "RigidBody", "SIDBody", "FlexibleBody"} <= KINDS
    for text in ("isinstance(x, Beam)", "isinstance(x, (int, sp.RigidBody))",
                 "hasattr(body, 'stiffening')", "getattr(d.body, 'modes', None)"):  # fmt: skip
        assert ladders(text), text
    for text in ("isinstance(x, Body)", "getattr(view, 'strain')", "getattr(joint, 'name')"):
        assert not ladders(text), text


def test_answers_of_the_base_class():
    """What holds for a body that says nothing of itself: it may deform, and is whole."""

    class Blob(Body):
        name = "blob"

    blob = Blob()
    frame = blob.at(1.0)
    assert blob.part_bodies == (blob,)
    assert blob.on_part(frame) is frame
    assert (blob.welds, blob.own_frame, blob.line, blob.telling_place) == ((), None, None, None)
    assert (blob.deforms, blob.carries_own_frame, blob.typical_length) == (True, False, 0.0)
    assert (blob.rigid_fields(), blob.usual_values("mass"), blob.suspicion()) == ({}, (), None)
    assert blob.spread_places == ()
    rigid = sp.RigidBody("rigid", 2.0, com=(0.3, 0, 0), inertia=0.5)
    assert rigid.spread_places == ((0.3, 0.0, 0.0),)
    assert (rigid.deforms, rigid.carries_own_frame) == (False, True)
    assert rigid.typical_length == pytest.approx(np.sqrt(3 * 0.5 / (2 * 2.0)))


def test_answers_of_a_beam():
    alloy = sp.Material(E=70e9, G=26e9, density=2700)
    beam = sp.Beam(
        "beam", 2.0, sp.Circle(0.01), alloy, modes=sp.reduction.SineShapes(2), reference="chord"
    )
    assert beam.line is beam
    assert beam.telling_place == (1.0,)
    assert [s.n for s in beam.usual_values("modes")] == [1, 2, 3, 4, 5, 6]
    assert list(beam.usual_values("elements")) == [1, 2, 4, 8]
    assert not len(beam.usual_values("damping"))
    assert beam.materials == (alloy,)
    assert (beam.can_stiffen, beam.stiffened, beam.second_order) == (True, False, False)
    moved, turned = beam.moving_rows()
    assert moved.shape == turned.shape == (21, 3, beam.modal().n)
    middle = beam.attachment(Frame(beam, (1.0, 0, 0)))
    np.testing.assert_array_equal(moved[10], middle.Phi)
    np.testing.assert_array_equal(turned[10], middle.Psi)


def test_a_flexible_body_says_what_it_is_not_made_of():
    class Cloud(FlexibleBody):
        name = "cloud"
        modes = "all"

    cloud = Cloud()
    assert (cloud.can_stiffen, cloud.stiffened, cloud.second_order) == (False, False, False)
    assert (cloud.axis, cloud.materials) == (None, ())
    assert cloud.refinement == "more elements"
    assert cloud.strain_kinds() == {}
    for ask in (cloud.stress_blocks, cloud.strain_blocks):
        with pytest.raises(sp.ModelError, match="Cloud 'cloud': component is None, expected a bo"):
            next(ask())
