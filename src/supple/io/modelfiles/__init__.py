"""Model files: models written in YAML with the words of Python.

`tree` reads text to nodes with lines, `words` and `kinds` know the public classes and their fields,
`reader` makes objects, `problems` collects everything that is wrong, `writer` goes back to text,
`schema` is for editors. No text of a file is ever evaluated as Python.
"""
