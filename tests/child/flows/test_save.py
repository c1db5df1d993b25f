"""`save`: the way that works for each kind of model, values that need consent, and the verification of the file."""

import json
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import torch

from pdt_annotate.flows.save import save
from pdt_annotate.flows.saved_programs import read_metadata, runner_files, verify_file
from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.capture_results import Fate, SavedModel
from pdt_annotate.values.errors import TargetError, UserError
from pdt_annotate.values.runs import SpecSource

MODELS = """
    import torch
    from torch import nn
    from pdt_annotate import Call

    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)

        def forward(self, x):
            return self.layer(x).relu()

        def encode(self, x):
            return self.layer(x)

    class Hooked(Plain):
        def __init__(self):
            super().__init__()
            self.layer.register_full_backward_hook(print)

    class Gate(Plain):
        def forward(self, x, scale=2, mask=None):
            if mask is not None:
                x = x * mask
            return self.layer(x) * scale if x.sum() > 0 else x - scale

    class Memo(Plain):
        def __init__(self):
            super().__init__()
            self.gate, self.memo = Gate(), {}

        def forward(self, x):
            self.memo[0] = object()
            return {"y": self.gate(x)}, [x]

    class Rows(Plain):
        def forward(self, *xs):
            self.memo = id(xs)
            return {"y": self.layer(xs[0]), "rows": xs[0].shape[0]}

    def branch(x):
        {id(x): 0}
        return x * 2 if x.sum() > 0 else x

    def loud(x):
        if x.sum() > 0:
            return x * len({id(x): 0, 1: 0})
        return x

    def gated(x, on=False):
        {id(x): 0}
        return loud(x * 3 if on else x)

    def louder(x):
        {id(x): 0}
        return loud(x)

    def flagged(x, *, mask=None, kind="sum"):
        {id(x): 0}
        x = x if mask is None else x * mask
        return x.sum() if kind == "sum" else x.mean()

    class Checked(Plain):
        def forward(self, x):
            if (x > 100).any():
                raise ValueError("too large")
            return self.layer(x)

    class Graded(Plain):
        def forward(self, x):
            if torch.jit.is_scripting() and torch.is_grad_enabled():
                raise ValueError("a fault of torch")
            return self.layer(x)

    def cut(x, n):
        return x[: int(n.sum() + 0)] * 2

    def scaled(x, k: int = 2):
        return x * k

    class Made:
        def __init__(self, x):
            self.x = x

    x = torch.ones(3, 2)
    calls = [Call((x,), name="ones"), Call((-x,), name="negative"), Call((-x[:2],), name="two rows", held_back=True)]
    evaluated = [Call((x,), mode="eval")]
    in_eval = [*evaluated, Call((x,), method="encode", mode="eval")]
    positive = [Call((x,), name="ones"), Call((x[:2] + 1,), name="two rows", held_back=True)]
    cuts = [Call((x, torch.tensor([2]))), Call((x, torch.tensor([1])), held_back=True)]
    one, both = [Call((x,))], [Call((x,)), Call((x,), {"k": 3})]
    flags = [*one, Call((x,), {"mask": x}), Call((x[:2],), {"kind": "mean"}, held_back=True)]
    half = [*one, Call((x[:2] + 1, True), held_back=True)]
"""

SCRIPTED, NESTED = "scripted without changes", "traced, with nested arguments and results"
MIXED = "traced, with the parts that branch scripted"
LADDER = {
    "Plain": ("calls", SCRIPTED),
    "scaled": ("both", SCRIPTED),
    "Hooked": ("calls", SCRIPTED),
    "Gate": ("calls", "scripted with 3 annotations"),
    "Memo": ("calls", MIXED),
    "Rows": ("one", NESTED),
    "branch": ("calls", "traced, with 1 change of code"),
    "louder": ("positive", "traced"),
    "flagged": ("flags", NESTED),
    "Graded": ("evaluated", SCRIPTED),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("saved")
    (made / "models.py").write_text(dedent(MODELS))
    return made


def save_in(zygote: Zygote, folder: Path, name: str, calls: str, output: str = "net.pt", **given: Any) -> SavedModel:
    return save(options_for(folder, name, calls, output=output, **given), zygote, str(folder))


def options_for(folder: Path, name: str, calls: str, **given: Any) -> Options:
    file = folder / "models.py"
    return Options((parse(f"{file}:{name}"),), SpecSource(str(file), calls), str(folder), no_probe=True, **given)


@pytest.mark.parametrize("name", LADDER)
def test_the_first_rung_that_answers_all_calls_right_is_saved(zygote: Zygote, folder: Path, name: str) -> None:
    calls, rung = LADDER[name]
    saved = save_in(zygote, folder, name, calls, f"{name}.pt")
    assert (saved.rungs[-1].title, saved.rungs[-1].lacks) == (rung, "")
    assert all(each.lacks for each in saved.rungs[:-1])
    assert {each.fate for each in saved.calls} == {Fate.SAME}
    assert all(each.place.file == str(folder / "models.py") for each in saved.findings)
    metadata = read_metadata(saved.file)
    assert (metadata["way"], len(metadata["calls"])) == (rung, len(saved.calls))  # type: ignore[arg-type]
    assert verify_file(options_for(folder, name, calls), zygote, saved.file, str(folder), print).file
    loaded = torch.jit.load(saved.file)
    if name == "Memo":
        answer, (x,) = loaded(-torch.ones(5, 2))
        assert (list(answer), x.shape) == (["y"], (5, 2))
    if name == "Rows":
        assert saved.notes[0].startswith("the file accepts and returns only tensors")
        assert [each.tolist() for each in loaded(torch.ones(3, 2))[1:]] == [3]
    if name == "flagged":
        assert saved.notes[0].startswith("the file has a trace for each value of `mask`, `kind`")
        assert loaded(torch.ones(5, 2), None, "mean") == 1
    if name == "Hooked":
        assert saved.notes[-1].startswith("the program has no backward hooks")
    if name == "Graded":
        assert saved.notes[0].startswith("run it with gradients off")
    assert bool(saved.baked) is (name == "louder")
    if name == "branch":
        assert [each.summary for each in saved.mends] == [
            "move this part of `branch` into `_branch_branch`, which is compiled while tracing"
        ]
        assert loaded(torch.ones(5, 2)).sum() == 20
    if name == "Gate":
        assert [each.code for each in saved.findings] == ["PDT099"]
        assert "`if mask is not None`: the condition is False" in saved.findings[0].message


def test_a_trace_that_keeps_values_needs_consent_or_a_call_that_shows_it_right(zygote: Zygote, folder: Path) -> None:
    refused = save_in(zygote, folder, "louder", "one")
    *_, asked, changed = refused.rungs
    assert (refused.file, asked.title, changed.title) == (
        "",
        "traced",
        "traced, with what decides by values in compiled functions",
    )
    assert "`--allow baked` saves it anyway, or add a held-back call with other sizes and values" in asked.lacks
    assert "nothing around it can be compiled while tracing" in changed.lacks
    assert save_in(zygote, folder, "louder", "one", allow=("baked",)).baked[0].place.line == 47
    wrong = save_in(zygote, folder, "louder", "calls", allow=("baked",))
    assert not wrong.file
    assert any("on call negative, the result" in each.lacks for each in wrong.rungs)
    half = save_in(zygote, folder, "gated", "half")
    assert half.rungs[-2].lacks.endswith(
        "with other sizes where on = False and values where on = False, which the trace must pass"
    )
    script = save_in(zygote, folder, "branch", "one", require=("script",))
    assert len(script.rungs) == 2


def test_what_is_frozen_keeps_the_methods_that_calls_name(zygote: Zygote, folder: Path) -> None:
    saved = save_in(zygote, folder, "Plain", "in_eval", freeze=True)
    loaded = torch.jit.load(saved.file)
    assert not list(loaded.parameters())
    assert loaded.encode(torch.ones(1, 2)).shape == (1, 2)
    with pytest.raises(TargetError, match="eval mode"):
        save_in(zygote, folder, "Plain", "calls", optimize=True)
    with pytest.raises(TargetError, match="objects of a class"):
        save_in(zygote, folder, "Made", "one")


def test_an_export_has_free_sizes(folder: Path) -> None:
    with Zygote(timeout=120) as zygote:  # it imports the modules for exports once
        saved = save_in(zygote, folder, "Plain", "calls", "net.pt2")
        refused = save_in(zygote, folder, "branch", "one", "net.pt2")
        checked = save_in(zygote, folder, "Checked", "calls", "checked.pt2")
        cut = save_in(zygote, folder, "cut", "cuts", "cut.pt2")
    assert [each.fate for each in saved.calls] == 3 * [Fate.SAME]
    assert torch.export.load(saved.file).module()(torch.ones(9, 2)).shape == (9, 2)
    assert "depends on the value of a tensor" in refused.rungs[-1].lacks
    assert [each.summary for each in checked.mends] == ["run `if (x > 100).any():` only in Python"]
    assert [each.summary for each in cut.mends] == ["write `int(n.sum() + 0)` as `(n.sum() + 0).item()`"]
    assert cut.file, cut.rungs


def test_a_file_is_verified_against_the_source_as_it_is_now(zygote: Zygote, tmp_path: Path) -> None:
    source = dedent(MODELS)
    (tmp_path / "models.py").write_text(source)
    saved = save_in(zygote, tmp_path, "Plain", "calls")
    (tmp_path / "models.py").write_text(source.replace(".relu()", ".abs()"))
    verified = verify_file(options_for(tmp_path, "Plain", "calls"), zygote, saved.file, str(tmp_path), print)
    assert not verified.file
    assert "on call ones, the result differs" in verified.rungs[0].lacks
    assert verified.notes == ("source files that have changed since the file was saved: models.py",)
    (tmp_path / "other.pt").write_bytes(b"")
    with pytest.raises(UserError, match="not a file that `pdt-annotate save` wrote"):
        read_metadata(str(tmp_path / "other.pt"))


def test_the_runner_has_the_file_and_its_calls(zygote: Zygote, folder: Path) -> None:
    files = dict(runner_files(replace(save_in(zygote, folder, "Plain", "calls")), str(folder)))
    assert files.keys() == {"CMakeLists.txt", "main.cpp", "net.pt", "calls.pt"}
    calls = torch.load(files["calls.pt"])
    assert [(each["name"], each["held_back"]) for each in calls] == [
        ("ones", False),
        ("negative", False),
        ("two rows", True),
    ]
    assert json.dumps(calls[0]["kwargs"]) == "{}"
