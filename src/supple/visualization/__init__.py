"""Pictures of models in motion: scenes of plain arrays, and the files made of them.

A page that plays in a browser, films, glTF, a server for this computer only. It imports the items
of models; results hand their motion over.
"""
