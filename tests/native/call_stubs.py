"""Calls stub_entries.c by a launcher with right and wrong arguments.

python call_stubs.py LAUNCHER STUBS COUNT
"""

import ctypes
import importlib.util
import random
import sys
from importlib.machinery import ExtensionFileLoader

import numpy as np

KINDS = {"loop": "ifvvvjffmn", "plain": "ifvmjrn", "most": "v" * 24, "failing": "v"}


def right(kind: str, rng: random.Random):
    n = rng.choice([0, 1, 5, 1000])
    if kind in "ij":
        return np.zeros(n, np.int64)
    if kind in "fv":
        return np.zeros(n)
    return {"m": np.zeros((n, 3)), "r": 1.5, "n": 3}[kind]


def wrong(rng: random.Random):
    read_only = np.zeros(3)
    read_only.flags.writeable = False
    return rng.choice([
        None, "text", b"12345678", 2**70, -1.5, [1.0], np.zeros(3, np.float32), read_only,
        np.zeros((2, 2, 2)), np.zeros((10, 2))[:, 0], np.frombuffer(bytearray(36), offset=4),
        np.zeros(0), object(), np.zeros(3, ">f8"), np.array([None, 1]), np.zeros((3, 0)),
        memoryview(bytearray(16)), float("nan"),
    ])  # fmt: skip


def main(launcher: str, stubs: str, count: int) -> None:
    name = "supple.native._launcher"
    loader = ExtensionFileLoader(name, launcher)
    spec = importlib.util.spec_from_file_location(name, launcher, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    library = ctypes.CDLL(stubs)
    entries = module.entries(ctypes.addressof(ctypes.c_char.in_dll(library, "supple_entries")))
    rng, done, refused = random.Random(1), 0, 0
    for _ in range(count):
        name = rng.choice(list(KINDS))
        given = [wrong(rng) if rng.random() < 0.1 else right(kind, rng) for kind in KINDS[name]]
        if rng.random() < 0.1:
            given = given[: rng.randrange(len(given) + 1)] + [wrong(rng)] * rng.randrange(3)
        try:
            entries[name](*given)
            done += 1
        except (TypeError, OverflowError, RuntimeError):
            refused += 1
    for address in (0, None, "x", -1.5):
        try:
            module.entries(address)
        except (TypeError, ValueError):
            refused += 1
    print(f"done {done} refused {refused}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
