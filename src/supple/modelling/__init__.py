"""Operations on the items of a model: other fields, segments, plausibility.

Items are frozen, so that a change makes new ones; beams in segments are cut at every place that the
model uses. It imports the items of models and the graph, and is used by `model.py`.
"""
