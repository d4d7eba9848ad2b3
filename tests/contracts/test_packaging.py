"""The public names exist, are documented, and the installed version is the source's."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest

import supple
from supple.foundation import public_names


def test_all_is_sorted_out() -> None:
    assert len(set(supple.__all__)) == len(supple.__all__)
    assert set(supple.__all__) <= set(dir(supple))


def test_namespaces_are_complete_and_not_crowded() -> None:
    """A name is in one namespace only; some 130 names at the top can be completed by tab."""
    spaces = [public_names.listed(room) for room in public_names.LISTED]
    assert sum(map(len, spaces)) == len(set().union(*spaces))
    assert len(supple.__all__) < 150
    for room in public_names.LISTED[1:]:
        space = getattr(supple, room)
        assert space.__all__ == sorted(public_names.listed(room))
        assert set(space.__all__) <= set(dir(space))
        with pytest.raises(AttributeError, match="no_such_thing"):
            space.no_such_thing  # noqa: B018


@pytest.mark.parametrize("name", sorted(public_names.paths()))
def test_public_name_is_documented(name: str) -> None:
    value = public_names.value(name)
    assert (value.__doc__ or "").strip(), f"{name} has no docstring"
    assert value.__name__ == name


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        supple.no_such_thing  # noqa: B018


@pytest.mark.parametrize(
    ("written", "meant"),
    [("CraigBampton", "supple.reduction.CraigBampton"), ("simulte", "supple.simulate")],
)
def test_unknown_names_hint_at_known_ones(written: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{written}', did you mean {meant}$"):
        getattr(supple, written)


def test_version_is_the_installed_one() -> None:
    try:
        installed = version("supple")
    except PackageNotFoundError:  # run from a source tree with PYTHONPATH
        installed = supple.__version__
    assert installed == supple.__version__
