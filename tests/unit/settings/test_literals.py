"""The types of settings with few values: they have the values of the settings."""

from __future__ import annotations

from enum import Enum
from typing import Any, get_args

import pytest

from pdt_annotate.captures.table import GRAPHED, WAYS
from pdt_annotate.settings import literals
from pdt_annotate.settings.options import Returns, Scope, ThirdParty
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.style import Spelling


@pytest.mark.parametrize(
    ("literal", "choices"),
    [
        (literals.ScopeName, Scope),
        (literals.ReturnsName, Returns),
        (literals.SpellingName, Spelling),
        (literals.ThirdPartyName, ThirdParty),
        (literals.MendName, MendLevel),
    ],
)
def test_a_type_has_the_choices_of_its_setting(literal: Any, choices: type[Enum]) -> None:
    assert set(get_args(literal)) - {""} == {each.value for each in choices}


def test_the_ways_are_those_of_the_table() -> None:
    ways = {way.name for way in WAYS}
    assert set(get_args(literals.WayName)) == ways
    graphs = {name for part in get_args(literals.GraphName) for name in get_args(part)}
    assert graphs == set(GRAPHED)
