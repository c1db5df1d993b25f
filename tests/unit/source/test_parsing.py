from __future__ import annotations

import warnings

import pytest

from pdt_annotate.source.parsing import parse_expression, parse_module


def test_what_is_nested_too_deeply_does_not_parse() -> None:
    with pytest.raises(SyntaxError, match="nested too deeply"):
        parse_expression("-" * 20_000 + "1")


def test_nothing_is_heard() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_module(b"x = '\\d'\n").body
