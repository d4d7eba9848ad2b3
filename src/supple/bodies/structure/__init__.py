"""Frame structures, meshes and standard input data as bodies.

A structure of beams as one flexible body, whole or in segments; any finite-element component as a
body with interfaces, and the finer mesh by which it is judged; bodies from files of standard input
data. It imports `beam` and `base`.
"""
