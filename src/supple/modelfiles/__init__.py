"""Model files: models written in YAML with the words of Python."""

from supple.modelfiles.document import ModelFile, read_model
from supple.modelfiles.problems import ModelFileError, Problem

__all__ = ["ModelFile", "ModelFileError", "Problem", "read_model"]
