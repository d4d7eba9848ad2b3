"""Generalized alpha, HHT and Newmark: the compiled step loop.

`stage` has the buffers and the two ends of a step, `newton` the iteration between them. It imports
`radau` for Newton's matrix by blocks, and everything below both.
"""
