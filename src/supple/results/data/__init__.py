"""Arrays of a run in engine order, its audit, spectra."""
