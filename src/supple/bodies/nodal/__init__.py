"""Bodies of nodal vectors: beams, cables, plates and solids without a frame of their own."""
