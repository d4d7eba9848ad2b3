"""Linear algebra without allocation: dense factors, and the multifrontal method by a static plan.

It imports `base`. Plans are made by `supple.engine.sparsity`.
"""
