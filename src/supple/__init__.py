"""Supple: dynamics of systems of rigid and flexible bodies that move far and deform.

Write down a ``Model`` of bodies, joints and forces, run it by ``simulate``, read the ``Result``.
Names are listed in ``__init__.pyi`` and loaded on first use. Beside the words of a model and the
verbs there are ``results`` (what verbs return), ``fem`` (meshes and components), ``reduction``
(shapes of flexible bodies), ``files`` and ``cases``.
"""

# ruff: noqa: E402
from supple.foundation import startup_interrupt

startup_interrupt.listen()  # before what takes time to load

from supple.foundation.public_names import namespace

__version__ = "0.1.0.dev0"
__all__, __getattr__, __dir__ = namespace(__name__)
