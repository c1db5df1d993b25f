"""Every advice is followed, as it is said: then what the compiler said of the fault is gone."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from compiler_messages import load

from pdt_annotate.blame.faults import FaultsFound, Hunt
from pdt_annotate.blame.front_end import NOT_ANNOTATED
from pdt_annotate.findings.catalogue import entries
from pdt_annotate.findings.remedies import remedies
from pdt_annotate.processes.child.aside import aside
from pdt_annotate.values.verdicts import Fault, Part

PRELUDE = "from torch import nn\nfrom torch.nn import functional as F\n\n\n"

NOT_OF_THE_COMPILER = {NOT_ANNOTATED, "PDT052"}
"""Codes of the compiler's range that need examples, or a process that compiled before."""

Advise = Callable[..., list[dict[Fault, str]]]


@dataclass(frozen=True)
class Case:
    """A source that fails with a code; `says` are words in the advice, and `followed` is the source that follows it."""

    code: str
    says: str
    source: str
    followed: str


def read_cases() -> Iterator[Case]:
    for block in (Path(__file__).parent / "remedies.diff").read_text().split("\n== ")[1:]:
        head, _, diff = block.partition("\n")
        code, _, says = head.partition(" ")
        lines = diff.rstrip().split("\n")
        source, followed = ("".join(f"{line[1:]}\n" for line in lines if line[:1] != other) for other in "+-")
        yield Case(code, says, source, followed)


CASES = tuple(read_cases())


@pytest.fixture
def advise(tmp_path: Path) -> Advise:
    """What is found in each of some sources, each fault with what to do about it first."""

    def search(modules: list[ModuleType]) -> list[FaultsFound]:
        return [Hunt({}, str(module.__file__).__eq__).search(module.f) for module in modules]

    def run(*sources: str) -> list[dict[Fault, str]]:
        modules = [load(PRELUDE + source, tmp_path) for source in sources]
        found = aside(search, modules)
        assert found is not None
        return [
            {fault: remedies(fault, Part("", "f"), _definition(module, fault), is_entered=True)[0] for fault in faults}
            for module, faults in zip(modules, (each.faults for each in found), strict=True)
        ]

    return run


def _definition(loaded: ModuleType, fault: Fault) -> ast.FunctionDef | None:
    found = (node for node in ast.walk(ast.parse(inspect.getsource(loaded))) if isinstance(node, ast.FunctionDef))
    return next((node for node in found if fault.owner and node.lineno == fault.owner.line), None)


@pytest.mark.parametrize("each", CASES, ids=lambda each: f"{each.code} {each.says}")
def test_what_is_done_as_said_ends_the_message(each: Case, advise: Advise) -> None:
    said, after = advise(each.source, each.followed)
    assert {fault.code for fault in said} == {each.code}
    assert any(each.says in advice for advice in said.values()), said.values()
    assert after == {}


def test_every_code_that_a_tree_can_give_and_every_hint_is_followed() -> None:
    given = {code for code in entries() if "PDT001" <= code <= "PDT022" or "PDT040" <= code <= "PDT056"} | {"PDT059"}
    shown_before = {"PDT017"}  # the evidence knows better, and the compiler gives another code
    assert given - NOT_OF_THE_COMPILER - shown_before == {each.code for each in CASES}
    hints = [(code, hint.advice) for code, entry in entries().items() for hint in entry.hints]
    followed = [any(each.code == code and each.says in advice for each in CASES) for code, advice in hints]
    # The hints of PDT060 are no messages of the compiler.
    assert {code for (code, _), is_followed in zip(hints, followed, strict=True) if not is_followed} <= {"PDT060"}


METHOD = """
class M(nn.Module):
    {}
    @torch.jit.unused
    def g(self{}:
        return {}

    def forward(self, x):
        return {}


f = M()
"""
LEFT_OUT = {
    "function": "@torch.jit.unused\ndef g(x):\n    return {x}\n\n\n"
    "def f(x):\n    return g(x) if x.size(0) > 9 else x\n",
    "method with another result": METHOD.format("", ", x) -> int", "len({1})", "self.g(x) if x.size(0) > 9 else 1"),
    "property": METHOD.format("@property", ")", "{1}", "x"),
    "call under a guard": "def g(*x):\n    print(x)\n\n\n"
    "def f(x):\n    if not torch.jit.is_scripting():\n        g(x)\n    return x\n",
}


@pytest.mark.parametrize("source", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_no_example_enters_can_be_left_out(source: str, advise: Advise) -> None:
    without = source.replace("@torch.jit.unused", "").replace("not torch.jit.is_scripting()", "x.size(0) > 9")
    left_out, found = advise(source, without)
    assert left_out == {} and found != {}
