"""The compiled model: its buffers, the names to read them by, callbacks, stored histories.

`Compiled` is read-only and can be pickled. It imports `sparsity` for the storage of matrices.
"""
