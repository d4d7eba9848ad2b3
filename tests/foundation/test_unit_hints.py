"""Hints at numbers in other units than SI and radians."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from supple.fem.shells.shell import plate
from supple.foundation.units import FASTEST, SLOWEST, material_sentence

STEEL = sp.Material(210e9, 81e9, 7850)


def held(body: sp.bodies.Body, gravity=(0, 0, -9.81), **options) -> sp.Model:
    model = sp.Model(gravity=gravity)
    model.add(body)
    model.add(sp.Revolute("pin", model.ground.at(0), body.at(0), **options))
    return model


def beam(material=STEEL, length=1.0, size=0.02, **options) -> sp.Beam:
    return sp.Beam("beam", length, sp.Rectangle(size, size / 2), material, modes=1, **options)


WAVES = f"expected {SLOWEST:g} to {FASTEST:g} m/s in SI units"


@pytest.mark.parametrize(
    ("model", "end"),
    [
        (held(beam(sp.Material(70, 26, 2700))), f"{WAVES}: E and G in GPa or E and G in MPa?"),
        (held(beam(sp.Material(70e3, 26e3, 2700))), f"{WAVES}: E and G in MPa?"),
        (held(beam(sp.Material(70e9, 26e9, 2.7))), f"{WAVES}: the density in g/cm3?"),
        (held(beam(sp.Material(70e9, 26e9, 2.7e-9))), f"{WAVES}: the density in t/mm3?"),
        (held(beam(sp.Material(70e3, 26e3, 2.7e-9), 1e3, 10)), f"{WAVES}: N, mm, t and s?"),
        (
            held(beam(sp.Material(70e9, 26e6, 2700))),
            "expected 2 G to 3 G for E, or not far from it",
        ),
        (
            held(beam(length=1000, size=10)),
            "Beam 'beam': it is 1e+03 m long with 3.92e+08 kg, expected less than 1000 m and "
            "1e+07 kg in SI units: lengths in mm?",
        ),
        (held(beam(roll=90)), "Beam 'beam': roll is 90 rad, expected 1.5708 if degrees are meant"),
        (
            held(beam(), initial=30),
            "Revolute 'pin': initial is 30 rad, expected 0.523599 if degrees are meant",
        ),
        (
            held(beam(), gravity=(0, 0, -9810)),
            "Model 'model': gravity is 9810 m/s2, expected 9.81 if lengths are in m",
        ),
    ],
)
def test_other_units_are_warned_of_once_and_told_by_the_doctor(model, end) -> None:
    with pytest.warns(sp.SuppleWarning) as caught:
        model.check()
    assert [str(w.message).endswith(end) for w in caught] == [True]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.check()
        model.copy().check()
    notes = model.doctor().findings
    assert any(note.text.endswith(end) and not note.severe for note in notes)


def test_what_is_usual_is_not_suspicious() -> None:
    usual = (
        beam(),
        beam(sp.Material(2e6, 0.67e6, 1100)),  # rubber
        beam(sp.Material(1.1e12, 5e11, 3500)),  # diamond
        beam(sp.Material(140e9, 5e9, 1600)),  # fibres
        beam(length=300, size=0.5),
        sp.RigidBody("beam", 1e5, (50, 0, 0), 1e6),
    )
    for body in usual:
        for angle in (-6.0, 2 * np.pi, 10 * np.pi, 7.0, 100.1, 1000.0):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                held(body, initial=angle).check()


def test_displacements_are_no_angles() -> None:
    model = sp.Model()
    body = model.add(sp.RigidBody("body", 1.0))
    model.add(sp.Cylindrical("tube", model.ground.at(0), body.at(0), initial=(30.0, 0.1)))
    model.add(
        sp.JointStop("end", "tube", stiffness=1e3, lower=0.0, upper=40.0, coordinate="displacement")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.check()


def test_limits_and_rest_of_joints_in_degrees() -> None:
    model = held(beam())
    model.add(sp.JointSpring("coil", "pin", 1.0, rest=45))
    model.add(sp.JointStop("stop", "pin", lower=-90, upper=90, stiffness=1e3))
    with pytest.warns(sp.SuppleWarning) as caught:
        model.check()
    assert [str(w.message) for w in caught] == [
        "JointSpring 'coil': rest is 45 rad, expected 0.785398 if degrees are meant",
        "JointStop 'stop': lower, upper is (-90, 90) rad, expected (-1.5708, 1.5708) if degrees "
        "are meant",
    ]


def test_rotation_vectors_in_degrees() -> None:
    body = sp.RigidBody("body", 1.0)
    with pytest.warns(sp.SuppleWarning) as caught:
        body.at(0, rotation=(0, 0, 90))
    assert str(caught[0].message) == (
        "Frame on 'body': rotation is (0, 0, 90) rad, expected (0, 0, 1.5708) if degrees are meant"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body.at(0, rotation=(0, 0, 2 * np.pi))
        body.at(0, rotation=(0, 0, 5))


def test_hints_of_the_doctor_alone() -> None:
    wood = held(beam(sp.Material(10e9, 0.6e9, 500)))
    far = held(sp.RigidBody("body", 1.0, (250, 0, 0)))
    for model, text in (
        (wood, "Beam 'beam': E is 16.7 times G, which is right for wood and fibres; of an "
               "isotropic material it is 2 to 3 times G"),
        (far, "RigidBody 'body': mass and inertia reach 250 m from its origin, expected less: "
              "lengths in mm?"),
    ):  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.check()
        assert text in [note.text for note in model.doctor().findings]


def test_meshes_refuse_what_no_isotropic_material_has() -> None:
    wood = sp.Material(10e9, 0.6e9, 500)
    with pytest.raises(sp.ModelError, match=r"Poisson's ratio, expected less than 0.5"):
        sp.fem.block((1, 1, 1), (1, 1, 1), "hex8", wood)
    with pytest.raises(sp.ModelError, match=r"expected at most 0.5: G = E / \(2 \(1"):
        plate(1.0, 1.0, 1, 1, thickness=0.01, material=wood)
    assert material_sentence(10e9, 0.6e9, 500) is None  # beams may be of wood


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
def test_linearize_tells_of_units_too(formulation) -> None:
    m = sp.Model(gravity=(0, 0, -9810))
    rod = m.add(sp.RigidBody("rod", 1.0, (0, 0, -0.5), 0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="y"))
    with pytest.warns(sp.SuppleWarning, match="gravity is 9810 m/s2"):
        sp.linearize(m, formulation=formulation)
