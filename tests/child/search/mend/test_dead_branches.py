"""Branches that no instance takes, before the real compiler, which reads them all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended, held
from mended_module import HEAD, load

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.search.mend.dead_branches import RULE
from pdt_annotate.values.types import NONE, TENSOR

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.deep = False

    def forward(self, x, mask: Optional[Tensor] = None):
        n, y = 2, x + 1
        if {test}:
            {body}
            x = max([x, y], key=lambda each: each.sum())
        return x * n + y
"""
HEADER = HEAD + "from torch import Tensor\n" + NET
BODIES = ("pass", "y = y * 2", "y, z = x, y", "n = n + 1; x += n", "y = mask or y", "z = [n for n in x]")


@settings(max_examples=12, deadline=None)
@given(
    test=st.sampled_from(["mask is not None", "self.deep", "mask is not None or self.deep"]),
    body=st.sampled_from(BODIES),
)
def test_it_answers_as_before_and_scripts(tmp_path_factory: pytest.TempPathFactory, test: str, body: str) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    source = HEADER.format(test=test, body=body)
    before = load(folder, source).Net()
    with pytest.raises(Exception, match="Lambda aren't supported") as refused:
        torch.jit.script(before)
    failure = read_failure(refused.value)
    assert RULE.is_asked_for(failure)
    shown = {"Net.forward": {"x": (TENSOR,), "y": (TENSOR,), "mask": (NONE,)}}
    mended = Mended(folder, source, {"Net": {"deep": held("False")}}, types=shown, failures={"Net.forward": failure})
    (mend,) = mended.find(RULE)
    after = load(folder, mended.files.add([mend], mended.project).project.source(mended.file).decode()).Net()
    x = torch.randn(3)
    assert torch.equal(before(x), after(x))
    if "n = n" not in body:  # that number needs an annotation, which the mend leaves to the search
        scripted = torch.jit.script(after)
        assert torch.equal(scripted(x), before(x))
        if "mask" in test:
            with pytest.raises(torch.jit.Error):
                scripted(x, x)
    after.deep = before.deep = True
    one, other = (_answer(net, x) for net in (before, after))
    assert one == other


def _answer(net: torch.nn.Module, x: torch.Tensor) -> str:
    try:
        return repr(net(x.clone()))
    except Exception as error:
        return type(error).__name__


def test_a_branch_that_answers_scripts(tmp_path: Path) -> None:
    source = HEADER.format(test="self.deep", body="y = x").replace("x = max(", "return max(")
    with pytest.raises(Exception, match="Lambda aren't supported") as refused:
        torch.jit.script(load(tmp_path, source).Net())
    failures = {"Net.forward": read_failure(refused.value)}
    mended = Mended(tmp_path, source, {"Net": {"deep": held("False")}}, failures=failures)
    (mend,) = mended.find(RULE)
    after = load(tmp_path, mended.files.add([mend], mended.project).project.source(mended.file).decode()).Net()
    assert torch.equal(torch.jit.script(after)(torch.ones(2)), after(torch.ones(2)))
