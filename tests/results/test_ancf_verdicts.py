"""What the monitor says about coarse gradient beams: nothing that is wrong is called valid."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple.cases.beams.ancf_elastica import GENTLE, strip

pytestmark = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")


@pytest.mark.parametrize("element", ["elastic_line", "continuum"])
def test_elements_of_constant_curvature_are_told(element):
    """A little load: the tip deflects by 1 - 1/(4 n^2), and the monitor knows by how much less."""
    for elements, level in ((1, "not valid"), (2, "doubtful"), (8, "valid")):
        rest = sp.statics(strip(element, 0.01, elements, force=1e-3))
        assert rest.monitor.level == level
        lost = 1.0 - rest["strip"].at(1.0).position[0, 1] / (1e-3 / 3.0)
        assert lost == pytest.approx(0.25 / elements**2, abs=0.02)  # and nu = 0 of the continuum
        if elements < 8:
            (finding,) = rest.monitor.findings
            assert finding.what == "locking"
            assert finding.value == pytest.approx(lost, rel=0.3)


def test_a_continuum_that_cannot_contract_is_told():
    """Poisson's ratio 0.3: bending is 1.35 times as stiff as that of a beam."""
    model = strip("continuum", 0.01, 8, force=1e-3)
    model.replace("strip", material=sp.Material(E=200e9, G=200e9 / 2.6, density=7800))
    finding = sp.statics(model).monitor.findings[0]
    assert finding.what == "locking" and finding.serious
    assert finding.value == pytest.approx(0.7 / (1.3 * 0.4) - 1.0, abs=0.01)


@pytest.mark.parametrize("ratio", [1e-2, 1e-3])
def test_locking_is_told(ratio):
    """The thinner strip has lost a seventh of its deflection; the same load, the same elements."""
    for element in ("elastic_line", "collocated"):
        rest = sp.statics(strip(element, ratio))
        error = np.hypot(*(rest["strip"].at(1.0).position[0, :2] - GENTLE))
        right = element == "collocated" or ratio == 1e-2
        assert (error < 2e-3) == right == (rest.monitor.level == "valid")


def test_elements_that_twist_much_are_told():
    """Sections that turn about the axis count as slopes do: 0.4 rad an element are 16 % too far."""
    section, angle = sp.Rectangle(0.01, 0.01), 1.6
    for elements, told in ((4, True), (8, False)):
        model = strip(elements=elements, force=0.0)
        G = model.bodies["strip"].material.G
        model.replace("tip", torque=(angle * G * section.J, 0, 0))
        monitor = sp.statics(model).monitor
        error = elements * monitor["strip"].rotation / angle - 1.0
        assert (error > 0.1) == told == any(f.what == "rotation" for f in monitor.findings)
