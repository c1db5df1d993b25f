"""Returns that no example takes, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended
from mended_module import HEAD, load, same

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.search.mend.untaken_returns import RULE
from pdt_annotate.values.types import TENSOR


@settings(max_examples=10, deadline=None)
@given(other=st.sampled_from(["x, x", "[x]", "(x, x, x)"]), is_said=st.booleans())
def test_python_answers_as_before_and_the_scripted_function_refuses(
    tmp_path_factory: pytest.TempPathFactory, other: str, is_said: bool
) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    said = " -> List[Tensor]" if is_said else ""
    body = f"    if full:\n        return {other}\n    return x + 1\n"
    source = f"from torch import Tensor\n{HEAD}def f(x, full: bool = False){said}:\n{body}"
    before = load(folder, source)
    with pytest.raises(RuntimeError) as refused:
        torch.jit.script(before.f)
    assert RULE.is_asked_for(read_failure(refused.value))
    after = load(folder, Mended(folder, source, types={"f": {"return": (TENSOR,)}}).apply(RULE))
    scripted, x = torch.jit.script(after.f), torch.randn(3)
    for full in (False, True):
        assert same(after.f(x, full), before.f(x, full))
    assert same(scripted(x), before.f(x))
    with pytest.raises(torch.jit.Error, match="left out of the scripted model"):
        scripted(x, True)
