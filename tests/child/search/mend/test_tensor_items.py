"""`item` before the real compiler, which takes it for a number of any kind."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended import Mended
from mended_module import HEAD, load

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.search.mend.tensor_items import RULE
from pdt_annotate.source.expressions import INT
from pdt_annotate.values.types import TypeExpr

INTS = TypeExpr("list", (INT,))


@pytest.mark.parametrize(
    ("body", "type_"),
    [
        ("k: List[int] = [x.max().item()]\n    return k", INTS),
        ("k = [x.max().item(), 2]\n    return x[k[0]]", INTS),
        ("k = 0\n    k = x.max().item()\n    return list(range(k))", INT),
        ("k = x.max().item() + 1\n    return x, x.view(1, -1).expand(k, -1)[k - 1]", INT),
        ("k = x.max().item()\n    return x[k]", INT),
        ("k = [y.item() for y in [x[0], x[1]]]\n    return [each + 1 for each in k], list(range(k[0]))", INTS),
    ],
)
def test_it_answers_as_before_and_scripts(tmp_path: Path, body: str, type_: TypeExpr) -> None:
    source = f"{HEAD}from typing import List\ndef f(x):\n    {body}\n"
    before = load(tmp_path, source)
    with pytest.raises(RuntimeError) as refused:
        torch.jit.script(before.f)
    assert RULE.is_asked_for(read_failure(refused.value))
    after = load(tmp_path, Mended(tmp_path, source, types={"f": {"k": (type_,)}}).apply(RULE))
    x = torch.tensor([1, 2, 3, 0])
    answers = [repr(f(x)) for f in (before.f, after.f, torch.jit.script(after.f))]
    assert answers[0] == answers[1] == answers[2]
