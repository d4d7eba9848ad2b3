"""Numba kernels: plain numbers in flat arrays, one compiled kernel for every model.

`base` has the layout of buffers, `bodies` and `forces` the physics, `equations` the equations of
motion and their tangents, `linalg` solvers without allocation, `run` the surroundings of a step;
each method has a folder of its own (`radau`, `alpha`, `dop853`, `multistep`, `energy`), and
`images` checks buffers that come from outside. It imports numpy, numba and math only. Symbols are
defined in docs/notation.md.
"""
