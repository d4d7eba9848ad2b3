"""Model files: models written in YAML with the words of Python.

`tree` reads text to nodes with lines, `words` and `kinds` know the public classes and their fields,
`reader` makes objects, `problems` collects everything that is wrong, `writer` goes back to text,
`schema` is for editors. No text of a file is ever evaluated as Python.
"""

from supple.io.modelfiles.model_file import ModelFile, read_model
from supple.io.modelfiles.problems import ModelFileError, Problem
from supple.io.modelfiles.writer import write_model

__all__ = ["ModelFile", "ModelFileError", "Problem", "read_model", "write_model"]
