"""The energy scheme: its options, and a compiled model as its tables.

Joints and constraints as quadratic forms of two bodies, nodal vectors, and sentences where a model
cannot be written so. It imports `methods` and `run`.
"""
