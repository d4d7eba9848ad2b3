"""Twist of open sections: beams warp freely, and clamped ones are told to be too soft."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

STEEL = sp.Material(E=2.1e11, G=8.1e10, density=7800)
I_BEAM = sp.ISection(0.2, 0.2, 0.009, 0.015)
pytestmark = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")


def twisted(length: float, section, clamped: bool = True, **fields) -> sp.results.StaticResult:
    m = sp.Model()
    rod = m.add(sp.Beam("rod", length, section, STEEL, **fields))
    kind = sp.Fixed if clamped else sp.Revolute
    m.add(kind("root", m.ground.at(0), rod.at(0)))
    if not clamped:
        m.add(sp.Driver("held", "root", 0.0))
    m.add(sp.Force("torque", rod.at(length), torque=(50.0, 0, 0)))
    return sp.statics(m)


def test_the_warping_constant_is_that_of_two_flanges():
    """E 200 B (HE-B 200) without fillets: 171 100 cm6 in tables of profiles, to 1 %."""
    assert I_BEAM.warping_constant == pytest.approx(171.1e-9, rel=0.01)
    assert sp.Box(0.1, 0.1, 0.01).warping_constant == 0.0


@pytest.mark.parametrize("length", [0.5, 1.0, 2.0, 4.0])
def test_the_told_twist_is_vlasovs(length):
    result = twisted(length, I_BEAM)
    (finding,) = result.monitor.findings
    k = np.sqrt(STEEL.G * I_BEAM.J / (STEEL.E * I_BEAM.warping_constant)) * length
    vlasov = 50.0 * length / (STEEL.G * I_BEAM.J) * (1 - np.tanh(k) / k)
    assert finding.what == "warping"
    found = result["rod"].at(length).rotation[0, 0]
    assert finding.value == pytest.approx(found / vlasov - 1.0, rel=1e-6)
    assert finding.serious == (found > 1.5 * vlasov)


def test_nothing_is_told_where_sections_may_warp_or_twist_does_not_matter():
    free = sp.ISection(0.2, 0.2, 0.009, 0.015, warping="free")
    assert twisted(1.0, free).monitor.level == "valid"
    assert twisted(1.0, sp.Tube(0.1, 0.01)).monitor.level == "valid"
    assert twisted(1.0, I_BEAM, clamped=False).monitor.level == "valid"
    m = sp.Model()
    rod = m.add(sp.Beam("rod", 4.0, I_BEAM, STEEL))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    m.add(sp.Force("load", rod.at(4.0), (0, 100.0, 0)))
    assert sp.statics(m).monitor.level == "valid"


def test_the_word_is_checked():
    with pytest.raises(sp.ModelError, match="ISection: warping is 'none', expected 'free' or None"):
        sp.ISection(0.2, 0.2, 0.009, 0.015, warping="none")
