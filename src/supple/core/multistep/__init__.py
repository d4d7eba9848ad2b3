"""What SUNDIALS' multistep methods ask of a model.

Residual, Jacobian, rates, what follows a step.
"""
