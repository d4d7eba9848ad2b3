"""The linear graph of a model: spanning trees, path, cutset and circuit matrices.

`topology` knows names only; `reading` makes the graph of a model, `tree_choice` its tree, `places`
where bodies are in it. It imports the items of models.
"""
