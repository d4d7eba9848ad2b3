"""The linear graph of a model: spanning trees, path, cutset and circuit matrices."""
