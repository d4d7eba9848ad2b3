"""Properties that are computed when they are first read, and kept with their object."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801 (as there)
        """A cached property as in functools, without its lock.

        Before Python 3.12 one lock serves all objects of a class while any of them computes: runs
        in threads would wait for each other, though their results are their own. Threads may
        compute a value at the same time; the first one that is kept stays, for all of them.
        """

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """The value, from the object if it is there."""
            if instance is None:
                return self
            kept, name = instance.__dict__, self.attrname
            if name in kept:
                return kept[name]
            value = self.func(instance)
            own = getattr(type(instance), name, self)
            if own is not self and isinstance(own, cached_property):
                return value  # asked for by super(): a property of the subclass is what is kept
            return kept.setdefault(name, value)
