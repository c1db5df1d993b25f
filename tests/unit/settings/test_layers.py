"""Variables of the environment: what is left alone, refused, and read."""

from __future__ import annotations

import pytest

from pdt_annotate.settings.layers import read_environment
from pdt_annotate.values.errors import UserError


@pytest.mark.parametrize(
    "variable", ["PDT_ANNOTATE_OVERLAY", "PDT_ANNOTATE_RUN_ROOT", "PDT_TIMEOUT", "_PDT_ANNOTATE_COMPLETE", "TIMEOUT"]
)
def test_other_variables_are_left_alone(variable: str) -> None:
    assert read_environment({variable: "typed"}) == {}


def test_an_empty_variable_gives_nothing() -> None:
    assert read_environment({"PDT_ANNOTATE_CHECK": "", "PDT_ANNOTATE_CHEK": ""}) == {}


@pytest.mark.parametrize(
    ("variable", "text", "message", "hint"),
    [
        ("PDT_ANNOTATE_CHEK", "1", "PDT_ANNOTATE_CHEK, which is no setting", "did you mean PDT_ANNOTATE_CHECK"),
        ("PDT_ANNOTATE_INTERACTIVE", "1", "which is no setting", ""),
        ("PDT_ANNOTATE_XYZ", "1", "which is no setting", "PDT_ANNOTATE_ goes before one of ALSO_RUN, ARG, BASELINE"),
        ("PDT_ANNOTATE_TIMEOUT", "soon", "PDT_ANNOTATE_TIMEOUT takes a number, not 'soon'", ""),
        ("PDT_ANNOTATE_RETURNS", "some", "PDT_ANNOTATE_RETURNS takes one of needed, all, none, not 'some'", ""),
    ],
)
def test_mistakes_are_named(variable: str, text: str, message: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        read_environment({variable: text})
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_values_are_read_by_name() -> None:
    found = read_environment({"PDT_ANNOTATE_THIRD_PARTY": "overlay", "PDT_ANNOTATE_ARG": "3 k=4", "HOME": "/"})
    assert {name: (each.value, each.origin) for name, each in found.items()} == {
        "third-party": ("overlay", "PDT_ANNOTATE_THIRD_PARTY"),
        "arg": (("3", "k=4"), "PDT_ANNOTATE_ARG"),
    }
