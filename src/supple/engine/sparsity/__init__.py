"""Sparsity: the solver that suits a model, and static plans by which matrices are eliminated.

The couplings of a model are read from its integers; plans by entries and by blocks, and the choice
between them, are made once, when it is compiled. It is the lowest folder of the engine.
"""
