"""Every way on the models of tests/helpers/data/captured. The table is that of docs/captures.md."""

import ast
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from repository import ROOT
from torch_differences import holds

from pdt_annotate.captures.table import BY_NAME, modules_of
from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import examine, open_session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.capture_results import Capture, Fate
from pdt_annotate.values.errors import SpecError, TargetError
from pdt_annotate.values.runs import SpecSource

MODELS = ROOT / "tests" / "helpers" / "data" / "captured"
WAYS = ("script", "trace", "fx", "compile", "compile-breaks", "export", "export-dynamic", "make_fx", "lazy")
SIGNS = {Fate.SAME: "✓", Fate.DIFFERS: "✗", Fate.REFUSED: "-", Fate.ABSENT: "·"}

TABLE = {
    "plain_cnn": "✓ ✓ ✓ ✓ ✓ - ✓ ✓ ✓",
    "optional_mask": "- - - ✓ ✓ - - - ✓",
    "optional_mask_annotated": "✓ - - ✓ ✓ - - - ✓",
    "dict_in_out": "✓ - ✓ ✓ ✓ - ✓ ✓ ✓",
    "data_branch": "✓ ✗ - - ✓ - - - ✓",
    "script_if": "✓ ✓ - - ✓ - - - ✓",
    "shape_loop": "✓ ✗ - ✓ ✓ - - ✗ -",
    "list_attribute": "✓ - ✗ ✓ ✓ ✗ ✗ ✗ ✓",
    "kwargs_while": "- - - - ✓ - - - ✓",
}
"""In the order of `WAYS`: ✓ equal results on every call, ✗ a wrong result on one call, - not captured, or an error."""

TRIED = {(way, sign): model for model, row in TABLE.items() for way, sign in zip(WAYS, row.split(), strict=True)}
"""For each way and each outcome, the last model with this outcome. Quick ways run on all models."""
QUICK = ("script", "trace", "fx")


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """A zygote whose sessions have imported the modules that captures need."""
    with Zygote(timeout=120) as zygote:
        zygote.import_libraries(modules_of(BY_NAME.values()))
        yield zygote


def open_model(zygote: Zygote, file: Path, name: str = "", calls: str = "") -> Session:
    """A session of the last class of a file, or of the named one, with the calls in the file."""
    classes = [node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.ClassDef)]
    target = parse(f"{file}:{name or classes[-1]}")
    return open_session(
        Options((target,), SpecSource(str(file), calls), str(file.parent)), zygote, target, with_libraries=True
    )


def test_every_model_is_in_the_table() -> None:
    assert {file.stem for file in MODELS.glob("*.py")} == TABLE.keys()


@pytest.mark.parametrize("model", TABLE)
def test_each_way_does_what_the_table_says(zygote: Zygote, model: str) -> None:
    file = MODELS / f"{model}.py"
    session = open_model(zygote, file)
    row = dict(zip(WAYS, TABLE[model].split(), strict=True))
    expected = {way: sign for way, sign in row.items() if way in QUICK or TRIED[way, sign] == model}
    tried = {way: examine(session, BY_NAME[way]) for way in expected}
    assert {way: SIGNS[each.fate] for way, each in tried.items()} == expected
    for way, each in tried.items():
        assert each.captured is (each.failure is None)
        assert each.failure is None or each.failure.place.file == str(file)
        assert bool(each.operators) is bool(each.graphs) is each.captured
        if way == "compile-breaks" and holds("has dynamo count every frame that it gives up"):
            assert (not each.whole) is (model == "kwargs_while")
        if way == "compile":
            assert each.whole is each.captured


ODD = """
    import ctypes
    import time
    import torch
    from torch import nn
    from pdt_annotate import Call

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)
            self.norm = nn.BatchNorm1d(2)
            self.drop = nn.Dropout(0.5)

        def forward(self, x):
            return self.drop(self.norm(self.layer(x)))

        def encode(self, x, *, scale=2.0):
            return self.layer(x) * scale

    class Crashing(nn.Module):
        def forward(self, x):
            if torch.jit.is_tracing():
                ctypes.string_at(0)
            return x + 1

    class Plain:
        def __init__(self, x):
            self.x = x

    def scale(x, n=2):
        return x * n

    x = torch.randn(4, 2)
    calls = [
        Call((x,), name="first"),
        Call((x,), name="again"),
        Call((torch.randn(3, 5),), name="too wide", raises=True),
        Call((x,), mode="eval", name="in eval mode"),
        Call((x,), method="encode", name="encode"),
        Call((x,), callee=scale, name="scale"),
    ]
    encode = [Call((x,), method="encode"), Call((x,), {"scale": 3.0}, method="encode")]
    in_eval_mode = [Call((x,), mode="eval"), Call((x,))]
    one = [Call((x,))]
    too_wide = [Call((torch.randn(3, 5),), name="too wide")]
    held_back = [Call((x,), held_back=True)]
"""


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("odd") / "odd.py"
    file.write_text(dedent(ODD))
    return file


def by_call(capture: Capture) -> dict[str, Fate]:
    return {call.call: call.fate for call in capture.calls}


def test_calls_are_compared_from_fresh_state_and_equal_seeds_and_others_are_listed(zygote: Zygote, odd: Path) -> None:
    session = open_model(zygote, odd, "Net", "calls")
    for name in ("script", "fx"):
        tried = examine(session, BY_NAME[name])
        *same, encode, scale = by_call(tried).values()
        assert set(same) == {Fate.SAME}
        assert encode is scale is Fate.NOT_COMPARED
        assert tried.calls[-1].message == "it calls `scale`, but the target itself is captured"
        assert tried.fate is Fate.SAME
    traced = examine(session, BY_NAME["trace"])
    assert by_call(traced)["in eval mode"] is Fate.DIFFERS  # the trace always contains the dropout
    assert [call.call for call in traced.calls if call.made_from] == ["first"]


def test_calls_of_other_modes_and_methods_and_that_raise(zygote: Zygote, odd: Path) -> None:
    session = open_model(zygote, odd, "Net", "in_eval_mode")
    assert [examine(session, BY_NAME[name]).fate for name in ("script", "lazy")] == [Fate.SAME, Fate.SAME]
    assert [call.fate for call in examine(session, BY_NAME["trace"]).calls] == [Fate.SAME, Fate.DIFFERS]
    session = open_model(zygote, odd, "Net", "encode")
    fates = [examine(session, BY_NAME[name]).fate for name in ("script", "fx", "compile")]
    assert fates == [Fate.REFUSED, Fate.SAME, Fate.SAME]
    session = open_model(zygote, odd, "Net", "too_wide")
    for way in ("trace", "fx"):
        with pytest.raises(SpecError, match="too wide raised: RuntimeError") as raised:
            examine(session, BY_NAME[way])
        assert raised.value.place.file == str(odd) and "`raises`" in raised.value.hint
    tried = examine(open_model(zygote, odd, "scale", "one"), BY_NAME["fx"])
    assert tried.seconds > 0
    assert tried.relative is not None and tried.per_call is not None


def test_a_way_that_crashes_and_where_no_call_is_shown(zygote: Zygote, odd: Path) -> None:
    session = open_model(zygote, odd, "Crashing", "one")
    with pytest.raises(Exception, match="SIGSEGV"):
        examine(session, BY_NAME["trace"])
    assert examine(session, BY_NAME["fx"]).fate is Fate.SAME
    with pytest.raises(SpecError, match="no example call to capture with"):
        examine(open_model(zygote, odd, "scale", "held_back"), BY_NAME["fx"])
    with pytest.raises(TargetError, match="Plain is a class"):
        examine(open_model(zygote, odd, "Plain", "one"), BY_NAME["fx"])
