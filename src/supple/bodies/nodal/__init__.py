"""Bodies of nodal vectors (ANCF): beams, cables, plates and solids without a frame of their own.

Their coordinates are places and gradients of nodes in the world; elements are data from
`supple.fem.nodal`. It imports `beam` and `base` for sections, axes and options that both kinds of
beams share.
"""
