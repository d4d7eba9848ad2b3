"""The compiled model: from a model and its tree to flat buffers, and what is read from them.

`pack` writes the buffers, `base` holds them with the names to read them by, `sparsity` plans
eliminations, `reading` computes loads, impulses and rows beside a run. It imports the vocabulary of
models and the kernels, and knows no integrator.
"""
