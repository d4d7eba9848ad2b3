"""Images of models taken apart, and looked at as ``supple_create`` does."""

from __future__ import annotations

import numpy as np

from supple.core.images import image as checks
from supple.integrators.methods import image as images

LOOPS = {"radau_run": checks.RADAU, "dop853_run": checks.DOP853, "alpha_run": checks.ALPHA,
         "energy_run": checks.ENERGY}  # fmt: skip


def parts_of(image: bytes):
    """Header, arrays by name and number of the loop of an image."""
    count = len(images.HEADER) + len(images.ARRAYS)
    words = np.frombuffer(image, np.int64, count, 64)
    place, found = 64 + 8 * count, {}
    for name, length in zip(images.ARRAYS, words[len(images.HEADER) :].tolist(), strict=True):
        kind = np.int64 if name in ("ints", "all_ints", "count") else np.float64
        found[name] = np.frombuffer(image, kind, length, place).copy()
        place += 8 * length
    return words[: len(images.HEADER)].copy(), found, LOOPS[image[32:64].rstrip(b"\0").decode()]


def fault_of(header, arrays, loop) -> int:
    """What the look at an image finds."""
    a = arrays
    run = a["run"], a["state"], a["count"], a["stops"], a["row_sizes"], a["limits"]
    return checks.check_image(header, a["ints"], a["all_ints"], a["reals"], *run, loop)
