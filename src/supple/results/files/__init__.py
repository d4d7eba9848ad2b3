"""Results as datasets, tables, VTK files and state files."""
