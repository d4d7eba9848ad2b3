"""What a model does with its items.

Replaced fields, bodies cut where they are used, plausibility, products without a run.
"""
