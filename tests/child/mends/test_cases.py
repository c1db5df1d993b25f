"""The cases of rules with the real compiler, which must refuse a module and accept the module after the rule."""

import re
from pathlib import Path

import mends_page
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mend_cases import RULES, Case, Drawn, cases, name_of, tables
from mended_module import load, recover, same

from pdt_annotate.mends.kit.context import MendRule


@pytest.mark.parametrize(("rule", "case"), [each for each in cases() if each[1].args], ids=name_of)
def test_what_the_compiler_refuses_scripts_and_answers_as_before(rule: MendRule, case: Case, tmp_path: Path) -> None:
    torch.manual_seed(1)
    args = eval(f"({case.args},)", {"torch": torch})
    make_net = "Net()" if "class Net" in case.before else "f"
    found = recover(tmp_path, case.before, [rule], *args, make_net=make_net, types=case.observed)
    assert found.scripts and found.answers_alike, (found.messages, found.source)
    assert found.messages and all(_asks(rule, message) for message in found.messages)


@pytest.mark.parametrize("rule", tables("DRAWN"))
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_what_is_drawn_answers_as_before(
    tmp_path_factory: pytest.TempPathFactory, rule: str, data: st.DataObject
) -> None:
    drawn: Drawn = tables("DRAWN")[rule]
    rules = [RULES[name] for name in (rule, *drawn.others)]
    source, args = data.draw(drawn.sources), eval(drawn.args, {"torch": torch})
    folder = tmp_path_factory.mktemp("net")
    found = recover(folder, source, rules, args)
    assert found.scripts and found.answers_alike, (found.messages, found.source)
    before, after = (vars(load(folder, text)) for text in (source, found.source))
    assert all(same(eval(answer, before), eval(answer, after)) for answer in drawn.answers)


def _asks(rule: MendRule, message: str) -> bool:
    """Whether the message is one of the messages that the docstring of a rule quotes; `…` matches any text."""
    quoted = re.findall(r"`([^`]+)`", mends_page.read(rule).message)
    names = {"width", "act"}  # the names in the examples
    patterns = [".*".join(map(re.escape, text.split("…"))) for text in quoted]
    for name in names:
        patterns = [re.sub(rf"\b{name}\b", r"\\w+", pattern) for pattern in patterns]
    return not quoted or any(re.search(pattern, message, re.DOTALL) for pattern in patterns)
