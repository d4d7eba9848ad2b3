"""Lines of spectra and spectrograms, on signals whose frequencies are known."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple.results.spectrum import spectrogram, spectrum

T = np.arange(4000) * 0.01  # 40 s, frequencies 0.025 Hz apart


def sine(t, frequency, amplitude=1.0, phase=0.3):
    return amplitude * np.sin(2 * np.pi * frequency * t + phase)


LINES = [(1.153, 1.0), (2.2702, 0.3), (3.9981, 0.05), (5.2137, 0.02)]


def test_peaks_are_found_between_the_frequencies_of_the_list():
    """Lines of a strain gauge, 50 times apart in height, to a hundredth of the list's distance."""
    x = 0.7 + sum(sine(T, f, a, phase=f) for f, a in LINES)
    found = spectrum(T, x).peaks(4)
    for peak, (frequency, amplitude) in zip(found, LINES, strict=True):
        # The window leaks 1 / (pi d^3) of the others, d > 40 steps away: 5e-6 of the largest.
        error = 5e-6 / amplitude
        assert peak.frequency == pytest.approx(frequency, abs=0.025 * 3 * error)
        assert peak.amplitude == pytest.approx(amplitude, rel=4 * error)


def test_side_lobes_and_noise_are_no_peaks():
    assert len(spectrum(T, sine(T, 3.0123)).peaks(50)) == 1
    assert len(spectrum(T, sine(T, 3.0)).peaks(50)) == 1
    assert spectrum(T, np.ones_like(T)).peaks() == []
    both = sine(T, 3.0123) + sine(T, 3.2, 0.1)  # 7.5 steps away, above the lobes there
    assert [round(p.frequency, 2) for p in spectrum(T, both).peaks(50)] == [3.01, 3.2]


def test_peaks_in_a_band_and_of_vectors():
    x = np.column_stack([sine(T, 1.5), sine(T, 4.0, 0.5), 0 * T])
    found = spectrum(T, x)
    assert [round(p.frequency, 3) for p in found.peaks()] == [1.5, 4.0]
    assert [round(p.frequency, 3) for p in found.peaks(1)] == [1.5]
    assert [round(p.frequency, 3) for p in found.peaks(low=2.0)] == [4.0]
    assert found.peaks(low=5.0) == []


def test_spectrogram_agrees_with_scipy():
    from scipy.signal import ShortTimeFFT
    from scipy.signal.windows import hann

    rng = np.random.default_rng(3)
    x = rng.normal(size=1000)
    t = np.arange(1000) * 0.02
    found = spectrogram(t, x, window=2.56)
    n = 128
    theirs = ShortTimeFFT(hann(n, sym=False), hop=16, fs=50.0, scale_to="magnitude")
    parts = theirs.stft_detrend(x, detr="constant", p0=4, p1=4 + len(found.times))
    expected = 2.0 * np.abs(parts).T
    expected[:, [0, -1]] /= 2.0
    assert np.allclose(found.frequencies, theirs.f)
    assert np.allclose(found.amplitudes, expected, atol=1e-12)
    # SciPy gives the time of sample n // 2 of a part, here it is the middle of its samples
    assert np.allclose(found.times + 0.01, theirs.t(1000, p0=4, p1=4 + len(found.times)))


def test_ridge_follows_a_line_that_falls():
    t = np.arange(8000) * 0.01
    frequency = 4.0 - 0.3 * t / t[-1]
    phase = 2 * np.pi * np.cumsum(frequency) * 0.01
    x = np.sin(phase) + sine(t, 1.15, 3.0)
    found = spectrogram(t, x, window=10.0)
    ridge = found.ridge(low=3.0, high=5.0)
    # Over a window the frequency falls by 0.04 Hz, less than half of a step of 0.1 Hz.
    assert np.abs(ridge - np.interp(found.times, t, frequency)).max() < 0.01
    assert np.allclose(found.ridge(high=3.0), 1.15, atol=0.002)
    assert np.all(np.isnan(found.ridge(low=20.0, high=21.0)))
    assert found.at(40.0).peaks(1)[0].frequency == pytest.approx(1.15, abs=0.002)


def test_a_window_must_fit():
    with pytest.raises(sp.SuppleError, match=r"window is 50 s, expected from 0\.04 s .* to 40 s"):
        spectrogram(T, T, window=50.0)
    with pytest.raises(sp.SuppleError, match="a spectrogram needs equally spaced times"):
        spectrogram(T**2, T)
    with pytest.raises(sp.SuppleError, match="a spectrogram needs one value for each"):
        spectrogram(T, T[1:])


@pytest.fixture(scope="module")
def swing():
    m = sp.Model(gravity=(0, -9.81, 0), name="swing")
    rod = m.add(sp.RigidBody("rod", 1.0, com=(0.5, 0, 0), inertia=0.01))
    m.add(sp.Revolute("hinge", m.ground.at(0), rod.at(0), initial=-np.pi / 2 + 0.01))
    m.add(sp.JointSpring("grease", "hinge", damping=0.001))
    return sp.simulate(m, 40.0, output=2000)


def test_of_results_and_files(swing, tmp_path):
    """Small swings: the frequency of the closed form, 1e-5 from amplitude and damping."""
    expected = np.sqrt(9.81 * 0.5 / (0.01 + 0.25)) / (2 * np.pi)
    found = swing.spectrum("hinge.angle")
    assert found.peaks(1)[0].frequency == pytest.approx(expected, abs=1e-3 * found.frequencies[1])
    parts = swing.spectrogram("hinge.angle", window=10.0)
    assert parts.ridge() == pytest.approx(expected, abs=1e-3)
    assert (parts.name, parts.units) == ("hinge.angle", "rad")
    saved = sp.files.load_result(swing.save(tmp_path / "swing.nc"))
    same = saved.spectrogram("hinge.angle", window=10.0)
    assert np.array_equal(same.amplitudes, parts.amplitudes)
    assert swing.spectrogram(swing["rod"].position, window=5.0).amplitudes.ndim == 3


@pytest.mark.slow
def test_plots(swing, tmp_path):
    figure = swing.spectrum("hinge.angle").plot(tmp_path / "s.png", high=5.0)
    assert figure.axes[0].get_ylabel() == "amplitude of hinge.angle (rad)"
    assert figure.axes[0].get_xlabel() == "frequency (Hz)"
    figure = swing.spectrogram("rod.velocity", window=5.0).plot(tmp_path / "g.png", high=5.0)
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels[:3] == [f"frequency {c} (Hz)" for c in "xyz"]
    assert labels[3] == "amplitude of rod.velocity (m/s)"
    assert (tmp_path / "g.png").stat().st_size > 10_000
    still = sp.simulate(swing.model, 1.0, output=100).spectrum(np.zeros(101))
    still.plot()


def test_a_file_that_is_no_result(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not NetCDF")
    with pytest.raises(sp.SuppleError, match=r"notes\.txt: it cannot be read \(.*, expected"):
        sp.files.load_result(text)
    xr = pytest.importorskip("xarray")
    xr.Dataset({"x": ("k", [1.0])}).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    with pytest.raises(sp.SuppleError, match=r"other\.nc: it holds something else, expected"):
        sp.files.load_result(tmp_path / "other.nc")
