"""Where in the user's file something cannot be captured, and why, by torch's own errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest
import torch
from loaded import load

from pdt_annotate.captures.subject import Capturable, definition_of, reason_of
from pdt_annotate.captures.ways import compile, export, fx, make_fx, script, trace
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.runs import Call

MODEL = """\
    import torch
    from torch import nn
    import torch.nn.functional as F

    def helper(x):
        if x.sum() > 0:
            return x
        return -x

    class Branch(nn.Module):
        def forward(self, x):
            return helper(x) * 2

    class Item(nn.Module):
        def forward(self, x):
            return x[: int(x.sum())]

    class Many(nn.Module):
        def forward(self, x):
            return {"a": x}

    class Wrong(nn.Module):
        def forward(self, x):
            return F.linear(x, torch.ones(3, 5))

    class Keyword(nn.Module):
        def forward(self, x, **options):
            return x
"""

X = torch.ones(2, 4)
RUNS_ONE_WAY = "depends on the value of a tensor"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("model") / "reasons_model.py", dedent(MODEL))


@pytest.mark.parametrize(
    ("name", "capture", "line", "said"),
    [
        ("Branch", fx.capture, 6, "symbolically traced variables cannot be used as inputs to control flow"),
        ("Branch", compile.capture_whole, 6, RUNS_ONE_WAY),
        ("Branch", export.capture, 6, RUNS_ONE_WAY),
        ("Branch", make_fx.capture, 6, "Python takes a value out of a tensor"),
        ("Item", make_fx.capture, 16, "Python takes a value out of a tensor"),
        ("Item", fx.capture, 16, "int() argument must be a string"),
        ("Keyword", script.capture, 27, "Compiled functions can't take variable number of arguments"),
        ("Many", trace.capture, 19, "the answer is a dict, which a trace keeps with strict=False alone"),
        ("Wrong", trace.capture, 24, "mat1 and mat2 shapes cannot be multiplied (2x4 and 5x3)"),
        ("Wrong", compile.capture_whole, 24, "without the values of tensors it raises"),
        ("Wrong", export.capture, 24, "a and b must have same reduction dim, but got [2, 4] X [5, 3]"),
    ],
)
def test_the_reason_is_one_sentence_at_a_line_of_the_users(
    model: ModuleType, name: str, capture: Callable[[Capturable], Any], line: int, said: str
) -> None:
    callee, root = getattr(model, name)(), str(Path(str(model.__file__)).parent)
    subject = Capturable(callee, (Call((X,)),), root, lambda: callee)
    with pytest.raises(Exception) as raised:
        capture(subject)
    failure = reason_of(raised.value, root, callee)
    assert (failure.place.file, failure.place.line) == (model.__file__, line)
    assert said in failure.message
    assert "\n" not in failure.message and "http" not in failure.message


def test_an_error_that_names_none_of_the_users_lines_is_at_the_definition(model: ModuleType) -> None:
    callee = model.Branch()
    failure = reason_of(RuntimeError("no.\n\nSee https://a.b"), str(Path(str(model.__file__)).parent), callee)
    assert failure.place == definition_of(callee) == Place(str(model.__file__), 11)
    assert failure.message == "no"
    assert failure.text == "no.\n\nSee https://a.b"


def test_what_nobody_wrote_in_python_is_defined_nowhere() -> None:
    assert definition_of(len) == definition_of(None) == NO_PLACE
