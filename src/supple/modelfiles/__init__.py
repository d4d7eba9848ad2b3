"""Model files: models written in YAML with the words of Python."""

from supple.modelfiles.model_file import ModelFile, read_model
from supple.modelfiles.problems import ModelFileError, Problem
from supple.modelfiles.writer import write_model

__all__ = ["ModelFile", "ModelFileError", "Problem", "read_model", "write_model"]
