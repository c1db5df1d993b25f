"""What releases of torch differ in, and that the installed one says what is known of it."""

from __future__ import annotations

import re
import sys
import warnings

import pytest
import torch

from pdt_annotate.values.torch_releases import DEPRECATION, notice


def double(x):
    return x * 2


def heard_of_scripting(ignored: str = "nothing") -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", ignored)
        torch.jit.script(double)
        torch.jit.trace(double, torch.ones(1))
    return heard


@pytest.mark.parametrize("torch_version", ["2.6.0+cu124", "2.13.0+cpu", "2.13.1", "", "git"])
def test_releases_that_say_nothing_to_users(torch_version: str) -> None:
    assert notice(torch_version, (3, 11, 7)) == ""


def test_a_release_is_no_decimal_number() -> None:
    assert notice("2.2.0", (3, 13)) == ""
    assert notice("3.0.1", (3, 13)).startswith("torch 3.0 calls TorchScript deprecated")


def test_what_a_python_adds() -> None:
    assert "torch 2.15 does not support TorchScript on Python 3.14" in notice("2.15.0", (3, 14, 1))
    assert "Python" not in notice("2.15.0", (3, 13))


def test_the_installed_torch_says_nothing_else_of_scripting() -> None:
    heard = heard_of_scripting()
    assert [str(each.message) for each in heard if not re.match(DEPRECATION, str(each.message))] == []
    shown_to_users = any(issubclass(each.category, FutureWarning) for each in heard)
    assert not shown_to_users or notice(torch.__version__, sys.version_info[:2])


def test_its_own_words_can_be_kept_back() -> None:
    assert heard_of_scripting(DEPRECATION) == []
