"""The cases of rules, before the real compiler: it refuses a module, and takes what the rule makes of it."""

from __future__ import annotations

import re
from pathlib import Path

import mends_page
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mend_cases import RULES, Case, Drawn, cases, name_of, table
from mended_module import recover

from pdt_annotate.search.mend.site import MendRule


@pytest.mark.parametrize(("rule", "case"), [each for each in cases() if each[1].args], ids=name_of)
def test_what_the_compiler_refuses_scripts_and_answers_as_before(rule: MendRule, case: Case, tmp_path: Path) -> None:
    torch.manual_seed(1)
    args = eval(f"({case.args},)", {"torch": torch})
    make_net = "Net()" if "class Net" in case.before else "f"
    found = recover(tmp_path, case.before, [rule], *args, make_net=make_net, types=case.observed)
    assert found.scripts and found.answers_alike, (found.messages, found.source)
    assert found.messages and all(_asks(rule, message) for message in found.messages)


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if "DRAWN" in table(rule.name)], ids=name_of)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_whatever_is_drawn_scripts_and_answers_as_before(
    tmp_path_factory: pytest.TempPathFactory, rule: MendRule, data: st.DataObject
) -> None:
    drawn: Drawn = table(rule.name)["DRAWN"]
    rules = [rule, *(RULES[name] for name in drawn.others)]
    source, args = data.draw(drawn.sources), eval(drawn.args, {"torch": torch})
    found = recover(tmp_path_factory.mktemp("net"), source, rules, args)
    assert found.scripts and found.answers_alike, (found.messages, found.source)


def _asks(rule: MendRule, message: str) -> bool:
    """Whether the compiler says one of the messages that the docstring of a rule quotes; `…` stands for anything."""
    quoted = re.findall(r"`([^`]+)`", mends_page.read(rule).message)
    names = {"width", "act"}  # those of the examples
    patterns = [".*".join(map(re.escape, text.split("…"))) for text in quoted]
    for name in names:
        patterns = [re.sub(rf"\b{name}\b", r"\\w+", pattern) for pattern in patterns]
    return not quoted or any(re.search(pattern, message, re.DOTALL) for pattern in patterns)
