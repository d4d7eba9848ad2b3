"""Model files: models written in YAML with the words of Python."""

from supple.io.modelfiles.model_file import ModelFile, read_model
from supple.io.modelfiles.problems import ModelFileError, Problem
from supple.io.modelfiles.writer import write_model

__all__ = ["ModelFile", "ModelFileError", "Problem", "read_model", "write_model"]
