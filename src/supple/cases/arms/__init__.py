"""Arms with rigid and flexible links: Huang, Zhao, Nada.

Each file has the models of one source and its reference numbers, with the place in the source and
the tolerance.
"""
