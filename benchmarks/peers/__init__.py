"""The same models in other programs."""
