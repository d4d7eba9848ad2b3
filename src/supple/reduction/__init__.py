"""From a finite-element mesh, or from assumed shapes, to a body with few elastic coordinates."""

from supple.foundation.public_names import namespace

__all__, __getattr__, __dir__ = namespace(__name__)
