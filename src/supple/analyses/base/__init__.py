"""Arguments and results that all analyses share.

Where an analysis starts and ends, which events it has, and one state of a model as data of a
result, so that views, files and plots of runs serve equilibria and snapshots, too. It imports
`reactions` and rooms below analyses.
"""
