"""Definitions that all kernels share: where things are in the buffers, codes, rotations, wrenches.

`layout` is written once and read by the packing of the engine, too. It imports nothing of the
package but the declaration of kernels.
"""
