"""The compiled model: flat buffers for the kernels, names to read them by, what is read."""
