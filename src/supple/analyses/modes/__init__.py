"""Linear models and their modes: figures, pictures, shares of energy."""
