"""Files with which torch.export takes a target: made, run, and judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pdt_annotate.flows.export import export
from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import VerificationError
from pdt_annotate.values.exports import Exported
from pdt_annotate.values.runs import SpecSource

MODELS = """\
import torch
from torch import nn
from typing import NamedTuple


class State(NamedTuple):
    hidden: torch.Tensor
    cells: list


class Recurrent(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embed = nn.Embedding(9, width)

    def forward(self, batch, state, *, times, scale=1.0):
        x = self.embed(batch["ids"]) * scale + state.hidden * times
        return {"x": x, "state": State(x, [cell + x for cell in state.cells])}


class Shift(nn.Module):
    def forward(self, x, y, mask=None):
        out = x[:, 1:] - y
        return out if mask is None else out.masked_fill(mask, 0.0)


class Gate(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.calls


def mix(*xs, **options):
    out = sum(xs)
    return out if out.shape[0] > 4 else out * options["gain"]
"""

SPEC = """\
import torch
from pdt_annotate import Call

randn = torch.randn
shift = [
    (randn(2, 6), randn(2, 5)),
    (randn(3, 9), randn(3, 8)),
    (randn(3, 4), randn(3, 3), None),
    Call((randn(2, 6), randn(2, 5)), {"mask": torch.zeros(2, 5, dtype=torch.bool)}, name="masked"),
]
once = [(randn(2, 3),)]
twice = [(randn(2, 3),), (randn(2, 3),)]
mixed = [Call((randn(n, 2), randn(n, 2)), {"gain": 2.0}) for n in (2, 5, 8)]
"""

OF_RECURRENT = """\
import torch
from torch import randn
from model import Recurrent, State
from pdt_annotate import Call


def model():
    return Recurrent(4)


def step(size, times, **how):
    state = State(randn(size, 4), [randn(size, 4), randn(size, 4)])
    batch = {"ids": torch.randint(0, 9, (size,))}
    return Call((batch, state), {"times": times, "scale": 0.5}, **how)


def calls():
    return [step(3, 3), step(1, 3), step(20, 3), step(8, 3, held_back=True, name="eight"), step(2, 9, held_back=True)]
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    for name, text in {"model.py": MODELS, "spec.py": SPEC, "recurrent.py": OF_RECURRENT}.items():
        (root / name).write_text(text)
    return root


@pytest.fixture(scope="module")
def exporting(zygote: Zygote) -> Iterator[Zygote]:
    """The zygote; its sessions have imported what torch.export imports when it is first called."""
    zygote.import_libraries(("torch.export", "torch._dynamo", "torch.fx.experimental.symbolic_shapes"))
    session = zygote.session
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zygote, "session", lambda *args, **how: session(*args, **{**how, "with_libraries": True}))
        yield zygote


@pytest.fixture
def run(project: Path, exporting: Zygote) -> Any:
    """The export of a target of the project on calls of its spec."""

    def run(target: str, spec: str, calls: str) -> Exported:
        source = SpecSource(str(project / spec), calls)
        options = Options((parse(f"{project}/model.py:{target}"),), source, str(project), output=str(project / "x.py"))
        (exported,) = export(options, exporting, "pdt-annotate …")
        return exported

    return run


def test_nested_arguments_of_sizes_that_vary(run: Any) -> None:
    exported = run("Recurrent", "recurrent.py", "calls")
    assert exported.served == ("call 1", "call 2", "call 3", "eight")
    assert [each.message for each in exported.findings] == ["`call 5`: `times` is 9, not 3"]
    for line in (
        "import recurrent\n",
        "from model import State\n",
        'batch = Dim("batch", min=1, max=20)\n',
        '"ids": torch.',  # those of many are drawn
        '    "batch": {"ids": {0: batch}},\n',
        '    "state": State({0: batch}, [{0: batch}, {0: batch}]),\n',
        '    "times": None,\n',
        '    "scale": None,\n',
        "    module = recurrent.model()\n",
    ):
        assert line in exported.text


def test_a_relation_that_torch_asks_for_and_a_call_of_another_structure(run: Any) -> None:
    exported = run("Shift", "spec.py", "shift")
    assert exported.served == ("call 1", "call 2", "call 3")
    assert 'y_1 = Dim("y_1", min=3, max=8)\nx_1 = y_1 + 1  # as torch.export asked\n' in exported.text
    assert {each.code: each.message for each in exported.findings} == {
        "PDT098": "`x_1` is `y_1 + 1`: the code needs them in this relation",
        "PDT096": "`masked`: `mask` is a 2-d torch.bool tensor, not None",
    }


def test_a_function_of_any_arguments_and_the_branch_of_most_calls(run: Any) -> None:
    exported = run("mix", "spec.py", "mixed")
    assert exported.served == ("call 2", "call 3")
    assert "    def forward(self, xs_0, xs_1, *, gain):\n        return mix(xs_0, xs_1, gain=gain)\n" in exported.text
    assert 'batch = Dim("batch", min=5, max=8)\n' in exported.text


def test_what_torch_does_not_take(run: Any) -> None:
    with pytest.raises(VerificationError, match=r"(?s)model.py:Gate: .*value of a tensor.*at \S*model.py:29"):
        run("Gate", "spec.py", "once")


def test_an_answer_that_differs(run: Any) -> None:
    with pytest.raises(
        VerificationError, match=r"model.py:Counter answers otherwise than eager mode on the call `call 2`"
    ):
        run("Counter", "spec.py", "twice")
