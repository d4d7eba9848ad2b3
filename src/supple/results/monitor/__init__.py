"""The validity monitor: the checks of each kind of body over a run, its report, the verdict."""
