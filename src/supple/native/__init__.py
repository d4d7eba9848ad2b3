"""Kernels as machine code: how they are declared, compiled, linked, kept and loaded."""
