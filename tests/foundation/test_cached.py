"""Properties that are kept with their object."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

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


def test_the_first_value_that_is_kept_stays():
    """A thread that is slower to compute it gets that of the other, and does not replace it."""
    both, read = Barrier(2), Event()

    class Once:
        @cached_property
        def value(self) -> object:
            if both.wait(timeout=10.0):  # one of the two threads
                read.wait(timeout=10.0)
            return object()

    def found(once: Once) -> object:
        value = once.value
        read.set()
        return value

    once = Once()
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(found, (once, once))
    assert first is second is once.value


def test_a_property_of_a_subclass_may_ask_for_that_of_its_base():
    class Base:
        @cached_property
        def value(self) -> int:
            return 1

    class Derived(Base):
        @cached_property
        def value(self) -> int:
            return super().value + 1

    derived = Derived()
    assert derived.value == derived.value == 2 and Base().value == 1
