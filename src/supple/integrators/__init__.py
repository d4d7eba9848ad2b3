"""Integrators: options of one method each; the step loops are kernels.

`methods` has what users choose, `energy` the energy scheme, `run` the driver of all step loops,
`passage` steps over singular positions. It imports formulations, loops and the engine, and no
analyses.
"""
