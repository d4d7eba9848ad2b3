"""A study of convergence.

The deflection of a beam that falls, by one to six modes: differences to the finest.
"""

from pathlib import Path

import supple as sp

model = sp.files.read_model(Path(__file__).resolve().parents[1] / "models" / "strain_rig.yaml")
beam = next(name for name, body in model.bodies.items() if isinstance(body, sp.Beam))
study = sp.converge(model, f"{beam}.modes", values=[1, 2, 3, 4, 6], t_end=0.3, times=150)
figure = study.plot()
