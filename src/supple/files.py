"""Files: models, runs, results, robots, standard input data and FMUs."""

from supple.foundation.public_names import namespace

__all__, __getattr__, __dir__ = namespace(__name__)
