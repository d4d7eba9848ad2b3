"""Properties that are kept with their object."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from supple.foundation.cached import cached_property


class Slow:
    """Its value is known as soon as two threads look for one."""

    def __init__(self, both: Barrier) -> None:
        self.both, self.count = both, 0

    @cached_property
    def value(self) -> int:
        """How often it was computed."""
        self.both.wait(timeout=10.0)
        self.count += 1
        return self.count


def test_threads_do_not_wait_for_each_other():
    both = Barrier(2)
    objects = Slow(both), Slow(both)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda x: x.value, objects)) == [1, 1]
    assert [x.value for x in objects] == [1, 1]  # from the objects: nobody waits


def test_it_is_one_of_python():
    assert isinstance(Slow.value, functools.cached_property)
    assert Slow.value.__doc__ == "How often it was computed."
