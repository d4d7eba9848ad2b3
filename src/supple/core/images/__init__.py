"""Checks of images of models and runs: every length, index and code before kernels use them.

A file that was damaged or made by another program is refused here instead of harming the process.
It imports all of core.
"""
