"""One signal of each kind."""

from __future__ import annotations

import supple as sp

SIGNALS = {
    "constant": sp.Constant(2.5),
    "polynomial": sp.Polynomial((1, -2, 0.5, 3), start=0.7),
    "linear": sp.Table((0, 1, 2.5, 3), (1, 3, -2, -2)),
    "cubic": sp.Table((0, 1, 2.5, 3, 4.5), (1, 3, -2, -2, 0), interpolation="cubic"),
    "step": sp.SmoothStep(0.5, 2.0, before=-1, after=3),
    "sine": sp.Sine(2, 0.7, phase=0.3, offset=-1),
}
