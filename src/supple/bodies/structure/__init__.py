"""Frame structures, meshes and standard input data as bodies."""
