"""Error bars of numbers of a run, and numbers of modes that keep errors below a tolerance."""
