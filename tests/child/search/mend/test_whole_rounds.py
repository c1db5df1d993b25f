"""`round` before the real compiler, which gives a float."""

from __future__ import annotations

from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended
from mended_module import HEAD, load

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.search.mend.whole_rounds import RULE
from pdt_annotate.source.expressions import INT

SOURCE = HEAD + "def f(x, n: int):\n    k = max(1, round(n / 4))\n    return F.avg_pool1d(x, kernel_size=k), k\n"


@settings(max_examples=10, deadline=None)
@given(n=st.integers(-8, 40))
def test_a_rounded_size_answers_as_before_and_scripts(tmp_path_factory, n: int) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    before = load(folder, SOURCE)
    try:
        torch.jit.script(before.f)
    except RuntimeError as error:
        assert RULE.is_asked_for(read_failure(error))
    mended = Mended(folder, SOURCE, types={"f": {"k": (INT,)}}).apply(RULE)
    after = load(folder, mended)
    x = torch.randn(1, 1, 64)
    answers = [f(x, n) for f in (before.f, after.f, torch.jit.script(after.f))]
    assert all(torch.equal(each, answers[0][0]) and k == answers[0][1] for each, k in answers)
