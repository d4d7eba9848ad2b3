"""Stiffness and damping of a rig from a noisy record.

Four numbers of Huang's test rig are found again from the strain at the root of its beam, with two
per cent of noise; the figure shows the record, the run that begins the search, and the fit.
"""

import matplotlib.pyplot as plt
import numpy as np

import supple as sp
from supple.cases.arms.huang_rig import gauge, rig

t = np.linspace(0.0, 3.0, 301)
strain = gauge(sp.simulate(rig(30.0), 3.0, output=t))
noise = 0.02 * np.std(strain) * np.random.default_rng(7).normal(size=len(t))
kinds = ("stiffness", "damping")
names = [f"{joint} bearing.{kind}" for joint in ("shoulder", "elbow") for kind in kinds]
starts = {name: (0.2 if "stiff" in name else 0.05, 0.01, 1.0) for name in names}
fitted = sp.fit(
    rig(30.0),
    starts,
    {"gauge": (t, strain + noise)},
    functions={"gauge": gauge},
    tolerance="default",
)
first = rig(30.0)
for name, (start, _, _) in starts.items():
    item, field = name.split(".")
    first.replace(item, **{field: start})
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
axes.plot(t, 1e6 * (strain + noise), ".", ms=3, color="0.6", label="record")
axes.plot(t, 1e6 * gauge(sp.simulate(first, 3.0, output=t)), "--", label="start")
axes.plot(t, 1e6 * gauge(fitted.result), label="fit")
axes.set(xlabel="t, s", ylabel="strain, 1e-6")
axes.legend()
