"""What all kernels share.

Layout of the buffers, records cut from them, rotations, codes of expressions, wrenches.
"""
