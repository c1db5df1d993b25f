"""The catalogue as SARIF's rules."""

from __future__ import annotations

import pytest

from pdt_annotate.emit.machine.sarif_rules import RULE_INDEX, pascal_case, rules
from pdt_annotate.findings.catalogue import CATALOGUE


def test_every_entry_is_a_rule_at_its_index() -> None:
    found = rules()
    assert [rule["id"] for rule in found] == list(CATALOGUE)
    assert {code: found[index]["id"] for code, index in RULE_INDEX.items()} == {code: code for code in CATALOGUE}


def test_names_are_identifiers_of_their_own() -> None:
    names = [rule["name"] for rule in rules()]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)


def test_only_what_asks_for_nothing_is_a_note() -> None:
    assert [rule["id"] for rule in rules() if rule["defaultConfiguration"]["level"] == "note"] == ["PDT066"]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("recursion", "Recursion"),
        ("*args or **kwargs", "ArgsOrKwargs"),
        ("keyword-only parameter with a default", "KeywordOnlyParameterWithDefault"),
        ("value without a TorchScript type", "ValueWithoutTorchScriptType"),
    ],
)
def test_a_title_becomes_a_name(title: str, name: str) -> None:
    assert pascal_case(title) == name


def test_help_shows_the_example_and_the_advice() -> None:
    rule = rules()[RULE_INDEX["PDT005"]]
    assert "return f(x, n - 1)" in rule["help"]["markdown"] and rule["help"]["text"] in rule["help"]["markdown"]
