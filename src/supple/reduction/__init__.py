"""Reduction: from a finite-element mesh, or assumed shapes, to few elastic coordinates.

`problem` is a component in its frame of reference, `modes` and `shape_sets` choose shapes, `modal`
is what the engine reads, `response` what the whole mesh would do, `mesh_flexibility` what a finer
one would, `sid` standard input data. It imports fem, and knows no bodies.
"""

from supple.foundation.public_names import namespace

__all__, __getattr__, __dir__ = namespace(__name__)
