"""Packing: bodies, constraints, forces, loads and ropes of a model as rows of tables.

`builder` collects the rows of all items, `buffers` makes two flat arrays of them; each kind of item
has its file. What a kind may not do at a place is refused here with a sentence. It imports `base`
and `sparsity`.
"""
