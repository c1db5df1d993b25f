"""Two captured programs of a real model side by side: what a trace has lost, by source line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdt_annotate.captures.table import BY_NAME
from pdt_annotate.flows.beside import compare
from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import code, open_session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.captures import Capture
from pdt_annotate.values.runs import SpecSource

MODEL = """\
import torch
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x: Tensor):
        assert x.dim() == 2
        return self.linear(x)


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(), Block()

    def forward(self, x: Tensor):
        for _ in range(x.size(0)):
            x = self.second(self.first(x))
        return x
"""

TRIED = (Capture("fx"), *(Capture(name, captured=True) for name in ("script", "trace", "lazy")))


@pytest.fixture(scope="module")
def session(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("rows")
    (folder / "rows.py").write_text(MODEL)
    options = Options((parse(f"{folder / 'rows.py'}:Rows"),), SpecSource(args=("f32[3,2]",)), str(folder))
    return open_session(options, zygote, options.targets[0])


def test_what_the_trace_has_lost_has_its_line(session: Session) -> None:
    beside = compare(session, "script,trace", TRIED)
    assert beside
    assert (beside.left.way, beside.right.way) == ("script", "trace")
    assert (beside.left.sorts["loops"], beside.right.sorts["loops"]) == (1, 0)
    assert beside.left.sorts["raises and assertions"] == 2
    lines = {each.place.line: each for each in beside.lines}
    assert "prim::Loop" in lines[21].left and not lines[21].right
    assert "prim::RaiseException" in lines[11].left
    assert lines[12].right == {"aten::linear": 4}
    assert {Path(each.place.file).name for each in beside.lines} == {"rows.py"}


@pytest.mark.parametrize("compared", ["", "script,fx", "script,lazy"])
def test_nothing_is_compared_that_is_not_to_be_had(compared: str, session: Session) -> None:
    assert compare(session, compared, TRIED) is None


def test_modules_have_their_code_and_those_alike_have_it_once(session: Session) -> None:
    scripted = code(session, BY_NAME["script"])
    assert scripted.count("def forward") == 2
    assert "# first, second\ndef forward" in scripted
    assert "torch.ops.aten" in code(session, BY_NAME["make_fx"])
    assert code(session, BY_NAME["lazy"]) == ""
