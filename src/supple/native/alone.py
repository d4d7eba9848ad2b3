"""Runs a module of this folder without the rest of the package: ``python alone.py worker ...``.

``import supple`` loads the vocabulary and libraries that it needs; compiling kernels needs Numba
and NumPy only, and can begin before the others are installed.
"""

import importlib
import sys
import types
from pathlib import Path

if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    sys.path = [p for p in sys.path if Path(p or ".").resolve() != here]
    package = types.ModuleType("supple")
    package.__path__ = [str(here.parent)]
    sys.modules["supple"] = package
    importlib.import_module(f"supple.native.{sys.argv.pop(1)}").main()
