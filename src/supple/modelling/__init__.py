"""Operations on the items of a model.

Replaced fields, bodies cut where they are used, plausibility.
"""
