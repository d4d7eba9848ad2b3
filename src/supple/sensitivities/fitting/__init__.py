"""Values of parameters from measured records: least squares, intervals, doubts, other starts."""
