"""The public names exist, are documented, and the installed version is the source's."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest

import supple


def test_all_is_sorted_out() -> None:
    assert len(set(supple.__all__)) == len(supple.__all__)
    assert set(supple.__all__) <= set(dir(supple))


@pytest.mark.parametrize("name", sorted(supple.__all__))
def test_public_name_is_documented(name: str) -> None:
    value = getattr(supple, name)
    if name.startswith("__"):
        return  # __version__ is a plain string
    assert (value.__doc__ or "").strip(), f"supple.{name} has no docstring"


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        supple.no_such_thing  # noqa: B018


def test_version_is_the_installed_one() -> None:
    try:
        installed = version("supple")
    except PackageNotFoundError:  # run from a source tree with PYTHONPATH
        installed = supple.__version__
    assert installed == supple.__version__
