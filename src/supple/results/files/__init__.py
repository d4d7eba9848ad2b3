"""Results as datasets, tables, VTK files and state files.

It imports `views` and `data`.
"""
