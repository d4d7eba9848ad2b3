"""Results: arrays by name, verdicts, stress, files and plots."""

from supple.foundation.public_names import namespace

__all__, __getattr__, __dir__ = namespace(__name__)
