"""Functions that SUNDIALS' multistep methods ask of a model: residual, Jacobian, rates, output.

The methods themselves are those of IDA and CVODE, driven from
`supple.integrators.methods.sundials`. It imports `run`, `equations` and what they import.
"""
