"""Integrators: options of one method each; the step loops are kernels."""
