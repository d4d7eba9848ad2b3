"""Names of array types in annotations, one for each kind of number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Vector = NDArray[np.float64]  # one place or direction (3,)
Complex = NDArray[np.complex128]
Numbers = NDArray[Any]  # real, or complex for derivatives by a complex step
Indices = NDArray[np.intp]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
