"""From a model to buffers: bodies, constraints, forces, loads and ropes as rows of tables."""
