"""Checks of images of models and runs: every length, index and code before kernels use them."""
