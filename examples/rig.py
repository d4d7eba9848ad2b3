"""A flexible arm on a test rig is released and swings until it rests; what its strain gauge shows.

The rig of Huang's thesis (1998, chapter 4): a column that turns about the vertical, on it an elbow
with a hanging beam of 1 m and 0.6 kg at its tip, released at 30 degrees. The gauge is at the root
of the beam and measures bending out of the plane of the elbow. Turning column and swinging beam
bend it at once, so the strain has more frequencies than the arm has motions: 1.15 Hz and 2.3 Hz
are twice and four times the swing. The beam vibrates at 4 Hz while the swing is large; as it dies
this falls to 3.36 Hz, where a clamped beam with that mass vibrates. The thesis reads 1.1, 2.2, 4.0
falling to 3.4, and 5.5 Hz from its measurements and simulations.

Shown here: a literature case as a model, strain gauges, spectra with peaks, spectrograms.

    python examples/rig.py [folder for the picture]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

import supple as sp
from supple.cases.arms import huang_rig
from supple.results.spectrum import Peak, spectrogram, spectrum

BLUE, ORANGE, GREEN, INK = "#2f6fb0", "#d9822b", "#2a9d74", "#333333"
BEGIN = 5.0  # s, the part whose spectrum is shown
HIGH = 8.0  # Hz


def strain_peaks(result: sp.results.Result) -> list[Peak]:
    """Return the four highest peaks of the strain in the first 5 s."""
    part = result.t < BEGIN
    return spectrum(result.t[part], huang_rig.gauge(result)[part]).peaks(4, low=0.5, high=HIGH)


def draw(result: sp.results.Result, path: Path) -> None:
    """Draw angles and strain over time, the spectrum of the first 5 s and the spectrogram."""
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

    t, strain = result.t, 1e6 * huang_rig.gauge(result)
    figure = Figure(figsize=(11, 6.4), layout="constrained")
    (angles, lines), (gauge, picture) = figure.subplots(2, 2)

    angles.plot(t, np.degrees(result["shoulder"].angle), color=BLUE, label="shoulder")
    swing = np.degrees(result["elbow"].angle - huang_rig.HANGING)
    angles.plot(t, swing, color=ORANGE, label="elbow, from hanging")
    angles.set(ylabel="angle (degrees)", xlim=(0, 15))
    angles.legend(frameon=False, fontsize=9)

    gauge.plot(t, strain, color=GREEN, lw=1.0)
    gauge.set(xlabel="time (s)", ylabel="strain (1e-6)", xlim=(0, 15))

    part = t < BEGIN
    found = spectrum(t[part], strain[part])
    shown = found.frequencies <= HIGH
    lines.plot(found.frequencies[shown], found.amplitudes[shown], color=GREEN)
    for peak in strain_peaks(result):
        place = peak.frequency, 1e6 * peak.amplitude
        label = f"{peak.frequency:.2f} Hz"
        lines.annotate(label, place, xytext=(0, 4), textcoords="offset points", ha="center", size=9)
    lines.set(ylabel="amplitude of strain (1e-6)", xlabel="frequency (Hz)", xlim=(0, HIGH))
    lines.set_ylim(0, 1.15 * found.amplitudes.max())
    lines.set_title(f"first {BEGIN:g} s", loc="left", size=10, color=INK)

    moving = spectrogram(t, strain, window=4.0)
    low = moving.frequencies <= HIGH
    sizes = np.maximum(moving.amplitudes[:, low].T, 1e-2)
    mesh = picture.pcolormesh(
        moving.times, moving.frequencies[low], sizes, norm=LogNorm(1e-2, sizes.max()),
        shading="gouraud", cmap="viridis", rasterized=True,
    )  # fmt: skip
    ridge = moving.ridge(3.0, 4.6)
    picture.plot(moving.times, ridge, color="white", lw=1.0, ls=(0, (3, 2)))
    picture.annotate(
        f"{ridge[-1]:.2f} Hz", (moving.times[-1], ridge[-1]), xytext=(-4, 6),
        textcoords="offset points", ha="right", size=9, color="white",
    )  # fmt: skip
    picture.set(xlabel="time (s)", ylabel="frequency (Hz)", ylim=(0, HIGH))
    figure.colorbar(mesh, ax=picture, label="amplitude of strain (1e-6)")

    for ax in (angles, lines, gauge):
        ax.grid(color="#dddddd", lw=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    title = f"{result.model.name}: {result.message}\n{result.energy.verdict}"
    figure.suptitle(title, x=0.01, ha="left", size=10, color=INK)
    figure.savefig(path, dpi=130)


def main(out: str | Path = "build/examples") -> sp.results.Result:
    """Run the example and write ``rig.png`` into the folder ``out``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)  # the column's lumped inertia
        result = sp.simulate(huang_rig.rig(30.0), 20.0, output=0.01)
    print(result)
    shown = ", ".join(
        f"{p.frequency:.2f} Hz ({1e6 * p.amplitude:.0f})" for p in strain_peaks(result)
    )
    print(f"  strain    first {BEGIN:g} s: {shown} (1e-6)")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    draw(result, folder / "rig.png")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:2])
